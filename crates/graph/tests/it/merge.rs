//! Merges of two nodes.

use serde_json::json;

use crate::world::World;

/// Returns a graph in which `b` will be merged into `a`.
fn world() -> World {
    let world = World::new();
    for (id, data) in [
        ("a", r#"{"n":9007199254740993,"name":null,"in":{"x":1}}"#),
        (
            "b",
            r#"{"n":2,"name":"B","in":{"x":2,"y":1.50},"more":[1]}"#,
        ),
        ("c", "{}"),
    ] {
        let node = format!(r#"{{"id":"{id}","label":"Node {id}","type":"gene","data":{data}}}"#);
        world.raw("addNode", &node).unwrap();
    }
    world
}

#[test]
fn edges_move_and_data_fills_in_the_rest() {
    let world = world();
    world.edge("bc", "b", "c");
    world.edge("cb", "c", "b");
    world.edge("bb", "b", "b");
    world.edge("cc", "c", "c");
    let before = world.state();
    let reply = world
        .reply("mergeNodes", &json!({"into": "a", "from": "b"}))
        .unwrap();
    assert!(
        reply.json.contains(
            r#""data":{"n":9007199254740993,"name":null,"in":{"x":1,"y":1.50},"more":[1]}"#
        ),
        "{}",
        reply.json
    );
    let merged = crate::world::read(&reply);
    assert_eq!(merged["data"]["label"], "Node a");
    assert_eq!(merged["removed"]["label"], "Node b");
    assert_eq!(
        (&merged["movedEdges"], &merged["removedEdges"]),
        (&json!(3), &json!(0))
    );
    let edge = |id: &str| {
        let edge = world.run("getEdge", json!({"id": id}));
        let end = |name: &str| edge["data"][name].as_str().unwrap().to_owned();
        (end("source"), end("target"))
    };
    let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
    assert_eq!(edge("bc"), pair("a", "c"));
    assert_eq!(edge("cb"), pair("c", "a"));
    assert_eq!(edge("bb"), pair("a", "a"));
    assert_eq!(edge("cc"), pair("c", "c"));
    assert_eq!(world.words()[0], "Merged node: Node b into Node a");
    let after = world.state();
    world.run("undo", json!({}));
    assert_eq!(world.state(), before);
    world.run("redo", json!({}));
    assert_eq!(world.state(), after);
}

#[test]
fn an_edge_between_both_goes_and_so_does_one_that_is_there_already() {
    let world = world();
    for id in ["ab", "ba", "ac", "bc", "ca"] {
        let (source, target) = id.split_at(1);
        world.run(
            "addEdge",
            json!({"id": id, "source": source, "target": target}),
        );
    }
    let with_data = json!({"id": "cb", "source": "c", "target": "b", "data": {"weight": 2}});
    world.run("addEdge", with_data);
    let other = json!({"id": "other", "source": "b", "target": "c", "label": "another"});
    world.run("addEdge", other);
    let merged = world.run("mergeNodes", json!({"into": "a", "from": "b"}));
    assert_eq!(
        (&merged["movedEdges"], &merged["removedEdges"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(world.ids().1, ["ac", "ca", "cb", "other"]);
    assert_eq!(merged["metadata"]["edgeCount"], 4);
    world.run("undo", json!({}));
    assert_eq!(world.ids().1.len(), 7);
}

#[test]
fn both_nodes_must_be_there_and_differ() {
    let world = world();
    let before = world.state();
    for (arguments, code) in [
        (json!({"into": "a", "from": "a"}), "INVALID_ARGUMENT"),
        (json!({"into": "a", "from": "gone"}), "NODE_NOT_FOUND"),
        (json!({"into": "gone", "from": "a"}), "NODE_NOT_FOUND"),
        (json!({"into": "a"}), "INVALID_ARGUMENT"),
        (
            json!({"into": "a", "from": "b", "ifVersion": 1}),
            "VERSION_CONFLICT",
        ),
    ] {
        assert_eq!(
            world.code("mergeNodes", arguments.clone()),
            code,
            "{arguments}"
        );
    }
    assert_eq!(world.state(), before);
}

#[test]
fn a_node_with_many_edges_is_merged_as_one_step() {
    let world = world();
    let nodes: Vec<_> = (0..3_000)
        .map(|at| json!({"id": format!("n{at}"), "label": "n"}))
        .collect();
    world.run("addMultipleNodes", json!({"nodes": nodes}));
    let edges: Vec<_> = (0..3_000)
        .map(|at| json!({"source": "b", "target": format!("n{at}")}))
        .collect();
    world.run("addMultipleEdges", json!({"edges": edges}));
    let merged = world.run("mergeNodes", json!({"into": "a", "from": "b"}));
    assert_eq!(merged["movedEdges"], 3_000);
    let neighbors = world.run("getNeighbors", json!({"id": "a", "limit": 10_000}));
    assert_eq!(neighbors["data"]["edges"].as_array().unwrap().len(), 3_000);
}

//! Operations on single nodes and edges.

use serde_json::json;

use crate::world::World;

#[test]
fn a_node_is_stored_as_it_was_sent() {
    let world = World::new();
    let node = r#"{"id":"NCBIGene:7157/%🧬","label":"TP53","type":"gene","data":{"n":9007199254740993,"f":1.10,"b":[1.0e10]},"position":{"x":0.1,"y":-150}}"#;
    let added = world.raw("addNode", node).unwrap();
    assert_eq!(added["created"], true);
    assert_eq!(added["version"], 1);
    assert_eq!(
        added["metadata"],
        json!({"nodeCount":1,"edgeCount":0,"version":1,"canUndo":true,"canRedo":false})
    );
    let reply = world
        .reply("getNode", &json!({"id": "NCBIGene:7157/%🧬"}))
        .unwrap();
    assert_eq!(
        reply.json,
        r#"{"data":{"id":"NCBIGene:7157/%🧬","label":"TP53","type":"gene","data":{"n":9007199254740993,"f":1.10,"b":[1.0e10]},"position":{"x":0.1,"y":-150},"createdAt":"2026-11-21T22:10:00.001Z","updatedAt":"2026-11-21T22:10:00.001Z"}}"#
    );
}

#[test]
fn a_node_goes_with_its_edges_and_both_come_back() {
    let world = World::new();
    for id in ["a", "b", "c"] {
        world.node(id);
    }
    world.edge("ab", "a", "b");
    world.edge("bc", "b", "c");
    world.edge("bb", "b", "b");
    world.edge("ac", "a", "c");
    let before = world.state();
    let removed = world.run("removeNode", json!({"id": "b"}));
    assert_eq!(removed["removedEdges"], 3);
    let after = world.state();
    assert_eq!(world.ids().1, ["ac"]);
    assert_eq!(world.words()[0], "Removed node: b and 3 edges");
    let undone = world.run("undo", json!({}));
    assert_eq!(undone["data"]["description"], "Removed node: b and 3 edges");
    assert_eq!(undone["data"]["edges"]["created"], 3);
    assert_eq!(world.state(), before);
    world.run("redo", json!({}));
    assert_eq!(world.state(), after);
    assert_eq!(world.code("redo", json!({})), "NOTHING_TO_REDO");
}

#[test]
fn an_id_that_exists_is_an_error_or_an_update() {
    let world = World::new();
    world.run("addNode", json!({"customId": "a", "label": "A", "type": "gene", "data": {"k": 1}, "position": {"x": 1, "y": 2}}));
    let error = world.error("addNode", json!({"canonicalId": "a", "label": "B"}));
    assert_eq!(
        (error.code(), &error.details()["id"]),
        ("ALREADY_EXISTS", &json!("a"))
    );
    let updated = world.run("addNode", json!({"id": "a", "label": "B", "upsert": true}));
    assert_eq!(
        (&updated["created"], &updated["data"]["label"]),
        (&json!(false), &json!("B"))
    );
    assert_eq!(updated["data"]["type"], "gene", "what is not said stays");
    assert_eq!(updated["data"]["data"], json!({"k": 1}));
    assert_eq!(updated["data"]["position"], json!({"x": 1, "y": 2}));
    assert_eq!(world.words()[0], "Updated node: B");
    let code = world.code("addNode", json!({"id": "a", "customId": "b", "label": "x"}));
    assert_eq!(code, "INVALID_ARGUMENT");
}

#[test]
fn the_same_edge_twice_is_one_edge_and_others_may_be_parallel() {
    let world = World::new();
    world.node("a");
    world.node("b");
    let edge = json!({"source": "a", "target": "b", "label": "treats", "type": "clinical"});
    let first = world.run("addEdge", edge.clone());
    let second = world.run("addEdge", edge);
    assert_eq!(
        (&first["created"], &second["created"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(first["data"], second["data"]);
    assert_eq!(first["data"]["data"], json!({}));
    assert_eq!(world.words()[0], "Added edge: a → b");
    for other in [
        json!({"label": "cures"}),
        json!({"type": "x", "label": "treats"}),
        json!({}),
    ] {
        let mut edge = json!({"source": "a", "target": "b"});
        edge.as_object_mut()
            .unwrap()
            .extend(other.as_object().unwrap().clone());
        assert_eq!(world.run("addEdge", edge)["created"], true);
    }
    let own = world.run(
        "addEdge",
        json!({"id": "loop", "source": "a", "target": "a"}),
    );
    assert_eq!(own["data"]["source"], own["data"]["target"]);
    assert_eq!(
        world.code(
            "addEdge",
            json!({"id": "loop", "source": "b", "target": "a"})
        ),
        "ALREADY_EXISTS"
    );
    assert_eq!(world.version(), 7);
}

#[test]
fn an_edge_ends_at_nodes_that_exist() {
    let world = World::new();
    world.run("addNode", json!({"id": "NCBIGene:7157", "label": "TP53"}));
    world.node("b");
    let error = world.error("addEdge", json!({"source": "NCBIGene:7158", "target": "b"}));
    assert_eq!(error.code(), "NODE_NOT_FOUND");
    assert_eq!(
        error.details(),
        *json!({"id": "NCBIGene:7158", "suggestions": ["NCBIGene:7157"]})
            .as_object()
            .unwrap()
    );
    let error = world.error("addEdge", json!({"source": "TP53", "target": "b"}));
    assert_eq!(
        error.details()["suggestions"],
        json!(["NCBIGene:7157"]),
        "a label leads to its node"
    );
    world.edge("e", "b", "b");
    assert_eq!(
        world.code("updateEdge", json!({"id": "e", "target": "nowhere"})),
        "NODE_NOT_FOUND"
    );
    assert_eq!(
        world.code("updateEdge", json!({"id": "f"})),
        "EDGE_NOT_FOUND"
    );
}

#[test]
fn what_does_not_exist_cannot_be_removed() {
    let world = World::new();
    world.node("TP53");
    for (operation, arguments, code) in [
        ("removeNode", json!({"id": "TP54"}), "NODE_NOT_FOUND"),
        ("getNode", json!({"id": "TP54"}), "NODE_NOT_FOUND"),
        ("updateNode", json!({"id": "TP54"}), "NODE_NOT_FOUND"),
        ("removeEdge", json!({"id": "TP53"}), "EDGE_NOT_FOUND"),
        (
            "removeMultiple",
            json!({"nodes": ["TP53", "x"]}),
            "NODE_NOT_FOUND",
        ),
        (
            "removeMultiple",
            json!({"nodes": ["x"], "edges": ["y"]}),
            "INVALID_ITEMS",
        ),
        ("getNeighbors", json!({"id": "x"}), "NODE_NOT_FOUND"),
    ] {
        assert_eq!(
            world.code(operation, arguments.clone()),
            code,
            "{operation} {arguments}"
        );
    }
    let error = world.error("removeNode", json!({"id": "TP54"}));
    assert_eq!(error.details()["suggestions"], json!(["TP53"]));
    assert_eq!(world.ids().0, ["TP53"]);
}

#[test]
fn an_edge_may_become_parallel_to_another_and_two_may_swap() {
    let world = World::new();
    for id in ["a", "b"] {
        world.node(id);
    }
    world.edge("x", "a", "b");
    world.edge("y", "b", "a");
    let moved = world.run(
        "updateEdge",
        json!({"id": "x", "source": "b", "target": "a", "label": "y"}),
    );
    assert_eq!(
        (&moved["changed"], &moved["data"]["id"]),
        (&json!(true), &json!("x"))
    );
    assert_eq!(
        world.run("getNeighbors", json!({"id": "a"}))["data"]["edges"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    world.run("undo", json!({}));
    let swapped = world.run(
        "updateMultipleEdges",
        json!({"edges": [
            {"id": "x", "source": "b", "target": "a", "label": "y", "data": {"was": "x"}},
            {"id": "y", "source": "a", "target": "b", "label": "x"},
        ]}),
    );
    assert_eq!(swapped["updated"], 2);
    let edge = world.run("getEdge", json!({"id": "x"}));
    assert_eq!(
        (&edge["data"]["source"], &edge["data"]["data"]),
        (&json!("b"), &json!({"was": "x"}))
    );
    let same = json!({"edges": [{"id": "x", "label": "z"}, {"id": "y", "source": "b", "target": "a", "label": "z"}]});
    assert_eq!(world.run("updateMultipleEdges", same)["updated"], 2);
}

#[test]
fn a_change_of_data_is_a_merge_patch() {
    let world = World::new();
    world.run(
        "addNode",
        json!({"id": "a", "label": "A", "data": {"x": {"y": 1, "z": 2}, "k": [1]}}),
    );
    let change = |data: serde_json::Value| {
        world.run("updateNode", json!({"id": "a", "data": data}))["data"]["data"].clone()
    };
    assert_eq!(
        change(json!({"x": {"y": null}, "n": 1})),
        json!({"x": {"z": 2}, "k": [1], "n": 1})
    );
    assert_eq!(change(json!(null)), json!({}));
    let moved = world.run(
        "updateNode",
        json!({"id": "a", "position": {"x": 5, "y": 6}, "pinned": true}),
    );
    assert_eq!(
        (&moved["changed"], &moved["data"]["pinned"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(world.words()[0], "Moved node: A");
}

#[test]
fn every_unusable_value_is_an_invalid_argument() {
    let world = World::new();
    world.node("a");
    let nested = |levels: usize| {
        let text = format!("{}1{}", r#"{"k":"#.repeat(levels), "}".repeat(levels));
        format!(r#"{{"label":"deep","data":{text}}}"#)
    };
    world.raw("addNode", &nested(100)).unwrap();
    for (operation, arguments) in [
        ("addNode", nested(101)),
        ("addNode", nested(100_000)),
        ("addNode", "[]".to_owned()),
        ("addNode", "{".to_owned()),
        ("addNode", "{}".to_owned()),
        ("addNode", r#"{"label":""}"#.to_owned()),
        ("addNode", r#"{"label":" "}"#.to_owned()),
        ("addNode", r#"{"label":7}"#.to_owned()),
        ("addNode", r#"{"label":"a\u0000b"}"#.to_owned()),
        (
            "addNode",
            format!(r#"{{"label":"{}"}}"#, "x".repeat(10_000_000)),
        ),
        ("addNode", r#"{"label":"x","id":""}"#.to_owned()),
        ("addNode", r#"{"label":"x","id":".."}"#.to_owned()),
        ("addNode", r#"{"label":"x","id":"a\nb"}"#.to_owned()),
        ("addNode", r#"{"label":"x","data":[]}"#.to_owned()),
        ("addNode", r#"{"label":"x","position":{"x":1}}"#.to_owned()),
        (
            "addNode",
            r#"{"label":"x","position":{"x":1e300,"y":0}}"#.to_owned(),
        ),
        (
            "addNode",
            r#"{"label":"x","position":{"x":"1","y":0}}"#.to_owned(),
        ),
        ("addNode", r#"{"label":"x","lable":"y"}"#.to_owned()),
        ("addNode", r#"{"label":"x","label":"y"}"#.to_owned()),
        (
            "addNode",
            format!(
                r#"{{"label":"x","data":{{"k":"{}"}}}}"#,
                "x".repeat(1_048_576)
            ),
        ),
        ("addEdge", r#"{"source":"a"}"#.to_owned()),
        ("getGraphState", r#"{"limit":0}"#.to_owned()),
        ("getGraphState", r#"{"limit":10001}"#.to_owned()),
        ("getGraphState", r#"{"limit":-1}"#.to_owned()),
        ("getGraphState", r#"{"limit":1.5}"#.to_owned()),
        ("getGraphState", r#"{"cursor":"x"}"#.to_owned()),
        ("getGraphState", r#"{"cursor":"1.7.1"}"#.to_owned()),
        ("getGraphState", r#"{"cursor":"1.0.1.1"}"#.to_owned()),
        ("getNeighbors", r#"{"id":"a","depth":11}"#.to_owned()),
        (
            "getNeighbors",
            r#"{"id":"a","direction":"down"}"#.to_owned(),
        ),
        (
            "addMultipleNodes",
            r#"{"nodes":[],"onConflict":"replacee"}"#.to_owned(),
        ),
        ("addMultipleNodes", r#"{"nodes":{}}"#.to_owned()),
        ("addMockData", "{}".to_owned()),
        ("addMockData", r#"{"dataset":"diabetis"}"#.to_owned()),
        ("deleteNodesByType", "{}".to_owned()),
        ("removeMultiple", "{}".to_owned()),
        ("restore", "{}".to_owned()),
        ("searchNodes", r#"{"value":"x"}"#.to_owned()),
        ("searchNodes", r#"{"attribute":"a\"b"}"#.to_owned()),
    ] {
        let shown: String = arguments.chars().take(80).collect();
        let error = world.raw(operation, &arguments).unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{operation} {shown}");
        assert!(error.to_string().len() < 400, "{operation} {shown}");
    }
    assert_eq!(world.version(), 2);
    let hint = world
        .error("addNode", json!({"label": "x", "lable": "y"}))
        .hint();
    assert_eq!(hint.as_deref(), Some("did you mean `label`?"));
}

#[test]
fn a_patch_may_not_make_data_too_large() {
    let world = World::new();
    world.run(
        "addNode",
        json!({"id": "a", "label": "A", "data": {"k": "x".repeat(900_000)}}),
    );
    let patch = json!({"id": "a", "data": {"l": "x".repeat(900_000)}});
    assert_eq!(world.code("updateNode", patch.clone()), "INVALID_ARGUMENT");
    assert_eq!(
        world.code("updateMultipleNodes", json!({"nodes": [patch]})),
        "INVALID_ARGUMENT"
    );
    world.run(
        "updateNode",
        json!({"id": "a", "data": {"k": "y".repeat(1_000_000)}}),
    );
    let diff = world.run("diff", json!({"from": 1}));
    assert_eq!(
        diff["data"]["nodes"]["changed"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn a_graph_is_named_without_a_step() {
    let world = World::new();
    let project = world.run("getGraph", json!({}));
    assert_eq!(
        (&project["data"]["name"], &project["data"]["version"]),
        (&json!("talk"), &json!(0))
    );
    let first = world.run("initGraph", json!({"name": "Diabetes"}));
    assert_eq!(
        (&first["created"], &first["data"]["name"]),
        (&json!(true), &json!("Diabetes"))
    );
    let second = world.run("initGraph", json!({"description": "Genes and diseases"}));
    assert_eq!(
        (&second["created"], &second["data"]["name"]),
        (&json!(false), &json!("Diabetes"))
    );
    assert_eq!(second["data"]["createdAt"], first["data"]["createdAt"]);
    assert_eq!(world.version(), 0);
}

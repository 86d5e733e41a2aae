//! Single nodes and edges.

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

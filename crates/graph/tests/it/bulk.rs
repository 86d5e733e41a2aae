//! Requests with many nodes and edges: all or nothing.

use base::Result;
use graph::drafts::{Issues, edges, nodes};
use graph::model::Drafts;
use graph::{GraphError, Mode, OnConflict, import};
use serde_json::{Value, json, value::RawValue};

use crate::world::{World, read};

pub fn drafts(node_list: &Value, edge_list: &Value) -> Drafts {
    let (node_text, edge_text) = (node_list.to_string(), edge_list.to_string());
    let mut issues = Issues::default();
    let drafts = Drafts {
        nodes: nodes(
            &serde_json::from_str::<Vec<&RawValue>>(&node_text).unwrap(),
            &mut issues,
        ),
        edges: edges(
            &serde_json::from_str::<Vec<&RawValue>>(&edge_text).unwrap(),
            &mut issues,
        ),
    };
    issues.check().unwrap();
    drafts
}

fn bring(world: &World, drafts: &Drafts, conflict: OnConflict, mode: Mode) -> Result<Value> {
    import(&world.graph(), drafts, conflict, mode, None, None).map(|reply| read(&reply))
}

#[test]
fn many_nodes_are_one_step_and_one_word() {
    let world = World::new();
    world.run("addNode", json!({"id": "a", "label": "A", "type": "gene"}));
    let list = json!([{"id": "a", "label": "B"}, {"id": "b", "label": "B"}, {"label": "C"}, {"id": "b", "label": "D"}]);
    let added = world.run("addMultipleNodes", json!({"nodes": list}));
    for (field, count) in [
        ("created", 2),
        ("updated", 0),
        ("skipped", 2),
        ("total", 4),
        ("version", 2),
    ] {
        assert_eq!(added[field], count, "{field}");
    }
    assert_eq!(added["ids"].as_array().unwrap().len(), 4);
    assert_eq!(added["ids"][0], "a");
    assert!(added["ids"][2].as_str().unwrap().starts_with("node_"));
    assert_eq!(world.words()[0], "Bulk added 2 nodes");
    let replaced = world.run(
        "addMultipleNodes",
        json!({"nodes": list, "onConflict": "replace"}),
    );
    assert_eq!(
        (&replaced["created"], &replaced["updated"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(
        world.run("getNode", json!({"id": "b"}))["data"]["label"],
        "D",
        "the later of two counts"
    );
    assert_eq!(
        world.run("getNode", json!({"id": "a"}))["data"]["type"],
        "gene"
    );
    let error = world.error(
        "addMultipleNodes",
        json!({"nodes": list, "onConflict": "error"}),
    );
    assert_eq!(
        error.code(),
        "ALREADY_EXISTS",
        "the code that all issues have"
    );
    let details = error.details();
    let issues = details["issues"].as_array().unwrap().iter();
    let indexes: Vec<u64> = issues
        .map(|issue| issue["index"].as_u64().unwrap())
        .collect();
    assert_eq!(indexes, [0, 1, 3]);
}

#[test]
fn one_error_lists_every_item_that_cannot_be_used() {
    let world = World::new();
    world.node("a");
    let error = world.error(
        "addMultipleNodes",
        json!({"nodes": [{"label": "ok"}, {"label": ""}, 7, {"label": "x", "colour": "red"}, {"label": "x", "type": 1}]}),
    );
    let details = error.details();
    let issues = details["issues"].as_array().unwrap();
    assert_eq!((details["issueCount"].as_u64(), issues.len()), (Some(4), 4));
    assert_eq!(
        (&issues[0]["index"], &issues[0]["list"], &issues[0]["code"]),
        (&json!(1), &json!("nodes"), &json!("INVALID_ARGUMENT"))
    );
    let edges: Vec<Value> = (0..150)
        .map(|number| json!({"source": "a", "target": format!("no{number}")}))
        .collect();
    let error = world.error("addMultipleEdges", json!({"edges": edges}));
    assert_eq!(error.code(), "NODE_NOT_FOUND");
    assert_eq!(
        (
            error.details()["issueCount"].as_u64(),
            error.details()["issues"].as_array().unwrap().len()
        ),
        (Some(150), 100)
    );
    let mixed = json!({"nodes": [{"id": "nobody"}, {"id": "a"}, {"id": "a"}]});
    let error = world.error("updateMultipleNodes", mixed);
    assert_eq!(
        (error.code(), error.details()["issueCount"].as_u64()),
        ("INVALID_ITEMS", Some(2))
    );
    assert_eq!(world.version(), 1);
    let Some(GraphError::InvalidItems { issues, .. }) = error.of() else {
        panic!("{error}")
    };
    assert_eq!(issues.len(), 2);
}

#[test]
fn many_edges_skip_those_that_exist() {
    let world = World::new();
    for id in ["a", "b"] {
        world.node(id);
    }
    let edges = json!([{"source": "a", "target": "b"}, {"source": "b", "target": "a", "id": "own"}, {"source": "a", "target": "b"}]);
    let first = world.run("addMultipleEdges", json!({"edges": edges}));
    assert_eq!(
        (&first["created"], &first["skipped"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(first["ids"][0], first["ids"][2]);
    let second = world.run("addMultipleEdges", json!({"edges": edges}));
    assert_eq!(
        (&second["created"], &second["ids"], &second["version"]),
        (&json!(0), &first["ids"], &json!(3))
    );
    let taken = json!([{"source": "a", "target": "a", "id": "own"}]);
    assert_eq!(
        world.code("addMultipleEdges", json!({"edges": taken})),
        "ALREADY_EXISTS"
    );
}

#[test]
fn nodes_are_removed_by_type_with_a_preview() {
    let world = World::new();
    world.run("addMockData", json!({"dataset": "diabetes"}));
    let preview = world.run(
        "deleteNodesByType",
        json!({"nodeTypes": ["GENE"], "preview": true}),
    );
    assert_eq!(preview["types"], json!({"gene": 4}));
    assert_eq!(
        (&preview["nodes"], &preview["edges"], &preview["version"]),
        (&json!(4), &json!(7), &json!(1))
    );
    let done = world.run("deleteNodesByType", json!({"nodeTypes": ["GENE"]}));
    assert_eq!(
        (&done["nodes"], &done["edges"], &done["preview"]),
        (&json!(4), &json!(7), &json!(false))
    );
    assert_eq!(world.words()[0], "Removed nodes by type: gene");
    world.run("undo", json!({}));
    let kept = world.run("deleteNodesByType", json!({"excludeTypes": ["Disease"]}));
    assert_eq!(kept["types"], json!({"gene": 4, "protein": 2}));
    assert_eq!(world.ids().0, ["MONDO:0005148", "MONDO:0005151"]);
}

#[test]
fn an_import_is_one_step_and_may_replace_the_graph() {
    let world = World::new();
    world.run(
        "addNode",
        json!({"id": "a", "label": "A", "data": {"k": 1}, "position": {"x": 1, "y": 1}}),
    );
    world.node("old");
    world.edge("e", "a", "old");
    let list = drafts(
        &json!([{"id": "a", "label": "A2"}, {"id": "b", "label": "B"}]),
        &json!([{"source": "a", "target": "b"}, {"source": "a", "target": "b"}]),
    );
    let error = bring(&world, &list, OnConflict::Error, Mode::Merge).unwrap_err();
    assert_eq!(error.code(), "ALREADY_EXISTS");
    let merged = bring(&world, &list, OnConflict::Replace, Mode::Merge).unwrap();
    assert_eq!(
        merged["nodes"],
        json!({"created": 1, "updated": 1, "skipped": 0, "deleted": 0})
    );
    assert_eq!(
        merged["edges"],
        json!({"created": 1, "updated": 0, "skipped": 1, "deleted": 0})
    );
    assert_eq!(world.words()[0], "Imported 2 nodes and 1 edge");
    assert_eq!(
        world.run("getNode", json!({"id": "a"}))["data"]["data"],
        json!({"k": 1})
    );
    let before = world.state();
    let replaced = bring(&world, &list, OnConflict::Error, Mode::Replace).unwrap();
    assert_eq!(
        replaced["nodes"],
        json!({"created": 0, "updated": 1, "skipped": 1, "deleted": 1})
    );
    assert_eq!(replaced["edges"]["deleted"], 1);
    assert_eq!(
        world.run("getNode", json!({"id": "a"}))["data"]["data"],
        json!({"category": "other"})
    );
    assert_eq!(world.ids().0, ["a", "b"]);
    world.run("undo", json!({}));
    assert_eq!(world.state(), before);
    let loose = drafts(&json!([]), &json!([{"source": "a", "target": "b"}]));
    let error = bring(&world, &loose, OnConflict::Ignore, Mode::Replace).unwrap_err();
    assert_eq!(
        error.code(),
        "NODE_NOT_FOUND",
        "the import replaces the nodes that it does not have"
    );
}

#[test]
fn an_import_may_move_the_ends_of_edges_in_a_circle() {
    let world = World::new();
    let nodes = json!([{"id": "a", "label": "a"}, {"id": "b", "label": "b"}]);
    let edges = |one: &str, other: &str| json!([{"id": "x", "source": one, "target": other}, {"id": "y", "source": other, "target": one}]);
    bring(
        &world,
        &drafts(&nodes, &edges("a", "b")),
        OnConflict::Error,
        Mode::Merge,
    )
    .unwrap();
    let moved = bring(
        &world,
        &drafts(&nodes, &edges("b", "a")),
        OnConflict::Replace,
        Mode::Merge,
    )
    .unwrap();
    assert_eq!(moved["edges"]["updated"], 2);
    assert_eq!(
        world.run("getEdge", json!({"id": "x"}))["data"]["source"],
        "b"
    );
}

#[test]
fn large_items_pass_in_pieces() {
    let world = World::new();
    let text = |number: u64| number.to_string().repeat(500_000);
    let nodes: Vec<Value> = (0..9).map(|number| json!({"id": number.to_string(), "label": "\u{1}\"".repeat(2_048), "data": {"t": text(number)}})).collect();
    world.run("addMultipleNodes", json!({"nodes": nodes}));
    let changes: Vec<Value> = (0..9)
        .map(|number| json!({"id": number.to_string(), "data": {"u": number}}))
        .collect();
    assert_eq!(
        world.run("updateMultipleNodes", json!({"nodes": changes}))["updated"],
        9
    );
    let page = world.run("getGraphState", json!({}));
    assert!(page["nextCursor"].is_string(), "a page ends at its bytes");
    let state: Value = serde_json::from_str(&world.state()).unwrap();
    for (number, node) in (0..9).zip(state["nodes"].as_array().unwrap()) {
        assert_eq!(node["data"], json!({"t": text(number), "u": number}));
    }
}

#[test]
fn the_example_graphs_are_whole() {
    let world = World::new();
    let added = world.run("addMockData", json!({"dataset": "diabetes"}));
    assert_eq!(
        (&added["nodes"]["created"], &added["edges"]["created"]),
        (&json!(8), &json!(10))
    );
    let added = world.run("addMockData", json!({"dataset": "cancer"}));
    assert_eq!(
        (&added["nodes"]["created"], &added["edges"]["created"]),
        (&json!(8), &json!(9))
    );
    assert_eq!(world.words(), ["Added mock data", "Added mock data"]);
    let state = world.run("getGraphState", json!({}));
    assert_eq!(
        state["data"]["metadata"]["types"],
        json!({"disease": 4, "drug": 1, "gene": 7, "pathway": 2, "protein": 2})
    );
}

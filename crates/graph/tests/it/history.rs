//! Versions, undo and redo, differences between versions, and the length of the history.

use graph::GraphError;
use graph::changes::{Changes, changes_since};
use serde_json::{Value, json};

use crate::world::World;

#[test]
fn a_request_for_another_version_changes_nothing() {
    let world = World::new();
    world.node("a");
    for (operation, mut arguments) in [
        ("addNode", json!({"label": "b"})),
        ("updateNode", json!({"id": "a", "label": "b"})),
        ("removeNode", json!({"id": "a"})),
        ("addMultipleNodes", json!({"nodes": []})),
        ("deleteNodesByType", json!({"nodeTypes": ["other"]})),
        ("addMockData", json!({"dataset": "cancer"})),
        ("initGraph", json!({"name": "x"})),
        ("undo", json!({})),
        ("restore", json!({"version": 0})),
    ] {
        arguments["ifVersion"] = json!(7);
        let error = world.error(operation, arguments.clone());
        assert_eq!(
            error.of(),
            Some(&GraphError::VersionConflict {
                expected: 7,
                version: 1
            }),
            "{operation}"
        );
        assert_eq!(error.details()["version"], 1);
    }
    assert_eq!(world.version(), 1);
    world.run(
        "updateNode",
        json!({"id": "a", "label": "b", "ifVersion": 1}),
    );
    assert_eq!(world.version(), 2);
}

#[test]
fn an_edit_after_an_undo_drops_what_was_undone() {
    let world = World::new();
    world.node("a");
    world.node("b");
    world.run("undo", json!({}));
    assert_eq!(
        world.run("getGraphState", json!({}))["data"]["metadata"]["canRedo"],
        true
    );
    world.node("c");
    assert_eq!(world.code("redo", json!({})), "NOTHING_TO_REDO");
    assert_eq!(
        world.words(),
        [
            "Added node: c",
            "Undid: Added node: b",
            "Added node: b",
            "Added node: a"
        ]
    );
    let history = world.run("getHistory", json!({}));
    let undone: Vec<&Value> = history["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| &step["undone"])
        .collect();
    assert_eq!(undone, [false, false, true, false]);
    assert_eq!(history["data"][1]["kind"], "undo");
    assert_eq!(history["data"][0]["actor"], "api");
    world.run("undo", json!({}));
    world.run("undo", json!({}));
    assert_eq!(world.code("undo", json!({})), "NOTHING_TO_UNDO");
    assert_eq!(world.ids().0, Vec::<String>::new());
}

#[test]
fn a_step_that_changes_nothing_is_no_step() {
    let world = World::new();
    world.run("addMockData", json!({"dataset": "diabetes"}));
    world.run(
        "updateNode",
        json!({"id": "NCBIGene:7157", "data": {"a": {"b": 1}}}),
    );
    let version = world.version();
    for (operation, arguments) in [
        (
            "updateNode",
            json!({"id": "NCBIGene:7157", "label": "TP53", "position": {"x": -150, "y": -100}, "pinned": false}),
        ),
        (
            "updateNode",
            json!({"id": "NCBIGene:7157", "data": {"a": {"b": 1, "c": null}}}),
        ),
        (
            "addNode",
            json!({"id": "NCBIGene:7157", "label": "TP53", "upsert": true}),
        ),
        (
            "addMultipleNodes",
            json!({"nodes": [{"id": "NCBIGene:7157", "label": "other"}]}),
        ),
        ("addMultipleNodes", json!({"nodes": []})),
        (
            "updateMultipleNodes",
            json!({"nodes": [{"id": "NCBIGene:7157", "type": "gene"}]}),
        ),
        (
            "addEdge",
            json!({"source": "NCBIGene:3630", "target": "UniProtKB:P01308", "label": "encodes", "type": "biological"}),
        ),
        ("deleteNodesByType", json!({"nodeTypes": ["pathway"]})),
        ("removeMultiple", json!({"nodes": []})),
        ("addMockData", json!({"dataset": "diabetes"})),
        ("restore", json!({"version": version})),
        ("initGraph", json!({"name": "Diabetes"})),
    ] {
        let reply = world.reply(operation, &arguments).unwrap();
        assert_eq!(
            (reply.version, reply.created),
            (None, false),
            "{operation} {arguments}"
        );
    }
    assert_eq!(world.version(), version);
    // Restoring the state that an undo and a redo have restored already is no change either.
    world.run("undo", json!({}));
    world.run("redo", json!({}));
    assert_eq!(
        world
            .reply("restore", &json!({"version": version}))
            .unwrap()
            .version,
        None
    );
}

#[test]
fn a_restored_version_can_be_undone() {
    let world = World::new();
    world.node("a");
    world.node("b");
    world.edge("ab", "a", "b");
    world.run("removeNode", json!({"id": "a"}));
    let last = world.state();
    let restored = world.run("restore", json!({"version": 3}));
    assert_eq!(restored["data"]["description"], "Restored version 3");
    assert_eq!(
        restored["data"]["nodes"],
        json!({"created": 1, "updated": 0, "deleted": 0})
    );
    assert_eq!(world.state(), world.at(3));
    world.run("undo", json!({}));
    assert_eq!(world.state(), last);
    let error = world.error("restore", json!({"version": 99}));
    assert_eq!(
        error.of(),
        Some(&GraphError::VersionNotFound {
            version: 99,
            oldest: 0,
            newest: 6
        })
    );
}

#[test]
fn a_difference_lists_what_is_added_removed_and_changed() {
    let world = World::new();
    world.run("addMockData", json!({"dataset": "diabetes"}));
    world.node("a");
    world.run(
        "updateNode",
        json!({"id": "NCBIGene:3952", "label": "Leptin gene"}),
    );
    world.run("removeNode", json!({"id": "NCBIGene:7157"}));
    world.run("addNode", json!({"id": "gone", "label": "gone"}));
    world.run("removeNode", json!({"id": "gone"}));
    let diff = world.run("diff", json!({"from": 1}));
    let nodes = &diff["data"]["nodes"];
    assert_eq!(nodes["added"].as_array().unwrap().len(), 1);
    assert_eq!(nodes["added"][0]["id"], "a");
    assert_eq!(nodes["removed"][0]["id"], "NCBIGene:7157");
    assert_eq!(nodes["changed"][0]["before"]["label"], "LEP");
    assert_eq!(nodes["changed"][0]["after"]["label"], "Leptin gene");
    assert_eq!(
        diff["data"]["edges"]["removed"].as_array().unwrap().len(),
        1
    );
    assert_eq!(
        (&diff["data"]["from"], &diff["data"]["to"]),
        (&json!(1), &json!(6))
    );
    let back = world.run("diff", json!({"from": 6, "to": 1}));
    assert_eq!(back["data"]["nodes"]["removed"], nodes["added"]);
    let same = world.run("diff", json!({"from": 4, "to": 6}));
    assert_eq!(
        same["data"]["nodes"],
        json!({"added": [], "removed": [], "changed": []})
    );
}

#[test]
fn a_difference_is_read_in_pages() {
    let world = World::new();
    world.run("addMockData", json!({"dataset": "diabetes"}));
    let mut arguments = json!({"from": 0, "limit": 3});
    let (mut nodes, mut edges, mut pages) = (0, 0, 0);
    loop {
        let page = world.run("diff", arguments.clone());
        // The pages do not contain later writes.
        world.run("addNode", json!({"label": "later"}));
        nodes += page["data"]["nodes"]["added"].as_array().unwrap().len();
        edges += page["data"]["edges"]["added"].as_array().unwrap().len();
        pages += 1;
        let Some(cursor) = page["nextCursor"].as_str() else {
            break;
        };
        arguments["cursor"] = cursor.into();
    }
    assert_eq!((nodes, edges), (8, 10));
    assert!((6..=7).contains(&pages), "{pages}");
}

#[test]
fn pages_are_of_one_version_whatever_is_written_meanwhile() {
    let world = World::new();
    world.run("addMockData", json!({"dataset": "diabetes"}));
    let whole = world.state();
    let first = world.run("getGraphState", json!({"limit": 5}));
    let second = json!({"limit": 5, "cursor": first["nextCursor"]});
    let before = world.run("getGraphState", second.clone());
    world.run("removeNode", json!({"id": "UniProtKB:P41159"}));
    world.run("deleteNodesByType", json!({"nodeTypes": ["gene"]}));
    let after = world.run("getGraphState", second);
    assert_eq!(after["data"]["nodes"], before["data"]["nodes"]);
    assert_eq!(after["data"]["edges"], before["data"]["edges"]);
    assert_eq!(
        after["data"]["metadata"]["types"],
        before["data"]["metadata"]["types"]
    );
    assert_eq!(after["data"]["metadata"]["nodeCount"], 8);
    for limit in [1, 2, 7, 8, 9, 17, 18, 19] {
        assert_eq!(
            world.pages("getVersion", json!({"version": 1, "limit": limit})),
            whole,
            "{limit}"
        );
    }
}

#[test]
fn a_page_of_a_type_has_its_nodes_and_the_edges_between_them() {
    let world = World::new();
    world.run("addMockData", json!({"dataset": "diabetes"}));
    let check = |world: &World, operation: &str, arguments: Value| {
        let page = world.run(operation, arguments);
        assert_eq!(page["data"]["nodes"].as_array().unwrap().len(), 2);
        assert_eq!(page["data"]["edges"].as_array().unwrap().len(), 1);
        assert_eq!(page["data"]["edges"][0]["label"], "comorbid_with");
    };
    check(&world, "getGraphState", json!({"type": "DISEASE"}));
    world.run("removeNode", json!({"id": "MONDO:0005151"}));
    check(
        &world,
        "getVersion",
        json!({"version": 1, "type": "disease"}),
    );
    let none = world.run("getGraphState", json!({"type": "planet"}));
    assert_eq!(none["data"]["nodes"], json!([]));
}

#[test]
fn the_history_keeps_as_many_steps_as_it_may() {
    let world = World::with_history(3);
    for id in ["a", "b", "c", "d", "e"] {
        world.node(id);
    }
    assert_eq!(
        world.words(),
        ["Added node: e", "Added node: d", "Added node: c"]
    );
    assert_eq!(world.run("getHistory", json!({}))["oldestVersion"], 2);
    assert_eq!(
        world.code("getVersion", json!({"version": 1})),
        "VERSION_NOT_FOUND"
    );
    assert!(world.at(2).contains("\"b\"") && !world.at(2).contains("\"c\""));
    let metadata = &world.run("getVersion", json!({"version": 2}))["data"]["metadata"];
    assert_eq!(
        (&metadata["nodeCount"], &metadata["types"]),
        (&json!(2), &json!({"other": 2}))
    );
    assert_eq!(
        changes_since(&world.db, 1, 1_000).unwrap(),
        Changes::Reset {
            version: 5,
            oldest: 2
        }
    );
    // Each undo is a step as well, so the oldest edits are deleted while the newest are undone.
    let whole = world.state();
    world.run("undo", json!({}));
    let last = world.run("undo", json!({}));
    assert_eq!(
        (&last["metadata"]["canUndo"], &last["metadata"]["canRedo"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(world.code("undo", json!({})), "NOTHING_TO_UNDO");
    assert_eq!(world.ids().0, ["a", "b", "c"]);
    world.run("redo", json!({}));
    let last = world.run("redo", json!({}));
    assert_eq!(last["metadata"]["canRedo"], false);
    assert_eq!(world.state(), whole);
}

/// Making a history of two million rows would take minutes, so the counters are set instead.
#[test]
fn the_history_keeps_as_many_rows_as_it_may() {
    let world = World::new();
    for id in ["a", "b", "c", "d", "e", "f"] {
        world.node(id);
    }
    for _ in 0..4 {
        world.run("undo", json!({}));
    }
    world.db.script(
        "UPDATE _codemode_graph SET past_rows = 2000005; UPDATE _codemode_steps SET edges_updated = 2000001 WHERE version = 5",
    );
    world.memory.forget();
    let redone = world.run("redo", json!({}));
    assert_eq!(world.run("getHistory", json!({}))["oldestVersion"], 5);
    assert_eq!(world.ids().0, ["a", "b", "c"]);
    assert_eq!(
        redone["metadata"]["canRedo"], false,
        "of the undone steps the oldest is gone, and those after it lead nowhere"
    );
    assert_eq!(world.code("redo", json!({})), "NOTHING_TO_REDO");
    assert_eq!(
        world.code("undo", json!({})),
        "NOTHING_TO_UNDO",
        "what can be undone is older than the history"
    );
    assert_eq!(world.at(5).matches("\"id\"").count(), 5);
}

#[test]
fn the_history_is_read_in_pages_newest_first() {
    let world = World::new();
    for id in ["a", "b", "c", "d", "e"] {
        world.node(id);
    }
    let first = world.run("getHistory", json!({"limit": 2}));
    assert_eq!(first["data"][0]["description"], "Added node: e");
    let second = world.run(
        "getHistory",
        json!({"limit": 3, "cursor": first["nextCursor"]}),
    );
    assert_eq!(second["data"][2]["description"], "Added node: a");
    assert_eq!(second["nextCursor"], Value::Null);
}

#[test]
fn a_change_too_long_for_a_reader_says_that_it_has_to_load_the_graph() {
    let world = World::new();
    let nodes: Vec<Value> = (0..12)
        .map(|number| json!({"label": "x", "data": {"text": number.to_string().repeat(100_000)}}))
        .collect();
    world.run("addMultipleNodes", json!({"nodes": nodes}));
    world.node("small");
    let Changes::Steps(steps) = changes_since(&world.db, 0, 10_000_000).unwrap() else {
        panic!()
    };
    let changes: Vec<Value> = steps
        .iter()
        .map(|step| serde_json::from_str(&step.json).unwrap())
        .collect();
    assert_eq!(
        (&changes[0]["patch"], &changes[0]["reload"]),
        (&Value::Null, &json!(true))
    );
    assert_eq!(changes[1]["patch"]["nodes"]["upserted"][0]["id"], "small");
    assert_eq!(
        changes[1]["metadata"],
        json!({"version": 2, "nodeCount": 13, "edgeCount": 0, "canUndo": true, "canRedo": false})
    );
    assert_eq!(changes[1]["actor"], "api");
    assert_eq!(
        changes_since(&world.db, 2, 1_000).unwrap(),
        Changes::Steps(Vec::new())
    );
    assert!(matches!(
        changes_since(&world.db, 3, 1_000).unwrap(),
        Changes::Reset { .. }
    ));
}

//! Search, neighbours, names, and the graph as compact lists.

use graph::network::{Topology, load_network, load_topology, move_nodes, node_names};
use graph::{edges_after, nodes_after, resolve_node};
use serde_json::{Value, json};

use crate::world::World;

fn found(world: &World, arguments: Value) -> Vec<String> {
    let found = world.run("searchNodes", arguments);
    found["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["label"].as_str().unwrap().to_owned())
        .collect()
}

fn library() -> World {
    let world = World::new();
    for (label, kind, data) in [
        (
            "TP53",
            "gene",
            json!({"aliases": ["p53", "LFS1"], "taxon": 9606, "known": true}),
        ),
        (
            "Tumour protein",
            "protein",
            json!({"gene": "TP53", "score": 0.5, "a.b": 1, "deep": {"er": "yes"}}),
        ),
        ("糖尿病", "disease", json!({"note": "naïve\ncafé"})),
        ("🧬 helix", "other", json!({})),
        ("100% \"quoted\"", "Gene", json!({"taxon": 10090})),
    ] {
        world.run(
            "addNode",
            json!({"label": label, "type": kind, "data": data}),
        );
    }
    world
}

#[test]
fn words_are_found_in_labels_types_and_data() {
    let world = library();
    for (query, expected) in [
        ("tp53", &["TP53", "Tumour protein"][..]),
        ("tum", &["Tumour protein"]),
        ("protein tumour", &["Tumour protein"]),
        ("tumour tp53", &["Tumour protein"]),
        ("tum protein", &[]),
        ("lfs1", &["TP53"]),
        ("cafe", &["糖尿病"]),
        ("糖尿病", &["糖尿病"]),
        ("尿病", &["糖尿病"]),
        ("病 note", &["糖尿病"]),
        ("🧬", &["🧬 helix"]),
        ("100%", &["100% \"quoted\""]),
        ("\"quoted\"", &["100% \"quoted\""]),
        ("→ tum", &["Tumour protein"]),
    ] {
        assert_eq!(found(&world, json!({"query": query})), expected, "{query}");
    }
}

#[test]
fn any_text_is_a_query() {
    let world = library();
    for query in [
        "\"",
        "'",
        "*",
        "-",
        "NOT",
        "a OR",
        "(",
        "label:",
        "label : x",
        "^",
        "NEAR(",
        "{a b}:",
        "\\",
        "\u{0}",
        "%",
        "_",
        "→",
        "\u{200d}",
        "+",
        "a\u{0}b",
    ] {
        found(&world, json!({"query": query}));
    }
    found(&world, json!({"query": "x".repeat(3_000_000)}));
    found(&world, json!({"query": "word ".repeat(500_000)}));
    found(&world, json!({"query": "糖".repeat(1_000_000)}));
    assert_eq!(found(&world, json!({"query": "→"})), Vec::<String>::new());
    assert_eq!(found(&world, json!({"query": ""})).len(), 5);
}

#[test]
fn nodes_are_filtered_by_type_and_attribute() {
    let world = library();
    for (arguments, expected) in [
        (json!({"type": "GENE"}), &["TP53", "100% \"quoted\""][..]),
        (json!({"type": "gene", "query": "tp53"}), &["TP53"]),
        (json!({"attribute": "taxon"}), &["TP53", "100% \"quoted\""]),
        (json!({"attribute": "taxon", "value": "9606"}), &["TP53"]),
        (json!({"attribute": "taxon", "value": "9606.0"}), &["TP53"]),
        (json!({"attribute": "known", "value": "true"}), &["TP53"]),
        (json!({"attribute": "aliases", "value": "p53"}), &["TP53"]),
        (
            json!({"attribute": "a.b", "value": "1"}),
            &["Tumour protein"],
        ),
        (
            json!({"attribute": "deep.er", "value": "yes"}),
            &["Tumour protein"],
        ),
        (json!({"attribute": "deep.er", "value": "no"}), &[]),
        (json!({"attribute": "nothing"}), &[]),
        (json!({"type": "planet"}), &[]),
    ] {
        assert_eq!(found(&world, arguments.clone()), expected, "{arguments}");
    }
    let genes = world.run("filterByType", json!({"type": "gene", "limit": 1}));
    assert_eq!(genes["data"].as_array().unwrap().len(), 1);
    let more = world.run(
        "filterByType",
        json!({"type": "gene", "limit": 1, "cursor": genes["nextCursor"]}),
    );
    assert_eq!(
        (&more["data"][0]["label"], &more["nextCursor"]),
        (&json!("100% \"quoted\""), &Value::Null)
    );
    assert_eq!(world.code("filterByType", json!({})), "INVALID_ARGUMENT");
}

#[test]
fn a_search_is_read_in_pages_without_repeats_or_gaps() {
    let world = World::new();
    let nodes: Vec<Value> = (0..40).map(|number| json!({"label": format!("gene {}", "gene ".repeat(number % 5)), "id": format!("{number}")})).collect();
    world.run("addMultipleNodes", json!({"nodes": nodes}));
    let mut ids = Vec::new();
    let mut arguments = json!({"query": "gene", "limit": 7});
    loop {
        let page = world.run("searchNodes", arguments.clone());
        ids.extend(
            page["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|node| node["id"].as_str().unwrap().to_owned()),
        );
        let Some(cursor) = page["nextCursor"].as_str() else {
            break;
        };
        arguments["cursor"] = cursor.into();
    }
    assert_eq!(ids.len(), 40);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 40);
}

#[test]
fn neighbours_are_found_breadth_first() {
    let world = World::new();
    for id in ["a", "b", "c", "d", "e"] {
        world.node(id);
    }
    for (id, source, target) in [
        ("1", "a", "b"),
        ("2", "b", "c"),
        ("3", "c", "d"),
        ("4", "e", "a"),
        ("5", "a", "a"),
        ("6", "a", "b"),
    ] {
        world.edge(id, source, target);
    }
    let near = |arguments: Value| {
        let near = world.run("getNeighbors", arguments);
        let nodes = near["data"]["nodes"].as_array().unwrap().iter();
        let nodes: Vec<String> = nodes
            .map(|node| format!("{}{}", node["id"].as_str().unwrap(), node["distance"]))
            .collect();
        let edges = near["data"]["edges"].as_array().unwrap().len();
        (nodes.join(" "), edges, near["truncated"] == true)
    };
    for (arguments, expected) in [
        (json!({"id": "a"}), ("b1 e1", 4, false)),
        (json!({"id": "a", "direction": "out"}), ("b1", 3, false)),
        (json!({"id": "a", "direction": "in"}), ("e1", 2, false)),
        (json!({"id": "a", "depth": 2}), ("b1 e1 c2", 5, false)),
        (json!({"id": "a", "depth": 10}), ("b1 e1 c2 d3", 6, false)),
        (
            json!({"id": "a", "depth": 10, "limit": 2}),
            ("b1 e1", 4, true),
        ),
        (
            json!({"id": "a", "depth": 10, "limit": 4}),
            ("b1 e1 c2 d3", 6, false),
        ),
        (json!({"id": "d", "type": "gene"}), ("", 0, false)),
    ] {
        let (nodes, edges, truncated) = near(arguments.clone());
        assert_eq!((nodes.as_str(), edges, truncated), expected, "{arguments}");
    }
}

#[test]
fn neighbours_of_a_hub_are_bounded() {
    let world = World::new();
    let nodes: Vec<Value> = (0..12_000)
        .map(|number| json!({"id": format!("{number}"), "label": "x"}))
        .collect();
    world.run("addMultipleNodes", json!({"nodes": nodes}));
    let edges: Vec<Value> = (1..12_000)
        .map(|number| json!({"source": "0", "target": format!("{number}")}))
        .collect();
    world.run("addMultipleEdges", json!({"edges": edges}));
    let near = world.run("getNeighbors", json!({"id": "0", "limit": 10_000}));
    assert_eq!(
        (
            near["data"]["nodes"].as_array().unwrap().len(),
            &near["truncated"]
        ),
        (10_000, &json!(true))
    );
}

#[test]
fn a_node_is_named_by_its_id_or_by_a_label_that_one_node_has() {
    let world = World::new();
    for (id, label) in [
        ("1", "TP53"),
        ("2", "tp53"),
        ("3", "Insulin"),
        ("4", "Same"),
        ("5", "Same"),
        ("TP53x", "x"),
    ] {
        world.run("addNode", json!({"id": id, "label": label}));
    }
    for (text, id) in [
        ("1", "1"),
        ("TP53", "1"),
        ("tp53", "2"),
        ("insulin", "3"),
        ("TP53x", "TP53x"),
    ] {
        assert_eq!(resolve_node(&world.db, text).unwrap(), id, "{text}");
    }
    let error = resolve_node(&world.db, "Same").unwrap_err();
    assert_eq!(error.code(), "AMBIGUOUS_NODE");
    assert_eq!(
        error.details()["candidates"][1],
        json!({"id": "5", "label": "Same", "type": "other"})
    );
    assert_eq!(
        resolve_node(&world.db, "Tp53").unwrap_err().code(),
        "AMBIGUOUS_NODE"
    );
    let error = resolve_node(&world.db, "Insuline").unwrap_err();
    assert_eq!(
        (error.code(), &error.details()["suggestions"]),
        ("NODE_NOT_FOUND", &json!(["3"]))
    );
}

#[test]
fn a_network_has_indexes_positions_and_weights() {
    let world = World::new();
    world.node("gone");
    world.run(
        "addNode",
        json!({"id": "a b", "label": "A", "position": {"x": 0.1, "y": -3}, "pinned": true}),
    );
    world.node("b");
    world.run("removeNode", json!({"id": "gone"}));
    world.run(
        "addEdge",
        json!({"source": "b", "target": "a b", "data": {"w": 2.5, "deep": {"w": 7}}}),
    );
    world.run("addEdge", json!({"source": "b", "target": "b"}));
    let network = load_network(&world.db, Some("w")).unwrap();
    assert_eq!(network.ids, ["a b", "b"]);
    assert_eq!(network.edges, [(1, 0, 2.5), (1, 1, 1.0)]);
    assert_eq!(
        (
            network.pinned[0],
            network.positions[0].x,
            network.positions[0].y
        ),
        (true, 0.1, -3.0)
    );
    let topology = Topology {
        seqs: network.seqs.clone(),
        edges: network.edges.clone(),
        edge_seqs: network.edge_seqs.clone(),
    };
    assert_eq!(load_topology(&world.db, Some("w")).unwrap(), topology);
    assert_eq!(
        load_network(&world.db, Some("deep.w")).unwrap().edges[0].2,
        7.0
    );
    assert_eq!(load_network(&world.db, None).unwrap().edges[0].2, 1.0);
    assert_eq!(
        load_network(&world.db, Some("deep")).unwrap_err().code(),
        "INVALID_ARGUMENT"
    );
    let names = node_names(&world.db, &[network.seqs[1], network.seqs[0]], &mut 1_000).unwrap();
    assert_eq!((names[0].id.as_str(), names[1].label.as_str()), ("b", "A"));
    let moves = [
        (network.seqs[0], 0.1, -3.0),
        (network.seqs[1], 1.0 / 3.0, 9.0),
    ];
    let data = json!({ "moved": 1 });
    let moved = move_nodes(&world.graph(), &moves, None, "Applied force layout", &data).unwrap();
    assert!(
        moved.json.starts_with(r#"{"data":{"moved":1}"#),
        "{}",
        moved.json
    );
    assert_eq!(world.words()[0], "Applied force layout");
    assert_eq!(
        load_network(&world.db, None).unwrap().positions[1].x,
        1.0 / 3.0
    );
    assert_eq!(
        move_nodes(
            &world.graph(),
            &moves,
            None,
            "Applied force layout",
            &json!({ "moved": 0 })
        )
        .unwrap()
        .version,
        None
    );
    assert!(
        move_nodes(
            &world.graph(),
            &[(network.seqs[0], f64::NAN, 0.0)],
            None,
            "x",
            &json!({})
        )
        .is_err()
    );
}

#[test]
fn a_weight_that_no_edge_has_is_an_error() {
    let world = World::new();
    world.node("a");
    world.run(
        "findCentrality",
        json!({"measure": "pagerank", "weight": "strength"}),
    );
    world.edge("plain", "a", "a");
    let error = world.error("detectCommunities", json!({"weight": "strength"}));
    assert_eq!(
        (error.code(), error.to_string(), error.hint().unwrap()),
        (
            "INVALID_ARGUMENT",
            "no edge has \"strength\" in its data".to_owned(),
            "leave weight out: no edge has a number in its data".to_owned()
        )
    );
    world.run("addNode", json!({"id": "b", "label": "B"}));
    world.run(
        "addEdge",
        json!({"source": "a", "target": "b", "data": {"strength": 2, "unit": "kg"}}),
    );
    for (operation, arguments) in [
        ("findPath", json!({"from": "a", "to": "b"})),
        ("findCentrality", json!({"measure": "betweenness"})),
        ("detectCommunities", json!({})),
    ] {
        for (weight, hint) in [
            ("strenght", "did you mean `strength`?"),
            ("years", "edges have the numbers strength"),
        ] {
            let mut arguments = arguments.clone();
            arguments["weight"] = weight.into();
            let error = world.error(operation, arguments);
            assert_eq!(error.hint().as_deref(), Some(hint), "{operation}");
        }
    }
}

#[test]
fn a_graph_that_is_too_large_is_refused_before_it_is_read() {
    let world = World::new();
    world.node("a");
    let connection = world.db.connection();
    for (column, size) in [("node_count", 1_000_001), ("edge_count", 1_000_001)] {
        connection
            .execute(&format!("UPDATE _codemode_graph SET {column} = ?"), [size])
            .unwrap();
        for operation in [
            "analyzeStructure",
            "detectCommunities",
            "findBridges",
            "applyGridLayout",
            "applyForceLayout",
        ] {
            let error = world.error(operation, json!({}));
            assert_eq!(error.code(), "TOO_LARGE", "{operation}");
            assert_eq!(error.details()["size"], size, "{operation}");
        }
        connection
            .execute(&format!("UPDATE _codemode_graph SET {column} = 1"), [])
            .unwrap();
    }
}

#[test]
fn long_lists_of_nodes_and_edges_are_read_to_their_end() {
    let world = World::new();
    let nodes: Vec<Value> = (0..2_500)
        .map(|number| json!({"id": format!("n{number}"), "label": "n"}))
        .collect();
    let edges: Vec<Value> = (1..2_500)
        .map(|number| json!({"source": format!("n{}", number - 1), "target": format!("n{number}"), "data": {"w": number}}))
        .collect();
    world.run("addMultipleNodes", json!({"nodes": nodes}));
    world.run("addMultipleEdges", json!({"edges": edges}));
    world.run("removeNode", json!({"id": "n1200"}));
    let topology = load_topology(&world.db, Some("w")).unwrap();
    assert_eq!((topology.seqs.len(), topology.edges.len()), (2_499, 2_497));
    assert_eq!(topology.edges[1_198], (1_198, 1_199, 1_199.0));
    assert_eq!(topology.edges[1_199], (1_200, 1_201, 1_202.0));
    assert_eq!(topology.edges[2_496], (2_497, 2_498, 2_499.0));
}

#[test]
fn the_whole_graph_is_read_in_pieces() {
    let world = World::new();
    let nodes: Vec<Value> = (0..2_500)
        .map(|number| json!({"id": format!("{number}"), "label": "x"}))
        .collect();
    world.run("addMultipleNodes", json!({"nodes": nodes}));
    world.run(
        "addNode",
        json!({"id": "big", "label": "x", "data": {"t": "x".repeat(900_000)}}),
    );
    world.run(
        "addNode",
        json!({"id": "bigger", "label": "x", "data": {"t": "x".repeat(1_000_000)}}),
    );
    world.edge("e", "1", "2");
    let (mut after, mut ids, mut pieces) = (0, Vec::new(), 0);
    loop {
        let rows = nodes_after(&world.db, after).unwrap();
        let Some(last) = rows.last() else { break };
        after = last.seq;
        pieces += 1;
        ids.extend(rows.into_iter().map(|row| row.id));
    }
    assert_eq!((ids, pieces), (world.ids().0, 4));
    let edges = edges_after(&world.db, 0).unwrap();
    assert_eq!((edges.len(), edges[0].source.as_str()), (1, "1"));
}

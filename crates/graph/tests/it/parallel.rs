//! Several edges with the same source, target, label and type: which edges of a request match an
//! existing one, and which are new.

use database::{Bind, DatabaseExt, migrations};
use graph::Mode;
use graph::interchange::Format;
use serde_json::{Value, json};

use crate::world::{NOW_MS, World};
use test_support::HostDatabase;

fn world() -> World {
    let world = World::new();
    for id in ["a", "b", "c"] {
        world.node(id);
    }
    world
}

fn edge_count(world: &World) -> Value {
    world.run("getGraph", json!({}))["data"]["edgeCount"].clone()
}

/// Returns source, target, label, type and data of all edges, sorted.
fn edges(world: &World) -> Vec<String> {
    let state: Value = serde_json::from_str(&world.state()).unwrap();
    let mut edges: Vec<String> = state["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| {
            let text = |field: &str| edge[field].as_str().unwrap().to_owned();
            // Sorted by name, because each format has its own order.
            let mut data: Vec<(&String, &Value)> =
                edge["data"].as_object().unwrap().iter().collect();
            data.sort_by_key(|(name, _)| *name);
            let data: Vec<String> = data
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            format!(
                "{}>{} {} {} {}",
                text("source"),
                text("target"),
                text("label"),
                text("type"),
                data.join(",")
            )
        })
        .collect();
    edges.sort();
    edges
}

#[test]
fn an_edge_that_says_nothing_else_is_the_one_that_exists() {
    let world = world();
    let first = world.run("addEdge", json!({"source": "a", "target": "b"}));
    for data in [json!(null), json!({})] {
        let again = world.run(
            "addEdge",
            json!({"source": "a", "target": "b", "data": data}),
        );
        assert_eq!(again["created"], false);
        assert_eq!(again["data"], first["data"]);
    }
    let version = world.version();
    world.run(
        "addEdge",
        json!({"source": "a", "target": "c", "data": {"weight": 2}}),
    );
    let again = world.run("addEdge", json!({"source": "a", "target": "c"}));
    assert_eq!(again["created"], false);
    assert_eq!(again["data"]["data"], json!({"weight": 2}));
    assert_eq!(world.version(), version + 1);
}

#[test]
fn an_edge_with_an_id_or_data_is_its_own() {
    let world = world();
    let id = |added: &Value| added["data"]["id"].as_str().unwrap().to_owned();
    let edge = |more: Value| {
        let mut edge = json!({"source": "a", "target": "b", "label": "cites"});
        edge.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        world.run("addEdge", edge)
    };
    let bare = edge(json!({}));
    let mut ids = vec![id(&bare)];
    for more in [
        json!({"id": "e1"}),
        json!({"id": "e2"}),
        json!({"data": {"weight": 1}}),
        json!({"data": {"weight": 1}}),
        json!({"id": "e3", "data": {"weight": 1}}),
    ] {
        let added = edge(more.clone());
        assert_eq!(added["created"], true, "{more}");
        if let Some(own) = more["id"].as_str() {
            assert_eq!(id(&added), own);
        }
        ids.push(id(&added));
    }
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), edge_count(&world)), (6, json!(6)));
    // The same id again refers to that edge, and never to another one.
    let again = edge(json!({"id": "e2"}));
    assert_eq!(
        (&again["created"], id(&again)),
        (&json!(false), "e2".to_owned())
    );
    assert_eq!(
        world.code(
            "addEdge",
            json!({"id": "e2", "source": "b", "target": "a", "label": "cites"})
        ),
        "ALREADY_EXISTS"
    );
    assert_eq!(id(&edge(json!({}))), id(&bare), "the oldest without data");
}

#[test]
fn many_edges_say_which_existed() {
    let world = world();
    let bare = world.run("addEdge", json!({"source": "a", "target": "b"}));
    let id = &bare["data"]["id"];
    let list = json!([
        {"source": "a", "target": "b", "data": {"n": 1}},
        {"source": "a", "target": "b"},
        {"source": "a", "target": "b", "data": {"n": 1}},
        {"source": "b", "target": "c"},
        {"source": "b", "target": "c"},
        {"source": "a", "target": "b", "id": "own"},
    ]);
    let added = world.run("addMultipleEdges", json!({"edges": list}));
    assert_eq!(
        [&added["created"], &added["skipped"], &added["total"]],
        [&json!(4), &json!(2), &json!(6)]
    );
    assert_eq!(
        added["existing"],
        json!([{"index": 1, "id": id}, {"index": 4, "id": added["ids"][3]}])
    );
    assert_eq!(edge_count(&world), 5);
    let before = world.state();
    world.run("undo", json!({}));
    assert_eq!(edge_count(&world), 1);
    world.run("redo", json!({}));
    assert_eq!(world.state(), before);
}

#[test]
fn a_file_brings_every_edge_and_brings_none_twice() {
    let nodes = json!([{"id": "a", "label": "a"}, {"id": "b", "label": "b"}]);
    let file = json!({"nodes": nodes, "edges": [
        {"source": "a", "target": "b", "data": {"weight": 1}},
        {"source": "a", "target": "b", "data": {"weight": 2}},
        {"source": "a", "target": "b"},
        {"source": "a", "target": "b", "data": {"weight": 1}},
        {"source": "a", "target": "b"},
        {"source": "a", "target": "b", "id": "own", "data": {"weight": 1}},
    ]});
    let world = World::new();
    let done = world.run("importGraph", json!({"content": file}));
    assert_eq!(
        done["edges"],
        json!({"created": 5, "updated": 0, "skipped": 1, "deleted": 0})
    );
    let listed = done["existing"].as_array().unwrap();
    assert_eq!((listed.len(), &listed[0]["index"]), (1, &json!(4)));
    let all = edges(&world);
    for conflict in ["ignore", "replace"] {
        let again = world.run(
            "importGraph",
            json!({"content": file, "onConflict": conflict}),
        );
        assert_eq!(again["edges"]["created"], 0, "{conflict}");
        assert_eq!(edges(&world), all, "{conflict}");
    }
    // An import that replaces the graph with the same edges keeps their rows.
    let ids = world.ids();
    world.run(
        "importGraph",
        json!({"content": file, "mode": "replace", "onConflict": "replace"}),
    );
    assert_eq!(world.ids(), ids);
    // An edge that the graph lacks is added. One with other data replaces the oldest edge that no
    // other draft matches.
    let more = json!({"edges": [
        {"source": "a", "target": "b", "data": {"weight": 1}},
        {"source": "a", "target": "b", "data": {"weight": 1}},
        {"source": "a", "target": "b", "data": {"weight": 1}},
        {"source": "a", "target": "b", "data": {"weight": 1}},
    ]});
    let added = world.run("importGraph", json!({"content": more}));
    assert_eq!(added["edges"]["created"], 1);
    assert_eq!(edge_count(&world), 6);
}

#[test]
fn a_file_of_weights_is_imported_again_as_a_replacement() {
    let world = World::new();
    let csv = |weights: [u32; 2]| {
        format!(
            "source,target,weight\na,b,{}\na,b,{}\n",
            weights[0], weights[1]
        )
    };
    world.run("importGraph", json!({"content": csv([1, 2])}));
    let done = world.run(
        "importGraph",
        json!({"content": csv([2, 3]), "onConflict": "replace"}),
    );
    assert_eq!(
        done["edges"],
        json!({"created": 0, "updated": 1, "skipped": 1, "deleted": 0})
    );
    assert_eq!(edges(&world), ["a>b   weight=2", "a>b   weight=3"]);
}

#[test]
fn parallel_edges_go_one_by_one_and_with_their_nodes() {
    let world = world();
    for (id, target) in [("e1", "b"), ("e2", "b"), ("e3", "b"), ("e4", "c")] {
        world.run(
            "addEdge",
            json!({"id": id, "source": "a", "target": target}),
        );
    }
    let whole = world.state();
    world.run("removeEdge", json!({"id": "e2"}));
    assert_eq!(world.ids().1, ["e1", "e3", "e4"]);
    world.run("removeMultiple", json!({"edges": ["e1", "e4"]}));
    assert_eq!(world.ids().1, ["e3"]);
    world.run("undo", json!({}));
    world.run("undo", json!({}));
    assert_eq!(world.state(), whole);
    let removed = world.run("removeNode", json!({"id": "b"}));
    assert_eq!(world.ids().1, ["e4"]);
    world.run(
        "restore",
        json!({"version": removed["version"].as_u64().unwrap() - 1}),
    );
    assert_eq!(world.state(), whole);
    let diff = world.run("diff", json!({"from": 4, "to": 7}));
    assert_eq!(
        diff["data"]["edges"]["added"].as_array().map(Vec::len),
        Some(3)
    );
    let near = world.run("getNeighbors", json!({"id": "a"}));
    assert_eq!(near["data"]["edges"].as_array().unwrap().len(), 4);
}

/// Every format that is written brings back all edges with their data.
#[test]
fn an_export_brings_every_edge_back() {
    let world = world();
    for edge in [
        json!({"source": "a", "target": "b"}),
        json!({"source": "a", "target": "b", "id": "0"}),
        json!({"source": "a", "target": "b", "id": "1", "data": {"key": 0, "weight": 0.5}}),
        json!({"source": "a", "target": "b", "data": {"key": 1, "weight": 0.5}}),
        json!({"source": "a", "target": "b", "id": "a", "data": {"id": "x", "weight": 2}}),
        json!({"source": "b", "target": "b", "label": "l", "type": "t", "data": {"weight": 0.5}}),
        json!({"source": "b", "target": "b", "label": "l", "type": "t", "data": {"weight": 0.5}}),
        json!({"source": "b", "target": "a"}),
    ] {
        world.run("addEdge", edge);
    }
    let (all, ids) = (edges(&world), world.ids().1);
    for format in Format::ALL {
        let file = world.run("exportGraph", json!({"format": format.name()}));
        let other = World::new();
        let content = &file["content"];
        let import = json!({"content": content, "format": format.name()});
        let done = other.run("importGraph", import.clone());
        assert_eq!(done["edges"]["created"], 8, "{}", format.name());
        assert_eq!(
            (edges(&other), other.ids().1),
            (all.clone(), ids.clone()),
            "{}",
            format.name()
        );
        // Importing the file into the graph that it was exported from changes nothing.
        let mut import = import;
        import["onConflict"] = json!("ignore");
        let done = world.run("importGraph", import);
        assert_eq!(
            [&done["edges"]["created"], &done["edges"]["updated"]],
            [0, 0],
            "{}",
            format.name()
        );
    }
}

#[test]
fn replaced_graphs_keep_their_parallel_edges() {
    let world = World::new();
    let drafts = |weight: u32| {
        crate::bulk::drafts(
            &json!([{"id": "a", "label": "a"}]),
            &json!([
                {"source": "a", "target": "a", "data": {"weight": weight}},
                {"source": "a", "target": "a", "data": {"weight": weight}},
                {"source": "a", "target": "a"},
            ]),
        )
    };
    for weight in [1, 2, 2] {
        graph::import(
            &world.graph(),
            &drafts(weight),
            graph::OnConflict::Error,
            Mode::Replace,
            None,
            None,
        )
        .unwrap();
        assert_eq!(edge_count(&world), 3);
    }
    assert_eq!(world.version(), 2);
}

#[test]
fn graphs_of_an_older_version_keep_their_edges_and_their_past() {
    const STEP: &str = "INSERT INTO _codemode_steps VALUES (1, 'edit', 'Bulk added 2 nodes', 'api', '2026-01-01T00:00:00.000Z', NULL, 'done', \
         NULL, 2, 0, 0, 2, 0, 0, 2, 2, 1, 0)";
    const NODES: &str = "INSERT INTO nodes VALUES ('a', 'a', 'other', '{}', 0, 0, 0, 't', 't', 1, 1), ('b', 'b', 'other', '{}', 0, 0, 0, 't', 't', 2, 1)";
    const EDGES: &str = "INSERT INTO edges VALUES ('e', 'a', 'b', 'l', '', '{\"w\":1}', 't', 't', 7, 1), ('f', 'b', 'a', 'l', '', '{}', 't', 't', 9, 1)";
    const HEAD: &str = "UPDATE _codemode_graph SET created_at = '2026-01-01T00:00:00.000Z', updated_at = '2026-01-01T00:00:00.000Z', \
         version = 1, node_count = 2, edge_count = 2, next_node = 3, next_edge = 10";
    let mut world = World::new();
    world.db = HostDatabase::new();
    let (first, _) = graph::MIGRATIONS.split_at(1);
    migrations::apply(&world.db, first, NOW_MS).unwrap();
    for sql in [
        STEP,
        NODES,
        EDGES,
        HEAD,
        "INSERT INTO _codemode_types VALUES ('other', 2)",
    ] {
        world.db.run(sql, &[] as &[Bind]).unwrap();
    }
    migrations::apply(&world.db, graph::MIGRATIONS, NOW_MS).unwrap();
    let before = world.state();
    assert_eq!(world.ids().1, ["e", "f"]);
    world.run(
        "addEdge",
        json!({"id": "g", "source": "a", "target": "b", "label": "l"}),
    );
    assert_eq!(world.ids().1, ["e", "f", "g"]);
    world.run("undo", json!({}));
    assert_eq!(world.state(), before);
    world.run("undo", json!({}));
    assert_eq!(world.ids().0, Vec::<String>::new());
}

/// Analyses treat parallel edges as NetworkX treats those of a MultiGraph: the least weight is the
/// distance, and weights add up to a strength.
#[test]
fn analyses_count_parallel_edges_as_networkx_does() {
    let world = world();
    for (id, source, target, weight) in [
        ("heavy", "a", "b", 3.0),
        ("light", "a", "b", 0.5),
        ("direct", "a", "c", 2.0),
        ("on", "b", "c", 1.0),
        ("back", "b", "a", 0.25),
    ] {
        world.run(
            "addEdge",
            json!({"id": id, "source": source, "target": target, "data": {"weight": weight}}),
        );
    }
    let path = world.run(
        "findPath",
        json!({"from": "a", "to": "c", "weight": "weight", "directed": true}),
    );
    let found = &path["data"]["paths"][0];
    assert_eq!(
        (&found["length"], &found["edges"][0]["id"]),
        (&json!(1.5), &json!("light"))
    );
    let path = world.run(
        "findPath",
        json!({"from": "a", "to": "c", "weight": "weight"}),
    );
    assert_eq!(path["data"]["paths"][0]["length"], 1.25);
    let structure = &world.run("analyzeStructure", json!({}))["data"];
    assert_eq!([&structure["edges"], &structure["distinctEdges"]], [5, 3]);
    let same = world.run("findPath", json!({"from": "a", "to": "a"}));
    assert!(same.to_string().contains(r#""length":0.0"#), "{same}");
}

#[test]
fn errors_of_analyses_name_edges_as_the_graph_does() {
    let world = world();
    world.run("addNode", json!({"id": "a2", "label": "a"}));
    world.run(
        "addEdge",
        json!({"id": "e1", "source": "a", "target": "b", "data": {"w": 0}}),
    );
    let error = world.error(
        "findCentrality",
        json!({"measure": "betweenness", "weight": "w"}),
    );
    assert_eq!(
        error.to_string(),
        "the edge \"e1\" from \"a\" to \"b\" has weight 0; shortest paths are counted over positive distances only"
    );
    world.run(
        "updateEdge",
        json!({"id": "e1", "target": "a2", "data": {"w": -1}}),
    );
    assert_eq!(
        world
            .error("findPath", json!({"from": "a", "to": "b", "weight": "w"}))
            .to_string(),
        "the edge \"e1\" from \"a\" (a) to \"a\" (a2) has weight -1; a weight is a finite number that is not negative"
    );
    assert_eq!(world.words()[0], "Updated edge: a (a) → a (a2)");
    world.run("updateEdge", json!({"id": "e1", "data": {"w": "heavy"}}));
    assert_eq!(
        world
            .error("findPath", json!({"from": "a", "to": "b", "weight": "w"}))
            .to_string(),
        "w of the edge \"e1\" from \"a\" (a) to \"a\" (a2) is not a number"
    );
}

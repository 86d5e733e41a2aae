//! The cost of operations when the graph doubles: instructions of SQLite and bytes of memory, which
//! do not depend on how busy the machine is. Each operation is tried on graphs of many shapes, and
//! some at their documented limits.

use graph::interchange::{self, Format};
use graph::{Mode, OnConflict, import};
use serde_json::{Value, json};

use crate::world::{World, read};

/// The factor by which the cost may grow for twice the graph: somewhat more than two, because
/// b-trees and buffers grow in steps.
const TWICE: f64 = 2.6;
/// The cost of a request regardless of the size of the graph.
const LEAST_STEPS: u64 = 20_000;
const LEAST_BYTES: u64 = 400_000;
/// The bytes that one object may use of the 128 MB that all share. The adapter of these tests holds
/// all rows of a statement, which that of workerd does not.
const MAX_BYTES: u64 = 80_000_000;
/// The same, including the text of the file.
const MAX_IMPORT_BYTES: u64 = 110_000_000;

struct Taken {
    steps: u64,
    bytes: u64,
    reply: Value,
}

fn taken(world: &World, operation: &str, arguments: &Value) -> Taken {
    let before = world.db.steps();
    let mut reply = None;
    let counted = allocation_counter::measure(|| {
        reply = Some(world.reply(operation, arguments).unwrap());
    });
    Taken {
        steps: world.db.steps() - before,
        bytes: counted.bytes_max,
        reply: read(&reply.unwrap()),
    }
}

/// Returns a pseudo-random number that is always the same for the same argument.
fn scattered(at: usize) -> usize {
    at.wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407)
        >> 33
}

/// The name of a shape, and a function that returns the sources and targets of a graph with about
/// this many edges. The first node is 0, the last has the greatest number.
type Shape = (&'static str, fn(usize) -> Vec<(usize, usize)>);

const SHAPES: [Shape; 9] = [
    ("line", |n| (0..n).map(|at| (at, at + 1)).collect()),
    ("star", |n| (1..=n).map(|leaf| (0, leaf)).collect()),
    ("entered star", |n| (1..=n).map(|leaf| (leaf, 0)).collect()),
    ("random", |n| {
        (0..n)
            .map(|at| (at % (n / 4 + 1), scattered(at) % (n / 4 + 1)))
            .collect()
    }),
    ("diamonds", |n| {
        let of = |at: usize| {
            [(0, 1), (0, 2), (1, 3), (2, 3)].map(|(from, to)| (3 * at + from, 3 * at + to))
        };
        (0..n / 4).flat_map(of).collect()
    }),
    ("ladder", |n| {
        (0..n / 3)
            .flat_map(|at| {
                [
                    (2 * at, 2 * at + 1),
                    (2 * at, 2 * at + 2),
                    (2 * at + 1, 2 * at + 3),
                ]
            })
            .collect()
    }),
    ("between two", |n| vec![(0, 1); n]),
    ("loops", |n| vec![(0, 0); n]),
    ("two layers", |n| {
        let side = n.isqrt();
        (0..side * side)
            .map(|at| (at % side, side + at / side))
            .collect()
    }),
];

fn graph(edges: &[(usize, usize)], label: &str) -> World {
    let world = World::new();
    let ends = edges.iter().flat_map(|(from, to)| [*from, *to]);
    let nodes: Vec<Value> = (0..=ends.max().unwrap().max(1))
        .map(|at| json!({"id": format!("n{at}"), "label": format!("{label}{at}"), "type": format!("t{}", at % 3)}))
        .collect();
    let edges: Vec<Value> = edges
        .iter()
        .enumerate()
        .map(|(at, (from, to))| json!({"source": format!("n{from}"), "target": format!("n{to}"), "label": format!("e{at}"), "data": {"weight": 1 + at % 5}}))
        .collect();
    world.run(
        "importGraph",
        json!({"content": {"nodes": nodes, "edges": edges}}),
    );
    world
}

fn last(edges: &[(usize, usize)]) -> String {
    let last = edges
        .iter()
        .flat_map(|(from, to)| [*from, *to])
        .max()
        .unwrap();
    format!("n{last}")
}

fn check(what: &str, once: &Taken, twice: &Taken) {
    #[expect(clippy::cast_precision_loss, reason = "counts of a test are small")]
    let grows =
        |once: u64, twice: u64, least: u64| twice as f64 > TWICE * once as f64 + least as f64;
    assert!(
        !grows(once.steps, twice.steps, LEAST_STEPS),
        "{what}: {} instructions, then {}",
        once.steps,
        twice.steps
    );
    assert!(
        !grows(once.bytes, twice.bytes, LEAST_BYTES),
        "{what}: {} bytes, then {}",
        once.bytes,
        twice.bytes
    );
}

#[test]
fn reading_and_analysing_take_twice_as_much_of_twice_the_graph() {
    const SIZE: usize = 800;
    for (shape, edges_of) in SHAPES {
        let edges = [edges_of(SIZE), edges_of(2 * SIZE)];
        let [once, twice] = edges.each_ref().map(|edges| graph(edges, "gene "));
        let [end, far_end] = edges.each_ref().map(|edges| last(edges));
        for (operation, arguments) in [
            (
                "getNeighbors",
                json!({"id": "n0", "depth": 10, "limit": 10_000}),
            ),
            (
                "getNeighbors",
                json!({"id": "n1", "depth": 2, "type": "t1"}),
            ),
            ("searchNodes", json!({"query": "gene", "limit": 1_000})),
            ("searchNodes", json!({"query": "基因", "limit": 1_000})),
            (
                "searchNodes",
                json!({"type": "t1", "attribute": "category", "value": "t1"}),
            ),
            ("findPath", json!({"from": "n0", "to": "END"})),
            (
                "findPath",
                json!({"from": "n0", "to": "END", "all": true, "directed": true}),
            ),
            (
                "findPath",
                json!({"from": "n0", "to": "END", "weight": "weight"}),
            ),
            ("analyzeStructure", json!({})),
            (
                "findCentrality",
                json!({"measure": "pagerank", "limit": 10_000}),
            ),
            ("detectCommunities", json!({"limit": 100_000})),
            ("findBridges", json!({})),
            ("getGraphState", json!({"limit": 10_000, "type": "t1"})),
            (
                "getVersion",
                json!({"version": 1, "limit": 10_000, "type": "t1"}),
            ),
            ("diff", json!({"from": 0, "limit": 10_000})),
            ("exportGraph", json!({"format": "json"})),
            ("exportGraph", json!({"format": "node-link"})),
            ("exportGraph", json!({"format": "cytoscape"})),
            ("exportGraph", json!({"format": "graphml"})),
            ("exportGraph", json!({"format": "csv"})),
        ] {
            let to = |end: &str| -> Value {
                serde_json::from_str(&arguments.to_string().replace("END", end)).unwrap()
            };
            check(
                &format!("{operation} {arguments} of {shape}"),
                &taken(&once, operation, &to(&end)),
                &taken(&twice, operation, &to(&far_end)),
            );
        }
    }
}

#[test]
fn changes_of_all_take_twice_as_much_of_twice_the_graph() {
    const SIZE: usize = 800;
    for (shape, edges_of) in SHAPES {
        let [once, twice] = [SIZE, 2 * SIZE].map(|size| graph(&edges_of(size), "gene "));
        for (operation, arguments) in [
            ("undo", json!({})),
            ("redo", json!({})),
            ("removeNode", json!({"id": "n0"})),
            ("undo", json!({})),
            ("applyGridLayout", json!({})),
            ("applyGridLayout", json!({"preview": true})),
            ("deleteNodesByType", json!({"nodeTypes": ["t0"]})),
            ("restore", json!({"version": 1})),
        ] {
            check(
                &format!("{operation} {arguments} of {shape}"),
                &taken(&once, operation, &arguments),
                &taken(&twice, operation, &arguments),
            );
        }
    }
}

#[test]
fn neighbours_of_twelve_thousand_nodes_are_not_compared_pair_by_pair() {
    let nodes = 12_000;
    let edges: Vec<(usize, usize)> = (0..49_000)
        .map(|at| (at % nodes, scattered(at) % nodes))
        .collect();
    let world = graph(&edges, "gene ");
    let all = taken(
        &world,
        "getNeighbors",
        &json!({"id": "n0", "depth": 10, "limit": 10_000}),
    );
    assert_eq!(all.reply["data"]["nodes"].as_array().unwrap().len(), 10_000);
    assert!(all.steps < 5_000_000, "{}", all.steps);
    assert!(all.bytes < MAX_BYTES, "{}", all.bytes);
}

#[test]
fn few_neighbours_of_a_node_with_very_many_edges_take_little() {
    let edges: Vec<(usize, usize)> = (1..=60_000).map(|leaf| (0, leaf)).chain([(1, 0)]).collect();
    let world = graph(&edges, "gene ");
    let entering = taken(
        &world,
        "getNeighbors",
        &json!({"id": "n0", "direction": "in"}),
    );
    assert_eq!(entering.reply["data"]["edges"].as_array().unwrap().len(), 2);
    assert!(entering.steps < LEAST_STEPS, "{}", entering.steps);
}

#[test]
fn lists_of_large_items_end_where_a_page_does() {
    let world = World::new();
    let text = "基".repeat(200_000);
    let count = 40;
    for at in 0..count {
        world.run(
            "addNode",
            json!({"id": format!("n{at}"), "label": "large", "data": {"text": text}}),
        );
        if at > 0 {
            world.run("addEdge", json!({"source": format!("n{}", at - 1), "target": format!("n{at}"), "data": {"text": text}}));
        }
    }
    let found = taken(
        &world,
        "getNeighbors",
        &json!({"id": "n0", "depth": 10, "limit": 100}),
    );
    assert_eq!(found.reply["truncated"], true);
    let mut listed = 0;
    let mut arguments = json!({"query": "large", "limit": 1_000});
    loop {
        let page = taken(&world, "searchNodes", &arguments);
        let nodes = page.reply["data"].as_array().unwrap().len();
        assert!(nodes < count, "{nodes}");
        listed += nodes;
        if page.reply["nextCursor"].is_null() {
            break;
        }
        arguments["cursor"] = page.reply["nextCursor"].clone();
    }
    assert_eq!(listed, count);
    // For a script without blanks between words, texts are scanned, and no single request reads all
    // of them.
    let mut pages = 0;
    let word: String = std::iter::repeat_n('基', 900).collect();
    let mut arguments = json!({"query": word});
    let mut listed = 0;
    loop {
        let page = world.run("searchNodes", arguments.clone());
        pages += 1;
        listed += page["data"].as_array().unwrap().len();
        if page["nextCursor"].is_null() {
            break;
        }
        arguments["cursor"] = page["nextCursor"].clone();
    }
    assert_eq!(listed, count);
    assert!(pages > 1, "{pages}");
    let path = taken(&world, "findPath", &json!({"from": "n0", "to": "n9"}));
    assert_eq!(
        path.reply["data"]["paths"][0]["nodes"]
            .as_array()
            .unwrap()
            .len(),
        10
    );
    let error = world.error("findPath", json!({"from": "n0", "to": "n39"}));
    assert_eq!(error.code(), "TOO_LARGE");
}

#[test]
fn all_shortest_paths_over_five_thousand_diamonds_are_listed_while_there_is_room() {
    let (_, diamonds) = SHAPES.iter().find(|(name, _)| *name == "diamonds").unwrap();
    let edges = diamonds(4 * 5_000);
    let world = graph(&edges, "gene ");
    let end = last(&edges);
    for arguments in [
        json!({"from": "n0", "to": end, "all": true}),
        json!({"from": "n0", "to": end, "k": 100}),
    ] {
        let found = taken(&world, "findPath", &arguments);
        assert_eq!(found.reply["data"]["truncated"], true);
        let paths = found.reply["data"]["paths"].as_array().unwrap();
        assert!(!paths.is_empty() && paths.len() < 100, "{}", paths.len());
        assert_eq!(paths[0]["nodes"].as_array().unwrap().len(), 10_001);
        assert!(found.bytes < MAX_BYTES, "{}", found.bytes);
    }
}

#[test]
fn a_graph_has_a_bounded_number_of_types() {
    let world = World::new();
    let nodes = |count: u64| -> Vec<Value> {
        (0..count)
            .map(|at| json!({"id": format!("n{at}"), "label": "x", "type": format!("t{at}")}))
            .collect()
    };
    let most = graph::limits::MAX_NODE_TYPES;
    let error = world.error(
        "importGraph",
        json!({"content": {"nodes": nodes(most + 1), "edges": []}}),
    );
    assert_eq!(error.code(), "GRAPH_FULL");
    world.run(
        "importGraph",
        json!({"content": {"nodes": nodes(most), "edges": []}}),
    );
    let page = taken(&world, "getGraphState", &json!({"limit": 1}));
    assert!(page.bytes < 20_000_000, "{}", page.bytes);
}

#[test]
fn imports_of_as_many_items_as_may_be_fit_into_memory() {
    let most = graph::limits::MAX_ITEMS;
    let nodes = |count: usize| -> String {
        let nodes: Vec<String> = (0..count)
            .map(|at| format!(r#"{{"id":"{at}","label":"x"}}"#))
            .collect();
        nodes.join(",")
    };
    let few = 500;
    let edges: Vec<String> = (0..most - few)
        .map(|at| format!(r#"{{"source":"{}","target":"{}"}}"#, at % few, at / few))
        .collect();
    for text in [
        format!(r#"{{"nodes":[{}]}}"#, nodes(most)),
        format!(
            r#"{{"nodes":[{}],"edges":[{}]}}"#,
            nodes(few),
            edges.join(",")
        ),
    ] {
        let world = World::new();
        let counted = allocation_counter::measure(|| {
            let drafts = interchange::read(Format::Json, &text).unwrap();
            import(
                &world.graph(),
                &drafts,
                OnConflict::Error,
                Mode::Merge,
                None,
                None,
            )
            .unwrap();
        });
        let bytes = counted.bytes_max + text.len() as u64;
        assert!(bytes < MAX_IMPORT_BYTES, "{bytes}");
    }
    let text = format!(r#"{{"nodes":[{}]}}"#, nodes(most + 1));
    assert_eq!(
        interchange::read(Format::Json, &text).unwrap_err().code(),
        "TOO_BIG"
    );
}

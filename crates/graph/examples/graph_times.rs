//! Measures the processor time of a graph on the host's SQLite, on Linux: `cargo run --release -p
//! graph --example graph_times`.

#![expect(clippy::unwrap_used, reason = "an example stops at its first surprise")]

use std::fs;

use graph::drafts::{Issues, edges, nodes};
use graph::model::Drafts;
use graph::network::{load_network, move_nodes};
use graph::{Graph, Memory, Mode, OnConflict, Settings, find, handler, import};
use serde_json::{Value, json, value::RawValue};
use test_support::HostDatabase;

/// The number of nodes of the graph, which has four edges for each.
const NODES: u64 = 5_000;
/// The number of measurements of each time; their median is printed.
const ROUNDS: usize = 5;

fn texts() -> [String; 2] {
    let nodes: Vec<Value> = (0..NODES)
        .map(|number| json!({"id": format!("NCBIGene:{number}"), "label": format!("Gene {number}"), "type": format!("type {}", number % 3),
            "data": {"category": "gene", "taxon": 9606, "score": number as f64 / 7.0}, "position": {"x": number % 100, "y": number / 100}}))
        .collect();
    let edges: Vec<Value> = (0..4 * NODES)
        .map(|number| json!({"source": format!("NCBIGene:{}", number % NODES), "target": format!("NCBIGene:{}", (number * 7919 + 13) % NODES),
            "label": "interacts_with", "type": format!("biological{}", number / NODES), "data": {"weight": number}}))
        .collect();
    [json!(nodes), json!(edges)].map(|list| list.to_string())
}

fn read([node_text, edge_text]: &[String; 2]) -> Drafts {
    let mut issues = Issues::default();
    let drafts = Drafts {
        nodes: nodes(
            &serde_json::from_str::<Vec<&RawValue>>(node_text).unwrap(),
            &mut issues,
        ),
        edges: edges(
            &serde_json::from_str::<Vec<&RawValue>>(edge_text).unwrap(),
            &mut issues,
        ),
    };
    issues.check().unwrap();
    drafts
}

/// The name of each measured task, with its processor time in each round, in milliseconds.
#[derive(Default)]
struct Times(Vec<(&'static str, Vec<f64>)>);

impl Times {
    fn take(&mut self, name: &'static str, work: impl FnOnce()) {
        let started = processor_ms();
        work();
        let took = processor_ms() - started;
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, times)) => times.push(took),
            None => self.0.push((name, vec![took])),
        }
    }
}

/// Returns the processor time that the process has used. Unlike a clock, it does not count the
/// other work of the machine.
fn processor_ms() -> f64 {
    let line = fs::read_to_string("/proc/self/schedstat").unwrap();
    let nanoseconds: f64 = line.split(' ').next().unwrap_or_default().parse().unwrap();
    nanoseconds / 1e6
}

fn main() {
    let texts = texts();
    let mut times = Times::default();
    for _ in 0..ROUNDS {
        round(&texts, &mut times);
    }
    for (name, mut times) in times.0 {
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        println!("{name:24} {median:8.2} ms");
    }
}

fn round(texts: &[String; 2], times: &mut Times) {
    let db = HostDatabase::new();
    database::migrations::apply(&db, graph::MIGRATIONS, 0).unwrap();
    let settings = Settings::default();
    let memory = Memory::default();
    let graph = Graph {
        db: &db,
        settings: &settings,
        now_ms: 1_795_299_000_000,
        conversation: "talk",
        actor: "api",
        memory: &memory,
    };
    let run = |operation: &str, arguments: Value| {
        let (id, _) = find(operation).unwrap();
        handler(id).unwrap()(&graph, &arguments.to_string()).unwrap();
    };
    let mut drafts = Drafts::default();
    times.take("read 25,000 drafts", || drafts = read(texts));
    times.take("import", || {
        import(&graph, &drafts, OnConflict::Error, Mode::Merge, None, None).unwrap();
    });
    times.take("undo of the import", || run("undo", json!({})));
    times.take("redo of the import", || run("redo", json!({})));
    times.take("addNode", || {
        run("addNode", json!({"id": "x", "label": "TP53"}))
    });
    times.take("addEdge", || {
        run("addEdge", json!({"source": "x", "target": "NCBIGene:7"}))
    });
    times.take("page of 1,000", || run("getGraphState", json!({})));
    times.take("page of 10,000", || {
        run("getGraphState", json!({"limit": 10_000}))
    });
    times.take("old page of 1,000", || {
        run("getVersion", json!({"version": 4}))
    });
    times.take("search", || run("searchNodes", json!({"query": "gene 77"})));
    times.take("neighbours at 10 levels", || {
        let nearest = json!({"id": "NCBIGene:7", "depth": 10, "limit": 10_000});
        run("getNeighbors", nearest);
    });
    let mut moves = Vec::new();
    times.take("load the network", || {
        let network = load_network(&db, Some("weight")).unwrap();
        let nodes = network.seqs.iter().zip(&network.positions);
        moves = nodes.map(|(seq, at)| (*seq, at.x + 0.5, at.y)).collect();
    });
    times.take("move 5,000", || {
        move_nodes(&graph, &moves, None, "Applied force layout", &json!({})).unwrap();
    });
    let changes: Vec<Value> = (0..NODES)
        .map(|number| json!({"id": format!("NCBIGene:{number}"), "data": {"seen": true}}))
        .collect();
    times.take("merge into 5,000", || {
        run("updateMultipleNodes", json!({"nodes": changes}))
    });
    times.take("page of a difference", || run("diff", json!({"from": 4})));
    times.take("removeNode", || {
        run("removeNode", json!({"id": "NCBIGene:7"}))
    });
}

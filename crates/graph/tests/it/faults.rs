//! A storage that fails in the middle of a request.

use graph::{Graph, Memory, Settings};
use serde_json::json;

use crate::world::NOW_MS;
use test_support::HostDatabase;
use test_support::{Fault, FaultyDatabase};

/// More statements than any of the requests below runs. A request that fails for another reason
/// than the fault ends here.
const MOST_STATEMENTS: u64 = 500;
/// The statements of the request with the fewest: the item, the step, and the row about the graph.
const LEAST_STATEMENTS: u64 = 3;

/// Returns every table of the graph, row by row.
pub fn dump(db: &FaultyDatabase) -> Vec<String> {
    [
        "nodes",
        "edges",
        "_codemode_past_nodes",
        "_codemode_past_edges",
        "_codemode_steps",
        "_codemode_graph",
        "_codemode_types",
        "_codemode_node_words",
    ]
    .iter()
    .flat_map(|table| db.inner.dump_rows(&format!("SELECT * FROM {table}")))
    .collect()
}

fn run(
    db: &FaultyDatabase,
    memory: &Memory,
    operation: &str,
    arguments: &serde_json::Value,
) -> base::Result<Option<u64>> {
    let graph = Graph {
        db,
        settings: &Settings { history_steps: 2 },
        now_ms: NOW_MS,
        conversation: "talk",
        actor: "api",
        memory,
    };
    crate::world::run(&graph, operation, &arguments.to_string()).map(|reply| reply.version)
}

#[test]
fn a_request_that_fails_at_any_statement_leaves_nothing() {
    let inner = HostDatabase::new();
    database::migrations::apply(&inner, graph::MIGRATIONS, NOW_MS).unwrap();
    let mut db = FaultyDatabase::new(inner);
    let memory = Memory::default();
    for (operation, arguments) in [
        ("addMockData", json!({"dataset": "diabetes"})),
        (
            "updateMultipleNodes",
            json!({"nodes": [{"id": "NCBIGene:7157", "label": "p53", "data": {"k": 1}}]}),
        ),
        ("addNode", json!({"label": "x"})),
        (
            "addMultipleNodes",
            json!({"nodes": [{"id": "m", "label": "M"}, {"id": "NCBIGene:7157", "label": "P53"}], "onConflict": "replace"}),
        ),
        (
            "updateNode",
            json!({"id": "NCBIGene:7157", "label": "TP53"}),
        ),
        (
            "addEdge",
            json!({"id": "loop", "source": "NCBIGene:7157", "target": "NCBIGene:7157"}),
        ),
        (
            "addMultipleEdges",
            json!({"edges": [{"id": "one", "source": "NCBIGene:7157", "target": "MONDO:0005151"}, {"id": "two", "source": "MONDO:0005148", "target": "NCBIGene:7157", "data": {"k": 1}}]}),
        ),
        ("updateEdge", json!({"id": "one", "target": "m"})),
        (
            "updateMultipleEdges",
            json!({"edges": [{"id": "one", "label": "looks at"}, {"id": "loop", "data": {"k": 2}}]}),
        ),
        ("removeEdge", json!({"id": "loop"})),
        ("removeMultiple", json!({"nodes": ["m"], "edges": ["two"]})),
        (
            "importGraph",
            json!({"content": {"nodes": [{"id": "i", "label": "I"}, {"id": "NCBIGene:7157", "label": "replaced"}], "edges": [{"source": "i", "target": "NCBIGene:7157"}]}, "onConflict": "replace"}),
        ),
        ("applyCircularLayout", json!({})),
        ("mergeNodes", json!({"into": "NCBIGene:7157", "from": "i"})),
        ("deleteNodesByType", json!({"nodeTypes": ["protein"]})),
        ("removeNode", json!({"id": "MONDO:0005148"})),
        ("undo", json!({})),
        ("redo", json!({})),
        ("restore", json!({"version": 17})),
    ] {
        let before = dump(&db);
        let mut failures = 0;
        loop {
            let fault = if failures % 2 == 0 {
                Fault::BeforeApplying
            } else {
                Fault::AfterApplying
            };
            db.fail_after(failures / 2, fault);
            let Err(error) = run(&db, &memory, operation, &arguments) else {
                break;
            };
            assert!(
                failures < 2 * MOST_STATEMENTS,
                "{operation} never succeeds: {error}"
            );
            assert_eq!(dump(&db), before, "{operation}, failure {failures}");
            failures += 1;
        }
        assert!(
            failures >= 2 * LEAST_STATEMENTS,
            "{operation} fails {failures} times"
        );
        db.fail_after(u64::MAX, Fault::BeforeApplying);
        assert_ne!(dump(&db), before);
    }
}

//! Measures the second migration of graphs, which rebuilds the table of edges, on the host's SQLite
//! in a file: `cargo run --release -p graph --example graph_migration -- [EDGES…]`, by default with
//! 1,000,000 edges.

#![expect(clippy::unwrap_used, reason = "an example stops at its first surprise")]

use std::fs;
use std::time::Instant;

use database::migrations;
use rusqlite::Connection;
use test_support::HostDatabase;

/// The number of edges unless the arguments name another.
const EDGES: u64 = 1_000_000;
/// Edges for each node.
const EDGES_PER_NODE: u64 = 5;

fn main() {
    let mut sizes: Vec<u64> = std::env::args()
        .skip(1)
        .map(|size| size.parse().unwrap())
        .collect();
    if sizes.is_empty() {
        sizes.push(EDGES);
    }
    for size in sizes {
        measure(size);
    }
}

fn measure(edges: u64) {
    let path = std::env::temp_dir().join(format!("graph-migration-{}.db", std::process::id()));
    {
        let connection = Connection::open(&path).unwrap();
        // Durability does not matter: the file is deleted anyway.
        connection
            .execute_batch("PRAGMA synchronous = OFF")
            .unwrap();
        let db = HostDatabase::over(connection);
        let (first, _) = graph::MIGRATIONS.split_at(1);
        migrations::apply(&db, first, 0).unwrap();
        let nodes = edges / EDGES_PER_NODE;
        db.script(&format!(
            "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {edges}) \
             INSERT INTO edges SELECT printf('%08x-0000-4000-8000-%012x', i * 2654435761 % 4294967296, i), 'NCBIGene:' || (i % {nodes}), \
             'NCBIGene:' || ((i * 7919 + 13) % {nodes}), 'interacts_with', 'biological' || (i / {nodes}), json_object('weight', i), \
             '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', i + 1, 1 FROM n"
        ));
        let bytes = fs::metadata(&path).unwrap().len();
        let (started, processor) = (Instant::now(), processor_ms());
        migrations::apply(&db, graph::MIGRATIONS, 0).unwrap();
        let (wall, processor) = (started.elapsed(), processor_ms() - processor);
        let grown = fs::metadata(&path).unwrap().len();
        let kept: i64 = db
            .connection()
            .query_row("SELECT count(*) FROM edges", [], |row| row.get(0))
            .unwrap();
        println!(
            "{kept} edges, {} MB: {:.2} s of processor time, {:.2} s on the clock, {} MB afterwards",
            bytes / 1_000_000,
            processor / 1e3,
            wall.as_secs_f64(),
            grown / 1_000_000
        );
    }
    fs::remove_file(path).unwrap();
}

/// Returns the processor time that the process has used.
fn processor_ms() -> f64 {
    let line = fs::read_to_string("/proc/self/schedstat").unwrap();
    let nanoseconds: f64 = line.split(' ').next().unwrap_or_default().parse().unwrap();
    nanoseconds / 1e6
}

//! Imports all GraphML files of the given folders, each into its own graph, exports each graph in
//! every format, imports the exports again, and compares the counts of nodes and edges with those
//! of CPython's XML parser: `graph_files FOLDER…`. Prints counts. Fails if a count differs, or if
//! an import of an export is not the same graph.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a measurement stops at its first surprise"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base::Result;
use graph::interchange::Format;
use graph::{Graph, Memory, Settings, find, handler};
use serde_json::{Value, json};
use test_support::HostDatabase;

/// The whole content of a graph, except for the times of its changes.
const ITEMS: &str = "SELECT json_array('node', id, label, type, json(data), x, y, pinned) FROM nodes UNION ALL \
     SELECT json_array('edge', id, source, target, label, type, json(data)) FROM edges";
/// The number of edges that repeat the ends, label and type of another edge.
const PARALLEL: &str = "SELECT count(*) - (SELECT count(*) FROM (SELECT DISTINCT source, target, label, type FROM edges)) FROM edges";

/// A graph in memory.
struct World {
    db: HostDatabase,
    settings: Settings,
}

impl World {
    fn new() -> Self {
        let db = HostDatabase::new();
        database::migrations::apply(&db, graph::MIGRATIONS, 0).expect("migrations apply");
        Self {
            db,
            settings: Settings::default(),
        }
    }

    fn run(&self, operation: &str, arguments: &Value) -> Result<Value> {
        let graph = Graph {
            db: &self.db,
            settings: &self.settings,
            now_ms: 1_795_299_000_000,
            conversation: "talk",
            actor: "api",
            memory: &Memory::default(),
        };
        let (id, _) = find(operation).expect("the operation exists");
        let handler = handler(id).expect("it needs no more than the graph");
        let reply = handler(&graph, &arguments.to_string())?;
        Ok(serde_json::from_str(&reply.json).expect("a reply is JSON"))
    }

    /// Returns the items by their ids, so that the order of fields in data makes no difference.
    fn items(&self) -> BTreeMap<String, Value> {
        let connection = self.db.connection();
        let mut statement = connection.prepare(ITEMS).expect("a query");
        let rows = statement.query_map([], |row| row.get::<_, String>(0));
        let items = rows.expect("rows").map(|row| {
            let item: Value = serde_json::from_str(&row.expect("a row")).expect("JSON");
            (format!("{} {}", item[0], item[1]), item)
        });
        items.collect()
    }

    fn parallel_edges(&self) -> u64 {
        let connection = self.db.connection();
        let count: i64 = connection
            .query_row(PARALLEL, [], |row| row.get(0))
            .expect("a count");
        count.unsigned_abs()
    }
}

#[derive(Default)]
struct Counts {
    files: u64,
    refused: u64,
    nodes: u64,
    edges: u64,
    parallel_files: u64,
    parallel_edges: u64,
    round_trips: u64,
    failures: u64,
    notices: BTreeMap<String, u64>,
}

fn main() {
    let mut counts = Counts::default();
    for folder in std::env::args().skip(1) {
        let expected = expected(&folder);
        for path in files(Path::new(&folder)) {
            let name = path.to_string_lossy().into_owned();
            counts.files += 1;
            if let Err(difference) = file(&path, &expected[&name], &mut counts) {
                counts.failures += 1;
                println!("difference: {name}: {difference}");
            }
        }
    }
    for (notice, files) in &counts.notices {
        println!("notice in {files} files: {notice}");
    }
    println!(
        "{} files, {} refused; {} nodes, {} edges; {} edges of {} files are parallel to another; {} exports came back; {} differences",
        counts.files,
        counts.refused,
        counts.nodes,
        counts.edges,
        counts.parallel_edges,
        counts.parallel_files,
        counts.round_trips,
        counts.failures
    );
    if counts.failures > 0 {
        panic!("{} files differ", counts.failures);
    }
}

/// Imports a file, and imports its export in each format again.
fn file(path: &Path, expected: &Value, counts: &mut Counts) -> std::result::Result<(), String> {
    let text = String::from_utf8_lossy(&fs::read(path).expect("a file is read")).into_owned();
    let world = World::new();
    let done = match world.run(
        "importGraph",
        &json!({"content": text, "format": "graphml"}),
    ) {
        Ok(done) => done,
        Err(error) => {
            counts.refused += 1;
            let said = error.to_json().to_string();
            println!("refused: {}: {said}", path.display());
            // A file that CPython reads may still be rejected for its content. The printed list
            // shows these files for review.
            return Ok(());
        }
    };
    for notice in done["notices"].as_array().into_iter().flatten() {
        *counts.notices.entry(notice.to_string()).or_default() += 1;
    }
    let found = [&done["nodes"]["created"], &done["edges"]["created"]];
    let wanted = [&expected["nodes"], &expected["edges"]];
    if found != wanted {
        return Err(format!("{found:?} and not {wanted:?}"));
    }
    counts.nodes += found[0].as_u64().unwrap_or_default();
    counts.edges += found[1].as_u64().unwrap_or_default();
    let parallel = world.parallel_edges();
    counts.parallel_edges += parallel;
    counts.parallel_files += u64::from(parallel > 0);
    let items = world.items();
    for format in Format::ALL {
        let name = format.name();
        let said = |error: base::Error| format!("{name}: {}", error.to_json());
        let export = world
            .run("exportGraph", &json!({"format": name}))
            .map_err(said)?;
        let other = World::new();
        let import = json!({"content": export["content"], "format": name});
        other.run("importGraph", &import).map_err(said)?;
        let back = other.items();
        for (id, item) in &items {
            // CSV has only the edges and their ends.
            let is_kept = format.lists_nodes() || item[0] == "edge";
            if is_kept && back.get(id) != Some(item) {
                return Err(format!(
                    "{name} comes back with {:?} instead of {item}",
                    back.get(id)
                ));
            }
        }
        if back.len() > items.len() {
            return Err(format!(
                "{name} comes back with {} items instead of {}",
                back.len(),
                items.len()
            ));
        }
        counts.round_trips += 1;
    }
    Ok(())
}

/// Returns the files below a folder whose names end in `.graphml`, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder is read").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "graphml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the numbers of nodes and edges of each file below a folder, as CPython's XML parser
/// counts them.
fn expected(folder: &str) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/graph_files/count.py");
    let output = Command::new("python3")
        .args([script, folder])
        .stderr(Stdio::inherit())
        .output()
        .expect("python3 runs count.py");
    assert!(output.status.success(), "count.py failed");
    serde_json::from_slice(&output.stdout).expect("count.py prints JSON")
}

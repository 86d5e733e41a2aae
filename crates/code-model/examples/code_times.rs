//! Measures a workspace on the host's SQLite: `cargo run --release -p code-model --example
//! code_times -- FOLDER`.
//!
//! It reads the Rust, script and Markdown files below a folder, indexes them, writes one of them
//! again, and searches.

#![expect(
    clippy::unwrap_used,
    reason = "a measurement stops at its first surprise"
)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use code_model::project::FilePath;
use code_model::retrieval::{self, ColumnWeights, Selection};
use code_model::{
    AsOf, Changes, FileWrite, Operation as _, SearchCode, Settings, Workspace, write_files,
};
use database::migrations;
use operation::arguments::Arguments as _;

use test_support::HostDatabase;

/// The number of files of one request.
const BATCH: usize = 500;

fn gather(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap_or_default()
            .to_owned();
        if path.is_dir() {
            if !name.ends_with("target")
                && !name.ends_with("node_modules")
                && !name.contains(".git")
            {
                gather(root, &path, files);
            }
        } else if [".rs", ".ts", ".js", ".mjs", ".md", "Cargo.toml"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            files.push((name, std::fs::read(&path).unwrap()));
        }
    }
}

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let mut files = Vec::new();
    gather(Path::new(&folder), Path::new(&folder), &mut files);
    let lines: usize = files
        .iter()
        .map(|(_, bytes)| bytes.iter().filter(|byte| **byte == b'\n').count())
        .sum();
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    let db = HostDatabase::new();
    migrations::apply(&db, code_model::MIGRATIONS, 1).unwrap();
    let settings = Settings::default();
    let words = |text: &str| {
        text.to_lowercase()
            .replace(|character: char| !character.is_alphanumeric(), " ")
    };
    let workspace = Workspace {
        db: &db,
        settings: &settings,
        now_ms: 1,
        actor: "times",
        words: &words,
    };
    let write = |files: &[(String, Vec<u8>)]| {
        let writes = files.iter().filter_map(|(path, bytes)| {
            Some(FileWrite {
                path: FilePath::parse(path).ok()?,
                bytes: bytes.clone(),
                modified_ms: 1,
            })
        });
        write_files(
            &workspace,
            "times",
            &Changes {
                writes: writes.collect(),
                deletes: Vec::new(),
            },
        )
        .unwrap()
    };
    let start = Instant::now();
    let mut items = 0;
    for batch in files.chunks(BATCH) {
        items += write(batch).items_added;
    }
    println!(
        "{} files, {lines} lines, {bytes} bytes, {items} items indexed in {:?}",
        files.len(),
        start.elapsed()
    );
    let largest = files
        .iter()
        .filter(|(path, _)| path.ends_with(".rs"))
        .max_by_key(|(_, bytes)| bytes.len())
        .unwrap();
    let mut edited = largest.clone();
    edited.1.splice(0..0, b"// edited\n".iter().copied());
    let start = Instant::now();
    write(&[edited]);
    println!(
        "{} ({} bytes) written again in {:?}",
        largest.0,
        largest.1.len(),
        start.elapsed()
    );
    ask(&workspace);
    println!("database: {} bytes", database::Database::size_bytes(&db));
}

/// Measures the queries of a search.
fn ask(workspace: &Workspace<'_, HostDatabase>) {
    let db = workspace.db;
    let version = retrieval::version(db, AsOf::Now).unwrap();
    let start = Instant::now();
    let weights = ColumnWeights {
        name: 2.0,
        path: 1.0,
        body: 1.0,
    };
    let found = retrieval::matches(
        db,
        version,
        "\"open\" OR \"file\" OR \"path\"",
        weights,
        &Selection::default(),
        100,
    )
    .unwrap();
    println!("{} matches in {:?}", found.len(), start.elapsed());
    let numbers: Vec<u64> = found.iter().map(|found| found.item).collect();
    let start = Instant::now();
    println!(
        "{} documents in {:?}",
        retrieval::documents(db, version, &numbers).unwrap().len(),
        start.elapsed()
    );
    let start = Instant::now();
    let search = SearchCode::parse(r#"{"pattern": "fn \\w+_path", "regex": true}"#).unwrap();
    search.run(workspace).unwrap();
    println!("expression searched in {:?}", start.elapsed());
}

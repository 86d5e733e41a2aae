//! Compares the items of Python files with the syntax tree of CPython, by means of `spans.py`.

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use code_model::model::ParsedFile;
use serde_json::{Value, json};

#[path = "../independent/reader.rs"]
mod reader;

pub use reader::read;

/// Returns the Python files in a folder, in order, at most `most`.
pub fn sources(folder: &Path, most: usize) -> Vec<PathBuf> {
    let mut found = reader::sources(folder, &["py", "pyi"]);
    found.truncate(most);
    found
}

/// Returns a line of input for `spans.py`.
pub fn line(path: &str, bytes: &[u8], file: &ParsedFile) -> Value {
    let items = file.items.iter().skip(1);
    let items: Vec<Value> = items
        .map(|item| json!([item.kind.word(), item.name, item.span.start, item.span.end]))
        .collect();
    json!({ "path": path, "text": STANDARD.encode(bytes), "items": items })
}

/// Runs `spans.py`. Returns the lines that it prints, and its counts.
pub fn compare(lines: &[Value]) -> (Vec<String>, Value) {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/python_sources/spans.py"
    );
    reader::compare(Command::new("python3").arg(script), lines)
}

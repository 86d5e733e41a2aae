//! Reads all TypeScript files of folders, and compares their items with the syntax tree of
//! TypeScript's compiler, by means of `spans.mjs`: `script_sources TYPESCRIPT FOLDER…`, where
//! TYPESCRIPT is the folder of the npm package. Prints counts for each folder. Fails if a file that
//! the compiler parses cannot be read, or its items differ.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement stops at its first surprise"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use code_model::model::ParsedFile;
use serde_json::{Value, json};

#[path = "../independent/reader.rs"]
mod reader;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let compiler = arguments.next().expect("the folder of typescript");
    let mut failures = 0;
    for folder in arguments.map(PathBuf::from) {
        let mut lines = Vec::new();
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut bytes, mut slowest) = (0, Duration::ZERO);
        for path in reader::sources(&folder, &["ts", "mts", "cts", "tsx"]) {
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            let name = path.strip_prefix(&folder).unwrap_or(&path);
            let name = name.to_string_lossy();
            let started = Instant::now();
            let file = reader::read(&name, text.as_bytes());
            slowest = slowest.max(started.elapsed());
            bytes += text.len();
            for item in &file.items {
                *kinds.entry(item.kind.word()).or_default() += 1;
            }
            lines.push(line(&name, &text, &file));
        }
        let (printed, counts) = compare(&compiler, &lines);
        for line in printed {
            println!("  {line}");
        }
        println!(
            "{}: {} files, {bytes} bytes, slowest {} ms, {kinds:?}, TypeScript {counts}",
            folder.display(),
            lines.len(),
            slowest.as_millis()
        );
        failures += counts
            .get("differences")
            .and_then(Value::as_u64)
            .unwrap_or(1);
    }
    if failures > 0 {
        panic!("{failures} differences from TypeScript");
    }
}

/// Returns a line of input for `spans.mjs`: items with their first and last byte as offsets in
/// UTF-16.
fn line(path: &str, text: &str, file: &ParsedFile) -> Value {
    let mut places = vec![0; text.len() + 1];
    let mut place = 0;
    for (byte, letter) in text.char_indices() {
        if let Some(at) = places.get_mut(byte) {
            *at = place;
        }
        place += letter.len_utf16();
    }
    if let Some(last) = places.last_mut() {
        *last = place;
    }
    let place = |byte: usize| places.get(byte).copied().unwrap_or_default();
    let items = file.items.iter().skip(1).map(|item| {
        let span = &item.span;
        json!([
            item.kind.word(),
            item.name,
            place(span.start),
            place(span.end)
        ])
    });
    let items: Vec<Value> = items.collect();
    json!({"path": path, "text": text, "items": items, "parsed": file.parsed, "reason": file.reason})
}

/// Runs `spans.mjs`. Returns the lines that it prints, and its counts.
fn compare(compiler: &str, lines: &[Value]) -> (Vec<String>, Value) {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/script_sources/spans.mjs"
    );
    reader::compare(Command::new("node").args([script, compiler]), lines)
}

//! The common part of the comparisons of items with the syntax trees of other parsers: the list of
//! files, their items as a workspace reads them, and the call of the other parser. That is a
//! program that gets a line of JSON for each file and prints the differences, and the counts as its
//! last line.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use code_model::hash::PROJECT_NAMESPACE;
use code_model::model::{ParsedFile, Placement};
use code_model::parse::parse;
use serde_json::Value;

/// Returns the files of a folder with one of these extensions, in order.
pub fn sources(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            let is_source = path
                .extension()
                .is_some_and(|end| extensions.iter().any(|known| end == *known));
            if path.is_dir() {
                folders.push(path);
            } else if is_source {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Reads the items of a file as a workspace does.
pub fn read(path: &str, bytes: &[u8]) -> ParsedFile {
    let placement = Placement {
        path: path.to_owned(),
        absolute_path: format!("/ws/{path}"),
        crate_name: String::new(),
        namespace: PROJECT_NAMESPACE,
        module_path: String::new(),
    };
    parse(bytes, &placement)
}

/// Runs the other parser. Returns the lines that it prints, and its counts.
pub fn compare(reader: &mut Command, lines: &[Value]) -> (Vec<String>, Value) {
    let mut child = reader
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the other reader runs");
    let mut input = child.stdin.take().expect("the other reader reads");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the other reader ends");
    let written = writer.join().expect("a thread ends");
    written.expect("the other reader reads all");
    assert!(output.status.success(), "the other reader failed");
    let text = String::from_utf8(output.stdout).expect("the other reader prints UTF-8");
    let mut printed: Vec<String> = text.lines().map(str::to_owned).collect();
    let counts = printed.pop().expect("the other reader prints counts");
    let counts = serde_json::from_str(&counts).expect("counts are JSON");
    (printed, counts)
}

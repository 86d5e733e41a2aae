//! The items of Python files, compared with the syntax tree of CPython by `spans.py`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use code::hash::PROJECT_NAMESPACE;
use code::model::{ParsedFile, Placement};
use code::parse::parse;
use serde_json::{Value, json};

/// The files that end in `.py` or `.pyi` in a folder, in order, up to a number of them.
pub fn sources(folder: &Path, most: usize) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|end| end == "py" || end == "pyi")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found.truncate(most);
    found
}

/// Reads a file as a workspace does.
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

/// A line of `spans.py`'s input.
pub fn line(path: &str, bytes: &[u8], file: &ParsedFile) -> Value {
    let items = file.items.iter().skip(1);
    let items: Vec<Value> = items
        .map(|item| json!([item.kind.word(), item.name, item.span.start, item.span.end]))
        .collect();
    json!({ "path": path, "text": STANDARD.encode(bytes), "items": items })
}

/// Runs `spans.py`: the lines that it prints, and its counts.
pub fn compare(lines: &[Value]) -> (Vec<String>, Value) {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/python_sources/spans.py"
    );
    let mut child = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs spans.py");
    let mut input = child.stdin.take().expect("spans.py reads");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("spans.py ends");
    writer
        .join()
        .expect("a thread ends")
        .expect("spans.py reads all");
    assert!(output.status.success(), "spans.py failed");
    let text = String::from_utf8(output.stdout).expect("spans.py prints UTF-8");
    let mut printed: Vec<String> = text.lines().map(str::to_owned).collect();
    let counts = printed.pop().expect("spans.py prints counts");
    (
        printed,
        serde_json::from_str(&counts).expect("counts are JSON"),
    )
}

//! Reads all Python files of folders, and compares their items with the syntax tree of CPython:
//! `python_sources FOLDER…`. Prints counts for each folder. Fails if a file that CPython parses
//! cannot be read, or its items differ.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement stops at its first surprise"
)]

mod compare;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() {
    let mut failures = 0;
    for folder in std::env::args().skip(1).map(PathBuf::from) {
        let mut lines = Vec::new();
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        let mut unread = Vec::new();
        let (mut bytes_read, mut slowest) = (0, Duration::ZERO);
        for path in compare::sources(&folder, usize::MAX) {
            let bytes = fs::read(&path).expect("a source is read");
            let name = path.strip_prefix(&folder).unwrap_or(&path);
            let name = name.to_string_lossy();
            let started = Instant::now();
            let file = compare::read(&name, &bytes);
            slowest = slowest.max(started.elapsed());
            bytes_read += bytes.len();
            for item in &file.items {
                *kinds.entry(item.kind.word()).or_default() += 1;
            }
            if file.parsed {
                lines.push(compare::line(&name, &bytes, &file));
            } else {
                unread.push(format!("{name}: {}", file.reason.unwrap_or_default()));
            }
        }
        let (printed, counts) = compare::compare(&lines);
        for line in printed.iter().chain(&unread) {
            println!("  {line}");
        }
        println!(
            "{}: {} files, {bytes_read} bytes, {} not read, slowest {} ms, {kinds:?}, CPython {counts}",
            folder.display(),
            lines.len() + unread.len(),
            unread.len(),
            slowest.as_millis()
        );
        failures += counts
            .get("differences")
            .and_then(|count| count.as_u64())
            .unwrap_or(1);
    }
    if failures > 0 {
        panic!("{failures} differences from CPython");
    }
}

//! The corpora on disk: one statement on each line, as JSON.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;
use sql_gate::Parameters;

/// The tables and rows that statements in the corpora use.
pub const SETUP: &str = include_str!("../../../../tests/corpus/setup.sql");

/// A line of a corpus. Fields that a corpus does not use have their default.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Line {
    /// The text that a caller would send.
    sql: Option<String>,
    /// The text as pieces, some of them repeated, if it is long.
    build: Vec<Piece>,
    /// The danger that it is an example of.
    pub class: String,
    /// A note about it.
    pub note: String,
    /// The codes of errors that may refuse it.
    pub expect: Vec<String>,
    /// The `reason` in the details of `SQL_BLOCKED`.
    pub reason: Option<String>,
    /// Statements that run before it.
    pub setup: Vec<String>,
    /// True if only the engine's check can refuse it: the text alone does not show the danger.
    pub guard: bool,
    /// True if workerd's SQLite runs it without the gate (measured).
    pub engine_executes: bool,
    /// True if, without the gate, it changes a table that is not the user's (measured).
    pub harms: bool,
    /// True if it would run for minutes without the limits, so that tests never run it without
    /// them.
    pub work: bool,
    /// True if the statement is in a code fence.
    pub fenced: bool,
    /// A feature that only workerd's SQLite has: `math` or `update_delete_limit`.
    pub needs: Option<String>,
    /// Its parameters.
    pub params: Value,
    /// The test script from which it was harvested.
    pub file: String,
}

/// A piece of a long text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Piece {
    Text(String),
    Repeat { repeat: (String, usize) },
}

impl Line {
    /// Returns the text that a caller would send.
    pub fn text(&self) -> String {
        let Some(sql) = &self.sql else {
            return self.build.iter().map(Piece::text).collect();
        };
        sql.clone()
    }

    /// Returns the beginning of the text, for a message.
    pub fn shown(&self) -> String {
        let text = self.text();
        let start: String = text.chars().take(160).collect();
        format!(
            "[{}{}] {start:?} ({} bytes)",
            self.class,
            self.file,
            text.len()
        )
    }

    /// Returns its parameters.
    pub fn parameters(&self) -> Parameters {
        Parameters::from_json(Some(self.params.clone())).unwrap()
    }
}

impl Piece {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Repeat {
                repeat: (text, count),
            } => text.repeat(*count),
        }
    }
}

/// Returns a corpus of `tests/corpus/`.
pub fn corpus(name: &str) -> Vec<Line> {
    read(&corpus_directory().join(name))
}

/// Returns the statements of SQLite's own tests. The script downloads them once.
pub fn harvested() -> Vec<Line> {
    let script = corpus_directory().join("harvest.py");
    let made = Command::new("python3")
        .arg(script)
        .arg("--ensure")
        .stderr(Stdio::inherit())
        .output()
        .expect("python3 runs tests/corpus/harvest.py");
    assert!(
        made.status.success(),
        "tests/corpus/harvest.py --ensure failed: the test has nothing to test without its statements"
    );
    let path = String::from_utf8(made.stdout).unwrap();
    read(Path::new(
        path.lines()
            .last()
            .expect("the script prints the path")
            .trim(),
    ))
}

fn corpus_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

fn read(path: &Path) -> Vec<Line> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // JSON text contains characters such as U+2028 unescaped, so only a line feed ends a line.
    let lines = text.split('\n').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{}: {error}: {line}", path.display()))
        })
        .collect()
}

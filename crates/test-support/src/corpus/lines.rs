//! The corpora as they lie on disk: one statement a line, as JSON.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;
use sql_gate::Parameters;

/// Tables and rows that the corpora speak of.
pub const SETUP: &str = include_str!("../../../../tests/corpus/setup.sql");

/// One line of a corpus. Fields that a corpus does not use keep their default.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Line {
    /// The text as a caller would send it.
    sql: Option<String>,
    /// The same for long texts: pieces, some of them repeated.
    build: Vec<Piece>,
    /// Which danger it stands for.
    pub class: String,
    /// What is special about it.
    pub note: String,
    /// The codes that it may be refused with.
    pub expect: Vec<String>,
    /// The `reason` that goes with `SQL_BLOCKED`.
    pub reason: Option<String>,
    /// Statements that come before it.
    pub setup: Vec<String>,
    /// Refusing it takes the engine: the text alone does not show the danger.
    pub guard: bool,
    /// workerd's SQLite runs it when nobody stops it (measured).
    pub engine_executes: bool,
    /// It then changes a table that is not the user's (measured).
    pub harms: bool,
    /// Without bounds it runs for minutes, so it is never run without them.
    pub work: bool,
    /// The statement stands in a code fence.
    pub fenced: bool,
    /// What only workerd's SQLite has: `math` or `update_delete_limit`.
    pub needs: Option<String>,
    /// Parameters to go with it.
    pub params: Value,
    /// The test script it was harvested from.
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
    /// The text as a caller would send it.
    pub fn text(&self) -> String {
        let Some(sql) = &self.sql else {
            return self.build.iter().map(Piece::text).collect();
        };
        sql.clone()
    }

    /// The start of the text, for a message.
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

    /// Its parameters.
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

/// A corpus of `tests/corpus/`.
pub fn corpus(name: &str) -> Vec<Line> {
    read(&corpus_directory().join(name))
}

/// The statements of SQLite's own tests. The script fetches them once.
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
    // JSON text holds U+2028 and the like as they are, so only a line feed ends a line.
    let lines = text.split('\n').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{}: {error}: {line}", path.display()))
        })
        .collect()
}

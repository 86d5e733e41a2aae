//! A workspace in memory, with helpers to read it.

use std::cell::Cell;

use base::{Error, Result};
use code_model::project::FilePath;
use code_model::{Changes, Commit, FileWrite, Reply, Settings, Workspace, write_files};
use database::migrations;
use serde_json::{Value, json};

use test_support::HostDatabase;

/// 2026-11-21T22:10:00Z.
pub const NOW_MS: u64 = 1_795_299_000_000;

/// Splits a text into words as the tests need them: in lower case, at characters that are neither
/// letters nor digits.
pub fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// A workspace with a clock that advances with each request.
pub struct World {
    pub db: HostDatabase,
    pub settings: Settings,
    now_ms: Cell<u64>,
}

impl World {
    pub fn new() -> Self {
        Self::with(Settings::default())
    }

    pub fn with(settings: Settings) -> Self {
        let db = HostDatabase::new();
        migrations::apply(&db, code_model::MIGRATIONS, NOW_MS).unwrap();
        Self {
            db,
            settings,
            now_ms: NOW_MS.into(),
        }
    }

    pub fn workspace(&self) -> Workspace<'_, HostDatabase> {
        self.now_ms.set(self.now_ms.get() + 1);
        Workspace {
            db: &self.db,
            settings: &self.settings,
            now_ms: self.now_ms.get(),
            actor: "api",
            words: &words,
        }
    }

    pub fn write(&self, files: &[(&str, &str)]) -> Commit {
        self.try_write(files).unwrap()
    }

    pub fn try_write(&self, files: &[(&str, &str)]) -> Result<Commit> {
        write_files(&self.workspace(), "test", &changes(files, &[]))
    }

    pub fn delete(&self, paths: &[&str]) -> Commit {
        write_files(&self.workspace(), "test", &changes(&[], paths)).unwrap()
    }
}

pub fn changes(files: &[(&str, &str)], deletes: &[&str]) -> Changes {
    let path = |path: &str| FilePath::parse(path).unwrap();
    Changes {
        writes: files
            .iter()
            .map(|(name, text)| FileWrite {
                path: path(name),
                bytes: text.as_bytes().to_vec(),
                modified_ms: NOW_MS,
            })
            .collect(),
        deletes: deletes.iter().map(|name| path(name)).collect(),
    }
}

impl World {
    /// Returns the fields of the response.
    pub fn run(&self, operation: &str, arguments: Value) -> Value {
        match self.reply(operation, &arguments) {
            Ok(reply) => reply.fields,
            Err(error) => panic!("{operation} {arguments}: {}", error.to_json()),
        }
    }

    pub fn reply(&self, operation: &str, arguments: &Value) -> Result<Reply> {
        let (operation, _) = code::find(operation).unwrap();
        let arguments = arguments.to_string();
        code::operate::run(&self.workspace(), operation, &arguments).unwrap()
    }

    pub fn error(&self, operation: &str, arguments: Value) -> Error {
        match self.reply(operation, &arguments) {
            Err(error) => error,
            Ok(reply) => panic!("{operation} {arguments}: {}", reply.fields),
        }
    }

    pub fn text(&self, path: &str) -> String {
        self.run("read_file", json!({ "file_path": path }))["text"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    pub fn file_hash(&self, path: &str) -> String {
        self.run("get_file_metadata", json!({ "file_path": path }))["file_hash"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Stages a canonical edit. Returns the response.
    pub fn propose(&self, file: &str, canon: &str, kind: &str, code: &str) -> Value {
        self.run("apply_code_edit", json!({"edits": [{"mode": "canonical", "file": file, "canon": canon, "node_type": kind, "code": code}]}))
    }

    pub fn approve(&self, proposed: &Value) -> Value {
        self.run(
            "approve_proposal",
            json!({ "requestId": proposed["requestId"] }),
        )
    }
}

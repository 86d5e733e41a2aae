//! A workspace in memory with its vectors.

use code::context::{RequestCodeContext, answer};
use code::vectors::{Embedding, QuestionVector, Vectors};
use code_model::project::FilePath;
use code_model::{Changes, FileWrite, Settings, Workspace, write_files};
use code_search::limits::MAX_VECTORS;
use code_search::vectors::Model;
use code_search::words::index_words;
use database::migrations;
use operation::arguments::Arguments as _;
use serde_json::{Value, json};

use test_support::HostDatabase;

const NOW_MS: u64 = 1_795_299_000_000;

pub struct World {
    pub db: HostDatabase,
    pub vectors: Vectors,
    settings: Settings,
}

impl World {
    pub fn new() -> Self {
        Self::with(Vectors::new(
            Embedding::Here(Model::Hash),
            usize::try_from(MAX_VECTORS).unwrap(),
        ))
    }

    pub fn with(vectors: Vectors) -> Self {
        let db = HostDatabase::new();
        migrations::apply(&db, code_model::MIGRATIONS, NOW_MS).unwrap();
        Self {
            db,
            vectors,
            settings: Settings::default(),
        }
    }

    pub fn write(&self, files: &[(&str, &str)]) {
        let workspace = Workspace {
            db: &self.db,
            settings: &self.settings,
            now_ms: NOW_MS,
            actor: "api",
            words: &index_words,
        };
        let writes = files.iter().map(|(path, text)| FileWrite {
            path: FilePath::parse(path).unwrap(),
            bytes: text.as_bytes().to_vec(),
            modified_ms: NOW_MS,
        });
        let changes = Changes {
            writes: writes.collect(),
            deletes: Vec::new(),
        };
        write_files(&workspace, "test", &changes).unwrap();
    }

    pub fn ask(&mut self, hint: &str, token_budget: u32) -> Value {
        self.asked(hint, token_budget, &QuestionVector::Here)
    }

    /// Answers a question with filters.
    pub fn filtered(&mut self, hint: &str, mut filters: Value) -> Value {
        filters["hint"] = hint.into();
        filters["token_budget"] = 2_000.into();
        let arguments = RequestCodeContext::parse(&filters.to_string()).unwrap();
        let asked = QuestionVector::Here;
        let answered = answer(&self.db, &mut self.vectors, "one", arguments, None, &asked);
        answered.unwrap().fields
    }

    pub fn asked(&mut self, hint: &str, token_budget: u32, asked: &QuestionVector) -> Value {
        let arguments =
            json!({ "hint": hint, "token_budget": token_budget, "explain": true }).to_string();
        let arguments = RequestCodeContext::parse(&arguments).unwrap();
        let answered = answer(&self.db, &mut self.vectors, "one", arguments, None, asked);
        answered.unwrap().fields
    }
}

/// Returns the parts of a response.
pub fn parts(fields: &Value) -> &Vec<Value> {
    fields["context"]["parts"].as_array().unwrap()
}

/// Returns the canonical paths of the parts.
pub fn canons(fields: &Value) -> Vec<&str> {
    parts(fields)
        .iter()
        .map(|part| part["canon_path"].as_str().unwrap())
        .collect()
}

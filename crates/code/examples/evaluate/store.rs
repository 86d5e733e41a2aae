//! An index over items: SQLite's FTS5 and a matrix of vectors.

use std::collections::HashMap;
use std::convert::Infallible;

use code_search::fuse::Hit;
use code_search::vectors::{Matrix, Model, quantise};
use code_search::{Document, Item, Source, Text};
use rusqlite::Connection;

use crate::items::Entry;

/// The text index of a search.
#[derive(Clone, Copy, PartialEq)]
pub enum Sparse {
    /// An index of the plain text, with the tokenizer of SQLite.
    Plain,
    /// An index of our words of name, path and body, with a weight for each.
    Words([f64; 3]),
    /// No text index.
    No,
}

/// An index and the settings of a search in it.
pub struct Store {
    pub entries: Vec<Entry>,
    database: Connection,
    pub models: Vec<(Model, Matrix)>,
    by_name: HashMap<String, Vec<i64>>,
    pub sparse: Sparse,
    /// The index of the model that is searched with, if one is.
    pub dense: Option<usize>,
    /// The hits of earlier searches, because tuning repeats the same searches.
    lists: HashMap<(String, String), Vec<Hit>>,
}

/// Returns the text of an entry that is indexed.
pub fn document(entry: &Entry) -> Document<'_> {
    let item = &entry.item;
    Document {
        name: &item.name,
        owner: &entry.owner,
        file_path: &item.file_path,
        text: &entry.text,
    }
}

impl Store {
    pub fn new(entries: Vec<Entry>, models: &[Model]) -> Self {
        let database = Connection::open_in_memory().unwrap();
        database
            .execute_batch("CREATE VIRTUAL TABLE plain USING fts5(body); CREATE VIRTUAL TABLE words USING fts5(name, path, body); BEGIN")
            .unwrap();
        let mut models: Vec<(Model, Matrix)> = models
            .iter()
            .map(|model| (model.clone(), Matrix::new(model.dimensions())))
            .collect();
        let mut by_name: HashMap<String, Vec<i64>> = HashMap::new();
        {
            let mut plain = database
                .prepare("INSERT INTO plain(rowid, body) VALUES (?1, ?2)")
                .unwrap();
            let mut words = database
                .prepare("INSERT INTO words(rowid, name, path, body) VALUES (?1, ?2, ?3, ?4)")
                .unwrap();
            for entry in &entries {
                let item = &entry.item;
                plain.execute((item.row, &entry.text)).unwrap();
                let [name, path, body] = document(entry).columns();
                words.execute((item.row, name, path, body)).unwrap();
                by_name.entry(item.name.clone()).or_default().push(item.row);
                for (model, matrix) in &mut models {
                    matrix
                        .push(
                            item.row,
                            &quantise(&model.embed(&document(entry).embedded())),
                        )
                        .unwrap();
                }
            }
        }
        database.execute_batch("COMMIT").unwrap();
        for (_, matrix) in &mut models {
            matrix.centre();
        }
        Self {
            entries,
            database,
            models,
            by_name,
            sparse: Sparse::Words([1.0; 3]),
            dense: None,
            lists: HashMap::new(),
        }
    }

    fn ask(&self, expression: &str, limit: usize) -> Vec<Hit> {
        let (table, rank) = match self.sparse {
            Sparse::Plain => ("plain", "bm25(plain)".to_owned()),
            Sparse::Words([name, path, body]) => {
                ("words", format!("bm25(words, {name}, {path}, {body})"))
            }
            Sparse::No => return Vec::new(),
        };
        let sql = format!(
            "SELECT rowid, {rank} AS score FROM {table} WHERE {table} MATCH ?1 ORDER BY score, rowid LIMIT ?2"
        );
        let mut statement = self.database.prepare(&sql).unwrap();
        statement
            .query_map((expression, limit as i64), |row| {
                Ok(Hit {
                    id: row.get(0)?,
                    score: -row.get::<_, f64>(1)?,
                })
            })
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }
}

/// Returns a question's words for the plain index: quoted, with `OR` between them.
fn plain_words(question: &str) -> String {
    let words = question
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words
        .map(|word| format!("\"{word}\""))
        .collect::<Vec<_>>()
        .join(" OR ")
}

/// A question to an index. The plain index needs its text.
pub struct Asked<'a> {
    pub store: &'a mut Store,
    pub question: &'a str,
}

impl Source for Asked<'_> {
    type Error = Infallible;

    fn text(&mut self, expression: &str, limit: usize) -> Result<Option<Vec<Hit>>, Infallible> {
        let expression = match self.store.sparse {
            Sparse::Plain => plain_words(self.question),
            Sparse::Words(_) => expression.to_owned(),
            Sparse::No => return Ok(None),
        };
        let key = (
            format!("{}", limit)
                + &match self.store.sparse {
                    Sparse::Words(weights) => format!("{weights:?}"),
                    _ => String::new(),
                },
            expression,
        );
        if let Some(list) = self.store.lists.get(&key) {
            return Ok(Some(list.clone()));
        }
        let list = self.store.ask(&key.1, limit);
        self.store.lists.insert(key, list.clone());
        Ok(Some(list))
    }

    fn near(&mut self, question: &str, limit: usize) -> Result<Option<Vec<Hit>>, Infallible> {
        let Some(dense) = self.store.dense else {
            return Ok(None);
        };
        let key = (format!("dense {dense} {limit}"), question.to_owned());
        if let Some(list) = self.store.lists.get(&key) {
            return Ok(Some(list.clone()));
        }
        let (model, matrix) = &self.store.models[dense];
        let near = matrix.search(&model.embed(question), limit).unwrap();
        let list: Vec<Hit> = near
            .into_iter()
            .map(|near| Hit {
                id: near.id,
                score: near.cosine.into(),
            })
            .collect();
        self.store.lists.insert(key, list.clone());
        Ok(Some(list))
    }

    fn named(&mut self, names: &[String], limit: usize) -> Result<Vec<i64>, Infallible> {
        if self.store.sparse == Sparse::Plain {
            return Ok(Vec::new());
        }
        let mut rows: Vec<i64> = names
            .iter()
            .filter_map(|name| self.store.by_name.get(name))
            .flatten()
            .copied()
            .collect();
        rows.sort_unstable();
        rows.truncate(limit);
        Ok(rows)
    }

    fn items(&mut self, rows: &[i64]) -> Result<Vec<Item>, Infallible> {
        Ok(rows
            .iter()
            .map(|row| self.store.entries[*row as usize].item.clone())
            .collect())
    }

    fn read(&mut self, item: &Item) -> Result<Text, Infallible> {
        let text = self.store.entries[item.row as usize].text.clone();
        Ok(Text::Current {
            text,
            signature: None,
        })
    }
}

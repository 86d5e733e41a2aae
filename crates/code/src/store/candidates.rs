//! What retrieval asks the store for: candidates of the text index, the items behind them, and which items came and went.

use base::Result;
use database::{Bind, Database};
use serde_json::Value;

use super::rows::{Row, list, number, optional, rows};
use crate::limits::MAX_CODE_CANDIDATES;
use crate::model::ItemKind;

/// The items that the text index finds, in a version and behind filters. Lower ranks are better.
const MATCHES: &str = "SELECT i.item, bm25(code_words, ?4, ?5, ?6) AS rank FROM code_words JOIN code_items AS i ON i.item = code_words.rowid \
     WHERE code_words MATCH ?1 AND i.valid_from <= ?2 AND i.valid_to > ?2 AND (?7 IS NULL OR i.path GLOB ?7) \
     AND (?8 IS NULL OR i.kind IN (SELECT value FROM json_each(?8))) AND (?9 IS NULL OR EXISTS (SELECT 1 FROM code_files AS f \
     WHERE f.path = i.path AND f.valid_from <= ?2 AND f.valid_to > ?2 AND f.crate_name = ?9)) ORDER BY rank, i.item LIMIT ?3";
const FILTERED: &str = "SELECT i.item FROM code_items AS i WHERE i.searchable = 1 AND i.valid_from <= ?1 AND i.valid_to > ?1 \
     AND (?2 IS NULL OR i.path GLOB ?2) AND (?3 IS NULL OR i.kind IN (SELECT value FROM json_each(?3))) AND (?4 IS NULL OR EXISTS \
     (SELECT 1 FROM code_files AS f WHERE f.path = i.path AND f.valid_from <= ?1 AND f.valid_to > ?1 AND f.crate_name = ?4)) ORDER BY i.item";
const ADDED: &str = "SELECT item FROM code_items WHERE valid_from > ?1 AND valid_from <= ?2 AND searchable = 1 ORDER BY item";
const ENDED: &str = "SELECT item FROM code_items WHERE valid_to > ?1 AND valid_to <= ?2 AND searchable = 1 ORDER BY item";
const STANDING: &str = "SELECT item FROM code_items WHERE item IN (SELECT value FROM json_each(?2)) AND searchable = 1 AND valid_from <= ?1 AND valid_to > ?1 \
     ORDER BY item";
const IS_INDEXED: &str = "SELECT EXISTS (SELECT 1 FROM code_items WHERE searchable = 1 AND valid_from <= ?1 AND valid_to > ?1)";

/// What candidates must be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// A pattern of SQLite's GLOB for paths.
    pub path: Option<String>,
    /// Their kinds; none is any.
    pub kinds: Vec<ItemKind>,
    /// As Rust names their crate.
    pub crate_name: Option<String>,
}

impl Filter {
    fn binds(&self) -> [Bind; 3] {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.word()).collect();
        [
            optional(self.path.as_deref()),
            if kinds.is_empty() {
                Bind::Null
            } else {
                Bind::Text(Value::from(kinds).to_string())
            },
            optional(self.crate_name.as_deref()),
        ]
    }
}

/// What a match in each column of the text index counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnWeights {
    /// In the name, with what it is a member of.
    pub name: f64,
    /// In the path of the file and of the module.
    pub path: f64,
    /// In the body.
    pub body: f64,
}

/// An item that the text index found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Its number.
    pub item: u64,
    /// BM25 of SQLite: negative, and lower is better.
    pub rank: f64,
}

/// Asks the text index. `query` is in the language of FTS5: words of others come quoted.
pub(crate) fn matches<D: Database>(
    db: &D,
    version: u64,
    query: &str,
    weights: ColumnWeights,
    filter: &Filter,
    limit: u64,
) -> Result<Vec<Match>> {
    if query.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut binds = vec![
        Bind::text(query),
        Bind::number(version),
        Bind::number(limit.min(MAX_CODE_CANDIDATES)),
        Bind::Real(weights.name),
        Bind::Real(weights.path),
        Bind::Real(weights.body),
    ];
    binds.extend(filter.binds());
    rows(db, MATCHES, &binds, |row| Match {
        item: row.number(),
        rank: row.float().unwrap_or(0.0),
    })
}

/// The searchable items of a version that a filter lets through.
pub(crate) fn filtered<D: Database>(db: &D, version: u64, filter: &Filter) -> Result<Vec<u64>> {
    let mut binds = vec![Bind::number(version)];
    binds.extend(filter.binds());
    rows(db, FILTERED, &binds, Row::number)
}

/// Which searchable items came and went between two versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turnover {
    /// Those that began after the first and up to the second.
    pub added: Vec<u64>,
    /// Those that ended.
    pub ended: Vec<u64>,
}

pub(crate) fn turnover<D: Database>(db: &D, from: u64, to: u64) -> Result<Turnover> {
    let binds = [Bind::number(from), Bind::number(to)];
    Ok(Turnover {
        added: rows(db, ADDED, &binds, Row::number)?,
        ended: rows(db, ENDED, &binds, Row::number)?,
    })
}

/// Which of these items a version has, and can be searched for, in order.
pub(crate) fn standing<D: Database>(db: &D, version: u64, items: &[u64]) -> Result<Vec<u64>> {
    rows(
        db,
        STANDING,
        &[Bind::number(version), list(items)],
        Row::number,
    )
}

/// Whether any item of a version can be found.
pub(crate) fn is_indexed<D: Database>(db: &D, version: u64) -> Result<bool> {
    Ok(number(db, IS_INDEXED, &[Bind::number(version)])? == 1)
}

//! The queries of a search: candidates from the text index, and the items that were added and
//! removed.

use base::Result;
use database::{Bind, Database};
use serde_json::Value;

use super::files;
use super::rows::{Row, list, number, rows};
use crate::limits::MAX_CODE_CANDIDATES;
use crate::model::ItemKind;
use crate::project::PathPattern;

/// The items of a version that the text index finds and filters let through. Lower ranks are
/// better.
const MATCHES: &str = "SELECT i.item, bm25(code_words, ?4, ?5, ?6) AS rank FROM code_words JOIN code_items AS i ON i.item = code_words.rowid \
     WHERE code_words MATCH ?1 AND i.valid_from <= ?2 AND i.valid_to > ?2 AND (?7 IS NULL OR i.path IN (SELECT f.path FROM code_files AS f WHERE f.file IN \
     (SELECT value FROM json_each(?7)))) AND (?8 IS NULL OR i.kind IN (SELECT value FROM json_each(?8))) ORDER BY rank, i.item LIMIT ?3";
const FILTERED: &str = "SELECT i.item FROM code_items AS i WHERE i.searchable = 1 AND i.valid_from <= ?1 AND i.valid_to > ?1 \
     AND (?2 IS NULL OR i.path IN (SELECT f.path FROM code_files AS f WHERE f.file IN (SELECT value FROM json_each(?2)))) \
     AND (?3 IS NULL OR i.kind IN (SELECT value FROM json_each(?3))) ORDER BY i.item";
const NAMED: &str = "SELECT i.item FROM code_items AS i WHERE i.name = ?4 AND i.searchable = 1 AND i.valid_from <= ?1 AND i.valid_to > ?1 \
     AND (?2 IS NULL OR i.path IN (SELECT f.path FROM code_files AS f WHERE f.file IN (SELECT value FROM json_each(?2)))) \
     AND (?3 IS NULL OR i.kind IN (SELECT value FROM json_each(?3))) ORDER BY instr(i.canon, ?6) = 0, i.path, i.item LIMIT ?5";
const ADDED: &str = "SELECT item FROM code_items WHERE valid_from > ?1 AND valid_from <= ?2 AND searchable = 1 ORDER BY item";
const ENDED: &str = "SELECT item FROM code_items WHERE valid_to > ?1 AND valid_to <= ?2 AND searchable = 1 ORDER BY item";
const STANDING: &str = "SELECT item FROM code_items WHERE item IN (SELECT value FROM json_each(?2)) AND searchable = 1 AND valid_from <= ?1 AND valid_to > ?1 \
     ORDER BY item";
const IS_INDEXED: &str = "SELECT EXISTS (SELECT 1 FROM code_items WHERE searchable = 1 AND valid_from <= ?1 AND valid_to > ?1)";

/// A filter of candidates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Files, folders or patterns, of which one must contain the item; empty for any.
    pub paths: Vec<PathPattern>,
    /// The accepted kinds; empty for any.
    pub kinds: Vec<ItemKind>,
    /// The accepted crates, by their names in Rust; empty for any.
    pub crates: Vec<String>,
}

/// The files and kinds of one version that a filter lets through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The numbers of the files; `None` for all.
    files: Option<Vec<u64>>,
    /// The kinds; empty for all.
    kinds: Vec<ItemKind>,
}

impl Selection {
    /// Returns true if the filter lets everything through.
    pub fn is_all(&self) -> bool {
        self.files.is_none() && self.kinds.is_empty()
    }

    fn binds(&self) -> [Bind; 2] {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.word()).collect();
        [
            self.files.as_deref().map_or(Bind::Null, list),
            if kinds.is_empty() {
                Bind::Null
            } else {
                Bind::Text(Value::from(kinds).to_string())
            },
        ]
    }
}

/// Looks up the files that a filter lets through, once for all queries.
pub(crate) fn choose<D: Database>(db: &D, version: u64, filter: &Filter) -> Result<Selection> {
    let everywhere = filter.paths.is_empty() && filter.crates.is_empty();
    let files = (!everywhere)
        .then(|| files::chosen(db, version, &filter.paths, &filter.crates))
        .transpose()?;
    Ok(Selection {
        files,
        kinds: filter.kinds.clone(),
    })
}

/// The weights of the columns of the text index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnWeights {
    /// The weight of the name, with that of its owner.
    pub name: f64,
    /// The weight of the path of the file and of the module.
    pub path: f64,
    /// The weight of the body.
    pub body: f64,
}

/// An item that the text index found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Its number.
    pub item: u64,
    /// The BM25 score of SQLite: negative, and lower is better.
    pub rank: f64,
}

/// Searches the text index. `query` is an expression of FTS5, in which words of a caller must be
/// quoted.
pub(crate) fn matches<D: Database>(
    db: &D,
    version: u64,
    query: &str,
    weights: ColumnWeights,
    chosen: &Selection,
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
    binds.extend(chosen.binds());
    rows(db, MATCHES, &binds, |row| Match {
        item: row.number(),
        rank: row.float().unwrap_or(0.0),
    })
}

/// Returns the searchable items of a version that a filter lets through.
pub(crate) fn filtered<D: Database>(db: &D, version: u64, chosen: &Selection) -> Result<Vec<u64>> {
    let mut binds = vec![Bind::number(version)];
    binds.extend(chosen.binds());
    rows(db, FILTERED, &binds, Row::number)
}

/// Returns the first searchable items of a version that have a name and that a filter lets through.
/// Items whose path contains the name of the owner come first.
pub(crate) fn named<D: Database>(
    db: &D,
    version: u64,
    (owner, name): (&str, &str),
    chosen: &Selection,
    limit: u64,
) -> Result<Vec<u64>> {
    let mut binds = vec![Bind::number(version)];
    binds.extend(chosen.binds());
    binds.extend([Bind::text(name), Bind::number(limit), Bind::text(owner)]);
    rows(db, NAMED, &binds, Row::number)
}

/// The searchable items that were added and removed between two versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turnover {
    /// The items that were added after the first version and up to the second.
    pub added: Vec<u64>,
    /// The items that were removed.
    pub ended: Vec<u64>,
}

pub(crate) fn turnover<D: Database>(db: &D, from: u64, to: u64) -> Result<Turnover> {
    let binds = [Bind::number(from), Bind::number(to)];
    Ok(Turnover {
        added: rows(db, ADDED, &binds, Row::number)?,
        ended: rows(db, ENDED, &binds, Row::number)?,
    })
}

/// Returns those of these items that are in a version and searchable, in order.
pub(crate) fn standing<D: Database>(db: &D, version: u64, items: &[u64]) -> Result<Vec<u64>> {
    rows(
        db,
        STANDING,
        &[Bind::number(version), list(items)],
        Row::number,
    )
}

/// Returns true if a version has any searchable item.
pub(crate) fn is_indexed<D: Database>(db: &D, version: u64) -> Result<bool> {
    Ok(number(db, IS_INDEXED, &[Bind::number(version)])? == 1)
}

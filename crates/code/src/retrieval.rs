//! What a search over items asks of a workspace: candidates of the text index, the items behind them with their texts, vectors by model, and which
//! items came and went.
//!
//! An item has a number as long as what it says is the same: one that only moved keeps it, and with it its words and its vectors.

use base::Result;
use database::Database;
use std::collections::HashMap;

use crate::store::files::FileRow;
use crate::store::{candidates, files, items, vectors};
use crate::{AsOf, Head, ItemRow};

pub use crate::store::candidates::{ColumnWeights, Filter, Match, Turnover};
pub use crate::store::vectors::VectorBlock;

/// An item with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The item, with its span and lines in the version that was asked about.
    pub item: ItemRow,
    /// Its bytes of the file.
    pub text: String,
    /// Its text without that of items in it.
    pub own_text: String,
    /// The hash of its file's bytes.
    pub file_hash: String,
}

/// The version that a request is about.
///
/// # Errors
/// [`crate::CodeError::VersionNotKept`].
pub fn version<D: Database>(db: &D, as_of: AsOf) -> Result<u64> {
    Head::load(db)?.at(db, as_of)
}

/// Asks the text index, best first. `query` is in the language of FTS5; one without words finds nothing.
///
/// # Errors
/// The engine's, also for a query that is not in its language.
pub fn matches<D: Database>(
    db: &D,
    version: u64,
    query: &str,
    weights: ColumnWeights,
    filter: &Filter,
    limit: u64,
) -> Result<Vec<Match>> {
    candidates::matches(db, version, query, weights, filter, limit)
}

/// The numbers of the searchable items of a version that a filter lets through, in order.
///
/// # Errors
/// The engine's.
pub fn filtered<D: Database>(db: &D, version: u64, filter: &Filter) -> Result<Vec<u64>> {
    candidates::filtered(db, version, filter)
}

/// How many items of a version can be found.
///
/// # Errors
/// The engine's.
pub fn indexed<D: Database>(db: &D, version: u64) -> Result<u64> {
    candidates::indexed(db, version)
}

/// Items by their numbers, with their texts, in the order of the numbers. Those that the version does not have are missing.
///
/// # Errors
/// The engine's.
pub fn documents<D: Database>(db: &D, version: u64, numbers: &[u64]) -> Result<Vec<Document>> {
    let found = items::by_number(db, version, numbers)?;
    let mut texts: HashMap<String, Option<(FileRow, String)>> = HashMap::new();
    let mut children: HashMap<String, Vec<ItemRow>> = HashMap::new();
    let mut documents = Vec::with_capacity(found.len());
    for item in found {
        if !texts.contains_key(&item.path) {
            let file = files::find(db, version, &item.path)?;
            let read = match file {
                Some(file) => {
                    let bytes = files::content(db, file.content)?;
                    Some((file, String::from_utf8_lossy(&bytes).into_owned()))
                }
                None => None,
            };
            texts.insert(item.path.clone(), read);
            children.insert(item.path.clone(), items::of_file(db, version, &item.path)?);
        }
        let Some(Some((file, text))) = texts.get(&item.path) else {
            continue;
        };
        let inside = children.get(&item.path).into_iter().flatten();
        let inside = inside
            .filter(|child| child.parent_id.as_deref() == Some(&item.id))
            .map(|child| child.span.clone());
        documents.push(Document {
            text: text.get(item.span.clone()).unwrap_or_default().to_owned(),
            own_text: crate::parse::text::without(text, &item.span, inside),
            file_hash: file.file_hash.clone(),
            item,
        });
    }
    Ok(documents)
}

/// Which searchable items came and went after a version and up to another.
///
/// # Errors
/// The engine's.
pub fn turnover<D: Database>(db: &D, after: u64, up_to: u64) -> Result<Turnover> {
    candidates::turnover(db, after, up_to)
}

/// Numbers of items of the present version that have no vector of a model yet, in order.
///
/// # Errors
/// The engine's.
pub fn without_vectors<D: Database>(db: &D, model: &str, limit: u64) -> Result<Vec<u64>> {
    vectors::missing(db, model, limit)
}

/// How many items of the present version have no vector of a model yet.
///
/// # Errors
/// The engine's.
pub fn without_vectors_count<D: Database>(db: &D, model: &str) -> Result<u64> {
    vectors::missing_count(db, model)
}

/// Stores the vectors of what [`without_vectors`] listed, in its order.
///
/// # Errors
/// [`base::CommonError::Internal`] for vectors of different sizes or items in another order, the engine's.
pub fn save_vectors<D: Database>(db: &D, model: &str, vectors: &[(u64, Vec<u8>)]) -> Result<()> {
    vectors::save(db, model, vectors)
}

/// The blocks of a model's vectors behind a block; 0 is all. Items that ended are still in them.
///
/// # Errors
/// The engine's.
pub fn vector_blocks<D: Database>(db: &D, model: &str, after: u64) -> Result<Vec<VectorBlock>> {
    vectors::blocks(db, model, after)
}

/// Removes the vectors of a model.
///
/// # Errors
/// The engine's.
pub fn clear_vectors<D: Database>(db: &D, model: &str) -> Result<()> {
    vectors::clear(db, model)
}

/// Bytes that are kept under a key, such as the mean of all vectors.
///
/// # Errors
/// The engine's.
pub fn load_state<D: Database>(db: &D, key: &str) -> Result<Option<Vec<u8>>> {
    vectors::load_state(db, key)
}

/// Keeps bytes under a key.
///
/// # Errors
/// The engine's.
pub fn save_state<D: Database>(db: &D, key: &str, value: &[u8]) -> Result<()> {
    vectors::save_state(db, key, value)
}

/// The numbers of searchable items that have one of these names, exactly as they are written, at most `limit`.
///
/// # Errors
/// The engine's.
pub fn named<D: Database>(db: &D, version: u64, names: &[String], limit: u64) -> Result<Vec<u64>> {
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    for name in names {
        for item in items::by_name(db, version, name)? {
            if found.len() < most && !found.contains(&item.item) {
                found.push(item.item);
            }
        }
    }
    Ok(found)
}

/// Items by their numbers, in the order of the numbers. Those that the version does not have are missing.
///
/// # Errors
/// The engine's.
pub fn item_rows<D: Database>(db: &D, version: u64, numbers: &[u64]) -> Result<Vec<ItemRow>> {
    items::by_number(db, version, numbers)
}

/// The hash of a file's bytes in a version.
///
/// # Errors
/// The engine's.
pub fn file_hash<D: Database>(db: &D, version: u64, path: &str) -> Result<Option<String>> {
    let file = files::find(db, version, path)?;
    Ok(file.map(|file| file.file_hash))
}

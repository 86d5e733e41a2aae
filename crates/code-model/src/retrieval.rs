//! The queries of a search over items: candidates from the text index, the items with their texts,
//! vectors by model, and the items that were added and removed.
//!
//! An item keeps its number, and with it its words and its vectors, as long as its content is the
//! same, even if it moves.

use base::Result;
use database::Database;
use std::collections::BTreeMap;

use crate::limits::{MAX_INDEXED_BYTES, MAX_LISTED_CANDIDATES};
use crate::parse::text::{cut_bytes, without};
use crate::store::{candidates, files, items, vectors};
use crate::{AsOf, Head, ItemRow};

pub use crate::store::candidates::{ColumnWeights, Filter, Match, Selection, Turnover};
pub use crate::store::items::FirstInside;
pub use crate::store::vectors::VectorBlock;

/// An item with its indexed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The item, with its span and lines in the requested version.
    pub item: ItemRow,
    /// Its text without that of inner items, cut to the length that the text index has.
    pub own_text: String,
}

/// An item with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemText {
    /// The item.
    pub item: ItemRow,
    /// Its text in the file.
    pub text: String,
    /// The hash of its file's bytes.
    pub file_hash: String,
}

/// Returns the version that a request names.
///
/// # Errors
/// [`crate::CodeError::VersionNotKept`].
pub fn version<D: Database>(db: &D, as_of: AsOf) -> Result<u64> {
    Head::load(db)?.at(db, as_of)
}

/// Looks up the files and kinds that a filter lets through in a version.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for patterns that take too long, and errors of the
/// engine.
pub fn choose<D: Database>(db: &D, version: u64, filter: &Filter) -> Result<Selection> {
    candidates::choose(db, version, filter)
}

/// Searches the text index, best first. `query` is an expression of FTS5; one without words finds
/// nothing.
///
/// # Errors
/// Errors of the engine, also for an invalid `query`.
pub fn matches<D: Database>(
    db: &D,
    version: u64,
    query: &str,
    weights: ColumnWeights,
    chosen: &Selection,
    limit: u64,
) -> Result<Vec<Match>> {
    candidates::matches(db, version, query, weights, chosen, limit)
}

/// Returns the numbers of the searchable items of a version that a filter lets through, in order.
///
/// # Errors
/// Errors of the engine.
pub fn filtered<D: Database>(db: &D, version: u64, chosen: &Selection) -> Result<Vec<u64>> {
    candidates::filtered(db, version, chosen)
}

/// Returns true if a version has any searchable item.
///
/// # Errors
/// Errors of the engine.
pub fn is_indexed<D: Database>(db: &D, version: u64) -> Result<bool> {
    candidates::is_indexed(db, version)
}

/// Returns those of these items that are in a version and searchable, in order.
///
/// # Errors
/// Errors of the engine.
pub fn standing<D: Database>(db: &D, version: u64, numbers: &[u64]) -> Result<Vec<u64>> {
    candidates::standing(db, version, numbers)
}

/// Returns items by their numbers, with their own texts, in the order of the numbers. Items that
/// are not in the version are left out. One file is in memory at a time.
///
/// # Errors
/// Errors of the engine.
pub fn documents<D: Database>(db: &D, version: u64, numbers: &[u64]) -> Result<Vec<Document>> {
    let mut by_path: BTreeMap<String, Vec<ItemRow>> = BTreeMap::new();
    for item in items::by_number(db, version, numbers)? {
        by_path.entry(item.path.clone()).or_default().push(item);
    }
    let mut documents = Vec::with_capacity(numbers.len());
    for (path, found) in by_path {
        let Some(file) = files::find(db, version, &path)? else {
            continue;
        };
        let bytes = files::content(db, file.content)?;
        let text = String::from_utf8_lossy(&bytes);
        let ids: Vec<&str> = found.iter().map(|item| item.id.as_str()).collect();
        let mut inside = items::spans_inside(db, version, &ids)?;
        documents.extend(found.into_iter().map(|item| {
            let inside = inside.remove(&item.id).unwrap_or_default();
            let own_text = without(&text, &item.span, inside.into_iter());
            Document {
                own_text: cut_bytes(&own_text, MAX_INDEXED_BYTES).to_owned(),
                item,
            }
        }));
    }
    documents.sort_unstable_by_key(|document| document.item.item);
    Ok(documents)
}

/// Returns an item by its number, with its text; `None` if the version does not have it.
///
/// # Errors
/// Errors of the engine.
pub fn text<D: Database>(db: &D, version: u64, number: u64) -> Result<Option<ItemText>> {
    let Some(item) = items::by_number(db, version, &[number])?.into_iter().next() else {
        return Ok(None);
    };
    let Some(file) = files::find(db, version, &item.path)? else {
        return Ok(None);
    };
    let bytes = files::content(db, file.content)?;
    let bytes = bytes.get(item.span.clone()).unwrap_or_default();
    Ok(Some(ItemText {
        text: String::from_utf8_lossy(bytes).into_owned(),
        file_hash: file.file_hash,
        item,
    }))
}

/// Returns the start of the first item inside each of these, by number. Items without inner items
/// are left out.
///
/// # Errors
/// Errors of the engine.
pub fn first_inside<D: Database>(
    db: &D,
    version: u64,
    numbers: &[u64],
) -> Result<Vec<FirstInside>> {
    items::first_inside(db, version, numbers)
}

/// Returns the first searchable items inside an item, in the order of the file.
///
/// # Errors
/// Errors of the engine.
pub fn inside<D: Database>(db: &D, version: u64, id: &str) -> Result<Vec<ItemRow>> {
    items::searchable_inside(db, version, id)
}

/// Returns the searchable items that were added and removed after a version and up to another.
///
/// # Errors
/// Errors of the engine.
pub fn turnover<D: Database>(db: &D, after: u64, up_to: u64) -> Result<Turnover> {
    candidates::turnover(db, after, up_to)
}

/// Returns the numbers of items of the present version that have no vector of a model yet, in
/// order.
///
/// # Errors
/// Errors of the engine.
pub fn without_vectors<D: Database>(db: &D, model: &str, limit: u64) -> Result<Vec<u64>> {
    vectors::missing(db, model, limit)
}

/// Returns the number of items of the present version that have no vector of a model yet.
///
/// # Errors
/// Errors of the engine.
pub fn without_vectors_count<D: Database>(db: &D, model: &str) -> Result<u64> {
    vectors::missing_count(db, model)
}

/// Stores vectors for the items that [`without_vectors`] returned, in the same order.
///
/// # Errors
/// [`base::CommonError::Internal`] for vectors of different sizes or items in another order, and
/// errors of the engine.
pub fn save_vectors<D: Database>(db: &D, model: &str, vectors: &[(u64, Vec<u8>)]) -> Result<()> {
    vectors::save(db, model, vectors)
}

/// Returns the first block of a model's vectors after a block; 0 stands for the beginning. Blocks
/// still contain removed items, and items of merged blocks occur again in a block with a higher
/// number.
///
/// # Errors
/// Errors of the engine.
pub fn vector_block_after<D: Database>(
    db: &D,
    model: &str,
    after: u64,
) -> Result<Option<VectorBlock>> {
    vectors::block_after(db, model, after)
}

/// Returns the models that have stored vectors.
///
/// # Errors
/// Errors of the engine.
pub fn vector_models<D: Database>(db: &D) -> Result<Vec<String>> {
    vectors::models(db)
}

/// Deletes the vectors of a model.
///
/// # Errors
/// Errors of the engine.
pub fn clear_vectors<D: Database>(db: &D, model: &str) -> Result<()> {
    vectors::clear(db, model)
}

/// Returns the bytes that are stored under a key, such as the mean of all vectors.
///
/// # Errors
/// Errors of the engine.
pub fn load_state<D: Database>(db: &D, key: &str) -> Result<Option<Vec<u8>>> {
    vectors::load_state(db, key)
}

/// Stores bytes under a key.
///
/// # Errors
/// Errors of the engine.
pub fn save_state<D: Database>(db: &D, key: &str, value: &[u8]) -> Result<()> {
    vectors::save_state(db, key, value)
}

/// Returns the numbers of searchable items that have one of these names, spelled exactly like this,
/// and that a filter lets through: at most `limit`, and for each name at most as many as a lookup
/// lists.
///
/// # Errors
/// Errors of the engine.
pub fn named<D: Database>(
    db: &D,
    version: u64,
    names: &[String],
    chosen: &Selection,
    limit: u64,
) -> Result<Vec<u64>> {
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    // In a path, the preceding name is that of the owner.
    let owners = std::iter::once("").chain(names.iter().map(String::as_str));
    for name in owners.zip(names.iter().map(String::as_str)) {
        for item in candidates::named(db, version, name, chosen, MAX_LISTED_CANDIDATES)? {
            if found.len() < most && !found.contains(&item) {
                found.push(item);
            }
        }
    }
    Ok(found)
}

/// Returns items by their numbers, in the order of the numbers. Items that are not in the version
/// are left out.
///
/// # Errors
/// Errors of the engine.
pub fn item_rows<D: Database>(db: &D, version: u64, numbers: &[u64]) -> Result<Vec<ItemRow>> {
    items::by_number(db, version, numbers)
}

/// Returns the hash of a file's bytes in a version.
///
/// # Errors
/// Errors of the engine.
pub fn file_hash<D: Database>(db: &D, version: u64, path: &str) -> Result<Option<String>> {
    let file = files::find(db, version, path)?;
    Ok(file.map(|file| file.file_hash))
}

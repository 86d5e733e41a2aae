//! Vectors of items, in blocks, because a query reads all of them and each row has a cost besides
//! its bytes.
//!
//! Items get vectors in the order of their numbers. The mark of a model is the number after the
//! last item that it has processed, so the items without a vector are found without reading the
//! blocks. Removed items stay in their blocks until the blocks are merged.

use std::collections::HashSet;

use base::{Error, Result};
use database::{Bind, Database, DatabaseExt};

use super::rows::{OPEN, Row, number, row, rows};
use crate::limits::{MAX_SMALL_VECTOR_BLOCKS, SMALL_VECTOR_BLOCK_BYTES, VECTOR_BLOCK_BYTES};

const MISSING: &str = "SELECT item FROM code_items WHERE item >= ?1 AND searchable = 1 AND valid_to = ?2 ORDER BY item LIMIT ?3";
const MISSING_COUNT: &str =
    "SELECT count(*) FROM code_items WHERE item >= ?1 AND searchable = 1 AND valid_to = ?2";
const NEXT_BLOCK: &str = "SELECT block, bytes_each, items, vectors FROM code_vectors WHERE model = ?1 AND block > ?2 ORDER BY block LIMIT 1";
const SMALL: &str = "SELECT block, bytes_each, items, vectors FROM code_vectors WHERE model = ?1 AND vector_count * (bytes_each + 8) < ?2 ORDER BY block";
const SMALL_COUNT: &str =
    "SELECT count(*) FROM code_vectors WHERE model = ?1 AND vector_count * (bytes_each + 8) < ?2";
const INSERT: &str = "INSERT INTO code_vectors (block, model, bytes_each, vector_count, items, vectors) VALUES (?, ?, ?, ?, ?, ?)";
const LAST_BLOCK: &str = "SELECT coalesce(max(block), 0) FROM code_vectors";
const DELETE: &str = "DELETE FROM code_vectors WHERE block = ?1";
const DELETE_MODEL: &str = "DELETE FROM code_vectors WHERE model = ?1";
const MODELS: &str = "SELECT DISTINCT model FROM code_vectors ORDER BY model";
const KEPT: &str = "SELECT item FROM code_items WHERE searchable = 1";
const LOAD_STATE: &str = "SELECT value FROM code_state WHERE key = ?1";
const SAVE_STATE: &str = "INSERT INTO code_state (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
const DELETE_STATE: &str = "DELETE FROM code_state WHERE key = ?1";

/// The key of the last block's number. Numbers are never reused, so a reader that has read up to a
/// block finds all newer ones after it.
const LAST_BLOCK_KEY: &str = "vector-block";

/// The bytes of an item's number in a block.
const NUMBER_BYTES: usize = 8;

/// The vectors of some items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VectorBlock {
    /// Its number. Blocks are only added and removed, never changed.
    pub block: u64,
    /// The bytes of one vector.
    pub bytes_each: usize,
    /// The numbers of the items.
    pub items: Vec<u64>,
    /// Their vectors, one after the other.
    pub vectors: Vec<u8>,
}

impl VectorBlock {
    fn read(row: &mut Row) -> Self {
        Self {
            block: row.number(),
            bytes_each: row.index(),
            items: row
                .bytes()
                .chunks_exact(NUMBER_BYTES)
                .filter_map(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)))
                .collect(),
            vectors: row.bytes(),
        }
    }

    /// Returns an iterator over the items with their vectors.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let vectors = self.vectors.chunks_exact(self.bytes_each.max(1));
        self.items.iter().copied().zip(vectors)
    }
}

fn mark(model: &str) -> String {
    format!("vectors:{model}")
}

/// Returns the number after the last item that a model has processed.
fn marked<D: Database>(db: &D, model: &str) -> Result<u64> {
    Ok(load_number(db, &mark(model))?.unwrap_or(0))
}

fn load_number<D: Database>(db: &D, key: &str) -> Result<Option<u64>> {
    let value = load_state(db, key)?.unwrap_or_default();
    Ok(std::str::from_utf8(&value)
        .ok()
        .and_then(|text| text.parse().ok()))
}

/// Returns the items of the present version that have no vector of a model yet, in order.
pub(crate) fn missing<D: Database>(db: &D, model: &str, limit: u64) -> Result<Vec<u64>> {
    let binds = [
        Bind::number(marked(db, model)?),
        Bind::number(OPEN),
        Bind::number(limit),
    ];
    rows(db, MISSING, &binds, Row::number)
}

/// Returns the number of such items.
pub(crate) fn missing_count<D: Database>(db: &D, model: &str) -> Result<u64> {
    number(
        db,
        MISSING_COUNT,
        &[Bind::number(marked(db, model)?), Bind::number(OPEN)],
    )
}

/// Stores vectors for the items that [`missing`] returned, in the same order.
///
/// # Errors
/// [`base::CommonError::Internal`] for vectors of different sizes, or items that are not the next
/// ones.
pub(crate) fn save<D: Database>(db: &D, model: &str, vectors: &[(u64, Vec<u8>)]) -> Result<()> {
    let Some((_, first)) = vectors.first() else {
        return Ok(());
    };
    let bytes_each = first.len();
    let mut next = marked(db, model)?;
    for (item, vector) in vectors {
        if *item < next || vector.len() != bytes_each || bytes_each == 0 {
            return Err(Error::internal(format!(
                "the vector of item {item} is not the next one of model {model}"
            )));
        }
        next = item + 1;
    }
    db.transaction(&mut || {
        insert(
            db,
            model,
            bytes_each,
            vectors
                .iter()
                .map(|(item, vector)| (*item, vector.as_slice())),
        )?;
        save_state(db, &mark(model), next.to_string().as_bytes())?;
        join_small(db, model)
    })
}

fn insert<'v, D: Database>(
    db: &D,
    model: &str,
    bytes_each: usize,
    vectors: impl Iterator<Item = (u64, &'v [u8])>,
) -> Result<()> {
    let most = (VECTOR_BLOCK_BYTES / (bytes_each + NUMBER_BYTES)).max(1);
    let (mut items, mut bytes, mut count) = (Vec::new(), Vec::new(), 0);
    let mut block = match load_number(db, LAST_BLOCK_KEY)? {
        Some(block) => block,
        None => number(db, LAST_BLOCK, &[])?,
    };
    let mut store = |items: &mut Vec<u8>, bytes: &mut Vec<u8>, count: usize| {
        block += 1;
        save_state(db, LAST_BLOCK_KEY, block.to_string().as_bytes())?;
        let binds = [
            Bind::number(block),
            Bind::text(model),
            Bind::number(super::write::count(bytes_each)),
            Bind::number(super::write::count(count)),
            Bind::Blob(std::mem::take(items)),
            Bind::Blob(std::mem::take(bytes)),
        ];
        db.run(INSERT, &binds).map(drop)
    };
    for (item, vector) in vectors {
        items.extend_from_slice(&item.to_le_bytes());
        bytes.extend_from_slice(vector);
        count += 1;
        if count == most {
            store(&mut items, &mut bytes, count)?;
            count = 0;
        }
    }
    if count == 0 {
        Ok(())
    } else {
        store(&mut items, &mut bytes, count)
    }
}

/// Merges blocks that are not full, without the items that no kept version has.
fn join_small<D: Database>(db: &D, model: &str) -> Result<()> {
    let binds = [
        Bind::text(model),
        Bind::number(super::write::count(SMALL_VECTOR_BLOCK_BYTES)),
    ];
    if number(db, SMALL_COUNT, &binds)? <= MAX_SMALL_VECTOR_BLOCKS {
        return Ok(());
    }
    let kept: HashSet<u64> = rows(db, KEPT, &[], Row::number)?.into_iter().collect();
    let blocks = rows(db, SMALL, &binds, VectorBlock::read)?;
    let bytes_each = blocks.first().map_or(0, |block| block.bytes_each);
    for block in &blocks {
        db.run(DELETE, &[Bind::number(block.block)])?;
    }
    let vectors = blocks
        .iter()
        .flat_map(VectorBlock::iter)
        .filter(|(item, _)| kept.contains(item));
    insert(db, model, bytes_each, vectors)
}

/// Returns the first block of a model after another one. Merged blocks get higher numbers.
pub(crate) fn block_after<D: Database>(
    db: &D,
    model: &str,
    after: u64,
) -> Result<Option<VectorBlock>> {
    let found = rows(
        db,
        NEXT_BLOCK,
        &[Bind::text(model), Bind::number(after)],
        VectorBlock::read,
    )?;
    Ok(found.into_iter().next())
}

/// Returns the models that have stored vectors.
pub(crate) fn models<D: Database>(db: &D) -> Result<Vec<String>> {
    rows(db, MODELS, &[], Row::text)
}

/// Deletes the vectors of a model.
pub(crate) fn clear<D: Database>(db: &D, model: &str) -> Result<()> {
    db.transaction(&mut || {
        db.run(DELETE_MODEL, &[Bind::text(model)])?;
        db.run(DELETE_STATE, &[Bind::Text(mark(model))]).map(drop)
    })
}

/// Returns the bytes that a caller has stored under a key.
pub(crate) fn load_state<D: Database>(db: &D, key: &str) -> Result<Option<Vec<u8>>> {
    row(db, LOAD_STATE, &[Bind::text(key)], Row::bytes)
}

/// Stores bytes under a key.
pub(crate) fn save_state<D: Database>(db: &D, key: &str, value: &[u8]) -> Result<()> {
    db.run(SAVE_STATE, &[Bind::text(key), Bind::Blob(value.to_vec())])
        .map(drop)
}

//! JSON merge patches of `data`: for a single row, and for many rows that are read in pieces of a
//! bounded size.

use crate::kinds::DataChange;
use std::collections::HashMap;

use base::{Error, Result};
use database::{Bind, Cell, Cursor, Database, EngineError, Statement};

use crate::ItemList;
use crate::limits::MERGED_BYTES;
use crate::model::Data;
use crate::store::merge_patch::merge;
use crate::store::pieces::in_pieces;

/// The first rows of a list, up to a number of bytes, but at least one.
const MANY_NODE_DATA: &str = "SELECT k.seq, r.data FROM (SELECT n.seq, j.key, sum(octet_length(n.data)) OVER (ORDER BY j.key) AS bytes \
     FROM jsonb_each(?1) AS j CROSS JOIN nodes AS n ON n.seq = j.value) AS k CROSS JOIN nodes AS r ON r.seq = k.seq \
     WHERE k.bytes <= ?2 OR k.key = 0";
const MANY_EDGE_DATA: &str = "SELECT k.seq, r.data FROM (SELECT n.seq, j.key, sum(octet_length(n.data)) OVER (ORDER BY j.key) AS bytes \
     FROM jsonb_each(?1) AS j CROSS JOIN edges AS n ON n.seq = j.value) AS k CROSS JOIN edges AS r ON r.seq = k.seq \
     WHERE k.bytes <= ?2 OR k.key = 0";

/// Returns the new data of a row with this data; `None` if it does not change.
pub(super) fn merged(data: &str, change: &DataChange) -> Result<Option<Data>> {
    match change {
        DataChange::None => Ok(None),
        DataChange::Reset => Ok(Some(Data::empty())),
        DataChange::Merge(patch) => Data::merged(merge(data, patch.text())?).map(Some),
    }
}

/// Returns true if a change needs the present data.
pub(super) fn is_patch(change: &DataChange) -> bool {
    matches!(change, DataChange::Merge(_))
}

/// Merges the patches of many rows. Calls `take` with the results of each piece to write them, so
/// that only one piece is in memory.
pub(super) fn merged_many<D: Database>(
    db: &D,
    list: ItemList,
    patches: &[(usize, u64, &Data)],
    mut issue: impl FnMut(usize, &Error),
    mut take: impl FnMut(Vec<(usize, Data)>) -> Result<()>,
) -> Result<()> {
    let mut rest = patches;
    while !rest.is_empty() {
        let rows = read_some(db, list, rest)?;
        let (now, later) = rest.split_at_checked(rows.len()).unwrap_or((rest, &[]));
        let mut done = Vec::with_capacity(now.len());
        for (index, seq, patch) in now {
            let data = rows.get(seq).map_or("{}", String::as_str);
            match merge(data, patch.text()).and_then(Data::merged) {
                Ok(data) => done.push((*index, data)),
                Err(error) => issue(*index, &error),
            }
        }
        take(done)?;
        // A missing row would be read again for ever. Callers have looked all of them up.
        if rows.is_empty() {
            return Err(Error::internal("a row is missing"));
        }
        rest = later;
    }
    Ok(())
}

/// Returns the data of the first rows of a list.
fn read_some<D: Database>(
    db: &D,
    list: ItemList,
    patches: &[(usize, u64, &Data)],
) -> Result<HashMap<u64, String>> {
    let sql = match list {
        ItemList::Nodes => MANY_NODE_DATA,
        ItemList::Edges => MANY_EDGE_DATA,
    };
    let mut first = None;
    // One piece is enough: a `seq` has few digits.
    in_pieces(
        patches.iter().take(crate::limits::MERGED_ROWS),
        |(_, seq, _), json| json.push_str(&seq.to_string()),
        |_, piece| {
            first.get_or_insert(piece);
            Ok(())
        },
    )?;
    let binds = [
        Bind::Text(first.unwrap_or_default()),
        Bind::number(MERGED_BYTES as u64),
    ];
    let mut cursor = db
        .open(Statement::Own(sql, &binds))
        .map_err(EngineError::own)?;
    let mut rows = HashMap::new();
    while let Some(row) = cursor.next().map_err(EngineError::own)? {
        let mut cells = row.into_iter();
        let seq = cells.next().map_or(0, |cell| cell.as_count());
        rows.insert(seq, cells.next().unwrap_or(Cell::Null).into_text());
    }
    Ok(rows)
}

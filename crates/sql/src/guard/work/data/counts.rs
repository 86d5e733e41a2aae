//! What an object remembers of its data between statements.

use std::cell::RefCell;
use std::collections::HashMap;

use base::Result;
use database::{Database, DatabaseExt as _};

/// A table or index, by its root page.
#[derive(Debug, Clone)]
pub struct Owner {
    pub table: String,
    /// The index; `None` for the table itself.
    pub index: Option<String>,
}

/// One count, and how many rows the connection had changed when it was made.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    pub found: u64,
    pub changes: u64,
}

/// What an object remembers of its data between statements.
#[derive(Debug, Default)]
pub struct Counts {
    pub(super) owners: RefCell<Option<HashMap<i64, Owner>>>,
    pub(super) counts: RefCell<HashMap<String, Count>>,
}

/// Counts that are remembered at most; a session has a few tables with a few keys each.
pub const MAX_REMEMBERED_COUNTS: usize = 2_000;

impl Counts {
    /// Root pages and columns may mean something else now.
    pub fn schema_changed(&self) {
        *self.owners.borrow_mut() = None;
        self.counts.borrow_mut().clear();
    }
}

pub fn owners<D: Database>(db: &D) -> Result<HashMap<i64, Owner>> {
    let rows = db.rows(
        "SELECT rootpage, type, name, tbl_name FROM sqlite_schema WHERE rootpage > 0",
        &[],
    )?;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let mut cells = row.into_iter();
            let page = cells.next()?.as_integer();
            let kind = cells.next()?.into_text();
            let name = cells.next()?.into_text();
            let table = cells.next()?.into_text();
            let index = (kind == "index").then_some(name);
            Some((page, Owner { table, index }))
        })
        .collect())
}

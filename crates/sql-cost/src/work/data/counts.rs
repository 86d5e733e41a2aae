//! The facts about its data and its schema that an object remembers between statements.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::programs::Programs;
use sql_gate::catalog;

use base::Result;
use database::{Database, DatabaseExt as _};

/// The owner of a root page: a table or an index.
#[derive(Debug, Clone)]
pub struct Owner {
    pub table: String,
    /// The index, or `None` for the table itself.
    pub index: Option<String>,
}

/// One count, and how many rows the connection had changed when the count was made.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    pub found: u64,
    pub changes: u64,
}

/// The facts about its data and its schema that an object remembers between statements.
#[derive(Debug, Default)]
pub struct Counts {
    owners: RefCell<Option<Rc<HashMap<i64, Owner>>>>,
    shadows: RefCell<Option<Rc<[String]>>>,
    pub(super) counts: RefCell<HashMap<String, Count>>,
    pub(crate) programs: RefCell<Programs>,
}

/// The largest number of counts that are remembered; a session has a few tables with a few keys
/// each.
pub const MAX_REMEMBERED_COUNTS: usize = 2_000;

impl Counts {
    /// Forgets everything, because root pages and columns may mean something else now, and
    /// statements may compile to another program.
    pub fn schema_changed(&self) {
        *self.owners.borrow_mut() = None;
        *self.shadows.borrow_mut() = None;
        self.counts.borrow_mut().clear();
        self.programs.borrow_mut().clear();
    }

    /// Returns the tables and indexes by root page.
    ///
    /// # Errors
    /// The engine's.
    pub(crate) fn owners<D: Database>(&self, db: &D) -> Result<Rc<HashMap<i64, Owner>>> {
        if let Some(known) = &*self.owners.borrow() {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(owners(db)?);
        *self.owners.borrow_mut() = Some(Rc::clone(&found));
        Ok(found)
    }

    /// Returns the tables that belong to virtual tables.
    ///
    /// # Errors
    /// The engine's.
    pub(crate) fn shadow_tables<D: Database>(&self, db: &D) -> Result<Rc<[String]>> {
        if let Some(known) = &*self.shadows.borrow() {
            return Ok(Rc::clone(known));
        }
        let found: Rc<[String]> = catalog::shadow_tables(db)?.into();
        *self.shadows.borrow_mut() = Some(Rc::clone(&found));
        Ok(found)
    }
}

fn owners<D: Database>(db: &D) -> Result<HashMap<i64, Owner>> {
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

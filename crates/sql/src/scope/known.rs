//! What an object remembers of its schema between statements under a scope, so that the tables of each need not be read again.
//!
//! It is used only while the text of the whole schema is the same, which one query compares: whoever changes the schema has nobody to tell.

use std::cell::RefCell;
use std::rc::Rc;

use super::tables::Tables;
use crate::limits::MAX_KNOWN_SCHEMA_BYTES;
use base::Result;
use database::{Cell, Database, DatabaseExt as _};

/// Everything on which [`Tables`] depend, as JSON, so that no name can look like another row. The length comes first: the text of a large schema
/// is not worth its way.
const SCHEMA: &str = "SELECT json_group_array(json_array(type, name, tbl_name, rootpage, sql)) FROM sqlite_schema \
    HAVING coalesce(sum(length(sql)), 0) <= ?1";

/// The remembered tables.
#[derive(Debug, Default)]
pub struct KnownTables(RefCell<Option<(String, Rc<Tables>)>>);

impl KnownTables {
    /// All tables and views with their keys, triggers and indexes; `None` where the schema is too large to remember.
    ///
    /// # Errors
    /// The engine's.
    pub(super) fn all<D: Database>(&self, db: &D) -> Result<Option<Rc<Tables>>> {
        let limit = database::Bind::number(MAX_KNOWN_SCHEMA_BYTES);
        let Some(schema) = db.cell(SCHEMA, &[limit])?.map(Cell::into_text) else {
            return Ok(None);
        };
        if let Some((known, tables)) = &*self.0.borrow()
            && *known == schema
        {
            return Ok(Some(Rc::clone(tables)));
        }
        let tables = Rc::new(Tables::all(db)?);
        *self.0.borrow_mut() = Some((schema, Rc::clone(&tables)));
        Ok(Some(tables))
    }
}

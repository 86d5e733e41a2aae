//! What an object remembers of its schema between statements under a scope, so that the tables of each need not be read again, and no statement that is
//! sent again is judged again.
//!
//! It is used only while the text of the whole schema is the same, which one query compares: whoever changes the schema has nobody to tell.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::rewrite::Plan;
use super::scope::Scope;
use super::tables::Tables;
use base::Result;
use database::{Cell, Database, DatabaseExt as _};
use sql_gate::limits::{MAX_KNOWN_SCHEMA_BYTES, MAX_SCOPED_STATEMENT_BYTES, MAX_SCOPED_STATEMENTS};

/// Everything on which [`Tables`] depend, as JSON, so that no name can look like another row; NULL where it is longer than the limit. CASE asks
/// for the length before it makes the text: a large schema would be more than one value of the engine.
const SCHEMA: &str = "SELECT CASE WHEN (SELECT total(octet_length(sql) + octet_length(name) + octet_length(tbl_name)) FROM sqlite_schema) <= ?1 \
    THEN (SELECT json_group_array(json_array(type, name, tbl_name, rootpage, sql)) FROM sqlite_schema) END";

/// The remembered tables, and statements over them.
#[derive(Debug, Default)]
pub struct KnownTables(RefCell<Option<Known>>);

#[derive(Debug)]
struct Known {
    schema: String,
    tables: Rc<Tables>,
    /// By the text of the statement.
    judged: HashMap<Scope, HashMap<String, Rc<Plan>>>,
    statements: usize,
}

impl KnownTables {
    /// To be called when the data is gone.
    pub fn forget(&self) {
        *self.0.borrow_mut() = None;
    }

    /// All tables and views with their keys, triggers and indexes; `None` where the schema is too large to remember.
    ///
    /// # Errors
    /// The engine's.
    pub(super) fn all<D: Database>(&self, db: &D) -> Result<Option<Rc<Tables>>> {
        let limit = database::Bind::number(MAX_KNOWN_SCHEMA_BYTES);
        let schema = db.cell(SCHEMA, &[limit])?;
        let Some(schema) = schema
            .filter(|cell| *cell != Cell::Null)
            .map(Cell::into_text)
        else {
            *self.0.borrow_mut() = None;
            return Ok(None);
        };
        if let Some(known) = &*self.0.borrow()
            && known.schema == schema
        {
            return Ok(Some(Rc::clone(&known.tables)));
        }
        let tables = Rc::new(Tables::all(db)?);
        *self.0.borrow_mut() = Some(Known {
            schema,
            tables: Rc::clone(&tables),
            judged: HashMap::new(),
            statements: 0,
        });
        Ok(Some(tables))
    }

    /// The judgement of a statement under a scope, given the schema that [`Self::all`] has compared.
    pub(super) fn judged(&self, statement: &str, scope: &Scope) -> Option<Rc<Plan>> {
        let known = self.0.borrow();
        let judged = known.as_ref()?.judged.get(scope)?;
        judged.get(statement).map(Rc::clone)
    }

    /// Remembers one. A full map starts afresh, which is cheaper than telling which entry is the oldest.
    pub(super) fn remember(&self, statement: &str, scope: &Scope, plan: &Rc<Plan>) {
        if statement.len() > MAX_SCOPED_STATEMENT_BYTES {
            return;
        }
        if let Some(known) = &mut *self.0.borrow_mut() {
            if known.statements >= MAX_SCOPED_STATEMENTS {
                known.judged.clear();
                known.statements = 0;
            }
            let judged = known.judged.entry(scope.clone()).or_default();
            judged.insert(statement.to_owned(), Rc::clone(plan));
            known.statements += 1;
        }
    }
}

//! Remembers facts about the schema between statements under a scope, so that an object reads its
//! tables only once and judges a repeated statement only once.
//!
//! The facts are used only while the text of the whole schema is unchanged, which one query checks
//! each time. So code that changes the schema does not have to report it here.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::rewrite::Plan;
use super::scope::Scope;
use super::tables::Tables;
use base::Result;
use database::{Cell, Database, DatabaseExt as _};
use sql_gate::limits::{MAX_KNOWN_SCHEMA_BYTES, MAX_SCOPED_STATEMENT_BYTES, MAX_SCOPED_STATEMENTS};

/// Reads all facts on which [`Tables`] depend. They are JSON, so that no character in a name can be
/// mistaken for the end of a row. The result is NULL if it is longer than the limit. CASE checks
/// the length before it makes the text, because a large schema would exceed the engine's largest
/// value.
const SCHEMA: &str = "SELECT CASE WHEN (SELECT total(octet_length(sql) + octet_length(name) + octet_length(tbl_name)) FROM sqlite_schema) <= ?1 \
    THEN (SELECT json_group_array(json_array(type, name, tbl_name, rootpage, sql)) FROM sqlite_schema) END";

/// The remembered tables, and statements over them.
#[derive(Debug, Default)]
pub struct KnownTables(RefCell<Option<Known>>);

#[derive(Debug)]
struct Known {
    schema: String,
    tables: Rc<Tables>,
    /// The plans, by scope and by the text of the statement.
    judged: HashMap<Scope, HashMap<String, Rc<Plan>>>,
    statements: usize,
}

impl KnownTables {
    /// Forgets everything. Callers do so when the data is deleted.
    pub fn forget(&self) {
        *self.0.borrow_mut() = None;
    }

    /// Returns all tables and views with their keys, triggers and indexes, or `None` if the schema
    /// is too large to remember.
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

    /// Returns the remembered plan of a statement under a scope. The schema must have been compared
    /// by [`Self::all`] before.
    pub(super) fn judged(&self, statement: &str, scope: &Scope) -> Option<Rc<Plan>> {
        let known = self.0.borrow();
        let judged = known.as_ref()?.judged.get(scope)?;
        judged.get(statement).map(Rc::clone)
    }

    /// Remembers a plan. A full map is cleared, which is cheaper than keeping track of the oldest
    /// entry.
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

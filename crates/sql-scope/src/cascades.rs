//! Checks foreign keys that change rows: ON DELETE CASCADE and similar actions may change rows of
//! another tenant, because our predicate does not apply to them.

use std::collections::HashSet;

use super::scope::Scope;
use super::syntax::Syntax;
use super::tables::{Act, ForeignKey, Table, Tables};
use crate::layout::{Layout, UpsertKind};
use base::{Error, Result};
use database::{Bind, Cursor as _, Database, EngineError, Statement};
use sql_gate::compose::{Part, compose};
use sql_gate::limits::MAX_ONE_PASS_BYTES;
use sql_gate::operations::Kind;
use sql_gate::policy::blocked;
use sql_gate::scoping::ScopeValue;

/// A change of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Event {
    Deleted,
    Updated,
}

/// Refuses a statement if a trigger would make further changes. Returns the name of a table whose
/// rows a foreign key may change, if there is one; [`check_rows`] must then check that they belong
/// to the tenant.
///
/// # Errors
/// `SQL_BLOCKED`.
pub(super) fn check(
    layout: &Layout<'_>,
    syntax: &Syntax,
    tables: &Tables,
) -> Result<Option<String>> {
    let Some(written) = layout.facts.written_table.as_deref() else {
        return Ok(None);
    };
    if tables.is_triggered(written) {
        return Err(triggered(written));
    }
    let mut first = None;
    for key in acting(layout, syntax, tables) {
        if tables.is_triggered(&key.child) {
            return Err(triggered(&key.child));
        }
        first = first.or_else(|| Some(key.child.clone()));
    }
    Ok(first)
}

/// Refuses the statement if a row of another tenant, or of none, refers to a row of this tenant by
/// a foreign key that would change it. The result holds until the statement has run, because
/// nothing else runs in between.
///
/// # Errors
/// `SQL_BLOCKED`.
pub(super) fn check_rows<D: Database>(
    db: &D,
    layout: &Layout<'_>,
    syntax: &Syntax,
    scope: &Scope,
    tables: &Tables,
) -> Result<()> {
    for key in acting(layout, syntax, tables) {
        let names = [
            key.child.to_ascii_lowercase(),
            key.parent.to_ascii_lowercase(),
        ];
        let both = Tables::read(db, &names, false)?;
        let (Some(child), Some(parent)) = (both.find(&key.child), both.find(&key.parent)) else {
            return Err(refused(&key.child));
        };
        if db.size_bytes() > MAX_ONE_PASS_BYTES || strangers_refer(db, key, child, parent, scope)? {
            return Err(refused(&key.child));
        }
    }
    Ok(())
}

/// Returns true if [`check_rows`] has rows to check. Then the judgement depends on more than the
/// schema.
pub(super) fn depends_on_rows(layout: &Layout<'_>, syntax: &Syntax, tables: &Tables) -> bool {
    !acting(layout, syntax, tables).is_empty()
}

/// Returns the foreign keys whose actions the statement may trigger, in any number of steps.
fn acting<'t>(layout: &Layout<'_>, syntax: &Syntax, tables: &'t Tables) -> Vec<&'t ForeignKey> {
    let event = match layout.facts.kind {
        Kind::Delete => Event::Deleted,
        Kind::Update => Event::Updated,
        Kind::Insert if syntax.upserts.contains(&UpsertKind::Update) => Event::Updated,
        Kind::Select
        | Kind::Insert
        | Kind::CreateTable
        | Kind::CreateIndex
        | Kind::CreateView
        | Kind::CreateVirtualTable { .. }
        | Kind::AlterTable
        | Kind::DropTable
        | Kind::DropIndex
        | Kind::DropView
        | Kind::Other(_) => return Vec::new(),
    };
    let written = layout.facts.written_table.as_deref().unwrap_or_default();
    let mut seen = HashSet::new();
    let mut open = vec![(written.to_ascii_lowercase(), event, Some(&syntax.set))];
    let mut found = Vec::new();
    while let Some((table, event, changed)) = open.pop() {
        if !seen.insert((table.clone(), event)) {
            continue;
        }
        for key in tables.children(&table) {
            let act = match event {
                Event::Deleted => key.on_delete,
                Event::Updated if refers_to(key, changed) => key.on_update,
                Event::Updated => Act::Refuse,
            };
            let next = match act {
                Act::Refuse => continue,
                Act::Change => Event::Updated,
                Act::Delete => Event::Deleted,
            };
            found.push(key);
            open.push((key.child.to_ascii_lowercase(), next, None));
        }
    }
    found
}

/// Returns true if the key refers to one of the columns that are changed. `None` means that any may
/// be.
fn refers_to(key: &ForeignKey, changed: Option<&Vec<String>>) -> bool {
    match (changed, &key.parent_columns) {
        (Some(changed), Some(columns)) => columns
            .iter()
            .any(|column| changed.iter().any(|name| name.eq_ignore_ascii_case(column))),
        _ => true,
    }
}

fn strangers_refer<D: Database>(
    db: &D,
    key: &ForeignKey,
    child: &Table,
    parent: &Table,
    scope: &Scope,
) -> Result<bool> {
    let (Some(of_child), Some(of_parent)) =
        (child.column(&scope.column), parent.column(&scope.column))
    else {
        // The cascade would change rows without a tenant.
        return Ok(true);
    };
    let parent_columns: Vec<&str> = match &key.parent_columns {
        Some(columns) => columns.iter().map(String::as_str).collect(),
        None => parent
            .columns
            .iter()
            .filter(|column| column.key)
            .map(|column| column.name.as_str())
            .collect(),
    };
    if parent_columns.len() != key.columns.len() || parent_columns.is_empty() {
        return Ok(true);
    }
    let value = match &scope.value {
        ScopeValue::Text(_) => "?1",
        ScopeValue::Integer(_) => "(?1->>'$')",
    };
    let mut parts = vec![
        Part::Sql("SELECT 1 FROM main."),
        Part::Identifier(&child.name),
        Part::Sql(" AS c JOIN main."),
        Part::Identifier(&parent.name),
        Part::Sql(" AS p ON p."),
        Part::Identifier(&of_parent.name),
        Part::Sql(" = "),
        Part::Sql(value),
        Part::Sql(" COLLATE BINARY AND c."),
        Part::Identifier(&of_child.name),
        Part::Sql(" IS NOT "),
        Part::Sql(value),
        Part::Sql(" COLLATE BINARY"),
    ];
    for (column, referred) in key.columns.iter().zip(&parent_columns) {
        // A foreign key compares with the affinity and collation of the parent.
        parts.extend([
            Part::Sql(" AND p."),
            Part::Identifier(referred),
            Part::Sql(" = +c."),
            Part::Identifier(column),
        ]);
    }
    parts.push(Part::Sql(" LIMIT 1"));
    let bind = match &scope.value {
        ScopeValue::Text(text) => Bind::text(text.as_str()),
        ScopeValue::Integer(number) => Bind::Text(number.to_string()),
    };
    let query = compose(&parts, vec![bind]);
    let mut cursor = db
        .open(Statement::Reviewed(query.reviewed()))
        .map_err(EngineError::own)?;
    Ok(cursor.next().map_err(EngineError::own)?.is_some())
}

pub(super) fn refused(child: &str) -> Error {
    blocked(
        "scope_cascade",
        &format!("a foreign key of {child} could change rows of another tenant"),
        "delete or change the referring rows of the tenant first, or declare the foreign key without CASCADE and SET NULL",
    )
}

fn triggered(table: &str) -> Error {
    blocked(
        "scope_cascade",
        &format!("{table} has a trigger, which may change rows of every tenant"),
        "drop the trigger, and do its work in the statement",
    )
}

//! Refuses statements that use a full-text table whose texts come from another relation
//! (`content=`) that computes them, such as a view.
//!
//! fts5 reads that relation with statements of its own, for a rebuild, a check, a count or each row
//! that it shows. The bytecode of the statement that names the full-text table does not show them,
//! so their work cannot be bounded.

use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt as _};
use sqlite3_parser::Bump;

use sql_gate::StatementKind;
use sql_gate::bound::Bound;
use sql_gate::operations::Kind;
use sql_gate::{SqlError, catalog, collect, parse, policy};

/// Refuses a statement that reads or writes such a table, and a statement that reads a view in a
/// database that has one, because the view may read it. Definitions pass, so that the table can be
/// dropped.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE`, or the engine's.
pub(super) fn check<D: Database>(db: &D, bound: &Bound) -> Result<()> {
    let facts = bound.facts();
    if bound.kind() == StatementKind::Schema && facts.relations.is_empty() {
        return Ok(());
    }
    let virtual_tables = db.rows(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage = 0",
        &[],
    )?;
    for row in virtual_tables {
        let mut cells = row.into_iter().map(Cell::into_text);
        let (name, sql) = (
            cells.next().unwrap_or_default(),
            cells.next().unwrap_or_default(),
        );
        let Some(content) = content_of(&sql) else {
            continue;
        };
        if catalog::is_plain_to_read(db, &content)? {
            continue;
        }
        let is_it = |other: &str| other.eq_ignore_ascii_case(&name);
        let written = facts.written_table.as_deref();
        let mut read = facts.relations.iter().map(|relation| &relation.name);
        if written.is_some_and(is_it) || read.any(|other| is_it(other)) || reads_a_view(db, bound)?
        {
            return Err(match exists(db, &content)? {
                true => refused(&name, &content),
                false => lost(&name, &content),
            });
        }
    }
    Ok(())
}

fn reads_a_view<D: Database>(db: &D, bound: &Bound) -> Result<bool> {
    let views = db.rows("SELECT name FROM sqlite_schema WHERE type = 'view'", &[])?;
    let mut names = views
        .iter()
        .filter_map(|row| row.first().and_then(Cell::as_text));
    Ok(names.any(|view| {
        let mut relations = bound.facts().relations.iter();
        relations.any(|relation| relation.name.eq_ignore_ascii_case(view))
    }))
}

/// Returns the relation that stores the texts of a full-text table, or `None` if the table stores
/// them itself, or does not keep them.
pub fn content_of(definition: &str) -> Option<String> {
    let arena = Bump::new();
    let facts = collect::collect(&parse::parse(&arena, definition).ok()?);
    let Kind::CreateVirtualTable { arguments, .. } = facts.kind else {
        return None;
    };
    let mut contents = arguments
        .iter()
        .filter_map(|argument| policy::fts5_content(argument));
    contents.find(|content| !content.is_empty())
}

fn exists<D: Database>(db: &D, name: &str) -> Result<bool> {
    let found = db.cell(
        "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND lower(name) = lower(?1)",
        &[Bind::text(name)],
    )?;
    Ok(found.is_some())
}

fn lost(name: &str, content: &str) -> Error {
    Error::from(SqlError::SqlError {
        message: format!(
            "the full-text table {name} reads its texts from {content}, which does not exist"
        ),
        hint: Some(format!(
            "make {content} again and INSERT INTO {name} ({name}) VALUES ('rebuild'), or drop {name}"
        )),
    })
}

fn refused(name: &str, content: &str) -> Error {
    Error::from(SqlError::TooMuchWork {
        message: format!(
            "the full-text table {name} reads its texts from {content}, which computes them: that work cannot be estimated"
        ),
        hint: format!(
            "drop {name}, and make it again with content of its own, or with the name of an ordinary table as its content"
        ),
    })
}

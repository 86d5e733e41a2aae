//! Limits the size of all definitions of a database together.
//!
//! Only a statement that adds to them is refused. A database of an older version that exceeds the
//! limit can still be opened and read, and its definitions can be dropped.

use base::{CommonError, Error, Result};
use database::{Bind, Cell, Database, DatabaseExt as _};
use sqlite3_parser::Bump;
use sqlite3_parser::ast::{AlterTableBody, Cmd, Stmt};

use crate::bound::Bound;
use crate::limits::MAX_SCHEMA_BYTES;
use crate::operations::StatementKind;
use crate::operations::{Explain, unquote};
use crate::{parse, policy};

const BYTES: &str =
    "SELECT tbl_name, total(octet_length(sql)) FROM sqlite_schema GROUP BY tbl_name";

/// Counts the occurrences of a name in all definitions. The count may include parts of longer
/// words.
const OCCURRENCES: &str = "SELECT total((octet_length(sql) - octet_length(replace(lower(sql), lower(?1), ''))) / octet_length(?1)) FROM sqlite_schema";

/// The bytes that quotes add to a name.
const QUOTES: u64 = 2;

/// Refuses a definition for which there is no room. Other statements pass.
///
/// # Errors
/// `TOO_BIG`, or the engine's.
pub fn check<D: Database>(db: &D, bound: &Bound) -> Result<()> {
    if bound.kind() != StatementKind::Schema || bound.facts().explain != Explain::No {
        return Ok(());
    }
    let arena = Bump::new();
    let Cmd::Stmt(statement) = parse::parse(&arena, bound.statement())? else {
        return Ok(());
    };
    let added = match statement {
        created if creates(&created) => bound.statement().len() as u64,
        Stmt::AlterTable(table, body) => match body {
            AlterTableBody::AddColumn(_) | AlterTableBody::AddConstraint(_) => {
                bound.statement().len() as u64
            }
            AlterTableBody::RenameTo(new) => renamed(db, table.name.0, new.0)?,
            AlterTableBody::RenameColumn { old, new } => renamed(db, old.0, new.0)?,
            AlterTableBody::DropColumn(_)
            | AlterTableBody::DropConstraint(_)
            | AlterTableBody::DropColumnNotNull(_)
            | AlterTableBody::SetColumnNotNull(..) => 0,
        },
        _ => 0,
    };
    require_room(db, added)
}

fn creates(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::CreateTable { .. }
            | Stmt::CreateView { .. }
            | Stmt::CreateIndex { .. }
            | Stmt::CreateTrigger { .. }
            | Stmt::CreateVirtualTable { .. }
    )
}

/// Returns the bytes of the definition that a statement creates, or 0.
///
/// # Errors
/// The error of a text that is not SQL.
pub fn created_bytes(bound: &Bound) -> Result<u64> {
    if bound.kind() != StatementKind::Schema || bound.facts().explain != Explain::No {
        return Ok(0);
    }
    let arena = Bump::new();
    Ok(match parse::parse(&arena, bound.statement())? {
        Cmd::Stmt(statement) if creates(&statement) => bound.statement().len() as u64,
        _ => 0,
    })
}

/// Returns the largest number of bytes by which definitions grow if a name in them is replaced.
fn renamed<D: Database>(db: &D, old: &str, new: &str) -> Result<u64> {
    let (old, new) = (unquote(old), unquote(new));
    let quoted = (new.len() as u64).saturating_mul(2).saturating_add(QUOTES);
    let longer = quoted.saturating_sub(old.len() as u64);
    if old.is_empty() {
        return Ok(longer);
    }
    // A name that contains a quote can be written in several ways. Its longest part without a quote
    // is in all of them.
    let part = old
        .split(['"', '`', '\'', '[', ']'])
        .max_by_key(|part| part.len());
    let times = match part.filter(|part| !part.is_empty()) {
        Some(part) => number(db, OCCURRENCES, &[Bind::text(part)])?,
        None => bytes(db)?,
    };
    Ok(times.saturating_mul(longer))
}

/// Refuses `added` bytes of definitions if there is no room for them.
///
/// # Errors
/// `TOO_BIG`, or the engine's.
pub fn require_room<D: Database>(db: &D, added: u64) -> Result<()> {
    if added == 0 {
        return Ok(());
    }
    require_fit("the session", bytes(db)?, added)
}

/// Refuses `added` bytes of definitions if they exceed the limit together with the `bytes` that the
/// owner has now.
///
/// # Errors
/// `TOO_BIG`.
pub fn require_fit(owner: &str, bytes: u64, added: u64) -> Result<()> {
    if bytes.saturating_add(added) <= MAX_SCHEMA_BYTES {
        return Ok(());
    }
    Err(Error::from(CommonError::TooBig {
        message: format!(
            "the definitions of {owner} have {bytes} bytes, and {added} more would exceed the limit of {MAX_SCHEMA_BYTES} bytes for all \
             tables, views and indexes together"
        ),
        hint: "drop tables, views or indexes that are not needed, or put long lists of values into rows of a table".to_owned(),
    }))
}

/// Returns the bytes of the definitions of the caller's tables, views and indexes, without those of
/// the product, the platform and the engine.
fn bytes<D: Database>(db: &D) -> Result<u64> {
    let rows = db.rows(BYTES, &[])?;
    Ok(rows
        .iter()
        .filter_map(|row| match &row[..] {
            [Cell::Text(table), bytes] if !policy::is_internal_name(table) => {
                Some(bytes.as_count())
            }
            _ => None,
        })
        .fold(0, u64::saturating_add))
}

fn number<D: Database>(db: &D, sql: &'static str, binds: &[Bind]) -> Result<u64> {
    Ok(db.cell(sql, binds)?.as_ref().map_or(0, Cell::as_count))
}

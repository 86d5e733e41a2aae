//! The registry of staged results: `_codemode_staged` has one row for each result,
//! `_codemode_staged_tables` one for each of its tables.
//!
//! Staging may replace a table as long as the table has the definition that staging gave it. A
//! table that was altered, or dropped and made again, belongs to the user; one with additional
//! columns can still be read as a part of its result.

use sha2::{Digest, Sha256};

use super::ResultOrigin;
use super::names;
use super::value::canonical;
use crate::json_reader::Reader;
use crate::limits::MAX_JSON_DEPTH;
use base::Result;
use database::{Bind, Cell, Database, DatabaseExt};

/// The number of hexadecimal digits of the fingerprint in an id. If another result has the same
/// digits, the next number is used.
const ID_DIGITS: [usize; 3] = [8, 16, 64];

/// Joins `staged`, a row of `_codemode_staged_tables`, with the table of its name.
macro_rules! join_present {
    () => {
        "JOIN sqlite_schema AS present ON present.type = 'table' AND present.name = staged.name"
    };
}

/// The condition for a table with the definition that staging gave it: it may be replaced.
macro_rules! as_made {
    () => {
        "present.sql = staged.definition"
    };
}

/// The condition for such a table, or one to which columns were added. The latter belongs to the
/// user, but can still be read as a part of the result. Added columns change the definition only
/// before its last bracket.
macro_rules! as_made_or_extended {
    () => {
        "substr(present.sql, 1, length(staged.definition) - 1) = substr(staged.definition, 1, length(staged.definition) - 1)"
    };
}

const FIND: &str = "SELECT fingerprint, base, server, tool FROM _codemode_staged WHERE id = ?";
const IDS: &str = concat!(
    "SELECT result.id FROM _codemode_staged AS result WHERE EXISTS (SELECT 1 FROM _codemode_staged_tables AS staged ",
    join_present!(),
    " WHERE staged.id = result.id AND ",
    as_made_or_extended!(),
    ") ORDER BY result.staged_at DESC LIMIT ?"
);
const RECORD: &str = "INSERT INTO _codemode_staged (id, fingerprint, server, tool, mappings, base, staged_at) VALUES (?, ?, ?, ?, ?, ?, ?)";
const RECORD_TABLE: &str = "INSERT INTO _codemode_staged_tables (name, id, position, definition) SELECT name, ?, ?, sql FROM sqlite_schema WHERE type = 'table' AND name = ?";
const FORGET: &str = "DELETE FROM _codemode_staged WHERE id = ?";
const FORGET_TABLES: &str = "DELETE FROM _codemode_staged_tables WHERE id = ?";
const REPLACEABLE: &str = concat!(
    "SELECT staged.name FROM _codemode_staged_tables AS staged ",
    join_present!(),
    " WHERE staged.id = ? AND ",
    as_made!(),
    " ORDER BY staged.position"
);
const READABLE: &str = concat!(
    "SELECT staged.name FROM _codemode_staged_tables AS staged ",
    join_present!(),
    " WHERE staged.id = ? AND ",
    as_made_or_extended!(),
    " ORDER BY staged.position"
);
const OTHER_TABLES: &str = concat!(
    "SELECT count(*) FROM _codemode_staged_tables AS staged ",
    join_present!(),
    " WHERE staged.id <> ? AND ",
    as_made_or_extended!()
);
const FORGET_LOST_TABLES: &str = concat!(
    "DELETE FROM _codemode_staged_tables WHERE name NOT IN (SELECT staged.name FROM _codemode_staged_tables AS staged ",
    join_present!(),
    " WHERE ",
    as_made_or_extended!(),
    ")"
);
const FORGET_LOST: &str =
    "DELETE FROM _codemode_staged WHERE id NOT IN (SELECT id FROM _codemode_staged_tables)";
const MAPPINGS: &str = concat!(
    "SELECT result.mappings FROM _codemode_staged_tables AS staged JOIN _codemode_staged AS result ON result.id = staged.id ",
    join_present!(),
    " WHERE staged.name = ? AND ",
    as_made_or_extended!()
);
const TAKEN: &str = "SELECT name FROM sqlite_schema";

/// The identity of the result to be staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    /// The `dataAccessId`.
    pub(super) id: String,
    /// The fingerprint that all stages of the same result share.
    pub(super) fingerprint: String,
    /// The beginning of the names of its tables.
    pub(super) base: String,
    /// The beginning that the names of its tables have had so far.
    pub(super) known_base: Option<String>,
    /// The server and tool of another call whose result is staged under the same name, and is
    /// replaced.
    pub(super) other_call: Option<(String, String)>,
}

/// Finds the id of a result: that of an earlier stage, or a free one.
pub(super) fn identify<D: Database>(db: &D, source: &ResultOrigin<'_>) -> Result<Identity> {
    let call = call_digest(source);
    let (base, fingerprint) = match source.name {
        Some(name) => (
            names::table(&[name]),
            format!("{}{CALL_MARK}{call}", digest(&["name\0", name])),
        ),
        None => (names::table(&[source.server, source.tool]), call),
    };
    let numbered = ID_DIGITS.map(|digits| {
        let head: String = fingerprint.chars().take(digits).collect();
        format!("{base}_{head}")
    });
    let named = source.name.map(|_| base.clone());
    let mut identity = Identity {
        id: base.clone(),
        fingerprint,
        base,
        known_base: None,
        other_call: None,
    };
    for candidate in named.into_iter().chain(numbered) {
        let row = db
            .rows(FIND, &[Bind::text(candidate.as_str())])?
            .into_iter()
            .next();
        identity.id = candidate;
        let mut cells = row.unwrap_or_default().into_iter().map(Cell::into_text);
        match cells.next() {
            None => break,
            Some(known) if same_answer(&known, &identity.fingerprint) => {
                identity.known_base = cells.next();
                let call = cells.next().zip(cells.next());
                identity.other_call = call.filter(|_| known != identity.fingerprint);
                break;
            }
            Some(_) => {}
        }
    }
    Ok(identity)
}

/// The separator between the digest of a name and that of the call whose result is staged under it.
const CALL_MARK: char = '.';

/// Returns true if two fingerprints are of one result: of the same call, or of the same name.
fn same_answer(one: &str, other: &str) -> bool {
    one.split(CALL_MARK).next() == other.split(CALL_MARK).next()
}

fn call_digest(source: &ResultOrigin<'_>) -> String {
    let mut arguments = String::new();
    canonical(
        &mut Reader::new(source.arguments),
        MAX_JSON_DEPTH,
        &mut arguments,
    );
    digest(&["tool\0", source.server, "\0", source.tool, "\0", &arguments])
}

fn digest(parts: &[&str]) -> String {
    const_hex::encode(Sha256::digest(parts.concat().as_bytes()))
}

/// Returns the tables of an id that staging may replace, in their order.
pub(super) fn replaceable_tables<D: Database>(db: &D, id: &str) -> Result<Vec<String>> {
    texts(db.rows(REPLACEABLE, &[Bind::text(id)])?)
}

/// Returns the tables of an id that can be read as a part of its result: those, and the ones with
/// additional columns.
pub(super) fn readable_tables<D: Database>(db: &D, id: &str) -> Result<Vec<String>> {
    texts(db.rows(READABLE, &[Bind::text(id)])?)
}

/// Counts the tables that other ids have.
pub(super) fn count_other_tables<D: Database>(db: &D, id: &str) -> Result<u64> {
    Ok(db
        .cell(OTHER_TABLES, &[Bind::text(id)])?
        .map_or(0, |cell| cell.as_count()))
}

/// Returns the ids, the newest first.
pub(super) fn ids<D: Database>(db: &D, limit: u64) -> Result<Vec<String>> {
    texts(db.rows(IDS, &[Bind::number(limit)])?)
}

/// Returns all names that a new table or index must not have.
pub(super) fn taken_names<D: Database>(db: &D) -> Result<Vec<String>> {
    texts(db.rows(TAKEN, &[])?)
}

/// Deletes an id, and the records of all tables that can no longer be read as parts of a result.
pub(super) fn forget<D: Database>(db: &D, id: &str) -> Result<()> {
    db.run(FORGET, &[Bind::text(id)])?;
    db.run(FORGET_TABLES, &[Bind::text(id)])?;
    db.run(FORGET_LOST_TABLES, &[])?;
    db.run(FORGET_LOST, &[]).map(|_| ())
}

/// Stores a result and its tables.
pub(super) fn record<D: Database>(
    db: &D,
    now_ms: u64,
    identity: &Identity,
    source: &ResultOrigin<'_>,
    base: &str,
    tables: &[&str],
) -> Result<()> {
    let texts = [
        identity.id.as_str(),
        identity.fingerprint.as_str(),
        source.server,
        source.tool,
        source.mappings.unwrap_or(source.server),
        base,
    ];
    let mut binds: Vec<Bind> = texts.map(Bind::text).into();
    binds.push(Bind::number(now_ms));
    db.run(RECORD, &binds)?;
    for (position, table) in (0..).zip(tables) {
        let binds = [
            Bind::text(identity.id.as_str()),
            Bind::number(position),
            Bind::text(*table),
        ];
        db.run(RECORD_TABLE, &binds)?;
    }
    Ok(())
}

/// Returns the name of the column mappings that apply to a table, if the table was staged.
///
/// # Errors
/// The engine's.
pub(crate) fn mappings_of<D: Database>(db: &D, table: &str) -> Result<Option<String>> {
    let found = db.cell(MAPPINGS, &[Bind::text(table)])?;
    Ok(found.map(Cell::into_text))
}

fn texts(rows: Vec<Vec<Cell>>) -> Result<Vec<String>> {
    let first = |row: Vec<Cell>| row.into_iter().next().map(Cell::into_text);
    Ok(rows.into_iter().filter_map(first).collect())
}

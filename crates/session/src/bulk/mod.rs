//! Bulk data for a table: `batchInsert`, and the streamed load of `PUT /tables/{table}/rows`.
//!
//! All or nothing: one transaction inserts all rows. The data never becomes Rust values; it reaches
//! SQLite as JSON text.
//!
//! Contents: `request` is the request of a load, `load` reads the body, `ending` inserts it,
//! `inflate` unpacks, `decode` makes UTF-8, `envelope` removes the wrapping around the data,
//! `sniff` tells formats apart, `blanks` makes a run of spaces one delimiter, `wrapped` finds the
//! list of records in an object. `scanner`, `csv` and `markdown` find records in bytes, and
//! `records` makes chunks and rows of them. `convert` rewrites fields into the values that they
//! mean, `spill` keeps the chunks of a long load, `tables` makes several tables at once.

mod blanks;
mod convert;
mod csv;
mod csv_shape;
mod decode;
mod ending;
mod envelope;
mod inflate;
mod load;
mod markdown;
mod request;
mod scanner;
mod sniff;
mod spill;
mod tables;
mod wrapped;

use serde_json::json;
use serde_json::value::RawValue;
use sql_gate::SqlError;

pub use self::decode::{Decode, Decoders};
pub use self::load::Load;
pub use self::request::{CODINGS, Coding, Destination, Format, LoadRequest, MEDIA_TYPES};
pub use self::tables::write_tables;
pub use crate::readings::{DateOrder, Decimal, MissingWords, ReadingOptions};
pub use crate::records::OnConflict;

use self::scanner::Scanner;
use super::fields::Fields;
use super::{Reply, Session, logs};
use crate::inspect::{self, Table, TableKind};
use crate::limits::MAX_BOUND_BYTES;
use crate::records::{Chunk, ChunkText, Encoder, Inserter, Outline, Owner, Shape, Slot, Target};
use base::{Error, Result};
use database::{Database, Statement};
use sql_gate::compose::{Part, compose, quote_identifier};

/// Runs batchInsert: `{table, records, onConflict?}`.
///
/// # Errors
/// An error in the data, or the engine's error; in both cases no row was inserted.
pub(super) fn batch_insert<D: Database>(
    session: &Session<'_, D>,
    table: &str,
    records: &RawValue,
    on_conflict: Option<OnConflict>,
) -> Result<Reply> {
    let records = records.get();
    if !records.starts_with('[') {
        return Err(Error::invalid_with_hint(
            "the field records must be an array of objects",
            r#"send [{"column":"value"}, …]"#,
        ));
    }
    let on_conflict = on_conflict.unwrap_or_default();
    let table = writable_table(session.db, table)?;
    let name = table.name.clone();
    let owner = owner(session, &table, on_conflict)?;
    let table = telling_absence(table, owner.as_ref());
    let mut inserter = Inserter::new(session.db, session.meter(), &name, on_conflict).of(owner);
    let mut encoder = Encoder::observing(Target::Existing(table.clone()), MissingWords::default());
    let mut chunks = 0_u64;
    session.db.transaction(&mut || {
        if inserter.computes()? {
            let ahead = inserter.ahead();
            let mut encoder = Encoder::new(Target::Existing(table.clone()));
            each_chunk(records, &mut encoder, &mut |slots, chunk| {
                inserter.foresee(&ahead, &Outline::of(slots, chunk), chunk.json.len())
            })?;
        }
        each_chunk(records, &mut encoder, &mut |slots, chunk| {
            chunks += 1;
            inserter.insert(slots, chunk)
        })?;
        log_rows(session, encoder.records(), &name)
    })?;
    tell_inserted(session, &inserter, &name, Creation::Rows);
    let body = json!({ "rowsWritten": encoder.records(), "inserted": inserter.inserted, "chunks": chunks });
    let reply = Reply::new(body, inserter.counters);
    let notices = encoder.settle(&ReadingOptions::default()).notices;
    Ok(if notices.is_empty() {
        reply
    } else {
        reply.with("notice", notices.join(" "))
    })
}

/// Makes chunks of a list of records, and calls `take` with each.
fn each_chunk(
    records: &str,
    encoder: &mut Encoder,
    take: &mut dyn FnMut(&[Slot], &Chunk) -> Result<()>,
) -> Result<()> {
    let mut scanner = Scanner::of_field();
    scanner.feed(
        records.as_bytes(),
        &mut |record| match encoder.record(record)? {
            Some(chunk) => take(encoder.slots(), &chunk),
            None => Ok(()),
        },
    )?;
    scanner.finish()?;
    match encoder.finish() {
        Some(chunk) => take(encoder.slots(), &chunk),
        None => Ok(()),
    }
}

/// Inserts rows that are arrays in the order of `columns`, in pieces: the first line of the body is
/// `{table, columns, counts, onConflict?}`, each further line a JSON array of rows. A program's
/// batchInsert uses this form, because the text of a piece goes to SQLite unchanged.
///
/// # Errors
/// An error in the data, or the engine's error; in both cases no row was inserted.
pub fn insert_pieces<D: Database>(session: &Session<'_, D>, body: &str) -> Result<Reply> {
    let (head, pieces) = body.split_once('\n').unwrap_or((body, ""));
    let fields = Fields::parse(head)?;
    fields.only(&[
        "operation",
        "table",
        "columns",
        "counts",
        "onConflict",
        "target",
    ])?;
    let counts: Vec<u64> = fields.read("counts")?;
    if pieces.split('\n').count() != counts.len() {
        return Err(Error::invalid(
            "there must be a count for each piece of rows",
        ));
    }
    let on_conflict = OnConflict::parse(fields.optional_string("onConflict")?.as_deref())?;
    let table = writable_table(session.db, &fields.string("table")?)?;
    let rows = Rows {
        columns: fields.read("columns")?,
        pieces: pieces.split('\n').zip(counts).collect(),
    };
    let name = table.name.clone();
    let owner = owner(session, &table, on_conflict)?;
    let table = telling_absence(table, owner.as_ref());
    let mut encoder = Encoder::new(Target::Existing(table));
    encoder.header(&rows.columns)?;
    let mut inserter = Inserter::new(session.db, session.meter(), &name, on_conflict).of(owner);
    session.db.transaction(&mut || {
        rows.insert(&encoder, &mut inserter)?;
        log_rows(session, rows.count(), &name)
    })?;
    tell_inserted(session, &inserter, &name, Creation::Rows);
    let body = json!({ "rowsWritten": rows.count(), "inserted": inserter.inserted, "chunks": rows.pieces.len() });
    Ok(Reply::new(body, inserter.counters))
}

/// Rows as arrays in the order of the columns, in pieces of JSON with the number of rows in each.
struct Rows<'a> {
    columns: Vec<String>,
    pieces: Vec<(&'a str, u64)>,
}

impl Rows<'_> {
    fn count(&self) -> u64 {
        self.pieces
            .iter()
            .fold(0_u64, |sum, (_, rows)| sum.saturating_add(*rows))
    }

    /// Inserts the rows, within the caller's transaction.
    fn insert<D: Database>(&self, encoder: &Encoder, inserter: &mut Inserter<'_, D>) -> Result<()> {
        let shape = Shape::full(self.columns.len());
        let ahead = inserter.ahead();
        self.each(encoder, &shape, |outline, piece| {
            inserter.foresee(&ahead, outline, piece.len())
        })?;
        self.each(encoder, &shape, |outline, piece| {
            inserter.insert_from(outline, &ChunkText::Text(piece))
        })
    }

    fn each(
        &self,
        encoder: &Encoder,
        shape: &Shape,
        mut take: impl FnMut(&Outline<'_>, &str) -> Result<()>,
    ) -> Result<()> {
        let mut first = 1_u64;
        for (piece, rows) in &self.pieces {
            if piece.len() > MAX_BOUND_BYTES {
                return Err(Error::invalid("a piece of rows is too long"));
            }
            let outline = Outline {
                slots: encoder.slots(),
                shape,
                first,
                rows: usize::try_from(*rows).unwrap_or(usize::MAX),
            };
            take(&outline, piece)?;
            first = first.saturating_add(*rows);
        }
        Ok(())
    }
}

/// Returns the owner of inserted rows under a scope. The wall judges the insertion like an INSERT
/// of the caller into the table.
fn owner<D: Database>(
    session: &Session<'_, D>,
    table: &Table,
    on_conflict: OnConflict,
) -> Result<Option<Owner>> {
    let Some(scope) = session.scope else {
        return Ok(None);
    };
    let names = table.columns.iter().map(|column| &column.info.name);
    let is_tenants = |name: &&String| name.eq_ignore_ascii_case(scope.column());
    let column = names.clone().find(is_tenants).cloned();
    let verb = match on_conflict {
        OnConflict::Error => "INSERT",
        OnConflict::Ignore => "INSERT OR IGNORE",
        OnConflict::Replace => "REPLACE",
    };
    let any = names.into_iter().find(|name| !is_tenants(name));
    let judged = format!(
        "{verb} INTO {} ({}) VALUES (NULL)",
        quote_identifier(&table.name),
        quote_identifier(any.map_or("none", String::as_str))
    );
    sql_scope::review(session.db, &judged, &session.policy(), scope)?;
    Ok(column.map(|column| Owner {
        column,
        value: scope.value().clone(),
    }))
}

/// Returns the table with a DEFAULT for the owner's column, so that a record without the column
/// differs from one that has NULL in it. The statement replaces this DEFAULT by the owner.
fn telling_absence(mut table: Table, owner: Option<&Owner>) -> Table {
    let is_owners = |name: &str| owner.is_some_and(|owner| owner.column.eq_ignore_ascii_case(name));
    for column in &mut table.columns {
        if is_owners(&column.info.name) {
            column.info.default_value = Some("(NULL)".to_owned());
        }
    }
    table
}

/// Returns the table with a name, if rows may be inserted into it.
fn writable_table<D: Database>(db: &D, name: &str) -> Result<Table> {
    sql_gate::require_writable_name(name)?;
    let table = inspect::load_table(db, name)?;
    match table.kind {
        TableKind::Table | TableKind::WithoutRowid | TableKind::Virtual => Ok(table),
        TableKind::View => Err(Error::invalid_with_hint(
            format!("{} is a view, which holds no rows", table.name),
            "load into the table that it reads",
        )),
        TableKind::Shadow => Err(Error::from(SqlError::SqlBlocked {
            reason: "shadow_table",
            message: format!("{} is the storage of a virtual table", table.name),
            hint: "load into the virtual table itself".to_owned(),
        })),
    }
}

fn check_new_name<D: Database>(db: &D, name: &str) -> Result<()> {
    sql_gate::require_new_name(name)?;
    if name.is_empty() || name.contains('\0') {
        return Err(Error::invalid(
            "the name of a table cannot be empty or contain NUL",
        ));
    }
    match inspect::load_table(db, name) {
        Ok(table) => Err(Error::from(SqlError::AlreadyExists {
            table: table.name,
            by: sql_gate::TableOrigin::Load,
        })),
        Err(error) if inspect::is_missing(&error) => Ok(()),
        Err(error) => Err(error),
    }
}

fn create_table<D: Database>(db: &D, name: &str, slots: &[Slot]) -> Result<()> {
    let mut parts = vec![
        Part::Sql("CREATE TABLE "),
        Part::Identifier(name),
        Part::Sql(" ("),
    ];
    for (index, slot) in slots.iter().enumerate() {
        if index > 0 {
            parts.push(Part::Sql(", "));
        }
        parts.extend([
            Part::Identifier(&slot.name),
            Part::Sql(" "),
            Part::Sql(slot.kinds.declared_type()),
        ]);
    }
    parts.push(Part::Sql(")"));
    let bound = compose(&parts, Vec::new());
    sql_gate::require_room(db, bound.sql().len() as u64)?;
    db.open(Statement::Reviewed(bound.reviewed()))
        .map(drop)
        .map_err(|error| sql_gate::explain::explain(db, &error, &bound))
}

/// The things that a request has created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Creation {
    /// Rows only.
    Rows,
    /// Rows and their table.
    Table,
}

/// Reports inserted rows to watchers.
fn tell_inserted<D: Database>(
    session: &Session<'_, D>,
    inserter: &Inserter<'_, D>,
    table: &str,
    made: Creation,
) {
    let is_new = made == Creation::Table;
    if is_new || inserter.inserted > 0 || inserter.counters.rows_written > 0 {
        session.tell_written(is_new, inserter.replaces(), &[table.to_owned()]);
    }
}

/// Adds one log entry for a load that inserted rows, because each entry is a billed write.
fn log_rows<D: Database>(session: &Session<'_, D>, records: u64, table: &str) -> Result<()> {
    if records == 0 {
        return Ok(());
    }
    logs::log(
        session.db,
        session.now_ms,
        &format!("loaded {records} rows into {table}"),
    )
}

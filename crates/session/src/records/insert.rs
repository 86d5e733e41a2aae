//! The statements that insert a chunk.
//!
//! `INSERT … SELECT value->>0, value->>1 … FROM jsonb_each(?)` reads a whole chunk from one bound
//! text, so the engine's limit on parameters does not matter and integers of 64 bits stay exact.
//! jsonb_each yields each row as binary JSON; a row as text would be parsed again for each column.
//! A row too long for one bound value is inserted by itself, value by value.
//!
//! If a row runs expressions of the caller (CHECK, computed columns, indexes on expressions), a
//! [`Meter`] estimates the work of each chunk before it is inserted, so that the sum over all
//! chunks of a request is bounded. Tables without such expressions are checked once. After each
//! chunk the meter adds the one cost that no estimate can know: the rows that the engine has read
//! for it, for example when it looks for child rows that wait for their parent.

mod weighing;

use base::CommonError;
use serde_json::value::RawValue;
use sql_gate::SqlError;

use super::OnConflict;
use super::encode::{Chunk, Shape, SlotUse};
use super::hex;
use super::owner::Owner;
use super::slot::Slot;
use crate::limits::MAX_BOUND_BYTES;
use base::{Error, Result};
use database::{Bind, Counters, Cursor, Database, DatabaseExt, Statement};
use sql_cost::{Meter, ReferringTables};
use sql_gate::compose::{Part, compose};
use sql_gate::{self, Bound};

/// The number of rows that the engine may read beyond the inserted ones before they count as work.
const FEW_READ_ROWS: u64 = 1_000;

const CHANGES: &str = "SELECT changes()";

/// The insertion of chunks into one table.
pub(crate) struct Inserter<'a, D: Database> {
    db: &'a D,
    meter: Meter<'a>,
    /// True if rows run expressions of the caller; `None` before the first chunk.
    computes: Option<bool>,
    /// The numbers of columns in the table's indexes; `None` before the first chunk.
    indexed: Option<(u64, u64)>,
    /// The other tables that the engine reads for each row; `None` before the first chunk.
    referring: Option<ReferringTables>,
    /// Rows that the engine has read beyond the inserted ones.
    read: u64,
    /// The estimates of earlier chunks, which are reused for similar ones.
    known: Vec<ChunkEstimate>,
    /// True if the estimates were made before the first chunk was inserted.
    foreseen: bool,
    table: &'a str,
    on_conflict: OnConflict,
    owner: Option<Owner>,
    guarded: bool,
    /// The number of inserted rows, without those that `ignore` skipped.
    pub(crate) inserted: u64,
    /// The cost of the statements so far.
    pub(crate) counters: Counters,
}

/// The estimate of a chunk. It also holds for a chunk that is no larger, until the number of rows
/// in the load has doubled.
struct ChunkEstimate {
    shape: Shape,
    rows: usize,
    bytes: usize,
    until: u64,
    work: f64,
}

/// The place of a chunk's text.
pub(crate) enum ChunkText<'a> {
    /// In memory.
    Text(&'a str),
    /// In the spill table.
    Spill {
        /// The id of the load.
        load_id: u64,
        /// The number of the chunk in the load.
        sequence: u64,
        /// The length of the text.
        bytes: usize,
    },
}

/// The properties of a chunk that are known without its text.
pub(crate) struct Outline<'a> {
    /// The columns of the load.
    pub(crate) slots: &'a [Slot],
    /// The use that the chunk makes of each slot.
    pub(crate) shape: &'a Shape,
    /// The number of its first record.
    pub(crate) first: u64,
    /// The number of its records.
    pub(crate) rows: usize,
}

impl<'a, D: Database> Inserter<'a, D> {
    /// Makes an inserter for a table whose name has been checked.
    pub(crate) fn new(
        db: &'a D,
        meter: Meter<'a>,
        table: &'a str,
        on_conflict: OnConflict,
    ) -> Self {
        Self {
            db,
            meter,
            computes: None,
            indexed: None,
            referring: None,
            read: 0,
            known: Vec::new(),
            foreseen: false,
            table,
            on_conflict,
            owner: None,
            guarded: false,
            inserted: 0,
            counters: Counters::default(),
        }
    }

    /// Gives the inserted rows to an owner.
    pub(crate) fn of(self, owner: Option<Owner>) -> Self {
        Self { owner, ..self }
    }

    /// Returns the columns that a chunk fills, except the owner's column, which the statement
    /// fills.
    fn columns<'s>(&self, outline: &Outline<'s>) -> Vec<(usize, &'s Slot, SlotUse)> {
        let mut columns = used_slots(outline);
        if let Some(owner) = &self.owner {
            columns.retain(|(_, slot, _)| !owner.is(slot));
        }
        columns
    }

    /// Refuses records that name another owner.
    fn require_own_rows(&self, outline: &Outline<'_>, source: &ChunkText<'_>) -> Result<()> {
        let Some(owner) = &self.owner else {
            return Ok(());
        };
        let named = used_slots(outline)
            .into_iter()
            .find(|(_, slot, _)| owner.is(slot));
        let Some((index, ..)) = named else {
            return Ok(());
        };
        let is_own = match source {
            ChunkText::Text(text) if text.len() > MAX_BOUND_BYTES => {
                let row = one_row(text)?;
                row.get(index).is_none_or(|value| owner.owns(value.get()))
            }
            ChunkText::Text(_) | ChunkText::Spill { .. } => self.others(owner, index, source)? == 0,
        };
        match is_own {
            true => Ok(()),
            false => Err(owner.refused()),
        }
    }

    /// Counts the rows of a chunk that name another owner. In a chunk, a list means that the record
    /// has no value for the column.
    fn others(&self, owner: &Owner, index: usize, source: &ChunkText<'_>) -> Result<u64> {
        let (place, mut binds) = source.place();
        let path = format!("$[{index}]");
        binds.push(owner.bind());
        let counting = compose(
            &[
                Part::Sql("SELECT count(*) FROM jsonb_each("),
                Part::Sql(place),
                Part::Sql(") WHERE coalesce(json_type(value, "),
                Part::Text(&path),
                Part::Sql("), 'array') <> 'array' AND CAST(value->>"),
                Part::Number(index as u64),
                Part::Sql(" AS TEXT) IS NOT ?"),
            ],
            binds,
        );
        let explained = |error| sql_gate::explain::explain(self.db, &error, &counting);
        let mut cursor = self
            .db
            .open(Statement::Reviewed(counting.reviewed()))
            .map_err(explained)?;
        let row = cursor.next().map_err(explained)?.unwrap_or_default();
        Ok(row.first().map_or(0, database::Cell::as_count))
    }

    /// Returns true if a row may replace others.
    pub(crate) fn replaces(&self) -> bool {
        self.on_conflict == OnConflict::Replace
    }

    /// Inserts a chunk that is in memory.
    ///
    /// # Errors
    /// The engine's, with the numbers of the records.
    pub(crate) fn insert(&mut self, slots: &[Slot], chunk: &Chunk) -> Result<()> {
        self.insert_from(&Outline::of(slots, chunk), &ChunkText::Text(&chunk.json))
    }

    /// Inserts a chunk from memory or from the spill table.
    ///
    /// # Errors
    /// The engine's, with the numbers of the records.
    pub(crate) fn insert_from(
        &mut self,
        outline: &Outline<'_>,
        source: &ChunkText<'_>,
    ) -> Result<()> {
        self.require_own_rows(outline, source)?;
        self.require_guarded(outline)?;
        let bytes = match source {
            ChunkText::Text(text) => text.len(),
            ChunkText::Spill { bytes, .. } => *bytes,
        };
        if std::mem::take(&mut self.foreseen) {
            self.known.clear();
        }
        let meter = self.meter.clone();
        self.weigh(&meter, outline, bytes)?;
        let bound = match source {
            ChunkText::Text(text) if text.len() > MAX_BOUND_BYTES => {
                self.large_row(outline, text)?
            }
            ChunkText::Text(_) | ChunkText::Spill { .. } => {
                let (place, binds) = source.place();
                self.statement(outline, place, binds)
            }
        };
        let cursor = self
            .db
            .open(Statement::Reviewed(bound.reviewed()))
            .map_err(|error| {
                let last = (outline.first + outline.rows as u64).saturating_sub(1);
                locate(
                    sql_gate::explain::explain(self.db, &error, &bound),
                    outline.first,
                    last,
                )
            })?;
        let counted = cursor.counters();
        self.counters += counted;
        drop(cursor);
        self.add_read(
            &meter,
            counted.rows_read.saturating_sub(outline.rows as u64),
        )?;
        if let Some(referring) = &mut self.referring {
            referring.grew(outline.rows as u64, bytes as u64);
        }
        self.inserted += self
            .db
            .cell(CHANGES, &[])?
            .map_or(0, |cell| cell.as_count());
        Ok(())
    }

    /// Returns the INSERT for a chunk. If rows run expressions, it inserts at most as many rows as
    /// the outline says, because only these were estimated.
    fn statement(&self, outline: &Outline<'_>, source: &'static str, binds: Vec<Bind>) -> Bound {
        let columns = self.columns(outline);
        let paths: Vec<(String, String)> = columns
            .iter()
            .map(|(index, ..)| (format!("$[{index}]"), format!("$[{index}].b")))
            .collect();
        let mut parts = self.head(&columns);
        parts.push(Part::Sql(") SELECT "));
        let mut all = Vec::new();
        if let Some(owner) = &self.owner {
            parts.extend([owner.place(), comma_before(&columns)]);
            all.push(owner.bind());
        }
        all.extend(binds);
        for (place, ((index, slot, slot_use), (path, blob_path))) in
            columns.iter().zip(&paths).enumerate()
        {
            if place > 0 {
                parts.push(Part::Sql(", "));
            }
            let plain = [Part::Sql("value->>"), Part::Number(*index as u64)];
            if !slot_use.defaulted && !slot_use.blob {
                parts.extend(plain);
                continue;
            }
            // A row that was written before the load knew the column is shorter, which means the
            // same as the mark for a missing value.
            parts.extend([
                Part::Sql("CASE coalesce(json_type(value, "),
                Part::Text(path),
                Part::Sql("), 'array')"),
            ]);
            if slot_use.blob {
                parts.extend([
                    Part::Sql(" WHEN 'object' THEN unhex(value->>"),
                    Part::Text(blob_path),
                    Part::Sql(")"),
                ]);
            }
            if let (true, Some(default)) = (slot_use.defaulted, &slot.default) {
                parts.extend([
                    Part::Sql(" WHEN 'array' THEN ("),
                    default_value(default),
                    Part::Sql(")"),
                ]);
            }
            parts.push(Part::Sql(" ELSE "));
            parts.extend(plain);
            parts.push(Part::Sql(" END"));
        }
        parts.extend([
            Part::Sql(" FROM jsonb_each("),
            Part::Sql(source),
            Part::Sql(")"),
        ]);
        if self.computes == Some(true) {
            parts.extend([Part::Sql(" LIMIT "), Part::Number(outline.rows as u64)]);
        }
        compose(&parts, all)
    }

    /// Returns `INSERT INTO t (a, b`.
    fn head<'s>(&'s self, columns: &[(usize, &'s Slot, SlotUse)]) -> Vec<Part<'s>> {
        let verb = match self.on_conflict {
            OnConflict::Error => "INSERT INTO ",
            OnConflict::Ignore => "INSERT OR IGNORE INTO ",
            OnConflict::Replace => "INSERT OR REPLACE INTO ",
        };
        let mut parts = vec![
            Part::Sql(verb),
            Part::Identifier(self.table),
            Part::Sql(" ("),
        ];
        if let Some(owner) = &self.owner {
            parts.extend([Part::Identifier(&owner.column), comma_before(columns)]);
        }
        for (place, (_, slot, _)) in columns.iter().enumerate() {
            if place > 0 {
                parts.push(Part::Sql(", "));
            }
            parts.push(Part::Identifier(&slot.name));
        }
        parts
    }

    /// Returns the INSERT for one row whose text is longer than a bound value: each of its values
    /// is bound separately.
    fn large_row(&self, outline: &Outline<'_>, text: &str) -> Result<Bound> {
        let row = one_row(text)?;
        let columns = self.columns(outline);
        let mut parts = self.head(&columns);
        parts.push(Part::Sql(") VALUES ("));
        let mut binds = Vec::new();
        if let Some(owner) = &self.owner {
            parts.extend([owner.place(), comma_before(&columns)]);
            binds.push(owner.bind());
        }
        for (place, (index, slot, _)) in columns.iter().enumerate() {
            if place > 0 {
                parts.push(Part::Sql(", "));
            }
            bind_value(
                row.get(*index).map_or("[]", |raw| raw.get()),
                slot,
                &mut parts,
                &mut binds,
            )?;
        }
        parts.push(Part::Sql(")"));
        Ok(compose(&parts, binds))
    }
}

impl<'a> Outline<'a> {
    /// Makes the outline of a chunk that is in memory.
    pub(crate) fn of(slots: &'a [Slot], chunk: &'a Chunk) -> Self {
        Self {
            slots,
            shape: &chunk.shape,
            first: chunk.first,
            rows: chunk.rows,
        }
    }
}

/// Returns the first row of a chunk.
fn one_row(text: &str) -> Result<Vec<&RawValue>> {
    let rows: Vec<Vec<&RawValue>> = serde_json::from_str(text)
        .map_err(|error| Error::internal(format!("a row of a load is unreadable: {error}")))?;
    Ok(rows.into_iter().next().unwrap_or_default())
}

/// Returns the comma before the owner's column, or nothing if it is the only one.
fn comma_before(columns: &[(usize, &Slot, SlotUse)]) -> Part<'static> {
    Part::Sql(if columns.is_empty() { "" } else { ", " })
}

impl ChunkText<'_> {
    /// Returns the SQL expression for the text in a statement, and its parameters.
    fn place(&self) -> (&'static str, Vec<Bind>) {
        match self {
            // As bytes: a text would be converted to a JavaScript string and back.
            Self::Text(text) => (
                "CAST(? AS TEXT)",
                vec![Bind::Blob(text.as_bytes().to_vec())],
            ),
            Self::Spill {
                load_id, sequence, ..
            } => (
                "(SELECT chunk FROM _codemode_stage WHERE load_id = ? AND sequence = ?)",
                vec![Bind::number(*load_id), Bind::number(*sequence)],
            ),
        }
    }
}

/// Returns the slots that a chunk fills. A chunk of empty records still inserts rows, so it names
/// one column.
fn used_slots<'s>(outline: &Outline<'s>) -> Vec<(usize, &'s Slot, SlotUse)> {
    let uses = outline
        .shape
        .0
        .iter()
        .copied()
        .chain(std::iter::repeat(SlotUse::default()));
    let all = outline
        .slots
        .iter()
        .zip(uses)
        .enumerate()
        .map(|(index, (slot, slot_use))| (index, slot, slot_use));
    let used: Vec<_> = all
        .clone()
        .filter(|(_, _, slot_use)| slot_use.present)
        .collect();
    if used.is_empty() {
        all.take(1).collect()
    } else {
        used
    }
}

fn bind_value<'s>(
    value: &str,
    slot: &'s Slot,
    parts: &mut Vec<Part<'s>>,
    binds: &mut Vec<Bind>,
) -> Result<()> {
    let unreadable = |error: serde_json::Error| {
        Error::internal(format!("a value of a load is unreadable: {error}"))
    };
    match value.as_bytes().first() {
        Some(b'"') => {
            parts.push(Part::Sql("?"));
            binds.push(Bind::Text(serde_json::from_str(value).map_err(unreadable)?));
        }
        Some(b'n') => parts.push(Part::Sql("NULL")),
        Some(b'[') => match &slot.default {
            Some(default) => parts.extend([Part::Sql("("), default_value(default), Part::Sql(")")]),
            None => parts.push(Part::Sql("NULL")),
        },
        Some(b'{') => {
            // The hexadecimal text may be longer than a bound value, the bytes are not.
            let digits = value
                .strip_prefix("{\"b\":\"")
                .and_then(|rest| rest.strip_suffix("\"}"))
                .unwrap_or_default();
            parts.push(Part::Sql("?"));
            binds.push(Bind::Blob(hex::decode(digits)));
        }
        _ => {
            parts.push(Part::Sql("?->>'$'"));
            binds.push(Bind::text(value));
        }
    }
    Ok(())
}

/// Returns a stored DEFAULT as an expression. There, and only there, SQLite reads a bare or
/// double-quoted name as a text.
pub(crate) fn default_value(stored: &str) -> Part<'_> {
    const WORDS: &[&str] = &[
        "null",
        "true",
        "false",
        "current_time",
        "current_date",
        "current_timestamp",
    ];
    if let Some(quoted) = stored
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        && !quoted.contains('"')
    {
        return Part::Text(quoted);
    }
    let bare = stored
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !stored.starts_with(|first: char| first.is_ascii_digit());
    if bare && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(stored)) {
        return Part::Text(stored);
    }
    Part::StoredDefault(stored)
}

/// Adds the numbers of the records to an error.
fn locate(error: Error, first: u64, last: u64) -> Error {
    let place = if first == last {
        format!(" (record {first})")
    } else {
        format!(" (in records {first} to {last})")
    };
    let error = match error.into_problem() {
        Ok(CommonError::TooBig { message, hint }) => {
            return Error::from(CommonError::TooBig {
                message: message + &place,
                hint,
            });
        }
        Ok(other) => return other.into(),
        Err(error) => error,
    };
    match error.into_problem() {
        Ok(SqlError::ConstraintFailed {
            kind,
            table,
            columns,
            message,
        }) => Error::from(SqlError::ConstraintFailed {
            kind,
            table,
            columns,
            message: message + &place,
        }),
        Ok(SqlError::DatatypeMismatch { message }) => Error::from(SqlError::DatatypeMismatch {
            message: message + &place,
        }),
        Ok(other) => other.into(),
        Err(other) => other,
    }
}

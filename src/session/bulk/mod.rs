//! Bulk data on its way into a table: `batchInsert`, and the streamed load of `PUT /tables/{table}/rows`.
//!
//! All or nothing: the rows appear in one transaction or not at all. The data never becomes Rust values; it goes in as JSON text that
//! SQLite reads. Contents: `scanner` and `csv` find records in bytes, `record` and `encode` make chunks of them, `stage`
//! keeps the chunks of a long load, `insert` has the statements, `kinds` the types of a new table.

mod csv;
mod csv_shape;
mod encode;
mod hex;
mod insert;
mod kinds;
mod record;
mod scanner;
mod stage;

use serde_json::json;

pub(super) use self::encode::{Shape, Slot, SlotUse};
pub(super) use self::hex::append as append_hex;
pub(super) use self::insert::{Inserter, Outline, Source, default_value};
pub(super) use self::kinds::Kinds;
pub(super) use self::record::{append_text as append_json_text, append_value as append_json_value};

use self::csv::CsvReader;
use self::encode::{Chunk, Encoder, Target};
use self::scanner::Scanner;
use self::stage::Stage;
use super::fields::Fields;
use super::{Answer, Session, logs};
use crate::database::{Database, Statement};
use crate::error::{Error, Result};
use crate::limits::MAX_BOUND_BYTES;
use crate::schema::inspect::{self, Table, TableKind};
use crate::sql;
use crate::sql::compose::{Part, compose};

/// What becomes of a row that a constraint refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// The whole load fails.
    #[default]
    Error,
    /// The row is left out.
    Ignore,
    /// The row takes the place of those it conflicts with.
    Replace,
}

impl OnConflict {
    /// Reads `onConflict`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for any other word.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        match text {
            None | Some("error") => Ok(Self::Error),
            Some("ignore") => Ok(Self::Ignore),
            Some("replace") => Ok(Self::Replace),
            Some(other) => Err(Error::invalid(format!(
                "onConflict must be error, ignore or replace, not {other:?}"
            ))),
        }
    }
}

/// What the body of a load is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON objects one after another, or one array of them.
    Json,
    /// CSV with a header row.
    Csv,
}

impl Format {
    /// Reads a Content-Type.
    ///
    /// # Errors
    /// [`Error::UnsupportedMediaType`].
    pub fn from_content_type(content_type: &str) -> Result<Self> {
        let essence = content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        match essence.as_str() {
            "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl"
            | "application/x-jsonlines"
            | "application/json" => Ok(Self::Json),
            "text/csv" => Ok(Self::Csv),
            _ => Err(Error::UnsupportedMediaType {
                content_type: content_type.to_owned(),
            }),
        }
    }
}

/// Whether the table of a load is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Destination {
    /// It is.
    #[default]
    Existing,
    /// It is made, with types that hold every value of the load.
    Create,
}

/// What a load is to do.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// The table.
    pub table: String,
    /// What the body is.
    pub format: Format,
    /// Whether the table is there.
    pub destination: Destination,
    /// What becomes of refused rows.
    pub on_conflict: OnConflict,
}

/// A load whose body arrives in pieces. [`Load::feed`] every piece, then [`Load::finish`]; a load that is dropped before that, or has
/// failed, leaves nothing behind.
pub struct Load<'a, D: Database> {
    session: Session<'a, D>,
    request: LoadRequest,
    /// The table as it was when the load began.
    table: Option<Table>,
    reader: Reader,
    encoder: Encoder,
    stage: Stage<'a, D>,
    received_bytes: u64,
}

enum Reader {
    Json(Scanner),
    Csv(Box<CsvReader>),
}

impl<'a, D: Database> Load<'a, D> {
    /// Begins a load.
    ///
    /// # Errors
    /// [`Error::NoSuchTable`], [`Error::AlreadyExists`] for a table that is to be made, or a refusal for a name that is not the caller's.
    pub fn new(session: Session<'a, D>, mut request: LoadRequest) -> Result<Self> {
        let table = match request.destination {
            Destination::Existing => Some(writable_table(session.db, &request.table)?),
            Destination::Create => {
                check_new_name(session.db, &request.table)?;
                None
            }
        };
        if let Some(table) = &table {
            request.table.clone_from(&table.name);
        }
        let reader = match request.format {
            Format::Json => Reader::Json(Scanner::default()),
            Format::Csv => Reader::Csv(Box::new(CsvReader::new())),
        };
        let target = table.clone().map_or(Target::Inferred, Target::Existing);
        Ok(Self {
            session,
            request,
            table,
            reader,
            encoder: Encoder::new(target),
            stage: Stage::new(session.db),
            received_bytes: 0,
        })
    }

    /// Takes a piece of the body. After an error the load is over.
    ///
    /// # Errors
    /// What is wrong with the data, [`Error::PayloadTooLarge`], or the engine's.
    pub fn feed(&mut self, piece: &[u8]) -> Result<()> {
        self.received_bytes += piece.len() as u64;
        let limit_bytes = self.session.config.max_load_bytes;
        if self.received_bytes > limit_bytes {
            return Err(Error::PayloadTooLarge { limit_bytes });
        }
        let Self {
            reader,
            encoder,
            stage,
            ..
        } = self;
        match reader {
            Reader::Json(scanner) => {
                scanner.feed(piece, &mut |record| match encoder.record(record)? {
                    Some(chunk) => stage.push(chunk),
                    None => Ok(()),
                })
            }
            Reader::Csv(reader) => reader.feed(piece, encoder, &mut |chunk| stage.push(chunk)),
        }
    }

    /// Inserts everything in one transaction.
    ///
    /// # Errors
    /// What is wrong with the data, or the engine's; nothing has been inserted then.
    pub fn finish(mut self) -> Result<Answer> {
        let Self {
            reader,
            encoder,
            stage,
            ..
        } = &mut self;
        match reader {
            Reader::Json(scanner) => scanner.finish()?,
            Reader::Csv(reader) => reader.finish(encoder, &mut |chunk| stage.push(chunk))?,
        }
        if let Some(chunk) = encoder.finish() {
            stage.push(chunk)?;
        }
        if self.encoder.infers() && self.encoder.slots().is_empty() {
            return Err(Error::InvalidBody {
                message: "there is no record to infer the columns from".to_owned(),
                hint: Some(
                    "send at least one record, or create the table with createTable".to_owned(),
                ),
            });
        }
        let (db, slots, records) = (
            self.session.db,
            self.encoder.slots(),
            self.encoder.records(),
        );
        let mut inserter = Inserter::new(
            db,
            self.session.policy(),
            &self.request.table,
            self.request.on_conflict,
        );
        db.transaction(&mut || {
            self.prepare_table()?;
            for chunk in self.stage.chunks() {
                match chunk.read()? {
                    stage::Content::Here(text) => {
                        inserter.insert_from(&chunk.outline(slots), &Source::Text(text))?
                    }
                    stage::Content::Joined(text) => {
                        inserter.insert_from(&chunk.outline(slots), &Source::Text(&text))?
                    }
                    stage::Content::Staged { load_id, sequence } => {
                        inserter.insert_from(
                            &chunk.outline(slots),
                            &Source::Stage { load_id, sequence },
                        )?;
                    }
                }
            }
            self.stage.discard()?;
            log_rows(&self.session, records, &self.request.table)
        })?;
        let (inserted, counters, chunks) = (inserter.inserted, inserter.counters, self.stage.len());
        self.stage.forget();
        let mut body = json!({ "rowsWritten": records, "inserted": inserted, "chunks": chunks });
        if self.encoder.infers() {
            let columns: Vec<_> = self
                .encoder
                .slots()
                .iter()
                .map(|slot| json!({ "name": slot.name, "type": slot.kinds.declared_type() }))
                .collect();
            if let Some(fields) = body.as_object_mut() {
                fields.insert("columns".to_owned(), columns.into());
            }
        }
        Ok(Answer::new(body, counters))
    }

    /// Makes the table, or makes sure that it is as it was when the load began.
    fn prepare_table(&self) -> Result<()> {
        let db = self.session.db;
        let Some(table) = &self.table else {
            check_new_name(db, &self.request.table)?;
            self.session.memo.schema_changed();
            return create_table(db, &self.request.table, self.encoder.slots());
        };
        if inspect::load_table(db, &table.name)? == *table {
            return Ok(());
        }
        Err(Error::Busy {
            message: format!(
                "the table {} was changed while the load was arriving",
                table.name
            ),
        })
    }
}

/// batchInsert: `{table, records, onConflict?}`.
///
/// # Errors
/// What is wrong with the data, or the engine's; nothing has been inserted then.
pub(super) fn batch_insert<D: Database>(
    session: &Session<'_, D>,
    fields: &Fields<'_>,
) -> Result<Answer> {
    let records = fields.raw("records")?.get();
    if !records.starts_with('[') {
        return Err(Error::invalid_with_hint(
            "the field records must be an array of objects",
            r#"send [{"column":"value"}, …]"#,
        ));
    }
    let on_conflict = OnConflict::parse(fields.optional_string("onConflict")?.as_deref())?;
    let table = writable_table(session.db, &fields.string("table")?)?;
    let name = table.name.clone();
    let mut inserter = Inserter::new(session.db, session.policy(), &name, on_conflict);
    let mut encoder = Encoder::new(Target::Existing(table));
    let mut chunks = 0_u64;
    session.db.transaction(&mut || {
        let mut scanner = Scanner::default();
        let mut insert = |encoder: &Encoder, chunk: &Chunk| {
            chunks += 1;
            inserter.insert(encoder.slots(), chunk)
        };
        scanner.feed(
            records.as_bytes(),
            &mut |record| match encoder.record(record)? {
                Some(chunk) => insert(&encoder, &chunk),
                None => Ok(()),
            },
        )?;
        scanner.finish()?;
        if let Some(chunk) = encoder.finish() {
            insert(&encoder, &chunk)?;
        }
        log_rows(session, encoder.records(), &name)
    })?;
    let body = json!({ "rowsWritten": encoder.records(), "inserted": inserter.inserted, "chunks": chunks });
    Ok(Answer::new(body, inserter.counters))
}

/// The same for rows that come as arrays in the order of `columns`, in pieces: the first line of the body is
/// `{table, columns, counts, onConflict?}`, each further line a JSON array of rows. A program's batchInsert arrives so, because the text of a
/// piece goes to SQLite as it is.
///
/// # Errors
/// What is wrong with the data, or the engine's; nothing has been inserted then.
pub fn insert_pieces<D: Database>(session: &Session<'_, D>, body: &str) -> Result<Answer> {
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
    let columns: Vec<String> = fields.read("columns")?;
    let counts: Vec<u64> = fields.read("counts")?;
    if pieces.split('\n').count() != counts.len() {
        return Err(Error::invalid(
            "there must be a count for each piece of rows",
        ));
    }
    let on_conflict = OnConflict::parse(fields.optional_string("onConflict")?.as_deref())?;
    let table = writable_table(session.db, &fields.string("table")?)?;
    let name = table.name.clone();
    let mut encoder = Encoder::new(Target::Existing(table));
    encoder.header(&columns)?;
    let (slots, shape) = (encoder.slots(), Shape::full(columns.len()));
    let mut inserter = Inserter::new(session.db, session.policy(), &name, on_conflict);
    let records = counts
        .iter()
        .fold(0_u64, |sum, count| sum.saturating_add(*count));
    session.db.transaction(&mut || {
        let mut first = 1_u64;
        for (piece, rows) in pieces.split('\n').zip(&counts) {
            if piece.len() > MAX_BOUND_BYTES {
                return Err(Error::invalid("a piece of rows is too long"));
            }
            let outline = Outline {
                slots,
                shape: &shape,
                first,
                rows: usize::try_from(*rows).unwrap_or(usize::MAX),
            };
            inserter.insert_from(&outline, &Source::Text(piece))?;
            first = first.saturating_add(*rows);
        }
        log_rows(session, records, &name)
    })?;
    let body =
        json!({ "rowsWritten": records, "inserted": inserter.inserted, "chunks": counts.len() });
    Ok(Answer::new(body, inserter.counters))
}

/// The table of a name, if rows may go into it.
fn writable_table<D: Database>(db: &D, name: &str) -> Result<Table> {
    sql::require_writable_name(name)?;
    let table = inspect::load_table(db, name)?;
    match table.kind {
        TableKind::Table | TableKind::WithoutRowid | TableKind::Virtual => Ok(table),
        TableKind::View => Err(Error::invalid_with_hint(
            format!("{} is a view, which holds no rows", table.name),
            "load into the table that it reads",
        )),
        TableKind::Shadow => Err(Error::SqlBlocked {
            reason: "shadow_table",
            message: format!("{} is the storage of a virtual table", table.name),
            hint: "load into the virtual table itself".to_owned(),
        }),
    }
}

fn check_new_name<D: Database>(db: &D, name: &str) -> Result<()> {
    sql::require_new_name(name)?;
    if name.is_empty() || name.contains('\0') {
        return Err(Error::invalid(
            "the name of a table cannot be empty or contain NUL",
        ));
    }
    match inspect::load_table(db, name) {
        Ok(table) => Err(Error::AlreadyExists { table: table.name }),
        Err(Error::NoSuchTable { .. }) => Ok(()),
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
    db.open(Statement::Reviewed(&bound))
        .map(drop)
        .map_err(|error| sql::explain::explain(db, &error, &bound))
}

/// One entry for a load that brought rows: an entry is a billed write.
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

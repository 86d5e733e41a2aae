//! The load of `PUT /tables/{table}/rows`: a body that arrives in pieces becomes rows of one table,
//! in one transaction.
//!
//! `inflate` unpacks the pieces and `decode` makes UTF-8 of them. The load holds the first pieces
//! until `sniff` can tell the format; from then on, the reader for that format takes each piece as
//! it arrives. With [`Destination::Staged`] the load holds the whole body, because `staging` reads
//! it twice.

use base::CommonError;

use super::csv::CsvReader;
use super::decode::Decoding;
use super::envelope::Envelope;
use super::inflate::Inflate;
use super::markdown::{self, MarkdownReader};
use super::request::{Coding, Destination, Format, LoadRequest, for_csv};
use super::scanner::{Scanner, check_size};
use super::sniff::Blanks;
use super::spill::Spill;
use super::{check_new_name, sniff, wrapped, writable_table};
use crate::inspect::Table;
use crate::limits::{MAX_RECORD_BYTES, MAX_STAGED_BODY_BYTES};
use crate::records::{Encoder, Target};
use crate::{Reply, Session, staging};
use base::json::is_deeper_than;
use base::limits::MAX_UPSTREAM_DEPTH;
use base::quoted::printed;
use base::{Error, Result};
use database::Database;
use sql_gate::SqlError;

/// The number of characters that a message shows of a JSON key.
const NAME_CHARACTERS: usize = 64;

/// A load whose body arrives in pieces. Call [`Load::feed`] with every piece, then
/// [`Load::finish`]. A load that fails, or is dropped before it is finished, leaves nothing behind.
pub struct Load<'a, D: Database> {
    request: LoadRequest,
    inflate: Option<Box<Inflate>>,
    decoding: Decoding,
    received_bytes: u64,
    rows: Rows<'a, D>,
}

/// The processing of the unpacked body.
pub(super) struct Rows<'a, D: Database> {
    pub(super) session: Session<'a, D>,
    /// The table as it was when the load began.
    pub(super) table: Option<Table>,
    reader: Reader,
    pub(super) encoder: Encoder,
    pub(super) spill: Spill<'a, D>,
    unpacked_bytes: u64,
    envelope: Envelope,
    /// Properties of the body that its sender may not expect.
    pub(super) notices: Vec<String>,
}

enum Reader {
    /// The beginning of the body, until the format is known.
    Head(Vec<u8>),
    Records(Scanner),
    /// An array of records, or one object that wraps a list. `first` holds the first object until a
    /// second one follows or the body ends.
    Document {
        scanner: Scanner,
        first: Option<String>,
        /// The treatment of an object without a list.
        alone: LoneObject,
    },
    Csv(Box<CsvReader>),
    Markdown(MarkdownReader),
    /// The whole body, for staging.
    Whole(Vec<u8>),
}

/// The treatment of a single object without a list of records, in a body that may be meant as an
/// array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoneObject {
    /// It is a record: a line of NDJSON looks the same.
    Record,
    /// It is rejected.
    Refused,
}

/// Adds to the error for an unknown table how a load makes it.
fn naming_creation(error: Error) -> Error {
    match error.into_problem() {
        Ok(SqlError::NoSuchTable {
            table, suggestions, ..
        }) => Error::from(SqlError::NoSuchTable {
            table,
            suggestions,
            hint: Some("add ?create=true to make the table from the data".to_owned()),
        }),
        Ok(other) => other.into(),
        Err(other) => other,
    }
}

impl<'a, D: Database> Load<'a, D> {
    /// Begins a load.
    ///
    /// # Errors
    /// [`sql_gate::SqlError::NoSuchTable`]; [`sql_gate::SqlError::AlreadyExists`] for a new table;
    /// a refusal for a name that the caller must not use.
    pub fn new(session: Session<'a, D>, mut request: LoadRequest) -> Result<Self> {
        let table = match request.destination {
            Destination::Existing => {
                Some(writable_table(session.db, &request.table).map_err(naming_creation)?)
            }
            Destination::Create => {
                check_new_name(session.db, &request.table)?;
                None
            }
            Destination::Staged => {
                staging::check_load(&session, &request.table)?;
                None
            }
        };
        if let Some(table) = &table {
            request.table.clone_from(&table.name);
        }
        let target = table.clone().map_or(Target::Inferred, Target::Existing);
        let inflate = match request.coding {
            Coding::Identity => None,
            Coding::Gzip => Some(Box::new(Inflate::new())),
        };
        Ok(Self {
            decoding: Decoding::new(request.encoding.as_deref(), request.decoders)?,
            inflate,
            received_bytes: 0,
            rows: Rows {
                session,
                table,
                reader: Reader::Head(Vec::new()),
                encoder: Encoder::observing(target, request.reading.missing.clone()),
                spill: Spill::new(session.db),
                unpacked_bytes: 0,
                envelope: Envelope::default(),
                notices: Vec::new(),
            },
            request,
        })
    }

    /// Takes a piece of the body. After an error the load must not be used.
    ///
    /// # Errors
    /// An error in the data, [`CommonError::PayloadTooLarge`], or the engine's error.
    pub fn feed(&mut self, piece: &[u8]) -> Result<()> {
        self.received_bytes += piece.len() as u64;
        let limit_bytes = self.rows.session.settings.max_load_bytes;
        if self.received_bytes > limit_bytes {
            return Err(Error::from(CommonError::PayloadTooLarge { limit_bytes }));
        }
        let Self {
            request,
            inflate,
            decoding,
            rows,
            ..
        } = self;
        let mut decode =
            |piece: &[u8]| decoding.feed(piece, false, &mut |text| rows.take(request, text));
        match inflate {
            None => decode(piece),
            Some(inflate) => inflate.feed(piece, &mut decode),
        }
    }

    /// Inserts everything in one transaction.
    ///
    /// # Errors
    /// An error in the data, or the engine's error; in both cases no row was inserted.
    pub fn finish(mut self) -> Result<Reply> {
        let Self {
            request,
            inflate,
            decoding,
            rows,
            ..
        } = &mut self;
        if let Some(inflate) = inflate {
            inflate.finish(&mut |piece| {
                decoding.feed(piece, false, &mut |text| rows.take(request, text))
            })?;
        }
        decoding.feed(&[], true, &mut |text| rows.take(request, text))?;
        let held = rows.envelope.finish();
        rows.take_data(request, &held)?;
        rows.notices.extend(decoding.notice());
        rows.notices.extend(rows.envelope.notices());
        if let Reader::Head(head) = &mut rows.reader {
            let head = std::mem::take(head);
            rows.begin(request, &head, BodyExtent::Complete)?;
        }
        if let Reader::Whole(body) = &mut rows.reader {
            let body = std::mem::take(body);
            return rows.stage_whole(request, body);
        }
        rows.end_reading()?;
        self.rows.insert(&self.request)
    }
}

/// The part of a body that has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyExtent {
    Complete,
    Partial,
}

impl<D: Database> Rows<'_, D> {
    /// Takes a piece of the unpacked body.
    fn take(&mut self, request: &LoadRequest, piece: &[u8]) -> Result<()> {
        let data = self.envelope.data(piece)?;
        self.take_data(request, &data)
    }

    /// Takes a piece of the data in the envelope.
    fn take_data(&mut self, request: &LoadRequest, piece: &[u8]) -> Result<()> {
        self.unpacked_bytes += piece.len() as u64;
        let limit_bytes = match request.destination {
            Destination::Staged => {
                (self.session.settings.max_load_bytes).min(MAX_STAGED_BODY_BYTES as u64)
            }
            Destination::Existing | Destination::Create => self.session.settings.max_load_bytes,
        };
        if self.unpacked_bytes > limit_bytes {
            return Err(Error::from(CommonError::PayloadTooLarge { limit_bytes }));
        }
        if let Reader::Head(head) = &mut self.reader {
            let room = sniff::HEAD_BYTES.saturating_sub(head.len());
            let (held, rest) = piece.split_at(piece.len().min(room));
            head.extend_from_slice(held);
            if head.len() < sniff::HEAD_BYTES {
                return Ok(());
            }
            let head = std::mem::take(head);
            self.begin(request, &head, BodyExtent::Partial)?;
            return self.read(rest);
        }
        self.read(piece)
    }

    /// Determines the format by the beginning of the body, and starts its reader.
    fn begin(&mut self, request: &LoadRequest, head: &[u8], extent: BodyExtent) -> Result<()> {
        sniff::require_data(head)?;
        let looks_like_json = matches!(sniff::first_byte(head), Some(b'{' | b'['));
        let unsaid = matches!(request.format, Format::Unsaid | Format::Form);
        let format = match request.format {
            Format::Unsaid | Format::Form if looks_like_json => Format::JsonDocument,
            Format::Unsaid | Format::Form => Format::Csv,
            said @ (Format::Json | Format::JsonDocument | Format::Csv | Format::Tsv) => said,
        };
        if unsaid && !head.is_empty() {
            let name = if looks_like_json { "JSON" } else { "CSV" };
            self.notices.push(format!(
                "The request has no content-type; the body was read as {name}."
            ));
        }
        let is_csv = matches!(format, Format::Csv | Format::Tsv);
        if let (false, [name, ..]) = (is_csv, request.reading_parameters.as_slice()) {
            return Err(for_csv(name, "the body is"));
        }
        if request.destination == Destination::Staged {
            self.reader = Reader::Whole(Vec::new());
        } else if is_csv {
            let data = self.begin_csv(request, format, head, extent)?;
            return self.read(data);
        } else if format == Format::JsonDocument {
            self.reader = Reader::Document {
                scanner: Scanner::of_document(),
                first: None,
                alone: if unsaid {
                    LoneObject::Record
                } else {
                    LoneObject::Refused
                },
            };
        } else {
            self.reader = Reader::Records(Scanner::default());
        }
        self.read(head)
    }

    /// Prepares the reader of a CSV. Returns the head without a line that is not data.
    fn begin_csv<'h>(
        &mut self,
        request: &LoadRequest,
        format: Format,
        head: &'h [u8],
        extent: BodyExtent,
    ) -> Result<&'h [u8]> {
        if sniff::is_json(head) {
            return Err(Error::from(CommonError::InvalidBody {
                message: "the body is JSON, and its content-type says CSV".to_owned(),
                hint: Some(
                    "send content-type: application/json, or application/x-ndjson for one object a line"
                        .to_owned(),
                ),
            }));
        }
        if request.delimiter.is_none() && markdown::is_table(sniff::without_mark(head)) {
            self.notices
                .push("The body was read as a Markdown table.".to_owned());
            self.reader = Reader::Markdown(MarkdownReader::default());
            return Ok(head);
        }
        if sniff::is_drawn(head) {
            return Err(sniff::drawn());
        }
        if request.delimiter.is_none() && markdown::is_table_behind_text(head) {
            return Err(markdown::behind_text());
        }
        let is_complete = extent == BodyExtent::Complete;
        let separator = sniff::separator_line(head);
        let head = match separator {
            Some((_, data)) => head.get(data..).unwrap_or_default(),
            None => head,
        };
        let named = request
            .delimiter
            .or(separator.map(|(delimiter, _)| delimiter));
        if let (None, Some((delimiter, _))) = (request.delimiter, separator) {
            self.notices.push(format!(
                "The first line names the delimiter, {}, and is not data.",
                sniff::delimiter_name(delimiter)
            ));
        }
        let delimiter = match (named, format) {
            (Some(delimiter), _) => delimiter,
            (None, Format::Tsv) => b'\t',
            (None, _) => self.found_delimiter(head, is_complete),
        };
        let is_told = self
            .notices
            .iter()
            .any(|notice| notice.contains("?delimiter="));
        if !is_told {
            self.notices
                .extend(sniff::other_delimiter(head, delimiter, is_complete));
        }
        if let Some(line) = sniff::only_line(head) {
            self.check_only_line(request, line, delimiter, extent)?;
        }
        let lines = u64::from(separator.is_some());
        let reader = CsvReader::new(delimiter, lines);
        self.reader = Reader::Csv(Box::new(
            if delimiter == b' ' && sniff::has_runs(head, is_complete) {
                reader.with_runs()
            } else {
                reader
            },
        ));
        Ok(head)
    }

    /// Finds the delimiter of a file whose sender does not name it.
    fn found_delimiter(&mut self, head: &[u8], is_complete: bool) -> u8 {
        if let Some(blanks) = sniff::blank_columns(head, is_complete) {
            let spaces = match blanks {
                Blanks::Single => "spaces",
                Blanks::Runs => "any number of spaces",
            };
            self.notices
                .push(format!("The fields were read with {spaces} between them."));
            return b' ';
        }
        let guess = sniff::guess_delimiter(head, is_complete);
        self.notice_guess(guess);
        guess.delimiter
    }

    fn notice_guess(&mut self, guess: sniff::Guess) {
        if let Some((one, other)) = guess.doubt {
            self.notices.push(format!(
                "The fields were read with commas between them; {} or {} would fit as well: use ?delimiter= to choose.",
                sniff::delimiter_name(one),
                sniff::delimiter_name(other)
            ));
        } else if guess.delimiter != b',' {
            self.notices.push(format!(
                "The fields were read with {} between them.",
                sniff::delimiter_name(guess.delimiter)
            ));
        }
    }

    /// Accepts a header without rows, and rejects a file that has lost its line ends.
    fn check_only_line(
        &mut self,
        request: &LoadRequest,
        line: &[u8],
        delimiter: u8,
        extent: BodyExtent,
    ) -> Result<()> {
        if line.is_empty() {
            return Ok(());
        }
        let names_columns = |table: &Table| {
            let text = String::from_utf8_lossy(line);
            let fields = text.split(char::from(delimiter));
            let mut names = fields.map(|field| field.trim().trim_matches('"'));
            let columns = table.visible_names();
            names.all(|name| {
                columns
                    .iter()
                    .any(|column| column.eq_ignore_ascii_case(name))
            })
        };
        let may_be_header = extent == BodyExtent::Complete
            && match &self.table {
                Some(table) => names_columns(table),
                None => request.format != Format::Form && sniff::may_be_header(line, delimiter),
            };
        if !may_be_header {
            return Err(sniff::one_line());
        }
        self.notices
            .push("The body is one line, a header without rows.".to_owned());
        Ok(())
    }

    /// Takes a piece after the format is known.
    fn read(&mut self, piece: &[u8]) -> Result<()> {
        let Self {
            reader,
            encoder,
            spill,
            ..
        } = self;
        match reader {
            Reader::Head(_) => Ok(()),
            Reader::Whole(body) => {
                body.extend_from_slice(piece);
                Ok(())
            }
            Reader::Csv(reader) => reader.feed(piece, encoder, &mut |chunk| spill.push(chunk)),
            Reader::Markdown(reader) => reader.feed(piece, encoder, &mut |chunk| spill.push(chunk)),
            Reader::Records(scanner) => {
                scanner.feed(piece, &mut |record| add(encoder, spill, record))
            }
            Reader::Document { scanner, first, .. } => {
                // The closure cannot borrow the scanner, which is in use; an array begins with its
                // bracket.
                let mut count = scanner.records();
                let array = scanner.is_array()
                    || (!scanner.has_begun() && sniff::first_byte(piece) == Some(b'['));
                scanner.feed(piece, &mut |record| {
                    count += 1;
                    if count == 1 && !array {
                        *first = Some(record.to_owned());
                        return Ok(());
                    }
                    if let Some(first) = first.take() {
                        check_size(first.len(), MAX_RECORD_BYTES, 0)?;
                        add(encoder, spill, &first)?;
                    }
                    add(encoder, spill, record)
                })
            }
        }
    }

    /// Returns the delimiter of a CSV.
    pub(super) fn delimiter(&self) -> Option<u8> {
        match &self.reader {
            Reader::Csv(reader) => Some(reader.delimiter),
            Reader::Head(_)
            | Reader::Records(_)
            | Reader::Document { .. }
            | Reader::Markdown(_)
            | Reader::Whole(_) => None,
        }
    }

    /// Reads the records that the end of the body completes.
    fn end_reading(&mut self) -> Result<()> {
        let Self {
            reader,
            encoder,
            spill,
            notices,
            ..
        } = self;
        match reader {
            Reader::Head(_) | Reader::Whole(_) => {}
            Reader::Records(scanner) => scanner.finish()?,
            Reader::Csv(reader) => reader.finish(encoder, &mut |chunk| spill.push(chunk))?,
            Reader::Markdown(reader) => {
                reader.finish(encoder, &mut |chunk| spill.push(chunk))?;
            }
            Reader::Document {
                scanner,
                first,
                alone,
            } => {
                scanner.finish()?;
                if let Some(object) = first.take() {
                    let notice = read_object(&object, *alone, encoder, spill)?;
                    notices.extend(notice);
                }
            }
        }
        if let Some(chunk) = encoder.finish() {
            spill.push(chunk)?;
        }
        if encoder.infers() && encoder.slots().is_empty() {
            return Err(Error::from(CommonError::InvalidBody {
                message: "there is no record to infer the columns from".to_owned(),
                hint: Some(
                    r#"send at least one record, or create the table with {"operation":"createTable"}"#.to_owned(),
                ),
            }));
        }
        Ok(())
    }

    /// Makes tables of nested records.
    fn stage_whole(&self, request: &LoadRequest, body: Vec<u8>) -> Result<Reply> {
        let text = String::from_utf8(body).map_err(|error| {
            super::decode::not_utf8_at(format!(
                "the body is not valid UTF-8 at byte {}",
                error.utf8_error().valid_up_to()
            ))
        })?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if is_deeper_than(text, MAX_UPSTREAM_DEPTH) {
            return Err(Error::body(format!(
                "the body nests deeper than {MAX_UPSTREAM_DEPTH} levels"
            )));
        }
        let is_value = serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
        if is_value && request.format != Format::Json && text.starts_with(['{', '[']) {
            return staging::load(&self.session, &request.table, text, self.notice());
        }
        let mut list = String::from("[");
        let mut scanner = Scanner::default();
        scanner.feed(text.as_bytes(), &mut |record| {
            if list.len() > 1 {
                list.push(',');
            }
            list.push_str(record);
            Ok(())
        })?;
        scanner.finish()?;
        list.push(']');
        staging::load(&self.session, &request.table, &list, self.notice())
    }
}

/// Adds a record.
fn add<D: Database>(encoder: &mut Encoder, spill: &mut Spill<'_, D>, record: &str) -> Result<()> {
    match encoder.record(record)? {
        Some(chunk) => spill.push(chunk),
        None => Ok(()),
    }
}

/// Reads the only object of a body: the list of records in it, or the object itself. Returns a
/// notice for the sender.
fn read_object<D: Database>(
    object: &str,
    alone: LoneObject,
    encoder: &mut Encoder,
    spill: &mut Spill<'_, D>,
) -> Result<Option<String>> {
    let Some(found) = wrapped::only_list(object)? else {
        if alone == LoneObject::Refused {
            return Err(wrapped::no_list());
        }
        check_size(object.len(), MAX_RECORD_BYTES, 0)?;
        add(encoder, spill, object)?;
        return Ok(None);
    };
    let mut scanner = Scanner::default();
    scanner.feed(found.list.as_bytes(), &mut |record| {
        add(encoder, spill, record)
    })?;
    scanner.finish()?;
    let mut notice = format!(
        "The body is one object; the rows are its list {}.",
        printed(&found.path, NAME_CHARACTERS)
    );
    if !found.left_out.is_empty() {
        let named: Vec<&str> = found.left_out.iter().take(10).map(String::as_str).collect();
        notice.push_str(&format!(
            " Left out: {}.",
            printed(&named.join(", "), 10 * NAME_CHARACTERS)
        ));
    }
    Ok(Some(notice))
}

//! Turns records into chunks of JSON text that one INSERT reads.
//!
//! A chunk is an array of rows, a row an array of values by slot. A slot is a column, numbered in
//! the order in which the load first names it, so rows stay short in wide tables, and SQLite need
//! not look up keys. For each chunk, the [`Shape`] has the slots that the chunk fills and those
//! that need a special expression; a missing value of a column with a DEFAULT is marked `[]`, a
//! blob `{"b":"<hex>"}`.

use base::CommonError;
use sql_gate::SqlError;
use std::collections::HashMap;

use super::record::{append_text, append_value, read};
use super::settled::ColumnReadings;
use super::slot::{Slot, Source};
use crate::inspect::{Table, TableColumn};
use crate::limits::{BULK_CHUNK_BYTES, BULK_CHUNK_ROWS};
use crate::readings::Kinds;
use crate::readings::{HEADER_OF_NUMBERS, MissingWords, ReadingOptions, sentence_of_header};
use base::limits::MAX_COLUMNS;
use base::nearest;
use base::{Error, Result};

/// The use that one chunk makes of each slot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Shape(pub(crate) Vec<SlotUse>);

impl Shape {
    /// Makes the shape of a chunk whose rows have a plain value for each of `slots` slots.
    pub(crate) fn full(slots: usize) -> Self {
        let plain = SlotUse {
            present: true,
            ..SlotUse::default()
        };
        Self(vec![plain; slots])
    }
}

/// The use that a chunk makes of one slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SlotUse {
    /// True if at least one row names it.
    pub(crate) present: bool,
    /// True if at least one row leaves it to its DEFAULT.
    pub(crate) defaulted: bool,
    /// True if at least one row has a blob for it.
    pub(crate) blob: bool,
}

/// Rows that one statement inserts.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    /// `[[v1,v2],…]`.
    pub(crate) json: String,
    /// The number of rows.
    pub(crate) rows: usize,
    /// Number of the first of them, from 1.
    pub(crate) first: u64,
    /// The use of the slots.
    pub(crate) shape: Shape,
}

/// The source of the columns.
#[derive(Debug)]
pub(crate) enum Target {
    /// An existing table: keys must be its columns.
    Existing(Table),
    /// A new table: keys become its columns.
    Inferred,
}

/// The column names from the header of a body.
#[derive(Debug, Default)]
pub(crate) struct Header {
    pub(crate) names: Vec<String>,
    /// Names that had to be changed, as pairs of the written and the used name.
    pub(crate) renamed: Vec<(String, String)>,
    /// True if all names in the body are numbers.
    pub(crate) is_data: bool,
}

/// A collector of records that makes chunks of them.
#[derive(Debug)]
pub(crate) struct Encoder {
    target: Target,
    slots: Vec<Slot>,
    by_key: HashMap<String, usize>,
    /// The keys of the last record and their slots: records of one load mostly have the same keys
    /// in the same order.
    previous: Vec<(String, usize)>,
    json: String,
    rows: usize,
    records: u64,
    /// The words for a missing value, if the load looks into texts.
    words: Option<MissingWords>,
    source: Source,
    header: Header,
}

impl Encoder {
    /// Makes an encoder for records whose values are taken as they are.
    pub(crate) fn new(target: Target) -> Self {
        Self {
            words: None,
            source: Source::Json,
            header: Header::default(),
            target,
            slots: Vec::new(),
            by_key: HashMap::new(),
            previous: Vec::new(),
            json: String::new(),
            rows: 0,
            records: 0,
        }
    }

    /// Makes an encoder that looks into texts for the columns of a new table, and for existing
    /// columns that take numbers.
    pub(crate) fn observing(target: Target, words: MissingWords) -> Self {
        Self {
            words: Some(words),
            ..Self::new(target)
        }
    }

    /// Decides how the columns are read, after the last record. A new table gets its types.
    pub(crate) fn settle(&mut self, options: &ReadingOptions) -> ColumnReadings {
        let mut settled = ColumnReadings::of(&mut self.slots, options, self.source);
        let numbers = self.header.is_data.then(|| HEADER_OF_NUMBERS.to_owned());
        let mut notices: Vec<String> = numbers.into_iter().collect();
        notices.extend(sentence_of_header(&self.header.renamed));
        notices.append(&mut settled.notices);
        ColumnReadings { notices, ..settled }
    }

    /// Returns the columns named so far.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Returns the number of records so far.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Returns true if a new table gets its types from the data.
    pub(crate) fn infers(&self) -> bool {
        matches!(self.target, Target::Inferred)
    }

    /// Takes a JSON record. Returns a chunk if one is full.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] for a record that is not an object of usable values,
    /// [`SqlError::NoSuchColumn`] for a key that is not a column.
    pub(crate) fn record(&mut self, text: &str) -> Result<Option<Chunk>> {
        let number = self.records + 1;
        let mut values: Vec<Option<&str>> = Vec::with_capacity(self.slots.len());
        let mut position = 0;
        read(text, number, &mut |key, value| {
            let slot = self.slot_of(position, key)?;
            position += 1;
            if values.len() <= slot {
                values.resize(slot + 1, None);
            }
            match values.get_mut(slot) {
                Some(place @ None) => *place = Some(value),
                _ => {
                    return Err(Error::body(format!(
                        "record {number} names the column {key} twice"
                    )));
                }
            }
            Ok(())
        })?;
        if self.slots.is_empty() {
            self.fill_one_column()?;
        }
        let full = self.make_room(text.len());
        self.begin_row();
        for (index, slot) in self.slots.iter_mut().enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            let Some(value) = values.get(index).copied().flatten() else {
                self.json
                    .push_str(if slot.default.is_some() { "[]" } else { "null" });
                continue;
            };
            let kinds = append_value(value, &mut self.json).map_err(|problem| {
                Error::body(
                    format!("record {number}, key {}: {problem}", slot.name)
                        .replacen(": has", " has", 1),
                )
            })?;
            slot.kinds.add(kinds);
            slot.present += 1;
            slot.blob |= kinds == Kinds::BLOB;
            if let Some(words) = &self.words {
                slot.observe_json(value, kinds, words);
            }
        }
        // Never both: after a chunk was closed, the next one has a single row.
        let ended = self.end_row();
        Ok(full.or(ended))
    }

    /// Names the columns of the rows that follow, for [`Encoder::row`].
    ///
    /// # Errors
    /// As for the keys of a record; a duplicate name is refused.
    pub(crate) fn header(&mut self, names: &[String]) -> Result<()> {
        for (position, name) in names.iter().enumerate() {
            if self.slot_of(position, name)? != position {
                return Err(Error::body(format!(
                    "the header names the column {name} twice"
                )));
            }
        }
        Ok(())
    }

    /// Names the columns as the header of a body does.
    ///
    /// # Errors
    /// As [`Encoder::header`].
    pub(crate) fn take_header(&mut self, header: Header) -> Result<()> {
        self.header(&header.names)?;
        self.header = header;
        Ok(())
    }

    /// Takes a row of texts, one for each name of the header. An empty one is NULL.
    pub(crate) fn row<'f>(
        &mut self,
        fields: impl Iterator<Item = &'f str> + Clone,
    ) -> Option<Chunk> {
        let full = self.make_room(fields.clone().map(|field| field.len() + 3).sum());
        self.source = Source::Texts;
        self.begin_row();
        for ((index, slot), field) in self.slots.iter_mut().enumerate().zip(fields) {
            if index > 0 {
                self.json.push(',');
            }
            slot.present += 1;
            if field.is_empty() {
                self.json.push_str("null");
                continue;
            }
            append_text(field, &mut self.json);
            if let Some(words) = &self.words
                && slot.is_observed(words, Source::Texts)
            {
                slot.profile.add(field, words);
            }
        }
        let ended = self.end_row();
        full.or(ended)
    }

    /// Returns the last chunk.
    pub(crate) fn finish(&mut self) -> Option<Chunk> {
        (self.rows > 0).then(|| self.close())
    }

    /// Closes the current chunk if a row of `bytes` bytes may not fit: escaped or in hexadecimal,
    /// it may need twice as much.
    fn make_room(&mut self, bytes: usize) -> Option<Chunk> {
        (self.rows > 0 && self.json.len() + 2 * bytes > BULK_CHUNK_BYTES).then(|| self.close())
    }

    fn begin_row(&mut self) {
        self.records += 1;
        self.json.push_str(if self.rows == 0 { "[[" } else { ",[" });
        self.rows += 1;
    }

    fn end_row(&mut self) -> Option<Chunk> {
        self.json.push(']');
        (self.rows >= BULK_CHUNK_ROWS).then(|| self.close())
    }

    fn close(&mut self) -> Chunk {
        let rows = std::mem::take(&mut self.rows);
        let mut json = std::mem::take(&mut self.json);
        json.push(']');
        let slot_use = |slot: &mut Slot| {
            let present = std::mem::take(&mut slot.present);
            SlotUse {
                present: present > 0,
                defaulted: present < rows && slot.default.is_some(),
                blob: std::mem::take(&mut slot.blob),
            }
        };
        let shape = Shape(self.slots.iter_mut().map(slot_use).collect());
        self.json.reserve(json.len().min(BULK_CHUNK_BYTES));
        Chunk {
            first: self.records + 1 - rows as u64,
            json,
            rows,
            shape,
        }
    }

    /// Fills one column even if the records name none, because an INSERT must name a column.
    fn fill_one_column(&mut self) -> Result<()> {
        let Target::Existing(table) = &self.target else {
            return Ok(());
        };
        let first = table
            .columns
            .iter()
            .find(|column| !column.info.hidden && !column.generated)
            .map(|column| column.info.name.clone());
        first.map_or(Ok(()), |name| self.resolve(&name).map(|_| ()))
    }

    /// Returns the slot of the key at a position in a record.
    fn slot_of(&mut self, position: usize, key: &str) -> Result<usize> {
        if let Some((known, slot)) = self.previous.get(position)
            && known == key
        {
            return Ok(*slot);
        }
        let slot = match self.by_key.get(key) {
            Some(slot) => *slot,
            None => {
                let slot = self.resolve(key)?;
                self.by_key.insert(key.to_owned(), slot);
                slot
            }
        };
        self.previous.truncate(position);
        self.previous.push((key.to_owned(), slot));
        Ok(slot)
    }

    /// Returns the slot of a key that the load has not used before, and makes it if the column has
    /// none.
    fn resolve(&mut self, key: &str) -> Result<usize> {
        let new = match &self.target {
            Target::Existing(table) => existing_column(table, key)?,
            Target::Inferred => new_column(key)?,
        };
        if let Some(slot) = self
            .slots
            .iter()
            .position(|slot| slot.name.eq_ignore_ascii_case(&new.name))
        {
            return Ok(slot);
        }
        if self.slots.len() >= MAX_COLUMNS {
            return Err(Error::from(CommonError::TooBig {
                message: format!(
                    "the records have more than {MAX_COLUMNS} different keys, the maximum number of columns in a table"
                ),
                hint: "put rarely used keys into one key, as a nested object".to_owned(),
            }));
        }
        self.slots.push(new);
        Ok(self.slots.len() - 1)
    }
}

fn existing_column(table: &Table, key: &str) -> Result<Slot> {
    let writable = |column: &&TableColumn| !column.info.hidden && !column.generated;
    let matches = |column: &&TableColumn| column.info.name.eq_ignore_ascii_case(key);
    if let Some(column) = table.columns.iter().filter(writable).find(matches) {
        let default = column
            .info
            .default_value
            .clone()
            .filter(|default| !default.eq_ignore_ascii_case("null"));
        let mut slot = Slot::of(column.info.name.clone(), default);
        slot.declared_type = Some(column.info.declared_type.clone());
        return Ok(slot);
    }
    if table
        .columns
        .iter()
        .filter(matches)
        .any(|column| column.generated)
    {
        return Err(Error::invalid_with_hint(
            format!("the column {key} of {} is generated", table.name),
            "leave it out of the records: SQLite computes it",
        ));
    }
    let available: Vec<String> = table
        .columns
        .iter()
        .filter(writable)
        .map(|column| column.info.name.clone())
        .collect();
    let suggestions = nearest(key, available.iter().map(String::as_str));
    Err(Error::from(SqlError::NoSuchColumn {
        column: key.to_owned(),
        suggestions,
        available,
        double_quoted: false,
        hint: None,
    }))
}

fn new_column(key: &str) -> Result<Slot> {
    if key.is_empty() || key.contains('\0') {
        return Err(Error::from(CommonError::InvalidBody {
            message: "a key that is empty or contains NUL cannot become a column".to_owned(),
            hint: Some("rename the key".to_owned()),
        }));
    }
    Ok(Slot::plain(key.to_owned()))
}

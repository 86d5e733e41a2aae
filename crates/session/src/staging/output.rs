//! Collects the rows of one table for SQLite: a row is a JSON array in a chunk, and a full chunk is
//! inserted.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::plan::Column;
use super::value::append_scalar;
use crate::Session;
use crate::limits::{BULK_CHUNK_BYTES, BULK_CHUNK_ROWS};
use crate::records::{
    ChunkText, Inserter, Kinds, OnConflict, Outline, Shape as ChunkShape, Slot, SlotUse,
    append_json_text,
};
use base::Result;
use database::Database;

/// One value of a row.
#[derive(Debug, Clone, Default)]
pub(super) enum Value<'a> {
    #[default]
    Missing,
    Number(u64),
    /// A scalar as JSON text.
    Scalar(&'a str),
    /// A text; for an object or list, its JSON.
    Text(Cow<'a, str>),
    /// Bytes in base64.
    Bytes(&'a str),
}

impl Value<'_> {
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Missing | Self::Number(_) => 0,
            Self::Scalar(text) => text.len(),
            Self::Text(text) => text.len(),
            Self::Bytes(base64) => base64.len(),
        }
    }
}

/// A row that is being collected.
pub(super) struct Row<'a> {
    pub(super) table: Option<usize>,
    pub(super) number: u64,
    pub(super) values: Vec<Value<'a>>,
    /// The keys without a column, as an unclosed JSON object.
    pub(super) other: String,
}

impl<'a> Row<'a> {
    pub(super) fn set(&mut self, column: Option<usize>, value: Value<'a>) {
        if let Some(place) = column.and_then(|column| self.values.get_mut(column)) {
            *place = value;
        }
    }
}

/// The output for one table.
pub(super) struct Output<'a, 'd, D: Database> {
    inserter: Inserter<'d, D>,
    slots: Vec<Slot>,
    uses: Vec<SlotUse>,
    pub(super) json: String,
    rows: usize,
    /// The number of rows so far, from which the next row gets its number.
    pub(super) count: u64,
    /// The values of the last row, kept for their allocation.
    pub(super) spare: Vec<Value<'a>>,
}

impl<'a, 'd, D: Database> Output<'a, 'd, D> {
    pub(super) fn new(session: &Session<'d, D>, name: &'d str, columns: &[Column]) -> Self {
        let plain = |column: &Column| Slot::plain(column.name.clone());
        Self {
            inserter: Inserter::new(session.db, session.meter(), name, OnConflict::Error),
            slots: columns.iter().map(plain).collect(),
            uses: vec![SlotUse::default(); columns.len()],
            json: String::new(),
            rows: 0,
            count: 0,
            spare: Vec::new(),
        }
    }

    /// Returns the next row, empty.
    pub(super) fn begin(&mut self, table: usize) -> Row<'a> {
        self.count += 1;
        let mut values = std::mem::take(&mut self.spare);
        values.clear();
        values.resize_with(self.slots.len(), Value::default);
        if let Some(first) = values.first_mut() {
            *first = Value::Number(self.count);
        }
        Row {
            table: Some(table),
            number: self.count,
            values,
            other: String::new(),
        }
    }

    /// Takes the values of a row that is short enough, and inserts the chunk if it is full.
    pub(super) fn write(&mut self, values: &[Value<'_>]) -> Result<()> {
        // With escapes, or in hexadecimal, a value can be twice as long.
        let bytes: usize = values.iter().map(Value::bytes).sum();
        if self.json.len() + 2 * bytes > BULK_CHUNK_BYTES {
            self.flush()?;
        }
        self.json.push_str(if self.rows == 0 { "[[" } else { ",[" });
        self.rows += 1;
        for (index, (value, slot_use)) in values.iter().zip(&mut self.uses).enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            slot_use.present |= !matches!(value, Value::Missing);
            match value {
                Value::Missing => self.json.push_str("null"),
                Value::Number(number) => drop(write!(self.json, "{number}")),
                Value::Scalar(json) => {
                    slot_use.blob |= append_scalar(json, &mut self.json) == Kinds::BLOB;
                }
                Value::Text(text) => append_json_text(text, &mut self.json),
                Value::Bytes(base64) => {
                    let blob = format!("{{\"$blob\":\"{base64}\"}}");
                    slot_use.blob |= append_scalar(&blob, &mut self.json) == Kinds::BLOB;
                }
            }
        }
        self.json.push(']');
        if self.rows >= BULK_CHUNK_ROWS || self.json.len() > BULK_CHUNK_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.json.push(']');
        let shape = ChunkShape(self.uses.clone());
        let outline = Outline {
            slots: &self.slots,
            shape: &shape,
            first: self.count + 1 - self.rows as u64,
            rows: self.rows,
        };
        self.inserter
            .insert_from(&outline, &ChunkText::Text(&self.json))?;
        self.uses.fill(SlotUse::default());
        self.rows = 0;
        self.json.clear();
        Ok(())
    }
}

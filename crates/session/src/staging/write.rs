//! Writes the rows of a result, in one pass over its text.
//!
//! A row is collected column by column, as slices of the text. `output` makes chunks of rows and
//! passes full chunks to SQLite, so that at most [`LOAD_MEMORY_BYTES`] of chunks are held in
//! addition to the text.

use std::borrow::Cow;
use std::collections::HashMap;

use super::output::{Output, Row, Value};
use super::parts;
use super::plan::Plan;
use super::shape::{Id, ROOT};
use super::tables;
use crate::Session;
use crate::json_reader::{Form, Reader, decode};
use crate::limits::{BULK_CHUNK_BYTES, LOAD_MEMORY_BYTES, MAX_BOUND_BYTES};
use base::Result;
use database::Database;

/// The longest row; longer rows have their longest values stored in pieces. No value is shorter in
/// JSON than in a row.
const MAX_ROW_BYTES: usize = MAX_BOUND_BYTES;

/// The destination of a key's value.
#[derive(PartialEq, Eq, Hash)]
enum Known<'a> {
    RowPart(Id),
    /// A separate row, by its key.
    Row(Cow<'a, str>),
}

impl<'a> Known<'a> {
    /// Returns the destination of the next value of the reader.
    fn of(
        plan: &Plan,
        id: Id,
        position: usize,
        key: &'a str,
        reader: &mut Reader<'a>,
    ) -> Option<Self> {
        if plan.shape.is_keyed(id) && reader.is_record() {
            return Some(Self::Row(decode(key)));
        }
        plan.shape
            .child(id, position, &decode(key))
            .map(Self::RowPart)
    }
}

/// A writer of one result into existing tables.
pub(super) struct Writer<'a, 'd, 'p, D: Database> {
    session: Session<'d, D>,
    plan: &'p Plan,
    /// The names of the tables.
    names: &'d [String],
    outputs: Vec<Output<'a, 'd, D>>,
    /// The table for values that are too long for a row, and its name. The table is made when there
    /// is such a value.
    parts: Option<Output<'a, 'd, D>>,
    parts_name: &'d str,
}

impl<'a, 'd, 'p, D: Database> Writer<'a, 'd, 'p, D> {
    /// Makes a writer for the tables of a plan.
    pub(super) fn new(
        session: Session<'d, D>,
        plan: &'p Plan,
        names: &'d [String],
        parts_name: &'d str,
    ) -> Self {
        let outputs = names
            .iter()
            .zip(&plan.tables)
            .map(|(name, table)| Output::new(&session, name, &table.columns))
            .collect();
        Self {
            session,
            plan,
            names,
            outputs,
            parts: None,
            parts_name,
        }
    }

    /// Writes everything. Returns the number of rows of each table, and the number of pieces of
    /// long values.
    ///
    /// # Errors
    /// The engine's.
    pub(super) fn write(mut self, text: &'a str) -> Result<(Vec<u64>, u64)> {
        let mut reader = Reader::new(text);
        let root = self.plan.shape.node(ROOT);
        match (reader.form(), root.element) {
            (Form::Array, Some(element)) => self.rows(element, &mut reader, None)?,
            (Form::Scalar, _) if text.len() > BULK_CHUNK_BYTES => self.long_text(&mut reader)?,
            _ => {
                let mut row = self.begin(ROOT);
                self.value(ROOT, &mut reader, &mut row)?;
                self.end(row)?;
            }
        }
        for output in self.outputs.iter_mut().chain(&mut self.parts) {
            output.flush()?;
        }
        let parts = self.parts.map_or(0, |parts| parts.count);
        Ok((
            self.outputs.iter().map(|output| output.count).collect(),
            parts,
        ))
    }

    /// Writes a result that is one long text: a row for each piece.
    fn long_text(&mut self, reader: &mut Reader<'a>) -> Result<()> {
        let text = decode(reader.value());
        for piece in parts::pieces(&text) {
            let mut row = self.begin(ROOT);
            let column = self.plan.column(ROOT);
            row.set(column, Value::Text(Cow::Owned(piece.to_owned())));
            self.end(row)?;
        }
        Ok(())
    }

    fn rows(&mut self, element: Id, reader: &mut Reader<'a>, parent: Option<u64>) -> Result<()> {
        reader.enter();
        while reader.element() {
            self.row(element, reader, parent, None)?;
        }
        Ok(())
    }

    fn row(
        &mut self,
        element: Id,
        reader: &mut Reader<'a>,
        parent: Option<u64>,
        key: Option<&'a str>,
    ) -> Result<()> {
        let plan = self.plan;
        let mut row = self.begin(element);
        let table = row.table.and_then(|table| plan.tables.get(table));
        if let (Some(parent), Some(_)) = (parent, table.and_then(|table| table.parent)) {
            row.set(Some(1), Value::Number(parent));
        }
        if let Some(key) = key {
            row.set(table.and_then(|table| table.key), Value::Scalar(key));
        }
        if reader.form() == Form::Array {
            row.set(plan.column(element), Value::Text(reader.value().into()));
        } else {
            self.value(element, reader, &mut row)?;
        }
        self.end(row)
    }

    /// Writes the value at a place into its row, and into the tables below it.
    fn value(&mut self, id: Id, reader: &mut Reader<'a>, row: &mut Row<'a>) -> Result<()> {
        let plan = self.plan;
        let (node, column) = (plan.shape.node(id), plan.column(id));
        let form = reader.form();
        match form {
            Form::Null => {
                reader.value();
            }
            Form::Scalar => row.set(column, Value::Scalar(reader.value())),
            Form::Object if reader.is_marked() => row.set(column, Value::Scalar(reader.value())),
            Form::Object | Form::Array if reader.is_empty() => {
                let empty = reader.value();
                // Other records have keys or records here, this one has none.
                if node.folded || node.is_plain() {
                    row.set(column, Value::Text(empty.into()));
                }
            }
            Form::Array if node.folded || !reader.has_records() => {
                row.set(column, Value::Text(reader.value().into()));
            }
            Form::Object if node.folded => row.set(column, Value::Text(reader.value().into())),
            Form::Object => self.object(id, reader, row)?,
            Form::Array => match node.element {
                Some(element) => self.rows(element, reader, Some(row.number))?,
                None => row.set(column, Value::Text(reader.value().into())),
            },
        }
        Ok(())
    }

    fn object(&mut self, id: Id, reader: &mut Reader<'a>, row: &mut Row<'a>) -> Result<()> {
        if self.plan.shape.node(id).repeats {
            return self.object_with_repeats(id, reader, row);
        }
        reader.enter();
        let mut position = 0;
        while let Some(key) = reader.key() {
            self.entry(id, position, key, reader, row)?;
            position += 1;
        }
        Ok(())
    }

    /// Writes an object with duplicate keys. The last of two equal keys counts. Keys without a
    /// place remain in the JSON as they are.
    fn object_with_repeats(
        &mut self,
        id: Id,
        reader: &mut Reader<'a>,
        row: &mut Row<'a>,
    ) -> Result<()> {
        let plan = self.plan;
        let mut last: HashMap<Known<'a>, usize> = HashMap::new();
        let mut ahead = reader.clone();
        ahead.enter();
        let mut position = 0;
        while let Some(key) = ahead.key() {
            if let Some(known) = Known::of(plan, id, position, key, &mut ahead) {
                last.insert(known, position);
            }
            ahead.value();
            position += 1;
        }
        reader.enter();
        position = 0;
        while let Some(key) = reader.key() {
            let known = Known::of(plan, id, position, key, reader);
            if known.is_none_or(|known| last.get(&known) == Some(&position)) {
                self.entry(id, position, key, reader, row)?;
            } else {
                reader.value();
            }
            position += 1;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        id: Id,
        position: usize,
        key: &'a str,
        reader: &mut Reader<'a>,
        row: &mut Row<'a>,
    ) -> Result<()> {
        let plan = self.plan;
        match Known::of(plan, id, position, key, reader) {
            Some(Known::Row(_)) => match plan.shape.node(id).element {
                Some(element) => self.row(element, reader, Some(row.number), Some(key)),
                None => Ok(()),
            },
            Some(Known::RowPart(child)) if !plan.shape.node(child).spilled => {
                self.value(child, reader, row)
            }
            _ => {
                let before = if row.other.is_empty() { "{" } else { "," };
                row.other.extend([before, key, ":", reader.value()]);
                Ok(())
            }
        }
    }

    fn begin(&mut self, id: Id) -> Row<'a> {
        let table = self.plan.table(id);
        let output = table.and_then(|table| Some((table, self.outputs.get_mut(table)?)));
        match output {
            Some((table, output)) => output.begin(table),
            // The result around lists, if it holds nothing else.
            None => Row {
                table: None,
                number: 0,
                values: Vec::new(),
                other: String::new(),
            },
        }
    }

    fn end(&mut self, mut row: Row<'a>) -> Result<()> {
        let Some(table) = row.table else {
            return Ok(());
        };
        if !row.other.is_empty() {
            let other = self.plan.tables.get(table).and_then(|table| table.other);
            let mut json = std::mem::take(&mut row.other);
            json.push('}');
            row.set(other, Value::Text(json.into()));
        }
        self.move_long_values(&mut row)?;
        if let Some(output) = self.outputs.get_mut(table) {
            output.write(&row.values)?;
            output.spare = row.values;
        }
        if self.waiting_bytes() > LOAD_MEMORY_BYTES {
            for output in self.outputs.iter_mut().chain(&mut self.parts) {
                output.flush()?;
            }
        }
        Ok(())
    }

    fn waiting_bytes(&self) -> usize {
        self.outputs.iter().map(|output| output.json.len()).sum()
    }

    /// Moves the longest values of a row to the table for long values, until the row is short
    /// enough.
    fn move_long_values(&mut self, row: &mut Row<'a>) -> Result<()> {
        let mut bytes: usize = row.values.iter().map(Value::bytes).sum();
        while bytes > MAX_ROW_BYTES {
            let longest = row.values.iter_mut().enumerate();
            let Some((column, value)) = longest.max_by_key(|(_, value)| value.bytes()) else {
                return Ok(());
            };
            let value = std::mem::take(value);
            bytes -= value.bytes();
            if let Value::Scalar(json) = value
                && let Some(pieces) = parts::blob_pieces(json)
            {
                self.write_parts(row, column, pieces.map(Value::Bytes))?;
                continue;
            }
            let text = match value {
                Value::Scalar(json) => decode(json),
                Value::Text(text) => text,
                Value::Missing | Value::Number(_) | Value::Bytes(_) => return Ok(()),
            };
            let pieces = parts::pieces(&text).map(|piece| Value::Text(piece.into()));
            self.write_parts(row, column, pieces)?;
        }
        Ok(())
    }

    fn write_parts<'v>(
        &mut self,
        row: &Row<'a>,
        column: usize,
        pieces: impl Iterator<Item = Value<'v>>,
    ) -> Result<()> {
        let columns = parts::columns();
        let mut output = match self.parts.take() {
            Some(output) => output,
            None => {
                tables::create(&self.session, self.parts_name, &columns)?;
                Output::new(&self.session, self.parts_name, &columns)
            }
        };
        let table = row.table.unwrap_or_default();
        let name = self.names.get(table).map_or("", String::as_str);
        let column = self
            .plan
            .tables
            .get(table)
            .and_then(|table| table.columns.get(column));
        let column = column.map_or("", |column| column.name.as_str());
        for (part, piece) in (1..).zip(pieces) {
            let number = output.begin(0).number;
            output.write(&[
                Value::Number(number),
                Value::Text(name.into()),
                Value::Number(row.number),
                Value::Text(column.into()),
                Value::Number(part),
                piece,
            ])?;
        }
        self.parts = Some(output);
        Ok(())
    }
}

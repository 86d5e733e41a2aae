//! [`Database`] on `ctx.storage.sql` of workerd.
//!
//! Statements are stepped lazily. A cursor that is not at its end is closed when it is dropped,
//! because an open one blocks DROP TABLE until the garbage collector finds it. After the first
//! failed step, a cursor of ours stays at its end, whereas a cursor of workerd would start again
//! from row 1.

use std::cell::Cell as StdCell;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};

use super::bindings::{self, Sql, Storage, count, thrown_text};
use base::Result;
use database::{Bind, Cell, Counters, Cursor, Database, EngineError, Statement, TextRows};

/// The maximum number of UTF-16 units that one call to JavaScript collects. JavaScript counts units
/// instead of bytes, and a unit may take three bytes, so a call may return more bytes than are
/// left of the caller's limit. Only the last call can do so, and small pieces limit the excess.
const PIECE_CHARACTERS: usize = 1024 * 1024;

/// The SQLite database of one object, for one request. It adds up the cost of the request's
/// statements.
#[derive(Clone)]
pub struct ObjectDatabase {
    storage: Storage,
    sql: Sql,
    spent: Rc<StdCell<Counters>>,
    known: Rc<Known>,
}

/// Facts about a database that are known without a call to the engine.
#[derive(Default)]
pub struct Known {
    /// Its size, until the next write. A call to the engine costs as much as a small statement.
    size_bytes: StdCell<Option<u64>>,
    /// Cursors that are not at their end.
    open_cursors: StdCell<usize>,
}

impl Known {
    /// Forgets the size; to be called when the database was deleted.
    pub fn forget(&self) {
        self.size_bytes.set(None);
    }

    fn closed(&self) {
        self.open_cursors
            .set(self.open_cursors.get().saturating_sub(1));
    }
}

impl ObjectDatabase {
    /// Makes the database behind `ctx.storage`.
    pub fn new(storage: Storage, known: &Rc<Known>) -> Self {
        let sql = storage.sql();
        Self {
            storage,
            sql,
            spent: Rc::default(),
            known: Rc::clone(known),
        }
    }

    /// Counts a statement that has ended.
    fn spend(&self, counters: Counters) {
        if counters.rows_written > 0 {
            self.known.size_bytes.set(None);
        }
        let mut spent = self.spent.get();
        spent += counters;
        self.spent.set(spent);
    }

    /// Returns the cost of the statements that have ended.
    pub fn spent(&self) -> Counters {
        self.spent.get()
    }
}

impl Database for ObjectDatabase {
    type Cursor = ObjectCursor;

    fn open(&self, statement: Statement<'_>) -> Result<ObjectCursor, EngineError> {
        #[cfg(feature = "fault-injection")]
        super::statement_fault::statement();
        let (text, binds) = parts_of(statement);
        if !begins_as_read(text) {
            self.known.size_bytes.set(None);
        }
        let values: Array = binds.iter().map(bind_value).collect();
        let cursor = self
            .sql
            .exec(text, &values)
            .map_err(|thrown| engine_error(&thrown))?;
        let rows = cursor.raw().map_err(|thrown| engine_error(&thrown))?;
        self.known
            .open_cursors
            .set(self.known.open_cursors.get() + 1);
        Ok(ObjectCursor {
            cursor,
            rows,
            at_end: false,
            spent: Rc::clone(&self.spent),
            known: Rc::clone(&self.known),
        })
    }

    fn only_row(
        &self,
        statement: Statement<'_>,
    ) -> Result<(Option<Vec<Cell>>, Counters), EngineError> {
        let (text, binds) = parts_of(statement);
        let Some(binds) = json_of(binds) else {
            return database::only_row(self, statement);
        };
        #[cfg(feature = "fault-injection")]
        super::statement_fault::statement();
        if !begins_as_read(text) {
            self.known.size_bytes.set(None);
        }
        let mut numbers = [0.0; 5];
        let mut room = vec![0; ROOM_BYTES];
        let answer = bindings::only_row(&self.sql, text, &binds, &mut numbers, &mut room);
        let [rows_read, rows_written, is_there, number, bytes] = numbers;
        let counters = Counters {
            rows_read: count(rows_read),
            rows_written: count(rows_written),
        };
        self.spend(counters);
        let value = if answer.is_undefined() {
            room.truncate(usize::try_from(count(bytes)).unwrap_or_default());
            room
        } else if let Some(message) = answer.as_string() {
            return Err(EngineError { message });
        } else {
            answer.unchecked_into::<Uint8Array>().to_vec()
        };
        let row = (is_there > 0.0).then(|| vec![Cell::Blob(value), Cell::Number(number)]);
        Ok((row, counters))
    }

    fn write(&self, statement: Statement<'_>) -> Result<(Counters, u64), EngineError> {
        let (text, binds) = parts_of(statement);
        let Some(binds) = json_of(binds) else {
            return database::write(self, statement);
        };
        #[cfg(feature = "fault-injection")]
        super::statement_fault::statement();
        self.known.size_bytes.set(None);
        let mut numbers = [0.0; 3];
        let failure = bindings::write(&self.sql, text, &binds, &mut numbers);
        let [rows_read, rows_written, changes] = numbers;
        let counters = Counters {
            rows_read: count(rows_read),
            rows_written: count(rows_written),
        };
        self.spend(counters);
        match failure {
            Some(message) => Err(EngineError { message }),
            None => Ok((counters, count(changes))),
        }
    }

    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let mut failure = None;
        let outcome = self.storage.transaction_sync(&mut || match work() {
            Ok(()) => Ok(JsValue::UNDEFINED),
            Err(error) => {
                failure = Some(error);
                Err(JsValue::from_str("rolled back"))
            }
        });
        self.known.size_bytes.set(None);
        match (failure, outcome) {
            (Some(error), _) => Err(error),
            (None, Err(thrown)) => Err(engine_error(&thrown).own()),
            (None, Ok(_)) => Ok(()),
        }
    }

    fn size_bytes(&self) -> u64 {
        self.known.size_bytes.get().unwrap_or_else(|| {
            let size_bytes = count(self.sql.database_size());
            self.known.size_bytes.set(Some(size_bytes));
            size_bytes
        })
    }

    fn open_cursors(&self) -> usize {
        self.known.open_cursors.get()
    }
}

/// The bytes of a value that comes with its row.
const ROOM_BYTES: usize = 8 * 1024;

/// The bytes of a text beyond which it is handed over by itself, because JSON would copy it twice.
const LONG_BIND_BYTES: usize = 16 * 1024;

fn parts_of<'a>(statement: Statement<'a>) -> (&'a str, &'a [Bind]) {
    match statement {
        Statement::Own(text, binds) => (text, binds),
        Statement::Reviewed(reviewed) => (reviewed.text(), reviewed.binds()),
    }
}

/// Returns the values as a list of JSON, which JavaScript reads faster than it gets them one by one;
/// nothing if one of them is not JSON, or long.
fn json_of(binds: &[Bind]) -> Option<String> {
    if binds.is_empty() {
        return Some(String::new());
    }
    let mut text = String::from("[");
    for bind in binds {
        if text.len() > 1 {
            text.push(',');
        }
        match bind {
            Bind::Null => text.push_str("null"),
            Bind::Real(number) if number.is_finite() => {
                text.push_str(&serde_json::to_string(number).ok()?);
            }
            Bind::Text(value) if value.len() <= LONG_BIND_BYTES => {
                text.push_str(&serde_json::to_string(value).ok()?);
            }
            Bind::Real(_) | Bind::Text(_) | Bind::Blob(_) => return None,
        }
    }
    text.push(']');
    Some(text)
}

/// A running statement.
pub struct ObjectCursor {
    cursor: bindings::Cursor,
    rows: bindings::RawRows,
    at_end: bool,
    spent: Rc<StdCell<Counters>>,
    known: Rc<Known>,
}

impl ObjectCursor {
    fn ended(&mut self) {
        if !std::mem::replace(&mut self.at_end, true) {
            self.known.closed();
        }
    }

    fn failed(&mut self, message: String) -> EngineError {
        self.ended();
        let _closed = self.cursor.one();
        EngineError { message }
    }

    /// Closes the cursor. A statement without a further row ends with a step. Any other is
    /// finalised by one(), which throws because there is more than one row. It is the second
    /// choice, because an exception costs more than all the rest of a small statement.
    fn close(&mut self) {
        if self.at_end {
            return;
        }
        self.ended();
        if bindings::next_row(&self.rows).is_ok_and(|row| row.is_some()) {
            let _thrown = self.cursor.one();
        }
    }
}

impl Cursor for ObjectCursor {
    fn columns(&self) -> Vec<String> {
        self.cursor
            .column_names()
            .iter()
            .map(|name| name.as_string().unwrap_or_default())
            .collect()
    }

    fn next(&mut self) -> Result<Option<Vec<Cell>>, EngineError> {
        if self.at_end {
            return Ok(None);
        }
        match bindings::next_row(&self.rows) {
            Err(thrown) => Err(self.failed(thrown_text(&thrown))),
            Ok(None) => {
                self.ended();
                Ok(None)
            }
            Ok(Some(row)) => Ok(Some(row.iter().map(cell).collect())),
        }
    }

    fn take_text(
        &mut self,
        max_rows: usize,
        max_bytes: usize,
        separator: &str,
    ) -> Result<TextRows, EngineError> {
        let mut taken = TextRows::default();
        while !self.at_end && taken.rows < max_rows && taken.text.len() < max_bytes {
            let piece = PIECE_CHARACTERS.min(max_bytes - taken.text.len());
            let answer = bindings::take_text(
                &self.rows,
                saturating(max_rows - taken.rows),
                saturating(piece),
                separator,
            );
            let Some(answer) = answer.dyn_ref::<Array>() else {
                return Err(self.failed(answer.as_string().unwrap_or_default()));
            };
            let text = answer.get(0).as_string().unwrap_or_default();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the number of rows is at most the u32 asked for"
            )]
            let rows = answer.get(1).as_f64().unwrap_or_default() as usize;
            if answer.get(2).is_truthy() {
                self.ended();
            }
            if taken.rows == 0 {
                taken.text = text;
            } else if rows > 0 {
                taken.text.push_str(separator);
                taken.text.push_str(&text);
            }
            taken.rows += rows;
        }
        taken.done = self.at_end;
        Ok(taken)
    }

    fn counters(&self) -> Counters {
        Counters {
            // These getters throw once the database has been deleted under the cursor.
            rows_read: count(self.cursor.rows_read().unwrap_or(0.0)),
            rows_written: count(self.cursor.rows_written().unwrap_or(0.0)),
        }
    }
}

impl Drop for ObjectCursor {
    fn drop(&mut self) {
        let counters = self.counters();
        if counters.rows_written > 0 {
            self.known.size_bytes.set(None);
        }
        let mut spent = self.spent.get();
        spent += counters;
        self.spent.set(spent);
        self.close();
    }
}

/// Returns true if the first word is that of a statement that reads. A statement that begins with
/// WITH and writes is noticed by its count of written rows.
fn begins_as_read(text: &str) -> bool {
    let word = text.split_ascii_whitespace().next().unwrap_or_default();
    ["select", "with", "explain"]
        .iter()
        .any(|read| word.eq_ignore_ascii_case(read))
}

fn bind_value(bind: &Bind) -> JsValue {
    match bind {
        Bind::Null => JsValue::NULL,
        Bind::Real(number) => JsValue::from_f64(*number),
        Bind::Text(text) => JsValue::from_str(text),
        Bind::Blob(bytes) => Uint8Array::from(bytes.as_slice()).into(),
    }
}

fn cell(value: JsValue) -> Cell {
    if let Some(number) = value.as_f64() {
        return Cell::Number(number);
    }
    if let Some(text) = value.as_string() {
        return Cell::Text(text);
    }
    match value.dyn_into::<ArrayBuffer>() {
        Ok(buffer) => Cell::Blob(Uint8Array::new(&buffer).to_vec()),
        Err(_) => Cell::Null,
    }
}

fn engine_error(thrown: &JsValue) -> EngineError {
    EngineError {
        message: thrown_text(thrown),
    }
}

fn saturating(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

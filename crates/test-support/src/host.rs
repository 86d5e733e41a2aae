//! [`HostDatabase`]: the port to SQLite on rusqlite.
//!
//! It has the same limits, refusals and error texts as workerd. Numbers are bound as REAL, and read
//! as JavaScript's one number type. Each call runs one statement. Rows are collected when a
//! statement is opened, so no cursor outlives a later statement. Counters are approximate (rows
//! seen, rows changed), because only workerd counts what is billed.

use std::cell::Cell as Counter;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base::Result;
use database::{Bind, Cell, Counters, Cursor, Database, EngineError, Statement, TextRows};
use rusqlite::limits::Limit;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, StatementStatus, ToSql};

use super::authorizer::authorizer;
use super::engine_error::{TRANSACTION_REFUSED, engine_error};

/// The compiled statements that are kept: more than the product has in one object.
const CACHED_STATEMENTS: usize = 256;

/// One SQLite database on the host.
pub struct HostDatabase {
    connection: Connection,
    /// True while the adaptor itself begins or ends a transaction, or reads the size.
    ours: Arc<AtomicBool>,
    /// The number of SQLite's virtual machine instructions that all statements have taken.
    steps: Counter<u64>,
}

impl Default for HostDatabase {
    fn default() -> Self {
        Self::new()
    }
}

impl HostDatabase {
    /// Makes an empty database in memory.
    pub fn new() -> Self {
        Self::over(Connection::open_in_memory().unwrap())
    }

    /// Returns the connection, for hooks.
    pub fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Makes a database from a connection, such as one to a file.
    pub fn over(mut connection: Connection) -> Self {
        for (limit, value) in [
            (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100),
            (Limit::SQLITE_LIMIT_COLUMN, 100),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
            (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
            (Limit::SQLITE_LIMIT_FUNCTION_ARG, 127),
            // In production the limit for values and rows is 2 MB; local workerd has no limit.
            (Limit::SQLITE_LIMIT_LENGTH, 2_000_000),
        ] {
            connection.set_limit(limit, value).unwrap();
        }
        connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        let ours = Arc::new(AtomicBool::new(false));
        connection
            .authorizer(Some(authorizer(Arc::clone(&ours))))
            .unwrap();
        Self {
            connection,
            ours,
            steps: Counter::new(0),
        }
    }

    /// Returns the number of SQLite's virtual machine instructions that all statements have taken
    /// so far.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Returns the connection, for operations that the port does not have.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Runs statements of a test directly, without the port.
    pub fn script(&self, sql: &str) {
        self.connection
            .execute_batch(sql)
            .unwrap_or_else(|error| panic!("{error}: {sql}"));
    }

    /// Returns all rows of a test's query, as `quote()` would print them.
    pub fn dump_rows(&self, sql: &str) -> Vec<String> {
        let mut statement = self
            .connection
            .prepare(sql)
            .unwrap_or_else(|error| panic!("{error}: {sql}"));
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let cells: Vec<String> = (0..columns)
                .map(|index| print(row.get_ref(index).unwrap()))
                .collect();
            found.push(cells.join("|"));
        }
        found
    }

    fn own(&self, sql: &str) -> Result<()> {
        self.ours.store(true, Ordering::Relaxed);
        let done = self.connection.execute_batch(sql);
        self.ours.store(false, Ordering::Relaxed);
        done.map_err(|error| engine_error(&error).own())
    }
}

/// Returns a value as tests read it, with a visible type.
fn print(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => format!("{number:?}"),
        ValueRef::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => bytes
            .iter()
            .fold("x".to_owned(), |text, byte| format!("{text}{byte:02x}")),
    }
}

struct HostBind<'a>(&'a Bind);

impl ToSql for HostBind<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Bind::Null => ToSqlOutput::Owned(Value::Null),
            Bind::Real(number) => ToSqlOutput::Owned(Value::Real(*number)),
            Bind::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Bind::Blob(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

impl Database for HostDatabase {
    type Cursor = HostCursor;

    fn open(&self, statement: Statement<'_>) -> Result<HostCursor, EngineError> {
        // As in workerd, a statement of the product's own is compiled once.
        match statement {
            Statement::Own(sql, binds) => {
                refuse_transaction(sql)?;
                let prepared = self.connection.prepare_cached(sql);
                let mut prepared = prepared.map_err(|error| engine_error(&error))?;
                self.run_one(&mut prepared, binds)
            }
            Statement::Reviewed(reviewed) => {
                refuse_transaction(reviewed.text())?;
                let prepared = self.connection.prepare(reviewed.text());
                let mut prepared = prepared.map_err(|error| engine_error(&error))?;
                self.run_one(&mut prepared, reviewed.binds())
            }
        }
    }

    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.own("BEGIN")?;
        match work().and_then(|()| self.own("COMMIT")) {
            Ok(()) => Ok(()),
            Err(error) => {
                // SQLite rolls back by itself after some errors.
                if !self.connection.is_autocommit() {
                    self.own("ROLLBACK")?;
                }
                Err(error)
            }
        }
    }

    fn size_bytes(&self) -> u64 {
        self.ours.store(true, Ordering::Relaxed);
        let pragma = |name: &str| {
            self.connection
                .query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        let bytes = pragma("page_count") * pragma("page_size");
        self.ours.store(false, Ordering::Relaxed);
        bytes as u64
    }
}

impl HostDatabase {
    fn run_one(
        &self,
        prepared: &mut rusqlite::Statement<'_>,
        binds: &[Bind],
    ) -> Result<HostCursor, EngineError> {
        let complain = |error: rusqlite::Error| engine_error(&error);
        let before = self.connection.total_changes();
        if prepared.parameter_count() != binds.len() {
            return Err(EngineError {
                message: "Wrong number of parameter bindings for SQL query.".to_owned(),
            });
        }
        for (index, bind) in binds.iter().enumerate() {
            prepared
                .raw_bind_parameter(index + 1, HostBind(bind))
                .map_err(complain)?;
        }
        let columns: Vec<String> = prepared.column_names().map(str::to_owned).collect();
        let mut cursor = HostCursor {
            columns,
            rows: VecDeque::new(),
            failure: None,
            counters: Counters::default(),
        };
        let mut rows = prepared.raw_query();
        loop {
            match rows.next() {
                Ok(Some(row)) => cursor.rows.push_back(
                    (0..cursor.columns.len())
                        .map(|index| cell(row.get_ref(index).unwrap()))
                        .collect(),
                ),
                Ok(None) => break,
                // `open` reports a failure of the first step; a later failure is reported after the
                // rows before it.
                Err(error) if cursor.rows.is_empty() => return Err(engine_error(&error)),
                Err(error) => {
                    cursor.failure = Some(engine_error(&error));
                    break;
                }
            }
        }
        drop(rows);
        let steps = prepared.reset_status(StatementStatus::VmStep);
        self.steps
            .set(self.steps.get() + u64::try_from(steps).unwrap_or_default());
        let scanned = prepared.reset_status(StatementStatus::FullscanStep);
        let scanned = u64::try_from(scanned).unwrap_or_default();
        cursor.counters.rows_read = scanned.max(cursor.rows.len() as u64);
        cursor.counters.rows_written = self.connection.total_changes() - before;
        Ok(cursor)
    }
}

/// Refuses a statement that begins or ends a transaction, as workerd does.
fn refuse_transaction(sql: &str) -> Result<(), EngineError> {
    let first_word = sql
        .trim_start()
        .split(|letter: char| !letter.is_ascii_alphabetic())
        .next()
        .unwrap_or("")
        .to_ascii_uppercase();
    match ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"]
        .contains(&first_word.as_str())
    {
        true => Err(EngineError {
            message: TRANSACTION_REFUSED.to_owned(),
        }),
        false => Ok(()),
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Number(number as f64),
        ValueRef::Real(number) => Cell::Number(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Cell::Blob(bytes.to_vec()),
    }
}

/// The rows of a statement.
pub struct HostCursor {
    columns: Vec<String>,
    rows: VecDeque<Vec<Cell>>,
    failure: Option<EngineError>,
    counters: Counters,
}

impl Cursor for HostCursor {
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    fn next(&mut self) -> Result<Option<Vec<Cell>>, EngineError> {
        match (self.rows.pop_front(), self.failure.take()) {
            (Some(row), failure) => {
                self.failure = failure;
                Ok(Some(row))
            }
            (None, Some(failure)) => Err(failure),
            (None, None) => Ok(None),
        }
    }

    fn take_text(
        &mut self,
        max_rows: usize,
        max_bytes: usize,
        separator: &str,
    ) -> Result<TextRows, EngineError> {
        let mut taken = TextRows::default();
        while taken.rows < max_rows && taken.text.len() < max_bytes {
            let Some(row) = self.next()? else {
                taken.done = true;
                return Ok(taken);
            };
            if taken.rows > 0 {
                taken.text.push_str(separator);
            }
            match row.into_iter().next() {
                Some(Cell::Text(text)) => taken.text.push_str(&text),
                other => {
                    return Err(EngineError {
                        message: format!("take_text met {other:?}: SQLITE_MISMATCH"),
                    });
                }
            }
            taken.rows += 1;
        }
        Ok(taken)
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

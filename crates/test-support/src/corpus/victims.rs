//! Makes a session's database with valuable data, and takes a fingerprint of everything in it that
//! must not change.

use std::fmt::Write as _;

use base::{Error, Result};
use database::migrations::{self, Migration};
use database::{Cursor as _, Database as _, EngineError, Statement};
use rusqlite::types::ValueRef;
use sql_gate::{self, Bound, Parameters, Policy, Reviewed};

use super::lines::SETUP;
use crate::HostDatabase;

/// The tables of the object.
const MIGRATIONS: [Migration; 1] = [(
    1,
    "session",
    include_str!("../../../../migrations/session/0001_session.sql"),
)];

/// Rows for every table of the object.
const OWN_ROWS: &str = "
INSERT INTO session_state VALUES ('k', 'v', 1), ('own', 'secret', 2);
INSERT INTO execution_logs(timestamp, message) VALUES (1, 'one'), (2, 'two');
INSERT INTO _codemode_meta VALUES ('used_at', 1);
INSERT INTO _codemode_stage VALUES (1, 1, '[]');
";

/// Queries for everything that no statement of a caller may change.
const PRINTS: [&str; 9] = [
    "SELECT * FROM session_state ORDER BY 1",
    "SELECT * FROM execution_logs ORDER BY 1",
    "SELECT * FROM _codemode_meta ORDER BY 1",
    "SELECT * FROM _codemode_stage ORDER BY 1, 2",
    "SELECT * FROM _codemode_migrations ORDER BY 1",
    "SELECT * FROM sqlite_sequence WHERE name = 'execution_logs' OR name GLOB '_codemode_*'",
    // Tables, indexes, views and triggers of the object, and any with reserved names; all triggers.
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE tbl_name IN ('session_state', 'execution_logs') OR name IN ('session_state', 'execution_logs') \
     OR lower(tbl_name) GLOB '_codemode_*' OR lower(name) GLOB '_codemode_*' OR lower(name) GLOB '_cf_*' OR type = 'trigger' ORDER BY 1, 2",
    // Settings that outlive a statement.
    "SELECT f.foreign_keys, d.defer_foreign_keys, r.recursive_triggers, i.ignore_check_constraints FROM pragma_foreign_keys f, \
     pragma_defer_foreign_keys d, pragma_recursive_triggers r, pragma_ignore_check_constraints i",
    "SELECT 'A' LIKE 'a'",
];

/// Foreign keys of the user's tables that refer to a table of the object.
const FOREIGN_KEYS: &str = "SELECT s.name, k.\"table\" FROM sqlite_schema s, pragma_foreign_key_list(s.name) k WHERE s.type = 'table' \
     AND (lower(k.\"table\") IN ('session_state', 'execution_logs') OR lower(k.\"table\") GLOB '_codemode_*' OR lower(k.\"table\") GLOB 'sqlite_*')";

/// The parts of the full-text index `docs`.
const FULL_TEXT: [&str; 4] = [
    "SELECT * FROM docs_data",
    "SELECT * FROM docs_idx",
    "SELECT * FROM docs_content",
    "SELECT * FROM docs_config",
];

/// The parts of the user's own data that a statement may change, in addition to the rows of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The schema.
    Schema,
    /// The full-text index `docs`.
    FullText,
    /// Neither.
    Rows,
}

impl Scope {
    /// Returns the scope of a statement.
    pub fn of(bound: &Bound) -> Self {
        let its_own = bound
            .written_table()
            .is_some_and(|table| table.eq_ignore_ascii_case("docs"));
        match bound.kind() {
            sql_gate::StatementKind::Schema => Self::Schema,
            sql_gate::StatementKind::Write if its_own => Self::FullText,
            sql_gate::StatementKind::Read
            | sql_gate::StatementKind::Write
            | sql_gate::StatementKind::QueryPlan => Self::Rows,
        }
    }
}

/// A session's database.
pub struct Victims {
    /// The database.
    pub db: HostDatabase,
}

impl Default for Victims {
    fn default() -> Self {
        Self::new()
    }
}

impl Victims {
    /// Makes a database with the tables of the product and those of `tests/corpus/setup.sql`.
    pub fn new() -> Self {
        let victims = Self::bare();
        victims.db.script(SETUP);
        victims
    }

    /// Makes a database with only the tables of the product.
    pub fn bare() -> Self {
        let db = HostDatabase::new();
        migrations::apply(&db, &MIGRATIONS, 0).unwrap();
        db.script(OWN_ROWS);
        Self { db }
    }

    /// Returns the fingerprint of everything that must not change.
    pub fn print(&self) -> Vec<String> {
        let mut print = Vec::new();
        for query in PRINTS {
            print.extend(self.rows(query));
        }
        print
    }

    /// Returns the fingerprint, and everything else that a statement of that scope may not change.
    pub fn print_around(&self, scope: Scope) -> Vec<String> {
        let mut print = self.print();
        match scope {
            Scope::Schema => print.extend(self.rows(FOREIGN_KEYS)),
            Scope::FullText => {}
            Scope::Rows => FULL_TEXT
                .into_iter()
                .for_each(|query| print.extend(self.rows(query))),
        }
        print
    }

    /// Returns the rows of a query, or the engine's error, which is also a change.
    fn rows(&self, query: &str) -> Vec<String> {
        let connection = self.db.connection();
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = connection.prepare_cached(query)?;
            let columns = statement.column_count();
            let rows = statement.query_map([], |row| {
                let mut text = String::new();
                for index in 0..columns {
                    write_value(&row.get_ref(index), &mut text);
                }
                Ok(text)
            })?;
            rows.collect()
        };
        read().unwrap_or_else(|error| vec![format!("{query}: {error}")])
    }

    /// Returns true if SQLite itself says that the statement changes nothing.
    pub fn is_read_only(&self, bound: &Bound) -> bool {
        self.db
            .connection()
            .prepare(bound.sql())
            .is_ok_and(|statement| statement.readonly())
    }

    /// Runs `work` and rolls back all its changes.
    pub fn undone<T>(&self, mut work: impl FnMut() -> T) -> T {
        let mut outcome = None;
        let undone = self.db.transaction(&mut || {
            outcome = Some(work());
            Err(Error::internal("taken back"))
        });
        assert!(undone.is_err());
        outcome.unwrap()
    }

    /// Passes a text through the gate as the product does, up to the statement that would run.
    pub fn pass(&self, text: &str, parameters: &Parameters, policy: &Policy) -> Result<Bound> {
        self.pass_reviewed(&sql_gate::review(text, policy)?, parameters, policy)
    }

    /// Does the same for a text that has already been reviewed.
    pub fn pass_reviewed(
        &self,
        reviewed: &Reviewed,
        parameters: &Parameters,
        policy: &Policy,
    ) -> Result<Bound> {
        let bound = reviewed.bind(parameters)?;
        sql_cost::guard(&self.db, &bound, policy)?;
        Ok(bound)
    }

    /// Runs a statement that has passed the gate, to its last row. The engine may refuse it.
    pub fn run(&self, bound: &Bound) -> Result<usize, EngineError> {
        let mut cursor = self.db.open(Statement::Reviewed(bound.reviewed()))?;
        let mut rows = 0;
        while cursor.next()?.is_some() {
            rows += 1;
        }
        Ok(rows)
    }

    /// Runs a text that was not reviewed, and rolls it back. Returns true if the fingerprint
    /// differs from `before`.
    pub fn is_harmed_by(&self, text: &str, before: &[String]) -> bool {
        self.undone(|| {
            // An error is part of its effect: statements before the failing one have run.
            let ran = self.db.connection().execute_batch(text);
            drop(ran);
            self.print() != before
        })
    }
}

/// Writes a value as text that no other value has. Texts are written unchanged: as lists of bytes
/// they would take most of the test's time.
fn write_value(value: &rusqlite::Result<ValueRef<'_>>, out: &mut String) {
    let text = match value {
        Ok(ValueRef::Text(bytes)) => std::str::from_utf8(bytes).ok(),
        _ => None,
    };
    // Writing into a String does not fail.
    let _ = match text {
        Some(text) => write!(out, "{}:{text}|", text.len()),
        None => write!(out, "{value:?}|"),
    };
}

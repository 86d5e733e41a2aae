//! Statements that may run again without a check, as long as the schema stays the same and their
//! parameters have the same kinds.
//!
//! The checks of a statement depend on its text, on the kinds of its parameters (an integer is
//! bound in another way than a text), on the schema and, for some statements, on the data. A
//! statement of the last group is never repeated without a check: a join, a function that makes
//! long texts, a write whose work depends on the rows. A statement that may have a notice is
//! checked again, too.

use base::Result;
use database::{Counters, Database, DatabaseExt as _};
use sql_gate::{Bound, StatementKind};

pub use sql_gate::limits::MAX_ONE_PASS_BYTES as MAX_DATABASE_BYTES;
pub use sql_gate::sizes::SHORT_TEXT_BYTES as MAX_PARAMETER_BYTES;
pub use sql_gate::value::UNFINISHED;

use crate::operation::{StatementOperation, statement_of};
use crate::query::{CheckedStatement, Page, Request, Rows};
use crate::{Reply, Session};

/// Finds a definition because of which a failed write may leave changes behind, or fail only when
/// it is committed: a trigger, a virtual table, a constraint with ON CONFLICT FAIL or ROLLBACK, or
/// one that is deferred. It may find others.
const LEAVES_CHANGES: &str = "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' OR sql LIKE '%virtual%' OR sql LIKE '%fail%' OR sql LIKE '%rollback%' OR sql LIKE '%deferr%' LIMIT 1";

/// Stands for the list of rows in the text of a reply, because JSON has no such character.
const LIST: &str = "\0";

/// Stand for the other values of a run. A reply has them otherwise only in the name of a column.
const NUMBERS: [u64; 3] = [u32::MAX as u64, u64::MAX - 1, u64::MAX];

/// The answer to the question if a statement may be repeated.
#[derive(Debug, Clone, PartialEq)]
pub enum Repetition {
    /// It may.
    Allowed(Box<Repeated>),
    /// It may not until the schema changes.
    Refused,
    /// The next run tells.
    Undecided,
}

/// A statement that may be repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeated {
    /// The text that runs, with its parameters by position. The text of a read has one row: the
    /// list of rows as bytes, and their number.
    pub sql: String,
    /// True if it writes.
    pub writes: bool,
    /// The reply, with [`Repeated::places`] instead of the values that each run has.
    pub reply: Reply,
    /// The most rows of a reply.
    pub max_rows: u64,
    /// The longest list of rows in a reply.
    pub max_list_bytes: usize,
}

impl Repeated {
    /// Returns the texts that stand for values in the reply, in their order. For a read, the values
    /// are the list, the number of rows, and the rows that the engine has read; for a write, the
    /// rows read, written and changed.
    pub fn places(&self) -> [String; 3] {
        let [count, written, read] = NUMBERS.map(|number| number.to_string());
        if self.writes {
            [read, written, count]
        } else {
            [LIST.to_owned(), count, read]
        }
    }
}

impl<D: Database> Session<'_, D> {
    /// Decides if the statement of an operation's body, which has run before, may be repeated.
    ///
    /// # Errors
    /// Those of the gate, and the engine's.
    pub fn repetition(&self, body: &str) -> Result<Repetition> {
        let Some((operation, request)) = statement_of(body)? else {
            return Ok(Repetition::Refused);
        };
        let is_plain = request.scope.is_none() && request.page == Page::default();
        if self.scope.is_some() || !is_plain {
            return Ok(Repetition::Refused);
        }
        let policy = self.policy();
        let reviewed = self.cache.review(&request.sql, &policy)?;
        let is_right_kind = match operation {
            StatementOperation::Query => reviewed.kind() == StatementKind::Read,
            StatementOperation::Exec => reviewed.kind() == StatementKind::Write,
        };
        if !is_right_kind {
            return Ok(Repetition::Refused);
        }
        let bound = reviewed.bind(&request.parameters)?;
        if bound.has_returning()
            || bound.notice(u64::MAX).is_some()
            || self.may_read_texts_as_numbers(&reviewed, &bound)?
            || !sql_gate::sizes::is_independent(bound.statement(), bound.facts())
        {
            return Ok(Repetition::Refused);
        }
        if operation == StatementOperation::Query {
            return Ok(self.repeated_read(bound, &request));
        }
        match sql_cost::passes_in_any_state(&bound, &policy, &self.cache.counts) {
            None => Ok(Repetition::Undecided),
            Some(true) if !self.may_leave_changes(&bound)? => Ok(self.repeated_write(bound)),
            Some(_) => Ok(Repetition::Refused),
        }
    }

    fn repeated_read(&self, bound: Bound, request: &Request) -> Repetition {
        let description = match self.cache.description(&bound.description_key()) {
            None => return Repetition::Undecided,
            Some(known) if known.may_multiply => return Repetition::Refused,
            Some(known) => known,
        };
        let max_rows = request.row_limit(self.settings);
        let list = self.list_of(&bound, &description.columns, request);
        let [count, _, rows_read] = NUMBERS;
        let rows = Rows {
            columns: description.columns.clone(),
            list: LIST.to_owned(),
            count: usize::try_from(count).unwrap_or(usize::MAX),
            truncated: false,
            counters: Counters {
                rows_read,
                rows_written: 0,
            },
        };
        Repetition::Allowed(Box::new(Repeated {
            sql: list.sql().to_owned(),
            writes: false,
            reply: CheckedStatement { bound, texts: None }.rows_reply(rows, None),
            max_rows,
            max_list_bytes: self.settings.max_result_bytes,
        }))
    }

    fn repeated_write(&self, bound: Bound) -> Repetition {
        let [changes, rows_written, rows_read] = NUMBERS;
        let counters = Counters {
            rows_read,
            rows_written,
        };
        Repetition::Allowed(Box::new(Repeated {
            sql: bound.sql().to_owned(),
            writes: true,
            reply: CheckedStatement { bound, texts: None }.counters_reply(counters, changes),
            max_rows: 0,
            max_list_bytes: 0,
        }))
    }

    /// Returns true if the changes of a write may stay although it failed.
    fn may_leave_changes(&self, bound: &Bound) -> Result<bool> {
        let text = bound.sql().to_ascii_lowercase();
        if ["fail", "rollback"].iter().any(|word| text.contains(word)) {
            return Ok(true);
        }
        Ok(self.db.cell(LEAVES_CHANGES, &[])?.is_some())
    }
}

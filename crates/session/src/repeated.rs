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
use sql_gate::{Bound, StatementKind, value};

use crate::operation::{StatementOperation, statement_of};
use crate::query::{CheckedStatement, Page, Request, Rows};
use crate::{Reply, Session};

/// Finds a definition because of which a failed write may leave changes behind: a trigger, or a
/// constraint with ON CONFLICT FAIL or ROLLBACK. It may find others.
const LEAVES_CHANGES: &str = "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' OR sql LIKE '%fail%' OR sql LIKE '%rollback%' LIMIT 1";

/// Stands for a value in a text that is split there. Neither can be in JSON that a reply has
/// otherwise, except the numbers in the name of a column.
const LIST: &str = "\0";
const NUMBERS: [u64; 3] = [u32::MAX as u64, u64::MAX - 1, u64::MAX];

/// The texts that a list of rows has where it is not JSON yet.
pub const UNFINISHED: [&str; 2] = value::UNFINISHED;

/// The longest parameter in bytes.
pub const MAX_PARAMETER_BYTES: usize = sql_gate::sizes::SHORT_TEXT_BYTES;

/// A database above this size has its reads checked each time.
pub const MAX_DATABASE_BYTES: u64 = sql_gate::limits::MAX_ONE_PASS_BYTES;

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
    /// Returns the statement of an operation's body, if it may be repeated. It must have run before.
    ///
    /// # Errors
    /// Those of the gate, and the engine's.
    pub fn repeated(&self, body: &str) -> Result<Option<Repeated>> {
        let Some((operation, request)) = statement_of(body)? else {
            return Ok(None);
        };
        let is_plain = request.scope.is_none() && request.page == Page::default();
        if self.scope.is_some() || !is_plain {
            return Ok(None);
        }
        let policy = self.policy();
        let reviewed = self.cache.review(&request.sql, &policy)?;
        let bound = reviewed.bind(&request.parameters)?;
        if bound.notice(u64::MAX).is_some()
            || self.may_read_texts_as_numbers(&reviewed, &bound)?
            || !sql_gate::sizes::is_independent(bound.statement(), bound.facts())
        {
            return Ok(None);
        }
        match (operation, bound.kind()) {
            (StatementOperation::Query, StatementKind::Read) => {
                Ok(self.repeated_read(bound, &request))
            }
            (StatementOperation::Exec, StatementKind::Write) if !bound.has_returning() => {
                let passes =
                    sql_cost::passes_in_any_state(self.db, &bound, &policy, &self.cache.counts);
                let is_whole = !self.may_leave_changes(&bound)?;
                Ok((passes && is_whole).then(|| self.repeated_write(bound)))
            }
            _ => Ok(None),
        }
    }

    fn repeated_read(&self, bound: Bound, request: &Request) -> Option<Repeated> {
        let description = self.cache.description(&bound.description_key())?;
        if description.may_multiply {
            return None;
        }
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
        Some(Repeated {
            sql: list.sql().to_owned(),
            writes: false,
            reply: CheckedStatement { bound, texts: None }.rows_reply(rows, None),
            max_rows,
            max_list_bytes: self.settings.max_result_bytes,
        })
    }

    fn repeated_write(&self, bound: Bound) -> Repeated {
        let [changes, rows_written, rows_read] = NUMBERS;
        let counters = Counters {
            rows_read,
            rows_written,
        };
        Repeated {
            sql: bound.sql().to_owned(),
            writes: true,
            reply: CheckedStatement { bound, texts: None }.counters_reply(counters, changes),
            max_rows: 0,
            max_list_bytes: 0,
        }
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

//! Errors of a statement that the gate or the engine finds.

use base::{Code, Error, Problem, did_you_mean};
use serde_json::{Value, json};

/// One loop of a statement that is too expensive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopReport {
    /// The table that it visits, or a description of another source of rows.
    pub over: String,
    /// The number of rows of the table.
    pub rows: Option<u64>,
    /// The largest number of rows that it visits in all, also if an outer loop repeats it. `None`
    /// if there is no bound.
    pub visited: Option<u64>,
}

/// Units of work in a second. One unit is 10 ns.
const WORK_PER_SECOND: u64 = 100_000_000;

fn too_expensive(estimated_work: Option<u64>, limit: u64) -> String {
    let seconds = limit / WORK_PER_SECOND;
    match estimated_work {
        Some(work) => format!(
            "the statement may take {work} units of work, the limit is {limit} (about {seconds} s)"
        ),
        None => format!(
            "the work of the statement is unbounded; the limit is {limit} units (about {seconds} s)"
        ),
    }
}

/// The codes of [`SqlError`].
pub mod codes {
    base::codes! {
        SQL_BLOCKED: Forbidden,
        SYNTAX_ERROR: Invalid,
        NO_SUCH_TABLE: NotFound,
        NO_SUCH_COLUMN: Invalid,
        NO_SUCH_FUNCTION: NotFound,
        CONSTRAINT_FAILED: Conflict,
        DATATYPE_MISMATCH: Invalid,
        PARAMETER_COUNT: Invalid,
        QUERY_TOO_EXPENSIVE: Unprocessable,
        SQL_ERROR: Invalid,
        ALREADY_EXISTS: Conflict,
    }
}

/// An error of a statement.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SqlError {
    /// The SQL gate refused the statement.
    #[error("{message}")]
    SqlBlocked {
        /// The stable name of the rule, such as `pragma`.
        reason: &'static str,
        /// The message: the part that was refused, and the reason.
        message: String,
        /// The allowed way.
        hint: String,
    },
    /// The statement is not SQL that SQLite can read.
    #[error("{message}")]
    SyntaxError {
        /// The parser's message.
        message: String,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The line of text and a caret below the position.
        pointer: String,
        /// The fix.
        hint: Option<String>,
    },
    /// The statement names a table that does not exist.
    #[error("no such table: {table}")]
    NoSuchTable {
        /// The name as written.
        table: String,
        /// Similar names, the nearest first.
        suggestions: Vec<String>,
        /// The SQLite equivalent, if the name belongs to another dialect.
        hint: Option<String>,
    },
    /// The statement names a column that does not exist.
    #[error("no such column: {column}")]
    NoSuchColumn {
        /// The name as written.
        column: String,
        /// Similar names, the nearest first.
        suggestions: Vec<String>,
        /// The columns that the statement could use.
        available: Vec<String>,
        /// True if the name was in double quotes, which SQLite would have read as text.
        double_quoted: bool,
        /// The SQLite equivalent, if the word belongs to another dialect.
        hint: Option<String>,
    },
    /// The statement calls a function that does not exist.
    #[error("no such function: {function}")]
    NoSuchFunction {
        /// The name, in lower case.
        function: String,
        /// Similar names of functions, the nearest first.
        suggestions: Vec<String>,
        /// The SQLite equivalent.
        hint: Option<String>,
    },
    /// A constraint of the table refused the data.
    #[error("{message}")]
    ConstraintFailed {
        /// `UNIQUE`, `NOT NULL`, `CHECK`, `FOREIGN KEY` or `PRIMARY KEY`; `VIEW` if views read the
        /// thing that is to be dropped.
        kind: &'static str,
        /// The table, if the engine names it.
        table: Option<String>,
        /// The columns, or the CHECK text, if the engine names them.
        columns: Vec<String>,
        /// The engine's message.
        message: String,
    },
    /// A value has a type that its column or operation does not accept.
    #[error("{message}")]
    DatatypeMismatch {
        /// The engine's message.
        message: String,
    },
    /// The number of parameters differs from the number in the statement.
    #[error("the statement takes {expected} parameters, {given} were given")]
    ParameterCount {
        /// The number of parameters in the text.
        expected: usize,
        /// The number of parameters in the call.
        given: usize,
    },
    /// The statement would do more work than a session may.
    #[error("{}", too_expensive(*estimated_work, *limit))]
    QueryTooExpensive {
        /// The largest cost of the statement, in units of 10 ns, or `None` if nothing bounds it.
        estimated_work: Option<u64>,
        /// The limit that applies, in units of 10 ns.
        limit: u64,
        /// The loops that visit the most rows.
        loops: Vec<LoopReport>,
        /// A cheaper way.
        hint: String,
        /// The output of EXPLAIN QUERY PLAN, one line for each step.
        plan: Vec<String>,
    },
    /// The statement would take too long to compile, or to process its values.
    #[error("{message}")]
    TooMuchWork {
        /// The part that multiplies, and the limit.
        message: String,
        /// The cheaper way.
        hint: String,
    },
    /// Any other error of the engine.
    #[error("{message}")]
    SqlError {
        /// The engine's message.
        message: String,
        /// The fix, if known.
        hint: Option<String>,
    },
    /// A table with that name already exists.
    #[error("{table} exists already")]
    AlreadyExists {
        /// The table.
        table: String,
        /// The way in which the table would have been made.
        by: TableOrigin,
    },
}

/// A way of making a table. It decides what the caller can do if a table with that name already
/// exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableOrigin {
    /// A statement, such as CREATE TABLE.
    Statement,
    /// A load of rows into a table of its own.
    Load,
    /// A copy into the persistent database.
    Copy,
    /// Tables that a result is written to.
    Result,
}

impl TableOrigin {
    fn advice(self) -> &'static str {
        match self {
            Self::Statement => {
                r#"choose another name, drop it first with {"operation":"dropTable"}, or write IF NOT EXISTS"#
            }
            Self::Load => {
                r#"load without create=true to add the rows to it; choose another name, or drop it first with {"operation":"dropTable"}, to read the file in another way"#
            }
            Self::Copy => {
                r#"choose another name with as, or persist with mode "replace" or "append""#
            }
            Self::Result => "choose another name, or ask for the table to be replaced",
        }
    }
}

/// Returns a `SQL_BLOCKED` error with another hint, if there is one.
pub fn hinted(refusal: Error, better: Option<&str>) -> Error {
    let Some(better) = better else {
        return refusal;
    };
    match refusal.into_problem() {
        Ok(SqlError::SqlBlocked {
            reason, message, ..
        }) => SqlError::SqlBlocked {
            reason,
            message,
            hint: better.to_owned(),
        }
        .into(),
        Ok(other) => other.into(),
        Err(other) => other,
    }
}

impl Problem for SqlError {
    fn code(&self) -> Code {
        match self {
            Self::SqlBlocked { .. } => codes::SQL_BLOCKED,
            Self::SyntaxError { .. } => codes::SYNTAX_ERROR,
            Self::NoSuchTable { .. } => codes::NO_SUCH_TABLE,
            Self::NoSuchColumn { .. } => codes::NO_SUCH_COLUMN,
            Self::NoSuchFunction { .. } => codes::NO_SUCH_FUNCTION,
            Self::ConstraintFailed { .. } => codes::CONSTRAINT_FAILED,
            Self::DatatypeMismatch { .. } => codes::DATATYPE_MISMATCH,
            Self::ParameterCount { .. } => codes::PARAMETER_COUNT,
            Self::QueryTooExpensive { .. } | Self::TooMuchWork { .. } => codes::QUERY_TOO_EXPENSIVE,
            Self::SqlError { .. } => codes::SQL_ERROR,
            Self::AlreadyExists { .. } => codes::ALREADY_EXISTS,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::SyntaxError { hint, .. } | Self::SqlError { hint, .. } => hint.clone(),
            Self::SqlBlocked { hint, .. }
            | Self::TooMuchWork { hint, .. }
            | Self::QueryTooExpensive { hint, .. } => Some(hint.clone()),
            Self::NoSuchTable {
                suggestions, hint, ..
            } => Some(
                did_you_mean(suggestions)
                    .or_else(|| hint.clone())
                    .unwrap_or_else(|| {
                        r#"call {"operation":"getTables"} to see the tables of this session"#.to_owned()
                    }),
            ),
            Self::NoSuchColumn {
                hint: Some(hint), ..
            } => Some(hint.clone()),
            Self::NoSuchColumn {
                suggestions,
                available,
                double_quoted,
                column,
                hint: None,
            } => Some(no_such_column_hint(
                column,
                suggestions,
                available,
                *double_quoted,
            )),
            Self::NoSuchFunction {
                suggestions, hint, ..
            } => Some(
                hint.clone()
                    .or_else(|| did_you_mean(suggestions))
                    .unwrap_or_else(|| {
                        "use SQLite's built-in functions; docs/sql-policy.md lists them".to_owned()
                    }),
            ),
            Self::ConstraintFailed { kind, .. } => Some(constraint_hint(kind).to_owned()),
            Self::DatatypeMismatch { .. } => {
                Some("bind a value of the column's type, or CAST it".to_owned())
            }
            Self::ParameterCount { expected, .. } => Some(match expected {
                0 => "leave params out, or write a ? where the value belongs".to_owned(),
                1 => "pass the value of the placeholder in params; the values of x IN (?) are one list, [[1, 2]]".to_owned(),
                _ => format!(
                    "pass one value in params for each of the {expected} placeholders, in order"
                ),
            }),
            Self::AlreadyExists { by, .. } => Some(by.advice().to_owned()),
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::SqlBlocked { reason, .. } => json!({ "reason": reason }),
            Self::SyntaxError {
                line,
                column,
                pointer,
                ..
            } => json!({ "line": line, "column": column, "pointer": pointer }),
            Self::NoSuchTable {
                table, suggestions, ..
            } => {
                json!({ "table": table, "suggestions": suggestions })
            }
            Self::NoSuchColumn {
                column,
                suggestions,
                available,
                ..
            } => {
                json!({ "column": column, "suggestions": suggestions, "available": available })
            }
            Self::NoSuchFunction {
                function,
                suggestions,
                ..
            } => json!({ "function": function, "suggestions": suggestions }),
            Self::ConstraintFailed {
                kind,
                table,
                columns,
                ..
            } => {
                json!({ "kind": kind, "table": table, "columns": columns })
            }
            Self::ParameterCount { expected, given } => {
                json!({ "expected": expected, "given": given })
            }
            Self::QueryTooExpensive {
                estimated_work,
                limit,
                loops,
                plan,
                ..
            } => {
                let loops: Vec<Value> = loops
                    .iter()
                    .map(|found| json!({ "over": found.over, "rows": found.rows, "visited": found.visited }))
                    .collect();
                json!({ "estimatedWork": estimated_work, "limit": limit, "loops": loops, "plan": plan })
            }
            Self::DatatypeMismatch { .. }
            | Self::TooMuchWork { .. }
            | Self::SqlError { .. }
            | Self::AlreadyExists { .. } => Value::Null,
        }
    }
}

fn no_such_column_hint(
    column: &str,
    suggestions: &[String],
    available: &[String],
    double_quoted: bool,
) -> String {
    let mut parts = Vec::new();
    if double_quoted {
        let text = column.replace('\'', "''");
        parts.push(format!(
            "double quotes name a column; for text use single quotes: '{text}'"
        ));
    }
    match did_you_mean(suggestions) {
        Some(question) => parts.push(question),
        None if !available.is_empty() => {
            parts.push(format!("the columns are: {}", available.join(", ")))
        }
        None if parts.is_empty() => parts
            .push(r#"call {"operation":"describeTable"} to see the columns of a table"#.to_owned()),
        None => {}
    }
    parts.join("; ")
}

fn constraint_hint(kind: &str) -> &'static str {
    match kind {
        "UNIQUE" | "PRIMARY KEY" => {
            "use INSERT … ON CONFLICT DO UPDATE, INSERT OR IGNORE, or onConflict \"ignore\" or \"replace\""
        }
        "NOT NULL" => "give the column a value, or declare a DEFAULT",
        "FOREIGN KEY" => {
            "insert the row it refers to first; before deleting a row or table, delete the rows that refer to it"
        }
        "VIEW" => "drop the views first, then the table that they read",
        _ => "send data that satisfies the table's constraint",
    }
}

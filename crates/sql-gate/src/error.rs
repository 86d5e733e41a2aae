//! What can be wrong with a statement, from the gate's view and from the engine's.

use base::{Code, Error, Problem, did_you_mean};
use serde_json::{Value, json};

/// One loop of a statement that is too expensive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopReport {
    /// The table that it goes through, or what else.
    pub over: String,
    /// Rows of it.
    pub rows: Option<u64>,
    /// Rows that all its rounds visit at most; `None` when nothing bounds them.
    pub visited: Option<u64>,
}

/// A second has this many units of work: a unit is 10 ns.
const WORK_PER_SECOND: u64 = 100_000_000;

fn too_expensive(estimated_work: Option<u64>, limit: u64) -> String {
    let seconds = limit / WORK_PER_SECOND;
    match estimated_work {
        Some(work) => format!(
            "the statement may take {work} units of work, the limit is {limit} (about {seconds} s)"
        ),
        None => format!(
            "nothing bounds the work of the statement, the limit is {limit} units (about {seconds} s)"
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

/// What is wrong with a statement.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SqlError {
    /// The SQL gate refused the statement.
    #[error("{message}")]
    SqlBlocked {
        /// Stable name of the rule, such as `pragma`.
        reason: &'static str,
        /// What was refused.
        message: String,
        /// The allowed way.
        hint: String,
    },
    /// The statement is not SQL that SQLite reads.
    #[error("{message}")]
    SyntaxError {
        /// The parser's complaint.
        message: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// The line of text and a caret below the position.
        pointer: String,
        /// How to fix it.
        hint: Option<String>,
    },
    /// The statement names a table that is not there.
    #[error("no such table: {table}")]
    NoSuchTable {
        /// The name as written.
        table: String,
        /// Nearest names first.
        suggestions: Vec<String>,
        /// What SQLite has instead, where the name belongs to another dialect.
        hint: Option<String>,
    },
    /// The statement names a column that is not there.
    #[error("no such column: {column}")]
    NoSuchColumn {
        /// The name as written.
        column: String,
        /// Nearest names first.
        suggestions: Vec<String>,
        /// The columns that the statement could use.
        available: Vec<String>,
        /// The name stood in double quotes, which SQLite would have turned into text.
        double_quoted: bool,
        /// What SQLite has instead, where the word belongs to another dialect.
        hint: Option<String>,
    },
    /// The statement calls a function that is not there.
    #[error("no such function: {function}")]
    NoSuchFunction {
        /// The name, lower case.
        function: String,
        /// Nearest names of functions first.
        suggestions: Vec<String>,
        /// What SQLite has instead.
        hint: Option<String>,
    },
    /// A constraint of the table refused the data.
    #[error("{message}")]
    ConstraintFailed {
        /// `UNIQUE`, `NOT NULL`, `CHECK`, `FOREIGN KEY` or `PRIMARY KEY`; `VIEW` where views read what is to be dropped.
        kind: &'static str,
        /// The table, where the engine names it.
        table: Option<String>,
        /// The columns, or the CHECK text, where the engine names them.
        columns: Vec<String>,
        /// The engine's message.
        message: String,
    },
    /// A value has a type its column or operation does not take.
    #[error("{message}")]
    DatatypeMismatch {
        /// The engine's message.
        message: String,
    },
    /// The number of parameters differs from what the statement names.
    #[error("the statement takes {expected} parameters, {given} were given")]
    ParameterCount {
        /// Parameters in the text.
        expected: usize,
        /// Parameters in the call.
        given: usize,
    },
    /// The statement would do more work than a session may.
    #[error("{}", too_expensive(*estimated_work, *limit))]
    QueryTooExpensive {
        /// What it can cost at most, in units of 10 ns; `None` when nothing bounds it.
        estimated_work: Option<u64>,
        /// The limit in force, in the same units.
        limit: u64,
        /// The loops that go through most rows.
        loops: Vec<LoopReport>,
        /// What to do instead.
        hint: String,
        /// EXPLAIN QUERY PLAN, one line a step.
        plan: Vec<String>,
    },
    /// The statement would take too long to compile, or work too long on its values.
    #[error("{message}")]
    TooMuchWork {
        /// What multiplies, and the limit.
        message: String,
        /// The cheaper way.
        hint: String,
    },
    /// Any other complaint of the engine.
    #[error("{message}")]
    SqlError {
        /// The engine's message.
        message: String,
        /// How to fix it, where known.
        hint: Option<String>,
    },
    /// A table of that name exists already.
    #[error("{table} exists already")]
    AlreadyExists {
        /// The table.
        table: String,
        /// What would have made it.
        by: Making,
    },
}

/// What makes a table, which decides what its caller can do where there is one of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Making {
    /// A statement.
    Statement,
    /// A load of rows into a table of its own.
    Load,
    /// A copy into the persistent database.
    Copy,
    /// Tables that a result is written to.
    Result,
}

impl Making {
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

/// A `SQL_BLOCKED` with another hint, where there is one.
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
            "insert the row it refers to first; before a row or table goes, the rows that refer to it must go"
        }
        "VIEW" => "drop the views first, then the table that they read",
        _ => "send data that satisfies the table's constraint",
    }
}

//! The only vocabulary of failure, in one file, because the code, hint and details of each error must be exhaustive together.
//!
//! Every error has a stable code, a message that says what happened, and where we can know it, a hint that says how to fix it. The
//! status that a code has over HTTP is decided in one table, [`crate::api::status`].

use serde_json::{Map, Value, json};

use crate::tools::ToolError;

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

/// A second has this many units of work.
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

/// What went wrong, with what the caller needs to fix it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A field of the request is missing or not what it must be.
    #[error("{message}")]
    InvalidArgument {
        /// What is wrong, naming the field.
        message: String,
        /// How to fix it.
        hint: Option<String>,
    },
    /// The body is not the JSON, CSV or UTF-8 that it claims to be.
    #[error("{message}")]
    InvalidBody {
        /// What is wrong and where.
        message: String,
        /// How to fix it.
        hint: Option<String>,
    },
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
    /// The database is at its size limit.
    #[error("the database is full")]
    DatabaseFull,
    /// The number of parameters differs from what the statement names.
    #[error("the statement takes {expected} parameters, {given} were given")]
    ParameterCount {
        /// Parameters in the text.
        expected: usize,
        /// Parameters in the call.
        given: usize,
    },
    /// A text, value, row or list is over an engine limit.
    #[error("{message}")]
    TooBig {
        /// What is too big, and the limit.
        message: String,
        /// How to stay within it.
        hint: String,
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
    /// The object did not answer in time.
    #[error("the database did not respond within {timeout_ms} ms")]
    QueryTimeout {
        /// The time it had.
        timeout_ms: u32,
    },
    /// Another statement holds what this one needs.
    #[error("{message}")]
    Busy {
        /// What is held.
        message: String,
    },
    /// The session was deleted while something of it was under way.
    #[error("the session was deleted while {what}")]
    SessionDeleted {
        /// What was under way.
        what: &'static str,
    },
    /// Any other complaint of the engine.
    #[error("{message}")]
    SqlError {
        /// The engine's message.
        message: String,
        /// How to fix it, where known.
        hint: Option<String>,
    },
    /// The body is larger than the route takes.
    #[error("the body is larger than {limit_bytes} bytes")]
    PayloadTooLarge {
        /// The route's limit.
        limit_bytes: u64,
    },
    /// No token, or a wrong one.
    #[error("{message}")]
    Unauthorized {
        /// What is missing.
        message: String,
        /// How to get in.
        hint: String,
    },
    /// The page that made the request may not.
    #[error("requests from origin {origin} are not allowed")]
    OriginNotAllowed {
        /// The Origin header.
        origin: String,
    },
    /// No such route.
    #[error("no such route: {method} {path}")]
    NotFound {
        /// Method of the request.
        method: String,
        /// Path of the request.
        path: String,
    },
    /// The route exists, not with this method.
    #[error("{path} does not take {method}")]
    MethodNotAllowed {
        /// Method of the request.
        method: String,
        /// Path of the request.
        path: String,
        /// The methods it takes.
        allowed: Vec<&'static str>,
    },
    /// `operation` names nothing that we do.
    #[error("no such operation: {operation}")]
    UnknownOperation {
        /// The name given.
        operation: String,
        /// Nearest names first.
        suggestions: Vec<String>,
        /// All there are.
        operations: &'static [&'static str],
    },
    /// The type or the coding of a body is not one that we read.
    #[error("{message}")]
    UnsupportedMediaType {
        /// What the header says.
        message: String,
        /// What to send.
        hint: String,
        /// What is read.
        accepted: &'static [&'static str],
    },
    /// The deployment has no D1 binding.
    #[error("this deployment has no persistent database")]
    PersistentUnavailable,
    /// The deployment has no Worker Loader binding.
    #[error("this deployment cannot run programs: it has no Worker Loader binding")]
    SandboxUnavailable,
    /// Every isolate of the session is in use.
    #[error("{message}")]
    SandboxBusy {
        /// What was waited for.
        message: String,
    },
    /// A table of that name exists already.
    #[error("{table} exists already")]
    AlreadyExists {
        /// The table.
        table: String,
    },
    /// A table of that name exists already, and what was to be created is another.
    #[error("{table} exists already with other columns: it has {}, asked for was {}", existing.join(", "), asked.join(", "))]
    OtherColumns {
        /// The table.
        table: String,
        /// What it has.
        existing: Vec<String>,
        /// What was asked for.
        asked: Vec<String>,
    },
    /// A tool of another server.
    #[error(transparent)]
    Tool(Box<ToolError>),
    /// The deployment's configuration is not usable.
    #[error("{message}")]
    Misconfigured {
        /// Which setting, and what is wrong with it.
        message: String,
    },
    /// A fault of ours.
    #[error("{message}")]
    Internal {
        /// What happened, without secrets.
        message: String,
    },
}

impl Error {
    /// An [`Error::InvalidArgument`] without a hint.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::InvalidArgument {
            message: message.into(),
            hint: None,
        }
    }

    /// An [`Error::InvalidArgument`] with its fix.
    pub fn invalid_with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::InvalidArgument {
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    /// An [`Error::InvalidBody`] without a hint.
    pub fn body(message: impl Into<String>) -> Self {
        Self::InvalidBody {
            message: message.into(),
            hint: None,
        }
    }

    /// An [`Error::Internal`].
    pub fn internal(message: impl Into<String>) -> Self {
        Self::Internal {
            message: message.into(),
        }
    }

    /// A `SQL_BLOCKED` with another hint, where there is one.
    pub(crate) fn hinted(self, better: Option<&str>) -> Self {
        match (self, better) {
            (
                Self::SqlBlocked {
                    reason, message, ..
                },
                Some(hint),
            ) => Self::SqlBlocked {
                reason,
                message,
                hint: hint.to_owned(),
            },
            (other, _) => other,
        }
    }

    /// The stable code, as it stands in responses and documents.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidArgument { .. } => "INVALID_ARGUMENT",
            Self::InvalidBody { .. } => "INVALID_BODY",
            Self::SqlBlocked { .. } => "SQL_BLOCKED",
            Self::SyntaxError { .. } => "SYNTAX_ERROR",
            Self::NoSuchTable { .. } => "NO_SUCH_TABLE",
            Self::NoSuchColumn { .. } => "NO_SUCH_COLUMN",
            Self::NoSuchFunction { .. } => "NO_SUCH_FUNCTION",
            Self::ConstraintFailed { .. } => "CONSTRAINT_FAILED",
            Self::DatatypeMismatch { .. } => "DATATYPE_MISMATCH",
            Self::DatabaseFull => "DATABASE_FULL",
            Self::ParameterCount { .. } => "PARAMETER_COUNT",
            Self::TooBig { .. } => "TOO_BIG",
            Self::QueryTooExpensive { .. } | Self::TooMuchWork { .. } => "QUERY_TOO_EXPENSIVE",
            Self::QueryTimeout { .. } => "QUERY_TIMEOUT",
            Self::Busy { .. } => "BUSY",
            Self::SessionDeleted { .. } => "SESSION_DELETED",
            Self::SqlError { .. } => "SQL_ERROR",
            Self::PayloadTooLarge { .. } => "PAYLOAD_TOO_LARGE",
            Self::Unauthorized { .. } => "UNAUTHORIZED",
            Self::OriginNotAllowed { .. } => "ORIGIN_NOT_ALLOWED",
            Self::NotFound { .. } => "NOT_FOUND",
            Self::MethodNotAllowed { .. } => "METHOD_NOT_ALLOWED",
            Self::UnknownOperation { .. } => "UNKNOWN_OPERATION",
            Self::UnsupportedMediaType { .. } => "UNSUPPORTED_MEDIA_TYPE",
            Self::PersistentUnavailable => "PERSISTENT_UNAVAILABLE",
            Self::SandboxUnavailable => "SANDBOX_UNAVAILABLE",
            Self::SandboxBusy { .. } => "SANDBOX_BUSY",
            Self::AlreadyExists { .. } | Self::OtherColumns { .. } => "ALREADY_EXISTS",
            Self::Tool(error) => error.code(),
            Self::Misconfigured { .. } => "MISCONFIGURED",
            Self::Internal { .. } => "INTERNAL",
        }
    }

    /// How to fix it, where we can know.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::InvalidArgument { hint, .. }
            | Self::InvalidBody { hint, .. }
            | Self::SyntaxError { hint, .. }
            | Self::SqlError { hint, .. } => hint.clone(),
            Self::SqlBlocked { hint, .. }
            | Self::TooBig { hint, .. }
            | Self::TooMuchWork { hint, .. }
            | Self::UnsupportedMediaType { hint, .. }
            | Self::Unauthorized { hint, .. } => Some(hint.clone()),
            Self::NoSuchTable { suggestions, hint, .. } => Some(
                did_you_mean(suggestions)
                    .or_else(|| hint.clone())
                    .unwrap_or_else(|| "call getTables to see the tables of this session".to_owned()),
            ),
            Self::NoSuchColumn { hint: Some(hint), .. } => Some(hint.clone()),
            Self::NoSuchColumn { suggestions, available, double_quoted, column, hint: None } => {
                Some(no_such_column_hint(column, suggestions, available, *double_quoted))
            }
            Self::NoSuchFunction { suggestions, hint, .. } => Some(
                hint.clone()
                    .or_else(|| did_you_mean(suggestions))
                    .unwrap_or_else(|| "use SQLite's built-in functions; docs/sql-policy.md lists them".to_owned()),
            ),
            Self::ConstraintFailed { kind, .. } => Some(constraint_hint(kind).to_owned()),
            Self::DatatypeMismatch { .. } => Some("bind a value of the column's type, or CAST it".to_owned()),
            Self::DatabaseFull => Some("drop tables that are no longer needed, or delete the session".to_owned()),
            Self::ParameterCount { expected, .. } => Some(match expected {
                0 => "leave params out, or write a ? where the value belongs".to_owned(),
                1 => "pass the value of the placeholder in params".to_owned(),
                _ => format!("pass one value in params for each of the {expected} placeholders, in order"),
            }),
            Self::QueryTooExpensive { hint, .. } => Some(hint.clone()),
            Self::QueryTimeout { .. } => Some("select fewer rows, add an index, or split the work into steps".to_owned()),
            Self::Busy { .. } => Some("finish or abandon the stream that reads the table, then try again".to_owned()),
            Self::PayloadTooLarge { .. } => {
                Some("send less in one request, or load rows with PUT …/tables/{table}/rows, which streams".to_owned())
            }
            Self::OriginNotAllowed { .. } => Some("add the origin to the environment variable ALLOWED_ORIGINS".to_owned()),
            Self::NotFound { .. } => Some("GET /api/openapi.json lists every route".to_owned()),
            Self::MethodNotAllowed { allowed, .. } => Some(format!("use {}", allowed.join(" or "))),
            Self::UnknownOperation { suggestions, operations, .. } => {
                Some(did_you_mean(suggestions).unwrap_or_else(|| operations_hint(operations)))
            }
            Self::PersistentUnavailable => {
                Some("add a D1 binding named CODEMODE_D1 to wrangler.toml (docs/deploying.md)".to_owned())
            }
            Self::SessionDeleted { .. } => {
                Some("its tables are gone; the next request starts a new session".to_owned())
            }
            Self::SandboxUnavailable => Some(
                "add [[worker_loaders]] with binding = \"LOADER\" to wrangler.toml (docs/deploying.md), or run programs in a sandbox of your own with GET /api/codemode/helpers.js"
                    .to_owned(),
            ),
            Self::SandboxBusy { .. } => Some("wait for programs of this session to end, then try again".to_owned()),
            Self::AlreadyExists { .. } => Some(
                "choose another name, write IF NOT EXISTS, load without create=true, or persist with mode \"replace\" or \"append\"".to_owned(),
            ),
            Self::OtherColumns { table, .. } => Some(format!(
                "use the columns that it has, add one with ALTER TABLE {table} ADD COLUMN, choose another name, or DROP TABLE {table} first"
            )),
            Self::Tool(error) => error.hint(),
            Self::Misconfigured { .. } => Some(
                "correct the environment variable: make run reads .dev.vars again by itself, a deployment is deployed again".to_owned(),
            ),
            Self::Internal { .. } => None,
        }
    }

    /// The fields beside code, message and hint.
    pub fn details(&self) -> Map<String, Value> {
        let value = match self {
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
            Self::QueryTimeout { timeout_ms } => json!({ "timeoutMs": timeout_ms }),
            Self::PayloadTooLarge { limit_bytes } => json!({ "limitBytes": limit_bytes }),
            Self::MethodNotAllowed { allowed, .. } => json!({ "allowed": allowed }),
            Self::UnsupportedMediaType { accepted, .. } => json!({ "accepted": accepted }),
            Self::UnknownOperation { suggestions, .. } => json!({ "suggestions": suggestions }),
            Self::OtherColumns {
                existing, asked, ..
            } => json!({ "existing": existing, "asked": asked }),
            Self::Tool(error) => error.details(),
            _ => Value::Null,
        };
        match value {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// The error as it stands under `error` in a response.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("code".to_owned(), self.code().into());
        fields.insert("message".to_owned(), self.to_string().into());
        if let Some(hint) = self.hint() {
            fields.insert("hint".to_owned(), hint.into());
        }
        fields.extend(self.details());
        Value::Object(fields)
    }
}

impl From<ToolError> for Error {
    fn from(error: ToolError) -> Self {
        Self::Tool(Box::new(error))
    }
}

/// ``did you mean `a`, `b`?`` — nothing where there is nothing to suggest.
pub(crate) fn did_you_mean(suggestions: &[String]) -> Option<String> {
    if suggestions.is_empty() {
        return None;
    }
    let names: Vec<String> = suggestions.iter().map(|name| format!("`{name}`")).collect();
    Some(format!("did you mean {}?", names.join(" or ")))
}

/// What operations there are, with an example.
pub(crate) fn operations_hint(operations: &[&str]) -> String {
    format!(
        r#"the operations are {}; for example {{"operation":"query","sql":"SELECT 1 AS one"}}"#,
        operations.join(", ")
    )
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
        None if parts.is_empty() => {
            parts.push("call describeTable to see the columns of a table".to_owned())
        }
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

/// What every fallible function of the crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

//! Errors of `query`, which reads the tables of a graph like a session's. Hints that name a
//! session's operations are replaced, because a graph does not have them.

use crate::kinds::{Parameters, RowFormat, RowLimit};
use ::operation::arguments::{Raw, Text};
use ::operation::declaration::{Body, Effect, Route};
use std::fmt;

use base::{Code, Error, Problem};
use serde_json::Value;

/// Words of hints that apply only to sessions.
const OF_SESSIONS: &[&str] = &[
    "PUT",
    "batchInsert",
    "createTable",
    "describeTable",
    "dropTable",
    "exec",
    "getColumns",
    "getTables",
    "session",
    "stream",
];
const HINT: &str = "query takes one SELECT over the tables nodes and edges, whose columns pragma_table_info('nodes') lists; addNode, importGraph and the other operations change the graph";

/// Returns the error with a hint that applies to a graph.
pub fn in_graph(error: Error) -> Error {
    Error::from(QueryError(error))
}

/// The error of a read, with another hint if the session's does not apply.
#[derive(Debug)]
struct QueryError(Error);

impl fmt::Display for QueryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Problem for QueryError {
    fn code(&self) -> Code {
        self.0.problem_code()
    }

    fn hint(&self) -> Option<String> {
        let hint = self.0.hint()?;
        let mut words = hint.split(|character: char| !character.is_ascii_alphabetic());
        if words.any(|word| OF_SESSIONS.contains(&word)) {
            return Some(HINT.to_owned());
        }
        Some(hint)
    }

    fn details(&self) -> Value {
        Value::Object(self.0.details())
    }

    fn beside_error(&self) -> Value {
        Value::Object(self.0.beside_error())
    }
}

::operation::operation! {
    /// The rows of a SELECT over the tables nodes and edges.
    pub(crate) struct Query<'a> {
        /// One SELECT statement.
        "sql" => sql: Text<1, 100_000>,
        "params" => params: Option<Raw<Parameters>>,
        /// The most rows to return; never more than MAX_RESULT_ROWS.
        "limit" => limit: Option<Raw<RowLimit>>,
        /// The form of a row; object if left out.
        "rowFormat" => row_format: Option<Raw<RowFormat>>,
    }
    name: "query",
    title: "Query the graph with SQL",
    effect: Effect::READS,
    output: "QueryAnswer",
    route: Route::write("querygraph", "POST", path!("/query"), "Run a SELECT over the tables nodes and edges", Body::Request),
    example: r#"{"sql":"SELECT type, count(*) AS nodes FROM nodes GROUP BY type"}"#,
}

//! Errors of `query`, which is the read of a session over the tables of a graph: a session's
//! operations are no help there.

use crate::kinds::{Parameters, RowFormat, RowLimit};
use ::operation::arguments::{Raw, Text};
use ::operation::declaration::{Body, Effect, Route};
use std::fmt;

use base::{Code, Error, Problem};
use serde_json::Value;

/// Words of hints that only a session understands.
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

/// Returns the failure with a hint that a graph understands.
pub fn in_graph(error: Error) -> Error {
    Error::from(QueryError(error))
}

/// The failure of a read, with another hint where the session's leads nowhere.
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
        /// One SELECT.
        "sql" => sql: Text<1, 100_000>,
        "params" => params: Option<Raw<Parameters>>,
        /// Rows wanted at most; never more than MAX_RESULT_ROWS come.
        "limit" => limit: Option<Raw<RowLimit>>,
        /// What a row is; object unless said.
        "rowFormat" => row_format: Option<Raw<RowFormat>>,
    }
    name: "query",
    title: "Query the graph with SQL",
    effect: Effect::READS,
    output: "QueryAnswer",
    route: Route::write("querygraph", "POST", path!("/query"), "Run a SELECT over the tables nodes and edges", Body::Request),
    example: r#"{"sql":"SELECT type, count(*) AS nodes FROM nodes GROUP BY type"}"#,
}

//! What a Code Mode session does with its database.
//!
//! [`dispatch`] is the object's own contract: one JSON body names an operation, one JSON text answers. Loads, exports and dumps stream,
//! so they are types of their own: [`bulk::Load`] takes pieces of a body, [`export::Export`] and [`dump::Dump`] yield pieces of an
//! answer. Nothing here knows HTTP or the platform; routes and the object's life are left to `api/` and `worker/`.

pub mod bulk;
pub mod dump;
mod exact_row;
pub mod executions;
pub mod expiry;
pub mod export;
mod fields;
pub mod logs;
pub mod memo;
mod metrics;
pub mod persistent;
pub mod query;
pub mod row_stream;
pub mod row_text;
mod rows;
pub mod staging;
mod state;
pub mod tabular;
pub mod time;
pub mod totals;

use crate::api::envelope;
use crate::config::Config;
use crate::database::{Counters, Database, DatabaseExt, migrations};
use crate::error::{Error, Result};
use crate::schema::{inspect, nearest};
use crate::sql::Policy;

use fields::Fields;

/// The operations of [`dispatch`], as they are named on the wire.
pub const OPERATIONS: &[&str] = &[
    "exec",
    "query",
    "batchInsert",
    "createTable",
    "dropTable",
    "saveState",
    "getState",
    "getMetrics",
    "getColumns",
    "hasColumn",
    "getTables",
    "describeTable",
    "findColumn",
    "queryStagedData",
];

/// The fields that a body may have, by operation.
const FIELDS: &[(&str, &[&str])] = &[
    ("exec", STATEMENT_FIELDS),
    ("query", STATEMENT_FIELDS),
    (
        "batchInsert",
        &["operation", "table", "records", "onConflict", "target"],
    ),
    ("createTable", &["operation", "name", "schema", "target"]),
    ("dropTable", &["operation", "table", "ifExists", "target"]),
    ("saveState", &["operation", "key", "value", "target"]),
    ("getState", &["operation", "key", "target"]),
    ("getMetrics", &["operation", "target"]),
    ("getColumns", &["operation", "table", "target"]),
    ("hasColumn", &["operation", "table", "column", "target"]),
    ("getTables", &["operation", "target"]),
    ("describeTable", &["operation", "table", "target"]),
    (
        "findColumn",
        &["operation", "table", "semanticName", "server", "target"],
    ),
    (
        "queryStagedData",
        &[
            "operation",
            "id",
            "sql",
            "params",
            "limit",
            "rowFormat",
            "target",
        ],
    ),
];

/// Of exec and query.
const STATEMENT_FIELDS: &[&str] = &["operation", "sql", "params", "limit", "rowFormat", "target"];

const SWEEP_NEEDED: &str = "SELECT 1 FROM _codemode_stage LIMIT 1";
const SWEEP: &str = "DELETE FROM _codemode_stage";

/// One request's view of a session. Built for each request, because time moves on between them.
#[derive(Debug)]
pub struct Session<'a, D: Database> {
    /// The session's database.
    pub db: &'a D,
    /// The settings in force.
    pub config: &'a Config,
    /// Now, in milliseconds since 1970.
    pub now_ms: u64,
    /// The session's name, for people.
    pub name: &'a str,
    /// What the object remembers of statements.
    pub memo: &'a memo::Memo,
}

impl<D: Database> Clone for Session<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Database> Copy for Session<'_, D> {}

impl<D: Database> Session<'_, D> {
    /// What the SQL gate goes by.
    pub fn policy(&self) -> Policy {
        Policy {
            profile: self.config.profile,
            max_recursive_rows: self.config.max_recursive_rows,
            max_query_work: self.config.max_query_work,
        }
    }
}

/// What an operation answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// A complete JSON object, `{"success":true,…}`.
    pub body: String,
    /// What it cost.
    pub counters: Counters,
}

impl Answer {
    /// A result with the fields of `body`, before which `success` is put.
    pub(crate) fn new(body: serde_json::Value, counters: Counters) -> Self {
        Self {
            body: envelope::success(body),
            counters,
        }
    }
}

/// Makes a database ready when its object starts: applies migrations and removes what a load left that a crash interrupted. Two cheap
/// reads when there is nothing to do.
///
/// # Errors
/// When a newer version of the product wrote the database, or the engine fails.
pub fn start<D: Database>(db: &D, now_ms: u64) -> Result<()> {
    migrations::apply(db, migrations::SESSION_MIGRATIONS, now_ms)?;
    if db.cell(SWEEP_NEEDED, &[])?.is_some() {
        db.run(SWEEP, &[])?;
    }
    Ok(())
}

/// Runs the operation that a body `{"operation":…}` names.
///
/// # Errors
/// [`Error::InvalidBody`] when the body is not such an object, [`Error::UnknownOperation`], or the operation's own failure.
pub fn dispatch<D: Database>(session: &Session<'_, D>, body: &str) -> Result<Answer> {
    let fields = Fields::parse(body)?;
    let operation = fields.operation(OPERATIONS)?;
    check_fields(&operation, &fields)?;
    match &*operation {
        "exec" => session.exec(&query::Request::parse(body)?),
        "query" => session.query(&query::Request::parse(body)?),
        "batchInsert" => bulk::batch_insert(session, &fields),
        "createTable" => session.create_table(&fields.string("name")?, &fields.string("schema")?),
        "dropTable" => session.drop_table(&fields.string("table")?, fields.flag("ifExists")?),
        "saveState" => state::save(session, &fields.string("key")?, fields.raw("value")?),
        "getState" => state::get(session, &fields.string("key")?),
        "getMetrics" => metrics::get(session),
        "getColumns" => inspect::get_columns(session.db, &fields.string("table")?),
        "hasColumn" => inspect::has_column(
            session.db,
            &fields.string("table")?,
            &fields.string("column")?,
        ),
        "getTables" => inspect::get_tables(session.db),
        "describeTable" => inspect::describe_table(session.db, &fields.string("table")?),
        "findColumn" => find_column(session, &fields),
        "queryStagedData" => staging::query(session, &fields, body),
        other => Err(Error::UnknownOperation {
            operation: other.to_owned(),
            suggestions: nearest(other, OPERATIONS.iter().copied()),
            operations: OPERATIONS,
        }),
    }
}

/// Refuses a field that an operation does not have.
fn check_fields(operation: &str, fields: &Fields<'_>) -> Result<()> {
    match FIELDS.iter().find(|(name, _)| *name == operation) {
        Some((_, known)) => fields.only(known),
        None => Ok(()),
    }
}

/// findColumn. A table that was staged goes by the mappings of the server that it came from, unless another is named.
fn find_column<D: Database>(session: &Session<'_, D>, fields: &Fields<'_>) -> Result<Answer> {
    let (table, semantic_name) = (fields.string("table")?, fields.string("semanticName")?);
    let server = match fields.optional_string("server")? {
        Some(server) => Some(server.into_owned()),
        None => staging::mappings_of(session.db, &table)?,
    };
    inspect::find_column_in(
        session.db,
        &session.config.mappings,
        &table,
        &semantic_name,
        server.as_deref(),
    )
}

/// getMetrics, which is also what `GET /` answers.
///
/// # Errors
/// When the engine fails.
pub fn get_metrics<D: Database>(session: &Session<'_, D>) -> Result<Answer> {
    metrics::get(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_says_which_fields_it_has() {
        let named: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
        assert_eq!(named, OPERATIONS);
    }
}

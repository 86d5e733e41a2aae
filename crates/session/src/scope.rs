//! The field `scope`: whose rows a statement, or every call of a program, may see and change.
//!
//! What a scope means for a statement is [`sql::scope`]'s matter. Here: the field is read, an operation that cannot be kept within a scope is
//! refused, and what tells of the schema leaves out tables that the scope does not show.

use base::known::{self, Given};
use base::{Error, Result, entries, nearest};
use database::{Counters, Database};
use operations::{Id, Operation};
use serde_json::{Value, json};
use sql::SqlError;
use sql::compose::quote_identifier;
use sql::scope::{Scope, ScopeValue};

use crate::fields::Fields;
use crate::inspect::{self, RowCount, Table, TableKind};
use crate::limits::{COUNTED_ROWS, SAMPLE_ROWS};
use crate::query::Request;
use crate::{Answer, Session, Settings, bulk, find_column};

/// The fields of a scope.
const FIELDS: &[&str] = &["column", "value", "readable"];

/// A scope as a caller asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeRequest {
    column: Option<String>,
    value: ScopeValue,
    readable: Vec<String>,
}

impl ScopeRequest {
    /// Reads the field; `None` where there is none.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for what is no scope.
    pub fn parse(field: Option<&str>) -> Result<Option<Self>> {
        let Some(text) = field.filter(|text| *text != "null") else {
            return Ok(None);
        };
        let read: std::result::Result<entries::Fields<Value>, _> = serde_json::from_str(text);
        let Ok(entries::Fields(fields)) = read else {
            return Err(not_a_scope());
        };
        known::check(
            Given::Field,
            fields.iter().map(|(name, _)| name.as_str()),
            FIELDS,
        )?;
        let get = |wanted: &str| {
            let found = fields.iter().find(|(name, _)| name == wanted);
            found
                .map(|(_, value)| value)
                .filter(|value| !value.is_null())
        };
        let column = match get("column") {
            None => None,
            Some(Value::String(name)) => Some(name.clone()),
            Some(_) => return Err(Error::invalid("scope.column must be a text")),
        };
        let value = match get("value") {
            Some(Value::String(text)) => ScopeValue::Text(text.clone()),
            Some(Value::Number(number)) if number.as_i64().is_some() => {
                ScopeValue::Integer(number.as_i64().unwrap_or_default())
            }
            Some(_) => {
                return Err(Error::invalid_with_hint(
                    "scope.value must be a text or a whole number of 64 bits",
                    "send the value that the tenant's rows have in the column",
                ));
            }
            None => return Err(not_a_scope()),
        };
        let readable = match get("readable") {
            None => Vec::new(),
            Some(Value::Array(names)) => names
                .iter()
                .map(|name| name.as_str().map(str::to_owned))
                .collect::<Option<Vec<_>>>()
                .ok_or_else(not_readable)?,
            Some(_) => return Err(not_readable()),
        };
        Ok(Some(Self {
            column,
            value,
            readable,
        }))
    }

    /// With what the deployment says of scopes.
    ///
    /// # Errors
    /// As [`Scope::new`].
    pub fn resolve(&self, settings: &Settings) -> Result<Scope> {
        let column = self.column.as_ref().unwrap_or(&settings.tenant_column);
        let mut readable = self.readable.clone();
        readable.extend(settings.global_tables.iter().cloned());
        Scope::new(column, self.value.clone(), readable)
    }
}

fn not_a_scope() -> Error {
    Error::invalid_with_hint(
        "the field scope must be an object with a value",
        r#"send {"scope":{"column":"business_id","value":"acme","readable":["countries"]}}; column and readable may be left out"#,
    )
}

fn not_readable() -> Error {
    Error::invalid("scope.readable must be a list of names of tables")
}

/// The refusal of what cannot be kept within a scope.
pub fn refused(what: &str) -> Error {
    Error::from(SqlError::SqlBlocked {
        reason: "scope_statement",
        message: format!("{what} is not available under a tenant scope"),
        hint: "under a scope these are: query, exec, stream, batchInsert, getTables, getColumns, hasColumn, describeTable, findColumn"
            .to_owned(),
    })
}

/// Runs an operation of a body under the scope of the session.
///
/// # Errors
/// As [`crate::dispatch`], and `SQL_BLOCKED` for an operation that cannot be kept within a scope.
pub(crate) fn dispatch<D: Database>(
    session: &Session<'_, D>,
    scope: &Scope,
    operation: &Operation,
    fields: &Fields<'_>,
    body: &str,
) -> Result<Answer> {
    let shown = || shown_table(session.db, scope, &fields.string("table")?);
    match operation.id {
        Id::Exec => session.exec(&Request::parse(body)?),
        Id::Query => session.query(&Request::parse(body)?),
        Id::BatchInsert => bulk::batch_insert(session, fields),
        Id::GetTables => Ok(Answer::new(
            json!({ "tables": shown_tables(session.db, scope)? }),
            Counters::default(),
        )),
        Id::GetColumns => Ok(inspect::columns_answer(&shown()?)),
        Id::HasColumn => Ok(inspect::column_answer(&shown()?, &fields.string("column")?)),
        Id::DescribeTable => describe(session, &shown()?),
        Id::FindColumn => {
            shown()?;
            find_column(session, fields)
        }
        Id::CreateTable
        | Id::DropTable
        | Id::SaveState
        | Id::GetState
        | Id::GetMetrics
        | Id::QueryStagedData => Err(refused(operation.name)),
    }
}

/// Whether a table is one that the scope shows: ordinary, and with the column or listed as readable.
fn is_shown(table: &Table, scope: &Scope) -> bool {
    let is_ordinary = matches!(table.kind, TableKind::Table | TableKind::WithoutRowid);
    let has_column = table
        .columns
        .iter()
        .any(|column| column.info.name.eq_ignore_ascii_case(scope.column()));
    is_ordinary
        && !sql::is_internal_name(&table.name)
        && (has_column || scope.is_readable(&table.name))
}

fn shown_tables<D: Database>(db: &D, scope: &Scope) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for (name, kind) in inspect::list_tables(db)? {
        if matches!(kind, TableKind::Table | TableKind::WithoutRowid)
            && is_shown(&inspect::load_table(db, &name)?, scope)
        {
            names.push(name);
        }
    }
    Ok(names)
}

fn shown_table<D: Database>(db: &D, scope: &Scope, name: &str) -> Result<Table> {
    match inspect::load_table(db, name) {
        Ok(table) if is_shown(&table, scope) => Ok(table),
        Err(error) if !inspect::is_missing(&error) => Err(error),
        // The nearest names of the tables that are shown, and of no others.
        _ => {
            let names = shown_tables(db, scope)?;
            Err(Error::from(SqlError::NoSuchTable {
                hint: None,
                table: name.to_owned(),
                suggestions: nearest(name, names.iter().map(String::as_str)),
            }))
        }
    }
}

/// describeTable: what it counts and shows are rows of the scope.
fn describe<D: Database>(session: &Session<'_, D>, table: &Table) -> Result<Answer> {
    let name = quote_identifier(&table.name);
    let counting = format!(
        "SELECT count(*) AS rows FROM (SELECT 1 FROM {name} LIMIT {})",
        COUNTED_ROWS + 1
    );
    let (counted, counters) = session.rows_text(&Request::of(counting))?;
    let counted: Vec<entries::Fields<u64>> = serde_json::from_str(&counted)
        .map_err(|error| Error::internal(format!("a count is unreadable: {error}")))?;
    let rows = counted
        .first()
        .and_then(|row| row.0.first())
        .map_or(0, |(_, rows)| *rows);
    let count = RowCount {
        rows: rows.min(COUNTED_ROWS),
        exact: rows <= COUNTED_ROWS,
        counters,
    };
    let sample = Request {
        limit: Some(SAMPLE_ROWS),
        ..Request::of(format!("SELECT * FROM {name}"))
    };
    let (sample, sampling) = session.rows_text(&sample)?;
    let sample = sample
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or_default()
        .to_owned();
    Ok(inspect::description(table, count, sample, sampling))
}

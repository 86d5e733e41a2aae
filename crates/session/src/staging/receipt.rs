//! The reference that a program or model gets instead of a staged result: the tables, their
//! columns, and some rows.

use serde_json::{Map, Value, json};

use super::parts;
use super::plan::{Column, PARENT_ROW_ID, Plan, ROW_ID};
use super::registry::Identity;
use crate::limits::{
    SAMPLE_ROWS, SAMPLE_TEXT_CHARACTERS, STAGED_RECEIPT_BYTES, STAGED_RECEIPT_COLUMNS,
    STAGED_SAMPLE_BYTES,
};
use base::{Error, Result};
use database::{Cursor as _, Database, Statement};
use sql_gate::compose::{Part, compose};
use sql_gate::value::row_expression;
use sql_gate::{self, RowShape};

/// Sizes of a sample, as the number of rows and of characters of a text. The first that fits is
/// used.
const SAMPLES: [(u64, usize); 4] = [
    (SAMPLE_ROWS, SAMPLE_TEXT_CHARACTERS),
    (SAMPLE_ROWS, SAMPLE_TEXT_CHARACTERS / 4),
    (1, SAMPLE_TEXT_CHARACTERS / 4),
    (1, SAMPLE_TEXT_CHARACTERS / 10),
];

/// The written tables of a result.
pub(super) struct Written<'a> {
    pub(super) identity: &'a Identity,
    pub(super) plan: &'a Plan,
    /// The names of the tables, in the order of the plan.
    pub(super) names: &'a [String],
    /// The numbers of rows of the tables.
    pub(super) rows: &'a [u64],
    /// The table of long values and the number of its rows, if it was made.
    pub(super) parts: Option<(&'a str, u64)>,
    /// The number of rows that another call's result had under the same name.
    pub(super) replaced_rows: u64,
    /// True if the reference should be short.
    pub(super) brief: bool,
}

/// Returns the result reference as JSON.
///
/// # Errors
/// The engine's.
pub(super) fn receipt<D: Database>(db: &D, written: &Written<'_>) -> Result<Map<String, Value>> {
    let mut tables = Vec::new();
    let mut total = 0;
    for ((table, name), rows) in written
        .plan
        .tables
        .iter()
        .zip(written.names)
        .zip(written.rows)
    {
        let parent = table.parent.and_then(|parent| written.names.get(parent));
        let described = describe(db, name, &table.columns, *rows, parent)?;
        total += rows;
        // The table that has the name of the result comes first.
        let place = if table.suffix.is_empty() {
            0
        } else {
            tables.len()
        };
        tables.insert(place, described);
    }
    if let Some((name, rows)) = written.parts {
        tables.push(describe(db, name, &parts::columns(), rows, None)?);
        total += rows;
    }
    let shortened = written.brief && shorten(&mut tables);
    let mut receipt = Map::new();
    receipt.insert("staged".to_owned(), true.into());
    receipt.insert(
        "dataAccessId".to_owned(),
        written.identity.id.as_str().into(),
    );
    receipt.insert("tables".to_owned(), tables.into());
    receipt.insert("rows".to_owned(), total.into());
    receipt.insert("hint".to_owned(), hint(written, shortened).into());
    if let Some((server, tool)) = replaced(written) {
        let replaced = json!({ "server": server, "tool": tool, "rows": written.replaced_rows });
        receipt.insert("replaced".to_owned(), replaced);
    }
    Ok(receipt)
}

/// Returns the server and tool of the call whose result this one has replaced.
fn replaced<'a>(written: &Written<'a>) -> Option<&'a (String, String)> {
    let other = written.identity.other_call.as_ref();
    other.filter(|_| written.replaced_rows > 0)
}

/// Shortens a result reference until it fits: first it leaves out samples of the last tables, then
/// columns of theirs. Returns true if anything was left out.
fn shorten(tables: &mut [Value]) -> bool {
    let mut bytes: Vec<usize> = tables.iter().map(|table| table.to_string().len()).collect();
    let mut shortened = false;
    for step in [without_sample, with_fewer_columns] {
        for (table, size) in tables.iter_mut().zip(&mut bytes).rev() {
            *size = table.to_string().len();
        }
        let mut total: usize = bytes.iter().sum();
        for (table, size) in tables.iter_mut().zip(&mut bytes).rev() {
            if total <= STAGED_RECEIPT_BYTES {
                return shortened;
            }
            if let Some(fields) = table.as_object_mut() {
                step(fields);
            }
            let now = table.to_string().len();
            total = total.saturating_sub(*size) + now;
            *size = now;
            shortened = true;
        }
    }
    shortened
}

fn without_sample(table: &mut Map<String, Value>) {
    table.insert("sample".to_owned(), json!([]));
}

fn with_fewer_columns(table: &mut Map<String, Value>) {
    let Some(columns) = table.get_mut("columns").and_then(Value::as_array_mut) else {
        return;
    };
    let more = columns.len().saturating_sub(STAGED_RECEIPT_COLUMNS);
    if more > 0 {
        columns.truncate(STAGED_RECEIPT_COLUMNS);
        table.insert("moreColumns".to_owned(), more.into());
    }
}

fn hint(written: &Written<'_>, shortened: bool) -> String {
    let mut hint =
        r#"the result is in tables of the session: read them with SQL, in {"operation":"query"}"#
            .to_owned();
    if written
        .plan
        .tables
        .iter()
        .any(|table| table.parent.is_some())
    {
        hint.push_str(&format!(
            "; {PARENT_ROW_ID} of a table is {ROW_ID} of its parent"
        ));
    }
    if let Some((name, _)) = written.parts {
        hint.push_str(&format!(
            "; values too long for a row are NULL there; {name} has them in pieces"
        ));
    }
    if shortened {
        hint.push_str(
            r#"; {"operation":"describeTable"} returns the columns and rows that are left out here"#,
        );
    }
    if let Some((server, tool)) = replaced(written) {
        hint.push_str(&format!(
            "; {} rows of another call, of {server}.{tool}, had this name and were replaced: to keep both, stage each call under a name of its own, or pass stage: true",
            written.replaced_rows
        ));
    }
    hint
}

fn describe<D: Database>(
    db: &D,
    name: &str,
    columns: &[Column],
    rows: u64,
    parent: Option<&String>,
) -> Result<Value> {
    let listed: Vec<Value> = columns
        .iter()
        .map(|column| json!({ "name": column.name, "type": column.kinds.declared_type() }))
        .collect();
    let mut described = json!({ "name": name, "columns": listed, "rows": rows, "sample": sample(db, name, columns)? });
    if let (Some(parent), Some(fields)) = (parent, described.as_object_mut()) {
        fields.insert("parent".to_owned(), parent.as_str().into());
    }
    Ok(described)
}

/// Returns the first rows, with long values cut.
fn sample<D: Database>(db: &D, table: &str, columns: &[Column]) -> Result<Value> {
    let mut text = String::new();
    for (rows, characters) in SAMPLES {
        text = read_sample(db, table, columns, rows, characters)?;
        if text.len() <= STAGED_SAMPLE_BYTES {
            break;
        }
    }
    serde_json::from_str(&text)
        .map_err(|error| Error::internal(format!("a sample is not JSON: {error}")))
}

fn read_sample<D: Database>(
    db: &D,
    table: &str,
    columns: &[Column],
    rows: u64,
    characters: usize,
) -> Result<String> {
    let characters = Part::Number(characters as u64);
    // Short names inside, because a statement with several copies of each name might be longer than
    // the engine accepts.
    let short: Vec<String> = (0..columns.len())
        .map(|index| format!("c{index}"))
        .collect();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let object = row_expression(&short, &names, RowShape::Object);
    let mut parts = vec![Part::Sql("SELECT "), Part::Expression(&object)];
    parts.push(Part::Sql(" FROM (SELECT "));
    for (index, name) in short.iter().enumerate() {
        let name = Part::Expression(name);
        if index > 0 {
            parts.push(Part::Sql(", "));
        }
        parts.extend([
            // The length of a text ends at U+0000, the length of its bytes does not.
            Part::Sql("CASE WHEN length("),
            name,
            Part::Sql(") <= "),
            characters,
            Part::Sql(" AND octet_length("),
            name,
            Part::Sql(") <= 4 * "),
            characters,
        ]);
        parts.extend([Part::Sql(" THEN "), name, Part::Sql(" WHEN typeof("), name]);
        parts.extend([
            Part::Sql(") = 'text' THEN substr("),
            name,
            Part::Sql(", 1, "),
            characters,
        ]);
        parts.extend([
            Part::Sql(") || '…' WHEN typeof("),
            name,
            Part::Sql(") = 'blob' THEN '…' || length("),
            name,
        ]);
        parts.extend([
            Part::Sql(") || ' bytes' ELSE "),
            name,
            Part::Sql(" END AS "),
            name,
        ]);
    }
    parts.push(Part::Sql(" FROM (SELECT "));
    for (index, (name, column)) in short.iter().zip(columns).enumerate() {
        if index > 0 {
            parts.push(Part::Sql(", "));
        }
        parts.extend([
            Part::Identifier(&column.name),
            Part::Sql(" AS "),
            Part::Expression(name),
        ]);
    }
    parts.extend([
        Part::Sql(" FROM "),
        Part::Identifier(table),
        Part::Sql(" LIMIT "),
        Part::Number(rows),
        Part::Sql("))"),
    ]);
    let bound = compose(&parts, Vec::new());
    let explain = |error| sql_gate::explain::explain(db, &error, &bound);
    let mut cursor = db
        .open(Statement::Reviewed(bound.reviewed()))
        .map_err(explain)?;
    let limit = usize::try_from(rows).unwrap_or(usize::MAX);
    let taken = cursor.take_text(limit, usize::MAX, ",").map_err(explain)?;
    Ok(format!("[{}]", sql_gate::value::finish(taken.text)))
}

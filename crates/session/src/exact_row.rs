//! Reads one row value by value.
//!
//! A row has at most 2 MB, and so has any text that SQLite makes. The JSON or SQL text of a large
//! row can be longer than that, because characters are escaped and each byte becomes two digits.
//! The values of such a row are fetched one by one, and its text is made here.

use database::DatabaseError;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::records::{append_hex, append_json_text};
use super::row_text::RowForm;
use base::limits::MAX_COLUMNS;
use base::{Error, Result};
use database::{Bind, Cell, Cursor, Database, Statement};
use sql_gate::compose::{Part, compose, quote_text};
use sql_gate::{self, Bound};

/// The address of a row.
pub(super) struct RowAddress<'p> {
    /// The table.
    pub(super) table: &'p str,
    /// A name of its rowid.
    pub(super) rowid_name: &'static str,
    /// The rowid, as text.
    pub(super) rowid: &'p str,
}

/// Returns the first rowid after another one, as text; the very first if there is no other one.
pub(super) fn next_rowid<D: Database>(
    db: &D,
    table: &str,
    rowid_name: &'static str,
    after: Option<&str>,
) -> Result<Option<String>> {
    let mut parts = vec![
        Part::Sql("SELECT CAST("),
        Part::Sql(rowid_name),
        Part::Sql(" AS TEXT) FROM "),
        Part::Identifier(table),
    ];
    if after.is_some() {
        parts.extend([
            Part::Sql(" WHERE "),
            Part::Sql(rowid_name),
            Part::Sql(" > CAST(? AS INTEGER)"),
        ]);
    }
    parts.extend([
        Part::Sql(" ORDER BY "),
        Part::Sql(rowid_name),
        Part::Sql(" LIMIT 1"),
    ]);
    let row = first_row(
        db,
        &compose(&parts, after.map(Bind::text).into_iter().collect()),
    )?;
    Ok(row
        .and_then(|cells| cells.into_iter().next())
        .map(Cell::into_text))
}

/// Returns the text of a row.
pub(super) fn read<D: Database>(
    db: &D,
    place: &RowAddress<'_>,
    names: &[String],
    form: RowForm,
) -> Result<String> {
    let mut text = String::new();
    // Each column needs two result columns: for its type and for its value.
    for group in names.chunks(MAX_COLUMNS / 2) {
        let mut parts = vec![Part::Sql("SELECT ")];
        for (index, name) in group.iter().enumerate() {
            let name = Part::Identifier(name);
            parts.extend([
                Part::Sql(if index == 0 { "typeof(" } else { ", typeof(" }),
                name,
                Part::Sql("), CASE WHEN typeof("),
                name,
            ]);
            parts.extend([
                Part::Sql(") IN ('integer', 'real') THEN json_quote("),
                name,
                Part::Sql(") ELSE "),
                name,
                Part::Sql(" END"),
            ]);
        }
        parts.extend([
            Part::Sql(" FROM "),
            Part::Identifier(place.table),
            Part::Sql(" WHERE "),
            Part::Sql(place.rowid_name),
        ]);
        parts.push(Part::Sql(" = CAST(? AS INTEGER)"));
        let cells =
            first_row(db, &compose(&parts, vec![Bind::text(place.rowid)]))?.ok_or_else(|| {
                Error::from(DatabaseError::Busy {
                    message: format!("a row of {} was deleted while it was read", place.table),
                })
            })?;
        for (name, pair) in group.iter().zip(cells.chunks(2)) {
            if !text.is_empty() {
                text.push(',');
            }
            if let [kind, value] = pair {
                append(name, kind.as_text() == Some("text"), value, form, &mut text);
            }
        }
    }
    Ok(match form {
        RowForm::JsonArray => format!("[{text}]"),
        RowForm::JsonObject => format!("{{{text}}}"),
        RowForm::SqlLiterals => text,
    })
}

fn first_row<D: Database>(db: &D, bound: &Bound) -> Result<Option<Vec<Cell>>> {
    let fail = |error| sql_gate::explain::explain(db, &error, bound);
    db.open(Statement::Reviewed(bound.reviewed()))
        .map_err(fail)?
        .next()
        .map_err(fail)
}

/// Appends a value. A number arrives as the text that SQLite prints for it.
fn append(name: &str, is_text: bool, value: &Cell, form: RowForm, out: &mut String) {
    if form == RowForm::JsonObject {
        append_json_text(name, out);
        out.push(':');
    }
    match (value, form) {
        (Cell::Text(text), RowForm::SqlLiterals) if is_text && text.contains('\0') => {
            out.push_str("CAST(X'");
            append_hex(text.as_bytes(), out);
            out.push_str("' AS TEXT)");
        }
        (Cell::Text(text), RowForm::SqlLiterals) if is_text => out.push_str(&quote_text(text)),
        (Cell::Text(text), _) if is_text => append_json_text(text, out),
        (Cell::Text(number), RowForm::SqlLiterals) => out.push_str(number),
        (Cell::Text(number), _) => out.push_str(&sql_gate::value::finish(number.clone())),
        (Cell::Blob(bytes), RowForm::SqlLiterals) => {
            out.push_str("X'");
            append_hex(bytes, out);
            out.push('\'');
        }
        (Cell::Blob(bytes), _) => {
            out.push_str("{\"$blob\":\"");
            STANDARD.encode_string(bytes, out);
            out.push_str("\"}");
        }
        (Cell::Number(number), _) => {
            let _ = write!(out, "{number}");
        }
        (Cell::Null, RowForm::SqlLiterals) => out.push_str("NULL"),
        (Cell::Null, _) => out.push_str("null"),
    }
}

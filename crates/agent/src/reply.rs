//! A reply that our code writes, where no model does: what ran, how much it gave, and the first rows as a Markdown table.

use serde_json::{Map, Value};
use std::fmt::Write as _;

use crate::approval::Subject;
use crate::limits::{MAX_CELL_CHARACTERS, MAX_REPLY_COLUMNS, MAX_REPLY_ROWS};
use crate::state::Values;
use base::text::cut;

/// What ran, as the session told it.
#[derive(Debug, Default)]
pub struct Ran<'a> {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The first rows.
    pub rows: Vec<Map<String, Value>>,
    /// How many there are.
    pub row_count: u64,
    /// Whether there are more than came.
    pub truncated: bool,
    /// Rows that a write changed; none for a read.
    pub changes: Option<u64>,
    /// The table that has all rows.
    pub table: Option<&'a str>,
    /// Whether the write can be taken back.
    pub can_undo: bool,
}

impl<'a> Ran<'a> {
    /// Reads the fields of the session's response.
    pub fn read(result: &'a Value) -> Self {
        let list = |name: &str| result.get(name).and_then(Value::as_array);
        let columns = list("columns").map_or_else(Vec::new, |columns| {
            columns
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        });
        let rows: Vec<_> = list("rows").map_or_else(Vec::new, |rows| {
            rows.iter().filter_map(Value::as_object).cloned().collect()
        });
        let counted = result.get("rowCount").and_then(Value::as_u64);
        Self {
            row_count: counted.unwrap_or(rows.len() as u64),
            truncated: result.get("truncated").and_then(Value::as_bool) == Some(true),
            changes: result.get("changes").and_then(Value::as_u64),
            table: result.pointer("/resultTable/name").and_then(Value::as_str),
            can_undo: result.pointer("/undo/available").and_then(Value::as_bool) == Some(true),
            columns,
            rows,
        }
    }
}

/// The reply to a question whose statement ran.
pub fn plain(values: &Values) -> String {
    let result = values.sql_result.as_ref();
    let ran = result.map_or_else(Ran::default, Ran::read);
    let approval = values.approval.as_ref();
    if approval.is_some_and(|approval| matches!(approval.subject, Subject::UndoOf(_))) {
        let changes = ran.changes.unwrap_or(0);
        return format!("Taken back: {} as before.", rows_in_words(changes));
    }
    let mut text = String::new();
    if let Some(changes) = ran.changes {
        let _ = write!(text, "Done: {} changed.", rows_in_words(changes));
        if ran.can_undo {
            text.push_str(" It can be undone.");
        }
        if ran.rows.is_empty() {
            return text;
        }
        text.push_str("\n\n");
    }
    table(&mut text, &ran);
    text
}

fn rows_in_words(count: u64) -> String {
    if count == 1 {
        "1 row".to_owned()
    } else {
        format!("{count} rows")
    }
}

fn table(text: &mut String, ran: &Ran<'_>) {
    if let ([row], [column]) = (ran.rows.as_slice(), ran.columns.as_slice()) {
        let value = row.get(column).map_or_else(String::new, cell);
        let _ = write!(text, "{}: {value}", escaped(column));
        return;
    }
    if ran.rows.is_empty() {
        text.push_str("No rows.");
        return;
    }
    let more = if ran.truncated { "more than " } else { "" };
    let _ = writeln!(text, "{more}{}:\n", rows_in_words(ran.row_count));
    let columns = ran.columns.get(..MAX_REPLY_COLUMNS).unwrap_or(&ran.columns);
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    text.push_str(&line(
        columns.iter().map(|column| escaped(column)).collect(),
    ));
    text.push_str(&line(columns.iter().map(|_| "---".to_owned()).collect()));
    for row in ran.rows.iter().take(MAX_REPLY_ROWS) {
        let cells = columns
            .iter()
            .map(|column| row.get(column).map_or_else(String::new, cell));
        text.push_str(&line(cells.collect()));
    }
    if ran.rows.len() > MAX_REPLY_ROWS || ran.columns.len() > columns.len() {
        let _ = write!(
            text,
            "\nThe first {} rows and {} columns.",
            ran.rows.len().min(MAX_REPLY_ROWS),
            columns.len()
        );
    }
    if let Some(name) = ran.table {
        let _ = write!(text, "\nAll rows are in the table {}.", escaped(name));
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(words) => escaped(&cut(words, MAX_CELL_CHARACTERS)),
        other => escaped(&cut(&other.to_string(), MAX_CELL_CHARACTERS)),
    }
}

/// A text that stays one cell of a Markdown table, and shows as it is.
fn escaped(words: &str) -> String {
    let mut escaped = String::with_capacity(words.len());
    for character in words.chars() {
        match character {
            '\n' | '\r' => escaped.push(' '),
            '|' | '\\' | '`' | '<' | '[' => {
                escaped.push('\\');
                escaped.push(character);
            }
            other => escaped.push(other),
        }
    }
    escaped
}

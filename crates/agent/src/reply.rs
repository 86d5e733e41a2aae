//! Replies that our own code writes if no model writes them: the effect of the statement, the
//! number of rows, and the first rows as a Markdown table.

use serde_json::{Map, Value};
use std::fmt::Write as _;

use crate::approval::Subject;
use crate::limits::{MAX_CELL_CHARACTERS, MAX_REPLY_COLUMNS, MAX_REPLY_ROWS};
use crate::state::{Author, Values};
use base::text::cut;

/// The result of a statement, as the session reports it.
#[derive(Debug, Default)]
pub struct RunResult<'a> {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The first rows of the result.
    pub rows: Vec<Map<String, Value>>,
    /// The number of rows of the result.
    pub row_count: u64,
    /// True if the result has more rows than `rows`.
    pub truncated: bool,
    /// True if only a minimum of the number of rows is known.
    pub is_minimum: bool,
    /// Rows that a write changed; `None` for a read.
    pub changes: Option<u64>,
    /// The table that holds all rows of the result.
    pub table: Option<&'a str>,
    /// True if the write can be undone.
    pub can_undo: bool,
}

impl<'a> RunResult<'a> {
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
        // The table of a long result knows the number of all rows, unless the result was too long
        // for that table, too.
        let is_complete = result
            .pointer("/resultTable/complete")
            .and_then(Value::as_bool)
            == Some(true);
        let all = result.pointer("/resultTable/rows").and_then(Value::as_u64);
        let all = all.filter(|_| is_complete);
        let is_truncated = result.get("truncated").and_then(Value::as_bool) == Some(true);
        Self {
            row_count: all.or(counted).unwrap_or(rows.len() as u64),
            truncated: is_truncated,
            is_minimum: is_truncated && all.is_none(),
            changes: result.get("changes").and_then(Value::as_u64),
            table: result.pointer("/resultTable/name").and_then(Value::as_str),
            can_undo: result.pointer("/undo/available").and_then(Value::as_bool) == Some(true),
            columns,
            rows,
        }
    }
}

/// Returns the reply to a question whose statement ran.
pub fn plain(values: &Values) -> String {
    let result = values.sql_result.as_ref();
    let ran = result.map_or_else(RunResult::default, RunResult::read);
    let approval = values.approval.as_ref();
    if approval.is_some_and(|approval| matches!(approval.subject, Subject::UndoOf(_))) {
        let changes = ran.changes.unwrap_or(0);
        return format!("Undone: {} restored.", rows_in_words(changes));
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
    let written = values.written_query.as_ref();
    let planned = written.filter(|written| written.author == Author::Planner);
    let sql = planned.map_or("", |written| written.sql.as_str());
    table(&mut text, &ran, sql);
    // A number alone does not say what it counts.
    let told = planned.filter(|_| is_bare(&ran));
    if let Some(written) = told.filter(|written| !written.explanation.is_empty()) {
        let explanation = written.explanation.replacen(TOLD_IN_WORDS, "", 1);
        let _ = write!(text, "\n\n{}", escaped(&explanation));
    }
    text
}

/// The part of an explanation that says what 0 and 1 mean; the reply says `Yes` or `No` instead.
const TOLD_IN_WORDS: &str = ": 1 for yes, 0 for no";

/// Returns true if the result itself does not show its subject: a single value, a comparison of a
/// number, or no row.
fn is_bare(ran: &RunResult<'_>) -> bool {
    match ran.rows.as_slice() {
        [] => true,
        [_] => ran.columns.len() == 1 || is_compared(ran),
        _ => false,
    }
}

/// Returns true for the result of a question such as `are there more than 3`, which has the columns
/// `found` (yes or no) and `count`.
fn is_compared(ran: &RunResult<'_>) -> bool {
    matches!(ran.columns.as_slice(), [found, count] if found == "found" && count == "count")
}

/// Returns words for a value that the planner computed under this name, or the name itself for a
/// column of a table.
fn named(column: &str, sql: &str) -> String {
    if !sql.contains(&format!(" AS {column}")) {
        return column.to_owned();
    }
    let kinds = [
        ("average_", "average of "),
        ("total_", "total of "),
        ("minimum_", "lowest "),
        ("maximum_", "highest "),
    ];
    let of = kinds.iter().find_map(|(name, kind)| {
        let rest = column.strip_prefix(name)?;
        Some(format!("{kind}{}", rest.replace('_', " ")))
    });
    of.unwrap_or_else(|| match column {
        "count" if sql.contains("COUNT(DISTINCT ") => "different values".to_owned(),
        "count" => "rows".to_owned(),
        other => other.replace('_', " "),
    })
}

/// Returns the words for a single value: `59 rows`, `Average of price: 12.35`, `7.85 %`, `Yes`.
fn single(column: &str, value: &Value, sql: &str) -> String {
    let shown = cell(value);
    let is_ours = sql.contains(&format!(" AS {column}"));
    let name = named(column, sql);
    match (column, value.as_u64()) {
        ("found", Some(1)) if is_ours => "Yes.".to_owned(),
        ("found", Some(0)) if is_ours => "No.".to_owned(),
        ("count", Some(1)) if is_ours => format!("1 {}", name.trim_end_matches('s')),
        ("count", Some(_)) if is_ours => format!("{shown} {name}"),
        ("percentage", _) if is_ours && !value.is_null() => format!("{shown} %"),
        _ if is_ours => {
            let mut letters = name.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            let name: String = first.chain(letters).collect();
            let shown = if value.is_null() { "no value" } else { &shown };
            format!("{}: {shown}", escaped(&name))
        }
        _ => format!("{}: {shown}", escaped(column)),
    }
}

fn rows_in_words(count: u64) -> String {
    if count == 1 {
        "1 row".to_owned()
    } else {
        format!("{count} rows")
    }
}

fn table(text: &mut String, ran: &RunResult<'_>, sql: &str) {
    if let ([row], [column]) = (ran.rows.as_slice(), ran.columns.as_slice()) {
        let value = row.get(column).unwrap_or(&Value::Null);
        text.push_str(&single(column, value, sql));
        return;
    }
    if ran.rows.is_empty() {
        text.push_str("No rows.");
        return;
    }
    if let ([row], true, true) = (
        ran.rows.as_slice(),
        is_compared(ran),
        sql.contains(" AS found") && sql.contains(" AS count"),
    ) {
        let is_so = row.get("found").and_then(Value::as_u64) == Some(1);
        let count = row.get("count").and_then(Value::as_u64).unwrap_or_default();
        let says = if is_so { "Yes" } else { "No" };
        let _ = write!(text, "{says}: {}.", rows_in_words(count));
        return;
    }
    let more = if ran.is_minimum { "more than " } else { "" };
    let _ = write!(text, "{more}{}", rows_in_words(ran.row_count));
    let shown = ran.rows.len().min(MAX_REPLY_ROWS);
    if (shown as u64) < ran.row_count {
        let _ = write!(text, ", of which the first {shown} are shown");
    }
    text.push_str(":\n\n");
    let columns = ran.columns.get(..MAX_REPLY_COLUMNS).unwrap_or(&ran.columns);
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let names = columns.iter().map(|column| escaped(&named(column, sql)));
    text.push_str(&line(names.collect()));
    text.push_str(&line(columns.iter().map(|_| "---".to_owned()).collect()));
    for row in ran.rows.iter().take(MAX_REPLY_ROWS) {
        let cells = columns
            .iter()
            .map(|column| row.get(column).map_or_else(String::new, cell));
        text.push_str(&line(cells.collect()));
    }
    if ran.columns.len() > columns.len() {
        let _ = write!(
            text,
            "\nThe first {} of {} columns are shown.",
            columns.len(),
            ran.columns.len()
        );
    }
    if let Some(name) = ran.table {
        let rows = if ran.is_minimum {
            "Not all of them fit into a table: the first are"
        } else {
            "All rows are"
        };
        let _ = write!(text, "\n{rows} in the table {} for a day.", escaped(name));
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(words) => escaped(&cut(words, MAX_CELL_CHARACTERS)),
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or_else(String::new, rounded)
        }
        other => escaped(&cut(&other.to_string(), MAX_CELL_CHARACTERS)),
    }
}

/// Formats a number for people: two digits after the decimal point, or three significant digits if
/// it is below 1. The result itself keeps all digits.
fn rounded(number: f64) -> String {
    let size = number.abs();
    if number.fract() == 0.0 || !(1e-9..1e15).contains(&size) {
        return number.to_string();
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range above leaves 2 to 11 digits"
    )]
    let digits = if size >= 1.0 {
        2
    } else {
        (2.0 - size.log10().floor()) as usize
    };
    let text = format!("{number:.digits$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// Escapes a text so that it stays in one cell of a Markdown table and is shown unchanged.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cell_of_a_response_is_rounded() {
        for (text, expected) in [
            ("12.345678", "12.35"),
            ("15.0", "15"),
            ("2.8666666666666667", "2.87"),
            ("7", "7"),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(cell(&value), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_rounded_for_people() {
        for (number, expected) in [
            (12.345678901234, "12.35"),
            (-0.012345, "-0.0123"),
            (1234567.891, "1234567.89"),
            (12.0, "12"),
            (2.999, "3"),
            (0.5, "0.5"),
            (0.999_999, "1"),
            (0.0, "0"),
            (1e-12, "0.000000000001"),
        ] {
            assert_eq!(cell(&json!(number)), expected);
        }
        assert_eq!(cell(&json!(9_007_199_254_740_993_u64)), "9007199254740993");
    }

    #[test]
    fn a_single_value_is_told_in_words() {
        for (sql, column, value, expected) in [
            (
                "SELECT COUNT(*) AS count FROM a",
                "count",
                json!(59),
                "59 rows",
            ),
            (
                "SELECT COUNT(*) AS count FROM a",
                "count",
                json!(1),
                "1 row",
            ),
            (
                "SELECT COUNT(DISTINCT b) AS count FROM a",
                "count",
                json!(7),
                "7 different values",
            ),
            (
                "SELECT AVG(life_exp) AS average_life_exp FROM a",
                "average_life_exp",
                json!(70.0912),
                "Average of life exp: 70.09",
            ),
            (
                "SELECT SUM(b) AS total_b FROM a",
                "total_b",
                Value::Null,
                "Total of b: no value",
            ),
            ("SELECT total_b FROM a", "total_b", json!(3), "total_b: 3"),
            (
                "SELECT 1 AS percentage",
                "percentage",
                json!(7.85),
                "7.85 %",
            ),
            (
                "SELECT EXISTS (SELECT 1 FROM a) AS found",
                "found",
                json!(1),
                "Yes.",
            ),
            (
                "SELECT EXISTS (SELECT 1 FROM a) AS found",
                "found",
                json!(0),
                "No.",
            ),
            ("", "count", json!(2), "count: 2"),
        ] {
            assert_eq!(single(column, &value, sql), expected, "{sql}");
        }
        let counted = "SELECT city, COUNT(*) AS count FROM a GROUP BY city";
        assert_eq!(named("count", counted), "rows");
        assert_eq!(named("city", counted), "city");
    }

    #[test]
    fn a_number_that_was_asked_about_is_told_with_yes_or_no() {
        let sql = "SELECT COUNT(*) > 3 AS found, COUNT(*) AS count FROM a";
        for (found, count, expected) in [(0, 3, "No: 3 rows."), (1, 4, "Yes: 4 rows.")] {
            let result = json!({
                "columns": ["found", "count"], "rows": [{ "found": found, "count": count }], "rowCount": 1
            });
            let mut text = String::new();
            super::table(&mut text, &RunResult::read(&result), sql);
            assert_eq!(text, expected);
            assert!(is_bare(&RunResult::read(&result)));
        }
        let two = json!({ "columns": ["a", "b"], "rows": [{ "a": 1, "b": 2 }], "rowCount": 1 });
        assert!(!is_bare(&RunResult::read(&two)));
    }

    #[test]
    fn the_number_of_rows_is_exact_and_said_once() {
        let rows: Vec<Value> = (0..50).map(|at| json!({ "a": at, "b": at })).collect();
        for (table, expected) in [
            (
                json!({ "name": "result_1", "rows": 51, "complete": true }),
                "51 rows, of which the first 10 are shown:\n\n| a | b |",
            ),
            (
                json!({ "name": "result_1", "rows": 200_000, "complete": false }),
                "more than 50 rows, of which the first 10 are shown:\n\n| a | b |",
            ),
            (
                Value::Null,
                "more than 50 rows, of which the first 10 are shown:\n\n| a | b |",
            ),
        ] {
            let result = json!({ "columns": ["a", "b"], "rows": rows, "rowCount": 50, "truncated": true, "resultTable": table });
            let mut text = String::new();
            super::table(&mut text, &RunResult::read(&result), "");
            assert!(text.starts_with(expected), "{text}");
            assert_eq!(
                text.matches(" rows").count(),
                1 + usize::from(text.contains("All rows")),
                "{text}"
            );
        }
        let mut text = String::new();
        let few = json!({ "columns": ["a"], "rows": [{ "a": 1 }, { "a": 2 }], "rowCount": 2 });
        super::table(&mut text, &RunResult::read(&few), "");
        assert!(text.starts_with("2 rows:\n\n| a |"), "{text}");
    }
}

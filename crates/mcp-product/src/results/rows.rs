//! The rows of a query: as many as fit, as a table for the model and as arrays for programs.
//!
//! Values stay the JSON text that SQLite wrote, so that 64-bit integers remain exact.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::tokens::estimate;
use crate::McpServerError;
use base::{Error, Result};

/// The part of a query's response from which a page is made.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    columns: Vec<String>,
    #[serde(borrow)]
    results: Vec<Vec<&'a RawValue>>,
    truncated: bool,
    #[serde(default)]
    notice: Option<String>,
    #[serde(default)]
    changes: Option<u64>,
    #[serde(default)]
    rows_written: Option<u64>,
}

/// A page of rows that fits into a result.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// The rows as a table.
    pub text: String,
    /// JSON text of the members of the structured content.
    pub members: String,
    /// The number of rows on the page.
    pub rows: u64,
    /// True if there are more rows.
    pub truncated: bool,
}

/// Takes as many rows as fit into the tokens of a result, which contains each row twice. `members`
/// are those of a response with rows as arrays, of which at most `limit_rows` were requested.
///
/// # Errors
/// [`McpServerError::ResultTooLarge`] if not even the first row fits.
pub fn page(members: &str, max_tokens: usize, limit_rows: u64) -> Result<Page> {
    let object = format!("{{{members}}}");
    let response: Response<'_> = serde_json::from_str(&object)
        .map_err(|error| Error::internal(format!("the rows cannot be read: {error}")))?;
    let heading = response
        .columns
        .iter()
        .map(|name| cell(name))
        .collect::<Vec<_>>()
        .join(" | ");
    let columns = serde_json::Value::from(response.columns.clone()).to_string();
    let named = FRAME_TOKENS + estimate(&heading) + estimate(&columns);
    let Some(mut left) = max_tokens.checked_sub(named) else {
        return Err(Error::from(McpServerError::ResultTooLarge {
            what: "the names of the columns",
            limit_tokens: max_tokens,
            hint: "select fewer columns, or give them short names with AS".to_owned(),
        }));
    };
    let (mut lines, mut arrays, mut rows) = (heading, String::new(), 0_u64);
    for row in &response.results {
        let line = line_of(row);
        let array = array_of(row);
        // Inside the JSON of the result the text has escapes.
        let tokens = estimate(&line) + estimate(&array) + ROW_TOKENS;
        let Some(rest) = left.checked_sub(tokens) else {
            break;
        };
        left = rest;
        lines.push('\n');
        lines.push_str(&line);
        if rows > 0 {
            arrays.push(',');
        }
        arrays.push_str(&array);
        rows += 1;
    }
    let taken = usize::try_from(rows).unwrap_or(usize::MAX);
    // A session returns no row if the first is larger than its limit.
    if rows == 0 && limit_rows > 0 && (response.truncated || !response.results.is_empty()) {
        return Err(Error::from(McpServerError::ResultTooLarge {
            what: "one row",
            limit_tokens: max_tokens,
            hint: "select fewer columns, or a part of a long text: substr(column, 1, 1000)"
                .to_owned(),
        }));
    }
    let truncated = response.truncated || taken < response.results.len();
    let mut members = format!(
        r#""columns":{columns},"rows":[{arrays}],"rowCount":{rows},"truncated":{truncated}"#
    );
    // Writing to a string cannot fail.
    for (name, number) in [
        ("changes", response.changes),
        ("rowsWritten", response.rows_written),
    ] {
        if let Some(number) = number {
            let _written = write!(members, r#","{name}":{number}"#);
        }
    }
    if let Some(notice) = response.notice {
        lines.push_str("\nNote: ");
        lines.push_str(&notice);
        let _written = write!(members, r#","notice":{}"#, serde_json::Value::from(notice));
    }
    Ok(Page {
        text: lines,
        members,
        rows,
        truncated,
    })
}

/// Tokens of the parts around the rows: session, cursor, names of fields.
const FRAME_TOKENS: usize = 400;
/// Tokens of a row in addition to its values: escaped line breaks, brackets and commas.
const ROW_TOKENS: usize = 4;

fn array_of(row: &[&RawValue]) -> String {
    let values: Vec<&str> = row.iter().map(|value| value.get()).collect();
    format!("[{}]", values.join(","))
}

fn line_of(row: &[&RawValue]) -> String {
    let cells: Vec<String> = row
        .iter()
        .map(|value| match serde_json::from_str::<String>(value.get()) {
            Ok(text) => cell(&text),
            Err(_) => value.get().to_owned(),
        })
        .collect();
    cells.join(" | ")
}

/// Renders a text for a table: unchanged if it is unambiguous, as JSON otherwise.
fn cell(text: &str) -> String {
    let looks_like_another = text.is_empty()
        || text == "null"
        || text.starts_with(['"', '{', '[', ' '])
        || text.ends_with(' ')
        || text.parse::<f64>().is_ok();
    let breaks = text.contains('|') || text.chars().any(char::is_control);
    if looks_like_another || breaks {
        serde_json::Value::from(text).to_string()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMBERS: &str = r#""columns":["title","year"],"results":[["Heat",1995],["a | b",9007199254740993],["7",null]],"rowCount":3,"truncated":false,"rowsRead":3"#;

    #[test]
    fn rows_are_a_table_and_arrays() {
        let page = page(MEMBERS, 10_000, 100).unwrap();
        assert_eq!(
            page.text,
            "title | year\nHeat | 1995\n\"a | b\" | 9007199254740993\n\"7\" | null"
        );
        assert_eq!(
            page.members,
            r#""columns":["title","year"],"rows":[["Heat",1995],["a | b",9007199254740993],["7",null]],"rowCount":3,"truncated":false"#
        );
    }

    #[test]
    fn what_does_not_fit_is_left_for_the_next_page() {
        let rows: Vec<String> = (0..1_000)
            .map(|number| format!("[{number},\"some words in a row\"]"))
            .collect();
        let members = format!(
            r#""columns":["n","t"],"results":[{}],"truncated":false"#,
            rows.join(",\n")
        );
        let page = page(&members, 3_000, 100).unwrap();
        assert!(
            page.truncated && page.rows > 50 && page.rows < 300,
            "{}",
            page.rows
        );
        let spent = estimate(&page.text) + estimate(&page.members);
        assert!(spent <= 3_000, "{spent}");
    }

    #[test]
    fn a_row_that_never_fits_is_an_error_with_its_fix() {
        let long = "word ".repeat(20_000);
        let members = format!(r#""columns":["t"],"results":[["{long}"]],"truncated":false"#);
        let error = page(&members, 2_000, 100).unwrap_err();
        assert_eq!(error.code(), "RESULT_TOO_LARGE");
        assert!(error.hint().unwrap().contains("substr"));
    }
}

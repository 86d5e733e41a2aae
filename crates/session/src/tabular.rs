//! Returns the rows of a query as CSV or NDJSON instead of in a JSON object.
//!
//! A query has the same limits in each form. Facts that have no place in such a text become headers
//! of the response: the mark that there were more rows, the number of rows that were read, and the
//! notices about the statement.

use crate::Reply;
use serde_json::Value;
use serde_json::value::RawValue;

use super::export::{ExportFormat, csv_field, csv_value, end_csv_row};
use super::fields::Fields;
use base::entries::Entries;
use base::formulas::Formulas;
use base::{Error, Result};
use net::accept::preferred;

/// The operations whose rows may have another form.
const OPERATIONS: &[&str] = &["query", "queryStagedData"];

/// Rows in a form other than a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tabular {
    /// The form.
    pub format: ExportFormat,
    /// The rows.
    pub text: String,
    /// The facts that have no place in the text.
    pub headers: Vec<(&'static str, String)>,
}

/// The names of the headers that such a response may have.
pub const HEADERS: &[&str] = &[
    "x-codemode-row-count",
    "x-codemode-truncated",
    "x-codemode-rows-read",
    "x-codemode-notice",
];

/// Returns the requested form for the rows of an operation: that of the parameter, otherwise that
/// of the header.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for another word, and for an operation without rows.
pub fn wanted(body: &str, parameter: Option<&str>, accept: Option<&str>) -> Result<ExportFormat> {
    let format = chosen(parameter, accept, ExportFormat::Json)?;
    if format == ExportFormat::Json {
        return Ok(format);
    }
    // If the body cannot be read, the operation itself reports that.
    let Ok(fields) = Fields::parse(body) else {
        return Ok(ExportFormat::Json);
    };
    let operation = fields.optional_string("operation").ok().flatten();
    if operation
        .as_deref()
        .is_some_and(|name| OPERATIONS.contains(&name))
    {
        return Ok(format);
    }
    match parameter {
        Some(_) => Err(Error::invalid_with_hint(
            "format only works with query and queryStagedData",
            r#"leave format out, or read the rows with {"operation":"query"}"#,
        )),
        None => Ok(ExportFormat::Json),
    }
}

/// Returns the form that a parameter `format` names, otherwise the one that an `Accept` header
/// prefers, otherwise `otherwise`.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for another word.
pub fn chosen(
    parameter: Option<&str>,
    accept: Option<&str>,
    otherwise: ExportFormat,
) -> Result<ExportFormat> {
    if let Some(word) = parameter {
        return ExportFormat::parse(Some(word));
    }
    let all = [ExportFormat::Ndjson, ExportFormat::Csv, ExportFormat::Json];
    let mut offered = vec![otherwise];
    offered.extend(all.into_iter().filter(|format| *format != otherwise));
    let types: Vec<&str> = offered.iter().map(|format| format.media_type()).collect();
    let preferred = accept.and_then(|accept| preferred(accept, &types));
    Ok(offered
        .into_iter()
        .find(|format| Some(format.media_type()) == preferred)
        .unwrap_or(otherwise))
}

/// Renders the reply of a query in another form.
///
/// # Errors
/// [`base::CommonError::Internal`] for a reply without rows.
pub fn render(reply: &Reply, format: ExportFormat, formulas: Formulas) -> Result<Tabular> {
    let unreadable = |error: serde_json::Error| {
        Error::internal(format!("the rows of a query are unreadable: {error}"))
    };
    let results = reply.json("results").unwrap_or_default();
    let results: Vec<&RawValue> = serde_json::from_str(results).map_err(unreadable)?;
    let mut text = String::with_capacity(reply.json("results").map_or(0, str::len));
    if format == ExportFormat::Csv {
        let columns = reply.get("columns").and_then(Value::as_array);
        let names: Vec<String> = columns
            .into_iter()
            .flatten()
            .map(|name| csv_field(name.as_str().unwrap_or_default(), formulas))
            .collect();
        text.push_str(&names.join(","));
        text.push_str("\r\n");
    }
    for row in &results {
        let row = row.get();
        if format == ExportFormat::Ndjson {
            text.extend([row, "\n"]);
            continue;
        }
        let values: Vec<&RawValue> = if row.starts_with('{') {
            let entries: Entries<String, &RawValue> =
                serde_json::from_str(row).map_err(unreadable)?;
            entries.0.into_iter().map(|(_, value)| value).collect()
        } else {
            serde_json::from_str(row).map_err(unreadable)?
        };
        let begin = text.len();
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            csv_value(value.get(), formulas, &mut text)?;
        }
        end_csv_row(begin, &mut text);
    }
    let mut headers = Vec::new();
    for (name, field) in HEADERS.iter().zip(["rowCount", "truncated", "rowsRead"]) {
        let value = reply.get(field).map(Value::to_string);
        headers.push((*name, value.unwrap_or_default()));
    }
    if let Some(notice) = reply.get("notice").and_then(Value::as_str) {
        headers.push(("x-codemode-notice", header_text(notice)));
    }
    Ok(Tabular {
        format,
        text,
        headers,
    })
}

/// Returns a text with only the characters that a header may contain.
fn header_text(text: &str) -> String {
    let printable = |character: char| match character {
        ' '..='~' => character,
        _ => '?',
    };
    text.chars().map(printable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use database::Counters;
    use serde_json::json;

    const ROWS: &str = concat!(
        r#"[{"id":1,"a,b":"x \"y\", z","v":null},"#,
        r#"{"id":9223372036854775807,"a,b":"","v":{"$blob":"AAE="}},{"id":-1.5,"a,b":"l1\nl2","v":{"$real":"Infinity"}}]"#,
    );

    fn reply(columns: &[&str], rows: &str) -> Reply {
        Reply::new(json!({ "columns": columns }), Counters::default())
            .with_json("results", rows.to_owned())
            .with("rowCount", 3)
            .with("truncated", true)
            .with("rowsRead", 7)
    }

    #[test]
    fn rows_are_csv_or_lines_and_the_rest_is_headers() {
        let all = reply(&["id", "a,b", "v"], ROWS).with("notice", "taken out – of the fence");
        let csv = render(&all, ExportFormat::Csv, Formulas::Keep).unwrap();
        assert_eq!(
            csv.text,
            "id,\"a,b\",v\r\n1,\"x \"\"y\"\", z\",\r\n9223372036854775807,\"\",AAE=\r\n-1.5,\"l1\nl2\",Infinity\r\n"
        );
        assert_eq!(
            csv.headers,
            [
                ("x-codemode-row-count", "3".to_owned()),
                ("x-codemode-truncated", "true".to_owned()),
                ("x-codemode-rows-read", "7".to_owned()),
                ("x-codemode-notice", "taken out ? of the fence".to_owned()),
            ]
        );
        let lines = render(&all, ExportFormat::Ndjson, Formulas::Keep).unwrap();
        assert_eq!(lines.text.lines().count(), 3);
        assert!(lines.text.starts_with("{\"id\":1,"));
        let arrays = &reply(&["n"], "[[null],[1]]");
        assert_eq!(
            render(arrays, ExportFormat::Csv, Formulas::Keep)
                .unwrap()
                .text,
            "n\r\n\"\"\r\n1\r\n"
        );
        let formulas = &reply(
            &["=a", "-1"],
            r#"[["=1+1",-1],["-5",{"$real":"-Infinity"}],[{"$blob":"+AAA"},"a"]]"#,
        );
        assert_eq!(
            render(formulas, ExportFormat::Csv, Formulas::Escape)
                .unwrap()
                .text,
            "\"'=a\",-1\r\n\"'=1+1\",-1\r\n-5,\"'-Infinity\"\r\n\"'+AAA\",a\r\n"
        );
        assert_eq!(
            render(arrays, ExportFormat::Ndjson, Formulas::Keep)
                .unwrap()
                .text,
            "[null]\n[1]\n"
        );
    }

    #[test]
    fn only_operations_with_rows_have_another_form() {
        let query = r#"{"operation":"query","sql":"SELECT 1"}"#;
        let exec = r#"{"operation":"exec","sql":"DROP TABLE t"}"#;
        assert_eq!(wanted(query, Some("csv"), None), Ok(ExportFormat::Csv));
        assert_eq!(
            wanted(query, Some("json"), Some("text/csv")),
            Ok(ExportFormat::Json)
        );
        assert_eq!(wanted(query, None, Some("text/csv")), Ok(ExportFormat::Csv));
        assert_eq!(wanted(query, None, Some("*/*")), Ok(ExportFormat::Json));
        assert_eq!(wanted(query, None, None), Ok(ExportFormat::Json));
        assert_eq!(wanted(exec, None, Some("text/csv")), Ok(ExportFormat::Json));
        assert!(wanted(exec, Some("csv"), None).is_err());
        assert!(wanted(query, Some("xml"), None).is_err());
    }
}

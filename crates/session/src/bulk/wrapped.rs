//! Finds the records in a JSON object that wraps them, as many APIs respond: `{"total": 2,
//! "results": [{…}, {…}]}`.
//!
//! If the object has exactly one list of records, that list is loaded, and the response says so.
//! With several lists it is not known which one is meant, and without one the object is not a list.

use base::CommonError;
use serde_json::value::RawValue;

use crate::json_reader::{Form, Reader, decode};
use base::{Error, Result};

/// The depth in the object down to which lists are searched.
const DEPTH: usize = 8;

/// The number of lists that an error names, so that it stays short.
const NAMED: usize = 10;

/// The list of records in an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RecordList<'a> {
    /// The keys that lead to the list, with dots between them.
    pub(super) path: String,
    /// The JSON text of the list.
    pub(super) list: &'a str,
    /// The keys of the object, and of nested objects around the list, that do not lead to it.
    pub(super) left_out: Vec<String>,
}

/// The contents of an object that is not a record itself.
#[derive(Debug, Default)]
struct Search<'a> {
    /// Lists that contain an object.
    records: Vec<(String, &'a str)>,
    /// Empty lists.
    empty: Vec<(String, &'a str)>,
    /// The keys of all other values.
    others: Vec<String>,
}

/// Finds the only list of records in an object; `None` if there is none.
///
/// # Errors
/// [`CommonError::InvalidBody`] for a text that is not JSON, and for several lists.
pub(super) fn only_list(object: &str) -> Result<Option<RecordList<'_>>> {
    let _checked: &RawValue = serde_json::from_str(object)
        .map_err(|error| Error::body(format!("the body is not valid JSON: {error}")))?;
    let mut search = Search::default();
    search.object(&mut Reader::new(object), "", DEPTH);
    let Search {
        records,
        empty,
        others,
    } = search;
    let names = |lists: &[(String, &str)]| {
        let names: Vec<String> = lists.iter().map(|(path, _)| path.clone()).collect();
        names
    };
    match (records.as_slice(), empty.as_slice()) {
        ([(path, list)], _) => Ok(Some(RecordList {
            path: path.clone(),
            list,
            left_out: [others, names(&empty)].concat(),
        })),
        ([], [(path, list)]) => Ok(Some(RecordList {
            path: path.clone(),
            list,
            left_out: others,
        })),
        ([], _) => Ok(None),
        _ => {
            let mut named = names(&records);
            named.truncate(NAMED);
            Err(Error::from(CommonError::InvalidBody {
                message: format!(
                    "the body is one JSON object with several lists of records: {}",
                    named.join(", ")
                ),
                hint: Some(
                    "send one of the lists as the body, or add ?stage=true to make a table of each"
                        .to_owned(),
                ),
            }))
        }
    }
}

/// Returns the error for an object without a list.
pub(super) fn no_list() -> Error {
    Error::from(CommonError::InvalidBody {
        message: "the body is one JSON object, not an array of records".to_owned(),
        hint: Some(
            "send one record as an array, [{…}], or with content-type: application/x-ndjson; ?stage=true makes tables of its contents"
                .to_owned(),
        ),
    })
}

impl<'a> Search<'a> {
    fn object(&mut self, reader: &mut Reader<'a>, around: &str, depth: usize) {
        reader.enter();
        while let Some(key) = reader.key() {
            let key = decode(key);
            let path = if around.is_empty() {
                key.into_owned()
            } else {
                format!("{around}.{key}")
            };
            match reader.form() {
                Form::Object if depth > 0 && !reader.is_empty() => {
                    self.object(reader, &path, depth - 1);
                }
                Form::Array if reader.has_records() => self.records.push((path, reader.value())),
                Form::Array if reader.is_empty() => self.empty.push((path, reader.value())),
                Form::Object | Form::Array | Form::Null | Form::Scalar => {
                    reader.value();
                    self.others.push(path);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(object: &str) -> Option<String> {
        only_list(object).unwrap().map(|found| found.path)
    }

    #[test]
    fn the_one_list_of_records_is_found() {
        for (object, wanted) in [
            (
                r#"{"results":[{"a":1},{"a":2}],"total":2}"#,
                Some("results"),
            ),
            (
                r#"{"data":{"items":[{"a":1}],"next":null}}"#,
                Some("data.items"),
            ),
            // Records within records belong to the outer ones.
            (r#"{"rows":[{"a":[{"b":1}]}]}"#, Some("rows")),
            (r#"{"ids":[1,2],"rows":[{"a":1}],"none":[]}"#, Some("rows")),
            (r#"{"rows":[]}"#, Some("rows")),
            (r#"{"title":"Solaris","year":1972}"#, None),
            (r#"{"ids":[1,2]}"#, None),
            (r#"{"a":[],"b":[]}"#, None),
            ("{}", None),
        ] {
            assert_eq!(path(object).as_deref(), wanted, "{object}");
        }
        let found = only_list(r#"{"total":2,"data":{"rows":[{"a":1}],"page":1}}"#)
            .unwrap()
            .unwrap();
        assert_eq!(found.list, r#"[{"a":1}]"#);
        assert_eq!(found.left_out, ["total", "data.page"]);
    }

    #[test]
    fn several_lists_are_rejected_with_their_names() {
        let error = only_list(r#"{"a":[{"x":1}],"b":{"c":[{"x":1}]}}"#).unwrap_err();
        assert!(error.to_string().ends_with("a, b.c"), "{error}");
        assert_eq!(
            only_list(r#"{"a":[{]}"#).unwrap_err().code(),
            "INVALID_BODY"
        );
    }
}

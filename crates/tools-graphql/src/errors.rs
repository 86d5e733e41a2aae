//! Reads the `errors` of a result. An entry that is not GraphQL is shown unchanged.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::issue::Location;
use super::text::{push_index, push_key, shorten};
use crate::limits::{MAX_GRAPHQL_ISSUES, MAX_GRAPHQL_TEXT_CHARACTERS};
use base::entries::Entries;

/// Longest path or list of locations that is read, because the server determines its length.
const MAX_PART_BYTES: usize = 4_096;
/// Number of locations of one error that are shown. A server may list any number; the first ones
/// are enough to find the position.
const MAX_LOCATIONS: usize = 10;
/// Longest code of an error. Codes are single words, but a server may write anything.
const CODE_CHARACTERS: usize = 64;

/// The errors of a result.
#[derive(Default)]
pub(super) struct Errors {
    /// The first errors.
    pub(super) entries: Vec<ErrorEntry>,
    pub(super) count: usize,
}

/// One error that the server reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ErrorEntry {
    pub(super) message: String,
    /// The response key of the root field that the error affects.
    pub(super) root: Option<String>,
    /// The path: `data.genes[3].name`.
    pub(super) path: Option<String>,
    /// The path without list indexes: `data.genes[].name`.
    pub(super) pattern: Option<String>,
    pub(super) locations: Vec<Location>,
    pub(super) code: Option<String>,
}

impl Errors {
    /// Reads the value of `errors`. Null, an empty list and similar values mean no errors; any
    /// other value that is not a list is one error.
    pub(super) fn parse(raw: Option<&RawValue>) -> Self {
        let text = raw.map_or("null", RawValue::get);
        if matches!(text, "null" | "false" | "\"\"" | "{}") {
            return Self::default();
        }
        match serde_json::from_str::<First>(text) {
            Ok(First(entries, count)) => Self { entries, count },
            Err(_) => Self {
                entries: vec![entry(text)],
                count: 1,
            },
        }
    }
}

/// The first entries of a list, and the number of all entries.
struct First(Vec<ErrorEntry>, usize);

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FirstVisitor)
    }
}

struct FirstVisitor;

impl<'de> Visitor<'de> for FirstVisitor {
    type Value = First;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<First, A::Error> {
        let mut entries = Vec::new();
        while entries.len() < MAX_GRAPHQL_ISSUES {
            match list.next_element::<&RawValue>()? {
                Some(raw) => entries.push(entry(raw.get())),
                None => break,
            }
        }
        let mut count = entries.len();
        while list.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(First(entries, count))
    }
}

fn entry(text: &str) -> ErrorEntry {
    let mut entry = ErrorEntry {
        message: String::new(),
        root: None,
        path: None,
        pattern: None,
        locations: Vec::new(),
        code: None,
    };
    if let Ok(fields) = serde_json::from_str::<Entries<String, &RawValue>>(text) {
        for (key, value) in fields.0 {
            match key.as_str() {
                "message" => entry.message = words(value.get()),
                "path" => entry.read_path(value.get()),
                "locations" => entry.locations = locations(value.get()),
                "extensions" => entry.code = extension_code(value.get()),
                _ => {}
            }
        }
        if entry.message.is_empty() {
            entry.message = "the server sent no message".to_owned();
        }
    } else {
        entry.message = words(text);
    }
    entry
}

/// Returns a string unchanged, and anything else as JSON. Line breaks are removed, because in a
/// console a line of the server must not look like one of ours.
fn words(raw: &str) -> String {
    let text: Option<String> = serde_json::from_str(raw).ok();
    let text = text.as_deref().unwrap_or(raw).trim();
    let short = shorten(text, MAX_GRAPHQL_TEXT_CHARACTERS);
    short.replace(char::is_control, " ")
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PathStep {
    Index(usize),
    Key(String),
}

impl ErrorEntry {
    fn read_path(&mut self, raw: &str) {
        let steps: Vec<PathStep> = bounded(raw).unwrap_or_default();
        let Some(first) = steps.first() else {
            return;
        };
        if let PathStep::Key(key) = first {
            self.root = Some(key.clone());
        }
        let (mut path, mut pattern) = ("data".to_owned(), "data".to_owned());
        for step in &steps {
            match step {
                PathStep::Index(index) => {
                    push_index(&mut path, *index);
                    pattern.push_str("[]");
                }
                PathStep::Key(key) => {
                    push_key(&mut path, key);
                    push_key(&mut pattern, key);
                }
            }
        }
        self.path = Some(shorten(&path, MAX_GRAPHQL_TEXT_CHARACTERS));
        self.pattern = Some(shorten(&pattern, MAX_GRAPHQL_TEXT_CHARACTERS));
    }

    /// Returns true if the error is at this position, or below it in a non-null field that made
    /// this position null.
    pub(super) fn is_at_or_below(&self, place: &str) -> bool {
        is_below(self.path.as_deref(), place)
    }

    /// Returns the same for positions that differ only in list indexes: `data.genes[].name`.
    pub(super) fn is_at_or_below_pattern(&self, pattern: &str) -> bool {
        is_below(self.pattern.as_deref(), pattern)
    }
}

fn is_below(path: Option<&str>, place: &str) -> bool {
    path.and_then(|path| path.strip_prefix(place))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[derive(Deserialize)]
struct RawLocation {
    line: u64,
    column: u64,
}

fn locations(raw: &str) -> Vec<Location> {
    let places: Vec<&RawValue> = bounded(raw).unwrap_or_default();
    places
        .into_iter()
        .filter_map(|place| serde_json::from_str(place.get()).ok())
        .take(MAX_LOCATIONS)
        .map(|RawLocation { line, column }| Location { line, column })
        .collect()
}

fn extension_code(raw: &str) -> Option<String> {
    let fields: Entries<String, &RawValue> = serde_json::from_str(raw).ok()?;
    let (_, code) = fields.0.into_iter().rev().find(|(key, _)| key == "code")?;
    let code: String = bounded(code.get())?;
    Some(shorten(&code, CODE_CHARACTERS))
}

fn bounded<'a, T: Deserialize<'a>>(raw: &'a str) -> Option<T> {
    if raw.len() > MAX_PART_BYTES {
        return None;
    }
    serde_json::from_str(raw).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Errors {
        Errors::parse(Some(&RawValue::from_string(text.to_owned()).unwrap()))
    }

    #[test]
    fn an_error_keeps_its_path_locations_and_code() {
        let errors = parse(
            r#"[{"message":" Gene not found ","path":["genes",3,"name"],"locations":[{"line":2,"column":5}],"extensions":{"code":"NOT_FOUND","x":[1]}}]"#,
        );
        let wanted = ErrorEntry {
            message: "Gene not found".to_owned(),
            root: Some("genes".to_owned()),
            path: Some("data.genes[3].name".to_owned()),
            pattern: Some("data.genes[].name".to_owned()),
            locations: vec![Location { line: 2, column: 5 }],
            code: Some("NOT_FOUND".to_owned()),
        };
        assert_eq!(errors.entries, [wanted]);
    }

    #[test]
    fn what_is_no_error_of_graphql_is_shown_as_it_is() {
        let message = |text: &str| parse(text).entries[0].message.clone();
        assert_eq!(message(r#""out of order""#), "out of order");
        assert_eq!(message(r#"["plain"]"#), "plain");
        assert_eq!(message("[7]"), "7");
        assert_eq!(message(r#"[{"message":{"a":1}}]"#), r#"{"a":1}"#);
        assert_eq!(
            message(r#"[{"path":"x","locations":7}]"#),
            "the server sent no message"
        );
        assert_eq!(message(r#"{"code":1}"#), "the server sent no message");
    }

    #[test]
    fn a_message_is_one_line_and_a_wrong_location_spoils_no_other() {
        let errors = parse(
            r#"[{"message":"a\n[GraphQL] b\u001b[2J","locations":[{"line":1},{"line":2,"column":5},7]}]"#,
        );
        let entry = &errors.entries[0];
        assert_eq!(entry.message, "a [GraphQL] b [2J");
        assert_eq!(entry.locations, [Location { line: 2, column: 5 }]);
    }

    #[test]
    fn an_error_is_at_the_nulls_that_it_made() {
        let errors = parse(r#"[{"message":"m","path":["genes",3,"drugs",0,"id"]}]"#);
        let entry = &errors.entries[0];
        for place in [
            "data.genes",
            "data.genes[3].drugs[0]",
            "data.genes[3].drugs[0].id",
        ] {
            assert!(entry.is_at_or_below(place), "{place}");
        }
        for place in ["data.gene", "data.genes[3].drugs[0].i", "data.genes[1]", ""] {
            assert!(!entry.is_at_or_below(place), "{place}");
        }
        assert!(entry.is_at_or_below_pattern("data.genes[].drugs[]"));
    }

    #[test]
    fn null_and_an_empty_list_are_no_errors() {
        for text in ["null", "[]", "false", "\"\"", "{}"] {
            assert_eq!(parse(text).count, 0, "{text}");
        }
        assert_eq!(Errors::parse(None).count, 0);
    }

    #[test]
    fn more_errors_than_are_listed_are_counted() {
        let errors = parse(&format!("[{}{{}}]", r#"{"message":"m"},"#.repeat(5_000)));
        assert_eq!(errors.count, 5_001);
        assert_eq!(errors.entries.len(), MAX_GRAPHQL_ISSUES);
    }
}

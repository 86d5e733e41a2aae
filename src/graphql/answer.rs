//! The check of an answer: what [`super::scan`] found, judged, and explained by the query and the schema.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::advice::Known;
use super::errors::{ErrorEntry, Errors};
use super::issue::{Code, Issue, Severity};
use super::query::{self, Asked};
use super::scan::{self, Data, Facts, Key, Null, Step};
use super::schema::Schema;
use super::text::{push_key, shorten};
use super::validation::{Validation, usual_hint};
use crate::entries::Entries;
use crate::error::{Error, Result};
use crate::limits::{MAX_GRAPHQL_ISSUES, MAX_GRAPHQL_TEXT_CHARACTERS};

/// An answer, and what is known of the question.
#[derive(Clone, Copy, Default)]
pub struct Check<'a> {
    /// JSON text of the answer.
    pub response: &'a str,
    /// Text of the query. One that does not parse explains nothing.
    pub query: Option<&'a str>,
    /// Values of its variables, an object.
    pub variables: Option<&'a Value>,
    /// Which operation of the query ran; the first, where nothing is said.
    pub operation: Option<&'a str>,
    /// The server's schema.
    pub schema: Option<&'a Schema>,
}

/// Checks an answer. One that is no GraphQL response, having neither `data` nor `errors`, is valid and without issues.
///
/// # Errors
///
/// [`Error::InvalidBody`] for a response that is not JSON.
pub fn check(check: &Check<'_>) -> Result<Validation> {
    let facts = scan::scan(check.response).map_err(|error| Error::InvalidBody {
        message: format!("the response is not JSON: {error}"),
        hint: Some("pass the text of a GraphQL response: {\"data\": …, \"errors\": …}".to_owned()),
    })?;
    let errors = Errors::parse(facts.errors);
    let document = match needs_query(&facts) {
        true => check.query.and_then(query::parse),
        false => None,
    };
    let asked = document
        .as_ref()
        .and_then(|document| Asked::new(document, check.operation, check.variables));
    let known = Known {
        asked,
        schema: check.schema,
    };
    Ok(judge(&facts, &errors, &known))
}

/// Whether a text is an object with `data` or `errors`. Reads no further than the first of them, and checks nothing of what follows.
pub fn is_response(json: &str) -> bool {
    let mut found = false;
    // The error is how reading ends early.
    let _ = serde_json::Deserializer::from_str(json).deserialize_map(Shape(&mut found));
    found
}

/// Whether an answer of which nothing is known is one of GraphQL: an object of `data`, `errors` and `extensions` alone, where `errors` is a
/// list of objects with a message. Data without errors may be that of any server, and a null in it, or in its place, no fault.
pub fn looks_like_response(json: &str) -> bool {
    let Ok(fields) = serde_json::from_str::<Entries<String, &RawValue>>(json) else {
        return false;
    };
    let known = |name: &str| matches!(name, "data" | "errors" | "extensions");
    if fields.0.iter().any(|(name, _)| !known(name)) {
        return false;
    }
    let field = |wanted: &str| fields.0.iter().rev().find(|(name, _)| name == wanted);
    field("errors").is_some_and(|(_, errors)| {
        serde_json::from_str::<Vec<Message>>(errors.get()).is_ok_and(|errors| !errors.is_empty())
    })
}

#[derive(Deserialize)]
struct Message {
    #[expect(dead_code, reason = "that there is one is what is asked")]
    message: String,
}

struct Shape<'a>(&'a mut bool);

impl<'de> Visitor<'de> for Shape<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a GraphQL response")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key)? {
            if matches!(key.as_ref(), "data" | "errors") {
                *self.0 = true;
                return Err(A::Error::custom("found"));
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

fn needs_query(facts: &Facts<'_>) -> bool {
    facts.root_null_count > 0 || facts.null_count > 0
}

fn judge(facts: &Facts<'_>, errors: &Errors, known: &Known<'_>) -> Validation {
    let has_data = !matches!(facts.data, Data::Absent | Data::Null);
    let empty = match facts.data {
        Data::Absent => true,
        Data::Object => facts.root_values + facts.root_null_count == 0,
        Data::Null | Data::Other => false,
    };
    let failed = facts.data == Data::Null || (empty && errors.count > 0);
    let mut validation = Validation {
        valid: !failed && facts.root_null_count == 0,
        partial: has_data
            && errors.count > 0
            && (facts.data == Data::Other || facts.root_values > 0),
        null_fields: facts.root_nulls.clone(),
        null_count: facts.null_count,
        ..Validation::default()
    };
    let mut list = List::new(&mut validation);
    if facts.data == Data::Null {
        list.add(null_data(errors));
    }
    for key in &facts.root_nulls {
        list.add(null_root(key, errors, known));
    }
    list.omit(facts.root_null_count - facts.root_nulls.len() as u64);
    for entry in &errors.entries {
        let explains_a_null = facts
            .root_nulls
            .iter()
            .any(|key| entry.root.as_ref() == Some(key));
        let severity = if failed || explains_a_null || !list.partial() {
            Severity::Error
        } else {
            Severity::Warning
        };
        list.add(server_error(entry, severity));
    }
    list.omit((errors.count - errors.entries.len()) as u64);
    for null in &facts.nulls {
        list.add_with(|| null_below(null, errors, known));
    }
    if facts.data == Data::Null {
        validation.null_fields = vec!["data".to_owned()];
    }
    validation
        .issues
        .sort_by_key(|issue| issue.severity != Severity::Error);
    validation
}

/// Adds issues up to the limit and counts the rest.
struct List<'a>(&'a mut Validation);

impl<'a> List<'a> {
    fn new(validation: &'a mut Validation) -> Self {
        Self(validation)
    }

    fn partial(&self) -> bool {
        self.0.partial
    }

    fn add(&mut self, issue: Issue) {
        self.add_with(|| issue);
    }

    fn add_with(&mut self, issue: impl FnOnce() -> Issue) {
        if self.0.issues.len() < MAX_GRAPHQL_ISSUES {
            self.0.issues.push(issue());
        } else {
            self.omit(1);
        }
    }

    fn omit(&mut self, count: u64) {
        self.0.omitted_issues = self.0.omitted_issues.saturating_add(count);
    }
}

fn null_data(errors: &Errors) -> Issue {
    let message = match errors.entries.first() {
        Some(entry) => format!("GraphQL data is null: {}", entry.message),
        None => "GraphQL data is null".to_owned(),
    };
    let mut issue = Issue::new(Severity::Error, Code::NullData, message);
    issue.path = Some("data".to_owned());
    issue.hint = Some(match errors.entries.first() {
        Some(_) => "the server refused the query or failed: mend what its message names".to_owned(),
        None => {
            "the query ran without an error and found nothing: check its field names and what it filters by"
                .to_owned()
        }
    });
    issue
}

fn null_root(key: &str, errors: &Errors, known: &Known<'_>) -> Issue {
    let shown = shorten(key, 64);
    let told = errors
        .entries
        .iter()
        .find(|entry| entry.root.as_deref() == Some(key));
    let message = match told {
        Some(entry) => format!("GraphQL field \"{shown}\" is null: {}", entry.message),
        None => format!("GraphQL field \"{shown}\" is null"),
    };
    let mut issue = Issue::new(Severity::Error, Code::NullField, message);
    let mut path = "data".to_owned();
    push_key(&mut path, key);
    issue.path = Some(path);
    match (told, known.root(key)) {
        (Some(entry), _) => {
            issue.locations.clone_from(&entry.locations);
            issue.extension_code.clone_from(&entry.code);
            issue.hint =
                Some("the words after the colon are the server's: they say why".to_owned());
        }
        (None, Some(advice)) => {
            issue.reason_known = true;
            issue.hint = Some(advice.hint);
            issue.suggestions = advice.suggestions;
        }
        (None, None) => issue.hint = Some(usual_hint(&shown)),
    }
    issue
}

fn server_error(entry: &ErrorEntry, severity: Severity) -> Issue {
    let mut issue = Issue::new(severity, Code::Error, entry.message.clone());
    issue.path.clone_from(&entry.path);
    issue.locations.clone_from(&entry.locations);
    issue.extension_code.clone_from(&entry.code);
    issue
}

fn null_below(null: &Null, errors: &Errors, known: &Known<'_>) -> Issue {
    let mut pattern = "data".to_owned();
    for step in &null.steps {
        match step {
            Step::Key(key) => push_key(&mut pattern, key),
            Step::Element => pattern.push_str("[]"),
        }
    }
    let pattern = shorten(&pattern, MAX_GRAPHQL_TEXT_CHARACTERS);
    let what = match null.steps.last() {
        Some(Step::Key(key)) => format!("GraphQL field \"{}\" is null", shorten(key, 64)),
        _ => "a GraphQL list holds null".to_owned(),
    };
    let told = errors
        .entries
        .iter()
        .find(|entry| entry.path.as_ref() == Some(&null.first));
    let message = match (null.count, told) {
        (1, None) => what,
        (1, Some(entry)) => format!("{what}: {}", entry.message),
        (count, _) => format!("{what} in {count} places: {pattern}"),
    };
    let mut issue = Issue::new(Severity::Warning, Code::NullField, message);
    issue.path = Some(null.first.clone());
    issue.count = Some(null.count);
    match known.below(&null.steps) {
        Some(advice) => {
            issue.reason_known = true;
            issue.hint = Some(advice.hint);
        }
        None => {
            issue.hint = Some("test it for null before reading what lies below it".to_owned());
        }
    }
    issue
}

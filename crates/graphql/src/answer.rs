//! The check of a result: what [`super::scan`] found, judged, and explained by the query and the schema.

use base::CommonError;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::advice::{Known, MUTATION};
use super::batch;
use super::errors::{ErrorEntry, Errors};
use super::issue::{Code, Issue, Reason, Severity};
use super::places::Step;
use super::query::{self, Asked};
use super::question::Question;
use super::scan::{self, Data, Facts, Key, Null};
use super::schema::Schema;
use super::text::{push_key, shorten};
use super::validation::{Validation, usual_hint};
use crate::limits::{MAX_GRAPHQL_DEPTH, MAX_GRAPHQL_ISSUES, MAX_GRAPHQL_TEXT_CHARACTERS};
use base::entries::Entries;
use base::{Error, Result};

/// A result, and what is known of the question.
#[derive(Clone, Copy, Default)]
pub struct Check<'a> {
    /// JSON text of the result.
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

/// [`check_answer`] of a result to a query with which nothing else was given.
///
/// # Errors
///
/// As there.
pub fn check(check: &Check<'_>) -> Result<Validation> {
    let question = check.query.map(|query| Question {
        query,
        variables: check.variables.into(),
        operation: check.operation.into(),
    });
    check_answer(check.response, question.as_ref(), check.schema)
}

/// Checks a result, or a list of them. What is no GraphQL response, having neither `data` nor errors, is valid, with a warning.
///
/// # Errors
///
/// [`CommonError::InvalidBody`] for a response that is not JSON.
pub fn check_answer(
    response: &str,
    question: Option<&Question<'_>>,
    schema: Option<&Schema>,
) -> Result<Validation> {
    let text = without_mark(response);
    let checked = if text.starts_with('[') {
        batch::check(text)
    } else {
        check_one(text, question, schema)
    };
    checked.map_err(|error| {
        Error::from(CommonError::InvalidBody {
            message: format!("the response is not JSON: {error}"),
            hint: Some(
                "pass the text of a GraphQL response: {\"data\": …, \"errors\": …}".to_owned(),
            ),
        })
    })
}

pub(super) fn check_one(
    text: &str,
    question: Option<&Question<'_>>,
    schema: Option<&Schema>,
) -> serde_json::Result<Validation> {
    let facts = scan::scan(text)?;
    let errors = Errors::parse(facts.errors);
    let document = match needs_query(&facts) {
        true => question.and_then(|question| query::parse(question.query)),
        false => None,
    };
    let asked = document
        .as_ref()
        .zip(question)
        .and_then(|(document, question)| Asked::new(document, question));
    let known = Known { asked, schema };
    Ok(judge(&facts, &errors, &known))
}

/// Without the byte order mark that some servers begin with, and blanks.
fn without_mark(text: &str) -> &str {
    text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t'])
}

/// Whether a text is an object with `data` or `errors`, or a list of such, of which the first has nothing else. Reads no further than it
/// must, and checks nothing of what follows.
pub fn is_response(json: &str) -> bool {
    let text = without_mark(json);
    if text.starts_with('[') {
        return batch::is_batch(text);
    }
    let mut found = false;
    // The error is how reading ends early.
    let _ = serde_json::Deserializer::from_str(text).deserialize_map(Shape(&mut found));
    found
}

/// The hint of a null whose message has the server's words.
const TOLD: &str = "the words after the colon are the server's: they say why";

/// Whether a result of which nothing is known is one of GraphQL: an object of `data`, `errors` and `extensions` alone, where `errors` is a
/// list of objects with a message. Data without errors may be that of any server, and a null in it, or in its place, no fault.
pub fn looks_like_response(json: &str) -> bool {
    let Ok(fields) = serde_json::from_str::<Entries<String, &RawValue>>(without_mark(json)) else {
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
    facts.data == Data::Null || facts.root_null_count > 0 || facts.null_count > 0
}

fn judge(facts: &Facts<'_>, errors: &Errors, known: &Known<'_>) -> Validation {
    if facts.data == Data::Absent && errors.count == 0 {
        return Validation {
            valid: true,
            issues: vec![no_response()],
            ..Validation::default()
        };
    }
    let failed = has_failed(facts, errors);
    let mut validation = summary(facts, errors, known);
    let mut list = List::new(&mut validation);
    if facts.data == Data::Null {
        list.add_with(|| null_data(errors, known));
    }
    for key in &facts.root_nulls {
        list.add_with(|| null_root(key, errors, known));
    }
    list.omit(unlisted(facts));
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
        list.add_with(|| server_error(entry, severity));
    }
    list.omit((errors.count - errors.entries.len()) as u64);
    if facts.unread > 0 {
        list.add_with(|| too_deep(facts.unread));
    }
    for null in &facts.nulls {
        list.add_with(|| null_below(null, errors, known));
    }
    list.omit(facts.unplaced);
    validation
        .issues
        .sort_by_key(|issue| issue.severity != Severity::Error);
    validation
}

/// Whether there is no data, and should be.
fn has_failed(facts: &Facts<'_>, errors: &Errors) -> bool {
    let empty = match facts.data {
        Data::Absent => true,
        Data::Object => facts.root_values + facts.root_null_count == 0,
        Data::Null | Data::Other => false,
    };
    facts.data == Data::Null || (empty && errors.count > 0)
}

/// Null root fields whose names were not kept.
fn unlisted(facts: &Facts<'_>) -> u64 {
    facts.root_null_count - facts.root_nulls.len() as u64
}

/// The validation without its issues.
fn summary(facts: &Facts<'_>, errors: &Errors, known: &Known<'_>) -> Validation {
    let is_null = facts.data == Data::Null;
    let has_data = !matches!(facts.data, Data::Absent | Data::Null);
    let mut names = facts.root_nulls.iter().take(MAX_GRAPHQL_ISSUES);
    Validation {
        valid: !has_failed(facts, errors) && facts.root_null_count == 0,
        partial: has_data
            && errors.count > 0
            && (facts.data == Data::Other || facts.root_values > 0),
        null_fields: if is_null {
            vec!["data".to_owned()]
        } else {
            facts.root_nulls.clone()
        },
        omitted_null_fields: unlisted(facts),
        null_count: u64::from(is_null) + facts.root_null_count + facts.null_count,
        is_mutation: known.is_mutation(),
        is_spelt: facts.data == Data::Object && names.all(|key| known.is_spelt(key)),
        ..Validation::default()
    }
}

pub(super) fn no_response() -> Issue {
    Issue::not_checked(
        "this is no GraphQL response, as it has neither data nor errors: nothing of it was checked",
        "pass the whole response of the server, and not its data alone",
    )
}

fn too_deep(values: u64) -> Issue {
    let what = match values {
        1 => "a value lies".to_owned(),
        _ => format!("{values} values lie"),
    };
    Issue::not_checked(
        format!("{what} deeper than {MAX_GRAPHQL_DEPTH} levels: nulls within were not looked for"),
        "test for null what is read there",
    )
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

fn null_data(errors: &Errors, known: &Known<'_>) -> Issue {
    let first = errors.entries.first();
    let message = match first {
        Some(entry) => format!("GraphQL data is null: {}", entry.message),
        None => "GraphQL data is null".to_owned(),
    };
    let mut issue = Issue::new(Severity::Error, Code::NullData, message);
    issue.path = Some("data".to_owned());
    let hint = match first {
        Some(_) => {
            issue.reason = Reason::Told;
            "the server rejected the query or failed: fix what its message names"
        }
        None if known.is_mutation() => {
            issue.reason = Reason::Known;
            MUTATION
        }
        None => {
            "the query ran without an error and found nothing: check its field names and what it filters by"
        }
    };
    issue.hint = Some(hint.to_owned());
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
    if let Some(entry) = told {
        issue.locations.clone_from(&entry.locations);
        issue.extension_code.clone_from(&entry.code);
        issue.hint = Some(TOLD.to_owned());
        issue.reason = Reason::Told;
        return issue;
    }
    match known.root(key) {
        Some(advice) => {
            issue.reason = Reason::Known;
            issue.hint = Some(advice.hint);
            issue.suggestions = advice.suggestions;
        }
        None => issue.hint = Some(usual_hint(&shown)),
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
    let told = told_of(null, &pattern, errors);
    let message = match (null.count, told.first()) {
        (1, None) => what,
        (1, Some(entry)) => format!("{what}: {}", entry.message),
        (count, None) => format!("{what} in {count} positions: {pattern}"),
        (count, Some(entry)) => format!(
            "{what} in {count} positions: {pattern}; of {} the server says: {}",
            entry.path.as_deref().unwrap_or_default(),
            entry.message
        ),
    };
    let mut issue = Issue::new(Severity::Warning, Code::NullField, message);
    issue.path = Some(null.first.clone());
    issue.count = Some(null.count);
    if told.len() as u64 >= null.count {
        issue.reason = Reason::Told;
        issue.hint = Some(TOLD.to_owned());
        return issue;
    }
    let hint = match known.below(&null.steps) {
        Some(advice) => {
            issue.reason = Reason::Known;
            advice.hint
        }
        None => "test it for null before reading what lies below it".to_owned(),
    };
    issue.hint = Some(match told.as_slice() {
        [] => hint,
        _ => format!("where the server gives no reason: {hint}"),
    });
    issue
}

/// Errors that befell nulls of one pattern, or something below them that may not be null.
fn told_of<'e>(null: &Null, pattern: &str, errors: &'e Errors) -> Vec<&'e ErrorEntry> {
    let befell = |entry: &&ErrorEntry| match null.count {
        1 => entry.is_at_or_below(&null.first),
        _ => entry.is_at_or_below_pattern(pattern),
    };
    errors.entries.iter().filter(befell).collect()
}

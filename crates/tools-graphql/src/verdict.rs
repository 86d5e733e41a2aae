//! The check of one result: judges the facts found by [`super::scan`], and explains them by the
//! query and the schema.

use super::advice::{Known, MUTATION};
use super::errors::{ErrorEntry, Errors};
use super::issue::{Code, Issue, Reason, Severity};
use super::payload;
use super::places::Step;
use super::query::{self, RunOperation};
use super::question::Question;
use super::scan::{self, Data, Facts, Null};
use super::schema::Schema;
use super::text::{push_key, shorten};
use super::validation::{Validation, usual_hint};
use crate::limits::{MAX_GRAPHQL_DEPTH, MAX_GRAPHQL_ISSUES, MAX_GRAPHQL_TEXT_CHARACTERS};

/// The hint for a null whose message quotes the server.
const TOLD: &str = "the text after the colon is the server's explanation";

/// Checks the text of one result.
pub(super) fn check_one(
    text: &str,
    question: Option<&Question<'_>>,
    schema: Option<&Schema>,
) -> serde_json::Result<Validation> {
    let facts = scan::scan(text)?;
    let errors = Errors::parse(facts.errors);
    let document = question.and_then(|question| query::parse(question.query));
    let asked = document
        .as_ref()
        .zip(question)
        .and_then(|(document, question)| RunOperation::new(document, question));
    let payload = payload::issues(text, asked.as_ref());
    let known = Known { asked, schema };
    Ok(judge(&facts, &errors, &known, payload))
}

fn judge(facts: &Facts<'_>, errors: &Errors, known: &Known<'_>, payload: Vec<Issue>) -> Validation {
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
    for issue in payload {
        list.add_with(|| issue);
    }
    list.omit(facts.unplaced);
    validation
        .issues
        .sort_by_key(|issue| issue.severity != Severity::Error);
    validation
}

/// Returns true if there is no data although there should be.
fn has_failed(facts: &Facts<'_>, errors: &Errors) -> bool {
    let empty = match facts.data {
        Data::Absent => true,
        Data::Object => facts.root_values + facts.root_null_count == 0,
        Data::Null | Data::Other => false,
    };
    facts.data == Data::Null || (empty && errors.count > 0)
}

/// Returns the number of null root fields whose names were not kept.
fn unlisted(facts: &Facts<'_>) -> u64 {
    facts.root_null_count - facts.root_nulls.len() as u64
}

/// Creates the validation without its issues.
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
        "this is not a GraphQL response, because it has neither data nor errors: it was not checked",
        "pass the whole response of the server, not only its data",
    )
}

fn too_deep(values: u64) -> Issue {
    let what = match values {
        1 => "a value is".to_owned(),
        _ => format!("{values} values are"),
    };
    Issue::not_checked(
        format!("{what} deeper than {MAX_GRAPHQL_DEPTH} levels and not searched for nulls"),
        "test these values for null before you use them",
    )
}

/// A validation to which issues are added up to the limit; the others are counted.
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
        _ => "a GraphQL list contains null".to_owned(),
    };
    let told = told_of(null, &pattern, errors);
    let message = match (null.count, told.first()) {
        (1, None) => what,
        (1, Some(entry)) => format!("{what}: {}", entry.message),
        (count, None) => format!("{what} in {count} positions: {pattern}"),
        (count, Some(entry)) => format!(
            "{what} in {count} positions: {pattern}; about {} the server says: {}",
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
        None => "test it for null before you read its fields".to_owned(),
    };
    issue.hint = Some(match told.as_slice() {
        [] => hint,
        _ => format!("where the server gives no reason: {hint}"),
    });
    issue
}

/// Returns the errors at nulls of one pattern, or below them in a non-null field.
fn told_of<'e>(null: &Null, pattern: &str, errors: &'e Errors) -> Vec<&'e ErrorEntry> {
    let befell = |entry: &&ErrorEntry| match null.count {
        1 => entry.is_at_or_below(&null.first),
        _ => entry.is_at_or_below_pattern(pattern),
    };
    errors.entries.iter().filter(befell).collect()
}

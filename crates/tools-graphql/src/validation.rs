//! The outcome of the check of a result, and its forms for programs and people.

use crate::GraphqlError;
use serde_json::{Map, Value};

use super::issue::{Code, Issue, Reason, Severity};
use super::text::shorten;
use crate::limits::MAX_GRAPHQL_TEXT_CHARACTERS;

/// Number of errors that a message or the console names; the others are counted.
const NAMED_ERRORS: usize = 3;
/// Number of null fields that the console names, so that one result does not fill the log of a run.
const NAMED_FIELDS: usize = 20;

/// The usual reasons for a null, if the actual one is not known. The first is left out if the
/// schema has the field.
const USUAL_REASONS: [&str; 3] = [
    "The field name is misspelt.",
    "The entity does not have this property.",
    "The filter matched no record.",
];

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Validation {
    /// True if the data is usable: there is data, and no root field is null.
    pub valid: bool,
    /// True if there are errors beside data, so that a part of it may be missing.
    pub partial: bool,
    /// The findings, with errors first.
    pub issues: Vec<Issue>,
    /// Response keys of the root fields that are null; `data` if all of it is null.
    pub null_fields: Vec<String>,
    /// The number of all nulls: the data itself, root fields, and fields below them.
    pub null_count: u64,
    /// The number of findings that are not listed.
    pub omitted_issues: u64,
    /// The number of null root fields that are not named.
    pub omitted_null_fields: u64,
    /// True if the operation was a mutation.
    pub(super) is_mutation: bool,
    /// True if the schema has all fields that are null.
    pub(super) is_spelt: bool,
}

impl Validation {
    /// Returns the fields `{valid, partial, issues, nullFields, nullCount, omittedIssues?,
    /// omittedNullFields?}`.
    pub fn to_json(&self) -> Value {
        let issues: Vec<Value> = self.issues.iter().map(Issue::to_json).collect();
        let mut fields = Map::new();
        fields.insert("valid".to_owned(), self.valid.into());
        fields.insert("partial".to_owned(), self.partial.into());
        fields.insert("issues".to_owned(), issues.into());
        fields.insert("nullFields".to_owned(), self.null_fields.clone().into());
        fields.insert("nullCount".to_owned(), self.null_count.into());
        if self.omitted_issues > 0 {
            fields.insert("omittedIssues".to_owned(), self.omitted_issues.into());
        }
        if self.omitted_null_fields > 0 {
            let count = self.omitted_null_fields.into();
            fields.insert("omittedNullFields".to_owned(), count);
        }
        Value::Object(fields)
    }

    /// Returns the error for an invalid result, with the lines for the console of a program. Its
    /// code is always that of null data; the codes of the issues in its details say more. The
    /// caller, who has the result, sets `data`.
    pub fn error(&self, console: Vec<String>) -> GraphqlError {
        GraphqlError::GraphqlNullData {
            message: self.message(),
            hint: self.principal().and_then(|issue| issue.hint.clone()),
            null_fields: self.null_fields.clone(),
            details: self.issues.iter().map(Issue::to_json).collect(),
            validation: self.to_json(),
            console,
            data: None,
        }
    }

    /// Returns the lines for a person beside the program's own output; none for a complete result.
    pub fn console_lines(&self, server: &str, tool: &str) -> Vec<String> {
        let mut lines = Vec::new();
        if self.valid {
            if self.partial {
                let said: Vec<&Issue> = self.of(Code::Error).take(NAMED_ERRORS).collect();
                for issue in said {
                    lines.push(format!(
                        "[GraphQL] {server}.{tool}: partial data: {}",
                        sentence(&issue.message)
                    ));
                }
            }
            return lines;
        }
        let told = self.told();
        for issue in told.iter().take(NAMED_ERRORS) {
            lines.push(format!(
                "[GraphQL] {server}.{tool}: {}",
                sentence(&issue.message)
            ));
        }
        let more = told.len().saturating_sub(NAMED_ERRORS);
        if more > 0 {
            lines.push(format!(
                "[GraphQL] {server}.{tool}: {more} more like these."
            ));
        }
        lines.extend(self.reasons());
        if !self.null_fields.is_empty() {
            let names: Vec<&str> = self
                .null_fields
                .iter()
                .take(NAMED_FIELDS)
                .map(String::as_str)
                .collect();
            lines.push(format!("[GraphQL] Null fields: {}", names.join(", ")));
        }
        lines
    }

    /// Returns the known reasons, and the usual ones for nulls that the server has not explained.
    fn reasons(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let told = self.told();
        for issue in told.iter().filter(|issue| issue.reason == Reason::Known) {
            if let Some(hint) = &issue.hint {
                let line = format!("[GraphQL] {}", sentence(hint));
                if lines.len() < NAMED_ERRORS && !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        // An error without a path may concern any null.
        let said = told.iter().all(|issue| issue.reason == Reason::Told)
            || self.of(Code::Error).any(|issue| issue.path.is_none());
        if self.null_fields.is_empty() || said || self.is_mutation {
            return lines;
        }
        lines
            .push("[GraphQL] The query ran and found nothing there. The usual reasons:".to_owned());
        let reasons = USUAL_REASONS.iter().skip(usize::from(self.is_spelt));
        lines.extend(
            reasons
                .zip(1..)
                .map(|(reason, number)| format!("[GraphQL]   {number}. {reason}")),
        );
        lines
    }

    fn errors(&self) -> impl Iterator<Item = &Issue> {
        self.issues
            .iter()
            .filter(|issue| issue.severity == Severity::Error)
    }

    fn of(&self, code: Code) -> impl Iterator<Item = &Issue> {
        self.issues.iter().filter(move |issue| issue.code == code)
    }

    /// Returns the errors to report: those about nulls, which quote the server, or the server's own
    /// errors if there are none.
    fn told(&self) -> Vec<&Issue> {
        let about_nulls: Vec<&Issue> = self
            .errors()
            .filter(|issue| issue.code != Code::Error)
            .collect();
        if about_nulls.is_empty() {
            self.errors().collect()
        } else {
            about_nulls
        }
    }

    /// Returns the issue whose hint is used for all: the first with a known reason.
    fn principal(&self) -> Option<&Issue> {
        let told = self.told();
        told.iter()
            .find(|issue| issue.reason == Reason::Known)
            .or(told.first())
            .copied()
    }

    fn message(&self) -> String {
        let told = self.told();
        let mut parts: Vec<&str> = told
            .iter()
            .take(NAMED_ERRORS)
            .map(|issue| issue.message.as_str())
            .collect();
        let more = format!("{} more", told.len().saturating_sub(NAMED_ERRORS));
        if told.len() > NAMED_ERRORS {
            parts.push(&more);
        }
        shorten(
            &listed_by_semicolon(&parts),
            2 * MAX_GRAPHQL_TEXT_CHARACTERS,
        )
    }
}

fn listed_by_semicolon(parts: &[&str]) -> String {
    match parts {
        [] => "the GraphQL response has no usable data".to_owned(),
        _ => parts.join("; "),
    }
}

fn sentence(text: &str) -> String {
    if text.ends_with(['.', '?', '!', '…']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// Returns the hint for an unexplained null.
pub(super) fn usual_hint(name: &str) -> String {
    format!(
        "check that `{name}` is spelt as in the schema, that the entity has this property, and that the filter matches a record"
    )
}

//! Converts the findings of apollo-compiler about a query into issues, with our own wording where
//! it explains more.

use std::collections::HashSet;

use apollo_compiler::ast::{Definition, Document, OperationDefinition};
use apollo_compiler::diagnostic::ToCliReport;
use apollo_compiler::validation::DiagnosticList;

use super::issue::{Code, Issue, Severity};
use super::name_check::{LISTED_NAMES, NameCheck};
use super::question::Question;
use super::schema::Schema;
use super::text::shorten;
use super::variables;
use crate::limits::{MAX_GRAPHQL_QUERY_ISSUES, MAX_GRAPHQL_TEXT_CHARACTERS};
use base::did_you_mean;
use base::nearest;

/// Directives that servers have supported for years without declaring them.
const UNNAMED_DIRECTIVES: [&str; 2] = ["defer", "stream"];

/// Returns the syntax errors of a text that does not parse, with their offsets.
pub(super) fn of_syntax(query: &str, errors: &DiagnosticList) -> Vec<(usize, Issue)> {
    let at_the_end = |message: &str| message.contains("Unexpected <EOF>");
    let mut messages = errors.iter().map(|diagnostic| diagnostic.error.to_string());
    if query.trim().is_empty() || messages.all(|message| at_the_end(&message)) {
        let mut issue = error("the query is empty");
        issue.hint = Some("write { field }".to_owned());
        return vec![(0, issue)];
    }
    errors
        .iter()
        .take(MAX_GRAPHQL_QUERY_ISSUES)
        .map(|diagnostic| {
            let place = diagnostic.error.location();
            let offset = place.map_or(0, |place| place.offset());
            (offset, error(&in_words(&diagnostic.error.to_string())))
        })
        .collect()
}

/// The findings of the library about a query that parses.
pub(super) struct Diagnostics<'a> {
    document: &'a Document,
    question: &'a Question<'a>,
    schema: &'a Schema,
    /// The issues, with their offsets.
    pub(super) issues: Vec<(usize, Issue)>,
}

impl<'a> Diagnostics<'a> {
    pub(super) fn new(
        document: &'a Document,
        question: &'a Question<'a>,
        schema: &'a Schema,
    ) -> Self {
        Self {
            document,
            question,
            schema,
            issues: Vec::new(),
        }
    }

    /// Adds the findings for positions that the check of names has not covered, and for variables
    /// with a known type.
    pub(super) fn read(&mut self, errors: &DiagnosticList, names: &NameCheck<'_>) {
        let told = names.issues.iter().map(|(offset, _)| offset);
        let covered: HashSet<usize> = told.chain(&names.covered).copied().collect();
        let mut conflicts = HashSet::new();
        for diagnostic in errors.iter() {
            let offset = diagnostic
                .error
                .location()
                .map_or(0, |place| place.offset());
            if covered.contains(&offset) {
                continue;
            }
            let message = in_words(&diagnostic.error.to_string());
            let about = |name: &&str| message.starts_with(&format!("variable `${name}` of type"));
            if names.untyped.iter().any(about) || self.is_echo(&message, names) {
                continue;
            }
            // Two rules report the same conflict.
            let conflict = message.starts_with("operation must not select different types")
                || message.starts_with("cannot select different fields");
            if conflict && !conflicts.insert(offset) {
                continue;
            }
            let issue = self.issue(&message, offset, names);
            self.issues.extend(issue.map(|issue| (offset, issue)));
            if self.issues.len() > MAX_GRAPHQL_QUERY_ISSUES {
                return;
            }
        }
    }

    /// Returns true if a finding is only a consequence of something that was left out because of an
    /// unknown name.
    fn is_echo(&self, message: &str, names: &NameCheck<'_>) -> bool {
        if let Some(name) = between(message, "cannot find fragment `", "` in this document") {
            return names.has_fragment(name);
        }
        if let Some(name) = between(message, "cannot find type `", "` in this document") {
            return self.schema.is_undefined(name);
        }
        if unfitting(message).is_some() && self.schema.has_undefined() {
            // The possible types are not all known.
            return true;
        }
        let left_out = !names.issues.is_empty() || !names.undefined.is_empty();
        left_out && is_unused(message) && self.is_used(message)
    }

    /// Returns true if the text of the query uses the variable or fragment that a message calls
    /// unused.
    fn is_used(&self, message: &str) -> bool {
        let Some(name) = message.split('`').nth(1) else {
            return false;
        };
        let text = self.question.query;
        let wanted = match name.strip_prefix('$') {
            Some(_) => name.to_owned(),
            None => format!("...{name}"),
        };
        // The declaration of a variable contains its name once.
        let least = 1 + usize::from(name.starts_with('$'));
        let ends = |after: &str| {
            !after.starts_with(|next: char| next == '_' || next.is_ascii_alphanumeric())
        };
        let uses = text
            .match_indices(&wanted)
            .filter(|(at, found)| text.get(at + found.len()..).is_some_and(ends));
        uses.take(least).count() == least
    }

    fn issue(&self, message: &str, offset: usize, names: &NameCheck<'_>) -> Option<Issue> {
        if let Some(name) = between(message, "cannot find directive `@", "` in this document") {
            return self.directive(name);
        }
        if let Some(name) = between(message, "variable `$", "` is not defined") {
            return Some(self.undefined_variable(message, name, offset));
        }
        if message.starts_with("expected value of type")
            && let Some(issue) = self.misplaced_variable(offset, names)
        {
            return Some(issue);
        }
        let mut issue = error(message);
        if is_unused(message) {
            // Many servers accept it.
            issue.severity = Severity::Warning;
            issue.hint = Some("use it, or leave it out".to_owned());
        } else if message.contains("cannot be used for argument") {
            issue.hint = Some("declare the variable with the type of the argument".to_owned());
        } else if let Some(on) = unfitting(message) {
            issue.hint = Some(self.possible(on));
        } else if message.starts_with("cannot select different fields into the same alias")
            || message.starts_with("operation must not select different types")
        {
            issue.hint = Some("give one of them another alias".to_owned());
        }
        Some(issue)
    }

    /// Lists the types that a value of a type may have.
    fn possible(&self, on: &str) -> String {
        let types: Vec<&str> = self.schema.possible_types(on).take(LISTED_NAMES).collect();
        match types.as_slice() {
            [] => format!("a value of type {on} cannot have another type: leave the fragment out"),
            types => format!("a value of type {on} may be {}", types.join(" or ")),
        }
    }

    fn directive(&self, name: &str) -> Option<Issue> {
        if UNNAMED_DIRECTIVES.contains(&name) {
            return None;
        }
        let suggestions: Vec<String> = nearest(name, self.schema.directives())
            .into_iter()
            .map(|name| format!("@{name}"))
            .collect();
        let name = shorten(name, 64);
        let mut issue = if self.schema.has_directives() {
            error(&format!("the schema has no directive `@{name}`"))
        } else {
            Issue::not_checked(
                format!("the schema does not say whether there is a directive `@{name}`"),
                "pass a schema with its directives",
            )
        };
        issue.hint = did_you_mean(&suggestions).or(issue.hint);
        issue.suggestions = suggestions;
        Some(issue)
    }

    fn undefined_variable(&self, message: &str, name: &str, offset: usize) -> Issue {
        let mut issue = error(message);
        let given = self.question.variables.value();
        if given.is_some_and(|given| given.get(name).is_some()) {
            issue.hint = Some(format!(
                "it has a value: declare ${} among the variables of the operation",
                shorten(name, 64)
            ));
        } else if let Some(operation) = self.operation_at(offset) {
            let declared = operation.variables.iter().map(|one| one.name.as_str());
            let suggestions: Vec<String> = nearest(name, declared)
                .into_iter()
                .map(|name| format!("${name}"))
                .collect();
            issue.hint =
                did_you_mean(&suggestions).or_else(|| Some(variables::declared_by(operation)));
            issue.suggestions = suggestions;
        }
        issue
    }

    /// Describes a variable of the wrong type inside a list or an object, which the library does
    /// not name.
    fn misplaced_variable(&self, offset: usize, names: &NameCheck<'_>) -> Option<Issue> {
        let found = names.uses.get(&offset)?;
        let mut declared = self.operation_at(offset)?.variables.iter();
        let declared = declared.find(|one| one.name == found.name)?;
        let (name, wanted) = (shorten(found.name, 64), found.ty);
        let mut issue = error(&format!(
            "the variable `${name}` is of type {}, and `{}` takes {wanted}",
            declared.ty, found.path
        ));
        issue.hint = Some(format!("declare ${name}: {wanted}"));
        Some(issue)
    }

    /// Returns the operation at a position; none if it is in a fragment that several operations may
    /// use.
    fn operation_at(&self, offset: usize) -> Option<&'a OperationDefinition> {
        let operations = || {
            let definitions = self.document.definitions.iter();
            definitions.filter_map(|definition| match definition {
                Definition::OperationDefinition(operation) => Some(operation),
                _ => None,
            })
        };
        if operations().nth(1).is_none() {
            return operations().next().map(|operation| &**operation);
        }
        operations()
            .find(|operation| {
                let place = operation.location();
                place.is_some_and(|place| (place.offset()..place.end_offset()).contains(&offset))
            })
            .map(|operation| &**operation)
    }
}

fn error(message: &str) -> Issue {
    let message = shorten(message, MAX_GRAPHQL_TEXT_CHARACTERS);
    Issue::new(Severity::Error, Code::InvalidQuery, message)
}

/// Returns the type to which a fragment of another type cannot be applied.
fn unfitting(message: &str) -> Option<&str> {
    let (_, on) = message.split_once("cannot be applied to `")?;
    on.strip_suffix('`')
}

fn is_unused(message: &str) -> bool {
    message.starts_with("unused variable")
        || (message.starts_with("fragment `") && message.ends_with("must be used in an operation"))
}

fn between<'m>(message: &'m str, before: &str, after: &str) -> Option<&'m str> {
    message.strip_prefix(before)?.strip_suffix(after)
}

/// Replaces the parser's token names by the tokens themselves.
fn in_words(message: &str) -> String {
    const TOKENS: &[(&str, &str)] = &[
        ("R_CURLY", "`}`"),
        ("L_CURLY", "`{`"),
        ("R_PAREN", "`)`"),
        ("L_PAREN", "`(`"),
        ("R_BRACK", "`]`"),
        ("L_BRACK", "`[`"),
        ("got EOF", "found the end"),
    ];
    TOKENS
        .iter()
        .fold(message.to_owned(), |text, (name, written)| {
            text.replace(name, written)
        })
}

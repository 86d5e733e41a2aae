//! From the library's tree of errors to issues that a model can act on.

use std::cell::Cell;

use boon::{ErrorKind, InstanceToken, Type, ValidationError};
use serde_json::{Map, Value};

use super::near::near;
use super::{Issue, NOT_LISTED, branches, decimal, words};
use crate::limits::{MAX_ARGUMENT_ISSUES, MAX_EXPLAINED_ERRORS};
use base::percent;

/// All issues, the first [`MAX_ARGUMENT_ISSUES`] of them. None where the library refused only what fits as it is meant.
pub(super) fn issues(
    error: &ValidationError<'_, '_>,
    document: &Value,
    arguments: &Value,
) -> Vec<Issue> {
    let explainer = Explainer {
        document,
        arguments,
        left: Cell::new(MAX_EXPLAINED_ERRORS),
    };
    let mut issues = Vec::new();
    explainer.collect(error, &mut issues);
    if issues.len() > MAX_ARGUMENT_ISSUES {
        issues.truncate(MAX_ARGUMENT_ISSUES - 1);
        issues.push(Issue::whole(NOT_LISTED.to_owned()));
    }
    issues
}

pub(super) struct Explainer<'a> {
    document: &'a Value,
    arguments: &'a Value,
    /// Errors that may still be explained: those of nested branches are many, and looking for near names is work.
    left: Cell<u32>,
}

impl Explainer<'_> {
    /// Adds the issues of an error. Its depth is that of the check, which was bounded.
    pub(super) fn collect(&self, error: &ValidationError<'_, '_>, issues: &mut Vec<Issue>) {
        if issues.len() > MAX_ARGUMENT_ISSUES || self.is_nullable(error) {
            return;
        }
        match &error.kind {
            ErrorKind::Group
            | ErrorKind::Schema { .. }
            | ErrorKind::Reference { .. }
            | ErrorKind::AllOf => {
                for cause in &error.causes {
                    self.collect(cause, issues);
                }
            }
            ErrorKind::AnyOf | ErrorKind::OneOf(None) => {
                for issue in branches::issues(self, error) {
                    push(issues, issue);
                }
            }
            _ => {
                for issue in self.leaf(error) {
                    push(issues, issue);
                }
            }
        }
    }

    fn leaf(&self, error: &ValidationError<'_, '_>) -> Vec<Issue> {
        let tokens = &error.instance_location.tokens;
        let Some(left) = self.left.get().checked_sub(1) else {
            return vec![Issue {
                path: words::path(tokens),
                message: "does not fit the schema".to_owned(),
                suggestions: Vec::new(),
            }];
        };
        self.left.set(left);
        let got = self.value_at(tokens);
        match &error.kind {
            ErrorKind::Required { want } => want
                .iter()
                .take(MAX_ARGUMENT_ISSUES + 1)
                .map(|name| self.missing(error, name))
                .collect(),
            ErrorKind::AdditionalProperties { got: names } => names
                .iter()
                .take(MAX_ARGUMENT_ISSUES + 1)
                .map(|name| self.unknown(error.schema_url, &words::path(tokens), name))
                .collect(),
            ErrorKind::FalseSchema => vec![self.refused(error)],
            ErrorKind::Type { want, .. } => {
                let want: Vec<Type> = want.iter().collect();
                vec![self.wrong_type(tokens, &want)]
            }
            ErrorKind::Enum { want } => {
                vec![self.not_among(tokens, &want.iter().collect::<Vec<_>>())]
            }
            // The library divides binary fractions, in which 0.07 is no multiple of 0.01.
            ErrorKind::MultipleOf { got, want } if decimal::is_multiple(got, want) => Vec::new(),
            // The library counts code points, JavaScript units of UTF-16, which are never fewer.
            ErrorKind::MinLength { want, .. } if has_units(got, *want) => Vec::new(),
            ErrorKind::Const { want } => vec![self.not_among(tokens, &[*want])],
            ErrorKind::Dependency { prop, missing }
            | ErrorKind::DependentRequired { prop, missing } => missing
                .iter()
                .take(MAX_ARGUMENT_ISSUES + 1)
                .map(|name| {
                    let path = words::path_of(&words::path(tokens), name);
                    Issue {
                        message: format!(
                            "missing parameter {path}, which {} needs",
                            words::bare(prop)
                        ),
                        path,
                        suggestions: Vec::new(),
                    }
                })
                .collect(),
            // The library has lost the place: it held the name alone against the schema.
            ErrorKind::PropertyName { prop } => vec![Issue {
                path: words::bare(prop),
                message: format!(
                    "unknown parameter {}: its name is not of the form that the schema asks for",
                    words::bare(prop)
                ),
                suggestions: Vec::new(),
            }],
            // The error holds the expression as it was translated for the engine.
            ErrorKind::Pattern { want, .. } => vec![Issue {
                path: words::path(tokens),
                message: format!(
                    "must match the pattern {}, not {}",
                    words::quoted(
                        self.schema_at(error.schema_url)
                            .and_then(|schema| schema.get("pattern"))
                            .and_then(Value::as_str)
                            .unwrap_or(want)
                    ),
                    got.map_or_else(|| "what was given".to_owned(), words::value)
                ),
                suggestions: Vec::new(),
            }],
            kind => vec![Issue {
                path: words::path(tokens),
                message: bound(kind, got),
                suggestions: Vec::new(),
            }],
        }
    }

    /// What was given there.
    pub(super) fn value_at(&self, tokens: &[InstanceToken<'_>]) -> Option<&Value> {
        tokens
            .iter()
            .try_fold(self.arguments, |value, token| match token {
                InstanceToken::Prop(name) => value.get(name.as_ref()),
                InstanceToken::Item(number) => value.get(*number),
            })
    }

    /// The schema that an error is about.
    fn schema_at(&self, url: &str) -> Option<&Value> {
        self.document.pointer(&place_of(url)?)
    }

    fn names_at(&self, url: &str) -> Vec<&str> {
        self.schema_at(url)
            .and_then(|schema| schema.get("properties"))
            .and_then(Value::as_object)
            .map(|properties| properties.keys().map(String::as_str).collect())
            .unwrap_or_default()
    }

    /// `nullable` is a word of OpenAPI that JSON Schema does not know; servers that write it mean it, of all that stands beside it.
    fn is_nullable(&self, error: &ValidationError<'_, '_>) -> bool {
        if self.value_at(&error.instance_location.tokens) != Some(&Value::Null) {
            return false;
        }
        let Some(mut place) = place_of(error.schema_url) else {
            return false;
        };
        loop {
            let nullable = self
                .document
                .pointer(&place)
                .and_then(|at| at.get("nullable"));
            if nullable == Some(&Value::Bool(true)) {
                return true;
            }
            match holder_of(&place) {
                Some(above) => place.truncate(above.len()),
                None => return false,
            }
        }
    }

    fn missing(&self, error: &ValidationError<'_, '_>, name: &str) -> Issue {
        let tokens = &error.instance_location.tokens;
        let path = words::path_of(&words::path(tokens), name);
        let known = self.names_at(error.schema_url);
        let empty = Map::new();
        let given = self
            .value_at(tokens)
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        let strangers = given
            .keys()
            .map(String::as_str)
            .filter(|key| !known.contains(key));
        let near = near(name, strangers);
        let message = match near.first() {
            Some(stranger) => format!(
                "missing parameter {path}; {} is none of the tool's parameters",
                words::bare(stranger)
            ),
            None => format!("missing parameter {path}"),
        };
        Issue {
            path,
            message,
            suggestions: if near.is_empty() {
                Vec::new()
            } else {
                vec![name.to_owned()]
            },
        }
    }

    fn unknown(&self, schema_url: &str, path: &str, name: &str) -> Issue {
        let known = self.names_at(schema_url);
        let suggestions = near(name, known.iter().copied());
        let path = words::path_of(path, name);
        let message = if !suggestions.is_empty() || known.is_empty() {
            format!("unknown parameter {path}")
        } else {
            format!(
                "unknown parameter {path}; known there: {}",
                words::names(known.into_iter())
            )
        };
        Issue {
            path,
            message,
            suggestions,
        }
    }

    /// `false` as a schema: nothing fits. Under `unevaluatedProperties` it means an unknown name.
    fn refused(&self, error: &ValidationError<'_, '_>) -> Issue {
        let tokens = &error.instance_location.tokens;
        let owner = error.schema_url.strip_suffix("/unevaluatedProperties");
        if let (Some(owner), Some((InstanceToken::Prop(name), above))) =
            (owner, tokens.split_last())
        {
            return self.unknown(owner, &words::path(above), name);
        }
        Issue {
            path: words::path(tokens),
            message: "must not be given".to_owned(),
            suggestions: Vec::new(),
        }
    }

    /// A value of another type. Where only its writing is wrong, the right one is suggested; it is never put in its place.
    pub(super) fn wrong_type(&self, tokens: &[InstanceToken<'_>], want: &[Type]) -> Issue {
        let got = self.value_at(tokens).unwrap_or(&Value::Null);
        let kinds: Vec<String> = want
            .iter()
            .map(|kind| words::kind(*kind).to_owned())
            .collect();
        Issue {
            path: words::path(tokens),
            message: format!(
                "must be {}, not {}",
                words::either(&kinds),
                words::value(got)
            ),
            suggestions: rewritten(got, want).into_iter().collect(),
        }
    }

    /// A value that is none of those allowed.
    pub(super) fn not_among(&self, tokens: &[InstanceToken<'_>], want: &[&Value]) -> Issue {
        let got = self.value_at(tokens).unwrap_or(&Value::Null);
        let suggestions = match got {
            Value::String(text) => {
                let texts = want.iter().filter_map(|value| value.as_str());
                near(text, texts)
            }
            _ => Vec::new(),
        };
        let one_of = if want.len() == 1 { "" } else { "one of " };
        Issue {
            path: words::path(tokens),
            message: format!(
                "must be {one_of}{}, not {}",
                words::choices(want.iter().copied()),
                words::value(got)
            ),
            suggestions,
        }
    }
}

/// The place of a schema, as a JSON pointer into the document.
fn place_of(url: &str) -> Option<String> {
    percent::decode(url.strip_prefix(super::LOCATION)?.strip_prefix('#')?)
}

/// The place of the schema that checks this one against its own value and reports its errors as they are.
fn holder_of(place: &str) -> Option<&str> {
    let (above, step) = place.rsplit_once('/')?;
    match step {
        "then" | "else" => Some(above),
        _ => above.strip_suffix("/allOf"),
    }
}

fn push(issues: &mut Vec<Issue>, issue: Issue) {
    // One more than is listed shows that there are more.
    if issues.len() <= MAX_ARGUMENT_ISSUES && !issues.contains(&issue) {
        issues.push(issue);
    }
}

/// The value in the writing that was wanted: `5` for `"5"`, `["a"]` for `"a"`.
fn rewritten(got: &Value, want: &[Type]) -> Option<String> {
    let wants = |kind: Type| want.contains(&kind);
    let text = match got {
        Value::String(text) => {
            let trimmed = text.trim();
            let number = (wants(Type::Integer) && trimmed.parse::<i64>().is_ok())
                || (wants(Type::Number)
                    && serde_json::from_str::<serde_json::Number>(trimmed).is_ok());
            if number || (wants(Type::Boolean) && ["true", "false"].contains(&trimmed)) {
                trimmed.to_owned()
            } else if wants(Type::Array) {
                format!("[{}]", words::quoted(text))
            } else {
                return None;
            }
        }
        Value::Number(number) if wants(Type::String) => format!("\"{number}\""),
        Value::Bool(value) if wants(Type::String) => format!("\"{value}\""),
        Value::Number(_) | Value::Bool(_) if wants(Type::Array) => format!("[{got}]"),
        _ => return None,
    };
    Some(text)
}

/// Whether a value is a text of so many units of UTF-16.
fn has_units(got: Option<&Value>, count: usize) -> bool {
    let text = got.and_then(Value::as_str);
    text.is_some_and(|text| text.encode_utf16().count() >= count)
}

/// Bounds of size, number and form.
fn bound(kind: &ErrorKind<'_, '_>, got: Option<&Value>) -> String {
    let given = || got.map_or_else(|| "what was given".to_owned(), words::value);
    match kind {
        ErrorKind::MinLength { got, want } => {
            format!("must have at least {want} characters, not {got}")
        }
        ErrorKind::MaxLength { got, want } => {
            format!("must have at most {want} characters, not {got}")
        }
        ErrorKind::Minimum { got, want } => format!("must be at least {want}, not {got}"),
        ErrorKind::Maximum { got, want } => format!("must be at most {want}, not {got}"),
        ErrorKind::ExclusiveMinimum { got, want } => format!("must be more than {want}, not {got}"),
        ErrorKind::ExclusiveMaximum { got, want } => format!("must be less than {want}, not {got}"),
        ErrorKind::MultipleOf { got, want } => format!("must be a multiple of {want}, not {got}"),
        ErrorKind::MinItems { got, want } => format!("must have at least {want} items, not {got}"),
        ErrorKind::MaxItems { got, want } => format!("must have at most {want} items, not {got}"),
        ErrorKind::AdditionalItems { got } => format!("has {got} items too many"),
        ErrorKind::UniqueItems { got: [one, other] } => {
            format!("must not repeat items: items {one} and {other} are equal")
        }
        ErrorKind::MinProperties { got, want } => {
            format!("must have at least {want} entries, not {got}")
        }
        ErrorKind::MaxProperties { got, want } => {
            format!("must have at most {want} entries, not {got}")
        }
        ErrorKind::Contains => "must hold an item of the kind that the schema asks for".to_owned(),
        ErrorKind::MinContains { got, want } => format!(
            "must hold at least {want} items of the kind that the schema asks for, not {}",
            got.len()
        ),
        ErrorKind::MaxContains { got, want } => format!(
            "must hold at most {want} items of the kind that the schema limits, not {}",
            got.len()
        ),
        ErrorKind::OneOf(Some((one, other))) => format!(
            "must fit one form only, and fits the forms {} and {} of the schema",
            one + 1,
            other + 1
        ),
        ErrorKind::Not => format!("must not be {}: the schema excludes it", given()),
        _ => "does not fit the schema".to_owned(),
    }
}

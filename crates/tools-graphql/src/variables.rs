//! Checks the values of a query's variables against their types.

use apollo_compiler::ast::{InputValueDefinition, OperationDefinition, Type};
use apollo_compiler::schema::ExtendedType;
use serde_json::Value;

use super::issue::{Code, Issue, Severity};
use super::name_check::LISTED_NAMES;
use super::question::Given;
use super::schema::Schema;
use super::text::{listed, push_index, push_key, shorten};
use crate::limits::{MAX_GRAPHQL_QUERY_ISSUES, MAX_GRAPHQL_TEXT_CHARACTERS};
use base::did_you_mean;
use base::nearest;

/// Number of elements of a list that are checked: the first errors are enough.
const MAX_CHECKED_ELEMENTS: usize = 10_000;

/// Reports values that are missing, have the wrong type, or belong to no variable of the operation.
pub(super) fn check(
    operation: &OperationDefinition,
    variables: Given<&Value>,
    schema: &Schema,
) -> Vec<Issue> {
    if variables.is_unknown() {
        return Vec::new();
    }
    let mut checker = Checker {
        schema,
        issues: Vec::new(),
    };
    let empty = serde_json::Map::new();
    let given = match variables.value() {
        None | Some(Value::Null) => &empty,
        Some(Value::Object(given)) => given,
        Some(other) => {
            checker.say(
                "variables",
                format!("the variables are {}, not an object", kind(other)),
            );
            return checker.issues;
        }
    };
    for definition in &operation.variables {
        let mut path = "variables".to_owned();
        push_key(&mut path, &definition.name);
        match given.get(definition.name.as_str()) {
            Some(value) => checker.value(&definition.ty, value, &path),
            None if definition.ty.is_non_null() && definition.default_value.is_none() => {
                checker.say(
                    &path,
                    format!(
                        "the variable `${}` of type {} has no value",
                        definition.name, definition.ty
                    ),
                );
            }
            None => {}
        }
    }
    let declared = || operation.variables.iter().map(|one| one.name.as_str());
    for name in given.keys() {
        if checker.full() {
            break;
        }
        if !declared().any(|own| own == name) {
            let mut path = "variables".to_owned();
            push_key(&mut path, name);
            let suggestions = nearest(name, declared());
            let message = format!(
                "the operation declares no variable `${}`",
                shorten(name, 64)
            );
            checker.say_with(&path, message, suggestions);
            // Servers ignore it; it is reported because another name was probably intended.
            if let Some(issue) = checker.issues.last_mut() {
                issue.severity = Severity::Warning;
                if issue.hint.is_none() {
                    issue.hint = Some(declared_by(operation));
                }
            }
        }
    }
    checker.issues
}

/// Lists the declared variables.
pub(super) fn declared_by(operation: &OperationDefinition) -> String {
    let declared = operation.variables.iter().take(LISTED_NAMES);
    let names: Vec<String> = declared.map(|one| format!("${}", one.name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names.as_slice() {
        [] => "the operation declares none".to_owned(),
        names => format!("the operation declares {}", listed(names)),
    }
}

struct Checker<'a> {
    schema: &'a Schema,
    issues: Vec<Issue>,
}

impl Checker<'_> {
    fn full(&self) -> bool {
        self.issues.len() >= MAX_GRAPHQL_QUERY_ISSUES
    }

    fn say(&mut self, path: &str, message: String) {
        self.say_with(path, message, Vec::new());
    }

    fn say_with(&mut self, path: &str, message: String, suggestions: Vec<String>) {
        if self.full() {
            return;
        }
        let mut issue = Issue::new(
            Severity::Error,
            Code::InvalidQuery,
            shorten(&message, MAX_GRAPHQL_TEXT_CHARACTERS),
        );
        issue.path = Some(shorten(path, MAX_GRAPHQL_TEXT_CHARACTERS));
        issue.hint = did_you_mean(&suggestions);
        issue.suggestions = suggestions;
        self.issues.push(issue);
    }

    /// Checks a value. The recursion is limited by the nesting of the type and by that of the
    /// value, which serde_json limits.
    fn value(&mut self, ty: &Type, value: &Value, path: &str) {
        if self.full() {
            return;
        }
        if value.is_null() {
            if ty.is_non_null() {
                self.say(path, format!("{path} is null, but its type is {ty}"));
            }
            return;
        }
        match (ty, value) {
            (Type::List(inner) | Type::NonNullList(inner), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate().take(MAX_CHECKED_ELEMENTS) {
                    let mut path = path.to_owned();
                    push_index(&mut path, index);
                    self.value(inner, item, &path);
                }
            }
            // A single value may replace a list.
            (Type::List(inner) | Type::NonNullList(inner), _) => self.value(inner, value, path),
            (Type::Named(name) | Type::NonNullNamed(name), _) => self.named(name, value, path),
        }
    }

    fn named(&mut self, name: &str, value: &Value, path: &str) {
        let schema = self.schema;
        let fits = match schema.type_of(name) {
            Some(ExtendedType::Scalar(_)) => match name {
                "Int" => value.as_f64().is_some_and(is_int),
                "Float" => value.is_number(),
                "String" => value.is_string(),
                "Boolean" => value.is_boolean(),
                "ID" => value.is_string() || value.is_i64() || value.is_u64(),
                // A custom scalar may have any value.
                _ => true,
            },
            Some(ExtendedType::Enum(values)) => {
                if let Value::String(text) = value
                    && !values.values.contains_key(text.as_str())
                {
                    let suggestions = nearest(text, values.values.keys().map(|name| name.as_str()));
                    let text = shorten(text, 64);
                    self.say_with(
                        path,
                        format!("{path} is {text:?}, which is not a value of {name}"),
                        suggestions,
                    );
                    return;
                }
                value.is_string()
            }
            Some(ExtendedType::InputObject(input)) => {
                if let Value::Object(given) = value {
                    let fields: Vec<&InputValueDefinition> =
                        input.fields.values().map(|field| &***field).collect();
                    self.object(name, &fields, given, path);
                    return;
                }
                false
            }
            // A type that is invalid for variables is reported at the declaration.
            _ => true,
        };
        if !fits {
            self.say(
                path,
                format!("{path} is {}, but its type is {name}", kind(value)),
            );
        }
    }

    fn object(
        &mut self,
        name: &str,
        fields: &[&InputValueDefinition],
        given: &serde_json::Map<String, Value>,
        path: &str,
    ) {
        for field in fields {
            let mut below = path.to_owned();
            push_key(&mut below, &field.name);
            match given.get(field.name.as_str()) {
                Some(value) => self.value(&field.ty, value, &below),
                None if field.is_required() => {
                    self.say(&below, format!("{below} of type {} is missing", field.ty));
                }
                None => {}
            }
        }
        for key in given.keys() {
            if self.full() {
                return;
            }
            if !fields.iter().any(|field| field.name == key.as_str()) {
                let mut below = path.to_owned();
                push_key(&mut below, key);
                let suggestions = nearest(key, fields.iter().map(|field| field.name.as_str()));
                self.say_with(
                    &below,
                    format!("{name} has no field `{}`", shorten(key, 64)),
                    suggestions,
                );
            }
        }
    }
}

/// Returns true for a 32-bit integer, as `Int` is. JSON does not distinguish 5 from 5.0.
fn is_int(number: f64) -> bool {
    number.fract() == 0.0 && number >= f64::from(i32::MIN) && number <= f64::from(i32::MAX)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a whole number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

//! A query held against the schema before it is sent.
//!
//! Two readers: [`Walk`] knows what a name stands for, and so which name was meant; apollo-compiler knows every rule of the
//! specification. What the walk tells about a place is not told again. Fragments are visited once, where they are defined, so the
//! work is linear in the text, and both recurse no deeper than the parser lets a query nest.

use std::collections::HashSet;

use apollo_compiler::Node;
use apollo_compiler::ast::{
    Argument, Definition, Document, Field, OperationDefinition, Selection, VariableDefinition,
};
use apollo_compiler::diagnostic::ToCliReport;
use apollo_compiler::parser::{Parser, SourceSpan};
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::validation::DiagnosticList;
use serde_json::Value;

use super::issue::{Code, Issue, Location, Severity};
use super::schema::{FieldInfo, Schema};
use super::text::{listed, shorten};
use super::variables;
use crate::error::did_you_mean;
use crate::limits::{
    MAX_GRAPHQL_DEPTH, MAX_GRAPHQL_QUERY_BYTES, MAX_GRAPHQL_QUERY_ISSUES, MAX_GRAPHQL_QUERY_TOKENS,
    MAX_GRAPHQL_TEXT_CHARACTERS,
};
use crate::schema::nearest;

/// Names that a hint lists where none is near.
pub(super) const LISTED_NAMES: usize = 12;

/// What of a query the schema does not allow: misspelt fields and arguments, missing ones, wrong types, variables without their value.
/// Errors come first, in the order of the text, each with its line and column; those of variables have a path instead. What is
/// unused is a warning, and no reason to refuse the query.
///
/// A query over the limits is not judged: its server will.
pub fn check_query(
    query: &str,
    variables: Option<&Value>,
    operation: Option<&str>,
    schema: &Schema,
) -> Vec<Issue> {
    if query.len() > MAX_GRAPHQL_QUERY_BYTES {
        return Vec::new();
    }
    let lines = Lines::new(query);
    let mut parser = Parser::new()
        .recursion_limit(MAX_GRAPHQL_DEPTH)
        .token_limit(MAX_GRAPHQL_QUERY_TOKENS);
    let parsed = parser.parse_ast(query, "query");
    if parser.tokens_reached() > MAX_GRAPHQL_QUERY_TOKENS
        || parser.recursion_reached() > MAX_GRAPHQL_DEPTH
    {
        return Vec::new();
    }
    let mut told = Told::default();
    let document = match parsed {
        Ok(document) => document,
        Err(error) => {
            told.library(&error.errors, &[]);
            return told.finish(&lines);
        }
    };
    let mut walk = Walk::new(schema, &document);
    walk.document();
    told.covered
        .extend(walk.issues.iter().map(|(offset, _)| *offset));
    told.covered.extend(walk.covered);
    told.issues = walk.issues;
    if let Err(error) = document.to_executable_validate(schema.inner()) {
        told.library(&error.errors, &walk.untyped);
    }
    let mut issues = told.finish(&lines);
    if let Some(operation) = chosen(&document, operation, &mut issues) {
        issues.extend(variables::check(operation, variables, schema));
    }
    issues.sort_by_key(|issue| issue.severity != Severity::Error);
    issues.truncate(MAX_GRAPHQL_QUERY_ISSUES);
    issues
}

/// Issues with the offsets of their places.
#[derive(Default)]
struct Told {
    issues: Vec<(usize, Issue)>,
    covered: HashSet<usize>,
}

impl Told {
    /// Adds what the library says of places that are not covered, and of variables that have a type.
    fn library(&mut self, errors: &DiagnosticList, untyped: &[&str]) {
        let mut added = 0;
        for diagnostic in errors.iter() {
            let offset = diagnostic
                .error
                .location()
                .map_or(0, |place| place.offset());
            if self.covered.contains(&offset) {
                continue;
            }
            let message = in_words(&diagnostic.error.to_string());
            let about = |name: &&str| message.starts_with(&format!("variable `${name}` of type"));
            if untyped.iter().any(about) {
                continue;
            }
            self.issues.push((offset, library_issue(&message)));
            added += 1;
            if added >= MAX_GRAPHQL_QUERY_ISSUES {
                return;
            }
        }
    }

    fn finish(mut self, lines: &Lines<'_>) -> Vec<Issue> {
        self.issues.sort_by_key(|(offset, _)| *offset);
        self.issues
            .into_iter()
            .take(2 * MAX_GRAPHQL_QUERY_ISSUES)
            .map(|(offset, mut issue)| {
                issue.locations = vec![lines.locate(offset)];
                issue
            })
            .collect()
    }
}

/// An issue in the library's words. What is merely unused is a warning: many servers do not mind.
fn library_issue(message: &str) -> Issue {
    let unused = message.starts_with("unused variable")
        || (message.starts_with("fragment `") && message.ends_with("must be used in an operation"));
    let severity = if unused {
        Severity::Warning
    } else {
        Severity::Error
    };
    let message = shorten(message, MAX_GRAPHQL_TEXT_CHARACTERS);
    let mut issue = Issue::new(severity, Code::InvalidQuery, message);
    if unused {
        issue.hint = Some("use it, or leave it out".to_owned());
    } else if issue.message.contains("cannot be used for argument") {
        issue.hint = Some("declare the variable with the type of the argument".to_owned());
    } else if issue
        .message
        .starts_with("cannot select different fields into the same alias")
    {
        issue.hint = Some("give one of them another alias".to_owned());
    }
    issue
}

/// The operation that will run.
fn chosen<'a>(
    document: &'a Document,
    name: Option<&str>,
    issues: &mut Vec<Issue>,
) -> Option<&'a OperationDefinition> {
    let operations = || {
        document
            .definitions
            .iter()
            .filter_map(|definition| match definition {
                Definition::OperationDefinition(operation) => Some(&**operation),
                _ => None,
            })
    };
    let Some(name) = name else {
        if operations().nth(1).is_some() {
            let names: Vec<&str> = operations()
                .filter_map(|operation| operation.name.as_ref().map(|name| name.as_str()))
                .take(LISTED_NAMES)
                .collect();
            let message = "the query has several operations, and none is chosen".to_owned();
            let mut issue = Issue::new(Severity::Error, Code::InvalidQuery, message);
            issue.hint = Some(format!("pass operationName: one of {}", listed(&names)));
            issues.push(issue);
            return None;
        }
        return operations().next();
    };
    let found =
        operations().find(|operation| operation.name.as_ref().is_some_and(|own| own == name));
    if found.is_none() {
        let names =
            operations().filter_map(|operation| operation.name.as_ref().map(|name| name.as_str()));
        let suggestions = nearest(name, names);
        let mut issue = Issue::new(
            Severity::Error,
            Code::InvalidQuery,
            format!("the query has no operation `{}`", shorten(name, 64)),
        );
        issue.hint = did_you_mean(&suggestions);
        issue.suggestions = suggestions;
        issues.push(issue);
    }
    found
}

/// The parser's names of tokens, as they are written.
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

/// Lines and columns of offsets.
pub(super) struct Lines<'a>(&'a str);

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text)
    }

    pub(super) fn locate(&self, offset: usize) -> Location {
        let before = self.0.get(..offset).unwrap_or(self.0);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() as u64 + 1;
        Location { line, column }
    }
}

/// Reads a document by the names in it.
pub(super) struct Walk<'a> {
    pub(super) schema: &'a Schema,
    document: &'a Document,
    fragments: HashSet<&'a str>,
    issues: Vec<(usize, Issue)>,
    /// Offsets at which the library would tell the same again.
    pub(super) covered: Vec<usize>,
    /// Variables of a type that there is not.
    untyped: Vec<&'a str>,
}

impl<'a> Walk<'a> {
    fn new(schema: &'a Schema, document: &'a Document) -> Self {
        let fragments = document
            .definitions
            .iter()
            .filter_map(|definition| match definition {
                Definition::FragmentDefinition(fragment) => Some(fragment.name.as_str()),
                _ => None,
            })
            .collect();
        Self {
            schema,
            document,
            fragments,
            issues: Vec::new(),
            covered: Vec::new(),
            untyped: Vec::new(),
        }
    }

    pub(super) fn full(&self) -> bool {
        self.issues.len() >= MAX_GRAPHQL_QUERY_ISSUES
    }

    pub(super) fn say(
        &mut self,
        at: Option<SourceSpan>,
        message: String,
        hint: Option<String>,
        suggestions: Vec<String>,
    ) {
        if self.full() {
            return;
        }
        let message = shorten(&message, MAX_GRAPHQL_TEXT_CHARACTERS);
        let mut issue = Issue::new(Severity::Error, Code::InvalidQuery, message);
        issue.hint = did_you_mean(&suggestions).or(hint);
        issue.suggestions = suggestions;
        self.issues
            .push((at.map_or(0, |place| place.offset()), issue));
    }

    fn document(&mut self) {
        let document = self.document;
        for definition in &document.definitions {
            match definition {
                Definition::OperationDefinition(operation) => {
                    for variable in &operation.variables {
                        self.variable_type(variable);
                    }
                    if let Some(root) = self.schema.root(operation.operation_type) {
                        self.selections(&operation.selection_set, root);
                    }
                }
                Definition::FragmentDefinition(fragment) => {
                    let on = &fragment.type_condition;
                    if self.known_type(on, on.location()) {
                        self.selections(&fragment.selection_set, on);
                    }
                }
                _ => {}
            }
        }
    }

    fn variable_type(&mut self, variable: &'a Node<VariableDefinition>) {
        let name = variable.ty.inner_named_type();
        if !self.known_type(name, name.location()) {
            self.covered
                .extend(variable.location().map(|place| place.offset()));
            self.untyped.push(variable.name.as_str());
        }
    }

    fn known_type(&mut self, name: &str, at: Option<SourceSpan>) -> bool {
        if self.schema.type_of(name).is_some() {
            return true;
        }
        let suggestions = nearest(name, self.schema.types());
        self.say(
            at,
            format!("the schema has no type `{}`", shorten(name, 64)),
            None,
            suggestions,
        );
        false
    }

    fn selections(&mut self, selections: &'a [Selection], on: &str) {
        // A schema may name types that it does not have: of their fields nothing is known.
        if self.schema.type_of(on).is_none() {
            return;
        }
        for selection in selections {
            if self.full() {
                return;
            }
            match selection {
                Selection::Field(field) => self.field(field, on),
                Selection::InlineFragment(fragment) => match &fragment.type_condition {
                    None => self.selections(&fragment.selection_set, on),
                    Some(condition) => {
                        if self.known_type(condition, condition.location()) {
                            self.selections(&fragment.selection_set, condition);
                        }
                    }
                },
                Selection::FragmentSpread(spread) => {
                    let name = spread.fragment_name.as_str();
                    if !self.fragments.contains(name) {
                        let suggestions = nearest(name, self.fragments.iter().copied());
                        let message = format!("the query has no fragment `{}`", shorten(name, 64));
                        self.say(spread.location(), message, None, suggestions);
                    }
                }
            }
        }
    }

    fn field(&mut self, field: &'a Node<Field>, on: &str) {
        let schema = self.schema;
        let Some(info) = schema.field(on, &field.name) else {
            self.unknown_field(field, on);
            return;
        };
        let mut meant = Vec::new();
        for argument in &field.arguments {
            meant.extend(self.argument(argument, info, on));
        }
        self.missing_arguments(field, info, on, &meant);
        let inner = info.inner_type();
        let composite = matches!(
            schema.type_of(inner),
            Some(ExtendedType::Object(_) | ExtendedType::Interface(_) | ExtendedType::Union(_))
        );
        if composite && field.selection_set.is_empty() {
            let fields: Vec<&str> = schema.fields(inner).take(LISTED_NAMES).collect();
            let hint = match fields.as_slice() {
                [] => format!("write {} {{ __typename }}", field.name),
                [first, ..] => format!(
                    "write {} {{ {first} }}; its fields are {}",
                    field.name,
                    listed(&fields)
                ),
            };
            let message = format!(
                "`{}` is of type {}, and nothing of it is selected",
                field.name,
                info.ty()
            );
            self.say(field.location(), message, Some(hint), Vec::new());
        }
        if !composite && !field.selection_set.is_empty() && schema.type_of(inner).is_some() {
            let message = format!(
                "`{}` is of type {}, which has no fields",
                field.name,
                info.ty()
            );
            let hint = format!("write {} without braces", field.name);
            self.say(field.location(), message, Some(hint), Vec::new());
            return;
        }
        let before = self.issues.len();
        self.selections(&field.selection_set, inner);
        if self.issues.len() > before {
            // A selection of which nothing is left is none to the library.
            self.covered
                .extend(field.location().map(|place| place.offset()));
        }
    }

    fn unknown_field(&mut self, field: &Field, on: &str) {
        let schema = self.schema;
        let suggestions = nearest(&field.name, schema.fields(on));
        let fields: Vec<&str> = schema.fields(on).take(LISTED_NAMES).collect();
        let hint = match (schema.type_of(on), fields.as_slice()) {
            (Some(ExtendedType::Union(union)), _) => {
                let members: Vec<&str> = union
                    .members
                    .iter()
                    .map(|name| name.as_str())
                    .take(LISTED_NAMES)
                    .collect();
                Some(format!(
                    "{on} is a union: write ... on {} {{ … }}",
                    members.join(" or ")
                ))
            }
            (_, []) => None,
            (_, names) => Some(format!("the fields of {on} include {}", listed(names))),
        };
        let message = format!("{on} has no field `{}`", shorten(&field.name, 64));
        self.say(field.name.location(), message, hint, suggestions);
    }

    /// Gives the name that was meant by one that is none.
    fn argument(
        &mut self,
        argument: &'a Node<Argument>,
        info: FieldInfo<'_>,
        on: &str,
    ) -> Option<String> {
        match info
            .0
            .arguments
            .iter()
            .find(|known| known.name == argument.name)
        {
            Some(known) => {
                if !argument.value.is_null() {
                    self.literal(&known.ty, &argument.value, &shorten(&argument.name, 64));
                }
                None
            }
            None => {
                let suggestions = nearest(&argument.name, info.arguments());
                let meant = suggestions.first().cloned();
                let names: Vec<&str> = info.arguments().take(LISTED_NAMES).collect();
                let hint = match names.as_slice() {
                    [] => format!("`{}` takes no arguments", info.name()),
                    names => format!("its arguments are {}", listed(names)),
                };
                let message = format!(
                    "{on}.{} takes no argument `{}`",
                    info.name(),
                    shorten(&argument.name, 64)
                );
                self.say(argument.location(), message, Some(hint), suggestions);
                meant
            }
        }
    }

    fn missing_arguments(
        &mut self,
        field: &Node<Field>,
        info: FieldInfo<'_>,
        on: &str,
        meant: &[String],
    ) {
        for known in &info.0.arguments {
            if meant.iter().any(|name| known.name == name.as_str()) {
                self.covered
                    .extend(field.location().map(|place| place.offset()));
                continue;
            }
            let given = field
                .arguments
                .iter()
                .find(|argument| argument.name == known.name);
            if known.is_required() && given.is_none_or(|argument| argument.value.is_null()) {
                let message = format!(
                    "{on}.{} needs the argument `{}` of type {}",
                    info.name(),
                    known.name,
                    known.ty
                );
                let hint = format!("write {}({}: …)", info.name(), known.name);
                let null = given.and_then(|argument| argument.value.location());
                self.covered.extend(null.map(|place| place.offset()));
                self.say(field.location(), message, Some(hint), Vec::new());
            }
        }
    }
}

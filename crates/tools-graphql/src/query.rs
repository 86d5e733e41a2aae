//! The text of a query, as far as it explains a result: the field of a response key, and the
//! arguments of the call.
//!
//! A query that does not parse, or exceeds the limits, is ignored.

use std::collections::{HashMap, HashSet};

use apollo_compiler::ast::{
    Definition, Document, Field, FragmentDefinition, OperationDefinition, OperationType, Selection,
    Value as Literal,
};
use apollo_compiler::parser::Parser;
use serde_json::Value;

use super::places::Step;
use super::question::{Given, Question};
use super::schema::{FieldInfo, Schema};
use super::text::{is_name, shorten};
use crate::limits::{MAX_GRAPHQL_DEPTH, MAX_GRAPHQL_QUERY_BYTES, MAX_GRAPHQL_QUERY_TOKENS};
use base::limits::MAX_SUGGESTIONS;

/// Number of selections that are visited to find one field: a query may use the same fragment in
/// many places.
const MAX_LOOKED_AT: usize = 20_000;
/// Characters of one quoted text, and of a quoted call, so that a hint remains one sentence.
const QUOTED_TEXT_CHARACTERS: usize = 40;
const QUOTED_CALL_CHARACTERS: usize = 160;
/// Nesting of a variable's value in a quotation; deeper levels would be cut from the hint anyway.
const QUOTED_DEPTH: usize = 4;

/// Returns true if a text may be a GraphQL document: after blanks, commas and comments it begins
/// like one, and it contains a selection.
pub fn looks_like_document(text: &str) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|character: char| {
            character.is_whitespace() || matches!(character, ',' | '\u{feff}')
        });
        match rest.strip_prefix('#') {
            Some(comment) => rest = comment.split_once('\n').map_or("", |(_, after)| after),
            None => break,
        }
    }
    let word = rest
        .split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .next()
        .unwrap_or_default();
    // The character after the brace tells a selection from a JSON object.
    let selects = |inside: &str| {
        let inside = inside
            .trim_start_matches(|character: char| character.is_whitespace() || character == ',');
        inside.starts_with(|character: char| {
            character.is_ascii_alphabetic() || matches!(character, '_' | '.' | '#')
        })
    };
    rest.strip_prefix('{').is_some_and(selects)
        || (["query", "mutation", "subscription", "fragment"].contains(&word) && rest.contains('{'))
}

/// Parses a query within the limits.
pub(super) fn parse(text: &str) -> Option<Document> {
    if text.len() > MAX_GRAPHQL_QUERY_BYTES {
        return None;
    }
    Parser::new()
        .recursion_limit(MAX_GRAPHQL_DEPTH)
        .token_limit(MAX_GRAPHQL_QUERY_TOKENS)
        .parse_ast(text, "query")
        .ok()
}

/// One operation of a query, with its variables.
pub(super) struct RunOperation<'a> {
    operation: &'a OperationDefinition,
    fragments: HashMap<&'a str, &'a FragmentDefinition>,
    variables: Given<&'a Value>,
}

/// The field at a position of a result.
pub(super) struct ResultField<'a> {
    /// The field in the query. None if the query is not known; the key then counts as the name.
    pub(super) asked: Option<&'a Field>,
    /// The field in the schema.
    pub(super) info: Option<FieldInfo<'a>>,
    /// If several fields on different types have that response key: a list of them. Then the other
    /// members are none.
    pub(super) several: Option<String>,
}

impl<'a> RunOperation<'a> {
    /// Returns the chosen operation, or the first. None if another one may have been chosen.
    pub(super) fn new(document: &'a Document, question: &Question<'a>) -> Option<Self> {
        let name = question.operation.value();
        let mut operations = 0;
        let mut fragments = HashMap::new();
        let mut operation: Option<&OperationDefinition> = None;
        for definition in &document.definitions {
            match definition {
                Definition::OperationDefinition(candidate) => {
                    let wanted = match name {
                        Some(name) => candidate.name.as_ref().is_some_and(|own| own == name),
                        None => true,
                    };
                    operations += 1;
                    if wanted && operation.is_none() {
                        operation = Some(candidate);
                    }
                }
                Definition::FragmentDefinition(fragment) => {
                    fragments
                        .entry(fragment.name.as_str())
                        .or_insert(&**fragment);
                }
                _ => {}
            }
        }
        if operations > 1 && question.operation.is_unknown() {
            return None;
        }
        Some(Self {
            operation: operation?,
            fragments,
            variables: question.variables,
        })
    }

    /// Returns the field at a position, with its definition if the schema is known.
    pub(super) fn field(
        &self,
        steps: &[Step],
        schema: Option<&'a Schema>,
    ) -> Option<ResultField<'a>> {
        let root = schema.and_then(|schema| schema.root(self.operation.operation_type));
        let mut sets: Vec<Set<'a>> = vec![Set {
            selections: &self.operation.selection_set,
            on: root,
        }];
        let mut budget = MAX_LOOKED_AT;
        let mut found = None;
        for step in steps {
            let Step::Key(key) = step else { continue };
            let fields = self.fields(&sets, key, &mut budget);
            found = Some(ResultField::of(&fields, schema)?);
            sets.clear();
            for (field, on) in fields {
                let info = info(schema, on, field);
                sets.push(Set {
                    selections: &field.selection_set,
                    on: info.map(|info| info.inner_type()),
                });
            }
        }
        found
    }

    /// Returns all fields with that response key in the selections of one level, including
    /// fragments.
    fn fields(
        &self,
        sets: &[Set<'a>],
        key: &str,
        budget: &mut usize,
    ) -> Vec<(&'a Field, Option<&'a str>)> {
        let mut fields = Vec::new();
        let mut spread = HashSet::new();
        let mut open: Vec<Set<'a>> = sets.iter().rev().copied().collect();
        while let Some(set) = open.pop() {
            for selection in set.selections {
                match budget.checked_sub(1) {
                    Some(left) => *budget = left,
                    // An unvisited selection may contain another field of that key.
                    None => return Vec::new(),
                }
                match selection {
                    Selection::Field(field) => {
                        if field.response_name() == key {
                            fields.push((&**field, set.on));
                        }
                    }
                    Selection::InlineFragment(fragment) => open.push(Set {
                        selections: &fragment.selection_set,
                        on: fragment
                            .type_condition
                            .as_ref()
                            .map(|name| name.as_str())
                            .or(set.on),
                    }),
                    Selection::FragmentSpread(named) => {
                        let name = named.fragment_name.as_str();
                        if let Some(fragment) = self.fragments.get(name)
                            && spread.insert(name)
                        {
                            open.push(Set {
                                selections: &fragment.selection_set,
                                on: Some(fragment.type_condition.as_str()),
                            });
                        }
                    }
                }
            }
        }
        fields
    }

    /// Returns the selections of the root.
    pub(super) fn selections(&self) -> &'a [Selection] {
        &self.operation.selection_set
    }

    /// Returns the type of the operation.
    pub(super) fn operation_type(&self) -> OperationType {
        self.operation.operation_type
    }

    /// Renders a call such as `target(q: {sym: "ACE22"})`, with the values of variables.
    pub(super) fn call(&self, field: &Field) -> String {
        let mut text = field.name.to_string();
        for (at, argument) in field.arguments.iter().enumerate() {
            text.push_str(if at == 0 { "(" } else { ", " });
            text.push_str(&argument.name);
            text.push_str(": ");
            self.literal(&mut text, &argument.value);
            if text.len() > 4 * QUOTED_CALL_CHARACTERS {
                break;
            }
        }
        if text.chars().nth(QUOTED_CALL_CHARACTERS).is_some() {
            return format!("{})", shorten(&text, QUOTED_CALL_CHARACTERS));
        }
        if !field.arguments.is_empty() {
            text.push(')');
        }
        text
    }

    /// Returns the variables in the arguments of a field that have neither a value nor a default.
    pub(super) fn missing_variables<'f>(&self, field: &'f Field) -> Vec<&'f str> {
        let mut missing = Vec::new();
        if self.variables.is_unknown() {
            return missing;
        }
        let mut open: Vec<&Literal> = field
            .arguments
            .iter()
            .map(|argument| &*argument.value)
            .collect();
        while let Some(literal) = open.pop() {
            match literal {
                Literal::Variable(name)
                    if self.given(name).is_none()
                        && self.default(name).is_none()
                        && !missing.contains(&name.as_str()) =>
                {
                    missing.push(name.as_str());
                }
                Literal::List(items) => open.extend(items.iter().map(|item| &**item)),
                Literal::Object(fields) => open.extend(fields.iter().map(|(_, value)| &**value)),
                _ => {}
            }
            if missing.len() >= MAX_SUGGESTIONS {
                break;
            }
        }
        missing
    }

    /// Returns true for a boolean or an enum value: these narrow a search, but do not identify a
    /// record.
    pub(super) fn is_flag(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Boolean(_) | Literal::Enum(_) => true,
            Literal::Variable(name) => match (self.given(name), self.default(name)) {
                (Some(value), _) => value.is_boolean(),
                (None, Some(default)) => matches!(default, Literal::Boolean(_) | Literal::Enum(_)),
                (None, None) => false,
            },
            _ => false,
        }
    }

    fn given(&self, name: &str) -> Option<&'a Value> {
        self.variables.value()?.as_object()?.get(name)
    }

    fn default(&self, name: &str) -> Option<&'a Literal> {
        let definition = self
            .operation
            .variables
            .iter()
            .find(|definition| definition.name == name)?;
        definition.default_value.as_deref()
    }

    fn literal(&self, text: &mut String, literal: &Literal) {
        if text.len() > 4 * QUOTED_CALL_CHARACTERS {
            return;
        }
        match literal {
            Literal::Variable(name) => match (self.given(name), self.default(name)) {
                (Some(value), _) => json(text, value, QUOTED_DEPTH),
                // A default has no variables, so the recursion is limited by its nesting.
                (None, Some(default)) => self.literal(text, default),
                (None, None) => {
                    text.push('$');
                    text.push_str(name);
                }
            },
            Literal::String(value) => quoted(text, value),
            Literal::List(items) => {
                text.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        text.push_str(", ");
                    }
                    self.literal(text, item);
                }
                text.push(']');
            }
            Literal::Object(fields) => {
                text.push('{');
                for (at, (name, value)) in fields.iter().enumerate() {
                    if at > 0 {
                        text.push_str(", ");
                    }
                    text.push_str(name);
                    text.push_str(": ");
                    self.literal(text, value);
                }
                text.push('}');
            }
            Literal::Null => text.push_str("null"),
            Literal::Enum(name) => text.push_str(name),
            Literal::Boolean(value) => text.push_str(if *value { "true" } else { "false" }),
            Literal::Int(value) => text.push_str(&shorten(value.as_str(), QUOTED_TEXT_CHARACTERS)),
            Literal::Float(value) => {
                text.push_str(&shorten(value.as_str(), QUOTED_TEXT_CHARACTERS))
            }
        }
    }
}

impl<'a> ResultField<'a> {
    /// Returns the field of one response key; none if there is none.
    fn of(fields: &[(&'a Field, Option<&'a str>)], schema: Option<&'a Schema>) -> Option<Self> {
        let ((first, on), others) = fields.split_first()?;
        let own = info(schema, *on, first);
        let differs = |(field, _): &(&Field, Option<&str>)| {
            field.name != first.name || field.arguments != first.arguments
        };
        if others.iter().any(differs) {
            return Some(Self {
                asked: None,
                info: None,
                several: Some(several(fields)),
            });
        }
        // If types differ in the field's type, nothing is known about it.
        let ty = own.map(|info| info.ty());
        let alike = |(field, on): &(&'a Field, Option<&'a str>)| {
            info(schema, *on, field).map(|info| info.ty()) == ty
        };
        Some(Self {
            asked: Some(first),
            info: own.filter(|_| others.iter().all(alike)),
            several: None,
        })
    }
}

/// Lists the fields: "`ligands` of Target or `drugs` of Disease".
fn several(fields: &[(&Field, Option<&str>)]) -> String {
    let mut names: Vec<String> = Vec::new();
    for (field, on) in fields {
        let name = match on {
            Some(on) => format!("`{}` of {on}", field.name),
            None => format!("`{}`", field.name),
        };
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() >= MAX_SUGGESTIONS {
            break;
        }
    }
    names.join(" or ")
}

#[derive(Clone, Copy)]
struct Set<'a> {
    selections: &'a [Selection],
    /// The type of the selections.
    on: Option<&'a str>,
}

fn info<'a>(
    schema: Option<&'a Schema>,
    on: Option<&'a str>,
    field: &Field,
) -> Option<FieldInfo<'a>> {
    schema?.field(on?, &field.name)
}

/// Writes a JSON value in the syntax of GraphQL.
fn json(text: &mut String, value: &Value, depth: usize) {
    if text.len() > 4 * QUOTED_CALL_CHARACTERS {
        return;
    }
    match value {
        Value::String(value) => quoted(text, value),
        Value::Array(_) | Value::Object(_) if depth == 0 => text.push('…'),
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate().take(QUOTED_CALL_CHARACTERS) {
                if at > 0 {
                    text.push_str(", ");
                }
                json(text, item, depth - 1);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            text.push('{');
            for (at, (name, value)) in fields.iter().enumerate().take(QUOTED_CALL_CHARACTERS) {
                if at > 0 {
                    text.push_str(", ");
                }
                if is_name(name) {
                    text.push_str(name);
                } else {
                    quoted(text, name);
                }
                text.push_str(": ");
                json(text, value, depth - 1);
            }
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}

/// Writes a text in double quotes with the escapes of JSON, which GraphQL shares.
fn quoted(text: &mut String, value: &str) {
    text.push_str(&Value::from(shorten(value, QUOTED_TEXT_CHARACTERS)).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_known_by_how_it_begins() {
        for text in [
            "{ a }",
            "query A($x: Int) { a }",
            "query{a}",
            " \n# a comment {\n\u{feff},, fragment F on T { a }",
            "mutation { a }",
            "subscription S { a }",
        ] {
            assert!(looks_like_document(text), "{text}");
        }
        for text in [
            r#"{"data":{"gene":null}}"#,
            "{}",
            "{ 1 }",
            "",
            "heart attack",
            "query",
            "queries { a }",
            "querying",
            "# query { a }",
            "SELECT 1 {",
            "type A { b: C }",
        ] {
            assert!(!looks_like_document(text), "{text}");
        }
    }

    #[test]
    fn calls_are_quoted_shortly() {
        let call = |query: &str, variables: Value| {
            let document = parse(query).unwrap();
            let question = Question {
                query,
                variables: Given::Value(&variables),
                ..Question::default()
            };
            let asked = RunOperation::new(&document, &question).unwrap();
            let Some(Selection::Field(field)) = asked.operation.selection_set.first() else {
                panic!("a field");
            };
            asked.call(field)
        };
        assert_eq!(
            call(
                "{ a(b: [1, 2.5], c: {d: E, f: null}, g: true, h: $h) }",
                serde_json::json!({ "h": { "a b": [{ "x": [{ "deep": 1 }] }] } })
            ),
            r#"a(b: [1, 2.5], c: {d: E, f: null}, g: true, h: {"a b": [{x: […]}]})"#
        );
        let many = serde_json::json!({ "ids": (0..100_000).collect::<Vec<u32>>() });
        let quoted = call("{ a(ids: $ids) }", many);
        assert!(
            quoted.starts_with("a(ids: [0, 1, 2") && quoted.ends_with("…)"),
            "{quoted}"
        );
        assert_eq!(quoted.chars().count(), QUOTED_CALL_CHARACTERS + 1);
        assert_eq!(
            call("{ a(b: \"\"\"x\"y\"\"\") }", Value::Null),
            r#"a(b: "x\"y")"#
        );
    }
}

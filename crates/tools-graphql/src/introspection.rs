//! Converts the result of an introspection into type definitions.
//!
//! Only the parts that a check needs are read: names, types, arguments, the presence of defaults,
//! and the directives that a query may use. An entry with an invalid name or an unknown kind is
//! left out. A type, a field or an argument that cannot be read keeps its name, so that a query may
//! use it unchecked. Descriptions, applied directives and deprecations are skipped.

use apollo_compiler::ast::{
    Definition, DirectiveDefinition, DirectiveList, DirectiveLocation, Document,
    EnumTypeDefinition, EnumValueDefinition, FieldDefinition, InputObjectTypeDefinition,
    InputValueDefinition, InterfaceTypeDefinition, ObjectTypeDefinition, OperationType,
    ScalarTypeDefinition, SchemaDefinition, Type, UnionTypeDefinition, Value as Literal,
};
use apollo_compiler::{Name, Node};
use base::CommonError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::limits::{MAX_GRAPHQL_INTROSPECTION_BYTES, MAX_GRAPHQL_SCHEMA_MEMBERS};
use base::{Error, Result};

/// The query for the schema of a server. Every server that follows the specification answers it; it
/// uses nothing newer than June 2018.
pub const INTROSPECTION_QUERY: &str = "\
query CodemodeSchema {
  __schema {
    queryType { name }
    mutationType { name }
    subscriptionType { name }
    types {
      kind
      name
      fields(includeDeprecated: true) { name args { ...Input } type { ...Reference } }
      inputFields { ...Input }
      interfaces { name }
      enumValues(includeDeprecated: true) { name }
      possibleTypes { name }
    }
    directives { name locations args { ...Input } }
  }
}
fragment Input on __InputValue { name defaultValue type { ...Reference } }
fragment Reference on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } }
}";

/// The replacement for a type that cannot be read. No schema has a type of this name, so nothing is
/// checked against it.
const UNREADABLE: Name = apollo_compiler::name!("__Unreadable");

/// The content of an introspection.
pub(super) struct Introspected {
    pub(super) document: Document,
    /// Types that exist but could not be read.
    pub(super) unreadable: Vec<Name>,
    /// True if all directives could be read.
    pub(super) has_directives: bool,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    data: Option<RawIntrospection<'a>>,
    #[serde(borrow, rename = "__schema")]
    schema: Option<RawSchema<'a>>,
}

#[derive(Deserialize)]
struct RawIntrospection<'a> {
    #[serde(borrow, rename = "__schema")]
    schema: Option<RawSchema<'a>>,
}

/// The schema with unparsed entries. Types and directives are parsed one by one, so that an invalid
/// one does not affect the others.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawSchema<'a> {
    query_type: Option<Named>,
    mutation_type: Option<Named>,
    subscription_type: Option<Named>,
    #[serde(borrow, default)]
    types: Vec<&'a RawValue>,
    #[serde(borrow)]
    directives: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Named {
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawType {
    #[serde(default)]
    kind: String,
    name: Option<String>,
    fields: Option<Vec<RawField>>,
    input_fields: Option<Vec<RawInput>>,
    interfaces: Option<Vec<Named>>,
    enum_values: Option<Vec<Named>>,
    possible_types: Option<Vec<Named>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawDirective {
    name: Option<String>,
    locations: Option<Vec<String>>,
    args: Option<Vec<RawInput>>,
    is_repeatable: Option<bool>,
}

#[derive(Deserialize)]
struct RawField {
    name: Option<String>,
    args: Option<Vec<RawInput>>,
    #[serde(rename = "type")]
    ty: Option<Reference>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawInput {
    name: Option<String>,
    #[serde(rename = "type")]
    ty: Option<Reference>,
    /// The presence of a default; its value does not matter.
    default_value: Option<IgnoredAny>,
}

/// A type reference. Its nesting is limited by serde_json.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    #[serde(default)]
    kind: String,
    name: Option<String>,
    of_type: Option<Box<Reference>>,
}

/// Parses a result within the limits.
pub(super) fn parse(json: &str) -> Result<Introspected> {
    let too_big = |message: String| {
        Error::from(CommonError::TooBig {
            message,
            hint: "pass the schema definition of the part that the query uses".to_owned(),
        })
    };
    if json.len() > MAX_GRAPHQL_INTROSPECTION_BYTES {
        return Err(too_big(format!(
            "the result of the introspection is longer than {MAX_GRAPHQL_INTROSPECTION_BYTES} bytes"
        )));
    }
    // Everything that is read into memory is an object of the text, so the number of braces limits
    // the memory.
    if json.bytes().filter(|byte| *byte == b'{').count() > MAX_GRAPHQL_SCHEMA_MEMBERS {
        return Err(too_big(format!(
            "the result of the introspection has more than {MAX_GRAPHQL_SCHEMA_MEMBERS} objects"
        )));
    }
    let not_one = |reason: String| {
        Error::invalid_with_hint(
            format!("the schema is not the result of an introspection: {reason}"),
            "pass {\"data\": {\"__schema\": …}} or {\"__schema\": …}, or a text in the schema definition language",
        )
    };
    let answer: Answer<'_> =
        serde_json::from_str(json).map_err(|error| not_one(error.to_string()))?;
    let schema = answer
        .schema
        .or_else(|| answer.data.and_then(|body| body.schema))
        .ok_or_else(|| not_one("it has no `__schema`".to_owned()))?;
    document(schema).ok_or_else(|| not_one("it names no query type".to_owned()))
}

fn document(schema: RawSchema<'_>) -> Option<Introspected> {
    let mut roots = Vec::new();
    let mut root = |operation, named: Option<Named>| {
        if let Some(name) = named.and_then(|named| name(named.name)) {
            roots.push(Node::new((operation, name)));
        }
    };
    root(OperationType::Query, schema.query_type);
    root(OperationType::Mutation, schema.mutation_type);
    root(OperationType::Subscription, schema.subscription_type);
    if !roots
        .iter()
        .any(|root| matches!(root.0, OperationType::Query))
    {
        return None;
    }
    let mut document = Document::new();
    document
        .definitions
        .push(Definition::SchemaDefinition(Node::new(SchemaDefinition {
            description: None,
            directives: DirectiveList::default(),
            root_operations: roots,
        })));
    let mut unreadable = Vec::new();
    for raw in schema.types {
        match serde_json::from_str::<RawType>(raw.get()) {
            Ok(raw) => {
                let own = name(raw.name.clone());
                match definition(raw) {
                    Some(definition) => document.definitions.push(definition),
                    None => unreadable.extend(own),
                }
            }
            Err(_) => unreadable.extend(only_name(raw)),
        }
    }
    let mut has_directives = schema.directives.is_some();
    for raw in schema.directives.into_iter().flatten() {
        let read = directive(raw);
        has_directives &= read.is_some();
        document.definitions.extend(read);
    }
    Some(Introspected {
        document,
        unreadable,
        has_directives,
    })
}

fn only_name(raw: &RawValue) -> Option<Name> {
    let named: Named = serde_json::from_str(raw.get()).ok()?;
    name(named.name)
}

/// Converts a directive, as far as queries may use it.
fn directive(raw: &RawValue) -> Option<Definition> {
    let raw: RawDirective = serde_json::from_str(raw.get()).ok()?;
    let locations = raw.locations?;
    Some(Definition::DirectiveDefinition(Node::new(
        DirectiveDefinition {
            description: None,
            name: name(raw.name)?,
            arguments: inputs(raw.args),
            // Servers before 2021 do not report it.
            repeatable: raw.is_repeatable.unwrap_or(true),
            locations: locations.iter().filter_map(|name| location(name)).collect(),
        },
    )))
}

/// Converts the location of a directive in a query. Locations in schemas are ignored.
fn location(name: &str) -> Option<DirectiveLocation> {
    Some(match name {
        "QUERY" => DirectiveLocation::Query,
        "MUTATION" => DirectiveLocation::Mutation,
        "SUBSCRIPTION" => DirectiveLocation::Subscription,
        "FIELD" => DirectiveLocation::Field,
        "FRAGMENT_DEFINITION" => DirectiveLocation::FragmentDefinition,
        "FRAGMENT_SPREAD" => DirectiveLocation::FragmentSpread,
        "INLINE_FRAGMENT" => DirectiveLocation::InlineFragment,
        "VARIABLE_DEFINITION" => DirectiveLocation::VariableDefinition,
        _ => return None,
    })
}

fn definition(raw: RawType) -> Option<Definition> {
    let name = name(raw.name).filter(|name| !name.starts_with("__"))?;
    let directives = DirectiveList::default();
    Some(match raw.kind.as_str() {
        "SCALAR" => Definition::ScalarTypeDefinition(Node::new(ScalarTypeDefinition {
            description: None,
            name,
            directives,
        })),
        "OBJECT" => Definition::ObjectTypeDefinition(Node::new(ObjectTypeDefinition {
            description: None,
            name,
            implements_interfaces: names(raw.interfaces),
            directives,
            fields: fields(raw.fields),
        })),
        "INTERFACE" => Definition::InterfaceTypeDefinition(Node::new(InterfaceTypeDefinition {
            description: None,
            name,
            implements_interfaces: names(raw.interfaces),
            directives,
            fields: fields(raw.fields),
        })),
        "UNION" => Definition::UnionTypeDefinition(Node::new(UnionTypeDefinition {
            description: None,
            name,
            directives,
            members: names(raw.possible_types),
        })),
        "ENUM" => Definition::EnumTypeDefinition(Node::new(EnumTypeDefinition {
            description: None,
            name,
            directives,
            values: names(raw.enum_values)
                .into_iter()
                .map(|value| {
                    Node::new(EnumValueDefinition {
                        description: None,
                        value,
                        directives: DirectiveList::default(),
                    })
                })
                .collect(),
        })),
        "INPUT_OBJECT" => {
            Definition::InputObjectTypeDefinition(Node::new(InputObjectTypeDefinition {
                description: None,
                name,
                directives,
                fields: inputs(raw.input_fields),
            }))
        }
        _ => return None,
    })
}

fn fields(raw: Option<Vec<RawField>>) -> Vec<Node<FieldDefinition>> {
    let field = |raw: RawField| {
        Some(Node::new(FieldDefinition {
            description: None,
            name: name(raw.name)?,
            arguments: inputs(raw.args),
            ty: raw
                .ty
                .as_ref()
                .and_then(reference)
                .unwrap_or_else(unreadable),
            directives: DirectiveList::default(),
        }))
    };
    raw.into_iter().flatten().filter_map(field).collect()
}

fn inputs(raw: Option<Vec<RawInput>>) -> Vec<Node<InputValueDefinition>> {
    let input = |raw: RawInput| {
        Some(Node::new(InputValueDefinition {
            description: None,
            name: name(raw.name)?,
            ty: Node::new(
                raw.ty
                    .as_ref()
                    .and_then(reference)
                    .unwrap_or_else(unreadable),
            ),
            // A default makes the argument optional; its value is not needed.
            default_value: raw.default_value.map(|_| Node::new(Literal::Null)),
            directives: DirectiveList::default(),
        }))
    };
    raw.into_iter().flatten().filter_map(input).collect()
}

/// Returns the type of a reference; none if the chain ends before a name, because the introspection
/// did not ask deep enough.
fn reference(raw: &Reference) -> Option<Type> {
    match (raw.kind.as_str(), &raw.of_type) {
        ("NON_NULL", Some(inner)) => reference(inner).map(Type::non_null),
        ("LIST", Some(inner)) => reference(inner).map(Type::list),
        ("NON_NULL" | "LIST", None) => None,
        _ => name(raw.name.clone()).map(Type::Named),
    }
}

fn unreadable() -> Type {
    Type::Named(UNREADABLE)
}

fn name(raw: Option<String>) -> Option<Name> {
    Name::new(&raw?).ok()
}

fn names(raw: Option<Vec<Named>>) -> Vec<Name> {
    raw.into_iter()
        .flatten()
        .filter_map(|named| name(named.name))
        .collect()
}

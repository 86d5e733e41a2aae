//! The schema of a server, from the result of an introspection or from a text in the schema
//! definition language.
//!
//! Invalid or unknown parts are left out, and the rest is used, because only the server could fix
//! them.

use base::CommonError;
use std::collections::HashSet;

use apollo_compiler::Name;
use apollo_compiler::ast::{Definition, Document, FieldDefinition, OperationType, Type};
use apollo_compiler::diagnostic::ToCliReport;
use apollo_compiler::parser::Parser;
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::validation::Valid;
use serde_json::Value;

use super::introspection;
use super::text::shorten;
use crate::limits::{
    MAX_GRAPHQL_DEPTH, MAX_GRAPHQL_SDL_BYTES, MAX_GRAPHQL_SDL_TOKENS, MAX_GRAPHQL_TEXT_CHARACTERS,
};
use base::{Error, Result};

/// A server's schema.
#[derive(Debug, Clone)]
pub struct Schema {
    types: Valid<apollo_compiler::Schema>,
    /// Types that the schema names but does not define, because it is only a part of a schema or
    /// could not be read completely.
    undefined: HashSet<Name>,
    has_directives: bool,
}

impl Schema {
    /// Reads the result of [`super::INTROSPECTION_QUERY`], with or without `{"data": …}` around it.
    ///
    /// # Errors
    ///
    /// [`CommonError::InvalidArgument`] for a text that is not such a result,
    /// [`CommonError::TooBig`] for one over the limits.
    pub fn from_introspection(json: &str) -> Result<Self> {
        let found = introspection::parse(json)?;
        let mut schema = Self::build(&found.document, found.has_directives);
        schema.undefined.extend(found.unreadable);
        Ok(schema)
    }

    /// Parses a text in the schema definition language.
    ///
    /// # Errors
    ///
    /// [`CommonError::InvalidArgument`] for a text that does not parse, [`CommonError::TooBig`] for
    /// one over the limits.
    pub fn from_sdl(text: &str) -> Result<Self> {
        let too_big = |message: &str| {
            Error::from(CommonError::TooBig {
                message: format!("the GraphQL schema {message}"),
                hint: "pass the part of the schema that the query uses".to_owned(),
            })
        };
        if text.len() > MAX_GRAPHQL_SDL_BYTES {
            return Err(too_big(&format!(
                "is longer than {MAX_GRAPHQL_SDL_BYTES} bytes"
            )));
        }
        let mut parser = Parser::new()
            .recursion_limit(MAX_GRAPHQL_DEPTH)
            .token_limit(MAX_GRAPHQL_SDL_TOKENS);
        let parsed = parser.parse_ast(text, "schema");
        if parser.tokens_reached() > MAX_GRAPHQL_SDL_TOKENS {
            return Err(too_big(&format!(
                "has more than {MAX_GRAPHQL_SDL_TOKENS} tokens"
            )));
        }
        if parser.recursion_reached() > MAX_GRAPHQL_DEPTH {
            return Err(too_big(&format!(
                "nests deeper than {MAX_GRAPHQL_DEPTH} levels"
            )));
        }
        let document = parsed.map_err(|error| {
            let first = error.errors.iter().next();
            let said = first.as_ref().map_or_else(String::new, |first| {
                shorten(&first.error.to_string(), MAX_GRAPHQL_TEXT_CHARACTERS)
            });
            let offset = first
                .and_then(|first| first.error.location())
                .map_or(0, |place| place.offset());
            let place = super::lines::Lines::new(text).locate(offset);
            Error::invalid_with_hint(
                format!(
                    "the GraphQL schema does not parse: {said} (line {}, column {})",
                    place.line, place.column
                ),
                "pass a schema in the schema definition language, or the result of an introspection",
            )
        })?;
        // The text may be a part of the schema without any directives.
        let has_directives = document
            .definitions
            .iter()
            .any(|definition| matches!(definition, Definition::DirectiveDefinition(_)));
        let schema = Self::build(&document, has_directives);
        if schema.root(OperationType::Query).is_none() {
            return Err(Error::invalid_with_hint(
                "the GraphQL schema has no type Query",
                "pass a schema in the schema definition language, or the result of an introspection",
            ));
        }
        Ok(schema)
    }

    /// Reads either form. An object, or a text that begins with `{`, counts as the result of an
    /// introspection.
    ///
    /// # Errors
    ///
    /// As [`Schema::from_introspection`] and [`Schema::from_sdl`].
    pub fn parse(value: &Value) -> Result<Self> {
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Object(_) => Self::from_introspection(&value.to_string()),
            _ => Err(Error::invalid_with_hint(
                "`schema` must be a text or an object",
                "pass a schema in the schema definition language, or the result of an introspection",
            )),
        }
    }

    /// Reads either form from a text, as [`Schema::parse`] does.
    pub(super) fn from_text(text: &str) -> Result<Self> {
        // No definition begins with a brace, and every introspection does.
        if text.trim_start().starts_with('{') {
            Self::from_introspection(text)
        } else {
            Self::from_sdl(text)
        }
    }

    fn build(document: &Document, has_directives: bool) -> Self {
        let builder = apollo_compiler::Schema::builder()
            .adopt_orphan_extensions()
            .ignore_builtin_redefinitions()
            .add_ast(document);
        let built = builder.build().unwrap_or_else(|error| error.partial);
        // Errors of the schema are the server's concern; the rest is used. The library's validation
        // would search every path through input types, of which even a small schema may have too
        // many, and would remove unused types.
        let types = Valid::assume_valid(built);
        Self {
            undefined: undefined(&types),
            types,
            has_directives,
        }
    }

    pub(super) fn inner(&self) -> &Valid<apollo_compiler::Schema> {
        &self.types
    }

    /// Returns true if the schema names a type without defining it.
    pub(super) fn is_undefined(&self, name: &str) -> bool {
        self.undefined.contains(name)
    }

    /// Returns true if there are such types.
    pub(super) fn has_undefined(&self) -> bool {
        !self.undefined.is_empty()
    }

    /// Returns true if all directives are known, so that another directive is an error.
    pub(super) fn has_directives(&self) -> bool {
        self.has_directives
    }

    /// Returns the names of the built-in directives and of the server's own.
    pub(super) fn directives(&self) -> impl Iterator<Item = &str> {
        self.types
            .directive_definitions
            .keys()
            .map(|name| name.as_str())
    }

    /// Returns the names of the object types of an interface or a union.
    pub(super) fn possible_types<'a>(&'a self, on: &'a str) -> impl Iterator<Item = &'a str> {
        let members = match self.types.types.get(on) {
            Some(ExtendedType::Union(union)) => Some(&union.members),
            _ => None,
        };
        let is_interface = matches!(self.types.types.get(on), Some(ExtendedType::Interface(_)));
        let implements = move |ty: &&ExtendedType| match ty {
            ExtendedType::Object(object) => object
                .implements_interfaces
                .iter()
                .any(|interface| interface.name == on),
            _ => false,
        };
        let implementers = is_interface.then(|| self.types.types.values().filter(implements));
        let members = members.into_iter().flatten().map(|name| name.as_str());
        members.chain(
            implementers
                .into_iter()
                .flatten()
                .map(|ty| ty.name().as_str()),
        )
    }

    /// Returns the root type of an operation.
    pub(super) fn root(&self, operation: OperationType) -> Option<&str> {
        self.types
            .root_operation(operation)
            .map(|name| name.as_str())
    }

    pub(super) fn type_of(&self, name: &str) -> Option<&ExtendedType> {
        self.types.types.get(name)
    }

    /// Returns the names of the types that a query may name, without the introspection types.
    pub(super) fn types(&self) -> impl Iterator<Item = &str> {
        self.types
            .types
            .keys()
            .map(|name| name.as_str())
            .filter(|name| !name.starts_with("__"))
    }

    pub(super) fn field(&self, on: &str, name: &str) -> Option<FieldInfo<'_>> {
        let field = self.types.type_field(on, name).ok()?;
        Some(FieldInfo(field))
    }

    /// Returns the names of the fields of a type; none if it has no fields.
    pub(super) fn fields(&self, on: &str) -> impl Iterator<Item = &str> {
        let fields = match self.types.types.get(on) {
            Some(ExtendedType::Object(object)) => Some(&object.fields),
            Some(ExtendedType::Interface(interface)) => Some(&interface.fields),
            _ => None,
        };
        fields
            .into_iter()
            .flat_map(|fields| fields.keys().map(|name| name.as_str()))
    }
}

/// Returns the names that fields, arguments, unions and interfaces refer to and that are not
/// defined.
fn undefined(schema: &apollo_compiler::Schema) -> HashSet<Name> {
    let mut undefined = HashSet::new();
    let mut refer = |name: &Name| {
        if !schema.types.contains_key(name) && !undefined.contains(name) {
            undefined.insert(name.clone());
        }
    };
    for ty in schema.types.values() {
        let (fields, interfaces) = match ty {
            ExtendedType::Object(object) => (&object.fields, &object.implements_interfaces),
            ExtendedType::Interface(one) => (&one.fields, &one.implements_interfaces),
            ExtendedType::Union(union) => {
                union.members.iter().for_each(|name| refer(name));
                continue;
            }
            ExtendedType::InputObject(input) => {
                for field in input.fields.values() {
                    refer(field.ty.inner_named_type());
                }
                continue;
            }
            ExtendedType::Scalar(_) | ExtendedType::Enum(_) => continue,
        };
        interfaces.iter().for_each(|name| refer(name));
        for field in fields.values() {
            refer(field.ty.inner_named_type());
            for argument in &field.arguments {
                refer(argument.ty.inner_named_type());
            }
        }
    }
    let root = &schema.schema_definition;
    for name in [&root.query, &root.mutation, &root.subscription] {
        name.iter().for_each(|name| refer(name));
    }
    undefined
}

/// A field of a schema.
#[derive(Clone, Copy)]
pub(super) struct FieldInfo<'a>(pub(super) &'a FieldDefinition);

impl<'a> FieldInfo<'a> {
    pub(super) fn name(self) -> &'a str {
        self.0.name.as_str()
    }

    pub(super) fn ty(self) -> &'a Type {
        &self.0.ty
    }

    /// Returns the type name without lists and exclamation marks.
    pub(super) fn inner_type(self) -> &'a str {
        self.0.ty.inner_named_type().as_str()
    }

    /// Returns the type as text: `[Gene!]`.
    pub(super) fn type_text(self) -> String {
        shorten(&self.0.ty.to_string(), MAX_GRAPHQL_TEXT_CHARACTERS)
    }

    pub(super) fn arguments(self) -> impl Iterator<Item = &'a str> {
        self.0
            .arguments
            .iter()
            .map(|argument| argument.name.as_str())
    }
}

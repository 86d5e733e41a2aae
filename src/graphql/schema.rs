//! The schema of a server, as the answer to an introspection or as a text in the schema definition language.
//!
//! What a schema says wrongly or too newly is left out, and the rest is used: it is the server's, and nobody here can mend it.

use apollo_compiler::ast::{Document, FieldDefinition, OperationType, Type};
use apollo_compiler::diagnostic::ToCliReport;
use apollo_compiler::parser::Parser;
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::validation::Valid;
use serde_json::Value;

use super::introspection;
use super::text::shorten;
use crate::error::{Error, Result};
use crate::limits::{
    MAX_GRAPHQL_DEPTH, MAX_GRAPHQL_SDL_BYTES, MAX_GRAPHQL_SDL_TOKENS, MAX_GRAPHQL_TEXT_CHARACTERS,
};

/// A server's schema.
#[derive(Debug, Clone)]
pub struct Schema(Valid<apollo_compiler::Schema>);

impl Schema {
    /// From the answer to [`super::INTROSPECTION_QUERY`], with or without `{"data": …}` around it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for a text that is no such answer, [`Error::TooBig`] for one over the limits.
    pub fn from_introspection(json: &str) -> Result<Self> {
        Ok(Self::build(&introspection::parse(json)?))
    }

    /// From a text in the schema definition language.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for a text that does not parse, [`Error::TooBig`] for one over the limits.
    pub fn from_sdl(text: &str) -> Result<Self> {
        let too_big = |message: &str| Error::TooBig {
            message: format!("the GraphQL schema {message}"),
            hint: "pass the part of the schema that the query uses".to_owned(),
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
            let place = super::review::Lines::new(text).locate(offset);
            Error::invalid_with_hint(
                format!(
                    "the GraphQL schema does not parse: {said} (line {}, column {})",
                    place.line, place.column
                ),
                "pass a schema in the schema definition language, or the answer to an introspection",
            )
        })?;
        let schema = Self::build(&document);
        if schema.root(OperationType::Query).is_none() {
            return Err(Error::invalid_with_hint(
                "the GraphQL schema has no type Query",
                "pass a schema in the schema definition language, or the answer to an introspection",
            ));
        }
        Ok(schema)
    }

    /// From either: an object, or a text that begins with `{` and an introspection's key, is taken for an introspection's answer.
    ///
    /// # Errors
    ///
    /// As the two above.
    pub fn parse(value: &Value) -> Result<Self> {
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Object(_) => Self::from_introspection(&value.to_string()),
            _ => Err(Error::invalid_with_hint(
                "`schema` must be a text or an object",
                "pass a schema in the schema definition language, or the answer to an introspection",
            )),
        }
    }

    /// As [`Schema::parse`], from a text.
    pub(super) fn from_text(text: &str) -> Result<Self> {
        // No definition begins with a brace, and no JSON without one is an introspection.
        if text.trim_start().starts_with('{') {
            Self::from_introspection(text)
        } else {
            Self::from_sdl(text)
        }
    }

    fn build(document: &Document) -> Self {
        let builder = apollo_compiler::Schema::builder()
            .adopt_orphan_extensions()
            .ignore_builtin_redefinitions()
            .add_ast(document);
        let built = builder.build().unwrap_or_else(|error| error.partial);
        // Validation completes the built-in types. What it complains of is the server's affair, and a query is judged by the rest.
        Self(
            built
                .validate()
                .unwrap_or_else(|error| Valid::assume_valid(error.partial)),
        )
    }

    pub(super) fn inner(&self) -> &Valid<apollo_compiler::Schema> {
        &self.0
    }

    /// The type whose fields an operation asks for.
    pub(super) fn root(&self, operation: OperationType) -> Option<&str> {
        self.0.root_operation(operation).map(|name| name.as_str())
    }

    pub(super) fn type_of(&self, name: &str) -> Option<&ExtendedType> {
        self.0.types.get(name)
    }

    /// Names of the types that a query may name: those of the language are left out.
    pub(super) fn types(&self) -> impl Iterator<Item = &str> {
        self.0
            .types
            .keys()
            .map(|name| name.as_str())
            .filter(|name| !name.starts_with("__"))
    }

    pub(super) fn field(&self, on: &str, name: &str) -> Option<FieldInfo<'_>> {
        let field = self.0.type_field(on, name).ok()?;
        Some(FieldInfo(field))
    }

    /// Names of the fields of a type; none of one that has none.
    pub(super) fn fields(&self, on: &str) -> impl Iterator<Item = &str> {
        let fields = match self.0.types.get(on) {
            Some(ExtendedType::Object(object)) => Some(&object.fields),
            Some(ExtendedType::Interface(interface)) => Some(&interface.fields),
            _ => None,
        };
        fields
            .into_iter()
            .flat_map(|fields| fields.keys().map(|name| name.as_str()))
    }
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

    /// The type without lists and exclamation marks.
    pub(super) fn inner_type(self) -> &'a str {
        self.0.ty.inner_named_type().as_str()
    }

    /// `[Gene!]`
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

//! The shapes of JSON that an argument may have, as constant data. JSON Schema is generated from
//! them on request.

use serde_json::{Map, Value, json};

/// A field of an object.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name in JSON.
    pub name: &'static str,
    /// The words that describe it: the text of a documentation comment.
    pub words: &'static str,
    /// Its values.
    pub shape: Shape,
    /// True if it is required.
    pub required: bool,
    /// True if it is the id of an object, or a list of such ids. A request may also name such an
    /// object by its label.
    pub names_objects: bool,
    /// The value that it has if it is absent.
    pub default: Option<fn() -> Value>,
}

/// The values that a field may have.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A text, bounded by its number of characters.
    Text {
        /// The minimum.
        min: Option<usize>,
        /// The maximum.
        max: Option<usize>,
    },
    /// A text that matches a pattern, bounded by its number of characters.
    Pattern {
        /// The minimum.
        min: usize,
        /// The maximum.
        max: usize,
        /// The regular expression.
        pattern: &'static str,
    },
    /// A whole number within bounds.
    Whole {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: Option<u64>,
    },
    /// A number above one bound and up to another.
    Number {
        /// The exclusive lower bound.
        above: u32,
        /// The maximum.
        max: u32,
    },
    /// True or false.
    Flag,
    /// One of some words.
    Word(fn() -> Vec<&'static str>),
    /// A list of values.
    List {
        /// The shape of each value.
        item: &'static Shape,
        /// The minimum.
        min: Option<usize>,
        /// The maximum.
        max: Option<usize>,
    },
    /// A value within a list, with a description of its own.
    Described(&'static str, &'static Shape),
    /// A value, or null.
    OrNull(&'static Shape),
    /// An object with these fields.
    Object(&'static [Field]),
    /// An object that other declarations name.
    Named(&'static Definition),
    /// Any value that this JSON Schema describes; `#/definitions/NAME` refers to a [`Definition`]
    /// or to the definitions beside the operations.
    Json(&'static str),
}

/// An object with a name.
#[derive(Debug)]
pub struct Definition {
    /// The name.
    pub name: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
}

/// The representation of named objects in a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum References {
    /// References to `#/definitions/NAME`.
    Kept,
    /// Definitions in place, for a reader of a single schema.
    Inlined,
}

/// The number of levels of a schema whose references are replaced.
const MAX_INLINED_DEPTH: usize = 32;

/// Returns a schema in which each reference is replaced by its definition.
pub fn inlined(schema: &Value, definitions: &Value) -> Value {
    inlined_to(schema, definitions, MAX_INLINED_DEPTH)
}

fn inlined_to(schema: &Value, definitions: &Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else {
        return Value::Null;
    };
    match schema {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            let named = reference.and_then(|text| text.strip_prefix("#/definitions/"));
            if let Some(definition) = named.and_then(|name| definitions.get(name)) {
                return inlined_to(definition, definitions, depth);
            }
            let members = members
                .iter()
                .map(|(name, value)| (name.clone(), inlined_to(value, definitions, depth)));
            Value::Object(members.collect())
        }
        Value::Array(items) => {
            let items = items
                .iter()
                .map(|item| inlined_to(item, definitions, depth));
            Value::Array(items.collect())
        }
        other => other.clone(),
    }
}

/// Returns the JSON Schema of an object with these fields and no others.
pub fn object(fields: &[Field], references: References) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    let required = fields.iter().filter(|field| field.required);
    let required: Vec<&str> = required.map(|field| field.name).collect();
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    let properties = fields.iter().map(|field| {
        let name = field.name.to_owned();
        (name, field.schema(references))
    });
    schema.insert(
        "properties".to_owned(),
        properties.collect::<Map<_, _>>().into(),
    );
    Value::Object(schema)
}

impl Field {
    /// Returns the JSON Schema of its values.
    pub fn schema(&self, references: References) -> Value {
        let mut schema = self.shape.schema(references);
        let is_reference = schema.get("$ref").is_some();
        if let Value::Object(members) = &mut schema
            && !is_reference
        {
            if let Some(default) = self.default {
                members.insert("default".to_owned(), default());
            }
            let words = self.words.trim();
            if !words.is_empty() && !matches!(self.shape, Shape::Named(_)) {
                members.insert("description".to_owned(), words.into());
            }
        }
        schema
    }
}

impl Shape {
    /// A text of any length.
    pub const TEXT: Self = Self::Text {
        min: None,
        max: None,
    };

    /// Returns the shape of a list of any length.
    pub const fn list(item: &'static Self) -> Self {
        Self::List {
            item,
            min: None,
            max: None,
        }
    }

    fn schema(self, references: References) -> Value {
        match self {
            Self::Text { min, max } => {
                let mut schema = Map::new();
                schema.insert("type".to_owned(), "string".into());
                for (name, bound) in [("minLength", min), ("maxLength", max)] {
                    if let Some(bound) = bound {
                        schema.insert(name.to_owned(), bound.into());
                    }
                }
                Value::Object(schema)
            }
            Self::Whole { min, max } => {
                let mut schema = json!({ "type": "integer", "minimum": min });
                if let (Value::Object(members), Some(max)) = (&mut schema, max) {
                    members.insert("maximum".to_owned(), max.into());
                }
                schema
            }
            Self::Number { above, max } => {
                json!({ "type": "number", "exclusiveMinimum": above, "maximum": max })
            }
            Self::Pattern { min, max, pattern } => {
                json!({ "type": "string", "minLength": min, "maxLength": max, "pattern": pattern })
            }
            Self::OrNull(shape) => {
                let mut schema = shape.schema(references);
                if let Some(kind) = schema.get_mut("type") {
                    *kind = json!([kind.take(), "null"]);
                }
                schema
            }
            Self::Flag => json!({ "type": "boolean" }),
            Self::Word(words) => json!({ "type": "string", "enum": words() }),
            Self::List { item, min, max } => {
                let mut schema = Map::new();
                schema.insert("type".to_owned(), "array".into());
                for (name, bound) in [("minItems", min), ("maxItems", max)] {
                    if let Some(bound) = bound {
                        schema.insert(name.to_owned(), bound.into());
                    }
                }
                schema.insert("items".to_owned(), item.schema(references));
                Value::Object(schema)
            }
            Self::Described(words, shape) => {
                let mut schema = shape.schema(references);
                if let Value::Object(members) = &mut schema {
                    members.insert("description".to_owned(), words.into());
                }
                schema
            }
            Self::Object(fields) => object(fields, references),
            Self::Named(definition) => match references {
                References::Kept => json!({ "$ref": format!("#/definitions/{}", definition.name) }),
                References::Inlined => object(definition.fields, references),
            },
            Self::Json(text) => serde_json::from_str(text).unwrap_or_default(),
        }
    }

    /// Returns the JSON Schema of its type alone, without bounds and descriptions.
    pub fn bare(self) -> Value {
        match self {
            Self::Text { .. } => json!({ "type": "string" }),
            Self::Whole { .. } => json!({ "type": "integer" }),
            Self::Number { .. } => json!({ "type": "number" }),
            Self::List { item, .. } => json!({ "type": "array", "items": item.bare() }),
            Self::Described(_, shape) | Self::OrNull(shape) => shape.bare(),
            Self::Pattern { .. } => json!({ "type": "string" }),
            Self::Word(words) => json!({ "enum": words() }),
            Self::Object(fields) | Self::Named(&Definition { fields, .. }) => {
                let properties = fields.iter();
                let properties =
                    properties.map(|field| (field.name.to_owned(), field.shape.bare()));
                let required = fields.iter().filter(|field| field.required);
                json!({
                    "type": "object",
                    "properties": properties.collect::<Map<_, _>>(),
                    "required": required.map(|field| field.name).collect::<Vec<_>>(),
                })
            }
            Self::Flag | Self::Json(_) => self.schema(References::Inlined),
        }
    }

    /// Returns the named object that the values are, or that their items are.
    pub fn definition(self) -> Option<&'static Definition> {
        match self {
            Self::Named(definition) => Some(definition),
            Self::List { item, .. } => item.definition(),
            Self::Text { .. }
            | Self::Pattern { .. }
            | Self::Whole { .. }
            | Self::Number { .. }
            | Self::Flag
            | Self::Word(_)
            | Self::Described(..)
            | Self::OrNull(_)
            | Self::Object(_)
            | Self::Json(_) => None,
        }
    }
}

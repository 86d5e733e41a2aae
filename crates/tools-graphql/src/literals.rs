//! Checks the values in a query against the types of their arguments. The check of names is in
//! [`super::name_check`].

use apollo_compiler::ast::{Type, Value as Literal};
use apollo_compiler::schema::{EnumType, ExtendedType};
use apollo_compiler::{Name, Node};

use super::name_check::{LISTED_NAMES, NameCheck, Use};
use super::text::{listed, shorten};
use crate::limits::MAX_GRAPHQL_TEXT_CHARACTERS;
use base::nearest;

impl<'a> NameCheck<'a> {
    /// Checks a value at a path that begins with its argument, such as `q.sym`. Only the library
    /// checks variables; their uses are recorded to explain its findings.
    pub(super) fn literal(&mut self, ty: &'a Type, value: &'a Node<Literal>, path: &str) {
        if self.full() {
            return;
        }
        let list = matches!(ty, Type::List(_) | Type::NonNullList(_));
        match &**value {
            Literal::Variable(name) => {
                let place = value.location();
                self.uses.extend(place.map(|place| {
                    let name = name.as_str();
                    let path = path.to_owned();
                    (place.offset(), Use { name, ty, path })
                }));
            }
            Literal::Null if !ty.is_non_null() => {}
            Literal::List(items) if list => {
                for item in items {
                    self.literal(ty.item_type(), item, path);
                }
            }
            // A single value may replace a list.
            _ if list => self.literal(ty.item_type(), value, path),
            Literal::Object(fields) => self.object(ty, value, fields, path),
            _ => self.leaf(ty, value, path),
        }
    }

    fn leaf(&mut self, ty: &'a Type, value: &'a Node<Literal>, path: &str) {
        let schema = self.schema;
        let name = ty.inner_named_type().as_str();
        let Some(known) = schema.type_of(name) else {
            self.undefined.insert(name);
            return;
        };
        if let (ExtendedType::Enum(known), Literal::Enum(_) | Literal::String(_)) =
            (known, &**value)
        {
            self.enum_value(known, value);
            return;
        }
        let fits = match (known, &**value) {
            (ExtendedType::Scalar(_), literal) => match name {
                "Int" => matches!(literal, Literal::Int(_)),
                "Float" => matches!(literal, Literal::Int(_) | Literal::Float(_)),
                "String" => matches!(literal, Literal::String(_)),
                "Boolean" => matches!(literal, Literal::Boolean(_)),
                "ID" => matches!(literal, Literal::String(_) | Literal::Int(_)),
                // A custom scalar may have any value.
                _ => !matches!(literal, Literal::Null),
            },
            _ => false,
        };
        if !fits {
            self.mismatch(ty, value, path);
        }
    }

    fn mismatch(&mut self, ty: &Type, value: &'a Node<Literal>, path: &str) {
        let hint = match (ty.inner_named_type().as_str(), &**value) {
            ("String" | "ID", Literal::Int(number)) => {
                Some(format!("write \"{}\"", shorten(number.as_str(), 40)))
            }
            ("String" | "ID", Literal::Enum(_)) => Some("write texts in double quotes".to_owned()),
            ("Int" | "Float" | "Boolean", Literal::String(text)) => Some(format!(
                "write numbers, true and false without quotes: {}",
                shorten(text, 40)
            )),
            _ => None,
        };
        let found = match &**value {
            Literal::Null => "null",
            Literal::Enum(_) => "a name",
            Literal::String(_) => "a text",
            Literal::Float(_) => "a number with a fraction",
            Literal::Int(_) => "a whole number",
            Literal::Boolean(_) => "a boolean",
            Literal::List(_) => "a list",
            Literal::Object(_) => "an object",
            Literal::Variable(_) => "a variable",
        };
        let message = format!("the argument `{path}` is {found}, but its type is {ty}");
        self.say(value.location(), message, hint, Vec::new());
    }

    fn enum_value(&mut self, known: &EnumType, value: &'a Node<Literal>) {
        let names = || known.values.keys().map(|name| name.as_str());
        match &**value {
            Literal::Enum(name) if !known.values.contains_key(name) => {
                let suggestions = nearest(name, names());
                let all: Vec<&str> = names().take(LISTED_NAMES).collect();
                let hint = format!("the values of {} include {}", known.name, listed(&all));
                let message = format!("{} has no value `{}`", known.name, shorten(name, 64));
                self.say(value.location(), message, Some(hint), suggestions);
            }
            Literal::String(text) => {
                let suggestions = nearest(text, names());
                let message = format!("{} is an enum: write its values without quotes", known.name);
                self.say(value.location(), message, None, suggestions);
            }
            _ => {}
        }
    }

    fn object(
        &mut self,
        ty: &'a Type,
        value: &'a Node<Literal>,
        fields: &'a [(Name, Node<Literal>)],
        path: &str,
    ) {
        let schema = self.schema;
        let input = match schema.type_of(ty.inner_named_type()) {
            Some(ExtendedType::InputObject(input)) => input,
            Some(ExtendedType::Scalar(scalar)) if !scalar.is_built_in() => return,
            Some(_) => return self.mismatch(ty, value, path),
            None => {
                self.undefined.insert(ty.inner_named_type().as_str());
                return;
            }
        };
        let mut meant = Vec::new();
        for (name, below) in fields {
            match input.fields.get(name) {
                Some(known) => {
                    // Paths grow with the nesting, which is limited, and are cut in messages.
                    let path = shorten(&format!("{path}.{name}"), MAX_GRAPHQL_TEXT_CHARACTERS);
                    self.literal(&known.ty, below, &path);
                }
                None => {
                    let names = || input.fields.keys().map(|name| name.as_str());
                    let suggestions = nearest(name, names());
                    meant.extend(suggestions.first().cloned());
                    let all: Vec<&str> = names().take(LISTED_NAMES).collect();
                    let hint = format!("its fields are {}", listed(&all));
                    let message = format!("{} has no field `{}`", input.name, shorten(name, 64));
                    self.covered
                        .extend(below.location().map(|place| place.offset()));
                    self.say(name.location(), message, Some(hint), suggestions);
                }
            }
        }
        for known in input.fields.values().filter(|known| known.is_required()) {
            let given = fields.iter().find(|(name, _)| *name == known.name);
            match given {
                None if !meant.iter().any(|name| known.name == name.as_str()) => {
                    let message = format!(
                        "the argument `{path}` needs the field `{}` of type {}",
                        known.name, known.ty
                    );
                    self.say(value.location(), message, None, Vec::new());
                }
                // Already reported, for the null or for the similar name.
                _ if given.is_none_or(|(_, below)| below.is_null()) => {
                    self.covered
                        .extend(value.location().map(|place| place.offset()));
                }
                _ => {}
            }
        }
    }
}

//! The keys of a GraphML file: what an attribute is called, what type it has, and its default.

use std::collections::HashMap;

use base::{CommonError, Error, Result};
use serde_json::Value;
use serde_json::value::RawValue;

use super::xml::{Element, Xml};
use crate::interchange::{json_text, shown};
use crate::limits::{MAX_ATTRIBUTES, MAX_REPEATED_BYTES};

/// The type of an attribute's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Boolean,
    Integer,
    Number,
    /// And every type that GraphML does not have.
    Text,
}

/// What has attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Node,
    Edge,
}

/// A key.
pub(super) struct Key {
    /// What the attribute is called.
    pub(super) name: String,
    /// Whether its values are the drawing of an editor, as yEd writes it.
    pub(super) is_graphics: bool,
    r#type: Type,
    /// The JSON of the default.
    default: Option<String>,
    nodes: bool,
    edges: bool,
}

/// All keys of a file.
#[derive(Default)]
pub(super) struct Keys {
    by_id: HashMap<String, Key>,
    /// Ids of those with a default, in their order.
    defaults: Vec<String>,
    repeated_bytes: usize,
}

impl Keys {
    /// Reads a key whose element has just opened.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] with the line.
    pub(super) fn read(&mut self, xml: &mut Xml<'_>, element: &Element) -> Result<()> {
        let id = element
            .get("id")
            .ok_or_else(|| xml.error("a key has no id", None))?;
        if self.by_id.len() == MAX_ATTRIBUTES {
            let problem = format!("there are more than {MAX_ATTRIBUTES} keys");
            return Err(xml.error(&problem, None));
        }
        let of = element.get("for").unwrap_or("all");
        let mut key = Key {
            name: element.get("attr.name").unwrap_or(id).to_owned(),
            is_graphics: element.get("yfiles.type").is_some(),
            r#type: type_of(element.get("attr.type").unwrap_or("string")),
            default: None,
            nodes: matches!(of, "node" | "all"),
            edges: matches!(of, "edge" | "all"),
        };
        while let Some(child) = xml.child()? {
            if child.name == "default" && !key.is_graphics {
                let text = xml.text()?;
                key.default = key.value(&text).map_err(|problem| {
                    xml.error(
                        &format!("the default of the key {}: {problem}", shown(id)),
                        None,
                    )
                })?;
            } else {
                xml.skip()?;
            }
        }
        if key.default.is_some() {
            self.defaults.push(id.to_owned());
        }
        if self.by_id.insert(id.to_owned(), key).is_some() {
            let problem = format!("the key {} is declared twice", shown(id));
            return Err(xml.error(&problem, None));
        }
        Ok(())
    }

    /// The key of an id.
    pub(super) fn get(&self, id: &str) -> Option<&Key> {
        self.by_id.get(id)
    }

    /// Adds the defaults of what an item does not say itself.
    ///
    /// # Errors
    /// [`CommonError::TooBig`] if all defaults so far have more than [`MAX_REPEATED_BYTES`].
    pub(super) fn add_defaults<'v>(
        &mut self,
        of: Of,
        mut add: impl FnMut(&str, &str),
        has: impl Fn(&str) -> bool + 'v,
    ) -> Result<()> {
        for id in &self.defaults {
            let Some(key) = self.by_id.get(id) else {
                continue;
            };
            let applies = match of {
                Of::Node => key.nodes,
                Of::Edge => key.edges,
            };
            let Some(default) = key.default.as_deref().filter(|_| applies) else {
                continue;
            };
            self.repeated_bytes += key.name.len() + default.len();
            if self.repeated_bytes > MAX_REPEATED_BYTES {
                return Err(Error::from(CommonError::TooBig {
                    message: format!(
                        "the defaults of keys make more than {MAX_REPEATED_BYTES} bytes of data"
                    ),
                    hint: "leave the defaults out and write the values where they differ"
                        .to_owned(),
                }));
            }
            if !has(&key.name) {
                add(&key.name, default);
            }
        }
        Ok(())
    }
}

impl Key {
    /// The JSON of a value; none where a number or truth value is left empty.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn value(&self, text: &str) -> Result<Option<String>, String> {
        let trimmed = text.trim();
        if self.r#type != Type::Text && trimmed.is_empty() {
            return Ok(None);
        }
        let (json, wanted) = match self.r#type {
            Type::Text => return Ok(Some(json_text(text))),
            Type::Boolean => (boolean(trimmed), "boolean"),
            Type::Integer => (integer(trimmed), "whole number"),
            Type::Number => (number(trimmed), "number"),
        };
        match json {
            Some(json) => Ok(Some(json)),
            None => Err(format!("{} is no {wanted}", shown(text))),
        }
    }
}

fn type_of(name: &str) -> Type {
    match name.to_ascii_lowercase().as_str() {
        "boolean" => Type::Boolean,
        "int" | "integer" | "long" => Type::Integer,
        "float" | "double" => Type::Number,
        _ => Type::Text,
    }
}

fn boolean(text: &str) -> Option<String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some("true".to_owned()),
        "false" | "0" => Some("false".to_owned()),
        _ => None,
    }
}

fn integer(text: &str) -> Option<String> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let (minus, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match digits.trim_start_matches('0') {
        "" => Some("0".to_owned()),
        digits => Some(format!("{minus}{digits}")),
    }
}

/// A number of JSON stays as it is written. What is no number in JSON, NaN and the infinities, becomes a text.
fn number(text: &str) -> Option<String> {
    let is_json = matches!(text.bytes().next(), Some(b'-' | b'0'..=b'9'))
        && serde_json::from_str::<&RawValue>(text).is_ok();
    if is_json {
        return Some(text.to_owned());
    }
    let number: f64 = text.parse().ok()?;
    Some(if number.is_finite() {
        Value::from(number).to_string()
    } else {
        json_text(text)
    })
}

//! The keys of a GraphML file: the names, types and defaults of its attributes.

use std::collections::HashMap;

use base::{CommonError, Error, Result};
use serde_json::Value;
use serde_json::value::RawValue;

use super::notices::{NoticeKind, Notices, Of};
use super::xml::{Element, Xml};
use crate::interchange::{json_text, shown};
use crate::limits::{MAX_ATTRIBUTES, MAX_REPEATED_BYTES};

/// The type of an attribute's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Boolean,
    Integer,
    Number,
    /// Also used for types that GraphML does not have.
    Text,
}

/// The declaration of an attribute.
pub(super) struct Key {
    /// The name of the attribute.
    pub(super) name: String,
    /// True if its values are the drawing of an editor, as yEd writes it.
    pub(super) is_graphics: bool,
    r#type: Type,
    /// The JSON of its default.
    default: Option<String>,
}

/// The kind of element that a key is declared for. Each kind may have a key of the same id: igraph
/// and Cytoscape name the keys of nodes and edges after the attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Domain {
    Node,
    Edge,
    All,
    /// Ports, graphs and the file itself, whose attributes are not kept.
    Other,
}

impl Domain {
    fn of(name: Option<&str>) -> Self {
        match name {
            None | Some("all") => Self::All,
            Some("node") => Self::Node,
            Some("edge") => Self::Edge,
            Some(_) => Self::Other,
        }
    }
}

/// All keys of a file.
#[derive(Default)]
pub(super) struct Keys {
    by_id: HashMap<String, Vec<(Domain, Key)>>,
    /// The number of keys, without those of attributes that are not kept.
    count: usize,
    /// The keys with a default, in their order.
    defaults: Vec<(Domain, String)>,
    repeated_bytes: usize,
}

impl Keys {
    /// Reads the key whose element has just opened.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] with the line.
    pub(super) fn read(
        &mut self,
        xml: &mut Xml<'_>,
        element: &Element,
        notices: &mut Notices,
    ) -> Result<()> {
        let id = element
            .get("id")
            .ok_or_else(|| xml.error("a key has no id", None))?;
        let domain = Domain::of(element.get("for"));
        let mut key = Key {
            name: element.get("attr.name").unwrap_or(id).to_owned(),
            is_graphics: element.get("yfiles.type").is_some(),
            r#type: type_of(element.get("attr.type").unwrap_or("string")),
            default: None,
        };
        if domain == Domain::Other {
            xml.skip()?;
            let keys = self.by_id.entry(id.to_owned()).or_default();
            if keys.is_empty() {
                keys.push((domain, key));
            }
            return Ok(());
        }
        if self.count == MAX_ATTRIBUTES {
            let problem = format!("there are more than {MAX_ATTRIBUTES} keys");
            return Err(xml.error(&problem, None));
        }
        self.count += 1;
        while let Some(child) = xml.child()? {
            if child.name == "default" && !key.is_graphics {
                let Some(text) = xml.text()? else {
                    notices.add(NoticeKind::MarkupDefault(key.name.clone()));
                    continue;
                };
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
        let keys = self.by_id.entry(id.to_owned()).or_default();
        if keys.iter().any(|(known, _)| *known == domain) {
            let problem = format!("the key {} is declared twice", shown(id));
            return Err(xml.error(&problem, None));
        }
        if key.default.is_some() {
            self.defaults.push((domain, id.to_owned()));
        }
        keys.push((domain, key));
        Ok(())
    }

    /// Returns the key with this id for a node or an edge: the one declared for its kind, else the
    /// one declared for all kinds. If there is neither, returns the one declared for another kind,
    /// and false.
    pub(super) fn get(&self, of: Of, id: &str) -> Option<(&Key, bool)> {
        let keys = self.by_id.get(id)?;
        let declared_for = |domain: Domain| keys.iter().find(|(known, _)| *known == domain);
        let own = match of {
            Of::Node => Domain::Node,
            Of::Edge => Domain::Edge,
        };
        match declared_for(own).or_else(|| declared_for(Domain::All)) {
            Some((_, key)) => Some((key, true)),
            None => keys.first().map(|(_, key)| (key, false)),
        }
    }

    /// Adds the defaults of the attributes that an item does not have.
    ///
    /// # Errors
    /// [`CommonError::TooBig`] if all defaults so far exceed [`MAX_REPEATED_BYTES`].
    pub(super) fn add_defaults<'v>(
        &mut self,
        of: Of,
        mut add: impl FnMut(&str, &str),
        has: impl Fn(&str) -> bool + 'v,
    ) -> Result<()> {
        for (domain, id) in &self.defaults {
            let applies = match domain {
                Domain::Node => of == Of::Node,
                Domain::Edge => of == Of::Edge,
                Domain::All => true,
                Domain::Other => false,
            };
            let keys = self.by_id.get(id).map(Vec::as_slice).unwrap_or_default();
            let key = keys.iter().find(|(known, _)| known == domain);
            let Some((_, key)) = key.filter(|_| applies) else {
                continue;
            };
            let Some(default) = key.default.as_deref() else {
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
    /// Returns the JSON of a value; `None` for an empty number or truth value.
    ///
    /// # Errors
    /// A message about the value.
    pub(super) fn value(&self, text: &str) -> Result<Option<String>, String> {
        let trimmed = text.trim();
        if self.r#type != Type::Text && trimmed.is_empty() {
            return Ok(None);
        }
        let (json, wanted) = match self.r#type {
            Type::Text => return Ok(Some(json_text(text))),
            Type::Boolean => (boolean(trimmed), "true or false"),
            Type::Integer => (integer(trimmed), "a whole number"),
            Type::Number => (number(trimmed), "a number"),
        };
        match json {
            Some(json) => Ok(Some(json)),
            None => Err(format!("{} is not {wanted}", shown(text))),
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

/// Returns the JSON of a number, as it is written. Numbers that JSON does not have, NaN and the
/// infinities, become texts.
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

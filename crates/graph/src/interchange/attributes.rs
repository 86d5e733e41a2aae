//! Maps the attributes of a node or an edge in a foreign format to label, type and position. All
//! other attributes become `data`.
//!
//! | of ours | from |
//! | --- | --- |
//! | label of a node | `label`, else `name`, else the id |
//! | type of a node | `type`, else `category` (which stays in `data`), else `other` |
//! | position | `x` and `y` if both are numbers, else `position` with both |
//! | pinned | `pinned` if it is true or false |
//! | label of an edge | `label`, else what the format calls it |
//! | type of an edge | `type` |
//! | data | all others; the fields of an object `data` stand beside them |
//!
//! Labels and types are texts or numbers. An attribute that is neither, such as a list `type`,
//! stays in `data`.

use std::borrow::Cow;

use base::{Error, Result};
use serde_json::value::RawValue;

use super::{json_text, lists, shown};
use crate::model::{Data, EdgeDraft, NodeDraft, Position, check_id, check_label, check_type};

/// The attributes of one item, each as JSON text.
pub(super) struct Attributes<'a>(Vec<(String, Cow<'a, str>)>);

/// The properties of an item that the file states outside of its attributes.
#[derive(Debug, Default)]
pub(super) struct Around {
    pub(super) id: Option<String>,
    pub(super) position: Option<Position>,
    pub(super) pinned: Option<bool>,
}

impl<'a> Attributes<'a> {
    /// Returns the attributes of a JSON object, whose names are known to be distinct.
    pub(super) fn of_object(entries: Vec<(String, &'a RawValue)>) -> Self {
        let text = |(name, raw): (String, &'a RawValue)| (name, Cow::Borrowed(raw.get()));
        Self(entries.into_iter().map(text).collect())
    }

    /// Returns the attributes of a format that is not JSON. There, `data` is the text of an object.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for a duplicate name.
    pub(super) fn of_texts(mut entries: Vec<(String, Cow<'a, str>)>) -> Result<Self> {
        if let Some(name) = lists::repeated(entries.iter().map(|(name, _)| name.as_str())) {
            let message = format!("duplicate attribute {}", shown(name));
            return Err(Error::invalid(message));
        }
        if let Some((_, value)) = entries.iter_mut().find(|(name, _)| name == "data")
            && let Some(object) = text_of(value).as_deref().and_then(object_in)
        {
            *value = Cow::Owned(object);
        }
        Ok(Self(entries))
    }

    /// Returns true if there is an attribute with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Adds an attribute with a new name.
    pub(super) fn add(&mut self, name: &str, json: String) {
        self.0.push((name.to_owned(), Cow::Owned(json)));
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_ref())
    }

    fn remove(&mut self, name: &str) -> Option<Cow<'a, str>> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Removes and returns an attribute if `read` accepts its value.
    fn take<T>(&mut self, name: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = read(self.get(name)?)?;
        self.remove(name);
        Some(value)
    }

    /// Removes an attribute that is a text or a number, and returns it as a text.
    pub(super) fn take_word(&mut self, name: &str) -> Option<String> {
        self.take(name, word)
    }

    /// Returns an attribute that is a text or a number, as a text.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        self.get(name).and_then(word)
    }

    /// Removes an attribute whose value repeats a known one.
    pub(super) fn take_repeated(&mut self, name: &str, known: &str) {
        self.take(name, |json| (word(json)? == known).then_some(()));
    }

    /// Removes the attributes `id` and `key` of an edge if they repeat its id, as in files of
    /// NetworkX and in ours.
    pub(super) fn take_repeated_id(&mut self, id: Option<&str>) {
        if let Some(id) = id {
            self.take_repeated("id", id);
            self.take_repeated("key", id);
        }
    }

    /// Removes the attribute with this name, and returns it as the id of the item.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] if it is neither a text nor a number.
    pub(super) fn take_id(&mut self, name: &str) -> Result<Option<String>> {
        match self.remove(name) {
            None => Ok(None),
            Some(json) => word(&json).map(Some).ok_or_else(|| {
                Error::invalid_with_hint(
                    format!("{name} must be a text or a number"),
                    "use texts as the ids of nodes; in Python: networkx.relabel_nodes(graph, str)",
                )
            }),
        }
    }

    fn position(&mut self) -> Result<Option<Position>> {
        if let (Some(x), Some(y)) = (
            self.get("x").and_then(number),
            self.get("y").and_then(number),
        ) {
            self.remove("x");
            self.remove("y");
            return Position::new(x, y).map(Some);
        }
        let point = self.take("position", point);
        point.map(|(x, y)| Position::new(x, y)).transpose()
    }

    /// Returns the remaining attributes as `data`; `None` if none remain.
    fn data(mut self) -> Result<Option<Data>> {
        let is_object = self.get("data").is_some_and(|json| json.starts_with('{'));
        let fields = is_object.then(|| self.remove("data")).flatten();
        match (fields, self.0.is_empty()) {
            (None, true) => Ok(None),
            (Some(fields), true) => parse_data(fields.into_owned()).map(Some),
            (None, false) => parse_data(self.object("")).map(Some),
            (Some(fields), false) => {
                let inner = fields
                    .strip_prefix('{')
                    .and_then(|fields| fields.strip_suffix('}'))
                    .unwrap_or_default()
                    .trim();
                let raw = raw(fields.to_string())?;
                let mut names: Vec<String> = lists::object("data", &raw)?
                    .into_iter()
                    .map(|(name, _)| name)
                    .collect();
                names.extend(self.0.iter().map(|(name, _)| name.clone()));
                match lists::repeated(names.iter().map(String::as_str)) {
                    None => parse_data(self.object(inner)).map(Some),
                    Some(name) => Err(Error::invalid(format!(
                        "{} is an attribute and also a field of data",
                        shown(name)
                    ))),
                }
            }
        }
    }

    /// Returns the attributes as one object, followed by the fields of another object.
    fn object(&self, fields: &str) -> String {
        let mut text = String::from("{");
        for (name, value) in &self.0 {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&json_text(name));
            text.push(':');
            text.push_str(value);
        }
        if !fields.is_empty() {
            text.push(',');
            text.push_str(fields);
        }
        text.push('}');
        text
    }
}

/// Makes a node from its attributes.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] that names the field.
pub(super) fn node(mut attributes: Attributes<'_>, around: Around) -> Result<NodeDraft> {
    let Around {
        id,
        position,
        pinned,
    } = around;
    if let Some(id) = &id {
        check_id("id", id)?;
        attributes.take_repeated("id", id);
    }
    let label = attributes
        .take("label", spoken)
        .or_else(|| attributes.take("name", spoken))
        .or_else(|| id.clone())
        .ok_or_else(|| Error::invalid("the node has neither an id nor a label"))?;
    check_label(&label, false)?;
    let kind = attributes
        .take("type", spoken)
        .or_else(|| attributes.get("category").and_then(spoken))
        .map(|kind| check_type(&kind, false).map(|()| kind))
        .transpose()?
        .unwrap_or_default();
    let position = match position {
        Some(position) => Some(position),
        None => attributes.position()?,
    };
    let pinned = pinned.or_else(|| attributes.take("pinned", flag));
    Ok(NodeDraft {
        id,
        label,
        kind,
        data: attributes.data()?,
        position,
        pinned,
    })
}

/// Makes an edge from its attributes. Its label is the first attribute of `labels` that it has.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] that names the field.
pub(super) fn edge(
    mut attributes: Attributes<'_>,
    id: Option<String>,
    (source, target): (Option<String>, Option<String>),
    labels: &[&str],
) -> Result<EdgeDraft> {
    if let Some(id) = &id {
        check_id("id", id)?;
    }
    let end = |field: &str, id: Option<String>| -> Result<String> {
        let id = id.ok_or_else(|| Error::invalid(format!("the field {field} is missing")))?;
        check_id(field, &id)?;
        Ok(id)
    };
    let (source, target) = (end("source", source)?, end("target", target)?);
    let label = labels.iter().find_map(|name| attributes.take_word(name));
    let label = label.unwrap_or_default();
    check_label(&label, true)?;
    let kind = attributes.take_word("type").unwrap_or_default();
    check_type(&kind, true)?;
    Ok(EdgeDraft {
        id,
        source,
        target,
        label,
        kind,
        data: attributes.data()?,
    })
}

/// Returns `data` with one more field before the others.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] if there is a field with this name already, or a limit of
/// data is exceeded.
pub(super) fn with_field(data: Option<&Data>, name: &str, json: &str) -> Result<Data> {
    let raw = raw(data.map_or("{}", Data::text).to_owned())?;
    let mut attributes = Attributes(vec![(name.to_owned(), Cow::Borrowed(json))]);
    attributes.add("data", raw.get().to_owned());
    let data = attributes.data()?;
    data.ok_or_else(|| Error::internal("data with a field is empty"))
}

/// Parses an object whose text is known to be JSON, within the limits of data.
fn parse_data(text: String) -> Result<Data> {
    Data::new(&raw(text)?)
}

fn raw(text: String) -> Result<Box<RawValue>> {
    RawValue::from_string(text).map_err(|error| Error::internal(error.to_string()))
}

/// Returns the coordinates of an object `{x, y}`; `None` for any other JSON.
pub(super) fn point(json: &str) -> Option<(f64, f64)> {
    let raw: &RawValue = serde_json::from_str(json).ok()?;
    match lists::object("position", raw).ok()?.as_slice() {
        [(first, one), (second, other)] => {
            let (one, other) = (number(one.get())?, number(other.get())?);
            match (first.as_str(), second.as_str()) {
                ("x", "y") => Some((one, other)),
                ("y", "x") => Some((other, one)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the value of a JSON text.
pub(super) fn text_of(json: &str) -> Option<String> {
    json.starts_with('"')
        .then(|| serde_json::from_str(json).ok())
        .flatten()
}

/// Returns the value of a text, or a number as it is written.
pub(crate) fn word(json: &str) -> Option<String> {
    match json.bytes().next() {
        Some(b'"') => text_of(json),
        Some(b'-' | b'0'..=b'9') => Some(json.to_owned()),
        _ => None,
    }
}

/// Returns a text or number unless it is blank.
fn spoken(json: &str) -> Option<String> {
    word(json).filter(|word| !word.trim().is_empty())
}

/// Returns a number exactly: serde_json may differ by one unit in the last digit.
fn number(json: &str) -> Option<f64> {
    matches!(json.bytes().next(), Some(b'-' | b'0'..=b'9'))
        .then(|| json.parse().ok())
        .flatten()
}

fn flag(json: &str) -> Option<bool> {
    json.parse().ok()
}

/// Returns the JSON object in a text.
fn object_in(text: &str) -> Option<String> {
    let raw: &RawValue = serde_json::from_str(text).ok()?;
    raw.get().starts_with('{').then(|| raw.get().to_owned())
}

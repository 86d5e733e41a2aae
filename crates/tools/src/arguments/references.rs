//! Drafts, and the targets of references. References may lead to places in the same document or to a published metaschema; nothing is fetched.

use std::collections::HashMap;
use std::sync::LazyLock;

use base::percent;
use serde_json::Value;

/// One schema for the schemas of all drafts, as far as these agree.
static METASCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("metaschema.json")).unwrap_or_default());

/// The drafts that are known, from the oldest.
const DRAFTS: &str = "draft-04 draft-06 draft-07 draft/2019-09 draft/2020-12";

/// Returns the draft of a schema, by its number in [`DRAFTS`]; a new one if it names none, and `None` for a dialect of its own.
pub(super) fn draft(schema: &Value) -> Option<usize> {
    match schema.get("$schema") {
        None => Some(usize::MAX),
        Some(address) => draft_at(address.as_str()?),
    }
}

fn draft_at(address: &str) -> Option<usize> {
    let (_, path) = address
        .split('#')
        .next()?
        .split_once("://json-schema.org/")?;
    let draft = path.strip_suffix("/schema")?;
    DRAFTS.split(' ').position(|known| known == draft)
}

/// A document whose references are followed.
pub(super) struct References<'s> {
    document: &'s Value,
    address: &'s str,
    /// True for a draft where nothing beside a reference counts.
    pub(super) is_alone: bool,
    /// True for a document within which a schema has an address of its own: references mean something else there, and none is followed.
    has_inner_address: bool,
    /// The schemas that have a name; `None` for a name that two of them have.
    anchors: HashMap<&'s str, Option<&'s Value>>,
}

impl<'s> References<'s> {
    pub(super) fn new(document: &'s Value) -> Self {
        let draft = draft(document);
        let identifier = if draft == Some(0) { "id" } else { "$id" };
        let address = document.get(identifier).and_then(Value::as_str);
        let mut references = Self {
            document,
            address: address.unwrap_or_default().trim_end_matches('#'),
            is_alone: draft.is_some_and(|draft| draft < 3),
            has_inner_address: false,
            anchors: HashMap::new(),
        };
        references.survey(document, identifier);
        references
    }

    /// The depth of the document is bounded.
    fn survey(&mut self, value: &'s Value, identifier: &str) {
        if let Some(items) = value.as_array() {
            items.iter().for_each(|item| self.survey(item, identifier));
        }
        for (keyword, inner) in value.as_object().into_iter().flatten() {
            match (keyword.as_str(), inner) {
                ("$anchor" | "$dynamicAnchor", Value::String(name)) => {
                    let known = self.anchors.entry(name).or_insert(Some(value));
                    *known = known.filter(|known| std::ptr::eq(*known, value));
                }
                (_, Value::String(address)) if keyword == identifier => {
                    let is_inner = !std::ptr::eq(value, self.document);
                    self.has_inner_address |= is_inner && !address.starts_with('#');
                }
                _ => self.survey(inner, identifier),
            }
        }
    }

    /// Returns the schema that a reference leads to, if it is at hand.
    pub(super) fn target(&self, reference: &str) -> Option<&'s Value> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let fragment = percent::decode(fragment)?;
        let is_own = base.is_empty() || base == self.address;
        let document = match draft_at(base) {
            Some(_) => &*METASCHEMA,
            None if is_own && !self.has_inner_address => self.document,
            None => return None,
        };
        match fragment.as_str() {
            place if place.is_empty() || place.starts_with('/') => document.pointer(place),
            name if is_own => *self.anchors.get(name)?,
            _ => None,
        }
    }
}

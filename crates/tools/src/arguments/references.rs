//! Drafts of JSON Schema, and the targets of references. References may lead to other parts of the
//! document or to a published metaschema; nothing is fetched.

use std::collections::HashMap;
use std::sync::LazyLock;

use base::percent;
use serde_json::Value;

/// One metaschema for all drafts, as far as they agree.
static METASCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("metaschema.json")).unwrap_or_default());

/// The known drafts, the oldest first.
const DRAFTS: &str = "draft-04 draft-06 draft-07 draft/2019-09 draft/2020-12";

/// Returns the index in [`DRAFTS`] of a schema's draft; a higher one if it names no draft, and
/// `None` for another dialect.
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
    /// True for a draft in which keywords beside a reference are ignored.
    pub(super) is_alone: bool,
    /// True if a subschema has an address of its own. References then have another base, and none
    /// is followed.
    has_inner_address: bool,
    /// The subschemas by anchor name; `None` for a duplicate name.
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

    /// Collects anchors and addresses. The depth of the document is limited.
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

    /// Returns the target of a reference, if it is available.
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

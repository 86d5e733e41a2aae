//! A schema of a stranger, bounded, with its references resolved and without the expressions that cannot be checked.
//!
//! What the library does with a schema grows with the square of its parts and with the length of their addresses, and its recursion with
//! their depth: all of these are bounded here. References may lead to places in the same document or to the published metaschemas. A
//! schema with identifiers inside it, or with a reference that leads nowhere, is not used.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::patterns;
use crate::limits::{
    MAX_TOOL_SCHEMA_ADDRESS_BYTES, MAX_TOOL_SCHEMA_BYTES, MAX_TOOL_SCHEMA_DEPTH,
    MAX_TOOL_SCHEMA_PARTS,
};

/// A schema fit for use.
pub(super) struct Prepared {
    /// The schema.
    pub(super) document: Value,
    /// Where each reference leads, by its text.
    pub(super) targets: HashMap<String, Target>,
    /// Places that a dynamic reference may lead to.
    pub(super) dynamic: Vec<String>,
}

/// Where a reference leads.
pub(super) enum Target {
    /// A JSON pointer into the document.
    Place(String),
    /// A published metaschema.
    Metaschema,
}

/// Data, not schemas: nothing in it counts.
const DATA: [&str; 5] = ["default", "examples", "example", "enum", "const"];

/// Keywords whose value holds schemas by name.
const MAPS: [&str; 7] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
    "schemas",
];

/// Keywords under which a weaker schema makes a stronger one.
const TURNING: [&str; 4] = ["not", "if", "oneOf", "maxContains"];

/// The schema, or `None` for one that cannot be used.
pub(super) fn prepare(schema: &Value) -> Option<Prepared> {
    if !schema.is_object() {
        return None;
    }
    let mut room = MAX_TOOL_SCHEMA_BYTES;
    fits(schema, MAX_TOOL_SCHEMA_DEPTH, &mut room)?;
    let mut document = schema.clone();
    let mut survey = Survey {
        identifiers: identifiers(schema),
        ..Survey::default()
    };
    survey.schema(&mut document, "")?;
    if survey.weakened && survey.turning || survey.names_weakened && survey.unevaluated {
        return None;
    }
    let targets = survey.targets()?;
    let to_metaschema = targets
        .values()
        .any(|target| matches!(target, Target::Metaschema));
    // A metaschema's own dynamic references would come back to places of this document.
    if to_metaschema && !survey.dynamic.is_empty() {
        return None;
    }
    Some(Prepared {
        document,
        targets,
        dynamic: survey.dynamic,
    })
}

/// Whether a value is within a depth and a number of bytes, counted about as JSON text.
fn fits(value: &Value, depth: usize, room: &mut usize) -> Option<()> {
    let mut take = |bytes: usize| {
        *room = room.checked_sub(bytes)?;
        Some(())
    };
    match value {
        Value::String(text) => take(text.len() + 2),
        Value::Array(items) => {
            take(2)?;
            let below = depth.checked_sub(1)?;
            items.iter().try_for_each(|item| fits(item, below, room))
        }
        Value::Object(entries) => {
            take(2)?;
            let below = depth.checked_sub(1)?;
            entries.iter().try_for_each(|(key, item)| {
                *room = room.checked_sub(key.len() + 4)?;
                fits(item, below, room)
            })
        }
        _ => take(4),
    }
}

#[derive(Default)]
struct Survey {
    identifiers: &'static [&'static str],
    root_identifier: Option<String>,
    places: HashSet<String>,
    address_bytes: usize,
    references: HashSet<String>,
    anchors: HashMap<String, String>,
    dynamic: Vec<String>,
    weakened: bool,
    /// No longer known which names and items the schema speaks of.
    names_weakened: bool,
    turning: bool,
    unevaluated: bool,
}

impl Survey {
    /// One schema and all below it. Depth is bounded before.
    fn schema(&mut self, node: &mut Value, pointer: &str) -> Option<()> {
        if !node.is_object() && !node.is_boolean() {
            return Some(());
        }
        self.address_bytes += pointer.len();
        self.places.insert(pointer.to_owned());
        if self.places.len() > MAX_TOOL_SCHEMA_PARTS
            || self.address_bytes > MAX_TOOL_SCHEMA_ADDRESS_BYTES
        {
            return None;
        }
        let Some(keywords) = node.as_object_mut() else {
            return Some(());
        };
        self.identity(keywords, pointer)?;
        self.drop_unchecked(keywords);
        self.close_tuples(keywords);
        for (keyword, value) in keywords.iter_mut() {
            self.turning |= TURNING.contains(&keyword.as_str());
            self.unevaluated |= keyword.starts_with("unevaluated");
            if !DATA.contains(&keyword.as_str()) {
                self.below(keyword, value, pointer)?;
            }
        }
        Some(())
    }

    fn below(&mut self, keyword: &str, value: &mut Value, pointer: &str) -> Option<()> {
        let address = format!("{pointer}/{}", escaped(keyword));
        match value {
            Value::Object(entries) if MAPS.contains(&keyword) => {
                entries.iter_mut().try_for_each(|(name, item)| {
                    self.schema(item, &format!("{address}/{}", escaped(name)))
                })
            }
            Value::Array(items) => items
                .iter_mut()
                .enumerate()
                .filter(|(_, item)| item.is_object() || item.is_boolean())
                .try_for_each(|(number, item)| self.schema(item, &format!("{address}/{number}"))),
            other => self.schema(other, &address),
        }
    }

    /// References, anchors and identifiers of one schema.
    fn identity(&mut self, keywords: &Map<String, Value>, pointer: &str) -> Option<()> {
        let text = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = text(keyword) {
                self.references.insert(reference.to_owned());
            }
        }
        for identifier in self.identifiers.iter().filter_map(|keyword| text(keyword)) {
            if !pointer.is_empty() {
                return None;
            }
            self.root_identifier = Some(identifier.trim_end_matches('#').to_owned());
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = text(keyword) {
                self.anchors.insert(anchor.to_owned(), pointer.to_owned());
            }
        }
        let recursive = keywords.get("$recursiveAnchor") == Some(&Value::Bool(true));
        if text("$dynamicAnchor").is_some() || recursive {
            self.dynamic.push(pointer.to_owned());
        }
        Some(())
    }

    /// Takes out what is not checked, and notes that the schema is weaker now.
    fn drop_unchecked(&mut self, keywords: &mut Map<String, Value>) {
        let unchecked = |value: &Value| {
            value
                .as_str()
                .is_some_and(|pattern| patterns::weight(pattern).is_none())
        };
        if keywords.get("pattern").is_some_and(unchecked) {
            keywords.remove("pattern");
            self.weakened = true;
        }
        // The library would read such a value with its own engine.
        if keywords.get("format").and_then(Value::as_str) == Some("regex") {
            keywords.remove("format");
            self.weakened = true;
        }
        if let Some(Value::Object(named)) = keywords.get_mut("patternProperties") {
            let before = named.len();
            named.retain(|pattern, _| patterns::weight(pattern).is_some());
            if named.len() < before {
                // What these names were for is no longer known, so no name can be called unknown.
                keywords.remove("additionalProperties");
                self.weakened = true;
                self.names_weakened = true;
            }
        }
    }

    /// The library numbers the items behind a tuple from zero again, so an issue would name another item. A tuple that is closed is one with
    /// a greatest length; what may follow an open one is not checked.
    fn close_tuples(&mut self, keywords: &mut Map<String, Value>) {
        let length = |keyword: &str| keywords.get(keyword)?.as_array().map(Vec::len);
        let (length, rest) = match (length("prefixItems"), length("items")) {
            (Some(length), _) => (length, "items"),
            (None, Some(length)) => (length, "additionalItems"),
            (None, None) => return,
        };
        match keywords.get(rest) {
            None | Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) if rest == "items" => {
                let most = keywords.get("maxItems").and_then(Value::as_u64);
                let length = u64::try_from(length).unwrap_or(u64::MAX);
                keywords.remove(rest);
                let most = most.map_or(length, |most| most.min(length));
                keywords.insert("maxItems".to_owned(), most.into());
            }
            Some(Value::Bool(false)) => {}
            Some(_) => {
                keywords.remove(rest);
                self.weakened = true;
                self.names_weakened = true;
            }
        }
    }

    fn targets(&self) -> Option<HashMap<String, Target>> {
        self.references
            .iter()
            .map(|reference| Some((reference.clone(), self.target(reference)?)))
            .collect()
    }

    fn target(&self, reference: &str) -> Option<Target> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let is_own = base.is_empty() || self.root_identifier.as_deref() == Some(base);
        if !is_own {
            let known = boon::Draft::from_url(base).is_some();
            // The library walks a reference by recursion before it looks whether anything is there.
            let short = fragment.matches('/').count() <= MAX_TOOL_SCHEMA_DEPTH;
            return (known && short).then_some(Target::Metaschema);
        }
        let fragment = percent_decoded(fragment)?;
        let place = if fragment.is_empty() || fragment.starts_with('/') {
            fragment
        } else {
            self.anchors.get(&fragment)?.clone()
        };
        self.places.contains(&place).then_some(Target::Place(place))
    }
}

/// The keywords that give a schema an address of its own. A schema that names no draft may be read as any of them.
fn identifiers(schema: &Value) -> &'static [&'static str] {
    match schema.get("$schema").and_then(Value::as_str) {
        Some(draft) if draft.contains("draft-04") => &["id"],
        Some(_) => &["$id"],
        None => &["$id", "id"],
    }
}

/// A name as a step of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A fragment of a URL as text, or `None` where its escapes are none.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let value = digit()? * 16 + digit()?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}

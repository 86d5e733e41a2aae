//! A schema of a stranger, bounded, with its references resolved and without what cannot be checked.
//!
//! What the library does with a schema grows with the square of its parts and with the length of their addresses, and its recursion with
//! their depth: all of these are bounded here. References may lead to places in the same document or to the published metaschemas. One that
//! leads elsewhere, an expression that the engine does not know, a schema with an address of its own: only the schema that holds it lets
//! everything pass, and `weaken` sees to it that no other refuses more for that.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::patterns::{self, Reading};
use super::survey::{self, REFERENCES, Step, Survey, Target};
use super::weaken;
use crate::limits::{MAX_SCHEMA_ROUNDS, MAX_TOOL_SCHEMA_BYTES};
use mcp::limits::MAX_TOOL_SCHEMA_DEPTH;

/// A schema fit for use.
pub(super) struct Prepared {
    /// The schema.
    pub(super) document: Value,
    /// Where each reference leads, by its text.
    pub(super) targets: HashMap<String, Target>,
    /// Places that a dynamic reference may lead to.
    pub(super) dynamic: Vec<String>,
    /// What it takes in memory, about, with what the library makes of it.
    pub(super) bytes: usize,
}

impl Prepared {
    /// Without what stands at these places, each given by the names that lead there: the library cannot read it. `None` if that does not help.
    pub(super) fn without(self, wrong: &[Vec<String>]) -> Option<Self> {
        let mut document = self.document;
        let mut changed = false;
        for names in wrong {
            changed |= take_out(&mut document, names);
        }
        if changed { settled(document) } else { None }
    }
}

/// The schema, or `None` for one that cannot be used at all.
pub(super) fn prepare(schema: &Value, reading: Reading) -> Option<Prepared> {
    if !schema.is_object() {
        return None;
    }
    let mut room = MAX_TOOL_SCHEMA_BYTES;
    fits(schema, MAX_TOOL_SCHEMA_DEPTH, &mut room)?;
    let mut document = schema.clone();
    let survey = Survey::of(&document)?;
    drop_identities(&mut document, &survey);
    drop_unchecked(&mut document, &survey, reading);
    settled(document)
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

/// What is taken out may be what a reference leads to, so it is done until nothing is left to do.
fn settled(mut document: Value) -> Option<Prepared> {
    for _ in 0..MAX_SCHEMA_ROUNDS {
        let survey = Survey::of(&document)?;
        if drop_lost_references(&mut document, &survey) || weaken::settle(&mut document, &survey) {
            continue;
        }
        let targets = survey
            .references
            .iter()
            .map(|reference| Some((reference.text.clone(), survey.target(&reference.text)?)))
            .collect::<Option<_>>()?;
        let dynamic = survey
            .dynamic
            .iter()
            .filter_map(|node| survey.nodes.get(*node))
            .map(|node| node.place.clone())
            .collect();
        return Some(Prepared {
            bytes: bytes_of(&document, &survey),
            document,
            targets,
            dynamic,
        });
    }
    None
}

/// The document twice, the library's part of each schema, and the states of the expressions.
fn bytes_of(document: &Value, survey: &Survey) -> usize {
    // About what the library holds of one schema, and of one state of an expression.
    const PART_BYTES: usize = 1_000;
    const STATE_BYTES: u64 = 80;
    let mut room = usize::MAX;
    let text = match fits(document, MAX_TOOL_SCHEMA_DEPTH, &mut room) {
        Some(()) => usize::MAX - room,
        None => MAX_TOOL_SCHEMA_BYTES,
    };
    let weights = expressions(document, survey)
        .iter()
        .filter_map(|pattern| patterns::weight(pattern))
        .sum::<u64>();
    let states = usize::try_from(weights.saturating_mul(STATE_BYTES)).unwrap_or(usize::MAX);
    (2 * text + PART_BYTES * survey.nodes.len()).saturating_add(states)
}

/// Drops references that lead nowhere, and those to a metaschema whose own dynamic references would come back to places of this document.
/// Those that lead to a name lead to its place from now on. Whether there were any.
fn drop_lost_references(document: &mut Value, survey: &Survey) -> bool {
    let alone = stands_alone(document);
    let mut changed = false;
    for reference in &survey.references {
        let target = survey.target(&reference.text);
        let lost = match &target {
            None => true,
            Some(Target::Metaschema) => !survey.dynamic.is_empty(),
            Some(Target::Place(_)) => false,
        };
        let by_name = reference.keyword == "$ref"
            && reference.text.starts_with('#')
            && !reference.text.starts_with("#/")
            && reference.text != "#";
        let Some(node) = survey.nodes.get(reference.node) else {
            continue;
        };
        let Some(keywords) = object_at(document, &node.place) else {
            continue;
        };
        if lost {
            weaken::drop_reference(keywords, reference.keyword, alone);
            changed = true;
        } else if let (true, Some(Target::Place(place))) = (by_name, target) {
            // Drafts have names for places in different ways, and the library goes by the draft.
            keywords.insert("$ref".to_owned(), Value::String(survey::pointer(&place)));
            changed = true;
        }
    }
    changed
}

/// Whether the draft is one where nothing beside a reference counts.
fn stands_alone(document: &Value) -> bool {
    let draft = document.get("$schema").and_then(Value::as_str);
    draft.is_some_and(|draft| {
        ["draft-04", "draft-06", "draft-07"]
            .iter()
            .any(|old| draft.contains(old))
    })
}

fn object_at<'d>(document: &'d mut Value, place: &str) -> Option<&'d mut Map<String, Value>> {
    document.pointer_mut(place)?.as_object_mut()
}

/// Addresses of schemas. That of the document is taken out of its references. A schema within it that has one of its own reads references
/// and anchors otherwise than the rest: they are dropped.
fn drop_identities(document: &mut Value, survey: &Survey) {
    let identifiers = identifiers(document);
    let own = identifiers
        .iter()
        .find_map(|keyword| document.get(keyword)?.as_str())
        .map(|address| address.trim_end_matches('#').to_owned());
    let ambiguous: HashSet<&str> = survey.ambiguous_anchors().collect();
    let alone = stands_alone(document);
    // Parents come first, so a foreign one is known before what lies in it.
    let mut foreign = vec![false; survey.nodes.len()];
    for (number, node) in survey.nodes.iter().enumerate() {
        let Some(keywords) = object_at(document, &node.place) else {
            continue;
        };
        let has_address = take_address(keywords, identifiers);
        let of_parent = node.parent.and_then(|parent| foreign.get(parent).copied());
        let is_foreign = of_parent.unwrap_or(false) || has_address && node.parent.is_some();
        if let Some(known) = foreign.get_mut(number) {
            *known = is_foreign;
        }
        for keyword in ["$anchor", "$dynamicAnchor", "$recursiveAnchor"] {
            let name = keywords.get(keyword).and_then(Value::as_str);
            if is_foreign || name.is_some_and(|name| ambiguous.contains(name)) {
                keywords.remove(keyword);
            }
        }
        for keyword in REFERENCES {
            let Some(text) = keywords.get(keyword).and_then(Value::as_str) else {
                continue;
            };
            let rest = own.as_deref().and_then(|own| text.strip_prefix(own));
            if is_foreign && !matches!(survey.target(text), Some(Target::Metaschema)) {
                weaken::drop_reference(keywords, keyword, alone);
            } else if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('#'))
            {
                let rest = if rest.is_empty() { "#" } else { rest }.to_owned();
                keywords.insert(keyword.to_owned(), Value::String(rest));
            }
        }
    }
}

/// Takes the address of a schema away. Whether there was one: a fragment alone, as older drafts have it, is none.
fn take_address(keywords: &mut Map<String, Value>, identifiers: &[&str]) -> bool {
    let mut found = false;
    for identifier in identifiers {
        if let Some(address) = keywords.get(*identifier).and_then(Value::as_str) {
            found |= !address.starts_with('#');
            keywords.remove(*identifier);
        }
    }
    found
}

/// The keywords that give a schema an address of its own. A schema that names no draft may be read as any of them.
fn identifiers(schema: &Value) -> &'static [&'static str] {
    match schema.get("$schema").and_then(Value::as_str) {
        Some(draft) if draft.contains("draft-04") => &["id"],
        Some(_) => &["$id"],
        None => &["$id", "id"],
    }
}

/// Drops expressions that the engine does not know, and what the library would read otherwise than others do.
fn drop_unchecked(document: &mut Value, survey: &Survey, reading: Reading) {
    let known = patterns::readable(expressions(document, survey), reading);
    let is_unknown = |value: &Value| {
        value
            .as_str()
            .is_some_and(|pattern| !known.contains(pattern))
    };
    let names_its_draft = document.get("$schema").is_some();
    // What lies deeper first: its place is another once the words around it are.
    for node in survey.nodes.iter().rev() {
        let Some(keywords) = object_at(document, &node.place) else {
            continue;
        };
        if keywords.get("pattern").is_some_and(is_unknown) {
            weaken::drop_keyword(keywords, "pattern");
        }
        // Older drafts assert formats, and servers do as they like.
        weaken::drop_keyword(keywords, "format");
        // `explain` counts in both ways; what turns a length around cannot.
        if reading.pairs
            && ["minLength", "maxLength"]
                .iter()
                .any(|name| keywords.contains_key(*name))
        {
            weaken::mark(keywords);
        }
        if let Some(Value::Object(named)) = keywords.get_mut("patternProperties") {
            let before = named.len();
            named.retain(|pattern, _| known.contains(pattern.as_str()));
            if named.len() < before {
                // What these names were for is no longer known, so no name can be called unknown.
                keywords.remove("additionalProperties");
                weaken::mark(keywords);
            }
        }
        if !names_its_draft {
            modernise(keywords);
        }
        close_tuples(keywords);
    }
}

/// What older drafts wrote otherwise, in the words of the newest. OpenAPI 3.0 still writes so, and next to words that those drafts did not
/// have.
fn modernise(keywords: &mut Map<String, Value>) {
    for (exclusive, bound) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if let Some(Value::Bool(is_exclusive)) = keywords.get(exclusive) {
            let limit = if *is_exclusive {
                keywords.remove(bound)
            } else {
                None
            };
            keywords.remove(exclusive);
            keywords.extend(limit.map(|limit| (exclusive.to_owned(), limit)));
        }
    }
    if keywords.get("items").is_some_and(Value::is_array) && !keywords.contains_key("prefixItems") {
        let tuple = keywords.remove("items");
        let rest = keywords.remove("additionalItems");
        keywords.extend(tuple.map(|tuple| ("prefixItems".to_owned(), tuple)));
        keywords.extend(rest.map(|rest| ("items".to_owned(), rest)));
    }
}

/// All expressions of a document.
fn expressions(document: &Value, survey: &Survey) -> HashSet<String> {
    let schemas = survey
        .nodes
        .iter()
        .filter_map(|node| document.pointer(&node.place)?.as_object());
    schemas
        .flat_map(|keywords| {
            let pattern = keywords.get("pattern").and_then(Value::as_str);
            let named = keywords.get("patternProperties").and_then(Value::as_object);
            let names = named.into_iter().flat_map(Map::keys).map(String::as_str);
            pattern.into_iter().chain(names)
        })
        .map(str::to_owned)
        .collect()
}

/// The library numbers the items behind a tuple from zero again, so an issue would name another item. A tuple that is closed is one with
/// a greatest length; what may follow an open one is not checked.
fn close_tuples(keywords: &mut Map<String, Value>) {
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
            weaken::drop_keyword(keywords, rest);
        }
    }
}

/// Takes out the keyword that the names lead to or through, or the part that stands where a schema should. Whether it was there.
fn take_out(document: &mut Value, names: &[String]) -> bool {
    let mut place = String::new();
    let mut rest = names;
    while let Some(keywords) = document.pointer(&place).and_then(Value::as_object) {
        let Some((step, taken)) = survey::step(keywords, &place, rest) else {
            return false;
        };
        rest = rest.get(taken..).unwrap_or_default();
        match step {
            Step::Schema(inner) if !rest.is_empty() => place = inner,
            Step::Keyword(keyword) => {
                return object_at(document, &place)
                    .is_some_and(|keywords| weaken::drop_keyword(keywords, &keyword));
            }
            Step::Schema(inner) | Step::NoSchema(inner) => {
                let Some(part) = document.pointer_mut(&inner) else {
                    return false;
                };
                *part = weaken::anything();
                return true;
            }
        }
    }
    false
}

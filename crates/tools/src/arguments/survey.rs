//! Where the schemas of a document are, how they lead to each other, and where their references lead.

use std::collections::HashMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::limits::{MAX_TOOL_SCHEMA_ADDRESS_BYTES, MAX_TOOL_SCHEMA_PARTS};
use base::percent;
use mcp::limits::MAX_TOOL_SCHEMA_DEPTH;

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

/// Keywords that refer to other schemas.
pub(super) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// How a schema bears on the one that it lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// Held against the same value.
    SameValue,
    /// Held against a part of the value.
    Part,
    /// Not at all, unless something refers to it.
    Apart,
}

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A JSON pointer into the document.
    Place(String),
    /// A published metaschema.
    Metaschema,
}

/// One schema.
pub(super) struct Node {
    /// Its JSON pointer.
    pub(super) place: String,
    /// The keyword that it lies under in its parent.
    pub(super) keyword: String,
    /// Its parent, by number; none has the root.
    pub(super) parent: Option<usize>,
    /// What it is to its parent.
    pub(super) relation: Relation,
}

/// A reference as it stands there.
pub(super) struct Reference {
    /// The schema that it stands in, by number.
    pub(super) node: usize,
    /// Which kind of reference.
    pub(super) keyword: &'static str,
    /// Its text.
    pub(super) text: String,
}

/// A document of schemas, looked through.
#[derive(Default)]
pub(super) struct Survey {
    /// Parents before what lies in them.
    pub(super) nodes: Vec<Node>,
    /// All of them.
    pub(super) references: Vec<Reference>,
    /// Schemas that a dynamic reference may lead to.
    pub(super) dynamic: Vec<usize>,
    by_place: HashMap<String, usize>,
    /// None where a name stands in several places.
    anchors: HashMap<String, Option<usize>>,
    address_bytes: usize,
}

impl Survey {
    /// `None` for a document of too many schemas, or with too long addresses. Its depth is bounded before.
    pub(super) fn of(document: &Value) -> Option<Self> {
        let mut survey = Self::default();
        let root = Node {
            place: String::new(),
            keyword: String::new(),
            parent: None,
            relation: Relation::Apart,
        };
        survey.schema(document, root)?;
        Some(survey)
    }

    /// The schema at a place, by number.
    pub(super) fn node_at(&self, place: &str) -> Option<usize> {
        self.by_place.get(place).copied()
    }

    /// Names that stand in several places, so that no reference can mean one of them.
    pub(super) fn ambiguous_anchors(&self) -> impl Iterator<Item = &str> {
        self.anchors
            .iter()
            .filter(|(_, node)| node.is_none())
            .map(|(name, _)| name.as_str())
    }

    fn schema(&mut self, value: &Value, node: Node) -> Option<()> {
        if !is_schema(value) {
            return Some(());
        }
        let number = self.nodes.len();
        self.address_bytes += node.place.len();
        if number >= MAX_TOOL_SCHEMA_PARTS || self.address_bytes > MAX_TOOL_SCHEMA_ADDRESS_BYTES {
            return None;
        }
        let place = node.place.clone();
        self.by_place.insert(place.clone(), number);
        self.nodes.push(node);
        let Some(keywords) = value.as_object() else {
            return Some(());
        };
        self.names(keywords, number);
        for (keyword, inner) in keywords {
            if !DATA.contains(&keyword.as_str()) {
                self.below(keyword, inner, &place, number)?;
            }
        }
        Some(())
    }

    fn below(&mut self, keyword: &str, value: &Value, place: &str, parent: usize) -> Option<()> {
        let address = format!("{place}/{}", escaped(keyword));
        let node = |place: String| Node {
            place,
            keyword: keyword.to_owned(),
            parent: Some(parent),
            relation: relation(keyword),
        };
        // A word that is none of ours says yes or no, as `nullable` and the mark of `weaken` do.
        let is_schema = |item: &Value| {
            item.is_object() || item.is_boolean() && relation(keyword) != Relation::Apart
        };
        match value {
            Value::Object(entries) if MAPS.contains(&keyword) => {
                entries.iter().try_for_each(|(name, item)| {
                    self.schema(item, node(format!("{address}/{}", escaped(name))))
                })
            }
            Value::Array(items) => items
                .iter()
                .enumerate()
                .filter(|(_, item)| is_schema(item))
                .try_for_each(|(number, item)| {
                    self.schema(item, node(format!("{address}/{number}")))
                }),
            other if is_schema(other) => self.schema(other, node(address)),
            _ => Some(()),
        }
    }

    /// References and anchors of one schema.
    fn names(&mut self, keywords: &Map<String, Value>, node: usize) {
        let text = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
        for keyword in REFERENCES {
            if let Some(reference) = text(keyword) {
                self.references.push(Reference {
                    node,
                    keyword,
                    text: reference.to_owned(),
                });
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = text(keyword) {
                self.anchors
                    .entry(anchor.to_owned())
                    .and_modify(|known| *known = known.filter(|known| *known == node))
                    .or_insert(Some(node));
            }
        }
        let recursive = keywords.get("$recursiveAnchor") == Some(&Value::Bool(true));
        if text("$dynamicAnchor").is_some() || recursive {
            self.dynamic.push(node);
        }
    }

    /// Where a reference leads, if it leads anywhere. Nothing is fetched.
    pub(super) fn target(&self, reference: &str) -> Option<Target> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if !base.is_empty() {
            let known = boon::Draft::from_url(base).is_some();
            // The library walks a reference by recursion before it looks whether anything is there.
            let short = fragment.matches('/').count() <= MAX_TOOL_SCHEMA_DEPTH;
            return (known && short).then_some(Target::Metaschema);
        }
        let fragment = percent::decode(fragment)?;
        let node = if fragment.is_empty() || fragment.starts_with('/') {
            self.node_at(&fragment)?
        } else {
            (*self.anchors.get(&fragment)?)?
        };
        let place = self.nodes.get(node)?.place.clone();
        Some(Target::Place(place))
    }
}

/// One step on the way from a schema to what is below it.
pub(super) enum Step {
    /// To a schema.
    Schema(String),
    /// To something else, under this keyword.
    Keyword(String),
    /// To what stands where a schema should, at this place.
    NoSchema(String),
}

/// The step that begins with a keyword of a schema, and the number of the names that it takes.
pub(super) fn step(
    keywords: &Map<String, Value>,
    place: &str,
    names: &[String],
) -> Option<(Step, usize)> {
    let keyword = names.first()?;
    let value = keywords.get(keyword)?;
    let address = format!("{place}/{}", escaped(keyword));
    let at = |inner: &Value, address: String| {
        if is_schema(inner) {
            Step::Schema(address)
        } else {
            Step::NoSchema(address)
        }
    };
    let is_map = MAPS.contains(&keyword.as_str());
    if relation(keyword) == Relation::Apart && !is_map {
        return Some((Step::Keyword(keyword.clone()), 1));
    }
    Some(match (value, names.get(1)) {
        (Value::Object(entries), Some(name)) if is_map => {
            let inner = entries.get(name)?;
            (at(inner, format!("{address}/{}", escaped(name))), 2)
        }
        (Value::Array(items), Some(number)) => {
            let inner = items.get(number.parse::<usize>().ok()?)?;
            (at(inner, format!("{address}/{number}")), 2)
        }
        (Value::Object(_), Some(_)) => (Step::Schema(address), 1),
        _ => (Step::Keyword(keyword.clone()), 1),
    })
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

fn relation(keyword: &str) -> Relation {
    match keyword {
        "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas"
        | "dependencies" => Relation::SameValue,
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "items"
        | "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains" => Relation::Part,
        _ => Relation::Apart,
    }
}

/// A name as a step of a JSON pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// What a fragment of a URL holds as it is, as far as places have it.
const PLAIN: AsciiSet = NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'~')
    .remove(b'$')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.');

/// A place as a reference to it.
pub(super) fn pointer(place: &str) -> String {
    format!("#{}", utf8_percent_encode(place, &PLAIN))
}

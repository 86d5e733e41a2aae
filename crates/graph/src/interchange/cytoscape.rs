//! Cytoscape JSON: `{elements: {nodes: [{data: {id, …}, position}], edges: [{data: {source, target,
//! …}}]}}`, or one list of elements.
//!
//! Written by Cytoscape.js (`cy.json()`, `cy.elements().jsons()`), by Cytoscape ("CyJS") and by
//! NetworkX (`cytoscape_data`). An element's `locked` is our `pinned`. Fields that only concern
//! drawing, such as `selected`, and the style and view of the document are not kept.

use base::known::{self, Given};
use base::{Error, Result};
use serde_json::value::RawValue;

use super::attributes::{self, Around, Attributes};
use super::collector::{Collector, too_many_items};
use super::lists;
use super::write::{ORIGINAL_ID, is_renamed};
use crate::limits::MAX_ITEMS;
use crate::model::{Drafts, EdgeDraft, NodeDraft, Position};

const WHAT: &str = "Cytoscape JSON {\"elements\": {\"nodes\": […], \"edges\": […]}}";

/// The fields of an element. Those after `classes` only concern its drawing and handling.
const ELEMENT: &[&str] = &[
    "data",
    "group",
    "position",
    "locked",
    "classes",
    "scratch",
    "removed",
    "selected",
    "selectable",
    "grabbable",
    "pannable",
    "style",
    "css",
    "visible",
];

/// The attributes that may be the label of an edge. Cytoscape calls the relation `interaction`, and
/// the whole edge `name`.
const EDGE_LABELS: &[&str] = &["label", "interaction", "name"];

/// Parses a graph.
pub(super) fn read(text: &str) -> Result<Drafts> {
    let elements: Elements<'_> = if text.trim_start().starts_with('[') {
        let raw: &RawValue =
            serde_json::from_str(text).map_err(|error| lists::no_json(text, WHAT, &error))?;
        Elements::of_list(raw)?
    } else {
        let fields = lists::document(text, WHAT)?;
        match fields.iter().find(|(name, _)| name == "elements") {
            Some((_, raw)) if raw.get().starts_with('[') => Elements::of_list(raw)?,
            Some((_, raw)) => Elements::of_groups(&lists::document(raw.get(), WHAT)?)?,
            None => Elements::of_groups(&fields)?,
        }
    };
    let mut collector = Collector::default();
    for raw in elements.nodes {
        collector.node(Element::parse(raw).and_then(Element::node))?;
    }
    for raw in elements.edges {
        collector.edge(Element::parse(raw).and_then(Element::edge))?;
    }
    collector.finish()
}

/// Returns true if the first item of a list of nodes is an element and not one of our nodes, which
/// may also have `data` but always have a label.
pub(super) fn is_elements(nodes: &RawValue) -> bool {
    let Ok(items) = lists::items("nodes", nodes) else {
        return false;
    };
    let first = items.first().and_then(|raw| lists::object("", raw).ok());
    first.is_some_and(|fields| {
        let has = |wanted: &str| fields.iter().any(|(name, _)| name == wanted);
        has("data") && !has("label") && !has("id")
    })
}

/// The elements of a document.
struct Elements<'a> {
    nodes: Vec<&'a RawValue>,
    edges: Vec<&'a RawValue>,
}

impl<'a> Elements<'a> {
    fn of_groups(fields: &[(String, &'a RawValue)]) -> Result<Self> {
        known::check(
            Given::Field,
            fields.iter().map(|(name, _)| name.as_str()),
            &["nodes", "edges"],
        )?;
        let list = |wanted: &str| -> Result<Vec<&'a RawValue>> {
            let found = fields.iter().find(|(name, _)| name == wanted);
            let items = found.map(|(_, raw)| lists::items(wanted, raw));
            Ok(items.transpose()?.unwrap_or_default())
        };
        let (nodes, edges) = (list("nodes")?, list("edges")?);
        if nodes.len() + edges.len() > MAX_ITEMS {
            return Err(too_many_items());
        }
        Ok(Self { nodes, edges })
    }

    /// Splits a list into nodes and edges. An element without a group is an edge if it has a
    /// source, as in Cytoscape.js.
    fn of_list(raw: &'a RawValue) -> Result<Self> {
        let (edges, nodes) = lists::items("elements", raw)?
            .into_iter()
            .partition(|raw| is_edge(raw));
        Ok(Self { nodes, edges })
    }
}

fn is_edge(raw: &RawValue) -> bool {
    let Ok(fields) = lists::object("an element", raw) else {
        return false;
    };
    let field = |wanted: &str| fields.iter().find(|(name, _)| name == wanted);
    if let Some((_, group)) = field("group") {
        return group.get() == "\"edges\"";
    }
    field("data")
        .and_then(|(_, data)| lists::object("data", data).ok())
        .is_some_and(|data| data.iter().any(|(name, _)| name == "source"))
}

/// The parts of one element.
struct Element<'a> {
    data: Attributes<'a>,
    position: Option<Position>,
    locked: Option<bool>,
}

impl<'a> Element<'a> {
    fn parse(raw: &'a RawValue) -> Result<Self> {
        let fields = lists::object("an element", raw)?;
        known::check(
            Given::Field,
            fields.iter().map(|(name, _)| name.as_str()),
            ELEMENT,
        )?;
        let field = |wanted: &str| {
            let found = fields.iter().find(|(name, _)| name == wanted);
            found.map(|(_, raw)| *raw).filter(|raw| raw.get() != "null")
        };
        let data = field("data").ok_or_else(|| Error::invalid("the field data is missing"))?;
        let mut data = Attributes::of_object(lists::object("data", data)?);
        if let Some(classes) = field("classes").filter(|raw| !is_empty(raw))
            && !data.has("classes")
        {
            data.add("classes", classes.get().to_owned());
        }
        let locked = field("locked").map(|raw| serde_json::from_str(raw.get()));
        Ok(Self {
            data,
            position: field("position").map(position).transpose()?.flatten(),
            locked: locked
                .transpose()
                .map_err(|_| Error::invalid("locked must be true or false"))?,
        })
    }

    fn node(mut self) -> Result<NodeDraft> {
        let id = self.data.take_id("id")?;
        let id = match id {
            Some(id) => Some(id),
            // NetworkX puts the id of the node here.
            None => self.data.take_id("value")?,
        };
        if let Some(id) = &id {
            self.data.take_repeated("value", id);
        }
        // Cytoscape and we repeat the label as `name`; NetworkX repeats the id.
        if let Some(label) = self.data.word("label") {
            self.data.take_repeated("name", &label);
            self.data
                .take_repeated("name", id.as_deref().unwrap_or_default());
        }
        let around = Around {
            id,
            position: self.position,
            // `locked: false` counts as absent, because Cytoscape.js writes the field for every
            // element.
            pinned: self.locked.filter(|locked| *locked),
        };
        attributes::node(self.data, around)
    }

    fn edge(mut self) -> Result<EdgeDraft> {
        let ends = (self.data.take_id("source")?, self.data.take_id("target")?);
        let mut id = self.data.take_id("id")?;
        self.data.take_repeated_id(id.as_deref());
        if let (Some(new), Some(original)) = (&id, self.data.word(ORIGINAL_ID))
            && is_renamed(new, &original)
        {
            self.data.take_repeated(ORIGINAL_ID, &original);
            id = Some(original);
        }
        attributes::edge(self.data, id, ends, EDGE_LABELS)
    }
}

fn is_empty(classes: &RawValue) -> bool {
    matches!(classes.get(), "\"\"" | "[]")
}

/// Returns the position of an element. Cytoscape.js gives edges an empty one.
fn position(raw: &RawValue) -> Result<Option<Position>> {
    if lists::object("position", raw)?.is_empty() {
        return Ok(None);
    }
    let (x, y) = attributes::point(raw.get())
        .ok_or_else(|| Error::invalid("position must be an object of two numbers, x and y"))?;
    Position::new(x, y).map(Some)
}

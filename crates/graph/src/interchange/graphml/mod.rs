//! GraphML as NetworkX, igraph, Gephi, Cytoscape and yEd write it: keys, then one graph of nodes
//! and edges with data.
//!
//! Our graphs have no hyperedges, so each hyperedge is an issue. A graph within a node, which is a
//! group in yEd, becomes part of the graph, and each of its nodes has the id of the group as
//! `parent`, like Cytoscape's compound nodes. A notice names everything that is lost or changed
//! without losing a node or an edge: groups, ports, XML in a value, text between elements, XML
//! attributes that GraphML does not have. Of yEd's drawings, the first label and the position are
//! read. The attributes and the description of the graph itself are not kept, nor is the direction
//! of edges, except for an edge that states its own.

mod graphics;
mod keys;
mod notices;
mod xml;

use std::borrow::Cow;
use std::collections::HashSet;

use base::{Error, Result};

use self::graphics::Graphics;
use self::keys::Keys;
use self::notices::{NoticeKind, Notices, Of};
use self::xml::{Element, Xml};
use super::attributes::{self, Around, Attributes};
use super::collector::Collector;
use super::{FileContent, json_text, shown};
use crate::limits::MAX_ATTRIBUTES;
use crate::model::{EdgeDraft, NodeDraft};

/// The attributes that may be the label of an edge. Gephi calls it `Edge Label`, Cytoscape calls
/// the relation `interaction` and the whole edge `name`.
const EDGE_LABELS: &[&str] = &["label", "Edge Label", "interaction", "name"];

/// The XML attributes of a node and of an edge. `label` is not part of GraphML, but Gephi reads it
/// and many programs write it.
const NODE_XML: &[&str] = &["id", "label"];
const EDGE_XML: &[&str] = &[
    "id",
    "source",
    "target",
    "directed",
    "sourceport",
    "targetport",
    "label",
];

/// The prefixes of XML attributes that only concern how to read or draw the file.
const TECHNICAL: &[&str] = &["parse.", "yfiles."];

/// The attribute of a node that contains the id of its group.
const GROUP: &str = "parent";

const FLATTEN: &str = "write only nodes, edges between two nodes, and their data";

/// Parses a graph, with notices about the parts of the file that are not kept.
pub(super) fn read(text: &str) -> Result<FileContent> {
    let mut xml = Xml::new(text);
    let root = xml.child()?;
    if root.is_none_or(|root| root.name != "graphml") {
        let hint = "begin the file with the element graphml";
        return Err(xml.error("its root is not the element graphml", Some(hint)));
    }
    let mut reader = GraphMl {
        xml,
        keys: Keys::default(),
        collector: Collector::default(),
        notices: Notices::default(),
    };
    let mut graphs = 0;
    while let Some(element) = reader.xml.child()? {
        match element.name.as_str() {
            "key" => reader
                .keys
                .read(&mut reader.xml, &element, &mut reader.notices)?,
            "graph" if graphs > 0 => {
                let hint = "send each graph as a file of its own";
                return Err(reader.xml.error("there are several graphs", Some(hint)));
            }
            "graph" => {
                graphs += 1;
                reader.graph(None)?;
            }
            // The attributes and the description of the document, and extensions of other programs.
            _ => reader.xml.skip()?,
        }
    }
    if reader.xml.child()?.is_some() {
        return Err(reader.xml.error("there is an element after the root", None));
    }
    if graphs == 0 {
        return Err(reader.xml.error("it has no element graph", None));
    }
    if let Some(stray) = reader.xml.stray().filter(|_| reader.collector.is_empty()) {
        let hint = "a graph has elements: <node id=\"a\"/>";
        return Err(reader.xml.error(&stray, Some(hint)));
    }
    reader.name_edges();
    let notices = reader.notices.sentences().chain(reader.xml.stray());
    Ok(FileContent {
        notices: notices.collect(),
        drafts: reader.collector.finish()?,
    })
}

struct GraphMl<'a> {
    xml: Xml<'a>,
    keys: Keys,
    collector: Collector,
    notices: Notices,
}

/// A node or edge while it is read. The first error in it is kept.
#[derive(Default)]
struct Item {
    attributes: Vec<(String, Cow<'static, str>)>,
    graphics: Graphics,
    problem: Option<Error>,
}

impl Item {
    fn fail(&mut self, error: impl FnOnce() -> Error) {
        self.problem.get_or_insert_with(error);
    }

    fn add(&mut self, name: &str, json: String) {
        if self.attributes.len() == MAX_ATTRIBUTES {
            self.fail(|| Error::invalid(format!("it has more than {MAX_ATTRIBUTES} attributes")));
            return;
        }
        self.attributes.push((name.to_owned(), Cow::Owned(json)));
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, json)| json.as_ref())
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns its attributes. The label of its drawing is added if there is no other.
    fn finish(mut self) -> Result<(Attributes<'static>, Graphics)> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        if let Some(label) = self.graphics.label.take()
            && !self.has("label")
            && !self.has("name")
        {
            self.attributes
                .push(("label".to_owned(), Cow::Owned(json_text(&label))));
        }
        Ok((Attributes::of_texts(self.attributes)?, self.graphics))
    }
}

impl GraphMl<'_> {
    /// Reads the graph whose element has just opened; `group` is the id of the node around it. The
    /// limit on the depth of elements bounds the recursion.
    fn graph(&mut self, group: Option<&str>) -> Result<()> {
        while let Some(element) = self.xml.child()? {
            match element.name.as_str() {
                "node" => {
                    // A group comes before its nodes.
                    let place = self.collector.next_node()?;
                    let mut item = self.item(Of::Node, &element)?;
                    if let Some(group) = group {
                        self.put_into(group, &mut item);
                    }
                    self.collector.node_at(place, node(&element, item));
                }
                "edge" => {
                    let item = self.item(Of::Edge, &element)?;
                    self.collector.edge(edge(&element, item))?;
                }
                "hyperedge" => {
                    self.xml.skip()?;
                    let message = "a hyperedge connects more than two nodes";
                    let error = Error::invalid_with_hint(message, FLATTEN);
                    self.collector.edge(Err(error))?;
                }
                "data" | "desc" => self.xml.skip()?,
                other => {
                    let problem = format!("a graph cannot contain the element {}", shown(other));
                    return Err(self.xml.error(&problem, Some(FLATTEN)));
                }
            }
        }
        Ok(())
    }

    /// Reads the content of a node's or an edge's element.
    fn item(&mut self, of: Of, element: &Element) -> Result<Item> {
        let mut item = Item::default();
        while let Some(child) = self.xml.child()? {
            match child.name.as_str() {
                "data" => self.data(of, &child, &mut item)?,
                "desc" => match self.xml.text()? {
                    Some(text) => item.add("desc", json_text(&text)),
                    None => self.notices.add(NoticeKind::Markup(of, "desc".to_owned())),
                },
                "port" => {
                    self.xml.skip()?;
                    self.notices.add(NoticeKind::Port);
                }
                "graph" if of == Of::Node => {
                    self.notices.add(NoticeKind::Group);
                    self.graph(element.get("id"))?;
                }
                other => {
                    self.xml.skip()?;
                    item.fail(|| unsupported(other));
                }
            }
        }
        self.attributes_of_xml(of, element, &mut item);
        let mut defaults = Vec::new();
        let add = |name: &str, json: &str| defaults.push((name.to_owned(), json.to_owned()));
        self.keys.add_defaults(of, add, |name| item.has(name))?;
        for (name, json) in defaults {
            item.add(&name, json);
        }
        Ok(item)
    }

    /// Adds the id of its group to a node. An existing attribute with that name is kept, and the
    /// group is lost.
    fn put_into(&mut self, group: &str, item: &mut Item) {
        if item.has(GROUP) {
            self.notices.add(NoticeKind::LostGroup);
        } else {
            item.add(GROUP, json_text(group));
        }
    }

    /// Reads the label in the element's XML attributes, and adds notices about unknown ones.
    fn attributes_of_xml(&mut self, of: Of, element: &Element, item: &mut Item) {
        let known = match of {
            Of::Node => NODE_XML,
            Of::Edge => EDGE_XML,
        };
        for name in element.names() {
            let is_port = matches!(name, "sourceport" | "targetport");
            if of == Of::Edge && is_port {
                self.notices.add(NoticeKind::Port);
            } else if !known.contains(&name) && !TECHNICAL.iter().any(|of| name.starts_with(of)) {
                self.notices
                    .add(NoticeKind::XmlAttribute(of, name.to_owned()));
            }
        }
        let Some(label) = element.get("label") else {
            return;
        };
        let label = json_text(label);
        match item.get("label") {
            None => item.add("label", label),
            Some(own) if own == label => {}
            Some(_) => self
                .notices
                .add(NoticeKind::XmlAttribute(of, "label".to_owned())),
        }
    }

    fn data(&mut self, of: Of, element: &Element, item: &mut Item) -> Result<()> {
        let id = element.get("key").unwrap_or_default();
        let Some((key, is_declared)) = self.keys.get(of, id) else {
            self.xml.skip()?;
            item.fail(|| {
                Error::invalid_with_hint(
                    format!(
                        "its data refers to the key {}, which is not declared",
                        shown(id)
                    ),
                    "declare each key before the graph",
                )
            });
            return Ok(());
        };
        if !is_declared {
            self.notices.add(NoticeKind::ForeignKey(of, id.to_owned()));
        }
        if key.is_graphics {
            return item.graphics.read(&mut self.xml);
        }
        let Some(text) = self.xml.text()? else {
            self.notices.add(NoticeKind::Markup(of, key.name.clone()));
            return Ok(());
        };
        match key.value(&text) {
            Ok(Some(json)) => item.add(&key.name, json),
            Ok(None) => {}
            Err(problem) => {
                let name = shown(&key.name);
                item.fail(|| Error::invalid(format!("the attribute {name}: {problem}")));
            }
        }
        Ok(())
    }

    /// Decides what the ids of edges mean. NetworkX writes the keys of parallel edges there, which
    /// repeat for many pairs of nodes: if an id occurs twice, all ids are keys, and each is added
    /// to `data`.
    fn name_edges(&mut self) {
        let mut ids = HashSet::new();
        let are_keys = self
            .collector
            .edges_mut()
            .filter_map(|(_, edge)| edge.id.clone())
            .any(|id| !ids.insert(id));
        if !are_keys {
            return;
        }
        let mut problems = Vec::new();
        for (index, edge) in self.collector.edges_mut() {
            let Some(key) = edge.id.take() else { continue };
            match attributes::with_field(edge.data.as_ref(), "key", &json_text(&key)) {
                Ok(data) => edge.data = Some(data),
                Err(error) => problems.push((index, error)),
            }
        }
        for (index, error) in problems {
            self.collector.edge_issue(index, &error);
        }
    }
}

fn unsupported(element: &str) -> Error {
    let message = match element {
        "graph" => "an edge contains a graph".to_owned(),
        "locator" => "it refers to another file, which is not read".to_owned(),
        other => format!("the element {} is not supported", shown(other)),
    };
    Error::invalid_with_hint(message, FLATTEN)
}

fn node(element: &Element, item: Item) -> Result<NodeDraft> {
    let (attributes, graphics) = item.finish()?;
    let id = element
        .get("id")
        .ok_or_else(|| Error::invalid("the node has no id"))?;
    let position = if attributes.has("x") && attributes.has("y") {
        None
    } else {
        graphics.position()?
    };
    let around = Around {
        id: Some(id.to_owned()),
        position,
        pinned: None,
    };
    attributes::node(attributes, around)
}

fn edge(element: &Element, mut item: Item) -> Result<EdgeDraft> {
    if let Some(directed) = element.get("directed") {
        item.add("directed", json_text(directed));
    }
    let (mut attributes, _) = item.finish()?;
    attributes.take_repeated_id(element.get("id"));
    if let Some(id) = element.get("id") {
        // Some versions of Gephi repeat the id here.
        attributes.take_repeated("Edge Id", id);
    }
    let text = |name: &str| element.get(name).map(str::to_owned);
    let ends = (text("source"), text("target"));
    attributes::edge(attributes, text("id"), ends, EDGE_LABELS)
}

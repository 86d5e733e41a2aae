//! Writes graphs piece by piece: the caller appends rows to its own buffer, and sends the buffer on
//! when it is long enough.
//!
//! A [`Survey`] comes first, because GraphML and CSV declare their attributes before the first row;
//! for the other formats it need not see the rows. Then a [`NodesWriter`] writes all nodes, and the
//! [`EdgesWriter`] that it becomes writes all edges. A field of `data` becomes an attribute of its
//! own if the format can represent it without loss; all other fields go into one attribute `data`.

mod csv;
mod flat;
mod graphml;
mod graphml_keys;
mod json;
mod renames;
mod split;
mod survey;
mod xml_text;

use std::collections::HashSet;

use base::Result;

use super::Format;

pub use renames::Renames;
pub(crate) use renames::{ORIGINAL_ID, is_renamed};
pub use survey::Survey;

/// A node as it is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeRow<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its name for people.
    pub label: &'a str,
    /// Its type.
    pub kind: &'a str,
    /// The JSON text of an object.
    pub data: &'a str,
    /// The horizontal coordinate, to the right, in units of a layout.
    pub x: f64,
    /// The vertical coordinate, downwards.
    pub y: f64,
    /// True if layouts do not move it.
    pub pinned: bool,
    /// The time of its creation, as ISO 8601.
    pub created_at: &'a str,
    /// The time of its last change, as ISO 8601.
    pub updated_at: &'a str,
}

/// An edge as it is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeRow<'a> {
    /// Its id.
    pub id: &'a str,
    /// The id of the node that it leaves.
    pub source: &'a str,
    /// The id of the node that it enters.
    pub target: &'a str,
    /// Its name for people; may be empty.
    pub label: &'a str,
    /// Its type; may be empty.
    pub kind: &'a str,
    /// The JSON text of an object.
    pub data: &'a str,
    /// The time of its creation, as ISO 8601.
    pub created_at: &'a str,
    /// The time of its last change, as ISO 8601.
    pub updated_at: &'a str,
}

/// A writer of nodes.
#[derive(Debug)]
pub struct NodesWriter {
    survey: Survey,
    empty: bool,
}

/// A writer of edges, which come after the nodes.
#[derive(Debug)]
pub struct EdgesWriter {
    survey: Survey,
    empty: bool,
}

impl NodesWriter {
    /// Writes the text before the first node.
    pub fn begin(survey: Survey, out: &mut String) -> Self {
        match survey.format() {
            Format::Json => json::begin(out),
            Format::NodeLink => flat::begin_node_link(out),
            Format::Cytoscape => flat::begin_cytoscape(out),
            Format::GraphMl => graphml::begin(&survey, out),
            Format::Csv => csv::begin(&survey, out),
        }
        Self {
            survey,
            empty: true,
        }
    }

    /// Writes the next node. CSV has no nodes.
    ///
    /// # Errors
    /// [`base::CommonError::Internal`] if its data is not a JSON object.
    pub fn node(&mut self, node: &NodeRow<'_>, out: &mut String) -> Result<()> {
        separate(self.survey.format(), &mut self.empty, out);
        match self.survey.format() {
            Format::Json => json::node(node, out),
            Format::NodeLink => flat::node_link_node(node, out)?,
            Format::Cytoscape => flat::cytoscape_node(node, out)?,
            Format::GraphMl => graphml::node(&self.survey, node, out)?,
            Format::Csv => {}
        }
        Ok(())
    }

    /// Writes the text between nodes and edges.
    pub fn edges(self, out: &mut String) -> EdgesWriter {
        if is_json(self.survey.format()) {
            out.push_str("\n],\n\"edges\":[\n");
        }
        EdgesWriter {
            survey: self.survey,
            empty: true,
        }
    }
}

impl EdgesWriter {
    /// Writes the next edge.
    ///
    /// # Errors
    /// [`base::CommonError::Internal`] if its data is not a JSON object.
    pub fn edge(&mut self, edge: &EdgeRow<'_>, out: &mut String) -> Result<()> {
        separate(self.survey.format(), &mut self.empty, out);
        match self.survey.format() {
            Format::Json => json::edge(edge, out),
            Format::NodeLink => flat::node_link_edge(edge, out)?,
            Format::Cytoscape => flat::cytoscape_edge(&self.survey, edge, out)?,
            Format::GraphMl => graphml::edge(&self.survey, edge, out)?,
            Format::Csv => csv::edge(&self.survey, edge, out)?,
        }
        Ok(())
    }

    /// Writes the text after the last edge.
    pub fn finish(self, out: &mut String) {
        match self.survey.format() {
            Format::Json | Format::NodeLink => out.push_str("\n]}\n"),
            Format::Cytoscape => out.push_str("\n]}}\n"),
            Format::GraphMl => out.push_str("</graph>\n</graphml>\n"),
            Format::Csv => {}
        }
    }
}

/// Writes a whole graph.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for an id that the format cannot represent,
/// [`base::CommonError::Internal`] for data that is not a JSON object.
pub fn write(format: Format, nodes: &[NodeRow<'_>], edges: &[EdgeRow<'_>]) -> Result<String> {
    let mut survey = Survey::new(format);
    if format.has_one_table() {
        survey = survey.with_renames(renames(nodes, edges)?);
    }
    if format.needs_survey() {
        for node in nodes {
            survey.node(node)?;
        }
        for edge in edges {
            survey.edge(edge)?;
        }
    }
    let mut out = String::new();
    let mut writer = NodesWriter::begin(survey, &mut out);
    for node in nodes {
        writer.node(node, &mut out)?;
    }
    let mut writer = writer.edges(&mut out);
    for edge in edges {
        writer.edge(edge, &mut out)?;
    }
    writer.finish(&mut out);
    Ok(out)
}

fn renames(nodes: &[NodeRow<'_>], edges: &[EdgeRow<'_>]) -> Result<Renames> {
    let mut taken: HashSet<&str> = nodes.iter().map(|node| node.id).collect();
    let ids = edges.iter().map(|edge| edge.id);
    let shared: Vec<String> = ids
        .clone()
        .filter(|id| taken.contains(id))
        .map(str::to_owned)
        .collect();
    taken.extend(ids);
    Renames::new(shared, |id| Ok(taken.contains(id)))
}

fn is_json(format: Format) -> bool {
    matches!(format, Format::Json | Format::NodeLink | Format::Cytoscape)
}

/// Writes the comma before every JSON item but the first. Each item is on its own line.
fn separate(format: Format, empty: &mut bool, out: &mut String) {
    if is_json(format) && !std::mem::take(empty) {
        out.push_str(",\n");
    }
}

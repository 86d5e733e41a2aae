//! Turns the rows of a result into nodes and edges, one after the other.
//!
//! A node without a mapped id has its label as id. Rows with the same node id make one node. Rows
//! with the same edge id make one edge; without a mapped id, rows with the same ends, label and
//! type do. The first row decides, and later rows fill in fields of data that were NULL so far. A
//! notice reports how many rows had other values. A row whose label or id is NULL or blank makes no
//! node, and one whose source or target is NULL or blank makes no edge. Numbers as ids, labels and
//! types become texts.

use std::collections::HashMap;

use base::{CommonError, Error, Result};
use serde_json::value::RawValue;

use super::{EdgeMapping, NodeMapping, Source};
use crate::drafts::Issues;
use crate::error::ItemList;
use crate::interchange::{json_text, word};
use crate::limits::{MAX_ITEMS, MAX_REPEATED_BYTES};
use crate::model::{
    Data, Drafts, EdgeDraft, NodeDraft, Position, check_id, check_label, check_type,
};

/// A reader of the rows of a result.
#[derive(Debug)]
pub struct Rows {
    columns: usize,
    node_mappings: Vec<NodeMapping<Source>>,
    edge_mappings: Vec<EdgeMapping<Source>>,
    rows: usize,
    skipped_nodes: usize,
    skipped_edges: usize,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    node_ids: HashMap<String, usize>,
    edges_by_key: HashMap<EdgeKey, usize>,
    /// Rows whose data differs from that of the edge that an earlier row made.
    differing_rows: usize,
    constant_bytes: usize,
    issues: Issues,
}

/// The nodes and edges made from rows.
#[derive(Debug, Clone, PartialEq)]
pub struct MappedRows {
    /// Nodes, with their ids, and edges, in the order of the rows that made them.
    pub drafts: Drafts,
    /// The number of rows that were read.
    pub rows: usize,
    /// The number of times a row made no node because its label or id is NULL.
    pub skipped_nodes: usize,
    /// The number of times a row made no edge because its source or target is NULL.
    pub skipped_edges: usize,
    /// The number of times the data of a row for an existing edge differed and was dropped.
    pub differing_rows: usize,
}

/// The key by which two rows make the same edge.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum EdgeKey {
    /// The mapped id.
    Id(String),
    /// Source, target, label and type.
    Ends([String; 4]),
}

/// A node, with the JSON of each field of data that is known.
#[derive(Debug)]
struct Node {
    /// The row that made it.
    row: usize,
    draft: NodeDraft,
    fields: Fields,
}

#[derive(Debug)]
struct Edge {
    /// The row that made it.
    row: usize,
    draft: EdgeDraft,
    fields: Fields,
}

#[derive(Debug, Default)]
struct Fields(Vec<(String, String)>);

impl Rows {
    pub(super) fn new(
        columns: usize,
        node_mappings: Vec<NodeMapping<Source>>,
        edge_mappings: Vec<EdgeMapping<Source>>,
    ) -> Self {
        Self {
            columns,
            node_mappings,
            edge_mappings,
            rows: 0,
            skipped_nodes: 0,
            skipped_edges: 0,
            nodes: Vec::new(),
            edges: Vec::new(),
            node_ids: HashMap::new(),
            edges_by_key: HashMap::new(),
            differing_rows: 0,
            constant_bytes: 0,
            issues: Issues::default(),
        }
    }

    /// Reads the next row: a JSON array of values in the order of the columns. Errors of its nodes
    /// and edges are reported at the end.
    ///
    /// # Errors
    /// [`CommonError::TooBig`] beyond [`MAX_ITEMS`] or [`MAX_REPEATED_BYTES`];
    /// [`CommonError::Internal`] if the text is not a row of the result.
    pub fn row(&mut self, row: &str) -> Result<()> {
        let cells: Vec<&RawValue> = serde_json::from_str(row)
            .map_err(|error| Error::internal(format!("a row is not a JSON array: {error}")))?;
        if cells.len() != self.columns {
            return Err(Error::internal(format!(
                "a row has {} values, the result {} columns",
                cells.len(),
                self.columns
            )));
        }
        let row = Row(&cells);
        let index = self.rows;
        self.rows += 1;
        for mapping in std::mem::take(&mut self.node_mappings) {
            match row.node(&mapping) {
                Ok(Some(draft)) => self.add_node(draft, &mapping, &row)?,
                Ok(None) => self.skipped_nodes += 1,
                Err(error) => self.issues.add_error(ItemList::Nodes, index, &error),
            }
            self.node_mappings.push(mapping);
        }
        for mapping in std::mem::take(&mut self.edge_mappings) {
            match row.edge(&mapping) {
                Ok(Some(draft)) => self.add_edge(draft, &mapping, &row)?,
                Ok(None) => self.skipped_edges += 1,
                Err(error) => self.issues.add_error(ItemList::Edges, index, &error),
            }
            self.edge_mappings.push(mapping);
        }
        if self.nodes.len() + self.edges.len() > MAX_ITEMS {
            return Err(Error::from(CommonError::TooBig {
                message: format!("the rows make more than {MAX_ITEMS} nodes and edges"),
                hint: "select fewer rows, and import the others with another query".to_owned(),
            }));
        }
        Ok(())
    }

    /// Returns all nodes and edges.
    ///
    /// # Errors
    /// [`crate::GraphError::InvalidItems`] with the rows from which a node or an edge cannot be
    /// made; an index is that of the row.
    pub fn finish(mut self) -> Result<MappedRows> {
        let mut drafts = Drafts::default();
        for node in self.nodes {
            match node.fields.data() {
                Ok(data) => drafts.nodes.push(NodeDraft { data, ..node.draft }),
                Err(error) => self.issues.add_error(ItemList::Nodes, node.row, &error),
            }
        }
        for edge in self.edges {
            match edge.fields.data() {
                Ok(data) => drafts.edges.push(EdgeDraft { data, ..edge.draft }),
                Err(error) => self.issues.add_error(ItemList::Edges, edge.row, &error),
            }
        }
        self.issues.check()?;
        Ok(MappedRows {
            drafts,
            rows: self.rows,
            skipped_nodes: self.skipped_nodes,
            skipped_edges: self.skipped_edges,
            differing_rows: self.differing_rows,
        })
    }

    fn add_node(
        &mut self,
        draft: NodeDraft,
        mapping: &NodeMapping<Source>,
        row: &Row<'_>,
    ) -> Result<()> {
        let id = draft.id.clone().unwrap_or_default();
        let next = self.nodes.len();
        let index = *self.node_ids.entry(id).or_insert(next);
        if index == next {
            self.nodes.push(Node {
                row: self.rows.saturating_sub(1),
                draft,
                fields: Fields::default(),
            });
        }
        if let Some(node) = self.nodes.get_mut(index) {
            self.constant_bytes += node.fields.fill(&mapping.data, row);
        }
        self.check_constants()
    }

    fn add_edge(
        &mut self,
        draft: EdgeDraft,
        mapping: &EdgeMapping<Source>,
        row: &Row<'_>,
    ) -> Result<()> {
        let key = match &draft.id {
            Some(id) => EdgeKey::Id(id.clone()),
            None => EdgeKey::Ends(
                [&draft.source, &draft.target, &draft.label, &draft.kind].map(Clone::clone),
            ),
        };
        let is_named = draft.id.is_some();
        let next = self.edges.len();
        let index = *self.edges_by_key.entry(key).or_insert(next);
        if index == next {
            self.edges.push(Edge {
                row: self.rows.saturating_sub(1),
                draft,
                fields: Fields::default(),
            });
        }
        if let Some(edge) = self.edges.get_mut(index) {
            if index != next && !is_named && edge.fields.differ(&mapping.data, row) {
                self.differing_rows += 1;
            }
            self.constant_bytes += edge.fields.fill(&mapping.data, row);
        }
        self.check_constants()
    }

    fn check_constants(&self) -> Result<()> {
        if self.constant_bytes > MAX_REPEATED_BYTES {
            return Err(Error::from(CommonError::TooBig {
                message: format!(
                    "the names and constants of data, written once for each row, have more than {MAX_REPEATED_BYTES} bytes"
                ),
                hint: "use shorter names and constants in data".to_owned(),
            }));
        }
        Ok(())
    }
}

/// The values of one row.
struct Row<'r>(&'r [&'r RawValue]);

impl<'r> Row<'r> {
    /// Returns the JSON of a value; `None` for NULL.
    fn json<'s>(&self, source: &'s Source) -> Option<&'s str>
    where
        'r: 's,
    {
        let json = match source {
            Source::Column(index) => self.0.get(*index)?.get(),
            Source::Constant(json) => json.as_str(),
        };
        Some(json).filter(|json| *json != "null")
    }

    /// Returns a text or number as a text; `None` for NULL and blank texts.
    fn text(&self, field: &str, source: &Source) -> Result<Option<String>> {
        let Some(json) = self.json(source) else {
            return Ok(None);
        };
        match word(json) {
            Some(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
            None => Err(Error::invalid_with_hint(
                format!("{field} is neither a text nor a number"),
                "select a column of texts or numbers for it",
            )),
        }
    }

    fn optional(&self, field: &str, source: Option<&Source>) -> Result<Option<String>> {
        source.map_or(Ok(None), |source| self.text(field, source))
    }

    fn node(&self, mapping: &NodeMapping<Source>) -> Result<Option<NodeDraft>> {
        let Some(label) = self.text("label", &mapping.label)? else {
            return Ok(None);
        };
        let id = match &mapping.id {
            Some(id) => self.text("id", id)?,
            None => Some(label.clone()),
        };
        let Some(id) = id else { return Ok(None) };
        check_id("id", &id)?;
        check_label(&label, false)?;
        let kind = self.optional("type", mapping.kind.as_ref())?;
        if let Some(kind) = &kind {
            check_type(kind, false)?;
        }
        Ok(Some(NodeDraft {
            id: Some(id),
            label,
            kind: kind.unwrap_or_default(),
            data: None,
            position: self.position(mapping)?,
            pinned: None,
        }))
    }

    fn position(&self, mapping: &NodeMapping<Source>) -> Result<Option<Position>> {
        let (Some(x), Some(y)) = (&mapping.x, &mapping.y) else {
            return Ok(None);
        };
        let (Some(x), Some(y)) = (self.json(x), self.json(y)) else {
            return Ok(None);
        };
        match (x.parse(), y.parse()) {
            (Ok(x), Ok(y)) => Position::new(x, y).map(Some),
            _ => Err(Error::invalid("x and y must be numbers")),
        }
    }

    fn edge(&self, mapping: &EdgeMapping<Source>) -> Result<Option<EdgeDraft>> {
        let source = self.text("source", &mapping.source)?;
        let target = self.text("target", &mapping.target)?;
        let (Some(source), Some(target)) = (source, target) else {
            return Ok(None);
        };
        check_id("source", &source)?;
        check_id("target", &target)?;
        let label = self.optional("label", mapping.label.as_ref())?;
        let label = label.unwrap_or_default();
        check_label(&label, true)?;
        let kind = self.optional("type", mapping.kind.as_ref())?;
        let kind = kind.unwrap_or_default();
        check_type(&kind, true)?;
        let id = self.optional("id", mapping.id.as_ref())?;
        if let Some(id) = &id {
            check_id("id", id)?;
        }
        Ok(Some(EdgeDraft {
            id,
            source,
            target,
            label,
            kind,
            data: None,
        }))
    }
}

impl Fields {
    /// Returns true if a row contradicts a known field.
    fn differ(&self, mapping: &[(String, Source)], row: &Row<'_>) -> bool {
        mapping.iter().any(|(name, source)| {
            let known = self.0.iter().find(|(known, _)| known == name);
            let json = row.json(source);
            known
                .zip(json)
                .is_some_and(|((_, known), json)| known != json)
        })
    }

    /// Fills in the fields that are not known yet. Returns the bytes of the names and constants,
    /// which are not part of the row.
    fn fill(&mut self, mapping: &[(String, Source)], row: &Row<'_>) -> usize {
        let mut bytes = 0;
        for (name, source) in mapping {
            let Some(json) = row.json(source) else {
                continue;
            };
            if self.0.iter().any(|(known, _)| known == name) {
                continue;
            }
            bytes += name.len();
            if matches!(source, Source::Constant(_)) {
                bytes += json.len();
            }
            self.0.push((name.clone(), json.to_owned()));
        }
        bytes
    }

    fn data(self) -> Result<Option<Data>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let fields = self.0.iter();
        let fields: Vec<String> = fields
            .map(|(name, json)| format!("{}:{json}", json_text(name)))
            .collect();
        let raw = RawValue::from_string(format!("{{{}}}", fields.join(",")))
            .map_err(|error| Error::internal(error.to_string()))?;
        Data::new(&raw).map(Some)
    }
}

//! Collects the drafts of a file, the issues of items that cannot be used, and duplicate ids.

use std::collections::HashMap;

use base::{CommonError, Error, Result};

use super::shown;
use crate::drafts::Issues;
use crate::error::ItemList;
use crate::limits::MAX_ITEMS;
use crate::model::{Drafts, EdgeDraft, NodeDraft};

/// The drafts and issues so far.
#[derive(Default)]
pub(super) struct Collector {
    drafts: Drafts,
    issues: Issues,
    /// For each draft, the index of its item in the file.
    node_indices: Vec<usize>,
    edge_indices: Vec<usize>,
    /// The number of items so far, including faulty ones.
    nodes: usize,
    edges: usize,
}

/// A place in the list of drafts that is reserved for a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodePlace {
    /// Its index in the file.
    index: usize,
    /// Its index among the drafts.
    position: usize,
}

impl Collector {
    /// Adds the next node.
    ///
    /// # Errors
    /// [`CommonError::TooBig`] beyond [`MAX_ITEMS`].
    pub(super) fn node(&mut self, node: Result<NodeDraft>) -> Result<()> {
        let place = self.next_node()?;
        self.node_at(place, node);
        Ok(())
    }

    /// Counts the next node, and reserves a place for it, because nodes inside of it may be
    /// complete before it is.
    ///
    /// # Errors
    /// [`CommonError::TooBig`] beyond [`MAX_ITEMS`].
    pub(super) fn next_node(&mut self) -> Result<NodePlace> {
        let index = self.nodes;
        self.nodes += 1;
        self.check_count()?;
        Ok(NodePlace {
            index,
            position: self.drafts.nodes.len(),
        })
    }

    /// Adds a node at its reserved place.
    pub(super) fn node_at(&mut self, place: NodePlace, node: Result<NodeDraft>) {
        match node {
            Ok(node) => {
                // `Vec::insert` panics beyond the end. The end never moves to before a reserved
                // place, so `min` changes nothing.
                let position = place.position.min(self.drafts.nodes.len());
                self.drafts.nodes.insert(position, node);
                self.node_indices.insert(position, place.index);
            }
            Err(error) => self.issues.add_error(ItemList::Nodes, place.index, &error),
        }
    }

    /// Adds the next edge.
    ///
    /// # Errors
    /// [`CommonError::TooBig`] beyond [`MAX_ITEMS`].
    pub(super) fn edge(&mut self, edge: Result<EdgeDraft>) -> Result<()> {
        let index = self.edges;
        self.edges += 1;
        self.check_count()?;
        match edge {
            Ok(edge) => {
                self.drafts.edges.push(edge);
                self.edge_indices.push(index);
            }
            Err(error) => self.issues.add_error(ItemList::Edges, index, &error),
        }
        Ok(())
    }

    fn check_count(&self) -> Result<()> {
        if self.nodes + self.edges > MAX_ITEMS {
            return Err(too_many_items());
        }
        Ok(())
    }

    /// Returns true if there was neither a node nor an edge, not even a faulty one.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes + self.edges == 0
    }

    /// Returns the edges so far with their indices in the file. The meaning of the ids of edges may
    /// depend on all of them.
    pub(super) fn edges_mut(&mut self) -> impl Iterator<Item = (usize, &mut EdgeDraft)> {
        let indices = self.edge_indices.iter().copied();
        indices.zip(self.drafts.edges.iter_mut())
    }

    /// Adds an issue of an edge that was added already.
    pub(super) fn edge_issue(&mut self, index: usize, error: &Error) {
        self.issues.add_error(ItemList::Edges, index, error);
    }

    /// Returns all drafts.
    ///
    /// # Errors
    /// [`crate::GraphError::InvalidItems`] with all issues, including duplicate ids.
    pub(super) fn finish(mut self) -> Result<Drafts> {
        let nodes = self.drafts.nodes.iter().map(|node| node.id.as_deref());
        let nodes = nodes.zip(self.node_indices.iter().copied());
        find_repeated(ItemList::Nodes, nodes, &mut self.issues);
        let edges = self.drafts.edges.iter().map(|edge| edge.id.as_deref());
        let edges = edges.zip(self.edge_indices.iter().copied());
        find_repeated(ItemList::Edges, edges, &mut self.issues);
        self.issues.check()?;
        Ok(self.drafts)
    }
}

fn find_repeated<'a>(
    list: ItemList,
    ids: impl Iterator<Item = (Option<&'a str>, usize)>,
    issues: &mut Issues,
) {
    let mut seen = HashMap::with_capacity(ids.size_hint().0);
    for (id, index) in ids {
        let Some(id) = id else { continue };
        let first = *seen.entry(id).or_insert(index);
        if first != index {
            let name = list.name();
            let message = format!("{name}[{first}] has the same id {}", shown(id));
            let hint = "give each item of the file its own id";
            issues.add_error(list, index, &Error::invalid_with_hint(message, hint));
        }
    }
}

/// Returns the error for a file with more than [`MAX_ITEMS`].
pub(super) fn too_many_items() -> Error {
    Error::from(CommonError::TooBig {
        message: format!("there are more than {MAX_ITEMS} nodes and edges"),
        hint: "import the graph in several requests".to_owned(),
    })
}

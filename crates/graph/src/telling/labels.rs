//! Names of nodes in texts. Edges have only the ids of their ends, so texts look up the labels.

use std::collections::BTreeMap;

use base::quoted::printed;
use serde_json::Value;

use super::at;

/// Labels of nodes by their ids. A node that was removed meanwhile has none, so its id is shown.
#[derive(Debug, Default)]
pub struct Labels {
    by_id: BTreeMap<String, String>,
    /// The number of these nodes with each label.
    nodes: BTreeMap<String, usize>,
}

impl Labels {
    /// Remembers the labels of nodes.
    pub fn learn<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Value>) {
        for node in nodes {
            if let (Some(id), Some(label)) = (at(node, "id").as_str(), at(node, "label").as_str()) {
                self.insert(id, label);
            }
        }
    }

    /// Returns true if the label of a node is known.
    pub fn knows(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// Remembers the label of a node.
    pub fn insert(&mut self, id: &str, label: &str) {
        let before = self.by_id.insert(id.to_owned(), label.to_owned());
        if before.is_none() {
            *self.nodes.entry(label.to_owned()).or_default() += 1;
        }
    }

    /// Returns the name of a node in a text: its label, with the id if another of these nodes has
    /// the same label.
    pub fn of(&self, id: &Value) -> String {
        let id = id.as_str().unwrap_or_default();
        match self.by_id.get(id) {
            None => named(id),
            Some(label) if self.is_shared(label) => format!("{} ({})", named(label), named(id)),
            Some(label) => named(label),
        }
    }

    /// Returns true if several of these nodes have a label.
    pub fn is_shared(&self, label: &str) -> bool {
        self.nodes.get(label).is_some_and(|nodes| *nodes > 1)
    }
}

/// Returns a label for a text: on one line, and cut to a bounded length. A label that is not a
/// plain line is quoted.
pub fn named(label: &str) -> String {
    /// Characters of a label: the longest names of genes and diseases have about half as many.
    const MAX_CHARACTERS: usize = 200;
    printed(label, MAX_CHARACTERS)
}

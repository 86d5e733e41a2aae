//! Names of nodes in texts: their labels, because edges have ids only.

use std::collections::BTreeMap;

use base::quoted::printed;
use serde_json::Value;

use super::at;

/// Labels of nodes by their ids. A node that is gone meanwhile has none, and its id is shown.
#[derive(Debug, Default)]
pub struct Labels {
    by_id: BTreeMap<String, String>,
    /// How many of these nodes have a label.
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

    /// Returns how a text names the node of an id: with the id where another of these nodes has its
    /// label.
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

/// Returns a label as it stands in a text: on one line, and not longer than a line. A label that is
/// no plain line is quoted.
pub fn named(label: &str) -> String {
    /// Characters of a label: the longest names of genes and diseases have about half as many.
    const MAX_CHARACTERS: usize = 200;
    printed(label, MAX_CHARACTERS)
}

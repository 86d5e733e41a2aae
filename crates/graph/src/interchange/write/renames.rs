//! Ids of edges in Cytoscape JSON. Cytoscape.js keeps nodes and edges in one table, so it does not
//! show an edge that has the id of a node.
//!
//! Such an edge is written as `edge:ID`, with its own id in the field `originalId`. An import
//! restores it.

use std::collections::{HashMap, HashSet};

/// The field of an edge that contains its id in the graph.
pub(crate) const ORIGINAL_ID: &str = "originalId";

/// The prefix of a new id.
const PREFIX: &str = "edge:";

/// The ids of the edges that have another id in the file.
#[derive(Debug, Default)]
pub struct Renames {
    new_ids: HashMap<String, String>,
}

impl Renames {
    /// Chooses new ids for edges that have the id of a node. `is_taken` returns true if a node or
    /// an edge has an id.
    pub fn new<E>(
        edges: impl IntoIterator<Item = String>,
        mut is_taken: impl FnMut(&str) -> Result<bool, E>,
    ) -> Result<Self, E> {
        let mut given: HashSet<String> = HashSet::new();
        let mut new_ids = HashMap::new();
        for id in edges {
            let mut new = format!("{PREFIX}{id}");
            let mut number = 1_u64;
            while given.contains(&new) || is_taken(&new)? {
                number += 1;
                new = format!("{PREFIX}{id}:{number}");
            }
            given.insert(new.clone());
            new_ids.insert(id, new);
        }
        Ok(Self { new_ids })
    }

    /// Returns the id of an edge in the file, if it differs from its own.
    pub(super) fn of(&self, id: &str) -> Option<&str> {
        self.new_ids.get(id).map(String::as_str)
    }
}

/// Returns true if `id` is a new id that was made for an edge with the id `original`.
pub(crate) fn is_renamed(id: &str, original: &str) -> bool {
    let rest = id.strip_prefix(PREFIX);
    let rest = rest.and_then(|rest| rest.strip_prefix(original));
    rest.is_some_and(|rest| {
        let number = rest.strip_prefix(':');
        rest.is_empty() || number.is_some_and(|number| number.parse::<u64>().is_ok())
    })
}

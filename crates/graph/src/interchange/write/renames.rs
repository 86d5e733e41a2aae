//! Ids of edges in Cytoscape JSON. Cytoscape.js keeps nodes and edges in one table: an edge that
//! has the id of a node is not shown.
//!
//! Such an edge is written as `edge:ID`, with its own id in the field `originalId`; an import puts
//! it back.

use std::collections::{HashMap, HashSet};

/// The field of an edge that has its id in the graph.
pub(crate) const ORIGINAL_ID: &str = "originalId";

/// The prefix of a new id.
const PREFIX: &str = "edge:";

/// The ids that edges have in a file, where they are not their own.
#[derive(Debug, Default)]
pub struct Renames {
    new_ids: HashMap<String, String>,
}

impl Renames {
    /// Names the edges that have the id of a node. `is_taken` says whether a node or an edge has an
    /// id.
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

    /// Returns the id that an edge has in the file, if it is not its own.
    pub(super) fn of(&self, id: &str) -> Option<&str> {
        self.new_ids.get(id).map(String::as_str)
    }
}

/// Returns true if an id of a file was made for an edge that has the other id in its graph.
pub(crate) fn is_renamed(id: &str, original: &str) -> bool {
    let rest = id.strip_prefix(PREFIX);
    let rest = rest.and_then(|rest| rest.strip_prefix(original));
    rest.is_some_and(|rest| {
        let number = rest.strip_prefix(':');
        rest.is_empty() || number.is_some_and(|number| number.parse::<u64>().is_ok())
    })
}

//! What nodes are called: texts name them by their labels, and edges have ids only.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::backend::GraphBackend;
use crate::results::at;
use base::Result;
use base::quoted::printed;

/// Labels by ids.
const OF_IDS: &str = "SELECT id, label FROM nodes WHERE id IN (SELECT value FROM json_each(?))";

/// The other nodes of a label.
const OF_LABEL: &str = "SELECT count(*) FROM nodes WHERE label = ? COLLATE NOCASE AND id <> ?";

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

    fn insert(&mut self, id: &str, label: &str) {
        let before = self.by_id.insert(id.to_owned(), label.to_owned());
        if before.is_none() {
            *self.nodes.entry(label.to_owned()).or_default() += 1;
        }
    }

    /// Learns the labels of both ends of these edges.
    ///
    /// # Errors
    /// Where there is no response.
    pub async fn learn_ends<'e>(
        &mut self,
        backend: &impl GraphBackend,
        conversation: &str,
        edges: impl IntoIterator<Item = &'e Value>,
    ) -> Result<()> {
        let ends = edges
            .into_iter()
            .flat_map(|edge| [at(edge, "source"), at(edge, "target")])
            .filter_map(Value::as_str)
            .filter(|id| !self.by_id.contains_key(*id));
        let unknown: std::collections::BTreeSet<&str> = ends.collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let ids = json!(unknown).to_string();
        for row in rows(backend, conversation, OF_IDS, json!([ids])).await? {
            if let [Value::String(id), Value::String(label)] = row.as_slice() {
                self.insert(id, label);
            }
        }
        Ok(())
    }

    /// How a text names the node of an id: with the id where another of these nodes has its label.
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

/// A label as it stands in a text: on one line, and not longer than a line. A label that is no plain line is quoted.
pub fn named(label: &str) -> String {
    /// Characters of a label: the longest names of genes and diseases have about half as many.
    const MAX_CHARACTERS: usize = 200;
    printed(label, MAX_CHARACTERS)
}

/// How many other nodes have the label of this one.
///
/// # Errors
/// Where there is no response.
pub async fn namesakes(
    backend: &impl GraphBackend,
    conversation: &str,
    node: &Value,
) -> Result<u64> {
    let params = json!([at(node, "label"), at(node, "id")]);
    let rows = rows(backend, conversation, OF_LABEL, params).await?;
    let count = rows.first().and_then(|row| row.first());
    Ok(count.and_then(Value::as_u64).unwrap_or_default())
}

/// The rows of a query on the tables of the graph; none where it fails, because a text can do without them.
async fn rows(
    backend: &impl GraphBackend,
    conversation: &str,
    sql: &str,
    params: Value,
) -> Result<Vec<Vec<Value>>> {
    let body = json!({ "operation": "query", "sql": sql, "params": params, "rowFormat": "array" });
    let said = backend
        .operate_graph(conversation, body.to_string())
        .await?;
    let read: Value = serde_json::from_str(&said).unwrap_or_default();
    let rows = at(&read, "results").as_array().into_iter().flatten();
    Ok(rows.filter_map(Value::as_array).cloned().collect())
}

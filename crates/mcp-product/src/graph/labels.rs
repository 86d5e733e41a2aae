//! Looks up the labels of nodes of which a response contains only the ids.

use graph::telling::{Labels, at};
use serde_json::{Value, json};

use super::backend::GraphBackend;
use base::Result;

/// Query for labels by ids.
const OF_IDS: &str = "SELECT id, label FROM nodes WHERE id IN (SELECT value FROM json_each(?))";

/// Query for the number of other nodes with a label.
const OF_LABEL: &str = "SELECT count(*) FROM nodes WHERE label = ? COLLATE NOCASE AND id <> ?";

/// Looks up the labels of both ends of these edges.
///
/// # Errors
/// If there is no response.
pub async fn learn_ends<'e>(
    labels: &mut Labels,
    backend: &impl GraphBackend,
    conversation: &str,
    edges: impl IntoIterator<Item = &'e Value>,
) -> Result<()> {
    let ends = edges
        .into_iter()
        .flat_map(|edge| [at(edge, "source"), at(edge, "target")])
        .filter_map(Value::as_str)
        .filter(|id| !labels.knows(id));
    let unknown: std::collections::BTreeSet<&str> = ends.collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let ids = json!(unknown).to_string();
    for row in rows(backend, conversation, OF_IDS, json!([ids])).await? {
        if let [Value::String(id), Value::String(label)] = row.as_slice() {
            labels.insert(id, label);
        }
    }
    Ok(())
}

/// Counts the other nodes that have the label of this one.
///
/// # Errors
/// If there is no response.
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

/// Returns the rows of a query on the tables of the graph; none if the query fails, because labels
/// are optional.
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

//! Merges two nodes that represent the same thing.

use ::operation::declaration::{Argument, Body, Effect, Route, Tool};
use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::Value;

use super::words;
use crate::kinds::{NodeId, Version};
use crate::model::Data;
use crate::reply::Fields;
use crate::run::Operation;
use crate::store::find;
use crate::store::merge_patch::filled;
use crate::store::step::{StepDraft, commit};
use crate::store::write::{EdgeChange, NodeChange};
use crate::telling::{at, count, counted, named, text};
use crate::{Graph, ItemList, Reply, tools};

::operation::operation! {
    /// Makes one node of two: the edges of from move to into, and the data of from fills in the
    /// fields that into lacks. Edges between the two nodes are removed, and so are edges without
    /// data that into has already.
    pub(crate) struct MergeNodes {
        /// The id of the node that is kept, with its label, type and position.
        "into" => into: NodeId,
        /// The id of the node that is removed.
        "from" => from: NodeId,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "mergeNodes",
    title: "Merge two nodes",
    effect: Effect::REMOVES,
    output: "MergeAnswer",
    route: Route::write("mergenodes", "POST", path!("/nodes/merge"), "Merge two nodes into one", Body::Request),
    example: r#"{"into":"NCBIGene:7157","from":"UniProtKB:P04637"}"#,
    tool: Tool::new("Two nodes become one: from's edges move to into, its data fills in what into lacks.", &[Argument::new("into"), Argument::new("from")], tools::ITEM, merged),
}

/// The edges of the node `?1`, which is merged into `?2`: the seq, which of the ends is the node,
/// and whether the edge is redundant after the merge.
const EDGES: &str = "SELECT e.seq, e.source = ?1, e.target = ?1, (e.source = ?1 AND e.target = ?2) OR (e.source = ?2 AND e.target = ?1) \
     OR (e.data = '{}' AND EXISTS (SELECT 1 FROM edges AS k WHERE k.source = iif(e.source = ?1, ?2, e.source) \
     AND k.target = iif(e.target = ?1, ?2, e.target) AND k.label = e.label AND k.type = e.type)) \
     FROM (SELECT seq FROM edges WHERE source = ?1 UNION SELECT seq FROM edges WHERE target = ?1) AS j \
     CROSS JOIN edges AS e ON e.seq = j.seq ORDER BY e.seq";
const DATA: &str = "SELECT data FROM nodes WHERE seq = ?";

impl Operation<'_> for MergeNodes {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let Self {
            into,
            from,
            if_version,
        } = self;
        if into == from {
            return Err(Error::invalid_with_hint(
                "into and from name the same node",
                "name the node to keep as into, and the node to remove as from",
            ));
        }
        let committed = commit(graph, if_version, |write| {
            let stays = find::require(write.db, ItemList::Nodes, &into)?;
            let goes = find::require(write.db, ItemList::Nodes, &from)?;
            let removed = find::json(write.db, ItemList::Nodes, goes)?;
            let words = format!(
                "Merged node: {} into {}",
                words::label(&find::name(write.db, goes)?.label),
                words::label(&find::name(write.db, stays)?.label)
            );
            let (mut moves, mut needless) = (Vec::new(), Vec::new());
            for row in write
                .db
                .rows(EDGES, &[Bind::text(&from), Bind::text(&into)])?
            {
                let [seq, leaves, enters, is_needless] = cells(row).map(|cell| cell.as_count());
                if is_needless == 1 {
                    needless.push(seq);
                    continue;
                }
                moves.push(EdgeChange {
                    seq,
                    source: (leaves == 1).then(|| into.clone()),
                    target: (enters == 1).then(|| into.clone()),
                    ..EdgeChange::default()
                });
            }
            write.change_edges(&moves)?;
            write.delete_edges(&needless)?;
            let data = |seq: u64| -> Result<String> {
                let data = write.db.cell(DATA, &[Bind::number(seq)])?;
                Ok(data.map(Cell::into_text).unwrap_or_default())
            };
            write.change_nodes(&[NodeChange {
                seq: stays,
                data: Some(Data::merged(filled(&data(stays)?, &data(goes)?)?)?),
                ..NodeChange::default()
            }])?;
            write.delete_nodes(&[goes])?;
            let node = find::json(write.db, ItemList::Nodes, stays)?;
            Ok(StepDraft::edit(words, (node, removed)))
        })?;
        let (node, removed) = &committed.value;
        let fields = Fields::default()
            .raw("data", node)
            .raw("removed", removed)
            .value("movedEdges", &committed.edges.updated)
            .value("removedEdges", &committed.edges.deleted);
        Ok(Reply::written(fields, &committed))
    }
}

fn cells<const N: usize>(row: Vec<Cell>) -> [Cell; N] {
    let mut cells = row.into_iter();
    std::array::from_fn(|_| cells.next().unwrap_or(Cell::Null))
}

/// Returns the text of the tool's result.
fn merged(body: &Value, _name: &dyn Fn(&Value) -> String) -> String {
    let mut words = format!(
        "Merged '{}' into '{}'; {} moved",
        named(text(at(body, "removed"), "label")),
        named(text(at(body, "data"), "label")),
        counted(count(body, "movedEdges"), "edge"),
    );
    match count(body, "removedEdges") {
        0 => {}
        removed => words.push_str(&format!(", {} removed", counted(removed, "edge"))),
    }
    words.push('.');
    words
}

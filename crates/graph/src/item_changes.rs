//! Changes of nodes and edges, as callers write them in JSON.

use crate::kinds::{DataChange, Id, Label, NodeId, Type};
use crate::model::{Data, Position};
use crate::store::write::{EdgeChange, NodeChange};

::operation::arguments! {
    /// A change of a node in a list.
    pub(crate) struct NodeChangeInput {
        /// The id of the node.
        "id" => id: NodeId,
        /// Name for people.
        "label" => label: Option<Label<false>>,
        /// gene, protein, disease, drug, pathway, other, or any other word.
        "type" => kind: Option<Type<false>>,
        /// A JSON merge patch (RFC 7396) of its data.
        "data" => data: DataChange,
        "position" => position: Option<Position>,
        "pinned" => pinned: Option<bool>,
    }
}

impl NodeChangeInput {
    /// Returns true if the change only moves the node.
    pub(crate) fn only_moves(&self) -> bool {
        self.position.is_some()
            && self.label.is_none()
            && self.kind.is_none()
            && matches!(self.data, DataChange::None)
    }

    /// Returns the changes of a row. Of the data, only a reset is included; patches are merged
    /// separately.
    pub(crate) fn of_row(&self, seq: u64) -> NodeChange {
        NodeChange {
            seq,
            label: self.label.clone(),
            kind: self.kind.clone(),
            data: matches!(self.data, DataChange::Reset).then(Data::empty),
            position: self.position,
            pinned: self.pinned,
        }
    }
}

::operation::arguments! {
    /// A change of an edge in a list.
    pub(crate) struct EdgeChangeInput {
        /// Id of the edge
        "id" => id: Id,
        "source" => source: Option<NodeId>,
        "target" => target: Option<NodeId>,
        /// Name for people; may be empty.
        "label" => label: Option<Label<true>>,
        /// Type; may be empty.
        "type" => kind: Option<Type<true>>,
        /// A JSON merge patch (RFC 7396) of its data.
        "data" => data: DataChange,
    }
}

impl EdgeChangeInput {
    /// Returns the new ends of the edge.
    pub(crate) fn ends(&self) -> [Option<&str>; 2] {
        [self.source.as_deref(), self.target.as_deref()]
    }

    /// Returns the changes of a row. Of the data, only a reset is included; patches are merged
    /// separately.
    pub(crate) fn of_row(&self, seq: u64) -> EdgeChange {
        EdgeChange {
            seq,
            source: self.source.clone(),
            target: self.target.clone(),
            label: self.label.clone(),
            kind: self.kind.clone(),
            data: matches!(self.data, DataChange::Reset).then(Data::empty),
        }
    }
}

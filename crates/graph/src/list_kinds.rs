//! The kinds of arguments that are lists of items: new nodes and edges, and changes of them.

use ::operation::arguments::{Arguments, Kind};
use base::Result;
use operation::shape::{Definition, Shape};
use serde_json::value::RawValue;

use crate::ItemList;
use crate::drafts::{self, EdgeInput, NodeInput};
use crate::item_changes::{EdgeChangeInput, NodeChangeInput};

/// Defines a kind for the items of a list, each as its own text, so that one error can list all
/// issues.
macro_rules! items {
    ($name:ident, $list:ident, $item:ty, $definition:literal, $words:literal) => {
        #[doc = $words]
        #[derive(Debug)]
        pub(crate) struct $name;

        impl<'a> Kind<'a> for $name {
            type Value = Vec<&'a RawValue>;
            const SHAPE: Shape = Shape::list(
                &const {
                    Shape::Named(
                        &const {
                            Definition {
                                name: $definition,
                                fields: <$item>::FIELDS,
                            }
                        },
                    )
                },
            );

            fn read(_field: &str, raw: &'a RawValue) -> Result<Vec<&'a RawValue>> {
                drafts::items(ItemList::$list, raw)
            }
        }
    };
}

items!(NewNodes, Nodes, NodeInput, "NodeInput", "New nodes.");
items!(NewEdges, Edges, EdgeInput, "EdgeInput", "New edges.");
items!(
    NodeChanges,
    Nodes,
    NodeChangeInput,
    "NodeChange",
    "Changes of nodes."
);
items!(
    EdgeChanges,
    Edges,
    EdgeChangeInput,
    "EdgeChange",
    "Changes of edges."
);

//! The errors of a graph.

use base::{Code, Problem, did_you_mean};
use serde_json::{Value, json};

use crate::limits::MAX_LISTED_ISSUES;

/// The codes of [`GraphError`].
pub mod codes {
    base::codes! {
        NODE_NOT_FOUND: NotFound,
        EDGE_NOT_FOUND: NotFound,
        INVALID_ITEMS: Invalid,
        AMBIGUOUS_NODE: Conflict,
        VERSION_CONFLICT: PreconditionFailed,
        VERSION_NOT_FOUND: NotFound,
        NOTHING_TO_UNDO: Conflict,
        NOTHING_TO_REDO: Conflict,
        GRAPH_FULL: Full,
        TOO_LARGE: TooLarge,
        TOO_MANY_READERS: Overloaded,
    }
}

/// The list of a request that contains an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemList {
    /// `nodes`.
    Nodes,
    /// `edges`.
    Edges,
}

impl ItemList {
    /// Returns its name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Edges => "edges",
        }
    }

    /// Returns a word for one of its items, with the article.
    pub fn one(self) -> &'static str {
        match self {
            Self::Nodes => "a node",
            Self::Edges => "an edge",
        }
    }
}

/// A node as errors and results name it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct NodeName {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
}

impl NodeName {
    /// Returns roughly how many bytes it takes in a response.
    pub(crate) fn bytes(&self) -> usize {
        self.id.len() + self.label.len() + self.kind.len() + JSON_OF_A_NAME_BYTES
    }
}

/// The bytes of field names and punctuation around a [`NodeName`] in JSON.
const JSON_OF_A_NAME_BYTES: usize = 32;

/// The error of one item of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    /// The list that contains the item.
    pub list: ItemList,
    /// Its index in the list, from 0.
    pub index: usize,
    /// The code that a request with only this item would have failed with.
    pub code: Code,
    /// The message, which names the field.
    pub message: String,
    /// The way to fix it.
    pub hint: Option<String>,
}

impl Issue {
    fn to_json(&self) -> Value {
        let mut issue = json!({
            "list": self.list.name(),
            "index": self.index,
            "code": self.code.name,
            "message": self.message,
        });
        if let (Some(hint), Some(fields)) = (&self.hint, issue.as_object_mut()) {
            fields.insert("hint".to_owned(), hint.clone().into());
        }
        issue
    }
}

/// An error of a graph.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GraphError {
    /// No node has this id.
    #[error("there is no node {id:?}")]
    NodeNotFound {
        /// The id given.
        id: String,
        /// Nearest ids first.
        suggestions: Vec<String>,
    },
    /// No edge has this id.
    #[error("there is no edge {id:?}")]
    EdgeNotFound {
        /// The id given.
        id: String,
        /// Nearest ids first.
        suggestions: Vec<String>,
    },
    /// Another node or edge has this id already.
    #[error("there is {list} {id:?} already", list = .list.one())]
    AlreadyExists {
        /// The list of the existing item.
        list: ItemList,
        /// Its id.
        id: String,
    },
    /// Several nodes have this label.
    #[error("several nodes have the label {label:?}")]
    AmbiguousNode {
        /// The label given.
        label: String,
        /// The first of these nodes.
        candidates: Vec<NodeName>,
    },
    /// The graph is no longer at the version for which the request was made.
    #[error("the graph is at version {version}, not {expected}")]
    VersionConflict {
        /// The version for which the request was made.
        expected: u64,
        /// The version of the graph.
        version: u64,
    },
    /// The history does not have this version.
    #[error("there is no version {version}: the history has {oldest} to {newest}")]
    VersionNotFound {
        /// The version given.
        version: u64,
        /// The oldest that can be read.
        oldest: u64,
        /// The version of the graph.
        newest: u64,
    },
    /// There is no step to undo.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// There is no undone step to redo.
    #[error("there is nothing to redo")]
    NothingToRedo,
    /// The request would exceed the limit of nodes, edges or types of nodes.
    #[error("the graph would have {size} {what}, the limit is {limit}")]
    GraphFull {
        /// The limited kind of item.
        what: &'static str,
        /// The number that there would be.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The graph exceeds a limit of an analysis, a layout or an export.
    #[error("{what}: {size}, the limit is {limit}")]
    TooLarge {
        /// The limited quantity.
        what: &'static str,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The graph has as many event streams as allowed.
    #[error("this graph has {limit} event streams already, which is the limit")]
    TooManyReaders {
        /// The limit.
        limit: usize,
    },
    /// Some items of the request cannot be used. Nothing was changed.
    #[error("{}", items_message(.issues, *.count))]
    InvalidItems {
        /// The first issues.
        issues: Vec<Issue>,
        /// The number of all issues.
        count: usize,
        /// True if some of the issues that are not listed have other codes.
        mixed: bool,
    },
}

impl Problem for GraphError {
    fn code(&self) -> Code {
        match self {
            Self::NodeNotFound { .. } => codes::NODE_NOT_FOUND,
            Self::EdgeNotFound { .. } => codes::EDGE_NOT_FOUND,
            Self::InvalidItems { issues, mixed, .. } => {
                shared_code(issues, *mixed).unwrap_or(codes::INVALID_ITEMS)
            }
            Self::AlreadyExists { .. } => sql_gate::codes::ALREADY_EXISTS,
            Self::AmbiguousNode { .. } => codes::AMBIGUOUS_NODE,
            Self::VersionConflict { .. } => codes::VERSION_CONFLICT,
            Self::VersionNotFound { .. } => codes::VERSION_NOT_FOUND,
            Self::NothingToUndo => codes::NOTHING_TO_UNDO,
            Self::NothingToRedo => codes::NOTHING_TO_REDO,
            Self::GraphFull { .. } => codes::GRAPH_FULL,
            Self::TooLarge { .. } => codes::TOO_LARGE,
            Self::TooManyReaders { .. } => codes::TOO_MANY_READERS,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NodeNotFound { suggestions, .. } | Self::EdgeNotFound { suggestions, .. } => {
                did_you_mean(suggestions)
            }
            Self::InvalidItems { issues, .. } => {
                issues.first().and_then(|issue| issue.hint.clone())
            }
            Self::AlreadyExists { list, .. } => Some(match list {
                ItemList::Nodes => "update it, use another id, or set upsert to true".to_owned(),
                ItemList::Edges => "update it, or use another id".to_owned(),
            }),
            Self::AmbiguousNode { .. } => {
                Some("use one of the ids in candidates".to_owned())
            }
            Self::VersionConflict { .. } => {
                Some("read the graph again, then send the change with the version that you read".to_owned())
            }
            Self::VersionNotFound { .. } => Some("list the versions with getHistory".to_owned()),
            Self::NothingToUndo | Self::NothingToRedo => None,
            Self::TooLarge { .. } => Some(
                "use a graph with fewer nodes and edges, or read the tables nodes and edges in parts with query"
                    .to_owned(),
            ),
            Self::TooManyReaders { .. } => Some(
                "close event streams that are no longer read, or try again later".to_owned(),
            ),
            Self::GraphFull { .. } => Some("remove what is not needed, or use another graph".to_owned()),
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::NodeNotFound { id, suggestions } | Self::EdgeNotFound { id, suggestions } => {
                json!({ "id": id, "suggestions": suggestions })
            }
            Self::AlreadyExists { id, .. } => json!({ "id": id }),
            Self::AmbiguousNode { label, candidates } => {
                json!({ "label": label, "candidates": candidates })
            }
            Self::VersionConflict { version, .. } => json!({ "version": version }),
            Self::VersionNotFound { oldest, newest, .. } => {
                json!({ "oldest": oldest, "newest": newest })
            }
            Self::NothingToUndo | Self::NothingToRedo => Value::Null,
            Self::TooLarge { what, size, limit } | Self::GraphFull { what, size, limit } => {
                json!({ "what": what, "size": size, "limit": limit })
            }
            Self::TooManyReaders { limit } => json!({ "limit": limit }),
            Self::InvalidItems { issues, count, .. } => {
                let listed: Vec<Value> = issues
                    .iter()
                    .take(MAX_LISTED_ISSUES)
                    .map(Issue::to_json)
                    .collect();
                json!({ "issues": listed, "issueCount": count })
            }
        }
    }
}

/// Returns the code of the issues if all have the same one, so that a caller can react to it as to
/// the error of a single item.
fn shared_code(issues: &[Issue], mixed: bool) -> Option<Code> {
    let code = issues.first()?.code;
    let is_shared = !mixed && issues.iter().all(|issue| issue.code == code);
    is_shared.then_some(code)
}

fn items_message(issues: &[Issue], count: usize) -> String {
    let first = issues.first().map_or_else(String::new, |issue| {
        format!("{}[{}]: {}", issue.list.name(), issue.index, issue.message)
    });
    match count {
        0 | 1 => first,
        _ => format!("{count} items cannot be used, nothing was changed; the first: {first}"),
    }
}

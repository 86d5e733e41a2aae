//! What can go wrong with a graph.

use base::{Code, Problem, did_you_mean};
use serde_json::{Value, json};

use crate::limits::MAX_LISTED_ISSUES;

/// The codes of [`GraphError`].
pub mod codes {
    base::codes! {
        NODE_NOT_FOUND: NotFound,
        EDGE_NOT_FOUND: NotFound,
        INVALID_ITEMS: Invalid,
    }
}

/// The list of a request in which an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemList {
    /// `nodes`.
    Nodes,
    /// `edges`.
    Edges,
}

impl ItemList {
    /// As requests name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Edges => "edges",
        }
    }
}

/// What is wrong with one item of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    /// Where the item stands.
    pub list: ItemList,
    /// Its index in the list, from 0.
    pub index: usize,
    /// The code that the item alone would have failed with.
    pub code: Code,
    /// What is wrong, naming the field.
    pub message: String,
    /// How to fix it.
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

/// What goes wrong with a graph.
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
    /// Items of a request that cannot be used; nothing was changed.
    #[error("{}", items_message(.issues, *.count))]
    InvalidItems {
        /// The first of them.
        issues: Vec<Issue>,
        /// How many there are.
        count: usize,
        /// Whether those that are not listed have other codes.
        mixed: bool,
    },
}

impl Problem for GraphError {
    fn code(&self) -> Code {
        match self {
            Self::NodeNotFound { .. } => codes::NODE_NOT_FOUND,
            Self::EdgeNotFound { .. } => codes::EDGE_NOT_FOUND,
            Self::InvalidItems { issues, mixed, .. } => shared_code(issues, *mixed),
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
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::NodeNotFound { id, suggestions } | Self::EdgeNotFound { id, suggestions } => {
                json!({ "id": id, "suggestions": suggestions })
            }
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

/// The code of all issues where they have one, so that a caller reacts to it as if the items had come alone.
fn shared_code(issues: &[Issue], mixed: bool) -> Code {
    match issues.first() {
        Some(first) if !mixed && issues.iter().all(|issue| issue.code == first.code) => first.code,
        _ => codes::INVALID_ITEMS,
    }
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

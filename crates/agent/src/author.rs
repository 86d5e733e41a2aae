//! The authors of statements.

use serde::{Deserialize, Serialize};

/// The author of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Author {
    /// A language model.
    Model,
    /// The embedded planner.
    Planner,
    /// A person who edited it.
    Person,
}

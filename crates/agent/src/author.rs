//! The authors of statements: a model, the planner, or a person.

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

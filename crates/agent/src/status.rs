//! The status of an approval, from the request to a decision or an end without one.

use serde::{Deserialize, Serialize};

/// The status of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// It waits for a decision.
    Pending,
    /// The required number of persons approved it.
    Approved,
    /// The statement only reads, and the deployment approves such statements automatically.
    AutoApproved,
    /// A person rejected it.
    Rejected,
    /// A person replaced the statement by another one.
    Edited,
    /// Another question or a fork came before the decision.
    Superseded,
    /// Nobody decided in time.
    Expired,
}

impl Status {
    /// Returns the name of the status on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::AutoApproved => "autoApproved",
            Self::Rejected => "rejected",
            Self::Edited => "edited",
            Self::Superseded => "superseded",
            Self::Expired => "expired",
        }
    }
}

//! What becomes of an approval.

use serde::{Deserialize, Serialize};

/// Where an approval stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// It waits for a decision.
    Pending,
    /// A person, or as many as are required, approved.
    Approved,
    /// It only reads, and the deployment approves such statements.
    AutoApproved,
    /// A person rejected it.
    Rejected,
    /// A person replaced the statement by another one.
    Edited,
    /// Another question came first.
    Superseded,
    /// Nobody decided in time.
    Expired,
}

impl Status {
    /// As the wire names it.
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

//! What threads ask of the index of their tenant: the memory, and what models may cost.

use database::Database;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::memory::{self, Pair};
use crate::spending::{self, Reservation, Settlement};
use crate::state::Target;
use base::{Error, Result};

/// A request of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Request {
    /// The pairs that resemble a question.
    Resembling {
        /// Whose.
        business: String,
        /// About which tables.
        target: Target,
        /// The question.
        question: String,
    },
    /// A pair that a person approved.
    Remember(Pair),
    /// What a call of a model may cost.
    Reserve(Reservation),
    /// What it cost.
    Settle(Settlement),
}

impl Request {
    /// Reads one.
    ///
    /// # Errors
    /// [`base::CommonError::Internal`]: only threads of ours send them.
    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text)
            .map_err(|error| Error::internal(format!("a request of a thread: {error}")))
    }

    /// As it is sent.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Does it: the fields of the response.
    ///
    /// # Errors
    /// The engine's.
    pub fn serve<D: Database>(&self, db: &D, fresh_id: &str, now_ms: u64) -> Result<Value> {
        Ok(match self {
            Self::Resembling {
                business,
                target,
                question,
            } => {
                let found = memory::resembling(db, business, target, question)?;
                json!({ "examples": found })
            }
            Self::Remember(pair) => {
                memory::remember(db, pair, fresh_id, now_ms)?;
                Value::Null
            }
            Self::Reserve(reservation) => json!(spending::reserve(db, reservation)?),
            Self::Settle(settlement) => {
                spending::settle(db, settlement)?;
                Value::Null
            }
        })
    }
}

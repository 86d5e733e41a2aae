//! The requests of threads to the index of their tenant: for the memory, and for the budget of
//! models.

use database::Database;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::memory::{self, Pair};
use crate::spending::{self, Reservation, Settlement};
use crate::state::Target;
use base::{Error, Result};

/// A request of a thread to the index of its tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum IndexRequest {
    /// Asks for the pairs that resemble a question.
    Resembling {
        /// The business, as [`memory::owner_of`] returns it.
        business: String,
        /// The tables that the question is about.
        target: Target,
        /// The question.
        question: String,
    },
    /// Stores a pair that a person approved.
    Remember(Pair),
    /// Reserves the maximum cost of a model call.
    Reserve(Reservation),
    /// Settles the real cost of a model call.
    Settle(Settlement),
}

impl IndexRequest {
    /// Parses a request.
    ///
    /// # Errors
    /// [`base::CommonError::Internal`], because only our own threads send such requests.
    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| {
            Error::internal(format!("a request of a thread cannot be read: {error}"))
        })
    }

    /// Returns the request as JSON text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Does the request. Returns the fields of the response.
    ///
    /// # Errors
    /// Errors of the database.
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

//! Results of operations.

use serde_json::Value;

/// What an operation returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The fields of the response, without `success`.
    pub fields: Value,
    /// The version that the request made; none where it changed no file.
    pub version: Option<u64>,
}

impl Reply {
    /// Of an operation that changes no file.
    pub(crate) fn read(fields: Value) -> Self {
        Self {
            fields,
            version: None,
        }
    }
}

//! Responses of operations.

use serde_json::Value;

/// The response of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The fields of the response, without `success`.
    pub fields: Value,
    /// The version that the request made; `None` if it changed no file.
    pub version: Option<u64>,
}

impl Reply {
    /// Returns the response of an operation that changes no file.
    pub(crate) fn read(fields: Value) -> Self {
        Self {
            fields,
            version: None,
        }
    }
}

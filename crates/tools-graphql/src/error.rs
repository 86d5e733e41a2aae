//! The errors of GraphQL: queries that cannot be sent, and results without usable data.

use base::{Code, Problem};
use serde_json::{Value, json};

/// The codes of [`GraphqlError`].
pub mod codes {
    base::codes! {
        GRAPHQL_INVALID_QUERY: Invalid,
        // The server did answer: a retry, as clients do after a 5xx, would not help.
        GRAPHQL_NULL_DATA: Unprocessable,
    }
}

/// An error of a query or a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GraphqlError {
    /// A GraphQL query that the server's schema does not allow. Nothing was called.
    #[error("{message}")]
    GraphqlInvalidQuery {
        /// The first issue, in words.
        message: String,
        /// A hint on how to fix it.
        hint: Option<String>,
        /// All issues.
        issues: Value,
    },
    /// A GraphQL result without usable data.
    #[error("{message}")]
    GraphqlNullData {
        /// A description of the nulls.
        message: String,
        /// The known reason, or the usual ones.
        hint: Option<String>,
        /// The root fields that are null.
        null_fields: Vec<String>,
        /// The issues.
        details: Value,
        /// The whole validation, which is returned beside the error.
        validation: Value,
        /// Lines for the console of a program.
        console: Vec<String>,
        /// The unchanged result, for a program, if it is not too large.
        data: Option<String>,
    },
}

impl Problem for GraphqlError {
    fn code(&self) -> Code {
        match self {
            Self::GraphqlInvalidQuery { .. } => codes::GRAPHQL_INVALID_QUERY,
            Self::GraphqlNullData { .. } => codes::GRAPHQL_NULL_DATA,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::GraphqlInvalidQuery { hint, .. } | Self::GraphqlNullData { hint, .. } => {
                hint.clone()
            }
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::GraphqlInvalidQuery { issues, .. } => json!({ "issues": issues }),
            Self::GraphqlNullData {
                null_fields,
                details,
                ..
            } => json!({ "nullFields": null_fields, "details": details }),
        }
    }

    fn beside_error(&self) -> Value {
        match self {
            Self::GraphqlInvalidQuery { .. } => Value::Null,
            Self::GraphqlNullData { validation, .. } => json!({ "_graphqlValidation": validation }),
        }
    }
}

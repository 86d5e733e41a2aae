//! Checks of GraphQL results and queries that explain why values are null.
//!
//! A result is read once, as a stream, and never held as a whole: only a limited list of null
//! positions and of reported errors is kept. If the query is known, the issue about a null names
//! the call that matched nothing; if the schema is known, it names the field that was probably
//! intended.
//!
//! Guarantees: no input makes a check panic, recurse without limit, or hold more than a constant
//! multiple of its limits. Only a response that is not JSON is refused, and an unchecked part is
//! reported as an issue. The crate `tools` decides what happens with an invalid result.

mod advice;
mod answer;
mod batch;
mod diagnostics;
mod error;
mod errors;
mod introspection;
mod issue;
pub mod limits;
mod lines;
mod literals;
mod name_check;
mod payload;
mod places;
mod query;
mod question;
mod request;
mod review;
mod scan;
mod schema;
mod text;
mod validation;
mod variables;
mod verdict;

pub use error::{GraphqlError, codes};

pub use crate::limits::MAX_GRAPHQL_ARGUMENTS_BYTES as MAX_ARGUMENTS_BYTES;
pub use answer::{Check, check, check_answer, is_response, looks_like_response};
pub use introspection::INTROSPECTION_QUERY;
pub use issue::{Code, Issue, Location, Severity};
pub use payload::refusals;
pub use query::looks_like_document;
pub use question::{Given, Question};
pub use request::check_request;
pub use review::{check_query, check_question};
pub use schema::Schema;
pub use validation::Validation;

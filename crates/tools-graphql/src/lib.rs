//! GraphQL that explains its nulls: checks of results and of queries.
//!
//! A result is read once, as a stream, and never held as a value: what stays is a bounded list of the places where something is null
//! and of the errors that the server reported. With the query at hand a null names the call that matched nothing, with the schema it
//! names the field that was meant.
//!
//! Guarantees: no text makes a check panic, recurse without bound or hold more than a constant times its limits; only a response that
//! is not JSON is refused, and what was not looked at is an issue of its own. What becomes of an invalid answer is decided by `tools`.

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

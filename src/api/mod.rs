//! The HTTP contract without a platform: the routes, the callers that each admits, and the shape of
//! responses.
//!
//! Everything here is a pure function of strings, so host tests cover it. `worker` calls it with
//! real requests.

pub mod address;
pub mod arrival;
pub mod auth;
pub mod disposition;
pub mod envelope;
mod error;
pub mod graph_request;
pub mod last_resorts;
pub mod openapi;
pub mod origin;
pub mod pages;
pub mod routes;
pub mod status;

pub use error::{RequestError, codes};

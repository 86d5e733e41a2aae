//! Finding code within a token budget.
//!
//! Pure functions: no platform, no clock and no database. The same input gives the same result on every machine; ties are broken by id.
//!
//! [`words`] splits and stems identifiers for a text index and for its queries.

mod error;
pub mod limits;
pub mod path;
pub mod vectors;
pub mod words;

pub use error::{Result, RetrievalError};

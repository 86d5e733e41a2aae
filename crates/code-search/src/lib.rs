//! Finds code within a token budget.
//!
//! The functions are pure: no platform, no clock and no database. The same input gives the same
//! result on every machine; ties are broken by id. The trait [`Source`] provides the items to
//! search.
//!
//! - [`words`] splits and stems identifiers for a text index and for its queries; [`path`] extracts
//!   the words of a path.
//! - [`vectors`] computes vectors of texts and finds those near a question.
//! - [`fuse`] merges the two lists of hits into one.
//! - [`rules`] ranks by names, paths and files, and explains each score.
//! - [`pack`] chooses parts within the budget.
//! - [`rank`] and [`context`] do all of these steps.

mod document;
mod error;
mod find;
pub mod fuse;
mod item;
pub mod limits;
pub mod pack;
pub mod path;
mod question;
#[cfg(test)]
mod random;
pub mod rules;
pub mod vectors;
pub mod words;

pub use document::Document;
pub use error::{Result, RetrievalError};
pub use find::{Context, Mode, Ranking, Source, context, rank};
pub use item::{Filter, Item, PartKind, Role, Text};
pub use question::Question;

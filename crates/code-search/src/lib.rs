//! Finding code within a token budget.
//!
//! Pure functions: no platform, no clock and no database. The same input gives the same result on
//! every machine; ties are broken by id. What is searched comes through the trait [`Source`].
//!
//! - [`words`] splits and stems identifiers for a text index and for its queries; [`path`] says
//!   what a path tells.
//! - [`vectors`] makes vectors of texts and finds those near a question.
//! - [`fuse`] makes one list of the two.
//! - [`rules`] ranks by what names, paths and files say, and explains each score.
//! - [`pack`] chooses parts within the budget.
//! - [`rank`] and [`context`] do all of it.

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

//! The operations of a code workspace, each with its arguments and its response.
//!
//! The crate `code-model` stores files and items, and `code-search` ranks and packs them.
//! [`context`] joins both for questions, and [`vectors`] holds the vectors of the search in memory.

pub mod context;
pub mod files;
mod item;
mod kinds;
pub mod limits;
pub mod operate;
pub mod vectors;

pub use operate::{DEFINITIONS, Id, NAMES, OPERATIONS, SERVER, find, inlined, input};

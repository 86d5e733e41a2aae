//! A code workspace as callers use it: each operation with its arguments and its response.
//!
//! The crate `code` keeps files and items, `retrieval` ranks and packs; [`context`] joins them for
//! questions, and [`vectors`] keeps what a search needs in memory.

pub mod context;
pub mod files;
mod item;
mod kinds;
pub mod limits;
pub mod operate;
pub mod vectors;

pub use operate::{DEFINITIONS, Id, NAMES, OPERATIONS, SERVER, find, inlined, input};

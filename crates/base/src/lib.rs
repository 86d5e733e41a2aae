//! Shared types and helpers for every layer: errors, names, JSON. No feature code.
//!
//! `error` has the error types. `names` and `percent` read the names that callers choose, and
//! `known` rejects unknown fields. `entries` and `json` read JSON as text. `nearest` finds names
//! for "did you mean" with `words` and `distance`. `text` shortens texts, `quoted` shows texts from
//! others safely, and `formulas` keeps spreadsheets from running them. `time` formats times, and
//! `devices` recognises reserved file names.

pub mod devices;
pub mod distance;
pub mod entries;
mod error;
pub mod formulas;
pub mod json;
pub mod known;
#[macro_use]
mod limit_list;
pub mod limits;
pub mod names;
mod nearest;
pub mod percent;
pub mod quoted;
pub mod text;
pub mod time;
pub mod words;

pub use error::{Code, CommonError, Error, Kind, Problem, Result, codes, did_you_mean};
pub use nearest::nearest;

//! What every layer stands on, and nothing of what any of them does.
//!
//! `error` is how failures travel, `names` and `percent` read what callers call things, `known` rejects fields that do not exist, `entries`
//! and `json` read JSON as text, `nearest` serves "did you mean" with `words` and `distance`, `text` shortens texts, `quoted` shows texts of others, `formulas` keeps spreadsheets from running
//! them, `time` prints
//! times.

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

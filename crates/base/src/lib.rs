//! What every layer stands on, and nothing of what any of them does.
//!
//! `error` is how failures travel, `names` and `percent` read what callers call things, `known` rejects fields that do not exist, `entries`
//! and `json` read JSON as text, `nearest` serves "did you mean" with `words` and `distance`, `text` shortens texts, `time` prints times.

pub mod distance;
pub mod entries;
mod error;
pub mod json;
pub mod known;
#[macro_use]
mod limit_list;
pub mod limits;
pub mod names;
mod nearest;
pub mod percent;
pub mod text;
pub mod time;
pub mod words;

pub use error::{Code, CommonError, Error, Kind, Problem, Result, codes, did_you_mean};
pub use nearest::nearest;

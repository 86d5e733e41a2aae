//! The second fence and the work bound: the checks of a statement that need the engine.
//!
//! - [`guard()`] asks SQLite itself what the final text would write and open, how much work it is,
//!   and which names do not exist.
//! - [`Meter`] does the same for our own statements that run a caller's definitions (views,
//!   computed columns, CHECKs), and adds up their work over a whole request.
//!
//! The first fence, `sql-gate`, reads the text of a statement. This one lets SQLite compile it. A
//! statement must pass both, so a mistake of our parsers alone lets nothing through.

mod added_column;
mod full_text;
mod guard;
mod meter;
pub mod names;
mod referring;
mod scope_fence;
mod work;
mod write_targets;

pub use full_text::content_of as full_text_content;
pub use guard::{
    estimate_within, guard, guard_counting, is_large, may_multiply, passes_in_any_state,
};
pub use meter::{IndexedRows, Meter};
pub use referring::ReferringTables;
pub use work::{Counts, Estimate, estimate, result_lengths};

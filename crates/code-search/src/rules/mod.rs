//! Rules that rank hits by more than the lists that found them.
//!
//! Each rule is a function of the question, the item and the hits around it. A rule adds a multiple
//! of the best fused score, so the rules do not depend on how lists are fused. A hit keeps the list
//! of rules that changed it.

mod apply;
mod file;
mod name;
mod weights;

pub use apply::{RankedHit, apply};
pub use file::is_secondary;
pub use weights::{Effect, Reason, Rule, Weights};

//! What makes one hit better than another, beyond the lists that it comes from.
//!
//! Each rule is a function of the question, the item and the hits around it. What a rule adds is a
//! multiple of the best fused score, so the rules do not depend on how lists are fused. A hit keeps
//! the list of rules that changed it.

mod apply;
mod file;
mod name;
mod weights;

pub use apply::{Ranked, apply};
pub use file::is_secondary;
pub use weights::{Effect, Reason, Rule, Weights};

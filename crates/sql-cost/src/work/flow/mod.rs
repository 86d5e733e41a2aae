//! How often each instruction runs at most, from where control may go and how often an edge may be taken.

pub mod allowance;
pub mod graph;
mod parts;
pub mod solve;

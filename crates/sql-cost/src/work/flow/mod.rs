//! Bounds how often each instruction runs, from the control flow and from bounds on how often an
//! edge may be taken.

pub mod allowance;
pub mod graph;
mod parts;
pub mod solve;

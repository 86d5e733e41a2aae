//! The bound on work: what it lets through and what it refuses.

pub mod analytic;
mod corpus;
mod random;

//! The providers over a network that fails on demand.

mod anthropic;
mod budgets;
mod failing;
mod fixtures;
mod openai;
mod patience;
mod workers_ai;
pub mod world;

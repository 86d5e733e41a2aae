//! The tools. `catalog` lists them, `schemas` has their parameters, `call` is one call, and `run`
//! chooses its handler: `asking` asks the client once, `rounds` asks it and keeps a state,
//! `telling` sends messages before it responds; the others always return the same.

mod asking;
mod call;
mod catalog;
mod rounds;
mod run;
mod schemas;
mod telling;

pub use call::Call;
pub use catalog::{Tool, list};
pub use run::run;

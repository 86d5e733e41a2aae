//! The tools. `catalog` lists them, `schemas` has their parameters, `call` is one call, `run` chooses what serves it: `asking` asks the client
//! once, `rounds` asks it and remembers, `telling` talks before it responds; the others return what they always return.

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

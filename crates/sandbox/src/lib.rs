//! The sandbox: what runs the programs that models write.
//!
//! [`prepare`] turns the text that was sent into a module that always ends, with every line where it was. [`runtime`] holds the
//! JavaScript that surrounds it in its isolate. [`request`] is what is asked; [`report`], [`journal`] and [`failure`] make a result of
//! what the isolate said, with what tools [`answered`] for its hints, [`keep`] puts a large result into a table, and [`queue`] decides who may run.
//!
//! Everything here is free of the platform, so that all of it runs in host tests; starting isolates is left to `worker/sandbox/`. What
//! comes from an isolate is never trusted: a program can forge all of it.

mod error;
pub mod failure;
pub mod journal;
pub mod keep;
pub mod kept;
pub mod limits;
pub mod prompt;
pub mod queue;
pub mod recent;
pub mod report;
pub mod request;
pub mod runtime;
pub mod tool_description;

pub use error::{SandboxError, codes};

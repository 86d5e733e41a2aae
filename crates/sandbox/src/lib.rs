//! Running the programs that models write.
//!
//! [`program`] turns the text that was sent into a module that always ends. [`runtime`] holds the JavaScript that surrounds it in its isolate.
//! [`request`] is what is asked; [`report`], [`journal`] and [`failure`] make a result of what the isolate said, [`result_table`] puts a large
//! result into a table, [`queue`] decides who may run, and [`isolate_pool`] has warm isolates.
//!
//! Starting isolates is left to the Worker. What comes from an isolate is never trusted: a program can forge all of it.

mod error;
pub mod failure;
pub mod host_calls;
pub mod isolate_pool;
pub mod journal;
pub mod limits;
pub mod prompt;
pub mod queue;
pub mod recent;
pub mod report;
pub mod request;
pub mod result_table;
pub mod runtime;
pub mod tool_description;

pub use error::{SandboxError, codes};

//! Runs the programs that models write.
//!
//! [`program`] turns the text that was sent into a module that always ends. [`runtime`] holds the
//! JavaScript around it in its isolate. [`request`] parses the request. [`report`], [`journal`] and
//! [`failure`] make a result from the isolate's report, and [`result_table`] puts a large result
//! into a table. [`queue`] decides which program may run, and [`isolate_pool`] keeps warm isolates.
//!
//! The Worker starts the isolates. Nothing that an isolate sends is trusted, because a program can
//! forge all of it.

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

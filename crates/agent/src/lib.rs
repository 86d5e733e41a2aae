//! Questions in plain words, answered by SQL that a person approves.
//!
//! `turn` is the flow as a pure function, `state` the state of a thread, and `approval` a statement
//! with its decision. `store` keeps all of it in the thread's database, with its audit. `drive`
//! does the next work, through ports: the tables of a session, a writer of statements, the memory
//! of the tenant. `evidence` finds the values of a question in the tables, `prompt` makes the
//! prompts of a model, `written` parses the output of the model, and `statement` the SQL in it. Our
//! own code writes the replies (`reply`) and charts (`chart`). `memory` holds earlier pairs of
//! question and statement, `spending` the cost of models, and `tenant` the requests by which
//! threads reach both. `request` parses the requests of callers, and `settings` the settings of a
//! deployment.
//!
//! The tenant wall is in the crate `sql-scope`: nothing here adds a condition to a statement.

pub mod approval;
mod author;
pub mod chart;
pub mod drive;
mod error;
mod evidence;
pub mod limits;
pub mod memory;
pub mod person;
pub mod prompt;
pub mod reply;
pub mod request;
pub mod settings;
pub mod spending;
pub mod state;
mod statement;
mod status;
pub mod store;
pub mod tenant;
pub mod turn;
mod words;
pub mod writer;
pub mod written;

pub use error::{AgentError, codes};

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

//! Questions in plain words, answered by SQL that a person approves.
//!
//! `turn` is the flow as a pure function, `state` what a thread knows, `approval` what a person decides, `store` all of it in the thread's
//! database with its audit. `drive` does what comes next, through ports: the tables of a session, a writer of statements, the memory of the tenant.
//! `evidence` are the values of a question that stand in the tables, `prompt` says to a model what it needs, `written` reads what the model wrote, `statement` its SQL, `reply` and `chart` are made by our code. `memory` are earlier pairs of
//! question and query, `spending` what models cost, `tenant` how threads ask for both. `request` is what callers ask, `settings` what a deployment decides. The tenant wall is in the crate `sql`: nothing here adds a condition to a statement.

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

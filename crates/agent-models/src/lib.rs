//! Language models: one question, one response, as a stream of text and as a JSON object that follows a schema.
//!
//! `model` is the trait that callers use, `request` what is asked, `completion` what comes back, `error` why nothing does. Three providers
//! implement the trait: `openai` (any endpoint that is compatible with OpenAI's chat completions), `anthropic` (the Messages API), `workers_ai`
//! (Cloudflare's binding, behind the port [`workers_ai::Ai`]); [`HostedModel`] is one of them, as `settings` reads it from the environment variables.
//! `exchange` sends, retries and keeps the time, `gathering` adds up what a stream brings, `thinking` takes off thoughts in front of a response, `structured` finds the object in a text, `lenient` reads its JSON as models spell it, `partial`
//! streams one field of it, `accounting` counts tokens, costs and budgets. The planner that needs no model is the caller's, and so is where
//! the sums of a budget are stored.

pub mod accounting;
pub mod anthropic;
mod completion;
mod error;
mod exchange;
mod gathering;
mod hosted;
mod lenient;
pub mod limits;
mod model;
pub mod openai;
mod partial;
mod request;
pub mod settings;
mod structured;
#[cfg(test)]
mod tests;
mod thinking;
mod usage;
pub mod workers_ai;

pub use completion::{Completion, StopReason};
pub use error::{BadResponse, Cap, ModelError, ModelFailure, Refuser, Wait, codes};
pub use exchange::{Memory, Patience, Ports};
pub use hosted::HostedModel;
pub use model::{Description, LanguageModel, Provider};
pub use partial::FieldStream;
pub use request::{Message, ModelRequest, Role, Structure};
pub use settings::Settings;
pub use structured::{NoObject, object_in};

//! Language models: one question, one response, as a stream of text and as a JSON object that
//! follows a schema.
//!
//! `model` has the trait that callers use, `request` the request, `completion` the response, and
//! `error` the errors. Three providers implement the trait: `openai` (any endpoint that is
//! compatible with OpenAI's chat completions), `anthropic` (the Messages API), and `workers_ai`
//! (Cloudflare's binding, behind the port [`workers_ai::Ai`]). [`HostedModel`] is one of them,
//! configured by `settings` from the environment variables.
//!
//! `exchange` sends, retries and watches the time. `gathering` collects the parts of a response,
//! `thinking` removes thoughts before it, `structured` finds the object in a text, `lenient`
//! accepts the JSON that models write, `partial` streams one field of it, and `accounting` counts
//! tokens, costs and budgets. The caller provides the planner, which needs no model, and the
//! storage for the sums of a budget.

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
pub use exchange::{EndpointMemory, Ports, TimeLimits};
pub use hosted::HostedModel;
pub use model::{Description, LanguageModel, Provider};
pub use partial::FieldStream;
pub use request::{Message, ModelRequest, Role, Structure};
pub use settings::Settings;
pub use structured::{NoObject, object_in};

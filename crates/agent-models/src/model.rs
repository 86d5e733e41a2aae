//! The interface through which callers use any model.
#![expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]

use crate::accounting::Prices;
use crate::completion::Completion;
use crate::error::ModelFailure;
use crate::request::ModelRequest;

/// The provider of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// An endpoint that is compatible with OpenAI's chat completions.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
    /// The binding of Workers AI.
    WorkersAi,
    /// The planner: rules of our own, without a model.
    Planner,
}

impl Provider {
    /// All providers, as the environment variable names them.
    pub const ALL: [Self; 4] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::WorkersAi,
        Self::Planner,
    ];

    /// Returns the name in the environment variable.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::WorkersAi => "workers-ai",
            Self::Planner => "planner",
        }
    }
}

/// The description of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The provider.
    pub provider: Provider,
    /// The name of the model at the provider.
    pub model: String,
    /// Scheme, host and port of the endpoint that receives the conversation; `None` if the
    /// conversation does not leave the platform.
    pub origin: Option<String>,
    /// The prices that the deployment has configured.
    pub prices: Prices,
}

/// A model.
pub trait LanguageModel {
    /// Sends a request and waits for the whole response. `on_text` receives the text as it arrives;
    /// for a structured response, it receives the characters of the field that
    /// [`crate::Structure::streaming`] names. This text is never taken back: after the first piece
    /// of it, the request is not sent again.
    ///
    /// # Errors
    /// [`ModelFailure`], with the tokens that the provider counted until then.
    async fn complete(
        &self,
        request: &ModelRequest,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelFailure>;

    /// Returns the description of the model.
    fn describe(&self) -> Description;
}

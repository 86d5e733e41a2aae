//! What callers use of any model.
#![expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]

use crate::accounting::Prices;
use crate::completion::Completion;
use crate::error::ModelFailure;
use crate::request::ModelRequest;

/// Who runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// An endpoint that is compatible with OpenAI's chat completions.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
    /// The binding of Workers AI.
    WorkersAi,
    /// Nobody: rules of ours, without a model.
    Planner,
}

impl Provider {
    /// All of them, as the environment variable names them.
    pub const ALL: [Self; 4] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::WorkersAi,
        Self::Planner,
    ];

    /// As the environment variable names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::WorkersAi => "workers-ai",
            Self::Planner => "planner",
        }
    }
}

/// What a model says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Who runs it.
    pub provider: Provider,
    /// Its name at the provider.
    pub model: String,
    /// Scheme, host and port that the conversation is sent to; none where it does not leave the platform.
    pub origin: Option<String>,
    /// What the deployment says that it costs.
    pub prices: Prices,
}

/// A model.
pub trait LanguageModel {
    /// Asks and waits for the whole response. `on_text` gets the text as it comes; of a structured response, the characters of the field that
    /// [`crate::Structure::streaming`] names. What it got is never taken back: a request is not sent again once it got something.
    ///
    /// # Errors
    /// [`ModelFailure`], with the tokens that the provider counted until then.
    async fn complete(
        &self,
        request: &ModelRequest,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelFailure>;

    /// What it is.
    fn describe(&self) -> Description;
}

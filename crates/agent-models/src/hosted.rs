//! The model that a deployment has configured, of any provider.

use net::transport::{Clock, Http};

use crate::anthropic::Anthropic;
use crate::completion::Completion;
use crate::error::{ModelError, ModelFailure};
use crate::exchange::{EndpointMemory, Ports};
use crate::model::{Description, LanguageModel, Provider};
use crate::openai::OpenAi;
use crate::request::ModelRequest;
use crate::settings::Hosted;
use crate::workers_ai::{Ai, WorkersAi};

/// A model of one of the providers.
pub enum HostedModel<'a, H, C, A> {
    /// An endpoint that is compatible with OpenAI's.
    OpenAi(OpenAi<'a, H, C>),
    /// A model of Anthropic.
    Anthropic(Anthropic<'a, H, C>),
    /// A model of the platform.
    WorkersAi(WorkersAi<'a, A, C>),
}

impl<'a, H: Http, C: Clock, A: Ai> HostedModel<'a, H, C, A> {
    /// Returns the model of a configuration. `ai` is the binding of Workers AI, if the deployment
    /// has one.
    ///
    /// # Errors
    /// [`ModelError::NotConfigured`] for Workers AI without its binding, and for the planner, which
    /// is not a model.
    pub fn new(
        ports: Ports<'a, H, C>,
        ai: Option<&'a A>,
        hosted: &'a Hosted,
        memory: &'a EndpointMemory,
    ) -> Result<Self, ModelError> {
        match (hosted.provider, ai) {
            (Provider::OpenAi, _) => Ok(Self::OpenAi(OpenAi::new(ports, hosted, memory))),
            (Provider::Anthropic, _) => Ok(Self::Anthropic(Anthropic::new(ports, hosted, memory))),
            (Provider::WorkersAi, Some(ai)) => Ok(Self::WorkersAi(WorkersAi::new(
                ai,
                ports.clock,
                hosted,
                memory,
            ))),
            (Provider::WorkersAi, None) => Err(ModelError::NotConfigured {
                message:
                    "the deployment has no binding AI, and MODEL names the provider workers-ai"
                        .to_owned(),
            }),
            (Provider::Planner, _) => Err(ModelError::NotConfigured {
                message: "the deployment has no language model".to_owned(),
            }),
        }
    }
}

impl<H: Http, C: Clock, A: Ai> LanguageModel for HostedModel<'_, H, C, A> {
    async fn complete(
        &self,
        request: &ModelRequest,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelFailure> {
        match self {
            Self::OpenAi(model) => model.complete(request, on_text).await,
            Self::Anthropic(model) => model.complete(request, on_text).await,
            Self::WorkersAi(model) => model.complete(request, on_text).await,
        }
    }

    fn describe(&self) -> Description {
        match self {
            Self::OpenAi(model) => model.describe(),
            Self::Anthropic(model) => model.describe(),
            Self::WorkersAi(model) => model.describe(),
        }
    }
}

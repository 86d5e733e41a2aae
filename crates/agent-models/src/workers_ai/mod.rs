//! Workers AI, the models of the platform itself: the input of its binding, and the parser of its
//! responses. The call is the port [`Ai`].
//!
//! A structured response is requested with a JSON Schema. It arrives as a whole, because the
//! platform does not stream it. A model that does not accept a schema gets it in words.
#![expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]

mod failure;
mod input;
mod response;

use net::Secrets;
use net::transport::{Body, Clock};

use crate::completion::Completion;
use crate::error::{ModelError, ModelFailure};
use crate::exchange::{
    Dialect, EndpointMemory, Flow, Form, ModelCall, ResponseBody, Time, Wire, complete,
};
use crate::gathering::ResponseCollector;
use crate::model::{Description, LanguageModel};
use crate::request::ModelRequest;
use crate::settings::Hosted;

/// The return value of the binding.
#[derive(Debug)]
pub enum AiResponse<B> {
    /// A stream of events.
    Stream(B),
    /// A value, as JSON text.
    Whole(String),
}

/// The binding of Workers AI.
pub trait Ai {
    /// The type of the body of a stream.
    type Body: Body;

    /// Calls `env.AI.run(model, input)`. The input is JSON text.
    ///
    /// # Errors
    /// The text of the error that the call threw.
    async fn run(&self, model: &str, input: String) -> Result<AiResponse<Self::Body>, String>;
}

/// A model of Workers AI.
pub struct WorkersAi<'a, A, C> {
    ai: &'a A,
    clock: &'a C,
    hosted: &'a Hosted,
    memory: &'a EndpointMemory,
}

impl<'a, A: Ai, C: Clock> WorkersAi<'a, A, C> {
    /// Returns the model of this configuration. Facts learned about the model are stored in
    /// `memory`.
    pub fn new(ai: &'a A, clock: &'a C, hosted: &'a Hosted, memory: &'a EndpointMemory) -> Self {
        Self {
            ai,
            clock,
            hosted,
            memory,
        }
    }
}

impl<A: Ai, C: Clock> LanguageModel for WorkersAi<'_, A, C> {
    async fn complete(
        &self,
        request: &ModelRequest,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelFailure> {
        let asked = ModelCall {
            request,
            model: &self.hosted.model,
            memory: self.memory,
        };
        complete(self, self.clock, self.hosted.patience, asked, on_text).await
    }

    fn describe(&self) -> Description {
        self.hosted.describe()
    }
}

impl<A: Ai, C: Clock> Wire<C> for WorkersAi<'_, A, C> {
    type Body = A::Body;

    async fn send(
        &self,
        request: &ModelRequest,
        dialect: Dialect,
        time: &Time<'_, C>,
    ) -> Result<ResponseBody<A::Body>, ModelError> {
        let tokens = self.hosted.tokens_for(request);
        let input = input::render(request, tokens, dialect);
        let run = self.ai.run(&self.hosted.model, input);
        // A response that is not a stream arrives when it is complete.
        let ran = if input::streams(request, dialect) {
            time.first_byte(run).await?
        } else {
            time.whole(run).await?
        };
        match ran.map_err(|thrown| failure::read(&thrown))? {
            AiResponse::Stream(body) => Ok(ResponseBody::Events(body)),
            AiResponse::Whole(json) => response::check_size(json).map(ResponseBody::Whole),
        }
    }

    fn event(&self, data: &str, gathered: &mut ResponseCollector<'_>) -> Result<Flow, ModelError> {
        response::event(data, gathered)
    }

    fn whole(&self, json: &str, gathered: &mut ResponseCollector<'_>) -> Result<(), ModelError> {
        response::whole(json, gathered)
    }

    fn secrets(&self) -> &Secrets {
        &self.hosted.secrets
    }

    fn other_dialect(
        &self,
        dialect: Dialect,
        error: &ModelError,
        request: &ModelRequest,
    ) -> Option<Dialect> {
        request.structure()?;
        if let ModelError::Rejected { message, .. } = error
            && dialect.form == Form::Schema
            && failure::is_about_schemas(message)
        {
            return Some(dialect.with_form(Form::Words));
        }
        None
    }
}

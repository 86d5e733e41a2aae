//! Anthropic's Messages API: `POST {base}/v1/messages`, as a stream.
//!
//! A structured response is the input of a tool that the model must call. If a model writes text
//! instead, the object is searched for in the text. A model that does not accept a forced tool call
//! gets the schema in words.

mod body;
mod response;

use net::Secrets;
use net::transport::{Clock, Http, Request};

use crate::completion::Completion;
use crate::error::{ModelError, ModelFailure};
use crate::exchange::{
    Dialect, EndpointMemory, Flow, Form, ModelCall, Ports, ResponseBody, Time, Wire, complete, post,
};
use crate::gathering::ResponseCollector;
use crate::model::{Description, LanguageModel};
use crate::request::ModelRequest;
use crate::settings::Hosted;

/// The path after the base URL.
const PATH: &str = "/v1/messages";

/// The version of the API. It still accepts a temperature, without which two responses to the same
/// request would differ more.
const VERSION: &str = "2023-06-01";

/// A model of Anthropic.
pub struct Anthropic<'a, H, C> {
    ports: Ports<'a, H, C>,
    hosted: &'a Hosted,
    memory: &'a EndpointMemory,
}

impl<'a, H: Http, C: Clock> Anthropic<'a, H, C> {
    /// Returns the model of this configuration. Facts learned about the endpoint are stored in
    /// `memory`.
    pub fn new(ports: Ports<'a, H, C>, hosted: &'a Hosted, memory: &'a EndpointMemory) -> Self {
        Self {
            ports,
            hosted,
            memory,
        }
    }

    fn http_request(&self, request: &ModelRequest, dialect: Dialect) -> Request {
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            (
                "accept".to_owned(),
                "text/event-stream, application/json".to_owned(),
            ),
            ("anthropic-version".to_owned(), VERSION.to_owned()),
        ];
        if let Some(key) = &self.hosted.api_key {
            headers.push(("x-api-key".to_owned(), key.reveal().to_owned()));
        }
        Request {
            method: "POST",
            url: format!("{}{PATH}", self.hosted.base_url),
            headers,
            body: body::render(
                request,
                &self.hosted.model,
                self.hosted.tokens_for(request),
                dialect,
            ),
        }
    }
}

impl<H: Http, C: Clock> LanguageModel for Anthropic<'_, H, C> {
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
        complete(self, self.ports.clock, self.hosted.patience, asked, on_text).await
    }

    fn describe(&self) -> Description {
        self.hosted.describe()
    }
}

impl<H: Http, C: Clock> Wire<C> for Anthropic<'_, H, C> {
    type Body = H::Body;

    async fn send(
        &self,
        request: &ModelRequest,
        dialect: Dialect,
        time: &Time<'_, C>,
    ) -> Result<ResponseBody<H::Body>, ModelError> {
        let http_request = self.http_request(request, dialect);
        post(self.ports, http_request, self.secrets(), time).await
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

    /// Leaves out the temperature, which newer models reject. Asks for the object in words if the
    /// model cannot be forced to call a tool, because it always reasons first.
    fn other_dialect(
        &self,
        dialect: Dialect,
        error: &ModelError,
        request: &ModelRequest,
    ) -> Option<Dialect> {
        let ModelError::Rejected {
            status: 400,
            message,
        } = error
        else {
            return None;
        };
        if dialect.has_temperature() && message.contains("temperature") {
            return dialect.without_named_part(message);
        }
        let is_forced = request.structure().is_some() && dialect.form == Form::Schema;
        (is_forced && message.contains("tool_choice")).then(|| dialect.with_form(Form::Words))
    }
}

//! Any endpoint that is compatible with OpenAI's chat completions: `POST {base}/chat/completions`,
//! as a stream.
//!
//! A structured response is requested with a JSON Schema. An endpoint that rejects this gets the
//! schema in words, with `response_format` as `json_object`, and if it rejects that too, without
//! `response_format`. An endpoint that rejects the name of the token limit gets its other name, and
//! one that rejects the temperature or the request for token counts gets none.

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

pub(crate) use body::messages;
pub(crate) use response::{event as read_event, whole as read_whole};

/// The path after the base URL.
const PATH: &str = "/chat/completions";

/// Texts of rejections that do not concern the form of the request.
const NOT_THE_FORM: [&str; 3] = ["context length", "context_length", "does not exist"];

/// A model at such an endpoint.
pub struct OpenAi<'a, H, C> {
    ports: Ports<'a, H, C>,
    hosted: &'a Hosted,
    memory: &'a EndpointMemory,
}

impl<'a, H: Http, C: Clock> OpenAi<'a, H, C> {
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
        ];
        if let Some(key) = &self.hosted.api_key {
            headers.push((
                "authorization".to_owned(),
                format!("Bearer {}", key.reveal()),
            ));
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

impl<H: Http, C: Clock> LanguageModel for OpenAi<'_, H, C> {
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

impl<H: Http, C: Clock> Wire<C> for OpenAi<'_, H, C> {
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

    fn other_dialect(
        &self,
        dialect: Dialect,
        error: &ModelError,
        request: &ModelRequest,
    ) -> Option<Dialect> {
        let ModelError::Rejected {
            status: 400 | 422,
            message,
        } = error
        else {
            return None;
        };
        if NOT_THE_FORM.iter().any(|words| message.contains(words)) {
            return None;
        }
        if let Some(other) = dialect.without_named_part(message) {
            return Some(other);
        }
        request.structure()?;
        match dialect.form {
            // Endpoints reject schemas with many different messages.
            Form::Schema => Some(dialect.with_form(Form::AnyObject)),
            Form::AnyObject
                if message.contains("response_format") || message.contains("json_object") =>
            {
                Some(dialect.with_form(Form::Words))
            }
            Form::AnyObject | Form::Words => None,
        }
    }
}

//! One request to a model and its response, for every protocol: attempts, retries, and the form of
//! request that an endpoint accepts.
//!
//! If the provider cannot respond now or the connection breaks, the request is sent again, up to
//! [`MODEL_RETRIES`] times. This happens only before the model has written anything: text that the
//! caller received is never taken back, and tokens are not paid for twice. If a request is rejected
//! for a part that not all endpoints accept, it is sent once more without that part, and the part
//! is remembered.
//!
//! `time` has the time limits, `dialect` the forms of requests that endpoints accept, `refusal`
//! parses the failures that providers report, and `reading` reads the bodies of responses.

mod dialect;
mod reading;
mod refusal;
mod time;

use net::transport::{Body, Clock, Http};

use crate::completion::Completion;
use crate::error::{ModelError, ModelFailure};
use crate::gathering::ResponseCollector;
use crate::limits::{MODEL_RETRIES, MODEL_RETRY_MS};
use crate::request::ModelRequest;

pub use dialect::EndpointMemory;
pub(crate) use dialect::{Dialect, Form, TokenField};
pub(crate) use reading::{Flow, ResponseBody, not_described, parse_event, too_large_whole};
pub(crate) use refusal::{error_in, failure_of_thrown, unavailable};
pub(crate) use time::Time;
pub use time::TimeLimits;

/// The network and the clock.
pub struct Ports<'a, H, C> {
    /// The HTTP client.
    pub http: &'a H,
    /// The clock and the source of random numbers.
    pub clock: &'a C,
}

// A derived `Clone` would require that the ports implement it, too.
impl<H, C> Clone for Ports<'_, H, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H, C> Copy for Ports<'_, H, C> {}

/// A protocol: the form of its requests and the parser of its responses.
pub(crate) trait Wire<C: Clock> {
    /// The type of the body of a response.
    type Body: Body;

    /// Sends the request, and waits for the head of the response.
    async fn send(
        &self,
        request: &ModelRequest,
        dialect: Dialect,
        time: &Time<'_, C>,
    ) -> Result<ResponseBody<Self::Body>, ModelError>;

    /// Adds the content of one event of a stream.
    fn event(&self, data: &str, gathered: &mut ResponseCollector<'_>) -> Result<Flow, ModelError>;

    /// Adds the content of a response that is not a stream.
    fn whole(&self, json: &str, gathered: &mut ResponseCollector<'_>) -> Result<(), ModelError>;

    /// Returns the secrets to redact from responses.
    fn secrets(&self) -> &net::Secrets;

    /// Returns the dialect in which a failed request may succeed.
    fn other_dialect(
        &self,
        dialect: Dialect,
        error: &ModelError,
        request: &ModelRequest,
    ) -> Option<Dialect>;
}

/// Sends the request, and waits for the whole response.
pub(crate) async fn complete<C: Clock, W: Wire<C>>(
    wire: &W,
    clock: &C,
    patience: TimeLimits,
    asked: ModelCall<'_>,
    on_text: &mut dyn FnMut(&str),
) -> Result<Completion, ModelFailure> {
    let ModelCall {
        request,
        model,
        memory,
    } = asked;
    let mut time = Time::new(clock, patience);
    let mut dialect = memory.dialect();
    let mut retries = 0;
    // The loop ends: a dialect only loses parts, and retries are counted.
    loop {
        time.begin_attempt();
        let mut gathered =
            ResponseCollector::new(request, wire.secrets(), memory.thinks(), on_text);
        let Err(error) = attempt(wire, request, dialect, &time, &mut gathered).await else {
            memory.remember(dialect);
            if gathered.has_thought() {
                memory.remember_thoughts();
            }
            return gathered.finish(request, model);
        };
        let usage = gathered.usage(request);
        let failure = |error| Err(ModelFailure { error, usage });
        if gathered.has_begun() {
            return failure(error);
        }
        if let Some(other) = wire.other_dialect(dialect, &error, request) {
            dialect = other;
            continue;
        }
        if retries >= MODEL_RETRIES || !error.may_pass() {
            return failure(error);
        }
        let wait_ms = pause_ms(clock, retries, error.retry_after_ms());
        if wait_ms >= time.left_ms() {
            return failure(error);
        }
        clock.sleep(wait_ms).await;
        retries += 1;
    }
}

/// A request, its model, and the memory of the endpoint.
pub(crate) struct ModelCall<'a> {
    pub(crate) request: &'a ModelRequest,
    /// The name of the model at the provider.
    pub(crate) model: &'a str,
    /// The facts learned about the endpoint.
    pub(crate) memory: &'a EndpointMemory,
}

async fn attempt<C: Clock, W: Wire<C>>(
    wire: &W,
    request: &ModelRequest,
    dialect: Dialect,
    time: &Time<'_, C>,
    gathered: &mut ResponseCollector<'_>,
) -> Result<(), ModelError> {
    match wire.send(request, dialect, time).await? {
        ResponseBody::Events(body) => reading::read_events(wire, body, time, gathered).await,
        ResponseBody::Whole(json) => wire.whole(&wire.secrets().strike_out_of_json(json), gathered),
    }
}

/// Returns the pause before a retry. It grows with each attempt and is random, so that many callers
/// do not retry at the same time.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "some hundred milliseconds"
)]
fn pause_ms(clock: &impl Clock, retries: u32, retry_after_ms: Option<u64>) -> u64 {
    let base = (MODEL_RETRY_MS << retries.min(MODEL_RETRIES)) as f64;
    let jittered = (base * (0.5 + clock.random())) as u64;
    retry_after_ms.map_or(jittered, |wanted| wanted.max(jittered))
}

/// Sends a request over HTTP.
pub(crate) async fn post<H: Http, C: Clock>(
    ports: Ports<'_, H, C>,
    request: net::transport::Request,
    secrets: &net::Secrets,
    time: &Time<'_, C>,
) -> Result<ResponseBody<H::Body>, ModelError> {
    let sent = time.first_byte(ports.http.send(request)).await?;
    let response = sent.map_err(|broken| refusal::broken(&broken, secrets))?;
    reading::open(response, secrets, ports.clock, time).await
}

//! One request to a model and its response, whatever the protocol: attempts, retries, and the form of request that an endpoint takes.
//!
//! A request is sent again where the provider says that it cannot respond now, or the connection breaks, up to
//! [`MODEL_RETRIES`] times and only before the model has said anything: what the caller got is never taken back, and tokens are not paid for
//! twice. A request that is rejected for a part that not all endpoints take is sent once without that part, which is remembered.
//! Contents: `time` limits, `dialect` what endpoints take, `refusal` failures as providers tell them, `reading` bodies.

mod dialect;
mod reading;
mod refusal;
mod time;

use net::transport::{Body, Clock, Http};

use crate::completion::Completion;
use crate::error::{ModelError, ModelFailure};
use crate::gathering::Gathered;
use crate::limits::{MODEL_RETRIES, MODEL_RETRY_MS};
use crate::request::ModelRequest;

pub use dialect::Memory;
pub(crate) use dialect::{Dialect, Form, TokenField};
pub(crate) use reading::{Came, Flow, not_described, parse_event, too_large_whole};
pub(crate) use refusal::{error_in, failure_of_thrown, unavailable};
pub use time::Patience;
pub(crate) use time::Time;

/// The network and the clock.
pub struct Ports<'a, H, C> {
    /// Sends requests.
    pub http: &'a H,
    /// Time and chance.
    pub clock: &'a C,
}

// Derived, it would ask the ports to be copies, too.
impl<H, C> Clone for Ports<'_, H, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H, C> Copy for Ports<'_, H, C> {}

/// How a protocol asks, and how its responses are read.
pub(crate) trait Wire<C: Clock> {
    /// Of a response.
    type Body: Body;

    /// Sends the request, and waits for the head of the response.
    async fn send(
        &self,
        request: &ModelRequest,
        dialect: Dialect,
        time: &Time<'_, C>,
    ) -> Result<Came<Self::Body>, ModelError>;

    /// Puts in what one event of a stream says.
    fn event(&self, data: &str, gathered: &mut Gathered<'_>) -> Result<Flow, ModelError>;

    /// Puts in what a response says that is no stream.
    fn whole(&self, json: &str, gathered: &mut Gathered<'_>) -> Result<(), ModelError>;

    /// What must not come back.
    fn secrets(&self) -> &net::Secrets;

    /// The dialect in which a request that failed may succeed.
    fn other_dialect(
        &self,
        dialect: Dialect,
        error: &ModelError,
        request: &ModelRequest,
    ) -> Option<Dialect>;
}

/// Asks, and waits for the whole response.
pub(crate) async fn complete<C: Clock, W: Wire<C>>(
    wire: &W,
    clock: &C,
    patience: Patience,
    asked: Asked<'_>,
    on_text: &mut dyn FnMut(&str),
) -> Result<Completion, ModelFailure> {
    let Asked {
        request,
        model,
        memory,
    } = asked;
    let mut time = Time::new(clock, patience);
    let mut dialect = memory.dialect();
    let mut retries = 0;
    // Bounded: a dialect only ever loses parts, and retries are counted.
    loop {
        time.begin_attempt();
        let mut gathered = Gathered::new(request, wire.secrets(), memory.thinks(), on_text);
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

/// What is asked of which model.
pub(crate) struct Asked<'a> {
    pub(crate) request: &'a ModelRequest,
    /// As the provider calls it.
    pub(crate) model: &'a str,
    /// What is known of the endpoint.
    pub(crate) memory: &'a Memory,
}

async fn attempt<C: Clock, W: Wire<C>>(
    wire: &W,
    request: &ModelRequest,
    dialect: Dialect,
    time: &Time<'_, C>,
    gathered: &mut Gathered<'_>,
) -> Result<(), ModelError> {
    match wire.send(request, dialect, time).await? {
        Came::Events(body) => reading::read_events(wire, body, time, gathered).await,
        Came::Whole(json) => wire.whole(&wire.secrets().strike_out_of_json(json), gathered),
    }
}

/// Grows with each attempt, and differs between callers, so that they do not come back together.
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

/// Sends over HTTP.
pub(crate) async fn post<H: Http, C: Clock>(
    ports: Ports<'_, H, C>,
    request: net::transport::Request,
    secrets: &net::Secrets,
    time: &Time<'_, C>,
) -> Result<Came<H::Body>, ModelError> {
    let sent = time.first_byte(ports.http.send(request)).await?;
    let response = sent.map_err(|broken| refusal::broken(&broken, secrets))?;
    reading::open(response, secrets, ports.clock, time).await
}

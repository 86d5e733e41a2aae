//! The client: finds out the protocol version of a server, opens a session if the server wants one,
//! retries requests that may be retried, and enforces the timeout.
//!
//! A server of the modern protocol version is recognised by its response to the first request;
//! after any other response the client tries the handshake of the older version. The caller keeps
//! the [`Connection`], so that the protocol version and the session are found out once.

mod handshake;
mod resumption;
mod sending;

use std::cell::Cell;
use std::rc::Rc;

use futures::future::{Either, select};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::authorization::Access;
use crate::connection::Session;
pub use crate::connection::{Connection, Era};
use crate::era::{FailedRequest, ProbeOutcome, tells_of_lost_session};
use crate::exchange::read_answer;
use crate::expected::{Depth, Expected};
use crate::failure::Failure;
use crate::limits::{MAX_ANSWERED_REQUESTS, UPSTREAM_RETRIES, UPSTREAM_RETRY_MS};
use crate::message::{Batches, Message, Notice, Progress};
use crate::protocol::{CancelledParams, ListParams, MODERN_VERSION, Meta, render};
use crate::stream::{NoResumption, Resume};
use handshake::{batches_in, session_headers};
use net::secrets::Secrets;
use net::transport::{Clock, Http, Request, Response};
use resumption::Resumption;

/// The address of a server, and the headers that it needs.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its address.
    pub url: String,
    /// Headers for each request, including secrets.
    pub headers: Vec<(String, String)>,
    /// Strings that must not come back in a response.
    pub secrets: Secrets,
    /// The source of access tokens, if the server demands a token from its authorization server.
    pub access: Option<Rc<Access>>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Shows neither the headers nor the URL, because both may contain a key.
        formatter.debug_struct("Endpoint").finish_non_exhaustive()
    }
}

/// The effect of sending a request again after the first one may have been carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetrySafety {
    /// A repetition changes nothing, or has the same effect.
    Safe,
    /// A repetition may do something twice.
    Unsafe,
}

/// A method with its parameters, for either protocol version.
pub(super) struct Ask<'a, F> {
    pub method: &'static str,
    /// `Mcp-Name`, encoded.
    pub name: Option<String>,
    /// Further headers of the modern protocol version.
    pub headers: &'a [(String, String)],
    /// The parameters as a function of `_meta`.
    pub params: F,
    pub repeat: RetrySafety,
    pub progress: bool,
    /// The part of the response whose nesting is limited.
    pub depth: Depth,
    /// The session that an error in the result may be about.
    pub sessions: Sessions,
}

/// The session that an error text in a result means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sessions {
    /// The session of the protocol: the request names no other.
    OfTheProtocol,
    /// A session of the tool itself, or such texts do not occur.
    OfTheTool,
}

/// Returns the request for one page of the list of tools. It changes nothing, so it is also used to
/// probe a server.
pub(super) fn list_ask<'a>(
    cursor: Option<&'a RawValue>,
) -> Ask<'a, impl Fn(Option<Meta<'static>>) -> ListParams<'a>> {
    Ask {
        method: "tools/list",
        name: None,
        headers: &[],
        params: move |meta| ListParams { cursor, meta },
        repeat: RetrySafety::Safe,
        progress: false,
        depth: Depth::OfParts,
        sessions: Sessions::OfTheTool,
    }
}

/// A client of one server, for one caller.
pub struct Client<'a, H, C> {
    pub(super) http: &'a H,
    pub(super) clock: &'a C,
    endpoint: &'a Endpoint,
    pub(super) connection: &'a Connection,
    deadline_ms: u64,
    /// True if the server may have accepted the request.
    asked: Cell<bool>,
    /// True if a handshake has failed with a server that has a temporary failure.
    handshake_failed: Cell<bool>,
    /// True if another access token has been requested after a refusal.
    renewed: Cell<bool>,
}

impl<'a, H: Http, C: Clock> Client<'a, H, C> {
    /// Creates a client whose requests, including retries and waits, end within `timeout_ms` from
    /// now.
    pub fn new(
        http: &'a H,
        clock: &'a C,
        endpoint: &'a Endpoint,
        connection: &'a Connection,
        timeout_ms: u32,
    ) -> Self {
        Self {
            http,
            clock,
            endpoint,
            connection,
            deadline_ms: clock.now_ms() + u64::from(timeout_ms),
            asked: Cell::new(false),
            handshake_failed: Cell::new(false),
            renewed: Cell::new(false),
        }
    }

    /// Sends a request and waits for the response.
    pub(super) async fn ask<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        self.asked.set(false);
        let left_ms = self.deadline_ms.saturating_sub(self.clock.now_ms());
        let work = std::pin::pin!(self.repeat(ask, notice));
        let time = std::pin::pin!(self.clock.sleep(left_ms));
        let failure = match select(work, time).await {
            Either::Left((Ok(message), _)) => return Ok(message),
            Either::Left((Err(failure), _)) => failure,
            // The work is dropped, which closes its connection.
            Either::Right(_) => Failure::Timeout,
        };
        Err(match failure {
            Failure::Connection(how) if !self.asked.get() => Failure::Unreached(how),
            Failure::NotMcp(text) if self.connection.era().is_some() => Failure::Protocol(text),
            other => other,
        })
    }

    /// Returns true if there is time for a wait and for something after it.
    pub(super) fn has_time_for(&self, wait_ms: u64) -> bool {
        self.clock.now_ms().saturating_add(wait_ms) < self.deadline_ms
    }

    async fn repeat<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        let mut attempt = 0;
        loop {
            let failure = match self.in_any_era(ask, notice).await {
                Ok(message) => return Ok(message),
                Err(failure) => failure,
            };
            if matches!(failure, Failure::Denied(_)) {
                // It was not sent, or the server has refused it.
                self.asked.set(false);
            }
            let once_more = ask.repeat == RetrySafety::Safe || !self.asked.get();
            if attempt >= UPSTREAM_RETRIES || !once_more || !failure.may_pass() {
                return Err(failure);
            }
            let wait_ms = self.pause_ms(attempt, failure.retry_after_ms());
            if !self.has_time_for(wait_ms) {
                return Err(failure);
            }
            self.clock.sleep(wait_ms).await;
            attempt += 1;
        }
    }

    /// Returns the pause before a retry. It grows with each attempt and differs between callers, so
    /// that they do not all come back at the same time.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a few hundred milliseconds"
    )]
    fn pause_ms(&self, attempt: u32, retry_after_ms: Option<u64>) -> u64 {
        let base = (UPSTREAM_RETRY_MS << attempt.min(8)) as f64;
        let jittered = (base * (0.5 + self.clock.random())) as u64;
        retry_after_ms.map_or(jittered, |wanted| wanted.max(jittered))
    }

    /// Sends a request in the protocol version of the server. If the refusal is like that of a
    /// server of the other version, or of a server that has lost its session, the version and the
    /// session are found out again, once. A request that may do something twice is sent only if the
    /// version is known, and sent again only after a refusal which shows that it was not accepted.
    async fn in_any_era<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        let connection = self.connection;
        let era = match connection.era() {
            Some(era) => era,
            None if ask.repeat == RetrySafety::Safe => return self.find_era(ask, notice).await,
            None => self.find_out(None).await?,
        };
        let failed = match self.in_era(era, ask, notice).await {
            Ok(message) => return Ok(message),
            Err(failed) => failed,
        };
        if !failed.may_want_another_era() {
            return Err(failed.failure);
        }
        let session = failed.session.as_ref();
        connection.forget(failed.era, session);
        let era = match connection.era() {
            // Another call has found it in the meantime.
            Some(era) => era,
            None => {
                // The refusal showed that the request was not accepted.
                self.asked.set(false);
                self.find_out(Some(&failed.failure)).await?
            }
        };
        if connection.is_in(failed.era, session) {
            // Nothing has changed, so the refusal had another reason.
            return Err(failed.failure);
        }
        let outcome = self.in_era(era, ask, notice).await;
        outcome.map_err(|failed| failed.failure)
    }

    async fn in_era<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        era: Era,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, FailedRequest> {
        let outcome = match era {
            Era::Modern => {
                self.asked.set(true);
                self.modern(ask, notice)
                    .await
                    .map_err(|failure| FailedRequest {
                        failure,
                        era,
                        session: None,
                    })
            }
            Era::Legacy => self.legacy(ask, notice).await,
        };
        if outcome.is_ok() {
            self.connection.confirm();
        }
        outcome
    }

    /// Sends a request that may be repeated to a server of unknown protocol version.
    async fn find_era<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        self.asked.set(true);
        match self.sound(ask, notice).await {
            ProbeOutcome::Modern(outcome) => outcome,
            ProbeOutcome::Older(first) => {
                let outcome = self.legacy(ask, notice).await;
                outcome.map_err(|second| self.after(first, second))
            }
            ProbeOutcome::Unclear(failure) => Err(failure),
        }
    }

    /// Finds out the protocol version by a request that changes nothing. `first` is the failure of
    /// an earlier request.
    async fn find_out(&self, first: Option<&Failure>) -> Result<Era, Failure> {
        match self.sound(&list_ask(None), &mut |_| {}).await {
            ProbeOutcome::Modern(_) => Ok(Era::Modern),
            ProbeOutcome::Older(refusal) => match self.session().await {
                Ok(_) => Ok(Era::Legacy),
                Err(failed) => Err(self.after(first.cloned().or(refusal), failed)),
            },
            ProbeOutcome::Unclear(failure) => Err(failure),
        }
    }

    /// Returns the failure to report if a server refused `first`, and then this.
    fn after(&self, first: Option<Failure>, failed: FailedRequest) -> Failure {
        if failed.session.is_none() {
            self.handshake_failed.set(true);
        }
        failed.after(first)
    }

    async fn sound<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> ProbeOutcome {
        let sounding = ProbeOutcome::of(self.modern(ask, notice).await);
        match sounding {
            ProbeOutcome::Modern(_) => self.connection.found(Era::Modern),
            // It may be a server of the older version that fails at unknown input; one handshake is
            // enough to find out.
            ProbeOutcome::Older(Some(failure))
                if failure.may_pass() && self.handshake_failed.get() =>
            {
                return ProbeOutcome::Unclear(failure);
            }
            ProbeOutcome::Older(_) | ProbeOutcome::Unclear(_) => {}
        }
        sounding
    }

    /// Returns true if the server has the modern protocol version, by the one method that each such
    /// server has.
    pub(super) async fn discovers(&self) -> bool {
        let ask = Ask {
            method: "server/discover",
            ..list_ask(None)
        };
        let sounding = ProbeOutcome::of(self.modern(&ask, &mut |_| {}).await);
        let is_modern = matches!(sounding, ProbeOutcome::Modern(Ok(_)));
        if is_modern {
            self.connection.found(Era::Modern);
        }
        is_modern
    }

    async fn modern<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        let id = self.connection.next_id();
        let meta = Meta::modern(ask.progress.then_some(id), self.capabilities());
        let body = render(Some(id), ask.method, Some((ask.params)(Some(meta))));
        let mut headers = vec![
            ("mcp-protocol-version".to_owned(), MODERN_VERSION.to_owned()),
            ("mcp-method".to_owned(), ask.method.to_owned()),
        ];
        headers.extend(
            ask.name
                .iter()
                .map(|name| ("mcp-name".to_owned(), name.clone())),
        );
        headers.extend_from_slice(ask.headers);
        let response = self.send(self.post(headers, body)).await?;
        let secrets = self.secrets();
        let expected = self.expected(id, ask.depth, Batches::Refused, &secrets);
        // In this protocol version the server sends no requests.
        self.read(response, &expected, notice, &|_, _| {}, &mut NoResumption)
            .await
    }

    async fn legacy<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, FailedRequest> {
        let session = self.session().await?;
        let failed = match self.legacy_once(ask, &session, notice).await {
            Ok(message) if ask.sessions == Sessions::OfTheTool => return Ok(message),
            Ok(message) => return self.unless_lost(message, &session, ask, notice).await,
            Err(failed) => failed,
        };
        if failed.ends_session() {
            // The server has deleted the session, and did not carry out the request.
            self.connection.end(&session);
            self.asked.set(false);
            let session = self.session().await?;
            return self.legacy_once(ask, &session, notice).await;
        }
        if failed.may_have_ended_session() && !failed.may_want_another_era() {
            self.connection.end(&session);
            // The request may have been carried out. It is sent again if that is safe; otherwise
            // the next request opens a new session.
            if ask.repeat == RetrySafety::Safe {
                let session = self.session().await?;
                return self.legacy_once(ask, &session, notice).await;
            }
        }
        Err(failed)
    }

    /// Returns the result of a call. If the result says that the server has lost the session, the
    /// call is repeated if that is safe; otherwise the caller gets the result, and the next call
    /// opens a new session.
    async fn unless_lost<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        message: Message,
        session: &Session,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, FailedRequest> {
        if !tells_of_lost_session(&message) {
            self.connection.trust_results();
            return Ok(message);
        }
        if !self.connection.end_by_result(session) || ask.repeat == RetrySafety::Unsafe {
            return Ok(message);
        }
        let session = self.session().await?;
        let again = self.legacy_once(ask, &session, notice).await?;
        if tells_of_lost_session(&again) {
            // The new session gives the same result.
            self.connection.end_by_result(&session);
        } else {
            self.connection.trust_results();
        }
        Ok(again)
    }

    async fn legacy_once<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        session: &Session,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, FailedRequest> {
        let id = self.connection.next_id();
        let meta = Meta::legacy(ask.progress.then_some(id));
        let body = render(Some(id), ask.method, Some((ask.params)(meta)));
        // To a server of this protocol version a closed connection means nothing: it needs a
        // message.
        let mut cancel = Cancel {
            client: self,
            session,
            id,
            armed: true,
        };
        self.asked.set(true);
        let response = self.send(self.post(session_headers(session), body)).await;
        cancel.armed = response.is_ok();
        let outcome = match response {
            Ok(response) => {
                let secrets = self.secrets();
                let expected = self.expected(id, ask.depth, batches_in(session), &secrets);
                let reply = |their_id: &str, ping| self.reply(session, their_id, ping);
                let mut resumption = Resumption::new(self, session);
                self.read(response, &expected, notice, &reply, &mut resumption)
                    .await
            }
            Err(failure) => Err(failure),
        };
        // If the response was not read to its end, the server continues for nobody.
        cancel.armed &= outcome.as_ref().is_err_and(Failure::gave_up);
        outcome.map_err(|failure| FailedRequest {
            failure,
            era: Era::Legacy,
            session: Some(session.clone()),
        })
    }

    pub(super) fn expected<'e>(
        &'e self,
        id: u64,
        depth: Depth,
        batches: Batches,
        secrets: &'e Secrets,
    ) -> Expected<'e, C> {
        Expected {
            id,
            depth,
            batches,
            secrets,
            clock: self.clock,
        }
    }

    pub(super) async fn read(
        &self,
        response: Response<H::Body>,
        expected: &Expected<'_, C>,
        notice: &mut impl FnMut(Notice),
        reply: &impl Fn(&str, bool),
        resume: &mut impl Resume<H::Body>,
    ) -> Result<Message, Failure> {
        let secrets = expected.secrets;
        let began_ms = self.clock.now_ms();
        let mut answered = 0;
        let mut heard = |seen: Notice| match seen {
            // Each response is a request of its own, and the platform limits their number.
            Notice::Request { id, ping } => {
                let seconds = self.clock.now_ms().saturating_sub(began_ms) / 1_000;
                if answered < seconds.saturating_add(MAX_ANSWERED_REQUESTS) {
                    answered += 1;
                    reply(&id, ping);
                }
            }
            Notice::Progress(progress) => notice(Notice::Progress(Progress {
                message: progress.message.map(|text| secrets.strike_out(text)),
                ..progress
            })),
        };
        read_answer(response, expected, &mut heard, resume).await
    }

    /// Answers a request of the server: a ping with a result, any other request with an error.
    fn reply(&self, session: &Session, their_id: &str, ping: bool) {
        let Ok(id) = serde_json::from_str::<&RawValue>(their_id) else {
            return;
        };
        let body = if ping {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        } else {
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"this client handles pings only"}}}}"#
            )
        };
        self.tell(self.post(session_headers(session), body));
    }

    /// Returns the request for the rest of an event stream.
    pub(super) fn get(&self, own: impl IntoIterator<Item = (String, String)>) -> Request {
        let mut headers = self.endpoint.headers.clone();
        headers.push(("accept".to_owned(), "text/event-stream".to_owned()));
        headers.extend(own);
        Request {
            method: "GET",
            url: self.endpoint.url.clone(),
            headers,
            body: String::new(),
        }
    }

    pub(super) fn post(&self, own: Vec<(String, String)>, body: String) -> Request {
        let mut headers = self.endpoint.headers.clone();
        headers.push((
            "accept".to_owned(),
            "application/json, text/event-stream".to_owned(),
        ));
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
        headers.extend(own);
        Request {
            method: "POST",
            url: self.endpoint.url.clone(),
            headers,
            body,
        }
    }
}

/// Notifies a server of the older protocol version when the client stops waiting.
struct Cancel<'a, H: Http, C: Clock> {
    client: &'a Client<'a, H, C>,
    session: &'a Session,
    id: u64,
    armed: bool,
}

impl<H: Http, C: Clock> Drop for Cancel<'_, H, C> {
    fn drop(&mut self) {
        if !self.armed {
            return;
        }
        let params = CancelledParams {
            request: self.id,
            reason: "the caller no longer waits for the response",
        };
        let body = render(None, "notifications/cancelled", Some(params));
        let request = self.client.post(session_headers(self.session), body);
        self.client.tell(request);
    }
}

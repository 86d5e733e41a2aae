//! Asks a server: finds out its era, opens a session where it wants one, repeats what may be repeated, and keeps the time.
//!
//! A server of the modern era is recognised by its answer to the first request; anything that is no answer of that era is a reason to try
//! the handshake of the older one. The caller keeps the [`Connection`], so that era and session are found out once.

use std::cell::{Cell, RefCell};

use futures::future::{Either, select};
use futures::lock::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::exchange::{Failure, Message, Notice, Progress, read_answer};
use super::protocol::{
    CancelledParams, HEADER_MISMATCH, InitializeParams, LEGACY_VERSION, LEGACY_VERSIONS,
    METHOD_NOT_FOUND, MISSING_CAPABILITY, MODERN_VERSION, Meta, Nothing, UNSUPPORTED_VERSION,
    render,
};
use super::secrets::Secrets;
use super::transport::{Clock, Http, Request, Response};
use crate::limits::{UPSTREAM_RETRIES, UPSTREAM_RETRY_MS};

/// Where a server is, and what it must be told.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its address.
    pub url: String,
    /// Headers for each request, secrets among them.
    pub headers: Vec<(String, String)>,
    /// Texts that must not come back in an answer.
    pub secrets: Secrets,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither headers nor the address, which may hold a key.
        formatter.debug_struct("Endpoint").finish_non_exhaustive()
    }
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Each request stands for itself.
    Modern,
    /// After a handshake.
    Legacy,
}

/// What is known of a server between requests.
#[derive(Debug, Default)]
pub struct Connection {
    era: Cell<Option<Era>>,
    session: RefCell<Option<Session>>,
    next_id: Cell<u64>,
    /// Who finds out about the server for everybody else. A connection that requests of different origins share has none: the platform
    /// lets no request wait for another one's network.
    turn: Option<Mutex<()>>,
}

/// What a handshake agreed on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Session {
    version: String,
    id: Option<String>,
}

impl Connection {
    /// A connection of one object: its calls wait for each other while the server is new.
    pub fn of_an_object() -> Self {
        Self {
            turn: Some(Mutex::new(())),
            ..Self::default()
        }
    }

    /// Waits until nobody else finds out about the server.
    pub async fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        match &self.turn {
            Some(turn) => Some(turn.lock().await),
            None => None,
        }
    }

    /// The era, once it is known.
    pub fn era(&self) -> Option<Era> {
        self.era.get()
    }

    /// A connection to a server whose era another one has found out.
    pub fn assume(&self, era: Option<Era>) {
        if self.era.get().is_none() {
            self.era.set(era);
        }
    }

    fn next_id(&self) -> u64 {
        let id = self.next_id.get() + 1;
        self.next_id.set(id);
        id
    }
}

/// Whether a request may be sent again, although the first may have been carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// It changes nothing, or the same once more.
    Safe,
    /// It may do something twice.
    Unsafe,
}

/// A method with its parameters, for either era.
pub(super) struct Ask<'a, F> {
    pub method: &'static str,
    /// `Mcp-Name`, encoded.
    pub name: Option<String>,
    /// Further headers of the modern era.
    pub headers: &'a [(String, String)],
    /// The parameters, given what `_meta` is to be.
    pub params: F,
    pub repeat: Repeat,
    pub progress: bool,
}

/// A server, as one caller sees it.
pub struct Client<'a, H, C> {
    http: &'a H,
    clock: &'a C,
    endpoint: &'a Endpoint,
    connection: &'a Connection,
    deadline_ms: u64,
}

impl<'a, H: Http, C: Clock> Client<'a, H, C> {
    /// A client whose requests, repetitions and waits included, end within `timeout_ms` from now.
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
        }
    }

    /// Asks and waits for the answer.
    pub(super) async fn ask<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        let left_ms = self.deadline_ms.saturating_sub(self.clock.now_ms());
        let work = std::pin::pin!(self.repeat(ask, notice));
        let time = std::pin::pin!(self.clock.sleep(left_ms));
        match select(work, time).await {
            Either::Left((outcome, _)) => outcome,
            // The work is dropped, which closes its connection.
            Either::Right(_) => Err(Failure::Timeout),
        }
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
            let allowed = ask.repeat == Repeat::Safe && failure.may_pass();
            if attempt >= UPSTREAM_RETRIES || !allowed {
                return Err(failure);
            }
            let wait_ms = self.pause_ms(attempt, failure.retry_after_ms());
            if self.clock.now_ms() + wait_ms >= self.deadline_ms {
                return Err(failure);
            }
            self.clock.sleep(wait_ms).await;
            attempt += 1;
        }
    }

    /// Grows with each attempt, and differs between callers, so that they do not come back together.
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

    async fn in_any_era<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        match self.connection.era.get() {
            Some(Era::Modern) => match self.modern(ask, notice).await {
                // It was replaced by an older one.
                Err(failure) if lists_older_versions(&failure) => self.legacy(ask, notice).await,
                outcome => outcome,
            },
            Some(Era::Legacy) => self.legacy(ask, notice).await,
            None => self.find_era(ask, notice).await,
        }
    }

    async fn find_era<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        match self.modern(ask, notice).await {
            Ok(message) if is_modern(&message) => {
                self.connection.era.set(Some(Era::Modern));
                Ok(message)
            }
            // An older server that took the request for one of its own, without a session.
            Ok(_) => self.legacy(ask, notice).await,
            Err(first) if may_want_handshake(&first) => {
                self.legacy(ask, notice).await.map_err(|second| {
                    // A server that knows no handshake either is described by its first answer.
                    match second {
                        Failure::Status { .. }
                        | Failure::Protocol(_)
                        | Failure::Refused {
                            code: METHOD_NOT_FOUND,
                            ..
                        } => first,
                        second => second,
                    }
                })
            }
            Err(failure) => {
                if is_modern_refusal(&failure) {
                    self.connection.era.set(Some(Era::Modern));
                }
                Err(failure)
            }
        }
    }

    async fn modern<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        let id = self.connection.next_id();
        let meta = Meta::modern(ask.progress.then_some(id));
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
        let response = self.http.send(self.post(headers, body)).await?;
        // Requests of the server have no place in this era.
        self.read(response, id, notice, &|_, _| {}).await
    }

    async fn legacy<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        let session = self.session().await?;
        match self.legacy_once(ask, &session, notice).await {
            Err(Failure::Status { status: 404, .. } | Failure::Refused { status: 404, .. })
                if session.id.is_some() =>
            {
                // The server has forgotten the session, and done nothing.
                self.forget(&session);
                let session = self.session().await?;
                self.legacy_once(ask, &session, notice).await
            }
            outcome => outcome,
        }
    }

    async fn legacy_once<P: Serialize, F: Fn(Option<Meta<'static>>) -> P>(
        &self,
        ask: &Ask<'_, F>,
        session: &Session,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Message, Failure> {
        let id = self.connection.next_id();
        let meta = Meta::legacy(ask.progress.then_some(id));
        let body = render(Some(id), ask.method, Some((ask.params)(meta)));
        // Closing the connection says nothing to a server of this era: it is told.
        let mut cancel = Cancel {
            client: self,
            session,
            id,
            armed: true,
        };
        let response = self
            .http
            .send(self.post(session_headers(session), body))
            .await;
        let outcome = match response {
            Ok(response) => {
                self.read(response, id, notice, &|their_id, ping| {
                    self.reply(session, their_id, ping);
                })
                .await
            }
            Err(broken) => Err(broken.into()),
        };
        cancel.armed = false;
        outcome
    }

    /// The session, or a new one.
    async fn session(&self) -> Result<Session, Failure> {
        if let Some(session) = self.known_session() {
            return Ok(session);
        }
        let _turn = self.connection.turn().await;
        if let Some(session) = self.known_session() {
            return Ok(session);
        }
        let id = self.connection.next_id();
        let body = render(Some(id), "initialize", Some(InitializeParams::new()));
        let response = self.http.send(self.post(Vec::new(), body)).await?;
        let session_id = response.session.clone();
        let message = self.read(response, id, &mut |_| {}, &|_, _| {}).await?;
        let agreed: Initialized = serde_json::from_str(message.result()?.get())
            .map_err(|_| Failure::Protocol("the handshake has no version".to_owned()))?;
        if !LEGACY_VERSIONS.contains(&agreed.version.as_str()) {
            return Err(Failure::Protocol(format!(
                "the server speaks version {}, this client {MODERN_VERSION} and {LEGACY_VERSION}",
                super::exchange::shorten(&agreed.version)
            )));
        }
        let session = Session {
            version: agreed.version,
            id: session_id,
        };
        let body = render(None, "notifications/initialized", None::<Nothing>);
        let request = self.post(session_headers(&session), body);
        // Servers that count on it would refuse what comes next; what they answer means nothing.
        drop(self.http.send(request).await?);
        self.connection.era.set(Some(Era::Legacy));
        *self.connection.session.borrow_mut() = Some(session.clone());
        Ok(session)
    }

    fn known_session(&self) -> Option<Session> {
        self.connection.session.borrow().clone()
    }

    fn forget(&self, session: &Session) {
        let mut current = self.connection.session.borrow_mut();
        if current.as_ref() == Some(session) {
            *current = None;
        }
    }

    /// Ends the session of an older server, if there is one. Nobody waits for it.
    pub fn end_session(&self) {
        if let Some(session) = self.connection.session.take()
            && session.id.is_some()
        {
            let mut request = self.post(session_headers(&session), String::new());
            request.method = "DELETE";
            self.http.send_and_forget(request);
        }
    }

    async fn read(
        &self,
        response: Response<H::Body>,
        id: u64,
        notice: &mut impl FnMut(Notice),
        reply: &impl Fn(&str, bool),
    ) -> Result<Message, Failure> {
        let secrets = &self.endpoint.secrets;
        read_answer(response, id, secrets, &mut |seen| match seen {
            Notice::Request { id, ping } => reply(&id, ping),
            Notice::Progress(progress) => notice(Notice::Progress(Progress {
                message: progress.message.map(|text| secrets.strike_out(text)),
                ..progress
            })),
        })
        .await
    }

    /// Answers a request of the server: a ping, or that this client does nothing else.
    fn reply(&self, session: &Session, their_id: &str, ping: bool) {
        let Ok(id) = serde_json::from_str::<&RawValue>(their_id) else {
            return;
        };
        let body = if ping {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        } else {
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"this client answers pings only"}}}}"#
            )
        };
        self.http
            .send_and_forget(self.post(session_headers(session), body));
    }

    fn post(&self, own: Vec<(String, String)>, body: String) -> Request {
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

fn session_headers(session: &Session) -> Vec<(String, String)> {
    let mut headers = vec![("mcp-protocol-version".to_owned(), session.version.clone())];
    headers.extend(
        session
            .id
            .iter()
            .map(|id| ("mcp-session-id".to_owned(), id.clone())),
    );
    headers
}

#[derive(Deserialize)]
struct Initialized {
    #[serde(rename = "protocolVersion")]
    version: String,
}

/// Tells a server of the older era that nobody waits any more, when the wait is given up.
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
            reason: "nobody waits for it any more",
        };
        let body = render(None, "notifications/cancelled", Some(params));
        let request = self.client.post(session_headers(self.session), body);
        self.client.http.send_and_forget(request);
    }
}

/// Every result of the modern era says what it is.
fn is_modern(message: &Message) -> bool {
    #[derive(Deserialize)]
    struct Kind {
        #[serde(rename = "resultType")]
        kind: Option<serde::de::IgnoredAny>,
    }
    message
        .result()
        .ok()
        .and_then(|result| serde_json::from_str::<Kind>(result.get()).ok())
        .is_some_and(|result| result.kind.is_some())
}

fn is_modern_refusal(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Refused {
            code: HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_VERSION,
            ..
        }
    )
}

fn lists_older_versions(failure: &Failure) -> bool {
    matches!(failure, Failure::Refused { code: UNSUPPORTED_VERSION, supported, .. }
        if !supported.iter().any(|version| version == MODERN_VERSION)
            && supported.iter().any(|version| LEGACY_VERSIONS.contains(&version.as_str())))
}

/// Whether a failure may mean that the server knows the older era only: it refused, and not in the words of the modern one.
fn may_want_handshake(failure: &Failure) -> bool {
    match failure {
        failure if is_modern_refusal(failure) => lists_older_versions(failure),
        Failure::Refused { status, .. } | Failure::Status { status, .. } => {
            matches!(status, 200..300 | 400 | 404..=406 | 415 | 422)
        }
        _ => false,
    }
}

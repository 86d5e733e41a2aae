//! The access token of one server: kept until shortly before it expires, and fetched once for all
//! requests that need it.
//!
//! Calls of several requests share the token, but the platform does not let one request wait for
//! the network of another. So a request that finds a fetch in progress checks again after a short
//! timer of its own. If the request that was fetching is cut off, its fetch is ignored after its
//! timeout.

use std::cell::RefCell;
use std::collections::VecDeque;

use futures::future::{Either, select};

use super::challenge::Challenge;
use super::denied::{Fault, Step, TokenFailure};
use super::discovery::{TokenIssuer, discover};
use super::token::{self, Source, Token};
use super::{AuthMethod, ClientCredentials};
use crate::limits::{
    DISCOVERY_TTL_MS, FAILED_TOKEN_TTL_MS, MAX_REDACTED_TOKENS, TOKEN_TIMEOUT_MS, TOKEN_WAIT_MS,
};
use net::transport::{Clock, Http};

/// The credentials for a server, and the token that is kept for it.
pub struct Access {
    credentials: ClientCredentials,
    state: RefCell<State>,
}

/// The state that is kept between requests.
#[derive(Default)]
struct State {
    token: Option<Token>,
    /// The result of discovery, and the time of it.
    found: Option<(u64, TokenIssuer)>,
    /// The issuer that was found first: the secret is sent to no other.
    issuer: Option<String>,
    /// The fetch in progress: its number, and the time when it began.
    flight: Option<(u64, u64)>,
    flights: u64,
    /// The time and the reason of the last failed fetch.
    failure: Option<(u64, TokenFailure)>,
    /// The time when the server refused a token that had just been fetched.
    refused_ms: Option<u64>,
    /// Tokens that a response may contain, and that must be redacted.
    known: VecDeque<String>,
}

/// The token that a request needs.
pub enum TokenNeed<'a> {
    /// The stored token, or a new one if the token endpoint is already known. Otherwise the request
    /// is sent without a token.
    Any,
    /// A token other than the one that the server has just refused.
    Other {
        /// The token that was refused, if one was sent.
        than: Option<&'a str>,
        /// `WWW-Authenticate` of the refusal.
        challenge: Option<&'a str>,
    },
}

enum TokenStep {
    Use(String),
    /// There is no token, and that is not a failure: the server has not yet said where to get one,
    /// or it refuses every token.
    Without,
    Fail(TokenFailure),
    Wait,
    Fetch,
}

impl PartialEq for Access {
    fn eq(&self, other: &Self) -> bool {
        self.credentials == other.credentials
    }
}

impl Eq for Access {}

impl Access {
    /// Creates an access without a token.
    pub fn new(credentials: ClientCredentials) -> Self {
        Self {
            credentials,
            state: RefCell::default(),
        }
    }

    /// Returns a token for a server, or none if the server must be asked first.
    ///
    /// # Errors
    /// [`TokenFailure`].
    pub async fn token<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        server_url: &str,
        wanted: &TokenNeed<'_>,
    ) -> Result<Option<String>, TokenFailure> {
        let mut waited_since_ms = None;
        loop {
            let now_ms = clock.now_ms();
            match self.next(now_ms, waited_since_ms, wanted) {
                TokenStep::Use(token) => return Ok(Some(token)),
                TokenStep::Without => return Ok(None),
                TokenStep::Fail(denied) => return Err(denied),
                TokenStep::Wait => {
                    waited_since_ms.get_or_insert(now_ms);
                    clock.sleep(TOKEN_WAIT_MS).await;
                }
                TokenStep::Fetch => {
                    let _flight = Flight::begin(self, now_ms);
                    let fetched = self.fetch_in_time(http, clock, server_url, wanted).await;
                    self.remember(&fetched, clock.now_ms());
                    return fetched.map(|token| Some(token.text));
                }
            }
        }
    }

    /// Returns the stored token, for requests that are sent without waiting.
    pub fn remembered_token(&self) -> Option<String> {
        let state = self.state.borrow();
        state.token.as_ref().map(|token| token.text.clone())
    }

    /// Records that the server has refused a token fetched for the same request: another token
    /// would not help soon.
    pub fn refused(&self, now_ms: u64) {
        self.state.borrow_mut().refused_ms = Some(now_ms);
    }

    /// Returns the tokens that must not come back in a response. A call in progress may use a token
    /// that has been replaced in the meantime.
    pub fn known_tokens(&self) -> Vec<String> {
        self.state.borrow().known.iter().cloned().collect()
    }

    fn next(&self, now_ms: u64, waited_since_ms: Option<u64>, wanted: &TokenNeed<'_>) -> TokenStep {
        let state = self.state.borrow();
        let unwanted = match wanted {
            TokenNeed::Any => None,
            TokenNeed::Other { than, .. } => *than,
        };
        if let Some(token) = &state.token
            && now_ms < token.usable_until_ms
            && unwanted != Some(token.text.as_str())
        {
            return TokenStep::Use(token.text.clone());
        }
        if let Some((_, began_ms)) = state.flight
            && now_ms <= began_ms.saturating_add(TOKEN_TIMEOUT_MS)
        {
            return TokenStep::Wait;
        }
        if let Some((failed_ms, denied)) = &state.failure {
            let of_others = waited_since_ms.is_some_and(|since_ms| *failed_ms >= since_ms);
            let is_recent = now_ms < failed_ms.saturating_add(FAILED_TOKEN_TTL_MS);
            if of_others || (is_recent && !denied.may_pass()) {
                return TokenStep::Fail(denied.clone());
            }
        }
        let is_hopeless = state
            .refused_ms
            .is_some_and(|refused_ms| now_ms < refused_ms.saturating_add(FAILED_TOKEN_TTL_MS));
        match wanted {
            TokenNeed::Other { .. } if is_hopeless => TokenStep::Without,
            TokenNeed::Any if self.credentials.token_url.is_none() && !state.has_found(now_ms) => {
                TokenStep::Without
            }
            TokenNeed::Any | TokenNeed::Other { .. } => TokenStep::Fetch,
        }
    }

    async fn fetch_in_time<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        server_url: &str,
        wanted: &TokenNeed<'_>,
    ) -> Result<Token, TokenFailure> {
        let fetching = std::pin::pin!(self.fetch(http, clock, server_url, wanted));
        let time = std::pin::pin!(clock.sleep(TOKEN_TIMEOUT_MS));
        match select(fetching, time).await {
            Either::Left((fetched, _)) => fetched,
            Either::Right(_) => Err(TokenFailure::new(
                Step::Token,
                Fault::Silent {
                    timeout_ms: TOKEN_TIMEOUT_MS,
                },
            )),
        }
    }

    async fn fetch<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        server_url: &str,
        wanted: &TokenNeed<'_>,
    ) -> Result<Token, TokenFailure> {
        let source = match &self.credentials.token_url {
            Some(token_url) => self.configured(token_url, server_url),
            None => self.discovered(http, clock, server_url, wanted).await?,
        };
        token::request(http, &self.credentials, &source, clock.now_ms()).await
    }

    fn configured(&self, token_url: &str, server_url: &str) -> Source {
        let own = || {
            let address = server_url.split('?').next();
            address.unwrap_or_default().to_owned()
        };
        Source {
            token_url: token_url.to_owned(),
            scope: self.credentials.scope.clone(),
            resource: self.credentials.resource.clone().unwrap_or_else(own),
            method: self.credentials.method.unwrap_or(AuthMethod::Basic),
        }
    }

    async fn discovered<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        server_url: &str,
        wanted: &TokenNeed<'_>,
    ) -> Result<Source, TokenFailure> {
        let now_ms = clock.now_ms();
        let (found, pinned) = {
            let state = self.state.borrow();
            let found = state.found.as_ref().filter(|_| state.has_found(now_ms));
            (found.cloned(), state.issuer.clone())
        };
        if let Some((_, found)) = found {
            return Ok(found.source);
        }
        let challenge = match wanted {
            TokenNeed::Other {
                challenge: Some(challenge),
                ..
            } => Challenge::parse(challenge),
            TokenNeed::Any | TokenNeed::Other { .. } => Challenge::default(),
        };
        let found = discover(
            http,
            &self.credentials,
            server_url,
            &challenge,
            pinned.as_deref(),
        )
        .await?;
        let source = found.source.clone();
        let mut state = self.state.borrow_mut();
        state.issuer.get_or_insert_with(|| found.issuer.clone());
        state.found = Some((now_ms, found));
        Ok(source)
    }

    fn remember(&self, fetched: &Result<Token, TokenFailure>, now_ms: u64) {
        let mut state = self.state.borrow_mut();
        match fetched {
            Ok(token) => {
                state.failure = None;
                if state.known.len() >= MAX_REDACTED_TOKENS {
                    state.known.pop_front();
                }
                state.known.push_back(token.text.clone());
                state.token = Some(token.clone());
            }
            Err(denied) => {
                state.token = None;
                // The token endpoint may have changed.
                state.found = None;
                state.failure = Some((now_ms, denied.clone()));
            }
        }
    }
}

impl State {
    fn has_found(&self, now_ms: u64) -> bool {
        let found_ms = self.found.as_ref().map(|(found_ms, _)| *found_ms);
        found_ms.is_some_and(|found_ms| now_ms < found_ms.saturating_add(DISCOVERY_TTL_MS))
    }
}

/// A fetch in progress. After it is dropped, another request may begin one.
struct Flight<'a> {
    access: &'a Access,
    number: u64,
}

impl<'a> Flight<'a> {
    fn begin(access: &'a Access, now_ms: u64) -> Self {
        let mut state = access.state.borrow_mut();
        state.flights += 1;
        let number = state.flights;
        state.flight = Some((number, now_ms));
        Self { access, number }
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        let mut state = self.access.state.borrow_mut();
        if state
            .flight
            .is_some_and(|(number, _)| number == self.number)
        {
            state.flight = None;
        }
    }
}

//! The access token of one server: remembered until shortly before it expires, and fetched once for everybody who waits.
//!
//! Calls of several requests share it, and the platform lets no request wait for the network of another one. So whoever finds a fetch under way
//! looks again a moment later, by a timer of its own. A fetch whose request was cut off counts no more once its time is over.

use std::cell::RefCell;
use std::collections::VecDeque;

use futures::future::{Either, select};

use super::challenge::Challenge;
use super::denied::{Denied, Fault, Step};
use super::discovery::{Found, discover};
use super::token::{self, Source, Token};
use super::{AuthMethod, ClientCredentials};
use crate::limits::{
    DISCOVERY_TTL_MS, FAILED_TOKEN_TTL_MS, MAX_REDACTED_TOKENS, TOKEN_TIMEOUT_MS, TOKEN_WAIT_MS,
};
use net::transport::{Clock, Http};

/// How a server is accessed, and the token that is remembered for it.
pub struct Access {
    credentials: ClientCredentials,
    state: RefCell<State>,
}

/// What is known between requests.
#[derive(Default)]
struct State {
    token: Option<Token>,
    /// What discovery found, and when.
    found: Option<(u64, Found)>,
    /// Who was found first: the secret goes to nobody else.
    issuer: Option<String>,
    /// The fetch under way: its number, and when it began.
    flight: Option<(u64, u64)>,
    flights: u64,
    /// Why the last fetch failed, and when.
    failure: Option<(u64, Denied)>,
    /// When the server refused a token that had just been fetched.
    refused_ms: Option<u64>,
    /// Tokens that a response may hold.
    known: VecDeque<String>,
}

/// Which token is wanted.
pub enum Wanted<'a> {
    /// The one that is remembered, or one from where tokens are known to be issued.
    Any,
    /// Another one than the server has just refused.
    Other {
        /// The token that was refused, if one was sent.
        than: Option<&'a str>,
        /// `WWW-Authenticate` of the refusal.
        challenge: Option<&'a str>,
    },
}

enum Next {
    Use(String),
    /// There is none to be had, and that is no failure: the server has not said yet where, or refuses whatever it gets.
    Without,
    Fail(Denied),
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
    /// Nothing is known yet.
    pub fn new(credentials: ClientCredentials) -> Self {
        Self {
            credentials,
            state: RefCell::default(),
        }
    }

    /// A token for a server, or nothing where the server must be asked first.
    ///
    /// # Errors
    /// [`Denied`].
    pub async fn token<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        server_url: &str,
        wanted: &Wanted<'_>,
    ) -> Result<Option<String>, Denied> {
        let mut waited_since_ms = None;
        loop {
            let now_ms = clock.now_ms();
            match self.next(now_ms, waited_since_ms, wanted) {
                Next::Use(token) => return Ok(Some(token)),
                Next::Without => return Ok(None),
                Next::Fail(denied) => return Err(denied),
                Next::Wait => {
                    waited_since_ms.get_or_insert(now_ms);
                    clock.sleep(TOKEN_WAIT_MS).await;
                }
                Next::Fetch => {
                    let _flight = Flight::begin(self, now_ms);
                    let fetched = self.fetch_in_time(http, clock, server_url, wanted).await;
                    self.remember(&fetched, clock.now_ms());
                    return fetched.map(|token| Some(token.text));
                }
            }
        }
    }

    /// The token for what is sent without waiting for anything.
    pub fn remembered_token(&self) -> Option<String> {
        let state = self.state.borrow();
        state.token.as_ref().map(|token| token.text.clone())
    }

    /// The server has refused a token that was fetched for the same request: another one would not help soon.
    pub fn refused(&self, now_ms: u64) {
        self.state.borrow_mut().refused_ms = Some(now_ms);
    }

    /// Tokens that must not come back in a response: one of a call that is still under way may have been replaced meanwhile.
    pub fn known_tokens(&self) -> Vec<String> {
        self.state.borrow().known.iter().cloned().collect()
    }

    fn next(&self, now_ms: u64, waited_since_ms: Option<u64>, wanted: &Wanted<'_>) -> Next {
        let state = self.state.borrow();
        let unwanted = match wanted {
            Wanted::Any => None,
            Wanted::Other { than, .. } => *than,
        };
        if let Some(token) = &state.token
            && now_ms < token.usable_until_ms
            && unwanted != Some(token.text.as_str())
        {
            return Next::Use(token.text.clone());
        }
        if let Some((_, began_ms)) = state.flight
            && now_ms <= began_ms.saturating_add(TOKEN_TIMEOUT_MS)
        {
            return Next::Wait;
        }
        if let Some((failed_ms, denied)) = &state.failure {
            let of_others = waited_since_ms.is_some_and(|since_ms| *failed_ms >= since_ms);
            let is_recent = now_ms < failed_ms.saturating_add(FAILED_TOKEN_TTL_MS);
            if of_others || (is_recent && !denied.may_pass()) {
                return Next::Fail(denied.clone());
            }
        }
        let is_hopeless = state
            .refused_ms
            .is_some_and(|refused_ms| now_ms < refused_ms.saturating_add(FAILED_TOKEN_TTL_MS));
        match wanted {
            Wanted::Other { .. } if is_hopeless => Next::Without,
            Wanted::Any if self.credentials.token_url.is_none() && !state.has_found(now_ms) => {
                Next::Without
            }
            _ => Next::Fetch,
        }
    }

    async fn fetch_in_time<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        server_url: &str,
        wanted: &Wanted<'_>,
    ) -> Result<Token, Denied> {
        let fetching = std::pin::pin!(self.fetch(http, clock, server_url, wanted));
        let time = std::pin::pin!(clock.sleep(TOKEN_TIMEOUT_MS));
        match select(fetching, time).await {
            Either::Left((fetched, _)) => fetched,
            Either::Right(_) => Err(Denied::new(
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
        wanted: &Wanted<'_>,
    ) -> Result<Token, Denied> {
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
        wanted: &Wanted<'_>,
    ) -> Result<Source, Denied> {
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
            Wanted::Other {
                challenge: Some(challenge),
                ..
            } => Challenge::parse(challenge),
            _ => Challenge::default(),
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

    fn remember(&self, fetched: &Result<Token, Denied>, now_ms: u64) {
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
                // Where tokens are issued may have changed.
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

/// A fetch under way. When it is dropped, others may begin one.
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

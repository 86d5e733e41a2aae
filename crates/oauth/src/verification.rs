//! Verifies an access token and returns its holder.

use std::cell::RefCell;
use std::pin::pin;

use base::{Error, Result};
use futures::future::{Either, select};
use net::transport::{Clock, Http};
use serde_json::json;

use super::claims::{Claims, Holder};
use super::discovery;
use super::documents::unavailable;
use super::error::OauthError;
use super::key_memory::{ABANDONED_FETCH_MS, KeyMemory, Keys, Need, Step};
use super::limits::{
    CLOCK_TOLERANCE_SECONDS, ISSUER_KEYS_LOOK_MS, ISSUER_TIMEOUT_MS, MAX_ACCESS_TOKEN_BYTES,
};
use super::settings::Settings;
use super::token::TokenProblem;

/// The accepted signature algorithms. All are asymmetric, so that the published keys cannot be used
/// to sign.
pub const ALGORITHMS: [&str; 11] = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
    "Ed25519",
];

/// Number of checks for keys that another request fetches. Together they last as long as two
/// successive fetches may take.
const MAX_LOOKS: u64 = 2 * ABANDONED_FETCH_MS / ISSUER_KEYS_LOOK_MS + 2;

/// The platform's cryptography.
#[expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]
pub trait Signatures {
    /// Verifies signature, issuer, audience and times of a token with a key set and rules, both
    /// JSON texts. Returns a JSON text for [`Claims::parse`].
    async fn verify(&self, keys: &str, token: &str, rules: &str) -> String;
}

/// The dependencies of a verification.
pub struct Verification<'a, H, C, S> {
    /// The trusted issuer and its rules.
    pub settings: &'a Settings,
    /// The keys in the memory of the instance.
    pub memory: &'a RefCell<KeyMemory>,
    /// The network, to reach the issuer.
    pub http: &'a H,
    /// The clock.
    pub clock: &'a C,
    /// The cryptography.
    pub signatures: &'a S,
}

impl<H: Http, C: Clock, S: Signatures> Verification<'_, H, C, S> {
    /// Returns the holder of a token for one of these audiences.
    ///
    /// # Errors
    /// [`OauthError`].
    pub async fn holder(&self, token: &str, audiences: &[String]) -> Result<Holder> {
        if token.len() > MAX_ACCESS_TOKEN_BYTES {
            return Err(refused(TokenProblem::TooLong));
        }
        let rules = json!({
            "issuer": self.settings.issuer, "audience": audiences, "algorithms": ALGORITHMS,
            "clockTolerance": CLOCK_TOLERANCE_SECONDS,
        })
        .to_string();
        let claims = self.claims(token, &rules).await?;
        claims.require_scopes(&self.settings.scopes)?;
        claims.holder(self.settings)
    }

    /// Verifies a token with the known keys. If they lack the token's key, fetches the keys again.
    async fn claims(&self, token: &str, rules: &str) -> Result<Claims> {
        let mut need = Need::Keys;
        loop {
            let Some(keys) = self.keys(need).await? else {
                return Err(refused(TokenProblem::UnknownKey));
            };
            let outcome = self.signatures.verify(&keys.text, token, rules).await;
            match Claims::parse(&outcome) {
                Err(TokenProblem::UnknownKey) if need == Need::Keys => {
                    need = Need::Later(keys.generation);
                }
                outcome => return outcome.map_err(refused),
            }
        }
    }

    /// Returns the keys; none if later keys are needed but may not be fetched yet.
    async fn keys(&self, need: Need) -> Result<Option<Keys>> {
        for _ in 0..MAX_LOOKS {
            let step = self.memory.borrow_mut().next(need, self.clock.now_ms());
            match step {
                Step::Use(keys) => return Ok(Some(keys)),
                Step::NoLater => return Ok(None),
                Step::Fail(error) => return Err(error),
                Step::Wait => self.clock.sleep(ISSUER_KEYS_LOOK_MS).await,
                Step::Fetch => {
                    let outcome = self.fetch().await;
                    self.memory
                        .borrow_mut()
                        .settle(outcome, self.clock.now_ms());
                }
            }
        }
        Err(late())
    }

    async fn fetch(&self) -> Result<String> {
        let fetching = pin!(discovery::keys(self.http, self.settings));
        let patience = pin!(self.clock.sleep(ISSUER_TIMEOUT_MS));
        match select(fetching, patience).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => Err(late()),
        }
    }
}

fn refused(problem: TokenProblem) -> Error {
    OauthError::InvalidToken { problem }.into()
}

fn late() -> Error {
    unavailable(format!(
        "the OAuth issuer did not respond within {ISSUER_TIMEOUT_MS} ms"
    ))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::VecDeque;
    use std::rc::Rc;

    use futures::executor::block_on;
    use futures::future::join_all;
    use net::transport::{Body, Broken, Request, Response};

    use super::*;

    /// The reaction of the issuer to one request.
    #[derive(Clone)]
    enum Reply {
        /// A response with a status and a body.
        With(u16, String),
        /// The connection breaks.
        Break,
        /// No response at all.
        Silence,
    }

    struct Piece(Option<Vec<u8>>);

    impl Body for Piece {
        async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
            Ok(self.0.take())
        }
    }

    /// A test environment: time that passes only while a task waits, a network with these replies,
    /// and signatures that are valid according to the text of the keys.
    struct World {
        replies: RefCell<VecDeque<Reply>>,
        sent: RefCell<Vec<Request>>,
        now_ms: Rc<Cell<u64>>,
        memory: RefCell<KeyMemory>,
    }

    /// Lets all other tasks run first.
    async fn a_moment() {
        let mut waited = false;
        std::future::poll_fn(|context| {
            context.waker().wake_by_ref();
            if std::mem::replace(&mut waited, true) {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }

    impl Http for World {
        type Body = Piece;

        async fn send(&self, request: Request) -> Result<Response<Piece>, Broken> {
            self.sent.borrow_mut().push(request);
            let reply = self.replies.borrow_mut().pop_front();
            a_moment().await;
            let (status, text) = match reply.expect("a reply for each request") {
                Reply::With(status, text) => (status, text),
                Reply::Break => return Err(Broken::Off("on demand".to_owned())),
                Reply::Silence => std::future::pending().await,
            };
            Ok(Response {
                status,
                content_type: String::new(),
                session: None,
                length: Some(text.len() as u64),
                retry_after: None,
                challenge: None,
                body: Piece(Some(text.into_bytes())),
            })
        }

        fn send_and_forget(&self, _request: Request) {}
    }

    impl Clock for World {
        fn now_ms(&self) -> u64 {
            self.now_ms.get()
        }

        async fn sleep(&self, milliseconds: u64) {
            let end_ms = self.now_ms.get() + milliseconds;
            // A longer time passes after more turns.
            for _ in 0..milliseconds {
                a_moment().await;
            }
            self.now_ms.set(self.now_ms.get().max(end_ms));
        }

        fn random(&self) -> f64 {
            0.5
        }
    }

    impl Signatures for World {
        async fn verify(&self, keys: &str, token: &str, rules: &str) -> String {
            a_moment().await;
            assert!(rules.contains("https://id.example.com") && rules.contains("RS256"));
            assert!(!rules.contains("HS256") && !rules.contains("none"));
            if keys.contains(token) {
                r#"{"claims":{"sub":"acme","scope":"read"},"type":"JWT"}"#.to_owned()
            } else {
                r#"{"problem":"key"}"#.to_owned()
            }
        }
    }

    fn metadata() -> Reply {
        let text =
            r#"{"issuer":"https://id.example.com","jwks_uri":"https://id.example.com/keys"}"#;
        Reply::With(200, text.to_owned())
    }

    fn keys(kid: &str) -> Reply {
        Reply::With(200, json!({ "keys": [{ "kid": kid }] }).to_string())
    }

    fn world(replies: &[Reply]) -> World {
        World {
            replies: RefCell::new(replies.iter().cloned().collect()),
            sent: RefCell::default(),
            now_ms: Rc::new(Cell::new(1_000_000)),
            memory: RefCell::default(),
        }
    }

    fn settings(scopes: &[&str]) -> Settings {
        Settings {
            issuer: "https://id.example.com".to_owned(),
            audiences: None,
            tenant_claim: "sub".to_owned(),
            business_claim: None,
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            jwks_url: None,
        }
    }

    async fn tenant_with(world: &World, settings: &Settings, token: &str) -> String {
        let verification = Verification {
            settings,
            memory: &world.memory,
            http: world,
            clock: world,
            signatures: world,
        };
        let outcome = verification.holder(token, &[]).await;
        outcome.map_or_else(|error| error.code().to_owned(), |holder| holder.tenant)
    }

    fn tenant(world: &World, token: &str) -> String {
        block_on(tenant_with(world, &settings(&[]), token))
    }

    #[test]
    fn the_keys_are_where_the_metadata_says_and_are_remembered() {
        let world = world(&[Reply::With(404, String::new()), metadata(), keys("a")]);
        assert_eq!(tenant(&world, "a"), "acme");
        assert_eq!(tenant(&world, "a"), "acme");
        let sent = world.sent.borrow();
        let urls: Vec<&str> = sent.iter().map(|request| request.url.as_str()).collect();
        assert_eq!(
            urls,
            [
                "https://id.example.com/.well-known/oauth-authorization-server",
                "https://id.example.com/.well-known/openid-configuration",
                "https://id.example.com/keys",
            ]
        );
        assert!(sent.iter().all(|request| {
            request.method == "GET" && request.body.is_empty() && request.headers.len() == 1
        }));
    }

    #[test]
    fn requests_that_come_together_wait_for_one_fetch() {
        let world = world(&[metadata(), keys("a")]);
        let settings = settings(&[]);
        let all = (0..20).map(|_| tenant_with(&world, &settings, "a"));
        let tenants = block_on(join_all(all));
        assert!(tenants.iter().all(|tenant| tenant == "acme"));
        assert_eq!(world.sent.borrow().len(), 2);
    }

    #[test]
    fn a_new_key_is_fetched_once_and_a_made_up_one_is_refused() {
        let world = world(&[metadata(), keys("a"), metadata(), keys("b")]);
        assert_eq!(tenant(&world, "a"), "acme");
        assert_eq!(tenant(&world, "b"), "acme");
        for token in ["a", "made-up"] {
            assert_eq!(tenant(&world, token), "INVALID_TOKEN");
        }
        assert_eq!(world.sent.borrow().len(), 4);
    }

    #[test]
    fn a_silent_issuer_is_given_up_and_nobody_waits_for_it_again() {
        let world = world(&[metadata(), Reply::Silence, Reply::Break]);
        let settings = settings(&[]);
        let all = (0..3).map(|_| tenant_with(&world, &settings, "a"));
        let codes = block_on(join_all(all));
        assert_eq!(codes, ["ISSUER_UNAVAILABLE"; 3]);
        assert_eq!(world.sent.borrow().len(), 2);
        world.now_ms.set(world.now_ms.get() + 60_000);
        assert_eq!(tenant(&world, "a"), "ISSUER_UNAVAILABLE");
        assert_eq!(world.sent.borrow().len(), 3);
    }

    #[test]
    fn what_a_token_lacks_is_said_after_it_is_verified() {
        let world = world(&[metadata(), keys("a")]);
        let code = block_on(tenant_with(&world, &settings(&["read", "write"]), "a"));
        assert_eq!(code, "INSUFFICIENT_SCOPE");
        let long = "a".repeat(MAX_ACCESS_TOKEN_BYTES + 1);
        assert_eq!(tenant(&world, &long), "INVALID_TOKEN");
    }
}

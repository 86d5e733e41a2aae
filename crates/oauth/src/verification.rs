//! From an access token to a tenant.

use std::cell::RefCell;
use std::pin::pin;

use base::{Error, Result};
use futures::future::{Either, select};
use http::transport::{Clock, Http};
use serde_json::json;

use super::claims::Claims;
use super::discovery;
use super::documents::unavailable;
use super::error::OauthError;
use super::key_memory::{KeyMemory, Keys, Need, Step};
use super::limits::{
    CLOCK_TOLERANCE_SECONDS, ISSUER_KEYS_LOOK_MS, ISSUER_TIMEOUT_MS, MAX_ACCESS_TOKEN_BYTES,
};
use super::settings::Settings;
use super::token::TokenProblem;

/// The algorithms of signatures that are accepted: all asymmetric, so that nobody can sign with what the issuer publishes.
const ALGORITHMS: [&str; 11] = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
    "Ed25519",
];

/// Looks at what another request fetches: as long as two fetches may take, one after the other.
const MAX_LOOKS: u64 = 2 * ISSUER_TIMEOUT_MS / ISSUER_KEYS_LOOK_MS + 2;

/// The platform's cryptography.
#[expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]
pub trait Signatures {
    /// Verifies signature, issuer, audience and times of a token by a key set and rules, both JSON texts. The outcome is a JSON text as
    /// [`Claims::parse`] reads it.
    async fn verify(&self, keys: &str, token: &str, rules: &str) -> String;
}

/// All that a verification needs.
pub struct Verification<'a, H, C, S> {
    /// Whom the deployment trusts.
    pub settings: &'a Settings,
    /// What the instance remembers.
    pub memory: &'a RefCell<KeyMemory>,
    /// The way to the issuer.
    pub http: &'a H,
    /// The time.
    pub clock: &'a C,
    /// Who verifies.
    pub signatures: &'a S,
}

impl<H: Http, C: Clock, S: Signatures> Verification<'_, H, C, S> {
    /// The tenant that a token for one of these audiences speaks for.
    ///
    /// # Errors
    /// [`OauthError`].
    pub async fn tenant(&self, token: &str, audiences: &[String]) -> Result<String> {
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
        claims.tenant(&self.settings.tenant_claim)
    }

    /// By the keys that are known; where they lack the token's key, the issuer may have a new one.
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

    /// The keys; none where later ones are needed and may not be fetched.
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

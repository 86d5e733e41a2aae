//! Protects `requestState`, which passes through the client: nobody else can make one, it expires,
//! and it is valid for one request only.
//!
//! A sealed text is a payload and its HMAC-SHA256, both in Base64. The payload names the request by
//! a digest of its method, its name and its arguments. Source: the specification of 2026-07-28,
//! "Multi Round-Trip Requests", server requirements 4 and 5. The fixtures have no users, so a state
//! is not bound to one.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use mcp::server::Fault;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The lifetime of a state, in milliseconds: long enough to fill in a form.
const LIFETIME_MS: u64 = 10 * 60 * 1_000;
/// The bytes of a SHA-256 block, which is the length of a key of its HMAC.
const BLOCK_BYTES: usize = 64;

/// The client's responses in earlier rounds, by name.
pub type Memory = BTreeMap<String, String>;

/// The request that a state belongs to, as a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

impl Origin {
    /// Makes the digest of a request from its method, its name and its arguments, whose order does
    /// not matter.
    pub fn new(method: &str, name: &str, mut arguments: Value) -> Self {
        arguments.sort_all_objects();
        let request = json!([method, name, arguments]).to_string();
        Self(URL_SAFE_NO_PAD.encode(Sha256::digest(request)))
    }
}

/// The reason for rejecting a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// This server did not make it, or it was changed.
    Forged,
    /// It is too old.
    Expired,
    /// It belongs to another request.
    OtherRequest,
}

impl Refusal {
    /// Returns the code, for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Forged => "STATE_FORGED",
            Self::Expired => "STATE_EXPIRED",
            Self::OtherRequest => "STATE_OF_OTHER_REQUEST",
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::Forged => "requestState was not written by this server",
            Self::Expired => "requestState has expired",
            Self::OtherRequest => "requestState belongs to another request",
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::Forged => "send requestState back unchanged",
            Self::Expired => "send the request without inputResponses and requestState",
            Self::OtherRequest => "send requestState with the arguments that it was returned for",
        }
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::params(refusal.message())
            .with(json!({ "code": refusal.code(), "hint": refusal.hint() }))
    }
}

#[derive(Serialize, Deserialize)]
struct Payload {
    expires_ms: u64,
    origin: String,
    memory: Memory,
}

/// The key that seals and opens states.
pub struct Seal {
    key: [u8; BLOCK_BYTES],
}

impl Seal {
    /// Derives the key from a secret.
    pub fn new(secret: &[u8]) -> Self {
        let mut key = [0; BLOCK_BYTES];
        for (byte, derived) in key.iter_mut().zip(Sha256::digest(secret)) {
            *byte = derived;
        }
        Self { key }
    }

    /// Seals a state, which the client returns with its next attempt.
    pub fn close(&self, origin: &Origin, memory: &Memory, now_ms: u64) -> String {
        let payload = json!(Payload {
            expires_ms: now_ms.saturating_add(LIFETIME_MS),
            origin: origin.0.clone(),
            memory: memory.clone(),
        });
        let payload = URL_SAFE_NO_PAD.encode(payload.to_string());
        let code = self.code(&payload).finalize().into_bytes();
        format!("{payload}.{}", URL_SAFE_NO_PAD.encode(code))
    }

    /// Opens a state.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn open(&self, state: &str, origin: &Origin, now_ms: u64) -> Result<Memory, Refusal> {
        let (payload, code) = state.split_once('.').ok_or(Refusal::Forged)?;
        let code = decode(code)?;
        // Compares in constant time.
        self.code(payload)
            .verify_slice(&code)
            .map_err(|_| Refusal::Forged)?;
        let payload: Payload =
            serde_json::from_slice(&decode(payload)?).map_err(|_| Refusal::Forged)?;
        if payload.expires_ms <= now_ms {
            return Err(Refusal::Expired);
        }
        if payload.origin != origin.0 {
            return Err(Refusal::OtherRequest);
        }
        Ok(payload.memory)
    }

    fn code(&self, payload: &str) -> Hmac<Sha256> {
        let mut hmac = Hmac::<Sha256>::new(&self.key.into());
        hmac.update(payload.as_bytes());
        hmac
    }
}

fn decode(text: &str) -> Result<Vec<u8>, Refusal> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_| Refusal::Forged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(arguments: Value) -> Origin {
        Origin::new("tools/call", "confirm", arguments)
    }

    fn memory() -> Memory {
        Memory::from([("name".to_owned(), "Ada".to_owned())])
    }

    #[test]
    fn a_state_comes_back_as_it_was() {
        let seal = Seal::new(b"secret");
        let sealed = seal.close(&origin(json!({"a": 1, "b": 2})), &memory(), 5);
        let again = origin(json!({"b": 2, "a": 1}));
        assert_eq!(seal.open(&sealed, &again, 6), Ok(memory()));
        let same = Seal::new(b"secret");
        assert_eq!(same.open(&sealed, &again, 6), Ok(memory()));
    }

    #[test]
    fn a_state_that_was_changed_is_rejected() {
        let seal = Seal::new(b"secret");
        let mine = origin(json!({}));
        let sealed = seal.close(&mine, &memory(), 5);
        let (payload, code) = sealed.split_once('.').unwrap();
        let stranger = Seal::new(b"other").close(&mine, &memory(), 5);
        for forged in [
            String::new(),
            payload.to_owned(),
            format!("{payload}."),
            format!(".{code}"),
            format!("{sealed}-TAMPERED"),
            format!("A{sealed}"),
            format!("{payload}=.{code}"),
            stranger,
        ] {
            let outcome = seal.open(&forged, &mine, 6);
            assert_eq!(outcome, Err(Refusal::Forged), "{forged}");
        }
    }

    #[test]
    fn a_state_expires_and_belongs_to_one_request() {
        let seal = Seal::new(b"secret");
        let mine = origin(json!({}));
        let sealed = seal.close(&mine, &memory(), 5);
        let last = 5 + LIFETIME_MS - 1;
        assert!(seal.open(&sealed, &mine, last).is_ok());
        assert_eq!(seal.open(&sealed, &mine, last + 1), Err(Refusal::Expired));
        for other in [
            origin(json!({"a": 1})),
            Origin::new("tools/call", "other", json!({})),
            Origin::new("prompts/get", "confirm", json!({})),
        ] {
            assert_eq!(seal.open(&sealed, &other, 6), Err(Refusal::OtherRequest));
        }
    }
}

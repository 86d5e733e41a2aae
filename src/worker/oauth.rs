//! Access tokens of the OAuth issuer, verified with the platform's cryptography over the platform's
//! network.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Promise;
use oauth::{Holder, KeyMemory, Settings, Signatures, Verification};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::servers::{ExecutionContext, Network, Time};
use base::Result;

/// The tenant name under which the memory for responses of the issuer is counted. No real tenant
/// can have this name.
const ASKING: &str = "the OAuth issuer";

#[wasm_bindgen(module = "/js/oauth.js")]
extern "C" {
    /// Verifies signature, issuer, audience and times of a token. Resolves to the outcome as JSON:
    /// `{"claims","type"}`, or `{"problem"}`.
    #[wasm_bindgen(js_name = verifyToken)]
    fn verify_token(keys: &str, token: &str, rules: &str) -> Promise;
}

thread_local! {
    /// The cache of keys. It holds texts and times, and nothing that belongs to a request.
    static MEMORY: Rc<RefCell<KeyMemory>> = Rc::default();
}

/// `js/oauth.js`.
struct Jose;

impl Signatures for Jose {
    async fn verify(&self, keys: &str, token: &str, rules: &str) -> String {
        let outcome = JsFuture::from(verify_token(keys, token, rules)).await;
        // The promise does not reject. A result that is no text counts as a token that could not be
        // read.
        outcome
            .ok()
            .and_then(|outcome| outcome.as_string())
            .unwrap_or_default()
    }
}

/// Returns the holder of an access token for one of these audiences.
///
/// # Errors
/// [`oauth::OauthError`].
pub async fn holder(
    settings: &Settings,
    context: &ExecutionContext,
    token: &str,
    audiences: &[String],
) -> Result<Holder> {
    let network = Network::of_a_request(ASKING, context.clone());
    let memory = MEMORY.with(Rc::clone);
    Verification {
        settings,
        memory: &memory,
        http: &network,
        clock: &Time,
        signatures: &Jose,
    }
    .holder(token, audiences)
    .await
}

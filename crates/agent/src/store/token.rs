//! Approval tokens, for clients that hold the state of a conversation themselves: `a1.<expiry in
//! ms>.<approval id>.<mac>`.
//!
//! The MAC (HMAC-SHA-256 under a key of the thread's own) covers tenant, thread, approval, the hash
//! of the statement and the expiry. A token only names its approval and does not decide by itself:
//! the decision passes the same checks as one without a token.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use database::{Bind, Cell, Database, DatabaseExt};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::Store;
use crate::AgentError;
use crate::approval::Approval;
use base::{Error, Result};

const VERSION: &str = "a1";
const KEY: &str = "SELECT key FROM approval_key WHERE id = 1";
const SET_KEY: &str =
    "INSERT INTO approval_key (id, key) VALUES (1, ?) ON CONFLICT (id) DO NOTHING";

/// Bytes of the key: the output length of SHA-256.
const KEY_BYTES: usize = 32;

impl<D: Database> Store<'_, D> {
    /// Returns the key. If there is none, it is made from `fresh` random bytes.
    fn key(&self, fresh: impl FnOnce() -> Result<[u8; KEY_BYTES]>) -> Result<Vec<u8>> {
        if let Some(Cell::Blob(key)) = self.db.cell(KEY, &[])? {
            return Ok(key);
        }
        let key = fresh()?.to_vec();
        self.db.run(SET_KEY, &[Bind::Blob(key.clone())])?;
        Ok(key)
    }

    fn mac(
        &self,
        owner: &str,
        approval: &Approval,
        fresh: impl FnOnce() -> Result<[u8; KEY_BYTES]>,
    ) -> Result<Hmac<Sha256>> {
        let key = self.key(fresh)?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key)
            .map_err(|_| Error::internal("the key of approvals cannot be used"))?;
        let expiry = approval.expires_at_ms.to_string();
        for part in [
            VERSION,
            owner,
            &approval.approval_id,
            &approval.preview.sha256,
            &expiry,
        ] {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        Ok(mac)
    }

    /// Returns the token of an approval. `owner` names tenant and thread.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn approval_token(
        &self,
        owner: &str,
        approval: &Approval,
        fresh: impl FnOnce() -> Result<[u8; KEY_BYTES]>,
    ) -> Result<String> {
        let mac = self.mac(owner, approval, fresh)?.finalize().into_bytes();
        Ok(format!(
            "{VERSION}.{}.{}.{}",
            approval.expires_at_ms,
            approval.approval_id,
            URL_SAFE_NO_PAD.encode(mac)
        ))
    }

    /// Checks that a token was made for the pending approval.
    ///
    /// # Errors
    /// [`AgentError::BadApprovalToken`].
    pub fn require_token(
        &self,
        owner: &str,
        approval: &Approval,
        token: &str,
        fresh: impl FnOnce() -> Result<[u8; KEY_BYTES]>,
    ) -> Result<()> {
        let bad = |reason| Error::from(AgentError::BadApprovalToken { reason });
        let mut parts = token.split('.');
        let (version, expiry, id, mac) = (parts.next(), parts.next(), parts.next(), parts.next());
        if version != Some(VERSION) || parts.next().is_some() {
            return Err(bad("cannot be read"));
        }
        if id != Some(approval.approval_id.as_str()) {
            return Err(bad("belongs to another approval"));
        }
        if expiry != Some(approval.expires_at_ms.to_string().as_str()) {
            return Err(bad("was not issued here"));
        }
        let given = URL_SAFE_NO_PAD
            .decode(mac.unwrap_or_default())
            .map_err(|_| bad("cannot be read"))?;
        self.mac(owner, approval, fresh)?
            .verify_slice(&given)
            .map_err(|_| bad("was not issued here"))
    }
}

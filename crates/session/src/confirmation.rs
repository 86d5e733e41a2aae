//! Confirmations: a text that a caller gets for an operation and sends back with the same operation, which then runs.
//!
//! The text is `v2.<expiry in ms>.<nonce>.<mac>`. The MAC binds it to tenant, session, tool, arguments and the [`Basis`] of what was asked, under a
//! key that lies in the session's own database: it dies with the session. [`require_basis`] compares the basis once more, in the turn in which
//! the operation runs. Nothing is stored of a text that nobody redeems; the nonce of one that was redeemed is
//! kept until it expires, so that it works once. Who asks a person, and for what, is left to the caller.

use std::borrow::Cow;

use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::approved::Basis;
use crate::limits::CONFIRMATION_TTL_MS;
use crate::{ConfirmationRefusal as Refusal, SessionError};

/// What a confirmation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject<'a> {
    /// Whose session.
    pub tenant: &'a str,
    /// Which session.
    pub session: &'a str,
    /// The tool that is to run.
    pub tool: &'a str,
    /// The JSON text of its arguments, byte by byte.
    pub arguments: &'a str,
    /// The basis of what would be deleted.
    pub basis: &'a str,
}

/// A request of the front Worker for the basis of a removal: `{table?, persistent}`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BasisRequest {
    /// The table or view; none for the session as a whole.
    pub table: Option<String>,
    /// Whether it is a persistent one.
    pub persistent: bool,
}

impl BasisRequest {
    /// Reads it.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidBody`].
    pub fn parse(body: &str) -> Result<Self> {
        serde_json::from_str(body)
            .map_err(|error| Error::body(format!("the body names no removal: {error}")))
    }
}

/// Refuses an operation that removes a table or view whose basis is not the confirmed one.
///
/// # Errors
/// [`SessionError::ConfirmationInvalid`], or the engine's.
pub fn require_basis<D: Database>(db: &D, body: &str, basis: &str) -> Result<()> {
    let fields: Value = serde_json::from_str(body).unwrap_or_default();
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let removed = match text("operation") {
        "dropTable" => vec![text("table").to_owned()],
        "exec" => sql_gate::destroyed(text("sql"))
            .into_iter()
            .map(|found| found.name)
            .collect(),
        _ => Vec::new(),
    };
    for name in removed {
        if Basis::of_removal(db, Some(&name))?.as_str() != basis {
            return Err(changed());
        }
    }
    Ok(())
}

/// Refuses the removal of a session whose basis is not the confirmed one.
///
/// # Errors
/// [`SessionError::ConfirmationInvalid`], or the engine's.
pub fn require_whole_basis<D: Database>(db: &D, basis: &str) -> Result<()> {
    if Basis::of_removal(db, None)?.as_str() == basis {
        return Ok(());
    }
    Err(changed())
}

pub(crate) fn changed() -> Error {
    Error::from(SessionError::ConfirmationInvalid {
        why: Refusal::Changed,
    })
}

/// A request of the front Worker: without a state one is made, with a state it is redeemed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request<'a> {
    #[serde(borrow)]
    tenant: Cow<'a, str>,
    #[serde(borrow)]
    session: Cow<'a, str>,
    #[serde(borrow)]
    tool: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Cow<'a, str>,
    #[serde(borrow)]
    basis: Cow<'a, str>,
    #[serde(borrow)]
    state: Option<Cow<'a, str>>,
}

impl<'a> Request<'a> {
    /// Reads `{tenant, session, tool, arguments, basis, state?}`, all of them texts.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidBody`].
    pub fn parse(body: &'a str) -> Result<Self> {
        serde_json::from_str(body)
            .map_err(|error| Error::body(format!("the body is no request to confirm: {error}")))
    }

    /// What is confirmed.
    pub fn what(&self) -> Subject<'_> {
        Subject {
            tenant: &self.tenant,
            session: &self.session,
            tool: &self.tool,
            arguments: &self.arguments,
            basis: &self.basis,
        }
    }

    /// Makes or redeems the confirmation: the fields of the response.
    ///
    /// # Errors
    /// As [`mint`] and [`redeem`].
    pub fn serve<D: Database>(&self, db: &D, now_ms: u64, fresh: [u8; 32]) -> Result<Value> {
        match &self.state {
            None => Ok(json!({ "state": mint(db, &self.what(), now_ms, fresh)? })),
            Some(state) => redeem(db, &self.what(), state, now_ms).map(|()| Value::Null),
        }
    }
}

/// The version of the text and of what the MAC covers.
const VERSION: &str = "v2";

/// Bytes of a nonce: two of a session are never the same by chance.
const NONCE_BYTES: usize = 16;

/// What the two things that are made of the same random bytes are told apart by.
const KEY_LABEL: &[u8] = b"codemode confirmation key";
const NONCE_LABEL: &[u8] = b"codemode confirmation nonce";

const READ_KEY: &str = "SELECT key FROM _codemode_confirmation_key WHERE id = 1";
const WRITE_KEY: &str =
    "INSERT INTO _codemode_confirmation_key (id, key) VALUES (1, ?) ON CONFLICT (id) DO NOTHING";
const SWEEP: &str = "DELETE FROM _codemode_confirmations WHERE expires_at <= ?";
const USE: &str = "INSERT INTO _codemode_confirmations (nonce, expires_at) VALUES (?, ?) ON CONFLICT (nonce) DO NOTHING RETURNING 1";

/// Makes a confirmation of an operation. `fresh` are bytes of a cryptographic random source, used for this call alone.
///
/// # Errors
/// The engine's.
pub fn mint<D: Database>(
    db: &D,
    what: &Subject<'_>,
    now_ms: u64,
    fresh: [u8; 32],
) -> Result<String> {
    // The nonce is public and says nothing about the key: both are MACs under bytes that nobody sees.
    let key = match key(db)? {
        Some(key) => key,
        None => {
            let key = labelled(&fresh, KEY_LABEL)?;
            db.run(WRITE_KEY, &[Bind::Blob(key.clone())])?;
            key
        }
    };
    let mut nonce = labelled(&fresh, NONCE_LABEL)?;
    nonce.truncate(NONCE_BYTES);
    let state = State {
        expires_ms: now_ms.saturating_add(CONFIRMATION_TTL_MS),
        nonce,
    };
    let mac = state.sign(&key, what)?.finalize().into_bytes();
    Ok(format!("{}.{}", state.render(), const_hex::encode(mac)))
}

/// Takes a confirmation back. It works once.
///
/// # Errors
/// [`SessionError::ConfirmationInvalid`], or the engine's.
pub fn redeem<D: Database>(db: &D, what: &Subject<'_>, state: &str, now_ms: u64) -> Result<()> {
    let refused = |why| Error::from(SessionError::ConfirmationInvalid { why });
    let (state, mac) = State::parse(state).ok_or_else(|| refused(Refusal::NotForThis))?;
    let key = key(db)?.ok_or_else(|| refused(Refusal::NotForThis))?;
    // In constant time, and before anything is said about it.
    let signed = state.sign(&key, what)?.verify_slice(&mac);
    signed.map_err(|_| refused(Refusal::NotForThis))?;
    if state.expires_ms <= now_ms {
        return Err(refused(Refusal::Expired));
    }
    db.run(SWEEP, &[Bind::number(now_ms)])?;
    let used = [Bind::Blob(state.nonce), Bind::number(state.expires_ms)];
    match db.cell(USE, &used)? {
        Some(_) => Ok(()),
        None => Err(refused(Refusal::AlreadyUsed)),
    }
}

/// A confirmation without its MAC.
struct State {
    expires_ms: u64,
    nonce: Vec<u8>,
}

impl State {
    /// `v2.<expiry>.<nonce>`, as only [`Self::parse`] reads it.
    fn render(&self) -> String {
        format!(
            "{VERSION}.{}.{}",
            self.expires_ms,
            const_hex::encode(&self.nonce)
        )
    }

    /// Reads a text in exactly the form in which it was made, and its MAC.
    fn parse(text: &str) -> Option<(Self, Vec<u8>)> {
        let (signed, mac) = text.rsplit_once('.')?;
        let mut parts = signed.split('.');
        let (_version, expires_ms, nonce) = (parts.next()?, parts.next()?, parts.next()?);
        let state = Self {
            expires_ms: expires_ms.parse().ok()?,
            nonce: const_hex::decode(nonce).ok()?,
        };
        let bytes = const_hex::decode(mac).ok()?;
        // The decoders take other spellings, too.
        let is_exact = state.render() == signed
            && state.nonce.len() == NONCE_BYTES
            && const_hex::encode(&bytes) == mac;
        is_exact.then_some((state, bytes))
    }

    /// The MAC over the version, all of the subject, the expiry and the nonce. Each text has its length before it, so that none can pass
    /// a part of itself to its neighbour.
    fn sign(&self, key: &[u8], what: &Subject<'_>) -> Result<Hmac<Sha256>> {
        let mut mac = keyed(key)?;
        for text in [
            VERSION,
            what.tenant,
            what.session,
            what.tool,
            what.arguments,
            what.basis,
        ] {
            mac.update(&(text.len() as u64).to_le_bytes());
            mac.update(text.as_bytes());
        }
        mac.update(&self.expires_ms.to_le_bytes());
        mac.update(&self.nonce);
        Ok(mac)
    }
}

fn key<D: Database>(db: &D) -> Result<Option<Vec<u8>>> {
    match db.cell(READ_KEY, &[])? {
        None => Ok(None),
        Some(Cell::Blob(key)) => Ok(Some(key)),
        Some(_) => Err(Error::internal("the key of confirmations is no blob")),
    }
}

fn labelled(fresh: &[u8; 32], label: &[u8]) -> Result<Vec<u8>> {
    let mut mac = keyed(fresh)?;
    mac.update(label);
    Ok(mac.finalize().into_bytes().to_vec())
}

fn keyed(key: &[u8]) -> Result<Hmac<Sha256>> {
    Hmac::new_from_slice(key).map_err(|error| Error::internal(error.to_string()))
}

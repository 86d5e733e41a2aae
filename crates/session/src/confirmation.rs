//! Confirmations: a caller gets a text for an operation and sends it back with the same operation,
//! which then runs.
//!
//! The text is `v2.<expiry in ms>.<nonce>.<mac>`. The MAC binds it to the tenant, the session, the
//! tool, the arguments and the [`Basis`] of the operation. Its key is stored in the session's own
//! database and is deleted with the session. [`require_basis`] compares the basis once more
//! directly before the operation runs, with no await in between. Nothing is stored for a text that
//! is never redeemed; the nonce of a redeemed text is stored until it expires, so that each text
//! works once. The caller decides which operations need a confirmation, and asks the person.

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

/// The operation that a confirmation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject<'a> {
    /// The tenant that owns the session.
    pub tenant: &'a str,
    /// The name of the session.
    pub session: &'a str,
    /// The tool to run.
    pub tool: &'a str,
    /// The JSON text of its arguments, which must be the same byte by byte.
    pub arguments: &'a str,
    /// The basis of the data that would be deleted.
    pub basis: &'a str,
}

/// A request of the front Worker for the basis of a removal: `{table?, persistent}`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BasisRequest {
    /// The table or view to remove; `None` for the whole session.
    pub table: Option<String>,
    /// True if the table is a persistent one.
    pub persistent: bool,
}

impl BasisRequest {
    /// Parses the body of a request.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidBody`].
    pub fn parse(body: &str) -> Result<Self> {
        serde_json::from_str(body)
            .map_err(|error| Error::body(format!("the body does not name what to delete: {error}")))
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

/// A request of the front Worker. Without a state it makes a confirmation, with a state it redeems
/// one.
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
    /// Parses `{tenant, session, tool, arguments, basis, state?}`, all of which are texts.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidBody`].
    pub fn parse(body: &'a str) -> Result<Self> {
        serde_json::from_str(body).map_err(|error| {
            Error::body(format!(
                "the body is not a request for a confirmation: {error}"
            ))
        })
    }

    /// Returns the operation to confirm.
    pub fn what(&self) -> Subject<'_> {
        Subject {
            tenant: &self.tenant,
            session: &self.session,
            tool: &self.tool,
            arguments: &self.arguments,
            basis: &self.basis,
        }
    }

    /// Makes or redeems a confirmation. Returns the fields of the response.
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

/// The version of the text and of the fields that the MAC covers.
const VERSION: &str = "v2";

/// The length of a nonce in bytes: two nonces of a session are never equal by chance.
const NONCE_BYTES: usize = 16;

/// Labels for the two values that are derived from the same random bytes.
const KEY_LABEL: &[u8] = b"codemode confirmation key";
const NONCE_LABEL: &[u8] = b"codemode confirmation nonce";

const READ_KEY: &str = "SELECT key FROM _codemode_confirmation_key WHERE id = 1";
const WRITE_KEY: &str =
    "INSERT INTO _codemode_confirmation_key (id, key) VALUES (1, ?) ON CONFLICT (id) DO NOTHING";
const SWEEP: &str = "DELETE FROM _codemode_confirmations WHERE expires_at <= ?";
const USE: &str = "INSERT INTO _codemode_confirmations (nonce, expires_at) VALUES (?, ?) ON CONFLICT (nonce) DO NOTHING RETURNING 1";

/// Makes a confirmation of an operation. `fresh` are bytes from a cryptographic random source that
/// are used for this call alone.
///
/// # Errors
/// The engine's.
pub fn mint<D: Database>(
    db: &D,
    what: &Subject<'_>,
    now_ms: u64,
    fresh: [u8; 32],
) -> Result<String> {
    // The nonce is public and reveals nothing about the key: both are MACs keyed with bytes that
    // are never disclosed.
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

/// Redeems a confirmation, which works once.
///
/// # Errors
/// [`SessionError::ConfirmationInvalid`], or the engine's.
pub fn redeem<D: Database>(db: &D, what: &Subject<'_>, state: &str, now_ms: u64) -> Result<()> {
    let refused = |why| Error::from(SessionError::ConfirmationInvalid { why });
    let (state, mac) = State::parse(state).ok_or_else(|| refused(Refusal::NotForThis))?;
    let key = key(db)?.ok_or_else(|| refused(Refusal::NotForThis))?;
    // Verify the MAC in constant time, before any error that depends on the text.
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
    /// Renders `v2.<expiry>.<nonce>`, the form that [`Self::parse`] reads.
    fn render(&self) -> String {
        format!(
            "{VERSION}.{}.{}",
            self.expires_ms,
            const_hex::encode(&self.nonce)
        )
    }

    /// Parses a text in exactly the form in which it was made, and returns its MAC as well.
    fn parse(text: &str) -> Option<(Self, Vec<u8>)> {
        let (signed, mac) = text.rsplit_once('.')?;
        let mut parts = signed.split('.');
        let (_version, expires_ms, nonce) = (parts.next()?, parts.next()?, parts.next()?);
        let state = Self {
            expires_ms: expires_ms.parse().ok()?,
            nonce: const_hex::decode(nonce).ok()?,
        };
        let bytes = const_hex::decode(mac).ok()?;
        // The decoders also accept other spellings.
        let is_exact = state.render() == signed
            && state.nonce.len() == NONCE_BYTES
            && const_hex::encode(&bytes) == mac;
        is_exact.then_some((state, bytes))
    }

    /// Computes the MAC over the version, all fields of the subject, the expiry and the nonce. Each
    /// text is preceded by its length, so that no two different lists of texts give the same bytes.
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

//! The hash that an approval is bound to: it covers the statement that runs, and everything that
//! decides its effect.
//!
//! The hash is SHA-256, in lower-case hexadecimal, over the fields below in this order. Each field
//! is its length in bytes, 64 bits little endian, and then its bytes, so that different fields
//! never give the same bytes. Counts are fields of 8 bytes, little endian.
//!
//! | field | bytes |
//! | --- | --- |
//! | version | `codemode approved statement 2` |
//! | target | `session`, or `persistent` for the tenant's tables in D1 |
//! | tenant | its name |
//! | session | its name; no field where the target is `persistent` |
//! | scope | `none`; or `scope`, the column, the value with a byte before it (`i` and 8 bytes, `t` and the text), the count of readable tables, each name |
//! | statement | the final text, with everything that was spliced into it |
//! | parameters | their count, then each with a byte before it: `n` NULL, `r` and the 8 bytes of a REAL, `t` and a text, `b` and a blob |
//! | basis | the [`Basis`]: which database it is, and the definitions that the statement depends on |
//!
//! Version 1 had no basis and is no longer accepted. It is still computed, so that an approval of
//! that version is refused with its own message.
//!
//! The final text also fixes how each parameter is read: the placeholder of an integer is followed
//! by `->>'$'`. So two statements with the same hash are the same text over the same values.
//!
//! The hash of an undo covers, in the same way: `codemode approved undo 2`, the target, tenant,
//! session, the approval, the hash of the statement, the count of the changes, and the basis of the
//! tables whose rows it changes.

use database::Bind;
use sha2::{Digest as _, Sha256};
use sql_gate::Bound;

use super::basis::Basis;
use super::scope::{Scope, ScopeValue};

const STATEMENT: &str = "codemode approved statement 2";
const STATEMENT_WITHOUT_BASIS: &str = "codemode approved statement 1";
const UNDO: &str = "codemode approved undo 2";
const SESSION: &str = "session";
const PERSISTENT: &str = "persistent";

/// The database in which a statement runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The database of the tenant.
    pub place: Place<'a>,
}

/// A database of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// The database of the session with this name.
    Session(&'a str),
    /// The tenant's tables in D1.
    Persistent,
}

/// Returns the hash of a statement.
pub(crate) fn of_statement(
    owner: Owner<'_>,
    scope: Option<&Scope>,
    bound: &Bound,
    basis: &Basis,
) -> String {
    let mut fields = statement(STATEMENT, owner, scope, bound);
    fields.texts(&[basis.as_str()]);
    fields.finish()
}

/// Returns the hash of the same statement in version 1, without a basis.
pub(crate) fn without_basis(owner: Owner<'_>, scope: Option<&Scope>, bound: &Bound) -> String {
    statement(STATEMENT_WITHOUT_BASIS, owner, scope, bound).finish()
}

fn statement(version: &str, owner: Owner<'_>, scope: Option<&Scope>, bound: &Bound) -> Fields {
    let mut fields = Fields::default();
    fields.texts(&[version]);
    fields.owner(owner);
    match scope {
        None => fields.texts(&["none"]),
        Some(scope) => fields.scope(scope),
    }
    fields.texts(&[bound.sql()]);
    fields.count(bound.binds().len());
    for bind in bound.binds() {
        match bind {
            Bind::Null => fields.tagged(b'n', &[]),
            Bind::Real(number) => fields.tagged(b'r', &number.to_le_bytes()),
            Bind::Text(text) => fields.tagged(b't', text.as_bytes()),
            Bind::Blob(bytes) => fields.tagged(b'b', bytes),
        }
    }
    fields
}

/// Returns the hash of an undo.
pub(super) fn of_undo(
    owner: Owner<'_>,
    approval_id: &str,
    sha256: &str,
    changes: usize,
    basis: &Basis,
) -> String {
    let mut fields = Fields::default();
    fields.texts(&[UNDO]);
    fields.owner(owner);
    fields.texts(&[approval_id, sha256]);
    fields.count(changes);
    fields.texts(&[basis.as_str()]);
    fields.finish()
}

/// A hash over fields, each preceded by its length.
#[derive(Default)]
pub(super) struct Fields(Sha256);

impl Fields {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub fn texts(&mut self, texts: &[&str]) {
        for text in texts {
            self.bytes(text.as_bytes());
        }
    }

    fn owner(&mut self, owner: Owner<'_>) {
        match owner.place {
            Place::Session(session) => self.texts(&[SESSION, owner.tenant, session]),
            Place::Persistent => self.texts(&[PERSISTENT, owner.tenant]),
        }
    }

    pub fn count(&mut self, count: usize) {
        self.bytes(&(count as u64).to_le_bytes());
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.0.update((bytes.len() as u64 + 1).to_le_bytes());
        self.0.update([tag]);
        self.0.update(bytes);
    }

    fn scope(&mut self, scope: &Scope) {
        self.texts(&["scope", &scope.column]);
        match &scope.value {
            ScopeValue::Integer(number) => self.tagged(b'i', &number.to_le_bytes()),
            ScopeValue::Text(text) => self.tagged(b't', text.as_bytes()),
        }
        self.count(scope.readable.len());
        for table in &scope.readable {
            self.texts(&[table]);
        }
    }

    pub fn finish(self) -> String {
        const_hex::encode(self.0.finalize())
    }
}

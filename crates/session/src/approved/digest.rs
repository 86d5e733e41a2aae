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
use sql_gate::Bound;

use super::basis::Basis;
use super::field_hash::FieldHash;
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
    let mut hash = statement(STATEMENT, owner, scope, bound);
    hash.texts(&[basis.as_str()]);
    hash.finish()
}

/// Returns the hash of the same statement in version 1, without a basis.
pub(crate) fn without_basis(owner: Owner<'_>, scope: Option<&Scope>, bound: &Bound) -> String {
    statement(STATEMENT_WITHOUT_BASIS, owner, scope, bound).finish()
}

fn statement(version: &str, owner: Owner<'_>, scope: Option<&Scope>, bound: &Bound) -> FieldHash {
    let mut hash = FieldHash::default();
    hash.texts(&[version]);
    add_owner(&mut hash, owner);
    match scope {
        None => hash.texts(&["none"]),
        Some(scope) => add_scope(&mut hash, scope),
    }
    hash.texts(&[bound.sql()]);
    hash.count(bound.binds().len());
    for bind in bound.binds() {
        match bind {
            Bind::Null => hash.tagged(b'n', &[]),
            Bind::Real(number) => hash.tagged(b'r', &number.to_le_bytes()),
            Bind::Text(text) => hash.tagged(b't', text.as_bytes()),
            Bind::Blob(bytes) => hash.tagged(b'b', bytes),
        }
    }
    hash
}

/// Returns the hash of an undo.
pub(super) fn of_undo(
    owner: Owner<'_>,
    approval_id: &str,
    sha256: &str,
    changes: usize,
    basis: &Basis,
) -> String {
    let mut hash = FieldHash::default();
    hash.texts(&[UNDO]);
    add_owner(&mut hash, owner);
    hash.texts(&[approval_id, sha256]);
    hash.count(changes);
    hash.texts(&[basis.as_str()]);
    hash.finish()
}

fn add_owner(hash: &mut FieldHash, owner: Owner<'_>) {
    match owner.place {
        Place::Session(session) => hash.texts(&[SESSION, owner.tenant, session]),
        Place::Persistent => hash.texts(&[PERSISTENT, owner.tenant]),
    }
}

fn add_scope(hash: &mut FieldHash, scope: &Scope) {
    hash.texts(&["scope", &scope.column]);
    match &scope.value {
        ScopeValue::Integer(number) => hash.tagged(b'i', &number.to_le_bytes()),
        ScopeValue::Text(text) => hash.tagged(b't', text.as_bytes()),
    }
    hash.count(scope.readable.len());
    for table in &scope.readable {
        hash.texts(&[table]);
    }
}

//! Data that outlives a session: a tenant's tables in the D1 database that all tenants share.
//!
//! `dispatch` runs an operation whose body has `"target":"persistent"`, [`persist`] copies a
//! session's table there. [`remote`] is the port, [`catalog`] a snapshot of the tenant's tables,
//! `basis` their definitions at the time of an approval. `statements` has exec, query and
//! createTable, `copy` the copying, `drop` dropTable, `scoped` the operations under a scope, and
//! [`approved`] statements that a person approves.
//!
//! [`sql_scope::tenant`] separates the tenants: it reviews every text of a caller, and
//! `Persistent::send` verifies the final text once more. Error messages do not contain the tenant's
//! prefix, and counters that depend on all tenants are omitted.

pub mod approved;
mod basis;
pub mod catalog;
mod copy;
mod drop;
pub mod remote;
mod scoped;
mod statements;

use super::Reply;
use super::fields::Fields;
use crate::Settings;
use crate::approved::Basis;
use crate::inspect::{self, Table};
use base::{Error, Result};
use database::{Counters, EngineError};
use sql_gate::{Bound, Policy, Profile, TypeReading, explain};
use sql_scope::Scope;
use sql_scope::tenant::{self, Tenant};

use catalog::Catalog;
pub use copy::persist;
use remote::{Outcome, RemoteDatabase};
pub(crate) use scoped::{shown, shown_table};

/// The database that an operation addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addressed {
    /// The session's own.
    Session,
    /// The tenant's tables in D1.
    Persistent,
}

/// Reads the field `target` of a body. A body that cannot be read addresses the session, whose
/// error explains it.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for another word.
pub fn addressed(body: &str) -> Result<Addressed> {
    // A large batch is not worth a second parse, but a key may be written with escapes.
    if !body.contains("target\"") && !body.contains("\\u") {
        return Ok(Addressed::Session);
    }
    let Ok(fields) = Fields::parse(body) else {
        return Ok(Addressed::Session);
    };
    match fields.optional_string("target")?.as_deref() {
        None | Some("session") => Ok(Addressed::Session),
        Some("persistent") => Ok(Addressed::Persistent),
        Some(other) => Err(Error::invalid(format!(
            "target must be session or persistent, not {other:?}"
        ))),
    }
}

/// Refuses `"target":"persistent"` for a stream of rows.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`].
pub fn require_session(body: &str) -> Result<()> {
    match addressed(body)? {
        Addressed::Session => Ok(()),
        Addressed::Persistent => Err(Error::invalid_with_hint(
            "rows of the persistent database cannot be streamed",
            r#"use {"operation":"query"}, page by page"#,
        )),
    }
}

/// A tenant's persistent tables as one request sees them.
#[derive(Debug)]
pub struct Persistent<'a, R> {
    remote: &'a R,
    tenant: Tenant,
    settings: &'a Settings,
    now_ms: u64,
    scope: Option<&'a Scope>,
    /// Statements that are sent before those of a caller, in the same transaction.
    guards: Vec<Bound>,
    /// The basis of the confirmed removal.
    confirmed: Option<&'a str>,
}

impl<'a, R: RemoteDatabase> Persistent<'a, R> {
    /// Makes the view of one tenant.
    pub fn new(remote: &'a R, tenant: &str, settings: &'a Settings, now_ms: u64) -> Self {
        Self {
            remote,
            tenant: Tenant::new(tenant),
            settings,
            now_ms,
            scope: None,
            guards: Vec::new(),
            confirmed: None,
        }
    }

    /// Sets the basis of the confirmed removal.
    pub fn confirmed(self, basis: Option<&'a str>) -> Self {
        Self {
            confirmed: basis,
            ..self
        }
    }

    /// Returns the basis of the removal of a table or view.
    ///
    /// # Errors
    /// The database's.
    pub async fn basis_of_removal(&self, name: &str) -> Result<Basis> {
        let stored = self.tenant.physical(name);
        Ok(self.snapshot().await?.basis_of_removal(&stored))
    }

    /// Sets a scope that applies to every operation.
    pub fn within(self, scope: Option<&'a Scope>) -> Self {
        Self { scope, ..self }
    }

    /// Returns the scope that applies to every operation, if there is one.
    pub(crate) fn scope(&self) -> Option<&'a Scope> {
        self.scope
    }

    /// Returns the reply of findColumn.
    pub(crate) fn found_column(&self, table: &Table, meant: &str, server: Option<&str>) -> Reply {
        inspect::found_column_reply(table, &self.settings.mappings, meant, server)
    }

    fn policy(&self) -> Policy {
        Policy {
            profile: Profile::Strict,
            max_recursive_rows: self.settings.max_recursive_rows,
            max_query_work: self.settings.max_query_work,
            types: TypeReading::AsMeant,
        }
    }

    pub(crate) async fn catalog(&self) -> Result<Catalog> {
        Catalog::read(self.remote, &self.tenant)
            .await
            .map_err(|error| self.own_failure(&error))
    }

    /// Sends statements that contain a caller's text, as one transaction.
    async fn send(&self, statements: &[Bound], bound: &Bound) -> Result<Vec<Outcome>> {
        for statement in statements {
            tenant::verify(statement.sql(), &self.tenant)?;
        }
        match self.guarded(statements).await {
            Ok(outcomes) => Ok(outcomes),
            Err(error) => Err(self.failure(&error, bound).await),
        }
    }

    /// Sends statements after the guards, as one transaction. Returns the outcomes of the
    /// statements.
    async fn guarded(
        &self,
        statements: &[Bound],
    ) -> std::result::Result<Vec<Outcome>, EngineError> {
        if self.guards.is_empty() {
            return self.remote.batch(statements).await;
        }
        let all = [self.guards.as_slice(), statements].concat();
        let mut outcomes = self.remote.batch(&all).await?;
        Ok(outcomes.split_off(self.guards.len().min(outcomes.len())))
    }

    /// Sends one statement that contains a caller's text.
    async fn send_one(&self, statement: Bound, bound: &Bound) -> Result<Outcome> {
        Ok(self
            .send(&[statement], bound)
            .await?
            .into_iter()
            .next()
            .unwrap_or_default())
    }

    /// Converts an engine error into one for the tenant.
    async fn failure(&self, error: &EngineError, bound: &Bound) -> Error {
        let error = EngineError {
            message: self.tenant.readable(&error.message),
        };
        if basis::has_moved(&error) {
            return basis::moved();
        }
        if let Some(failure) = remote::failure(&error.message) {
            return failure;
        }
        let catalog = self.catalog().await.unwrap_or_default();
        explain::explain_by(&catalog, &error, bound)
    }

    /// Converts the error of one of our own statements.
    fn own_failure(&self, error: &EngineError) -> Error {
        let error = EngineError {
            message: self.tenant.readable(&error.message),
        };
        remote::failure(&error.message).unwrap_or_else(|| error.own())
    }

    pub(crate) async fn describe_table(&self, name: &str) -> Result<Reply> {
        let catalog = self.catalog().await?;
        let table = catalog.table(name)?;
        let (count, sample) = catalog::description_statements(&self.tenant, table);
        let outcomes = self
            .remote
            .batch(&[count, sample])
            .await
            .map_err(|error| self.own_failure(&error))?;
        let mut counters = Counters::default();
        for outcome in &outcomes {
            counters += outcome.counters;
        }
        let mut outcomes = outcomes.into_iter();
        let rows = outcomes
            .next()
            .and_then(Outcome::into_first_cell)
            .map_or(0, |cell| cell.as_count());
        let sample: Vec<String> = outcomes.next().map(Outcome::into_texts).unwrap_or_default();
        Ok(inspect::description(
            table,
            Some(catalog::row_count(rows)),
            Some(sample.join(",")),
            counters,
        ))
    }
}

//! Data that outlives a session: a tenant's tables in the D1 database that all tenants share.
//!
//! [`dispatch`] runs an operation whose body says `"target":"persistent"`, [`persist`] copies a session's table there. [`remote`] is the
//! port, [`catalog`] a snapshot of the tenant's tables, `basis` their definitions as a person approved them, `statements` exec, query and createTable, `copy` the copying, `drop` dropTable, `scoped` what is
//! done within a scope, [`approved`] statements that a person approves.
//!
//! Who is kept apart from whom is [`sql_scope::tenant`]'s matter: every text of a caller passes its review, and once more its check of
//! the final text in `Persistent::send`. Errors lose the tenant's prefix, and counters of what concerns all tenants are left out.

pub mod approved;
mod basis;
pub mod catalog;
mod copy;
mod drop;
pub mod remote;
mod scoped;
mod statements;

use super::Answer;
use super::fields::Fields;
use crate::Settings;
use crate::approved::Basis;
use crate::inspect::{self, Table};
use base::{Error, Result};
use database::{Counters, EngineError};
use sql_gate::{Bound, Policy, Profile, TypeReading, explain};
use sql_scope::Scope;
use sql_scope::tenant::{self, Tenant};

pub use crate::operation::dispatch_persistent as dispatch;
use catalog::Catalog;
pub use copy::persist;
use remote::{Outcome, RemoteDatabase};
pub(crate) use scoped::{shown, shown_table};

/// Which database an operation addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addressed {
    /// The session's own.
    Session,
    /// The tenant's tables in D1.
    Persistent,
}

/// Reads the field `target` of a body. A body that cannot be read addresses the session, which says what is wrong with it.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for another word.
pub fn addressed(body: &str) -> Result<Addressed> {
    // A large batch is not worth a second parse. A key may be written with escapes.
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

/// Refuses `"target":"persistent"` where there is no such thing.
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

/// One request's view of a tenant's persistent tables.
#[derive(Debug)]
pub struct Persistent<'a, R> {
    remote: &'a R,
    tenant: Tenant,
    settings: &'a Settings,
    now_ms: u64,
    scope: Option<&'a Scope>,
    /// Statements that are sent before those of a caller, in the same transaction.
    guards: Vec<Bound>,
    /// The basis of a removal that was confirmed.
    confirmed: Option<&'a str>,
}

impl<'a, R: RemoteDatabase> Persistent<'a, R> {
    /// Of one tenant.
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

    /// With the basis of the removal that was confirmed.
    pub fn confirmed(self, basis: Option<&'a str>) -> Self {
        Self {
            confirmed: basis,
            ..self
        }
    }

    /// The basis of the removal of a table or view.
    ///
    /// # Errors
    /// The database's.
    pub async fn basis_of_removal(&self, name: &str) -> Result<Basis> {
        let stored = self.tenant.physical(name);
        Ok(self.snapshot().await?.basis_of_removal(&stored))
    }

    /// Within a scope, which every operation then has.
    pub fn within(self, scope: Option<&'a Scope>) -> Self {
        Self { scope, ..self }
    }

    /// The scope that every operation has, if there is one.
    pub(crate) fn scope(&self) -> Option<&'a Scope> {
        self.scope
    }

    /// What findColumn says of a table.
    pub(crate) fn found_column(&self, table: &Table, meant: &str, server: Option<&str>) -> Answer {
        inspect::found_column_answer(table, &self.settings.mappings, meant, server)
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

    /// Sends statements that a caller's text is part of, as one transaction.
    async fn send(&self, statements: &[Bound], bound: &Bound) -> Result<Vec<Outcome>> {
        for statement in statements {
            tenant::verify(statement.sql(), &self.tenant)?;
        }
        match self.guarded(statements).await {
            Ok(outcomes) => Ok(outcomes),
            Err(error) => Err(self.failure(&error, bound).await),
        }
    }

    /// Sends statements behind the guards, as one transaction: the outcomes of the statements.
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

    /// Sends one such statement.
    async fn send_one(&self, statement: Bound, bound: &Bound) -> Result<Outcome> {
        Ok(self
            .send(&[statement], bound)
            .await?
            .into_iter()
            .next()
            .unwrap_or_default())
    }

    /// What an engine error says to the tenant.
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

    /// What an error of our own statement says.
    fn own_failure(&self, error: &EngineError) -> Error {
        let error = EngineError {
            message: self.tenant.readable(&error.message),
        };
        remote::failure(&error.message).unwrap_or_else(|| error.own())
    }

    pub(crate) async fn describe_table(&self, name: &str) -> Result<Answer> {
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

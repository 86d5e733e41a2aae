//! A judged statement: reviewed, joined with its parameters and checked by the engine, with the
//! tables that it touches.

use base::Result;
use database::{Counters, Database};
use sql_cost::Estimate;
use sql_gate::{Bound, StatementKind};

use super::basis::Basis;
use super::capture::{Relation, touched};
use super::digest::{self, Owner};
use super::request::StatementRequest;
use super::scope::reviewed;
use crate::inspect;
use crate::limits::MAX_TOUCHED_TABLES;
use crate::query;
use crate::{Reply, Session};

/// A statement that has passed all checks.
pub(super) struct JudgedStatement {
    /// The caller's statement, without surrounding text.
    pub statement: String,
    /// The statement that runs.
    pub bound: Bound,
    /// Its estimated work.
    pub estimate: Estimate,
    /// The notice if it reads columns of texts as numbers.
    texts: Option<String>,
    /// True if it only sees the rows of one tenant. Numbers that depend on all rows are not
    /// reported then.
    pub scoped: bool,
}

/// The tables that a statement may change, and the reason if their changes cannot be recorded.
pub(super) struct WrittenTables {
    /// The written table first; empty if there is an obstacle.
    pub relations: Vec<Relation>,
    pub obstacle: Option<String>,
}

impl JudgedStatement {
    /// Judges a statement as `exec` does.
    ///
    /// # Errors
    /// The gate's or the engine's.
    pub fn of<D: Database>(session: &Session<'_, D>, request: &StatementRequest) -> Result<Self> {
        let policy = session.policy();
        let reviewed = reviewed(session.db, &request.sql, &policy, request.scope.as_ref())?;
        let bound = reviewed.bind(&request.parameters)?;
        session.guard(&bound, &policy)?;
        let texts = session.texts_as_numbers(&reviewed, &bound, &request.parameters)?;
        let estimate = match bound.kind() {
            StatementKind::QueryPlan => Estimate::default(),
            StatementKind::Read | StatementKind::Write | StatementKind::Schema => {
                sql_cost::estimate_within(session.db, &bound, &policy, &session.cache.counts)?
            }
        };
        Ok(Self {
            statement: reviewed.statement().to_owned(),
            bound,
            estimate,
            texts,
            scoped: request.scope.is_some(),
        })
    }

    /// Adds the notices about the statement to the reply, as `exec` does.
    pub fn with_notice(&self, reply: Reply, counters: Counters) -> Reply {
        query::with_notice(reply, &self.bound, self.texts.as_deref(), counters)
    }

    /// Returns the hash for an approval of the statement.
    ///
    /// # Errors
    /// The engine's.
    pub fn sha256<D: Database>(
        &self,
        db: &D,
        owner: Owner<'_>,
        request: &StatementRequest,
    ) -> Result<String> {
        let basis = Basis::of_statement(db, &self.bound)?;
        let scope = request.scope.as_ref();
        Ok(digest::of_statement(owner, scope, &self.bound, &basis))
    }

    /// Returns the hash that approvals of version 1 have, without a basis.
    pub fn sha256_without_basis(&self, owner: Owner<'_>, request: &StatementRequest) -> String {
        digest::without_basis(owner, request.scope.as_ref(), &self.bound)
    }

    /// Returns the tables that it may change. For a statement that changes the schema, these are
    /// the tables that the foreign keys of a dropped table change.
    ///
    /// # Errors
    /// The engine's.
    pub fn written<D: Database>(&self, db: &D) -> Result<WrittenTables> {
        let table = match self.bound.kind() {
            StatementKind::Write => self.bound.written_table(),
            StatementKind::Schema => self.bound.dropped_table(),
            StatementKind::Read | StatementKind::QueryPlan => None,
        };
        let Some(table) = table else {
            return Ok(WrittenTables {
                relations: Vec::new(),
                obstacle: None,
            });
        };
        let Some(names) = touched(db, table)? else {
            return Ok(WrittenTables::not(format!(
                "foreign keys let it change more than {MAX_TOUCHED_TABLES} tables"
            )));
        };
        let mut relations = Vec::with_capacity(names.len());
        for name in names {
            let relation = Relation::load(db, &name)?;
            if let Some(obstacle) = relation.obstacle() {
                return Ok(WrittenTables::not(obstacle));
            }
            relations.push(relation);
        }
        Ok(WrittenTables {
            relations,
            obstacle: None,
        })
    }

    /// Refuses a statement that is too much work if its changes are recorded, because the recording
    /// triggers read computed columns as well. It must be called while the triggers exist.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE`, or the engine's.
    pub fn require_recordable<D: Database>(
        &self,
        session: &Session<'_, D>,
        relations: &[Relation],
    ) -> Result<()> {
        for relation in relations {
            if !sql_gate::catalog::is_plain_to_read(session.db, &relation.name)? {
                let meter = session.meter();
                return meter.weigh(session.db, &self.bound, 1).map(drop);
            }
        }
        Ok(())
    }

    /// Returns the tables and views that it names, in the case in which they were created and
    /// without duplicates; written ones first.
    ///
    /// # Errors
    /// The engine's.
    pub fn named_tables<D: Database>(&self, db: &D) -> Result<Vec<(String, bool)>> {
        let written = self.bound.written().and_then(|written| written.tables);
        let written = written.unwrap_or_default();
        let mut found: Vec<(String, bool)> = Vec::new();
        let written = written.iter().map(|name| (name.as_str(), true));
        let read = self.bound.relations().map(|name| (name, false));
        for (name, writes) in written.chain(read) {
            let stored = inspect::stored_name(db, name)?.unwrap_or_else(|| name.to_owned());
            if !found.iter().any(|(known, _)| *known == stored) {
                found.push((stored, writes));
            }
        }
        Ok(found)
    }
}

impl WrittenTables {
    fn not(obstacle: String) -> Self {
        Self {
            relations: Vec::new(),
            obstacle: Some(obstacle),
        }
    }
}

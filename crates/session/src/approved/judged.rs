//! A statement as it was judged: reviewed, joined with its parameters, guarded by the engine, and what it touches.

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
use crate::{Answer, Session};

/// A statement that passed every check.
pub(super) struct Judged {
    /// The caller's statement, without what stood around it.
    pub statement: String,
    /// What runs.
    pub bound: Bound,
    /// What it may cost.
    pub estimate: Estimate,
    /// The columns of text that it reads as numbers.
    texts: Option<String>,
    /// It sees the rows of one tenant. Numbers that come of all rows are not told.
    pub scoped: bool,
}

/// The tables that a statement may change, and why their changes may not be recorded.
pub(super) struct Written {
    /// The written table first. Empty where there is an obstacle.
    pub relations: Vec<Relation>,
    pub obstacle: Option<String>,
}

impl Judged {
    /// Judges a statement as `exec` does.
    ///
    /// # Errors
    /// What the gate or the engine says.
    pub fn of<D: Database>(session: &Session<'_, D>, request: &StatementRequest) -> Result<Self> {
        let policy = session.policy();
        let reviewed = reviewed(session.db, &request.sql, &policy, request.scope.as_ref())?;
        let bound = reviewed.bind(&request.parameters)?;
        session.guard(&bound, &policy)?;
        let texts = session.texts_as_numbers(&reviewed, &bound, &request.parameters)?;
        let estimate = match bound.kind() {
            StatementKind::QueryPlan => Estimate::default(),
            _ => sql_cost::estimate_within(session.db, &bound, &policy, &session.cache.counts)?,
        };
        Ok(Self {
            statement: reviewed.statement().to_owned(),
            bound,
            estimate,
            texts,
            scoped: request.scope.is_some(),
        })
    }

    /// With what its caller has to know of it, as `exec` says it.
    pub fn with_notice(&self, answer: Answer, counters: Counters) -> Answer {
        query::with_notice(answer, &self.bound, self.texts.as_deref(), counters)
    }

    /// The hash that an approval of it names.
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

    /// The hash that it had in approvals without a basis.
    pub fn sha256_without_basis(&self, owner: Owner<'_>, request: &StatementRequest) -> String {
        digest::without_basis(owner, request.scope.as_ref(), &self.bound)
    }

    /// The tables that it may change. Of a statement that defines something, those that the foreign keys of a dropped table change.
    ///
    /// # Errors
    /// The engine's.
    pub fn written<D: Database>(&self, db: &D) -> Result<Written> {
        let table = match self.bound.kind() {
            StatementKind::Write => self.bound.written_table(),
            StatementKind::Schema => self.bound.dropped_table(),
            StatementKind::Read | StatementKind::QueryPlan => None,
        };
        let Some(table) = table else {
            return Ok(Written {
                relations: Vec::new(),
                obstacle: None,
            });
        };
        let Some(names) = touched(db, table)? else {
            return Ok(Written::not(format!(
                "foreign keys let it change more than {MAX_TOUCHED_TABLES} tables"
            )));
        };
        let mut relations = Vec::with_capacity(names.len());
        for name in names {
            let relation = Relation::load(db, &name)?;
            if let Some(obstacle) = relation.obstacle() {
                return Ok(Written::not(obstacle));
            }
            relations.push(relation);
        }
        Ok(Written {
            relations,
            obstacle: None,
        })
    }

    /// Refuses a statement that becomes too much work by its changes being recorded: the triggers read computed columns as well. To be asked when
    /// the triggers are there.
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

    /// The tables and views that it names, as they were created, each once; written ones first.
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

impl Written {
    fn not(obstacle: String) -> Self {
        Self {
            relations: Vec::new(),
            obstacle: Some(obstacle),
        }
    }
}

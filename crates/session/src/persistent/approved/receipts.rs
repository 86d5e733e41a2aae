//! The table `_codemode_approved` in the persistent database: which approved statements have run,
//! so that none runs twice.
//!
//! All tenants share this table. No statement of a caller can name it, because all names in such a
//! statement get the prefix of a tenant. A receipt is written before its statement, in the same
//! transaction. So if two runs collide, the second one violates the key and reads the outcome of
//! the first. The rows of RETURNING are not stored: a caller that has lost them still gets the
//! number of changes.

use base::{Error, Result};
use database::{Bind, Cell, Counters};
use serde_json::json;
use sql_gate::compose::{Part, compose};
use sql_gate::{Bound, StatementKind};

use super::super::Persistent;
use super::super::remote::{Outcome, RemoteDatabase};
use super::{NO_IMAGES, rows_reply};
use crate::approved::{Owner, RunRequest, ran};
use crate::limits::APPROVED_RETENTION_MS;
use crate::query::{self, Request};
use crate::{Reply, SessionError};

/// The name in the engine's error for a violated key.
const TABLE: &str = "_codemode_approved";
const CREATE: &str = "CREATE TABLE IF NOT EXISTS _codemode_approved (tenant TEXT NOT NULL, approval_id TEXT NOT NULL, sha256 TEXT NOT NULL, \
     kind TEXT NOT NULL, changes INTEGER NOT NULL, ran_at_ms INTEGER NOT NULL, PRIMARY KEY (tenant, approval_id)) WITHOUT ROWID";
const SWEEP: &str = "DELETE FROM _codemode_approved WHERE tenant = ? AND ran_at_ms < ?";
const RECORD: &str = "INSERT INTO _codemode_approved (tenant, approval_id, sha256, kind, changes, ran_at_ms) VALUES (?, ?, ?, ?, 0, ?)";
const COUNT: &str =
    "UPDATE _codemode_approved SET changes = changes() WHERE tenant = ? AND approval_id = ?";
const FIND: &str =
    "SELECT sha256, kind, changes FROM _codemode_approved WHERE tenant = ? AND approval_id = ?";

/// The receipt of a statement that has run.
pub(super) struct Receipt {
    sha256: String,
    kind: String,
    changes: u64,
}

impl Receipt {
    /// Returns the outcome, as far as it is stored.
    ///
    /// # Errors
    /// [`SessionError::StatementChanged`] if another statement ran under the approval.
    pub fn outcome_of(self, sha256: &str) -> Result<String> {
        if self.sha256 == sha256 {
            return Ok(outcome(&self.kind, self.changes).members());
        }
        Err(Error::from(SessionError::StatementChanged {
            message: "another statement ran under this approval".to_owned(),
            approved: sha256.to_owned(),
            found: self.sha256,
        }))
    }
}

fn outcome(kind: &str, changes: u64) -> Reply {
    Reply::new(
        json!({
            "kind": kind, "changes": changes,
            "undo": { "available": false, "rows": 0, "bytes": 0, "reason": NO_IMAGES },
        }),
        Counters::default(),
    )
}

fn own(text: &'static str, binds: Vec<Bind>) -> Bound {
    compose(&[Part::Sql(text)], binds)
}

fn milliseconds(ms: u64) -> Bind {
    Bind::Text(ms.to_string())
}

impl<R: RemoteDatabase> Persistent<'_, R> {
    /// Returns the receipt of an approval.
    ///
    /// # Errors
    /// The database's.
    pub(super) async fn receipt(
        &self,
        owner: Owner<'_>,
        approval_id: &str,
    ) -> Result<Option<Receipt>> {
        let find = own(
            FIND,
            vec![Bind::text(owner.tenant), Bind::text(approval_id)],
        );
        let outcomes = self
            .remote
            .batch(&[own(CREATE, Vec::new()), find])
            .await
            .map_err(|error| self.own_failure(&error))?;
        let row = outcomes.into_iter().flat_map(|outcome| outcome.rows).next();
        Ok(row.map(|row| {
            let mut cells = row.into_iter();
            let mut next = || cells.next().unwrap_or(Cell::Null);
            Receipt {
                sha256: next().into_text(),
                kind: next().into_text(),
                changes: next().as_count(),
            }
        }))
    }

    /// Runs a statement that changes something, and stores its receipt.
    ///
    /// # Errors
    /// The errors of the statement; in that case nothing is changed.
    pub(super) async fn change_once(
        &self,
        owner: Owner<'_>,
        request: &RunRequest,
        bound: &Bound,
        asked: &Request,
    ) -> Result<String> {
        let kind = bound.action().name();
        let (statement, columns) = match bound.kind() {
            StatementKind::Write if bound.has_returning() => {
                let (statement, columns) = self.returning(bound, asked).await?;
                (statement, Some(columns))
            }
            StatementKind::Read
            | StatementKind::Write
            | StatementKind::Schema
            | StatementKind::QueryPlan => (bound.clone(), None),
        };
        sql_scope::tenant::verify(statement.sql(), &self.tenant)?;
        let key = || vec![Bind::text(owner.tenant), Bind::text(&request.approval_id)];
        let mut recorded = key();
        recorded.extend([
            Bind::text(&request.sha256),
            Bind::text(kind),
            milliseconds(self.now_ms),
        ]);
        let before = self.now_ms.saturating_sub(APPROVED_RETENTION_MS);
        let mut batch = vec![
            own(SWEEP, vec![Bind::text(owner.tenant), milliseconds(before)]),
            own(RECORD, recorded),
            statement,
        ];
        let at = batch.len() - 1;
        if bound.kind() == StatementKind::Write {
            batch.push(own(COUNT, key()));
        }
        let outcomes = match self.guarded(&batch).await {
            Ok(outcomes) => outcomes,
            Err(error) if error.message.contains(TABLE) => {
                // Another request ran it in the meantime.
                let found = self.receipt(owner, &request.approval_id).await?;
                let found = found.ok_or_else(|| self.own_failure(&error))?;
                return Ok(ran(&found.outcome_of(&request.sha256)?, true));
            }
            Err(error) => return Err(self.failure(&error, bound).await),
        };
        let done: Outcome = outcomes.into_iter().nth(at).unwrap_or_default();
        let mut reply = outcome(kind, done.changes);
        if let Some(columns) = columns {
            reply = rows_reply(reply, self.returned(done, columns, asked).0);
        }
        let reply = query::with_notice(reply, bound, None, Counters::default());
        Ok(ran(&reply.members(), false))
    }
}

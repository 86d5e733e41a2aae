//! The table `_codemode_approved`. A receipt records which statement ran under an approval, so that
//! it never runs twice, and where the images of its rows are.

use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt as _};
use serde::{Deserialize, Serialize};

use super::capture::{Recording, Relation, forget};
use crate::SessionError;
use crate::limits::{APPROVED_RETENTION_MS, MAX_UNDO_TOTAL_BYTES, UNDO_RETENTION_MS};

const FIND: &str = "SELECT kind, sha256, outcome, undo, undo_reason, ran_at FROM _codemode_approved WHERE approval_id = ?";
const RECORD: &str = "INSERT INTO _codemode_approved (approval_id, kind, sha256, ran_at, outcome, undo, undo_bytes, undo_reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
const CLOSE: &str = "UPDATE _codemode_approved SET undo = NULL, undo_bytes = 0, undo_reason = ?2 WHERE approval_id = ?1";
const EXPIRED: &str =
    "SELECT approval_id, undo FROM _codemode_approved WHERE undo IS NOT NULL AND ran_at <= ?";
/// Finds the undos whose images, together with all newer ones, exceed the limit.
const CROWDED: &str = "SELECT approval_id, undo FROM (SELECT approval_id, undo, ran_at, sum(undo_bytes) OVER (ORDER BY ran_at DESC, approval_id) AS kept \
     FROM _codemode_approved WHERE undo IS NOT NULL) WHERE kept > ?";
const SWEEP: &str = "DELETE FROM _codemode_approved WHERE ran_at <= ?";

/// The kind of approval that a receipt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Run,
    Undo,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Undo => "undo",
        }
    }
}

/// The position of a statement's images.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct ImageRange {
    /// The id of the last change before its first one.
    pub after: u64,
    /// The id of its last change.
    pub last: u64,
    /// The tables, in the order of their positions.
    pub tables: Vec<KeptTable>,
    /// True if the statement only saw the rows of one tenant. A row that now has the key of a
    /// changed row may then belong to another tenant.
    pub scoped: bool,
}

/// A table as it was when its rows were recorded.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct KeptTable {
    pub name: String,
    pub definition: String,
}

impl ImageRange {
    /// Returns the position of the changes in these tables.
    pub fn of(relations: &[Relation], recording: Recording, last: u64, scoped: bool) -> Self {
        Self {
            after: recording.after,
            last,
            tables: relations
                .iter()
                .map(|relation| KeptTable {
                    name: relation.name.clone(),
                    definition: relation.definition.clone(),
                })
                .collect(),
            scoped,
        }
    }

    /// Returns the recording of the changes.
    pub fn recording(&self) -> Recording {
        Recording { after: self.after }
    }
}

/// A receipt to be stored.
pub(super) struct Receipt<'a> {
    pub approval_id: &'a str,
    pub kind: Kind,
    pub sha256: &'a str,
    pub now_ms: u64,
    /// The members of the response.
    pub outcome: &'a str,
    /// The position and size of the images, or the reason why there are none.
    pub undo: Result<(ImageRange, u64), String>,
}

impl Receipt<'_> {
    /// Stores the receipt. Its approval id must be new.
    ///
    /// # Errors
    /// The engine's.
    pub fn record<D: Database>(&self, db: &D) -> Result<()> {
        let (kept, bytes, reason) = match &self.undo {
            Ok((kept, bytes)) => {
                let text = serde_json::to_string(kept)
                    .map_err(|error| Error::internal(error.to_string()))?;
                (Bind::text(text), *bytes, Bind::Null)
            }
            Err(reason) => (Bind::Null, 0, Bind::text(reason.as_str())),
        };
        db.run(
            RECORD,
            &[
                Bind::text(self.approval_id),
                Bind::text(self.kind.name()),
                Bind::text(self.sha256),
                Bind::number(self.now_ms),
                Bind::text(self.outcome),
                kept,
                Bind::number(bytes),
                reason,
            ],
        )?;
        Ok(())
    }
}

/// A stored receipt.
pub(super) struct StoredReceipt {
    kind: String,
    pub sha256: String,
    outcome: String,
    undo: Option<String>,
    undo_reason: String,
    ran_at_ms: u64,
}

/// Returns the receipt of an approval.
///
/// # Errors
/// The engine's.
pub(super) fn find<D: Database>(db: &D, approval_id: &str) -> Result<Option<StoredReceipt>> {
    let rows = db.rows(FIND, &[Bind::text(approval_id)])?;
    Ok(rows.into_iter().next().map(|row| {
        let mut cells = row.into_iter();
        let mut next = || cells.next().unwrap_or(Cell::Null);
        StoredReceipt {
            kind: next().into_text(),
            sha256: next().into_text(),
            outcome: next().into_text(),
            undo: match next() {
                Cell::Text(text) => Some(text),
                Cell::Null | Cell::Number(_) | Cell::Blob(_) => None,
            },
            undo_reason: next().into_text(),
            ran_at_ms: next().as_count(),
        }
    }))
}

impl StoredReceipt {
    /// Returns the stored outcome, if the same statement ran.
    ///
    /// # Errors
    /// [`SessionError::StatementChanged`] if another statement ran under the approval.
    pub fn outcome_of(self, kind: Kind, sha256: &str) -> Result<String> {
        if self.kind == kind.name() && self.sha256 == sha256 {
            return Ok(self.outcome);
        }
        Err(Error::from(SessionError::StatementChanged {
            message: "another statement ran under this approval".to_owned(),
            approved: sha256.to_owned(),
            found: self.sha256,
        }))
    }

    /// Returns the position of the images with which the statement can now be undone, or the reason
    /// why there are none.
    ///
    /// # Errors
    /// An internal error if they cannot be read.
    pub fn kept(&self, now_ms: u64) -> Result<Result<ImageRange, String>> {
        if self.kind != Kind::Run.name() {
            return Ok(Err("it is an undo itself".to_owned()));
        }
        let Some(text) = &self.undo else {
            return Ok(Err(self.undo_reason.clone()));
        };
        if now_ms.saturating_sub(self.ran_at_ms) >= UNDO_RETENTION_MS {
            return Ok(Err(EXPIRED_REASON.to_owned()));
        }
        serde_json::from_str(text)
            .map(Ok)
            .map_err(|error| Error::internal(format!("the images cannot be found: {error}")))
    }
}

const EXPIRED_REASON: &str = "its rows were only kept for one day";
const CROWDED_REASON: &str = "its rows were deleted to make space for those of later statements";

/// Deletes the images of a statement.
///
/// # Errors
/// The engine's.
pub(super) fn close<D: Database>(
    db: &D,
    approval_id: &str,
    kept: &ImageRange,
    reason: &str,
) -> Result<()> {
    forget(db, kept.tables.len(), kept.recording(), kept.last)?;
    db.run(CLOSE, &[Bind::text(approval_id), Bind::text(reason)])?;
    Ok(())
}

/// Deletes receipts and images that are past their retention time, and the oldest images if all
/// together exceed the limit.
///
/// # Errors
/// The engine's.
pub(super) fn sweep<D: Database>(db: &D, now_ms: u64) -> Result<()> {
    let before = |retention_ms: u64| Bind::number(now_ms.saturating_sub(retention_ms));
    let expired = db.rows(EXPIRED, &[before(UNDO_RETENTION_MS)])?;
    close_all(db, expired, EXPIRED_REASON)?;
    let crowded = db.rows(CROWDED, &[Bind::number(MAX_UNDO_TOTAL_BYTES)])?;
    close_all(db, crowded, CROWDED_REASON)?;
    db.run(SWEEP, &[before(APPROVED_RETENTION_MS)])?;
    Ok(())
}

fn close_all<D: Database>(db: &D, rows: Vec<Vec<Cell>>, reason: &str) -> Result<()> {
    for row in rows {
        let mut cells = row.into_iter();
        let (id, kept) = (cells.next(), cells.next());
        let id = id.unwrap_or(Cell::Null).into_text();
        let kept = kept.unwrap_or(Cell::Null).into_text();
        if let Ok(kept) = serde_json::from_str(&kept) {
            close(db, &id, &kept, reason)?;
        }
    }
    Ok(())
}

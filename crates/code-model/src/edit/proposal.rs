//! The stored rows of proposals.

use base::{Error, Result};
use database::{Bind, Database, DatabaseExt};
use operation::arguments::Word;

use super::request::ItemEdit;
use crate::CodeError;
use crate::limits::{MAX_EDITS, MAX_KEPT_PROPOSALS};
use crate::store::rows::{Row, number, optional, row, rows};

/// The columns of a proposal, in the order of [`Proposal::read`].
macro_rules! columns {
    () => {
        "proposal, request_id, request_hash, status, actor, created_at, decided_at, base_version, applied_version, reverted_version, confidence, \
         auto_confirmed, staged, preview_mode, preview, warnings, reason"
    };
}

const BY_REQUEST: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM code_proposals WHERE request_id = ?1"
);
const PENDING: &str =
    "SELECT request_id FROM code_proposals WHERE status = 'pending' ORDER BY proposal LIMIT ?1";
const PENDING_ON: &str = "SELECT proposal, request_id, base_version, staged FROM code_proposals AS p WHERE status = 'pending' AND EXISTS \
     (SELECT 1 FROM code_proposal_files AS f WHERE f.proposal = p.proposal AND f.path IN (SELECT value FROM json_each(?1))) ORDER BY proposal";
const BEFORE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM code_proposals WHERE proposal < ?1 AND (?2 IS NULL OR status = ?2) ORDER BY proposal DESC LIMIT ?3"
);
const PENDING_COUNT: &str = "SELECT count(*) FROM code_proposals WHERE status = 'pending'";
const INSERT: &str = "INSERT INTO code_proposals (request_id, request_hash, status, actor, created_at, base_version, confidence, auto_confirmed, \
     staged, preview_mode, preview, warnings) VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const LAST: &str = "SELECT max(proposal) FROM code_proposals";
const INSERT_FILE: &str = "INSERT INTO code_proposal_files (proposal, path, file_hash, tracking_hash, before_content) VALUES (?, ?, ?, ?, ?)";
const INSERT_EDIT: &str = "INSERT INTO code_proposal_edits (proposal, sequence, path, mode, start_byte, end_byte, item_id, item_hash, replacement) \
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
const FILES: &str = "SELECT path, file_hash, tracking_hash, before_content, new_file_hash, error, applied_to_hash FROM code_proposal_files WHERE proposal = ?1 ORDER BY path";
const EDITS: &str = "SELECT sequence, path, mode, start_byte, end_byte, item_id, item_hash, replacement FROM code_proposal_edits \
     WHERE proposal = ?1 ORDER BY sequence LIMIT ?2";
const DECIDE: &str = "UPDATE code_proposals SET status = ?2, decided_at = ?3, applied_version = ?4, reason = ?5 WHERE proposal = ?1";
const REVERTED: &str = "UPDATE code_proposals SET reverted_version = ?2 WHERE proposal = ?1";
const APPLIED_FILE: &str = "UPDATE code_proposal_files SET new_file_hash = ?3, before_content = ?4, applied_to_hash = ?5 WHERE proposal = ?1 AND path = ?2";
const FAILED_FILE: &str =
    "UPDATE code_proposal_files SET error = ?3 WHERE proposal = ?1 AND path = ?2";
const OLDEST_DECIDED: &str =
    "SELECT proposal FROM code_proposals WHERE status <> 'pending' ORDER BY proposal LIMIT 1";
const COUNT: &str = "SELECT count(*) FROM code_proposals";
const DISCARD: [&str; 3] = [
    "DELETE FROM code_proposal_edits WHERE proposal = ?1",
    "DELETE FROM code_proposal_files WHERE proposal = ?1",
    "DELETE FROM code_proposals WHERE proposal = ?1",
];

/// The status of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Pending,
    Applied,
    Denied,
    Failed,
    Stale,
}

impl Word for Status {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("pending", Self::Pending),
        ("applied", Self::Applied),
        ("denied", Self::Denied),
        ("failed", Self::Failed),
        ("stale", Self::Stale),
    ];
}

impl Status {
    pub fn word(self) -> &'static str {
        let known = Self::WORDS.iter().find(|(_, status)| *status == self);
        known.map_or("", |(word, _)| *word)
    }

    pub fn of(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().find(|(known, _)| *known == word);
        known.map(|(_, status)| *status)
    }
}

/// A proposal as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Proposal {
    pub proposal: u64,
    pub request_id: String,
    pub request_hash: String,
    pub status: Status,
    pub actor: String,
    pub created_at: u64,
    pub decided_at: Option<u64>,
    pub base_version: u64,
    pub applied_version: Option<u64>,
    pub reverted_version: Option<u64>,
    pub confidence: Option<f64>,
    pub auto_confirmed: bool,
    /// The number of its edits.
    pub staged: u64,
    pub preview_mode: String,
    pub preview: String,
    /// The warnings, one a line.
    pub warnings: String,
    pub reason: Option<String>,
}

impl Proposal {
    fn read(row: &mut Row) -> Self {
        Self {
            proposal: row.number(),
            request_id: row.text(),
            request_hash: row.text(),
            status: Status::of(&row.text()).unwrap_or(Status::Failed),
            actor: row.text(),
            created_at: row.number(),
            decided_at: row.optional_number(),
            base_version: row.number(),
            applied_version: row.optional_number(),
            reverted_version: row.optional_number(),
            confidence: row.float(),
            auto_confirmed: row.flag(),
            staged: row.number(),
            preview_mode: row.text(),
            preview: row.text(),
            warnings: row.text(),
            reason: row.optional_text(),
        }
    }
}

/// A file of a proposal, as it was staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProposalFile {
    pub path: String,
    pub file_hash: String,
    pub tracking_hash: String,
    /// The content to which the edits refer. Once the proposal is applied, the content that it was
    /// applied to.
    pub before_content: u64,
    pub new_file_hash: Option<String>,
    pub error: Option<String>,
    /// The hash of the bytes that it was applied to.
    pub applied_to_hash: Option<String>,
}

/// An edit of a proposal, as it was staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredEdit {
    pub sequence: u64,
    pub path: String,
    pub mode: String,
    pub start: usize,
    pub end: usize,
    pub item: Option<(String, String)>,
    pub code: String,
}

impl StoredEdit {
    /// Returns the kind of edit of an item; `None` for an edit of bytes.
    pub fn how(&self) -> Option<ItemEdit> {
        match self.mode.as_str() {
            "canonical" => Some(ItemEdit::Replace),
            "insert_before" => Some(ItemEdit::InsertBefore),
            "insert_after" => Some(ItemEdit::InsertAfter),
            _ => None,
        }
    }
}

/// Returns the proposal of a request, if there is one.
pub(super) fn find<D: Database>(db: &D, request_id: &str) -> Result<Option<Proposal>> {
    row(db, BY_REQUEST, &[Bind::text(request_id)], Proposal::read)
}

/// Returns the proposal of a request.
///
/// # Errors
/// [`CodeError::ProposalNotFound`].
pub(super) fn require<D: Database>(db: &D, request_id: &str) -> Result<Proposal> {
    find(db, request_id)?.ok_or_else(|| {
        CodeError::ProposalNotFound {
            request_id: request_id.to_owned(),
        }
        .into()
    })
}

/// Returns the request ids of the pending proposals, the oldest first.
pub(super) fn pending<D: Database>(db: &D, limit: u64) -> Result<Vec<String>> {
    rows(db, PENDING, &[Bind::number(limit)], Row::text)
}

/// A pending proposal, without its preview and warnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Waiting {
    pub proposal: u64,
    pub request_id: String,
    pub base_version: u64,
    /// The number of its edits.
    pub staged: u64,
}

/// Returns the pending proposals that contain one of these files.
pub(super) fn pending_on<D: Database>(db: &D, paths: &[String]) -> Result<Vec<Waiting>> {
    let paths = serde_json::Value::from(paths).to_string();
    rows(db, PENDING_ON, &[Bind::Text(paths)], |row| Waiting {
        proposal: row.number(),
        request_id: row.text(),
        base_version: row.number(),
        staged: row.number(),
    })
}

/// Returns the proposals before a given one, the newest first.
pub(super) fn before<D: Database>(
    db: &D,
    proposal: u64,
    status: Option<Status>,
    limit: u64,
) -> Result<Vec<Proposal>> {
    let binds = [
        Bind::number(proposal),
        optional(status.map(Status::word)),
        Bind::number(limit),
    ];
    rows(db, BEFORE, &binds, Proposal::read)
}

pub(super) fn pending_count<D: Database>(db: &D) -> Result<u64> {
    number(db, PENDING_COUNT, &[])
}

/// Returns the files of a proposal.
pub(super) fn files<D: Database>(db: &D, proposal: u64) -> Result<Vec<ProposalFile>> {
    rows(db, FILES, &[Bind::number(proposal)], |row| ProposalFile {
        path: row.text(),
        file_hash: row.text(),
        tracking_hash: row.text(),
        before_content: row.number(),
        new_file_hash: row.optional_text(),
        error: row.optional_text(),
        applied_to_hash: row.optional_text(),
    })
}

/// Returns the edits of a proposal, in the order of the request.
pub(super) fn edits<D: Database>(db: &D, proposal: u64) -> Result<Vec<StoredEdit>> {
    let most = u64::try_from(MAX_EDITS).unwrap_or(u64::MAX);
    rows(
        db,
        EDITS,
        &[Bind::number(proposal), Bind::number(most)],
        |row| StoredEdit {
            sequence: row.number(),
            path: row.text(),
            mode: row.text(),
            start: row.index(),
            end: row.index(),
            item: row.optional_text().zip(row.optional_text()),
            code: row.text(),
        },
    )
}

/// Stores a proposal. Returns its number.
pub(super) fn insert<D: Database>(
    db: &D,
    proposal: &Proposal,
    files: &[ProposalFile],
    edits: &[StoredEdit],
) -> Result<u64> {
    let binds = [
        Bind::text(&*proposal.request_id),
        Bind::text(&*proposal.request_hash),
        Bind::text(&*proposal.actor),
        Bind::number(proposal.created_at),
        Bind::number(proposal.base_version),
        proposal.confidence.map_or(Bind::Null, Bind::Real),
        Bind::number(u64::from(proposal.auto_confirmed)),
        Bind::number(proposal.staged),
        Bind::text(&*proposal.preview_mode),
        Bind::text(&*proposal.preview),
        Bind::text(&*proposal.warnings),
    ];
    db.run(INSERT, &binds)?;
    let inserted = number(db, LAST, &[])?;
    for file in files {
        let binds = [
            Bind::number(inserted),
            Bind::text(&*file.path),
            Bind::text(&*file.file_hash),
            Bind::text(&*file.tracking_hash),
            Bind::number(file.before_content),
        ];
        db.run(INSERT_FILE, &binds)?;
    }
    for edit in edits {
        let item = edit.item.as_ref();
        let byte = |byte: usize| Bind::number(u64::try_from(byte).unwrap_or(u64::MAX));
        let binds = [
            Bind::number(inserted),
            Bind::number(edit.sequence),
            Bind::text(&*edit.path),
            Bind::text(&*edit.mode),
            byte(edit.start),
            byte(edit.end),
            optional(item.map(|(id, _)| id.as_str())),
            optional(item.map(|(_, hash)| hash.as_str())),
            Bind::text(&*edit.code),
        ];
        db.run(INSERT_EDIT, &binds)?;
    }
    discard_oldest(db)?;
    Ok(inserted)
}

fn discard_oldest<D: Database>(db: &D) -> Result<()> {
    if number(db, COUNT, &[])? <= MAX_KEPT_PROPOSALS {
        return Ok(());
    }
    let oldest = number(db, OLDEST_DECIDED, &[])?;
    for sql in DISCARD {
        db.run(sql, &[Bind::number(oldest)])?;
    }
    Ok(())
}

/// Records the decision about a proposal.
pub(super) fn decide<D: Database>(
    db: &D,
    proposal: u64,
    status: Status,
    now_ms: u64,
    applied: Option<u64>,
    reason: Option<&str>,
) -> Result<()> {
    let binds = [
        Bind::number(proposal),
        Bind::text(status.word()),
        Bind::number(now_ms),
        applied.map_or(Bind::Null, Bind::number),
        optional(reason),
    ];
    db.run(DECIDE, &binds).map(drop)
}

pub(super) fn reverted<D: Database>(db: &D, proposal: u64, version: u64) -> Result<()> {
    db.run(REVERTED, &[Bind::number(proposal), Bind::number(version)])
        .map(drop)
}

pub(super) fn applied_file<D: Database>(
    db: &D,
    proposal: u64,
    path: &str,
    new_file_hash: &str,
    (before_content, applied_to_hash): (u64, &str),
) -> Result<()> {
    let binds = [
        Bind::number(proposal),
        Bind::text(path),
        Bind::text(new_file_hash),
        Bind::number(before_content),
        Bind::text(applied_to_hash),
    ];
    db.run(APPLIED_FILE, &binds).map(drop)
}

pub(super) fn failed_file<D: Database>(
    db: &D,
    proposal: u64,
    path: &str,
    error: &Error,
) -> Result<()> {
    db.run(
        FAILED_FILE,
        &[
            Bind::number(proposal),
            Bind::text(path),
            Bind::Text(error.to_string()),
        ],
    )
    .map(drop)
}

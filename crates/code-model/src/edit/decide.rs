//! Decisions about proposals: they are approved, denied or reverted. All files of a proposal are
//! written, or none is.

use base::{Error, Result};
use database::Database;
use operation::arguments::Text;
use operation::declaration::Effect;
use serde_json::{Value, json};

use super::insertion::{Beside, splices};
use super::proposal::{self, Proposal, ProposalFile, Status, StoredEdit};
use super::relocate::{self, Old};
use super::splice::apply;
use super::syntax::check_syntax;
use crate::limits::{
    LEAST_APPROVED_BYTES, MAX_APPROVED_BYTES, MAX_JUDGED_EDITS, MAX_PENDING_PROPOSALS,
};
use crate::parse::rules;
use crate::project::FilePath;
use crate::store::commit::{self, Changes, FileWrite};
use crate::store::files::{self, FileRow};
use crate::store::items::{self, ItemSpan};
use crate::{CodeError, Head, Operation, Reply, Workspace};

/// The result of an approval.
pub(super) struct Approval {
    pub version: u64,
    /// Each file with its new hashes.
    files: Vec<(String, String, String)>,
    /// The request ids of proposals that can no longer be applied.
    stale: Vec<String>,
}

operation::operation! {
    /// Writes the files of a proposal if they still have the hashes for which it was staged: all of
    /// them or none. Otherwise the proposal becomes stale, and ok is false.
    pub struct ApproveProposal {
        /// The proposal.
        "requestId" => request_id: Text<1, 128>,
    }
    name: "approve_proposal",
    title: "Apply a proposal",
    effect: Effect::REMOVES.once(),
    output: "AppliedAnswer",
    example: r##"{"requestId":"total-1"}"##,
}

impl Operation<'_> for ApproveProposal {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let proposed = proposal::require(workspace.db, &self.request_id)?;
        let (fields, version) = approve_one(workspace, &proposed)?;
        Ok(Reply { fields, version })
    }
}

operation::operation! {
    /// Applies all pending proposals, the oldest first. Those that overlap with one that was
    /// applied become stale.
    pub struct ApproveAll {
    }
    name: "approve_all",
    title: "Apply all proposals",
    effect: Effect::REMOVES.once(),
    output: "AppliedAnswer",
}

impl Operation<'_> for ApproveAll {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let mut proposals = Vec::new();
        let mut last = None;
        let (mut applied, mut ok) = (0_u64, true);
        let mut bytes_left = MAX_APPROVED_BYTES;
        let waiting = proposal::pending(workspace.db, MAX_PENDING_PROPOSALS)?;
        for id in &waiting {
            // An earlier approval may have made it stale.
            let waiting = proposal::require(workspace.db, id)?;
            let (fields, version) = if waiting.status == Status::Pending {
                if bytes_left == 0 {
                    break;
                }
                bytes_left = bytes_left.saturating_sub(bytes_of(workspace, &waiting)?);
                approve_one(workspace, &waiting)?
            } else {
                (
                    failed_fields(workspace, &waiting, waiting.status, None)?,
                    None,
                )
            };
            applied += fields.get("applied").and_then(Value::as_u64).unwrap_or(0);
            ok &= fields.get("ok").and_then(Value::as_bool).unwrap_or(false);
            last = version.or(last);
            proposals.push(fields);
        }
        let remaining = waiting.len() - proposals.len();
        Ok(Reply {
            fields: json!({ "ok": ok, "applied": applied, "proposals": proposals, "remaining": remaining }),
            version: last,
        })
    }
}

/// Returns the bytes that applying a proposal reads and parses. In addition to its size, each file
/// counts some KB.
fn bytes_of<D: Database>(workspace: &Workspace<'_, D>, proposed: &Proposal) -> Result<u64> {
    let version = Head::load(workspace.db)?.version;
    let mut bytes = 0_u64;
    for file in proposal::files(workspace.db, proposed.proposal)? {
        let row = files::find(workspace.db, version, &file.path)?;
        bytes = bytes.saturating_add(LEAST_APPROVED_BYTES + row.map_or(0, |row| row.byte_len));
    }
    Ok(bytes)
}

operation::operation! {
    /// Closes a proposal without writing it.
    pub struct DenyProposal {
        /// The proposal.
        "requestId" => request_id: Text<1, 128>,
        /// The reason.
        "reason" => reason: Option<Text<0, 4096>>,
    }
    name: "deny_proposal",
    title: "Deny a proposal",
    effect: Effect::WRITES.once(),
    output: "AppliedAnswer",
    example: r##"{"requestId":"total-1"}"##,
}

impl Operation<'_> for DenyProposal {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let proposed = proposal::require(workspace.db, &self.request_id)?;
        if proposed.status != Status::Denied {
            require_pending(&proposed)?;
            proposal::decide(
                workspace.db,
                proposed.proposal,
                Status::Denied,
                workspace.now_ms,
                None,
                self.reason.as_deref(),
            )?;
        }
        Ok(Reply::read(
            json!({ "ok": true, "requestId": proposed.request_id, "status": Status::Denied.word() }),
        ))
    }
}

operation::operation! {
    /// Restores the files of an applied proposal to their previous content, if nobody else has
    /// changed them since.
    pub struct RevertProposal {
        /// The proposal.
        "requestId" => request_id: Text<1, 128>,
    }
    name: "revert_proposal",
    title: "Revert a proposal",
    effect: Effect::REMOVES.once(),
    output: "AppliedAnswer",
    example: r##"{"requestId":"total-1"}"##,
}

impl Operation<'_> for RevertProposal {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let proposed = proposal::require(workspace.db, &self.request_id)?;
        let mut reply = None;
        workspace.db.transaction(&mut || {
            reply = Some(revert_now(workspace, &proposed)?);
            Ok(())
        })?;
        reply.ok_or_else(|| Error::internal("a transaction did not run"))
    }
}

fn decided(proposed: &Proposal, reason: impl Into<String>) -> Error {
    Error::from(CodeError::ProposalDecided {
        request_id: proposed.request_id.clone(),
        status: proposed.status.word(),
        reason: reason.into(),
    })
}

fn require_pending(proposed: &Proposal) -> Result<()> {
    match proposed.status {
        Status::Pending => Ok(()),
        Status::Applied | Status::Denied | Status::Failed | Status::Stale => Err(decided(
            proposed,
            proposed
                .reason
                .clone()
                .unwrap_or_else(|| "it is no longer pending".to_owned()),
        )),
    }
}

/// Applies a proposal in a transaction of its own. If that is not possible, the reason becomes its
/// status.
fn approve_one<D: Database>(
    workspace: &Workspace<'_, D>,
    proposed: &Proposal,
) -> Result<(Value, Option<u64>)> {
    require_pending(proposed)?;
    let mut applied = None;
    let outcome = workspace.db.transaction(&mut || {
        applied = Some(apply_now(workspace, proposed)?);
        Ok(())
    });
    match (outcome, applied) {
        (Ok(()), Some(applied)) => Ok((outcome_fields(proposed, &applied), Some(applied.version))),
        (Ok(()), None) => Err(Error::internal("a transaction did not run")),
        (Err(error), _) => {
            let status = match error.of::<CodeError>() {
                Some(
                    CodeError::Changed { .. }
                    | CodeError::FileNotFound { .. }
                    | CodeError::Overlapping { .. },
                ) => Status::Stale,
                Some(_) => Status::Failed,
                None => return Err(error),
            };
            let db = workspace.db;
            db.transaction(&mut || {
                proposal::decide(
                    db,
                    proposed.proposal,
                    status,
                    workspace.now_ms,
                    None,
                    Some(&error.to_string()),
                )?;
                for file in proposal::files(db, proposed.proposal)? {
                    if is_about(&error, &file.path) {
                        proposal::failed_file(db, proposed.proposal, &file.path, &error)?;
                    }
                }
                Ok(())
            })?;
            Ok((
                failed_fields(workspace, proposed, status, Some(&error))?,
                None,
            ))
        }
    }
}

fn is_about(error: &Error, path: &str) -> bool {
    error
        .details()
        .get("file_path")
        .and_then(Value::as_str)
        .is_none_or(|file| file == path)
}

/// Applies a proposal within a transaction of the caller.
pub(super) fn apply_now<D: Database>(
    workspace: &Workspace<'_, D>,
    proposed: &Proposal,
) -> Result<Approval> {
    let db = workspace.db;
    let version = Head::load(db)?.version;
    let staged = proposal::files(db, proposed.proposal)?;
    let edits = proposal::edits(db, proposed.proposal)?;
    let mut changes = Changes::default();
    let mut before = Vec::new();
    for file in &staged {
        let row = files::require(db, version, &FilePath::parse(&file.path)?)?;
        let text = files::text(db, &row)?;
        let base = proposed.base_version;
        let mut older = Older::default();
        let present = (&row, text.as_str());
        let places = places(workspace, version, base, file, present, &edits, &mut older)?;
        let items = items::of_file(db, version, &file.path)?;
        let beside = Beside {
            text: &text,
            grammar: rules(row.language),
            items: &items,
        };
        let after = apply(&text, &splices(&file.path, beside, &places)?);
        check_syntax(workspace, &row, &after)?;
        before.push((row.content, row.file_hash));
        changes.writes.push(FileWrite {
            path: FilePath::parse(&file.path)?,
            bytes: after.into_bytes(),
            modified_ms: workspace.now_ms,
        });
    }
    let description = format!("apply {}", proposed.request_id);
    let committed = commit::write(workspace, "apply", &description, &changes)?;
    for (file, (content, hash)) in committed.files.iter().zip(before) {
        let applied_to = (content, hash.as_str());
        proposal::applied_file(
            db,
            proposed.proposal,
            &file.path,
            &file.file_hash,
            applied_to,
        )?;
    }
    proposal::decide(
        db,
        proposed.proposal,
        Status::Applied,
        workspace.now_ms,
        Some(committed.version),
        None,
    )?;
    let paths: Vec<String> = committed
        .files
        .iter()
        .map(|file| file.path.clone())
        .collect();
    let stale = mark_stale(workspace, committed.version, &paths)?;
    let files = committed
        .files
        .into_iter()
        .map(|file| (file.path, file.file_hash, file.tracking_hash));
    Ok(Approval {
        version: committed.version,
        files: files.collect(),
        stale,
    })
}

/// The text of the file for which proposals were staged, with its items. Many pending proposals are
/// for the same text.
#[derive(Default)]
struct Older {
    /// The content and the version for which the proposal was staged.
    of: Option<(u64, u64)>,
    text: String,
    standing: Vec<ItemSpan>,
}

impl Older {
    fn read<D: Database>(&mut self, db: &D, base: u64, file: &ProposalFile) -> Result<()> {
        let of = (file.before_content, base);
        if self.of == Some(of) {
            return Ok(());
        }
        self.text = String::from_utf8(files::content(db, file.before_content)?).unwrap_or_default();
        self.standing = match files::find(db, base, &file.path)? {
            Some(row) => items::standing_in(db, row.file)?,
            None => Vec::new(),
        };
        self.of = Some(of);
        Ok(())
    }
}

/// Returns the present positions of the edits of a file.
fn places<'e, D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    base: u64,
    file: &ProposalFile,
    (row, text): (&FileRow, &str),
    edits: &'e [StoredEdit],
    older: &mut Older,
) -> Result<Vec<(&'e StoredEdit, std::ops::Range<usize>)>> {
    let edits = edits.iter().filter(|edit| edit.path == file.path);
    if row.file_hash == file.file_hash {
        return Ok(edits.map(|edit| (edit, edit.start..edit.end)).collect());
    }
    older.read(workspace.db, base, file)?;
    let mut places = Vec::new();
    for edit in edits {
        let item = edit
            .item
            .as_ref()
            .map(|(id, hash)| (id.as_str(), hash.as_str()));
        let old = Old {
            range: edit.start..edit.end,
            how: edit.how(),
            item,
            text: &older.text,
        };
        let found = relocate::find(
            workspace.db,
            version,
            &file.path,
            text,
            &old,
            &older.standing,
        )?;
        match found {
            Some(range) => places.push((edit, range)),
            None => return Err(relocate::changed(row, &file.file_hash)),
        }
    }
    Ok(places)
}

/// Marks the pending proposals that can no longer be applied after these files changed. Returns
/// their ids. If there are very many, only the first ones are checked; the others are checked when
/// somebody decides about them. One file is in memory at a time.
fn mark_stale<D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    paths: &[String],
) -> Result<Vec<String>> {
    let db = workspace.db;
    let mut edits_left = MAX_JUDGED_EDITS;
    let mut judged = proposal::pending_on(db, paths)?;
    judged.retain(|waiting| {
        edits_left = edits_left.saturating_sub(waiting.staged.max(1));
        edits_left > 0
    });
    let mut stale = Vec::new();
    for path in paths {
        if judged.is_empty() {
            break;
        }
        let row = files::require(db, version, &FilePath::parse(path)?)?;
        let text = files::text(db, &row)?;
        let items = items::of_file(db, version, path)?;
        let beside = Beside {
            text: &text,
            grammar: rules(row.language),
            items: &items,
        };
        let mut older = Older::default();
        let mut fresh = Vec::with_capacity(judged.len());
        for waiting in judged {
            let files = proposal::files(db, waiting.proposal)?;
            let placed = match files.iter().find(|file| file.path == *path) {
                None => Ok(()),
                Some(file) => {
                    let edits = proposal::edits(db, waiting.proposal)?;
                    let base = waiting.base_version;
                    let present = (&row, text.as_str());
                    places(workspace, version, base, file, present, &edits, &mut older)
                        .and_then(|places| splices(path, beside, &places).map(drop))
                }
            };
            let Err(error) = placed else {
                fresh.push(waiting);
                continue;
            };
            if error.of::<CodeError>().is_none() {
                return Err(error);
            }
            proposal::decide(
                db,
                waiting.proposal,
                Status::Stale,
                workspace.now_ms,
                None,
                Some(&error.to_string()),
            )?;
            stale.push(waiting.request_id);
        }
        judged = fresh;
    }
    Ok(stale)
}

/// Returns the fields of the response to an approval.
pub(super) fn outcome_fields(proposed: &Proposal, applied: &Approval) -> Value {
    let results: Vec<Value> = applied
        .files
        .iter()
        .map(|(path, hash, tracking)| json!({ "file_path": path, "new_file_hash": hash, "tracking_hash": tracking }))
        .collect();
    json!({
        "ok": true,
        "requestId": proposed.request_id,
        "status": Status::Applied.word(),
        "version": applied.version,
        "applied": results.len(),
        "results": results,
        "stale": applied.stale,
    })
}

fn failed_fields<D: Database>(
    workspace: &Workspace<'_, D>,
    proposed: &Proposal,
    status: Status,
    error: Option<&Error>,
) -> Result<Value> {
    let reason = error
        .map(ToString::to_string)
        .or_else(|| proposed.reason.clone())
        .unwrap_or_default();
    let files = proposal::files(workspace.db, proposed.proposal)?;
    let results: Vec<Value> = files
        .iter()
        .map(|file| {
            let about = error.filter(|error| is_about(error, &file.path));
            let told = about.map_or_else(
                || json!({ "message": format!("not written: {reason}") }),
                Error::to_json,
            );
            json!({ "file_path": file.path, "error": told })
        })
        .collect();
    Ok(json!({
        "ok": false,
        "requestId": proposed.request_id,
        "status": status.word(),
        "applied": 0,
        "reason": reason,
        "results": results,
    }))
}

fn revert_now<D: Database>(workspace: &Workspace<'_, D>, proposed: &Proposal) -> Result<Reply> {
    let db = workspace.db;
    if proposed.status != Status::Applied {
        return Err(decided(proposed, "only an applied one can be reverted"));
    }
    if let Some(version) = proposed.reverted_version {
        return Err(decided(
            proposed,
            format!("version {version} has reverted it"),
        ));
    }
    let version = Head::load(db)?.version;
    let mut changes = Changes::default();
    for file in proposal::files(db, proposed.proposal)? {
        let path = FilePath::parse(&file.path)?;
        let row = files::require(db, version, &path)?;
        let made = file.new_file_hash.unwrap_or_default();
        if row.file_hash != made {
            return Err(relocate::changed(&row, &made));
        }
        let Some(bytes) = files::kept_content(db, file.before_content)? else {
            return Err(decided(
                proposed,
                format!("the previous content of {} is no longer kept", file.path),
            ));
        };
        changes.writes.push(FileWrite {
            path,
            bytes,
            modified_ms: workspace.now_ms,
        });
    }
    let committed = commit::write(
        workspace,
        "revert",
        &format!("revert {}", proposed.request_id),
        &changes,
    )?;
    proposal::reverted(db, proposed.proposal, committed.version)?;
    let paths: Vec<String> = committed
        .files
        .iter()
        .map(|file| file.path.clone())
        .collect();
    let stale = mark_stale(workspace, committed.version, &paths)?;
    let results: Vec<Value> = committed
        .files
        .iter()
        .map(|file| json!({ "file_path": file.path, "new_file_hash": file.file_hash, "tracking_hash": file.tracking_hash }))
        .collect();
    let fields = json!({
        "ok": true,
        "requestId": proposed.request_id,
        "reverted": results.len(),
        "version": committed.version,
        "results": results,
        "stale": stale,
    });
    Ok(Reply {
        fields,
        version: Some(committed.version),
    })
}

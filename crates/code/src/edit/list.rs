//! `list_proposals`.

use base::{Error, Result};
use database::Database;
use serde_json::{Value, json};

use super::proposal::{self, Proposal, Status};
use super::stage::lines;
use crate::arguments::Arguments;
use crate::limits::{LISTED_PROPOSALS, MAX_LISTED_PROPOSALS};
use crate::store::rows::OPEN;
use crate::{Reply, Workspace};

/// A page of proposals, the newest first; with `requestId` the one, with its preview.
pub(crate) fn list_proposals<D: Database>(
    workspace: &Workspace<'_, D>,
    arguments: &str,
) -> Result<Reply> {
    let arguments = Arguments::parse(
        arguments,
        &["requestId", "status", "limit", "cursor", "preview"],
    )?;
    if let Some(id) = arguments.text("requestId")? {
        let found = proposal::require(workspace.db, id)?;
        let value = value(workspace, &found, true)?;
        return Ok(Reply::read(
            json!({ "ok": true, "proposals": [value], "nextCursor": null }),
        ));
    }
    let words = Status::ALL.map(Status::word);
    let status = arguments.word("status", &words)?.and_then(Status::of);
    let limit = arguments
        .number("limit", 1..=MAX_LISTED_PROPOSALS)?
        .unwrap_or(LISTED_PROPOSALS);
    let cursor = match arguments.text("cursor")? {
        None => OPEN,
        Some(text) => text.parse().map_err(|_| {
            Error::invalid_with_hint(
                "the cursor is not one of this list",
                "send nextCursor as the page before had it, or leave cursor out",
            )
        })?,
    };
    let shown = arguments.flag("preview")?;
    let mut found = proposal::before(workspace.db, cursor, status, limit + 1)?;
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = found.len() > page;
    found.truncate(page);
    let next = if more {
        found.last().map(|last| last.proposal.to_string())
    } else {
        None
    };
    let proposals = found
        .iter()
        .map(|found| value(workspace, found, shown))
        .collect::<Result<Vec<Value>>>()?;
    let waiting = proposal::pending_count(workspace.db)?;
    Ok(Reply::read(
        json!({ "ok": true, "pending": waiting, "proposals": proposals, "nextCursor": next }),
    ))
}

fn value<D: Database>(
    workspace: &Workspace<'_, D>,
    found: &Proposal,
    shown: bool,
) -> Result<Value> {
    let files: Vec<Value> = proposal::files(workspace.db, found.proposal)?
        .into_iter()
        .map(|file| json!({ "file_path": file.path, "file_hash": file.file_hash, "applied_to_hash": file.applied_to_hash, "new_file_hash": file.new_file_hash, "error": file.error }))
        .collect();
    let mut value = json!({
        "requestId": found.request_id,
        "status": found.status.word(),
        "actor": found.actor,
        "created_ms": found.created_at,
        "decided_ms": found.decided_at,
        "base_version": found.base_version,
        "applied_version": found.applied_version,
        "reverted_version": found.reverted_version,
        "confidence": found.confidence,
        "auto_confirmed": found.auto_confirmed,
        "staged": found.staged,
        "files": files,
        "warnings": lines(&found.warnings),
        "reason": found.reason,
    });
    if let (true, Some(fields)) = (shown, value.as_object_mut()) {
        fields.insert("preview_mode".to_owned(), found.preview_mode.clone().into());
        fields.insert("preview".to_owned(), found.preview.clone().into());
    }
    Ok(value)
}

//! `list_proposals`.

use base::{Error, Result};
use database::Database;
use operation::arguments::{OneOf, Text, Whole};
use operation::declaration::Effect;
use serde_json::{Value, json};

use super::proposal::{self, Proposal, Status};
use super::stage::lines;
use crate::limits::{LISTED_PROPOSALS, MAX_LISTED_PROPOSALS};
use crate::store::rows::OPEN;
use crate::{Operation, Reply, Workspace};

operation::operation! {
    /// Proposals, the newest first, or one with its preview.
    pub struct ListProposals {
        /// Only this proposal, with its preview.
        "requestId" => request_id: Option<Text<1, 128>>,
        /// Only proposals with this status.
        "status" => status: Option<OneOf<Status>>,
        /// True to include the preview of each.
        "preview" => preview: bool = false,
        /// Proposals of one page at most.
        "limit" => limit: Whole<1, MAX_LISTED_PROPOSALS> = LISTED_PROPOSALS,
        /// nextCursor of the previous page.
        "cursor" => cursor: Option<Text<1, 64>>,
    }
    name: "list_proposals",
    title: "List proposals",
    effect: Effect::READS,
    output: "ProposalsAnswer",
}

impl Operation<'_> for ListProposals {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        if let Some(id) = &self.request_id {
            let found = proposal::require(workspace.db, id)?;
            let value = value(workspace, &found, true)?;
            return Ok(Reply::read(
                json!({ "ok": true, "proposals": [value], "nextCursor": null }),
            ));
        }
        let limit = self.limit as u64;
        let cursor = match &self.cursor {
            None => OPEN,
            Some(text) => text.parse().map_err(|_| {
                Error::invalid_with_hint(
                    "the cursor does not belong to this list",
                    "send nextCursor of the previous page unchanged, or leave cursor out",
                )
            })?,
        };
        let mut found = proposal::before(workspace.db, cursor, self.status, limit + 1)?;
        let page = self.limit;
        let more = found.len() > page;
        found.truncate(page);
        let next = if more {
            found.last().map(|last| last.proposal.to_string())
        } else {
            None
        };
        let proposals = found
            .iter()
            .map(|found| value(workspace, found, self.preview))
            .collect::<Result<Vec<Value>>>()?;
        let waiting = proposal::pending_count(workspace.db)?;
        Ok(Reply::read(
            json!({ "ok": true, "pending": waiting, "proposals": proposals, "nextCursor": next }),
        ))
    }
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

//! `apply_code_edit` stages edits of one or several files as one proposal.

use base::{Error, Result};
use database::Database;
use operation::arguments::Arguments;

use super::request::{ApplyCodeEdit, Request};
use super::stage::stage;
use crate::hash::file_hash;
use crate::{Reply, Workspace};

/// Stages the edits of a request, given as the text of a JSON object, and applies them if the
/// deployment is set to do so automatically. The same text again is the same request.
///
/// # Errors
/// Errors of its arguments, of the edits, and of the engine. Nothing is changed then.
pub fn apply_code_edit<D: Database>(workspace: &Workspace<'_, D>, text: &str) -> Result<Reply> {
    let request = Request::read(ApplyCodeEdit::parse(text)?, &workspace.settings.root)?;
    let request_hash = file_hash(text.as_bytes()).to_string();
    let mut reply = None;
    workspace.db.transaction(&mut || {
        reply = Some(stage(workspace, &request, &request_hash)?);
        Ok(())
    })?;
    reply.ok_or_else(|| Error::internal("a transaction did not run"))
}

//! `apply_code_edit` stages edits of one or several files as one proposal.

use base::{Error, Result};
use database::Database;
use operation::arguments::{Arguments, OneOf, Text};
use operation::declaration::Effect;

use super::request::{PreviewMode, Request};
use super::stage::stage;
use crate::hash::file_hash;
use crate::kinds::{Edits, Share};
use crate::{Reply, Workspace};

operation::operation! {
    /// Stages edits of one or several files as one proposal with a diff: all or none. Nothing is
    /// written before approve_proposal. Modes: canonical replaces an item by its path, with its
    /// attributes and documentation; splice replaces bytes of a file whose hash is given;
    /// insert_before and insert_after put code beside an item. The result must still parse.
    pub struct ApplyCodeEdit<'a> {
        /// The edits.
        "edits" => edits: Edits,
        /// The name of the proposal. Repeating the same request does not stage it again.
        "requestId" => request_id: Option<Text<1, 128>>,
        /// The author's confidence. A deployment may apply proposals automatically from a threshold
        /// on.
        "confidence" => confidence: Option<Share>,
        /// The form of the preview.
        "preview_mode" => preview_mode: OneOf<PreviewMode> = PreviewMode::Diff,
        /// The namespace of the crate, a field of the older form of edits.
        "namespace" => namespace: Option<Text<0, 64>>,
    }
    name: "apply_code_edit",
    title: "Propose edits",
    effect: Effect::WRITES.once(),
    output: "StagedAnswer",
    example: r##"{"edits":[{"mode":"canonical","file":"src/lib.rs","canon":"crate::total","node_type":"function","code":"pub fn total() -> u32 {\n    42\n}"}],"requestId":"total-1"}"##,
}

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

//! Asks a person before files change: when a proposal is to be applied or reverted, and when files
//! would be overwritten or deleted.
//!
//! A person decides, not the model that made the proposal. If the client can show its user a form,
//! the form shows the changes. If it cannot, or if the form is too small for all changes, the call
//! fails and names the page on which a person can decide, unless the deployment lets models decide
//! (`modelMayDecide`). The state that is sent with the form is valid for one use, for exactly this
//! call and for the content that was shown. A form that is submitted late, twice, or for other
//! content therefore decides nothing. A call whose changes are unknown is not carried out.

use serde::Deserialize;
use serde_json::{Value, json};

use super::CodeProduct;
use super::USER;
use super::backend::CodeBackend;
use super::given::Given;
use crate::McpServerError;
use crate::backend::Subject;
use crate::form::{Form, MAX_SHOWN_NAME_CHARACTERS, decision_fields};
use crate::results::{ObjectResponse, at};
use base::json::Object;
use base::quoted::quoted;
use base::{Error, Result};
use code::Id;
use mcp::server::{Fault, Outcome, Request};

/// The key of the request for input.
const KEY: &str = "decision";

/// Characters that a form shows in full. Longer content is decided on the page, one proposal at a
/// time.
const MAX_SHOWN_CHARACTERS: usize = 10_000;

/// Proposals in one decision: the maximum of a page of the list.
const MAX_PROPOSALS: usize = 200;

/// Paths of files that a form lists.
const MAX_SHOWN_PATHS: usize = 100;

/// The action that a person approves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// Apply a proposal to the files.
    Apply,
    /// Revert an applied proposal.
    Revert,
    /// Replace files.
    Overwrite,
    /// Delete files.
    Delete,
}

impl Verb {
    fn question(self, are_several: bool) -> &'static str {
        match (self, are_several) {
            (Self::Apply, false) => "Apply this proposal?",
            (Self::Apply, true) => "Apply these proposals?",
            (Self::Revert, false) => "Revert this proposal?",
            (Self::Revert, true) => "Revert these proposals?",
            (Self::Overwrite, false) => "Overwrite this file?",
            (Self::Overwrite, true) => "Overwrite these files?",
            (Self::Delete, false) => "Delete this file?",
            (Self::Delete, true) => "Delete these files?",
        }
    }
}

/// The decision about a call.
pub(super) enum Verdict {
    /// Run the call.
    Go,
    /// Ask the user first.
    Ask(Outcome),
    /// The call was carried out in another way; this is the response of the object.
    Said(String),
}

/// The subject of a decision.
struct DecisionSubject {
    /// The subject in words: `the proposal “fix-1”`.
    what: String,
    /// The form, with all changes.
    form: Form,
    /// The proposals, the oldest first; none if files are written directly.
    proposals: Vec<String>,
    /// The content that identifies the subject: a decision is valid only for this content.
    content: Value,
}

/// The changes that a call would make.
enum CallChanges {
    /// No changes; the call itself reports that.
    Nothing,
    /// Changes that need a decision.
    Matter(DecisionSubject),
    /// Unknown, because the object gave this response instead. The call is not carried out.
    Unknown(String),
}

/// The response of a client to the form.
#[derive(Deserialize)]
struct Response {
    action: String,
    #[serde(default)]
    content: Option<Object<Content>>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    decision: String,
    #[serde(default)]
    reason: Option<String>,
}

impl<B: CodeBackend> CodeProduct<B> {
    /// Decides if a call may change files.
    ///
    /// # Errors
    /// A failure of the tool: a person is needed, or has not agreed. A [`Fault`] for a state that
    /// does not belong to this call.
    pub(super) async fn decide(
        &self,
        request: &Request<'_>,
        given: &Given,
    ) -> std::result::Result<Result<Verdict>, Fault> {
        let matter = match self.matter(given).await {
            Ok(CallChanges::Matter(matter)) => matter,
            Ok(CallChanges::Nothing) => return Ok(Ok(Verdict::Go)),
            Ok(CallChanges::Unknown(said)) => return Ok(Ok(Verdict::Said(said))),
            Err(error) => return Ok(Err(error)),
        };
        let has_forms = request.caller.capabilities.has_forms();
        let fits = matter.form.message().chars().count() <= MAX_SHOWN_CHARACTERS;
        if !has_forms || !fits {
            return Ok(if !has_forms && self.terms.model_may_decide {
                Ok(Verdict::Go)
            } else {
                Err(self.needs_a_person(matter.what))
            });
        }
        let subject = Subject {
            session: self.terms.session.clone(),
            tool: format!(
                "{}/{}",
                self.terms.workspace,
                given.operation.declaration().name
            ),
            arguments: json!([given.arguments.canonical(&[]), matter.content]).to_string(),
            // The content is the basis here, and the workspace compares it when it writes.
            basis: String::new(),
        };
        let inputs = &request.inputs;
        let (Some(state), Some(said)) = (&inputs.state, inputs.responses.get(KEY)) else {
            let state = self.backend.decision_state(&subject).await;
            return Ok(state.map(|state| Verdict::Ask(asked(&matter.form, state))));
        };
        let Object(response): Object<Response> = serde_json::from_str(said.get())
            .map_err(|error| Fault::params(format!("inputResponses.{KEY}: {error}")))?;
        // Before the response is used: a caller that forged the state has also forged the response.
        self.backend.redeem_decision(&subject, state).await?;
        Ok(self.decided(given, matter, response).await)
    }

    async fn decided(
        &self,
        given: &Given,
        matter: DecisionSubject,
        response: Response,
    ) -> Result<Verdict> {
        let content = response.content.map(|Object(content)| content);
        let chosen = content.as_ref().map_or("", |content| &content.decision);
        let declined = |what: String| Error::from(McpServerError::CodeDeclined { what });
        match (response.action.as_str(), chosen) {
            ("accept", "approve") => self.approved(given, &matter).await.map(Verdict::Said),
            // A closed form decides nothing, so the proposal remains pending.
            ("accept", "deny") | ("decline", _) if given.operation == Id::ApproveProposal => {
                let mut body =
                    json!({ "operation": "deny_proposal", "requestId": matter.proposals.first() });
                let reason = content.and_then(|content| content.reason);
                if let (Some(fields), Some(reason)) = (
                    body.as_object_mut(),
                    reason.filter(|reason| !reason.trim().is_empty()),
                ) {
                    fields.insert("reason".to_owned(), reason.into());
                }
                let said = self.operate_as(USER, body.to_string()).await?;
                match ObjectResponse::read(&said) {
                    ObjectResponse::Success(_) => {
                        Err(declined(format!("{} is denied", matter.what)))
                    }
                    ObjectResponse::Failure(_) => Ok(Verdict::Said(said)),
                }
            }
            _ => Err(declined(format!("{} is unchanged", matter.what))),
        }
    }

    /// Runs exactly what was approved, without later proposals.
    async fn approved(&self, given: &Given, matter: &DecisionSubject) -> Result<String> {
        if given.operation != Id::ApproveAll {
            return self.operate_as(USER, given.body()).await;
        }
        let (mut applied, mut ok, mut proposals) = (0_u64, true, Vec::new());
        for id in &matter.proposals {
            let body = json!({ "operation": "approve_proposal", "requestId": id });
            let said = self.operate_as(USER, body.to_string()).await?;
            let fields: Value = match ObjectResponse::read(&said) {
                ObjectResponse::Success(members) => {
                    serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default()
                }
                // An earlier proposal has made it stale.
                ObjectResponse::Failure(error) => json!({
                    "ok": false, "requestId": id, "status": at(&error, "status"), "applied": 0,
                    "reason": at(&error, "message"), "results": [],
                }),
            };
            applied += at(&fields, "applied").as_u64().unwrap_or_default();
            ok &= at(&fields, "ok") == true;
            proposals.push(fields);
        }
        Ok(format!(
            r#"{{"success":true,"ok":{ok},"applied":{applied},"proposals":{}}}"#,
            Value::from(proposals)
        ))
    }

    fn needs_a_person(&self, what: String) -> Error {
        Error::from(McpServerError::CodePersonRequired {
            what,
            workspace: self.terms.workspace.clone(),
        })
    }

    /// Returns the subject of the decision that a call needs.
    async fn matter(&self, given: &Given) -> Result<CallChanges> {
        match given.operation {
            Id::ApproveProposal => self.of_proposals(given, Verb::Apply).await,
            Id::RevertProposal => self.of_proposals(given, Verb::Revert).await,
            Id::ApproveAll => self.of_proposals(given, Verb::Apply).await,
            Id::PutFiles => self.of_files(given, Verb::Overwrite).await,
            Id::DeleteFiles => self.of_files(given, Verb::Delete).await,
            Id::RequestCodeContext
            | Id::ApplyCodeEdit
            | Id::DenyProposal
            | Id::ListProposals
            | Id::GetFileMetadata
            | Id::CodeItemLookup
            | Id::CodeItemEdges
            | Id::ListFiles
            | Id::ReadFile
            | Id::SearchCode
            | Id::ScanForChange
            | Id::Inspect => Ok(CallChanges::Nothing),
        }
    }

    async fn of_proposals(&self, given: &Given, verb: Verb) -> Result<CallChanges> {
        let status = match verb {
            Verb::Revert => "applied",
            Verb::Apply | Verb::Overwrite | Verb::Delete => "pending",
        };
        let mut body = json!({ "operation": "list_proposals", "preview": true });
        if let Some(fields) = body.as_object_mut() {
            match given.arguments.get("requestId") {
                Some(id) => {
                    let id: Value = serde_json::from_str(id.get()).unwrap_or_default();
                    fields.insert("requestId".to_owned(), id);
                }
                None if given.operation == Id::ApproveAll => {
                    fields.insert("status".to_owned(), status.into());
                    fields.insert("limit".to_owned(), MAX_PROPOSALS.into());
                }
                // The call itself reports the missing argument.
                None => return Ok(CallChanges::Nothing),
            }
        }
        let said = self.operate(body.to_string()).await?;
        let read = members(&said);
        let Some(listed) = at(&read, "proposals").as_array() else {
            return unknown(said);
        };
        let mut found: Vec<&Value> = listed
            .iter()
            .filter(|proposal| at(proposal, "status") == status)
            .filter(|proposal| at(proposal, "reverted_version").is_null())
            .collect();
        // The list has the newest first.
        found.reverse();
        if found.is_empty() {
            // The call itself might include proposals that are made from now on, which nobody has
            // seen.
            return Ok(CallChanges::Unknown(match listed.first() {
                Some(other) => in_another_state(other, verb),
                None => NOTHING_WAITS.to_owned(),
            }));
        }
        let ids: Vec<String> = found
            .iter()
            .filter_map(|proposal| at(proposal, "requestId").as_str().map(str::to_owned))
            .collect();
        let what = match ids.as_slice() {
            [id] => format!("the proposal {}", quoted(id, MAX_SHOWN_NAME_CHARACTERS)),
            several => format!("{} proposals", several.len()),
        };
        let form = form_of_proposals(&self.terms.workspace, verb, &found);
        let content: Vec<Value> = found
            .iter()
            .map(|proposal| {
                json!([
                    at(proposal, "requestId"),
                    at(proposal, "created_ms"),
                    at(proposal, "files"),
                    at(proposal, "preview")
                ])
            })
            .collect();
        Ok(CallChanges::Matter(DecisionSubject {
            what,
            form,
            proposals: ids,
            content: content.into(),
        }))
    }

    /// Returns the existing files of a call; a new file overwrites nothing.
    async fn of_files(&self, given: &Given, verb: Verb) -> Result<CallChanges> {
        let paths = paths(given);
        // No file has this hash, so every existing file counts as changed.
        let files: Vec<Value> = paths
            .iter()
            .map(|path| json!({ "file_path": path, "file_hash": "-" }))
            .collect();
        let body = json!({ "operation": "scan_for_change", "files": files });
        let said = self.operate(body.to_string()).await?;
        let read = members(&said);
        let Some(changed) = at(&read, "changed").as_array() else {
            return unknown(said);
        };
        let there: Vec<&str> = changed.iter().filter_map(Value::as_str).collect();
        if there.is_empty() {
            return Ok(CallChanges::Nothing);
        }
        let what = match there.as_slice() {
            [path] => format!("the file {}", quoted(path, MAX_SHOWN_NAME_CHARACTERS)),
            several => format!("{} files", several.len()),
        };
        Ok(CallChanges::Matter(DecisionSubject {
            what,
            form: form_of_files(&self.terms.workspace, verb, &there),
            proposals: Vec::new(),
            content: json!([at(&read, "version"), there]),
        }))
    }
}

/// The response of the object to `approve_all` if no proposal is pending.
const NOTHING_WAITS: &str =
    r#"{"success":true,"ok":true,"applied":0,"proposals":[],"remaining":0}"#;

/// Renders the response of the object to a decision on a proposal in another state.
fn in_another_state(proposal: &Value, verb: Verb) -> String {
    let (id, status) = (at(proposal, "requestId"), at(proposal, "status"));
    let reason = match at(proposal, "reverted_version").as_u64() {
        Some(version) if status == "applied" => format!("version {version} has reverted it"),
        _ => format!(
            "it cannot be {}",
            if verb == Verb::Revert {
                "reverted"
            } else {
                "applied"
            }
        ),
    };
    json!({
        "success": false,
        "error": {
            "code": "PROPOSAL_DECIDED",
            "message": format!("the proposal {id} is {}: {reason}", status.as_str().unwrap_or("unknown")),
            "hint": "read the state of each proposal with list_proposals",
            "requestId": id,
            "status": status,
        },
    })
    .to_string()
}

/// Returns the fields of a success; null for a failure.
fn members(said: &str) -> Value {
    match ObjectResponse::read(said) {
        ObjectResponse::Success(members) => {
            serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default()
        }
        ObjectResponse::Failure(_) => Value::Null,
    }
}

/// Returns the outcome if the changes of a call are unknown: a failure of the object becomes that
/// of the call.
fn unknown(said: String) -> Result<CallChanges> {
    match ObjectResponse::read(&said) {
        ObjectResponse::Failure(_) => Ok(CallChanges::Unknown(said)),
        ObjectResponse::Success(_) => Err(Error::internal(
            "the workspace does not say what a call would change",
        )),
    }
}

/// Returns the paths of a call that writes or deletes. The call itself refuses invalid paths.
fn paths(given: &Given) -> Vec<String> {
    let list = |name: &str| -> Vec<Value> {
        let raw = given.arguments.get(name);
        raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default()
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    list("files")
        .iter()
        .filter_map(|file| text(at(file, "file_path")))
        .chain(list("file_paths").iter().filter_map(text))
        .collect()
}

/// Creates the form about proposals, the oldest first.
fn form_of_proposals(workspace: &str, verb: Verb, proposals: &[&Value]) -> Form {
    let word = |proposal: &'_ Value, name: &str| {
        at(proposal, name).as_str().unwrap_or_default().to_owned()
    };
    let mut form = Form::asking(verb.question(proposals.len() > 1), "the workspace");
    form.named("Workspace", workspace, "");
    form.fact(format!("Proposals: {}", proposals.len()));
    for proposal in proposals {
        let files = at(proposal, "files").as_array();
        for file in files.into_iter().flatten() {
            let path = at(file, "file_path").as_str().unwrap_or_default();
            form.named("File", path, "");
        }
    }
    for proposal in proposals {
        form.said("Proposal", &word(proposal, "requestId"));
        form.said("Proposed by", &word(proposal, "actor"));
        for warning in at(proposal, "warnings").as_array().into_iter().flatten() {
            form.said("Warning", warning.as_str().unwrap_or_default());
        }
        form.in_full("What it changes", &word(proposal, "preview"));
    }
    form
}

/// Creates the form about existing files.
fn form_of_files(workspace: &str, verb: Verb, paths: &[&str]) -> Form {
    let mut form = Form::asking(verb.question(paths.len() > 1), "the workspace");
    form.named("Workspace", workspace, "");
    form.fact(format!("Files: {}", paths.len()));
    for path in paths.iter().take(MAX_SHOWN_PATHS) {
        form.named("File", path, "");
    }
    if paths.len() > MAX_SHOWN_PATHS {
        form.fact(format!(
            "Files beyond these: {}",
            paths.len() - MAX_SHOWN_PATHS
        ));
    }
    form
}

fn asked(form: &Form, state: String) -> Outcome {
    let fields = decision_fields("deny", "denied");
    Outcome::InputRequired {
        requests: vec![(KEY, form.request(&fields, KEY))],
        state: Some(state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::tests::{HOSTILE, require_unforged};

    #[test]
    fn no_text_of_a_proposal_stands_where_a_fact_does() {
        for hostile in HOSTILE {
            let proposal = json!({
                "requestId": hostile, "actor": hostile, "warnings": [hostile], "preview": hostile,
                "files": [{ "file_path": hostile }, { "file_path": "src/lib.rs" }],
            });
            let form = form_of_proposals(hostile, Verb::Apply, &[&proposal, &proposal]);
            let facts =
                require_unforged(&form.message(), "Apply these proposals?", "the workspace");
            assert_eq!(
                facts
                    .iter()
                    .filter(|fact| fact.as_str() == "- Proposals: 2")
                    .count(),
                1
            );
            let form = form_of_files(hostile, Verb::Delete, &[hostile]);
            let facts = require_unforged(&form.message(), "Delete this file?", "the workspace");
            assert_eq!(
                facts
                    .iter()
                    .filter(|fact| fact.as_str() == "- Files: 1")
                    .count(),
                1
            );
        }
    }

    #[test]
    fn a_form_names_each_file_and_shows_each_diff_in_full() {
        let proposal = json!({
            "requestId": "r1", "actor": "mcp", "warnings": ["the item is public"],
            "preview": "--- a\n+++ b\n+pub fn a() {}", "files": [{ "file_path": "src/lib.rs" }],
        });
        let form = form_of_proposals("chat", Verb::Revert, &[&proposal]);
        assert_eq!(
            form.message(),
            "Revert this proposal?\n\nChecked by the workspace:\n- Workspace: “chat”\n- Proposals: 1\n- File: “src/lib.rs”\n\nProposal: “r1”\n\n\
             Proposed by: “mcp”\n\nWarning: “the item is public”\n\nWhat it changes, 3 lines:\n```\n| --- a\n| +++ b\n| +pub fn a() {}\n```"
        );
    }
}

//! Asks a person before files change: on a proposal that is to be applied or reverted, and on files that would be overwritten or deleted.
//!
//! A person decides, not the model that proposed: where the client has a form for its user, what would change is shown there. Where it has none, or none
//! that has room for all of it, the call fails and names the page, unless the deployment lets models decide (`modelMayDecide`). The state that goes out with
//! the form stands for one use of this very call and for what was shown, so a form that was filled in late, twice, or for another content decides
//! nothing. A call of which it cannot be told what it would change is not done.

use serde::Deserialize;
use serde_json::{Value, json};

use super::USER;
use super::backend::CodeBackend;
use super::call::Given;
use super::product::CodeProduct;
use crate::McpServerError;
use crate::backend::Subject;
use crate::form::{Form, MAX_SHOWN_NAME_CHARACTERS, decision_fields};
use crate::results::{Said, at};
use base::json::Object;
use base::quoted::quoted;
use base::{Error, Result};
use code::Id;
use mcp::server::{Fault, Outcome, Request};

/// The key of the form.
const KEY: &str = "decision";

/// Characters that a form shows whole; what is longer is decided on the page, one proposal at a time.
const MAX_SHOWN_CHARACTERS: usize = 10_000;

/// Proposals that one decision is about: as many as a page of the list has at most.
const MAX_PROPOSALS: usize = 200;

/// Paths of files that a form names.
const MAX_SHOWN_PATHS: usize = 100;

/// What is done if a person agrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// A proposal becomes the files.
    Apply,
    /// A proposal that was applied is taken back.
    Revert,
    /// Files are replaced.
    Overwrite,
    /// Files are deleted.
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

/// What becomes of a call.
pub(super) enum Verdict {
    /// It is done.
    Go,
    /// The user is asked first.
    Ask(Outcome),
    /// It has been done otherwise, and this is what the object said.
    Said(String),
}

/// What is decided on.
struct Matter {
    /// `the proposal “fix-1”`.
    what: String,
    /// What the form asks, with all of what would change.
    form: Form,
    /// The proposals, oldest first; none where files are written directly.
    proposals: Vec<String>,
    /// What makes it this and no other.
    content: Value,
}

/// What a call would change.
enum Found {
    /// No file, which the call itself says.
    Nothing,
    /// What a person decides.
    Matter(Matter),
    /// It is not known, because the object said this instead. Nothing is done then.
    Unknown(String),
}

/// How a client responds to the form.
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
    /// Decides whether a call may change files.
    ///
    /// # Errors
    /// A tool's failure: that a person is needed, or has not agreed. A [`Fault`] for a state that is not one of this call.
    pub(super) async fn decide(
        &self,
        request: &Request<'_>,
        given: &Given,
    ) -> std::result::Result<Result<Verdict>, Fault> {
        let matter = match self.matter(given).await {
            Ok(Found::Matter(matter)) => matter,
            Ok(Found::Nothing) => return Ok(Ok(Verdict::Go)),
            Ok(Found::Unknown(said)) => return Ok(Ok(Verdict::Said(said))),
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
        // Before the response counts for anything: who made the state up has made the response up, too.
        self.backend.redeem_decision(&subject, state).await?;
        Ok(self.decided(given, matter, response).await)
    }

    async fn decided(&self, given: &Given, matter: Matter, response: Response) -> Result<Verdict> {
        let content = response.content.map(|Object(content)| content);
        let chosen = content.as_ref().map_or("", |content| &content.decision);
        let declined = |what: String| Error::from(McpServerError::CodeDeclined { what });
        match (response.action.as_str(), chosen) {
            ("accept", "approve") => self.approved(given, &matter).await.map(Verdict::Said),
            // A form that was closed has decided nothing, so a proposal still waits.
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
                match Said::read(&said) {
                    Said::Success(_) => Err(declined(format!("{} is denied", matter.what))),
                    Said::Failure(_) => Ok(Verdict::Said(said)),
                }
            }
            _ => Err(declined(format!("{} is as it was", matter.what))),
        }
    }

    /// Does what was approved, and nothing that has come since.
    async fn approved(&self, given: &Given, matter: &Matter) -> Result<String> {
        if given.operation != Id::ApproveAll {
            return self.operate_as(USER, given.body()).await;
        }
        let (mut applied, mut ok, mut proposals) = (0_u64, true, Vec::new());
        for id in &matter.proposals {
            let body = json!({ "operation": "approve_proposal", "requestId": id });
            let said = self.operate_as(USER, body.to_string()).await?;
            let fields: Value = match Said::read(&said) {
                Said::Success(members) => {
                    serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default()
                }
                // One before it has made it stale.
                Said::Failure(error) => json!({
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

    /// What a person would have to decide.
    async fn matter(&self, given: &Given) -> Result<Found> {
        match given.operation {
            Id::ApproveProposal => self.of_proposals(given, Verb::Apply).await,
            Id::RevertProposal => self.of_proposals(given, Verb::Revert).await,
            Id::ApproveAll => self.of_proposals(given, Verb::Apply).await,
            Id::PutFiles => self.of_files(given, Verb::Overwrite).await,
            Id::DeleteFiles => self.of_files(given, Verb::Delete).await,
            _ => Ok(Found::Nothing),
        }
    }

    async fn of_proposals(&self, given: &Given, verb: Verb) -> Result<Found> {
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
                // The call itself says that it is missing.
                None => return Ok(Found::Nothing),
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
            // The call itself might find what is proposed or decided from now on, and nobody has seen that.
            return Ok(Found::Unknown(match listed.first() {
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
        Ok(Found::Matter(Matter {
            what,
            form,
            proposals: ids,
            content: content.into(),
        }))
    }

    /// Files that are there already: a file that is none yet takes nothing away.
    async fn of_files(&self, given: &Given, verb: Verb) -> Result<Found> {
        let paths = paths(given);
        // No file has this hash, so each that is there has changed.
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
            return Ok(Found::Nothing);
        }
        let what = match there.as_slice() {
            [path] => format!("the file {}", quoted(path, MAX_SHOWN_NAME_CHARACTERS)),
            several => format!("{} files", several.len()),
        };
        Ok(Found::Matter(Matter {
            what,
            form: form_of_files(&self.terms.workspace, verb, &there),
            proposals: Vec::new(),
            content: json!([at(&read, "version"), there]),
        }))
    }
}

/// What the object says to `approve_all` where no proposal waits.
const NOTHING_WAITS: &str =
    r#"{"success":true,"ok":true,"applied":0,"proposals":[],"remaining":0}"#;

/// What the object says to a decision on a proposal that does not wait for it.
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
            "hint": "list_proposals has the state of each",
            "requestId": id,
            "status": status,
        },
    })
    .to_string()
}

/// The fields of a success; null where it is none.
fn members(said: &str) -> Value {
    match Said::read(said) {
        Said::Success(members) => {
            serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default()
        }
        Said::Failure(_) => Value::Null,
    }
}

/// That it is not known what a call would change: the failure of the object is that of the call.
fn unknown(said: String) -> Result<Found> {
    match Said::read(&said) {
        Said::Failure(_) => Ok(Found::Unknown(said)),
        Said::Success(_) => Err(Error::internal(
            "the workspace does not say what a call would change",
        )),
    }
}

/// The paths of a call that writes or deletes; what is no path the call itself refuses.
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

/// What a form asks about proposals, the oldest first.
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

/// What a form asks about files that are there.
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

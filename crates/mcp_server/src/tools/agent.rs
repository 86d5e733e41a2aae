//! The database agent as tools: a question in plain words, a decision on what waits, a look at a thread.
//!
//! A person decides, not the model that asked: where the client has a form for its user, the statement is shown there. Where it has none, what waits
//! is returned, and `decide` works only where the deployment lets models decide (`modelMayDecide`). The state of the form is the approval's own token,
//! so a form that was filled in late, twice or for another statement decides nothing.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::context::{Call, Given, members_of};
use crate::McpServerError;
use crate::backend::{Backend, ThreadTask};
use crate::results::{self, Said};
use base::json::Object;
use base::names::check_name;
use base::{Error, Result};
use mcp::server::{InputRequest, Outcome};

/// The key of the form.
const KEY: &str = "decision";

/// Characters of a statement that a form shows whole; a longer one is decided on the page of the thread.
const MAX_SHOWN_SQL_CHARACTERS: usize = 4_000;

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

impl<B: Backend> Call<'_, B> {
    /// `ask_database`.
    pub(super) async fn ask_database(&self, given: &Given<'_>) -> Result<Outcome> {
        let thread = thread_of(given)?;
        if let Some(outcome) = self.decided(given, &thread).await? {
            return Ok(outcome);
        }
        let text = |name: &str| given.arguments.text(name);
        let mut body = Map::new();
        let question = text("question")?.unwrap_or_default();
        if question.trim().is_empty() {
            return Err(Error::invalid("question is empty"));
        }
        body.insert("input".to_owned(), question.into());
        body.insert("inputId".to_owned(), self.backend.fresh_id().into());
        match text("target")?.as_deref() {
            Some("persistent") => body.insert("target".to_owned(), "persistent".into()),
            _ => body.insert("session".to_owned(), given.session.as_str().into()),
        };
        for name in ["businessId", "userId"] {
            if let Some(value) = text(name)? {
                body.insert(name.to_owned(), value.into());
            }
        }
        // Who a token does not name is the client.
        body.entry("userId").or_insert_with(|| "mcp".into());
        let said = self
            .backend
            .ask_thread(&thread, ThreadTask::Ask, Value::Object(body).to_string())
            .await?;
        self.of_state(given, &thread, &said).await
    }

    /// `decide`.
    pub(super) async fn decide(&self, given: &Given<'_>) -> Result<Outcome> {
        let thread = thread_of(given)?;
        if let Some(outcome) = self.decided(given, &thread).await? {
            return Ok(outcome);
        }
        if self.request.caller.capabilities.has_forms() {
            let said = self
                .backend
                .ask_thread(&thread, ThreadTask::State, String::new())
                .await?;
            return self.of_state(given, &thread, &said).await;
        }
        if !self.terms.model_may_decide {
            return Err(Error::from(McpServerError::PersonRequired { thread }));
        }
        let without = ["thread", "session"];
        let mut body: Map<String, Value> =
            serde_json::from_str(&given.arguments.body("", &without)).unwrap_or_default();
        body.entry("userId").or_insert_with(|| "mcp".into());
        let said = self
            .backend
            .ask_thread(&thread, ThreadTask::Resume, Value::Object(body).to_string())
            .await?;
        self.of_state(given, &thread, &said).await
    }

    /// `get_thread`.
    pub(super) async fn get_thread(&self, given: &Given<'_>) -> Result<Outcome> {
        let thread = thread_of(given)?;
        let said = self
            .backend
            .ask_thread(&thread, ThreadTask::State, String::new())
            .await?;
        match Said::read(&said) {
            Said::Success(members) => {
                let shown = shown(&thread, &state_of(&members));
                self.shown(given, &members_of(&shown)).await
            }
            Said::Failure(error) => Ok(self.refused(given, &error)),
        }
    }

    /// What the user has filled in, where this call brings it.
    async fn decided(&self, given: &Given<'_>, thread: &str) -> Result<Option<Outcome>> {
        let inputs = &self.request.inputs;
        let (Some(token), Some(said)) = (&inputs.state, inputs.responses.get(KEY)) else {
            return Ok(None);
        };
        let Object(response): Object<Response> = serde_json::from_str(said.get())
            .map_err(|error| Error::invalid(format!("inputResponses.{KEY}: {error}")))?;
        if response.action == "cancel" {
            // The form was closed without a decision: the statement still waits.
            return self.get_thread(given).await.map(Some);
        }
        let content = response.content.map(|Object(content)| content);
        let approves = response.action == "accept"
            && content
                .as_ref()
                .is_some_and(|content| content.decision == "approve");
        let reason = content.and_then(|content| content.reason);
        let mut body = json!({ "token": token, "userId": "mcp-user" });
        if let Some(fields) = body.as_object_mut() {
            let action = if approves { "approved" } else { "rejected" };
            fields.insert("action".to_owned(), action.into());
            if let Some(reason) = reason.filter(|reason| !approves && !reason.trim().is_empty()) {
                fields.insert("reason".to_owned(), reason.into());
            }
        }
        let said = self
            .backend
            .ask_thread(thread, ThreadTask::Resume, body.to_string())
            .await?;
        // Another statement may wait then; the user is asked again.
        self.of_state(given, thread, &said).await.map(Some)
    }

    /// The result of a thread that stands like this: what it says, or a question to the user.
    async fn of_state(&self, given: &Given<'_>, thread: &str, said: &str) -> Result<Outcome> {
        let members = match Said::read(said) {
            Said::Success(members) => members,
            Said::Failure(error) => return Ok(self.refused(given, &error)),
        };
        let state = state_of(&members);
        let pending = state.get("pending").filter(|pending| pending.is_object());
        // Nobody approves what they do not see: a statement too long for the form is decided on the page.
        if let Some(pending) = pending
            && self.request.caller.capabilities.has_forms()
            && text_of(pending, "sql").chars().count() <= MAX_SHOWN_SQL_CHARACTERS
        {
            return Ok(question(pending));
        }
        self.shown(given, &members_of(&shown(thread, &state))).await
    }

    fn refused(&self, given: &Given<'_>, error: &Value) -> Outcome {
        results::failure(given.session(), error, self.terms.max_tokens)
    }
}

/// The thread of a call: the one that it names, else the one of its session.
fn thread_of(given: &Given<'_>) -> Result<String> {
    match given.arguments.text("thread")? {
        None => Ok(given.session.clone()),
        Some(thread) => {
            check_name("thread", &thread)?;
            Ok(thread)
        }
    }
}

fn state_of(members: &str) -> Value {
    serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default()
}

/// What a model reads of a thread: no history, no plan, no before-images.
fn shown(thread: &str, state: &Value) -> Value {
    let values = state.get("values");
    let value = |name: &str| values.and_then(|values| values.get(name)).cloned();
    let mut shown = Map::new();
    shown.insert("thread".to_owned(), thread.into());
    let question = value("question").unwrap_or_default();
    shown.insert("question".to_owned(), question);
    if let Some(pending) = state.get("pending").filter(|pending| pending.is_object()) {
        shown.insert("pending".to_owned(), waiting(pending));
        shown.insert(
            "hint".to_owned(),
            format!("A person has to decide, on the page /agent/{thread} or with their own client. Do not decide for them.").into(),
        );
        return Value::Object(shown);
    }
    for (name, as_name) in [
        ("outcome", "outcome"),
        ("answer", "answer"),
        ("error", "error"),
    ] {
        if let Some(value) = value(name).filter(|value| !value.is_null()) {
            shown.insert(as_name.to_owned(), value);
        }
    }
    let result = value("sqlResult").unwrap_or_default();
    for name in ["rowCount", "changes", "resultTable"] {
        if let Some(value) = result.get(name).filter(|value| !value.is_null()) {
            shown.insert(name.to_owned(), value.clone());
        }
    }
    let sql = value("approval").and_then(|approval| approval.get("sql").cloned());
    if let Some(sql) = sql {
        shown.insert("sql".to_owned(), sql);
    }
    Value::Object(shown)
}

fn waiting(pending: &Value) -> Value {
    let names = [
        "approvalId",
        "sha256",
        "sql",
        "explanation",
        "kind",
        "affectedRows",
        "estimatedRows",
        "expiresAt",
        "requiredApprovers",
        "approvers",
    ];
    let fields: Map<String, Value> = names
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), pending.get(name)?.clone())))
        .collect();
    Value::Object(fields)
}

fn text_of<'a>(pending: &'a Value, name: &str) -> &'a str {
    pending
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The form.
fn question(pending: &Value) -> Outcome {
    let text = |name: &str| text_of(pending, name);
    let affected = pending.get("affectedRows").and_then(Value::as_u64);
    let effect = match (text("kind"), affected) {
        ("read", _) => "It only reads.".to_owned(),
        (kind, Some(rows)) => format!("Kind: {kind}. Rows that it changes: {rows}."),
        (kind, None) => format!("Kind: {kind}. It is not known how many rows it changes."),
    };
    let message = format!(
        "Run this statement?\n\n{}\n\n{}\n{effect}",
        text("sql"),
        text("explanation")
    );
    let params = json!({
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {
                "decision": {
                    "type": "string",
                    "title": "Decision",
                    "enum": ["approve", "reject"],
                },
                "reason": {
                    "type": "string",
                    "title": "Reason",
                    "description": "Why it is rejected, if it is.",
                },
            },
            "required": ["decision"],
        },
    });
    Outcome::InputRequired {
        requests: vec![(
            KEY,
            InputRequest {
                method: "elicitation/create",
                params: Some(params),
            },
        )],
        state: Some(text("token").to_owned()),
    }
}

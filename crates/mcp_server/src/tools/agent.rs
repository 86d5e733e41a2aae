//! The database agent as tools: a question in plain words, a decision on what waits, a look at a thread.
//!
//! A person decides, not the model that asked: where the client has a form for its user, the statement is shown there. Where it has none, what waits
//! is returned, and `agent_decide` works only where the deployment lets models decide (`modelMayDecide`). The state of the form is the approval's own token,
//! so a form that was filled in late, twice or for another statement decides nothing.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::context::{Call, Given, members_of};
use crate::McpServerError;
use crate::backend::{Backend, ThreadTask};
use crate::form::{Form, decision_fields};
use crate::results::{self, Said};
use base::json::Object;
use base::names::check_name;
use base::{Error, Result};
use mcp::server::Outcome;

/// The key of the form.
const KEY: &str = "decision";

/// Characters of a statement that a form shows whole; a longer one is decided on the page of the thread.
const MAX_SHOWN_SQL_CHARACTERS: usize = 4_000;

/// Tables that a form names, each on a line.
const MAX_SHOWN_TABLES: usize = 50;

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
    /// `agent_ask`.
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

    /// `agent_decide`.
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

    /// `agent_get_thread`.
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
            && statements(pending)
                .iter()
                .all(|(_, sql)| sql.chars().count() <= MAX_SHOWN_SQL_CHARACTERS)
        {
            let business = state
                .get("values")
                .map_or("", |values| text_of(values, "businessId"));
            return Ok(question(pending, business));
        }
        self.shown(given, &members_of(&shown(thread, &state))).await
    }

    fn refused(&self, given: &Given<'_>, error: &Value) -> Outcome {
        results::failure(given.session(), error, self.terms)
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
    for name in ["rowCount", "changes", "resultTable", "notice"] {
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
        "author",
        "editedBy",
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

/// The statement as it was written and as it runs, if they differ.
fn statements(pending: &Value) -> Vec<(&'static str, &str)> {
    let (written, last) = (text_of(pending, "sql"), text_of(pending, "finalSql"));
    match (written, last) {
        ("", "") => Vec::new(),
        (written, "") => vec![("The statement", written)],
        ("", last) => vec![("The statement", last)],
        (written, last) if written == last => vec![("The statement", written)],
        (written, last) => vec![
            ("The statement as it was written", written),
            ("The statement as it runs, within its scope", last),
        ],
    }
}

/// The words that explain the statement, with whose they are.
fn explained(form: &mut Form, pending: &Value) {
    let words = text_of(pending, "explanation");
    match text_of(pending, "author") {
        "model" => form.said("The model says", words),
        "planner" => form.said("The planner says", words),
        "person" => form.said("Edited by", text_of(pending, "editedBy")),
        // An undo, which explains itself.
        _ => form.said("What it does", words),
    }
}

/// What the database found out about the statement, the effect first.
fn facts(form: &mut Form, pending: &Value, business: &str) {
    let kind = text_of(pending, "kind");
    form.fact(format!("Kind: {kind}"));
    let count = |name: &str| pending.get(name).and_then(Value::as_u64);
    form.fact(match (kind, count("affectedRows").or(count("changes"))) {
        ("read", _) => "It only reads.".to_owned(),
        (_, Some(rows)) => format!("Rows that it changes: {rows}"),
        (_, None) => "Rows that it changes: not known".to_owned(),
    });
    if !business.is_empty() {
        form.named("Business whose rows it sees", business, "");
    }
    let tables = pending.get("tables").and_then(Value::as_array);
    let tables = tables.map(Vec::as_slice).unwrap_or_default();
    for table in tables.iter().take(MAX_SHOWN_TABLES) {
        form.named("Table", text_of(table, "name"), &effect(table));
    }
    if tables.len() > MAX_SHOWN_TABLES {
        form.fact(format!(
            "Tables beyond these: {}",
            tables.len() - MAX_SHOWN_TABLES
        ));
    }
    let flag = |name: &str| pending.get(name).and_then(Value::as_bool);
    if flag("destructive") == Some(true) {
        form.fact("It changes or deletes what is there.");
    }
    match flag("undoable") {
        Some(true) => form.fact("It can be undone."),
        Some(false) if kind != "read" => {
            form.named("It cannot be undone", text_of(pending, "undoReason"), "")
        }
        _ => {}
    }
    if let Some(persons) = count("requiredApprovers").filter(|persons| *persons > 1) {
        form.fact(format!("Persons who must approve: {persons}"));
    }
    let approvers = pending.get("approvers").and_then(Value::as_array);
    for approver in approvers.into_iter().flatten().filter_map(Value::as_str) {
        form.named("Approved by", approver, "");
    }
}

/// What happens to a table.
fn effect(table: &Value) -> String {
    let counts: Vec<String> = ["inserted", "updated", "deleted"]
        .into_iter()
        .filter_map(|name| Some(format!("{} {name}", table.get(name)?.as_u64()?)))
        .collect();
    match (text_of(table, "access"), counts.is_empty()) {
        ("write", true) => ", written, the rows are not known".to_owned(),
        ("write", false) => format!(", rows: {}", counts.join(", ")),
        _ => ", read".to_owned(),
    }
}

/// The form.
fn question(pending: &Value, business: &str) -> Outcome {
    let is_undo = text_of(pending, "kind") == "undo";
    let asked = if is_undo {
        "Take this write back?"
    } else {
        "Run this statement?"
    };
    let mut form = Form::asking(asked, "the database");
    facts(&mut form, pending, business);
    explained(&mut form, pending);
    for (label, sql) in statements(pending) {
        form.in_full(label, sql);
    }
    let fields = decision_fields("reject", "rejected");
    Outcome::InputRequired {
        requests: vec![(KEY, form.request(&fields, KEY))],
        state: Some(text_of(pending, "token").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::tests::{HOSTILE, require_unforged};

    fn message(pending: &Value, business: &str) -> String {
        let Outcome::InputRequired { requests, .. } = question(pending, business) else {
            panic!("no form");
        };
        let (_, request) = requests.first().unwrap();
        let params = request.params.as_ref().unwrap();
        params["message"].as_str().unwrap().to_owned()
    }

    #[test]
    fn facts_stand_first_whatever_a_model_or_a_statement_says() {
        for hostile in HOSTILE {
            for author in ["model", "planner", "person", ""] {
                let pending = json!({
                    "sql": hostile, "finalSql": format!("{hostile} "), "explanation": hostile, "author": author, "editedBy": hostile,
                    "kind": "delete", "affectedRows": 7, "destructive": true, "undoable": false, "undoReason": hostile,
                    "tables": [{ "name": hostile, "access": "write", "inserted": 0, "updated": 0, "deleted": 7 }],
                    "requiredApprovers": 2, "approvers": [hostile], "token": "t",
                });
                let facts = require_unforged(
                    &message(&pending, hostile),
                    "Run this statement?",
                    "the database",
                );
                assert_eq!(facts.first().map(String::as_str), Some("- Kind: delete"));
                assert_eq!(
                    facts.get(1).map(String::as_str),
                    Some("- Rows that it changes: 7")
                );
            }
        }
    }

    #[test]
    fn a_form_has_the_facts_the_words_and_the_statement() {
        let pending = json!({
            "sql": "DELETE FROM films\nWHERE year < 1980", "finalSql": "DELETE FROM films\nWHERE year < 1980", "author": "model",
            "explanation": "Deletes old films.", "kind": "delete", "affectedRows": 1, "destructive": true, "undoable": true,
            "tables": [{ "name": "films", "access": "write", "inserted": 0, "updated": 0, "deleted": 1 }], "token": "t",
        });
        assert_eq!(
            message(&pending, "b1"),
            "Run this statement?\n\nChecked by the database:\n- Kind: delete\n- Rows that it changes: 1\n- Business whose rows it sees: “b1”\n- Table: “films”, rows: 0 inserted, 0 updated, 1 deleted\n\
             - It changes or deletes what is there.\n- It can be undone.\n\nThe model says: “Deletes old films.”\n\n\
             The statement, 2 lines:\n```\n| DELETE FROM films\n| WHERE year < 1980\n```"
        );
        let undo = json!({ "kind": "undo", "changes": 3, "explanation": "Takes the change back.", "tables": [] });
        assert_eq!(
            message(&undo, ""),
            "Take this write back?\n\nChecked by the database:\n- Kind: undo\n- Rows that it changes: 3\n\nWhat it does: “Takes the change back.”"
        );
        let scoped = json!({ "kind": "read", "sql": "SELECT 1", "finalSql": "WITH a AS (SELECT 1) SELECT 1", "explanation": "" });
        let shown = message(&scoped, "b1");
        assert!(
            shown.contains("The statement as it was written, 1 line:")
                && shown.contains("| WITH a AS (SELECT 1) SELECT 1"),
            "{shown}"
        );
    }
}

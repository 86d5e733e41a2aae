//! The database agent as tools: a question in plain words, a decision on a pending statement, a
//! look at a thread.
//!
//! A person decides, not the model that asked. If the client can show its user a form, the form
//! shows the statement. If it cannot, the pending statement is returned, and `agent_decide` works
//! only if the deployment lets models decide (`modelMayDecide`). The state of the form is the
//! approval's own token, so a form that is submitted late, twice, or for another statement decides
//! nothing.

mod card;

use card::{question, statements, target_in_words, text_of, waiting};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::context::{Call, ParsedCall, members_of};
use crate::McpServerError;
use crate::backend::{Backend, ThreadTask};
use crate::form::{Form, MAX_SHOWN_NAME_CHARACTERS, decision_fields};
use crate::results::{self, ObjectResponse};
use base::json::Object;
use base::names::check_name;
use base::{Error, Result};
use mcp::server::Outcome;

/// The key of the form for a decision.
const KEY: &str = "decision";

/// The key of the form for a clarifying question.
const CHOICE_KEY: &str = "choice";

/// The only value of `target`.
const PERSISTENT: &str = "persistent";

/// Characters of a statement that a form shows in full; a longer one is decided on the page of the
/// thread.
const MAX_SHOWN_SQL_CHARACTERS: usize = 4_000;

/// Tables that a form lists, one on each line.
const MAX_SHOWN_TABLES: usize = 50;

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
    #[serde(default)]
    choice: String,
}

impl<B: Backend> Call<'_, B> {
    /// Handles `agent_ask`.
    pub(super) async fn ask_database(&self, given: &ParsedCall<'_>) -> Result<Outcome> {
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
            None | Some("") => body.insert("session".to_owned(), given.session.as_str().into()),
            Some(PERSISTENT) => body.insert("target".to_owned(), PERSISTENT.into()),
            Some(other) => return Err(unknown_target(other)),
        };
        for name in ["businessId", "userId"] {
            if let Some(value) = text(name)? {
                body.insert(name.to_owned(), value.into());
            }
        }
        // If the token names no user, the user is the client.
        body.entry("userId").or_insert_with(|| "mcp".into());
        let said = self
            .backend
            .ask_thread(&thread, ThreadTask::Ask, Value::Object(body).to_string())
            .await?;
        self.of_state(given, &thread, &said).await
    }

    /// Handles `agent_decide`.
    pub(super) async fn decide(&self, given: &ParsedCall<'_>) -> Result<Outcome> {
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

    /// Handles `agent_get_thread`.
    pub(super) async fn get_thread(&self, given: &ParsedCall<'_>) -> Result<Outcome> {
        let thread = thread_of(given)?;
        let said = self
            .backend
            .ask_thread(&thread, ThreadTask::State, String::new())
            .await?;
        match ObjectResponse::read(&said) {
            ObjectResponse::Success(members) => {
                let shown = shown(&thread, &state_of(&members));
                self.shown(given, &members_of(&shown)).await
            }
            ObjectResponse::Failure(error) => Ok(self.refused(given, &error)),
        }
    }

    /// Applies the user's response to a form, if this call brings one.
    async fn decided(&self, given: &ParsedCall<'_>, thread: &str) -> Result<Option<Outcome>> {
        let inputs = &self.request.inputs;
        let Some(token) = &inputs.state else {
            return Ok(None);
        };
        if let Some(said) = inputs.responses.get(CHOICE_KEY) {
            let response = response(CHOICE_KEY, said.get())?;
            return self.chosen(given, thread, token, response).await.map(Some);
        }
        let Some(said) = inputs.responses.get(KEY) else {
            return Ok(None);
        };
        let response = response(KEY, said.get())?;
        if response.action == "cancel" {
            // The form was closed without a decision: the statement is still pending.
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
        // Another statement may be pending now; the user is asked again.
        self.of_state(given, thread, &said).await.map(Some)
    }

    /// Asks the thread again with the meaning that the user has chosen, if its clarifying question
    /// is still open.
    async fn chosen(
        &self,
        given: &ParsedCall<'_>,
        thread: &str,
        input_id: &str,
        response: Response,
    ) -> Result<Outcome> {
        let said = self
            .backend
            .ask_thread(thread, ThreadTask::State, String::new())
            .await?;
        let members = match ObjectResponse::read(&said) {
            ObjectResponse::Success(members) => members,
            ObjectResponse::Failure(error) => return Ok(self.refused(given, &error)),
        };
        let state = state_of(&members);
        let values = state.get("values").cloned().unwrap_or_default();
        let answer = response.content.map(|Object(content)| content.choice);
        let answer = answer.filter(|_| response.action == "accept");
        let chosen = answer.and_then(|answer| {
            let mut choices = choices_of(&values).into_iter();
            choices.find(|choice| shown_choice(choice) == answer)
        });
        let Some(choice) = chosen.filter(|_| text_of(&values, "inputId") == input_id) else {
            // The form was closed, or the thread has continued: its current state is shown.
            return self.shown(given, &members_of(&shown(thread, &state))).await;
        };
        let mut body = json!({
            "input": choice, "inputId": format!("{input_id}-choice"), "userId": text_of(&values, "userId"),
        });
        if let (Some(body), Some(target)) = (body.as_object_mut(), values.get("target")) {
            match target.get("session") {
                Some(session) => body.insert("session".to_owned(), session.clone()),
                None => body.insert("target".to_owned(), target.clone()),
            };
            if let Some(business) = values.get("businessId").filter(|one| one.is_string()) {
                body.insert("businessId".to_owned(), business.clone());
            }
        }
        let said = self
            .backend
            .ask_thread(thread, ThreadTask::Ask, body.to_string())
            .await?;
        self.of_state(given, thread, &said).await
    }

    /// Returns the result for the state of a thread: its content, or a question to the user.
    async fn of_state(&self, given: &ParsedCall<'_>, thread: &str, said: &str) -> Result<Outcome> {
        let members = match ObjectResponse::read(said) {
            ObjectResponse::Success(members) => members,
            ObjectResponse::Failure(error) => return Ok(self.refused(given, &error)),
        };
        let state = state_of(&members);
        let values = state.get("values").cloned().unwrap_or_default();
        let pending = state.get("pending").filter(|pending| pending.is_object());
        // A person must see what they approve: a statement too long for the form is decided on the
        // page.
        if let Some(pending) = pending
            && self.request.caller.capabilities.has_forms()
            && statements(pending)
                .iter()
                .all(|(_, sql)| sql.chars().count() <= MAX_SHOWN_SQL_CHARACTERS)
        {
            return Ok(question(pending, &values));
        }
        if pending.is_none()
            && text_of(&values, "outcome") == "askedBack"
            && self.request.caller.capabilities.has_forms()
            && let Some(outcome) = question_back(&values)
        {
            return Ok(outcome);
        }
        self.shown(given, &members_of(&shown(thread, &state))).await
    }

    fn refused(&self, given: &ParsedCall<'_>, error: &Value) -> Outcome {
        results::failure(given.session(), error, self.terms)
    }
}

/// Parses the user's response.
fn response(key: &str, text: &str) -> Result<Response> {
    let Object(response): Object<Response> = serde_json::from_str(text)
        .map_err(|error| Error::invalid(format!("inputResponses.{key}: {error}")))?;
    Ok(response)
}

/// Returns the choices of a clarifying question.
fn choices_of(values: &Value) -> Vec<String> {
    let choices = values.pointer("/askedBack/choices");
    let choices = choices.and_then(Value::as_array).into_iter().flatten();
    choices
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// Returns a choice for a form. Names of tables and columns are external text.
fn shown_choice(choice: &str) -> String {
    base::quoted::printed(choice, MAX_SHOWN_NAME_CHARACTERS)
}

/// Returns the form of a clarifying question; `None` if it has no choices.
fn question_back(values: &Value) -> Option<Outcome> {
    let choices = choices_of(values);
    if choices.is_empty() {
        return None;
    }
    let mut form = Form::asking("What do you mean?", "the database");
    target_in_words(&mut form, values);
    let question = values.pointer("/askedBack/question");
    let question = question.and_then(Value::as_str).unwrap_or_default();
    form.named("Question", question, "");
    form.said("The agent asks", text_of(values, "answer"));
    let shown: Vec<String> = choices.iter().map(|choice| shown_choice(choice)).collect();
    let fields = json!({ CHOICE_KEY: { "type": "string", "title": "Meaning", "enum": shown } });
    Some(Outcome::InputRequired {
        requests: vec![(CHOICE_KEY, form.request(&fields, CHOICE_KEY))],
        state: Some(text_of(values, "inputId").to_owned()),
    })
}

/// Returns the error for an unknown `target`. Without it the question would be asked of other
/// tables than the caller intends.
fn unknown_target(given: &str) -> Error {
    let given = base::quoted::quoted(given, MAX_SHOWN_NAME_CHARACTERS);
    Error::invalid_with_hint(
        format!("there is no target {given}"),
        format!("leave target out to ask the session, or send \"{PERSISTENT}\""),
    )
}

/// Returns the thread of a call: the one that it names, or that of its session.
fn thread_of(given: &ParsedCall<'_>) -> Result<String> {
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

/// Returns the parts of a thread for a model: no history, no plan, no before-images.
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
    let choices = values.map(choices_of).unwrap_or_default();
    if !choices.is_empty() {
        shown.insert("choices".to_owned(), choices.into());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::tests::{HOSTILE, require_unforged};

    /// Returns the values of a thread about a session.
    fn values(session: &str, business: &str) -> Value {
        json!({ "target": { "session": session }, "businessId": business })
    }

    fn message(pending: &Value, values: &Value) -> String {
        let Outcome::InputRequired { requests, .. } = question(pending, values) else {
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
                    &message(&pending, &values(hostile, hostile)),
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
            message(&pending, &values("shop", "b1")),
            "Run this statement?\n\nChecked by the database:\n- Kind: delete\n- Rows that it changes: 1\n- Session: “shop”\n- Business whose rows it sees: “b1”\n- Table: “films”, rows: 0 inserted, 0 updated, 1 deleted\n\
             - It changes or deletes existing data.\n- It can be undone.\n\nThe model says: “Deletes old films.”\n\n\
             The statement, 2 lines:\n```\n| DELETE FROM films\n| WHERE year < 1980\n```"
        );
        let mut cascading = pending.clone();
        cascading["tables"] = json!([
            { "name": "films", "access": "write", "deleted": 1 },
            { "name": "roles", "access": "write", "updated": 2, "deleted": 4 },
            { "name": "people", "access": "read" },
        ]);
        let shown = message(&cascading, &values("shop", "b1"));
        assert!(
            shown.contains(
                "- Rows that it changes: 1, and 6 more by foreign keys, triggers or replacement\n"
            ),
            "{shown}"
        );
        let undo = json!({ "kind": "undo", "changes": 3, "explanation": "Takes the change back.", "tables": [] });
        assert_eq!(
            message(
                &undo,
                &json!({ "target": "persistent", "businessId": null })
            ),
            "Take this write back?\n\nChecked by the database:\n- Kind: undo\n- Rows that it changes: 3\n- The persistent tables\n\nWhat it does: “Takes the change back.”"
        );
        let scoped = json!({ "kind": "read", "sql": "SELECT 1", "finalSql": "WITH a AS (SELECT 1) SELECT 1", "explanation": "" });
        let shown = message(&scoped, &values("shop", "b1"));
        assert!(
            shown.contains("The statement as it was written, 1 line:")
                && shown.contains("| WITH a AS (SELECT 1) SELECT 1"),
            "{shown}"
        );
    }
    #[test]
    fn a_question_back_names_its_tables_and_offers_its_meanings() {
        let thread = |target: Value| {
            json!({
                "target": target, "inputId": "q1", "answer": "rating of which table?",
                "askedBack": { "question": "average rating", "choices": ["films", "cars\u{202e}"], "chosen": [] },
            })
        };
        for (target, fact) in [
            (json!({ "session": "shop" }), "- Session: “shop”"),
            (json!("persistent"), "- The persistent tables"),
        ] {
            let Some(Outcome::InputRequired { requests, state }) = question_back(&thread(target))
            else {
                panic!("no form");
            };
            assert_eq!(state.as_deref(), Some("q1"));
            let (key, request) = requests.first().unwrap();
            assert_eq!(*key, CHOICE_KEY);
            let params = request.params.as_ref().unwrap();
            let message = params["message"].as_str().unwrap();
            assert!(
                message.contains(&format!("\n{fact}\n- Question: “average rating”")),
                "{message}"
            );
            assert_eq!(
                params["requestedSchema"]["properties"][CHOICE_KEY]["enum"],
                json!(["films", "“cars⟨U+202E⟩”"])
            );
        }
        assert!(question_back(&json!({ "inputId": "q1", "askedBack": null })).is_none());
    }

    #[test]
    fn an_unknown_target_is_an_error_that_says_which_there_are() {
        for given in ["elsewhere", "Persistent", " ", "session"] {
            let error = unknown_target(given).to_json();
            assert_eq!(error["code"], "INVALID_ARGUMENT");
            assert!(
                error["hint"].as_str().unwrap().contains("\"persistent\""),
                "{error}"
            );
        }
    }
}

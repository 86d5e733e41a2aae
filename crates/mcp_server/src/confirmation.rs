//! Asks before something is deleted: the user, where the client has a form for it, and otherwise with an argument that names what would go.
//!
//! A client whose user can be asked is always asked: the argument does not count there, because a model could write it by itself. The state
//! that goes out with the question stands for one use of this very call, and the session's object keeps what is needed to check it.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::McpServerError;
use crate::backend::{Backend, Subject};
use base::{Error, Result};
use mcp::server::{Caller, Fault, InputRequest, Inputs, Outcome};

/// The key of the question.
const KEY: &str = "confirm";

/// What a call would delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// In words: `the table films with 3 rows`.
    pub words: String,
    /// What the argument `confirm` must be.
    pub name: String,
}

/// What becomes of a call.
pub enum Verdict {
    /// It may be done.
    Confirmed,
    /// Somebody must be asked first.
    Ask(Outcome),
}

/// How a client responds to a form.
#[derive(Deserialize)]
struct Response {
    action: String,
    #[serde(default)]
    content: Option<Content>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    confirm: bool,
}

/// Decides whether a call may delete something.
///
/// # Errors
/// A tool's failure: [`McpServerError::ConfirmationRequired`] or [`McpServerError::ConfirmationDeclined`]. A [`Fault`] for a state that is not
/// one of this call.
pub async fn decide(
    backend: &impl Backend,
    caller: &Caller,
    inputs: &Inputs,
    argument: Option<&str>,
    subject: &Subject,
    object: &Object,
) -> std::result::Result<Result<Verdict>, Fault> {
    if !caller.capabilities.has_forms() {
        return Ok(if argument == Some(object.name.as_str()) {
            Ok(Verdict::Confirmed)
        } else {
            Err(Error::from(McpServerError::ConfirmationRequired {
                object: object.words.clone(),
                name: object.name.clone(),
            }))
        });
    }
    let said = inputs.responses.get(KEY);
    let (Some(state), Some(said)) = (&inputs.state, said) else {
        return Ok(question(backend, subject, object).await.map(Verdict::Ask));
    };
    let response: Response = serde_json::from_str(said.get())
        .map_err(|error| Fault::params(format!("inputResponses.{KEY}: {error}")))?;
    // Before the response counts for anything: who made the state up has made the response up, too.
    backend.redeem(subject, state).await?;
    let agreed = response.content.is_some_and(|content| content.confirm);
    Ok(if response.action == "accept" && agreed {
        Ok(Verdict::Confirmed)
    } else {
        Err(Error::from(McpServerError::ConfirmationDeclined {
            object: object.words.clone(),
        }))
    })
}

async fn question(
    backend: &impl Backend,
    subject: &Subject,
    object: &Object,
) -> Result<Outcome> {
    let state = backend.confirmation(subject).await?;
    let params = json!({
        "message": format!("Delete {} of session {}?", object.words, subject.session),
        "requestedSchema": {
            "type": "object",
            "properties": { KEY: {
                "type": "boolean",
                "title": format!("Delete {}", object.name),
                "description": "It cannot be undone.",
            }},
            "required": [KEY],
        },
    });
    Ok(Outcome::InputRequired {
        requests: vec![(
            KEY,
            InputRequest {
                method: "elicitation/create",
                params: Some(params),
            },
        )],
        state: Some(state),
    })
}

/// What a description of a table says of its size, for the question.
pub fn with_rows(what: &str, name: &str, description: &Value) -> String {
    let rows = description.get("rowCount").and_then(Value::as_u64);
    match rows {
        Some(1) => format!("the {what} {name} with 1 row"),
        Some(rows) => format!("the {what} {name} with {rows} rows"),
        None => format!("the {what} {name}"),
    }
}

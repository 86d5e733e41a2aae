//! Asks before something is deleted: the user, where the client has a form for it, and otherwise with an argument that names what would go.
//!
//! A client whose user can be asked is always asked: the argument does not count there, because a model could write it by itself. The state
//! that goes out with the question stands for one use of this very call, and the session's object keeps what is needed to check it. Either
//! way the confirmation holds for what was shown: it has the basis of what would be deleted, so a table that is another one by then stays.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::McpServerError;
use crate::backend::{Backend, Subject};
use crate::limits::CONFIRM_CODE_CHARACTERS;
use base::json::Object;
use base::{Error, Result};
use mcp::server::{Caller, Fault, InputRequest, Inputs, Outcome};

/// The key of the question.
const KEY: &str = "confirm";

/// What a call would delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletion {
    /// In words: `the table films with 3 rows`.
    pub words: String,
    /// Its name, which the argument `confirm` begins with.
    pub name: String,
}

impl Deletion {
    /// What the argument `confirm` must be: the name, and a part of the basis, which nobody knows who was not told.
    fn argument(&self, subject: &Subject) -> String {
        let code = base::text::first(&subject.basis, CONFIRM_CODE_CHARACTERS);
        format!("{} {code}", self.name)
    }
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
    content: Option<Object<Content>>,
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
    object: &Deletion,
) -> std::result::Result<Result<Verdict>, Fault> {
    if !caller.capabilities.has_forms() {
        let wanted = object.argument(subject);
        return Ok(if argument == Some(wanted.as_str()) {
            Ok(Verdict::Confirmed)
        } else {
            Err(Error::from(McpServerError::ConfirmationRequired {
                object: object.words.clone(),
                name: wanted,
            }))
        });
    }
    let said = inputs.responses.get(KEY);
    let (Some(state), Some(said)) = (&inputs.state, said) else {
        return Ok(question(backend, subject, object).await.map(Verdict::Ask));
    };
    let Object(response): Object<Response> = serde_json::from_str(said.get())
        .map_err(|error| Fault::params(format!("inputResponses.{KEY}: {error}")))?;
    // Before the response counts for anything: who made the state up has made the response up, too.
    backend.redeem(subject, state).await?;
    let agreed = response
        .content
        .is_some_and(|Object(content)| content.confirm);
    Ok(if response.action == "accept" && agreed {
        Ok(Verdict::Confirmed)
    } else {
        Err(Error::from(McpServerError::ConfirmationDeclined {
            object: object.words.clone(),
        }))
    })
}

async fn question(backend: &impl Backend, subject: &Subject, object: &Deletion) -> Result<Outcome> {
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

/// Refuses an operation of a program that would drop persistent data: a program runs to its end, so nobody can be asked.
///
/// # Errors
/// [`McpServerError::DropInProgram`].
pub fn refuse_persistent_drop(operation: &str, body: &str) -> Result<()> {
    let fields: Value = serde_json::from_str(body).unwrap_or_default();
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let dropped = match operation {
        "dropTable" => Some(("table", text("table").to_owned())),
        "exec" => sql::destroyed(text("sql")).into_iter().next().map(|found| {
            let what = match found.kind {
                sql::DestroyedKind::Table => "table",
                sql::DestroyedKind::View => "view",
            };
            (what, found.name)
        }),
        _ => None,
    };
    match dropped {
        None => Ok(()),
        Some((what, name)) => Err(Error::from(McpServerError::DropInProgram { what, name })),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_drops_no_persistent_data() {
        for (operation, body) in [
            ("dropTable", r#"{"table":"t","target":"persistent"}"#),
            (
                "exec",
                r#"{"sql":"drop table if exists t","target":"persistent"}"#,
            ),
        ] {
            let error = refuse_persistent_drop(operation, body).unwrap_err();
            assert_eq!(error.code(), "CONFIRMATION_REQUIRED");
            assert!(error.to_string().contains("table t"), "{error}");
        }
        for (operation, body) in [
            ("exec", r#"{"sql":"DELETE FROM t"}"#),
            ("query", r#"{"sql":"SELECT 'DROP TABLE t'"}"#),
        ] {
            assert!(refuse_persistent_drop(operation, body).is_ok());
        }
    }
}

//! Asks before something is deleted: the user, if the client can show a form, and otherwise through
//! an argument that names the object.
//!
//! A client that can ask its user always asks: the argument is not accepted there, because a model
//! could write it by itself. The state that is sent with the question is valid for one use and
//! exactly this call; the session's object stores the data for checking it. In both cases the
//! confirmation is valid only for what was shown: it contains the basis of the deletion, a hash of
//! the identity of the database and of its definitions. A table that has been replaced in the
//! meantime is therefore kept.

use serde::Deserialize;
use serde_json::{Value, json};

use super::form::{Form, MAX_SHOWN_NAME_CHARACTERS};
use crate::McpServerError;
use crate::backend::{Backend, Subject};
use crate::limits::CONFIRM_CODE_CHARACTERS;
use base::json::Object;
use base::quoted::quoted;
use base::{Error, Result};
use mcp::server::{Caller, Fault, Inputs, Outcome};

/// The key of the request for input.
const KEY: &str = "confirm";

/// The object that a call would delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletion {
    /// The kind of the object.
    pub what: Deleted,
    /// The name of the table, view or session, with which the argument `confirm` begins.
    pub name: String,
    /// The number of rows, if they were counted.
    pub rows: Option<u64>,
}

/// The kind of an object to delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// A table of the session.
    Table,
    /// A view of the session.
    View,
    /// A table that remains when the session ends.
    PersistentTable,
    /// A view that remains when the session ends.
    PersistentView,
    /// The session with all its content.
    Session,
}

impl Deleted {
    fn question(self) -> &'static str {
        match self {
            Self::Table => "Delete this table?",
            Self::View => "Delete this view?",
            Self::PersistentTable => "Delete this persistent table?",
            Self::PersistentView => "Delete this persistent view?",
            Self::Session => "Delete this session with all its tables?",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Table => "Table",
            Self::View => "View",
            Self::PersistentTable => "Persistent table",
            Self::PersistentView => "Persistent view",
            Self::Session => "Session",
        }
    }
}

impl Deletion {
    /// Describes the object: `the table “films” with 3 rows`.
    fn words(&self) -> String {
        let name = quoted(&self.name, MAX_SHOWN_NAME_CHARACTERS);
        let rows = match self.rows {
            Some(1) => " with 1 row".to_owned(),
            Some(rows) => format!(" with {rows} rows"),
            None => String::new(),
        };
        format!("the {} {name}{rows}", self.what.label().to_lowercase())
    }

    fn form(&self, session: &str) -> Form {
        let mut form = Form::asking(self.what.question(), "the database");
        form.named(self.what.label(), &self.name, "");
        if self.what != Deleted::Session {
            form.fact(match self.rows {
                Some(rows) => format!("Rows: {rows}"),
                None => "Rows: not counted".to_owned(),
            });
            form.named("Session of the call", session, "");
        }
        form.fact("It cannot be undone.");
        form
    }
}

impl Deletion {
    /// Returns the expected argument `confirm`: the name, and a part of the basis, which is known
    /// only from the error.
    fn argument(&self, subject: &Subject) -> String {
        let code = base::text::first(&subject.basis, CONFIRM_CODE_CHARACTERS);
        format!("{} {code}", self.name)
    }
}

/// The decision about a call.
pub enum Verdict {
    /// The deletion is confirmed.
    Confirmed,
    /// The user must be asked first.
    Ask(Outcome),
}

/// The response of a client to a form.
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

/// Decides if a call may delete something.
///
/// # Errors
/// A failure of the tool: [`McpServerError::ConfirmationRequired`] or
/// [`McpServerError::ConfirmationDeclined`]. A [`Fault`] for a state that does not belong to this
/// call.
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
                object: object.words(),
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
    // Before the response is used: a caller that forged the state has also forged the response.
    backend.redeem(subject, state).await?;
    let agreed = response
        .content
        .is_some_and(|Object(content)| content.confirm);
    Ok(if response.action == "accept" && agreed {
        Ok(Verdict::Confirmed)
    } else {
        Err(Error::from(McpServerError::ConfirmationDeclined {
            object: object.words(),
        }))
    })
}

async fn question(backend: &impl Backend, subject: &Subject, object: &Deletion) -> Result<Outcome> {
    let state = backend.confirmation(subject).await?;
    let fields = json!({ KEY: {
        "type": "boolean",
        "title": "Delete it",
        "description": "It cannot be undone.",
    }});
    Ok(Outcome::InputRequired {
        requests: vec![(KEY, object.form(&subject.session).request(&fields, KEY))],
        state: Some(state),
    })
}

/// Refuses an operation of a program that would drop persistent data: a program cannot be
/// interrupted to ask the user.
///
/// # Errors
/// [`McpServerError::DropInProgram`].
pub fn refuse_persistent_drop(operation: &str, body: &str) -> Result<()> {
    let fields: Value = serde_json::from_str(body).unwrap_or_default();
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let dropped = match operation {
        "dropTable" => Some(("table", text("table").to_owned())),
        "exec" => sql_gate::destroyed(text("sql"))
            .into_iter()
            .next()
            .map(|found| {
                let what = match found.kind {
                    sql_gate::RelationKind::Table => "table",
                    sql_gate::RelationKind::View => "view",
                };
                (what, found.name)
            }),
        _ => None,
    };
    match dropped {
        None => Ok(()),
        Some((what, name)) => Err(Error::from(McpServerError::DropInProgram {
            what,
            name: quoted(&name, MAX_SHOWN_NAME_CHARACTERS),
        })),
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
            assert!(error.to_string().contains("table “t”"), "{error}");
        }
        for (operation, body) in [
            ("exec", r#"{"sql":"DELETE FROM t"}"#),
            ("query", r#"{"sql":"SELECT 'DROP TABLE t'"}"#),
        ] {
            assert!(refuse_persistent_drop(operation, body).is_ok());
        }
    }
}

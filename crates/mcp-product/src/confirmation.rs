//! Asks before something is deleted: the user, where the client has a form for it, and otherwise with an argument that names what would go.
//!
//! A client whose user can be asked is always asked: the argument does not count there, because a model could write it by itself. The state
//! that goes out with the question stands for one use of this very call, and the session's object keeps what is needed to check it. Either
//! way the confirmation holds for what was shown: it has the basis of what would be deleted, so a table that is another one by then stays.

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

/// The key of the question.
const KEY: &str = "confirm";

/// What a call would delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletion {
    /// What kind of thing.
    pub what: Deleted,
    /// The name of the table or view, or of the session, which the argument `confirm` begins with.
    pub name: String,
    /// Its rows, where they were counted.
    pub rows: Option<u64>,
}

/// What a call deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// A table of the session.
    Table,
    /// A view of the session.
    View,
    /// A table that stays when the session ends.
    PersistentTable,
    /// A view of those.
    PersistentView,
    /// The session with all that is in it.
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
    /// In words: `the table “films” with 3 rows`.
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
    // Before the response counts for anything: who made the state up has made the response up, too.
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

/// Refuses an operation of a program that would drop persistent data: a program runs to its end, so nobody can be asked.
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
                    sql_gate::DestroyedKind::Table => "table",
                    sql_gate::DestroyedKind::View => "view",
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

//! The port to what the tools need: sessions, the tenant's index, and the tools of other servers.
//!
//! Texts that come back are the bodies of HTTP responses: `{"success":true,…}` or `{"success":false,"error":{…}}`. An `Err` means that there is
//! no response.

use std::fmt;

use futures::stream::LocalBoxStream;
use serde_json::Value;

use ::tools::request::SearchRequest;
use base::{Code, Problem, Result};

/// A failure as an object told it, code and hint included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// `code`, `message` and what else it has.
    pub error: Value,
}

impl Told {
    fn text(&self, name: &str) -> &str {
        self.error
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

impl fmt::Display for Told {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text("message"))
    }
}

impl Problem for Told {
    fn code(&self) -> Code {
        KNOWN
            .iter()
            .find(|code| code.name == self.text("code"))
            .copied()
            .unwrap_or(base::codes::INTERNAL)
    }

    fn hint(&self) -> Option<String> {
        Some(self.text("hint").to_owned()).filter(|hint| !hint.is_empty())
    }
}

/// What an object may say of its confirmations and its watchers.
const KNOWN: &[Code] = &[
    session::codes::CONFIRMATION_INVALID,
    session::codes::TOO_MANY_WATCHERS,
];

/// What a running call tells: `console`, `call` or `progress`, with its data.
pub type Hear<'a> = &'a mut dyn FnMut(&str, &Value);

/// What has changed in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChange {
    /// Something was written.
    Changed {
        /// Whether tables, views or columns came or went.
        schema: bool,
        /// The tables that were written; none where it is not known which.
        tables: Option<Vec<String>>,
    },
    /// The session was deleted.
    Deleted,
}

/// The exact call that a confirmation is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The session whose object keeps the confirmation.
    pub session: String,
    /// The tool.
    pub tool: String,
    /// JSON text of its arguments, as they were written.
    pub arguments: String,
    /// The basis of what would be deleted: a hash of which database it is and of the definitions there.
    pub basis: String,
}

/// What a call would delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal<'a> {
    /// A table or view of the session.
    Table(&'a str),
    /// A persistent table or view.
    Persistent(&'a str),
    /// The whole session.
    Session,
}

/// What is asked of a chat thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadTask {
    /// A question: `POST …/messages`.
    Ask,
    /// A decision: `POST …/resume`.
    Resume,
    /// What it knows.
    State,
}

/// What the tools need.
#[expect(
    async_fn_in_trait,
    reason = "workerd has one thread, so nothing asks for Send"
)]
pub trait Backend {
    /// One operation of a session: `POST /api/codemode/sessions/{session}`.
    ///
    /// # Errors
    /// Where there is no response.
    async fn operate(&self, session: &str, body: String) -> Result<String>;

    /// The same for a removal with this basis, which the operation compares in the turn in which it runs.
    ///
    /// # Errors
    /// Where there is no response.
    async fn remove(&self, session: &str, body: String, basis: Option<&str>) -> Result<String>;

    /// A program: `POST /api/codemode/execute`.
    ///
    /// # Errors
    /// Where there is no response.
    async fn execute(&self, session: &str, body: String, hear: Hear<'_>) -> Result<String>;

    /// A call of a configured server's tool: `POST /api/codemode/proxy`; with the basis of what the session's own server removes.
    ///
    /// # Errors
    /// Where there is no response.
    async fn call_tool(
        &self,
        session: &str,
        body: String,
        basis: Option<&str>,
        hear: Hear<'_>,
    ) -> Result<String>;

    /// Rows for a table: `PUT /api/codemode/sessions/{session}/tables/{table}/rows?{query}`.
    ///
    /// # Errors
    /// Where there is no response.
    async fn load(
        &self,
        session: &str,
        table: &str,
        query: &str,
        content_type: &'static str,
        body: String,
    ) -> Result<String>;

    /// Deletes a session, with the basis of the whole session where it was confirmed.
    ///
    /// # Errors
    /// Where there is no response.
    async fn delete_session(&self, session: &str, basis: Option<&str>) -> Result<String>;

    /// The tenant's sessions: `GET /api/codemode/sessions`.
    ///
    /// # Errors
    /// Where there is no response.
    async fn sessions(&self, limit: usize, cursor: Option<&str>) -> Result<String>;

    /// A search among the tools of the configured servers, as the fields of a result.
    ///
    /// # Errors
    /// Those of the gateway.
    async fn search(&self, request: &SearchRequest) -> Result<Value>;

    /// One tool of a configured server, as the fields of a result.
    ///
    /// # Errors
    /// Those of the gateway.
    async fn describe(&self, server: &str, tool: &str) -> Result<Value>;

    /// A question or a decision in a chat thread, waited for until somebody else has to do something; then what the thread knows:
    /// `GET /api/agent/{threadId}/state`.
    ///
    /// # Errors
    /// Where there is no response.
    async fn ask_thread(&self, thread: &str, task: ThreadTask, body: String) -> Result<String>;

    /// An id that nothing has.
    fn fresh_id(&self) -> String;

    /// The basis of what a call would delete.
    ///
    /// # Errors
    /// Where there is none.
    async fn basis(&self, session: &str, removal: Removal<'_>) -> Result<String>;

    /// A state that stands for one confirmation of a call.
    ///
    /// # Errors
    /// Where there is none.
    async fn confirmation(&self, subject: &Subject) -> Result<String>;

    /// Uses a confirmation up.
    ///
    /// # Errors
    /// Where the state is not one of this call, is too old or was used before.
    async fn redeem(&self, subject: &Subject, state: &str) -> Result<()>;

    /// The changes of a session from now on.
    ///
    /// # Errors
    /// Where the session cannot be watched.
    async fn watch(&self, session: &str) -> Result<LocalBoxStream<'static, SessionChange>>;
}

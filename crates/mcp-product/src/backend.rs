//! The interface to sessions, the tenant's index, and the tools of other servers.
//!
//! Returned texts are the bodies of HTTP responses: `{"success":true,…}` or
//! `{"success":false,"error":{…}}`. An `Err` means that there is no response.

use std::fmt;

use futures::stream::LocalBoxStream;
use serde_json::Value;

use ::tools::request::SearchRequest;
use base::{Code, Problem, Result};

/// A failure reported by an object, with its code and hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedError {
    /// The error: `code`, `message` and other members.
    pub error: Value,
}

impl ReportedError {
    fn text(&self, name: &str) -> &str {
        self.error
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

impl fmt::Display for ReportedError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text("message"))
    }
}

impl Problem for ReportedError {
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

/// The codes that are kept if an object reports them. Any other code becomes an internal error.
const KNOWN: &[Code] = &[
    session::codes::CONFIRMATION_INVALID,
    session::codes::TOO_MANY_WATCHERS,
];

/// The listener for events of a running call: `console`, `call` or `progress`, with data.
pub type Hear<'a> = &'a mut dyn FnMut(&str, &Value);

/// A change in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChange {
    /// Data was written.
    Changed {
        /// True if tables, views or columns were added or removed.
        schema: bool,
        /// The tables that were written; none if unknown.
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
    /// The basis of the deletion: a hash of the identity of the database and of its definitions.
    pub basis: String,
}

/// The object that a call would delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal<'a> {
    /// A table or view of the session.
    Table(&'a str),
    /// A persistent table or view.
    Persistent(&'a str),
    /// The whole session.
    Session,
}

/// A request to a chat thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadTask {
    /// A question: `POST …/messages`.
    Ask,
    /// A decision: `POST …/resume`.
    Resume,
    /// The state of the thread.
    State,
}

/// The services that the tools need.
#[expect(
    async_fn_in_trait,
    reason = "workerd has one thread, so nothing asks for Send"
)]
pub trait Backend {
    /// Runs one operation of a session: `POST /api/codemode/sessions/{session}`.
    ///
    /// # Errors
    /// If there is no response.
    async fn operate(&self, session: &str, body: String) -> Result<String>;

    /// Runs a deletion with this basis, which the operation compares in the same turn in which it
    /// deletes.
    ///
    /// # Errors
    /// If there is no response.
    async fn remove(&self, session: &str, body: String, basis: Option<&str>) -> Result<String>;

    /// Runs a program: `POST /api/codemode/execute`.
    ///
    /// # Errors
    /// If there is no response.
    async fn execute(&self, session: &str, body: String, hear: Hear<'_>) -> Result<String>;

    /// Calls a tool of a configured server: `POST /api/codemode/proxy`. For a deletion by the
    /// session's own server, `basis` is its basis.
    ///
    /// # Errors
    /// If there is no response.
    async fn call_tool(
        &self,
        session: &str,
        body: String,
        basis: Option<&str>,
        hear: Hear<'_>,
    ) -> Result<String>;

    /// Loads rows into a table: `PUT /api/codemode/sessions/{session}/tables/{table}/rows?{query}`.
    ///
    /// # Errors
    /// If there is no response.
    async fn load(
        &self,
        session: &str,
        table: &str,
        query: &str,
        content_type: &'static str,
        body: String,
    ) -> Result<String>;

    /// Deletes a session; with the basis of the whole session if the deletion was confirmed.
    ///
    /// # Errors
    /// If there is no response.
    async fn delete_session(&self, session: &str, basis: Option<&str>) -> Result<String>;

    /// Lists the tenant's sessions: `GET /api/codemode/sessions`.
    ///
    /// # Errors
    /// If there is no response.
    async fn sessions(&self, limit: usize, cursor: Option<&str>) -> Result<String>;

    /// Searches the tools of the configured servers; returns the fields of a result.
    ///
    /// # Errors
    /// The errors of the gateway.
    async fn search(&self, request: &SearchRequest) -> Result<Value>;

    /// Describes one tool of a configured server, as the fields of a result.
    ///
    /// # Errors
    /// The errors of the gateway.
    async fn describe(&self, server: &str, tool: &str) -> Result<Value>;

    /// Sends a question or a decision to a chat thread and waits until another party must act.
    /// Returns the state of the thread: `GET /api/agent/{threadId}/state`.
    ///
    /// # Errors
    /// If there is no response.
    async fn ask_thread(&self, thread: &str, task: ThreadTask, body: String) -> Result<String>;

    /// Returns an unused id.
    fn fresh_id(&self) -> String;

    /// Returns the basis of a deletion.
    ///
    /// # Errors
    /// If there is no such object.
    async fn basis(&self, session: &str, removal: Removal<'_>) -> Result<String>;

    /// Returns a state that represents one confirmation of a call.
    ///
    /// # Errors
    /// If the confirmation cannot be created.
    async fn confirmation(&self, subject: &Subject) -> Result<String>;

    /// Consumes a confirmation.
    ///
    /// # Errors
    /// If the state does not belong to this call, is too old, or was used before.
    async fn redeem(&self, subject: &Subject, state: &str) -> Result<()>;

    /// Returns the changes of a session from now on.
    ///
    /// # Errors
    /// If the session cannot be watched.
    async fn watch(&self, session: &str) -> Result<LocalBoxStream<'static, SessionChange>>;
}

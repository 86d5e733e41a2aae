//! Processes the result of a tool in one pipeline for all callers.
//!
//! 1. The tool's own error.
//! 2. Its data: `structuredContent`, else JSON in a text, else text.
//! 3. GraphQL checks, if it is a GraphQL response.
//! 4. Tables of the session, if it is large, contains bytes that a model cannot read, or the caller
//!    wants tables.
//! 5. The data, or the result reference of the tables.

use session::SessionError;
use std::borrow::Cow;
use std::rc::Rc;
use tools_graphql::GraphqlError;

use serde_json::Value;

use super::binary::{self, ReplacedData, Replacement};
use super::catalog::Catalog;
use super::content::{data_of, error_text};
use super::document::Document;
use super::error::{LIST_TOO_LARGE, NO_MCP_SERVER, NOTHING_CALLED, TOO_DEEP, hint_of_status};
use super::request::{ReturnFormat, Stage, ToolCall};
use super::server::Kind;
use super::unfold::{Unfolded, unfold};
use super::{Reason, Server, ToolError};
use crate::limits::{
    MAX_PROGRAM_INLINE_BYTES, MAX_PROGRAM_INLINE_RECORDS, MAX_PROXY_INLINE_BYTES,
    MAX_PROXY_INLINE_RECORDS,
};
use base::{Error, Result};
use database::Database;
use mcp::Tool;
use mcp::call::CallResult;
use mcp::{Failure, MISSING_CAPABILITY, Message, NO_CODE};
use session::Session;
use session::staging::{self, ResultOrigin, Threshold};

/// The reader of a result, which decides from which size it is large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A model, through the proxy.
    Model,
    /// A program.
    Program,
}

impl Reader {
    fn threshold(self) -> Threshold {
        match self {
            Self::Model => Threshold {
                bytes: MAX_PROXY_INLINE_BYTES,
                records: MAX_PROXY_INLINE_RECORDS,
            },
            Self::Program => Threshold {
                bytes: MAX_PROGRAM_INLINE_BYTES,
                records: MAX_PROGRAM_INLINE_RECORDS,
            },
        }
    }
}

/// A result that was received, and its request.
pub struct ToolResponse {
    /// The server.
    pub server: Server,
    /// A catalog that has the tool.
    pub catalog: Rc<Catalog>,
    /// The call.
    pub call: ToolCall,
    /// The response.
    pub message: Message,
    /// Possible mistakes of the call, in words: parameters that the tool may not know, variables
    /// that its query does not use.
    pub doubts: Vec<String>,
}

/// A result in the form for its reader.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// JSON text: data, or the result reference of tables.
    pub data: String,
    /// True if it is a result reference.
    pub staged: bool,
    /// The findings of the GraphQL checks, if there were checks.
    pub validation: Option<Value>,
    /// Lines for the console of a program.
    pub console: Vec<String>,
    /// A notice about the result for its reader.
    pub notice: Option<String>,
}

impl ToolResponse {
    /// Returns the tool of the call.
    fn tool(&self) -> Option<&Tool> {
        self.catalog.tool(&self.call.tool)
    }

    /// Processes a result in the pipeline. Tables are made in `session`; without a session there
    /// are no tables.
    ///
    /// # Errors
    /// [`ToolError`] for a failure of the tool, for a result without data or one that is too large
    /// for tables; or the engine's.
    pub fn conclude<D: Database>(
        &self,
        session: Option<&Session<'_, D>>,
        reader: Reader,
    ) -> Result<Outcome> {
        let result = CallResult::read(&self.message)
            .map_err(|failure| upstream(&self.server.name, failure, self.server.timeout_ms))?;
        if self.call.format == ReturnFormat::Raw {
            let raw = self
                .message
                .result()
                .map_err(|failure| upstream(&self.server.name, failure, self.server.timeout_ms))?;
            return Ok(Outcome::plain(raw.get().to_owned()));
        }
        if result.is_error == Some(true) {
            return Err(ToolError::UpstreamToolError {
                server: self.server.name.clone(),
                tool: self.call.tool.clone(),
                message: self
                    .server
                    .endpoint
                    .secrets
                    .strike_out_of_json(error_text(&result)),
            }
            .into());
        }
        // JSON inside a text may write a secret in another way.
        let secrets = &self.server.endpoint.secrets;
        let data = match data_of(&result, self.tool()) {
            Cow::Owned(data) => Cow::Owned(secrets.strike_out_of_json(data)),
            structured => structured,
        };
        let mut outcome = self.explained(data, reader)?;
        // For a GraphQL response the checks have already reported them.
        let refusals = match outcome.validation {
            Some(_) => Vec::new(),
            None => tools_graphql::refusals(&outcome.data),
        };
        self.stage(&mut outcome, session, reader)?;
        let (server, tool) = (&self.server.name, &self.call.tool);
        let doubts = [refusals.as_slice(), &self.doubts].concat();
        for doubt in &doubts {
            outcome.console.push(format!("[{server}.{tool}] {doubt}"));
        }
        if !doubts.is_empty() {
            let doubts = doubts.join("; ");
            outcome.notice = Some(match outcome.notice {
                Some(notice) => format!("{doubts}; {notice}"),
                None => doubts,
            });
        }
        Ok(outcome)
    }

    /// Returns the data with the findings of the GraphQL checks.
    fn explained(&self, data: Cow<'_, str>, reader: Reader) -> Result<Outcome> {
        let document = Document::find(self.call.arguments.get());
        // `{"data":null}` alone need not be GraphQL.
        let is_graphql = self.server.kind == Kind::Graphql
            || document.is_some()
            || self.call.tool.to_ascii_lowercase().contains("graphql")
            || tools_graphql::looks_like_response(&data);
        if !is_graphql || !tools_graphql::is_response(&data) {
            return Ok(Outcome::plain(data.into_owned()));
        }
        let document = document.as_ref();
        let schema = document
            .and_then(|document| self.catalog.schema(&self.call.tool, &document.others))
            .and_then(|known| known.schema);
        let question = document.map(Document::question);
        let validation = tools_graphql::check_answer(&data, question.as_ref(), schema.as_deref())?;
        let (server, tool) = (&self.server.name, &self.call.tool);
        let console = validation.console_lines(server, tool);
        if !validation.valid {
            let mut failure = validation.error(console);
            // A model reads an error, unless a program catches it. A program has room for the data.
            if let GraphqlError::GraphqlNullData { data: kept, .. } = &mut failure
                && reader == Reader::Program
            {
                *kept = Some(data.into_owned());
            }
            return Err(failure.into());
        }
        Ok(Outcome {
            validation: Some(validation.to_json()),
            console,
            ..Outcome::plain(data.into_owned())
        })
    }

    /// Makes tables of the data if it is large, or if the call asks for tables. A model gets no
    /// long base64 unless it asks for unchanged data.
    fn stage<D: Database>(
        &self,
        outcome: &mut Outcome,
        session: Option<&Session<'_, D>>,
        reader: Reader,
    ) -> Result<()> {
        if self.call.stage == Stage::Never {
            return Ok(());
        }
        let unfolded = unfold(&outcome.data);
        let data = unfolded
            .as_ref()
            .map_or(outcome.data.as_str(), |unfolded| &unfolded.data);
        let blobs = binary::replace(data, Replacement::Blob);
        let unreadable = reader == Reader::Model && blobs.is_some();
        let large = self.call.stage != Stage::WhenLarge
            || staging::worth_staging(data, &reader.threshold());
        if !large && !unreadable {
            return Ok(());
        }
        let Some(session) = session else {
            without_session(outcome, reader, large);
            return Ok(());
        };
        let tables = blobs.as_ref().map_or(data, |blobs| &blobs.data);
        let source = ResultOrigin {
            server: &self.server.name,
            tool: &self.call.tool,
            arguments: self.call.arguments.get(),
            mappings: Some(&self.server.mappings),
            name: match &self.call.stage {
                Stage::Always(name) => name.as_deref(),
                Stage::WhenLarge | Stage::Never => None,
            },
            brief: reader == Reader::Model,
        };
        let staged = staging::stage(session, &source, tables)
            .map(|reference| Value::Object(reference).to_string());
        let notices = [
            unfolded.as_ref().map(Unfolded::notice),
            blobs.as_ref().map(blob_notice),
        ];
        self.conclude_staging(outcome, staged, reader, notices)
    }

    /// Puts the result of making tables into the outcome.
    fn conclude_staging(
        &self,
        outcome: &mut Outcome,
        staged: Result<String>,
        reader: Reader,
        notices: [Option<String>; 2],
    ) -> Result<()> {
        match staged {
            Ok(reference) => {
                outcome.data = reference;
                outcome.staged = true;
                let notices: Vec<String> = notices.into_iter().flatten().collect();
                if !notices.is_empty() {
                    outcome.notice = Some(notices.join("; "));
                }
                if self.call.stage == Stage::WhenLarge {
                    outcome.console.push(format!(
                        "[{}.{}] The result was large. It was put into tables of the session, and the call returned a reference, {{staged: true, tables}}. Use {{stage: false}} to get the result itself.",
                        self.server.name, self.call.tool
                    ));
                }
            }
            // The caller did not ask for tables, and a program has room for the result. The call
            // cannot be repeated safely, because it may have changed something.
            Err(failure)
                if reader == Reader::Program
                    && self.call.stage == Stage::WhenLarge
                    && matches!(failure.of(), Some(SessionError::StagedTooLarge { .. })) =>
            {
                outcome.console.push(format!(
                    "[{}.{}] The result was large and could not be staged: {failure}.",
                    self.server.name, self.call.tool
                ));
                outcome.notice = Some(
                    "the result was too large for staging, so it was returned completely"
                        .to_owned(),
                );
            }
            Err(failure) => return Err(after_the_call(failure)),
        }
        Ok(())
    }
}

/// Completes an outcome without tables: the data, with long base64 replaced by its size.
fn without_session(outcome: &mut Outcome, reader: Reader, large: bool) {
    let mut notices = Vec::new();
    if reader == Reader::Model
        && let Some(sizes) = binary::replace(&outcome.data, Replacement::Size)
    {
        notices.push(format!(
            "{} of base64 ({} bytes) left out: name a session in the request to have blobs in a table, or send stage: false to get all of it",
            if sizes.texts == 1 { "a text" } else { "texts" },
            sizes.bytes
        ));
        outcome.data = sizes.data;
    }
    if large {
        notices.push(
            "the result is large: name a session in the request to have it as tables, or ask the tool for less"
                .to_owned(),
        );
    }
    outcome.notice = (!notices.is_empty()).then(|| notices.join("; "));
}

fn blob_notice(blobs: &ReplacedData) -> String {
    format!(
        "base64 became blobs, {} bytes in all: read them with SQL, length(column) is their size",
        blobs.bytes
    )
}

/// Converts an error of staging, after which the result still exists.
fn after_the_call(failure: Error) -> Error {
    match failure.into_problem() {
        Ok(SessionError::StagedTooLarge { message, hint }) => SessionError::StagedTooLarge {
            message: format!("the tool has run, but {message}"),
            hint,
        }
        .into(),
        Ok(other) => other.into(),
        Err(other) => other,
    }
}

impl Outcome {
    fn plain(data: String) -> Self {
        Self {
            data,
            staged: false,
            validation: None,
            console: Vec::new(),
            notice: None,
        }
    }
}

/// Converts a failure of the protocol into an error for callers.
pub fn upstream(server: &str, failure: Failure, timeout_ms: u32) -> ToolError {
    if let Failure::Denied(denied) = failure {
        return ToolError::UpstreamAuthFailed {
            server: server.to_owned(),
            step: denied.step.name(),
            message: denied.message(),
            status: denied.status(),
            hint: denied.hint(),
        };
    }
    let hint = hint_of(&failure);
    let retry_after_ms = failure.retry_after_ms();
    let data = if let Failure::Refused {
        data: Some(data), ..
    }
    | Failure::Unauthorized {
        data: Some(data), ..
    } = &failure
    {
        serde_json::from_str(data).ok()
    } else {
        None
    };
    match described(failure) {
        Some((reason, message, status)) => ToolError::UpstreamFailed {
            server: server.to_owned(),
            reason,
            message,
            status,
            retry_after_ms,
            data,
            hint,
        },
        None => ToolError::UpstreamTimeout {
            server: server.to_owned(),
            timeout_ms,
        },
    }
}

/// Returns reason, text and status of a failure; none for a timeout.
fn described(failure: Failure) -> Option<(Reason, String, Option<u16>)> {
    Some(match failure {
        Failure::Timeout => return None,
        Failure::Denied(denied) => (Reason::Unauthorized, denied.message(), denied.status()),
        Failure::Connection(text) | Failure::Unreached(text) | Failure::Lost(text) => (
            Reason::Connection,
            format!("the connection failed: {text}"),
            None,
        ),
        Failure::NoRoom => (
            Reason::Busy,
            "too many large responses are being read at the same time".to_owned(),
            None,
        ),
        Failure::Status { status, text, .. } => {
            let what = format!("the server responded with status {status}");
            (Reason::Status, with_words(what, &text), Some(status))
        }
        Failure::Unauthorized { status, text, .. } => {
            let what = format!("the server refuses access with status {status}");
            (Reason::Unauthorized, with_words(what, &text), Some(status))
        }
        Failure::Redirect(status) => (
            Reason::Redirect,
            format!("the server responded with status {status}, a redirect"),
            Some(status),
        ),
        Failure::NotMcp(text) | Failure::Protocol(text) => (Reason::Protocol, text, None),
        Failure::TooDeep => (
            Reason::Protocol,
            format!(
                "the response nests deeper than {} levels",
                base::limits::MAX_UPSTREAM_DEPTH
            ),
            None,
        ),
        Failure::ListTooLarge => (
            Reason::TooLarge,
            format!(
                "a page of the list of tools is larger than {} MiB",
                net::limits::MAX_UPSTREAM_ANSWER_BYTES / (1024 * 1024)
            ),
            None,
        ),
        Failure::TooLarge => (
            Reason::TooLarge,
            format!(
                "the response is larger than {} MiB",
                net::limits::MAX_UPSTREAM_ANSWER_BYTES / (1024 * 1024)
            ),
            None,
        ),
        Failure::Refused {
            code: MISSING_CAPABILITY,
            status,
            message,
            ..
        } => (Reason::InputRequired, message, Some(status)),
        Failure::Refused {
            status,
            code,
            message,
            ..
        } => {
            let what = match code {
                NO_CODE => "the server refused".to_owned(),
                code => format!("the server refused with code {code}"),
            };
            (Reason::Refused, with_words(what, &message), Some(status))
        }
        Failure::InputRequired => (
            Reason::InputRequired,
            "the tool asks its user for input".to_owned(),
            None,
        ),
    })
}

fn with_words(what: String, words: &str) -> String {
    if words.is_empty() {
        what
    } else {
        format!("{what}: {words}")
    }
}

fn hint_of(failure: &Failure) -> &'static str {
    match failure {
        Failure::Timeout | Failure::Connection(_) | Failure::Lost(_) => Reason::Connection.hint(),
        Failure::Unreached(_) => NOTHING_CALLED,
        Failure::NoRoom => Reason::Busy.hint(),
        Failure::Denied(denied) => denied.hint(),
        Failure::Status { status, .. } | Failure::Unauthorized { status, .. } => {
            hint_of_status(*status)
        }
        Failure::Redirect(_) => Reason::Redirect.hint(),
        Failure::NotMcp(_) => NO_MCP_SERVER,
        Failure::Protocol(_) => Reason::Protocol.hint(),
        Failure::TooLarge => Reason::TooLarge.hint(),
        Failure::TooDeep => TOO_DEEP,
        Failure::ListTooLarge => LIST_TOO_LARGE,
        Failure::Refused {
            code: MISSING_CAPABILITY,
            ..
        }
        | Failure::InputRequired => Reason::InputRequired.hint(),
        Failure::Refused { status: 429, .. } => hint_of_status(429),
        Failure::Refused { .. } => Reason::Refused.hint(),
    }
}

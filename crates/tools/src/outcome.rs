//! What becomes of a result, one pipeline for every caller.
//!
//! 1. The tool's own error.
//! 2. Its data: `structuredContent`, else JSON in text, else text.
//! 3. GraphQL checks, where it is GraphQL.
//! 4. Tables of the session, where it is large, holds bytes that a model cannot read, or they are wished for.
//! 5. The data, or the result reference of the tables.

use session::SessionError;
use std::borrow::Cow;
use std::rc::Rc;
use tools_graphql::GraphqlError;

use serde_json::Value;

use super::binary::{self, Instead, Replaced};
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

/// Who reads a result, which decides what is large.
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

/// A result that has come, and what was asked.
pub struct Fetched {
    /// Who answered.
    pub server: Server,
    /// With the tool in it.
    pub catalog: Rc<Catalog>,
    /// What was asked.
    pub call: ToolCall,
    /// What came.
    pub message: Message,
    /// What may not have been meant so, in words: parameters that the tool may not know, variables that its query does not use.
    pub doubts: Vec<String>,
}

/// A result as its reader gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// JSON text: data, or the result reference of tables.
    pub data: String,
    /// Whether it is a result reference.
    pub staged: bool,
    /// What the GraphQL checks found, where they were made.
    pub validation: Option<Value>,
    /// Lines for the console of a program.
    pub console: Vec<String>,
    /// What the reader should know of it.
    pub notice: Option<String>,
}

impl Fetched {
    /// The tool that answered.
    fn tool(&self) -> Option<&Tool> {
        self.catalog.tool(&self.call.tool)
    }

    /// Takes a result through the pipeline. `session` is where tables go; without one there are none.
    ///
    /// # Errors
    /// [`ToolError`] for a failure of the tool, a result without data or one that is too large for tables; or the engine's.
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
        // JSON that was written inside a text has spellings of its own.
        let secrets = &self.server.endpoint.secrets;
        let data = match data_of(&result, self.tool()) {
            Cow::Owned(data) => Cow::Owned(secrets.strike_out_of_json(data)),
            structured => structured,
        };
        let mut outcome = self.explained(data, reader)?;
        // Of a response of GraphQL the checks have told it.
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
                Some(notice) => format!("{doubts} And {notice}"),
                None => doubts,
            });
        }
        Ok(outcome)
    }

    /// The data with what the GraphQL checks say of it.
    fn explained(&self, data: Cow<'_, str>, reader: Reader) -> Result<Outcome> {
        let document = Document::find(self.call.arguments.get());
        // `{"data":null}` alone may be anybody's.
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
            // An error is read by a model, unless a program catches it, which can hold what has come.
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

    /// Makes tables of the data where it is large, or asked for. A model gets no long base64 unless it asks for the data as it is.
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
        let blobs = binary::replace(data, Instead::Blob);
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
                _ => None,
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

    /// What came of making tables.
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
                        "[{}.{}] The result was large: it is in tables of the session, and the call gave a result reference, {{staged: true, tables}}. {{stage: false}} gives the result itself.",
                        self.server.name, self.call.tool
                    ));
                }
            }
            // Nobody asked for tables, and a program can hold the result: it was asked for once and may have changed something.
            Err(failure)
                if reader == Reader::Program
                    && self.call.stage == Stage::WhenLarge
                    && matches!(failure.of(), Some(SessionError::StagedTooLarge { .. })) =>
            {
                outcome.console.push(format!(
                    "[{}.{}] The result was large, and staging could not take it: {failure}.",
                    self.server.name, self.call.tool
                ));
                outcome.notice =
                    Some("the result was too large for staging: here is all of it".to_owned());
            }
            Err(failure) => return Err(after_the_call(failure)),
        }
        Ok(())
    }
}

/// Where there are no tables: the data, and of long base64 its size alone.
fn without_session(outcome: &mut Outcome, reader: Reader, large: bool) {
    let mut notices = Vec::new();
    if reader == Reader::Model
        && let Some(sizes) = binary::replace(&outcome.data, Instead::Size)
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

fn blob_notice(blobs: &Replaced) -> String {
    format!(
        "base64 became blobs, {} bytes in all: read them with SQL, length(column) is their size",
        blobs.bytes
    )
}

/// A failure to stage a result, which has come all the same.
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

/// A failure of the protocol as callers see it.
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
    let data = match &failure {
        Failure::Refused {
            data: Some(data), ..
        }
        | Failure::Unauthorized {
            data: Some(data), ..
        } => serde_json::from_str(data).ok(),
        _ => None,
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

/// Reason, words and status of a failure; nothing of one that is a matter of time.
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

//! What becomes of an answer, one pipeline for every caller.
//!
//! 1. The tool's own error.
//! 2. Its data: `structuredContent`, else JSON in text, else text.
//! 3. GraphQL checks, where it is GraphQL.
//! 4. Tables of the session, where it is large or they are wished for.
//! 5. The data, or the receipt of the tables.

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::Value;

use super::catalog::Catalog;
use super::content::{data_of, error_text};
use super::request::{ReturnFormat, Stage, ToolCall};
use super::server::Kind;
use super::{Reason, Server, Tool, ToolError};
use crate::database::Database;
use crate::error::{Error, Result};
use crate::graphql;
use crate::limits::{
    MAX_PROGRAM_INLINE_BYTES, MAX_PROGRAM_INLINE_RECORDS, MAX_PROXY_INLINE_BYTES,
    MAX_PROXY_INLINE_RECORDS,
};
use crate::mcp::call::CallResult;
use crate::mcp::{Failure, MISSING_CAPABILITY, Message};
use crate::session::Session;
use crate::session::staging::{self, Source, Threshold};

/// Who reads an answer, which decides what is large.
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

/// An answer that has come, and what was asked.
pub struct Fetched {
    /// Who answered.
    pub server: Server,
    /// With the tool in it.
    pub catalog: Rc<Catalog>,
    /// What was asked.
    pub call: ToolCall,
    /// What came.
    pub message: Message,
    /// Parameters that the tool may not know, in words.
    pub doubt: Option<String>,
}

/// An answer as its reader gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// JSON text: data, or the receipt of tables.
    pub data: String,
    /// Whether it is a receipt.
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

    /// Takes an answer through the pipeline. `session` is where tables go; without one there are none.
    ///
    /// # Errors
    /// [`ToolError`] for a failure of the tool, an answer without data or one that is too large for tables; or the engine's.
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
        let mut outcome = self.explained(data)?;
        self.stage(&mut outcome, session, reader)?;
        if let Some(doubt) = &self.doubt {
            let (server, tool) = (&self.server.name, &self.call.tool);
            outcome.console.push(format!("[{server}.{tool}] {doubt}"));
            outcome.notice.get_or_insert_with(|| doubt.clone());
        }
        Ok(outcome)
    }

    /// The data with what the GraphQL checks say of it.
    fn explained(&self, data: Cow<'_, str>) -> Result<Outcome> {
        let arguments = GraphqlArguments::read(self.call.arguments.get());
        // `{"data":null}` alone may be anybody's.
        let is_graphql = self.server.kind == Kind::Graphql
            || arguments.query.is_some()
            || self.call.tool.to_ascii_lowercase().contains("graphql")
            || graphql::looks_like_response(&data);
        if !is_graphql || !graphql::is_response(&data) {
            return Ok(Outcome::plain(data.into_owned()));
        }
        let schema = self.catalog.schema().flatten();
        let validation = graphql::check(&graphql::Check {
            response: &data,
            query: arguments.query.as_deref(),
            variables: arguments.variables.as_ref(),
            operation: arguments.operation.as_deref(),
            schema: schema.as_deref(),
        })?;
        let (server, tool) = (&self.server.name, &self.call.tool);
        let console = validation.console_lines(server, tool);
        if !validation.valid {
            let mut failure = validation.error(console);
            if let ToolError::GraphqlNullData { data: kept, .. } = &mut failure
                && data.len() <= MAX_PROGRAM_INLINE_BYTES
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

    fn stage<D: Database>(
        &self,
        outcome: &mut Outcome,
        session: Option<&Session<'_, D>>,
        reader: Reader,
    ) -> Result<()> {
        let wanted = match &self.call.stage {
            Stage::Never => false,
            Stage::Always(_) => true,
            Stage::WhenLarge => staging::worth_staging(&outcome.data, &reader.threshold()),
        };
        if !wanted {
            return Ok(());
        }
        let Some(session) = session else {
            outcome.notice = Some(
                "the answer is large: name a session in the request to have it as tables, or ask the tool for less"
                    .to_owned(),
            );
            return Ok(());
        };
        let source = Source {
            server: &self.server.name,
            tool: &self.call.tool,
            arguments: self.call.arguments.get(),
            mappings: Some(&self.server.mappings),
            name: match &self.call.stage {
                Stage::Always(name) => name.as_deref(),
                _ => None,
            },
        };
        match staging::stage(session, &source, &outcome.data) {
            Ok(receipt) => {
                outcome.data = receipt;
                outcome.staged = true;
                if self.call.stage == Stage::WhenLarge {
                    outcome.console.push(format!(
                        "[{}.{}] The answer was large: it is in tables of the session, and the call gave a receipt, {{staged: true, tables}}. {{stage: false}} gives the answer itself.",
                        self.server.name, self.call.tool
                    ));
                }
            }
            // Nobody asked for tables, and a program can hold the answer: it was asked for once and may have changed something.
            Err(Error::Tool(failure))
                if reader == Reader::Program
                    && self.call.stage == Stage::WhenLarge
                    && matches!(*failure, ToolError::StagedTooLarge { .. }) =>
            {
                outcome.console.push(format!(
                    "[{}.{}] The answer was large, and staging could not take it: {failure}.",
                    self.server.name, self.call.tool
                ));
                outcome.notice =
                    Some("the answer was too large for staging: here is all of it".to_owned());
            }
            Err(error) => return Err(error),
        }
        Ok(())
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

/// The arguments of a GraphQL tool, by what they hold.
#[derive(Debug, Default)]
pub struct GraphqlArguments {
    /// The name of the argument with the document.
    pub name: Option<String>,
    /// The document.
    pub query: Option<String>,
    /// Its variables.
    pub variables: Option<Value>,
    /// The operation that is meant.
    pub operation: Option<String>,
}

impl GraphqlArguments {
    /// Looks for a document among the arguments. One that is none leaves everything empty.
    pub fn read(arguments: &str) -> Self {
        // A document that is worth looking at is not megabytes long, and neither is what comes with it.
        if arguments.len() > graphql::MAX_ARGUMENTS_BYTES {
            return Self::default();
        }
        let Ok(Value::Object(mut fields)) = serde_json::from_str(arguments) else {
            return Self::default();
        };
        let found = [
            "query",
            "graphql",
            "document",
            "gql",
            "operation",
            "mutation",
        ]
        .iter()
        .find(|name| {
            fields
                .get(**name)
                .and_then(Value::as_str)
                .is_some_and(graphql::looks_like_document)
        });
        let Some(name) = found else {
            return Self::default();
        };
        let query = fields.get(*name).and_then(Value::as_str).map(str::to_owned);
        let variables = match fields.remove("variables") {
            // Some tools take them as text.
            Some(Value::String(text)) => serde_json::from_str(&text).ok(),
            Some(object @ Value::Object(_)) => Some(object),
            _ => None,
        };
        let operation = ["operationName", "operation_name"]
            .iter()
            .find_map(|name| fields.get(*name).and_then(Value::as_str))
            .map(str::to_owned);
        Self {
            name: Some((*name).to_owned()),
            query,
            variables,
            operation,
        }
    }
}

/// A failure of the protocol as callers see it.
pub fn upstream(server: &str, failure: Failure, timeout_ms: u32) -> ToolError {
    let failed = |reason: Reason, message: String, status: Option<u16>| ToolError::UpstreamFailed {
        server: server.to_owned(),
        reason,
        message,
        status,
    };
    match failure {
        Failure::Timeout => ToolError::UpstreamTimeout {
            server: server.to_owned(),
            timeout_ms,
        },
        Failure::Connection(text) => failed(
            Reason::Connection,
            format!("the connection failed: {text}"),
            None,
        ),
        Failure::Status { status, text, .. } => {
            let text = if text.is_empty() {
                String::new()
            } else {
                format!(": {text}")
            };
            failed(
                Reason::Status,
                format!("the server answered with status {status}{text}"),
                Some(status),
            )
        }
        Failure::Unauthorized(status) => failed(
            Reason::Unauthorized,
            format!("the server refused the credentials with status {status}"),
            Some(status),
        ),
        Failure::Redirect(status) => failed(
            Reason::Redirect,
            format!("the server answered with status {status}, a redirect"),
            Some(status),
        ),
        Failure::Protocol(text) => failed(Reason::Protocol, text, None),
        Failure::TooLarge => failed(
            Reason::TooLarge,
            format!(
                "the answer is larger than {} MiB",
                crate::limits::MAX_UPSTREAM_ANSWER_BYTES / (1024 * 1024)
            ),
            None,
        ),
        Failure::Refused {
            code: MISSING_CAPABILITY,
            status,
            message,
            ..
        } => failed(Reason::InputRequired, message, Some(status)),
        Failure::Refused {
            status,
            code,
            message,
            ..
        } => failed(
            Reason::Refused,
            format!("the server refused with code {code}: {message}"),
            Some(status),
        ),
        Failure::InputRequired => failed(
            Reason::InputRequired,
            "the tool asks its user for input".to_owned(),
            None,
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_graphql_document_is_found_among_arguments() {
        let found = GraphqlArguments::read(
            r#"{"query":"query A { a }","variables":"{\"x\":1}","operationName":"A"}"#,
        );
        assert_eq!(found.query.as_deref(), Some("query A { a }"));
        assert_eq!(found.variables, Some(json!({ "x": 1 })));
        assert_eq!(found.operation.as_deref(), Some("A"));
        for none in [r#"{"query":"heart attack"}"#, "{}", "[]", r#"{"query":5}"#] {
            assert!(GraphqlArguments::read(none).query.is_none(), "{none}");
        }
    }
}

//! What becomes of an answer, one pipeline for every caller.
//!
//! 1. The tool's own error.
//! 2. Its data: `structuredContent`, else JSON in text, else text.
//! 3. GraphQL checks, where it is GraphQL.
//! 4. Tables of the session, where it is large or they are wished for.
//! 5. The data, or the receipt of the tables.

use std::borrow::Cow;
use std::rc::Rc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::catalog::Catalog;
use super::request::{ReturnFormat, Stage, ToolCall};
use super::server::Kind;
use super::{Reason, Server, Tool, ToolError};
use crate::database::Database;
use crate::error::{Error, Result};
use crate::graphql;
use crate::limits::{
    MAX_PROGRAM_INLINE_BYTES, MAX_PROGRAM_INLINE_RECORDS, MAX_PROXY_INLINE_BYTES,
    MAX_PROXY_INLINE_RECORDS, MAX_TOOL_ERROR_CHARACTERS,
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
    pub notice: Option<&'static str>,
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
            if matches!(self.call.stage, Stage::Always(_)) {
                return Err(Error::invalid_with_hint(
                    "there is no session to stage the answer in",
                    r#"name one: {"session":"…"}"#,
                ));
            }
            outcome.notice = Some(
                "the answer is large: name a session in the request to have it as tables, or ask the tool for less",
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
        outcome.data = staging::stage(session, &source, &outcome.data)?;
        outcome.staged = true;
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

/// One piece of content, as far as text is concerned.
#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(rename = "type", default)]
    kind: &'a str,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    resource: Option<Resource<'a>>,
}

#[derive(Deserialize)]
struct Resource<'a> {
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

impl<'a> Piece<'a> {
    fn text_of(raw: &'a RawValue) -> Option<Cow<'a, str>> {
        let piece: Self = serde_json::from_str(raw.get()).ok()?;
        match piece.kind {
            "text" => piece.text,
            "resource" => piece.resource?.text,
            _ => None,
        }
    }
}

/// The data of a result, as JSON text.
///
/// A text counts as JSON where it is an object or an array: a text such as `007` stays what it is. Several texts that are all objects are
/// a list of them, as some servers send lists. Content that is not text is handed on as the protocol has it.
pub fn data_of<'a>(result: &CallResult<'a>, tool: Option<&Tool>) -> Cow<'a, str> {
    if let Some(structured) = result.structured
        && structured.get() != "null"
    {
        return Cow::Borrowed(unwrapped(structured, tool).get());
    }
    let texts: Option<Vec<Cow<'_, str>>> = result
        .content
        .iter()
        .map(|piece| Piece::text_of(piece))
        .collect();
    match texts.as_deref() {
        None => Cow::Owned(list_of(result.content.iter().map(|piece| piece.get()))),
        Some([]) => Cow::Borrowed("null"),
        Some([text]) => Cow::Owned(match json_in(text) {
            Some(json) => json.to_owned(),
            None => quoted(text),
        }),
        Some(texts) => {
            let objects: Option<Vec<&str>> = texts
                .iter()
                .map(|text| json_in(text).filter(|json| json.starts_with('{')))
                .collect();
            Cow::Owned(match objects {
                Some(objects) => list_of(objects.into_iter()),
                None => quoted(&texts.join("\n")),
            })
        }
    }
}

/// FastMCP puts what is no object into `{"result": …}`, and says so in the schema.
fn unwrapped<'a>(structured: &'a RawValue, tool: Option<&Tool>) -> &'a RawValue {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapped<'a> {
        #[serde(borrow)]
        result: &'a RawValue,
    }
    let wrapped = tool
        .and_then(|tool| tool.output_schema.as_ref())
        .and_then(|schema| schema.get("x-fastmcp-wrap-result"))
        .and_then(Value::as_bool)
        .unwrap_or(false);
    match serde_json::from_str::<Wrapped<'a>>(structured.get()) {
        Ok(inner) if wrapped => inner.result,
        _ => structured,
    }
}

/// The JSON in a text, where it is an object or an array.
fn json_in(text: &str) -> Option<&str> {
    let trimmed = text.trim();
    if !trimmed.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str::<&RawValue>(trimmed)
        .ok()
        .map(RawValue::get)
}

fn list_of<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let mut list = String::from("[");
    for (at, item) in items.enumerate() {
        if at > 0 {
            list.push(',');
        }
        list.push_str(item);
    }
    list.push(']');
    list
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// What a tool says of its failure.
fn error_text(result: &CallResult<'_>) -> String {
    let texts: Vec<Cow<'_, str>> = result
        .content
        .iter()
        .filter_map(|piece| Piece::text_of(piece))
        .collect();
    let mut text = texts.join("\n");
    if text.trim().is_empty() {
        text = result
            .structured
            .map_or_else(String::new, |structured| structured.get().to_owned());
    }
    if text.is_empty() {
        return "the tool failed and does not say why".to_owned();
    }
    match text.char_indices().nth(MAX_TOOL_ERROR_CHARACTERS) {
        Some((end, _)) => {
            text.truncate(end);
            text.push('…');
            text
        }
        None => text,
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

    fn data(result: &str, output_schema: Option<Value>) -> String {
        let result: CallResult<'_> = serde_json::from_str(result).unwrap();
        let tool = Tool {
            name: "t".to_owned(),
            title: None,
            description: String::new(),
            input_schema: Value::Null,
            output_schema,
            read_only: false,
            idempotent: false,
        };
        data_of(&result, Some(&tool)).into_owned()
    }

    #[test]
    fn structured_content_comes_first_and_stays_as_written() {
        let result = r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"id": 9007199254740993}}"#;
        assert_eq!(data(result, None), r#"{"id": 9007199254740993}"#);
        let result = r#"{"content":[{"type":"text","text":"x"}],"structuredContent":null}"#;
        assert_eq!(data(result, None), r#""x""#);
    }

    #[test]
    fn json_in_text_counts_where_it_is_an_object_or_array() {
        for (text, wanted) in [
            (r#" {"a":1} "#, r#"{"a":1}"#),
            ("[1,2]", "[1,2]"),
            ("007", r#""007""#),
            ("true", r#""true""#),
            ("{broken", r#""{broken""#),
            ("", r#""""#),
        ] {
            let result = json!({ "content": [{ "type": "text", "text": text }] });
            assert_eq!(data(&result.to_string(), None), wanted, "{text}");
        }
    }

    #[test]
    fn several_texts_are_a_list_of_objects_or_one_text() {
        let pieces = |texts: &[&str]| {
            let content: Vec<Value> = texts
                .iter()
                .map(|text| json!({ "type": "text", "text": text }))
                .collect();
            data(&json!({ "content": content }).to_string(), None)
        };
        assert_eq!(
            pieces(&[r#"{"a":1}"#, r#"{"a":2}"#]),
            r#"[{"a":1},{"a":2}]"#
        );
        assert_eq!(pieces(&[r#"{"a":1}"#, "b"]), r#""{\"a\":1}\nb""#);
        assert_eq!(pieces(&[]), "null");
    }

    #[test]
    fn what_is_not_text_is_handed_on() {
        let result = r#"{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}]}"#;
        assert_eq!(
            data(result, None),
            r#"[{"type":"image","data":"AA==","mimeType":"image/png"}]"#
        );
        let result = r#"{"content":[{"type":"resource","resource":{"uri":"x:y","text":"[1]"}}]}"#;
        assert_eq!(data(result, None), "[1]");
    }

    #[test]
    fn a_wrapped_result_is_unwrapped_where_the_schema_says_so() {
        let result = r#"{"content":[],"structuredContent":{"result":[1]}}"#;
        assert_eq!(data(result, None), r#"{"result":[1]}"#);
        assert_eq!(
            data(result, Some(json!({ "x-fastmcp-wrap-result": true }))),
            "[1]"
        );
    }

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

    #[test]
    fn the_words_of_a_failing_tool_are_kept_up_to_a_cap() {
        let long = "é".repeat(MAX_TOOL_ERROR_CHARACTERS + 1);
        for (content, wanted) in [
            (
                json!([{ "type": "text", "text": "no\nluck" }]),
                "no\nluck".to_owned(),
            ),
            (json!([]), "the tool failed and does not say why".to_owned()),
            (
                json!([{ "type": "text", "text": long }]),
                format!("{}…", "é".repeat(MAX_TOOL_ERROR_CHARACTERS)),
            ),
        ] {
            let text = json!({ "content": content, "isError": true }).to_string();
            let result: CallResult<'_> = serde_json::from_str(&text).unwrap();
            assert_eq!(error_text(&result), wanted);
        }
    }
}

//! Tools that the caller of a program runs itself while the program runs: `helpers.host` has them,
//! as `helpers.{server}` has those of a server.
//!
//! A call is checked against its tool's schema before it is sent, and its result is processed like
//! every other result: data, checks, tables. The code that runs the program carries calls to the
//! caller, and responses to the program.

use std::rc::Rc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::catalog::Catalog;
use super::gateway::{check_arguments, doubt_of, tool_of};
use super::outcome::ToolResponse;
use super::render::{described, page_of};
use super::request::{SearchRequest, ToolCall};
use super::server::{HOST, Kind};
use super::{Server, declarations, search};
use crate::limits::{MAX_HOST_TOOL_BYTES, MAX_HOST_TOOL_NAME_CHARACTERS, MAX_HOST_TOOLS};
use base::entries::Fields;
use base::known::{self, Given};
use base::{CommonError, Error, Result};
use mcp::client::Endpoint;
use mcp::listing::Listing;
use mcp::{Message, Tool};

/// The field of a request that lists the tools.
pub const HOST_TOOLS: &str = "hostTools";

/// Names of `helpers.host` that are not tools.
const METHODS: [&str; 5] = [
    "listTools",
    "searchTools",
    "getToolSchema",
    "invoke",
    "queryStagedData",
];

const EXAMPLE: &str = r#"send "hostTools":[{"name":"forecast","description":"The weather of tomorrow","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}}}]"#;

/// The tools of one request.
pub struct HostTools {
    server: Server,
    catalog: Rc<Catalog>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wire {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    input_schema: Option<Value>,
    #[serde(default)]
    output_schema: Option<Value>,
}

impl HostTools {
    /// Reads the list of a request.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] with the problem, `TOO_BIG` for too many tools or a too
    /// long list.
    pub fn parse(list: &str, timeout_ms: u32) -> Result<Self> {
        let too_big = |message: String| {
            Error::from(CommonError::TooBig {
                message,
                hint: "send only the tools that this program calls".to_owned(),
            })
        };
        if list.len() > MAX_HOST_TOOL_BYTES {
            return Err(too_big(format!(
                "{HOST_TOOLS} has {} bytes, the limit is {MAX_HOST_TOOL_BYTES}",
                list.len()
            )));
        }
        let read: Vec<Wire> = serde_json::from_str(list)
            .map_err(|error| wrong(&format!("{HOST_TOOLS} is not a list of tools: {error}")))?;
        if read.len() > MAX_HOST_TOOLS {
            return Err(too_big(format!(
                "{HOST_TOOLS} has {} tools, the limit is {MAX_HOST_TOOLS}",
                read.len()
            )));
        }
        let mut tools: Vec<Tool> = Vec::with_capacity(read.len());
        for tool in read {
            check_name(&tool.name)?;
            if tools.iter().any(|known| known.name == tool.name) {
                return Err(wrong(&format!("{HOST_TOOLS} names {} twice", tool.name)));
            }
            tools.push(tool_from(tool)?);
        }
        let listing = Listing {
            tools,
            ttl_ms: None,
            warnings: Vec::new(),
        };
        Ok(Self {
            server: server(timeout_ms),
            catalog: Rc::new(Catalog::new(listing, None, 0)),
        })
    }

    /// Checks a call, whose tool may be given in another spelling.
    ///
    /// # Errors
    /// [`super::ToolError`] for an unknown tool or invalid arguments.
    pub fn check(&self, mut call: ToolCall) -> Result<ToolCall> {
        call.tool.clone_from(&tool_of(&self.catalog, &call)?.name);
        check_arguments(&self.catalog, &call)?;
        Ok(call)
    }

    /// Converts the response to a call into a result like that of a server.
    ///
    /// # Errors
    /// As [`HostTools::check`].
    pub fn fetched(&self, call: ToolCall, response: &HostResponse) -> Result<ToolResponse> {
        let doubts = doubt_of(tool_of(&self.catalog, &call)?, &call.arguments);
        Ok(ToolResponse {
            server: self.server.clone(),
            catalog: Rc::clone(&self.catalog),
            call,
            message: response.message(),
            doubts: doubts.into_iter().collect(),
        })
    }

    /// Returns all tools with their schemas, as the fields of a result.
    pub fn list(&self) -> Value {
        let tools: Vec<Value> = self.catalog.tools.iter().map(described).collect();
        json!({ "server": HOST, "tools": tools })
    }

    /// Returns one tool with its schemas and its declaration, as the fields of a result.
    ///
    /// # Errors
    /// As [`HostTools::check`].
    pub fn describe(&self, tool: &str) -> Result<Value> {
        let found = self.catalog.tool(tool);
        let found = found.ok_or_else(|| super::gateway::not_found(&self.catalog, HOST, tool))?;
        Ok(
            json!({ "server": HOST, "tool": described(found), "declaration": declarations::method(found) }),
        )
    }

    /// Returns one page of a search, as the fields of a result.
    pub fn search(&self, request: &SearchRequest) -> Value {
        let tools = self.catalog.tools.iter().map(|tool| (HOST, tool));
        let hits = search::search(&request.query, tools);
        page_of(&hits, request, Vec::new())
    }

    /// Returns the timeout of one call, in milliseconds.
    pub fn timeout_ms(&self) -> u32 {
        self.server.timeout_ms
    }
}

/// The response of the caller to a call.
#[derive(Debug, Clone)]
pub enum HostResponse {
    /// The result, which may be any JSON.
    Result(Box<RawValue>),
    /// The caller's description of the failure.
    Failure(String),
}

/// The fields of a response.
const END_FIELDS: &[&str] = &["executionId", "call", "result", "error"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnsweredCall {
    execution_id: String,
    call: u64,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    error: Option<WireFailure>,
}

#[derive(Deserialize)]
struct WireFailure {
    message: String,
}

/// Distinguishes `null`, which is a result, from a missing field.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// A response, and the call to which it belongs.
#[derive(Debug, Clone)]
pub struct HostCallEnd {
    /// The id of the program run.
    pub execution_id: String,
    /// The number of the call in that run.
    pub call: u64,
    /// The response.
    pub response: HostResponse,
}

impl HostCallEnd {
    /// Reads a body.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`], or [`CommonError::InvalidArgument`] for an unknown field.
    pub fn parse(body: &str) -> Result<Self> {
        let invalid = |problem: String| {
            Error::from(CommonError::InvalidBody {
                message: format!("the body is not the response to a call: {problem}"),
                hint: Some(
                    r#"send {"executionId":"…","call":1,"result":…}, or "error":{"message":"…"} instead of result"#
                        .to_owned(),
                ),
            })
        };
        let fields: Fields<IgnoredAny> =
            serde_json::from_str(body).map_err(|error| invalid(error.to_string()))?;
        let names = fields.0.iter().map(|(name, _)| name.as_str());
        known::check(Given::Field, names, END_FIELDS)?;
        let wire: AnsweredCall =
            serde_json::from_str(body).map_err(|error| invalid(error.to_string()))?;
        let response = match (wire.result, wire.error) {
            (Some(result), None) => HostResponse::Result(result),
            (None, Some(error)) => HostResponse::Failure(error.message),
            (None, None) => return Err(invalid("result and error are missing".to_owned())),
            (Some(_), Some(_)) => {
                return Err(invalid("it has both a result and an error".to_owned()));
            }
        };
        Ok(Self {
            execution_id: wire.execution_id,
            call: wire.call,
            response,
        })
    }
}

impl HostResponse {
    /// Returns the message that a server would have sent.
    fn message(&self) -> Message {
        Message::of_result(&match self {
            Self::Result(result) => {
                format!(r#"{{"content":[],"structuredContent":{{"result":{result}}}}}"#)
            }
            Self::Failure(words) => {
                json!({ "isError": true, "content": [{ "type": "text", "text": words }] })
                    .to_string()
            }
        })
    }
}

fn check_name(name: &str) -> Result<()> {
    let mut letters = name.chars();
    let begins = letters
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic() || matches!(letter, '_' | '$'));
    let is_identifier = begins
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$'));
    if !is_identifier || name.len() > MAX_HOST_TOOL_NAME_CHARACTERS {
        return Err(wrong(&format!(
            "the name of a tool in {HOST_TOOLS} must be an identifier of at most {MAX_HOST_TOOL_NAME_CHARACTERS} characters"
        )));
    }
    let is_of_language = name.starts_with("__") || super::server::RESERVED_NAMES.contains(&name);
    if METHODS.contains(&name) || is_of_language {
        return Err(wrong(&format!(
            "{name} is a name of helpers.{HOST} itself, and cannot be the name of a tool"
        )));
    }
    Ok(())
}

fn tool_from(wire: Wire) -> Result<Tool> {
    let schema = wire
        .input_schema
        .unwrap_or_else(|| json!({ "type": "object" }));
    if !schema.is_object() {
        return Err(wrong(&format!(
            "the inputSchema of {} must be an object",
            wire.name
        )));
    }
    let mut properties = Map::new();
    let result = wire.output_schema.unwrap_or_else(|| json!({}));
    properties.insert("result".to_owned(), result);
    Ok(Tool {
        name: wire.name,
        title: None,
        description: wire.description,
        input_schema: schema,
        // A result may be any JSON, but the result of a server is an object.
        output_schema: Some(
            json!({ "type": "object", "properties": properties, "x-fastmcp-wrap-result": true }),
        ),
        read_only: false,
        idempotent: false,
    })
}

fn server(timeout_ms: u32) -> Server {
    Server {
        name: HOST.to_owned(),
        endpoint: Endpoint {
            url: String::new(),
            headers: Vec::new(),
            secrets: net::Secrets::default(),
            access: None,
        },
        kind: Kind::Any,
        mappings: HOST.to_owned(),
        timeout_ms,
        pass_through: None,
        tenants: None,
    }
}

fn wrong(message: &str) -> Error {
    Error::invalid_with_hint(message, EXAMPLE)
}

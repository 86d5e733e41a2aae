//! JSON-RPC messages from a client, and the messages that are sent back.
//!
//! Results are JSON text that is inserted into a message: they are neither parsed nor printed
//! again.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::failure::shorten;
use crate::limits::{MAX_CLIENT_BATCH, MAX_REQUEST_ID_BYTES};
use base::Kind;

/// The text is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The JSON is not a JSON-RPC message.
pub const INVALID_REQUEST: i64 = -32600;
/// The parameters are invalid for the method.
pub const INVALID_PARAMS: i64 = -32602;
/// An internal error.
pub const INTERNAL_ERROR: i64 = -32603;

/// The status of a message that is refused before its method is read.
const BAD_REQUEST: u16 = 400;
/// The status of a response whose body describes the error.
const OK: u16 = 200;

/// The id of a request, as the JSON text that its sender wrote: a response repeats it byte by byte.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestId(String);

impl RequestId {
    /// Parses a short string or integer; MCP allows no other ids.
    pub fn parse(raw: &RawValue) -> Option<Self> {
        let text = raw.get();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        // 1.0 is an integer in JSON Schema, and therefore in the schema of the protocol.
        let is_integer = !whole.is_empty()
            && whole.bytes().all(|byte| byte.is_ascii_digit())
            && !fraction.is_empty()
            && fraction.bytes().all(|byte| byte == b'0');
        let is_short = text.len() <= MAX_REQUEST_ID_BYTES;
        (is_short && (is_integer || text.starts_with('"'))).then(|| Self(text.to_owned()))
    }

    /// Creates an id for a request of the server.
    pub fn own(number: u64) -> Self {
        Self(number.to_string())
    }

    /// Returns the JSON text.
    pub fn json(&self) -> &str {
        &self.0
    }
}

/// The error of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The HTTP status, if the response has not begun yet.
    pub status: u16,
    /// The JSON-RPC error code.
    pub code: i64,
    /// The description of the error.
    pub message: String,
    /// Data of the error for programs.
    pub data: Option<Box<Value>>,
}

impl Fault {
    /// Creates the fault of a message that is refused as a whole.
    pub fn refused(code: i64, message: impl Into<String>) -> Self {
        Self {
            status: BAD_REQUEST,
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Creates the fault of invalid parameters. The message itself was valid, so the status is 200.
    pub fn params(message: impl Into<String>) -> Self {
        Self {
            status: OK,
            ..Self::refused(INVALID_PARAMS, message)
        }
    }

    /// Returns the fault with data.
    #[must_use]
    pub fn with(self, data: Value) -> Self {
        Self {
            data: Some(Box::new(data)),
            ..self
        }
    }

    /// Renders the response, with the id of the request if it could be read.
    pub fn render(&self, id: Option<&RequestId>) -> String {
        let message = Value::from(self.message.as_str());
        let mut text = r#"{"jsonrpc":"2.0","#.to_owned();
        // Writing to a string cannot fail.
        if let Some(id) = id {
            let _written = write!(text, r#""id":{},"#, id.json());
        }
        let _written = write!(
            text,
            r#""error":{{"code":{},"message":{message}"#,
            self.code
        );
        if let Some(data) = &self.data {
            let _written = write!(text, r#","data":{data}"#);
        }
        text.push_str("}}");
        text
    }
}

impl From<base::Error> for Fault {
    /// Converts a failure outside a tool. Errors of a tool are part of its result and do not come
    /// here.
    fn from(error: base::Error) -> Self {
        let code = match error.kind() {
            // These errors are not caused by the parameters: another request may succeed.
            Kind::Internal | Kind::Overloaded | Kind::Upstream | Kind::Timeout | Kind::Full => {
                INTERNAL_ERROR
            }
            Kind::Invalid
            | Kind::Unauthenticated
            | Kind::Forbidden
            | Kind::NotFound
            | Kind::WrongMethod
            | Kind::Conflict
            | Kind::PreconditionFailed
            | Kind::TooLarge
            | Kind::UnsupportedForm
            | Kind::Unprocessable
            | Kind::NotBuiltIn => INVALID_PARAMS,
        };
        Self {
            status: OK,
            ..Self::refused(code, error.to_string()).with(error.to_json())
        }
    }
}

/// Renders a response with a result, which is JSON text.
pub fn render_result(id: &RequestId, result: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        id.json()
    )
}

/// Renders a notification. `params` is JSON text.
pub fn render_notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

/// Renders a request to a client. `params` is JSON text.
pub fn render_request(id: &RequestId, method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"method":"{method}","params":{params}}}"#,
        id.json()
    )
}

/// A message of a client.
#[derive(Debug)]
pub enum Incoming<'a> {
    /// A request, which needs a response.
    Request {
        /// The id.
        id: RequestId,
        /// The method.
        method: Cow<'a, str>,
        /// The parameters, a JSON object.
        params: Option<&'a RawValue>,
    },
    /// A notification, which needs no response.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// The parameters, a JSON object.
        params: Option<&'a RawValue>,
    },
    /// A response to a request of the server.
    Response {
        /// The id of that request.
        id: RequestId,
        /// The result, or the error, as JSON text.
        outcome: Result<&'a RawValue, &'a RawValue>,
    },
}

/// A message that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    /// The id, if it could be read.
    pub id: Option<RequestId>,
    /// The error.
    pub fault: Fault,
}

impl Unreadable {
    fn new(id: Option<RequestId>, fault: Fault) -> Self {
        Self { id, fault }
    }
}

/// A request body: one message or a batch. Only the version of 2025-03-26 has batches.
#[derive(Debug)]
pub enum Body<'a> {
    /// One message.
    One(Incoming<'a>),
    /// Several messages, each parsed on its own.
    Batch(Vec<Result<Incoming<'a>, Unreadable>>),
}

#[derive(Deserialize)]
#[serde(expecting = "a message of JSON-RPC")]
struct Raw<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    /// Some libraries write `null` for no parameters.
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Keeps `null` as a value: an id of `null` is an error, and a missing id makes a notification.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

/// Parses a request body.
///
/// # Errors
/// [`PARSE_ERROR`] for text that is not JSON, [`INVALID_REQUEST`] for JSON that is not a message.
pub fn parse(body: &str) -> Result<Body<'_>, Unreadable> {
    if !body.trim_start().starts_with('[') {
        return read(body).map(Body::One);
    }
    let List(messages) = serde_json::from_str(body).map_err(|error| unreadable(&error))?;
    if messages.is_empty() {
        let fault = Fault::refused(INVALID_REQUEST, "the batch is empty");
        return Err(Unreadable::new(None, fault));
    }
    Ok(Body::Batch(
        messages.iter().map(|message| read(message.get())).collect(),
    ))
}

/// The messages of a batch, at most [`MAX_CLIENT_BATCH`].
struct List<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for List<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Messages;
        impl<'de> Visitor<'de> for Messages {
            type Value = List<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a batch of messages")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<List<'de>, A::Error> {
                let mut messages = Vec::new();
                while let Some(message) = items.next_element()? {
                    if messages.len() == MAX_CLIENT_BATCH {
                        let problem = format!("a batch has at most {MAX_CLIENT_BATCH} messages");
                        return Err(A::Error::custom(problem));
                    }
                    messages.push(message);
                }
                Ok(List(messages))
            }
        }
        deserializer.deserialize_seq(Messages)
    }
}

fn read(text: &str) -> Result<Incoming<'_>, Unreadable> {
    // serde would read a list as the fields of a structure in their order.
    let is_object = text.trim_start().starts_with('{');
    if !is_object && serde_json::from_str::<&RawValue>(text).is_ok() {
        return Err(invalid(None, "a message must be a JSON object"));
    }
    let raw: Raw<'_> = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
    let id = raw.id.and_then(RequestId::parse);
    if raw.jsonrpc.as_deref() != Some("2.0") {
        return Err(invalid(id, r#"the field jsonrpc must be "2.0""#));
    }
    if raw.id.is_some() && id.is_none() {
        let problem = format!(
            "the id must be a string or an integer of at most {MAX_REQUEST_ID_BYTES} bytes"
        );
        return Err(invalid(None, problem));
    }
    let Some(method) = raw.method else {
        return read_response(id, raw.result, raw.error);
    };
    if raw.result.is_some() || raw.error.is_some() {
        let problem = "a message with a method must have neither result nor error";
        return Err(invalid(id, problem));
    }
    let params = raw.params;
    if params.is_some_and(|params| !params.get().starts_with('{')) {
        return Err(invalid(id, "params must be an object"));
    }
    Ok(match id {
        Some(id) => Incoming::Request { id, method, params },
        None => Incoming::Notification { method, params },
    })
}

fn read_response<'a>(
    id: Option<RequestId>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
) -> Result<Incoming<'a>, Unreadable> {
    let outcome = match (result, error) {
        (Some(result), None) => Ok(result),
        (None, Some(error)) => Err(error),
        (Some(_), Some(_)) => {
            return Err(invalid(
                id,
                "a response must have a result or an error, not both",
            ));
        }
        (None, None) => return Err(invalid(id, "the field method is missing")),
    };
    match id {
        Some(id) => Ok(Incoming::Response { id, outcome }),
        None => Err(invalid(None, "a response must have the id of its request")),
    }
}

fn invalid(id: Option<RequestId>, problem: impl Into<String>) -> Unreadable {
    Unreadable::new(id, Fault::refused(INVALID_REQUEST, problem))
}

fn unreadable(error: &serde_json::Error) -> Unreadable {
    let words = shorten(&error.to_string());
    let fault = match error.classify() {
        Category::Data => Fault::refused(
            INVALID_REQUEST,
            format!("not a message of JSON-RPC: {words}"),
        ),
        Category::Syntax | Category::Eof | Category::Io => {
            Fault::refused(PARSE_ERROR, format!("the body is not JSON: {words}"))
        }
    };
    Unreadable::new(None, fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(body: &str) -> (i64, String) {
        let unreadable = parse(body).unwrap_err();
        (unreadable.fault.code, unreadable.fault.message)
    }

    fn id_of(text: &str) -> Option<String> {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{text},"method":"ping"}}"#);
        match parse(&body) {
            Ok(Body::One(Incoming::Request { id, .. })) => Some(id.json().to_owned()),
            _ => None,
        }
    }

    #[test]
    fn ids_are_texts_and_integers_and_come_back_as_they_were() {
        for id in [
            "0",
            "-7",
            "1.0",
            r#""""#,
            r#""a\u0062""#,
            "9007199254740993",
        ] {
            assert_eq!(id_of(id).as_deref(), Some(id));
        }
        let long = format!("\"{}\"", "x".repeat(MAX_REQUEST_ID_BYTES));
        for id in ["null", "1.5", "1e3", "true", "[]", "{}", "-", &long] {
            assert_eq!(id_of(id), None, "{id}");
        }
    }

    #[test]
    fn params_of_null_are_none() {
        let parsed = parse(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#).unwrap();
        assert!(matches!(
            parsed,
            Body::One(Incoming::Request { params: None, .. })
        ));
    }

    #[test]
    fn a_notification_has_no_id_and_a_response_no_method() {
        let parsed = parse(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).unwrap();
        assert!(matches!(parsed, Body::One(Incoming::Notification { .. })));
        let parsed = parse(r#"{"jsonrpc":"2.0","id":"s","result":{"action":"accept"}}"#).unwrap();
        let Body::One(Incoming::Response { id, outcome }) = parsed else {
            panic!("a response");
        };
        assert_eq!(id.json(), r#""s""#);
        assert_eq!(outcome.unwrap().get(), r#"{"action":"accept"}"#);
    }

    #[test]
    fn what_is_no_message_is_told_apart_from_what_is_no_json() {
        for body in ["", "{", "nonsense", r#"{"jsonrpc":"2.0","id":1"#] {
            assert_eq!(fault(body).0, PARSE_ERROR, "{body}");
        }
        for body in [
            "[]",
            "1",
            "null",
            r#""text""#,
            "{}",
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
        ] {
            assert_eq!(fault(body).0, INVALID_REQUEST, "{body}");
        }
    }

    #[test]
    fn an_error_repeats_the_id_that_could_be_read() {
        let unreadable = parse(r#"{"jsonrpc":"2.0","id":"x","method":"a","params":[]}"#);
        let Unreadable { id, fault } = unreadable.unwrap_err();
        assert_eq!(
            fault.render(id.as_ref()),
            r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"params must be an object"}}"#
        );
        let bare = Fault::refused(PARSE_ERROR, "a \"quote\"").render(None);
        assert_eq!(
            bare,
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"a \"quote\""}}"#
        );
    }

    #[test]
    fn a_batch_is_bounded_and_each_message_is_read_by_itself() {
        let Body::Batch(messages) =
            parse(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},5]"#).unwrap()
        else {
            panic!("a batch");
        };
        assert!(messages.first().is_some_and(Result::is_ok));
        assert!(messages.last().is_some_and(Result::is_err));
        let many = vec!["{}"; MAX_CLIENT_BATCH + 1].join(",");
        assert_eq!(fault(&format!("[{many}]")).0, INVALID_REQUEST);
    }

    #[test]
    fn nesting_without_end_is_read_without_recursion() {
        let deep = "[".repeat(1_000_000);
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"x":{deep}"#);
        assert_eq!(fault(&body).0, PARSE_ERROR);
        let closed = format!("{deep}{}", "]".repeat(1_000_000));
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"x":{closed}}}}}"#);
        assert!(parse(&body).is_ok());
    }
}

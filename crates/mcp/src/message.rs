//! The JSON-RPC messages of a server: responses, notifications and requests, one at a time or as a
//! batch in the version that has batches.

use std::borrow::Cow;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::failure::{Failure, shorten};
use super::rpc_error::{self, RpcError};
use crate::limits::MAX_BATCHED_MESSAGES;

/// A response with a result, as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub(super) text: String,
}

impl Message {
    /// Makes the message that a server would have sent with this result, which is JSON text.
    pub fn of_result(result: &str) -> Self {
        Self {
            text: format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#),
        }
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns false: a result is never empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the JSON text of the result.
    ///
    /// # Errors
    /// [`Failure::Protocol`], which cannot occur because the text has been read before.
    pub fn result(&self) -> Result<&RawValue, Failure> {
        Incoming::parse(self.text.as_bytes())?
            .result
            .ok_or_else(|| Failure::Protocol("the response has no result".to_owned()))
    }
}

/// A message that a server sends before its response.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// The progress of a call.
    Progress(Progress),
    /// A request of the server, which expects a response with this id: `ping`, or a request that
    /// this client does not support.
    Request {
        /// Its id, as JSON text.
        id: String,
        /// True if it is a ping.
        ping: bool,
    },
}

/// The progress of a call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Progress {
    /// The progress so far.
    pub progress: f64,
    /// The value at the end, if the server knows it.
    pub total: Option<f64>,
    /// The progress in words.
    pub message: Option<String>,
}

/// The token of the request that a progress notification belongs to.
#[derive(Deserialize)]
struct Token<'a> {
    #[serde(rename = "progressToken", borrow, default)]
    token: Option<&'a RawValue>,
}

/// The reading of a list as several messages. Only the version of 2025-03-26 has batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Batches {
    /// A list is several messages.
    Read,
    /// A list is not a message.
    Refused,
}

/// The members of one message that are used here.
#[derive(Deserialize)]
#[serde(expecting = "a message of JSON-RPC")]
pub(super) struct Incoming<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    /// `null` counts as a result, although MCP has no such result.
    #[serde(borrow, default, deserialize_with = "present")]
    pub result: Option<&'a RawValue>,
    /// An error of any type; `null` means no error.
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    /// The version of JSON-RPC, with any value.
    #[serde(borrow, default)]
    jsonrpc: Option<&'a RawValue>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

impl<'a> Incoming<'a> {
    /// Reads one message.
    ///
    /// # Errors
    /// [`Failure::NotMcp`].
    pub fn parse(text: &'a [u8]) -> Result<Self, Failure> {
        // serde would read a list as the fields of a structure in their order.
        if let Some(kind) = kind_of_no_object(text.trim_ascii_start().first()) {
            return Err(no_message(&format!("it is {kind}")));
        }
        serde_json::from_slice(text).map_err(|error| no_message(&error.to_string()))
    }

    /// Returns the error, if there is one, of whatever type.
    pub fn error(&self) -> Option<RpcError> {
        // `false` beside a result means no error.
        let error = self.error.filter(|error| error.get() != "false")?;
        Some(RpcError::read(error.get()))
    }

    /// Returns true if the error is one of JSON-RPC, and not one of a gateway or an authorization
    /// server, whose other members say more.
    pub fn is_of_the_protocol(&self) -> bool {
        self.jsonrpc.is_some()
            || self
                .error
                .is_some_and(|error| rpc_error::has_code(error.get()))
    }

    /// Returns true if this is the response to the request with this id. An error may lack the id
    /// if the server could not read the request.
    pub fn answers(&self, id: u64) -> bool {
        if !self.is_answer() {
            return false;
        }
        match self.id.map(|id| id.get().trim_matches('"')) {
            Some("null") | None => self.has_error(),
            Some(text) => text.parse() == Ok(id),
        }
    }

    /// Returns true if this is a response to any request.
    pub fn is_answer(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.has_error())
    }

    fn has_error(&self) -> bool {
        self.error.is_some_and(|error| error.get() != "false")
    }

    /// Checks that the result, if there is one, is an object, as MCP requires.
    ///
    /// # Errors
    /// [`Failure::Protocol`].
    pub fn check_result(&self) -> Result<(), Failure> {
        let first = self.result.map(|result| result.get().as_bytes().first());
        match first.and_then(kind_of_no_object) {
            None => Ok(()),
            Some(kind) => Err(Failure::Protocol(format!(
                "the result is {kind}; it must be an object"
            ))),
        }
    }

    /// Returns the notice for the caller that waits for the response to the request with this id,
    /// if any.
    pub fn notice(&self, id: u64) -> Option<Notice> {
        let method = self.method.as_deref()?;
        if let Some(theirs) = self.id {
            return Some(Notice::Request {
                id: theirs.get().to_owned(),
                ping: method == "ping",
            });
        }
        if method != "notifications/progress" {
            return None;
        }
        let params = self.params?.get();
        let token: Token<'_> = serde_json::from_str(params).ok()?;
        // The token of a request is its id. Each request has its own stream, but a server may
        // confuse them.
        let is_ours = |token: &RawValue| token.get().trim_matches('"').parse() == Ok(id);
        let is_others = token.token.is_some_and(|token| !is_ours(token));
        let progress: Progress = serde_json::from_str(params).ok()?;
        (!is_others).then_some(Notice::Progress(progress))
    }
}

fn no_message(why: &str) -> Failure {
    Failure::NotMcp(format!(
        "the response is not a JSON-RPC message: {}",
        shorten(why)
    ))
}

/// Names the type of JSON that begins with this byte; none for an object or invalid JSON.
fn kind_of_no_object(first: Option<&u8>) -> Option<&'static str> {
    match first? {
        b'[' => Some("a list"),
        b'"' => Some("a text"),
        b'n' => Some("null"),
        b't' | b'f' => Some("a boolean"),
        b'-' | b'0'..=b'9' => Some("a number"),
        _ => None,
    }
}

/// Returns true if a text is a batch of messages.
pub(super) fn is_batch(text: &[u8], batches: Batches) -> bool {
    batches == Batches::Read && text.trim_ascii_start().starts_with(b"[")
}

/// Searches a text for the response to the request with this id, and passes on the other messages.
///
/// # Errors
/// [`Failure::NotMcp`] for a text that is not a message.
pub(super) fn find_answer(
    text: Vec<u8>,
    id: u64,
    batches: Batches,
    notice: &mut impl FnMut(Notice),
) -> Result<Option<Vec<u8>>, Failure> {
    if is_batch(&text, batches) {
        return find_answer_in_batch(&text, id, notice);
    }
    let incoming = Incoming::parse(&text)?;
    if incoming.answers(id) {
        if incoming.id.is_none() && !incoming.is_of_the_protocol() {
            // The server has sent something of its own as an event. The failure quotes it if no
            // response follows.
            return Err(no_message(&String::from_utf8_lossy(&text)));
        }
        return Ok(Some(text));
    }
    if let Some(seen) = incoming.notice(id) {
        notice(seen);
    }
    Ok(None)
}

fn find_answer_in_batch(
    text: &[u8],
    id: u64,
    notice: &mut impl FnMut(Notice),
) -> Result<Option<Vec<u8>>, Failure> {
    let mut answer = None;
    let mut each = |message: &RawValue| {
        // A message that cannot be read does not spoil the others.
        let Ok(incoming) = Incoming::parse(message.get().as_bytes()) else {
            return;
        };
        if incoming.answers(id) {
            answer.get_or_insert_with(|| message.get().as_bytes().to_vec());
        } else if let Some(seen) = incoming.notice(id) {
            notice(seen);
        }
    };
    let mut batch = serde_json::Deserializer::from_slice(text);
    batch
        .deserialize_seq(EachMessage(&mut each))
        .and_then(|()| batch.end())
        .map_err(|error| no_message(&error.to_string()))?;
    Ok(answer)
}

/// A visitor that reads a list message by message: as a whole it would take many times the memory
/// of its text.
struct EachMessage<'f, F>(&'f mut F);

impl<'de, F: FnMut(&'de RawValue)> Visitor<'de> for EachMessage<'_, F> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut messages = 0;
        while let Some(message) = list.next_element()? {
            messages += 1;
            if messages > MAX_BATCHED_MESSAGES {
                return Err(A::Error::custom(format_args!(
                    "a list of more than {MAX_BATCHED_MESSAGES} messages"
                )));
            }
            (self.0)(message);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, batches: Batches) -> (Result<Option<String>, Failure>, usize) {
        let mut notices = 0;
        let found = find_answer(text.as_bytes().to_vec(), 3, batches, &mut |_| notices += 1);
        let found = found.map(|found| found.map(|text| String::from_utf8(text).unwrap()));
        (found, notices)
    }

    #[test]
    fn a_batch_is_its_messages_where_there_are_batches() {
        let batch =
            r#" [1, {"id":"p","method":"ping"}, {"id":4,"result":{}}, {"id":3,"result":{"a":1}} ]"#;
        let (found, notices) = find(batch, Batches::Read);
        assert_eq!(found.unwrap().unwrap(), r#"{"id":3,"result":{"a":1}}"#);
        assert_eq!(notices, 1);
        let (refused, _) = find(batch, Batches::Refused);
        let text = format!("{:?}", refused.unwrap_err());
        assert!(text.contains("it is a list"), "{text}");
        assert_eq!(find("[]", Batches::Read).0, Ok(None));
        assert!(find("[{}", Batches::Read).0.is_err());
    }

    #[test]
    fn a_batch_of_very_many_messages_is_none() {
        let batch = format!("[{}1]", "1,".repeat(MAX_BATCHED_MESSAGES));
        let text = format!("{:?}", find(&batch, Batches::Read).0.unwrap_err());
        assert!(text.contains("more than"), "{text}");
    }

    #[test]
    fn progress_of_another_request_says_nothing() {
        for (token, notices) in [("3", 1), ("\"3\"", 1), ("4", 0), ("\"other\"", 0)] {
            let text = format!(
                r#"{{"method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
            );
            assert_eq!(
                find(&text, Batches::Refused),
                (Ok(None), notices),
                "{token}"
            );
        }
    }

    #[test]
    fn an_error_of_something_else_is_passed_over_in_a_stream() {
        let (found, _) = find(r#"{"error":"no heartbeat"}"#, Batches::Refused);
        assert!(format!("{found:?}").contains("no heartbeat"), "{found:?}");
        for error in [
            r#"{"jsonrpc":"2.0","error":"no"}"#,
            r#"{"error":{"code":-1,"message":"no"}}"#,
            r#"{"id":3,"error":"no"}"#,
        ] {
            assert!(
                matches!(find(error, Batches::Refused).0, Ok(Some(_))),
                "{error}"
            );
        }
    }

    #[test]
    fn what_is_no_message_is_called_what_it_is() {
        for (text, wanted) in [
            ("1700000000", "it is a number"),
            ("\"still alive\"", "it is a text"),
            ("null", "it is null"),
            ("still alive", "expected value"),
        ] {
            let text = format!("{:?}", find(text, Batches::Refused).0.unwrap_err());
            assert!(text.contains(wanted) && !text.contains("struct"), "{text}");
        }
    }
}

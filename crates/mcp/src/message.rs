//! What a server says, as messages of JSON-RPC: answers, notifications, and requests of its own; one by one, or as a batch where the
//! version has those.

use std::borrow::Cow;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::failure::{Failure, shorten};
use super::rpc_error::{self, RpcError};
use crate::limits::MAX_BATCHED_MESSAGES;

/// A response with a result, as it came.
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

    /// Bytes of it.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Never: a result takes room.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The JSON text of the result.
    ///
    /// # Errors
    /// [`Failure::Protocol`]; it has been read once, so there is no reason for it.
    pub fn result(&self) -> Result<&RawValue, Failure> {
        Incoming::parse(self.text.as_bytes())?
            .result
            .ok_or_else(|| Failure::Protocol("the response has no result".to_owned()))
    }
}

/// What a server sends while it works.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// How far it is.
    Progress(Progress),
    /// A request of its own, which wants the response with this id: `ping`, or something that this client does not do.
    Request {
        /// Its id, as JSON text.
        id: String,
        /// Whether it is a ping.
        ping: bool,
    },
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Progress {
    /// So far.
    pub progress: f64,
    /// Of how much, where the server knows.
    pub total: Option<f64>,
    /// In words.
    pub message: Option<String>,
}

/// Whose progress it is.
#[derive(Deserialize)]
struct Token<'a> {
    #[serde(rename = "progressToken", borrow, default)]
    token: Option<&'a RawValue>,
}

/// Whether several messages may come as one list. Only the version of 2025-03-26 has that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Batches {
    /// A list is its messages.
    Read,
    /// A list is no message.
    Refused,
}

/// One message, as far as it matters here.
#[derive(Deserialize)]
#[serde(expecting = "a message of JSON-RPC")]
pub(super) struct Incoming<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    /// `null` is a result, although none that MCP knows.
    #[serde(borrow, default, deserialize_with = "present")]
    pub result: Option<&'a RawValue>,
    /// An error of any shape; `null` is none.
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    /// Which protocol it is of, in whatever words.
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
        // serde takes a list for the fields of a structure, in their order.
        if let Some(kind) = kind_of_no_object(text.trim_ascii_start().first()) {
            return Err(no_message(&format!("it is {kind}")));
        }
        serde_json::from_slice(text).map_err(|error| no_message(&error.to_string()))
    }

    /// The error, if there is one, whatever its shape.
    pub fn error(&self) -> Option<RpcError> {
        // `false` beside a result says that nothing went wrong.
        let error = self.error.filter(|error| error.get() != "false")?;
        Some(RpcError::read(error.get()))
    }

    /// True if its error is one of JSON-RPC, and not one in the words of a gateway or an authorization server, whose other members say more.
    pub fn is_of_the_protocol(&self) -> bool {
        self.jsonrpc.is_some()
            || self
                .error
                .is_some_and(|error| rpc_error::has_code(error.get()))
    }

    /// Whether it answers the request with this id. An error may lack the id where the request could not be read.
    pub fn answers(&self, id: u64) -> bool {
        if !self.is_answer() {
            return false;
        }
        match self.id.map(|id| id.get().trim_matches('"')) {
            Some("null") | None => self.has_error(),
            Some(text) => text.parse() == Ok(id),
        }
    }

    /// Whether it answers any request.
    pub fn is_answer(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.has_error())
    }

    fn has_error(&self) -> bool {
        self.error.is_some_and(|error| error.get() != "false")
    }

    /// Whether the result, if there is one, is what MCP knows as one.
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

    /// What it means to who waits for the response to the request with this id, if anything.
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
        // The token of a request is its id; each has a stream of its own, but a server may mix them up.
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

/// What JSON that begins with this byte is, unless it is an object or no JSON.
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

/// Whether a text is several messages.
pub(super) fn is_batch(text: &[u8], batches: Batches) -> bool {
    batches == Batches::Read && text.trim_ascii_start().starts_with(b"[")
}

/// Looks through a text for the response to the request with this id, and hands on what else it says.
///
/// # Errors
/// [`Failure::NotMcp`] for what is no message.
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
            // Something of the server's own among the events; its words are told if nothing else comes.
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
        // One that cannot be read is no reason to do without the others.
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

/// Takes a list message by message: as a whole it would be many times as large as its text.
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

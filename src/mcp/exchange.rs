//! One request and its answer: JSON or an event stream, read piece by piece up to a cap, notifications passed on while they come.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::failure::{Failure, shorten};
use super::secrets::Secrets;
use super::sse::Events;
use super::transport::{Body, Response};
use crate::limits::{MAX_UPSTREAM_ANSWER_BYTES, MAX_UPSTREAM_DEPTH};

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The longest patience that a server is believed to want: longer than any call has.
const MAX_RETRY_AFTER_MS: u64 = 24 * 60 * 60 * 1000;

/// Body of an answer with a status of failure that is looked at.
const MAX_FAILURE_BYTES: usize = 64 * 1024;

/// Who looks after the nesting of an answer. It is taken apart without recursion; what is made of its parts is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The answer counts as a whole.
    OfAll,
    /// The reader of its parts looks at each: one that nests too deep is no reason to do without the others.
    OfParts,
}

/// A response with a result, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    text: String,
}

impl Message {
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
            .ok_or_else(|| Failure::Protocol("the answer has no result".to_owned()))
    }
}

/// What a server sends while it works.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// How far it is.
    Progress(Progress),
    /// A request of its own, which wants the answer with this id: `ping`, or something that this client does not do.
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

#[derive(Deserialize)]
struct Incoming<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    /// `null` is a result, although none that MCP knows.
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<RpcError>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct RpcError {
    code: i64,
    #[serde(default)]
    message: String,
    #[serde(default)]
    data: Option<RpcErrorData>,
}

#[derive(Default)]
struct RpcErrorData {
    supported: Vec<String>,
}

impl<'de> Deserialize<'de> for RpcErrorData {
    /// Data may be anything; only one shape of it means something here.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Data {
            Versions { supported: Vec<String> },
            Other(serde::de::IgnoredAny),
        }
        Ok(match Data::deserialize(deserializer)? {
            Data::Versions { supported } => Self { supported },
            Data::Other(_) => Self::default(),
        })
    }
}

impl<'a> Incoming<'a> {
    fn parse(text: &'a [u8]) -> Result<Self, Failure> {
        // serde takes a list for the fields of a structure, in their order.
        if text.trim_ascii_start().starts_with(b"[") {
            return Err(Failure::Protocol(
                "the answer is not a JSON-RPC message: it is a list".to_owned(),
            ));
        }
        serde_json::from_slice(text).map_err(|error| {
            Failure::Protocol(format!(
                "the answer is not a JSON-RPC message: {}",
                shorten(&error.to_string())
            ))
        })
    }

    /// Whether it answers the request with this id. An error may lack the id where the request could not be read.
    fn answers(&self, id: u64) -> bool {
        if self.method.is_some() || (self.result.is_none() && self.error.is_none()) {
            return false;
        }
        match self.id.map(|id| id.get().trim_matches('"')) {
            Some("null") | None => self.error.is_some(),
            Some(text) => text.parse() == Ok(id),
        }
    }

    /// Whether the result, if there is one, is what MCP knows as one.
    fn check_result(&self) -> Result<(), Failure> {
        let kind = match self.result.and_then(|result| result.get().bytes().next()) {
            None | Some(b'{') => return Ok(()),
            Some(b'[') => "a list",
            Some(b'"') => "a text",
            Some(b'n') => "null",
            Some(b't' | b'f') => "a boolean",
            Some(_) => "a number",
        };
        Err(Failure::Protocol(format!(
            "the result is {kind}; it must be an object"
        )))
    }

    fn notice(&self) -> Option<Notice> {
        let method = self.method.as_deref()?;
        if let Some(id) = self.id {
            return Some(Notice::Request {
                id: id.get().to_owned(),
                ping: method == "ping",
            });
        }
        if method != "notifications/progress" {
            return None;
        }
        let progress: Progress = serde_json::from_str(self.params?.get()).ok()?;
        Some(Notice::Progress(progress))
    }
}

/// Reads what came as the answer to the request with this id.
///
/// # Errors
/// [`Failure`].
pub(super) async fn read_answer<B: Body>(
    response: Response<B>,
    id: u64,
    depth: Depth,
    secrets: &Secrets,
    notice: &mut impl FnMut(Notice),
) -> Result<Message, Failure> {
    let Response {
        status,
        content_type,
        length,
        retry_after,
        mut body,
        ..
    } = response;
    match status {
        300..=399 => return Err(Failure::Redirect(status)),
        401 | 403 => return Err(Failure::Unauthorized(status)),
        _ => {}
    }
    let retry_after_ms = retry_after.as_deref().and_then(parse_retry_after);
    if !(200..300).contains(&status) {
        let bytes = without_mark(read_beginning(&mut body, MAX_FAILURE_BYTES).await?);
        return Err(failure_of(status, retry_after_ms, &bytes, secrets));
    }
    // Nothing of what is announced as too large needs to be read.
    if length.is_some_and(|length| length > MAX_UPSTREAM_ANSWER_BYTES as u64) {
        return Err(Failure::TooLarge);
    }
    let text = if content_type == "text/event-stream" {
        read_events(&mut body, id, notice).await?
    } else if content_type == "application/json" {
        without_mark(read_whole(&mut body).await?)
    } else {
        return Err(Failure::Protocol(format!(
            "the answer of type {:?} with status {status} is neither JSON nor an event stream",
            shorten(&secrets.strike_out(content_type))
        )));
    };
    // Everything of it is gone through here, so nothing behind it sees a secret.
    let text = String::from_utf8(text)
        .map_err(|_| Failure::Protocol("the answer is not UTF-8".to_owned()))?;
    let text = secrets.strike_out_of_json(text);
    if depth == Depth::OfAll && is_deeper_than(&text, MAX_UPSTREAM_DEPTH) {
        return Err(Failure::Protocol(format!(
            "the answer nests deeper than {MAX_UPSTREAM_DEPTH} levels"
        )));
    }
    let incoming = Incoming::parse(text.as_bytes())?;
    if !incoming.answers(id) {
        return Err(Failure::Protocol(
            "the answer belongs to no request".to_owned(),
        ));
    }
    match incoming.error {
        Some(error) => Err(refused(status, retry_after_ms, error)),
        None => {
            incoming.check_result()?;
            Ok(Message { text })
        }
    }
}

/// Whether JSON nests deeper than readers of it can take.
pub(super) fn is_deeper_than(json: &str, limit: usize) -> bool {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => {
                bytes.next();
            }
            b'{' | b'[' if !in_text => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

fn refused(status: u16, retry_after_ms: Option<u64>, error: RpcError) -> Failure {
    Failure::Refused {
        status,
        retry_after_ms,
        code: error.code,
        message: shorten(&error.message),
        supported: error.data.unwrap_or_default().supported,
    }
}

fn failure_of(
    status: u16,
    retry_after_ms: Option<u64>,
    bytes: &[u8],
    secrets: &Secrets,
) -> Failure {
    let text = secrets.strike_out_of_json(String::from_utf8_lossy(bytes).into_owned());
    if let Ok(Incoming {
        error: Some(error), ..
    }) = Incoming::parse(text.as_bytes())
    {
        return refused(status, retry_after_ms, error);
    }
    let text = secrets.strike_out(text);
    // A page is for browsers: nothing in it says more than the status.
    let text = if text.trim_start().starts_with('<') {
        String::new()
    } else {
        shorten(&text)
    };
    Failure::Status {
        status,
        retry_after_ms,
        text,
    }
}

/// Seconds. The other form, a date, is rare and would need the server's clock.
fn parse_retry_after(text: &str) -> Option<u64> {
    let seconds = text.trim().parse::<u64>().ok()?;
    Some(seconds.saturating_mul(1_000).min(MAX_RETRY_AFTER_MS))
}

/// Text without the byte-order mark that some servers put before it, and that JSON does not know.
fn without_mark(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    bytes
}

async fn read_beginning<B: Body>(body: &mut B, limit: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    while bytes.len() < limit {
        let Some(piece) = body.next().await? else {
            break;
        };
        let room = limit - bytes.len();
        bytes.extend(piece.into_iter().take(room));
    }
    Ok(bytes)
}

async fn read_whole<B: Body>(body: &mut B) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    while let Some(piece) = body.next().await? {
        if bytes.len() + piece.len() > MAX_UPSTREAM_ANSWER_BYTES {
            return Err(Failure::TooLarge);
        }
        if bytes.is_empty() {
            bytes = piece;
        } else {
            bytes.extend_from_slice(&piece);
        }
    }
    Ok(bytes)
}

/// Reads events until the one that answers. What comes with it counts: a stream may not go on for ever.
async fn read_events<B: Body>(
    body: &mut B,
    id: u64,
    notice: &mut impl FnMut(Notice),
) -> Result<Vec<u8>, Failure> {
    let mut events = Events::default();
    let mut received = 0_usize;
    loop {
        let Some(piece) = body.next().await? else {
            return Err(Failure::Connection(
                "the event stream ended before the answer".to_owned(),
            ));
        };
        received += piece.len();
        if received > MAX_UPSTREAM_ANSWER_BYTES {
            return Err(Failure::TooLarge);
        }
        let mut answer = None;
        let mut broken = None;
        events.feed(&piece, &mut |data| {
            if answer.is_some() || data.iter().all(u8::is_ascii_whitespace) {
                return;
            }
            match Incoming::parse(&data) {
                Ok(incoming) if incoming.answers(id) => answer = Some(data),
                Ok(incoming) => {
                    if let Some(seen) = incoming.notice() {
                        notice(seen);
                    }
                }
                Err(failure) => broken = Some(failure),
            }
        });
        if let Some(answer) = answer {
            return Ok(answer);
        }
        if let Some(failure) = broken {
            return Err(failure);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::super::transport::Broken;
    use super::*;

    struct Pieces(Vec<Result<Vec<u8>, Broken>>);

    impl Body for Pieces {
        async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
            if self.0.is_empty() {
                return Ok(None);
            }
            self.0.remove(0).map(Some)
        }
    }

    fn response(status: u16, content_type: &str, pieces: &[&str]) -> Response<Pieces> {
        Response {
            status,
            content_type: content_type.to_owned(),
            session: None,
            length: None,
            retry_after: None,
            body: Pieces(
                pieces
                    .iter()
                    .map(|piece| Ok(piece.as_bytes().to_vec()))
                    .collect(),
            ),
        }
    }

    fn read(response: Response<Pieces>) -> (Result<String, Failure>, Vec<Notice>) {
        let mut notices = Vec::new();
        let message = block_on(read_answer(
            response,
            3,
            Depth::OfAll,
            &Secrets::new(vec!["s3cret".to_owned()]),
            &mut |notice| notices.push(notice),
        ));
        let result = message.map(|message| message.result().unwrap().get().to_owned());
        (result, notices)
    }

    #[test]
    fn json_in_pieces_is_read() {
        let (result, _) = read(response(
            200,
            "application/json",
            &[r#"{"jsonrpc":"2.0","#, r#""id":3,"result":{"n":1e2}}"#],
        ));
        assert_eq!(result.unwrap(), r#"{"n":1e2}"#);
    }

    #[test]
    fn notices_come_before_the_answer_and_what_follows_it_is_not_read() {
        let stream = concat!(
            "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":3,\"progress\":1,\"total\":4,\"message\":\"m\"}}\n\n",
            "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"}\n\n",
            "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"of\":\"another\"}}\n\n",
            "data: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"mine\":true}}\n\n",
            "data: not json\n\n",
        );
        let (result, notices) = read(response(200, "text/event-stream", &[stream]));
        assert_eq!(result.unwrap(), r#"{"mine":true}"#);
        assert_eq!(
            notices,
            [
                Notice::Progress(Progress {
                    progress: 1.0,
                    total: Some(4.0),
                    message: Some("m".to_owned())
                }),
                Notice::Request {
                    id: "\"x\"".to_owned(),
                    ping: true
                }
            ]
        );
    }

    #[test]
    fn a_stream_that_ends_early_is_a_broken_connection() {
        let (result, _) = read(response(200, "text/event-stream", &[": hello\n\n"]));
        assert!(matches!(result, Err(Failure::Connection(_))));
    }

    #[test]
    fn an_error_of_the_protocol_keeps_code_message_and_versions() {
        let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no s3cret","data":{"supported":["2025-11-25"],"requested":"x"}}}"#;
        let (result, _) = read(response(400, "application/json", &[body]));
        assert_eq!(
            result,
            Err(Failure::Refused {
                status: 400,
                retry_after_ms: None,
                code: -32022,
                message: "no [secret]".to_owned(),
                supported: vec!["2025-11-25".to_owned()],
            })
        );
    }

    #[test]
    fn other_failures_are_told_apart() {
        for (status, body, wanted) in [
            (307, "", Failure::Redirect(307)),
            (401, "", Failure::Unauthorized(401)),
            (
                503,
                "s3cret\nis down",
                Failure::Status {
                    status: 503,
                    retry_after_ms: None,
                    text: "[secret] is down".to_owned(),
                },
            ),
            (
                500,
                " <h1>down</h1>",
                Failure::Status {
                    status: 500,
                    retry_after_ms: None,
                    text: String::new(),
                },
            ),
        ] {
            assert_eq!(read(response(status, "text/html", &[body])).0, Err(wanted));
        }
        for body in ["<html>", "[]", "{}", r#"{"id":4,"result":1}"#, "\"\"", ""] {
            let (result, _) = read(response(200, "application/json", &[body]));
            assert!(matches!(result, Err(Failure::Protocol(_))), "{body}");
        }
        let (result, _) = read(response(200, "text/html", &["hello"]));
        assert!(matches!(result, Err(Failure::Protocol(_))));
    }

    #[test]
    fn an_answer_over_the_cap_is_given_up() {
        let piece = "x".repeat(1 << 20);
        let pieces: Vec<&str> = (0..33).map(|_| piece.as_str()).collect();
        assert_eq!(
            read(response(200, "application/json", &pieces)).0,
            Err(Failure::TooLarge)
        );
        assert_eq!(
            read(response(200, "text/event-stream", &pieces)).0,
            Err(Failure::TooLarge)
        );
        let announced = Response {
            length: Some(MAX_UPSTREAM_ANSWER_BYTES as u64 + 1),
            ..response(200, "application/json", &["{}"])
        };
        assert_eq!(read(announced).0, Err(Failure::TooLarge));
    }

    #[test]
    fn nesting_is_bounded_and_brackets_in_texts_are_not_nesting() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!is_deeper_than(&nested(5), 5) && is_deeper_than(&nested(6), 5));
        assert!(!is_deeper_than(r#"["[[[[[\"[[[[\\","[["]"#, 1));
        assert!(!is_deeper_than(&nested(5).repeat(9), 5));
    }

    #[test]
    fn only_passing_failures_may_be_tried_again() {
        let status = |status| Failure::Status {
            status,
            retry_after_ms: None,
            text: String::new(),
        };
        assert!(status(429).may_pass() && status(503).may_pass());
        assert!(!status(404).may_pass() && !Failure::TooLarge.may_pass());
        assert_eq!(parse_retry_after(" 2 "), Some(2_000));
        assert_eq!(
            parse_retry_after("18446744073709551"),
            Some(MAX_RETRY_AFTER_MS)
        );
        assert_eq!(parse_retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), None);
    }
}

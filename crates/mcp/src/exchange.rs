//! One request and its response: JSON or an event stream, read piece by piece up to a limit, or the
//! reason of failure.

use std::pin::pin;

use futures::future::{Either, select};

use super::expected::{Depth, Expected};
use super::failure::{Failure, shorten};
use super::message::{Incoming, Message, Notice, find_answer, is_batch};
use super::rpc_error::RpcError;
use super::stream::{Resume, read_events};
use crate::limits::{MAX_UPSTREAM_FAILURE_BYTES, UPSTREAM_FAILURE_BODY_MS};
use base::json::is_deeper_than;
use base::limits::MAX_UPSTREAM_DEPTH;
use net::limits::MAX_UPSTREAM_ANSWER_BYTES;
use net::retry_after;
use net::secrets::Secrets;
use net::transport::{Body, Clock, Response};

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads the response to a request.
///
/// # Errors
/// [`Failure`].
pub(super) async fn read_answer<B: Body, C: Clock>(
    mut response: Response<B>,
    expected: &Expected<'_, C>,
    notice: &mut impl FnMut(Notice),
    resume: &mut impl Resume<B>,
) -> Result<Message, Failure> {
    let status = response.status;
    if !(200..300).contains(&status) {
        return Err(failure_of(&mut response, expected).await);
    }
    // A body that is announced as too large need not be read.
    if response
        .length
        .is_some_and(|length| length > MAX_UPSTREAM_ANSWER_BYTES as u64)
    {
        return Err(Failure::TooLarge);
    }
    let secrets = expected.secrets;
    let text = match response.content_type.as_str() {
        "text/event-stream" => read_events(response.body, expected, notice, resume).await?,
        "application/json" => {
            let text = without_mark(read_whole(&mut response.body).await?);
            if is_batch(&text, expected.batches) {
                find_answer(text, expected.id, expected.batches, notice)?
                    .ok_or_else(|| another(true))?
            } else {
                text
            }
        }
        other => {
            return Err(Failure::NotMcp(format!(
                "the response of type {:?} with status {status} is neither JSON nor an event stream",
                shorten(&secrets.strike_out(other.to_owned()))
            )));
        }
    };
    // The whole response passes here, so no later code sees a secret.
    let text = String::from_utf8(text)
        .map_err(|_| Failure::Protocol("the response is not UTF-8".to_owned()))?;
    let text = secrets.strike_out_of_json(text);
    if expected.depth == Depth::OfAll && is_deeper_than(&text, MAX_UPSTREAM_DEPTH) {
        return Err(Failure::TooDeep);
    }
    let incoming = Incoming::parse(text.as_bytes())?;
    if !incoming.answers(expected.id) {
        return Err(another(incoming.is_answer()));
    }
    match incoming.error() {
        Some(mut error) => {
            let retry_after_ms = retry_after_ms(response.retry_after.as_deref(), expected.clock);
            if !incoming.is_of_the_protocol() {
                // The members beside the error of another protocol may say more than the error.
                error.message.clone_from(&text);
            }
            Err(refused(status, retry_after_ms, error))
        }
        None => {
            incoming.check_result()?;
            Ok(Message { text })
        }
    }
}

/// Returns the failure for JSON that is not the response to our request, although it may be
/// JSON-RPC.
fn another(is_answer: bool) -> Failure {
    let text = "the response does not belong to the request".to_owned();
    if is_answer {
        Failure::Protocol(text)
    } else {
        Failure::NotMcp(text)
    }
}

fn retry_after_ms(header: Option<&str>, clock: &impl Clock) -> Option<u64> {
    retry_after::parse(header?, clock.now_ms())
}

fn refused(status: u16, retry_after_ms: Option<u64>, error: RpcError) -> Failure {
    Failure::Refused {
        status,
        retry_after_ms,
        code: error.code,
        message: shorten(&error.message),
        supported: error.supported,
        data: error.data,
    }
}

/// Returns the failure for a response with a status of failure.
async fn failure_of<B: Body, C: Clock>(
    response: &mut Response<B>,
    expected: &Expected<'_, C>,
) -> Failure {
    let status = response.status;
    // 304 does not redirect.
    if (300..400).contains(&status) && status != 304 {
        return Failure::Redirect(status);
    }
    let retry_after_ms = retry_after_ms(response.retry_after.as_deref(), expected.clock);
    let bytes = without_mark(read_beginning(&mut response.body, expected.clock).await);
    let secrets = expected.secrets;
    let text = secrets.strike_out_of_json(String::from_utf8_lossy(&bytes).into_owned());
    let error = Incoming::parse(text.as_bytes())
        .ok()
        .filter(Incoming::is_of_the_protocol)
        .and_then(|incoming| incoming.error());
    match (status, error) {
        (401 | 403, Some(error)) => Failure::Unauthorized {
            status,
            text: shorten(&error.message),
            data: error.data,
        },
        (_, Some(error)) => refused(status, retry_after_ms, error),
        (401 | 403, None) => Failure::Unauthorized {
            status,
            text: words_of(text, secrets),
            data: None,
        },
        (_, None) => Failure::Status {
            status,
            retry_after_ms,
            text: words_of(text, secrets),
        },
    }
}

/// Returns the beginning of a text that is not a message.
fn words_of(text: String, secrets: &Secrets) -> String {
    let text = secrets.strike_out(text);
    // An HTML page is for browsers: it says no more than the status.
    match text.trim() {
        page if page.starts_with('<') => String::new(),
        words => shorten(words),
    }
}

/// Removes the byte-order mark that some servers put at the beginning, and that JSON does not
/// allow.
fn without_mark(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    bytes
}

/// Reads the part of a body that comes within a moment. The status has said what matters: a body
/// that does not end or that breaks does not change it.
async fn read_beginning<B: Body>(body: &mut B, clock: &impl Clock) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut moment = pin!(clock.sleep(UPSTREAM_FAILURE_BODY_MS));
    while bytes.len() < MAX_UPSTREAM_FAILURE_BYTES {
        let Either::Left((Ok(Some(piece)), _)) = select(pin!(body.next()), moment.as_mut()).await
        else {
            break;
        };
        let room = MAX_UPSTREAM_FAILURE_BYTES - bytes.len();
        bytes.extend(piece.into_iter().take(room));
    }
    bytes
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use futures::executor::block_on;

    use super::super::message::{Batches, Progress};
    use super::super::stream::NoResumption;
    use super::*;
    use net::transport::Broken;

    /// The pieces of a body; `None` is a piece that never comes.
    struct Pieces {
        pieces: Vec<Option<Result<Vec<u8>, Broken>>>,
        held: Rc<Cell<usize>>,
    }

    impl Body for Pieces {
        async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
            if self.pieces.is_empty() {
                return Ok(None);
            }
            match self.pieces.remove(0) {
                Some(piece) => piece.map(Some),
                None => std::future::pending().await,
            }
        }

        fn holds(&mut self, bytes: usize) {
            self.held.set(bytes);
        }
    }

    struct Time;

    impl Clock for Time {
        fn now_ms(&self) -> u64 {
            1_445_412_477_000
        }

        async fn sleep(&self, _milliseconds: u64) {}

        fn random(&self) -> f64 {
            0.5
        }
    }

    fn response(status: u16, content_type: &str, pieces: &[&str]) -> Response<Pieces> {
        Response {
            status,
            content_type: content_type.to_owned(),
            session: None,
            length: None,
            retry_after: None,
            challenge: None,
            body: Pieces {
                pieces: pieces
                    .iter()
                    .map(|piece| Some(Ok(piece.as_bytes().to_vec())))
                    .collect(),
                held: Rc::default(),
            },
        }
    }

    fn read(response: Response<Pieces>) -> (Result<String, Failure>, Vec<Notice>) {
        let mut notices = Vec::new();
        let expected = Expected {
            id: 3,
            depth: Depth::OfAll,
            batches: Batches::Refused,
            secrets: &Secrets::new(vec!["s3cret".to_owned()]),
            clock: &Time,
        };
        let message = block_on(read_answer(
            response,
            &expected,
            &mut |notice| notices.push(notice),
            &mut NoResumption,
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
                data: Some(r#"{"supported":["2025-11-25"],"requested":"x"}"#.to_owned()),
            })
        );
    }

    fn status(status: u16, text: &str) -> Failure {
        Failure::Status {
            status,
            retry_after_ms: None,
            text: text.to_owned(),
        }
    }

    fn unauthorized(status: u16, text: &str) -> Failure {
        Failure::Unauthorized {
            status,
            text: text.to_owned(),
            data: None,
        }
    }

    #[test]
    fn other_failures_are_told_apart() {
        for (code, body, wanted) in [
            (307, "", Failure::Redirect(307)),
            (304, "", status(304, "")),
            (401, "", unauthorized(401, "")),
            (403, "no s3cret here", unauthorized(403, "no [secret] here")),
            (
                403,
                r#"{"id":null,"error":{"code":-32000,"message":"Invalid Host header: s3cret"}}"#,
                unauthorized(403, "Invalid Host header: [secret]"),
            ),
            (503, "s3cret\nis down", status(503, "[secret] is down")),
            (500, " <h1>down</h1>", status(500, "")),
            (500, &" ".repeat(300_000), status(500, "")),
        ] {
            assert_eq!(read(response(code, "text/html", &[body])).0, Err(wanted));
        }
        for body in ["<html>", "[]", "{}", "\"\"", ""] {
            let (result, _) = read(response(200, "application/json", &[body]));
            assert!(matches!(result, Err(Failure::NotMcp(_))), "{body}");
        }
        let (result, _) = read(response(200, "text/html", &["hello"]));
        assert!(matches!(result, Err(Failure::NotMcp(_))));
        for body in [
            r#"{"id":3,"result":{},"error":false}"#,
            r#"{"id":3,"result":{},"error":null}"#,
        ] {
            assert!(
                read(response(200, "application/json", &[body])).0.is_ok(),
                "{body}"
            );
        }
        for body in [r#"{"id":4,"result":1}"#, r#"{"id":3,"result":1}"#] {
            let (result, _) = read(response(200, "application/json", &[body]));
            assert!(matches!(result, Err(Failure::Protocol(_))), "{body}");
        }
    }

    #[test]
    fn an_error_of_any_shape_keeps_the_words_of_the_server() {
        let said =
            |status: u16, body: &str| match read(response(status, "application/json", &[body])).0 {
                Err(Failure::Refused {
                    code,
                    message,
                    data,
                    ..
                }) => (code, message, data),
                Err(Failure::Unauthorized { text, data, .. }) => (0, text, data),
                other => panic!("{other:?}"),
            };
        for (status, body, code, message, data) in [
            (
                200,
                r#"{"jsonrpc":"2.0","id":3,"error":"no s3cret"}"#,
                0,
                "no [secret]",
                None,
            ),
            (200, r#"{"error":"nope"}"#, 0, r#"{"error":"nope"}"#, None),
            (
                500,
                r#"{"jsonrpc":"2.0","id":3,"error":"no"}"#,
                0,
                "no",
                None,
            ),
            (
                200,
                r#"{"id":3,"error":{"code":"E_BAD","message":"no"}}"#,
                0,
                "E_BAD: no",
                None,
            ),
            (
                200,
                r#"{"id":3,"error":{"code":-1,"message":null,"data":{"x":1}}}"#,
                -1,
                "",
                Some(r#"{"x":1}"#),
            ),
            (
                403,
                r#"{"id":3,"error":{"code":-1,"message":"no","data":{"tenant":"s3cret"}}}"#,
                0,
                "no",
                Some(r#"{"tenant":"[secret]"}"#),
            ),
            (
                401,
                r#"{"error":"invalid_token","error_description":"expired"}"#,
                0,
                r#"{"error":"invalid_token","error_description":"expired"}"#,
                None,
            ),
        ] {
            assert_eq!(
                said(status, body),
                (code, message.to_owned(), data.map(str::to_owned)),
                "{body}"
            );
        }
    }

    #[test]
    fn a_long_error_of_the_protocol_is_read_as_one() {
        let body = format!(
            r#"{{"id":3,"error":{{"code":-32000,"message":"{}"}}}}"#,
            "x".repeat(200_000)
        );
        let (result, _) = read(response(500, "application/json", &[&body]));
        assert!(
            matches!(result, Err(Failure::Refused { code: -32000, message, .. }) if message.starts_with("xx"))
        );
    }

    #[test]
    fn the_body_of_a_failure_is_waited_for_a_moment_only() {
        for last in [None, Some(Err(Broken::Off("cut".to_owned())))] {
            let mut hanging = response(503, "text/plain", &["down for maintenance"]);
            hanging.body.pieces.push(last);
            assert_eq!(read(hanging).0, Err(status(503, "down for maintenance")));
        }
    }

    #[test]
    fn a_date_says_when_to_ask_again() {
        let later = Response {
            retry_after: Some("Wed, 21 Oct 2015 07:28:00 GMT".to_owned()),
            ..response(429, "text/plain", &["slow"])
        };
        let failure = read(later).0.unwrap_err();
        assert_eq!(failure.retry_after_ms(), Some(3_000));
    }

    #[test]
    fn what_is_no_message_in_a_stream_is_passed_over_however_it_is_cut() {
        let stream = concat!(
            "event: heartbeat\ndata: still alive\n\n",
            "event: ping\ndata: 1700000000\n\n",
            "data: no json\n\n",
            "data: {\"id\":3,\"result\":{\"mine\":true}}\n\n",
        );
        for cut in 0..=stream.len() {
            let (first, second) = stream.split_at(cut);
            let (result, _) = read(response(200, "text/event-stream", &[first, second]));
            assert_eq!(result.unwrap(), r#"{"mine":true}"#, "cut at {cut}");
        }
        let (result, _) = read(response(200, "text/event-stream", &["data: no json\n\n"]));
        assert!(matches!(result, Err(Failure::NotMcp(_))));
    }

    #[test]
    fn of_a_stream_is_held_what_has_not_ended() {
        let comments = ": still here\n\n".repeat(1_000);
        let stream = response(200, "text/event-stream", &[&comments, "data: half"]);
        let held = Rc::clone(&stream.body.held);
        held.set(usize::MAX);
        assert!(matches!(read(stream).0, Err(Failure::Connection(_))));
        assert_eq!(held.get(), "data: half".len());
    }

    #[test]
    fn no_room_for_an_answer_is_no_broken_connection() {
        for kind in ["application/json", "text/event-stream"] {
            let mut full = response(200, kind, &[]);
            full.body.pieces.push(Some(Err(Broken::NoRoom)));
            assert_eq!(read(full).0, Err(Failure::NoRoom));
        }
        assert!(!Failure::NoRoom.may_pass());
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
    fn only_passing_failures_may_be_tried_again() {
        assert!(status(429, "").may_pass() && status(503, "").may_pass());
        assert!(!status(404, "").may_pass() && !Failure::TooLarge.may_pass());
    }
}

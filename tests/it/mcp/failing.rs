//! Servers that fail before, beside or instead of the requested work: when the client makes a
//! handshake, when it retries, and what it reports.

use base::Problem;
use mcp::{Era, Failure};
use serde_json::json;
use tools::ToolError;
use tools::outcome::upstream;

use super::said;
use super::world::{Answer, World, accepted, json_answer, legacy, modern, refusal, welcome, world};

fn down() -> Answer {
    said::plainly(503, "down")
}

/// Makes a world in the older protocol version, without a session.
fn older(answers: &[Answer]) -> World {
    let world = world(answers);
    world.connection.assume(Some(Era::Legacy));
    world
}

#[test]
fn a_server_that_answers_the_first_request_with_anything_gets_a_handshake() {
    for first in [
        down(),
        said::plainly(502, "<h1>bad gateway</h1>"),
        said::plainly(200, "hello"),
        accepted(),
        Answer::With(200, "application/json", r#"{"hello":"world"}"#.to_owned()),
        Answer::With(200, "text/event-stream", "data: hello\n\n".to_owned()),
    ] {
        for read_only in [true, false] {
            let world = world(&[first.clone(), welcome("s1"), accepted(), legacy()]);
            assert!(world.call(read_only).is_ok());
            assert_eq!(world.connection.era(), Some(Era::Legacy));
        }
    }
}

#[test]
fn a_server_that_is_down_is_asked_for_a_handshake_once() {
    let lost = world(&[down(), said::plainly(500, "oops"), down(), down()]);
    let failure = lost.call(true).unwrap_err();
    assert!(matches!(&failure, Failure::Status { status: 503, .. }));
    assert_eq!(
        lost.methods(),
        ["tools/call", "initialize", "tools/call", "tools/call"]
    );
    assert_eq!(lost.pauses(), [250, 500]);
    // A server that asks the client to wait has understood the request.
    let busy = world(&[Answer::Later(503, "1"), modern()]);
    assert!(busy.call(true).is_ok());
    assert_eq!(busy.methods(), ["tools/call", "tools/call"]);
}

#[test]
fn a_handshake_that_fails_in_passing_is_what_is_repeated_and_reported() {
    for fails in [down(), Answer::Later(429, "1")] {
        for read_only in [true, false] {
            let answers = [
                refusal(),
                fails.clone(),
                refusal(),
                welcome("s1"),
                accepted(),
                legacy(),
            ];
            assert!(world(&answers).call(read_only).is_ok());
        }
    }
    let pair = [refusal(), down()];
    let lost = world(&[&pair[..], &pair, &pair].concat());
    assert!(matches!(
        lost.call(true),
        Err(Failure::Status { status: 503, .. })
    ));
}

#[test]
fn an_older_server_is_told_when_its_answer_is_given_up() {
    let large = Answer::With(
        200,
        "text/event-stream",
        format!(": {}", "x".repeat(33 << 20)),
    );
    let cut = Answer::With(200, "text/event-stream", ": x\n\n".to_owned());
    for given_up in [large, cut] {
        let world = older(&[welcome("s1"), accepted(), given_up]);
        assert!(world.call(false).is_err());
        let told = world.told();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["method"], "notifications/cancelled");
    }
    // A complete response means that the call was made, whatever it says; a server that was not
    // reached gets no cancellation.
    for done in [
        said::plainly(500, "oops"),
        said::plainly(200, "hello"),
        Answer::Break,
    ] {
        let world = older(&[welcome("s1"), accepted(), done]);
        assert!(world.call(false).is_err() && world.told().is_empty());
    }
}

#[test]
fn a_version_that_does_not_fit_is_reported_whatever_was_refused_before() {
    let body =
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2024-10-07","capabilities":{}}}"#;
    for first in [refusal(), down(), said::plainly(200, "hello")] {
        let answers = [
            first,
            Answer::With(200, "application/json", body.to_owned()),
        ];
        for read_only in [true, false] {
            let failure = world(&answers).call(read_only).unwrap_err();
            assert!(
                matches!(&failure, Failure::Protocol(text) if text.contains("2024-10-07")),
                "{failure:?}"
            );
        }
    }
}

#[test]
fn a_handshake_that_fails_in_passing_is_repeated_even_for_what_changes_something() {
    for fails in [down(), Answer::Later(429, "1"), Answer::Break] {
        let world = older(&[fails, welcome("s1"), accepted(), legacy()]);
        assert!(world.call(false).is_ok());
        assert_eq!(world.calls(), 1);
        assert_eq!(world.pauses().len(), 1);
    }
    // The same holds for the handshake after a deleted session, and for the request that detects
    // the protocol version.
    let gone = said::plainly(404, "who?");
    let forgotten = older(&[
        welcome("s1"),
        accepted(),
        gone,
        down(),
        welcome("s2"),
        accepted(),
        legacy(),
    ]);
    assert!(forgotten.call(false).is_ok());
    assert_eq!(forgotten.calls(), 2, "one refused, one taken");
    let list = json_answer(r#"{"resultType":"complete","tools":[]}"#);
    let unknown = world(&[Answer::Break, list, modern()]);
    assert!(unknown.call(false).is_ok());
    assert_eq!(
        unknown.methods(),
        ["tools/list", "tools/list", "tools/call"]
    );
}

#[test]
fn what_was_sent_once_is_not_sent_again_after_a_handshake_that_was_repeated() {
    let world = older(&[down(), welcome("s1"), accepted(), down()]);
    assert!(matches!(
        world.call(false),
        Err(Failure::Status { status: 503, .. })
    ));
    assert_eq!(world.calls(), 1);
}

#[test]
fn a_connection_that_fails_before_the_call_is_told_apart() {
    let before = older(&[Answer::Break, Answer::Break, Answer::Break]);
    assert!(matches!(before.call(false), Err(Failure::Unreached(_))));
    assert_eq!(before.calls(), 0);
    let during = older(&[welcome("s1"), accepted(), Answer::Break]);
    assert!(matches!(during.call(false), Err(Failure::Connection(_))));
}

#[test]
fn a_session_that_was_ended_in_other_words_is_not_used_again() {
    let error = |status, code, message: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":{code},"message":"{message}"}}}}"#
        );
        Answer::With(status, "application/json", body)
    };
    for said in [
        said::plainly(410, "gone"),
        error(410, -32000, "it is no more"),
        error(401, -32000, "Session expired"),
        error(403, -32000, "unknown sid"),
        error(200, -32001, "Session not found"),
        error(200, -32602, "no such session"),
        said::plainly(422, "no such session"),
        said::plainly(500, "session lost"),
    ] {
        let world = older(&[
            welcome("s1"),
            accepted(),
            said,
            welcome("s2"),
            accepted(),
            legacy(),
        ]);
        assert!(
            world.call(false).is_err(),
            "it is not said that it was not done"
        );
        assert!(world.call(false).is_ok());
        assert_eq!(world.header(5, "mcp-session-id").as_deref(), Some("s2"));
    }
    for said in [
        error(200, -32001, "Request timed out"),
        error(200, -32602, "the session is on Tuesday"),
        said::plainly(422, "the year is no number"),
        said::plainly(500, "the session is busy"),
    ] {
        let world = older(&[welcome("s1"), accepted(), said, legacy()]);
        assert!(world.call(false).is_err() && world.call(false).is_ok());
        assert_eq!(world.header(3, "mcp-session-id").as_deref(), Some("s1"));
    }
}

#[test]
fn a_batch_is_read_where_the_version_has_batches() {
    let welcome = |version: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"protocolVersion":"{version}","capabilities":{{}}}}}}"#
        );
        Answer::With(200, "application/json", body)
    };
    let batch = r#"[{"jsonrpc":"2.0","id":"p","method":"ping"},{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}]"#;
    for answer in [
        Answer::With(200, "application/json", batch.to_owned()),
        Answer::With(200, "text/event-stream", format!("data: {batch}\n\n")),
    ] {
        let world = older(&[welcome("2025-03-26"), accepted(), answer.clone()]);
        assert!(world.call(false).is_ok());
        assert_eq!(
            world.told(),
            [json!({ "jsonrpc": "2.0", "id": "p", "result": {} })]
        );
        let newer = older(&[welcome("2025-06-18"), accepted(), answer]);
        let failure = newer.call(false).unwrap_err();
        assert!(matches!(&failure, Failure::Protocol(text) if text.contains("it is a list")));
    }
}

/// Returns the reason, the hint and the requested pause, as a caller sees them.
fn seen(failure: Failure) -> (String, String, Option<u64>) {
    let error = upstream("pubs", failure, 5);
    let details = error.details();
    (
        details["reason"].as_str().unwrap_or_default().to_owned(),
        error.hint().unwrap(),
        details["retryAfterMs"].as_u64(),
    )
}

#[track_caller]
fn hints(failure: Failure, reason: &str, hint: &str, retry_after_ms: Option<u64>) {
    let (got_reason, got_hint, got_wait) = seen(failure);
    assert_eq!((got_reason.as_str(), got_wait), (reason, retry_after_ms));
    assert!(got_hint.contains(hint), "{got_hint}");
}

#[test]
fn the_hint_of_a_status_says_what_can_be_done() {
    let status = |status, retry_after_ms| Failure::Status {
        status,
        retry_after_ms,
        text: String::new(),
    };
    let unauthorized = |status| Failure::Unauthorized {
        status,
        text: "Invalid Host header".to_owned(),
        data: None,
    };
    for (failure, reason, hint, retry_after_ms) in [
        (
            status(429, Some(3_600_000)),
            "status",
            "limits the rate of requests",
            Some(3_600_000),
        ),
        (status(503, None), "status", "try again later", None),
        (
            status(404, None),
            "status",
            "the address in MCP_SERVERS",
            None,
        ),
        (
            status(405, None),
            "status",
            "the address in MCP_SERVERS",
            None,
        ),
        (status(413, None), "status", "smaller arguments", None),
        (
            unauthorized(401),
            "unauthorized",
            "correct the server's headers",
            None,
        ),
        (
            unauthorized(403),
            "unauthorized",
            "the origin of the request",
            None,
        ),
    ] {
        hints(failure, reason, hint, retry_after_ms);
    }
    let refused = upstream("pubs", unauthorized(403), 5);
    assert!(matches!(&refused, ToolError::UpstreamFailed { message, .. }
        if message == "the server refuses access with status 403: Invalid Host header"));
}

#[test]
fn the_hint_of_a_failure_without_a_status_says_what_can_be_done() {
    for (failure, reason, hint) in [
        (
            Failure::NotMcp("x".to_owned()),
            "protocol",
            "the address in MCP_SERVERS",
        ),
        (
            Failure::Protocol("x".to_owned()),
            "protocol",
            "the operator of the server must fix it",
        ),
        (
            Failure::Connection("x".to_owned()),
            "connection",
            "may still have been carried out",
        ),
        (
            Failure::Unreached("x".to_owned()),
            "connection",
            "nothing was called",
        ),
        (Failure::NoRoom, "busy", "one after the other"),
        (Failure::TooDeep, "protocol", "a flatter form"),
        (Failure::TooLarge, "too_large", "ask the tool for less"),
        (Failure::ListTooLarge, "too_large", "in pages"),
    ] {
        hints(failure, reason, hint, None);
    }
}

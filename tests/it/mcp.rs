//! The client of other servers over a network that fails on demand: protocol versions, sessions,
//! retries, time. Tests in workerd cover the behaviour of real servers, with the official
//! libraries; the tests here cover behaviour that those cannot be made to show at a given moment.

mod answers;
mod authorization;
mod eras;
mod failing;
mod listing;
mod odd;
mod resumption;
mod said;
mod world;

use mcp::{Era, Failure};
use serde_json::json;

use self::world::{Answer, accepted, json_answer, legacy, modern, refusal, welcome, world};

#[test]
fn a_modern_server_is_asked_once_and_told_what_it_needs() {
    let world = world(&[modern()]);
    assert!(world.call(true).is_ok());
    assert_eq!(world.connection.era(), Some(Era::Modern));
    for (name, value) in [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "get"),
        ("authorization", "Bearer s3cr3t"),
        ("accept", "application/json, text/event-stream"),
    ] {
        assert_eq!(world.header(0, name).as_deref(), Some(value), "{name}");
    }
}

#[test]
fn an_older_server_gets_a_handshake_and_its_session_afterwards() {
    let world = world(&[refusal(), welcome("s1"), accepted(), legacy(), legacy()]);
    assert!(world.call(true).is_ok() && world.call(true).is_ok());
    assert_eq!(
        world.methods(),
        [
            "tools/call",
            "initialize",
            "notifications/initialized",
            "tools/call",
            "tools/call"
        ]
    );
    for at in [2, 3, 4] {
        assert_eq!(world.header(at, "mcp-session-id").as_deref(), Some("s1"));
        assert_eq!(
            world.header(at, "mcp-protocol-version").as_deref(),
            Some("2025-06-18")
        );
    }
}

#[test]
fn a_session_that_the_server_has_forgotten_is_begun_anew() {
    let gone = || Answer::With(404, "text/plain", "who?".to_owned());
    let world = world(&[
        refusal(),
        welcome("s1"),
        accepted(),
        gone(),
        welcome("s2"),
        accepted(),
        legacy(),
    ]);
    assert!(world.call(false).is_ok());
    assert_eq!(world.header(6, "mcp-session-id").as_deref(), Some("s2"));
}

#[test]
fn a_server_that_knows_neither_era_is_described_by_its_first_answer() {
    let page = |status| Answer::With(status, "text/plain", "nothing here".to_owned());
    let world = world(&[page(404), page(405)]);
    assert!(matches!(
        world.call(true),
        Err(Failure::Status { status: 404, .. })
    ));
}

#[test]
fn a_server_that_fails_at_what_it_does_not_expect_gets_a_handshake() {
    for answer in [
        Answer::With(500, "text/html", "<h1>oops</h1>".to_owned()),
        Answer::With(409, "text/plain", "initialize first".to_owned()),
    ] {
        let world = world(&[answer, welcome("s1"), accepted(), legacy()]);
        assert!(world.call(true).is_ok());
        assert_eq!(world.connection.era(), Some(Era::Legacy));
    }
}

#[test]
fn pings_without_end_are_answered_up_to_a_number() {
    let ping = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n";
    let answer = "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}\n\n";
    let body = format!("{}{answer}", ping.repeat(5_000));
    let stream = Answer::With(200, "text/event-stream", body);
    let world = world(&[refusal(), welcome("s1"), accepted(), stream]);
    assert!(world.call(true).is_ok());
    assert_eq!(world.network.forgotten.borrow().len(), 20);
}

#[test]
fn a_refusal_in_the_words_of_the_modern_era_is_no_reason_for_a_handshake() {
    let body = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32021,"message":"needs elicitation","data":{"requiredCapabilities":{}}}}"#;
    let world = world(&[Answer::With(400, "application/json", body.to_owned())]);
    assert!(matches!(
        world.call(true),
        Err(Failure::Refused { code: -32021, .. })
    ));
    assert_eq!(world.connection.era(), Some(Era::Modern));
}

#[test]
fn what_is_safe_is_repeated_twice_with_growing_pauses() {
    let down = || Answer::With(503, "text/plain", String::new());
    let recovered = world(&[down(), Answer::Break, modern()]);
    recovered.connection.assume(Some(Era::Modern));
    assert!(recovered.call(true).is_ok());
    assert_eq!(recovered.pauses(), [250, 500]);
    let lost = world(&[down(), down(), down()]);
    lost.connection.assume(Some(Era::Modern));
    assert!(matches!(
        lost.call(true),
        Err(Failure::Status { status: 503, .. })
    ));
    assert_eq!(lost.methods().len(), 3);
}

#[test]
fn what_may_change_something_is_sent_once() {
    for answer in [
        Answer::With(503, "text/plain", String::new()),
        Answer::Later(429, "1"),
        Answer::Break,
    ] {
        let world = world(&[answer]);
        world.connection.assume(Some(Era::Modern));
        assert!(world.call(false).is_err());
        assert_eq!(world.methods(), ["tools/call"]);
    }
}

#[test]
fn a_server_is_given_the_time_it_asks_for_unless_that_is_too_long() {
    let patient = world(&[Answer::Later(429, "3"), modern()]);
    assert!(patient.call(true).is_ok());
    assert_eq!(patient.pauses(), [3_000]);
    let hurried = world(&[Answer::Later(503, "60")]);
    assert!(hurried.call(true).is_err());
    assert_eq!(hurried.pauses(), [0_u64; 0]);
}

#[test]
fn a_silent_server_ends_with_the_time_and_an_older_one_is_told() {
    let silent = world(&[Answer::Silence]);
    assert_eq!(silent.call(true), Err(Failure::Timeout));
    assert!(silent.told().is_empty());
    let older = world(&[refusal(), welcome("s1"), accepted(), Answer::Silence]);
    assert_eq!(older.call(true), Err(Failure::Timeout));
    let told = older.told();
    assert_eq!(told[0]["method"], "notifications/cancelled");
    let (_, call) = &older.network.sent.borrow()[3];
    assert_eq!(told[0]["params"]["requestId"], call["id"]);
}

#[test]
fn a_ping_is_answered_and_anything_else_that_a_server_asks_is_declined() {
    let events = concat!(
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"sampling/createMessage\",\"params\":{}}\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}\n\n",
    );
    let stream = Answer::With(200, "text/event-stream", events.to_owned());
    let world = world(&[refusal(), welcome("s1"), accepted(), stream]);
    assert!(world.call(true).is_ok());
    assert_eq!(
        world.told(),
        [
            json!({ "jsonrpc": "2.0", "id": "p", "result": {} }),
            json!({ "jsonrpc": "2.0", "id": 8, "error": { "code": -32601, "message": "this client handles pings only" } }),
        ]
    );
}

#[test]
fn a_ping_every_few_seconds_is_answered_for_as_long_as_a_call_takes() {
    let begun = |id: usize| {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let event = format!("id: {id}\nretry: 100\ndata: {ping}\n\n");
        Answer::With(200, "text/event-stream", event)
    };
    let answer = "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}\n\n";
    let mut answers = vec![refusal(), welcome("s1"), accepted()];
    answers.extend((0..40).map(begun));
    answers.push(Answer::With(200, "text/event-stream", answer.to_owned()));
    let world = world(&answers);
    assert!(world.call(false).is_ok());
    // Forty calls within 3.9 seconds: twenty, and one for each second that has passed.
    assert_eq!(world.told().len(), 23);
}

#[test]
fn what_follows_the_answer_in_a_stream_is_not_waited_for() {
    let events = "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\n\ndata: more\n\n";
    let world = world(&[Answer::With(200, "text/event-stream", events.to_owned())]);
    assert!(world.call(true).is_ok());
    assert_eq!(world.network.closed.get(), 1, "the stream is closed");
}

#[test]
fn a_secret_that_comes_back_is_struck_out() {
    let body = json_answer(
        r#"{"resultType":"complete","content":[{"type":"text","text":"Bearer s3cr3t"}]}"#,
    );
    let result = world(&[body]).call(true).unwrap();
    assert_eq!(result["content"][0]["text"], "Bearer [secret]");
    let world = world(&[Answer::With(503, "text/plain", "no s3cr3t".to_owned())]);
    world.connection.assume(Some(Era::Modern));
    let failure = world.call(false).unwrap_err();
    assert!(
        format!("{failure:?}").contains("no [secret]"),
        "{failure:?}"
    );
}

//! Servers that deviate from the protocol: cursors that are no texts, failed handshakes, errors of
//! any shape, sessions that were lost.

use base::Problem;
use mcp::{Era, Failure};
use serde_json::{Value, json};
use tools::outcome::upstream;

use super::said;
use super::world::{Answer, World, accepted, json_answer, legacy, refusal, welcome, world};

fn page(tool: &str, more: &str) -> Answer {
    json_answer(&format!(
        r#"{{"resultType":"complete","tools":[{{"name":"{tool}"}}]{more}}}"#
    ))
}

fn cursor(json: &str) -> String {
    format!(r#","nextCursor":{json}"#)
}

fn error(status: u16, error: &str) -> Answer {
    let body = format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{error}}}"#);
    Answer::With(status, "application/json", body)
}

/// Makes a world in the older protocol version, without a session.
fn older(answers: &[Answer]) -> World {
    let world = world(answers);
    world.connection.assume(Some(Era::Legacy));
    world
}

/// Returns the names of all tools, and the cursors that were sent.
fn listed(world: &World) -> (Vec<String>, Vec<Value>) {
    let listing = world.list().unwrap();
    assert!(listing.warnings.is_empty(), "{:?}", listing.warnings);
    let names = listing.tools.into_iter().map(|tool| tool.name).collect();
    let sent = world.network.sent.borrow();
    let cursors = sent
        .iter()
        .map(|(_, message)| message["params"]["cursor"].clone());
    (names, cursors.collect())
}

#[test]
fn a_cursor_goes_back_as_it_came_and_loses_no_page() {
    for json in ["0", "17", "1.5", r#""0""#, r#"{"p":2}"#, "[1,2]", "true"] {
        let world = world(&[page("a", &cursor(json)), page("b", "")]);
        let expected: Value = serde_json::from_str(json).unwrap();
        assert_eq!(
            listed(&world),
            (
                vec!["a".to_owned(), "b".to_owned()],
                vec![Value::Null, expected]
            )
        );
    }
    for end in ["null", "false"] {
        assert_eq!(listed(&world(&[page("a", &cursor(end))])).0, ["a"]);
    }
    // The server counts cursors up.
    let world = world(&[
        page("a", &cursor("1")),
        page("b", &cursor("2")),
        page("c", ""),
    ]);
    assert_eq!(listed(&world).0, ["a", "b", "c"]);
}

#[test]
fn a_cursor_that_is_refused_as_it_came_is_sent_as_a_text_or_named() {
    let refused = || {
        error(
            200,
            r#"{"code":-32602,"message":"cursor must be a string"}"#,
        )
    };
    let taken = world(&[page("a", &cursor("7")), refused(), page("b", "")]);
    assert_eq!(
        listed(&taken),
        (
            vec!["a".to_owned(), "b".to_owned()],
            vec![Value::Null, json!(7), json!("7")]
        )
    );
    let lost = world(&[page("a", &cursor(r#"{"p":2}"#)), refused(), refused()]);
    let failure = lost.list().unwrap_err();
    assert!(
        matches!(&failure, Failure::Protocol(text)
            if text.contains(r#"{"p":2}"#) && text.contains("cursor must be a string")),
        "{failure:?}"
    );
}

#[test]
fn the_error_of_a_failed_handshake_is_that_of_the_handshake() {
    let login = Answer::With(200, "text/html", "<html>login</html>".to_owned());
    let plain = Answer::With(200, "application/json", r#"{"error":"nope"}"#.to_owned());
    for first in [refusal(), said::session_required()] {
        for (handshake, words) in [
            (login.clone(), "text/html"),
            (plain.clone(), "nope"),
            (error(200, r#""nope""#), "nope"),
            (said::plainly(404, "no such tenant"), "no such tenant"),
            (said::plainly(405, ""), "405"),
            (
                error(200, r#"{"code":-32601,"message":"not here"}"#),
                "not here",
            ),
            (
                error(403, r#"{"code":-1,"message":"suspended"}"#),
                "suspended",
            ),
        ] {
            for read_only in [true, false] {
                let world = world(&[first.clone(), handshake.clone()]);
                let failure = format!("{:?}", world.call(read_only).unwrap_err());
                assert!(failure.contains(words), "{failure}");
                assert!(!failure.contains("not initialized"), "{failure}");
            }
        }
    }
    // A refusal that does not ask for a handshake is more informative than the failed handshake.
    let expired = error(
        400,
        r#"{"code":-32000,"message":"your licence is expired"}"#,
    );
    for handshake in [
        said::plainly(404, ""),
        error(404, r#"{"code":-32601,"message":"no"}"#),
    ] {
        let failure = world(&[expired.clone(), handshake]).call(true).unwrap_err();
        assert!(format!("{failure:?}").contains("licence"), "{failure:?}");
    }
}

/// Returns the message and the data of a failure, as a caller sees them.
fn seen(failure: Failure) -> (String, Value) {
    let error = upstream("pubs", failure, 5);
    (error.to_string(), error.details()["data"].clone())
}

#[test]
fn errors_of_any_shape_reach_the_caller_in_the_words_of_the_server() {
    for (said, message, data) in [
        (
            r#""plain words""#,
            "pubs: the server refused: plain words",
            Value::Null,
        ),
        (
            r#"{"code":"E_BAD","message":"no","data":[1]}"#,
            "pubs: the server refused: E_BAD: no",
            json!([1]),
        ),
        (
            r#"{"code":-32000,"message":null,"data":{"x":1}}"#,
            "pubs: the server refused with code -32000",
            json!({ "x": 1 }),
        ),
        (
            r#"{"code":-32000,"detail":"no quota"}"#,
            r#"pubs: the server refused with code -32000: {"detail":"no quota"}"#,
            Value::Null,
        ),
        (
            r#"{"reason":7}"#,
            r#"pubs: the server refused: {"reason":7}"#,
            Value::Null,
        ),
    ] {
        let world = older(&[welcome("s1"), accepted(), error(200, said)]);
        let failure = world.call(false).unwrap_err();
        assert_eq!(seen(failure), (message.to_owned(), data), "{said}");
    }
}

#[test]
fn the_data_of_an_error_reaches_the_caller_from_a_refused_handshake_and_when_it_is_long() {
    let suspended = r#"{"code":-32001,"message":"suspended","data":{"tenant":"x"}}"#;
    for status in [401, 403] {
        let world = older(&[error(status, suspended)]);
        let (message, data) = seen(world.call(true).unwrap_err());
        assert!(message.ends_with(": suspended"), "{message}");
        assert_eq!(data, json!({ "tenant": "x" }));
    }
    let long = format!(
        r#"{{"code":-1,"message":"no","data":{{"trace":"{}"}}}}"#,
        "x".repeat(20_000)
    );
    let world = older(&[welcome("s1"), accepted(), error(200, &long)]);
    let (_, data) = seen(world.call(false).unwrap_err());
    let text = data.as_str().unwrap();
    assert!(text.starts_with(r#"{"trace":"xxx"#), "{text:.40}");
    assert!(text.contains("… (cut: ") && text.len() < 17_000);
}

fn tool_error(words: &str) -> Answer {
    json_answer(&format!(
        r#"{{"isError":true,"content":[{{"type":"text","text":"{words}"}}]}}"#
    ))
}

/// Returns responses that say that a session is lost. Some of them mean that nothing was done,
/// others may mean something else.
fn lost() -> Vec<Answer> {
    let words = [
        r#"{"code":-32002,"message":"Received request before initialization was complete"}"#,
        r#"{"code":-32002,"message":"Server not initialized"}"#,
        r#"{"code":-32600,"message":"Server is not initialized"}"#,
        r#"{"code":-32603,"message":"No active session"}"#,
        r#"{"code":"SESSION_GONE","message":"the session is gone"}"#,
        r#""Session expired""#,
    ];
    let mut all: Vec<Answer> = words.map(|said| error(200, said)).to_vec();
    all.push(tool_error("Session not found"));
    all.push(tool_error("Error: session expired, please re-initialize"));
    all.push(tool_error(
        "Received request before initialization was complete",
    ));
    all
}

#[test]
fn a_lost_session_in_any_words_is_begun_anew_once_and_safe_calls_are_repeated() {
    for (at, said) in lost().into_iter().enumerate() {
        let again = [welcome("s2"), accepted(), legacy(), legacy()];
        let world = older(&[&[welcome("s1"), accepted(), said], &again[..]].concat());
        assert!(world.call(true).is_ok(), "{at}");
        assert!(world.call(true).is_ok(), "{at}");
        assert_eq!(world.calls(), 3, "{at}");
        assert_eq!(world.header(6, "mcp-session-id").as_deref(), Some("s2"));
    }
}

#[test]
fn after_a_lost_session_an_unsafe_call_is_not_repeated_but_the_next_one_works() {
    for (at, said) in lost().into_iter().enumerate() {
        let again = [welcome("s2"), accepted(), legacy()];
        let world = older(&[&[welcome("s1"), accepted(), said], &again[..]].concat());
        let first = world.call(false);
        assert!(!first.is_ok_and(|result| result["isError"] != true), "{at}");
        assert_eq!(world.calls(), 1, "{at}");
        assert!(world.call(false).is_ok(), "{at}");
        assert_eq!(world.header(5, "mcp-session-id").as_deref(), Some("s2"));
    }
}

#[test]
fn a_tool_with_sessions_of_its_own_costs_one_handshake() {
    let own = || tool_error("Session not found");
    let answers = [
        welcome("s1"),
        accepted(),
        own(),
        welcome("s2"),
        accepted(),
        own(),
        own(),
        own(),
    ];
    let world = older(&answers);
    for _ in 0..3 {
        assert_eq!(world.call(true).unwrap()["isError"], true);
    }
    assert_eq!(world.calls(), 4);
    assert_eq!(world.header(7, "mcp-session-id").as_deref(), Some("s2"));
    // Text about anything else belongs to the tool, and so does an error in many words.
    let many = "the session is closed. ".repeat(100);
    for words in ["the window is closed", "the session is busy", many.as_str()] {
        let world = older(&[welcome("s1"), accepted(), tool_error(words)]);
        assert_eq!(world.call(true).unwrap()["isError"], true, "{words}");
    }
    let named = older(&[welcome("s1"), accepted(), own()]);
    let result = named.call_with(true, r#"{"sessionId":"x"}"#).unwrap();
    assert_eq!(
        result["isError"], true,
        "it is the session of the arguments"
    );
}

#[test]
fn a_server_that_declares_no_tools_and_lists_none_has_an_empty_list() {
    let with = |capabilities: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"protocolVersion":"2025-06-18"{capabilities}}}}}"#
        );
        Answer::Session("s", body)
    };
    for capabilities in [
        "",
        r#","capabilities":null"#,
        r#","capabilities":{}"#,
        r#","capabilities":{"prompts":{}}"#,
    ] {
        for said in [
            said::plainly(405, ""),
            said::plainly(501, "not implemented"),
            error(200, r#"{"code":-32601,"message":"Method not found"}"#),
            error(200, r#"{"code":-32603,"message":"no tools"}"#),
        ] {
            // A failure of the server itself is tried three times.
            let again = [said.clone(), said.clone(), said];
            let world = older(&[&[with(capabilities), accepted()], &again[..]].concat());
            assert_eq!(world.list().unwrap().tools, [], "{capabilities}");
        }
        // 404 may be the end of a session, so the request is sent once more in a new one.
        let nowhere = || said::plainly(404, "no");
        let twice = [
            with(capabilities),
            accepted(),
            nowhere(),
            with(capabilities),
            accepted(),
            nowhere(),
        ];
        assert_eq!(older(&twice).list().unwrap().tools, [], "{capabilities}");
    }
    let declared = with(r#","capabilities":{"tools":{}}"#);
    let broken = older(&[declared, accepted(), said::plainly(405, "")]);
    assert!(broken.list().is_err(), "it has tools");
    let down = || said::plainly(503, "");
    let away = older(&[with(""), accepted(), down(), down(), down()]);
    assert!(away.list().is_err(), "nobody knows");
}

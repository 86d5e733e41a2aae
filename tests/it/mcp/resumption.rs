//! Event streams whose connection ends before the response: the client resumes them if the server
//! allows it, and only then.

use mcp::Failure;
use serde_json::json;

use super::said;
use super::world::{Answer, World, accepted, modern, refusal, welcome, world};

const ANSWER: &str =
    "id: e2\ndata: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}\n\n";

fn stream(events: &str) -> Answer {
    Answer::With(200, "text/event-stream", events.to_owned())
}

/// Makes a server of the older protocol version, with these responses to a call.
fn answers(after: &[Answer]) -> World {
    let before = [refusal(), welcome("s1"), accepted()];
    world(&[&before[..], after].concat())
}

/// Returns the requests after the handshake.
fn sent(world: &World) -> Vec<String> {
    world.methods().split_off(3)
}

#[test]
fn a_stream_that_its_server_closes_is_asked_for_after_the_pause_that_it_wants() {
    let world = answers(&[stream("id: e1\nretry: 200\ndata: \n\n"), stream(ANSWER)]);
    assert!(world.call(false).is_ok());
    assert_eq!(sent(&world), ["tools/call", "GET"]);
    assert_eq!(world.pauses(), [200]);
    for (name, value) in [
        ("last-event-id", "e1"),
        ("mcp-session-id", "s1"),
        ("mcp-protocol-version", "2025-06-18"),
        ("accept", "text/event-stream"),
        ("authorization", "Bearer s3cr3t"),
    ] {
        assert_eq!(world.header(4, name).as_deref(), Some(value), "{name}");
    }
    assert!(world.told().is_empty(), "nothing was given up");
}

#[test]
fn what_was_told_before_the_stream_was_cut_counts() {
    let cut = concat!(
        "id: e0\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n\n",
        "id: e1\ndata: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"res",
    );
    let poll = stream("id: e3\nretry: 10\ndata: \n\n");
    let world = answers(&[stream(cut), poll, stream(ANSWER)]);
    assert!(world.call(false).is_ok());
    assert_eq!(sent(&world), ["tools/call", "GET", "GET"]);
    assert_eq!(
        world.header(4, "last-event-id").as_deref(),
        Some("e0"),
        "an event that had not ended has not come"
    );
    assert_eq!(world.header(5, "last-event-id").as_deref(), Some("e3"));
    assert_eq!(world.pauses(), [1_000, 100], "a server may not hurry us");
    assert_eq!(
        world.told(),
        [json!({ "jsonrpc": "2.0", "id": 7, "result": {} })]
    );
}

#[test]
fn a_server_that_fails_in_passing_is_asked_for_the_stream_again() {
    let begun = stream("id: e1\nretry: 200\ndata: \n\n");
    let world = answers(&[
        begun,
        said::plainly(503, "restarting"),
        Answer::Break,
        stream(ANSWER),
    ]);
    assert!(world.call(false).is_ok());
    assert_eq!(sent(&world), ["tools/call", "GET", "GET", "GET"]);
}

#[test]
fn a_stream_that_cannot_be_taken_up_is_a_broken_connection() {
    let begun = || stream("id: e1\ndata: \n\n");
    for refused in [
        said::plainly(405, ""),
        said::plainly(404, "what session?"),
        Answer::With(200, "application/json", "{}".to_owned()),
    ] {
        let world = answers(&[begun(), refused]);
        assert!(matches!(world.call(false), Err(Failure::Connection(_))));
        assert_eq!(sent(&world), ["tools/call", "GET"], "it was called once");
    }
    // Without an id the client has nothing to resume from; with too long a pause there is no time.
    for event in ["data: \n\n", "id: e1\nretry: 60000\ndata: \n\n"] {
        let world = answers(&[stream(event)]);
        assert!(matches!(world.call(false), Err(Failure::Connection(_))));
        assert_eq!(sent(&world), ["tools/call"]);
    }
}

#[test]
fn a_call_whose_stream_was_taken_up_is_not_made_again() {
    let begun = || stream("id: e1\ndata: \n\n");
    let world = answers(&[begun(), begun(), said::plainly(404, "")]);
    assert!(matches!(world.call(true), Err(Failure::Lost(_))));
    assert_eq!(world.calls(), 2, "one to find out the era, one taken");
}

#[test]
fn streams_without_end_end_with_the_time() {
    let forever = vec![stream("id: e1\nretry: 0\ndata: \n\n"); 200];
    let world = answers(&forever);
    assert!(world.call(false).is_err());
    assert!(sent(&world).len() <= 101, "{}", sent(&world).len());
}

#[test]
fn a_server_of_the_modern_era_is_not_asked_for_the_rest() {
    let world = world(&[stream("id: e1\ndata: \n\n"), modern()]);
    assert!(world.call(true).is_ok());
    assert_eq!(world.methods(), ["tools/call", "tools/call"]);
}

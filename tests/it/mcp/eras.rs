//! Servers that are replaced by one of the other protocol version, and sessions: what the client
//! detects again, and which requests it never sends to detect it.

use futures::executor::block_on;
use futures::future::join;
use mcp::client::Connection;
use mcp::{Era, Failure};
use serde_json::json;

use super::said;
use super::world::{Answer, accepted, json_answer, legacy, modern, refusal, welcome, world};

#[test]
fn a_server_that_was_replaced_by_an_older_one_gets_a_handshake() {
    for refused in [
        said::session_required(),
        said::version_of_2026_unsupported(),
        said::only_older_versions(),
        said::plainly(404, "Not Found"),
        said::plainly(405, ""),
    ] {
        let world = world(&[
            modern(),
            refused.clone(),
            refused,
            welcome("s1"),
            accepted(),
            legacy(),
            legacy(),
        ]);
        world.connection.assume(Some(Era::Modern));
        assert!(world.call(false).is_ok());
        assert!(world.call(false).is_ok());
        assert_eq!(world.connection.era(), Some(Era::Legacy));
        assert_eq!(
            world.methods()[1..],
            [
                "tools/call",
                "tools/list",
                "initialize",
                "notifications/initialized",
                "tools/call"
            ]
        );
        assert!(world.call(false).is_ok(), "and stays so");
        assert_eq!(world.methods().len(), 7);
    }
}

#[test]
fn a_server_that_was_replaced_by_a_modern_one_is_spoken_to_as_such() {
    // With an earlier session, and without one, where the server refuses the handshake.
    let before = [refusal(), welcome("s1"), accepted(), legacy()];
    let after = [
        said::version_of_2025_unsupported(),
        json_answer(r#"{"resultType":"complete","tools":[]}"#),
        modern(),
        modern(),
    ];
    let kept = world(&[&before[..], &after].concat());
    assert!(kept.call(true).is_ok());
    assert!(kept.call(false).is_ok());
    assert_eq!(kept.connection.era(), Some(Era::Modern));
    assert_eq!(
        kept.methods()[4..],
        ["tools/call", "tools/list", "tools/call"]
    );
    assert_eq!(kept.header(6, "mcp-session-id"), None);
    assert!(kept.call(false).is_ok(), "and stays so");

    let fresh = world(&after);
    fresh.connection.assume(Some(Era::Legacy));
    assert!(fresh.call(false).is_ok() && fresh.call(false).is_ok());
    assert_eq!(
        fresh.methods(),
        ["initialize", "tools/list", "tools/call", "tools/call"]
    );
}

#[test]
fn a_server_that_wants_sessions_since_lately_gets_one() {
    let without =
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}"#;
    let world = world(&[
        Answer::With(200, "application/json", without.to_owned()),
        accepted(),
        legacy(),
        said::session_required(),
        said::version_of_2026_unsupported(),
        welcome("s1"),
        accepted(),
        legacy(),
    ]);
    world.connection.assume(Some(Era::Legacy));
    assert!(world.call(false).is_ok() && world.call(false).is_ok());
    assert_eq!(world.header(7, "mcp-session-id").as_deref(), Some("s1"));
    assert_eq!(world.calls(), 3);
}

#[test]
fn what_a_tool_says_is_no_reason_to_find_out_anew() {
    let capability =
        r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32021,"message":"needs a session"}}"#;
    for answer in [
        said::in_band(-32602),
        said::in_band(-32022),
        said::in_band(-32000),
        said::plainly(500, "session lost"),
        said::plainly(409, "session"),
        Answer::With(400, "application/json", capability.to_owned()),
    ] {
        let world = world(&[answer]);
        world.connection.assume(Some(Era::Modern));
        assert!(world.call(false).is_err());
        assert_eq!(world.methods(), ["tools/call"]);
        assert_eq!(world.connection.era(), Some(Era::Modern));
    }
    for answer in [
        said::in_band(-32602),
        said::in_band(-32000),
        said::plainly(400, "the year is no number"),
        said::plainly(422, "session"),
        said::plainly(500, "session lost"),
    ] {
        let world = world(&[welcome("s1"), accepted(), answer]);
        world.connection.assume(Some(Era::Legacy));
        assert!(world.call(false).is_err());
        assert_eq!(world.calls(), 1);
        assert_eq!(world.connection.era(), Some(Era::Legacy));
    }
}

#[test]
fn a_refusal_that_was_about_something_else_is_reported_without_asking_again() {
    let listed = json_answer(r#"{"resultType":"complete","tools":[]}"#);
    let modern = world(&[said::plainly(400, "the year is no number"), listed]);
    modern.connection.assume(Some(Era::Modern));
    let failure = modern.call(false).unwrap_err();
    assert!(matches!(&failure, Failure::Status { status: 400, text, .. } if text.contains("year")));
    assert_eq!(modern.methods(), ["tools/call", "tools/list"]);
    // A server that no longer responds is described by its response to the call.
    let gone = world(&[
        said::plainly(404, "gone away"),
        said::plainly(404, "nothing here"),
        said::plainly(404, "nothing here"),
    ]);
    gone.connection.assume(Some(Era::Modern));
    let failure = gone.call(false).unwrap_err();
    assert!(matches!(&failure, Failure::Status { text, .. } if text == "gone away"));
    assert_eq!(gone.calls(), 1);
}

#[test]
fn what_may_do_something_twice_is_never_sent_to_find_out_the_era() {
    // This server takes requests of the modern protocol version for its own and carries them out.
    let world = world(&[
        welcome("s1"),
        accepted(),
        said::session_required(),
        json_answer(r#"{"tools":[]}"#),
        welcome("s2"),
        accepted(),
        legacy(),
    ]);
    world.connection.assume(Some(Era::Legacy));
    assert!(world.call(false).is_ok());
    assert_eq!(world.calls(), 2, "one refused, one taken");
    assert_eq!(world.header(6, "mcp-session-id").as_deref(), Some("s2"));
}

#[test]
fn the_era_is_found_out_once_for_a_request() {
    let world = world(&[
        said::session_required(),
        said::session_required(),
        welcome("s1"),
        accepted(),
        said::session_required(),
    ]);
    world.connection.assume(Some(Era::Modern));
    assert!(matches!(
        world.call(false),
        Err(Failure::Refused { status: 400, .. })
    ));
    assert_eq!(world.methods().len(), 5);
}

#[test]
fn what_the_connection_has_seen_counts_more_than_an_old_list() {
    let broken = world(&[
        said::version_of_2026_unsupported(),
        Answer::With(503, "text/plain", String::new()),
        said::plainly(404, "no handshake either"),
        said::version_of_2026_unsupported(),
        welcome("s1"),
        accepted(),
        legacy(),
    ]);
    broken.connection.assume(Some(Era::Modern));
    assert!(broken.call(false).is_err());
    broken.connection.assume(Some(Era::Modern));
    assert_eq!(
        broken.connection.era(),
        None,
        "what was wrong stays forgotten"
    );
    assert!(broken.call(false).is_ok());
    assert_eq!(broken.calls(), 2);
    broken.connection.assume(Some(Era::Modern));
    assert_eq!(broken.connection.era(), Some(Era::Legacy));
}

#[test]
fn after_a_handshake_the_second_failure_is_the_one_that_is_reported() {
    let broken_page = Answer::With(200, "text/plain", "oops".to_owned());
    for (second, wanted) in [
        (broken_page, "neither JSON nor an event stream"),
        (said::plainly(404, "no such tool"), "no such tool"),
    ] {
        let answers = [refusal(), welcome("s1"), accepted(), second.clone()];
        let again = [welcome("s2"), accepted(), second];
        let world = world(&[&answers[..], &again].concat());
        let failure = world.list().unwrap_err();
        assert!(format!("{failure:?}").contains(wanted), "{failure:?}");
        assert_eq!(world.connection.era(), Some(Era::Legacy));
    }
}

#[test]
fn of_two_sessions_that_were_begun_at_once_one_is_used_and_the_other_ended() {
    let mut world = world(&[
        welcome("s1"),
        welcome("s2"),
        accepted(),
        accepted(),
        legacy(),
        legacy(),
        legacy(),
    ]);
    // Requests of different origins do not wait for each other.
    world.connection = Connection::default();
    world.connection.assume(Some(Era::Legacy));
    world.network.slow.set(true);
    let (first, second) = block_on(join(world.calling(false), world.calling(false)));
    assert!(first.is_ok() && second.is_ok());
    assert!(world.call(false).is_ok());
    assert_eq!(
        world.methods(),
        [
            "initialize",
            "initialize",
            "notifications/initialized",
            "notifications/initialized",
            "tools/call",
            "tools/call",
            "tools/call"
        ]
    );
    for at in [4, 5, 6] {
        assert_eq!(world.header(at, "mcp-session-id").as_deref(), Some("s1"));
    }
    assert_eq!(world.told(), [json!("DELETE")]);
    let (ended, _) = &world.network.forgotten.borrow()[0];
    assert!(
        ended
            .headers
            .contains(&("mcp-session-id".to_owned(), "s2".to_owned()))
    );
}

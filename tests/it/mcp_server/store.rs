//! The stored state of a client with a session.

use database::migrations;
use mcp::limits::{MAX_SESSION_EVENT_BYTES, MAX_SUBSCRIBED_RESOURCES, SESSION_USE_RESOLUTION_MS};
use mcp::server::session::{self, EventId, STANDALONE};
use mcp::server::{Introduction, LogLevel, Version};
use serde_json::value::RawValue;

use test_support::{HostDatabase, NOW_MS};

fn database() -> HostDatabase {
    let db = HostDatabase::new();
    migrations::apply(&db, session::MIGRATIONS, NOW_MS).unwrap();
    db
}

fn begun() -> HostDatabase {
    let db = database();
    let params = r#"{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"n","version":"1"}}"#;
    let params = RawValue::from_string(params.to_owned()).unwrap();
    let introduction = Introduction::read(Some(&params)).unwrap();
    session::begin(&db, &introduction, "code", NOW_MS).unwrap();
    db
}

#[test]
fn a_session_is_what_its_client_said() {
    let db = begun();
    let mut record = session::load(&db).unwrap().unwrap();
    assert_eq!(
        (record.profile.as_str(), record.caller.version),
        ("code", Version::V20250618)
    );
    assert!(record.caller.capabilities.has_forms() && record.log_level.is_none());
    session::set_level(&db, LogLevel::Error).unwrap();
    assert_eq!(
        session::load(&db).unwrap().unwrap().log_level,
        Some(LogLevel::Error)
    );
    const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
    let exact = SESSION_USE_RESOLUTION_MS;
    session::touch(&db, &mut record, NOW_MS + exact - 1, DAY_MS).unwrap();
    assert_eq!(session::load(&db).unwrap().unwrap().used_ms, NOW_MS);
    session::touch(&db, &mut record, NOW_MS + exact, DAY_MS).unwrap();
    let ends_ms = |ttl_ms| session::ends_ms(&db, ttl_ms).unwrap().unwrap();
    assert_eq!(ends_ms(DAY_MS), NOW_MS + 2 * exact + DAY_MS);
    assert_eq!(ends_ms(1_000), NOW_MS + exact + 1_100);
    assert!(session::is_begun(&db).unwrap() && !session::is_begun(&HostDatabase::new()).unwrap());
    assert!(session::load(&database()).unwrap().is_none());
}

#[test]
fn subscriptions_are_few_and_each_stands_once() {
    let db = begun();
    for uri in ["db://b/schema", "db://a/schema", "db://a/schema"] {
        session::subscribe(&db, uri).unwrap();
    }
    assert_eq!(
        session::subscriptions(&db).unwrap(),
        ["db://a/schema", "db://b/schema"]
    );
    session::unsubscribe(&db, "db://a/schema").unwrap();
    session::unsubscribe(&db, "db://never/schema").unwrap();
    for number in 1..MAX_SUBSCRIBED_RESOURCES {
        session::subscribe(&db, &format!("db://s{number}/schema")).unwrap();
    }
    assert!(session::subscribe(&db, "db://more/schema").is_err());
}

fn texts(db: &HostDatabase, stream: u64, number: u64) -> Vec<String> {
    let events = session::after(db, EventId { stream, number }).unwrap();
    events.into_iter().map(|(_, data)| data).collect()
}

#[test]
fn a_stream_goes_on_behind_the_last_event_that_arrived() {
    let db = begun();
    let (one, two) = (
        session::open_stream(&db, "1").unwrap(),
        session::open_stream(&db, "\"b\"").unwrap(),
    );
    assert!(one != two && one != STANDALONE);
    for (stream, data) in [
        (one, "a"),
        (two, "x"),
        (one, "b"),
        (STANDALONE, "s"),
        (one, "c"),
    ] {
        session::append(&db, stream, data).unwrap();
    }
    assert_eq!(texts(&db, one, 0), ["a", "b", "c"]);
    assert_eq!(texts(&db, one, 2), ["c"]);
    assert_eq!(texts(&db, STANDALONE, 0), ["s"]);
    assert!(texts(&db, one, 3).is_empty() && texts(&db, 77, 0).is_empty());
    assert!(session::is_stream(&db, two).unwrap() && !session::is_stream(&db, 77).unwrap());
    assert_eq!(
        session::last_event(&db, one).unwrap().to_string(),
        format!("{one}-3")
    );
    assert_eq!(
        EventId::parse("3-7"),
        Some(EventId {
            stream: 3,
            number: 7
        })
    );
    for text in ["", "3", "3-", "-1", "a-b", "3-7-1", "+3-+7"] {
        assert_eq!(EventId::parse(text), None, "{text}");
    }
}

#[test]
fn old_events_go_and_whoever_wants_them_is_told() {
    let db = begun();
    let stream = session::open_stream(&db, "1").unwrap();
    let piece = "x".repeat(usize::try_from(MAX_SESSION_EVENT_BYTES / 4).unwrap());
    for _ in 0..6 {
        session::append(&db, stream, &piece).unwrap();
    }
    assert!(session::after(&db, EventId { stream, number: 0 }).is_err());
    assert_eq!(texts(&db, stream, 2).len(), 4);
    let other = session::open_stream(&db, "2").unwrap();
    for _ in 0..4 {
        session::append(&db, other, &piece).unwrap();
    }
    let error = session::after(&db, EventId { stream, number: 4 }).unwrap_err();
    assert!(error.to_string().contains("no longer kept"), "{error}");
    assert_eq!(session::append(&db, stream, "next").unwrap().number, 7);
}

#[test]
fn a_call_without_a_response_is_known() {
    let db = begun();
    let stream = session::open_stream(&db, "\"call-1\"").unwrap();
    let lost = session::interrupted(&db, stream).unwrap();
    assert_eq!(lost.unwrap().json(), "\"call-1\"");
    session::close_stream(&db, stream).unwrap();
    assert!(session::interrupted(&db, stream).unwrap().is_none());
    assert!(session::interrupted(&db, 77).unwrap().is_none());
}

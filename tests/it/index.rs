//! The index of a tenant's objects on real SQLite.

use database::migrations;
use index::limits::{DEFAULT_LISTED_OBJECTS, MAX_LISTED_OBJECTS};
use index::{self, Note, ObjectKind, Page};
use serde_json::{Value, json};

use test_support::HostDatabase;

/// 2025-11-22T08:26:40Z
const NOW_MS: u64 = 1_763_800_000_000;
const MINUTE_MS: u64 = 60_000;

fn database() -> HostDatabase {
    let db = HostDatabase::new();
    migrations::apply(&db, index::MIGRATIONS, NOW_MS).unwrap();
    db
}

fn used(name: &str, last_use_ms: u64, expires_at_ms: Option<u64>) -> Note {
    Note::Used {
        kind: ObjectKind::Session,
        name: name.to_owned(),
        size_bytes: 4096,
        last_use_ms,
        expires_at_ms,
        details: None,
    }
}

fn deleted(name: &str) -> Note {
    Note::Deleted {
        kind: ObjectKind::Session,
        name: name.to_owned(),
    }
}

fn page(limit: usize, after: &str) -> Page {
    Page {
        limit,
        after: after.to_owned(),
        business: None,
    }
}

fn names(listed: &Value) -> Vec<&str> {
    let sessions = listed["sessions"].as_array().unwrap();
    sessions
        .iter()
        .map(|session| session["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_session_is_listed_as_it_was_last_told() {
    let db = database();
    index::take(&db, &used("films", NOW_MS, Some(NOW_MS + MINUTE_MS))).unwrap();
    let later = Note::Used {
        kind: ObjectKind::Session,
        name: "films".to_owned(),
        size_bytes: 8192,
        last_use_ms: NOW_MS + 1,
        expires_at_ms: Some(NOW_MS + 2 * MINUTE_MS),
        details: None,
    };
    index::take(&db, &Note::parse(&later.to_json()).unwrap()).unwrap();
    assert_eq!(
        index::sessions(&db, &page(10, ""), NOW_MS).unwrap(),
        json!({
            "sessions": [{
                "name": "films",
                "databaseSize": 8192,
                "lastActivity": "2025-11-22T08:26:40.001Z",
                "expiresAt": "2025-11-22T08:28:40.000Z",
            }],
            "nextCursor": null,
        })
    );
}

#[test]
fn pages_have_every_session_once() {
    let db = database();
    let mut told: Vec<String> = (0..250).map(|number| format!("s{number}")).collect();
    for name in &told {
        index::take(&db, &used(name, NOW_MS, None)).unwrap();
    }
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let listed = index::sessions(&db, &page(100, &after), NOW_MS).unwrap();
        seen.extend(names(&listed).into_iter().map(str::to_owned));
        match listed["nextCursor"].as_str() {
            Some(cursor) => after = cursor.to_owned(),
            None => break,
        }
    }
    told.sort_unstable();
    assert_eq!(seen, told);
    assert_eq!(index::count(&db, ObjectKind::Session, NOW_MS), Ok(250));
}

#[test]
fn threads_that_wait_come_first_and_then_those_that_were_used_last() {
    let db = database();
    for number in 0..25 {
        let waits = number % 5 == 0;
        let note = Note::Used {
            kind: ObjectKind::Thread,
            name: format!("t:{number}"),
            size_bytes: 1,
            // Two of them have the same time.
            last_use_ms: NOW_MS + number / 2,
            expires_at_ms: None,
            details: Some(
                json!({ "next": if waits { json!(["humanApproval"]) } else { json!([]) }, "businessId": null }),
            ),
        };
        index::take(&db, &note).unwrap();
    }
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let listed = index::threads(&db, &page(7, &after), NOW_MS).unwrap();
        for thread in listed["threads"].as_array().unwrap() {
            seen.push(thread["threadId"].as_str().unwrap().to_owned());
        }
        match listed["nextCursor"].as_str() {
            Some(cursor) => after = cursor.to_owned(),
            None => break,
        }
    }
    let mut expected: Vec<u64> = (0..25).collect();
    expected.sort_by_key(|number| (number % 5 == 0, number / 2, format!("t:{number}")));
    expected.reverse();
    let expected: Vec<String> = expected
        .iter()
        .map(|number| format!("t:{number}"))
        .collect();
    assert_eq!(seen, expected);
    for cursor in ["t:3", "1:x:t", "1:2", "1:2:a/b"] {
        let refused = index::threads(&db, &page(7, cursor), NOW_MS).unwrap_err();
        assert_eq!(refused.code(), "INVALID_ARGUMENT", "{cursor}");
    }
}

#[test]
fn what_is_deleted_or_expired_is_no_longer_listed() {
    let db = database();
    for name in ["kept", "deleted", "expired"] {
        let expires = if name == "expired" {
            NOW_MS + 1
        } else {
            NOW_MS + MINUTE_MS
        };
        index::take(&db, &used(name, NOW_MS, Some(expires))).unwrap();
    }
    index::take(&db, &deleted("deleted")).unwrap();
    index::take(&db, &deleted("never told")).unwrap();
    let later_ms = NOW_MS + 1;
    assert_eq!(
        names(&index::sessions(&db, &page(10, ""), later_ms).unwrap()),
        ["kept"]
    );
    assert_eq!(
        index::names(&db, ObjectKind::Session, 10, later_ms).unwrap(),
        ["kept"]
    );
    assert_eq!(index::count(&db, ObjectKind::Session, later_ms), Ok(1));
    index::sweep(&db, later_ms).unwrap();
    assert_eq!(db.dump_rows("SELECT name FROM objects"), ["'kept'"]);
}

/// Two notes may arrive in another order than they were sent in.
#[test]
fn an_older_note_does_not_turn_the_last_use_back() {
    let db = database();
    index::take(&db, &used("films", NOW_MS + 5, None)).unwrap();
    index::take(&db, &used("films", NOW_MS, None)).unwrap();
    let listed = index::sessions(&db, &page(10, ""), NOW_MS).unwrap();
    assert_eq!(
        listed["sessions"][0]["lastActivity"],
        "2025-11-22T08:26:40.005Z"
    );
}

#[test]
fn a_page_is_read_from_its_parameters() {
    let first = Page::from_parameters(None, None).unwrap();
    assert_eq!(first, page(DEFAULT_LISTED_OBJECTS, ""));
    let next = Page::from_parameters(Some("7"), Some("films".to_owned())).unwrap();
    assert_eq!(next, page(7, "films"));
    for limit in [
        "0",
        "-1",
        "x",
        "",
        "1.5",
        &(MAX_LISTED_OBJECTS + 1).to_string(),
    ] {
        let error = Page::from_parameters(Some(limit), None).unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{limit}");
    }
    let unusable = Page::from_parameters(None, Some("no name".to_owned())).unwrap();
    let refused = index::sessions(&database(), &unusable, NOW_MS).unwrap_err();
    assert_eq!(refused.code(), "INVALID_ARGUMENT");
}

#[test]
fn a_note_that_is_none_is_a_fault_of_ours() {
    for text in [
        "",
        "{}",
        r#"{"used":{}}"#,
        r#"{"deleted":{"kind":"planet","name":"x"}}"#,
    ] {
        assert_eq!(Note::parse(text).unwrap_err().code(), "INTERNAL", "{text}");
    }
}

#[test]
fn threads_of_one_business_are_listed_alone() {
    let db = database();
    for (name, business) in [("a", "b1"), ("b", "b2"), ("c", "b1")] {
        let note = Note::Used {
            kind: ObjectKind::Thread,
            name: name.to_owned(),
            size_bytes: 1,
            last_use_ms: NOW_MS,
            expires_at_ms: None,
            details: Some(json!({ "businessId": business })),
        };
        index::take(&db, &note).unwrap();
    }
    let names = |business: Option<&str>| {
        let page = Page {
            business: business.map(str::to_owned),
            ..page(10, "")
        };
        let listed = index::threads(&db, &page, NOW_MS).unwrap();
        let threads = listed["threads"].as_array().unwrap().clone();
        threads
            .iter()
            .map(|thread| thread["threadId"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(Some("b1")), ["c", "a"]);
    assert_eq!(names(Some("b3")), Vec::<String>::new());
    assert_eq!(names(None), ["c", "b", "a"]);
}

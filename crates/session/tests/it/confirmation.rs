//! Confirmations: made for one operation, redeemed once, and hidden from callers.

use base::Error;
use session::confirmation::{Request, Subject, mint, redeem};
use session::limits::CONFIRMATION_TTL_MS;

use super::{NOW_MS, database, fail, operation};
use test_support::HostDatabase;

const FRESH: [u8; 32] = [7; 32];

const WHAT: Subject<'_> = Subject {
    tenant: "acme",
    session: "films",
    tool: "exec",
    arguments: r#"{"sql":"DROP TABLE t"}"#,
    basis: "abc",
};

fn minted(db: &HostDatabase, fresh: [u8; 32]) -> String {
    mint(db, &WHAT, NOW_MS, fresh).unwrap()
}

fn refused(outcome: Result<(), Error>) -> String {
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), "CONFIRMATION_INVALID");
    assert!(error.hint().unwrap().contains("requestState"));
    error.to_string()
}

const NOT_FOR_THIS: &str = "the confirmation is not for this operation, or the data that would be deleted has changed since";

#[test]
fn a_confirmation_works_once() {
    let db = database();
    let state = minted(&db, FRESH);
    assert_eq!(redeem(&db, &WHAT, &state, NOW_MS), Ok(()));
    let again = refused(redeem(&db, &WHAT, &state, NOW_MS + 1));
    assert_eq!(again, "the confirmation was already used");
    let other = minted(&db, [8; 32]);
    assert_eq!(redeem(&db, &WHAT, &other, NOW_MS), Ok(()));
}

#[test]
fn its_text_has_four_parts_in_their_form() {
    let state = minted(&database(), FRESH);
    let parts: Vec<&str> = state.split('.').collect();
    assert_eq!(parts.len(), 4);
    assert_eq!(
        (parts[0], parts[1].parse(), parts[2].len(), parts[3].len()),
        ("v2", Ok(NOW_MS + CONFIRMATION_TTL_MS), 32, 64)
    );
}

#[test]
fn it_is_for_one_subject_alone() {
    let db = database();
    let state = minted(&db, FRESH);
    let others = [
        Subject {
            tenant: "acm",
            session: "efilms",
            ..WHAT
        },
        Subject {
            tenant: "zeta",
            ..WHAT
        },
        Subject {
            session: "film",
            ..WHAT
        },
        Subject {
            tool: "query",
            ..WHAT
        },
        Subject {
            tool: "exec{",
            arguments: r#""sql":"DROP TABLE t"}"#,
            ..WHAT
        },
        Subject {
            arguments: r#"{"sql":"DROP TABLE u"}"#,
            ..WHAT
        },
        Subject {
            arguments: r#"{"sql": "DROP TABLE t"}"#,
            ..WHAT
        },
        Subject {
            arguments: "",
            ..WHAT
        },
        Subject {
            basis: "abd",
            ..WHAT
        },
        Subject {
            arguments: r#"{"sql":"DROP TABLE t"}abc"#,
            basis: "",
            ..WHAT
        },
    ];
    for other in others {
        let said = refused(redeem(&db, &other, &state, NOW_MS));
        assert_eq!(said, NOT_FOR_THIS, "{other:?}");
    }
    // None of these attempts has used it.
    assert_eq!(redeem(&db, &WHAT, &state, NOW_MS), Ok(()));
}

#[test]
fn it_ends_with_its_time() {
    let db = database();
    let state = minted(&db, FRESH);
    let end_ms = NOW_MS + CONFIRMATION_TTL_MS;
    for now_ms in [end_ms, end_ms + 1, u64::MAX] {
        let said = refused(redeem(&db, &WHAT, &state, now_ms));
        assert_eq!(said, "the confirmation has expired");
    }
    assert_eq!(redeem(&db, &WHAT, &state, end_ms - 1), Ok(()));
}

#[test]
fn a_text_that_was_changed_anywhere_is_refused() {
    let db = database();
    let state = minted(&db, FRESH);
    for at in 0..state.len() {
        let mut letters = state.clone().into_bytes();
        for replaced in *b"0a.9Fv \n" {
            let before = std::mem::replace(&mut letters[at], replaced);
            let changed = String::from_utf8(letters.clone()).unwrap();
            if changed != state {
                let said = refused(redeem(&db, &WHAT, &changed, NOW_MS));
                assert_eq!(said, NOT_FOR_THIS, "{changed}");
            }
            letters[at] = before;
        }
    }
    let parts: Vec<&str> = state.split('.').collect();
    for changed in [
        String::new(),
        "v2".to_owned(),
        "....".to_owned(),
        "v1...".to_owned(),
        state.to_uppercase(),
        // In the form of the earlier version.
        state.replacen("v2", "v1", 1),
        format!("{state}."),
        format!("{state}0"),
        format!("{state}00"),
        format!(" {state}"),
        format!("v1.0{}.{}.{}", parts[1], parts[2], parts[3]),
        format!("v1.+{}.{}.{}", parts[1], parts[2], parts[3]),
        format!("v1.{}.0x{}.{}", parts[1], parts[2], parts[3]),
        format!("v1.{}.{}.0x{}", parts[1], parts[2], parts[3]),
        format!("v1.{}.{}.{}", parts[1], parts[2], parts[2]),
        format!("v1.{}.{}.", parts[1], parts[2]),
        format!("v1.{}.{}.{}.x", parts[1], parts[2], parts[3]),
        format!("v1.99999999999999999999.{}.{}", parts[2], parts[3]),
        "é".repeat(60),
    ] {
        let said = refused(redeem(&db, &WHAT, &changed, NOW_MS));
        assert_eq!(said, NOT_FOR_THIS, "{changed}");
    }
    // Others learn nothing about time and use: an old text with a wrong MAC is not reported as
    // expired.
    let old = format!("v1.1.{}.{}", parts[2], parts[3]);
    assert_eq!(refused(redeem(&db, &WHAT, &old, NOW_MS)), NOT_FOR_THIS);
    assert_eq!(redeem(&db, &WHAT, &state, NOW_MS), Ok(()));
}

#[test]
fn each_session_has_a_key_of_its_own_that_stays() {
    let (one, other) = (database(), database());
    let state = minted(&one, FRESH);
    minted(&other, [9; 32]);
    assert_eq!(refused(redeem(&other, &WHAT, &state, NOW_MS)), NOT_FOR_THIS);
    let key = "SELECT hex(key), length(key) FROM _codemode_confirmation_key";
    let before = one.dump_rows(key);
    assert!(before[0].ends_with("|32"), "{before:?}");
    minted(&one, [1; 32]);
    assert_eq!(one.dump_rows(key), before);
    assert_ne!(other.dump_rows(key), before);
    // A new session after a deletion has none of the old one's keys.
    assert_eq!(
        refused(redeem(&database(), &WHAT, &state, NOW_MS)),
        NOT_FOR_THIS
    );
}

#[test]
fn neither_the_key_nor_the_random_bytes_are_in_the_text() {
    let db = database();
    let state = minted(&db, FRESH);
    let key = db.dump_rows("SELECT lower(hex(key)) FROM _codemode_confirmation_key");
    let key = key[0].trim_matches('\'');
    let nonce = state.split('.').nth(2).unwrap();
    assert!(!state.contains(key) && !key.contains(nonce));
    assert!(!state.contains(&"07".repeat(8)));
}

#[test]
fn what_was_redeemed_is_kept_until_it_expires() {
    let db = database();
    let count = || db.dump_rows("SELECT count(*) FROM _codemode_confirmations");
    for number in 0..5_u8 {
        let now_ms = NOW_MS + u64::from(number) * 1_000;
        let state = mint(&db, &WHAT, now_ms, [number; 32]).unwrap();
        assert_eq!(redeem(&db, &WHAT, &state, now_ms), Ok(()));
    }
    assert_eq!(count(), ["5"]);
    // Three of them have expired by this time.
    let later_ms = NOW_MS + CONFIRMATION_TTL_MS + 2_000;
    let state = mint(&db, &WHAT, later_ms, [50; 32]).unwrap();
    assert_eq!(count(), ["5"], "nothing is stored before it is redeemed");
    assert_eq!(redeem(&db, &WHAT, &state, later_ms), Ok(()));
    assert_eq!(count(), ["3"]);
}

#[test]
fn a_request_makes_one_or_redeems_it() {
    let db = database();
    let body = r#"{"tenant":"acme","session":"films","tool":"exec","arguments":"{\"sql\":\"DROP TABLE t\"}","basis":"abc"}"#;
    let made = Request::parse(body).unwrap();
    assert_eq!(made.what(), WHAT);
    let fields = made.serve(&db, NOW_MS, FRESH).unwrap();
    let state = fields["state"].as_str().unwrap();
    let with_state = body.replacen('{', &format!(r#"{{"state":"{state}","#), 1);
    let redeemed = Request::parse(&with_state).unwrap();
    assert!(redeemed.serve(&db, NOW_MS, FRESH).unwrap().is_null());
    let again = redeemed.serve(&db, NOW_MS, FRESH).unwrap_err();
    assert_eq!(again.code(), "CONFIRMATION_INVALID");
    for body in [
        "",
        "[]",
        "{}",
        r#"{"tenant":"a","session":"b","tool":"c"}"#,
        r#"{"tenant":"a","session":"b","tool":"c","arguments":"{}"}"#,
        r#"{"tenant":"a","session":"b","tool":"c","arguments":{},"basis":""}"#,
        r#"{"tenant":"a","session":"b","tool":"c","arguments":"{}","basis":"","states":"v2"}"#,
        r#"{"tenant":"a","session":"b","tool":"c","tool":"d","arguments":"{}","basis":""}"#,
    ] {
        assert_eq!(Request::parse(body).unwrap_err().code(), "INVALID_BODY");
    }
}

#[test]
fn callers_can_neither_read_nor_change_what_it_needs() {
    let db = database();
    minted(&db, FRESH);
    for table in ["_codemode_confirmation_key", "_codemode_confirmations"] {
        for sql in [
            format!("SELECT * FROM {table}"),
            format!("SELECT * FROM main.\"{table}\""),
            format!("SELECT 1 WHERE 1 IN {table}"),
            format!("CREATE VIEW v AS SELECT * FROM {table}"),
            format!("INSERT INTO {table} DEFAULT VALUES"),
            format!("DELETE FROM {table}"),
            format!("UPDATE {table} SET rowid = 2"),
            format!("DROP TABLE {table}"),
            format!("ALTER TABLE {table} RENAME TO mine"),
            format!("CREATE INDEX i ON {table} (rowid)"),
            format!("CREATE VIRTUAL TABLE f USING fts5(key, content='{table}')"),
        ] {
            let request = serde_json::json!({"operation": "exec", "sql": sql});
            assert_eq!(
                fail(&db, &request.to_string()).code(),
                "SQL_BLOCKED",
                "{sql}"
            );
        }
        for name in ["getColumns", "describeTable", "dropTable"] {
            let request = serde_json::json!({"operation": name, "table": table});
            fail(&db, &request.to_string());
        }
        let records =
            serde_json::json!({"operation": "batchInsert", "table": table, "records": [{"id": 1}]});
        fail(&db, &records.to_string());
    }
    let tables = operation(&db, r#"{"operation":"getTables"}"#).unwrap();
    assert_eq!(tables["tables"], serde_json::json!([]));
    let metrics = operation(&db, r#"{"operation":"getMetrics"}"#).unwrap();
    assert_eq!(metrics["tables"], serde_json::json!({}));
}

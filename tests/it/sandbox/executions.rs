//! The list of programs that ran.

use codemode_database::session::executions::{Execution, list, record};
use codemode_database::session::limits::MAX_EXECUTION_LOGS;
use codemode_database::session::logs::log;
use serde_json::{Value, json};

use super::in_session;
use crate::session::{NOW_MS, database};
use crate::support::HostDatabase;

fn execution(id: &str, calls: usize) -> Execution {
    Execution {
        id: id.to_owned(),
        ended_ms: NOW_MS,
        duration_ms: 12,
        calls,
        outcome: "OK".to_owned(),
    }
}

fn listed(db: &HostDatabase, limit: Option<&str>) -> Value {
    let answer = in_session(db, |session| list(session, limit)).unwrap();
    crate::support::body(&answer)["executions"].take()
}

#[test]
fn the_newest_run_comes_first_and_other_entries_of_the_log_are_left_out() {
    let db = database();
    record(&db, &execution("a", 0)).unwrap();
    log(&db, NOW_MS, "loaded 3 rows").unwrap();
    record(&db, &execution("b", 1)).unwrap();
    assert_eq!(
        listed(&db, None),
        json!([
            { "executionId": "b", "durationMs": 12, "calls": 1, "outcome": "OK", "endedAt": "2026-11-21T22:10:00.000Z" },
            { "executionId": "a", "durationMs": 12, "calls": 0, "outcome": "OK", "endedAt": "2026-11-21T22:10:00.000Z" },
        ])
    );
    assert_eq!(
        db.dump_rows("SELECT message FROM execution_logs ORDER BY id"),
        [
            "'program OK in 12 ms with 0 calls'",
            "'loaded 3 rows'",
            "'program OK in 12 ms with 1 call'"
        ]
    );
}

#[test]
fn a_limit_is_a_number_in_range() {
    let db = database();
    for id in ["a", "b", "c"] {
        record(&db, &execution(id, 0)).unwrap();
    }
    assert_eq!(listed(&db, Some("2")).as_array().unwrap().len(), 2);
    for limit in ["0", "201", "-1", "x", ""] {
        let error = in_session(&db, |session| list(session, Some(limit))).unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{limit}");
    }
}

#[test]
fn runs_share_the_cap_of_the_log() {
    let db = database();
    for number in 0..MAX_EXECUTION_LOGS + 200 {
        record(&db, &execution(&number.to_string(), 0)).unwrap();
    }
    let kept: u64 = db.dump_rows("SELECT count(*) FROM execution_logs")[0]
        .parse()
        .unwrap();
    assert!(kept <= MAX_EXECUTION_LOGS, "{kept}");
}

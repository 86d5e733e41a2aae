//! The list of programs that ran.

use serde_json::{Value, json};
use session::executions::{Execution, Output, list, record};
use session::limits::{
    MAX_EXECUTION_LOGS, MAX_KEPT_FAILURE_CHARACTERS, MAX_KEPT_OUTPUT_BYTES, MAX_KEPT_OUTPUT_ENTRIES,
};
use session::logs::log;

use super::in_session;
use test_support::HostDatabase;
use test_support::{NOW_MS, database};

fn execution(id: &str, calls: usize) -> Execution {
    Execution {
        id: id.to_owned(),
        ended_ms: NOW_MS,
        duration_ms: 12,
        calls,
        outcome: "OK".to_owned(),
        error: None,
        output: Output::default(),
    }
}

fn wrote(texts: impl IntoIterator<Item = String>) -> Execution {
    let logs: Vec<Value> = texts
        .into_iter()
        .map(|text| json!({ "level": "log", "text": text, "atMs": 1 }))
        .collect();
    Execution {
        output: Output::end_of(&logs),
        ..execution("a", 0)
    }
}

fn listed(db: &HostDatabase, limit: Option<&str>) -> Value {
    let answer = in_session(db, |session| list(session, limit)).unwrap();
    test_support::body(&answer)["executions"].take()
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
            { "executionId": "b", "durationMs": 12, "calls": 1, "outcome": "OK", "logs": [], "endedAt": "2026-11-21T22:10:00.000Z" },
            { "executionId": "a", "durationMs": 12, "calls": 0, "outcome": "OK", "logs": [], "endedAt": "2026-11-21T22:10:00.000Z" },
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
fn a_run_keeps_the_end_of_its_output_and_says_how_much_came_before() {
    let texts = |execution: &Execution| {
        let db = database();
        record(&db, execution).unwrap();
        let run = listed(&db, None)[0].take();
        let texts: Vec<String> = run["logs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["text"].as_str().unwrap().to_owned())
            .collect();
        (texts, run["logsLeftOut"].clone())
    };
    let numbers = |range: std::ops::Range<usize>| range.map(|number| number.to_string());

    let whole = numbers(0..MAX_KEPT_OUTPUT_ENTRIES);
    assert_eq!(texts(&wrote(whole.clone())), (whole.collect(), Value::Null));
    let all = MAX_KEPT_OUTPUT_ENTRIES + 3;
    assert_eq!(
        texts(&wrote(numbers(0..all))),
        (numbers(3..all).collect(), json!(3))
    );
    let half = "ä".repeat(MAX_KEPT_OUTPUT_BYTES / 4);
    let filled = [half.clone(), "x".to_owned(), half.clone()];
    assert_eq!(
        texts(&wrote(filled)),
        (vec!["x".to_owned(), half], json!(1))
    );
}

#[test]
fn a_failed_run_keeps_what_a_person_reads_of_its_failure() {
    let db = database();
    let message = "x".repeat(MAX_KEPT_FAILURE_CHARACTERS + 1);
    let failed = Execution {
        outcome: "UNCAUGHT_EXCEPTION".to_owned(),
        error: Some(json!({
            "name": "TypeError", "message": message, "code": "UNCAUGHT_EXCEPTION", "category": "runtime",
            "line": 3, "column": 7, "pointer": "x", "hint": "do", "available": ["y"],
        })),
        ..execution("a", 0)
    };
    record(&db, &failed).unwrap();
    assert_eq!(
        listed(&db, None)[0]["error"],
        json!({
            "code": "UNCAUGHT_EXCEPTION", "name": "TypeError", "hint": "do", "line": 3, "column": 7,
            "message": format!("{}…", "x".repeat(MAX_KEPT_FAILURE_CHARACTERS)),
        })
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

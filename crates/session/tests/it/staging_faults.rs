//! All or nothing: a failure at any statement of a stage leaves the session as it was.

use serde_json::json;
use session::start;

use super::NOW_MS;
use super::staging::{SEARCH, stage_with};
use test_support::{Fault, FaultyDatabase, HostDatabase};

/// Returns everything that a stage may change.
fn traces(db: &FaultyDatabase) -> Vec<String> {
    let mut traces = db
        .inner
        .dump_rows("SELECT name, sql FROM sqlite_schema ORDER BY name");
    for table in [
        "_codemode_staged",
        "_codemode_staged_tables",
        "execution_logs",
    ] {
        traces.extend(db.inner.dump_rows(&format!("SELECT * FROM {table}")));
    }
    for table in ["pubs_search", "pubs_search_l"] {
        let there = traces
            .iter()
            .any(|line| line.starts_with(&format!("'{table}'|")));
        if there {
            traces.extend(db.inner.dump_rows(&format!("SELECT * FROM {table}")));
        }
    }
    traces
}

/// Stages `data` with a failure at its first, second, … statement until there is none.
fn fail_everywhere(earlier: Option<&str>, data: &str) -> u64 {
    for statements in 0..1_000 {
        let mut succeeded = false;
        for fault in [Fault::BeforeApplying, Fault::AfterApplying] {
            let mut db = FaultyDatabase::new(HostDatabase::new());
            start(&db, NOW_MS).unwrap();
            if let Some(earlier) = earlier {
                stage_with(&db, &[], &SEARCH, earlier).unwrap();
            }
            let before = traces(&db);
            db.fail_after(statements, fault);
            succeeded = stage_with(&db, &[], &SEARCH, data).is_ok();
            if !succeeded {
                assert_eq!(traces(&db), before, "{fault:?} at statement {statements}");
                stage_with(&db, &[], &SEARCH, data).expect("the same stage succeeds afterwards");
            }
        }
        if succeeded {
            return statements;
        }
    }
    panic!("the stage never succeeds");
}

#[test]
fn a_first_stage_that_fails_anywhere_leaves_nothing() {
    let records: Vec<_> = (0..2_500)
        .map(|id| json!({ "id": id, "l": [{ "x": id }] }))
        .collect();
    let data = json!({ "total": 2_500, "results": records }).to_string();
    let statements = fail_everywhere(None, &data);
    assert!(statements > 12, "{statements}");
}

#[test]
fn a_replacement_that_fails_anywhere_leaves_the_first() {
    let statements = fail_everywhere(
        Some(r#"[{"id":1,"l":[{"x":1},{"x":2}]}]"#),
        &json!([{ "id": 2, "text": "x".repeat(2_500_000) }]).to_string(),
    );
    assert!(statements > 15, "{statements}");
}

//! A failure at any point leaves the statement and its receipt, or neither.

use serde_json::json;

use super::{ask, dump, run, run_request, undo_request, whole_dump};
use test_support::with;
use test_support::{Fault, FaultyDatabase};

const T: &str = "CREATE TABLE p (id INTEGER PRIMARY KEY, v); CREATE TABLE c (p REFERENCES p ON DELETE CASCADE); \
     INSERT INTO p VALUES (1, 'a'), (2, 'b'); INSERT INTO c VALUES (1), (2)";

/// Makes the n-th statement of a request fail, for each n until none fails, each time on a new
/// database.
fn at_every_statement(
    prepare: impl Fn(&FaultyDatabase) -> serde_json::Value,
    check: impl Fn(&FaultyDatabase, &serde_json::Value, bool),
) {
    for fault in [Fault::BeforeApplying, Fault::AfterApplying] {
        for statement in 0.. {
            assert!(statement < 500, "it ends");
            let mut db = FaultyDatabase::new(with(T));
            let request = prepare(&db);
            db.fail_after(statement, fault);
            let outcome = ask(&db, &request);
            let was_planted = db.is_spent();
            db.fail_after(u64::MAX, fault);
            check(&db, &request, outcome.is_ok());
            if !was_planted {
                break;
            }
        }
    }
}

#[test]
fn a_run_and_its_receipt_are_there_together() {
    for sql in [
        "DELETE FROM p WHERE id = 1",
        "INSERT INTO p VALUES (3, 'c') RETURNING v",
        "DROP TABLE c",
    ] {
        let done = with(T);
        run(&done, "a", sql);
        let (before, after) = (dump(&with(T)), dump(&done));
        at_every_statement(
            |db| run_request(db, "a", sql),
            |db, request, succeeded| {
                let receipts = db
                    .inner
                    .dump_rows("SELECT count(*) FROM _codemode_approved");
                let ran = receipts == ["1"];
                assert_eq!(ran, succeeded, "{sql}");
                assert_eq!(
                    dump(&db.inner),
                    if ran { after.clone() } else { before.clone() },
                    "{sql}"
                );
                assert_eq!(db.inner.dump_rows("PRAGMA recursive_triggers"), ["0"]);
                // A retry runs the statement exactly once.
                assert_eq!(ask(db, request).unwrap()["ranBefore"], ran);
                assert_eq!(dump(&db.inner), after, "{sql}");
            },
        );
    }
}

#[test]
fn an_undo_and_its_receipt_are_there_together() {
    let before = dump(&with(T));
    at_every_statement(
        |db| {
            run(db, "a", "DELETE FROM p WHERE id = 1");
            undo_request(db, "a", "u")
        },
        |db, request, succeeded| {
            let receipts = db
                .inner
                .dump_rows("SELECT count(*) FROM _codemode_approved WHERE kind = 'undo'");
            assert_eq!(receipts == ["1"], succeeded);
            assert_eq!(dump(&db.inner) == before, succeeded);
            assert_eq!(ask(db, request).unwrap()["ranBefore"], succeeded);
            assert_eq!(dump(&db.inner), before);
        },
    );
}

#[test]
fn a_preview_that_fails_leaves_nothing() {
    let before = whole_dump(&with(T));
    at_every_statement(
        |_| json!({"do": "preview", "sql": "DELETE FROM p"}),
        |db, _, _| assert_eq!(whole_dump(&db.inner), before),
    );
}

#[test]
fn a_read_and_its_table_are_there_together() {
    at_every_statement(
        |db| {
            let mut request = run_request(db, "a", "SELECT * FROM p");
            request["maxRows"] = json!(1);
            request
        },
        |db, request, succeeded| {
            let tables = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'result%'";
            assert_eq!(db.inner.dump_rows(tables) == ["1"], succeeded);
            assert_eq!(ask(db, request).unwrap()["ranBefore"], succeeded);
            assert_eq!(db.inner.dump_rows(tables), ["1"]);
        },
    );
}

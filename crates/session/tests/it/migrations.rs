//! Migrations: each is applied once, completely or not at all.

use database::migrations::{Migration, apply};
use session::start;

use super::NOW_MS;
use test_support::{Fault, FaultyDatabase, HostDatabase};

const FIRST: Migration = (
    1,
    "first",
    "CREATE TABLE a (x);\nINSERT INTO a VALUES (1);\n",
);
const SECOND: Migration = (
    2,
    "second",
    "CREATE TABLE b (x);\nCREATE INDEX b_x ON b (x);\nINSERT INTO b VALUES (2);\n",
);

fn tables(db: &HostDatabase) -> Vec<String> {
    db.dump_rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
}

#[test]
fn an_empty_database_gets_every_migration_once() {
    let db = HostDatabase::new();
    assert_eq!(apply(&db, &[FIRST, SECOND], NOW_MS), Ok(2));
    assert_eq!(apply(&db, &[FIRST, SECOND], NOW_MS), Ok(0));
    assert_eq!(tables(&db), ["'_codemode_migrations'", "'a'", "'b'"]);
    assert_eq!(
        db.dump_rows("SELECT version, name, applied_at FROM _codemode_migrations"),
        [
            format!("1|'first'|{NOW_MS}"),
            format!("2|'second'|{NOW_MS}")
        ]
    );
}

#[test]
fn a_database_at_a_version_gets_what_is_missing() {
    let db = HostDatabase::new();
    assert_eq!(apply(&db, &[FIRST], NOW_MS), Ok(1));
    assert_eq!(apply(&db, &[FIRST, SECOND], NOW_MS), Ok(1));
    assert_eq!(
        db.dump_rows("SELECT (SELECT x FROM a), (SELECT x FROM b)"),
        ["1|2"]
    );
}

#[test]
fn a_database_of_a_newer_version_is_refused() {
    let db = HostDatabase::new();
    apply(&db, &[FIRST, SECOND], NOW_MS).unwrap();
    let error = apply(&db, &[FIRST], NOW_MS).unwrap_err();
    assert_eq!(error.code(), "MISCONFIGURED");
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[test]
fn a_failure_at_any_statement_leaves_a_whole_version_from_which_the_next_start_goes_on() {
    for fault in [Fault::BeforeApplying, Fault::AfterApplying] {
        for statements in 0..9 {
            let mut db = FaultyDatabase::new(HostDatabase::new());
            db.fail_after(statements, fault);
            assert!(
                apply(&db, &[FIRST, SECOND], NOW_MS).is_err(),
                "{fault:?} {statements}"
            );
            let found = tables(&db.inner).len();
            assert!([0, 2].contains(&found), "{fault:?} {statements}: {found}");
            assert!(apply(&db, &[FIRST, SECOND], NOW_MS).is_ok());
            assert_eq!(
                db.inner
                    .dump_rows("SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b)"),
                ["1|1"]
            );
        }
    }
}

#[test]
fn a_start_with_nothing_to_do_is_two_reads() {
    let db = FaultyDatabase::new(HostDatabase::new());
    start(&db, NOW_MS).unwrap();
    let before = db.opened();
    start(&db, NOW_MS).unwrap();
    assert_eq!(db.opened() - before, 2);
}

#[test]
fn a_start_removes_what_an_interrupted_load_left() {
    let db = HostDatabase::new();
    start(&db, NOW_MS).unwrap();
    db.script("INSERT INTO _codemode_stage VALUES (1, 0, '[]'), (1, 1, '[]')");
    start(&db, NOW_MS).unwrap();
    assert!(db.dump_rows("SELECT * FROM _codemode_stage").is_empty());
}

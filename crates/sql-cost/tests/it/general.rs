//! Tests of the verdict that holds for any data: it is reached once, and only where no data and no
//! parameter can change it.

use sql_cost::{Counts, guard_counting};
use sql_gate::{Bound, Parameters, Policy};

use super::bound;
use test_support::HostDatabase;

fn database() -> HostDatabase {
    let db = HostDatabase::new();
    db.script(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, note);
         CREATE UNIQUE INDEX t_name ON t (name);
         CREATE TABLE made (a)",
    );
    db
}

/// Returns a statement with a text as its parameter.
fn with(text: &str, value: &str) -> Bound {
    sql_gate::review(text, &Policy::default())
        .unwrap()
        .bind(&Parameters::Positional(vec![value.into()]))
        .unwrap()
}

/// Returns the instructions that the engine runs for the last of several verdicts.
fn steps(db: &HostDatabase, bound: &Bound, policy: &Policy, counts: &Counts) -> u64 {
    let mut taken = 0;
    for _ in 0..4 {
        let before = db.steps();
        guard_counting(db, bound, policy, counts).unwrap();
        taken = db.steps() - before;
    }
    taken
}

#[test]
fn a_repeated_insertion_is_judged_without_the_engine() {
    let db = database();
    let (policy, counts) = (Policy::default(), Counts::default());
    for text in [
        "INSERT INTO made VALUES (1), (2)",
        "INSERT INTO t (name, note) VALUES ('a', 1)",
        "UPDATE t SET note = 2 WHERE id = 7",
        "DELETE FROM t WHERE id = 7",
    ] {
        assert_eq!(steps(&db, &bound(text), &policy, &counts), 0, "{text}");
    }
    let parameter = with("INSERT INTO made VALUES (?)", "a");
    assert_eq!(steps(&db, &parameter, &policy, &counts), 0);
}

#[test]
fn a_statement_that_depends_on_the_data_is_judged_each_time() {
    let db = database();
    let (policy, counts) = (Policy::default(), Counts::default());
    for text in [
        "INSERT INTO made SELECT id FROM t",
        "UPDATE t SET note = 1",
        "DELETE FROM t WHERE note = 2",
        "UPDATE t SET note = 1 WHERE note IN (SELECT a FROM made)",
    ] {
        assert!(steps(&db, &bound(text), &policy, &counts) > 0, "{text}");
    }
    // 100 ms.
    let strict = Policy {
        max_query_work: 10_000_000,
        ..policy
    };
    let all = bound("UPDATE t SET note = 1");
    steps(&db, &all, &strict, &counts);
    db.script(&super::numbers(100_000));
    db.script("INSERT INTO t (name) SELECT n FROM numbers");
    let refused = guard_counting(&db, &all, &strict, &counts);
    assert!(refused.is_err_and(|error| error.code() == "QUERY_TOO_EXPENSIVE"));
}

#[test]
fn a_statement_with_a_long_parameter_is_judged_each_time() {
    let db = database();
    let (policy, counts) = (Policy::default(), Counts::default());
    let text = "INSERT INTO made SELECT value FROM json_each(?)";
    steps(&db, &with(text, "[1,2]"), &policy, &counts);
    let long = format!("[{}1]", "1,".repeat(50_000));
    assert!(steps(&db, &with(text, &long), &policy, &counts) > 0);
}

#[test]
fn a_verdict_holds_for_its_limit_only() {
    let db = database();
    let (policy, counts) = (Policy::default(), Counts::default());
    let insertion = bound("INSERT INTO t (name) VALUES ('a')");
    steps(&db, &insertion, &policy, &counts);
    let strict = Policy {
        max_query_work: 1,
        ..policy
    };
    assert!(guard_counting(&db, &insertion, &strict, &counts).is_err());
}

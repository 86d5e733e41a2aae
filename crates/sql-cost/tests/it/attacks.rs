//! Statements that were designed to look cheap. Running each on a small table shows that the bound
//! holds.

use sql_cost::Counts;
use sql_gate::{self, Parameters, Policy};

use super::numbers;
use test_support::HostDatabase;
use test_support::estimate::estimate;

/// The number of rows in each table: enough to detect a missing pass.
const ROWS: u32 = 300;

fn database(script: &str) -> HostDatabase {
    let db = HostDatabase::new();
    db.script(&format!(
        "{};
         {script}",
        numbers(ROWS)
    ));
    db
}

/// Returns the instructions that SQLite takes, and the estimate of a verdict that counts as much as
/// it can.
fn taken_and_allowed(db: &HostDatabase, text: &str) -> (u64, u64) {
    let mut policy = Policy::default();
    let bound = sql_gate::review(text, &policy)
        .and_then(|reviewed| reviewed.bind(&Parameters::None))
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    // The limit is so low that no statement passes by a coarse count, but sub-queries are cheap
    // enough to be counted.
    policy.max_query_work = 100_000;
    let allowed = estimate(db, &bound, &policy).unwrap().opcodes;
    let mut statement = db.connection().prepare(bound.sql()).unwrap();
    let mut rows = statement.raw_query();
    while rows.next().unwrap().is_some() {}
    drop(rows);
    let taken = statement.get_status(rusqlite::StatementStatus::VmStep);
    (u64::try_from(taken).unwrap(), allowed)
}

#[track_caller]
fn holds(db: &HostDatabase, text: &str) {
    let (taken, allowed) = taken_and_allowed(db, text);
    assert!(taken <= allowed, "{text}: {taken} taken, {allowed} allowed");
    // Each of these joins every row with every row.
    assert!(taken > u64::from(ROWS * ROWS), "{text}: {taken} taken");
}

fn joined() -> HostDatabase {
    database(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, yes INT, x INT, absent INT,
             g AS (CASE WHEN yes THEN 5 ELSE id END) VIRTUAL);
         CREATE TABLE b (id INTEGER PRIMARY KEY, k INT, free INT, one INT,
             g AS (CASE WHEN id THEN 5 ELSE id END) VIRTUAL);
         CREATE INDEX b_k ON b (k);
         CREATE UNIQUE INDEX b_one ON b (one);
         INSERT INTO a (id, yes, x) SELECT n, 1, 5 FROM numbers;
         INSERT INTO b (id, k) SELECT n, 5 FROM numbers;",
    )
}

#[test]
fn a_key_that_is_computed_in_one_of_several_ways_is_not_taken_for_the_last_of_them() {
    let db = joined();
    for key in [
        "CASE WHEN a.yes THEN 5 ELSE a.id END",
        "coalesce(a.x, a.id)",
        "iif(a.yes, a.x, a.id)",
        "(SELECT a.x UNION ALL SELECT a.id)",
    ] {
        holds(
            &db,
            &format!("SELECT count(b.id) FROM a CROSS JOIN b ON b.k = {key}"),
        );
    }
    holds(&db, "SELECT count(*) FROM a CROSS JOIN b ON b.g = a.g");
    holds(&db, "SELECT count(*) FROM a CROSS JOIN b ON b.g = a.x");
}

#[test]
fn null_is_a_key_like_any_other_where_is_compares() {
    let db = joined();
    for key in [
        "b.one IS CASE WHEN a.yes THEN NULL ELSE 1 END",
        "b.one IS a.absent",
        "b.one IS NOT DISTINCT FROM a.absent",
        "b.free IS a.absent",
    ] {
        holds(
            &db,
            &format!("SELECT count(b.id) FROM a CROSS JOIN b ON {key}"),
        );
    }
    holds(
        &db,
        "SELECT count(b.id) FROM a LEFT JOIN a AS c ON c.id = a.absent CROSS JOIN b ON b.one IS c.id",
    );
    holds(
        &db,
        "SELECT count(b.id) FROM (SELECT absent FROM a LIMIT -1) AS q CROSS JOIN b ON b.one IS q.absent",
    );
}

#[test]
fn a_list_that_is_chosen_by_an_expression_is_not_taken_for_the_last_choice() {
    let db = database(
        "CREATE TABLE t (yes INT, long TEXT, short TEXT);
         INSERT INTO t SELECT 1, json_group_array(n), '[]' FROM numbers;",
    );
    for list in [
        "CASE WHEN t.yes THEN t.long ELSE '[]' END",
        "coalesce(t.long, '[]')",
        "coalesce(t.long, t.short)",
    ] {
        holds(
            &db,
            &format!("SELECT count(*) FROM t, json_each({list}) AS a, json_each({list}) AS b"),
        );
    }
}

#[test]
fn a_list_that_has_become_longer_is_counted_again() {
    let db = database("CREATE TABLE t (j TEXT); INSERT INTO t VALUES ('[]');");
    let policy = Policy {
        max_query_work: 100_000,
        ..Policy::default()
    };
    let text = "SELECT count(*) FROM t, json_each(t.j) AS a, json_each(t.j) AS b";
    let bound = sql_gate::review(text, &policy)
        .and_then(|reviewed| reviewed.bind(&Parameters::None))
        .unwrap();
    let counts = Counts::default();
    assert!(sql_cost::guard_counting(&db, &bound, &policy, &counts).is_ok());
    db.script("UPDATE t SET j = (SELECT json_group_array(n) FROM numbers)");
    assert!(sql_cost::guard_counting(&db, &bound, &policy, &counts).is_err());
}

#[test]
fn a_sub_query_that_may_yield_other_rows_when_it_runs_is_not_counted() {
    let db = joined();
    let policy = Policy {
        max_query_work: 100_000,
        ..Policy::default()
    };
    let text = "WITH c AS MATERIALIZED (SELECT id FROM a WHERE (SELECT random() % 2 = 0)) \
                SELECT count(*) FROM c AS p, c AS q";
    let bound = sql_gate::review(text, &policy)
        .and_then(|reviewed| reviewed.bind(&Parameters::None))
        .unwrap();
    // If the sub-query were counted, half of the times would yield no rows.
    for _ in 0..30 {
        assert!(sql_cost::guard(&db, &bound, &policy).is_err());
    }
}

#[test]
fn a_stored_text_that_means_the_time_of_the_call_is_looked_for() {
    let db = database(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, day TEXT, a TEXT, b TEXT, c TEXT);
         INSERT INTO t SELECT n, '2024-05-' || (10 + n % 20), 'NOW', 'no', CASE n WHEN 7 THEN 'subsec' ELSE '2024-01-01' END FROM numbers;",
    );
    let policy = Policy {
        max_query_work: 300_000,
        ..Policy::default()
    };
    let passes = |condition: &str| {
        let text = format!(
            "WITH c AS MATERIALIZED (SELECT id FROM t WHERE {condition}) SELECT count(*) FROM c AS p, c AS q"
        );
        let bound = sql_gate::review(&text, &policy)
            .and_then(|reviewed| reviewed.bind(&Parameters::None))
            .unwrap();
        sql_cost::guard(&db, &bound, &policy).is_ok()
    };
    for asks in [
        "strftime('%f', a) * 1000 % 2 = 0",
        "CAST(julianday(c) * 86400000 AS INTEGER) % 2 = 0",
        "strftime('%f', b || 'w') * 1000 % 2 = 0",
        "strftime('%f', (SELECT max(a) FROM t)) * 1000 % 2 = 0",
        "unixepoch(coalesce(a, day), 'subsec') * 1000 % 2 = 0",
    ] {
        // If the sub-query were counted, half of the times would yield no rows.
        for _ in 0..20 {
            assert!(!passes(asks), "{asks}");
        }
    }
    for tells in [
        "strftime('%Y', day) = '2023'",
        "date(day, '+1 month') < '2024'",
        "julianday(day) < 5",
    ] {
        assert!(passes(tells), "{tells}");
    }
}

#[test]
fn what_is_counted_does_not_depend_on_the_rest_of_the_statement() {
    let db = joined();
    let policy = Policy {
        max_query_work: 100_000,
        ..Policy::default()
    };
    for text in [
        "WITH c AS MATERIALIZED (SELECT id FROM a WHERE x < 0) SELECT count(*), random() FROM c AS p, c AS q",
        "WITH c AS MATERIALIZED (SELECT id FROM a WHERE x < 0) SELECT count(*), date('now') FROM c AS p, c AS q",
    ] {
        let bound = sql_gate::review(text, &policy)
            .and_then(|reviewed| reviewed.bind(&Parameters::None))
            .unwrap();
        assert!(sql_cost::guard(&db, &bound, &policy).is_ok(), "{text}");
    }
}

#[test]
fn names_that_mean_something_else_when_a_sub_query_stands_alone_are_not_counted() {
    let db = database(
        "CREATE TABLE t (x INT); INSERT INTO t SELECT n FROM numbers;
         CREATE TABLE o (\"false\" INT, low INT); INSERT INTO o VALUES (1, -1);",
    );
    for condition in ["false", "\"low\" < x"] {
        let list = format!("(SELECT x FROM t WHERE {condition} LIMIT 1000000)");
        holds(
            &db,
            &format!(
                "SELECT (SELECT count(*) FROM {list} AS a, {list} AS b WHERE a.x + b.x > 0) FROM o"
            ),
        );
    }
}

#[test]
fn a_sub_query_whose_name_is_a_keyword_is_not_taken_for_another_of_that_name() {
    let db = joined();
    holds(
        &db,
        "WITH \"key\" AS MATERIALIZED (SELECT 1 AS x), \"desc\" AS MATERIALIZED (SELECT 1 AS x)
         SELECT count(*) FROM (SELECT x AS p FROM a LIMIT 100000) AS key, (SELECT x AS q FROM a LIMIT 100000) desc
         WHERE p + q > 0",
    );
}

#[test]
fn a_column_of_a_sub_query_is_not_taken_for_its_neighbour() {
    let db = database(
        "CREATE TABLE t (x INT, y INT, z INT); INSERT INTO t SELECT 5, n, n FROM numbers;
         CREATE TABLE b (id INTEGER PRIMARY KEY, k INT); CREATE INDEX b_k ON b (k);
         INSERT INTO b SELECT n, 5 FROM numbers;",
    );
    for query in [
        "SELECT x, y FROM t ORDER BY z LIMIT 100000",
        "SELECT y, x FROM t ORDER BY z LIMIT 100000",
        "SELECT DISTINCT y, x FROM t LIMIT 100000",
        "SELECT x, y, 7 FROM t LIMIT 100000",
        "SELECT x, y, 7, 8 FROM t ORDER BY z LIMIT 100000",
        "SELECT 7, x, y FROM t LIMIT 100000",
        "SELECT y, CASE WHEN y THEN x ELSE y END AS x FROM t LIMIT 100000",
    ] {
        holds(
            &db,
            &format!("SELECT count(b.id) FROM ({query}) AS q CROSS JOIN b ON b.k = q.x"),
        );
    }
}

#[test]
fn a_table_that_the_statement_fills_has_the_rows_that_it_has_put_there() {
    let db = database(
        "CREATE TABLE t (k INTEGER PRIMARY KEY, g INT, v INT);
         CREATE INDEX t_g ON t (g);
         CREATE TABLE src (k INT, g INT);
         INSERT INTO src SELECT n, 1 FROM numbers;
         INSERT INTO src SELECT n, 1 FROM numbers;",
    );
    for count in [
        "SELECT count(*) FROM t x WHERE x.v >= 0 AND x.g <= excluded.g",
        "SELECT count(v) FROM t x WHERE x.g = excluded.g",
    ] {
        db.script("DELETE FROM t");
        holds(
            &db,
            &format!(
                "INSERT INTO t (k, g, v) SELECT k, g, 0 FROM src WHERE true ON CONFLICT (k) DO UPDATE SET v = ({count})"
            ),
        );
    }
}

//! Joins that are counted for a verdict: the join that is read back from the bytecode misses no
//! row, and skewed keys do not make an honest join look expensive.

use database::Bind;
use sql_gate::{self, Parameters, Policy};

use super::numbers;
use test_support::HostDatabase;
use test_support::estimate::estimate;

/// The number of rows in each table.
const ROWS: u32 = 400;

/// Makes `x` and `y` with columns of each affinity, with values that are equal under one affinity
/// or collation and not under another. `y` has an index on each column, one of them descending.
/// Half of `skew` has one key.
fn tables() -> HostDatabase {
    let db = HostDatabase::new();
    let columns = "id INTEGER PRIMARY KEY, i INTEGER, t TEXT, b BLOB, r REAL, c TEXT COLLATE NOCASE, maybe INTEGER";
    let values = "SELECT n, n % 7, CAST(n % 7 AS TEXT), CASE n % 2 WHEN 0 THEN n % 7 ELSE CAST(n % 7 AS TEXT) END,
        (n % 7) / 10.0, CASE n % 3 WHEN 0 THEN 'Ab' WHEN 1 THEN 'aB' ELSE 'ab ' END,
        CASE WHEN n % 4 = 0 THEN n % 7 END FROM numbers";
    db.script(&format!(
        "{};
         CREATE TABLE x ({columns});
         CREATE TABLE y ({columns});
         INSERT INTO x {values};
         INSERT INTO y {values};
         CREATE INDEX y_i ON y (i);
         CREATE INDEX y_t ON y (t);
         CREATE INDEX y_b ON y (b);
         CREATE INDEX y_r ON y (r);
         CREATE INDEX y_c ON y (c);
         CREATE INDEX y_maybe ON y (maybe);
         CREATE INDEX y_falls ON y (r DESC, id DESC);
         CREATE TABLE skew (id INTEGER PRIMARY KEY, k INTEGER, day TEXT, v INTEGER);
         INSERT INTO skew SELECT n, CASE WHEN n % 2 THEN 0 ELSE n END, date('2024-01-01', '+' || (n % 50) || ' days'), n FROM numbers;
         CREATE INDEX skew_k ON skew (k);
         CREATE INDEX skew_day ON skew (day);
         CREATE TABLE keys (k INTEGER PRIMARY KEY, name TEXT);
         INSERT INTO keys SELECT n, 'k' || (n % 10) FROM numbers;
         INSERT INTO keys VALUES (0, 'zero');",
        numbers(ROWS)
    ));
    db
}

/// Returns the instructions that SQLite takes, and the estimate of a verdict that counts as much as
/// it can.
fn taken_and_allowed(db: &HostDatabase, text: &str, parameters: &Parameters) -> (f64, f64) {
    let policy = Policy::default();
    let bound = sql_gate::review(text, &policy)
        .and_then(|reviewed| reviewed.bind(parameters))
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let allowed = estimate(db, &bound, &policy).unwrap().opcodes;
    let mut statement = db.connection().prepare(bound.sql()).unwrap();
    for (number, bind) in bound.binds().iter().enumerate() {
        match bind {
            Bind::Real(real) => statement.raw_bind_parameter(number + 1, *real),
            Bind::Text(text) => statement.raw_bind_parameter(number + 1, text),
            other => panic!("{text}: {other:?} is bound"),
        }
        .unwrap();
    }
    let mut rows = statement.raw_query();
    while rows.next().unwrap().is_some() {}
    drop(rows);
    let taken = statement.get_status(rusqlite::StatementStatus::VmStep);
    (f64::from(taken), allowed as f64)
}

/// Conditions on a row of `x` alone, then on rows of `x` and `y`.
const CONDITIONS: [&str; 43] = [
    "CAST(x.t AS INTEGER) <> '5'",
    "x.i <> CAST(5 AS TEXT)",
    "CAST(x.b AS BLOB) = x.t",
    "x.i <> '5'",
    "+x.i <> '5'",
    "+x.i = '5'",
    "x.t = 5",
    "+x.t = 5",
    "x.t <> 5",
    "x.b = 5",
    "x.b <> '5'",
    "x.b >= '3'",
    "x.r = 0.3",
    "x.r <> 0.3",
    "x.r BETWEEN 0.1 AND 0.3",
    "x.r IN (0.1, 0.2, 0.6)",
    "x.c = 'AB'",
    "x.c = 'AB' COLLATE BINARY",
    "x.c <> 'ab' COLLATE BINARY",
    "x.c <> 'ab '",
    "x.c COLLATE RTRIM <> 'ab'",
    "x.maybe IS NULL",
    "x.maybe IS NOT NULL",
    "x.maybe IS 4",
    "x.maybe IS NOT 4",
    "x.maybe = 4 OR x.i = 2",
    "NOT (x.maybe = 4 OR x.i = 2)",
    "NOT (x.maybe = 4 AND x.i = 4)",
    "(x.maybe = 4) IS NULL",
    "(x.maybe > 2) IS NOT TRUE",
    "CASE WHEN x.maybe = 4 THEN x.i = 4 ELSE x.i < 2 END",
    "coalesce(x.maybe, 9) = 9",
    "x.i IN (1, 2, NULL)",
    "x.i NOT IN (1, 2, 3)",
    "x.i + x.maybe <> 4",
    "x.i % 3 = 1 AND (x.t LIKE '1%' OR x.t GLOB '4*')",
    "x.t || 'z' = '5z'",
    "length(x.t) = 1 AND substr(x.c, 1, 1) = 'A'",
    "x.i",
    "NOT x.maybe",
    "x.id > 100 AND x.id <= 200",
    "x.id BETWEEN 10.5 AND '300'",
    "abs(x.i - 4) < 2 OR x.maybe",
];

#[test]
fn no_condition_that_is_read_back_leaves_out_a_row_that_passes() {
    let db = tables();
    for condition in CONDITIONS {
        for text in [
            format!("SELECT sum(length(x.t || x.c)) FROM x WHERE {condition}"),
            format!("SELECT count(*) FROM x CROSS JOIN y ON y.i = x.i WHERE {condition}"),
            format!(
                "SELECT count(*) FROM keys CROSS JOIN x ON x.id = keys.k CROSS JOIN y ON y.t = x.t WHERE {condition}"
            ),
            format!("SELECT count(*) FROM y CROSS JOIN x WHERE y.id < 30 AND ({condition})"),
            format!(
                "WITH u AS MATERIALIZED (SELECT * FROM x) SELECT count(*) FROM u AS x CROSS JOIN y ON y.i = x.i WHERE {condition}"
            ),
        ] {
            let (taken, allowed) = taken_and_allowed(&db, &text, &Parameters::None);
            assert!(taken <= allowed, "{text}: {taken} taken, {allowed} allowed");
        }
    }
}

/// Keys by which one row looks up another.
const KEYS: [&str; 30] = [
    "y.i = x.i",
    "y.i = x.t",
    "y.i = +x.t",
    "y.i = x.b",
    "y.t = x.t",
    "y.t = x.i",
    "y.t = +x.i",
    "y.t = x.b",
    "y.b = x.b",
    "y.b = x.i",
    "y.b = x.t",
    "y.b = +x.t",
    "y.r = x.r",
    "y.r = x.i / 10.0",
    "y.c = x.c",
    "y.c = x.c COLLATE BINARY",
    "y.c COLLATE BINARY = x.c",
    "y.maybe = x.maybe",
    "y.maybe IS x.maybe",
    "y.maybe IS x.i",
    "y.id = x.i",
    "y.id = x.t",
    "y.id > x.id",
    "y.id BETWEEN x.i AND x.id",
    "y.r < x.r",
    "y.r >= x.r AND y.r < 0.5",
    "y.i > x.i AND y.i <= x.id",
    "y.i IN (x.i, x.maybe)",
    "y.i = x.i OR y.t = x.c",
    "y.maybe > x.maybe",
];

#[test]
fn no_key_that_is_read_back_finds_fewer_rows_than_the_look_up() {
    let db = tables();
    for key in KEYS {
        for text in [
            format!("SELECT count(*) FROM x CROSS JOIN y ON {key}"),
            format!("SELECT count(*) FROM x CROSS JOIN y ON {key} WHERE x.i = 3 AND y.id % 2"),
            format!("SELECT count(*) FROM x LEFT JOIN y ON {key} AND y.id < 200"),
            format!(
                "SELECT count(*) FROM x LEFT JOIN y ON {key} LEFT JOIN skew ON skew.k = y.i WHERE x.id < 40"
            ),
            format!("SELECT count(*) FROM x FULL JOIN y ON {key} WHERE x.i IS NOT 3"),
            format!(
                "SELECT count(*) FROM x WHERE EXISTS (SELECT 1 FROM y WHERE {key} AND y.id > 300)"
            ),
            format!("SELECT (SELECT count(*) FROM y WHERE {key}) FROM x WHERE x.id < 100"),
            format!(
                "WITH u AS MATERIALIZED (SELECT * FROM x WHERE id < 50), v AS MATERIALIZED (SELECT * FROM y) SELECT count(*) FROM u AS x JOIN v AS y ON {key}"
            ),
        ] {
            let (taken, allowed) = taken_and_allowed(&db, &text, &Parameters::None);
            assert!(taken <= allowed, "{text}: {taken} taken, {allowed} allowed");
        }
    }
}

/// Statements that a bound by the most frequent key alone would refuse on a larger table, each with
/// the largest ratio of its estimate to the truth.
const SKEWED: [(&str, f64); 9] = [
    (
        "SELECT count(*) FROM keys JOIN skew ON skew.k = keys.k WHERE keys.name = 'k3' AND skew.v < (SELECT avg(o.v) FROM skew o WHERE o.k = keys.k)",
        4.0,
    ),
    (
        "SELECT count(*) FROM skew a CROSS JOIN skew b ON b.k = a.k AND b.id > a.id WHERE a.day BETWEEN '2024-01-03' AND '2024-01-04' AND a.k <> 0",
        8.0,
    ),
    (
        "SELECT keys.name, count(*) FROM skew a CROSS JOIN keys ON keys.k = a.k CROSS JOIN skew b ON b.k = keys.k WHERE a.day = '2024-01-05' AND a.v % 2 = 0 GROUP BY 1",
        8.0,
    ),
    (
        "SELECT count(*) FROM keys CROSS JOIN skew ON skew.k = keys.k WHERE keys.name = 'k1' OR keys.name = 'k2' OR keys.k = 7",
        4.0,
    ),
    (
        "WITH a AS (SELECT k, sum(v) AS v FROM skew GROUP BY k), b AS (SELECT k, max(v) AS v FROM skew GROUP BY k) SELECT count(*), sum(a.v), sum(b.v) FROM a FULL JOIN b ON b.k = a.k",
        8.0,
    ),
    (
        "WITH first AS (SELECT k, min(day) AS day FROM skew GROUP BY k) SELECT count(*) FROM skew JOIN first ON first.k = skew.k AND skew.day > first.day",
        8.0,
    ),
    (
        "WITH top AS (SELECT k FROM skew GROUP BY k ORDER BY count(*), k LIMIT 5) SELECT count(*) FROM skew JOIN top ON top.k = skew.k",
        8.0,
    ),
    (
        "SELECT count(*) FROM skew WHERE k IN (SELECT k FROM keys WHERE name = 'k4')",
        8.0,
    ),
    (
        "SELECT count(*) FROM keys CROSS JOIN skew a ON a.k = keys.k CROSS JOIN skew b ON b.k = a.k WHERE keys.k > ?1 AND keys.k < ?2",
        4.0,
    ),
];

#[test]
fn joins_on_skewed_keys_are_taken_for_what_they_are() {
    let db = tables();
    for (text, times) in SKEWED {
        let parameters = if text.contains('?') {
            Parameters::Positional(vec![serde_json::json!(300), serde_json::json!(320)])
        } else {
            Parameters::None
        };
        let (taken, allowed) = taken_and_allowed(&db, text, &parameters);
        assert!(
            taken <= allowed && allowed <= times * taken,
            "{text}: {taken} taken, {allowed} allowed, {:.1} times",
            allowed / taken
        );
    }
}

use database::{Cursor as _, Database as _, Statement};

use super::{bound, review, runs};
use test_support::HostDatabase;

const CAP: &str =
    "(SELECT CASE WHEN _rows BETWEEN 0 AND 1000000 THEN _rows ELSE 1000000 END FROM (SELECT (";

#[test]
fn a_statement_that_needs_nothing_runs_as_it_was_written() {
    for text in [
        "SELECT  a ,b FROM t /* why */ WHERE x='--'",
        "INSERT INTO \"t\"(a) VALUES ('it''s')",
        "WITH a AS (SELECT 1) SELECT * FROM a",
    ] {
        assert_eq!(runs(text), text);
    }
}

#[test]
fn a_recursive_expression_without_limit_gets_one() {
    assert_eq!(
        runs("WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r) SELECT * FROM r"),
        "WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r\nLIMIT 1000000) SELECT * FROM r"
    );
    assert_eq!(
        runs(
            "INSERT INTO t WITH RECURSIVE a AS (SELECT 1), \"R\" AS MATERIALIZED (SELECT 1 UNION SELECT 2 FROM r) SELECT * FROM r"
        ),
        "INSERT INTO t WITH RECURSIVE a AS (SELECT 1), \"R\" AS MATERIALIZED (SELECT 1 UNION SELECT 2 FROM r\nLIMIT 1000000) SELECT * FROM r"
    );
}

#[test]
fn a_limit_that_is_no_small_literal_is_capped() {
    for (limit, wrapped) in [
        ("LIMIT -1", format!("LIMIT {CAP}-1) AS _rows))")),
        ("LIMIT 2000000", format!("LIMIT {CAP}2000000) AS _rows))")),
        (
            "LIMIT 1+1 OFFSET 3",
            format!("LIMIT {CAP}1+1) AS _rows)) OFFSET 3"),
        ),
        (
            "LIMIT 5 OFFSET 99999999999",
            format!("LIMIT 5 OFFSET {CAP}99999999999) AS _rows))"),
        ),
        (
            "LIMIT 3, 99999999999",
            format!("LIMIT 3, {CAP}99999999999) AS _rows))"),
        ),
        (
            "LIMIT 3, (SELECT 5)",
            format!("LIMIT 3, {CAP}(SELECT 5)) AS _rows))"),
        ),
    ] {
        let text = |limit: &str| {
            format!("WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r {limit}) SELECT * FROM r")
        };
        assert_eq!(runs(&text(limit)), text(&wrapped));
    }
    let small = "WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r LIMIT 10) SELECT * FROM r";
    assert_eq!(runs(small), small);
}

#[test]
fn recursion_inside_views_subqueries_and_nested_expressions_is_found() {
    for text in [
        "CREATE VIEW v AS WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r) SELECT * FROM r",
        "SELECT (WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r) SELECT max(i) FROM r)",
        "WITH o AS (WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r) SELECT * FROM r) SELECT * FROM o",
        "WITH r(i) AS (SELECT 1 UNION ALL SELECT x.i+1 FROM (SELECT i FROM r) x) SELECT count(*) FROM r",
    ] {
        assert_eq!(runs(text).matches("\nLIMIT 1000000").count(), 1, "{text}");
    }
}

#[test]
fn a_name_that_only_looks_recursive_is_left_alone() {
    let text = "WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a) SELECT * FROM b, a";
    assert_eq!(runs(text), text);
}

#[test]
fn returning_becomes_one_column_of_json() {
    let (statement, names) =
        bound("DELETE FROM t RETURNING *, a + 1 AS next, upper(b) u, t.a, count")
            .json_returning(&["a".into(), "b".into()], Default::default())
            .unwrap();
    assert_eq!(names, ["a", "b", "next", "u", "a_2", "count"]);
    assert!(
        statement
            .sql()
            .starts_with("DELETE FROM t RETURNING json_object('a',CASE WHEN typeof(\"a\")='blob'"),
        "{}",
        statement.sql()
    );
}

#[test]
fn a_wrapped_statement_keeps_its_meaning() {
    let db = HostDatabase::new();
    db.script("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, NULL)");
    for (text, expected) in [
        (
            "SELECT a, b FROM t ORDER BY a DESC LIMIT 2",
            "[3,null],[2,\"y\"]",
        ),
        ("VALUES (1, 2), (3, 4)", "[1,2],[3,4]"),
        (
            "WITH z AS (SELECT a FROM t) SELECT max(a), 'it''s' FROM z -- end",
            "[3,\"it's\"]",
        ),
        (
            "SELECT a, b FROM t WHERE a = 1 UNION ALL SELECT 9, 9 ORDER BY 1 DESC",
            "[9,9],[1,\"x\"]",
        ),
    ] {
        let names = ["p".to_owned(), "q".to_owned()];
        let rows = bound(text).json_rows(
            &names,
            sql_gate::RowShape::Array,
            sql_gate::RowWindow::default(),
        );
        let taken = db
            .open(Statement::Reviewed(rows.reviewed()))
            .unwrap()
            .take_text(100, 10_000, ",")
            .unwrap();
        assert_eq!(taken.text, expected, "{text}");
        let columns = if text.contains("max(a)") {
            2
        } else {
            names.len()
        };
        assert_eq!(
            db.open(Statement::Reviewed(bound(text).describe().reviewed()))
                .unwrap()
                .columns()
                .len(),
            columns
        );
    }
    assert!(review("SELECT 1 -- end").is_ok());
}

//! The recommendations of loads, and of queries that read columns of texts: followed literally,
//! they lead to the right values.

use serde_json::{Value, json};

use super::bulk_bodies::{put, sent};
use super::{call, database};
use test_support::HostDatabase;

fn query(db: &HostDatabase, sql: &str) -> Value {
    let body = json!({ "operation": "query", "sql": sql, "rowFormat": "array" });
    call(db, &body.to_string())
}

fn exec(db: &HostDatabase, sql: &str) -> Value {
    call(db, &json!({ "operation": "exec", "sql": sql }).to_string())
}

fn created(body: &str, query: &str) -> (HostDatabase, String) {
    let db = database();
    let query = format!("create=true&{query}");
    let response = put(&db, &sent("text/csv", &query, body.as_bytes())).unwrap();
    let notice = response["notice"].as_str().unwrap_or_default().to_owned();
    (db, notice)
}

/// Returns the notice of a query.
fn said(db: &HostDatabase, sql: &str) -> String {
    let response = query(db, sql);
    response["notice"].as_str().unwrap_or_default().to_owned()
}

/// Returns the value after `?name=` in a recommendation, up to the next space or mark.
fn parameter(advice: &str, name: &str) -> String {
    let (_, rest) = advice.split_once(&format!("?{name}=")).unwrap();
    match rest.find([' ', ';', '\n']) {
        Some(end) => rest.split_at(end).0.to_owned(),
        None => rest.strip_suffix('.').unwrap_or(rest).to_owned(),
    }
}

#[test]
fn the_advice_of_a_query_gives_the_right_number() {
    // The file, the query, the recommended parameter, and the expected result.
    for (body, sql, name, wanted) in [
        (
            "x\n5\n40\n100\nfoo\n",
            "SELECT avg(x) FROM t",
            "null",
            "48.333",
        ),
        (
            "x\n5\n40\n100\nNA\nfoo\n-1\n",
            "SELECT sum(x) FROM t",
            "null",
            "144",
        ),
        (
            "x\n\"1,234\"\n\"5,678\"\n",
            "SELECT sum(x) FROM t",
            "decimal",
            "6912",
        ),
        (
            "x;y\n1.234,5;a\n2,5;b\n3,5;c\nnone;d\n",
            "SELECT max(x) FROM t",
            "null",
            "1234.5",
        ),
        (
            "d\n01/02/2025\n03/01/2025\n",
            "SELECT min(d) FROM t",
            "dates",
            "2025-01-03",
        ),
    ] {
        let (db, _) = created(body, "");
        let advice = said(&db, sql);
        assert!(
            advice.contains(r#"rop the table with {"operation":"dropTable"} and load the file again as a new one"#),
            "{body}: {advice}"
        );
        let value = parameter(&advice, name);
        call(&db, r#"{"operation":"dropTable","table":"t"}"#);
        let query = format!("create=true&{name}={value}");
        put(&db, &sent("text/csv", &query, body.as_bytes())).unwrap();
        let rows = db.dump_rows(sql);
        assert!(
            rows[0].trim_matches('\'').starts_with(wanted),
            "{body}: {rows:?}: {advice}"
        );
        assert_eq!(said(&db, sql), "", "{body}");
    }
}

#[test]
fn the_rows_that_are_numbers_can_be_read_alone() {
    for (body, wanted) in [
        ("x\n5\n40\n100\nfoo\n", "145"),
        (
            "x\n5\n40\n+3\n1e2\n12abc\n\"1,5\"\n007\nred\nblue\n-2.5\n.5\n",
            "153",
        ),
        ("x\n9007199254740993\na\nb\nc\n1\n", "9007199254740994"),
    ] {
        let (db, _) = created(body, "");
        let advice = said(&db, "SELECT sum(x) FROM t");
        let filter = "WHERE CAST(x AS NUMERIC) = x";
        assert!(
            advice.contains(&format!("ead CAST(x AS REAL) of the rows {filter}")),
            "{advice}"
        );
        let sum = db.dump_rows(&format!("SELECT sum(CAST(x AS NUMERIC)) FROM t {filter}"));
        assert!(sum[0].starts_with(wanted), "{sum:?}");
        let sql = format!("SELECT sum(CAST(x AS REAL)), max(CAST(x AS REAL)) FROM t {filter}");
        assert_eq!(said(&db, &sql), "");
        // The cast alone does not help.
        assert!(
            said(&db, "SELECT avg(CAST(x AS REAL)) FROM t").contains("number at its beginning")
        );
        assert!(said(&db, "SELECT sum(x * 1.0) FROM t").contains("number at its beginning"));
    }
    // All are numbers: the cast loses nothing.
    let (db, _) = created("x\n1E1\n2E0\n", "");
    assert!(said(&db, "SELECT max(x) FROM t").ends_with(". Read CAST(x AS REAL)."));
    assert_eq!(said(&db, "SELECT sum(x) FROM t"), "");
    let (db, _) = created("x\n007\n010\n", "");
    assert!(said(&db, "SELECT x FROM t WHERE x = 7").contains(". Read CAST(x AS REAL)."));
    assert_eq!(said(&db, "SELECT sum(CAST(x AS REAL)), sum(x) FROM t"), "");
}

#[test]
fn a_load_says_how_the_file_is_loaded_again() {
    let (db, notice) = created("x\n\"1,234\"\n\"5,678\"\n", "");
    let how = r#"To load the file again with a parameter, first drop the table t with {"operation":"dropTable"}: a load into an existing table adds its rows and keeps the types."#;
    assert!(
        notice.contains("choose with ?decimal=. or ?decimal=,") && notice.ends_with(how),
        "{notice}"
    );
    let again = sent(
        "text/csv",
        "create=true&decimal=.",
        b"x\n\"1,234\"\n\"5,678\"\n",
    );
    let error = put(&db, &again).unwrap_err();
    let hint = error.hint().unwrap();
    assert!(
        hint.contains(r#"drop it first with {"operation":"dropTable"}"#),
        "{hint}"
    );
    call(&db, r#"{"operation":"dropTable","table":"t"}"#);
    put(&db, &again).unwrap();
    assert_eq!(db.dump_rows("SELECT sum(x), count(*) FROM t"), ["6912|2"]);
    // A load into an existing table.
    let response = put(&db, &sent("text/csv", "", b"x\n01/02/2025\n")).unwrap();
    let notice = response["notice"].as_str().unwrap();
    assert!(
        notice.contains("first delete the rows of t that this load has added"),
        "{notice}"
    );
    // There is no reason to load again.
    let (_, notice) = created("x\n5\nNA\n", "");
    assert!(!notice.contains("again"), "{notice}");
}

#[test]
fn a_column_of_texts_keeps_its_notice_wherever_it_goes() {
    let (db, _) = created("n,x\n1,5\n2,40\n3,100\n4,foo\n", "");
    exec(&db, "CREATE VIEW v AS SELECT x AS z FROM t");
    exec(&db, "CREATE TABLE made AS SELECT n, x AS w FROM t");
    for sql in [
        "WITH c AS (SELECT x AS z FROM t) SELECT sum(z) FROM c",
        "SELECT sum(z) FROM v",
        "SELECT sum(w) FROM made",
        "SELECT sum(coalesce(x, 0)) FROM t",
        "SELECT sum(CASE WHEN n > 1 THEN x ELSE 0 END) FROM t",
        "SELECT max(x, 10) FROM t",
        "SELECT n FROM t WHERE (x, n) > (10, 1)",
        "SELECT n FROM t WHERE x > (SELECT avg(n) FROM t)",
        "SELECT x FROM t ORDER BY 1 DESC LIMIT 1",
        "SELECT x AS y FROM t ORDER BY y DESC LIMIT 1",
    ] {
        assert!(
            said(&db, sql).contains("A load has made the column"),
            "{sql}"
        );
    }
    for sql in [
        "SELECT sum(n) FROM made",
        "SELECT count(z), group_concat(z) FROM v",
        "SELECT sum(x) FROM (SELECT 1 AS x) WHERE EXISTS (SELECT 1 FROM t)",
    ] {
        assert_eq!(said(&db, sql), "", "{sql}");
    }
    exec(&db, "ALTER TABLE t RENAME TO \"other name\"");
    exec(
        &db,
        "ALTER TABLE \"other name\" RENAME COLUMN x TO \"an x\"",
    );
    let notice = said(&db, "SELECT sum(\"an x\") FROM \"other name\"");
    assert!(
        notice.contains("an x of other name TEXT") && notice.contains("CAST(\"an x\" AS REAL)"),
        "{notice}"
    );
    exec(&db, "ALTER TABLE made DROP COLUMN w");
    exec(&db, "ALTER TABLE made ADD COLUMN w TEXT");
    assert_eq!(said(&db, "SELECT sum(w) FROM made"), "");
    // A table that is made again is a different one.
    exec(&db, "DROP TABLE \"other name\"");
    exec(&db, "CREATE TABLE \"other name\" (\"an x\" TEXT)");
    assert_eq!(said(&db, "SELECT sum(\"an x\") FROM \"other name\""), "");
    assert_eq!(said(&db, "SELECT sum(z) FROM v"), "");
}

#[test]
fn dates_that_became_iso_are_in_order() {
    let (db, _) = created("d,w\n31.12.2025,a\n01.02.2024,NA\n", "null=NA");
    assert_eq!(said(&db, "SELECT max(d), min(w) FROM t ORDER BY d"), "");
    let notice = said(&db, "SELECT count(*) FROM t WHERE d > 2024");
    assert!(
        notice.ends_with("Its fields are dates of ISO 8601: compare them with a text such as '2025-12-31', and count days with julianday(d)."),
        "{notice}"
    );
}

#[test]
fn what_a_former_release_recorded_is_read() {
    let (db, _) = created("x\n5\n40\n100\nfoo\n", "");
    db.script("UPDATE _codemode_loaded SET columns = '{\"x\":1}'");
    let stand = said(&db, "SELECT max(x) FROM t");
    assert!(stand.contains("ordered as texts"), "{stand}");
}

#[test]
fn a_query_over_columns_without_a_number_is_not_told_to_read_the_numbers_alone() {
    let (db, _) = created("x;n\n5 kg;a\n12 kg;b\n7 kg;c\n", "");
    let advice = said(&db, "SELECT sum(x) FROM t");
    assert!(
        advice.contains(
            "No field is a number: CAST(x AS REAL) returns the number at the beginning of a field"
        ),
        "{advice}"
    );
    let rows = db.dump_rows("SELECT sum(CAST(x AS REAL)) FROM t");
    assert!(rows[0].starts_with("24"), "{rows:?}");
}

#[test]
fn dates_in_another_notation_are_not_compared_with_those_of_iso_8601_in_silence() {
    let rows = "2025-01-31,31.12.2025,1/2/2025,a\n2024-02-01,1.2.2024,3/4/2025,b\n2023-05-06,5.6.2023,5/6/2025,c\n";
    // Dates in one order become ISO 8601, those in an unknown order do not.
    let (db, _) = created(&format!("iso,dotted,unknown,name\n{rows}"), "");
    for (condition, is_told) in [
        ("unknown > '2025-01-01'", true),
        ("'2025-01-01' <= unknown", true),
        ("unknown BETWEEN '2025-01-01' AND '2025-12-31'", true),
        ("unknown = '2025-02-01'", true),
        ("unknown = '1/2/2025'", false),
        ("iso > '2025-01-01'", false),
        ("dotted > '2025-01-01'", false),
        ("name > '2025-01-01'", false),
    ] {
        let advice = said(&db, &format!("SELECT count(*) FROM t WHERE {condition}"));
        assert_eq!(
            advice.contains("dates in another notation") && advice.contains("?dates=dmy"),
            is_told,
            "{condition}: {advice}"
        );
    }
    let bound = json!({ "operation": "query", "sql": "SELECT count(*) FROM t WHERE unknown > ?", "params": ["2025-01-01"] });
    let response = call(&db, &bound.to_string());
    assert!(
        response["notice"]
            .as_str()
            .is_some_and(|notice| notice.contains("dates in another notation")),
        "{response}"
    );
}

#[test]
fn an_inserted_text_that_becomes_another_number_is_told() {
    let db = database();
    exec(&db, "CREATE TABLE c (code INTEGER, rate REAL, name TEXT)");
    let inserted = |records: Value| {
        let body = json!({ "operation": "batchInsert", "table": "c", "records": records });
        let response = call(&db, &body.to_string());
        response["notice"].as_str().unwrap_or_default().to_owned()
    };
    let notice = inserted(json!([
        { "code": "007", "rate": "9007199254740993", "name": "007" },
        { "code": "32E0134", "rate": 1.5, "name": "32E0134" },
    ]));
    assert!(
        notice.contains("The column code is INTEGER") && notice.contains("007"),
        "{notice}"
    );
    assert!(notice.contains("The column rate is REAL"), "{notice}");
    assert!(!notice.contains("name"), "{notice}");
    assert_eq!(
        inserted(
            json!([{ "code": 7, "rate": "1.50", "name": "x" }, { "code": "8", "rate": null }])
        ),
        ""
    );
    let notice = inserted(json!([{ "code": "NA" }]));
    assert!(notice.contains("stored as texts"), "{notice}");
}

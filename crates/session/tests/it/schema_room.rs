//! The limit on the total size of definitions, however they are made, and definitions that nothing
//! could use.

use database::DatabaseExt as _;
use serde_json::{Value, json};
use session::bulk::{Destination, Format};

use super::{call, fail, load, request, with};
use test_support::HostDatabase;

fn exec(sql: &str) -> String {
    json!({"operation": "exec", "sql": sql}).to_string()
}

/// Makes a database whose definitions leave room for some hundred bytes, or that has far too many,
/// as an earlier version allowed.
fn filled(views: usize) -> HostDatabase {
    let db = with(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a, business_id TEXT); INSERT INTO t VALUES (1, 2, 'b1')",
    );
    let comment = "x".repeat(79_950);
    for number in 0..views {
        db.script(&format!(
            "CREATE VIEW v{number} AS SELECT a /* {comment} */ FROM t"
        ));
    }
    db
}

fn definitions(db: &HostDatabase) -> u64 {
    let sum = db.cell("SELECT total(octet_length(sql)) FROM sqlite_schema", &[]);
    sum.unwrap().unwrap().as_count()
}

#[test]
fn a_definition_beyond_the_room_is_refused_on_every_way() {
    let db = filled(25);
    let before = definitions(&db);
    let columns: Vec<String> = (0..90)
        .map(|number| format!("a_long_name_of_a_column_{number} TEXT"))
        .collect();
    let columns = columns.join(", ");
    let record: Value = (0..90)
        .map(|number| (format!("a_long_name_of_a_column_{number}"), json!(1)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    for body in [
        exec(&format!("CREATE TABLE u ({columns})")),
        exec(&format!(
            "CREATE VIEW u AS SELECT a /* {} */ FROM t",
            "y".repeat(2_000)
        )),
        exec(&format!(
            "CREATE INDEX u ON t (a) WHERE a <> '{}'",
            "y".repeat(2_000)
        )),
        exec(&format!(
            "ALTER TABLE t ADD COLUMN b DEFAULT '{}'",
            "y".repeat(2_000)
        )),
        exec(&format!("ALTER TABLE t RENAME TO {}", "y".repeat(200))),
        json!({"operation": "createTable", "name": "u", "schema": columns}).to_string(),
    ] {
        let error = fail(&db, &body);
        assert_eq!(error.code(), "TOO_BIG", "{error}: {body}");
        assert!(
            error.hint().is_some_and(|hint| hint.contains("drop")),
            "{error}"
        );
    }
    let load = load(
        &db,
        request("u", Format::Json, Destination::Create),
        json!([record]).to_string().as_bytes(),
    );
    assert_eq!(load.unwrap_err().code(), "TOO_BIG");
    assert_eq!(definitions(&db), before);
    call(&db, &exec("DROP VIEW v0"));
    call(&db, &exec(&format!("CREATE TABLE u ({columns})")));
}

#[test]
fn a_database_with_too_many_definitions_is_read_and_written_and_gets_smaller() {
    let db = filled(120);
    for sql in [
        "INSERT INTO t VALUES (2, 3, 'b1')",
        "DELETE FROM t WHERE id = 2",
        "DROP VIEW v0",
    ] {
        call(&db, &exec(sql));
    }
    let rows = call(
        &db,
        &json!({"operation": "query", "sql": "SELECT a FROM v1"}).to_string(),
    );
    assert_eq!(rows["results"], json!([{"a": 2}]));
    // The text of the whole schema is longer than one value of the engine.
    let scoped = json!({"operation": "query", "sql": "SELECT a FROM t", "scope": {"value": "b1"}});
    assert_eq!(call(&db, &scoped.to_string())["results"], json!([{"a": 2}]));
    assert_eq!(fail(&db, &exec("CREATE TABLE u (a)")).code(), "TOO_BIG");
}

#[test]
fn what_no_statement_could_use_is_refused_when_it_is_defined() {
    let db = with("CREATE TABLE t (a, b); CREATE TABLE list (v)");
    let list = vec!["1"; 24_000].join(",");
    for sql in [
        format!("CREATE VIEW v AS SELECT a FROM t WHERE a IN ({list})"),
        format!("CREATE VIEW v AS SELECT a IN ({list}) AS c FROM t"),
        format!("CREATE TABLE u (a, c AS (a IN ({list})))"),
        format!("CREATE TABLE u (a CHECK (a IN ({list})))"),
        format!("CREATE TABLE u (a, CHECK (a IN ({list})))"),
        format!("CREATE INDEX i ON t (a) WHERE a IN ({list})"),
        format!("ALTER TABLE t ADD COLUMN c AS (a IN ({list}))"),
        format!("ALTER TABLE t ADD COLUMN c CHECK (c IN ({list}))"),
    ] {
        let error = fail(&db, &exec(&sql));
        assert_eq!(error.code(), "QUERY_TOO_EXPENSIVE", "{error}: {sql}");
        assert!(
            error.hint().is_some_and(|hint| hint.contains("IN (SELECT")),
            "{error}"
        );
    }
    let short = vec!["1"; 5_000].join(",");
    for sql in [
        format!("CREATE VIEW v AS SELECT a FROM t WHERE a IN ({short})"),
        format!("CREATE TABLE u (a CHECK (a IN ({short})))"),
        "CREATE INDEX i ON t (a) WHERE b IN (1, 2) AND a IS NOT NULL".to_owned(),
    ] {
        call(&db, &exec(&sql));
    }
    call(
        &db,
        &json!({"operation": "query", "sql": "SELECT * FROM v"}).to_string(),
    );
}

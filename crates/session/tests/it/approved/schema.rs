//! The description of tables for a model.

use serde_json::{Value, json};

use super::{ask, whole_dump};
use test_support::with;

fn schema(db: &test_support::HostDatabase, max_tables: u64, max_bytes: u64) -> Value {
    ask(
        db,
        &json!({"do": "schema", "maxTables": max_tables, "maxBytes": max_bytes}),
    )
    .unwrap()
}

#[test]
fn columns_have_keys_references_and_values() {
    let db = with(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT); \
         CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers, code TEXT REFERENCES customers (name), b BLOB); \
         CREATE VIEW v AS SELECT id, kind FROM customers; \
         INSERT INTO customers VALUES (1, 'Ada', 'b'), (2, 'Bo', 'a'), (3, 'Cy', 'b'), (4, 'Di', NULL); \
         INSERT INTO orders VALUES (9007199254740993, 1, NULL, x'00ff')",
    );
    let before = whole_dump(&db);
    let found = schema(&db, 10, 100_000);
    assert_eq!(whole_dump(&db), before);
    assert_eq!(found["more"], 0);
    assert_eq!(
        found["tables"][0],
        json!({"name": "customers", "rowCount": 4, "columns": [
            {"name": "id", "type": "INTEGER", "primaryKey": true, "notNull": false, "references": null, "samples": [1, 2, 3], "distinct": null},
            {"name": "name", "type": "TEXT", "primaryKey": false, "notNull": true, "references": null, "samples": ["Ada", "Bo", "Cy"], "distinct": ["Ada", "Bo", "Cy", "Di"]},
            {"name": "kind", "type": "TEXT", "primaryKey": false, "notNull": false, "references": null, "samples": ["b", "a"], "distinct": ["a", "b"]},
        ]})
    );
    let orders = &found["tables"][1]["columns"];
    assert_eq!(orders[0]["samples"], json!([9_007_199_254_740_993_i64]));
    assert_eq!(
        orders[1]["references"],
        json!({"table": "customers", "column": "id"})
    );
    assert_eq!(
        orders[2]["references"],
        json!({"table": "customers", "column": "name"})
    );
    assert_eq!(orders[3]["samples"], json!([{"$blob": "AP8="}]));
    assert_eq!(
        found["tables"][2],
        json!({"name": "v", "view": true, "rowCount": null, "columns": [{"name": "id", "type": "INTEGER"}, {"name": "kind", "type": "TEXT"}]})
    );
}

#[test]
fn values_are_short_and_lists_of_values_are_few() {
    let db = with(
        "CREATE TABLE t (long TEXT, many TEXT, huge TEXT, mixed); \
         WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 30) \
         INSERT INTO t SELECT printf('%.*c', 200, 'é'), 'value ' || i, printf('%.*c', 100000, 'x'), iif(i % 2, i, 'text') FROM c",
    );
    let columns = &schema(&db, 10, 100_000)["tables"][0]["columns"];
    assert_eq!(
        columns[0]["samples"][0].as_str().unwrap(),
        format!("{}…", "é".repeat(80))
    );
    assert_eq!(
        (&columns[0]["distinct"], &columns[1]["distinct"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(columns[2]["samples"], json!([]));
    assert_eq!(columns[3]["distinct"], Value::Null);
}

#[test]
fn what_does_not_fit_is_counted() {
    let db = with(
        "CREATE TABLE a (x); CREATE TABLE b (x); CREATE TABLE c (x); CREATE TABLE \"q \"\"'\" (\"y \"\"'\"); INSERT INTO \"q \"\"'\" VALUES ('v')",
    );
    let names = |found: &Value| -> Vec<String> {
        let tables = found["tables"].as_array().unwrap().iter();
        tables
            .map(|table| table["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let two = schema(&db, 2, 100_000);
    assert_eq!(
        (names(&two), &two["more"]),
        (vec!["a".to_owned(), "b".to_owned()], &json!(2))
    );
    let small = schema(&db, 100, 10);
    assert_eq!(
        (names(&small), &small["more"]),
        (vec!["a".to_owned()], &json!(3))
    );
    let none = schema(&db, 0, 10);
    assert_eq!((names(&none).len(), &none["more"]), (0, &json!(4)));
    let all = schema(&db, 100, 100_000);
    assert_eq!(all["tables"][3]["columns"][0]["samples"], json!(["v"]));
}

#[test]
fn many_rows_are_not_counted() {
    let db = with(
        "CREATE TABLE t (x); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 100001) INSERT INTO t SELECT i FROM c",
    );
    assert_eq!(
        schema(&db, 10, 10_000)["tables"][0]["rowCount"],
        Value::Null
    );
    db.script("DELETE FROM t WHERE x = 1");
    assert_eq!(schema(&db, 10, 10_000)["tables"][0]["rowCount"], 100_000);
}

#[test]
fn a_scope_tells_names_of_tables_that_it_hides_and_no_views() {
    let db = with(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT, business_id TEXT); \
         CREATE TABLE weather (day TEXT, secret TEXT); \
         CREATE VIEW v AS SELECT note FROM orders; \
         INSERT INTO orders VALUES (1, 'ours', 'b1'), (2, 'theirs', 'b2'); \
         INSERT INTO weather VALUES ('2026-01-01', 'hidden value')",
    );
    let mut request = json!({
        "do": "schema", "maxTables": 10, "maxBytes": 100_000,
        "scope": {"column": "business_id", "value": "b1"},
    });
    let found = ask(&db, &request).unwrap();
    let tables = found["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 1);
    assert_eq!(tables[0]["name"], "orders");
    assert_eq!(found["hidden"], json!(["weather"]));
    let text = found.to_string();
    assert!(
        !text.contains("theirs") && !text.contains("hidden value"),
        "{text}"
    );
    request["scope"]["readable"] = json!(["weather"]);
    let found = ask(&db, &request).unwrap();
    assert_eq!(found["tables"].as_array().unwrap().len(), 2);
    assert_eq!(found.get("hidden"), None);
    request["maxTables"] = json!(1);
    assert_eq!(ask(&db, &request).unwrap()["more"], 2);
}

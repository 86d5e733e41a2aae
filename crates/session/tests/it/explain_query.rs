//! explainQuery: the plan, the work and its limit, and indexes that the engine uses after they were
//! made.

use base::Error;
use serde_json::{Value, json};
use session::{Session, Settings, dispatch};
use sql_scope::{Scope, ScopeValue};
use test_support::{HostDatabase, Stand};

use super::{call, fail, with};

const ORDERS: &str = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT); \
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, status TEXT, placed TEXT, amount REAL); \
    CREATE TABLE \"two words\" (\"a \"\"b\" TEXT, \"select\" INTEGER); \
    CREATE TABLE small (id INTEGER PRIMARY KEY, word TEXT); \
    CREATE VIEW paid AS SELECT * FROM orders WHERE status = 'paid'; \
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) \
    INSERT INTO orders SELECT i, i % 300, CASE i % 3 WHEN 0 THEN 'paid' ELSE 'open' END, '2024-01-' || (i % 28), i FROM n; \
    INSERT INTO customers SELECT id, 'c' || id, 'x' || id % 7 FROM orders LIMIT 500; \
    INSERT INTO \"two words\" SELECT status, id FROM orders; INSERT INTO small SELECT id, status FROM orders LIMIT 20";

fn explain(db: &HostDatabase, sql: &str) -> Value {
    call(
        db,
        &json!({ "operation": "explainQuery", "sql": sql }).to_string(),
    )
}

/// Returns the columns of each suggested index, with its table.
fn suggested(explained: &Value) -> Vec<String> {
    let indexes = explained["indexes"].as_array().unwrap();
    let shown = indexes.iter().map(|index| {
        let columns: Vec<&str> = index["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        format!(
            "{}({})",
            index["table"].as_str().unwrap(),
            columns.join(",")
        )
    });
    shown.collect()
}

fn schema(db: &HostDatabase) -> Value {
    call(
        db,
        r#"{"operation":"query","sql":"SELECT name, sql FROM sqlite_schema ORDER BY name"}"#,
    )["results"]
        .clone()
}

#[test]
fn an_index_is_suggested_where_the_engine_would_use_it() {
    let db = with(ORDERS);
    let before = schema(&db);
    for (sql, wanted) in [
        (
            "SELECT * FROM orders WHERE status = 'paid'",
            &["orders(status)"][..],
        ),
        (
            "SELECT * FROM orders AS o WHERE o.status = 'paid' AND placed > '2024-01-20'",
            &["orders(status,placed)"],
        ),
        (
            "SELECT * FROM orders WHERE placed BETWEEN '2024-01-02' AND '2024-01-03'",
            &["orders(placed)"],
        ),
        (
            "SELECT count(*) FROM orders WHERE customer IN (1, 2) AND status = 'open'",
            &["orders(customer,status)"],
        ),
        (
            "SELECT name, sum(amount) FROM customers JOIN orders ON customer = customers.id WHERE country = 'x1' GROUP BY name",
            &["orders(customer)", "customers(country)"],
        ),
        (
            "SELECT * FROM customers WHERE NOT EXISTS (SELECT 1 FROM orders WHERE customer = customers.id)",
            &["orders(customer)"],
        ),
        (
            "SELECT * FROM paid WHERE placed = '2024-01-03'",
            &["orders(placed)"],
        ),
        (
            "DELETE FROM orders WHERE status = 'void'",
            &["orders(status)"],
        ),
        (
            "UPDATE orders SET amount = 0 WHERE customer = 7",
            &["orders(customer)"],
        ),
        (
            "SELECT * FROM \"two words\" WHERE \"a \"\"b\" = 'x' AND \"select\" > 5",
            &["two words(a \"b,select)"],
        ),
        (
            "WITH o AS (SELECT * FROM orders WHERE status = 'open') SELECT count(*) FROM o",
            &["orders(status)"],
        ),
        // No index would help.
        ("SELECT * FROM orders WHERE id = 7", &[]),
        ("SELECT * FROM orders", &[]),
        ("SELECT * FROM orders WHERE upper(status) = 'PAID'", &[]),
        (
            "SELECT * FROM orders WHERE amount + 1 = 5 OR status LIKE '%a'",
            &[],
        ),
        ("SELECT sum(status = 'paid') FROM orders", &[]),
        ("SELECT * FROM small WHERE word = 'paid'", &[]),
        ("SELECT 1", &[]),
        ("CREATE TABLE t (a)", &[]),
    ] {
        let explained = explain(&db, sql);
        assert_eq!(suggested(&explained), wanted, "{sql}: {explained}");
        assert!(explained["work"]["isWithin"].as_bool().unwrap(), "{sql}");
        assert_eq!(schema(&db), before, "{sql}");
    }
}

#[test]
fn what_is_suggested_can_be_made_and_is_used() {
    for sql in [
        "SELECT * FROM orders AS o WHERE o.status = 'paid' AND placed > '2024-01-20'",
        "SELECT name, sum(amount) FROM customers JOIN orders ON customer = customers.id WHERE country = 'x1' GROUP BY name",
        "SELECT * FROM \"two words\" WHERE \"a \"\"b\" = 'x' AND \"select\" > 5",
        "SELECT * FROM paid WHERE placed = '2024-01-03' AND customer > 5 AND amount < 7",
    ] {
        let db = with(ORDERS);
        let explained = explain(&db, sql);
        let indexes = explained["indexes"].as_array().unwrap();
        for index in indexes {
            call(
                &db,
                &json!({ "operation": "exec", "sql": index["sql"] }).to_string(),
            );
        }
        let after = explain(&db, sql);
        assert_eq!(suggested(&after), [""; 0], "{sql}: {after}");
        let last = indexes.last().unwrap();
        assert_eq!(last["plan"], after["plan"], "{sql}");
    }
}

#[test]
fn a_statement_over_the_limit_is_explained_with_what_would_help() {
    let db = with(ORDERS);
    let settings = Settings {
        max_query_work: 100_000,
        ..Settings::default()
    };
    let stand = Stand::new(&settings);
    let body = r#"{"operation":"explainQuery","sql":"SELECT count(*) FROM customers, orders WHERE customer = name + 0 AND amount > ?","params":[1]}"#;
    let explained = test_support::body(&dispatch(&stand.session(&db), body).unwrap());
    assert_eq!(explained["work"]["isWithin"], false, "{explained}");
    assert!(
        explained["work"]["estimate"].as_u64().unwrap() > 100_000,
        "{explained}"
    );
    assert_eq!(suggested(&explained), ["orders(customer)"]);
    let notice = explained["notice"].as_str().unwrap();
    assert!(notice.starts_with("the statement cannot run: "), "{notice}");
    let query = body.replace("explainQuery", "query");
    let refused: Error = dispatch(&stand.session(&db), &query).unwrap_err();
    assert_eq!(refused.code(), "QUERY_TOO_EXPENSIVE");
}

#[test]
fn a_statement_that_is_too_complex_to_be_judged_has_a_plan_and_no_estimate() {
    let db = with(ORDERS);
    let tables: Vec<String> = (0..32)
        .map(|number| format!("orders AS o{number}"))
        .collect();
    let joined: Vec<String> = (1..32)
        .map(|number| {
            format!(
                "o{number}.customer = o{}.amount AND o{number}.id > o0.id",
                number - 1
            )
        })
        .collect();
    let sql = format!(
        "SELECT count(*) FROM {} WHERE {}",
        tables.join(", "),
        joined.join(" AND ")
    );
    let explained = explain(&db, &sql);
    assert_eq!(explained["work"]["isWithin"], false, "{explained}");
    assert!(
        explained["notice"]
            .as_str()
            .unwrap()
            .starts_with("the statement cannot run: "),
        "{explained}"
    );
    assert!(
        explained["plan"].as_array().unwrap().len() > 1,
        "{explained}"
    );
}

#[test]
fn the_gate_decides_on_what_is_explained() {
    let db = with(ORDERS);
    for (sql, code) in [
        ("PRAGMA writable_schema = 1", "SQL_BLOCKED"),
        ("SELECT * FROM nowhere", "NO_SUCH_TABLE"),
        ("SELECT FROM", "SYNTAX_ERROR"),
        ("SELECT ?", "PARAMETER_COUNT"),
    ] {
        let body = json!({ "operation": "explainQuery", "sql": sql }).to_string();
        assert_eq!(fail(&db, &body).code(), code, "{sql}");
    }
}

#[test]
fn full_text_tables_and_large_schemas_have_plans_without_suggestions() {
    let db = with("CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('a b')");
    let explained = explain(&db, "SELECT * FROM notes WHERE notes MATCH 'a'");
    assert_eq!(suggested(&explained), [""; 0]);
    let many: String = (0..201)
        .map(|number| format!("CREATE TABLE t{number} (a, b);"))
        .collect();
    let db = with(&format!(
        "{many} WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) INSERT INTO t0 SELECT i, i FROM n"
    ));
    let explained = explain(&db, "SELECT * FROM t0 WHERE a = 1");
    assert_eq!(suggested(&explained), [""; 0]);
    assert!(
        explained["plan"][0].as_str().unwrap().contains("t0"),
        "{explained}"
    );
}

/// A plan covers all rows, whichever tenant they belong to.
#[test]
fn within_a_scope_nothing_is_explained() {
    let db = with(ORDERS);
    let settings = Settings::default();
    let stand = Stand::new(&settings);
    let scope = Scope::new("customer", ScopeValue::Integer(1), Vec::new()).unwrap();
    let session = Session {
        scope: Some(&scope),
        ..stand.session(&db)
    };
    let body = r#"{"operation":"explainQuery","sql":"SELECT * FROM orders"}"#;
    let error = dispatch(&session, body).unwrap_err();
    assert_eq!(error.code(), "SQL_BLOCKED");
}

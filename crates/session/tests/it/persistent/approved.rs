//! Statements on persistent tables that a person approves: previewed, run once, and never beyond
//! the walls.

mod definitions;

use definitions::{DELETE, script, unscoped_run};

use session::Settings;
use session::approved::Request;
use session::persistent::approved::serve;

use futures::FutureExt as _;

use super::{Error, HostRemote, NOW_MS, Persistent, Value, exec, json, rows};

/// Returns the response for a tenant.
fn ask(remote: &HostRemote, tenant: &str, body: &Value) -> Result<Value, Error> {
    let settings = Settings::default();
    let persistent = Persistent::new(remote, tenant, &settings, NOW_MS);
    let request = Request::parse(&body.to_string())?;
    let text = serve(&persistent, tenant, &request)
        .now_or_never()
        .unwrap()?;
    Ok(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

fn scope(business: &str) -> Value {
    json!({"column": "business_id", "value": business, "readable": ["countries"]})
}

fn preview(remote: &HostRemote, sql: &str) -> Value {
    ask(
        remote,
        "acme",
        &json!({"do": "preview", "sql": sql, "scope": scope("b1")}),
    )
    .unwrap_or_else(|error| panic!("{error}: {sql}"))
}

fn run_request(remote: &HostRemote, approval_id: &str, sql: &str) -> Value {
    let sha256 = preview(remote, sql)["sha256"].clone();
    json!({"do": "run", "approvalId": approval_id, "sha256": sha256, "sql": sql, "scope": scope("b1"), "maxRows": 100, "keepUndoBytes": 0})
}

/// Makes orders of two businesses of one tenant, and orders of another tenant.
fn shop() -> HostRemote {
    let remote = HostRemote::new();
    for tenant in ["acme", "zeta"] {
        for sql in [
            "CREATE TABLE countries (code TEXT PRIMARY KEY, name TEXT)",
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, business_id TEXT, country TEXT REFERENCES countries (code), amount REAL, note TEXT)",
            "CREATE TABLE secrets (word TEXT)",
            "INSERT INTO countries VALUES ('de', 'Germany'), ('fr', 'France')",
            "INSERT INTO orders VALUES (1, 'b1', 'de', 10.5, 'first'), (2, 'b1', 'fr', 20.0, 'second'), (3, 'b2', 'de', 99.0, 'of b2')",
            "INSERT INTO secrets VALUES ('hidden')",
        ] {
            exec(&remote, tenant, sql);
        }
    }
    remote
}

fn every_order(remote: &HostRemote, tenant: &str) -> Value {
    rows(remote, tenant, "SELECT * FROM orders ORDER BY id")
}

#[test]
fn the_schema_tells_the_rows_of_one_business_and_names_what_the_wall_hides() {
    let remote = shop();
    let request =
        json!({"do": "schema", "maxTables": 50, "maxBytes": 100_000, "scope": scope("b1")});
    let schema = ask(&remote, "acme", &request).unwrap();
    let names: Vec<&str> = schema["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| table["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["countries", "orders"]);
    assert_eq!(schema["hidden"], json!(["secrets"]));
    assert_eq!(schema["more"], 0);
    let orders = &schema["tables"][1];
    assert_eq!(orders["rowCount"], 2);
    let column = |name: &str| {
        let columns = orders["columns"].as_array().unwrap();
        columns
            .iter()
            .find(|column| column["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(column("note")["distinct"], json!(["first", "second"]));
    assert_eq!(
        column("country")["references"],
        json!({"table": "countries", "column": "code"})
    );
    assert_eq!(column("amount")["samples"], json!([10.5, 20.0]));
    assert!(!schema.to_string().contains("b2"), "{schema}");
}

#[test]
fn views_are_told_without_a_scope_only() {
    let remote = shop();
    exec(
        &remote,
        "acme",
        "CREATE VIEW large AS SELECT * FROM orders WHERE amount > 15",
    );
    let ask_schema = |scope: Value| {
        let request = json!({"do": "schema", "maxTables": 50, "maxBytes": 100_000, "scope": scope});
        ask(&remote, "acme", &request).unwrap()["tables"].to_string()
    };
    assert!(ask_schema(Value::Null).contains("\"large\""));
    assert!(ask_schema(Value::Null).contains("\"secrets\""));
    assert!(!ask_schema(scope("b1")).contains("\"large\""));
}

#[test]
fn a_schema_that_is_too_long_says_how_many_tables_are_left_out() {
    let remote = shop();
    let request = json!({"do": "schema", "maxTables": 1, "maxBytes": 100_000, "scope": null});
    let schema = ask(&remote, "acme", &request).unwrap();
    assert_eq!(
        (schema["tables"].as_array().unwrap().len(), &schema["more"]),
        (1, &json!(2))
    );
    let request = json!({"do": "schema", "maxTables": 50, "maxBytes": 10, "scope": null});
    let schema = ask(&remote, "acme", &request).unwrap();
    assert_eq!(
        (schema["tables"].as_array().unwrap().len(), &schema["more"]),
        (1, &json!(2))
    );
}

#[test]
fn a_preview_counts_what_a_write_changes_and_changes_nothing() {
    let remote = shop();
    let before = every_order(&remote, "acme");
    for (sql, kind, affected, destructive) in [
        ("DELETE FROM orders", "delete", 2, true),
        (
            "UPDATE orders SET amount = amount + 1 WHERE amount > 15",
            "update",
            1,
            true,
        ),
        (
            "UPDATE orders SET amount = 0 WHERE id = 3",
            "update",
            0,
            true,
        ),
        (
            "INSERT INTO orders (id, country, amount) VALUES (7, 'de', 1), (8, 'fr', 2)",
            "insert",
            2,
            false,
        ),
        (
            "DELETE FROM orders WHERE id = 1 RETURNING id, amount",
            "delete",
            1,
            true,
        ),
    ] {
        let told = preview(&remote, sql);
        assert_eq!(told["kind"], kind, "{sql}");
        assert_eq!(told["affectedRows"], affected, "{sql}");
        assert_eq!(told["estimatedRows"], affected, "{sql}");
        assert_eq!(told["destructive"], destructive, "{sql}");
        assert_eq!(told["dryRun"], "done", "{sql}");
        assert_eq!(told["undoable"], false, "{sql}");
        assert_eq!(
            told["tables"][0],
            json!({"name": "orders", "access": "write"}),
            "{sql}"
        );
        assert_eq!(every_order(&remote, "acme"), before, "{sql}");
    }
}

#[test]
fn a_preview_of_a_read_counts_its_rows_and_tells_the_plan_by_the_names_of_the_tenant() {
    let remote = shop();
    let told = preview(&remote, "SELECT amount FROM orders WHERE amount > 0");
    assert_eq!(told["estimatedRows"], 2);
    assert_eq!(told["affectedRows"], Value::Null);
    assert_eq!(told["undoReason"], "it changes nothing");
    let told = preview(
        &remote,
        "SELECT o.amount, c.name FROM orders o JOIN countries c ON c.code = o.country",
    );
    let plan = told["plan"].to_string();
    assert!(plan.contains("scans all rows of orders"), "{plan}");
    assert!(plan.contains("countries") && !plan.contains('~'), "{plan}");
}

#[test]
fn a_preview_runs_nothing_that_multiplies_tables() {
    let remote = shop();
    for (sql, reason) in [
        (
            "SELECT a.id FROM orders a, orders b, orders c",
            "it changes nothing",
        ),
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9) SELECT i FROM n",
            "it changes nothing",
        ),
        (
            "UPDATE orders SET amount = (SELECT count(*) FROM orders a, orders b)",
            "its plan reads rows in more than one pass, and its work on the persistent database has no limit",
        ),
        (
            "INSERT INTO orders (id, amount) SELECT 100 + a.id, 1 FROM orders a, orders b GROUP BY a.id",
            "its plan reads rows in more than one pass, and its work on the persistent database has no limit",
        ),
    ] {
        remote.sent.borrow_mut().clear();
        let told = preview(&remote, sql);
        assert_eq!(told["estimatedRows"], Value::Null, "{sql}");
        assert_eq!(told["affectedRows"], Value::Null, "{sql}");
        assert_eq!(
            (&told["dryRun"], &told["dryRunReason"]),
            (&json!("unavailable"), &json!(reason)),
            "{sql}"
        );
        let sent = remote.sent.borrow();
        let of_orders = |text: &&String| text.contains("orders") || text.contains("RECURSIVE");
        let explained = sent.iter().filter(of_orders).count();
        let ran = sent
            .iter()
            .filter(of_orders)
            .find(|text| !text.starts_with("EXPLAIN QUERY PLAN "));
        assert_eq!((ran, explained > 0), (None, true), "{sql}");
    }
}

#[test]
fn a_statement_that_fails_in_the_dry_run_fails_in_the_preview() {
    let remote = shop();
    let told = |sql: &str| {
        let request = json!({"do": "preview", "sql": sql, "scope": scope("b1")});
        ask(&remote, "acme", &request).unwrap_err()
    };
    assert_eq!(
        told("INSERT INTO orders (id, amount) VALUES (1, 2)").code(),
        "CONSTRAINT_FAILED"
    );
    assert_eq!(told("UPDATE orders SET amout = 1").code(), "NO_SUCH_COLUMN");
    assert_eq!(told("SELECT * FROM order").code(), "SYNTAX_ERROR");
    // Under a scope, an unknown table is refused like one that the scope does not show.
    assert_eq!(told("SELECT * FROM ordes").code(), "SQL_BLOCKED");
    for refused in [
        "SELECT * FROM secrets",
        "DELETE FROM countries",
        "UPDATE orders SET business_id = 'b2'",
        "DROP TABLE orders",
        "SELECT * FROM _codemode_approved",
        "SELECT * FROM \"~7a657461~orders\"",
    ] {
        let code = told(refused).code();
        assert!(
            ["SQL_BLOCKED", "NO_SUCH_TABLE"].contains(&code),
            "{refused}: {code}"
        );
    }
    // A text of the caller that looks like the result of a dry run is not taken for it.
    assert_eq!(
        told("UPDATE orders SET note = json_extract('{}', 'x:5')").code(),
        "SQL_ERROR"
    );
}

#[test]
fn an_approved_write_runs_once_whoever_asks_again() {
    let remote = shop();
    let request = run_request(&remote, "a1", "UPDATE orders SET amount = amount + 1");
    let first = ask(&remote, "acme", &request).unwrap();
    assert_eq!(
        (&first["changes"], &first["ranBefore"]),
        (&json!(2), &json!(false))
    );
    let second = ask(&remote, "acme", &request).unwrap();
    assert_eq!(
        (&second["changes"], &second["ranBefore"]),
        (&json!(2), &json!(true))
    );
    assert_eq!(
        rows(&remote, "acme", "SELECT amount FROM orders ORDER BY id"),
        json!([[11.5], [21.0], [99.0]])
    );
    assert_eq!(
        rows(&remote, "zeta", "SELECT amount FROM orders ORDER BY id"),
        json!([[10.5], [20.0], [99.0]])
    );
    // Each tenant has its own approval ids.
    let mut other = request.clone();
    other["sql"] = json!("DELETE FROM orders");
    let refused = ask(
        &remote,
        "acme",
        &json!({"do": "run", "approvalId": "a1", "sha256": preview(&remote, "DELETE FROM orders")["sha256"], "sql": "DELETE FROM orders", "scope": scope("b1"), "maxRows": 1, "keepUndoBytes": 0}),
    );
    assert_eq!(refused.unwrap_err().code(), "STATEMENT_CHANGED");
}

#[test]
fn what_was_not_approved_does_not_run() {
    let remote = shop();
    let before = every_order(&remote, "acme");
    let approved = run_request(&remote, "a1", "DELETE FROM orders WHERE id = 1");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut request = approved.clone();
        change(&mut request);
        request
    };
    for request in [
        changed(&|request| request["sql"] = json!("DELETE FROM orders WHERE id = 2")),
        changed(&|request| request["scope"] = scope("b2")),
        changed(&|request| request["scope"] = Value::Null),
        changed(&|request| request["sha256"] = json!("0".repeat(64))),
    ] {
        assert_eq!(
            ask(&remote, "acme", &request).unwrap_err().code(),
            "STATEMENT_CHANGED",
            "{request}"
        );
    }
    assert_eq!(
        ask(&remote, "zeta", &approved).unwrap_err().code(),
        "STATEMENT_CHANGED"
    );
    assert_eq!(every_order(&remote, "acme"), before);
}

#[test]
fn a_write_that_fails_leaves_no_receipt() {
    let remote = shop();
    let request = run_request(
        &remote,
        "a1",
        "INSERT INTO orders (id, country, amount) VALUES (9, 'de', 1)",
    );
    exec(
        &remote,
        "acme",
        "INSERT INTO orders VALUES (9, 'b1', 'de', 5, 'in between')",
    );
    assert_eq!(
        ask(&remote, "acme", &request).unwrap_err().code(),
        "CONSTRAINT_FAILED"
    );
    exec(&remote, "acme", "DELETE FROM orders WHERE id = 9");
    let ran = ask(&remote, "acme", &request).unwrap();
    assert_eq!(
        (&ran["changes"], &ran["ranBefore"]),
        (&json!(1), &json!(false))
    );
}

#[test]
fn a_run_whose_connection_is_lost_is_found_out_by_asking_again() {
    // The transaction with the statement is the last one of a run; before it, the receipt and the
    // schema are read.
    let mut unknown = 0;
    for batches in 0..8 {
        let remote = shop();
        let request = run_request(&remote, "a1", "UPDATE orders SET amount = amount + 1");
        remote.fail_after(batches);
        if let Err(error) = ask(&remote, "acme", &request) {
            assert_eq!(error.code(), "BUSY", "{batches}");
            unknown += 1;
        }
        remote.fails_at.set(None);
        let again = ask(&remote, "acme", &request).unwrap();
        assert_eq!(again["changes"], 2);
        assert_eq!(
            rows(&remote, "acme", "SELECT amount FROM orders ORDER BY id"),
            json!([[11.5], [21.0], [99.0]]),
            "{batches}"
        );
    }
    assert!(unknown >= 2, "{unknown}");
}

#[test]
fn rows_of_returning_and_of_reads_have_their_columns() {
    let remote = shop();
    let request = run_request(
        &remote,
        "a1",
        "DELETE FROM orders WHERE id < 3 RETURNING id, note",
    );
    let ran = ask(&remote, "acme", &request).unwrap();
    assert_eq!(ran["columns"], json!(["id", "note"]));
    assert_eq!(
        ran["rows"],
        json!([{"id": 1, "note": "first"}, {"id": 2, "note": "second"}])
    );
    assert_eq!(
        (&ran["rowCount"], &ran["truncated"], &ran["changes"]),
        (&json!(2), &json!(false), &json!(2))
    );

    let mut request = run_request(
        &remote,
        "a2",
        "SELECT code, name FROM countries ORDER BY code",
    );
    request["maxRows"] = json!(1);
    let ran = ask(&remote, "acme", &request).unwrap();
    assert_eq!(ran["rows"], json!([{"code": "de", "name": "Germany"}]));
    assert_eq!(
        (&ran["kind"], &ran["truncated"]),
        (&json!("read"), &json!(true))
    );
}

#[test]
fn an_undo_is_refused_with_its_reason() {
    let remote = shop();
    ask(
        &remote,
        "acme",
        &run_request(&remote, "a1", "DELETE FROM orders"),
    )
    .unwrap();
    let asked = ask(
        &remote,
        "acme",
        &json!({"do": "undoPreview", "approvalId": "a1"}),
    )
    .unwrap();
    assert_eq!(asked["possible"], false);
    assert!(
        asked["reason"]
            .as_str()
            .unwrap()
            .contains("does not keep the rows"),
        "{asked}"
    );
    let undo = json!({"do": "undo", "approvalId": "a1", "undoApprovalId": "a2", "sha256": "0"});
    assert_eq!(
        ask(&remote, "acme", &undo).unwrap_err().code(),
        "UNDO_UNAVAILABLE"
    );
}

#[test]
fn the_hash_differs_from_that_of_a_session_and_of_another_tenant() {
    let remote = shop();
    let sql = "SELECT count(*) FROM orders";
    let of = |tenant: &str| {
        let request = json!({"do": "preview", "sql": sql, "scope": scope("b1")});
        ask(&remote, tenant, &request).unwrap()["sha256"].clone()
    };
    assert_ne!(of("acme"), of("zeta"));
    assert_eq!(of("acme"), of("acme"));
}

#[test]
fn a_preview_shows_what_its_hash_is_made_of() {
    let change = script("CREATE TABLE {kept} (o REFERENCES {orders} ON DELETE CASCADE)");
    for batch in 0..6 {
        let remote = shop();
        let hash_before = unscoped_run(&remote, DELETE)["sha256"].clone();
        remote.meanwhile_after(batch, &change);
        let shown = ask(&remote, "acme", &json!({"do": "preview", "sql": DELETE})).unwrap();
        let happened = remote.meanwhile.borrow().is_none();
        *remote.meanwhile.borrow_mut() = None;
        let hash_now = unscoped_run(&remote, DELETE)["sha256"].clone();
        assert_eq!(hash_now != hash_before, happened, "{batch}");
        // The last part of the preview has seen the definitions that it is bound to, or the preview
        // was repeated.
        assert_eq!(shown["sha256"], hash_now, "{batch}");
    }
}

#[test]
fn an_approval_of_an_earlier_version_is_refused_in_its_own_words() {
    let remote = shop();
    let sql = "SELECT 1 AS one";
    let mut request = unscoped_run(&remote, sql);
    // `codemode approved statement 1` of this text for the tenant acme, without parameters and
    // scope.
    request["sha256"] = json!("9ac03dd1695505527f079e975762637e7a77f5deaaf652590d0624ea4f9bed55");
    let error = ask(&remote, "acme", &request).unwrap_err();
    assert_eq!(error.code(), "STATEMENT_CHANGED");
    assert!(error.to_string().contains("earlier version"), "{error}");
}

#[test]
fn texts_are_looked_up_in_the_rows_of_one_business() {
    let remote = shop();
    let places =
        json!([{"table": "orders", "column": "note"}, {"table": "countries", "column": "name"}]);
    for (texts, near, expected) in [
        (
            json!(["FIRST", "of b2", "germany"]),
            json!([]),
            json!([[["orders", ["first"]], ["countries", ["Germany"]]], []]),
        ),
        (
            json!([]),
            json!(["germani", "b2"]),
            json!([[], [["countries", ["Germany"]]]]),
        ),
    ] {
        let body = json!({"do": "lookup", "columns": places, "texts": texts, "near": near, "scope": scope("b1")});
        let found = ask(&remote, "acme", &body).unwrap();
        let list = |name: &str| -> Vec<Value> {
            let found = found[name].as_array().unwrap().iter();
            found
                .map(|found| json!([found["table"], found["values"]]))
                .collect()
        };
        assert_eq!(json!([list("equal"), list("near")]), expected, "{found}");
        assert_eq!(found["unread"], json!([]));
    }
}

//! The contents of a preview, and that it leaves no trace.

use serde_json::{Value, json};

use super::super::create_from_csv;
use super::{ask, dump, preview, run_request, whole_dump};
use test_support::HostDatabase;
use test_support::{call, database, operation, with};

const SHOP: &str = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT); \
     CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, customer INTEGER REFERENCES customers ON DELETE CASCADE ON UPDATE CASCADE, total REAL); \
     CREATE TABLE items (\"order\" INTEGER REFERENCES orders ON DELETE CASCADE, part TEXT, PRIMARY KEY (\"order\", part)) WITHOUT ROWID; \
     CREATE TABLE notes (customer INTEGER REFERENCES customers ON DELETE SET NULL, text TEXT); \
     CREATE VIEW big AS SELECT * FROM orders WHERE total > 10; \
     CREATE VIRTUAL TABLE found USING fts5(text); \
     INSERT INTO found VALUES ('a word'); \
     INSERT INTO customers VALUES (1, 'Ada', 'Oslo'), (2, 'Bo', NULL), (3, 'Cy', 'Rome'); \
     INSERT INTO orders (customer, total) VALUES (1, 5.0), (1, 20.5), (2, 9e999); \
     INSERT INTO items VALUES (1, 'x'), (1, 'y'), (2, 'x'); \
     INSERT INTO notes VALUES (1, 'hi'), (NULL, 'lost')";

fn shop() -> HostDatabase {
    with(SHOP)
}

#[test]
fn a_preview_changes_nothing_whatever_the_statement_does() {
    let db = shop();
    let before = whole_dump(&db);
    for sql in [
        "SELECT * FROM customers",
        "INSERT INTO orders (customer, total) VALUES (3, 1)",
        "INSERT INTO orders (customer, total) VALUES (3, 1) RETURNING *",
        "REPLACE INTO customers VALUES (1, 'Eve', NULL)",
        "UPDATE orders SET total = id + 10",
        "DELETE FROM customers",
        "DELETE FROM customers WHERE id = 1 RETURNING id",
        "INSERT INTO customers VALUES (1, 'x', 'y') ON CONFLICT (id) DO UPDATE SET name = excluded.name",
        "INSERT OR IGNORE INTO customers VALUES (1, 'x', 'y')",
        "DROP TABLE customers",
        "DROP VIEW big",
        "CREATE TABLE made AS SELECT * FROM orders",
        "CREATE INDEX by_city ON customers (city)",
        "ALTER TABLE customers ADD COLUMN born INTEGER",
        "ALTER TABLE customers DROP COLUMN city",
        "ALTER TABLE orders RENAME TO purchases",
        "CREATE VIEW v AS SELECT 1 AS one",
        "INSERT INTO found VALUES ('more')",
        "DELETE FROM found",
        "EXPLAIN QUERY PLAN DELETE FROM customers",
    ] {
        let shown = preview(&db, sql);
        assert_eq!(whole_dump(&db), before, "{sql}");
        assert_eq!(shown["statement"], sql);
        assert_eq!(shown["sha256"].as_str().unwrap().len(), 64);
        let public = call(
            &db,
            &json!({"operation": "preview", "sql": sql}).to_string(),
        );
        assert_eq!(public.get("sha256"), None);
        assert_eq!(public["plan"], shown["plan"]);
    }
    assert_eq!(dump(&db).len(), dump(&db).len());
    // Neither the engine nor the connection has changed a setting.
    assert_eq!(db.dump_rows("PRAGMA recursive_triggers"), ["0"]);
    assert_eq!(db.dump_rows("SELECT * FROM pragma_foreign_keys"), ["1"]);
}

#[test]
fn a_statement_that_fails_is_an_error_as_that_of_exec_and_changes_nothing() {
    let db = shop();
    let before = whole_dump(&db);
    for sql in [
        "INSERT INTO customers VALUES (1, 'x', 'y')",
        "INSERT INTO customers VALUES (9, NULL, 'y')",
        "INSERT INTO orders (customer) VALUES (77)",
        "DELETE FROM customer",
        "UPDATE customers SET nam = 1",
        "DROP TABLE _codemode_meta",
        "DELETE FROM execution_logs",
        "CREATE TRIGGER t AFTER DELETE ON customers BEGIN SELECT 1; END",
        "ATTACH 'x' AS y",
        "not a statement",
        "DELETE FROM orders WHERE total = ?",
        "SELECT * FROM customers, nothing",
    ] {
        let of_preview = ask(&db, &json!({"do": "preview", "sql": sql})).unwrap_err();
        let of_exec =
            operation(&db, &json!({"operation": "exec", "sql": sql}).to_string()).unwrap_err();
        assert_eq!(of_preview, of_exec, "{sql}");
        assert_eq!(whole_dump(&db), before, "{sql}");
    }
}

#[test]
fn rows_before_and_after_are_shown_with_those_that_foreign_keys_change() {
    let db = shop();
    let shown = preview(&db, "DELETE FROM customers WHERE id = 1");
    assert_eq!(shown["kind"], "delete");
    assert_eq!(shown["destructive"], true);
    assert_eq!(shown["affectedRows"], 1);
    assert_eq!(shown["estimatedRows"], 1);
    assert_eq!(shown["dryRun"], "done");
    assert_eq!(shown["undoable"], true);
    assert_eq!(
        shown["tables"],
        json!([
            {"name": "customers", "access": "write", "inserted": 0, "updated": 0, "deleted": 1},
            {"name": "notes", "access": "write", "inserted": 0, "updated": 1, "deleted": 0},
            {"name": "orders", "access": "write", "inserted": 0, "updated": 0, "deleted": 2},
            {"name": "items", "access": "write", "inserted": 0, "updated": 0, "deleted": 3},
        ])
    );
    let before = shown["sample"]["before"].as_array().unwrap();
    assert_eq!(
        before[0],
        json!({"table": "customers", "change": 1, "row": {"id": 1, "name": "Ada", "city": "Oslo"}})
    );
    assert!(before.len() <= 5);

    let shown = preview(&db, "UPDATE orders SET total = total * 2 WHERE id > 1");
    assert_eq!(
        shown["sample"],
        json!({
            "before": [
                {"table": "orders", "change": 1, "row": {"id": 2, "customer": 1, "total": 20.5}},
                {"table": "orders", "change": 2, "row": {"id": 3, "customer": 2, "total": {"$real": "Infinity"}}},
            ],
            "after": [
                {"table": "orders", "change": 1, "row": {"id": 2, "customer": 1, "total": 41.0}},
                {"table": "orders", "change": 2, "row": {"id": 3, "customer": 2, "total": {"$real": "Infinity"}}},
            ],
        })
    );
    let shown = preview(&db, "INSERT INTO notes VALUES (2, x'00ff')");
    assert_eq!(shown["destructive"], false);
    assert_eq!(
        shown["sample"],
        json!({"before": [], "after": [{"table": "notes", "change": 1, "row": {"customer": 2, "text": {"$blob": "AP8="}}}]})
    );
}

#[test]
fn rows_that_replace_deletes_are_seen_with_all_that_follows() {
    let db = with(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT UNIQUE ON CONFLICT REPLACE); \
         CREATE TABLE c (t REFERENCES t ON DELETE CASCADE); \
         INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', 'z'); INSERT INTO c VALUES (1), (2), (3)",
    );
    for (sql, deleted, destructive) in [
        ("INSERT OR REPLACE INTO t VALUES (1, 'b', 'z')", 3, true),
        ("REPLACE INTO t VALUES (4, 'b', 'new')", 1, true),
        ("UPDATE OR REPLACE t SET a = 'b' WHERE id = 1", 1, true),
        // A constraint of the table replaces by itself.
        ("INSERT INTO t VALUES (5, 'new', 'z')", 1, true),
        ("INSERT INTO t VALUES (5, 'new', 'new')", 0, false),
        (
            "INSERT INTO t (id, a) SELECT 9, replace('n', 'n', 'm')",
            0,
            false,
        ),
    ] {
        let shown = preview(&db, sql);
        assert_eq!(shown["tables"][0]["deleted"], deleted, "{sql}: {shown}");
        assert_eq!(shown["destructive"], destructive, "{sql}");
        assert_eq!(shown["undoable"], true, "{sql}");
        let mut children = shown["tables"].as_array().unwrap().iter();
        let child = children.find(|table| table["name"] == "c");
        assert_eq!(
            child.map_or(json!(0), |child| child["deleted"].clone()),
            deleted,
            "{sql}"
        );
    }
}

#[test]
fn kinds_are_those_of_the_parsed_statement() {
    let db = shop();
    for (sql, kind, destructive, affected) in [
        (
            "WITH w AS (SELECT 1 AS i) DELETE FROM customers WHERE id IN (SELECT i FROM w)",
            "delete",
            true,
            json!(1),
        ),
        (
            "WITH w AS (SELECT 9 AS i) INSERT INTO customers SELECT i, 'n', 'c' FROM w",
            "insert",
            false,
            json!(1),
        ),
        (
            "INSERT INTO customers VALUES (1, 'n', 'c') ON CONFLICT DO UPDATE SET name = 'm'",
            "insert",
            true,
            json!(1),
        ),
        (
            "INSERT INTO customers VALUES (1, 'n', 'c') ON CONFLICT DO NOTHING",
            "insert",
            false,
            json!(0),
        ),
        (
            "UPDATE customers SET city = 'x' WHERE 0",
            "update",
            true,
            json!(0),
        ),
        ("DROP TABLE orders", "schema", true, json!(3)),
        ("DROP VIEW big", "schema", true, Value::Null),
        ("CREATE TABLE n (x)", "schema", false, Value::Null),
        (
            "ALTER TABLE customers DROP COLUMN city",
            "schema",
            true,
            Value::Null,
        ),
        (
            "ALTER TABLE customers RENAME COLUMN city TO town",
            "schema",
            false,
            Value::Null,
        ),
        ("SELECT 'DELETE FROM customers'", "read", false, Value::Null),
        (
            "EXPLAIN QUERY PLAN DELETE FROM customers",
            "read",
            false,
            Value::Null,
        ),
    ] {
        let shown = preview(&db, sql);
        assert_eq!(
            (
                &shown["kind"],
                &shown["destructive"],
                &shown["affectedRows"]
            ),
            (&json!(kind), &json!(destructive), &affected),
            "{sql}: {shown}"
        );
    }
    let dropped = preview(&db, "DROP TABLE customers");
    assert_eq!(dropped["affectedRows"], 3);
    assert_eq!(dropped["sample"]["before"].as_array().unwrap().len(), 3);
    assert_eq!(dropped["undoReason"], "it changes the schema");
}

#[test]
fn plans_are_sentences_with_tables_and_rows() {
    let db = shop();
    for (sql, plan) in [
        (
            "SELECT * FROM customers",
            json!(["scans all 3 rows of customers"]),
        ),
        (
            "SELECT * FROM customers AS c WHERE c.id = 1",
            json!(["looks up customers by its row id"]),
        ),
        (
            "SELECT c.name, o.total FROM orders o JOIN customers c ON c.id = o.customer ORDER BY o.total",
            json!([
                "scans all 3 rows of orders",
                "looks up customers by its row id",
                "sorts the rows"
            ]),
        ),
        (
            "DELETE FROM customers WHERE id = 1",
            json!([
                "looks up customers by its row id",
                "scans all 2 rows of notes, because of foreign keys",
                "scans all 3 rows of orders, because of foreign keys"
            ]),
        ),
        (
            "DELETE FROM items WHERE \"order\" = 1",
            json!(["looks up items by its primary key"]),
        ),
        ("SELECT 1", json!(["needs no table"])),
        (
            "SELECT * FROM found WHERE found MATCH 'word'",
            json!(["queries found, a virtual table"]),
        ),
    ] {
        assert_eq!(preview(&db, sql)["plan"], plan, "{sql}");
    }
}

#[test]
fn a_read_tells_how_many_rows_it_has() {
    let db = with(
        "CREATE TABLE n (i); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 20000) INSERT INTO n SELECT i FROM c",
    );
    let few = preview(&db, "SELECT * FROM n WHERE i <= 5");
    assert_eq!(
        (&few["estimatedRows"], few.get("estimatedRowsIsMinimum")),
        (&json!(5), None)
    );
    assert_eq!(few["dryRun"], "unavailable");
    assert_eq!(few["dryRunReason"], "it changes nothing");
    let many = preview(&db, "SELECT * FROM n");
    assert_eq!(many["estimatedRows"], 10_000);
    assert_eq!(many["estimatedRowsIsMinimum"], true);
    assert!(many["work"]["estimate"].as_u64().unwrap() > 0);
}

#[test]
fn more_rows_than_a_dry_run_changes_end_it() {
    let db = with(
        "CREATE TABLE n (i); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 25000) INSERT INTO n SELECT i FROM c",
    );
    let before = whole_dump(&db);
    for sql in [
        "DELETE FROM n",
        "UPDATE OR IGNORE n SET i = 0",
        "INSERT OR REPLACE INTO n SELECT i FROM n",
    ] {
        let shown = preview(&db, sql);
        assert_eq!(shown["dryRun"], "unavailable", "{sql}");
        assert!(
            shown["dryRunReason"]
                .as_str()
                .unwrap()
                .starts_with("it changes more than 20000 rows"),
            "{shown}"
        );
        assert_eq!(
            (&shown["affectedRows"], &shown["undoable"]),
            (&Value::Null, &json!(false))
        );
        assert_eq!(whole_dump(&db), before);
    }
    let fits = preview(&db, "DELETE FROM n WHERE i <= 20000");
    assert_eq!(
        (&fits["dryRun"], &fits["affectedRows"]),
        (&json!("done"), &json!(20_000))
    );
}

#[test]
fn tables_of_every_shape_are_recorded() {
    let columns: Vec<String> = (1..=99).map(|number| format!("c{number}")).collect();
    let wide = format!(
        "CREATE TABLE wide (id INTEGER PRIMARY KEY, {})",
        columns.join(", ")
    );
    let all = format!("CREATE TABLE every ({}, c100)", columns.join(", "));
    let db = with(&format!(
        "{wide}; INSERT INTO wide (id, c1, c99) VALUES (7, 'first', 'last'); \
         {all}; INSERT INTO every (c1, c100) VALUES (1, 2); \
         CREATE TABLE \"o'd \"\"d\"\" [x] `y` é\" (\"a \"\"b\"\"\" , 'c''d', [e f], `g`); \
         INSERT INTO \"o'd \"\"d\"\" [x] `y` é\" VALUES (1, 2, 3, 4); \
         CREATE TABLE generated (a INTEGER, b AS (a * 2), c TEXT AS (a || 'x') STORED); \
         INSERT INTO generated (a) VALUES (3); \
         CREATE TABLE taken (rowid, _rowid_, oid); INSERT INTO taken VALUES (1, 2, 3); \
         CREATE TABLE strict (k TEXT COLLATE NOCASE PRIMARY KEY, v ANY) STRICT, WITHOUT ROWID; \
         INSERT INTO strict VALUES ('A', 9007199254740993)"
    ));
    for (sql, table, undoable) in [
        ("UPDATE wide SET c50 = 'middle'", "wide", true),
        ("UPDATE every SET c50 = 'middle'", "every", false),
        (
            "DELETE FROM \"o'd \"\"d\"\" [x] `y` é\"",
            "o'd \"d\" [x] `y` é",
            true,
        ),
        ("UPDATE generated SET a = 4", "generated", true),
        ("DELETE FROM taken", "taken", false),
        ("UPDATE strict SET k = 'a'", "strict", true),
    ] {
        let shown = preview(&db, sql);
        assert_eq!(shown["affectedRows"], 1, "{sql}");
        assert_eq!(shown["sample"]["before"][0]["table"], table, "{shown}");
        assert_eq!(shown["undoable"], undoable, "{sql}: {shown}");
    }
    let generated = preview(&db, "UPDATE generated SET a = 4");
    assert_eq!(
        generated["sample"]["after"][0]["row"],
        json!({"a": 4, "b": 8, "c": "4x"})
    );
    let strict = preview(&db, "DELETE FROM strict");
    assert_eq!(
        strict["sample"]["before"][0]["row"],
        json!({"k": "A", "v": 9_007_199_254_740_993_i64})
    );
    let wide = preview(&db, "UPDATE wide SET c50 = 'middle'");
    assert_eq!(
        wide["sample"]["after"][0]["row"].as_object().unwrap().len(),
        100
    );
}

#[test]
fn long_values_are_cut_and_named() {
    let db = with(
        "CREATE TABLE t (a, b, c, d); INSERT INTO t VALUES (printf('%.*c', 900000, 'é'), zeroblob(40000), 'short', printf('%.*c', 500, 'x'))",
    );
    let shown = preview(&db, "DELETE FROM t");
    let row = &shown["sample"]["before"][0];
    assert_eq!(row["cut"], json!(["a", "b"]));
    assert_eq!(row["row"]["a"].as_str().unwrap().chars().count(), 500);
    assert_eq!(row["row"]["d"].as_str().unwrap().len(), 500);
    assert!(row["row"]["b"]["$blob"].as_str().unwrap().len() < 700);
    assert!(shown.to_string().len() < 5_000);
}

#[test]
fn virtual_tables_are_run_dry_without_their_rows() {
    let db = shop();
    let shown = preview(&db, "DELETE FROM found");
    assert_eq!(
        (&shown["dryRun"], &shown["affectedRows"], &shown["sample"]),
        (&json!("done"), &json!(1), &Value::Null)
    );
    assert_eq!(
        shown["undoReason"],
        "found is a virtual table, whose rows are not recorded"
    );
}

#[test]
fn a_circle_of_foreign_keys_ends() {
    let db = with(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, b REFERENCES b ON DELETE CASCADE); \
         CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a ON DELETE CASCADE, parent REFERENCES b ON DELETE CASCADE); \
         INSERT INTO a VALUES (1, NULL); INSERT INTO b VALUES (1, 1, NULL), (2, NULL, 1); UPDATE a SET b = 1",
    );
    let shown = preview(&db, "DELETE FROM a");
    assert_eq!(
        shown["tables"][1],
        json!({"name": "b", "access": "write", "inserted": 0, "updated": 0, "deleted": 2})
    );
}

#[test]
fn unusable_scopes_and_unknown_fields_are_refused() {
    let db = shop();
    for (body, said) in [
        (
            json!({"do": "preview", "sql": "SELECT 1", "scope": {"column": "", "value": 1}}),
            "the column of the scope has no name",
        ),
        (
            json!({"do": "preview", "sql": "SELECT 1", "scope": {"column": "c", "value": 1, "extra": 2}}),
            "the field scope is invalid",
        ),
        (
            json!({"do": "preview", "sql": "SELECT 1", "parms": []}),
            "parms",
        ),
        (json!({"do": "look"}), "do cannot be \"look\""),
        (json!({"sql": "SELECT 1"}), "the field do is missing"),
        (
            json!({"do": "run", "approvalId": "", "sha256": "", "sql": "SELECT 1", "maxRows": 1, "keepUndoBytes": 1}),
            "approvalId must have 1 to 128 characters",
        ),
    ] {
        let error = ask(&db, &body).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
        assert_eq!(error.code(), "INVALID_ARGUMENT");
    }
}

#[test]
fn a_dry_run_that_changes_too_many_pages_is_not_made() {
    let indexes: String = (0..10)
        .map(|number| format!("CREATE INDEX m{number} ON m (a);"))
        .collect();
    let db = with(&format!(
        "CREATE TABLE m (id INTEGER PRIMARY KEY, a TEXT); {indexes} CREATE TABLE plain (id INTEGER PRIMARY KEY, n); \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 8000) INSERT INTO m SELECT i, i || printf('%.*c', 900, 'x') FROM n; \
         INSERT INTO plain SELECT id, 1 FROM m"
    ));
    let found = preview(&db, "DELETE FROM m WHERE id % 2 = 0");
    assert_eq!(found["dryRun"], "unavailable", "{found}");
    let reason = found["dryRunReason"].as_str().unwrap();
    assert!(reason.contains("10 indexes"), "{reason}");
    assert_eq!(found["undoable"], false, "{found}");
    let some = preview(&db, "DELETE FROM m WHERE id < 100");
    assert_eq!(
        json!([some["dryRun"], some["affectedRows"]]),
        json!(["done", 99])
    );
    let plain = preview(&db, "DELETE FROM plain");
    assert_eq!(
        json!([plain["dryRun"], plain["affectedRows"]]),
        json!(["done", 8000])
    );
    // In a small database the same statement can only change few pages.
    let small = with(&format!(
        "CREATE TABLE m (id INTEGER PRIMARY KEY, a TEXT); {indexes} \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 8000) INSERT INTO m SELECT i, i FROM n"
    ));
    let found = preview(&small, "DELETE FROM m WHERE id % 2 = 0");
    assert_eq!(
        json!([found["dryRun"], found["affectedRows"]]),
        json!(["done", 4000])
    );
}

#[test]
fn a_table_that_is_rewritten_counts_with_all_its_rows() {
    let db = with(
        "CREATE TABLE f (id INTEGER PRIMARY KEY, z INTEGER); CREATE TABLE long (b BLOB); \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 80) INSERT INTO long SELECT zeroblob(1000000) FROM n; \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20001) INSERT INTO f SELECT i, 4 FROM n",
    );
    let found = preview(&db, "ALTER TABLE f DROP COLUMN z");
    assert_eq!(found["dryRun"], "unavailable", "{found}");
    let reason = found["dryRunReason"].as_str().unwrap();
    // The estimate counts these rows, too, and is checked first.
    assert!(
        reason.contains("all rows of f") || reason.contains("estimated work"),
        "{reason}"
    );
    let few = with("CREATE TABLE small (a, z); INSERT INTO small VALUES (1, 2)");
    for sql in [
        "ALTER TABLE small DROP COLUMN z",
        "ALTER TABLE small RENAME COLUMN z TO y",
        "ALTER TABLE small ADD COLUMN y",
    ] {
        assert_eq!(preview(&few, sql)["dryRun"], "done", "{sql}");
    }
}

#[test]
fn the_check_of_all_rows_for_an_added_column_is_in_the_estimate() {
    let db = with(
        "CREATE TABLE t (a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) INSERT INTO t SELECT i FROM n",
    );
    let work = |sql: &str| preview(&db, sql)["work"]["estimate"].as_u64().unwrap();
    let plain = work("ALTER TABLE t ADD COLUMN b");
    for sql in [
        "ALTER TABLE t ADD COLUMN b CHECK (b IS NULL OR a > 0)",
        "ALTER TABLE t ADD COLUMN b AS (a * 2 + 1)",
    ] {
        assert!(work(sql) > plain + 20_000, "{sql}: {} {plain}", work(sql));
    }
}

#[test]
fn an_approved_statement_says_what_exec_says() {
    let db = database();
    create_from_csv(&db, b"code,price\n007,\"1,234\"\n010,\"5,678\"\n").unwrap();
    for (sql, wanted) in [
        (
            "CREATE TABLE made (id INTEGER PRIMARY KEY, zip STRING, due DATE)",
            "zip TEXT instead of STRING, due TEXT instead of DATE",
        ),
        ("SELECT sum(price) FROM t", "price of t TEXT"),
        (
            "UPDATE t SET code = 'x' WHERE price > 10",
            "price of t TEXT",
        ),
        (
            "DELETE FROM t WHERE price < 10 RETURNING code",
            "price of t TEXT",
        ),
        ("SELECT count(*) FROM t", ""),
    ] {
        let said = |answer: &Value| answer["notice"].as_str().unwrap_or_default().to_owned();
        let shown = said(&preview(&db, sql));
        let ran = said(&ask(&db, &run_request(&db, sql, sql)).unwrap());
        assert_eq!(shown, ran, "{sql}");
        assert!(
            shown.contains(wanted) && shown.is_empty() == wanted.is_empty(),
            "{sql}: {shown}"
        );
    }
}

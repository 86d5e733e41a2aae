//! Undos restore every value, or change nothing.

use serde_json::{Value, json};

use super::{ask, dump, run, undo_request, whole_dump};
use test_support::HostDatabase;
use test_support::with;

/// Runs a statement, undoes it, and checks that everything is as before.
fn runs_and_returns(script: &str, sql: &str) {
    let db = with(script);
    let before = dump(&db);
    let outcome = run(&db, "a", sql);
    assert_eq!(outcome["undo"]["available"], true, "{sql}: {outcome}");
    assert_ne!(dump(&db), before, "{sql}");
    let undo = undo_request(&db, "a", "u");
    let undone = ask(&db, &undo).unwrap_or_else(|error| panic!("{:?}: {sql}", error.to_json()));
    assert_eq!(undone["undone"], true);
    assert_eq!(dump(&db), before, "{sql}");
    assert_eq!(ask(&db, &undo).unwrap()["ranBefore"], true);
    for table in ["_codemode_images", "_codemode_changes"] {
        assert_eq!(
            db.dump_rows(&format!("SELECT count(*) FROM {table}")),
            ["0"]
        );
    }
}

const TREE: &str = "CREATE TABLE tree (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES tree); \
     INSERT INTO tree VALUES (1, NULL), (2, 1), (3, 2), (4, 1)";
const LINKED: &str = "CREATE TABLE p (k TEXT PRIMARY KEY, v); \
     CREATE TABLE c (id INTEGER PRIMARY KEY, p TEXT REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE); \
     CREATE TABLE n (p TEXT DEFAULT 'z' REFERENCES p ON DELETE SET NULL ON UPDATE SET DEFAULT, x); \
     CREATE TABLE r (c INTEGER REFERENCES c ON DELETE RESTRICT); \
     INSERT INTO p VALUES ('a', 1), ('b', 2), ('z', 3); INSERT INTO c VALUES (1, 'a'), (2, 'a'), (3, 'b'); \
     INSERT INTO n VALUES ('a', 1), ('b', 2), (NULL, 3)";

const VALUES: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, v, u UNIQUE); INSERT INTO t VALUES \
         (1, 9223372036854775807, 1), (2, -9223372036854775808, 2), (3, 0.1, 3), (4, 9e999, 4), (5, -0.0, 5), (6, x'00ff', 6), \
         (7, 'nul' || char(0) || 'behind', 7), (8, CAST(x'ff80' AS TEXT), 8), (9, NULL, 9), (10, 1e300, 10), (11, 5.0, 11), (12, 123456789.123456789, 12)";
const CASES: &[(&str, &str)] = &[
    (VALUES, "DELETE FROM t"),
    (VALUES, "UPDATE t SET v = NULL"),
    (VALUES, "UPDATE t SET v = id"),
    (VALUES, "UPDATE t SET id = id + 100"),
    (VALUES, "UPDATE t SET id = -id"),
    (VALUES, "UPDATE t SET u = u - 1"),
    (VALUES, "UPDATE t SET u = 2 * u + 100"),
    (VALUES, "INSERT INTO t (v) VALUES (1), (2)"),
    (VALUES, "REPLACE INTO t VALUES (1, 'n', 2), (3, 'n', 3)"),
    (
        VALUES,
        "UPDATE OR REPLACE t SET u = 5 WHERE id IN (1, 2, 3)",
    ),
    (
        VALUES,
        "INSERT INTO t VALUES (1, 'x', 50), (99, 'y', 2) ON CONFLICT (id) DO UPDATE SET v = excluded.v ON CONFLICT (u) DO UPDATE SET id = 77",
    ),
    (
        VALUES,
        "INSERT INTO t (id, v) VALUES (1, 'x'), (1, 'y') ON CONFLICT (id) DO UPDATE SET v = coalesce(v, '') || excluded.v",
    ),
    (
        VALUES,
        "INSERT OR IGNORE INTO t VALUES (1, 2, 3), (50, 2, 60)",
    ),
    (TREE, "DELETE FROM tree"),
    (TREE, "DELETE FROM tree WHERE id IN (2, 3)"),
    (TREE, "UPDATE tree SET id = id * 10, parent = parent * 10"),
    (TREE, "INSERT INTO tree VALUES (9, 10), (10, NULL)"),
    (LINKED, "DELETE FROM p WHERE k = 'a'"),
    (LINKED, "UPDATE p SET k = k || k WHERE k <> 'z'"),
    (LINKED, "UPDATE p SET k = 'B' WHERE k = 'b'"),
    (LINKED, "REPLACE INTO p VALUES ('a', 'new')"),
    (LINKED, "DELETE FROM c"),
    (
        "CREATE TABLE w (k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO w VALUES ('a', 1), ('B', 2)",
        "UPDATE w SET k = upper(k), v = v + 1",
    ),
    (
        "CREATE TABLE w (k, l, v, PRIMARY KEY (l, k)) WITHOUT ROWID; INSERT INTO w VALUES (1, 'x', 1), ('1', 'x', 2), (1.5, x'00', 3)",
        "UPDATE w SET l = 'y', v = NULL",
    ),
    (
        "CREATE TABLE w (k, v, PRIMARY KEY (k)) WITHOUT ROWID; INSERT INTO w VALUES (1, 1), ('1', 2)",
        "DELETE FROM w",
    ),
    (
        "CREATE TABLE b (k TEXT COLLATE NOCASE, v, PRIMARY KEY (k COLLATE BINARY)) WITHOUT ROWID; INSERT INTO b VALUES ('a', 1), ('A', 2)",
        "UPDATE b SET v = v * 10 WHERE k = 'a' COLLATE BINARY",
    ),
    (
        "CREATE TABLE g (a INTEGER, b AS (a * 2), c TEXT AS (a || 'x') STORED UNIQUE); INSERT INTO g (a) VALUES (1), (2)",
        "UPDATE g SET a = a + 5",
    ),
    (
        "CREATE TABLE g (a INTEGER, b AS (a * 2), c TEXT AS (a || 'x') STORED UNIQUE); INSERT INTO g (a) VALUES (1), (2)",
        "DELETE FROM g",
    ),
    (
        "CREATE TABLE d (id INTEGER PRIMARY KEY DESC, v); INSERT INTO d VALUES (5, 'a'), (6, 'b')",
        "UPDATE d SET id = id + 10, v = 'x'",
    ),
    (
        "CREATE TABLE q (\"a \"\"b\"\"\", 'c''d', [e f], \"rowid\"); INSERT INTO q VALUES (1, 2, 3, 4), (5, 6, 7, 8)",
        "DELETE FROM q WHERE \"rowid\" = 4",
    ),
    (
        "CREATE TABLE s (k ANY PRIMARY KEY, n INTEGER NOT NULL CHECK (n > 0)) STRICT; INSERT INTO s VALUES ('1', 1), (1, 2)",
        "UPDATE s SET n = n + 1, k = k || n",
    ),
    (
        "CREATE TABLE \"table\" (x); INSERT INTO \"table\" VALUES (1), (1), (1)",
        "DELETE FROM \"table\"",
    ),
    (
        "CREATE TABLE a (id INTEGER PRIMARY KEY, b REFERENCES b ON DELETE CASCADE); CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a); \
          INSERT INTO a VALUES (1, NULL); INSERT INTO b VALUES (1, 1); UPDATE a SET b = 1",
        "DELETE FROM b",
    ),
];

#[test]
fn everything_is_as_before() {
    for (script, sql) in CASES {
        runs_and_returns(script, sql);
    }
}

#[test]
fn tables_of_a_hundred_columns_and_long_values_are_put_back() {
    let columns: Vec<String> = (1..=99).map(|number| format!("c{number}")).collect();
    let script = format!(
        "CREATE TABLE wide (id INTEGER PRIMARY KEY, {}); INSERT INTO wide (id, c1, c64, c65, c99) VALUES (7, 1, 'a', 'b', x'01'), (8, 2, 'c', NULL, 1.5)",
        columns.join(", ")
    );
    runs_and_returns(
        &script,
        "UPDATE wide SET c64 = c65, c65 = c99, c99 = NULL, c1 = 0",
    );
    runs_and_returns(&script, "DELETE FROM wide");
    let db =
        with("CREATE TABLE t (a, b); INSERT INTO t VALUES (printf('%.*c', 1900000, 'x'), 'x')");
    let before = dump(&db);
    let mut request = super::run_request(&db, "a", "UPDATE t SET b = 'y'");
    request["keepUndoBytes"] = json!(32_000_000);
    assert_eq!(ask(&db, &request).unwrap()["undo"]["available"], true);
    ask(&db, &undo_request(&db, "a", "u")).unwrap();
    assert_eq!(dump(&db), before);
}

const T: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')";

#[test]
fn an_undo_is_shown_before_it_happens() {
    let db = with(T);
    run(&db, "a", "UPDATE t SET v = v || '!' WHERE id < 3");
    let before = whole_dump(&db);
    let shown = ask(&db, &json!({"do": "undoPreview", "approvalId": "a"})).unwrap();
    assert_eq!(
        shown,
        json!({"possible": true, "changes": 2,
            "tables": [{"name": "t", "access": "write", "inserted": 0, "updated": 2, "deleted": 0}],
            "sample": {
                "before": [{"table": "t", "change": 1, "row": {"id": 1, "v": "a!"}}, {"table": "t", "change": 2, "row": {"id": 2, "v": "b!"}}],
                "after": [{"table": "t", "change": 1, "row": {"id": 1, "v": "a"}}, {"table": "t", "change": 2, "row": {"id": 2, "v": "b"}}],
            },
            "sha256": shown["sha256"]})
    );
    assert_eq!(whole_dump(&db), before);
}

fn refused(db: &HostDatabase, undo: &Value, code: &str) -> base::Error {
    let before = whole_dump(db);
    let error = ask(db, undo).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert_eq!(whole_dump(db), before);
    assert_eq!(db.dump_rows("PRAGMA defer_foreign_keys"), ["0"]);
    assert_eq!(db.dump_rows("PRAGMA recursive_triggers"), ["0"]);
    error
}

#[test]
fn rows_that_have_changed_since_are_a_conflict() {
    for (sql, since, left, found) in [
        (
            "UPDATE t SET v = v || '!'",
            "UPDATE t SET v = 'other' WHERE id = 2",
            json!({"id": 2, "v": "b!"}),
            json!({"id": 2, "v": "other"}),
        ),
        (
            "UPDATE t SET v = v || '!'",
            "DELETE FROM t WHERE id = 2",
            json!({"id": 2, "v": "b!"}),
            Value::Null,
        ),
        (
            "UPDATE t SET v = v || '!'",
            "UPDATE t SET v = 'b' WHERE id = 2",
            json!({"id": 2, "v": "b!"}),
            json!({"id": 2, "v": "b"}),
        ),
        (
            "DELETE FROM t WHERE id = 2",
            "INSERT INTO t VALUES (2, 'z')",
            Value::Null,
            json!({"id": 2, "v": "z"}),
        ),
        (
            "INSERT INTO t VALUES (4, 'd')",
            "DELETE FROM t WHERE id = 4",
            json!({"id": 4, "v": "d"}),
            Value::Null,
        ),
        (
            "INSERT INTO t VALUES (4, 'd')",
            "UPDATE t SET v = CAST('d' AS BLOB) WHERE id = 4",
            json!({"id": 4, "v": "d"}),
            json!({"id": 4, "v": {"$blob": "ZA=="}}),
        ),
        (
            "UPDATE t SET id = 9 WHERE id = 1",
            "INSERT INTO t VALUES (1, 'n')",
            Value::Null,
            json!({"id": 1, "v": "n"}),
        ),
    ] {
        let db = with(T);
        run(&db, "a", sql);
        let undo = undo_request(&db, "a", "u");
        db.script(since);
        let error = refused(&db, &undo, "UNDO_CONFLICT");
        assert_eq!(
            error.details()["rows"],
            json!([{"table": "t", "left": left, "found": found}]),
            "{sql}; {since}"
        );
        let shown = ask(&db, &json!({"do": "undoPreview", "approvalId": "a"})).unwrap();
        assert_eq!(shown["possible"], false);
        assert_eq!(shown["rows"], error.details()["rows"]);
    }
}

#[test]
fn constraints_and_other_rows_are_respected() {
    for (script, sql, since, said) in [
        // Another row has got the value.
        (
            T,
            "UPDATE t SET v = 'x' WHERE id = 1",
            "INSERT INTO t VALUES (9, 'a')",
            "a row cannot be put back: UNIQUE constraint failed: t.v",
        ),
        // A row that was added later refers to an inserted one.
        (
            TREE,
            "INSERT INTO tree VALUES (9, NULL)",
            "INSERT INTO tree VALUES (10, 9)",
            "a foreign key of tree would be broken",
        ),
        (
            LINKED,
            "INSERT INTO p VALUES ('q', 1)",
            "INSERT INTO c VALUES (9, 'q')",
            "foreign keys would change rows that the statement has not changed, in p, c",
        ),
        (
            LINKED,
            "INSERT INTO p VALUES ('q', 1)",
            "INSERT INTO n VALUES ('q', 9)",
            "foreign keys would change rows that the statement has not changed, in p, n",
        ),
        // The row that another row referred to is deleted.
        (
            LINKED,
            "DELETE FROM c WHERE id = 3",
            "DELETE FROM p WHERE k = 'b'",
            "a foreign key of c would be broken",
        ),
        (
            LINKED,
            "INSERT INTO c VALUES (9, 'b')",
            "INSERT INTO r VALUES (9)",
            "a foreign key of r would be broken",
        ),
    ] {
        let db = with(script);
        run(&db, "a", sql);
        let undo = undo_request(&db, "a", "u");
        db.script(since);
        let error = refused(&db, &undo, "UNDO_CONFLICT");
        assert_eq!(error.to_string(), said, "{sql}; {since}");
    }
    // Changes of other rows do not prevent an undo.
    let db = with(T);
    run(&db, "a", "DELETE FROM t WHERE id = 1");
    let undo = undo_request(&db, "a", "u");
    db.script("INSERT INTO t VALUES (50, 'z'); UPDATE t SET v = 'y' WHERE id = 2");
    ask(&db, &undo).unwrap();
    assert_eq!(
        db.dump_rows("SELECT * FROM t"),
        ["1|'a'", "2|'y'", "3|'c'", "50|'z'"]
    );
}

#[test]
fn an_undo_is_approved_by_its_own_hash_and_happens_once() {
    let db = with(T);
    run(&db, "a", "DELETE FROM t WHERE id = 1");
    run(&db, "b", "DELETE FROM t WHERE id = 2");
    let undo = undo_request(&db, "a", "u");
    let mut other = undo.clone();
    other["sha256"] = undo_request(&db, "b", "u")["sha256"].clone();
    refused(&db, &other, "STATEMENT_CHANGED");
    ask(&db, &undo).unwrap();
    other = undo.clone();
    other["undoApprovalId"] = json!("v");
    let error = refused(&db, &other, "UNDO_UNAVAILABLE");
    assert_eq!(error.details()["reason"], "it was undone");
    other["approvalId"] = json!("u");
    refused(&db, &other, "UNDO_UNAVAILABLE");
    other["approvalId"] = json!("nobody");
    refused(&db, &other, "APPROVAL_NOT_FOUND");
    // The id of a run cannot be used for an undo.
    other = undo_request(&db, "b", "a");
    refused(&db, &other, "STATEMENT_CHANGED");
}

#[test]
fn a_changed_definition_ends_the_undo() {
    for (since, reason) in [
        (
            "ALTER TABLE t ADD COLUMN x",
            "the definition of the table t has changed since",
        ),
        ("DROP TABLE t", "the table t no longer exists"),
        (
            "DROP TABLE t; CREATE TABLE t (id INTEGER PRIMARY KEY, v)",
            "the definition of the table t has changed since",
        ),
    ] {
        let db = with(T);
        run(&db, "a", "DELETE FROM t WHERE id = 1");
        let undo = undo_request(&db, "a", "u");
        db.script(since);
        let error = refused(&db, &undo, "UNDO_UNAVAILABLE");
        assert_eq!(error.details()["reason"], reason);
    }
}

#[test]
fn keys_that_were_given_are_not_given_again() {
    let db = with(
        "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v); INSERT INTO t (v) VALUES ('a')",
    );
    run(&db, "a", "INSERT INTO t (v) VALUES ('b')");
    ask(&db, &undo_request(&db, "a", "u")).unwrap();
    db.script("INSERT INTO t (v) VALUES ('c')");
    assert_eq!(db.dump_rows("SELECT * FROM t"), ["1|'a'", "3|'c'"]);
}

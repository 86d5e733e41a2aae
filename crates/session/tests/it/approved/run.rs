//! Runs happen once, and have the effect of exec.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};
use session::approved::{Request, serve};
use session::limits::{
    APPROVED_RETENTION_MS, MAX_RESULT_TABLES, RESULT_TABLE_RETENTION_MS, UNDO_RETENTION_MS,
};
use session::statement_cache::StatementCache;
use session::watch::{Change, Watcher};
use session::{Session, Settings};

use super::{OWNER, ask, ask_at, dump, preview, run, run_request, undo_request, whole_dump};
use test_support::{NOW_MS, call, with};

const T: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')";

#[test]
fn a_write_runs_once_and_a_retry_hears_of_it() {
    let db = with(T);
    let request = run_request(&db, "one", "INSERT INTO t (v) VALUES ('d') RETURNING id, v");
    let first = ask(&db, &request).unwrap();
    assert_eq!(
        first,
        json!({"kind": "insert", "changes": 1, "columns": ["id", "v"], "rows": [{"id": 4, "v": "d"}], "rowCount": 1, "truncated": false,
            "undo": {"available": true, "rows": 1, "bytes": first["undo"]["bytes"]}, "ranBefore": false})
    );
    let after = whole_dump(&db);
    for _ in 0..2 {
        let mut again = ask(&db, &request).unwrap();
        assert_eq!(again["ranBefore"], true);
        again["ranBefore"] = json!(false);
        assert_eq!(again, first);
        assert_eq!(whole_dump(&db), after);
    }
}

#[test]
fn an_approval_is_for_one_statement_of_one_session() {
    let db = with(T);
    let request = run_request(&db, "one", "DELETE FROM t WHERE id = 1");
    let before = whole_dump(&db);
    let changed = |name: &str, value: Value| {
        let mut other = request.clone();
        other[name] = value;
        let error = ask(&db, &other).unwrap_err();
        assert_eq!(error.code(), "STATEMENT_CHANGED", "{name}");
        assert_eq!(whole_dump(&db), before);
        error
    };
    changed("sql", json!("DELETE FROM t WHERE id = 2"));
    changed("sql", json!("DELETE FROM t WHERE id =  1"));
    changed("sha256", json!("0".repeat(64)));
    let error = changed("sha256", json!(""));
    assert_eq!(error.details()["found"], request["sha256"]);
    let stand = test_support::Stand::new(&Settings::default());
    for owner in [("acme", "film"), ("acm", "efilms"), ("zeta", "films")] {
        let owner = session::approved::Owner {
            tenant: owner.0,
            place: session::approved::Place::Session(owner.1),
        };
        let error = serve(
            &stand.session(&db),
            owner,
            &Request::parse(&request.to_string()).unwrap(),
        )
        .unwrap_err();
        assert_eq!(error.code(), "STATEMENT_CHANGED");
    }
    ask(&db, &request).unwrap();
    let other = run_request(&db, "one", "DELETE FROM t WHERE id = 2");
    let error = ask(&db, &other).unwrap_err();
    assert_eq!(error.code(), "STATEMENT_CHANGED");
    assert_eq!(
        error.to_string(),
        "another statement ran under this approval"
    );
}

#[test]
fn parameters_are_part_of_what_is_approved_with_their_types() {
    let db = with(T);
    let hash = |params: Value| {
        let body = json!({"do": "preview", "sql": "SELECT ?, ?", "params": params});
        ask(&db, &body).unwrap()["sha256"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let values = [
        json!([1, 2]),
        json!(["1", 2]),
        json!([1.0, 2]),
        json!([1, "2"]),
        json!([null, 2]),
        json!([true, 3]),
        json!([{"$blob": "MQ=="}, 2]),
        json!(["", "12"]),
        json!(["1", "2"]),
        json!(["12", ""]),
        json!([{"$real": "Infinity"}, 2]),
        json!([{"$real": "-Infinity"}, 2]),
        json!([9_007_199_254_740_993_i64, 2]),
        json!([9_007_199_254_740_992_i64, 2]),
    ];
    let hashes: std::collections::BTreeSet<String> =
        values.iter().map(|params| hash(params.clone())).collect();
    assert_eq!(hashes.len(), values.len());
    assert_eq!(hash(json!([1, 2])), hash(json!([1, 2])));
}

#[test]
fn a_statement_that_fails_is_not_remembered() {
    let db = with(T);
    let sql = "INSERT INTO t VALUES (4, 'd')";
    let request = run_request(&db, "one", sql);
    db.script("INSERT INTO t VALUES (4, 'x')");
    let before = whole_dump(&db);
    let error = ask(&db, &request).unwrap_err();
    assert_eq!(error.code(), "CONSTRAINT_FAILED");
    assert_eq!(whole_dump(&db), before);
    db.script("DELETE FROM t WHERE id = 4");
    assert_eq!(ask(&db, &request).unwrap()["ranBefore"], false);
}

#[test]
fn a_dropped_table_is_no_error_the_second_time() {
    let db = with(T);
    let request = run_request(&db, "one", "DROP TABLE t");
    let first = ask(&db, &request).unwrap();
    assert_eq!(
        first["undo"],
        json!({"available": false, "rows": 0, "bytes": 0, "reason": "it changes the schema"})
    );
    assert_eq!(ask(&db, &request).unwrap()["ranBefore"], true);
}

#[test]
fn a_read_returns_rows_or_keeps_all_of_them_in_one_table() {
    let db = with(T);
    let small = run(&db, "small", "SELECT id, v FROM t ORDER BY id");
    assert_eq!(
        small,
        json!({"kind": "read", "columns": ["id", "v"], "rows": [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}, {"id": 3, "v": "c"}],
            "rowCount": 3, "truncated": false, "ranBefore": false})
    );
    let mut request = run_request(
        &db,
        "large",
        "SELECT id, v AS ID, x'00' AS b, 9007199254740993 AS n, 1.0 AS r FROM t ORDER BY id DESC",
    );
    request["maxRows"] = json!(2);
    let large = ask(&db, &request).unwrap();
    assert_eq!(
        (&large["rowCount"], &large["truncated"]),
        (&json!(3), &json!(true))
    );
    assert_eq!(
        large["rows"][0],
        json!({"id": 3, "ID_2": "c", "b": {"$blob": "AA=="}, "n": 9_007_199_254_740_993_i64, "r": 1.0})
    );
    assert_eq!(large["rows"].as_array().unwrap().len(), 2);
    let table = large["resultTable"]["name"].as_str().unwrap();
    assert_eq!(
        large["resultTable"],
        json!({"name": table, "rows": 3, "complete": true})
    );
    let rows = db.dump_rows(&format!("SELECT *, typeof(r) FROM {table}"));
    assert_eq!(rows[0], "3|'c'|x00|9007199254740993|1.0|'real'");
    let after = whole_dump(&db);
    assert_eq!(
        ask(&db, &request).unwrap()["resultTable"],
        large["resultTable"]
    );
    assert_eq!(whole_dump(&db), after);
    // Another approval gets its own table, and skips a name that is taken.
    let mut other = run_request(&db, "other", "SELECT * FROM t");
    other["maxRows"] = json!(0);
    let other = ask(&db, &other).unwrap();
    assert_ne!(other["resultTable"]["name"], large["resultTable"]["name"]);
    assert_eq!(
        (&other["rows"], &other["rowCount"]),
        (&json!([]), &json!(3))
    );
}

#[test]
fn rows_too_long_for_the_outcome_are_in_the_table() {
    let db = with("CREATE TABLE t (v); INSERT INTO t VALUES (printf('%.*c', 1500000, 'x'))");
    let kept = run(&db, "long", "SELECT v FROM t");
    assert_eq!(
        (
            &kept["rows"],
            &kept["truncated"],
            &kept["resultTable"]["rows"]
        ),
        (&json!([]), &json!(true), &json!(1))
    );
}

#[test]
fn statements_do_what_exec_does() {
    for sql in [
        "INSERT INTO t (v) VALUES ('d')",
        "UPDATE t SET id = id + 10",
        "UPDATE t SET v = v || 'x' WHERE id <> 2 RETURNING v",
        "DELETE FROM t",
        "REPLACE INTO t VALUES (1, 'b')",
        "INSERT INTO t VALUES (1, 'q') ON CONFLICT (id) DO UPDATE SET v = excluded.v",
        "CREATE TABLE n AS SELECT * FROM t",
        "ALTER TABLE t ADD COLUMN x DEFAULT 5",
        "DROP TABLE t",
    ] {
        let (ours, exec) = (with(T), with(T));
        let outcome = run(&ours, "a", sql);
        let answer = call(&exec, &json!({"operation": "exec", "sql": sql}).to_string());
        assert_eq!(dump(&ours), dump(&exec), "{sql}");
        assert_eq!(outcome["changes"], answer["changes"], "{sql}");
        if let Some(rows) = answer.get("results") {
            assert_eq!(&outcome["rows"], rows);
        }
        let triggers = ours.dump_rows("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'");
        assert_eq!(triggers, ["0"]);
    }
}

#[test]
fn more_than_is_kept_cannot_be_undone_and_says_why() {
    let db =
        with("CREATE TABLE t (v); INSERT INTO t VALUES (zeroblob(5000)), (zeroblob(5000)), (1)");
    let mut request = run_request(&db, "one", "UPDATE t SET v = 2");
    request["keepUndoBytes"] = json!(9_000);
    let outcome = ask(&db, &request).unwrap();
    assert_eq!(outcome["changes"], 3);
    assert_eq!(outcome["undo"]["available"], false);
    assert_eq!(
        outcome["undo"]["reason"],
        "the rows before and after take more than 9000 bytes, which is the limit"
    );
    assert_eq!(db.dump_rows("SELECT count(*) FROM _codemode_images"), ["0"]);
    assert_eq!(
        db.dump_rows("SELECT count(*) FROM _codemode_changes"),
        ["0"]
    );
    let nothing = run(&db, "nothing", "UPDATE t SET v = 2 WHERE 0");
    assert_eq!(nothing["undo"]["reason"], "it changed nothing");
    db.script("DELETE FROM t; WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 25000) INSERT INTO t SELECT i FROM c");
    let many = run(&db, "many", "DELETE FROM t");
    assert_eq!(many["changes"], 25_000);
    assert!(
        many["undo"]["reason"]
            .as_str()
            .unwrap()
            .starts_with("it changes more than 20000 rows")
    );
    assert_eq!(db.dump_rows("SELECT count(*) FROM t"), ["0"]);
    assert_eq!(
        db.dump_rows("SELECT count(*) FROM _codemode_changes"),
        ["0"]
    );
}

#[test]
fn rows_of_a_statement_are_kept_for_a_day_and_its_outcome_for_longer() {
    let db = with(T);
    let request = run_request(&db, "one", "DELETE FROM t WHERE id = 1");
    ask(&db, &request).unwrap();
    let undo = undo_request(&db, "one", "u");
    let later = NOW_MS + UNDO_RETENTION_MS;
    let error = ask_at(&db, later, &undo).unwrap_err();
    assert_eq!(error.code(), "UNDO_UNAVAILABLE");
    let mut other = run_request(&db, "two", "DELETE FROM t WHERE id = 2");
    ask_at(&db, later, &other).unwrap();
    assert_eq!(
        db.dump_rows("SELECT count(*) FROM _codemode_changes"),
        ["1"]
    );
    assert_eq!(ask_at(&db, later, &request).unwrap()["ranBefore"], true);
    let asked = json!({"do": "undoPreview", "approvalId": "one"});
    assert_eq!(
        ask_at(&db, later, &asked).unwrap()["reason"],
        "its rows were only kept for one day"
    );
    other = run_request(&db, "three", "DELETE FROM t WHERE id = 3");
    ask_at(&db, NOW_MS + APPROVED_RETENTION_MS, &other).unwrap();
    assert_eq!(ask(&db, &asked).unwrap_err().code(), "APPROVAL_NOT_FOUND");
}

#[derive(Default)]
struct Listener(RefCell<Vec<Value>>);

impl Watcher for Listener {
    fn changed(&self, change: &Change) {
        self.0.borrow_mut().push(change.to_json());
    }
    fn deleted(&self) {}
    fn is_gone(&self) -> bool {
        false
    }
}

#[test]
fn watchers_hear_of_runs_and_undos_and_of_no_preview() {
    let db = with(T);
    let settings: Settings = Settings::default();
    let cache = StatementCache::default();
    let listener: Rc<Listener> = Rc::default();
    cache.watchers.add(listener.clone()).unwrap();
    let session = Session {
        scope: None,
        db: &db,
        settings: &settings,
        now_ms: NOW_MS,
        name: "test",
        cache: &cache,
    };
    let heard_of = |body: &Value| {
        let _outcome = serve(&session, OWNER, &Request::parse(&body.to_string()).unwrap());
        listener.0.take()
    };
    let write = run_request(&db, "w", "UPDATE t SET v = v || '!'");
    let mut read = run_request(&db, "r", "SELECT * FROM t");
    read["maxRows"] = json!(1);
    let rows = json!([{"schema": false, "tables": ["t"]}]);
    assert_eq!(
        json!(heard_of(&json!({"do": "preview", "sql": "DELETE FROM t"}))),
        json!([])
    );
    assert_eq!(json!(heard_of(&write)), rows);
    assert_eq!(json!(heard_of(&write)), json!([]));
    let made = heard_of(&read);
    assert_eq!(made[0]["schema"], true);
    assert_eq!(json!(heard_of(&undo_request(&db, "w", "u"))), rows);
    let dropped = run_request(&db, "d", "DROP TABLE t");
    assert_eq!(
        json!(heard_of(&dropped)),
        json!([{"schema": true, "tables": ["t"]}])
    );
    assert_eq!(preview(&db, "SELECT 1")["kind"], "read");
}

/// Tables of results are dropped after a day, except those that a caller has made its own.
#[test]
fn a_table_of_a_result_ends_unless_somebody_has_taken_it_over() {
    let db = with("CREATE TABLE n (i INTEGER PRIMARY KEY); INSERT INTO n VALUES (1)");
    db.script("WITH RECURSIVE r(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM r LIMIT 200) INSERT INTO n SELECT i FROM r");
    let made = |id: &str, now_ms: u64| {
        let request = run_request(&db, id, "SELECT i FROM n");
        let outcome = ask_at(&db, now_ms, &request).unwrap();
        outcome["resultTable"]["name"].as_str().unwrap().to_owned()
    };
    let is_there = |name: &str| {
        let found = db.dump_rows(&format!(
            "SELECT 1 FROM sqlite_schema WHERE name = '{name}'"
        ));
        !found.is_empty()
    };
    let [plain, viewed, altered, indexed, dropped, alike] =
        ["plain", "viewed", "altered", "indexed", "dropped", "alike"].map(|id| made(id, NOW_MS));
    db.script(&format!("CREATE VIEW v AS SELECT i FROM {viewed}"));
    db.script(&format!("ALTER TABLE {altered} ADD COLUMN mine"));
    db.script(&format!("CREATE INDEX by_i ON {indexed} (i)"));
    db.script(&format!(
        "DROP TABLE {dropped}; CREATE TABLE {dropped} (mine)"
    ));
    db.script(&format!(
        "DROP TABLE {alike}; CREATE TABLE \"{alike}\" (\"i\")"
    ));
    // A statement that runs after a day may still read one of them.
    let read = run_request(&db, "read", &format!("SELECT count(*) AS n FROM {plain}"));
    let a_day_later = NOW_MS + RESULT_TABLE_RETENTION_MS;
    assert!(is_there(&plain));
    let outcome = ask_at(&db, a_day_later, &read).unwrap();
    assert_eq!(outcome["rows"], json!([{"n": 201}]));
    assert!(!is_there(&plain));
    for kept in [&viewed, &altered, &indexed, &dropped, &alike] {
        assert!(is_there(kept), "{kept}");
    }
    // Many tables on one day.
    let first = made("first", a_day_later);
    for number in 1..MAX_RESULT_TABLES {
        made(&format!("more {number}"), a_day_later + number);
    }
    assert!(is_there(&first));
    made("one too many", a_day_later + MAX_RESULT_TABLES);
    assert!(!is_there(&first));
    let count = db.dump_rows("SELECT count(*) FROM _codemode_results");
    assert!(
        count[0].contains(&MAX_RESULT_TABLES.to_string()),
        "{count:?}"
    );
}

#[test]
fn the_first_of_a_ranking_with_all_that_are_equal_are_read_within_a_scope() {
    let db = with(
        "CREATE TABLE pets (id INTEGER PRIMARY KEY, business_id TEXT, kind TEXT, weight REAL); \
         INSERT INTO pets VALUES (1, 'b1', 'dog', 9), (2, 'b1', 'dog', 9), (3, 'b1', 'cat', 4), (4, 'b2', 'cat', 99), (5, 'b2', 'cat', 1), (6, 'b2', 'dog', 3)",
    );
    let scope = json!({"column": "business_id", "value": "b1"});
    for (sql, expected) in [
        (
            "SELECT id FROM pets WHERE weight IS NOT NULL AND weight = (SELECT weight FROM pets WHERE weight IS NOT NULL ORDER BY weight DESC LIMIT 1) ORDER BY id",
            json!([{"id": 1}, {"id": 2}]),
        ),
        (
            "SELECT kind, count FROM (SELECT kind, COUNT(*) AS count, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM pets WHERE kind IS NOT NULL GROUP BY kind) WHERE place = 1 ORDER BY kind",
            json!([{"kind": "dog", "count": 2}]),
        ),
        (
            "SELECT kind, id FROM (SELECT kind, id, RANK() OVER (PARTITION BY kind ORDER BY weight DESC) AS place FROM pets) WHERE place = 1 ORDER BY kind, id",
            json!([{"kind": "cat", "id": 3}, {"kind": "dog", "id": 1}, {"kind": "dog", "id": 2}]),
        ),
    ] {
        let asked = json!({"do": "preview", "sql": sql, "scope": scope});
        let sha256 =
            ask(&db, &asked).unwrap_or_else(|error| panic!("{error}: {sql}"))["sha256"].clone();
        let request = json!({"do": "run", "approvalId": sha256, "sha256": sha256, "sql": sql, "scope": scope, "maxRows": 100, "keepUndoBytes": 0});
        let told = ask(&db, &request).unwrap_or_else(|error| panic!("{error}: {sql}"));
        assert_eq!(told["rows"], expected, "{sql}");
    }
}

//! The events that watchers get of operations.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use serde_json::{Value, json};
use session::bulk::{Destination, Format, Load};
use session::limits::MAX_WATCHERS;
use session::staging::{ResultOrigin, stage};
use session::statement_cache::StatementCache;
use session::watch::{Change, Watcher};
use session::{Session, Settings, bulk, dispatch};

use super::{NOW_MS, request, with};
use test_support::HostDatabase;

#[derive(Default)]
struct Listener {
    heard: RefCell<Vec<Value>>,
    deleted: Cell<bool>,
    gone: Cell<bool>,
}

impl Watcher for Listener {
    fn changed(&self, change: &Change) {
        self.heard.borrow_mut().push(change.to_json());
    }

    fn deleted(&self) {
        self.deleted.set(true);
    }

    fn is_gone(&self) -> bool {
        self.gone.get()
    }
}

/// An object with one watcher.
struct Watched {
    db: HostDatabase,
    settings: Settings,
    cache: StatementCache,
    listener: Rc<Listener>,
}

const TABLES: &str = "CREATE TABLE Papers (id INTEGER PRIMARY KEY, title TEXT UNIQUE); \
     CREATE TABLE notes (id INTEGER PRIMARY KEY, paper REFERENCES papers ON DELETE CASCADE); \
     CREATE TABLE plain (id INTEGER PRIMARY KEY, note REFERENCES notes); \
     CREATE VIEW titles AS SELECT title FROM Papers; \
     INSERT INTO Papers VALUES (1, 'a'), (2, 'b'); INSERT INTO notes VALUES (1, 1)";

impl Watched {
    fn new(script: &str) -> Self {
        let watched = Self {
            db: with(script),
            settings: Settings::default(),
            cache: StatementCache::default(),
            listener: Rc::default(),
        };
        let watcher: Rc<dyn Watcher> = watched.listener.clone();
        watched.cache.watchers.add(watcher).unwrap();
        watched
    }

    fn session(&self) -> Session<'_, HostDatabase> {
        Session {
            db: &self.db,
            settings: &self.settings,
            now_ms: NOW_MS,
            name: "test",
            cache: &self.cache,
            scope: None,
        }
    }

    /// Returns the events of an operation, whether it succeeds or fails.
    fn heard_of(&self, operation: &Value) -> Vec<Value> {
        let _outcome = dispatch(&self.session(), &operation.to_string());
        self.listener.heard.take()
    }

    fn heard_of_sql(&self, sql: &str) -> Vec<Value> {
        self.heard_of(&json!({"operation": "exec", "sql": sql}))
    }
}

fn rows(tables: &[&str]) -> Vec<Value> {
    vec![json!({"schema": false, "tables": tables})]
}

fn definitions(tables: &[&str]) -> Vec<Value> {
    vec![json!({"schema": true, "tables": tables})]
}

fn unknown(schema: bool) -> Vec<Value> {
    vec![json!({"schema": schema, "tables": null})]
}

#[test]
fn a_statement_tells_the_tables_that_it_changes() {
    let watched = Watched::new(TABLES);
    for (sql, heard) in [
        ("INSERT INTO plain(id) VALUES (1)", rows(&["plain"])),
        (
            "INSERT INTO PLAIN(id) VALUES (2) RETURNING id",
            rows(&["plain"]),
        ),
        ("UPDATE plain SET note = NULL", rows(&["plain"])),
        ("REPLACE INTO plain(id) VALUES (2)", rows(&["plain"])),
        (
            "WITH w AS (SELECT 5 AS i) INSERT INTO plain(id) SELECT i FROM w",
            rows(&["plain"]),
        ),
        ("DELETE FROM plain", rows(&["plain"])),
        // Deleting a paper deletes its notes.
        ("UPDATE papers SET title = 'c' WHERE id = 1", unknown(false)),
        ("DELETE FROM Papers WHERE id = 2", unknown(false)),
        // A reference without an action changes no other table.
        ("DELETE FROM notes WHERE id = 1", rows(&["notes"])),
        ("CREATE TABLE made (x)", definitions(&["made"])),
        (
            "CREATE TABLE copied AS SELECT * FROM plain",
            definitions(&["copied"]),
        ),
        ("CREATE INDEX by_x ON made (x)", definitions(&["made"])),
        ("DROP INDEX by_x", unknown(true)),
        ("ALTER TABLE Made ADD COLUMN y", definitions(&["made"])),
        (
            "ALTER TABLE made RENAME TO other",
            definitions(&["made", "other"]),
        ),
        ("DROP TABLE OTHER", definitions(&["other"])),
        ("DROP VIEW titles", definitions(&["titles"])),
        ("CREATE VIEW v AS SELECT 1 AS one", definitions(&["v"])),
        ("CREATE VIRTUAL TABLE f USING fts5(t)", definitions(&["f"])),
        ("INSERT INTO f VALUES ('word')", rows(&["f"])),
        ("DROP TABLE papers", unknown(true)),
    ] {
        assert_eq!(watched.heard_of_sql(sql), heard, "{sql}");
    }
}

#[test]
fn what_changes_nothing_is_not_told() {
    let watched = Watched::new(TABLES);
    for sql in [
        "SELECT * FROM Papers",
        "EXPLAIN QUERY PLAN DELETE FROM plain",
        "DELETE FROM plain WHERE id = 77",
        "UPDATE notes SET paper = NULL WHERE id = 77 RETURNING id",
        "INSERT OR IGNORE INTO Papers VALUES (1, 'x')",
        "INSERT INTO Papers VALUES (1, 'x')",
        "INSERT INTO missing VALUES (1)",
        "DROP TABLE missing",
        "CREATE TABLE Papers (x)",
        "DROP TABLE _codemode_meta",
        "no statement",
    ] {
        assert_eq!(watched.heard_of_sql(sql), Vec::<Value>::new(), "{sql}");
    }
    for operation in [
        json!({"operation": "getTables"}),
        json!({"operation": "getMetrics"}),
        json!({"operation": "getState", "key": "k"}),
        json!({"operation": "createTable", "name": "plain", "schema": "id INTEGER PRIMARY KEY, note"}),
        json!({"operation": "dropTable", "table": "missing", "ifExists": true}),
        json!({"operation": "batchInsert", "table": "plain", "records": []}),
        json!({"operation": "batchInsert", "table": "plain", "records": [{"id": 1}, {"id": 1}]}),
        json!({"operation": "batchInsert", "table": "Papers", "records": [{"id": 1}], "onConflict": "ignore"}),
    ] {
        assert_eq!(
            watched.heard_of(&operation),
            Vec::<Value>::new(),
            "{operation}"
        );
    }
}

#[test]
fn operations_tell_what_they_change() {
    let watched = Watched::new(TABLES);
    for (operation, heard) in [
        (
            json!({"operation": "createTable", "name": "made", "schema": "a, b"}),
            definitions(&["made"]),
        ),
        (
            json!({"operation": "batchInsert", "table": "MADE", "records": [{"a": 1}]}),
            rows(&["made"]),
        ),
        (
            json!({"operation": "dropTable", "table": "MADE"}),
            definitions(&["made"]),
        ),
        (
            json!({"operation": "batchInsert", "table": "papers", "records": [{"id": 5}]}),
            rows(&["Papers"]),
        ),
        (
            json!({"operation": "batchInsert", "table": "papers", "records": [{"id": 5}], "onConflict": "replace"}),
            unknown(false),
        ),
        (
            json!({"operation": "saveState", "key": "k", "value": 1}),
            rows(&["session_state"]),
        ),
    ] {
        assert_eq!(watched.heard_of(&operation), heard, "{operation}");
    }
    let pieces = "{\"operation\":\"insertPieces\",\"table\":\"plain\",\"columns\":[\"id\"],\"counts\":[2]}\n[[1],[2]]";
    bulk::insert_pieces(&watched.session(), pieces).unwrap();
    assert_eq!(watched.listener.heard.take(), rows(&["plain"]));
}

#[test]
fn a_load_tells_once_and_only_when_it_is_complete() {
    let watched = Watched::new(TABLES);
    let mut load = Load::new(
        watched.session(),
        request("plain", Format::Json, Destination::Existing),
    )
    .unwrap();
    load.feed(b"{\"id\":1}\n{\"id\":2}\n").unwrap();
    assert!(watched.listener.heard.borrow().is_empty());
    load.finish().unwrap();
    assert_eq!(watched.listener.heard.take(), rows(&["plain"]));

    let mut broken = Load::new(
        watched.session(),
        request("plain", Format::Json, Destination::Existing),
    )
    .unwrap();
    broken.feed(b"{\"id\":3}\n{\"id\":1}\n").unwrap();
    assert!(broken.finish().is_err());
    assert!(watched.listener.heard.take().is_empty());

    let mut made = Load::new(
        watched.session(),
        request("made", Format::Json, Destination::Create),
    )
    .unwrap();
    made.feed(b"{\"id\":1}\n").unwrap();
    made.finish().unwrap();
    assert_eq!(watched.listener.heard.take(), definitions(&["made"]));
}

#[test]
fn staging_tells_the_tables_that_come_and_go() {
    let watched = Watched::new("");
    let staged = |data: &str| {
        let origin = ResultOrigin {
            server: "pubs",
            tool: "search",
            arguments: "{}",
            mappings: None,
            name: Some("found"),
            brief: false,
        };
        stage(&watched.session(), &origin, data).map(|_| ())
    };
    staged(r#"{"papers":[{"id":1,"tags":[{"t":"x"}]}]}"#).unwrap();
    let first = watched.listener.heard.take();
    assert_eq!(first.len(), 1);
    assert_eq!(first[0]["schema"], true);
    let made = first[0]["tables"].as_array().unwrap().clone();
    assert!(!made.is_empty());
    staged(r#"[{"id":1}]"#).unwrap();
    let second = watched.listener.heard.take();
    let touched = second[0]["tables"].as_array().unwrap();
    assert!(
        made.iter().all(|table| touched.contains(table)),
        "{second:?}"
    );
    let names: std::collections::BTreeSet<String> = touched.iter().map(Value::to_string).collect();
    assert_eq!(names.len(), touched.len(), "each stands there once");
    assert!(staged("no JSON").is_err());
    assert!(watched.listener.heard.take().is_empty());
}

#[test]
fn watchers_are_few_and_one_that_is_gone_is_removed() {
    let watched = Watched::new(TABLES);
    let others: Vec<Rc<Listener>> = (1..MAX_WATCHERS).map(|_| Rc::default()).collect();
    for other in &others {
        watched.cache.watchers.add(other.clone()).unwrap();
    }
    let late: Rc<Listener> = Rc::default();
    let error = watched.cache.watchers.add(late.clone()).unwrap_err();
    assert_eq!(error.code(), "TOO_MANY_WATCHERS");
    others[0].gone.set(true);
    watched.cache.watchers.add(late.clone()).unwrap();
    assert_eq!(Rc::strong_count(&others[0]), 1);
    others[1].gone.set(true);
    watched.heard_of_sql("INSERT INTO plain(id) VALUES (1)");
    assert_eq!(Rc::strong_count(&others[1]), 1);
    assert_eq!(late.heard.take(), rows(&["plain"]));
}

#[test]
fn a_deletion_is_told_and_ends_the_watching() {
    let watched = Watched::new(TABLES);
    watched.cache.forget();
    assert!(watched.listener.deleted.get());
    assert_eq!(Rc::strong_count(&watched.listener), 1);
    assert!(
        watched
            .heard_of_sql("INSERT INTO plain(id) VALUES (1)")
            .is_empty()
    );
}

#[test]
fn without_a_watcher_no_statement_is_added() {
    use test_support::FaultyDatabase;
    let opened = |watch: bool| {
        let db = FaultyDatabase::new(with(TABLES));
        let cache = StatementCache::default();
        if watch {
            let listener: Rc<Listener> = Rc::default();
            cache.watchers.add(listener).unwrap();
        }
        let settings = Settings::default();
        let session = Session {
            db: &db,
            settings: &settings,
            now_ms: NOW_MS,
            name: "test",
            cache: &cache,
            scope: None,
        };
        let before = db.opened();
        dispatch(
            &session,
            r#"{"operation":"exec","sql":"INSERT INTO plain(id) VALUES (1)"}"#,
        )
        .unwrap();
        db.opened() - before
    };
    assert_eq!(opened(true) - opened(false), 2);
}

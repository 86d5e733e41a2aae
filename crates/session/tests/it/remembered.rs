//! An object does not use its memory of statements after the schema has changed.

use serde_json::{Value, json};
use session::statement_cache::StatementCache;
use session::{Session, Settings, dispatch};

use super::{NOW_MS, with};
use test_support::HostDatabase;

/// One object, which keeps its memory from request to request.
struct Object {
    db: HostDatabase,
    settings: Settings,
    cache: StatementCache,
}

impl Object {
    fn new(script: &str) -> Self {
        Self {
            db: with(script),
            settings: Settings::default(),
            cache: StatementCache::default(),
        }
    }

    /// Returns the rows, or the code of the error.
    fn ask(&self, fields: Value) -> Result<Value, &'static str> {
        let session = Session {
            db: &self.db,
            settings: &self.settings,
            now_ms: NOW_MS,
            name: "test",
            cache: &self.cache,
            scope: None,
        };
        let mut body = json!({"operation": "exec", "rowFormat": "array"});
        for (name, value) in fields.as_object().unwrap() {
            body[name.as_str()] = value.clone();
        }
        let answer = dispatch(&session, &body.to_string()).map_err(|error| error.code())?;
        let text = format!("{{{}}}", answer.members());
        let answer: Value = serde_json::from_str(&text).unwrap();
        Ok(answer["results"].clone())
    }

    fn exec(&self, sql: &str) -> Result<Value, &'static str> {
        self.ask(json!({"sql": sql}))
    }

    fn scoped(&self, sql: &str) -> Result<Value, &'static str> {
        self.ask(json!({"sql": sql, "scope": {"column": "business_id", "value": "b1"}}))
    }
}

const ROWS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) \
     INSERT INTO large SELECT i FROM n";

#[test]
fn a_join_is_judged_by_what_its_names_stand_for_now() {
    let object = Object::new(&format!(
        "CREATE TABLE large (v INTEGER); {ROWS}; CREATE VIEW one AS SELECT 1 AS v"
    ));
    let join = "SELECT count(*) AS n FROM large a, one b WHERE a.v <> b.v";
    for _ in 0..2 {
        assert_eq!(object.exec(join), Ok(json!([[2999]])));
    }
    object.exec("DROP VIEW one").unwrap();
    object
        .exec("CREATE VIEW one AS SELECT c.v FROM large c, large d")
        .unwrap();
    assert_eq!(object.exec(join), Err("QUERY_TOO_EXPENSIVE"));
    object.exec("DROP VIEW one").unwrap();
    object.exec("CREATE TABLE one (v INTEGER)").unwrap();
    assert_eq!(object.exec(join), Ok(json!([[0]])));
}

#[test]
fn a_write_is_judged_by_what_its_names_stand_for_now() {
    let object = Object::new(&format!(
        "CREATE TABLE large (v INTEGER); {ROWS}; CREATE TABLE notes (v INTEGER)"
    ));
    let write = "INSERT INTO notes SELECT a.v FROM large a WHERE a.v = 7";
    for _ in 0..2 {
        object.exec(write).unwrap();
    }
    object.exec("DROP TABLE large").unwrap();
    assert_eq!(object.exec(write), Err("NO_SUCH_TABLE"));
    object.exec("DROP TABLE notes").unwrap();
    object
        .exec("CREATE VIRTUAL TABLE note USING fts5(v)")
        .unwrap();
    // The tables of the index have the names of tables that statements wrote before.
    let shadow = "INSERT INTO note_content (id) VALUES (1)";
    assert_eq!(object.exec(shadow), Err("SQL_BLOCKED"));
    object.exec("DROP TABLE note").unwrap();
    object
        .exec("CREATE TABLE note_content (id INTEGER)")
        .unwrap();
    assert!(object.exec(shadow).is_ok());
    object.exec("DROP TABLE note_content").unwrap();
    object
        .exec("CREATE VIRTUAL TABLE note USING fts5(v)")
        .unwrap();
    assert_eq!(object.exec(shadow), Err("SQL_BLOCKED"));
}

#[test]
fn the_fence_of_a_scope_knows_the_tables_that_have_taken_the_pages_of_others() {
    let object = Object::new("CREATE TABLE first (v INTEGER)");
    let make = |order: &[&str]| {
        for name in order {
            object
                .exec(&format!(
                    "CREATE TABLE {name} (id INTEGER PRIMARY KEY, business_id TEXT, v TEXT)"
                ))
                .unwrap();
            object
                .exec(&format!(
                    "INSERT INTO {name} VALUES (1, 'b1', '{name} of b1'), (2, 'b2', '{name} of b2')"
                ))
                .unwrap();
        }
    };
    let read = "SELECT o.v, (SELECT group_concat(v) FROM notes) AS n FROM orders o ORDER BY o.id";
    let rows = Ok(json!([["orders of b1", "notes of b1"]]));
    let insert =
        "INSERT INTO orders (id, v) VALUES (2, 'x') ON CONFLICT (id) DO UPDATE SET v = 'taken'";
    make(&["orders", "notes"]);
    for order in [["notes", "orders"], ["orders", "notes"]] {
        for _ in 0..2 {
            assert_eq!(object.scoped(read), rows);
            assert!(object.scoped(insert).is_ok());
        }
        object.exec("DROP TABLE orders").unwrap();
        object.exec("DROP TABLE notes").unwrap();
        make(&order);
        assert_eq!(object.scoped(read), rows);
    }
    // Without the tenant's column the table is outside the scope, whatever was remembered for its
    // name.
    object.exec("DROP TABLE notes").unwrap();
    object.exec("CREATE TABLE notes (v TEXT)").unwrap();
    assert_eq!(object.scoped(read), Err("SQL_BLOCKED"));
    let all = object.exec("SELECT v FROM orders ORDER BY id");
    assert_eq!(all, Ok(json!([["orders of b1"], ["orders of b2"]])));
}

#[test]
fn each_written_row_of_an_insert_is_the_tenants() {
    let object = Object::new(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, business_id TEXT NOT NULL, v TEXT); \
         INSERT INTO orders VALUES (1, 'b2', 'of b2')",
    );
    for sql in [
        "INSERT INTO orders (id, v) VALUES (2, 'a'), (3, (SELECT count(*) FROM orders))",
        "INSERT INTO orders (id, v) VALUES (4, 'it''s (a) ''b'', (c)' -- )\n), (/* ) */ 5, coalesce(NULL, (('d'))))",
        "INSERT INTO orders (v) VALUES ('by ), (6, itself')",
        "WITH w AS (SELECT 'e' AS v) INSERT INTO orders (id, v) VALUES (7, (SELECT v FROM w))",
        "INSERT INTO orders (id, v) VALUES (8, 'f') UNION ALL VALUES (9, 'g')",
        "INSERT INTO orders (id, v) VALUES (8, 'h') ON CONFLICT DO NOTHING",
        "INSERT INTO orders (id, v) SELECT * FROM (VALUES (10, 'i'), (11, 'j'))",
        "INSERT INTO orders (id, v) VALUES (12, 'k') RETURNING id",
    ] {
        assert!(
            object.scoped(sql).is_ok(),
            "{sql}: {:?}",
            object.scoped(sql)
        );
    }
    // Several rows, and one value too many or too few, are the engine's errors.
    for sql in [
        "INSERT INTO orders (id, v) VALUES (20, 'x', 'b2')",
        "INSERT INTO orders (id, v) VALUES (20)",
        "INSERT INTO orders (id, v) VALUES (20, 'x'), (21)",
    ] {
        assert!(object.scoped(sql).is_err(), "{sql}");
    }
    let owners = "SELECT business_id, count(*) FROM orders GROUP BY business_id ORDER BY 1";
    assert_eq!(object.exec(owners), Ok(json!([["b1", 11], ["b2", 1]])));
    let texts = "SELECT v FROM orders WHERE id IN (3, 4, 5, 6) ORDER BY id";
    assert_eq!(
        object.scoped(texts),
        Ok(json!([
            ["0"],
            ["it's (a) 'b', (c)"],
            ["d"],
            ["by ), (6, itself"]
        ]))
    );
}

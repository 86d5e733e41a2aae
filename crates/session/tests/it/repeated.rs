//! Statements that may run again without a check.

use serde_json::{Value, json};
use session::repeated::{Repeated, Repetition};
use session::statement_cache::StatementCache;
use session::{Session, Settings, dispatch};

use super::{NOW_MS, with};
use test_support::HostDatabase;

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

    /// Runs an operation, and returns its statement if that may be repeated.
    fn after(&self, body: &Value) -> Option<Repeated> {
        let body = body.to_string();
        dispatch(&self.session(), &body).unwrap();
        match self.session().repetition(&body).unwrap() {
            Repetition::Allowed(repeated) => Some(*repeated),
            Repetition::Refused | Repetition::Undecided => None,
        }
    }
}

const TABLES: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b TEXT); CREATE TABLE u (id INTEGER PRIMARY KEY, a REFERENCES t); \
     INSERT INTO t (a, b) VALUES (1, 'one')";

fn statement(operation: &str, sql: &str, params: Value) -> Value {
    json!({"operation": operation, "sql": sql, "params": params})
}

#[test]
fn a_statement_is_repeated_only_if_its_checks_do_not_depend_on_values_or_rows() {
    let object = Object::new(TABLES);
    for (operation, sql, params, expected) in [
        ("query", "SELECT * FROM t WHERE id = ?", json!([1]), true),
        (
            "query",
            "SELECT b FROM t WHERE b = ? LIMIT 3",
            json!(["x"]),
            true,
        ),
        (
            "exec",
            "INSERT INTO t (a, b) VALUES (?, ?)",
            json!([1, "x"]),
            true,
        ),
        (
            "exec",
            "UPDATE t SET a = ? WHERE id = ?",
            json!([1, 2]),
            true,
        ),
        ("exec", "DELETE FROM u WHERE id = ?", json!([9]), true),
        // The rows of u that refer to a row are searched.
        ("exec", "DELETE FROM t WHERE id = ?", json!([9]), false),
        (
            "query",
            "SELECT t.a FROM t JOIN u ON u.a = t.id WHERE t.id = ?",
            json!([1]),
            false,
        ),
        (
            "query",
            "SELECT a FROM t WHERE id IN (SELECT a FROM u WHERE id = ?)",
            json!([1]),
            false,
        ),
        (
            "query",
            "SELECT group_concat(b, ?) AS all_of_them FROM t",
            json!(["x"]),
            false,
        ),
        ("query", "EXPLAIN QUERY PLAN SELECT ?", json!([1]), false),
        ("exec", "SELECT ? AS x", json!([1]), false),
        (
            "exec",
            "INSERT INTO t (a) VALUES (?) RETURNING id",
            json!([1]),
            false,
        ),
        (
            "exec",
            "INSERT OR ROLLBACK INTO t (a) VALUES (?)",
            json!([1]),
            false,
        ),
        (
            "exec",
            "INSERT INTO t (a) SELECT a FROM t WHERE id = ?",
            json!([1]),
            false,
        ),
        ("exec", "CREATE TABLE IF NOT EXISTS t (a)", json!([]), false),
    ] {
        let body = statement(operation, sql, params);
        object.after(&body);
        let repeated = object.after(&body);
        assert_eq!(repeated.is_some(), expected, "{sql}");
        assert_eq!(
            repeated.is_some_and(|one| one.writes),
            expected && operation == "exec",
            "{sql}"
        );
    }
}

#[test]
fn a_page_a_scope_and_another_operation_are_not_repeated() {
    let object = Object::new(TABLES);
    for (name, value) in [
        ("offset", json!(1)),
        ("maxBytes", json!(10)),
        ("scope", json!({"column": "b", "value": "one"})),
    ] {
        let mut body = statement("query", "SELECT * FROM t", json!([]));
        body[name] = value;
        assert_eq!(object.after(&body), None, "{name}");
    }
    assert_eq!(object.after(&json!({"operation": "getTables"})), None);
}

#[test]
fn a_write_is_not_repeated_where_a_failure_may_leave_changes() {
    let insert = statement("exec", "INSERT INTO t (a) VALUES (?)", json!([1]));
    for (definition, expected) in [
        ("CREATE INDEX by_a ON t (a)", true),
        ("CREATE TABLE other (a UNIQUE ON CONFLICT FAIL)", false),
        ("CREATE VIRTUAL TABLE words USING fts5 (word)", false),
        (
            "CREATE TABLE other (a REFERENCES t DEFERRABLE INITIALLY DEFERRED)",
            false,
        ),
        (
            "CREATE TRIGGER noted AFTER INSERT ON t BEGIN INSERT INTO u (a) VALUES (NULL); END",
            false,
        ),
    ] {
        let object = Object::new(&format!("{TABLES}; {definition}"));
        object.after(&insert);
        assert_eq!(object.after(&insert).is_some(), expected, "{definition}");
    }
}

#[test]
fn the_reply_has_a_place_for_each_value_of_a_run() {
    let object = Object::new(TABLES);
    for body in [
        statement("query", "SELECT id, b FROM t WHERE id = ?", json!([1])),
        statement("exec", "UPDATE t SET a = 2 WHERE id = ?", json!([1])),
    ] {
        object.after(&body);
        let repeated = object.after(&body).unwrap();
        let reply = repeated.reply.members();
        let mut rest = reply.as_str();
        for place in repeated.places() {
            rest = rest.split_once(&place).unwrap().1;
        }
        assert_eq!(reply.matches(&repeated.places()[2]).count(), 1, "{reply}");
    }
}

#[test]
fn a_change_of_the_schema_gives_another_generation() {
    let object = Object::new(TABLES);
    let before = object.cache.generation();
    object.after(&statement(
        "exec",
        "INSERT INTO t (a) VALUES (?)",
        json!([1]),
    ));
    assert_eq!(object.cache.generation(), before);
    object.after(&statement("exec", "CREATE TABLE v (a)", json!([])));
    assert_ne!(object.cache.generation(), before);
}

#[test]
fn a_number_is_bound_as_it_was_written() {
    let object = Object::new("");
    let mut state = 88_172_645_463_325_252_u64;
    for _ in 0..200 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let number = f64::from_bits(state >> 2 | 1 << 61);
        let body =
            format!(r#"{{"operation":"query","sql":"SELECT ? AS n","params":[{number:e}]}}"#);
        let reply = dispatch(&object.session(), &body).unwrap();
        // Without the inexact reading of serde_json.
        let row = reply.json("results").unwrap();
        let read = row.trim_start_matches("[{\"n\":").trim_end_matches("}]");
        assert_eq!(read.parse(), Ok(number), "{body}: {row}");
    }
}

//! Words of other databases: each gets a response with the SQLite equivalent, and all of these
//! equivalents run.

mod formulas;
mod hints;
mod slips;

use base::Error;
use serde_json::{Value, json};
use session::{self, dispatch};

use test_support::HostDatabase;

/// Returns a session with the tables that the hints use.
fn database() -> HostDatabase {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(
        r#"CREATE TABLE t (id INTEGER PRIMARY KEY, x, y, a, b, n INTEGER, g, z, doc TEXT, title TEXT, created_at TEXT, tags TEXT);
           CREATE TABLE u (id INTEGER PRIMARY KEY, x, y);
           INSERT INTO t VALUES (1, 2.5, 4, 3, 9, 3, 'north', 0, '["b","a","b"]', 'One', '2024-05-17 10:30:00', '["x"]'),
             (2, 7, 1, 1, 2, 2, 'south', 0, '{"name":"q","a":{"b":1}}', 'Two', '2024-06-02 11:00:00', '[]');
           INSERT INTO u VALUES (1, 2.5, 10), (2, 3, 20);"#,
    );
    db
}

/// Sends a statement as a caller would, and reads the response.
fn send(db: &HostDatabase, sql: &str, params: &Value) -> Result<Value, Error> {
    let stand = test_support::Stand::new(&session::Settings::default())
        .at(0)
        .named("dialect");
    let session = stand.session(db);
    let answer = dispatch(
        &session,
        &json!({ "operation": "exec", "sql": sql, "params": params, "rowFormat": "array" })
            .to_string(),
    )?;
    Ok(test_support::body(&answer))
}

/// Returns the texts between backquotes, in their order.
fn code(hint: &str) -> Vec<&str> {
    hint.split('`').skip(1).step_by(2).collect()
}

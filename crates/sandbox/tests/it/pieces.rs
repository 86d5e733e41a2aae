//! The `batchInsert` of a program: its rows arrive in pieces, which are passed to SQLite unchanged.

use base::Error;
use serde_json::{Value, json};
use session::bulk::insert_pieces;

use super::in_session;
use test_support::HostDatabase;
use test_support::{database, with};

fn insert(db: &HostDatabase, body: &str) -> Result<Value, Error> {
    let answer = in_session(db, |session| insert_pieces(session, body))?;
    Ok(test_support::body(&answer))
}

#[test]
fn rows_of_all_pieces_are_inserted_with_their_types() {
    let db = with("CREATE TABLE t (a INTEGER, b TEXT, c REAL, d)");
    let body = concat!(
        r#"{"operation":"insertPieces","table":"T","columns":["b","A","c","d"],"counts":[2,1]}"#,
        "\n[[\"x\\n\",9007199254740993,1.5,true],[null,-1,2,\"é\"]]",
        "\n[[\"5\",5,1e21,false]]"
    );
    let answer = insert(&db, body).unwrap();
    assert_eq!(
        (
            &answer["rowsWritten"],
            &answer["inserted"],
            &answer["chunks"]
        ),
        (&json!(3), &json!(3), &json!(2))
    );
    assert_eq!(
        db.dump_rows("SELECT a, b, c, d, typeof(d) FROM t"),
        [
            "9007199254740993|'x\n'|1.5|1|'integer'",
            "-1|NULL|2.0|'é'|'text'",
            "5|'5'|1e21|0|'integer'"
        ]
    );
}

#[test]
fn one_refused_row_leaves_nothing_behind_and_names_its_place() {
    let db = with("CREATE TABLE t (a INTEGER PRIMARY KEY)");
    let body = "{\"table\":\"t\",\"columns\":[\"a\"],\"counts\":[2,1]}\n[[1],[2]]\n[[1]]";
    let error = insert(&db, body).unwrap_err();
    assert_eq!(error.code(), "CONSTRAINT_FAILED");
    assert!(error.to_string().ends_with("(record 3)"), "{error}");
    assert_eq!(db.dump_rows("SELECT count(*) FROM t"), ["0"]);
    let ignoring = body.replace("\"counts\"", "\"onConflict\":\"ignore\",\"counts\"");
    assert_eq!(insert(&db, &ignoring).unwrap()["inserted"], 2);
}

#[test]
fn what_a_program_forges_is_refused() {
    let db = with("CREATE TABLE t (a, b); CREATE VIEW v AS SELECT 1 AS a");
    let long = "x".repeat(1_900_000);
    for (head, pieces, code) in [
        (json!({}), "[[1]]", "INVALID_ARGUMENT"),
        (
            json!({ "table": "t", "columns": "a", "counts": [1] }),
            "[[1]]",
            "INVALID_ARGUMENT",
        ),
        (
            json!({ "table": "t", "columns": ["a"], "counts": [-1] }),
            "[[1]]",
            "INVALID_ARGUMENT",
        ),
        (
            json!({ "table": "t", "columns": ["a"], "counts": [1, 1] }),
            "[[1]]",
            "INVALID_ARGUMENT",
        ),
        (
            json!({ "table": "t", "columns": ["x"], "counts": [1] }),
            "[[1]]",
            "NO_SUCH_COLUMN",
        ),
        (
            json!({ "table": "t", "columns": ["a", "A"], "counts": [1] }),
            "[[1]]",
            "INVALID_BODY",
        ),
        (
            json!({ "table": "no", "columns": ["a"], "counts": [1] }),
            "[[1]]",
            "NO_SUCH_TABLE",
        ),
        (
            json!({ "table": "v", "columns": ["a"], "counts": [1] }),
            "[[1]]",
            "INVALID_ARGUMENT",
        ),
        (
            json!({ "table": "session_state", "columns": ["key"], "counts": [1] }),
            "[[1]]",
            "SQL_BLOCKED",
        ),
        (
            json!({ "table": "_codemode_meta", "columns": ["key"], "counts": [1] }),
            "[[1]]",
            "SQL_BLOCKED",
        ),
        (
            json!({ "table": "t", "columns": ["a"], "counts": [1] }),
            "[[1]",
            "SQL_ERROR",
        ),
        (
            json!({ "table": "t", "columns": ["a"], "counts": [1] }),
            &format!("[[\"{long}\"]]"),
            "INVALID_ARGUMENT",
        ),
    ] {
        let error = insert(&db, &format!("{head}\n{pieces}")).unwrap_err();
        assert_eq!(error.code(), code, "{head}: {error}");
    }
    assert_eq!(db.dump_rows("SELECT count(*) FROM t"), ["0"]);
}

#[test]
fn the_session_itself_has_no_such_operation() {
    let error =
        test_support::operation(&database(), r#"{"operation":"insertPieces"}"#).unwrap_err();
    assert_eq!(error.code(), "UNKNOWN_OPERATION");
}

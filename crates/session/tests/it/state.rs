//! saveState, getState, execution_logs, getMetrics, and the envelope of operations.

use base::Result;
use database::{Database, EngineError, Statement};
use session::logs::log;

use super::{NOW_MS, call, database, fail, operation, with};
use test_support::HostDatabase;

fn saved(value: &str) -> String {
    let db = database();
    call(
        &db,
        &format!(r#"{{"operation":"saveState","key":"k","value":{value}}}"#),
    );
    db.dump_rows("SELECT value FROM session_state WHERE key = 'k'")
        .remove(0)
}

#[test]
fn a_value_is_kept_as_the_json_text_it_came_in() {
    for value in [
        "9223372036854775807",
        "1.0",
        "-0",
        "123456789012345678901234567890",
        "[1, 2]",
        r#"{"a": [null]}"#,
        r#""\u0000""#,
        "null",
        "true",
    ] {
        assert_eq!(saved(value), format!("'{value}'"));
    }
}

#[test]
fn get_state_gives_back_what_save_state_kept() {
    let db = database();
    call(
        &db,
        r#"{"operation":"saveState","key":"clé \"x\"","value":{"n":[1,2.5,null]}}"#,
    );
    assert_eq!(
        call(&db, r#"{"operation":"getState","key":"clé \"x\""}"#)["value"].to_string(),
        r#"{"n":[1,2.5,null]}"#
    );
    call(
        &db,
        r#"{"operation":"saveState","key":"clé \"x\"","value":2}"#,
    );
    assert_eq!(
        call(&db, r#"{"operation":"getState","key":"clé \"x\""}"#)["value"],
        2
    );
    assert_eq!(
        db.dump_rows("SELECT updated_at FROM session_state"),
        [NOW_MS.to_string()]
    );
}

#[test]
fn an_unknown_key_is_null() {
    assert!(call(&database(), r#"{"operation":"getState","key":"nothing"}"#)["value"].is_null());
}

#[test]
fn unusable_state_is_refused() {
    let db = database();
    for (body, code) in [
        (
            r#"{"operation":"saveState","key":"","value":1}"#.to_owned(),
            "INVALID_ARGUMENT",
        ),
        (
            format!(
                r#"{{"operation":"saveState","key":"{}","value":1}}"#,
                "k".repeat(513)
            ),
            "INVALID_ARGUMENT",
        ),
        (
            r#"{"operation":"saveState","key":"a\u0000b","value":1}"#.to_owned(),
            "INVALID_ARGUMENT",
        ),
        (
            r#"{"operation":"saveState","key":5,"value":1}"#.to_owned(),
            "INVALID_ARGUMENT",
        ),
        (
            r#"{"operation":"saveState","key":"k"}"#.to_owned(),
            "INVALID_ARGUMENT",
        ),
        (
            format!(
                r#"{{"operation":"saveState","key":"k","value":"{}"}}"#,
                "v".repeat(2_000_000)
            ),
            "TOO_BIG",
        ),
    ] {
        assert_eq!(
            fail(&db, &body).code(),
            code,
            "{}",
            body.chars().take(60).collect::<String>()
        );
    }
    assert!(db.dump_rows("SELECT * FROM session_state").is_empty());
}

#[test]
fn a_body_that_names_no_operation_is_refused() {
    let db = database();
    for (body, code) in [
        ("", "INVALID_BODY"),
        ("[]", "INVALID_BODY"),
        ("{}", "INVALID_ARGUMENT"),
        (r#"{"operation":1}"#, "INVALID_ARGUMENT"),
        (r#"{"operation":"drop"}"#, "UNKNOWN_OPERATION"),
    ] {
        assert_eq!(fail(&db, body).code(), code, "{body}");
    }
    let error = fail(&db, r#"{"operation":"batchinsert"}"#);
    assert_eq!(error.to_json()["suggestions"][0], "batchInsert");
}

/// Of two values, the body does not say which one counts. Escapes do not make a key a different
/// one.
#[test]
fn a_field_that_stands_twice_is_refused_in_every_operation() {
    let db = database();
    for name in session::NAMES {
        let (_, operation) = session::find(name).unwrap();
        let fields = operation.fields.iter().map(|field| field.name);
        for field in fields.chain(["operation"]) {
            let escaped: String = field
                .chars()
                .map(|character| format!("\\u{:04x}", u32::from(character)))
                .collect();
            let value = match field {
                "operation" => format!("{name:?}"),
                _ => "null".to_owned(),
            };
            for again in [field.to_owned(), escaped] {
                let body = match field {
                    "operation" => format!(r#"{{"operation":{value},"{again}":{value}}}"#),
                    _ => format!(r#"{{"operation":"{name}","{field}":{value},"{again}":{value}}}"#),
                };
                let error = fail(&db, &body);
                assert_eq!(error.code(), "INVALID_BODY", "{body}");
                assert!(
                    error
                        .to_string()
                        .contains(&format!("duplicate field {field}")),
                    "{body}: {error}"
                );
            }
        }
    }
}

#[test]
fn who_asks_for_help_gets_the_operations_and_an_example() {
    let db = database();
    for body in [
        "{}",
        r#"{"operation":"help"}"#,
        r#"{"operation":null}"#,
        r#"{"sql":"SELECT 1"}"#,
    ] {
        let hint = fail(&db, body).hint().unwrap_or_default();
        for operation in session::NAMES {
            assert!(hint.contains(operation), "{body}: {operation}: {hint}");
        }
        let (_, example) = hint.split_once("for example ").unwrap();
        call(&db, example);
    }
}

#[test]
fn the_logs_keep_the_newest_entries_and_never_more_than_a_thousand() {
    let db = database();
    let mut largest = 0;
    for number in 1..=2_345_u64 {
        log(&db, NOW_MS + number, &format!("entry {number}")).unwrap();
        largest = largest.max(
            db.connection()
                .query_row("SELECT count(*) FROM execution_logs", [], |row| {
                    row.get::<_, i64>(0)
                })
                .unwrap(),
        );
    }
    assert!(largest <= 1_000, "{largest}");
    assert_eq!(
        db.dump_rows("SELECT max(id), count(*) >= 900 FROM execution_logs"),
        ["2345|1"]
    );
}

#[test]
fn a_long_log_message_is_cut() {
    let db = database();
    log(&db, NOW_MS, &"é".repeat(5_000)).unwrap();
    assert_eq!(
        db.dump_rows("SELECT length(message) FROM execution_logs"),
        ["2000"]
    );
}

#[test]
fn metrics_count_tables_and_tell_when_the_session_ends() {
    let db = with(
        "CREATE TABLE a (x); INSERT INTO a VALUES (1), (2); CREATE TABLE b (x) STRICT"
            .replace("(x) STRICT", "(x TEXT) STRICT")
            .as_str(),
    );
    db.script("CREATE VIEW v AS SELECT * FROM a; CREATE VIRTUAL TABLE f USING fts5(t); INSERT INTO f VALUES ('x')");
    log(&db, NOW_MS, "hello").unwrap();
    let metrics = call(&db, r#"{"operation":"getMetrics"}"#);
    assert_eq!(metrics["tables"].to_string(), r#"{"a":2,"b":0,"f":1}"#);
    assert_eq!(metrics["sessionId"], "test");
    assert_eq!(metrics["lastActivity"], "2026-11-21T22:10:00.000Z");
    // A day, and the resolution of the time of last use.
    assert_eq!(metrics["expiresAt"], "2026-11-22T22:15:00.000Z");
    assert_eq!(
        metrics["executionLogs"].to_string(),
        r#"[{"timestamp":"2026-11-21T22:10:00.000Z","message":"hello"}]"#
    );
    assert!(metrics["databaseSize"].as_u64().unwrap() > 0);
}

#[test]
fn a_session_survives_operations_that_fail() {
    let db = database();
    assert!(operation(&db, r#"{"operation":"query","sql":"SELECT nope"}"#).is_err());
    call(&db, r#"{"operation":"query","sql":"SELECT 1 AS one"}"#);
}

/// A database that claims to be larger than the limit for exact counts.
struct Vast(HostDatabase);

impl Database for Vast {
    type Cursor = <HostDatabase as Database>::Cursor;

    fn open(&self, statement: Statement<'_>) -> Result<Self::Cursor, EngineError> {
        self.0.open(statement)
    }

    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.0.transaction(work)
    }

    fn size_bytes(&self) -> u64 {
        1024 * 1024 * 1024 + 1
    }
}

#[test]
fn tables_of_a_vast_database_are_counted_up_to_a_million() {
    let rows = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 1000001) INSERT INTO many SELECT i FROM r";
    let db = Vast(with(&format!(
        "CREATE TABLE few (n); INSERT INTO few VALUES (1), (2); CREATE TABLE many (n); {rows}"
    )));
    let metrics = call(&db, r#"{"operation":"getMetrics"}"#);
    assert_eq!(metrics["tables"].to_string(), r#"{"few":2,"many":1000000}"#);
    assert_eq!(metrics["tablesWithMoreRows"].to_string(), r#"["many"]"#);
    assert_eq!(
        call(&db, r#"{"operation":"describeTable","table":"many"}"#)["rowCountIsMinimum"],
        true
    );
    assert!(
        call(&db, r#"{"operation":"describeTable","table":"few"}"#)["rowCountIsMinimum"].is_null()
    );
}

/// The hints for programs recognise these sentences by their beginning.
#[test]
fn a_value_of_another_type_is_told_with_its_field() {
    let db = database();
    for (body, message) in [
        (
            r#"{"operation":"query","sql":1}"#,
            "the field sql must be a text",
        ),
        (r#"{"operation":"query"}"#, "the field sql is missing"),
        (
            r#"{"operation":"query","sql":"SELECT 1","limit":"x"}"#,
            "the field limit must be a whole number, 0 or more",
        ),
        (
            r#"{"operation":"getColumns","table":{}}"#,
            "the field table must be a text",
        ),
        (
            r#"{"operation":"getColumns"}"#,
            "the field table is missing",
        ),
        (
            r#"{"operation":"dropTable","table":"t","ifExists":1}"#,
            "the field ifExists must be true or false",
        ),
        (
            r#"{"operation":"getState","key":7}"#,
            "the field key must be a text",
        ),
        (r#"{"operation":7}"#, "the field operation must be a text"),
    ] {
        let error = fail(&db, body);
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("INVALID_ARGUMENT", message),
            "{body}"
        );
    }
}

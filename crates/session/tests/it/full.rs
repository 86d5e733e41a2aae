//! A full database: each operation that needs space fails with 507 and leaves no trace, and all
//! others still work.

use rusqlite::Connection;
use session::bulk::{Destination, Format};
use session::start;

use super::{NOW_MS, call, fail, load, operation, request};
use test_support::HostDatabase;

/// The number of pages that the engine may use: some for our own tables, and a few hundred KB.
const PAGES: u32 = 200;

/// Makes a session with a full table t, with rows of 50 KB.
fn full() -> (HostDatabase, u64) {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .pragma_update_and_check(None, "max_page_count", PAGES, |_| Ok(()))
        .unwrap();
    let db = HostDatabase::over(connection);
    start(&db, NOW_MS).unwrap();
    call(
        &db,
        r#"{"operation":"createTable","name":"t","schema":"a TEXT"}"#,
    );
    let insert = r#"{"operation":"exec","sql":"INSERT INTO t VALUES (hex(zeroblob(25000)))"}"#;
    let refusal =
        (0..u64::from(PAGES)).find_map(|rows| Some((rows, operation(&db, insert).err()?)));
    let (rows, error) = refusal.expect("the engine has a limit");
    assert_eq!(error.code(), "DATABASE_FULL");
    (db, rows)
}

fn rows(db: &HostDatabase) -> u64 {
    let query = r#"{"operation":"query","sql":"SELECT count(*) AS n FROM t"}"#;
    call(db, query)["results"][0]["n"].as_u64().unwrap()
}

#[test]
fn what_needs_room_is_507_and_changes_nothing() {
    let (db, before) = full();
    let text = "x".repeat(60_000);
    let create = r#"{"operation":"exec","sql":"CREATE TABLE u AS SELECT a || a AS a FROM t"}"#;
    for body in [
        format!(
            r#"{{"operation":"batchInsert","table":"t","records":[{{"a":"small"}},{{"a":"{text}"}}]}}"#
        ),
        create.to_owned(),
        r#"{"operation":"exec","sql":"INSERT INTO t SELECT a FROM t"}"#.to_owned(),
        r#"{"operation":"exec","sql":"UPDATE t SET a = a || a"}"#.to_owned(),
        format!(r#"{{"operation":"saveState","key":"k","value":"{text}"}}"#),
    ] {
        let error = fail(&db, &body);
        assert_eq!(error.code(), "DATABASE_FULL");
        assert!(error.hint().is_some());
        assert_eq!(rows(&db), before, "{:.60}", body);
    }
    let csv = format!("a\nsmall\n{text}\n");
    let destination = || Destination::Create;
    let error = load(
        &db,
        request("loaded", Format::Csv, destination()),
        csv.as_bytes(),
    )
    .unwrap_err();
    assert_eq!(error.code(), "DATABASE_FULL");
    let tables = call(&db, r#"{"operation":"getTables"}"#)["tables"].clone();
    assert_eq!(tables, serde_json::json!(["t"]));
}

#[test]
fn a_database_goes_on_once_there_is_room_again() {
    let (db, before) = full();
    call(
        &db,
        r#"{"operation":"exec","sql":"DELETE FROM t WHERE rowid <= 2"}"#,
    );
    call(
        &db,
        r#"{"operation":"exec","sql":"INSERT INTO t VALUES (hex(zeroblob(25000)))"}"#,
    );
    assert_eq!(rows(&db), before - 1);
    call(&db, r#"{"operation":"dropTable","table":"t"}"#);
    call(
        &db,
        r#"{"operation":"createTable","name":"u","schema":"a TEXT"}"#,
    );
}

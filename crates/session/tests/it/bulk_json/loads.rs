//! Loads whose body arrives in pieces.

use super::*;

/// Returns the rows of a table after a body was loaded in pieces of this size.
pub(super) fn loaded(body: &[u8], piece_bytes: usize) -> Result<Vec<String>, String> {
    let db = with("CREATE TABLE t (a, b DEFAULT 'd')");
    load_pieces(
        &db,
        request("t", Format::Json, Destination::Existing),
        body,
        piece_bytes,
    )
    .map_err(|error| format!("{}: {error}", error.code()))?;
    Ok(db.dump_rows("SELECT * FROM t"))
}

#[test]
pub(super) fn the_size_of_the_pieces_makes_no_difference() {
    for body in [
        &b"{\"a\":1}\n{\"a\":\"\\\\\\\"}{\\n\",\"b\":[{}]}\n"[..],
        b"  [ {\"a\":\"\xC3\xA9\"} ,\r\n{\"b\":null}\t]  ",
        b"\xEF\xBB\xBF{\"a\":{\"x\":[1,2,{\"y\":\"}\"}]}}{\"a\":2}",
        b"",
        b" \n ",
        b"[]",
        b"[{\"a\":1}",
        b"[{\"a\":1},]",
        b"[{\"a\":1}]x",
        b"{\"a\":1",
        b"{\"a\":\"\xFF\"}",
        b"{\"a\":\"\xC3\"}",
        b"{\"a\":1}]",
        b"{\"a\":1},{\"a\":2}",
        b"{\"a\":tru}",
        b"{a:1}",
        b"{\"a\":[}",
        b"{\"a\":01}",
        b"\"text\"",
        b"[1,2]\n[3,4]",
    ] {
        let whole = loaded(body, usize::MAX);
        for piece_bytes in [1, 2, 3, 7] {
            assert_eq!(
                loaded(body, piece_bytes),
                whole,
                "{} in pieces of {piece_bytes}",
                String::from_utf8_lossy(body)
            );
        }
    }
}

#[test]
pub(super) fn a_broken_body_is_told_with_its_place() {
    for (body, complaint) in [
        (
            &b"{\"a\":1}\n{\"a\":\"x\xFFy\"}"[..],
            "record 2 is not valid UTF-8 at byte 15 of the body",
        ),
        (b"{\"a\":1}\n{\"a\":tru}", "record 2 is not valid JSON"),
        (
            b"{\"a\":1}\n5",
            "record 2 is not a JSON object: it begins with `5` at byte 8",
        ),
        (
            b"[{\"a\":1} {\"a\":2}]",
            "record 1 must be followed by `,` or `]`, but there is `{` at byte 9",
        ),
        (
            b"[{\"a\":1}] 1",
            "the list of records has ended, but there is `1` at byte 10",
        ),
        (b"[{\"a\":1}", "the body ends at byte 8"),
    ] {
        let error = loaded(body, usize::MAX).unwrap_err();
        assert!(
            error.starts_with("INVALID_BODY: ") && error.contains(complaint),
            "{error}"
        );
    }
}

#[test]
pub(super) fn deep_nesting_is_data_not_a_danger() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let rows = loaded(deep.as_bytes(), usize::MAX).unwrap();
    assert_eq!(rows[0].len(), 200_000 + "''|'d'".len());
}

#[test]
pub(super) fn loads_go_into_the_stage_when_they_are_long_and_leave_nothing_there() {
    let db = with("CREATE TABLE t (n INTEGER, pad TEXT)");
    let pad = "x".repeat(1_000);
    let body: String = (0..12_000)
        .map(|number| format!("{{\"n\":{number},\"pad\":\"{pad}\"}}\n"))
        .collect();
    let settings = Settings::default();
    let stand = test_support::Stand::new(&settings).at(0).named("n");
    let session = stand.session(&db);
    let mut load =
        session::bulk::Load::new(session, request("t", Format::Json, Destination::Existing))
            .unwrap();
    body.as_bytes()
        .chunks(65_536)
        .for_each(|piece| load.feed(piece).unwrap());
    assert_ne!(
        db.dump_rows("SELECT count(*) > 5 FROM _codemode_stage"),
        ["0"]
    );
    assert_eq!(db.dump_rows("SELECT count(*) FROM t"), ["0"]);
    load.finish().unwrap();
    assert_eq!(
        db.dump_rows("SELECT count(*), sum(n), max(rowid = n + 1) FROM t"),
        [format!("12000|{}|1", 12_000 * 11_999 / 2)]
    );
    assert_eq!(db.dump_rows("SELECT count(*) FROM _codemode_stage"), ["0"]);
    assert_eq!(
        db.dump_rows("SELECT message FROM execution_logs"),
        ["'loaded 12000 rows into t'"]
    );
}

#[test]
pub(super) fn a_staged_load_brings_long_rows_back_whole() {
    let db = with("CREATE TABLE t (n INTEGER, a)");
    let value = "é\\n".repeat(600_000);
    let body: String = (0..8)
        .map(|number| format!("{{\"n\":{number},\"a\":\"{value}\"}}\n"))
        .collect();
    load(
        &db,
        request("t", Format::Json, Destination::Existing),
        body.as_bytes(),
    )
    .unwrap();
    assert_eq!(db.dump_rows("SELECT count(*), sum(n), min(length(a)), max(length(a)), min(substr(a, -2) = 'é' || char(10)) FROM t"), ["8|28|1200000|1200000|1"]);
}

#[test]
pub(super) fn two_loads_at_once_keep_apart() {
    let db = with("CREATE TABLE t (n INTEGER, pad TEXT); CREATE TABLE u (n INTEGER, pad TEXT)");
    let settings = Settings::default();
    let stand = test_support::Stand::new(&settings).at(0).named("n");
    let session = stand.session(&db);
    let new = |table: &str| {
        session::bulk::Load::new(session, request(table, Format::Json, Destination::Existing))
            .unwrap()
    };
    let (mut first, mut second) = (new("t"), new("u"));
    let line = format!("{{\"n\":1,\"pad\":\"{}\"}}\n", "x".repeat(100_000));
    for _ in 0..120 {
        first.feed(line.as_bytes()).unwrap();
        second.feed(line.as_bytes()).unwrap();
    }
    assert_eq!(
        db.dump_rows("SELECT count(DISTINCT load_id) FROM _codemode_stage"),
        ["2"]
    );
    drop(first);
    assert_eq!(
        db.dump_rows("SELECT count(DISTINCT load_id) FROM _codemode_stage"),
        ["1"]
    );
    second.finish().unwrap();
    assert_eq!(db.dump_rows("SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM u), (SELECT count(*) FROM _codemode_stage)"), ["0|120|0"]);
}

#[test]
pub(super) fn a_table_that_changes_under_a_load_stops_it() {
    for change in [
        "ALTER TABLE t ADD COLUMN b",
        "DROP TABLE t",
        "DROP TABLE t; CREATE TABLE t (a TEXT)",
    ] {
        let db = with("CREATE TABLE t (a)");
        let settings = Settings::default();
        let stand = test_support::Stand::new(&settings).at(0).named("n");
        let session = stand.session(&db);
        let mut load =
            session::bulk::Load::new(session, request("t", Format::Json, Destination::Existing))
                .unwrap();
        load.feed(b"{\"a\":1}").unwrap();
        db.script(change);
        assert!(
            ["BUSY", "NO_SUCH_TABLE"].contains(&load.finish().unwrap_err().code()),
            "{change}"
        );
    }
}

#[test]
pub(super) fn a_body_over_the_limit_stops_early() {
    let db = with("CREATE TABLE t (a)");
    let settings = Settings {
        max_load_bytes: 20,
        ..Settings::default()
    };
    let stand = test_support::Stand::new(&settings).at(0).named("n");
    let session = stand.session(&db);
    let mut load =
        session::bulk::Load::new(session, request("t", Format::Json, Destination::Existing))
            .unwrap();
    load.feed(b"{\"a\":1}\n{\"a\":2}\n").unwrap();
    assert_eq!(
        load.feed(b"{\"a\":3}\n").unwrap_err().code(),
        "PAYLOAD_TOO_LARGE"
    );
}

#[test]
pub(super) fn loads_know_conflict_modes_and_content_types() {
    let db = with("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'old')");
    let mut wanted = request(
        "T",
        Format::from_content_type("application/json; charset=utf-8").unwrap(),
        Destination::Existing,
    );
    wanted.on_conflict = OnConflict::Replace;
    load(&db, wanted, br#"[{"id":1,"a":"new"}]"#).unwrap();
    assert_eq!(db.dump_rows("SELECT * FROM t"), ["1|'new'"]);
    assert_eq!(
        Format::from_content_type("Text/CSV; header=present"),
        Ok(Format::Csv)
    );
    assert_eq!(
        Format::from_content_type("application/x-ndjson"),
        Ok(Format::Json)
    );
    assert_eq!(
        Format::from_content_type("application/xml")
            .unwrap_err()
            .code(),
        "UNSUPPORTED_MEDIA_TYPE"
    );
}

#[test]
pub(super) fn without_rowid_tables_and_foreign_keys_work() {
    let db: HostDatabase = with(
        "CREATE TABLE p (id TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE t (a REFERENCES p (id)); PRAGMA foreign_keys = ON",
    );
    call(
        &db,
        r#"{"operation":"batchInsert","table":"p","records":[{"id":"x"}]}"#,
    );
    batch(&db, r#"[{"a":"x"}]"#).unwrap();
    assert_eq!(
        batch(&db, r#"[{"a":"x"},{"a":"y"}]"#).unwrap_err().code(),
        "CONSTRAINT_FAILED"
    );
    assert_eq!(db.dump_rows("SELECT count(*) FROM t"), ["1"]);
    assert!(operation(&database(), r#"{"operation":"batchInsert","table":"t"}"#).is_err());
}

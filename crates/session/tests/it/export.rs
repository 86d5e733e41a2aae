//! Exports.

use base::formulas::Formulas;
use session::Settings;
use session::bulk::{Destination, Format};
use session::export::{Export, ExportFormat};

use super::{load, request, with};
use test_support::HostDatabase;

fn export(db: &HostDatabase, table: &str, format: &str) -> String {
    export_with(db, table, format, Formulas::Keep)
}

fn export_with(db: &HostDatabase, table: &str, format: &str, formulas: Formulas) -> String {
    let settings = Settings::default();
    let stand = test_support::Stand::new(&settings).at(0).named("n");
    let session = stand.session(db);
    let mut export = Export::new(
        session,
        table,
        ExportFormat::parse(Some(format)).unwrap(),
        formulas,
    )
    .unwrap();
    let mut all = Vec::new();
    while let Some(chunk) = export.next_chunk().unwrap() {
        all.extend(chunk);
    }
    String::from_utf8(all).unwrap()
}

const VALUES: &str = "CREATE TABLE t (i, \"t \"\"x\"\"\"); INSERT INTO t VALUES (9223372036854775807, 'a,\"b\"\r\nc'), (x'00ff', NULL), (-9e999, ''), (0.1, ' é '), (1, '{\"$blob\":\"AA\"}')";

#[test]
fn ndjson_has_one_object_a_line() {
    let expected = concat!(
        "{\"i\":9223372036854775807,\"t \\\"x\\\"\":\"a,\\\"b\\\"\\r\\nc\"}\n",
        "{\"i\":{\"$blob\":\"AP8=\"},\"t \\\"x\\\"\":null}\n",
        "{\"i\":{\"$real\":\"-Infinity\"},\"t \\\"x\\\"\":\"\"}\n",
        "{\"i\":0.1,\"t \\\"x\\\"\":\" é \"}\n",
        "{\"i\":1,\"t \\\"x\\\"\":\"{\\\"$blob\\\":\\\"AA\\\"}\"}\n",
    );
    assert_eq!(export(&with(VALUES), "t", "ndjson"), expected);
}

#[test]
fn csv_follows_rfc_4180() {
    let expected = "i,\"t \"\"x\"\"\"\r\n9223372036854775807,\"a,\"\"b\"\"\r\nc\"\r\nAP8=,\r\n-Infinity,\"\"\r\n0.1,\" é \"\r\n1,\"{\"\"$blob\"\":\"\"AA\"\"}\"\r\n";
    assert_eq!(export(&with(VALUES), "t", "csv"), expected);
}

#[test]
fn formulas_are_texts_of_a_spreadsheet_where_the_caller_wants_that() {
    let db = with(
        "CREATE TABLE t (\"=n\", a); INSERT INTO t VALUES (-1, '=1+1'), (1.5, '-5'), (NULL, '@x,y'), ('a', ' +1\"'), (-9e999, x'fbefbe')",
    );
    assert_eq!(
        export_with(&db, "t", "csv", Formulas::Escape),
        "\"'=n\",a\r\n-1,\"'=1+1\"\r\n1.5,-5\r\n,\"'@x,y\"\r\na,\"' +1\"\"\"\r\n\"'-Infinity\",\"'++++\"\r\n"
    );
}

#[test]
fn json_is_one_array() {
    let array: serde_json::Value =
        serde_json::from_str(&export(&with(VALUES), "T", "json")).unwrap();
    assert_eq!(array.as_array().unwrap().len(), 5);
    assert_eq!(export(&with("CREATE TABLE t (a)"), "t", "json"), "[]");
    assert_eq!(export(&with("CREATE TABLE t (a)"), "t", "ndjson"), "");
    assert_eq!(export(&with("CREATE TABLE t (a)"), "t", "csv"), "a\r\n");
}

#[test]
fn every_row_comes_once_and_in_order_whatever_its_rowid() {
    let rows = "WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r LIMIT 4500) INSERT INTO t SELECT i * 1000003 - 9223372036854775807, i FROM r; INSERT INTO t VALUES (9223372036854775807, 4500), (-9223372036854775808, -1)";
    for schema in [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n)",
        "CREATE TABLE t (id INT PRIMARY KEY, n) WITHOUT ROWID",
        "CREATE TABLE t (id INTEGER, n)",
    ] {
        let db = with(&format!("{schema}; {rows}"));
        let text = export(&db, "t", "ndjson");
        let mut found: Vec<i64> = text
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["n"]
                    .as_i64()
                    .unwrap()
            })
            .collect();
        if schema.ends_with("n)") && !schema.contains("PRIMARY") {
            found.sort_unstable();
        }
        assert_eq!(found, (-1..=4_500).collect::<Vec<_>>(), "{schema}");
    }
}

#[test]
fn views_full_text_tables_and_taken_rowid_names_are_exported() {
    let db = with(
        "CREATE TABLE b (rowid TEXT, oid TEXT); INSERT INTO b VALUES ('r', 'o'), ('s', 'p'); CREATE VIEW v AS SELECT oid AS o, count(*) FROM b GROUP BY oid; CREATE VIRTUAL TABLE f USING fts5(x, y); INSERT INTO f VALUES ('hello', 'world')",
    );
    assert_eq!(
        export(&db, "b", "ndjson"),
        "{\"rowid\":\"r\",\"oid\":\"o\"}\n{\"rowid\":\"s\",\"oid\":\"p\"}\n"
    );
    assert_eq!(export(&db, "v", "csv"), "o,count(*)\r\no,1\r\np,1\r\n");
    assert_eq!(
        export(&db, "f", "ndjson"),
        "{\"x\":\"hello\",\"y\":\"world\"}\n"
    );
    let all_taken = with("CREATE TABLE t (rowid, oid, _rowid_); INSERT INTO t VALUES (1, 2, 3)");
    assert_eq!(
        export(&all_taken, "t", "csv"),
        "rowid,oid,_rowid_\r\n1,2,3\r\n"
    );
}

#[test]
fn a_hundred_columns_are_exported_and_loaded_again() {
    let names: Vec<String> = (0..100).map(|number| format!("\"c {number}\"")).collect();
    let values: Vec<String> = (0..100)
        .map(|number| {
            if number % 3 == 0 {
                format!("x'{number:02}'")
            } else {
                format!("'v{number}'")
            }
        })
        .collect();
    let db = with(&format!(
        "CREATE TABLE t ({0}); INSERT INTO t VALUES ({1}); CREATE TABLE u AS SELECT * FROM t WHERE 0",
        names.join(","),
        values.join(",")
    ));
    load(
        &db,
        request("u", Format::Json, Destination::Existing),
        export(&db, "t", "ndjson").as_bytes(),
    )
    .unwrap();
    assert_eq!(
        db.dump_rows("SELECT * FROM u"),
        db.dump_rows("SELECT * FROM t")
    );
    assert_eq!(
        export(&db, "t", "csv")
            .lines()
            .next()
            .unwrap()
            .split(',')
            .count(),
        100
    );
}

#[test]
fn rows_inserted_meanwhile_do_not_disturb_an_export() {
    let db = with(
        "CREATE TABLE t (n); WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 5000) INSERT INTO t SELECT i FROM r",
    );
    let settings = Settings::default();
    let stand = test_support::Stand::new(&settings).at(0).named("n");
    let session = stand.session(&db);
    let mut export = Export::new(session, "t", ExportFormat::Ndjson, Formulas::Keep).unwrap();
    let first = export.next_chunk().unwrap().unwrap();
    db.script("DELETE FROM t WHERE n <= 2500; DROP TABLE IF EXISTS other");
    let mut rest = first;
    while let Some(chunk) = export.next_chunk().unwrap() {
        rest.extend(chunk);
    }
    let lines = String::from_utf8(rest).unwrap().lines().count();
    assert_eq!(lines, 2_000 + 2_500);
}

#[test]
fn unknown_formats_and_tables_are_refused() {
    assert_eq!(
        ExportFormat::parse(Some("xml")).unwrap_err().code(),
        "INVALID_ARGUMENT"
    );
    let db = with("CREATE TABLE t (a)");
    let settings = Settings::default();
    let stand = test_support::Stand::new(&settings).at(0).named("n");
    let session = stand.session(&db);
    for (table, code) in [("s", "NO_SUCH_TABLE"), ("_codemode_meta", "SQL_BLOCKED")] {
        assert_eq!(
            Export::new(session, table, ExportFormat::Ndjson, Formulas::Keep)
                .err()
                .unwrap()
                .code(),
            code
        );
    }
}

#[test]
fn rows_whose_text_is_longer_than_the_engine_makes_are_exported_whole() {
    let db = with(
        "CREATE TABLE t (n, a); INSERT INTO t VALUES (1, 'small'), (9223372036854775807, replace(printf('%1990000s', ''), ' ', char(10))), (-9e999, zeroblob(1900000)), (0.1, NULL)",
    );
    let text = export(&db, "t", "ndjson");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], r#"{"n":1,"a":"small"}"#);
    assert!(
        lines[1]
            == format!(
                r#"{{"n":9223372036854775807,"a":"{}"}}"#,
                r"\n".repeat(1_990_000)
            ),
        "the text of line feeds"
    );
    assert!(
        lines[2].starts_with(r#"{"n":{"$real":"-Infinity"},"a":{"$blob":"AAAA"#)
            && lines[2].len() > 2_500_000
    );
    assert_eq!(lines[3], r#"{"n":0.1,"a":null}"#);
    assert_eq!(
        export(&db, "t", "csv").matches('\n').count(),
        1 + 4 + 1_990_000
    );
}

//! batchInsert and loads of JSON.

mod loads;

use session::Settings;
use session::bulk::{Destination, Format, OnConflict};

use super::{batch, call, database, fail, load, load_pieces, operation, request, with};
use test_support::HostDatabase;

/// Returns the rows of a table t after records were inserted.
fn rows(schema: &str, records: &str) -> Vec<String> {
    let db = with(&format!("CREATE TABLE t ({schema})"));
    batch(&db, records).unwrap_or_else(|error| panic!("{error}: {records}"));
    db.dump_rows("SELECT * FROM t")
}

/// Returns the error for records, and checks that the table t is empty.
fn refused(schema: &str, records: &str) -> String {
    let db = with(&format!("CREATE TABLE t ({schema})"));
    let error = batch(&db, records).expect_err(records);
    assert!(db.dump_rows("SELECT * FROM t").is_empty(), "{records}");
    assert!(
        db.dump_rows("SELECT * FROM execution_logs").is_empty(),
        "{records}"
    );
    format!("{}: {error}", error.code())
}

#[test]
fn values_keep_their_type_and_every_digit() {
    for (value, expected) in [
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9007199254740993", "9007199254740993"),
        ("1.0", "1.0"),
        ("0.1", "0.1"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e308"),
        ("-0.0", "-0.0"),
        ("2.2250738585072011e-308", "2.225073858507201e-308"),
        ("1E3", "1000.0"),
        ("true", "1"),
        ("false", "0"),
        ("null", "NULL"),
        (r#""x""#, "'x'"),
        (r#""""#, "''"),
        (r#""5""#, "'5'"),
        (r#""é\u00e9\ud83d\ude00\n\"\\\/""#, "'éé😀\n\"\\/'"),
        (
            r#"[1, {"a": 9223372036854775807}]"#,
            r#"'[1, {"a": 9223372036854775807}]'"#,
        ),
        (r#"{"b": "00"}"#, r#"'{"b": "00"}'"#),
        ("[]", "'[]'"),
        (r#"{"$blob":"AP8="}"#, "x00ff"),
        (r#"{ "$blob" : "" }"#, "x"),
        (
            r#"{"$blob":"AA==","more":1}"#,
            r#"'{"$blob":"AA==","more":1}'"#,
        ),
        (r#"{"$real":"Infinity"}"#, "inf"),
        (r#"{"$real":"-Infinity"}"#, "-inf"),
    ] {
        assert_eq!(
            rows("a", &format!(r#"[{{"a":{value}}}]"#)),
            [expected],
            "{value}"
        );
    }
}

#[test]
fn a_text_with_nul_is_kept_whole() {
    assert_eq!(rows("a", r#"[{"a":"x\u0000y"}]"#), ["'x\0y'"]);
}

#[test]
fn column_affinity_applies_as_in_sqlite() {
    assert_eq!(
        rows("a TEXT, b INTEGER, c REAL", r#"[{"a":5,"b":"7","c":2}]"#),
        ["'5'|7|2.0"]
    );
}

#[test]
fn strict_tables_take_what_fits_and_name_the_column_of_what_does_not() {
    let db = with("CREATE TABLE t (a INTEGER, b TEXT) STRICT");
    batch(&db, r#"[{"a":9223372036854775807,"b":"x"}]"#).unwrap();
    let error = batch(&db, r#"[{"a":1,"b":"x"},{"a":"no","b":"x"}]"#).unwrap_err();
    assert!(
        ["DATATYPE_MISMATCH", "CONSTRAINT_FAILED"].contains(&error.code()),
        "{error}"
    );
    assert_eq!(db.dump_rows("SELECT count(*) FROM t"), ["1"]);
}

#[test]
fn missing_keys_take_the_default_and_null_does_not() {
    let schema = "id INTEGER PRIMARY KEY, a DEFAULT (1 + 1), b DEFAULT 'x ''y', c DEFAULT \"value\", d DEFAULT word, e DEFAULT -5, f";
    let records = r#"[{"a":7},{"a":null,"b":"given"},{"f":1,"c":3,"d":4,"e":5},{}]"#;
    assert_eq!(
        rows(schema, records),
        [
            "1|7|'x ''y'|'value'|'word'|-5|NULL".replace("''", "'"),
            "2|NULL|'given'|'value'|'word'|-5|NULL".to_owned(),
            "3|2|'x 'y'|3|4|5|1".to_owned(),
            "4|2|'x 'y'|'value'|'word'|-5|NULL".to_owned()
        ]
    );
}

#[test]
fn defaults_and_blobs_meet_in_one_column() {
    assert_eq!(
        rows(
            "a DEFAULT 'd', n",
            r#"[{"n":1},{"a":{"$blob":"AQ=="},"n":2},{"a":[1],"n":3},{"a":"t","n":4}]"#
        ),
        ["'d'|1", "x01|2", "'[1]'|3", "'t'|4"]
    );
}

#[test]
fn current_timestamp_is_a_default_like_any_other() {
    let db = with("CREATE TABLE t (a, at TEXT DEFAULT CURRENT_TIMESTAMP)");
    batch(&db, r#"[{"a":1},{"a":2,"at":"then"}]"#).unwrap();
    assert_eq!(
        db.dump_rows("SELECT a, at LIKE '20__-__-__ __:__:__', at = 'then' FROM t"),
        ["1|1|0", "2|0|1"]
    );
}

#[test]
fn a_missing_value_without_default_is_null_and_may_break_not_null() {
    assert_eq!(rows("a, b", r#"[{"a":1},{"b":2}]"#), ["1|NULL", "NULL|2"]);
    let error = refused("a, b NOT NULL", r#"[{"a":1,"b":1},{"a":2}]"#);
    assert!(
        error.starts_with("CONSTRAINT_FAILED: NOT NULL constraint failed: t.b (in records 1 to 2)"),
        "{error}"
    );
}

#[test]
fn records_without_any_key_make_rows() {
    assert_eq!(
        rows("id INTEGER PRIMARY KEY, a DEFAULT 3", "[{},{}]"),
        ["1|3", "2|3"]
    );
}

#[test]
fn keys_match_columns_without_case_and_in_any_order() {
    assert_eq!(
        rows(
            "Name, \"Größe\"",
            r#"[{"größe":1,"NAME":2}]"#.replace("größe", "Größe").as_str()
        ),
        ["2|1"]
    );
    assert_eq!(
        rows("a, b", r#"[{"a":1,"b":2},{"b":3,"a":4},{"A":5,"B":6}]"#),
        ["1|2", "4|3", "5|6"]
    );
}

#[test]
fn odd_names_are_names_like_any_other() {
    for name in [
        "a.b",
        "$",
        "$.a",
        "[0]",
        "x\"y",
        "it's",
        "back\\slash",
        "sp ace",
        "é",
        "#-1",
        "0",
        "value",
        "key",
        "rowid",
        "select",
        "\u{1F600}",
        "a\nb",
        "%s",
    ] {
        let key = serde_json::Value::from(name).to_string();
        let quoted = name.replace('"', "\"\"");
        assert_eq!(
            rows(
                &format!("\"{quoted}\" DEFAULT 9, n"),
                &format!(r#"[{{{key}:1,"n":2}},{{"n":3}}]"#)
            ),
            ["1|2", "9|3"],
            "{name}"
        );
        let escaped: String = name
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect();
        assert_eq!(
            rows(&format!("\"{quoted}\""), &format!(r#"[{{"{escaped}":1}}]"#)),
            ["1"],
            "{name}"
        );
    }
}

#[test]
fn an_unknown_key_names_the_nearest_columns() {
    let db = with("CREATE TABLE t (title, year)");
    let error = batch(&db, r#"[{"title":"x"},{"titel":"y"}]"#).unwrap_err();
    assert_eq!(error.code(), "NO_SUCH_COLUMN");
    assert_eq!(error.to_json()["suggestions"][0], "title");
    assert!(db.dump_rows("SELECT * FROM t").is_empty());
}

#[test]
fn a_generated_column_cannot_be_given() {
    assert!(refused("a, b AS (a * 2)", r#"[{"a":1,"b":2}]"#).contains("generated"));
    assert_eq!(rows("a, b AS (a * 2)", r#"[{"a":4}]"#), ["4|8"]);
}

#[test]
fn records_that_are_not_objects_are_refused_with_their_number() {
    for (records, complaint) in [
        ("[1]", "record 1 is not a JSON object: it begins with `1`"),
        (
            r#"[{"a":1},[2]]"#,
            "record 2 is not a JSON object: it begins with `[`",
        ),
        (r#"[{"a":1},null]"#, "record 2"),
        (r#"[{"a":1,"a":2}]"#, "record 1 names the column a twice"),
        (r#"[{"a":1,"A":2}]"#, "record 1 names the column A twice"),
        (
            r#"[{"a":9223372036854775808}]"#,
            "record 1, key a has a number beyond 64 bits",
        ),
        (
            r#"[{"a":{"$blob":"%%"}}]"#,
            "record 1, key a has a $blob that is not base64",
        ),
        (r#"[{"a":{"$real":"NaN"}}]"#, "record 1, key a has a $real"),
        (
            r#"[{"a":"\ud800"}]"#,
            "record 1, key a has a text with half a surrogate pair",
        ),
    ] {
        let error = refused("a", records);
        assert!(
            error.starts_with("INVALID_BODY: ") && error.contains(complaint),
            "{records}: {error}"
        );
    }
}

#[test]
fn records_must_be_an_array() {
    for records in ["{}", "null", "5", r#""[]""#] {
        assert_eq!(
            batch(&with("CREATE TABLE t (a)"), records)
                .unwrap_err()
                .code(),
            "INVALID_ARGUMENT",
            "{records}"
        );
    }
}

#[test]
fn no_records_are_a_success() {
    for records in ["[]", "[ ]"] {
        let answer = batch(&with("CREATE TABLE t (a)"), records).unwrap();
        assert_eq!(
            (&answer["rowsWritten"], &answer["chunks"]),
            (&0.into(), &0.into())
        );
    }
}

#[test]
fn conflicts_fail_are_ignored_or_replaced() {
    let body = |mode: &str| {
        format!(
            r#"{{"operation":"batchInsert","table":"t","records":[{{"id":2,"a":"two"}},{{"id":1,"a":"new"}}]{mode}}}"#
        )
    };
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'old')";
    let db = with(schema);
    let error = fail(&db, &body(""));
    assert_eq!(error.code(), "CONSTRAINT_FAILED");
    assert_eq!(db.dump_rows("SELECT * FROM t"), ["1|'old'"]);
    let answer = call(&db, &body(r#","onConflict":"ignore""#));
    assert_eq!(
        (&answer["rowsWritten"], &answer["inserted"]),
        (&2.into(), &1.into())
    );
    assert_eq!(db.dump_rows("SELECT * FROM t"), ["1|'old'", "2|'two'"]);
    let db = with(schema);
    call(&db, &body(r#","onConflict":"replace""#));
    assert_eq!(db.dump_rows("SELECT * FROM t"), ["1|'new'", "2|'two'"]);
    assert_eq!(
        fail(&db, &body(r#","onConflict":"merge""#)).code(),
        "INVALID_ARGUMENT"
    );
}

#[test]
fn only_the_callers_tables_take_rows() {
    let db = with(
        "CREATE TABLE base (a); CREATE VIEW v AS SELECT a FROM base; CREATE VIRTUAL TABLE f USING fts5(a)",
    );
    for (table, code) in [
        ("session_state", "SQL_BLOCKED"),
        ("EXECUTION_LOGS", "SQL_BLOCKED"),
        ("_codemode_stage", "SQL_BLOCKED"),
        ("_codemode_migrations", "SQL_BLOCKED"),
        ("sqlite_schema", "SQL_BLOCKED"),
        ("sqlite_sequence", "SQL_BLOCKED"),
        ("_cf_KV", "SQL_BLOCKED"),
        ("f_content", "SQL_BLOCKED"),
        ("F_DATA", "SQL_BLOCKED"),
        ("v", "INVALID_ARGUMENT"),
        ("basis", "NO_SUCH_TABLE"),
        ("", "NO_SUCH_TABLE"),
        ("base\\u0000x", "NO_SUCH_TABLE"),
        ("base; DROP TABLE base", "NO_SUCH_TABLE"),
    ] {
        let body =
            format!(r#"{{"operation":"batchInsert","table":"{table}","records":[{{"a":1}}]}}"#);
        assert_eq!(fail(&db, &body).code(), code, "{table}");
    }
    call(
        &db,
        r#"{"operation":"batchInsert","table":"f","records":[{"a":"full text"}]}"#,
    );
    assert_eq!(
        db.dump_rows("SELECT rowid FROM f WHERE f MATCH 'text'"),
        ["1"]
    );
}

#[test]
fn a_table_of_a_hundred_columns_takes_a_thousand_and_one_records() {
    let names: Vec<String> = (0..100).map(|number| format!("c{number}")).collect();
    let db = with(&format!("CREATE TABLE t ({})", names.join(",")));
    let record: Vec<String> = names
        .iter()
        .rev()
        .map(|name| format!(r#""{name}":"{name}""#))
        .collect();
    let records = vec![format!("{{{}}}", record.join(",")); 1_001];
    let answer = batch(&db, &format!("[{}]", records.join(","))).unwrap();
    assert_eq!(answer["rowsWritten"], 1_001);
    assert_eq!(
        db.dump_rows("SELECT count(*), min(c0), max(c99) FROM t"),
        ["1001|'c0'|'c99'"]
    );
}

#[test]
fn a_column_that_appears_late_keeps_its_default_in_earlier_rows() {
    let mut records: Vec<String> = (0..1_500)
        .map(|number| format!(r#"{{"n":{number}}}"#))
        .collect();
    records.push(r#"{"n":1500,"late":"here"}"#.to_owned());
    let db = with("CREATE TABLE t (n, late DEFAULT 'd')");
    batch(&db, &format!("[{}]", records.join(","))).unwrap();
    assert_eq!(
        db.dump_rows("SELECT late, count(*) FROM t GROUP BY late"),
        ["'d'|1500", "'here'|1"]
    );
}

#[test]
fn a_record_with_a_full_value_goes_in() {
    let db = with("CREATE TABLE t (id INTEGER PRIMARY KEY, a, n)");
    let text = "é".repeat(990_000);
    let blob = "AAAA".repeat(650_000);
    let records = format!(
        r#"[{{"a":"{text}","n":9223372036854775807}},{{"a":{{"$blob":"{blob}"}},"n":1.5}},{{"a":"{}","n":null}},{{"n":"small"}}]"#,
        "\\n".repeat(1_990_000)
    );
    batch(&db, &records).unwrap();
    assert_eq!(
        db.dump_rows("SELECT id, typeof(a), length(a), n FROM t"),
        [
            "1|'text'|990000|9223372036854775807",
            "2|'blob'|1950000|1.5",
            "3|'text'|1990000|NULL",
            "4|'null'|NULL|'small'"
        ]
    );
}

#[test]
fn what_no_row_can_hold_is_too_big() {
    for records in [
        format!(r#"[{{"a":"{}"}}]"#, "x".repeat(2_000_001)),
        format!(r#"[{{"a":"{}"}}]"#, "x".repeat(9_000_000)),
    ] {
        assert!(refused("a", &records).starts_with("TOO_BIG"));
    }
}

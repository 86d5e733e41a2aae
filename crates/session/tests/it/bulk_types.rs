//! Tables made from JSON records.

use session::bulk::{Destination, Format};

use super::{create_from_json, database, load, request, with};

fn types(body: &str) -> String {
    let db = database();
    create_from_json(&db, body).unwrap_or_else(|error| panic!("{error}: {body}"));
    db.dump_rows("SELECT name || ' ' || type FROM pragma_table_info('t')")
        .join(",")
        .replace('\'', "")
}

#[test]
fn columns_come_from_every_record() {
    assert_eq!(
        types(r#"{"a":1}{"b":"x","a":2}{"c":null}"#),
        "a INTEGER,b TEXT,c TEXT"
    );
    assert_eq!(types(r#"[{"Id":1},{"id":2.5}]"#), "Id REAL");
}

#[test]
fn types_hold_every_value() {
    for (values, expected) in [
        ("1,2", "INTEGER"),
        ("true,null", "INTEGER"),
        ("1,2.5", "REAL"),
        ("9007199254740993,2.5", "NUMERIC"),
        ("1,\"x\"", "TEXT"),
        ("[1],null", "TEXT"),
        (r#"{"$blob":"AA=="}"#, "BLOB"),
        (r#"{"$real":"Infinity"},1"#, "REAL"),
    ] {
        let records: Vec<String> = values
            .replace("},1", "}\u{1}1")
            .split([',', '\u{1}'])
            .map(|value| format!(r#"{{"v":{value}}}"#))
            .collect();
        assert_eq!(
            types(&records.join("\n")),
            format!("v {expected}"),
            "{values}"
        );
    }
}

#[test]
fn long_integers_beside_fractions_stay_exact() {
    let db = database();
    create_from_json(&db, r#"{"v":9007199254740993}{"v":2.5}"#).unwrap();
    assert_eq!(db.dump_rows("SELECT v FROM t"), ["9007199254740993", "2.5"]);
}

#[test]
fn an_infinity_or_blob_goes_into_a_new_table() {
    let db = database();
    create_from_json(&db, r#"{"r":{"$real":"-Infinity"},"b":{"$blob":"AP8="}}"#).unwrap();
    assert_eq!(db.dump_rows("SELECT r, b FROM t"), ["-inf|x00ff"]);
}

#[test]
fn the_answer_names_the_columns() {
    let answer = create_from_json(&database(), r#"{"a":1,"b":"x"}"#).unwrap();
    assert_eq!(
        answer["columns"].to_string(),
        r#"[{"name":"a","type":"INTEGER"},{"name":"b","type":"TEXT"}]"#
    );
    assert_eq!(
        (
            &answer["rowsWritten"],
            &answer["inserted"],
            &answer["chunks"]
        ),
        (&1.into(), &1.into(), &1.into())
    );
}

#[test]
fn nothing_can_be_made_of_nothing() {
    let db = database();
    for body in ["", "[]", "{}"] {
        assert_eq!(
            create_from_json(&db, body).unwrap_err().code(),
            "INVALID_BODY",
            "{body}"
        );
    }
}

#[test]
fn names_that_are_no_table_are_refused_before_the_body() {
    let db = with("CREATE TABLE taken (x)");
    for (name, code) in [
        ("Taken", "ALREADY_EXISTS"),
        ("session_state", "SQL_BLOCKED"),
        ("sqlite_x", "SQL_BLOCKED"),
        ("_cf_x", "SQL_BLOCKED"),
        ("_codemode_x", "SQL_BLOCKED"),
        ("", "INVALID_ARGUMENT"),
        ("a\0b", "INVALID_ARGUMENT"),
    ] {
        assert_eq!(
            load(
                &db,
                request(name, Format::Json, Destination::Create),
                br#"{"a":1}"#
            )
            .unwrap_err()
            .code(),
            code,
            "{name}"
        );
    }
    load(
        &db,
        request("any \"name\"; --", Format::Json, Destination::Create),
        br#"{"a":1}"#,
    )
    .unwrap();
    assert_eq!(
        db.dump_rows("SELECT a FROM \"any \"\"name\"\"; --\""),
        ["1"]
    );
}

#[test]
fn a_table_holds_a_hundred_columns_and_no_more() {
    let object = |count: usize| {
        format!(
            "{{{}}}",
            (0..count)
                .map(|number| format!("\"c{number}\":{number}"))
                .collect::<Vec<_>>()
                .join(",")
        )
    };
    let db = database();
    create_from_json(&db, &object(100)).unwrap();
    assert_eq!(db.dump_rows("SELECT c0, c99 FROM t"), ["0|99"]);
    assert_eq!(
        create_from_json(&database(), &object(101))
            .unwrap_err()
            .code(),
        "TOO_BIG"
    );
}

#[test]
fn a_key_that_cannot_name_a_column_is_refused() {
    for body in [r#"{"":1}"#, r#"{"a\u0000b":1}"#] {
        assert_eq!(
            create_from_json(&database(), body).unwrap_err().code(),
            "INVALID_BODY",
            "{body}"
        );
    }
}

#[test]
fn a_number_that_no_double_holds_is_refused() {
    for number in ["1e400", "-1E+309", "1e-400", "0.0001e-330"] {
        let error = create_from_json(&database(), &format!(r#"[{{"x":{number}}}]"#)).unwrap_err();
        assert_eq!(error.code(), "INVALID_BODY", "{number}");
        assert!(
            error
                .to_string()
                .contains("a number beyond the range of a double"),
            "{error}"
        );
    }
    let db = database();
    let numbers = r#"[{"x":1.7976931348623157e308},{"x":5e-324},{"x":0e-400},{"x":0.0}]"#;
    create_from_json(&db, numbers).unwrap();
    assert_eq!(
        db.dump_rows("SELECT count(*) FROM t WHERE x >= 0 AND x < 1.8e308"),
        ["4"]
    );
    for word in ["NaN", "Infinity", "None"] {
        let error = create_from_json(&database(), &format!(r#"[{{"x":{word}}}]"#)).unwrap_err();
        assert!(
            error.hint().is_some_and(|hint| hint.contains("send null")),
            "{error}"
        );
    }
}

//! The reading of the texts in a CSV: numbers, dates, truth values and missing values, in new and
//! in existing tables.

use serde_json::Value;
use session::bulk::{Destination, Format};

use super::bulk_bodies::{made, put, refused, sent};
use super::{call, create_from_csv, create_from_json, database, load, request, with};
use test_support::HostDatabase;

fn created(body: &str) -> (HostDatabase, Value) {
    let db = database();
    let response =
        create_from_csv(&db, body.as_bytes()).unwrap_or_else(|error| panic!("{error}: {body}"));
    (db, response)
}

fn query(db: &HostDatabase, sql: &str, params: &str) -> Value {
    call(
        db,
        &format!(
            r#"{{"operation":"query","sql":{},"params":{params},"rowFormat":"array"}}"#,
            Value::from(sql)
        ),
    )
}

#[test]
fn sql_sees_what_the_file_means() {
    for (body, sql, wanted) in [
        (
            "x\n5\n40\nNA\n",
            "SELECT avg(x), count(*) FILTER (WHERE x > 10) FROM t",
            "22.5|1",
        ),
        (
            "age\n 5\n 40\n",
            "SELECT sum(age), typeof(age) FROM t",
            "45|'integer'",
        ),
        (
            "a;b\n1,5;x\n5.794,89;y\n",
            "SELECT sum(a), max(a) FROM t",
            "5796.39|5794.89",
        ),
        (
            "a\n\"$62,983.00\"\n\"$1,000.00\"\n",
            "SELECT sum(a) FROM t",
            "63983.0",
        ),
        ("a\n10%\n2.5%\n", "SELECT sum(a) FROM t", "12.5"),
        (
            "a\nTRUE\nFALSE\n",
            "SELECT sum(a), count(*) FROM t WHERE a",
            "1|1",
        ),
        (
            "d\n31.12.2025\n01.02.2024\n",
            "SELECT max(d), date(min(d), '+1 day') FROM t",
            "'2025-12-31'|'2024-02-02'",
        ),
        (
            "a\n32E0134\n12E12\n",
            "SELECT group_concat(a) FROM t",
            "'32E0134,12E12'",
        ),
        ("a\n1e-400\n", "SELECT a FROM t", "'1e-400'"),
        (
            "a\n9007199254740993\nNA\n",
            "SELECT max(a) FROM t",
            "9007199254740993",
        ),
        (
            "a\n9007199254740993\n\"1,5\"\n",
            "SELECT group_concat(a) FROM t",
            "'9007199254740993,1.5'",
        ),
        (
            "id,code\n1,=\"00123\"\n2,=\"7\"\n",
            "SELECT group_concat(code), typeof(code) FROM t",
            "'00123,7'|'text'",
        ),
        (
            "x;n\na;1,5E-03\nb;2E3\n",
            "SELECT sum(n) FROM t",
            "2000.0015",
        ),
        (
            "x\n1.5\n#DIV/0!\n#REF!\n3\n",
            "SELECT avg(x), count(x) FROM t",
            "2.25|2",
        ),
        (
            "a,b\n\"x\\\"\"\",1\n\"say \"\"hi\"\"\",NA\n",
            "SELECT group_concat(a, '+'), sum(b) FROM t",
            "'x\\\"+say \"hi\"'|1",
        ),
    ] {
        let (db, _) = created(body);
        assert_eq!(db.dump_rows(sql), [wanted], "{body}");
    }
}

#[test]
fn a_response_names_what_was_converted() {
    let (_, response) = created("a,b,c,d\n1,NA,\"1,5\",x\n2,3,\"2,5\",y\n");
    let said = [
        "The column b is INTEGER: 1 field became NULL (“NA”).",
        "The column c is REAL: 2 numbers were read with a decimal comma, such as “1,5”, “2,5”.",
    ];
    assert_eq!(response["notices"], serde_json::json!(said));
    assert_eq!(response["notice"], said.join(" "));
    let (_, response) = created("a;b\n1.234;x\n2.345;y\n");
    let said = response["notice"].as_str().unwrap();
    assert!(
        said.contains(
            "a is REAL: fields such as “1.234”, “2.345” were read with a decimal point; load again with ?decimal=,"
        ),
        "{said}"
    );
    let (_, response) = created("a,A,,b\n1,2,3,4\n");
    assert_eq!(
        response["notices"],
        serde_json::json!([
            "Columns have other names than in the header: a second A is A_2, one without a name is column_3."
        ])
    );
    let (_, response) = created("0,1.5,\n2,3,4\n");
    assert_eq!(
        response["notices"],
        serde_json::json!([
            "The names of all columns are numbers: if the first line is a row, put a line of names before it.",
            "Columns have other names than in the header: one without a name is column_3."
        ])
    );
    let (_, response) = created("a,b\n1,x\n2,y\n");
    assert!(response["notice"].is_null() && response["notices"].is_null());
}

#[test]
fn a_column_is_converted_as_a_whole_or_not_at_all() {
    let rows = 60_000_u64;
    for (last, kind, sum, stays) in [
        ("\"1,5\"", "REAL", "'real'|'real'|60000", false),
        ("odd", "TEXT", "'text'|'text'|60000", true),
    ] {
        // More than is held in memory, in pieces that cut fields.
        let mut body = format!("text,n\n{},\"0,25\"\n", "first".repeat(40));
        for number in 0..rows - 2 {
            body.push_str(&format!(
                "{}{number},\"{number},5\"\n",
                "a long text \\ ".repeat(12)
            ));
        }
        body.push_str(&format!("last,{last}\n"));
        let db = database();
        let response = super::load_pieces(
            &db,
            request("t", Format::Csv, Destination::Create),
            body.as_bytes(),
            65_521,
        )
        .unwrap();
        assert_eq!(response["columns"][1]["type"], kind);
        assert_eq!(
            db.dump_rows("SELECT min(typeof(n)), max(typeof(n)), count(n) FROM t"),
            [sum]
        );
        let fields = if stays {
            "'0,25'|'17,5'|'odd'"
        } else {
            "0.25|17.5|1.5"
        };
        assert_eq!(
            db.dump_rows("SELECT (SELECT n FROM t WHERE rowid = 1), (SELECT n FROM t WHERE rowid = 19), (SELECT n FROM t WHERE rowid = 60000)"),
            [fields]
        );
        assert_eq!(
            db.dump_rows("SELECT count(*) FROM t WHERE text LIKE 'a long text \\ a long%'"),
            ["59998"]
        );
        let notice = response["notice"].as_str().unwrap();
        assert_eq!(
            notice.contains("stays TEXT: 59999 of 60000 fields are numbers, 1 does not fit: “odd”"),
            stays,
            "{notice}"
        );
        assert_eq!(db.dump_rows("SELECT count(*) FROM _codemode_stage"), ["0"]);
    }
}

#[test]
fn parameters_say_what_the_fields_mean() {
    for (query, body, wanted) in [
        ("null=", "x\n5\nNA\n", &["'5'", "'NA'"][..]),
        (
            "null=missing,-999",
            "x\n5\nmissing\n-999\n",
            &["5", "NULL", "NULL"],
        ),
        ("null=NA", "x\nSmith\nNA\n", &["'Smith'", "NULL"]),
        ("null=-999", "x\n5\n-999.0\n-999\n", &["5", "NULL", "NULL"]),
        ("decimal=,", "x\n\"1,234\"\n", &["1.234"]),
        ("decimal=comma", "x\n1.234\n", &["1234"]),
        ("decimal=.", "x\n\"1,234\"\n", &["1234"]),
        ("dates=dmy", "x\n01/02/2025\n", &["'2025-02-01'"]),
        ("dates=mdy", "x\n01/02/2025\n", &["'2025-01-02'"]),
    ] {
        let (rows, notice) = made(&sent(
            "text/csv",
            &format!("create=true&{query}"),
            body.as_bytes(),
        ));
        assert_eq!(rows, wanted, "{query}");
        assert_eq!(notice.is_string(), query != "null=", "{query}: {notice}");
    }
    for query in ["decimal=x", "dates=ymd", "encoding=utf-9"] {
        let error = refused(&sent(
            "text/csv",
            &format!("create=true&{query}"),
            b"x\n1\n",
        ));
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{query}");
    }
    for (content_type, name) in [
        ("application/json", "null"),
        ("application/x-ndjson", "decimal"),
        ("", "null"),
    ] {
        let value = if name == "null" { "NA" } else { "," };
        let error = refused(&sent(
            content_type,
            &format!("create=true&{name}={value}"),
            br#"[{"x":1}]"#,
        ));
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{content_type}");
        assert!(
            error
                .to_string()
                .starts_with(&format!("{name} only works with CSV")),
            "{error}"
        );
    }
}

/// The columns of an existing table, a load into it, its rows afterwards, and the notice.
type Kept = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
);

const KEPT: &[Kept] = &[
    (
        "x INTEGER",
        "x\n5\nNA\n",
        &["5", "NULL"],
        "The column x is INTEGER: 1 field became NULL (“NA”).",
    ),
    (
        "x REAL",
        "x\n\"1,5\"\n2\n",
        &["1.5", "2.0"],
        "decimal comma",
    ),
    ("x DATE", "x\n31.12.2025\n", &["'2025-12-31'"], "ISO 8601"),
    (
        "x VARCHAR(20)",
        "x\n31.12.2025\n",
        &["'31.12.2025'"],
        "The column x is VARCHAR(20) and keeps its fields as they are: 1 of 1 field has a date that SQLite does not read, such as “31.12.2025”; ?dates=dmy or ?dates=mdy converts",
    ),
    (
        "x BOOLEAN",
        "x\nTRUE\nfalse\n",
        &["1", "0"],
        "true became 1",
    ),
    // A text is stored as it is.
    ("x TEXT", "x\n\"1,5\"\nNA\n", &["'1,5'", "'NA'"], ""),
    ("x", "x\nNA\n", &["'NA'"], ""),
    (
        "x INTEGER",
        "x\n32E0134\n007\n12345678901234567890\n5\n",
        &["3.2e135", "7", "1.2345678901234567e19", "5"],
        "The column x is INTEGER: 3 fields were stored as other numbers than are written, such as “32E0134”, “007”, “12345678901234567890”; a column of type TEXT keeps them as written.",
    ),
    (
        "x REAL",
        "x\n9007199254740993\n4503599627370496\n1.5\n",
        &["9007199254740992.0", "4503599627370496.0", "1.5"],
        "1 field was stored as another number than is written, such as “9007199254740993”",
    ),
    (
        "x NUMERIC",
        "x\n0.1234567890123456789\n1e-400\n1e999\n9007199254740993\n",
        &["0.12345678901234568", "0", "inf", "9007199254740993"],
        "The column x is NUMERIC: 3 fields were stored as other numbers than are written, such as “0.1234567890123456789”, “1e-400”, “1e999”;",
    ),
    (
        "x INTEGER",
        "x\n+49151123456789\nabc\n",
        &["49151123456789", "'abc'"],
        "The column x is INTEGER, but some fields were stored as texts: 1 of 2 fields is not a number, such as “abc”; 1 field was stored as another number than is written, such as “+49151123456789”;",
    ),
    (
        "x NUMERIC",
        "x\n1E1\n5\n",
        &["10", "5"],
        "fields such as “1E1” were read as numbers with an exponent; if they are codes",
    ),
    (
        "x INTEGER",
        "x\n5\nabc\nNA\n",
        &["5", "'abc'", "'NA'"],
        "The column x is INTEGER, but some fields were stored as texts: 1 of 2 fields is not a number, such as “abc”.",
    ),
];

#[test]
fn a_table_that_is_there_keeps_its_types_and_gets_what_the_fields_mean() {
    for (columns, body, rows, notice) in KEPT {
        let db = with(&format!("CREATE TABLE t ({columns})"));
        let response = load(
            &db,
            request("t", Format::Csv, Destination::Existing),
            body.as_bytes(),
        )
        .unwrap();
        assert_eq!(db.dump_rows("SELECT x FROM t"), *rows, "{columns} {body}");
        let said = response["notice"].as_str().unwrap_or_default();
        assert!(
            said.contains(notice) && said.is_empty() == notice.is_empty(),
            "{columns} {body}: {said}"
        );
    }
    // The gate converts DATE to TEXT, so the order must be given.
    let db = database();
    call(
        &db,
        r#"{"operation":"createTable","name":"t","schema":"x DATE"}"#,
    );
    let response = put(&db, &sent("text/csv", "", b"x\n31.12.2025\n")).unwrap();
    assert!(
        response["notice"]
            .as_str()
            .unwrap()
            .contains("a date that SQLite does not read")
    );
    put(&db, &sent("text/csv", "dates=dmy", b"x\n31.12.2025\n")).unwrap();
    assert_eq!(
        db.dump_rows("SELECT x FROM t"),
        ["'31.12.2025'", "'2025-12-31'"]
    );
    let db = with("CREATE TABLE t (x TEXT, y INTEGER)");
    let sent = sent("text/csv", "null=NA", b"x,y\nNA,NA\nb,1\n");
    put(&db, &sent).unwrap();
    assert_eq!(db.dump_rows("SELECT * FROM t"), ["NULL|NULL", "'b'|1"]);
}

#[test]
fn json_means_what_it_says_and_texts_in_the_place_of_numbers_are_told() {
    for (body, rows, notice) in [
        (
            r#"[{"x":5},{"x":40},{"x":"NA"}]"#,
            &["'5'", "'40'", "'NA'"][..],
            "The column x stays TEXT: 2 of 3 fields are numbers, but some arrived as texts, such as “NA”.",
        ),
        (
            r#"[{"x":"5"},{"x":"40"}]"#,
            &["'5'", "'40'"],
            "some arrived as texts, such as “5”, “40”",
        ),
        (r#"[{"x":"a"},{"x":"1"}]"#, &["'a'", "'1'"], ""),
        (r#"[{"x":"007"}]"#, &["'007'"], ""),
        (r#"[{"x":5},{"x":null}]"#, &["5", "NULL"], ""),
        (r#"[{"x":"31.12.2025"}]"#, &["'31.12.2025'"], ""),
        (
            r#"[{"x":true},{"x":"a"}]"#,
            &["'1'", "'a'"],
            "The column x stays TEXT: 1 of 2 fields is true or false, stored as the texts 1 and 0 beside other texts, such as “a”.",
        ),
        (r#"[{"x":true},{"x":false}]"#, &["1", "0"], ""),
    ] {
        let db = database();
        let response = create_from_json(&db, body).unwrap();
        assert_eq!(db.dump_rows("SELECT x FROM t"), rows, "{body}");
        let said = response["notice"].as_str().unwrap_or_default();
        assert!(
            said.contains(notice) && said.is_empty() == notice.is_empty(),
            "{body}: {said}"
        );
    }
    let db = with("CREATE TABLE t (x REAL)");
    let body = br#"[{"x":9007199254740993},{"x":"007"},{"x":1.5},{"x":"a"}]"#;
    let response = load(&db, request("t", Format::Json, Destination::Existing), body).unwrap();
    assert_eq!(
        response["notice"],
        "The column x is REAL, but some fields were stored as texts: 1 of 4 fields is not a number, such as “a”; 2 fields were stored as other numbers than are written, such as “9007199254740993”, “007”; a column of type TEXT keeps them as written."
    );
    let db = with("CREATE TABLE t (x INTEGER)");
    let body = br#"{"x":"NA"}{"x":"5"}"#;
    let response = load(&db, request("t", Format::Json, Destination::Existing), body).unwrap();
    let said = response["notice"].as_str().unwrap();
    assert!(
        said.contains("stored as texts: 1 of 2 fields is not a number, such as “NA”"),
        "{said}"
    );
}

#[test]
fn a_query_is_told_that_it_reads_texts_as_numbers() {
    let (db, _) = created(
        "id,code,price,name,day\n1,007,\"1,234\",Ada,2024-01-01\n2,010,\"5,678\",Ben,2024-01-02\n",
    );
    for (sql, params, wanted) in [
        ("SELECT sum(price) FROM t", "[]", "price of t TEXT"),
        ("SELECT avg(p.price) FROM t AS p", "[]", "price of t TEXT"),
        ("SELECT max(price) FROM t", "[]", "ordered as texts"),
        (
            "SELECT id FROM t ORDER BY price DESC",
            "[]",
            "ordered as texts",
        ),
        (
            "SELECT id FROM t WHERE price > 10",
            "[]",
            "it is compared with a number",
        ),
        ("SELECT id FROM t WHERE code = 7", "[]", "code of t"),
        (
            "SELECT id FROM t WHERE price > ?",
            "[10]",
            "it is compared with a number",
        ),
        (
            "SELECT id FROM t WHERE price > :low",
            r#"{"low": 10}"#,
            "it is compared with a number",
        ),
        ("SELECT id FROM t WHERE price > ?", r#"["10"]"#, ""),
        ("SELECT max(name), min(day) FROM t", "[]", ""),
        ("SELECT sum(id), max(id) FROM t WHERE id > 0", "[]", ""),
        (
            "SELECT sum(CAST(price AS REAL)) FROM t",
            "[]",
            "becomes the number at its beginning",
        ),
        ("SELECT sum(CAST(code AS INTEGER)) FROM t", "[]", ""),
        ("SELECT sum(price) FROM (SELECT 1 AS price)", "[]", ""),
        (
            "SELECT sum(u.price) FROM t JOIN (SELECT 1 AS price) AS u",
            "[]",
            "",
        ),
    ] {
        let response = query(&db, sql, params);
        let said = response["notice"].as_str().unwrap_or_default();
        assert!(
            said.contains(wanted) && said.is_empty() == wanted.is_empty(),
            "{sql}: {said}"
        );
    }
    // The WHERE of a write reads, too.
    let written = call(
        &db,
        r#"{"operation":"exec","sql":"UPDATE t SET id = 5 WHERE price > 10"}"#,
    );
    assert!(written["notice"].as_str().unwrap().contains("price of t"));
    // The notice has the current column names.
    call(
        &db,
        r#"{"operation":"exec","sql":"ALTER TABLE t RENAME COLUMN price TO cost"}"#,
    );
    let renamed = query(&db, "SELECT sum(cost) FROM t", "[]");
    assert!(
        renamed["notice"]
            .as_str()
            .unwrap()
            .contains("column cost of t")
    );
    call(&db, r#"{"operation":"dropTable","table":"t"}"#);
    call(
        &db,
        r#"{"operation":"exec","sql":"CREATE TABLE t (price INTEGER)"}"#,
    );
    assert!(query(&db, "SELECT sum(price) FROM t", "[]")["notice"].is_null());
}

#[test]
fn a_later_load_and_a_failed_one_leave_the_right_columns() {
    let (db, _) = created("a\n1\n2\n3\nx\n");
    assert_eq!(
        db.dump_rows("SELECT name, columns FROM _codemode_loaded"),
        ["'t'|'{\"a\":{\"s\":true,\"r\":{\"null\":[\"x\"]}}}'"]
    );
    db.script("DROP TABLE t");
    load(
        &db,
        request("u", Format::Csv, Destination::Create),
        b"b\nword\n",
    )
    .unwrap();
    assert_eq!(
        db.dump_rows("SELECT name, columns FROM _codemode_loaded"),
        ["'u'|'{\"b\":{\"r\":\"noNumber\"}}'"]
    );
    load(
        &db,
        request("v", Format::Csv, Destination::Create),
        b"b\n1\n2,3\n",
    )
    .unwrap_err();
    assert_eq!(db.dump_rows("SELECT name FROM _codemode_loaded"), ["'u'"]);
}

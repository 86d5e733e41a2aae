//! Loads of CSV.

use codemode_database::session::bulk::{Destination, Format};

use super::{create_from_csv, load, load_pieces, request, with};
use crate::support::HostDatabase;

fn created(body: &[u8]) -> HostDatabase {
    let db = super::database();
    create_from_csv(&db, body)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(body)));
    db
}

fn refused(body: &[u8]) -> String {
    let db = super::database();
    let error = create_from_csv(&db, body).expect_err(&String::from_utf8_lossy(body));
    assert!(
        db.dump_rows("SELECT name FROM sqlite_schema WHERE name = 't'")
            .is_empty()
    );
    format!("{}: {error}", error.code())
}

#[test]
fn rows_come_out_as_they_were_written() {
    for (body, expected) in [
        (&b"a,b\n1,x\n2,y\n"[..], vec!["1|'x'", "2|'y'"]),
        (b"a,b\r\n1,x\r\n2,y", vec!["1|'x'", "2|'y'"]),
        (b"\xEF\xBB\xBFa,b\n1,x\n", vec!["1|'x'"]),
        (b"a,b\n1,\"x,\"\"y\"\"\n z\"\n", vec!["1|'x,\"y\"\n z'"]),
        (b"a,b\n1,\n,y\n", vec!["1|NULL", "NULL|'y'"]),
        (b"a,b\n\n1,x\n\n", vec!["1|'x'"]),
        (b"a,b\n1,\xC3\xA9\xF0\x9F\x98\x80\n", vec!["1|'é😀'"]),
        (b"a\n\"\t\\\"\"\x01\"\n", vec!["'\t\\\"\x01'"]),
        (b"\"a,b\",\" c \"\n1,2\n", vec!["1|2"]),
    ] {
        assert_eq!(
            created(body).dump_rows("SELECT * FROM t"),
            expected,
            "{}",
            String::from_utf8_lossy(body)
        );
        let db = super::database();
        load_pieces(&db, request("t", Format::Csv, Destination::Create), body, 1).unwrap();
        assert_eq!(
            db.dump_rows("SELECT * FROM t"),
            expected,
            "byte by byte: {}",
            String::from_utf8_lossy(body)
        );
    }
}

#[test]
fn types_hold_every_value_of_the_column() {
    let db = created(b"i,big,r,t,zip,mixed,empty\n1,9223372036854775807,1.5,x,01234,1,\n-2,1,2,2024-01-01,1,x,\n");
    let types = db.dump_rows("SELECT name, type FROM pragma_table_info('t')");
    assert_eq!(
        types,
        [
            "'i'|'INTEGER'",
            "'big'|'INTEGER'",
            "'r'|'REAL'",
            "'t'|'TEXT'",
            "'zip'|'TEXT'",
            "'mixed'|'TEXT'",
            "'empty'|'TEXT'"
        ]
    );
    assert_eq!(
        db.dump_rows("SELECT * FROM t"),
        [
            "1|9223372036854775807|1.5|'x'|'01234'|'1'|NULL",
            "-2|1|2.0|'2024-01-01'|'1'|'x'|NULL"
        ]
    );
}

#[test]
fn a_late_row_can_make_a_column_text() {
    let mut body = "a\n".to_owned();
    (0..5_000).for_each(|number| body.push_str(&format!("{number}\n")));
    body.push_str("end\n");
    let db = created(body.as_bytes());
    assert_eq!(
        db.dump_rows("SELECT count(*), min(typeof(a)), max(typeof(a)) FROM t"),
        ["5001|'text'|'text'"]
    );
}

#[test]
fn an_existing_table_converts_by_its_own_types() {
    let db = with("CREATE TABLE t (n INTEGER, r REAL, t TEXT, d DEFAULT 'd')");
    load(
        &db,
        request("t", Format::Csv, Destination::Existing),
        b"T,n,R\n007,007,1\n,9223372036854775807,x\n",
    )
    .unwrap();
    assert_eq!(
        db.dump_rows("SELECT * FROM t"),
        ["7|1.0|'007'|'d'", "9223372036854775807|'x'|NULL|'d'"]
    );
}

#[test]
fn ragged_rows_name_their_line() {
    for (body, complaint) in [
        (
            &b"a,b\n1,2\n3\n"[..],
            "the row that ends at line 3 has 1 fields, the header has 2",
        ),
        (
            b"a,b\n1,2\n3,4,5",
            "the row that ends at line 3 has 3 fields",
        ),
        (b"a,b\n\"x\ny\",2\n3\n", "line 4 has 1 fields"),
    ] {
        let error = refused(body);
        assert!(
            error.starts_with("INVALID_BODY: ") && error.contains(complaint),
            "{error}"
        );
    }
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    for body in [&b"a,b\n1,\xFF\n"[..], b"a,b\n\xC3,\xA9\n", b"a,\xE9\n1,2\n"] {
        assert!(refused(body).contains("not valid UTF-8"));
    }
}

#[test]
fn headers_become_names_of_their_own() {
    let db = created(b",a,A, a ,a_2\n1,2,3,4,5\n");
    assert_eq!(
        db.dump_rows("SELECT name FROM pragma_table_info('t')"),
        ["'column_1'", "'a'", "'A_2'", "'a_3'", "'a_2_2'"]
    );
}

#[test]
fn a_header_for_an_existing_table_must_say_which_columns() {
    for (header, code) in [
        ("a,a", "INVALID_BODY"),
        ("a,A", "INVALID_BODY"),
        ("a,", "INVALID_BODY"),
        ("a,c", "NO_SUCH_COLUMN"),
    ] {
        let db = with("CREATE TABLE t (a, b)");
        let body = format!("{header}\n1,2\n");
        assert_eq!(
            load(
                &db,
                request("t", Format::Csv, Destination::Existing),
                body.as_bytes()
            )
            .unwrap_err()
            .code(),
            code,
            "{header}"
        );
    }
}

#[test]
fn an_empty_body_has_no_columns_and_a_header_alone_makes_an_empty_table() {
    assert!(refused(b"").contains("empty"));
    assert!(refused(b"\n\n").contains("empty"));
    assert_eq!(
        created(b"a,b").dump_rows("SELECT name, type FROM pragma_table_info('t')"),
        ["'a'|'TEXT'", "'b'|'TEXT'"]
    );
}

#[test]
fn wide_and_long_rows_are_bounded() {
    let header: Vec<String> = (0..101).map(|number| format!("c{number}")).collect();
    assert!(refused(format!("{}\n", header.join(",")).as_bytes()).starts_with("TOO_BIG"));
    let hundred = header[..100].join(",");
    assert_eq!(
        created(format!("{hundred}\n{hundred}\n").as_bytes()).dump_rows("SELECT c0, c99 FROM t"),
        ["'c0'|'c99'"]
    );
    assert!(refused(format!("a\n\"{}", "x".repeat(9_000_000)).as_bytes()).starts_with("TOO_BIG"));
    assert_eq!(
        created(format!("a\n{}\n", "x".repeat(1_950_000)).as_bytes())
            .dump_rows("SELECT length(a) FROM t"),
        ["1950000"]
    );
}

//! Loads of CSV.

use session::bulk::{Destination, Format};

use super::{create_from_csv, load, load_pieces, request, with};
use test_support::HostDatabase;

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
fn a_load_into_no_table_says_how_it_makes_one() {
    let error = load(
        &with(""),
        request("t", Format::Csv, Destination::Existing),
        b"a\n1\n",
    )
    .unwrap_err();
    assert_eq!(error.code(), "NO_SUCH_TABLE");
    assert!(error.hint().unwrap().contains("?create=true"));
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
            "the row that ends at line 3 has 1 fields, but the header has 2",
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

/// Bodies that a lenient reader would take for one long field, or for other fields than intended:
/// each error names its line, also when the body arrives byte by byte.
#[test]
fn quotes_that_do_not_close_or_close_too_early_are_refused_with_their_line() {
    for (body, complaint) in [
        (
            &b"a,b\n1,\"x\n2,y\n3,z\n"[..],
            "the quote that opens at line 2 is never closed",
        ),
        (b"a,b\r\n1,x\r\n2,\"y\r\n3,z\r\n", "opens at line 3"),
        (b"a,b\r1,x\r2,\"y\r3,z", "opens at line 3"),
        (b"a,b\n1,\"\n", "opens at line 2"),
        (b"a,b\n1,\"", "opens at line 2"),
        (b"a,b\n1,\"x\"\"\n2,y\n", "opens at line 2"),
        (b"a,b\n1,\"x\"\"", "opens at line 2"),
        (b"a,b\n\"x\ny\",1\n\"z\nw,2\n", "opens at line 4"),
        (b"a,\"b\n1,x\n2,y\n", "opens at line 1"),
        (b"\"a,b\n1,x\n", "opens at line 1"),
        (b"\"", "opens at line 1"),
        (b"\xEF\xBB\xBF\"a,b\n1,x\n", "opens at line 1"),
        (
            b"a,b\n1,\"x\"y\n",
            "line 2 has text between a closing quote and the next comma",
        ),
        (b"a,b\n\"x\" ,1\n", "line 2 has text"),
        (
            b"a,b\n1,\"x\ny\"z\n",
            "line 3 has text between a closing quote (opened at line 2)",
        ),
        (
            b"a,b\n\"He said \"hi, there\" and left\",2\n",
            "line 2 has text",
        ),
        (b"\"a\"b,c\n1,2\n", "line 1 has text"),
        (b"a\n\"x\"\0\n", "line 2 has text"),
    ] {
        for piece_bytes in [1, 2, 3, 7, usize::MAX] {
            let db = super::database();
            let error = load_pieces(
                &db,
                request("t", Format::Csv, Destination::Create),
                body,
                piece_bytes,
            )
            .expect_err(&String::from_utf8_lossy(body));
            assert_eq!(error.code(), "INVALID_BODY");
            assert!(error.to_string().contains(complaint), "{error}");
            assert!(error.hint().unwrap().contains("\"\""));
            assert!(
                db.dump_rows("SELECT name FROM sqlite_schema WHERE name = 't'")
                    .is_empty()
            );
        }
    }
}

#[test]
fn an_open_quote_behind_many_rows_leaves_an_existing_table_as_it_was() {
    let db = with("CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (0, 'before')");
    let mut body = "a,b\n".to_owned();
    (1..=20_000).for_each(|number| body.push_str(&format!("{number},row\n")));
    body.push_str("20001,\"open\n20002,row\n");
    for piece_bytes in [65_536, usize::MAX] {
        let request = request("t", Format::Csv, Destination::Existing);
        let error = load_pieces(&db, request, body.as_bytes(), piece_bytes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the quote that opens at line 20002 is never closed"
        );
        assert_eq!(db.dump_rows("SELECT * FROM t"), ["0|'before'"]);
    }
}

#[test]
fn a_row_beyond_the_limit_says_where_its_quote_opened() {
    let body = format!("a\n1\n\"{}", "x\n".repeat(4_500_000));
    let error = refused(body.as_bytes());
    assert!(error.contains("the quote that opens at line 3"), "{error}");
}

#[test]
fn what_stands_in_a_field_is_kept_as_it_is() {
    for (body, expected) in [
        (&b"a,b\n5\" pipe,x\"y\n"[..], vec!["'5\" pipe'|'x\"y'"]),
        (b"a,b\n x,\"\"\n", vec!["' x'|NULL"]),
        (b"a,b\n\"\"\"\",\"x\"\"\"\n", vec!["'\"'|'x\"'"]),
        (b"a,b\r1,x\r2,y\r", vec!["1|'x'", "2|'y'"]),
        (b"a,b\n\"x\r\ny\",\"\r\"\n", vec!["'x\r\ny'|'\r'"]),
        (b"a,b\n\"1\",\"x\"\r\n\r\n2,y", vec!["1|'x'", "2|'y'"]),
    ] {
        for piece_bytes in [1, 3, usize::MAX] {
            let db = super::database();
            let request = request("t", Format::Csv, Destination::Create);
            load_pieces(&db, request, body, piece_bytes).unwrap();
            assert_eq!(
                db.dump_rows("SELECT * FROM t"),
                expected,
                "{}",
                String::from_utf8_lossy(body)
            );
        }
    }
    let db = created(b"a,b\nx\0y,\"\0\"\n");
    assert_eq!(
        db.dump_rows("SELECT hex(a), hex(b) FROM t"),
        ["'780079'|'00'"]
    );
}

/// csv-core skips empty lines, but a row with one empty field is an empty line.
#[test]
fn an_empty_line_in_a_table_of_one_column_is_refused_unless_it_ends_the_body() {
    for body in [
        &b"a\n1\n\n2\n"[..],
        b"a\r\n\r\n2\r\n",
        b"a\n\n\n2",
        b"a\r1\r\r2\r",
    ] {
        let error = refused(body);
        assert!(
            error.starts_with("INVALID_BODY: line ") && error.contains("is empty"),
            "{error}"
        );
    }
    for body in [
        &b"\n\na\n1\n\"\"\n2\n"[..],
        b"a\n1\n\"\"\n2\n\n\n",
        b"a\r\n1\r\n\"\"\r\n2\r\n",
    ] {
        assert_eq!(
            created(body).dump_rows("SELECT a FROM t"),
            ["1", "NULL", "2"]
        );
    }
}

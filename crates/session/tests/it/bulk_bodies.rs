//! The bodies that a load accepts: media type, delimiter, compression, and the guesses about each.

use std::io::Write as _;

use base::Error;
use database::Database;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use session::Settings;
use session::bulk::{Load, LoadRequest};

use super::{call, database, with};

/// A request with headers, and with parameters as `name=value&…`.
pub(super) struct Sent<'a> {
    content_type: &'a str,
    encoding: &'a str,
    query: &'a str,
    body: &'a [u8],
}

pub(super) const fn sent<'a>(content_type: &'a str, query: &'a str, body: &'a [u8]) -> Sent<'a> {
    Sent {
        content_type,
        encoding: "",
        query,
        body,
    }
}

fn parameter(query: &str, name: &str) -> Option<String> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
}

fn put_with<D: Database>(
    db: &D,
    settings: &Settings,
    sent: &Sent<'_>,
    piece_bytes: usize,
) -> Result<Value, Error> {
    let stand = test_support::Stand::new(settings);
    let session = stand.session(db);
    let header = |name: &str| {
        let value = match name {
            "content-type" => sent.content_type,
            "content-encoding" => sent.encoding,
            other => panic!("{other}"),
        };
        (!value.is_empty()).then(|| value.to_owned())
    };
    let request = LoadRequest {
        decoders: test_support::text_decoder,
        ..LoadRequest::read("t", header, |name| Ok(parameter(sent.query, name)))?
    };
    let mut load = Load::new(session, request)?;
    for piece in sent.body.chunks(piece_bytes) {
        load.feed(piece)?;
    }
    Ok(test_support::body(&load.finish()?))
}

pub(super) fn put<D: Database>(db: &D, sent: &Sent<'_>) -> Result<Value, Error> {
    put_with(db, &Settings::default(), sent, usize::MAX)
}

/// Loads a body in pieces of several sizes. Returns the rows of the new table, and the response.
pub(super) fn made(sent: &Sent<'_>) -> (Vec<String>, Value) {
    let shown = || format!("{}: {}", sent.query, String::from_utf8_lossy(sent.body));
    let mut found = None;
    for piece_bytes in [usize::MAX, 1, 7] {
        let db = database();
        let response = put_with(&db, &Settings::default(), sent, piece_bytes)
            .unwrap_or_else(|error| panic!("{error} ({:?}) {}", error.hint(), shown()));
        let rows = db.dump_rows("SELECT * FROM t");
        let this = (rows, response["notice"].clone());
        assert!(
            found.is_none() || found.as_ref() == Some(&this),
            "{}",
            shown()
        );
        found = Some(this);
    }
    found.unwrap()
}

pub(super) fn refused(sent: &Sent<'_>) -> Error {
    let db = database();
    for piece_bytes in [1, usize::MAX] {
        let outcome = put_with(&db, &Settings::default(), sent, piece_bytes);
        let error = outcome.expect_err(&String::from_utf8_lossy(sent.body));
        assert!(
            db.dump_rows("SELECT name FROM sqlite_schema WHERE name LIKE 't%'")
                .is_empty()
        );
        if piece_bytes == usize::MAX {
            return error;
        }
    }
    panic!("no pieces")
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Checks that a CSV makes these two rows, with this notice or none.
#[track_caller]
fn reads_csv(content_type: &str, query: &str, body: &str, notice: Option<&str>) {
    let (rows, said) = made(&sent(content_type, query, body.as_bytes()));
    assert_eq!(rows, ["1|'x,y'", "2|'z'"], "{content_type} {query} {body}");
    let said = said.as_str();
    match notice {
        None => assert_eq!(said, None, "{body}"),
        Some(part) => assert!(said.unwrap_or_default().contains(part), "{said:?}: {body}"),
    }
}

#[test]
fn a_csv_is_read_with_what_stands_between_its_fields() {
    for (query, body, notice) in [
        ("create=true", "a,b\n1,\"x,y\"\n2,z\n", None),
        ("create=true", "a;b\r\n1;x,y\r\n2;z", Some("semicolons")),
        ("create=true", "a\tb\n1\tx,y\n2\tz\n", Some("tabs")),
        ("create=true", "a|b\n1|\"x,y\"\n2|z\n", Some("pipes")),
        ("create=true&delimiter=;", "a;b\n1;x,y\n2;z\n", None),
        ("create=true&delimiter=^", "a^b\n1^x,y\n2^z\n", None),
        ("create=true&delimiter=tab", "a\tb\n1\tx,y\n2\tz\n", None),
    ] {
        reads_csv("text/csv", query, body, notice);
    }
    // Two delimiters fit: a comma is used, and the response says so.
    let (rows, notice) = made(&sent("text/csv", "create=true", b"a;b|c\n1;2|3\n"));
    assert_eq!(rows, ["'1;2|3'"]);
    assert!(
        notice.as_str().unwrap().contains("semicolons or pipes"),
        "{notice}"
    );
    // Rows of another width are reported as such.
    let error = refused(&sent("text/csv", "create=true", b"a;b;c\n1;2;3\n4;5\n"));
    assert!(error.to_string().contains("line 3 has 2 fields"), "{error}");
    let error = refused(&sent("text/csv", "create=true&delimiter=ab", b"a\n1\n"));
    assert_eq!(error.code(), "INVALID_ARGUMENT");
    let error = refused(&sent("application/json", "create=true&delimiter=;", b"[]"));
    assert_eq!(error.code(), "INVALID_ARGUMENT");
}

#[test]
fn a_csv_is_read_by_its_type_and_without_one() {
    for (content_type, query, body, notice) in [
        (
            "text/tab-separated-values",
            "create=true",
            "a\tb\n1\tx,y\n2\tz\n",
            None,
        ),
        (
            "text/tab-separated-values; charset=utf-8",
            "create=true",
            "a\tb\n1\t\"x,y\"\n2\tz\n",
            None,
        ),
        (
            "",
            "create=true",
            "a;b\n1;x,y\n2;z\n",
            Some("the body was read as CSV"),
        ),
        ("", "create=true&delimiter=|", "a|b\n1|x,y\n2|z\n", None),
        (
            "text/plain;charset=UTF-8",
            "create=true",
            "a,b\n1,\"x,y\"\n2,z\n",
            Some("the body was read as CSV"),
        ),
        (
            "application/x-www-form-urlencoded",
            "create=true",
            "a,b\n1,\"x,y\"\n2,z\n",
            Some("the body was read as CSV"),
        ),
    ] {
        reads_csv(content_type, query, body, notice);
    }
}

#[test]
fn a_body_whose_line_ends_were_lost_is_rejected_with_the_fix() {
    let long = format!("id,name{}", "1,Ada2,Ben".repeat(20_000));
    for (content_type, query, body) in [
        ("text/csv", "create=true", "id,name1,Ada2,Ben3,Cem"),
        ("text/csv", "create=true", "id;name1;Ada2;Ben3;Cem"),
        (
            "text/csv",
            "create=true",
            "symbol,chromosome,lengthTP53,17,19149BRCA1,17,81189",
        ),
        (
            "application/x-www-form-urlencoded",
            "create=true",
            "name,cityAda,ParisBen,Rome",
        ),
        ("text/tab-separated-values", "create=true", "a\tb1\t22\t2"),
        ("text/csv", "create=true", long.as_str()),
        ("", "create=true", long.as_str()),
        ("text/csv", "create=true&delimiter=,", long.as_str()),
    ] {
        let error = refused(&sent(content_type, query, body.as_bytes()));
        let hint = error.hint().unwrap_or_default();
        assert_eq!(error.code(), "INVALID_BODY", "{body:.60}");
        assert!(hint.contains("--data-binary"), "{error}: {body:.60}");
    }
    let db = with("CREATE TABLE t (name TEXT, city TEXT)");
    let error = put(&db, &sent("text/csv", "", b"name,cityAda,ParisBen,Rome")).unwrap_err();
    assert!(error.hint().unwrap().contains("--data-binary"), "{error}");
    // A header without rows is accepted.
    let response = put(&db, &sent("text/csv", "", b"City,\"name\"")).unwrap();
    assert_eq!(response["rowsWritten"], 0);
    assert_eq!(
        made(&sent("text/csv", "create=true", b"name,city")).0,
        [""; 0]
    );
    // A quoted field of several lines contains line ends.
    assert_eq!(
        made(&sent("text/csv", "create=true", b"a\n\"x\ny\"")).0,
        ["'x\ny'"]
    );
}

#[test]
fn one_object_is_not_an_array_unless_it_holds_one_list_of_records() {
    let load = |content_type, body: &str| made(&sent(content_type, "create=true", body.as_bytes()));
    let (rows, notice) = load(
        "application/json",
        r#"{"total":2,"results":[{"a":1,"b":[{"c":1}]},{"a":2}],"next":{"page":2}}"#,
    );
    assert_eq!(rows, ["1|'[{\"c\":1}]'", "2|NULL"]);
    assert_eq!(
        notice,
        json!("The body is one object; the rows are its list results. Left out: total, next.page.")
    );
    let (rows, notice) = load("application/json", r#" {"data":{"items":[{"a":1}]}} "#);
    assert_eq!(
        (rows, notice),
        (
            vec!["1".to_owned()],
            json!("The body is one object; the rows are its list data.items.")
        )
    );
    // Objects one after another are records, like lines of NDJSON.
    let lines = "{\"a\":1,\"rows\":[{\"x\":1}]}\n{\"a\":2,\"rows\":[]}\n";
    assert_eq!(load("application/json", lines).0.len(), 2);
    assert_eq!(
        load("application/json", r#" [{"a":[{"x":1}]}] "#).0,
        ["'[{\"x\":1}]'"]
    );
    assert_eq!(
        load("application/x-ndjson", r#"{"a":1,"rows":[{"x":1}]}"#)
            .0
            .len(),
        1
    );
    // Without a media type, one object may be a line of NDJSON.
    assert_eq!(load("", r#"{"a":1}"#).0, ["1"]);
    assert_eq!(load("", r#"{"rows":[{"a":1},{"a":2}]}"#).0, ["1", "2"]);
    assert_eq!(load("text/plain", "[{\"a\":1}]").0, ["1"]);
    for (body, hint) in [
        (r#"{"title":"Solaris","year":1972}"#, "[{…}]"),
        (r#"{"ids":[1,2]}"#, "[{…}]"),
        ("{}", "[{…}]"),
        (r#"{"a":[{"x":1}],"b":[{"x":1}]}"#, "stage=true"),
    ] {
        let error = refused(&sent("application/json", "create=true", body.as_bytes()));
        assert_eq!(error.code(), "INVALID_BODY", "{body}");
        assert!(error.hint().unwrap().contains(hint), "{body}: {error}");
    }
}

#[test]
fn one_list_in_an_object_may_be_longer_than_a_record() {
    let records: Vec<String> = (0..100_000)
        .map(|id| format!("{{\"a\":{id},\"text\":\"{}\"}}", "x".repeat(80)))
        .collect();
    let body = format!("{{\"total\":100000,\"results\":[{}]}}", records.join(","));
    assert!(body.len() > 9_000_000);
    let db = database();
    put_with(
        &db,
        &Settings::default(),
        &sent("application/json", "create=true", body.as_bytes()),
        256 * 1024,
    )
    .unwrap();
    assert_eq!(
        db.dump_rows("SELECT count(*), sum(a) FROM t"),
        ["100000|4999950000"]
    );
    let body = format!(
        "{{\"results\":[{}]}}",
        [records.join(","), records.join(",")].join(",")
    );
    let error = put(
        &database(),
        &sent("application/json", "create=true", body.as_bytes()),
    )
    .unwrap_err();
    assert_eq!(error.code(), "TOO_BIG");
    // A second object shows that the first one was a record, and records must not be so long.
    let long = format!("{{\"a\":\"{}\"}}\n{{\"a\":1}}", "x".repeat(9_000_000));
    let error = put(
        &database(),
        &sent("application/json", "create=true", long.as_bytes()),
    )
    .unwrap_err();
    assert_eq!(error.code(), "TOO_BIG");
}

#[test]
fn other_types_are_rejected_with_those_that_are_read() {
    for content_type in [
        "text/html",
        "application/xml",
        "image/png",
        "multipart/form-data; boundary=x",
        "application/gzip",
        "json",
    ] {
        let error = refused(&sent(content_type, "create=true", b"a\n1\n"));
        assert_eq!(error.code(), "UNSUPPORTED_MEDIA_TYPE", "{content_type}");
        let accepted = &error.to_json()["accepted"];
        assert!(
            accepted.as_array().unwrap().contains(&json!("text/csv")),
            "{accepted}"
        );
    }
    for (body, part) in [
        (&b"\x1F\x8B\x08\0\0\0\0\0\0\x03"[..], "gzip"),
        (b"PK\x03\x04rest of it", "zip"),
        (b"a\0,\0b\0\n\0", "UTF-16"),
        (b"PAR1rest of it", "Parquet"),
        (b"<!DOCTYPE html><html></html>\n", "page"),
    ] {
        for content_type in ["", "text/csv", "application/x-ndjson", "application/json"] {
            let error = refused(&sent(content_type, "create=true", body));
            assert_eq!(error.code(), "INVALID_BODY", "{part}");
            assert!(error.to_string().contains(part), "{error}");
            assert!(error.hint().is_some());
        }
    }
    let error = refused(&sent("text/csv", "create=true", b"[{\"a\":1}]\n"));
    assert!(
        error.hint().unwrap().contains("application/json"),
        "{error}"
    );
    let error = refused(&sent("application/json", "create=true", b"a,b\n1,2\n"));
    assert!(error.hint().unwrap().contains("text/csv"), "{error}");
}

#[test]
fn a_packed_body_is_unpacked_and_its_limits_hold() {
    let gzip = |content_type, query, body| Sent {
        encoding: "gzip",
        ..sent(content_type, query, body)
    };
    let one = packed(b"a;b\n1;x\n");
    assert_eq!(made(&gzip("text/csv", "create=true", &one)).0, ["1|'x'"]);
    let two = [one.clone(), packed(b"2;y\n")].concat();
    assert_eq!(
        made(&gzip("text/csv", "create=true", &two)).0,
        ["1|'x'", "2|'y'"]
    );
    let json = packed(br#"{"results":[{"a":1}]}"#);
    assert_eq!(
        made(&gzip("application/json", "create=true", &json)).0,
        ["1"]
    );
    let bytes: Vec<u8> = (1..200_u8).cycle().take(5_000).collect();
    for bad in [&b"a,b\n1,2\n"[..], b"", &two[..two.len() - 3], &bytes] {
        let error = put(&database(), &gzip("text/csv", "create=true", bad)).unwrap_err();
        assert_eq!(error.code(), "INVALID_BODY");
        assert!(
            error.hint().unwrap().contains("content-encoding"),
            "{error}"
        );
    }
    for encoding in ["br", "deflate", "zstd", "compress", "gzip, br"] {
        let sent = Sent {
            encoding,
            ..sent("text/csv", "create=true", b"a\n1\n")
        };
        let error = refused(&sent);
        assert_eq!(error.code(), "UNSUPPORTED_MEDIA_TYPE", "{encoding}");
        assert_eq!(error.to_json()["accepted"], json!(["gzip", "identity"]));
    }
    // 100 MB of rows in 100 KB: the limit applies to the unpacked size.
    let bomb = packed(&[&b"a\n"[..], &b"xxxxxxxxx\n".repeat(10_000_000)].concat());
    assert!(bomb.len() < 200_000);
    let small = Settings {
        max_load_bytes: 1_000_000,
        ..Settings::default()
    };
    let db = database();
    for query in ["create=true", "create=true&delimiter=,"] {
        let error = put_with(&db, &small, &gzip("text/csv", query, &bomb), usize::MAX).unwrap_err();
        assert_eq!(error.code(), "PAYLOAD_TOO_LARGE");
    }
    let error = put(&db, &gzip("application/json", "stage=true", &bomb)).unwrap_err();
    assert_eq!(error.code(), "PAYLOAD_TOO_LARGE");
    assert!(
        db.dump_rows("SELECT name FROM sqlite_schema WHERE name = 't'")
            .is_empty()
    );
    assert!(db.dump_rows("SELECT 1 FROM _codemode_stage").is_empty());
}

#[test]
fn nested_records_become_tables_where_they_are_staged() {
    let body = br#"{"total":2,"results":[{"id":1,"authors":[{"name":"Ada"},{"name":"Ben"}]},{"id":2,"authors":[]}]}"#;
    let db = database();
    let response = put(&db, &sent("application/json", "stage=true", body)).unwrap();
    assert_eq!(response["success"], true);
    assert_eq!(response["staged"], true);
    assert_eq!(response["rowsWritten"], 5);
    let names: Vec<&str> = response["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| table["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["t", "t_info", "t_authors"]);
    assert_eq!(
        db.dump_rows(
            "SELECT t.id, a.name FROM t JOIN t_authors AS a ON a.parent_row_id = t.row_id"
        ),
        ["1|'Ada'", "1|'Ben'"]
    );
    // On a second load the tables are replaced, whatever the form of the body.
    for (content_type, body) in [
        (
            "application/x-ndjson",
            &b"{\"id\":3,\"authors\":[{\"name\":\"Cem\"}]}\n{\"id\":4}\n"[..],
        ),
        (
            "application/json",
            b"[{\"id\":3,\"authors\":[{\"name\":\"Cem\"}]},{\"id\":4}]",
        ),
        ("", b"{\"id\":3,\"authors\":[{\"name\":\"Cem\"}]}{\"id\":4}"),
    ] {
        let response = put(&db, &sent(content_type, "stage=true&create=true", body)).unwrap();
        assert_eq!(response["rowsWritten"], 3, "{response}");
        assert_eq!(db.dump_rows("SELECT id FROM t"), ["3", "4"]);
        assert_eq!(
            db.dump_rows("SELECT name, parent_row_id FROM t_authors"),
            ["'Cem'|1"]
        );
    }
    let id = response["dataAccessId"].as_str().unwrap();
    let query =
        json!({ "operation": "queryStagedData", "id": id, "sql": "SELECT count(*) AS n FROM t" });
    assert_eq!(call(&db, &query.to_string())["results"][0]["n"], 2);
}

#[test]
fn staging_touches_no_table_of_the_caller_and_takes_json_alone() {
    let db = with("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    let error = put(&db, &sent("application/json", "stage=true", b"[{\"a\":2}]")).unwrap_err();
    assert_eq!(error.code(), "ALREADY_EXISTS");
    assert_eq!(db.dump_rows("SELECT * FROM t"), ["1"]);
    for (content_type, query, body) in [
        ("text/csv", "stage=true", &b"a\n1\n"[..]),
        ("application/json", "stage=true&onConflict=ignore", b"[]"),
        ("application/json", "stage=yes", b"[]"),
    ] {
        let error = refused(&sent(content_type, query, body));
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{query}");
    }
    for body in [&b"a,b\n1,2\n"[..], b"{\"a\":", b"[1,]", b"\xFF\xFF"] {
        let error = refused(&sent("application/json", "stage=true", body));
        assert_eq!(error.code(), "INVALID_BODY");
    }
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    assert_eq!(
        refused(&sent("application/json", "stage=true", deep.as_bytes())).code(),
        "INVALID_BODY"
    );
    let few = Settings {
        max_staged_rows: 2,
        ..Settings::default()
    };
    let db = database();
    let error = put_with(
        &db,
        &few,
        &sent(
            "application/json",
            "stage=true",
            b"[{\"a\":1},{\"a\":2},{\"a\":3}]",
        ),
        usize::MAX,
    )
    .unwrap_err();
    assert_eq!(error.code(), "STAGED_TOO_LARGE");
    assert!(
        error.to_string().starts_with("the body has 3 rows"),
        "{error}"
    );
}

#[test]
fn tables_that_are_drawn_and_pages_are_no_csv() {
    for (body, what) in [
        (
            " a | b \n---+---\n 1 | 2\n(1 row)\n",
            "a table drawn with lines",
        ),
        (
            "+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n+---+---+\n",
            "a table drawn with lines",
        ),
        ("\u{feff}\n+====+\n| a  |\n", "a table drawn with lines"),
        ("\n <!DOCTYPE html>\n<p>x</p>\n", "an HTML page or XML"),
        (
            "<table>\n<tr><td>1</td></tr>\n</table>\n",
            "an HTML page or XML",
        ),
    ] {
        let error = refused(&sent("text/csv", "create=true", body.as_bytes()));
        assert_eq!(error.code(), "INVALID_BODY", "{body}");
        assert!(error.to_string().contains(what), "{body}: {error}");
        assert!(
            error.hint().is_some_and(|hint| hint.contains("CSV")),
            "{body}"
        );
    }
    // A header of hyphens and one of plus signs are headers.
    for body in ["a-b,c+d\n---,+++\n1,2\n", "a,b\n-,+\n"] {
        made(&sent("text/csv", "create=true", body.as_bytes()));
    }
}

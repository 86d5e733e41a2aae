//! Large results in tables: nothing of a result is lost.

use sandbox::limits::{MAX_EXECUTION_RESULT_BYTES, MAX_INLINE_RESULT_RECORDS};
use sandbox::result_table::{ResultReply, keep};
use serde_json::{Value, json};

use super::in_session;
use test_support::HostDatabase;
use test_support::database;

const ID: &str = "0123456789abcdef";

fn kept(db: &HostDatabase, text: String) -> ResultReply {
    in_session(db, |session| keep(session, ID, text)).unwrap()
}

fn receipt(db: &HostDatabase, result: &Value) -> Value {
    match kept(db, result.to_string()) {
        ResultReply::Staged(receipt) => serde_json::from_str(&receipt).unwrap(),
        ResultReply::Inline(_) => panic!("the result was answered as it is"),
    }
}

fn rows(db: &HostDatabase, sql: &str) -> Vec<String> {
    db.dump_rows(sql)
}

#[test]
fn a_small_result_is_answered_as_it_is() {
    let db = database();
    for text in [
        "null",
        "1",
        "[1,2]",
        r#"{"a":[{"b":1}]}"#,
        "12345678901234567890",
        "\"x\"",
    ] {
        assert_eq!(
            kept(&db, text.to_owned()),
            ResultReply::Inline(text.to_owned())
        );
    }
    assert!(
        rows(
            &db,
            "SELECT name FROM sqlite_schema WHERE name LIKE 'result%'"
        )
        .is_empty()
    );
}

#[test]
fn many_records_become_rows() {
    let db = database();
    let records: Vec<Value> = (0..=MAX_INLINE_RESULT_RECORDS)
        .map(|n| json!({ "n": n, "name": format!("name {n}"), "tags": ["a", n] }))
        .collect();
    let receipt = receipt(&db, &json!(records));
    assert_eq!(receipt["table"], "result_01234567");
    assert_eq!(receipt["rows"], MAX_INLINE_RESULT_RECORDS + 1);
    assert_eq!(receipt["columns"], json!(["n", "name", "tags"]));
    assert_eq!(receipt["sample"].as_array().unwrap().len(), 3);
    assert_eq!(
        rows(
            &db,
            "SELECT count(*), sum(n), max(tags) FROM result_01234567"
        ),
        ["1001|500500|'[\"a\",9]'"]
    );
}

#[test]
fn as_many_records_as_fit_stay() {
    let records: Vec<Value> = (0..MAX_INLINE_RESULT_RECORDS)
        .map(|n| json!({ "n": n }))
        .collect();
    assert!(matches!(
        kept(&database(), json!(records).to_string()),
        ResultReply::Inline(_)
    ));
}

#[test]
fn records_that_no_table_has_columns_for_become_a_list() {
    let db = database();
    let wide: serde_json::Map<String, Value> =
        (0..150).map(|n| (format!("key_{n}"), json!(n))).collect();
    let records = vec![Value::Object(wide); MAX_INLINE_RESULT_RECORDS + 1];
    let receipt = receipt(&db, &json!(records));
    assert_eq!(receipt["columns"], json!(["position", "value"]));
    assert_eq!(
        rows(
            &db,
            "SELECT count(*), sum(value->>'key_149') FROM result_01234567"
        ),
        ["1001|149149"]
    );
}

#[test]
fn a_large_list_a_large_object_and_a_large_text_lose_nothing() {
    let list = json!((0..300_000).collect::<Vec<u32>>());
    let db = database();
    assert_eq!(receipt(&db, &list)["columns"], json!(["position", "value"]));
    assert_eq!(
        rows(
            &db,
            "SELECT count(*), sum(value), sum(position) FROM result_01234567"
        ),
        ["300000|44999850000|44999850000"]
    );

    let object = json!({ "b": "x".repeat(800_000), "a": "y".repeat(800_000), "n": 7 });
    let db = database();
    assert_eq!(receipt(&db, &object)["columns"], json!(["key", "value"]));
    assert_eq!(
        rows(&db, "SELECT key, length(value) FROM result_01234567"),
        ["'b'|800000", "'a'|800000", "'n'|1"]
    );

    let text = "é\"\n".repeat(600_000);
    let db = database();
    assert_eq!(
        receipt(&db, &json!(text))["columns"],
        json!(["part", "text"])
    );
    let parts = rows(&db, "SELECT text FROM result_01234567 ORDER BY part");
    let joined: String = parts.iter().map(|part| part.trim_matches('\'')).collect();
    assert_eq!(joined, text);
}

#[test]
fn a_value_too_large_for_a_row_is_kept_in_pieces_of_json() {
    let object = json!({ "a": "x".repeat(3_000_000), "n": [1, 2] });
    let db = database();
    assert_eq!(receipt(&db, &object)["columns"], json!(["part", "text"]));
    let parts = rows(&db, "SELECT text FROM result_01234567 ORDER BY part");
    let text: String = parts.iter().map(|part| part.trim_matches('\'')).collect();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), object);
}

#[test]
fn the_sample_of_a_receipt_is_short() {
    let records = vec![json!({ "text": "x".repeat(5_000) }); 300];
    let receipt = receipt(&database(), &json!(records));
    assert!(receipt.to_string().len() < 1_500);
}

#[test]
fn what_is_no_json_or_too_large_is_refused() {
    let db = database();
    for text in ["", "{", "[1,]", "{}}", "nul", "[1] 2"] {
        let error = in_session(&db, |session| keep(session, ID, text.to_owned())).unwrap_err();
        assert_eq!(error.code(), "INVALID_BODY", "{text}");
    }
    let large = format!("\"{}\"", "x".repeat(MAX_EXECUTION_RESULT_BYTES));
    let error = in_session(&db, |session| keep(session, ID, large)).unwrap_err();
    assert_eq!(error.code(), "PAYLOAD_TOO_LARGE");
}

#[test]
fn json_nested_without_end_is_no_trouble() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let outcome = in_session(&database(), |session| keep(session, ID, deep.clone()));
    assert!(matches!(outcome, Ok(ResultReply::Inline(text)) if text == deep));
}

//! Results page by page: `limit`, `offset` and `maxBytes`.

use serde_json::{Value, json};
use session::Settings;
use session::dispatch;

use super::{call, fail, with};
use test_support::{HostDatabase, Stand, body};

fn numbers() -> HostDatabase {
    with(
        "CREATE TABLE n (i INTEGER PRIMARY KEY, t TEXT, b BLOB); \
         INSERT INTO n SELECT value, printf('%.*c', value, 'x'), NULL FROM json_each('[1,2,3,4,5,6,7,8,9,10]')",
    )
}

fn page(db: &HostDatabase, operation: &str, sql: &str, fields: &Value) -> Value {
    let mut request = json!({"operation": operation, "sql": sql, "rowFormat": "array"});
    for (name, value) in fields.as_object().unwrap() {
        request[name] = value.clone();
    }
    call(db, &request.to_string())
}

const SQL: &str = "SELECT i, t FROM n ORDER BY i";

fn first_and_count(answer: &Value) -> (Value, Value, Value) {
    (
        answer["results"][0][0].clone(),
        answer["rowCount"].clone(),
        answer["truncated"].clone(),
    )
}

#[test]
fn offset_skips_rows_of_every_statement_that_reads() {
    let db = numbers();
    for operation in ["query", "exec"] {
        for (fields, first, count, truncated) in [
            (json!({"offset": 0}), json!(1), 10, false),
            (json!({"offset": null}), json!(1), 10, false),
            (json!({"offset": 3}), json!(4), 7, false),
            (json!({"offset": 3, "limit": 2}), json!(4), 2, true),
            (json!({"offset": 8, "limit": 2}), json!(9), 2, false),
            (json!({"offset": 9, "limit": 2}), json!(10), 1, false),
            (json!({"offset": 10}), json!(null), 0, false),
            (json!({"offset": 3, "limit": 0}), json!(null), 0, true),
            (json!({"offset": u64::MAX}), json!(null), 0, false),
            (
                json!({"offset": u64::MAX, "maxBytes": 10}),
                json!(null),
                0,
                false,
            ),
        ] {
            assert_eq!(
                first_and_count(&page(&db, operation, SQL, &fields)),
                (first, json!(count), json!(truncated)),
                "{operation} {fields}"
            );
        }
    }
}

#[test]
fn a_statement_with_a_limit_of_its_own_is_paged_within_it() {
    let db = numbers();
    let sql = "SELECT i FROM n ORDER BY i LIMIT 5 OFFSET 1";
    let last = page(&db, "query", sql, &json!({"offset": 3, "limit": 9}));
    assert_eq!(last["results"], json!([[5], [6]]));
    let values = page(&db, "query", "VALUES (1), (2), (3)", &json!({"offset": 2}));
    assert_eq!(values["results"], json!([[3]]));
}

#[test]
fn max_bytes_bounds_the_text_of_the_rows_and_pages_join_without_a_gap() {
    let db = numbers();
    let everything = page(&db, "query", SQL, &json!({}))["results"].clone();
    for max_bytes in 1..200 {
        let (mut offset, mut rows) = (0, Vec::new());
        loop {
            let fields = json!({"offset": offset, "maxBytes": max_bytes});
            let answer = page(&db, "query", SQL, &fields);
            let text = raw_results(&db, offset, max_bytes);
            let list = answer["results"].as_array().unwrap();
            assert_eq!(answer["rowCount"], list.len());
            assert!(
                text.len() <= max_bytes || list.len() == 1,
                "{max_bytes}: {text}"
            );
            assert!(!list.is_empty(), "{max_bytes}");
            offset += list.len();
            rows.extend(list.clone());
            if answer["truncated"] == false {
                break;
            }
        }
        assert_eq!(Value::from(rows), everything, "{max_bytes}");
    }
}

/// Returns the list exactly as it is in the response.
fn raw_results(db: &HostDatabase, offset: usize, max_bytes: usize) -> String {
    let settings = Settings::default();
    let stand = Stand::new(&settings);
    let request = json!({"operation": "query", "sql": SQL, "rowFormat": "array", "offset": offset, "maxBytes": max_bytes});
    let answer = dispatch(&stand.session(db), &request.to_string()).unwrap();
    answer.json("results").unwrap().to_owned()
}

#[test]
fn values_are_measured_as_they_are_sent() {
    let db = with("CREATE TABLE v (i INTEGER PRIMARY KEY, x)");
    db.script("INSERT INTO v(x) VALUES (zeroblob(60)), (9e999), (-9e999), ('é\"'), (NULL)");
    let whole = page(&db, "query", "SELECT x FROM v ORDER BY i", &json!({}));
    for max_bytes in 1..300 {
        let fields = json!({"maxBytes": max_bytes});
        let answer = page(&db, "query", "SELECT x FROM v ORDER BY i", &fields);
        let rows = answer["results"].as_array().unwrap();
        // serde writes no line feed between rows, so its text is never longer.
        let length = answer["results"].to_string().len();
        assert!(length <= max_bytes || rows.len() == 1, "{max_bytes}");
        let expected = whole["results"].as_array().unwrap().get(..rows.len());
        assert_eq!(Some(rows.as_slice()), expected);
    }
}

fn under(environment: &[(&str, &str)], db: &HostDatabase, request: &Value) -> Value {
    let settings = super::settings(environment);
    let stand = Stand::new(&settings);
    body(&dispatch(&stand.session(db), &request.to_string()).unwrap())
}

#[test]
fn the_limits_of_the_deployment_hold_for_pages() {
    let db = numbers();
    let request = json!({"operation": "query", "sql": SQL, "rowFormat": "array", "maxBytes": 1_000_000, "limit": 100});
    let rows = under(&[("MAX_RESULT_ROWS", "3")], &db, &request);
    assert_eq!(
        (&rows["rowCount"], &rows["truncated"]),
        (&json!(3), &json!(true))
    );
    let bytes = under(&[("MAX_RESULT_BYTES", "20")], &db, &request);
    assert_eq!(bytes["results"], json!([[1, "x"], [2, "xx"]]));
    assert_eq!(bytes["truncated"], true);
    // The first row alone is larger than the deployment allows.
    let long =
        json!({"operation": "query", "sql": SQL, "rowFormat": "array", "maxBytes": 5, "offset": 9});
    let none = under(&[("MAX_RESULT_BYTES", "10")], &db, &long);
    assert_eq!(
        (&none["results"], &none["rowCount"], &none["truncated"]),
        (&json!([]), &json!(0), &json!(true))
    );
}

#[test]
fn the_rows_of_a_write_are_bounded_and_never_skipped() {
    let db = numbers();
    let insert = "INSERT INTO n(i, t) VALUES (11, 'a'), (12, 'b'), (13, 'c') RETURNING i, t";
    let answer = page(&db, "exec", insert, &json!({"maxBytes": 19, "offset": 0}));
    assert_eq!(answer["results"], json!([[11, "a"]]));
    assert_eq!(
        (&answer["truncated"], &answer["changes"]),
        (&json!(true), &json!(3))
    );
    for sql in [
        "INSERT INTO n(i) VALUES (20) RETURNING i",
        "INSERT INTO n(i) VALUES (20)",
        "CREATE TABLE made (x)",
    ] {
        let request = json!({"operation": "exec", "sql": sql, "offset": 1});
        let error = fail(&db, &request.to_string());
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{sql}");
        assert!(error.to_string().contains("offset"), "{error}");
    }
    assert_eq!(db.dump_rows("SELECT count(*) FROM n"), ["13"]);
}

#[test]
fn a_plan_is_paged_as_other_rows_are() {
    let db = numbers();
    let sql = "EXPLAIN QUERY PLAN SELECT * FROM n AS a UNION SELECT * FROM n AS b";
    let all = page(&db, "query", sql, &json!({}));
    let lines = all["results"].as_array().unwrap();
    assert!(lines.len() > 2);
    let second = page(&db, "query", sql, &json!({"offset": 1, "limit": 1}));
    assert_eq!(second["results"][0], lines[1]);
    assert_eq!(second["truncated"], true);
    let first = page(&db, "query", sql, &json!({"maxBytes": 1}));
    assert_eq!(first["results"], json!([lines[0]]));
}

#[test]
fn what_is_no_number_of_rows_or_bytes_is_refused() {
    let db = numbers();
    for field in ["offset", "maxBytes", "limit"] {
        for value in [json!(-1), json!(1.5), json!("1"), json!(true), json!([1])] {
            let mut request = json!({"operation": "query", "sql": SQL});
            request[field] = value;
            let error = fail(&db, &request.to_string());
            assert_eq!(error.code(), "INVALID_ARGUMENT", "{request}");
            assert!(error.to_string().contains(field), "{error}");
        }
    }
    let zero = json!({"operation": "query", "sql": SQL, "maxBytes": 0});
    assert_eq!(fail(&db, &zero.to_string()).code(), "INVALID_ARGUMENT");
}

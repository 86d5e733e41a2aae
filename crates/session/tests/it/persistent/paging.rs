//! Results of persistent tables page by page.

use serde_json::{Value, json};

use super::{HostRemote, exec, operation};

fn numbers() -> HostRemote {
    let remote = HostRemote::new();
    exec(
        &remote,
        "acme",
        "CREATE TABLE n(i INTEGER PRIMARY KEY, t TEXT)",
    );
    exec(
        &remote,
        "acme",
        "INSERT INTO n SELECT value, printf('%.*c', value, 'x') FROM json_each('[1,2,3,4,5,6,7,8,9,10]')",
    );
    remote
}

fn page(remote: &HostRemote, name: &str, fields: &Value) -> Value {
    let mut request =
        json!({"operation": name, "sql": "SELECT i, t FROM n ORDER BY i", "rowFormat": "array"});
    for (name, value) in fields.as_object().unwrap() {
        request[name] = value.clone();
    }
    operation(remote, "acme", &request).unwrap_or_else(|error| panic!("{error:?}: {request}"))
}

#[test]
fn offset_and_limit_choose_the_rows() {
    let remote = numbers();
    for (fields, first, count, truncated) in [
        (json!({"offset": 3}), json!(4), 7, false),
        (json!({"offset": 3, "limit": 2}), json!(4), 2, true),
        (json!({"offset": 8, "limit": 2}), json!(9), 2, false),
        (json!({"offset": 10}), json!(null), 0, false),
        (json!({"offset": u64::MAX}), json!(null), 0, false),
        (
            json!({"offset": u64::MAX, "maxBytes": 1}),
            json!(null),
            0,
            false,
        ),
    ] {
        for name in ["query", "exec"] {
            let answer = page(&remote, name, &fields);
            assert_eq!(
                (
                    &answer["results"][0][0],
                    &answer["rowCount"],
                    &answer["truncated"]
                ),
                (&first, &json!(count), &json!(truncated)),
                "{name} {fields}"
            );
        }
    }
}

#[test]
fn pages_of_any_size_join_without_a_gap() {
    let remote = numbers();
    let everything = page(&remote, "query", &json!({}))["results"].clone();
    for max_bytes in [1, 7, 8, 9, 20, 40, 90, 150, 1_000] {
        let (mut offset, mut rows) = (0, Vec::new());
        loop {
            let fields = json!({"offset": offset, "maxBytes": max_bytes, "limit": 4});
            let answer = page(&remote, "query", &fields);
            let list = answer["results"].as_array().unwrap();
            let length = answer["results"].to_string().len() + list.len() - 1;
            assert!(length <= max_bytes || list.len() == 1, "{answer}");
            offset += list.len();
            rows.extend(list.clone());
            if answer["truncated"] == false {
                break;
            }
        }
        assert_eq!(Value::from(rows), everything, "{max_bytes}");
    }
}

#[test]
fn the_rows_of_a_write_are_bounded_and_never_skipped() {
    let remote = numbers();
    let insert = "INSERT INTO n(i, t) VALUES (11, 'a'), (12, 'b') RETURNING i, t";
    let answer = page(&remote, "exec", &json!({"sql": insert, "maxBytes": 12}));
    assert_eq!(answer["results"], json!([[11, "a"]]));
    assert_eq!(
        (&answer["truncated"], &answer["changes"]),
        (&json!(true), &json!(2))
    );
    let request = json!({"operation": "exec", "sql": "DELETE FROM n RETURNING i", "offset": 1});
    let error = operation(&remote, "acme", &request).unwrap_err();
    assert_eq!(error.code(), "INVALID_ARGUMENT");
    let count = page(&remote, "query", &json!({"sql": "SELECT count(*) FROM n"}));
    assert_eq!(count["results"], json!([[12]]));
}

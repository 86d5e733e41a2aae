//! The engine's errors about its limits, each with a hint about the limit that was reached.

use base::Error;
use serde_json::json;

use test_support::{fail, with};

/// Returns the error of a statement over tables of two columns.
fn complaint(text: &str) -> Error {
    let db = with("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)");
    let operation = if text.starts_with("SELECT") {
        "query"
    } else {
        "exec"
    };
    fail(
        &db,
        &json!({ "operation": operation, "sql": text }).to_string(),
    )
}

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(", ")
}

#[test]
fn each_limit_of_the_engine_has_a_hint_of_its_own() {
    for (text, word) in [
        (
            format!(
                "SELECT {}",
                list(101, |number| format!("{number} AS c{number}"))
            ),
            "100 columns",
        ),
        (
            format!(
                "CREATE TABLE wide ({})",
                list(101, |number| format!("c{number}"))
            ),
            "100 columns",
        ),
        (
            format!(
                "SELECT a FROM t ORDER BY {}",
                list(101, |number| format!("a + {number}"))
            ),
            "ORDER BY",
        ),
        (
            format!(
                "SELECT a FROM t GROUP BY {}",
                list(101, |number| format!("a + {number}"))
            ),
            "GROUP BY",
        ),
        (
            format!(
                "SELECT coalesce({})",
                list(200, |number| number.to_string())
            ),
            "fewer arguments",
        ),
        (
            format!(
                "SELECT 1 FROM {}",
                list(65, |number| format!("(SELECT 1 LIMIT 1) AS t{number}"))
            ),
            "64 tables",
        ),
        (
            "SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6"
                .to_owned(),
            "5 SELECTs",
        ),
    ] {
        let error = complaint(&text);
        let hint = error.hint().unwrap_or_default();
        assert_eq!(error.code(), "TOO_BIG", "{error}: {text:.80}");
        assert!(hint.contains(word), "{error}: {hint}");
        assert!(!hint.contains("2 MB"), "{error}: {hint}");
    }
}

#[test]
fn a_value_that_is_too_long_is_told_so() {
    let error = complaint("INSERT INTO t (a) SELECT hex(randomblob(1500000))");
    assert_eq!(error.code(), "TOO_BIG");
    assert!(error.hint().unwrap().contains("2 MB"), "{error}");
}

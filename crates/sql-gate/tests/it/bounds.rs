use crate::review;

fn too_big(text: &str) {
    assert!(
        review(text).is_err_and(|error| error.code() == "TOO_BIG"),
        "{:.60} … {} bytes",
        text,
        text.len()
    );
}

fn nested(open: &str, inner: &str, close: &str, times: usize) -> String {
    format!("{}{inner}{}", open.repeat(times), close.repeat(times))
}

#[test]
fn text_over_the_limit_is_refused_before_it_is_read() {
    too_big(&format!("SELECT '{}'", "x".repeat(100_000)));
    assert!(review(&format!("SELECT '{}'", "x".repeat(99_990))).is_ok());
}

#[test]
fn deep_nesting_is_refused_before_it_is_parsed() {
    for times in [51, 1_000, 16_000] {
        too_big(&format!("SELECT {}", nested("(", "1", ")", times)));
        too_big(&format!(
            "SELECT {}",
            nested("(SELECT ", "1", ")", times.min(9_000))
        ));
        too_big(&format!(
            "SELECT {}",
            nested("CASE WHEN 1 THEN ", "1", " END", times.min(4_000))
        ));
    }
    for times in [1_000, 20_000] {
        too_big(&format!("SELECT {}1", "NOT ".repeat(times)));
        too_big(&format!("SELECT {}1", "- ".repeat(times)));
        too_big(&format!("SELECT 1{}", "+1".repeat(times)));
        too_big(&format!(
            "SELECT 1{}",
            " UNION SELECT 1".repeat(times.min(6_000))
        ));
        too_big(&format!("SELECT a{}", "->'b'".repeat(times.min(15_000))));
    }
}

#[test]
fn brackets_full_of_operators_add_up() {
    // Each level is within bounds by itself, but together they are one tree of that height.
    let level = "+1".repeat(40);
    too_big(&format!(
        "SELECT {}",
        nested("(", "1", &format!("){level}"), 20)
    ));
}

#[test]
fn nesting_within_the_bounds_is_parsed() {
    assert!(review(&format!("SELECT {}", nested("(", "1", ")", 49))).is_ok());
    assert!(review(&format!("SELECT {}", nested("(SELECT ", "1", ")", 45))).is_ok());
    assert!(review(&format!("SELECT 1{}", "+1".repeat(200))).is_ok());
    let values = vec!["(1, 'x')"; 5_000].join(", ");
    assert!(review(&format!("INSERT INTO t VALUES {values}")).is_ok());
    let list: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
    assert!(review(&format!("SELECT a FROM t WHERE a IN ({})", list.join(","))).is_ok());
}

#[test]
fn a_long_list_of_names_is_refused_before_names_are_compared_pairwise() {
    let names: Vec<String> = (0..9_000).map(|number| format!("c{number}")).collect();
    too_big(&format!("INSERT INTO t ({}) VALUES (1)", names.join(",")));
}

#[test]
fn unbalanced_and_odd_text_is_an_error_and_no_panic() {
    for text in [
        "(((((",
        ")))))",
        "CASE CASE CASE",
        "END END",
        "WITH",
        "WITH a",
        "WITH a AS",
        "RETURNING",
        "SELECT ?0",
        "SELECT ?99999999999999999999",
        "\u{feff}",
        "é",
        "'",
        "[",
        "`",
        "\"",
        "/*",
        "--",
        "x'0",
        "0x",
        "1e",
        ".",
        "#1",
        "$",
        ":",
        "@",
    ] {
        assert!(review(text).is_err(), "{text}");
    }
}

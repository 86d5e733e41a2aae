//! The SQL in a hint computes the same as the other database.

use serde_json::{Value, json};
use sql_gate::dialect::function_hints;

use super::{code, database, send};

/// Returns the SQL pieces of the hint for a function.
fn sql_for(name: &str) -> Vec<&'static str> {
    let (_, hint) = function_hints()
        .iter()
        .find(|(names, _)| names.split(' ').any(|known| known == name))
        .unwrap_or_else(|| panic!("{name} has a hint"));
    code(hint)
}

/// Returns the last column of the rows of an expression or query over rows of `x`, `y`, `a`, `b`,
/// `n`, `g` and `doc`.
fn values(sql: &str, rows: &Value) -> Vec<Value> {
    let db = database();
    db.script("DELETE FROM t");
    let insert = "INSERT INTO t (x, y, a, b, n, g, doc) SELECT value ->> 'x', value ->> 'y', value ->> 'a', value ->> 'b', value ->> 'n', value ->> 'g', \
                  value ->> 'doc' FROM json_each(?)";
    send(&db, insert, &json!([rows.to_string()])).unwrap();
    let sql = if sql.starts_with("SELECT") || sql.starts_with("WITH") {
        sql.to_owned()
    } else {
        format!("SELECT {sql} FROM t")
    };
    let answer = send(&db, &sql, &json!([])).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let rows = answer["results"].as_array().unwrap();
    let last = |row: &Value| row.as_array().unwrap().last().cloned();
    rows.iter().filter_map(last).collect()
}

fn is_close(found: &Value, wanted: &Value) -> bool {
    match (found.as_f64(), wanted.as_f64()) {
        (Some(found), Some(wanted)) => (found - wanted).abs() < 1e-9 * wanted.abs().max(1.0),
        _ => found == wanted,
    }
}

/// Checks one value of one row.
fn check(name: &str, place: usize, row: &Value, wanted: &Value) {
    check_rows(name, place, &json!([row]), std::slice::from_ref(wanted));
}

fn check_rows(name: &str, place: usize, rows: &Value, wanted: &[Value]) {
    let sql = sql_for(name)[place];
    let found = values(sql, rows);
    assert!(
        found.len() == wanted.len()
            && found
                .iter()
                .zip(wanted)
                .all(|(one, other)| is_close(one, other)),
        "{name}: {sql}: {found:?} instead of {wanted:?}"
    );
}

/// Returns rows of one column.
fn column(name: &str, values: &[f64]) -> Value {
    values.iter().map(|value| json!({ name: value })).collect()
}

/// 2, 4, 4, 4, 5, 5, 7, 9: the mean is 5, and the variance of the population is 4.
const SAMPLE: [f64; 8] = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];

#[test]
fn aggregates_are_those_of_the_other_databases() {
    let sample = column("x", &SAMPLE);
    let even = column("x", &[1.0, 10.0, 2.0, 3.0]);
    check_rows("median", 0, &even, &[json!(2.5)]);
    check_rows("median", 0, &column("x", &[9.0, 1.0, 5.0]), &[json!(5)]);
    check_rows("var_pop", 0, &sample, &[json!(4)]);
    check_rows("stddev_pop", 0, &sample, &[json!(2)]);
    check_rows("variance", 0, &sample, &[json!(32.0 / 7.0)]);
    check_rows("stddev", 0, &sample, &[json!((32.0_f64 / 7.0).sqrt())]);
    // Position 0.9 · 3 = 2.7 between the third and the fourth value.
    check_rows("percentile_cont", 0, &even, &[json!(7.9)]);
    check_rows("percentile_disc", 0, &even, &[json!(10)]);
    check_rows("mode", 0, &sample, &[json!(4)]);
    check_rows("product", 0, &column("x", &[2.0, 3.0, 4.0]), &[json!(24)]);
    check_rows("countif", 0, &column("x", &[-1.0, 1.0, 2.0]), &[json!(2)]);
    let groups = json!([{"g": "a", "x": 1, "y": 5}, {"g": "a", "x": 2, "y": 9}, {"g": "a", "x": 3, "y": 1}, {"g": "b", "x": 7, "y": 1}]);
    check_rows("median", 1, &groups, &[json!(2), json!(7)]);
    let best: Vec<Value> = values(
        &sql_for("arg_max")[0].replace("g, x, max(y)", "max(y), x"),
        &groups,
    );
    assert_eq!(best, [json!(2), json!(7)]);
}

#[test]
fn correlation_and_regression_follow_the_line() {
    let line: Value = (1..=5).map(|x| json!({ "x": x, "y": 3 * x + 2 })).collect();
    check_rows("corr", 0, &line, &[json!(1)]);
    check_rows("regr_slope", 0, &line, &[json!(3)]);
    check_rows("regr_intercept", 0, &line, &[json!(2)]);
    check_rows("covar_pop", 0, &line, &[json!(6)]);
    check_rows("covar_samp", 0, &line, &[json!(7.5)]);
}

#[test]
fn texts_are_cut_and_filled_alike() {
    check("left", 0, &json!({"x": "abcdef", "n": 2}), &json!("ab"));
    check("right", 0, &json!({"x": "abcdef", "n": 2}), &json!("ef"));
    check("repeat", 0, &json!({"x": "ab", "n": 3}), &json!("ababab"));
    check("space", 0, &json!({"n": 3}), &json!("   "));
    check("reverse", 0, &json!({"x": "abc"}), &json!("cba"));
    check("lpad", 0, &json!({"x": "ab", "n": 4}), &json!("  ab"));
    check("lpad", 1, &json!({"x": 42}), &json!("00042"));
    check("rpad", 0, &json!({"x": "ab", "n": 4}), &json!("ab  "));
    check("initcap", 0, &json!({"x": "hELLO"}), &json!("Hello"));
    check("split_part", 0, &json!({"x": "a\"1,b,c"}), &json!("b"));
    check_rows(
        "string_split",
        0,
        &json!([{"x": "a\"1,b"}]),
        &[json!("a\"1"), json!("b")],
    );
    check("substring_index", 0, &json!({"x": "ab,c"}), &json!("ab"));
    check("substring_index", 0, &json!({"x": "ab"}), &json!("ab"));
    check("starts_with", 0, &json!({"x": "party"}), &json!(1));
    check("ends_with", 0, &json!({"x": "apart"}), &json!(1));
    check(
        "stuff",
        0,
        &json!({"x": "abcdef", "a": 2, "n": 3, "y": "-"}),
        &json!("a-ef"),
    );
    check(
        "find_in_set",
        0,
        &json!({"x": "b", "y": "a,b,c"}),
        &json!(1),
    );
}

#[test]
fn dates_are_taken_apart_and_moved_alike() {
    let noon = json!({"x": "2024-05-17 12:34:56", "y": "2023-11-02 00:00:00"});
    check("year", 0, &noon, &json!(2024));
    check("month", 0, &noon, &json!(5));
    check("quarter", 0, &noon, &json!(2));
    check("dayofweek", 0, &noon, &json!(5));
    check("dayofyear", 0, &noon, &json!(138));
    check("dayname", 0, &noon, &json!("Fri"));
    check("monthname", 0, &noon, &json!("May"));
    check("date_trunc", 0, &noon, &json!("2024-05-01"));
    check("date_trunc", 1, &noon, &json!("2024-01-01"));
    check("date_trunc", 2, &noon, &json!("2024-05-17"));
    check("date_trunc", 3, &noon, &json!("2024-05-17 12:00:00"));
    check("date_trunc", 4, &noon, &json!("2024-05-13"));
    check(
        "date_trunc",
        4,
        &json!({"x": "2024-05-19"}),
        &json!("2024-05-13"),
    );
    check(
        "datediff",
        0,
        &json!({"x": "2024-03-01", "y": "2024-02-01"}),
        &json!(29),
    );
    check(
        "datediff",
        1,
        &json!({"x": "2024-03-01", "y": "2024-02-29"}),
        &json!(86_400),
    );
    check("months_between", 0, &noon, &json!(6));
    check(
        "date_add",
        0,
        &json!({"x": "2024-02-28"}),
        &json!("2024-02-29"),
    );
    check(
        "last_day",
        0,
        &json!({"x": "2024-02-10"}),
        &json!("2024-02-29"),
    );
    check("make_date", 0, &json!({}), &json!("2024-05-01"));
    check(
        "to_date",
        3,
        &json!({"x": "31.12.2024"}),
        &json!("2024-12-31"),
    );
    check("time_bucket", 0, &noon, &json!("2024-05-17 12:30:00"));
    check(
        "from_unixtime",
        0,
        &json!({"x": 86_400}),
        &json!("1970-01-02 00:00:00"),
    );
    check(
        "unix_timestamp",
        0,
        &json!({"x": "1970-01-02"}),
        &json!(86_400),
    );
}

#[test]
fn numbers_and_lists_are_treated_alike() {
    check("cbrt", 0, &json!({"x": -27}), &json!(-3));
    check("truncate", 1, &json!({"x": 2.71999}), &json!(2.71));
    check("bitxor", 0, &json!({"x": 6, "y": 3}), &json!(5));
    check("width_bucket", 0, &json!({"x": 35}), &json!(4));
    check("safe_divide", 0, &json!({"x": 1, "y": 0}), &Value::Null);
    check("nvl", 0, &json!({}), &json!(0));
    check("greatest", 0, &json!({"a": 3, "b": 9}), &json!(9));
    let list = json!({"id": 1, "doc": "[3,1,3]"});
    check("array_length", 0, &list, &json!(3));
    check("array_to_string", 0, &list, &json!("3, 1, 3"));
    check("array_distinct", 0, &list, &json!("[3,1]"));
    check("array_sort", 0, &list, &json!("[1,3,3]"));
    check(
        "array_append",
        0,
        &json!({"doc": "[1]", "x": 5}),
        &json!("[1,5]"),
    );
    check_rows("unnest", 0, &json!([list]), &[json!(3), json!(1), json!(3)]);
    check(
        "json_value",
        0,
        &json!({"doc": "{\"name\":\"n\"}"}),
        &json!("n"),
    );
    assert_eq!(values(sql_for("generate_series")[0], &json!([])).len(), 100);
    assert_eq!(values(sql_for("generate_series")[1], &json!([])).len(), 366);
}

use base::Error;
use database::Bind;
use serde_json::{Value, json};
use sql_gate::Parameters;

use crate::review;

fn bind(text: &str, params: Value) -> Result<(String, Vec<Bind>), Error> {
    let bound = review(text)?.bind(&Parameters::from_json(Some(params))?)?;
    Ok((bound.sql().to_owned(), bound.binds().to_vec()))
}

#[test]
fn integers_travel_as_text_and_become_integers_behind_their_placeholder() {
    let (sql, binds) = bind("SELECT ?, ?, ?", json!([5, 2.5, "x"])).unwrap();
    assert_eq!(sql, "SELECT (?1->>'$'), ?, ?");
    assert_eq!(binds, [Bind::text("5"), Bind::Real(2.5), Bind::text("x")]);
}

#[test]
fn one_number_or_name_used_twice_is_one_value() {
    let (sql, binds) = bind("SELECT :a, @b, :a, ?2", json!([1, true])).unwrap();
    assert_eq!(sql, "SELECT (?1->>'$'), (?2->>'$'), (?1->>'$'), (?2->>'$')");
    assert_eq!(binds, [Bind::text("1"), Bind::text("1")]);
}

#[test]
fn a_placeholder_inside_a_text_or_comment_is_none() {
    let (_, binds) = bind(
        "SELECT '?', \"?\" /* ? */ FROM t WHERE a = ? -- ?",
        json!(["v"]),
    )
    .unwrap();
    assert_eq!(binds, [Bind::text("v")]);
}

#[test]
fn what_cannot_be_bound_is_named() {
    for (params, code) in [
        (json!([]), "PARAMETER_COUNT"),
        (json!([1, 2]), "PARAMETER_COUNT"),
        (json!("x"), "INVALID_ARGUMENT"),
        (json!([{ "$blob": 1 }]), "INVALID_ARGUMENT"),
        (json!([{ "$real": "NaN" }]), "INVALID_ARGUMENT"),
        (json!([18_446_744_073_709_551_615_u64]), "INVALID_ARGUMENT"),
        (json!({ "x": 1 }), "INVALID_ARGUMENT"),
        (Value::Array(vec![Value::Null; 10_001]), "TOO_BIG"),
    ] {
        assert_eq!(
            bind("SELECT ?", params.clone()).unwrap_err().code(),
            code,
            "{:.40}",
            params.to_string()
        );
    }
    assert_eq!(
        bind("SELECT :a, :b", json!({ "a": 1 })).unwrap_err().code(),
        "PARAMETER_COUNT"
    );
}

#[test]
fn more_values_than_the_engine_binds_travel_as_json_lists() {
    let text = format!("SELECT {}", vec!["?"; 101].join(","));
    let mut values = vec![json!(9_007_199_254_740_993_i64); 100];
    values.push(json!({ "$blob": "AP8=" }));
    let (sql, binds) = bind(&text, Value::Array(values)).unwrap();
    assert!(
        sql.starts_with("SELECT (?1->>0),(?1->>1)") && sql.ends_with(",unhex(?1->>100)"),
        "{sql}"
    );
    assert!(
        matches!(binds.as_slice(), [Bind::Text(list)] if list.ends_with("9007199254740993,\"00ff\"]"))
    );
}

#[test]
fn long_values_are_spread_over_several_lists() {
    let text = format!("SELECT {}", vec!["?"; 120].join(","));
    let (_, binds) = bind(&text, Value::Array(vec![json!("x".repeat(100_000)); 120])).unwrap();
    assert!(
        binds.len() > 5
            && binds
                .iter()
                .all(|bind| matches!(bind, Bind::Text(list) if list.len() <= 2_000_010)),
        "{}",
        binds.len()
    );
}

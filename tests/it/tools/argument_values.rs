//! Values that fit the intended meaning of their schema, and arguments that two readers would read
//! differently.

use serde_json::{Value, json};
use tools::arguments::{check, read};

#[track_caller]
fn value(property: Value, value: Value, expected: &[&str]) {
    let schema = json!({ "properties": { "value": property }, "$defs": { "name": { "type": "string", "enum": ["a", "b"] } } });
    let issues = check(&schema, &json!({ "value": value }))
        .err()
        .unwrap_or_default();
    let messages: Vec<&str> = issues.iter().map(|issue| issue.message.as_str()).collect();
    assert_eq!(messages, expected, "{schema} {value}");
}

#[test]
fn nullable_of_openapi_is_meant_of_all_that_stands_beside_it() {
    for property in [
        json!({ "type": "string", "enum": ["a"] }),
        json!({ "const": "a" }),
        json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
        json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }] }),
        json!({ "allOf": [{ "$ref": "#/$defs/name" }] }),
        json!({ "allOf": [{ "allOf": [{ "$ref": "#/$defs/name" }, { "type": "string" }] }] }),
        json!({ "$ref": "#/$defs/name" }),
        json!({ "if": true, "then": { "type": "string" } }),
        json!({ "type": "object", "properties": { "a": { "type": "string" } } }),
        json!({ "type": "string", "not": { "type": "null" } }),
    ] {
        let fits = |property: &Value, value: Value| {
            let schema = json!({ "properties": { "value": property }, "$defs": { "name": { "type": "string", "enum": ["a", "b"] } } });
            check(&schema, &json!({ "value": value })).is_ok()
        };
        let mut nullable = property.clone();
        nullable["nullable"] = json!(true);
        let within = json!({ "anyOf": [nullable, { "type": "boolean" }] });
        assert!(!fits(&property, json!(null)), "{property}");
        assert!(fits(&nullable, json!(null)), "{nullable}");
        assert!(fits(&within, json!(null)), "{within}");
        assert!(!fits(&nullable, json!([1])), "{nullable}");
    }
    value(
        json!({ "type": "object", "nullable": true, "properties": { "a": { "type": "string" } } }),
        json!({ "a": null }),
        &["must be a string, not null"],
    );
}

#[test]
fn multiples_are_counted_in_decimals() {
    let cents = json!({ "type": "number", "multipleOf": 0.01 });
    for good in [json!(0.07), json!(4.35), json!(1e5), json!(0)] {
        value(cents.clone(), good, &[]);
    }
    value(
        cents.clone(),
        json!(0.075),
        &["must be a multiple of 0.01, not 0.075"],
    );
    value(
        json!({ "multipleOf": 5 }),
        json!(6),
        &["must be a multiple of 5, not 6"],
    );
    value(
        json!({ "anyOf": [cents, { "type": "string" }] }),
        json!(0.07),
        &[],
    );
}

#[test]
fn arguments_are_read_as_they_stand() {
    let text = r#"{"a":[1,-2,3.5,"x",null,true],"b":{"c":{}},"d":18446744073709551615}"#;
    let wanted: Value = serde_json::from_str(text).unwrap();
    assert_eq!(read(text), Ok(wanted));
}

#[track_caller]
fn unreadable(text: &str, expected: &[&str]) {
    let issues = read(text).unwrap_err();
    let lines: Vec<String> = issues
        .iter()
        .map(|issue| format!("{} | {}", issue.path, issue.message))
        .collect();
    assert_eq!(lines, expected, "{text}");
}

#[test]
fn a_number_that_cannot_be_held_is_named() {
    for (text, path) in [
        (r#"{"a":1,"v":1e400}"#, "v"),
        (r#"{"a":{"list":[1,-1e999]}}"#, "a.list[1]"),
    ] {
        unreadable(text, &[&format!("{path} | is a number that is too large")]);
    }
}

#[test]
fn a_name_that_stands_twice_is_named() {
    unreadable(r#"{"v":"x","v":5}"#, &["v | must not be given twice"]);
    unreadable(
        r#"{"v":1,"v":2,"v":3,"w":[{"x":1,"y":{},"x":1}]}"#,
        &[
            "v | must not be given twice",
            "v | must not be given twice",
            "w[0].x | must not be given twice",
        ],
    );
    let many = format!("{{{}}}", vec![r#""v":1"#; 1_000].join(","));
    let issues = read(&many).unwrap_err();
    assert_eq!(issues.len(), tools::limits::MAX_ARGUMENT_ISSUES);
}

#[test]
fn what_is_too_deep_or_no_json_is_said_of_the_whole() {
    unreadable(
        &format!("{}{}", "[".repeat(1_000), "]".repeat(1_000)),
        &[" | must not nest deeper than 128 levels"],
    );
    unreadable(
        "{} x",
        &[" | cannot be read: trailing characters at line 1 column 4"],
    );
}

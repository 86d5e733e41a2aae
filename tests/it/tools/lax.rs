//! Values that one of the usual languages accepts pass: lengths, line ends, formats.

use serde_json::json;
use tools::arguments::check;

use super::arguments::value;

#[test]
fn formats_are_not_asserted() {
    for (format, text) in [
        ("date", "31.05.2024"),
        ("date-time", "yesterday"),
        ("email", "nobody"),
        ("uri", "foo bar"),
        ("uuid", "abc"),
        ("ipv4", "300.1.1.1"),
        ("regex", "("),
        ("card-number", "x"),
    ] {
        for draft in [
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2020-12/schema",
        ] {
            let schema = json!({ "$schema": draft, "type": "object",
                "properties": { "value": { "type": "string", "format": format } } });
            assert_eq!(
                check(&schema, &json!({ "value": text })),
                Ok(()),
                "{format}"
            );
        }
        value(
            json!({ "type": "string", "format": format }),
            json!(text),
            &[],
        );
        // No verdict depends on a format that is not asserted.
        value(json!({ "not": { "format": format } }), json!(text), &[]);
        let forms = json!({ "oneOf": [{ "format": format }, { "format": "uuid" }] });
        value(forms, json!(text), &[]);
        value(
            json!({ "type": "string", "format": format, "maxLength": 1 }),
            json!("ab"),
            &["value | must have at most 1 characters, not 2 | "],
        );
    }
}

#[test]
fn a_line_end_that_some_languages_pass_over_passes() {
    for (pattern, text) in [
        ("^a$", "a\n"),
        (r"^\d+$", "12\n"),
        ("^(a|b)$", "b\n"),
        ("^.+$", "a\rb"),
        (r"^\S+$", "a\u{1f}b"),
        ("^.$", "😀"),
        ("^.{2}$", "😀"),
        ("^[^a]{2}$", "😀"),
    ] {
        value(
            json!({ "type": "string", "pattern": pattern }),
            json!(text),
            &[],
        );
    }
    for (pattern, text) in [("^a$", "b"), ("^a", "b\n"), ("^[a-z]+é", "1é")] {
        let schema = json!({ "type": "object", "properties": { "x": { "pattern": pattern } } });
        assert!(check(&schema, &json!({ "x": text })).is_err(), "{pattern}");
    }
}

#[test]
fn a_length_is_counted_in_the_way_that_passes() {
    for schema in [
        json!({ "type": "string", "minLength": 2 }),
        json!({ "type": "string", "maxLength": 1 }),
        json!({ "anyOf": [{ "type": "string", "minLength": 2 }, { "type": "null" }] }),
        json!({ "not": { "type": "string", "maxLength": 1 } }),
        json!({ "oneOf": [{ "minLength": 2 }, { "maxLength": 1 }] }),
    ] {
        value(schema, json!("😀"), &[]);
    }
    value(
        json!({ "type": "string", "minLength": 3 }),
        json!("😀"),
        &["value | must have at least 3 characters, not 1 | "],
    );
    value(
        json!({ "type": "string", "maxLength": 1 }),
        json!("😀😀"),
        &["value | must have at most 1 characters, not 2 | "],
    );
}

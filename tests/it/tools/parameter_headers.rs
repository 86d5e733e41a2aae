//! The tables of MCP 2026-07-28, "Custom Headers from Tool Parameters".

use mcp::limits::MAX_PARAMETER_HEADER_BYTES;
use mcp::parameter_headers::{encode_value, headers, validate};
use serde_json::{Value, json};

fn with(property: Value) -> Value {
    json!({ "type": "object", "properties": { "value": property } })
}

fn named(name: &str) -> Value {
    with(json!({ "type": "string", "x-mcp-header": name }))
}

#[test]
fn values_are_encoded_as_the_specification_shows() {
    for (value, expected) in [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ] {
        assert_eq!(encode_value(value), expected, "{value:?}");
    }
}

#[test]
fn what_is_plain_ascii_inside_stays_as_it_is() {
    for value in [
        "",
        "a b\tc",
        "~!#",
        "=?base64?open",
        "shut?=",
        "=?BASE64?x?=",
    ] {
        assert_eq!(encode_value(value), value);
    }
    for value in [
        "\ta",
        "a\t",
        "a\r\nX-Injected: 1",
        "\u{7f}",
        "\0",
        "é",
        "a ",
    ] {
        let encoded = encode_value(value);
        assert!(
            encoded.starts_with("=?base64?") && encoded.ends_with("?="),
            "{value:?}"
        );
        assert!(
            encoded.bytes().all(|byte| byte.is_ascii_graphic()),
            "{encoded}"
        );
    }
}

#[test]
fn the_header_of_the_specification_s_example_is_made() {
    let schema = json!({
        "type": "object",
        "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "query": { "type": "string" },
        },
        "required": ["region", "query"],
    });
    assert_eq!(validate(&schema), Ok(()));
    let arguments = json!({ "region": "us-west1", "query": "SELECT * FROM users" });
    assert_eq!(
        headers(&schema, &arguments).unwrap(),
        [("Mcp-Param-Region".to_owned(), "us-west1".to_owned())]
    );
}

#[test]
fn each_primitive_has_its_text_and_null_or_absence_none() {
    let schema = json!({ "properties": {
        "s": { "type": "string", "x-mcp-header": "S" },
        "i": { "type": "integer", "x-mcp-header": "I" },
        "b": { "type": "boolean", "x-mcp-header": "B" },
        "n": { "type": ["string", "null"], "x-mcp-header": "N" },
        "a": { "type": "string", "x-mcp-header": "A" },
    } });
    assert_eq!(validate(&schema), Ok(()));
    let found = headers(
        &schema,
        &json!({ "s": "x", "i": -7, "b": false, "n": null }),
    )
    .unwrap();
    let mut found: Vec<String> = found
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    found.sort();
    assert_eq!(
        found,
        ["Mcp-Param-B=false", "Mcp-Param-I=-7", "Mcp-Param-S=x"]
    );
    assert_eq!(headers(&schema, &json!({})), Ok(Vec::new()));
    assert_eq!(headers(&schema, &json!({ "i": 42.0 })).unwrap()[0].1, "42");
}

#[test]
fn values_are_read_at_their_own_path_only() {
    let schema = json!({ "properties": { "where": { "type": "object", "properties": {
        "region": { "type": "string", "x-mcp-header": "Region" },
    } } } });
    assert_eq!(validate(&schema), Ok(()));
    let found = headers(
        &schema,
        &json!({ "region": "no", "where": { "region": "yes" } }),
    )
    .unwrap();
    assert_eq!(found, [("Mcp-Param-Region".to_owned(), "yes".to_owned())]);
    assert_eq!(headers(&schema, &json!({ "region": "no" })), Ok(Vec::new()));
    assert_eq!(
        headers(&schema, &json!({ "where": "text" })),
        Ok(Vec::new())
    );
}

#[test]
fn integers_beyond_the_safe_range_and_other_values_are_refused() {
    let schema = with(json!({ "type": "integer", "x-mcp-header": "V" }));
    let safe = 9_007_199_254_740_991_i64;
    for fits in [json!(safe), json!(-safe)] {
        assert_eq!(
            headers(&schema, &json!({ "value": fits })).unwrap()[0].1,
            fits.to_string()
        );
    }
    for value in [
        json!(safe + 1),
        json!(-safe - 1),
        json!(u64::MAX),
        json!(1.5),
        json!(1e300),
        json!([1]),
        json!({}),
    ] {
        let message = headers(&schema, &json!({ "value": value })).unwrap_err();
        assert!(
            message.contains("value cannot be sent as the header Mcp-Param-V"),
            "{message}"
        );
    }
    let long = "x".repeat(MAX_PARAMETER_HEADER_BYTES + 1);
    assert!(
        headers(&named("V"), &json!({ "value": long }))
            .unwrap_err()
            .contains("too long")
    );
}

#[test]
fn names_that_are_no_names_of_headers_are_refused() {
    for name in ["", "a b", "a\r\nb", "a:b", "é", "(a)", "a\u{0}", "a/b"] {
        assert!(validate(&named(name)).is_err(), "{name:?}");
    }
    for name in ["a", "Region-1", "!#$%&'*+-.^_`|~"] {
        assert_eq!(validate(&named(name)), Ok(()), "{name:?}");
    }
    assert!(validate(&with(json!({ "type": "string", "x-mcp-header": 1 }))).is_err());
}

#[test]
fn names_are_unique_whatever_their_case() {
    let schema = json!({ "properties": {
        "a": { "type": "string", "x-mcp-header": "Region" },
        "b": { "type": "object", "properties": { "c": { "type": "string", "x-mcp-header": "REGION" } } },
    } });
    assert!(validate(&schema).unwrap_err().contains("twice"));
}

#[test]
fn only_primitive_parameters_may_carry_one() {
    for kind in [
        json!("number"),
        json!("object"),
        json!("array"),
        json!("null"),
        json!(["string", "number"]),
        json!([]),
        Value::Null,
    ] {
        assert!(
            validate(&with(json!({ "type": kind, "x-mcp-header": "V" }))).is_err(),
            "{kind}"
        );
    }
    assert!(validate(&with(json!({ "x-mcp-header": "V" }))).is_err());
}

#[test]
fn an_annotation_that_is_not_reached_by_properties_alone_is_refused() {
    let annotated = json!({ "type": "string", "x-mcp-header": "V" });
    for schema in [
        annotated.clone(),
        with(json!({ "type": "array", "items": annotated })),
        with(json!({ "prefixItems": [annotated] })),
        with(json!({ "additionalProperties": annotated })),
        with(json!({ "patternProperties": { "x": annotated } })),
        json!({ "oneOf": [{ "properties": { "value": annotated } }] }),
        json!({ "anyOf": [with(annotated.clone())] }),
        json!({ "allOf": [with(annotated.clone())] }),
        json!({ "not": with(annotated.clone()) }),
        json!({ "if": with(annotated.clone()), "then": true }),
        json!({ "then": with(annotated.clone()), "else": with(annotated.clone()) }),
        json!({ "$defs": { "v": annotated }, "properties": { "value": { "$ref": "#/$defs/v" } } }),
        json!({ "dependentSchemas": { "a": with(annotated.clone()) } }),
    ] {
        let message = validate(&schema).unwrap_err();
        assert!(
            message.contains("through properties only"),
            "{schema} {message}"
        );
    }
}

#[test]
fn data_and_parameters_of_that_name_are_no_annotations() {
    for schema in [
        json!({ "properties": { "x-mcp-header": { "type": "string" } } }),
        with(json!({ "default": { "x-mcp-header": "V" }, "enum": [{ "x-mcp-header": "V" }] })),
        json!({}),
        json!(true),
        json!("text"),
    ] {
        assert_eq!(validate(&schema), Ok(()), "{schema}");
    }
}

#[test]
fn a_schema_of_any_depth_is_judged_without_recursing_into_all_of_it() {
    let mut schema = json!({ "type": "string", "x-mcp-header": "V" });
    for _ in 0..100 {
        schema = json!({ "type": "object", "properties": { "a": schema } });
    }
    assert!(validate(&schema).unwrap_err().contains("deeper"));
}

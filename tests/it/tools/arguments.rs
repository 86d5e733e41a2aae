//! Issues in arguments, as a model reads them: place, text, suggestions.

use base::Problem;
use serde_json::{Value, json};
use tools::ToolError;
use tools::arguments::{Issue, check, summary};

/// Returns each issue as `path | message | suggestions`.
fn issues(schema: &Value, arguments: &Value) -> Vec<String> {
    let line = |issue: &Issue| {
        format!(
            "{} | {} | {}",
            issue.path,
            issue.message,
            issue.suggestions.join(", ")
        )
    };
    match check(schema, arguments) {
        Ok(()) => Vec::new(),
        Err(issues) => issues.iter().map(line).collect(),
    }
}

#[track_caller]
fn expect(schema: &Value, arguments: Value, expected: &[&str]) {
    assert_eq!(issues(schema, &arguments), expected, "{arguments}");
}

/// Makes a schema with one parameter, `value`.
fn of(property: Value) -> Value {
    json!({ "type": "object", "properties": { "value": property } })
}

#[track_caller]
pub(super) fn value(property: Value, value: Value, expected: &[&str]) {
    expect(&of(property), json!({ "value": value }), expected);
}

fn search() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "minLength": 2 },
            "limit": { "type": "integer", "minimum": 1, "maximum": 100 },
            "sort": { "type": "string", "enum": ["relevance", "date", "citations"] },
            "filters": {
                "type": "object",
                "properties": {
                    "years": { "type": "array", "items": { "type": "integer" }, "maxItems": 3 },
                    "openAccess": { "type": "boolean" },
                },
                "additionalProperties": false,
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    })
}

#[test]
fn arguments_that_fit_pass() {
    for arguments in [
        json!({ "query": "p53" }),
        json!({ "query": "p53", "limit": 10, "sort": "date", "filters": { "years": [2024, 2025], "openAccess": true } }),
        json!({ "query": "p53", "limit": 10.0 }),
    ] {
        expect(&search(), arguments, &[]);
    }
}

#[test]
fn values_of_another_type_are_named_and_never_coerced() {
    expect(
        &search(),
        json!({ "query": "p53", "limit": "5" }),
        &["limit | must be an integer, not the text \"5\" | 5"],
    );
    expect(
        &search(),
        json!({ "query": 53 }),
        &["query | must be a string, not the number 53 | \"53\""],
    );
    expect(
        &search(),
        json!({ "query": "p53", "filters": { "years": [2024, 2025, "x"] } }),
        &["filters.years[2] | must be an integer, not the text \"x\" | "],
    );
    expect(
        &search(),
        json!({ "query": "p53", "filters": { "years": 2024, "openAccess": "true" } }),
        &[
            "filters.years | must be a list, not the number 2024 | [2024]",
            "filters.openAccess | must be true or false, not the text \"true\" | true",
        ],
    );
    value(
        json!({ "type": "number" }),
        json!(null),
        &["value | must be a number, not null | "],
    );
    value(
        json!({ "type": ["integer", "null"] }),
        json!(1.5),
        &["value | must be an integer or null, not the number 1.5 | "],
    );
    value(
        json!({ "type": "object" }),
        json!([]),
        &["value | must be an object, not an empty list | "],
    );
    value(
        json!({ "type": "array" }),
        json!({}),
        &["value | must be a list, not an object | "],
    );
    value(
        json!({ "type": "array" }),
        json!("a"),
        &["value | must be a list, not the text \"a\" | [\"a\"]"],
    );
}

#[test]
fn all_issues_are_listed_each_with_its_place() {
    expect(
        &search(),
        json!({ "query": "p", "limit": 0, "sort": "newest", "filters": { "year": [2024] } }),
        &[
            "query | must have at least 2 characters, not 1 | ",
            "limit | must be at least 1, not 0 | ",
            "sort | must be one of \"relevance\", \"date\" or \"citations\", not the text \"newest\" | ",
            "filters.year | unknown parameter filters.year | years",
        ],
    );
}

#[test]
fn missing_and_unknown_parameters_are_brought_together() {
    expect(
        &search(),
        json!({}),
        &["query | missing parameter query | "],
    );
    expect(
        &search(),
        json!({ "querry": "p53" }),
        &[
            "query | missing parameter query; querry is not a parameter of the tool | query",
            "querry | unknown parameter querry | query",
        ],
    );
    expect(
        &search(),
        json!({ "query": "p53", "limt": 5 }),
        &["limt | unknown parameter limt | limit"],
    );
    expect(
        &search(),
        json!({ "query": "p53", "zebra": 5 }),
        &["zebra | unknown parameter zebra; known there: query, limit, sort, filters | "],
    );
}

#[test]
fn unknown_parameters_are_the_server_s_affair_where_the_schema_lets_them_pass() {
    let schema = json!({ "type": "object", "properties": { "query": { "type": "string" }, "limit": { "type": "integer" } }, "required": ["query"] });
    expect(&schema, json!({ "query": "a", "limt": 5 }), &[]);
    expect(
        &schema,
        json!({ "qurey": "a" }),
        &["query | missing parameter query; qurey is not a parameter of the tool | query"],
    );
}

#[test]
fn allowed_values_are_listed_with_the_nearest_and_capped() {
    let sort = json!({ "enum": ["relevance", "date", 3, null] });
    value(
        sort.clone(),
        json!("relevanse"),
        &[
            "value | must be one of \"relevance\", \"date\", 3 or null, not the text \"relevanse\" | relevance",
        ],
    );
    value(
        json!({ "const": "v2" }),
        json!("v1"),
        &["value | must be \"v2\", not the text \"v1\" | "],
    );
    let many: Vec<String> = (0..500).map(|number| format!("code_{number}")).collect();
    let found = issues(&of(json!({ "enum": many })), &json!({ "value": "other" }));
    assert!(
        found[0].contains("\"code_11\" or 488 more") && found[0].len() < 300,
        "{found:?}"
    );
}

#[test]
fn bounds_and_forms_are_said_in_words() {
    value(
        json!({ "type": "integer", "exclusiveMinimum": 0 }),
        json!(0),
        &["value | must be more than 0, not 0 | "],
    );
    value(
        json!({ "type": "integer", "exclusiveMaximum": 5 }),
        json!(5),
        &["value | must be less than 5, not 5 | "],
    );
    value(
        json!({ "type": "integer", "maximum": 5 }),
        json!(6),
        &["value | must be at most 5, not 6 | "],
    );
    value(
        json!({ "multipleOf": 5 }),
        json!(6),
        &["value | must be a multiple of 5, not 6 | "],
    );
    value(
        json!({ "maxLength": 2 }),
        json!("äöü"),
        &["value | must have at most 2 characters, not 3 | "],
    );
    value(
        json!({ "minItems": 1 }),
        json!([]),
        &["value | must have at least 1 items, not 0 | "],
    );
    value(
        json!({ "maxItems": 1 }),
        json!([1, 2]),
        &["value | must have at most 1 items, not 2 | "],
    );
    value(
        json!({ "uniqueItems": true }),
        json!([1, 2, 1]),
        &["value | must not repeat items: items 0 and 2 are equal | "],
    );
    value(
        json!({ "minProperties": 1 }),
        json!({}),
        &["value | must have at least 1 entries, not 0 | "],
    );
    value(
        json!({ "pattern": "^NCT\\d{8}$" }),
        json!("NCT1"),
        &["value | must match the pattern \"^NCT\\\\d{8}$\", not the text \"NCT1\" | "],
    );
    value(
        json!({ "prefixItems": [{ "type": "string" }], "items": false }),
        json!(["a", 1]),
        &["value | must have at most 1 items, not 2 | "],
    );
    value(
        json!({ "not": { "type": "string" } }),
        json!("a"),
        &["value | must not be the text \"a\": the schema excludes it | "],
    );
    value(
        json!({ "contains": { "type": "string" } }),
        json!([1]),
        &["value | must contain an item that the schema requires | "],
    );
    value(
        json!({ "propertyNames": { "pattern": "^a" } }),
        json!({ "b": 1 }),
        &["value.b | unknown parameter value.b: the schema does not allow its name | "],
    );
    value(
        json!({ "dependentRequired": { "from": ["to"] } }),
        json!({ "from": 1 }),
        &["value.to | missing parameter value.to, which from needs | "],
    );
}

#[test]
fn items_of_a_tuple_are_numbered_as_they_stand() {
    let open = json!({ "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": { "type": "boolean" } });
    value(
        open,
        json!(["a", "b", "c"]),
        &[
            "value[1] | must be an integer, not the text \"b\" | ",
            "value[2] | must be true or false, not the text \"c\" | ",
        ],
    );
    let one = json!({ "prefixItems": [{ "type": "string" }], "items": false, "maxItems": 5 });
    value(
        one,
        json!([1, 2]),
        &[
            "value | must have at most 1 items, not 2 | ",
            "value[0] | must be a string, not the number 1 | \"1\"",
        ],
    );
}

#[test]
fn of_several_forms_the_one_that_was_meant_is_explained() {
    let union = json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }, { "type": "null" }] });
    value(
        union.clone(),
        json!(5),
        &["value | must be a string, a list or null, not the number 5 | \"5\""],
    );
    value(
        union,
        json!(["a", 5]),
        &["value[1] | must be a string, not the number 5 | \"5\""],
    );
    let optional = json!({ "anyOf": [{ "type": "object", "properties": { "id": { "type": "integer" } }, "required": ["id"] }, { "type": "null" }] });
    value(
        optional,
        json!({ "id": "7" }),
        &["value.id | must be an integer, not the text \"7\" | 7"],
    );
}

#[test]
fn a_field_that_tells_forms_apart_chooses_among_them() {
    let shape = json!({ "oneOf": [
        { "type": "object", "properties": { "kind": { "const": "circle" }, "radius": { "type": "number" } }, "required": ["kind", "radius"] },
        { "type": "object", "properties": { "kind": { "const": "square" }, "side": { "type": "number" } }, "required": ["kind", "side"] },
    ] });
    value(
        shape.clone(),
        json!({ "kind": "circle", "radius": "2" }),
        &["value.radius | must be a number, not the text \"2\" | 2"],
    );
    value(
        shape.clone(),
        json!({ "kind": "circel" }),
        &["value.kind | must be one of \"circle\" or \"square\", not the text \"circel\" | circle"],
    );
    value(
        shape,
        json!({}),
        &[
            "value | must fit one of 2 forms: (1) missing parameter value.kind, and 1 more; (2) missing parameter value.kind, and 1 more | ",
        ],
    );
}

#[test]
fn enumerations_in_branches_become_one() {
    let either = json!({ "anyOf": [{ "enum": ["a1", "b1"] }, { "const": "c1" }] });
    value(
        either,
        json!("x"),
        &["value | must be one of \"a1\", \"b1\" or \"c1\", not the text \"x\" | "],
    );
}

#[test]
fn two_forms_at_once_are_refused_with_their_numbers() {
    let either = json!({ "oneOf": [{ "required": ["id"] }, { "required": ["name"] }] });
    value(
        either,
        json!({ "id": 1, "name": "a" }),
        &["value | must fit only one form, but fits the forms 1 and 2 of the schema | "],
    );
}

#[test]
fn references_and_recursion_are_followed() {
    let tree = json!({
        "type": "object",
        "properties": { "root": { "$ref": "#/$defs/node" } },
        "$defs": { "node": {
            "type": "object",
            "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#/$defs/node" } } },
            "required": ["name"],
        } },
    });
    expect(
        &tree,
        json!({ "root": { "name": "a", "children": [{ "name": "b" }] } }),
        &[],
    );
    expect(
        &tree,
        json!({ "root": { "name": "a", "children": [{ "name": "b", "children": [{ "nam": "c" }] }] } }),
        &[
            "root.children[0].children[0].name | missing parameter root.children[0].children[0].name; nam is not a parameter of the tool | name",
        ],
    );
    let to_itself = json!({ "type": "object", "properties": { "next": { "$ref": "#" }, "n": { "type": "integer" } } });
    expect(
        &to_itself,
        json!({ "next": { "next": { "n": "1" } } }),
        &["next.next.n | must be an integer, not the text \"1\" | 1"],
    );
}

#[test]
fn every_draft_that_servers_write_is_read() {
    let seven = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "definitions": { "pair": { "items": [{ "type": "string" }, { "type": "integer" }], "additionalItems": false } },
        "properties": { "value": { "$ref": "#/definitions/pair" } } });
    expect(
        &seven,
        json!({ "value": ["a", "b", "c"] }),
        &[
            "value | must have at most 2 items, not 3 | ",
            "value[1] | must be an integer, not the text \"b\" | ",
        ],
    );
    let four = json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
        "properties": { "value": { "type": "number", "minimum": 0, "exclusiveMinimum": true } } });
    expect(
        &four,
        json!({ "value": 0 }),
        &["value | must be more than 0, not 0 | "],
    );
    // A schema without a draft: old keywords are understood if the new draft has no such keyword.
    value(
        json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true }),
        json!(0),
        &["value | must be more than 0, not 0 | "],
    );
    value(
        json!({ "items": [{ "type": "string" }] }),
        json!([1]),
        &["value[0] | must be a string, not the number 1 | \"1\""],
    );
    let dynamic = json!({ "$id": "https://example.org/tree", "$dynamicAnchor": "node", "type": "object",
        "properties": { "children": { "type": "array", "items": { "$dynamicRef": "#node" } } } });
    expect(
        &dynamic,
        json!({ "children": [{ "children": 5 }] }),
        &["children[0].children | must be a list, not the number 5 | [5]"],
    );
}

#[test]
fn unevaluated_properties_are_unknown_parameters() {
    let schema = json!({ "type": "object", "properties": { "query": { "type": "string" } }, "unevaluatedProperties": false });
    expect(
        &schema,
        json!({ "qury": "a" }),
        &["qury | unknown parameter qury | query"],
    );
}

#[test]
fn arguments_are_an_object_whatever_the_schema_says() {
    for arguments in [json!([]), json!("text"), json!(null), json!(5)] {
        let found = issues(&json!(true), &arguments);
        assert!(
            found[0].starts_with(" | must be an object of parameters, not "),
            "{found:?}"
        );
    }
    expect(&json!({}), json!({ "anything": 1 }), &[]);
}

#[test]
fn places_with_odd_names_and_texts_of_strangers_stay_readable() {
    let schema = json!({ "properties": { "a b": { "type": "array", "items": { "enum": ["line\nbreak"] } } } });
    expect(
        &schema,
        json!({ "a b": ["x\n# Obey"] }),
        &["[\"a b\"][0] | must be \"line\\nbreak\", not the text \"x\\n# Obey\" | "],
    );
    let found = issues(
        &of(json!({ "type": "integer" })),
        &json!({ "value": "x".repeat(100_000) }),
    );
    assert!(found[0].len() < 200, "{}", found[0].len());
}

#[test]
fn at_most_twenty_issues_are_listed_and_the_last_says_that_there_are_more() {
    let many: Vec<Value> = (0..1_000).map(|_| json!("x")).collect();
    let found = check(
        &of(json!({ "items": { "type": "integer" } })),
        &json!({ "value": many }),
    )
    .unwrap_err();
    let most = tools::limits::MAX_ARGUMENT_ISSUES;
    assert_eq!(found.len(), most);
    let last = found.last().unwrap();
    assert_eq!(
        (last.path.as_str(), last.message.as_str()),
        ("", "have more issues than are listed")
    );
    assert!(summary(&found).ends_with("; and more than can be listed"));

    let just: Vec<Value> = (0..most).map(|_| json!("x")).collect();
    let found = check(
        &of(json!({ "items": { "type": "integer" } })),
        &json!({ "value": just }),
    )
    .unwrap_err();
    assert!(found.iter().all(|issue| issue.path.starts_with("value[")));
    assert!(summary(&found).ends_with("; and 19 more"));
}

#[test]
fn the_hint_is_about_the_issue_that_the_message_names() {
    let hint = |arguments: Value| {
        let issues = check(&search(), &arguments).unwrap_err();
        let error = ToolError::InvalidArguments {
            message: summary(&issues),
            issues,
            schema: Value::Null,
        };
        (error.to_string(), error.hint().unwrap())
    };
    let (message, advice) = hint(json!({ "limit": "5" }));
    assert!(message.contains("missing parameter query"), "{message}");
    assert_eq!(advice, "add the parameter query");
    let (_, advice) = hint(json!({ "query": "ab", "limit": "5" }));
    assert_eq!(advice, "did you mean `5`?");
    let (_, advice) = hint(json!({ "querry": "ab" }));
    assert_eq!(advice, "did you mean `query`?");
}

#[test]
fn the_summary_is_one_sentence() {
    let of = |arguments: Value| summary(&check(&search(), &arguments).unwrap_err());
    assert_eq!(
        of(json!({ "query": "ab", "limit": "5" })),
        "limit must be an integer, not the text \"5\""
    );
    assert_eq!(
        of(json!({ "query": "ab", "limt": 5 })),
        "unknown parameter limt"
    );
    assert_eq!(
        of(json!({ "limit": 0, "sort": 1 })),
        "missing parameter query; and 2 more"
    );
    assert_eq!(
        of(json!([])),
        "the arguments must be an object of parameters, not an empty list"
    );
    assert_eq!(
        summary(&[]),
        "the arguments do not fit the schema of the tool"
    );
}

#[test]
fn expressions_that_servers_read_in_two_ways_pass_what_either_reading_takes() {
    let refused = |pattern: &str, value: &str| {
        let schema = json!({ "type": "object", "properties": { "x": { "type": "string", "pattern": pattern } } });
        check(&schema, &json!({ "x": value })).is_err()
    };
    for (pattern, value) in [
        (r"^\w+$", "José"),
        (r"^\w+$", "東京"),
        (r"^\d+$", "٣"),
        (r"^a\b", "aé"),
        (r"^\W$", "é"),
        (r"^\s$", "\u{2003}"),
        (r"^(?i:ß)$", "ẞ"),
        (r"^[\w-]+@[\w.]+$", "josé@exämple.org"),
    ] {
        assert!(!refused(pattern, value), "{pattern} {value}");
    }
    // In ASCII all dialects agree, and a pattern without such a part has one meaning.
    for (pattern, value) in [
        (r"^\w+$", "a b"),
        (r"^\d+$", "a"),
        ("^[a-z]+$", "é"),
        ("^.{2}$", "é"),
    ] {
        assert!(refused(pattern, value), "{pattern} {value}");
    }
    let named = json!({ "type": "object", "patternProperties": { r"^\w+$": { "type": "integer" } }, "additionalProperties": false });
    assert!(check(&named, &json!({ "é": 1 })).is_ok());
    assert!(check(&named, &json!({ "a b": 1 })).is_err());
    let not = json!({ "type": "object", "properties": { "x": { "not": { "pattern": r"\W" } } } });
    assert!(check(&not, &json!({ "x": "é" })).is_ok());
}

//! Schemas with a part that cannot be checked. That part is unknown, the rest is checked as usual,
//! and a value that fits under some meaning of the part is never refused.

use serde_json::{Value, json};
use tools::arguments::{check, is_usable};

/// An expression that an engine without lookahead cannot read.
const UNREADABLE: &str = "(?=a)";

#[track_caller]
fn passes(schema: &Value, arguments: Value) {
    assert_eq!(check(schema, &arguments), Ok(()), "{schema}");
}

/// Checks the paths of the refused values.
#[track_caller]
fn refused(schema: &Value, arguments: Value, paths: &[&str]) {
    let issues = check(schema, &arguments).err().unwrap_or_default();
    let found: Vec<&str> = issues.iter().map(|issue| issue.path.as_str()).collect();
    assert_eq!(found, paths, "{schema} {arguments}");
}

/// Makes a schema with an odd parameter and an ordinary one.
fn with(odd: Value) -> Value {
    json!({
        "type": "object",
        "properties": { "odd": odd, "year": { "type": "integer" } },
        "required": ["year"],
        "additionalProperties": false,
        "$defs": { "n": { "type": "integer" } },
    })
}

#[test]
fn one_part_that_cannot_be_read_leaves_the_rest_in_use() {
    for odd in [
        json!({ "pattern": "^[\\w-.]+@[\\w-.]+$" }),
        json!({ "pattern": "^[\\ud83c-\\udbff\\udc00-\\udfff]+$" }),
        json!({ "pattern": "[^\\0\\cA]" }),
        json!({ "pattern": UNREADABLE }),
        json!({ "pattern": 5 }),
        json!({ "patternProperties": { UNREADABLE: { "type": "string" } }, "additionalProperties": false }),
        json!({ "patternProperties": [] }),
        json!({ "$ref": "https://example.com/x.json" }),
        json!({ "$ref": "other.json#/a" }),
        json!({ "$ref": "#/$defs/Missing" }),
        json!({ "$ref": "#missing" }),
        json!({ "$ref": "#/%zz" }),
        json!({ "$ref": ":::" }),
        json!({ "$ref": 5 }),
        json!({ "$dynamicRef": "https://example.com/x.json" }),
        json!({ "$id": "inner", "$ref": "#/$defs/n" }),
        json!({ "$id": "://" }),
        json!({ "type": "int" }),
        json!({ "type": ["int", "null"] }),
        json!({ "type": 5 }),
        json!({ "type": [] }),
        json!({ "required": true }),
        json!({ "enum": "a" }),
        json!({ "minimum": "1" }),
        json!({ "multipleOf": 0 }),
        json!({ "minLength": -1 }),
        json!({ "format": 5 }),
        json!({ "properties": [] }),
        json!({ "properties": { "a": 5 }, "additionalProperties": true }),
        json!({ "properties": 5, "additionalProperties": false }),
        json!({ "items": 5 }),
        json!({ "prefixItems": 5, "items": false }),
        json!({ "allOf": [] }),
        json!({ "allOf": [5] }),
        json!({ "anyOf": [{ "type": "int" }, { "type": "string" }] }),
        json!({ "dependencies": { "a": [5] } }),
        json!({ "not": 5 }),
        json!({ "minContains": "0", "contains": { "type": "boolean" } }),
        json!(5),
    ] {
        let schema = with(odd);
        for value in [
            json!("a"),
            json!(1),
            json!(null),
            json!({ "a": 1 }),
            json!([1, "a"]),
        ] {
            passes(&schema, json!({ "odd": value, "year": 2024 }));
        }
        refused(&schema, json!({ "year": "x" }), &["year"]);
        refused(&schema, json!({ "yaer": "x" }), &["year", "yaer"]);
    }
}

#[test]
fn what_stands_beside_it_is_checked() {
    for (odd, bad) in [
        (json!({ "type": "string", "pattern": UNREADABLE }), json!(5)),
        (json!({ "type": "integer", "minimum": "1" }), json!("a")),
        (json!({ "type": "int", "minimum": 1 }), json!(0)),
        (json!({ "type": "string", "required": true }), json!(5)),
        (json!({ "$id": "inner", "type": "string" }), json!(5)),
        (json!({ "$id": "#inner", "$ref": "#/$defs/n" }), json!("a")),
        (
            json!({ "properties": { "a": 5 }, "additionalProperties": false }),
            json!({ "b": 1 }),
        ),
        (
            json!({ "anyOf": [{ "type": "string", "pattern": UNREADABLE }, { "type": "null" }] }),
            json!(5),
        ),
        (
            json!({ "oneOf": [{ "type": "string", "pattern": UNREADABLE }, { "type": "null" }] }),
            json!(5),
        ),
    ] {
        let schema = with(odd);
        let issues = check(&schema, &json!({ "odd": bad, "year": 1 })).err();
        assert!(issues.is_some(), "{schema} {bad}");
    }
}

#[test]
fn nothing_that_turns_it_around_refuses_for_it() {
    let bad = json!({ "type": "string", "pattern": UNREADABLE });
    for odd in [
        json!({ "not": bad }),
        json!({ "not": { "anyOf": [{ "not": { "not": bad } }] } }),
        json!({ "oneOf": [bad, { "type": "string" }] }),
        json!({ "oneOf": [bad, { "type": "string" }], "anyOf": [{ "type": "string" }] }),
        json!({ "if": bad, "then": false }),
        json!({ "contains": bad, "maxContains": 0, "minContains": 0 }),
        json!({ "not": { "$ref": "#/$defs/bad" } }),
        json!({ "not": { "type": "object", "required": ["a"], "properties": { "a": { "$ref": "#/$defs/far" } } } }),
        json!({ "$ref": "#/$defs/turned" }),
        json!({ "oneOf": [{ "$ref": "#/$defs/far" }, { "type": "string" }] }),
        json!({ "not": { "$ref": "https://example.com/x" } }),
    ] {
        let mut schema = with(odd);
        schema["$defs"] = json!({
            "bad": bad,
            "far": { "allOf": [{ "$ref": "#/$defs/bad" }] },
            "turned": { "not": { "$ref": "#/$defs/far" } },
        });
        for value in [json!("b"), json!(["b"]), json!({ "a": "b" })] {
            let issues = check(&schema, &json!({ "odd": value, "year": 1 }));
            let wrong_type =
                schema["properties"]["odd"].get("oneOf").is_some() && !value.is_string();
            assert_eq!(issues.is_err(), wrong_type, "{schema} {value}");
        }
        refused(&schema, json!({ "year": "x" }), &["year"]);
    }
}

#[test]
fn names_that_it_may_know_are_not_unknown() {
    let base = |part: Value| {
        json!({
            "allOf": [part],
            "properties": { "year": { "type": "integer" } },
            "unevaluatedProperties": false,
            "$defs": {
                "base": { "properties": { "mail": { "pattern": UNREADABLE } } },
                "remote": { "$ref": "https://example.com/x" },
            },
        })
    };
    for unknown in [
        json!({ "$ref": "https://example.com/x" }),
        json!({ "$ref": "#/$defs/remote" }),
        json!({ "properties": [] }),
        json!({ "patternProperties": { UNREADABLE: true } }),
        json!({ "if": { "pattern": UNREADABLE }, "then": { "properties": { "other": true } } }),
    ] {
        passes(&base(unknown), json!({ "other": 1, "year": 1 }));
    }
    // Here only the schema of a value is unknown.
    let known = base(json!({ "$ref": "#/$defs/base" }));
    passes(&known, json!({ "mail": "x", "year": 1 }));
    refused(&known, json!({ "mial": "x" }), &["mial"]);
}

#[test]
fn references_to_unknown_parts_let_texts_pass() {
    for schema in [
        json!({ "properties": { "a": { "$ref": "#/properties/b/not" }, "b": { "not": { "pattern": UNREADABLE } } } }),
        json!({ "properties": { "a": { "$ref": "#/properties/b/oneOf/0" }, "b": { "oneOf": [{ "pattern": UNREADABLE }] } } }),
        json!({ "properties": { "a": { "not": { "$ref": "#/properties/b/oneOf/0" } }, "b": { "oneOf": [{ "pattern": UNREADABLE }] } } }),
        json!({ "properties": { "a": { "$ref": "#/properties/b/properties/c" }, "b": { "properties": 5 } } }),
    ] {
        passes(&schema, json!({ "a": "x", "b": "x" }));
    }
}

#[test]
fn values_that_fail_whatever_the_unknown_part_means_are_refused() {
    let text = json!({ "type": "string", "pattern": UNREADABLE });
    for (odd, bad) in [
        (
            json!({ "if": text, "then": false, "else": false }),
            json!(5),
        ),
        // A pattern applies to texts only.
        (json!({ "not": { "pattern": UNREADABLE } }), json!(5)),
        (json!({ "oneOf": [text, { "type": "string" }] }), json!(5)),
        (
            json!({ "patternProperties": { UNREADABLE: true }, "required": ["a"] }),
            json!({}),
        ),
        (json!({ "$ref": "#/$defs/never" }), json!("x")),
    ] {
        let mut schema = with(odd);
        schema["$defs"] = json!({ "never": { "allOf": [{ "pattern": UNREADABLE }, false] } });
        let issues = check(&schema, &json!({ "odd": bad, "year": 1 })).unwrap_err();
        assert!(issues[0].path.starts_with("odd"), "{schema} {issues:?}");
    }
}

#[test]
fn beside_a_lost_reference_nothing_was_meant_in_older_drafts() {
    let schema = |draft: &str| json!({ "$schema": draft, "properties": { "value": { "$ref": "https://example.com/x", "type": "integer" } } });
    passes(
        &schema("http://json-schema.org/draft-07/schema#"),
        json!({ "value": "x" }),
    );
    refused(
        &schema("https://json-schema.org/draft/2020-12/schema"),
        json!({ "value": "x" }),
        &["value"],
    );
}

#[test]
fn addresses_and_names_of_schemas_lead_where_they_say() {
    let number = json!({ "type": "integer" });
    for schema in [
        json!({ "$id": "https://example.com/tool", "properties": { "value": { "$ref": "https://example.com/tool#/$defs/n" } }, "$defs": { "n": number } }),
        json!({ "$id": "https://example.com/tool", "properties": { "value": { "$ref": "#/$defs/a~1b%25" } }, "$defs": { "a/b%": number } }),
        json!({ "properties": { "value": { "$ref": "#n" } }, "$defs": { "x y": { "$anchor": "n", "type": "integer" } } }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "properties": { "value": { "$ref": "#n" } }, "definitions": { "x": { "$anchor": "n", "type": "integer" } } }),
    ] {
        refused(&schema, json!({ "value": "x" }), &["value"]);
        passes(&schema, json!({ "value": 1 }));
    }
    // It cannot be known which of two is meant, nor which names a foreign schema defines.
    for schema in [
        json!({ "properties": { "value": { "$ref": "#n" } }, "$defs": { "a": { "$anchor": "n", "type": "integer" }, "b": { "$anchor": "n" } } }),
        json!({ "properties": { "value": { "$id": "https://example.com/inner", "$ref": "#/$defs/n" } }, "$defs": { "n": number } }),
        json!({ "properties": { "value": { "$id": "inner", "properties": { "a": { "$ref": "#" } } } }, "required": ["value"] }),
    ] {
        passes(&schema, json!({ "value": { "a": "x" } }));
    }
}

#[test]
fn words_of_older_drafts_are_understood_beside_those_of_newer_ones() {
    let kind =
        |kind: &str| json!({ "type": "object", "properties": { "kind": { "const": kind } } });
    let schema = json!({ "properties": {
        "a": { "type": "number", "minimum": 0, "exclusiveMinimum": true },
        "b": { "type": "number", "maximum": 9, "exclusiveMaximum": false },
        "c": { "items": [{ "type": "string" }, { "pattern": UNREADABLE }], "additionalItems": false },
        "d": { "oneOf": [kind("x"), kind("y")] },
        "odd": { "type": "int" },
    } });
    refused(
        &schema,
        json!({ "a": 0, "b": 9.5, "c": [1, "x", 2], "d": { "kind": "z" }, "odd": "x" }),
        &["a", "b", "c", "c[0]", "d.kind"],
    );
    passes(
        &schema,
        json!({ "a": 0.1, "b": 9, "c": ["a", "x"], "d": { "kind": "x" } }),
    );
}

/// A source of random numbers that are the same in each run.
struct Chance {
    state: u64,
    /// The first of the three definitions that may be referred to. None refers to itself.
    definition: u64,
}

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % limit
    }
}

/// Makes a schema that contains the expression in some places.
fn schema(chance: &mut Chance, depth: u32) -> Value {
    if depth == 0 || chance.below(5) == 0 {
        return match chance.below(5) {
            0 => json!({ "type": "string", "pattern": "HERE" }),
            1 => json!({ "pattern": "HERE" }),
            2 => {
                json!({ "type": (["string", "integer", "object", "array"][chance.below(4) as usize]) })
            }
            3 => json!({ "$ref": format!("#/$defs/d{}", chance.definition.max(chance.below(3))) }),
            _ => json!({ "required": ["a"] }),
        };
    }
    let inner = |chance: &mut Chance| schema(chance, depth - 1);
    match chance.below(12) {
        0 => json!({ "not": inner(chance) }),
        1 => json!({ "if": inner(chance), "then": inner(chance), "else": inner(chance) }),
        2 => json!({ "oneOf": [inner(chance), inner(chance)] }),
        3 => {
            json!({ "anyOf": [inner(chance), inner(chance)], "oneOf": [inner(chance), inner(chance)] })
        }
        4 => json!({ "allOf": [inner(chance), inner(chance)], "unevaluatedProperties": false }),
        5 => json!({ "properties": { "a": inner(chance) }, "additionalProperties": inner(chance) }),
        6 => {
            json!({ "properties": { "a": inner(chance) }, "allOf": [inner(chance)], "unevaluatedProperties": false })
        }
        7 => {
            json!({ "patternProperties": { "HERE": inner(chance) }, "additionalProperties": false })
        }
        8 => json!({ "contains": inner(chance), "maxContains": 1 }),
        9 => json!({ "prefixItems": [inner(chance)], "unevaluatedItems": false }),
        10 => json!({ "items": inner(chance) }),
        _ => {
            json!({ "dependentSchemas": { "a": inner(chance) }, "propertyNames": { "pattern": "HERE" } })
        }
    }
}

/// A value that fits under some meaning of an unreadable expression is not refused.
#[test]
fn no_value_is_refused_that_some_reading_lets_pass() {
    let values = [
        json!("x"),
        json!(1),
        json!({}),
        json!({ "a": "x" }),
        json!({ "a": 1, "b": "x" }),
        json!({ "b": {} }),
        json!([]),
        json!(["x"]),
        json!(["x", 1]),
        json!(["x", "x"]),
        json!({ "a": { "a": "x" }, "b": ["x"] }),
    ];
    let mut chance = Chance {
        state: 7,
        definition: 0,
    };
    let (mut kept, mut refusals) = (0, 0);
    for _ in 0..300 {
        let [d1, d0, value] = [(2, 1), (1, 2), (0, 3)].map(|(definition, depth)| {
            chance.definition = definition;
            schema(&mut chance, depth)
        });
        let text = json!({
            "properties": { "value": value },
            "$defs": { "d0": d0, "d1": d1, "d2": { "type": "string" } },
        })
        .to_string();
        let [unreadable, all, none] = [UNREADABLE, "", "^never$"].map(|pattern| {
            let schema: Value = serde_json::from_str(&text.replace("HERE", pattern)).unwrap();
            assert!(is_usable(&schema), "{schema}");
            schema
        });
        for value in &values {
            let arguments = json!({ "value": value });
            let fits = check(&all, &arguments).is_ok() || check(&none, &arguments).is_ok();
            let verdict = check(&unreadable, &arguments);
            assert!(!fits || verdict.is_ok(), "{text} {value} {verdict:?}");
            kept += usize::from(fits);
            refusals += usize::from(verdict.is_err());
        }
    }
    // The check neither passes everything nor has nothing to pass.
    assert!(refusals > 300 && kept > 300, "{refusals} {kept}");
}

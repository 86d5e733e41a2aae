//! Schemas of other servers that would cost too much. Each must be judged at once, without a panic
//! and without a fetch.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tools::arguments::{check, is_usable};

/// The time limit, for a debug build on a busy machine. Work without a limit takes minutes or never
/// ends.
const AT_ONCE: Duration = Duration::from_secs(60);

#[track_caller]
fn usable(schema: &Value, arguments: &Value) -> bool {
    let begin = Instant::now();
    let _ = check(schema, arguments);
    let took = begin.elapsed();
    assert!(took < AT_ONCE, "{took:?}");
    is_usable(schema)
}

#[track_caller]
fn passes_unchecked(schema: Value) {
    assert!(!usable(&schema, &json!({ "value": 1 })));
    assert_eq!(check(&schema, &json!({ "value": 1 })), Ok(()));
}

/// Checks that of two parameters, the one with this schema passes unchecked and the other does not.
#[track_caller]
fn passes_alone(value: Value) {
    let schema = json!({ "properties": { "value": value, "other": { "type": "integer" } } });
    assert!(usable(&schema, &json!({ "value": 1 })));
    assert_eq!(check(&schema, &json!({ "value": 1 })), Ok(()));
    let issues = check(&schema, &json!({ "value": 1, "other": "x" })).unwrap_err();
    assert_eq!(issues.len(), 1, "{issues:?}");
    assert_eq!(issues[0].path, "other");
}

fn nested(levels: usize, step: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!({ "type": "string" }), |inner, _| step(inner))
}

#[test]
fn nothing_is_fetched() {
    for reference in [
        "https://example.org/schema.json",
        "http://127.0.0.1:1/x#/a",
        "file:///etc/passwd",
        "other.json",
        "//example.org/x",
        "data:application/json,{}",
        "https://schema.invalid/other",
    ] {
        passes_alone(json!({ "$ref": reference }));
        passes_alone(json!({ "$dynamicRef": reference }));
        passes_unchecked(
            json!({ "$schema": reference, "properties": { "value": { "type": "string" } } }),
        );
    }
}

#[test]
fn a_published_metaschema_is_at_hand_without_fetching() {
    for draft in [
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        let schema = json!({ "properties": { "value": { "$ref": draft } } });
        assert!(usable(&schema, &json!({})));
        assert_eq!(
            check(&schema, &json!({ "value": { "type": "string" } })),
            Ok(())
        );
        let issues = check(
            &schema,
            &json!({ "value": { "properties": { "a": { "type": "strin" } } } }),
        )
        .unwrap_err();
        assert!(
            issues[0].path.starts_with("value.properties.a.type"),
            "{issues:?}"
        );
    }
}

#[test]
fn references_in_a_circle_are_not_used() {
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } }, "$ref": "#/$defs/a" }),
        json!({ "properties": { "value": { "anyOf": [{ "$ref": "#/properties/value" }, { "type": "string" }] } } }),
        json!({ "$dynamicAnchor": "x", "$dynamicRef": "#x" }),
        json!({ "$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true, "$recursiveRef": "#" }),
        json!({ "not": { "$ref": "#" } }),
    ] {
        usable(&schema, &json!({ "value": 1 }));
        assert_eq!(check(&schema, &json!({ "value": 1 })), Ok(()), "{schema}");
    }
}

#[test]
fn schemas_that_double_are_not_walked() {
    let mut definitions = serde_json::Map::new();
    for level in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
        definitions.insert(format!("l{level}"), json!({ "anyOf": [next, next, next] }));
    }
    definitions.insert("l60".to_owned(), json!({ "type": "string" }));
    let schema =
        json!({ "$defs": definitions, "properties": { "value": { "$ref": "#/$defs/l0" } } });
    assert_eq!(check(&schema, &json!({ "value": 1 })), Ok(()));

    let twice = json!({ "anyOf": [{ "$ref": "#/$defs/n" }, { "$ref": "#/$defs/n" }, { "$ref": "#/$defs/n" }] });
    let schema = json!({ "$defs": { "n": { "type": "object", "properties": { "next": twice, "n": { "type": "integer" } } } }, "$ref": "#/$defs/n" });
    let deep = (0..60).fold(json!({ "n": "x" }), |inner, _| json!({ "next": inner }));
    assert!(usable(&schema, &deep));
    assert_eq!(check(&schema, &deep), Ok(()));
    assert!(check(&schema, &json!({ "next": { "next": { "n": "x" } } })).is_err());
}

#[test]
fn complete_graphs_of_references_are_not_walked() {
    let names: Vec<String> = (0..40).map(|number| format!("n{number}")).collect();
    let all: Vec<Value> = names
        .iter()
        .map(|name| json!({ "$ref": format!("#/$defs/{name}") }))
        .collect();
    let definitions: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| (name.clone(), json!({ "allOf": all })))
        .collect();
    let schema = json!({ "$defs": definitions, "$ref": "#/$defs/n0" });
    assert_eq!(check(&schema, &json!({ "value": 1 })), Ok(()));
}

#[test]
fn deep_schemas_and_deep_arguments_are_refused_or_left_alone() {
    let steps: [fn(Value) -> Value; 4] = [
        |inner| json!({ "properties": { "value": inner } }),
        |inner| json!({ "items": inner }),
        |inner| json!({ "not": inner }),
        |inner| json!({ "anyOf": [inner] }),
    ];
    for step in steps {
        passes_unchecked(nested(120, step));
    }
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let issues = check(&json!({}), &json!({ "value": deep })).unwrap_err();
    assert!(
        issues[0].message.contains("must not nest deeper"),
        "{issues:?}"
    );
    let list = json!({ "$defs": { "l": { "anyOf": [{ "type": "integer" }, { "type": "array", "items": { "$ref": "#/$defs/l" } }] } }, "properties": { "value": { "$ref": "#/$defs/l" } } });
    let deep = |levels| (0..levels).fold(json!("x"), |inner, _| json!([inner]));
    assert!(check(&list, &json!({ "value": deep(40) })).is_err());
    assert_eq!(check(&list, &json!({ "value": deep(120) })), Ok(()));
}

#[test]
fn the_deepest_walk_that_is_allowed_stays_on_a_small_stack() {
    let list = json!({ "$defs": { "l": { "allOf": [{ "anyOf": [{ "type": "integer" }, { "type": "object", "additionalProperties": { "$ref": "#/$defs/l" } }] }] } }, "properties": { "value": { "$ref": "#/$defs/l" } } });
    let checked = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(move || {
        let deep = |levels| json!({ "value": (0..levels).fold(json!("x"), |inner, _| json!({ "a": inner })) });
        (0..127).filter(|levels| check(&list, &deep(*levels)).is_err()).count()
    });
    assert!(checked.unwrap().join().unwrap() > 30);
}

#[test]
fn long_pointers_do_not_recurse() {
    let pointer = "/not".repeat(60_000);
    for reference in [
        format!("#{pointer}"),
        format!("https://json-schema.org/draft/2020-12/schema#{pointer}"),
    ] {
        passes_alone(json!({ "$ref": reference }));
        passes_alone(
            json!({ "default": { "$ref": reference }, "$ref": "#/properties/value/default" }),
        );
    }
}

#[test]
fn large_schemas_are_bounded_in_bytes_and_those_of_many_parts_are_checked_at_once() {
    passes_unchecked(json!({ "description": "x".repeat(300_000) }));
    let many: Vec<Value> = (0..20_000).map(|_| json!({})).collect();
    assert!(usable(&json!({ "anyOf": many }), &json!({ "value": 1 })));
    let wide: serde_json::Map<String, Value> = (0..2_500)
        .map(|number| (format!("p{number}"), json!({ "type": "string" })))
        .collect();
    let wide = json!({ "properties": wide });
    assert!(usable(&wide, &json!({ "value": 1 })));
    assert!(check(&wide, &json!({ "p2499": 1 })).is_err());
    let inner: serde_json::Map<String, Value> = (0..1_000)
        .map(|number| (format!("p{number}"), json!(true)))
        .collect();
    let long = json!({ "properties": { "k".repeat(100_000): { "properties": inner } } });
    assert!(usable(&long, &json!({ "value": 1 })));
    let real: serde_json::Map<String, Value> = (0..1_500)
        .map(|number| (format!("p{number}"), json!({ "type": "string" })))
        .collect();
    assert!(usable(&json!({ "properties": &real }), &json!({ "p7": 1 })));
    let nullable: serde_json::Map<String, Value> = real
        .keys()
        .map(|name| (name.clone(), json!({ "type": "string", "nullable": true })))
        .collect();
    assert!(usable(
        &json!({ "properties": nullable }),
        &json!({ "p7": 1 })
    ));
}

#[test]
fn expressions_are_linear_bounded_or_set_aside() {
    let begin = Instant::now();
    let text = format!("{}!", "a".repeat(100_000));
    for pattern in [
        "^(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "(.*a){20}",
        "^((a*)*)*$",
    ] {
        let schema = json!({ "properties": { "value": { "pattern": pattern } } });
        let _ = check(&schema, &json!({ "value": text }));
    }
    for pattern in [
        "(a{100}){100}",
        "((((\\w{9}){9}){9}){9}){9}",
        "(?=a)",
        "[",
        "(",
        "\\",
        "\\p{Foo}",
        "(?-u:\\xFF)",
        "a{99999}",
        "(?x)a",
        "\\8",
        "[z-a]",
        "*",
        "(?P<a>.)(?P<a>.)",
        "[a-\\d]",
        "\\cJ\\c",
        "\\u{110000}",
        "(?:",
        "{",
        "a{2",
        "[[:x:]]",
        "[a&&b]",
        "[]",
        "[^]",
    ] {
        let schema = json!({ "properties": { "value": { "type": "string", "pattern": pattern }, "n": { "type": "integer" } }, "patternProperties": { pattern: { "type": "string" } } });
        usable(&schema, &json!({ "value": "x" }));
        assert_eq!(
            check(&schema, &json!({ "value": "x" })),
            Ok(()),
            "{pattern}"
        );
    }
    assert!(begin.elapsed() < AT_ONCE, "{:?}", begin.elapsed());
}

#[test]
fn an_expression_that_is_set_aside_leaves_the_rest_of_the_schema_in_use() {
    let schema = json!({ "properties": { "value": { "type": "string", "pattern": "^(?!\\s*$).+" }, "n": { "type": "integer" } } });
    let issues = check(&schema, &json!({ "value": "", "n": "x" })).unwrap_err();
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].path, "n");
    // Within these keywords, a weaker schema refuses more.
    for turning in [
        json!({ "not": { "pattern": "(?=a)" } }),
        json!({ "oneOf": [{ "pattern": "(?=a)" }, { "type": "string" }] }),
        json!({ "if": { "pattern": "(?=a)" }, "then": false }),
    ] {
        assert_eq!(
            check(
                &json!({ "properties": { "value": turning } }),
                &json!({ "value": "b" })
            ),
            Ok(())
        );
    }
    let names = json!({ "patternProperties": { "^(?!x)": true }, "additionalProperties": false });
    assert_eq!(check(&names, &json!({ "a": 1 })), Ok(()));
}

#[test]
fn invalid_schemas_let_arguments_pass() {
    for schema in [
        json!({ "type": 5 }),
        json!({ "type": "strin" }),
        json!({ "properties": [] }),
        json!({ "required": true }),
        json!({ "minimum": "1" }),
        json!({ "enum": "a" }),
        json!({ "$ref": 5 }),
        json!({ "$ref": "#/nowhere" }),
        json!({ "$ref": "#nowhere" }),
        json!({ "$ref": "#/%zz" }),
        json!({ "$ref": ":::" }),
        json!({ "$id": "://" }),
        json!({ "$schema": 5 }),
        json!({ "$schema": "x" }),
        json!({ "patternProperties": { "[": { "type": "string" } }, "unevaluatedProperties": false }),
        json!(null),
        json!([]),
        json!("text"),
        json!(false),
        json!({ "$vocabulary": 5 }),
        json!({ "prefixItems": [] }),
        json!({ "multipleOf": 0 }),
        json!({ "multipleOf": -1 }),
    ] {
        usable(&schema, &json!({ "value": 1 }));
        assert_eq!(check(&schema, &json!({ "value": 1 })), Ok(()), "{schema}");
    }
}

#[test]
fn large_arguments_are_checked_or_passed_within_bounds() {
    let list = json!({ "properties": { "value": { "type": "array", "items": { "type": "object", "properties": { "n": { "type": "integer" } } } } } });
    let of = |count: usize| json!({ "value": (0..count).map(|_| json!({ "n": "x" })).collect::<Vec<_>>() });
    assert!(usable(&list, &of(20_000)));
    assert_eq!(check(&list, &of(20_000)).unwrap_err().len(), 20);
    assert_eq!(check(&list, &of(300_000)), Ok(()));
    let unique = json!({ "properties": { "value": { "uniqueItems": true } } });
    assert!(
        check(
            &unique,
            &json!({ "value": (0..50_000).map(|number| number % 49_999).collect::<Vec<_>>() })
        )
        .is_err()
    );
    let names: serde_json::Map<String, Value> = (0..50_000)
        .map(|number| (format!("name_{number}"), json!(1)))
        .collect();
    let closed = json!({ "properties": { "name": true, "value": { "additionalProperties": false, "properties": { "name_x": true } } } });
    assert_eq!(
        check(&closed, &json!({ "value": names }))
            .unwrap_err()
            .len(),
        20
    );
}

#[test]
fn missing_names_are_counted_before_they_are_kept() {
    let names: Vec<String> = (0..14_000).map(|number| format!("n{number}")).collect();
    for record in [
        json!({ "dependentRequired": { "id": names } }),
        json!({ "dependencies": { "id": names } }),
        json!({ "required": names }),
    ] {
        let schema =
            json!({ "properties": { "value": { "items": record }, "n": { "type": "integer" } } });
        let of = |count: usize| json!({ "value": vec![json!({ "id": 0 }); count] });
        assert!(check(&schema, &of(10)).is_err());
        assert_eq!(check(&schema, &of(3_000)), Ok(()));
    }
}

#[test]
fn expressions_are_bounded_together_and_counted() {
    let properties: serde_json::Map<String, Value> = (0..1_500)
        .map(|number| {
            let pattern = format!("^[^,]{{1,330}}y{number}$");
            (
                format!("p{number}"),
                json!({ "type": "string", "pattern": pattern }),
            )
        })
        .collect();
    let schema = json!({ "properties": properties });
    let given = |count: usize| -> Value {
        let values = (0..count).map(|number| (format!("p{number}"), json!("no")));
        Value::Object(values.collect())
    };
    let begin = Instant::now();
    assert!(check(&schema, &json!({ "p1": 5 })).is_err());
    // Some of them are compiled, and the text does not match those.
    let issues = check(&schema, &given(1_500)).unwrap_err();
    assert!(issues.len() > 3, "{issues:?}");
    assert!(begin.elapsed() < AT_ONCE, "{:?}", begin.elapsed());
}

#[test]
fn branches_of_branches_are_explained_within_bounds() {
    let branch = |inner: Value| json!({ "anyOf": (0..12).map(|number| json!({ "type": "object", "properties": { "k": { "const": number }, "a": inner.clone() }, "required": ["k", "zz"] })).collect::<Vec<_>>() });
    let schema = json!({ "properties": { "value": branch(branch(json!({ "type": "string" }))) } });
    assert!(usable(&schema, &json!({ "value": { "a": { "a": 5 } } })));
    assert!(check(&schema, &json!({ "value": { "a": { "a": 5 } } })).is_err());
}

/// Each schema is combined with each value: the check may not do more of these combinations than
/// its budget of work allows.
#[test]
fn large_schemas_and_large_values_do_not_multiply() {
    let texts = |count: usize, length: usize| -> Vec<String> {
        (0..count)
            .map(|number| format!("{number:0>length$}"))
            .collect()
    };
    let object = |names: Vec<String>| -> Value {
        Value::Object(names.into_iter().map(|name| (name, json!(1))).collect())
    };
    let numbers: Vec<usize> = (0..50_000).collect();
    let long = "x".repeat(1_000_000);
    let patterns = |pattern: &str, count: usize| -> Value {
        let named =
            (0..count).map(|number| (format!("{pattern}{number}"), json!({ "type": "string" })));
        json!({ "patternProperties": Value::Object(named.collect()) })
    };
    let many = |schema: Value, count: usize| json!({ "allOf": vec![schema; count] });
    for (of_value, value) in [
        (
            json!({ "items": { "enum": texts(10_000, 10) } }),
            json!(numbers),
        ),
        (json!({ "enum": vec![json!([1]); 20_000] }), json!(numbers)),
        (
            json!({ "items": { "enum": [vec![json!([[1]]); 5_000]] } }),
            json!(vec![json!([[1]]); 20_000]),
        ),
        (many(json!({ "uniqueItems": true }), 5_000), json!(numbers)),
        (
            many(json!({ "maxItems": 1, "minItems": 60_000 }), 5_000),
            json!(numbers),
        ),
        (many(json!(true), 20_000), object(texts(50_000, 5))),
        (many(json!({ "minLength": 1 }), 5_000), json!(long)),
        (many(json!({ "pattern": "(?=a)" }), 5_000), json!(long)),
        (many(json!({ "pattern": "^(x|xx)*$" }), 5_000), json!(long)),
        (
            many(json!({ "propertyNames": { "maxLength": 1 } }), 5_000),
            object(texts(5_000, 100)),
        ),
        (patterns("(?=a)", 5_000), object(texts(5_000, 100))),
        (patterns("(\\w{99}){99}", 5_000), json!({ "a": 1 })),
        (patterns("a", 5_000), json!({ long.clone(): 1 })),
        (
            json!({ "items": { "properties": object(texts(10_000, 10)), "additionalProperties": false } }),
            json!(vec![json!({ "x": 1 }); 100_000]),
        ),
        (
            json!({ "items": { "unevaluatedProperties": false, "anyOf": vec![json!({ "properties": { "a": true } }); 500] } }),
            json!(vec![object(texts(50, 5)); 1_000]),
        ),
        (
            json!({ "$ref": format!("#/{}", "a/".repeat(100_000)) }),
            json!(numbers),
        ),
        (
            json!({ "items": { "$ref": format!("#{}", "%41".repeat(80_000)) } }),
            json!(numbers),
        ),
    ] {
        let schema = json!({ "properties": { "value": of_value } });
        let begin = Instant::now();
        let usable = usable(&schema, &json!({ "value": value }));
        let took = begin.elapsed();
        let shown: String = schema.to_string().chars().take(120).collect();
        assert!(usable, "{shown}");
        assert!(took < AT_ONCE, "{shown} {took:?}");
    }
}

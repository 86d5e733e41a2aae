//! Schemas of arguments and results in the form that every host takes, and the types that an argument may have.
//!
//! Hosts hand a list of tools to APIs of models, and some of these refuse a whole list for one schema: a property without a type, an array without
//! items, an enumeration without a type, `additionalProperties` that is true or false, several types or `anyOf` where one type is expected. So a list
//! shows one type for each property, also where the server takes more. Bounds are left out: they cost tokens, and the server checks them itself.

use serde_json::{Map, Value};

/// The members of a schema that only a check needs.
const OF_A_CHECK: &[&str] = &[
    "additionalProperties",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "pattern",
    "format",
];

/// The type that stands for any value: most values of such an argument are objects.
const ANY: &str = "object";

/// A schema as a list of tools shows it: the first of its alternatives. Its depth is that of the tables of tools and operations, whose references the build script bounds.
pub fn for_hosts(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else {
        return schema.clone();
    };
    let first = kinds(schema).into_iter().next();
    let mut short = Map::new();
    short.insert(
        "type".to_owned(),
        first.unwrap_or_else(|| ANY.to_owned()).into(),
    );
    let alternative = alternatives(fields).next().and_then(Value::as_object);
    for (name, value) in fields.iter().chain(alternative.into_iter().flatten()) {
        if OF_A_CHECK.contains(&name.as_str()) || short.contains_key(name) {
            continue;
        }
        let value = match (name.as_str(), value) {
            ("anyOf" | "oneOf", _) => continue,
            ("properties", Value::Object(members)) => members
                .iter()
                .map(|(name, schema)| (name.clone(), for_hosts(schema)))
                .collect(),
            ("enum", Value::Array(values)) => values
                .iter()
                .filter(|value| !value.is_null())
                .cloned()
                .collect(),
            // Values of a list may differ in type.
            ("items", items) if items.get("type").is_some_and(Value::is_array) => items.clone(),
            ("items", items) => for_hosts(items),
            (_, value) => value.clone(),
        };
        short.insert(name.clone(), value);
    }
    Value::Object(short)
}

fn alternatives(fields: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let of = |name: &str| fields.get(name).and_then(Value::as_array);
    of("anyOf").into_iter().chain(of("oneOf")).flatten()
}

/// The types that a value may have; none where it may be anything.
pub fn kinds(schema: &Value) -> Vec<String> {
    let Some(fields) = schema.as_object() else {
        return Vec::new();
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match (fields.get("type"), fields.get("enum")) {
        (Some(Value::Array(kinds)), _) => kinds.iter().filter_map(text).collect(),
        (Some(kind), _) => text(kind).into_iter().collect(),
        // Every enumeration here is one of words.
        (None, Some(_)) => vec!["string".to_owned()],
        (None, None) => alternatives(fields).flat_map(kinds).collect(),
    }
}

/// Whether an empty text is a value of this schema, and not the lack of one.
pub fn may_be_empty(schema: &Value) -> bool {
    let Some(fields) = schema.as_object() else {
        return true;
    };
    let mut alternatives = alternatives(fields).peekable();
    if alternatives.peek().is_some() {
        return alternatives.any(may_be_empty);
    }
    let kinds = kinds(schema);
    let is_bound = ["enum", "minLength"]
        .iter()
        .any(|name| fields.contains_key(*name));
    (kinds.is_empty() || kinds.iter().any(|kind| kind == "string")) && !is_bound
}

/// What hosts require of schemas, for the tests of every list.
#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::json;

    /// Requires what hosts require of a schema, at every level; of arguments also that they are described.
    pub fn require_hosts_take(what: &str, schema: &Value) {
        for (name, argument) in schema["properties"].as_object().unwrap() {
            let words = argument["description"].as_str().unwrap_or_default();
            assert!(words.len() > 3, "{what} {name} is not described");
        }
        require_types(what, schema);
    }

    /// The same of a result, whose members need no description.
    pub fn require_types(what: &str, schema: &Value) {
        assert!(!schema["type"].is_null(), "{what}: {schema}");
        for refused in [
            "anyOf",
            "oneOf",
            "allOf",
            "$ref",
            "additionalProperties",
            "const",
        ] {
            assert!(schema.get(refused).is_none(), "{what}: {refused}");
        }
        let kinds = kinds(schema);
        if kinds.iter().any(|kind| kind == "array") {
            assert!(schema["items"].is_object(), "{what} has no items");
            require_types(&format!("{what}[]"), &schema["items"]);
        }
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            require_types(&format!("{what}.{name}"), member);
        }
    }

    fn check(schema: Value, shown: Value) {
        assert_eq!(for_hosts(&schema), shown, "{schema}");
    }

    #[test]
    fn a_list_shows_one_type_for_each_property() {
        check(json!({}), json!({"type": "object"}));
        check(
            json!({"type": "object", "additionalProperties": false, "properties": {"minimum": {"type": "integer", "minimum": 0}}}),
            json!({"type": "object", "properties": {"minimum": {"type": "integer"}}}),
        );
        check(
            json!({"description": "d", "oneOf": [{"type": "string", "maxLength": 40}, {"type": "integer"}]}),
            json!({"type": "string", "description": "d"}),
        );
        check(
            json!({"anyOf": [{"type": "array", "items": {"type": "object", "required": ["label"]}}, {"type": "object", "required": ["label"]}]}),
            json!({"type": "array", "items": {"type": "object", "required": ["label"]}}),
        );
        check(
            json!({"enum": ["a", null], "default": "a"}),
            json!({"type": "string", "enum": ["a"], "default": "a"}),
        );
        check(
            json!({"type": ["array", "null"], "items": {"type": ["string", "number"]}}),
            json!({"type": "array", "items": {"type": ["string", "number"]}}),
        );
    }
}

//! Schemas of arguments and results in a form that every host accepts, and the types that an
//! argument may have.
//!
//! Hosts pass a list of tools to model APIs, and some of these refuse the whole list because of one
//! schema: a property without a type, an array without items, an enumeration without a type, a
//! Boolean `additionalProperties`, several types or `anyOf` where one type is expected. Therefore a
//! list shows one type for each property, even if the server accepts more. Limits are left out:
//! they cost tokens, and the server checks them itself.

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

/// The type that represents any value: most values of such an argument are objects.
const ANY: &str = "object";

/// Returns a schema for a list of tools, with the first of its alternatives. The recursion is as
/// deep as the schemas in the tables of tools and operations, which contain no references here.
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

/// Returns the types that a value may have; none if it may have any type.
pub fn kinds(schema: &Value) -> Vec<String> {
    let Some(fields) = schema.as_object() else {
        return Vec::new();
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match (fields.get("type"), fields.get("enum")) {
        (Some(Value::Array(kinds)), _) => kinds.iter().filter_map(text).collect(),
        (Some(kind), _) => text(kind).into_iter().collect(),
        // Every enumeration here consists of strings.
        (None, Some(_)) => vec!["string".to_owned()],
        (None, None) => alternatives(fields).flat_map(kinds).collect(),
    }
}

/// Returns true if an empty string is a value of this schema, and does not mean a missing value.
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

/// The requirements of hosts for schemas, for the tests of every list.
#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::json;

    /// Checks the requirements of hosts for a schema at every level; arguments must also have
    /// descriptions.
    pub fn require_hosts_take(what: &str, schema: &Value) {
        for (name, argument) in schema["properties"].as_object().unwrap() {
            let words = argument["description"].as_str().unwrap_or_default();
            assert!(words.len() > 3, "{what} {name} is not described");
        }
        require_types(what, schema);
    }

    /// Checks the same for a result, whose members need no description.
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

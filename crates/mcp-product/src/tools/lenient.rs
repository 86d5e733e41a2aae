//! Converts arguments that hosts write in another type than the tool expects, if they can be read
//! in only one way.
//!
//! A valid argument is not changed: a string stays a string if the tool accepts strings, and an
//! empty string stays if the tool accepts an empty one. Any other empty string counts as a missing
//! argument if the argument is optional.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::schema::{kinds, may_be_empty};

/// Arguments that hosts add to the calls of every tool for themselves: Cline, Gemini CLI,
/// Antigravity and Windsurf, n8n.
const OF_HOSTS: &[&str] = &[
    "task_progress",
    "wait_for_previous",
    "waitForPreviousTools",
    "toolAction",
    "toolSummary",
    "toolCallId",
    "chatInput",
];

/// Arguments by which n8n is recognised, and the others that it adds. The others are removed only
/// together with these, because alone they may be misspelt arguments of ours.
const OF_N8N: (&[&str], &[&str]) = (
    &["toolCallId", "chatInput"],
    &["tool", "action", "sessionId", "id"],
);

/// The largest integer that JSON numbers of every host represent exactly, 2^53.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// An argument with its JSON text.
pub type Field = (String, Box<RawValue>);

/// Removes the arguments of hosts, and converts each other argument to a type of the tool, if it
/// has another type and can be read in only one way.
pub fn lenient(
    fields: Vec<Field>,
    properties: &Map<String, Value>,
    required: &[&str],
) -> Vec<Field> {
    let is_n8n = fields
        .iter()
        .any(|(name, _)| OF_N8N.0.contains(&name.as_str()));
    let is_of_host = |name: &str| OF_HOSTS.contains(&name) || (is_n8n && OF_N8N.1.contains(&name));
    fields
        .into_iter()
        .filter_map(|(name, value)| {
            let Some(schema) = properties.get(&name) else {
                return (!is_of_host(&name)).then_some((name, value));
            };
            let is_absent = value.get() == r#""""#
                && !required.contains(&name.as_str())
                && !may_be_empty(schema);
            let value = read_as(&value, &kinds(schema))
                .or_else(|| spelt(&value, schema))
                .unwrap_or(value);
            (!is_absent).then_some((name, value))
        })
        .collect()
}

/// Converts a value to one of these types; none if it already has one of them, or cannot be read
/// so.
fn read_as(value: &RawValue, kinds: &[String]) -> Option<Box<RawValue>> {
    let takes = |kind: &str| kinds.iter().any(|known| known == kind);
    let written = match serde_json::from_str::<String>(value.get()) {
        // A string that may be a string is converted only if it is exactly such a value.
        Ok(text) if takes("boolean") && is_truth(&text) => text.trim().to_ascii_lowercase(),
        Ok(text) if takes("integer") && text.trim().parse::<i64>().is_ok() => {
            text.trim().to_owned()
        }
        Ok(text) if !takes("string") => text.trim().to_owned(),
        Ok(_) => return None,
        Err(_) => value.get().to_owned(),
    };
    let kind = match written.as_bytes().first()? {
        b'[' => "array",
        b'{' => "object",
        b't' | b'f' => "boolean",
        b'-' | b'0'..=b'9' if takes("number") => "number",
        b'-' | b'0'..=b'9' => return whole(&written).filter(|_| takes("integer")),
        _ => return None,
    };
    // A list in the place of an object is refused with a message about the list.
    let is_container = matches!(kind, "array" | "object") && (takes("array") || takes("object"));
    if !takes(kind) && !is_container {
        return None;
    }
    RawValue::from_string(written).ok()
}

/// Returns the enumeration value that differs only in case.
fn spelt(value: &RawValue, schema: &Value) -> Option<Box<RawValue>> {
    let text: String = serde_json::from_str(value.get()).ok()?;
    let known: Vec<&str> = schema
        .get("enum")?
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    if known.contains(&text.as_str()) {
        return None;
    }
    let mut near = known
        .iter()
        .filter(|known| known.eq_ignore_ascii_case(text.trim()));
    match (near.next(), near.next()) {
        (Some(one), None) => RawValue::from_string(Value::from(*one).to_string()).ok(),
        _ => None,
    }
}

fn is_truth(text: &str) -> bool {
    let text = text.trim();
    text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")
}

/// Converts `10`, `10.0` and `1e1` to the integer 10.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is whole, and small enough to be exact"
)]
fn whole(text: &str) -> Option<Box<RawValue>> {
    if text.parse::<i128>().is_ok() {
        return RawValue::from_string(text.to_owned()).ok();
    }
    let number: f64 = serde_json::from_str(text).ok()?;
    let is_whole = number.fract() == 0.0 && number.abs() <= MAX_EXACT;
    is_whole
        .then(|| RawValue::from_string((number as i64).to_string()).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(arguments: &str, read: &str) {
        let properties = json!({
            "n": {"type": "integer"}, "x": {"type": "number"}, "b": {"type": "boolean"}, "list": {"type": "array"},
            "object": {"type": "object"}, "name": {"type": "string", "minLength": 1}, "words": {"type": "string"},
            "kind": {"enum": ["a", "b"]}, "stage": {"type": ["boolean", "string"], "minLength": 1}, "any": {},
            "asOf": {"oneOf": [{"type": "integer"}, {"type": "string"}]}, "params": {"anyOf": [{"type": "array"}, {"type": "object"}]},
            "must": {"type": "string", "minLength": 1}, "tool": {"type": "string"},
        });
        let base::entries::Fields(fields) = serde_json::from_str(arguments).unwrap();
        let fields = lenient(fields, properties.as_object().unwrap(), &["must"]);
        let fields: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{}:{}", json!(name), value.get()))
            .collect();
        assert_eq!(format!("{{{}}}", fields.join(",")), read, "{arguments}");
    }

    #[test]
    fn what_has_one_reading_is_read_so() {
        for (arguments, read) in [
            (r#"{"n":10.0}"#, r#"{"n":10}"#),
            (r#"{"n":1e1}"#, r#"{"n":10}"#),
            (r#"{"n":-0.0}"#, r#"{"n":0}"#),
            (r#"{"n":"10"}"#, r#"{"n":10}"#),
            (r#"{"n":" 10.00 "}"#, r#"{"n":10}"#),
            (r#"{"x":"1.5"}"#, r#"{"x":1.5}"#),
            (r#"{"b":"false"}"#, r#"{"b":false}"#),
            (r#"{"b":"True"}"#, r#"{"b":true}"#),
            (r#"{"stage":"false"}"#, r#"{"stage":false}"#),
            (r#"{"list":"[1, 2]"}"#, r#"{"list":[1, 2]}"#),
            (r#"{"object":"{\"a\":[1]}"}"#, r#"{"object":{"a":[1]}}"#),
            (r#"{"params":"{\"a\":1}"}"#, r#"{"params":{"a":1}}"#),
            (r#"{"asOf":"3"}"#, r#"{"asOf":3}"#),
            (r#"{"kind":"A"}"#, r#"{"kind":"a"}"#),
            (r#"{"kind":" b "}"#, r#"{"kind":"b"}"#),
            (r#"{"name":"","n":"","list":"","kind":"","stage":""}"#, "{}"),
        ] {
            check(arguments, read);
        }
    }

    #[test]
    fn what_would_do_or_has_no_reading_stays() {
        for arguments in [
            r#"{"n":10}"#,
            r#"{"n":1.5}"#,
            r#"{"n":9007199254740993}"#,
            r#"{"n":1e300}"#,
            r#"{"n":"ten"}"#,
            r#"{"n":"0x10"}"#,
            r#"{"b":1}"#,
            r#"{"b":"yes"}"#,
            r#"{"list":"[1,"}"#,
            r#"{"list":"a"}"#,
            r#"{"name":5}"#,
            r#"{"kind":"c"}"#,
            r#"{"kind":5}"#,
            r#"{"name":"true"}"#,
            r#"{"stage":"table1"}"#,
            r#"{"stage":true}"#,
            r#"{"words":""}"#,
            r#"{"any":""}"#,
            r#"{"any":"[1]"}"#,
            r#"{"any":10.0}"#,
            r#"{"must":""}"#,
            r#"{"asOf":"2026-01-01T00:00:00Z"}"#,
            r#"{"n":null}"#,
        ] {
            check(arguments, arguments);
        }
    }

    #[test]
    fn what_hosts_add_is_left_out_and_nothing_else() {
        for (arguments, read) in [
            (r#"{"task_progress":"- [x] look","n":1}"#, r#"{"n":1}"#),
            (
                r#"{"wait_for_previous":true,"waitForPreviousTools":false}"#,
                "{}",
            ),
            (r#"{"toolAction":"a","toolSummary":"b"}"#, "{}"),
            (
                r#"{"tool":"t","toolCallId":"c","sessionId":"s","action":"a","chatInput":"i","id":1}"#,
                r#"{"tool":"t"}"#,
            ),
            (r#"{"sessionId":"s"}"#, r#"{"sessionId":"s"}"#),
            (r#"{"action":"a","id":1}"#, r#"{"action":"a","id":1}"#),
        ] {
            check(arguments, read);
        }
    }
}

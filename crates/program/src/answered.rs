//! Remembers what the tools of servers returned during a run, for hints: for each tool the form of
//! its last result, and the error code of a failed call.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::limits::{
    MAX_HINTED_KEY_CHARACTERS, MAX_HINTED_KEYS, MAX_REMEMBERED_ANSWERS, READ_FOR_HINTED_KEYS_BYTES,
};

/// The form in which a program got a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A text, as a String object.
    Text,
    /// A list.
    List,
    /// An object, and its first keys.
    Object(Vec<String>),
    /// A number, a boolean or null, which the program gets inside `{ok, data, error, meta}`.
    Value,
    /// A reference to the tables that hold the result.
    Receipt,
}

impl Shape {
    /// Returns the form of a result. Only the beginning of an object is read.
    pub fn of(json: &str) -> Self {
        match json.trim_start().as_bytes().first() {
            Some(b'"') => Self::Text,
            Some(b'[') => Self::List,
            Some(b'{') => Self::Object(first_keys(json)),
            _ => Self::Value,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => formatter.write_str("its result was a text"),
            Self::List => formatter.write_str("its result was a list"),
            Self::Object(keys) if keys.is_empty() => {
                formatter.write_str("its result was an object without keys")
            }
            Self::Object(keys) => {
                let more = if keys.len() > MAX_HINTED_KEYS { ", …" } else { "" };
                let shown: Vec<&str> =
                    keys.iter().take(MAX_HINTED_KEYS).map(String::as_str).collect();
                let word = if keys.len() == 1 { "key" } else { "keys" };
                write!(
                    formatter,
                    "its result was an object with the {word} {}{more}",
                    shown.join(", ")
                )
            }
            Self::Value => formatter.write_str(
                "its result was a plain value, which is returned as {ok, data, error, meta}",
            ),
            Self::Receipt => formatter.write_str(
                "its result was large and is in tables, so the call returned {staged: true, tables}; {stage: false} returns the data",
            ),
        }
    }
}

/// Returns the first keys of an object: one more than a hint shows, so that the hint can say that
/// there are more.
fn first_keys(json: &str) -> Vec<String> {
    let end = json.floor_char_boundary(READ_FOR_HINTED_KEYS_BYTES);
    let mut keys = FirstKeys(Vec::new());
    // The text may be cut in the middle of a long object, and the visitor stops at the last key
    // that it wants. The deserializer reports both as errors.
    let _incomplete = serde_json::Deserializer::from_str(json.get(..end).unwrap_or(json))
        .deserialize_map(&mut keys);
    keys.0
}

struct FirstKeys(Vec<String>);

impl<'de> Visitor<'de> for &mut FirstKeys {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while self.0.len() <= MAX_HINTED_KEYS
            && let Some(key) = entries.next_key_seed(HintedKey)?
        {
            self.0.push(key);
            entries.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// A seed that reads a key without control characters and shortened to its limit.
struct HintedKey;

impl<'de> DeserializeSeed<'de> for HintedKey {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let key: std::borrow::Cow<'de, str> = serde::Deserialize::deserialize(deserializer)?;
        Ok(key
            .chars()
            .filter(|character| !character.is_control())
            .take(MAX_HINTED_KEY_CHARACTERS)
            .collect())
    }
}

/// The results of the calls of one tool.
#[derive(Debug)]
struct Tool {
    server: String,
    name: String,
    failed: Option<String>,
    shape: Option<Shape>,
}

/// The tools that a run has called, up to [`MAX_REMEMBERED_ANSWERS`].
#[derive(Debug, Default)]
pub struct ToolOutcomes {
    tools: Vec<Tool>,
    servers: Vec<String>,
}

impl ToolOutcomes {
    /// Notes the servers that the program may use.
    pub fn know_servers<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.servers = names.map(str::to_owned).collect();
    }

    /// Returns the servers that the program may use.
    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// Notes a result.
    pub fn with(&mut self, server: &str, tool: &str, shape: Shape) {
        if let Some(tool) = self.tool(server, tool) {
            tool.shape = Some(shape);
        }
    }

    /// Notes a failure.
    pub fn failed(&mut self, server: &str, tool: &str, code: &str) {
        if let Some(tool) = self.tool(server, tool) {
            tool.failed = Some(code.to_owned());
        }
    }

    fn tool(&mut self, server: &str, name: &str) -> Option<&mut Tool> {
        let known = self
            .tools
            .iter()
            .position(|tool| tool.server == server && tool.name == name);
        let place = match known {
            Some(place) => place,
            None if self.tools.len() >= MAX_REMEMBERED_ANSWERS => return None,
            None => {
                self.tools.push(Tool {
                    server: server.to_owned(),
                    name: name.to_owned(),
                    failed: None,
                    shape: None,
                });
                self.tools.len() - 1
            }
        };
        self.tools.get_mut(place)
    }

    /// Describes the result of a call that is written like `helpers.pubs.search`. Returns nothing
    /// if the tool is not certain.
    pub fn of(&self, call: &str) -> Option<String> {
        let (server, name) = call.strip_prefix("helpers.")?.split_once('.')?;
        let mut tools = self
            .tools
            .iter()
            .filter(|tool| tool.server == server && (name == "invoke" || tool.name == name));
        let tool = tools.next()?;
        // `invoke` names its tool in an argument, so the tool is certain only if the run has called
        // just one.
        if tools.next().is_some() {
            return None;
        }
        Some(match (&tool.failed, &tool.shape) {
            (Some(code), None) => format!(
                "it failed with {code} and returned {{ok: false, error}}, see the log: test `ok` first"
            ),
            (Some(code), Some(shape)) => format!(
                "one call of it failed with {code} and returned {{ok: false, error}}; of another call, {shape}"
            ),
            (None, Some(shape)) => shape.to_string(),
            (None, None) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_an_answer_is_told_by_its_beginning() {
        for (json, wanted) in [
            (r#""x""#, "its result was a text"),
            (" [1]", "its result was a list"),
            (
                "41",
                "its result was a plain value, which is returned as {ok, data, error, meta}",
            ),
            (
                "null",
                "its result was a plain value, which is returned as {ok, data, error, meta}",
            ),
            ("{}", "its result was an object without keys"),
            (
                r#"{"a":{"b":[1]}}"#,
                "its result was an object with the key a",
            ),
            (
                r#"{"a":1,"b\n":"}"}"#,
                "its result was an object with the keys a, b",
            ),
        ] {
            assert_eq!(Shape::of(json).to_string(), wanted);
        }
    }

    #[test]
    fn a_large_object_costs_its_beginning_and_its_hint_is_short() {
        let many: Vec<String> = (0..10_000).map(|key| format!(r#""k{key}":1"#)).collect();
        let shape = Shape::of(&format!("{{{}}}", many.join(",")));
        assert_eq!(
            shape.to_string(),
            "its result was an object with the keys k0, k1, k2, k3, k4, k5, k6, k7, …"
        );
        let cut = format!(
            r#"{{"a":1,"b":"{}","c":1}}"#,
            "é".repeat(READ_FOR_HINTED_KEYS_BYTES)
        );
        assert_eq!(
            Shape::of(&cut),
            Shape::Object(vec!["a".to_owned(), "b".to_owned()])
        );
        let long = format!(r#"{{"{}":1}}"#, "k".repeat(10_000));
        assert!(Shape::of(&long).to_string().len() < 100);
    }

    #[test]
    fn a_call_is_found_by_how_it_is_written() {
        let mut answered = ToolOutcomes::default();
        answered.with("pubs", "search", Shape::Text);
        answered.failed("trials", "get", "UPSTREAM_TIMEOUT");
        assert_eq!(
            answered.of("helpers.pubs.search").unwrap(),
            "its result was a text"
        );
        assert_eq!(
            answered.of("helpers.pubs.invoke").unwrap(),
            "its result was a text"
        );
        assert_eq!(
            answered.of("helpers.trials.get").unwrap(),
            "it failed with UPSTREAM_TIMEOUT and returned {ok: false, error}, see the log: test `ok` first"
        );
        for unknown in [
            "helpers.pubs.get",
            "helpers.pubs",
            "helpers.other.invoke",
            "dbSchema.getTables",
        ] {
            assert_eq!(answered.of(unknown), None, "{unknown}");
        }
        answered.with("pubs", "get", Shape::List);
        assert_eq!(answered.of("helpers.pubs.invoke"), None);
        answered.failed("pubs", "get", "UPSTREAM_FAILED");
        assert_eq!(
            answered.of("helpers.pubs.get").unwrap(),
            "one call of it failed with UPSTREAM_FAILED and returned {ok: false, error}; of another call, its result was a list"
        );
    }

    #[test]
    fn as_many_tools_are_remembered_as_there_is_room_for() {
        let mut answered = ToolOutcomes::default();
        for number in 0..=MAX_REMEMBERED_ANSWERS {
            answered.with("pubs", &format!("t{number}"), Shape::List);
        }
        assert!(answered.of("helpers.pubs.t0").is_some());
        assert_eq!(
            answered.of(&format!("helpers.pubs.t{MAX_REMEMBERED_ANSWERS}")),
            None
        );
        answered.failed("pubs", "t0", "X");
        assert!(answered.of("helpers.pubs.t0").unwrap().contains("failed"));
    }
}

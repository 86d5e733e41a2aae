//! The reply of an operation: an ordered list of fields, one of which may be JSON text that SQLite
//! wrote. `src/api/envelope.rs` in the root package makes an HTTP response of it.

use database::Counters;
use serde_json::{Map, Value};

/// The reply of an operation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    fields: Map<String, Value>,
    written: Option<Written>,
    /// The cost of the operation.
    pub counters: Counters,
}

/// A field whose value is already JSON text.
#[derive(Debug, Clone, PartialEq)]
struct Written {
    name: &'static str,
    json: String,
    /// The number of fields before it.
    position: usize,
}

impl Reply {
    /// Makes a reply with the fields of an object. Any other value adds no fields.
    pub fn new(fields: Value, counters: Counters) -> Self {
        let fields = match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Self {
            fields,
            written: None,
            counters,
        }
    }

    /// Adds a field whose value is already JSON text. Only one field can be of this kind.
    pub(crate) fn with_json(mut self, name: &'static str, json: String) -> Self {
        self.written = Some(Written {
            name,
            json,
            position: self.fields.len(),
        });
        self
    }

    /// Adds a field.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Returns a field that is not JSON text.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// Returns the field that is JSON text.
    pub fn json(&self, name: &str) -> Option<&str> {
        let written = self.written.as_ref()?;
        (written.name == name).then_some(written.json.as_str())
    }

    /// Returns the fields as members of a JSON object, without the braces.
    pub fn members(&self) -> String {
        let length = self
            .written
            .as_ref()
            .map_or(0, |written| written.json.len());
        let mut text = String::with_capacity(length + 256);
        for (index, (name, value)) in self.fields.iter().enumerate() {
            self.write_json(index, &mut text);
            member(name, &value.to_string(), &mut text);
        }
        self.write_json(self.fields.len(), &mut text);
        text
    }

    fn write_json(&self, position: usize, text: &mut String) {
        if let Some(written) = &self.written
            && written.position == position
        {
            member(written.name, &written.json, text);
        }
    }
}

fn member(name: &str, json: &str, text: &mut String) {
    if !text.is_empty() {
        text.push(',');
    }
    text.push_str(&Value::from(name).to_string());
    text.push(':');
    text.push_str(json);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_are_written_in_their_order() {
        let none = Reply::new(Value::Null, Counters::default());
        assert_eq!(none.members(), "");
        let reply = Reply::new(json!({ "columns": ["a"] }), Counters::default())
            .with_json("results", "[ 1 ]".to_owned())
            .with("rowCount", 1);
        assert_eq!(
            reply.members(),
            r#""columns":["a"],"results":[ 1 ],"rowCount":1"#
        );
        assert_eq!(reply.json("results"), Some("[ 1 ]"));
        assert_eq!(reply.get("rowCount"), Some(&json!(1)));
        let alone = Reply::default().with_json("value", "null".to_owned());
        assert_eq!(alone.members(), r#""value":null"#);
    }
}

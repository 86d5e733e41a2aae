//! A tool as a server describes it.

use serde_json::Value;

/// One tool. All fields are claims of its server.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The name by which it is called.
    pub name: String,
    /// The name shown to people.
    pub title: Option<String>,
    /// The description; empty if the server gives none.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its structured result.
    pub output_schema: Option<Value>,
    /// True if it changes nothing.
    pub read_only: bool,
    /// True if two calls have the same effect as one.
    pub idempotent: bool,
}

impl Tool {
    /// Returns true if FastMCP has wrapped a result that is not an object into `{"result": …}`, as
    /// the schema shows.
    pub fn wraps_its_answer(&self) -> bool {
        self.output_schema
            .as_ref()
            .and_then(|schema| schema.get("x-fastmcp-wrap-result"))
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    /// Returns the JSON Schema of the result that callers get, without the wrapper. Its references
    /// are relative to the output schema.
    pub fn answer_schema(&self) -> Option<&Value> {
        let whole = self.output_schema.as_ref()?;
        if !self.wraps_its_answer() {
            return Some(whole);
        }
        whole.pointer("/properties/result").or(Some(whole))
    }
}

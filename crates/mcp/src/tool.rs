//! A tool as a server describes it.

use serde_json::Value;

/// One tool. Everything in it is a claim of its server.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// As it is called.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// What it does; empty where the server does not say.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its structured answer.
    pub output_schema: Option<Value>,
    /// It changes nothing.
    pub read_only: bool,
    /// Calling it twice does what calling it once does.
    pub idempotent: bool,
}

impl Tool {
    /// Whether FastMCP has put a result that is no object into `{"result": …}`, as its schema says.
    pub fn wraps_its_answer(&self) -> bool {
        self.output_schema
            .as_ref()
            .and_then(|schema| schema.get("x-fastmcp-wrap-result"))
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    /// JSON Schema of what callers get: what is wrapped is taken out for them. Its references are those of the output schema.
    pub fn answer_schema(&self) -> Option<&Value> {
        let whole = self.output_schema.as_ref()?;
        if !self.wraps_its_answer() {
            return Some(whole);
        }
        whole.pointer("/properties/result").or(Some(whole))
    }
}

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

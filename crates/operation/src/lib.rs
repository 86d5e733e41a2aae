//! The macros with which an object declares its operations. `operation!` declares one operation,
//! including the type of its arguments. Parsing, JSON Schema, the parameters of routes, tools,
//! helpers of programs and OpenAPI are derived from this declaration. `list!` makes the list of an
//! object's operations.
//!
//! The operations of a session are declared in the crate `session`, those of a graph in `graph`,
//! those of a code workspace in `code-model` and `code`.

use serde_json::{Map, Value};

pub mod arguments;
pub mod declaration;
pub mod shape;

/// The schema definitions that several kinds of objects share, as JSON text: an object with a
/// member for each definition.
pub const DEFINITIONS: &str = include_str!("definitions.json");

/// Merges the definitions in a JSON text with [`DEFINITIONS`].
pub fn definitions(own: &str) -> Value {
    let read = |text| serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
    let mut all = read(DEFINITIONS);
    all.extend(read(own));
    Value::Object(all)
}

//! The tools of a workspace: its operations, each with its own name and fields.
//!
//! This list is in the context of a model from the beginning, so a test counts its tokens.

use code::{Id, OPERATIONS};
use serde_json::{Map, Value};

use crate::graph::Access;
use crate::schema::for_hosts;
use crate::table::Hints;

/// Returns the tools that an endpoint lists.
pub fn listed(access: Access) -> impl Iterator<Item = Id> {
    OPERATIONS
        .iter()
        .filter(move |(_, declared)| access == Access::Full || declared.effect.read_only)
        .map(|(id, _)| *id)
}

/// Renders the members of the result of `tools/list` as JSON text.
pub fn list(access: Access) -> String {
    let tools: Vec<String> = listed(access).map(render).collect();
    format!(r#""tools":[{}]"#, tools.join(","))
}

fn render(operation: Id) -> String {
    let declared = operation.declaration();
    format!(
        r#"{{"name":"{}","title":{},"description":{},"inputSchema":{},"outputSchema":{},"annotations":{{{}}}}}"#,
        declared.name,
        Value::from(declared.title),
        Value::from(declared.description()),
        input_schema(operation),
        output_schema(operation),
        Hints::of_effect(declared.effect).annotations(),
    )
}

/// Returns the schema of a tool's arguments.
pub fn input_schema(operation: Id) -> Value {
    let mut short = for_hosts(&code::input(operation));
    // The URL names the workspace.
    if let Some(properties) = short.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| name != "workspace");
    }
    short
}

/// Returns the schema of a tool's structured content. It also contains errors, so only the
/// workspace is required.
pub fn output_schema(operation: Id) -> Value {
    let definitions: Value = serde_json::from_str(code::DEFINITIONS).unwrap_or_default();
    let mut properties = Map::new();
    properties.insert("workspace".to_owned(), of_type("string".into()));
    let outputs = operation.declaration().output.iter();
    let members = outputs.filter_map(|name| definitions.get(name)?.get("properties")?.as_object());
    for (name, schema) in members.flatten() {
        if let Some(shown) = of_result(schema) {
            properties.entry(name.clone()).or_insert(shown);
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), vec![Value::from("workspace")].into());
    Value::Object(schema)
}

/// Returns the type of a member of a result. A list of objects is left out, because the schema does
/// not describe the objects.
fn of_result(schema: &Value) -> Option<Value> {
    let mut shown = Map::from_iter([("type".to_owned(), schema.get("type")?.clone())]);
    if let Some(entry) = schema.get("items").and_then(|items| items.get("type")) {
        shown.insert("items".to_owned(), of_type(entry.clone()));
        return (entry != "object").then_some(Value::Object(shown));
    }
    Some(Value::Object(shown))
}

fn of_type(kind: Value) -> Value {
    Value::Object(Map::from_iter([("type".to_owned(), kind)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::tests::{require_hosts_take, require_types};

    #[test]
    fn each_operation_is_a_tool_with_its_fields() {
        for (operation, declared) in OPERATIONS {
            let schema = input_schema(*operation);
            require_hosts_take(declared.name, &schema);
            require_types(declared.name, &output_schema(*operation));
            let properties = schema["properties"].as_object().unwrap();
            let named: Vec<&str> = properties.keys().map(String::as_str).collect();
            let fields = declared.fields.iter().map(|field| field.name);
            let fields: Vec<&str> = fields.filter(|field| *field != "workspace").collect();
            assert_eq!(named, fields, "{}", declared.name);
            let required = code::input(*operation)["required"].clone();
            assert_eq!(schema["required"], required, "{}", declared.name);
        }
    }

    #[test]
    fn hints_are_those_of_operations() {
        let reading: Vec<&str> = listed(Access::ReadOnly)
            .map(|tool| tool.declaration().name)
            .collect();
        assert_eq!(
            reading,
            [
                "request_code_context",
                "list_proposals",
                "get_file_metadata",
                "code_item_lookup",
                "code_item_edges",
                "list_files",
                "read_file",
                "search_code",
                "scan_for_change",
                "inspect"
            ]
        );
    }

    #[test]
    fn schemas_are_schemas() {
        for (operation, _) in OPERATIONS {
            for schema in [input_schema(*operation), output_schema(*operation)] {
                let mut compiler = boon::Compiler::new();
                compiler.set_default_draft(boon::Draft::V2020_12);
                compiler.add_resource("schema.json", schema).unwrap();
                let mut schemas = boon::Schemas::new();
                compiler.compile("schema.json", &mut schemas).unwrap();
            }
        }
    }

    /// `tests/worker/mcp-code.test.mjs` counts with a real vocabulary.
    #[test]
    fn no_other_endpoint_has_a_tool_of_a_workspace() {
        for (_, operation) in OPERATIONS {
            assert!(
                !crate::table::TOOLS
                    .iter()
                    .any(|tool| tool.name == operation.name)
            );
            assert!(!crate::graph::table::tools().any(|tool| tool.name == operation.name));
        }
    }
}

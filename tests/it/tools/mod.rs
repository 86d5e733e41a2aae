//! The parts of tools of other servers that need no server: arguments, headers, declarations,
//! search.

mod argument_values;
mod arguments;
mod compared_schemas;
mod declarations;
mod declared_schemas;
mod gateway;
mod host;
mod hostile_schemas;
mod lax;
mod parameter_headers;
mod partly_unknown_schemas;
mod passed;
mod prompt;
mod search;

use mcp::Tool;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct ServerFixture {
    server: String,
    tools: Vec<ToolFixture>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolFixture {
    name: String,
    title: Option<String>,
    description: String,
    input_schema: Value,
    output_schema: Option<Value>,
}

/// Returns sixty tools of six servers.
fn catalogue() -> Vec<(String, Vec<Tool>)> {
    let servers: Vec<ServerFixture> = serde_json::from_str(include_str!("catalogue.json")).unwrap();
    servers
        .into_iter()
        .map(|server| {
            let tools = server.tools.into_iter().map(|tool| Tool {
                title: tool.title,
                description: tool.description,
                output_schema: tool.output_schema,
                ..named(&tool.name, tool.input_schema)
            });
            (server.server, tools.collect())
        })
        .collect()
}

fn borrowed(servers: &[(String, Vec<Tool>)]) -> Vec<(&str, &[Tool])> {
    servers
        .iter()
        .map(|(server, tools)| (server.as_str(), tools.as_slice()))
        .collect()
}

fn named(name: &str, input_schema: Value) -> Tool {
    Tool {
        name: name.to_owned(),
        title: None,
        description: String::new(),
        input_schema,
        output_schema: None,
        read_only: true,
        idempotent: true,
    }
}

fn without_parameters(name: &str) -> Tool {
    named(name, json!({ "type": "object" }))
}

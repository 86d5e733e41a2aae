//! `docs/mcp-tools.md`, which is made of the tables of tools: `make mcp-tools` writes it, and a test compares it.

use codemode_database::mcp_server::Profile;
use codemode_database::mcp_server::graph::table as graph;
use codemode_database::mcp_server::table::Hints;
use codemode_database::mcp_server::tools::{Does, TOOLS, Tool, listed};
use serde_json::Value;

use super::markdown;

const PAGE: &str = "docs/mcp-tools.md";

const HEAD: &str = "# MCP tools

The tools of the [MCP server](mcp.md), made of the code's own table by `make mcp-tools`. Each tool belongs to one or more
[profiles](mcp.md#profiles); `/mcp` has all of them but those of a [graph](#tools-of-a-graph) and of a [code workspace](mcp-code.md).

- An argument that a tool does not have is an error with the nearest name, and nothing is done. A few that [hosts add](mcp-clients.md#what-hosts-may-send) are ignored.
- A list shows one type for each argument, because some hosts refuse others. `params` is also an object by name, `input` and `value` are any JSON value,
  `stage` is also true or false, `response` is also a text, `schema` is also an object.
- `structuredContent` of a result has the members of the second table. The text of a result says the same for a model.
- A result with `isError` has `error` beside `session`: `code`, `message`, `hint` and the [details of the code](errors.md).
- A result has at most [so many tokens](mcp.md#how-large-a-result-is): what is larger is a page, or goes into a table, or is `RESULT_TOO_LARGE`.
";

const GRAPH_HEAD: &str = "
# Tools of a graph

The [endpoint of a knowledge graph](mcp-graph.md) `/mcp/graph/{conversationId}` has these tools and no others. A node is named by its id or by
a label that only it has.

- `structuredContent` has `graph`, the URI of the graph's resource, and where the result tells it `version`. A failure has `error` beside `graph`.
- Every tool also takes `databaseContext`, which [hosts of older versions](mcp-graph.md#hosts-of-older-versions) add.

";

/// The page, as the table of tools makes it.
fn page() -> String {
    let mut page = format!("{HEAD}\n{}", overview());
    for tool in TOOLS {
        page.push_str(&section(&of_product(tool)));
    }
    page.push_str(GRAPH_HEAD);
    page.push_str("| tool | does | with `?readonly=true` |\n| --- | --- | --- |\n");
    for tool in graph::tools() {
        let read_only = if tool.operation.effect.read_only {
            "yes"
        } else {
            ""
        };
        let name = format!("[`{0}`](#{1})", tool.name, tool.name.to_lowercase());
        page.push_str(&row(&[&name, tool.title(), read_only]));
    }
    for tool in graph::tools() {
        page.push_str(&section(&of_graph(&tool)));
    }
    page
}

/// What the page says of a tool of either table.
struct Described {
    name: &'static str,
    title: &'static str,
    operation: Option<String>,
    hints: Hints,
    description: &'static str,
    input: String,
    output: String,
    required: Vec<&'static str>,
}

fn of_product(tool: &Tool) -> Described {
    let operation = match tool.does {
        Does::Operation(name) => Some(format!("`{name}` of the [HTTP API](http-api.md)")),
        _ => None,
    };
    Described {
        name: tool.name,
        title: tool.title(),
        operation,
        hints: tool.hints(),
        description: tool.description,
        input: tool.input_schema(),
        output: tool.output_schema(),
        required: tool.required.to_vec(),
    }
}

fn of_graph(tool: &graph::GraphTool) -> Described {
    Described {
        name: tool.name,
        title: tool.title(),
        operation: Some(format!("`{}` of a [graph](graph.md)", tool.operation.name)),
        hints: tool.hints(),
        description: tool.tool.description,
        input: tool.input_schema(),
        output: tool.output_schema(),
        required: tool.required(),
    }
}

fn overview() -> String {
    let mut table = "| tool | does | `/mcp` |".to_owned();
    for (name, _) in Profile::NAMED {
        table.push_str(&format!(" `/mcp/{name}` |"));
    }
    table.push_str(&format!(
        "\n|{}\n",
        " --- |".repeat(3 + Profile::NAMED.len())
    ));
    for tool in TOOLS {
        table.push_str(&format!(
            "| [`{0}`](#{0}) | {1} | yes |",
            tool.name,
            tool.title()
        ));
        for (_, profile) in Profile::NAMED {
            let is_listed = listed(profile).any(|listed| listed.name == tool.name);
            table.push_str(if is_listed { " yes |" } else { " |" });
        }
        table.push('\n');
    }
    table
}

fn section(tool: &Described) -> String {
    let input: Value = serde_json::from_str(&tool.input).unwrap();
    let output: Value = serde_json::from_str(&tool.output).unwrap();
    let mut section = format!("\n## {}\n\n{}.", tool.name, tool.title);
    if let Some(operation) = &tool.operation {
        section.push_str(&format!(" The operation {operation}."));
    }
    section.push_str(&format!(" {}\n\n", hints(tool.hints)));
    section.push_str(&format!("```text\n{}\n```\n\n", tool.description));
    section.push_str("| argument | type | | meaning |\n| --- | --- | --- | --- |\n");
    for (name, schema) in input["properties"].as_object().unwrap() {
        let required = if tool.required.contains(&name.as_str()) {
            "required"
        } else {
            ""
        };
        section.push_str(&row(&[
            &format!("`{name}`"),
            &kind(schema),
            required,
            schema["description"]
                .as_str()
                .unwrap()
                .trim_end_matches('.'),
        ]));
    }
    section.push_str("\n| member | type |\n| --- | --- |\n");
    for (name, schema) in output["properties"].as_object().unwrap() {
        section.push_str(&row(&[&format!("`{name}`"), &kind(schema)]));
    }
    section
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | ")).replace("|  |", "| |")
}

/// What hosts may assume of a tool, in words.
fn hints(hints: Hints) -> String {
    let mut said = vec![match (hints.read_only, hints.destructive) {
        (true, _) => "It reads only.",
        (false, true) => "It may delete or replace something.",
        (false, false) => "It adds, and deletes nothing.",
    }];
    if hints.idempotent && !hints.read_only {
        said.push("The second of two same calls changes nothing more.");
    }
    if hints.open_world {
        said.push("It may reach other servers.");
    }
    said.join(" ")
}

/// The type of a value, in words.
fn kind(schema: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values
            .iter()
            .map(|value| format!("`{}`", text(value)))
            .collect();
        return values.join(", ");
    }
    if let Some(value) = schema.get("const") {
        return format!(
            "`{}`",
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        );
    }
    let of = |name: String| match schema["items"]["type"].as_str() {
        Some(item) if name == "array" => format!("array of {item}s"),
        _ => name,
    };
    match &schema["type"] {
        Value::Array(kinds) => kinds
            .iter()
            .map(|kind| of(text(kind)))
            .collect::<Vec<_>>()
            .join(" or "),
        Value::String(kind) => of(kind.clone()),
        _ => "any value".to_owned(),
    }
}

#[test]
fn mcp_tools_md_has_every_tool_with_its_arguments() {
    let made = page();
    if std::env::var_os("CODEMODE_WRITE_MCP_TOOLS").is_some() {
        std::fs::write(markdown::path(PAGE), &made).unwrap();
    } else {
        // Not assert_eq: two pages would be printed.
        assert!(
            made == markdown::read(PAGE),
            "`make mcp-tools` writes {PAGE} again"
        );
    }
}

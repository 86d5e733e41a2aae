//! `docs/mcp-tools.md`, which is made from the tables of tools. `make mcp-tools` writes it, and a
//! test compares it.

use mcp_product::Profile;
use mcp_product::graph::table as graph;
use mcp_product::table::Hints;
use mcp_product::tools::{TOOLS, ToolAction, listed};
use serde_json::{Map, Value};

use super::{path, read};

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

/// Makes the page from the tables of tools.
fn page() -> String {
    let mut page = format!("{HEAD}\n{}", overview());
    for tool in TOOLS {
        let does = match tool.does {
            ToolAction::Operation(name) => {
                format!(" The operation `{name}` of the [HTTP API](http-api.md). ")
            }
            _ => " ".to_owned(),
        };
        let hints = hints(tool.hints());
        page += &section(tool.name, tool.title(), &(does + &hints), tool.description);
        page += &tables(&tool.input_schema(), tool.required, &tool.output_schema());
    }
    page += GRAPH_HEAD;
    page += "| tool | does | with `?readonly=true` |\n| --- | --- | --- |\n";
    for tool in graph::tools() {
        let name = format!("[`{0}`](#{1})", tool.name, tool.name.to_lowercase());
        page += &row(&[&name, tool.title(), yes(tool.operation.effect.read_only)]);
    }
    for tool in graph::tools() {
        let hints = hints(tool.hints());
        let does = format!(
            " The operation `{}` of a [graph](graph.md). {hints}",
            tool.operation.name
        );
        page += &section(tool.name, tool.title(), &does, tool.tool.description);
        page += &tables(
            &tool.input_schema(),
            &tool.required(),
            &tool.output_schema(),
        );
    }
    page
}

fn overview() -> String {
    let profiles = Profile::NAMED.map(|(name, _)| format!("`/mcp/{name}`"));
    let mut head = vec!["tool", "does", "`/mcp`"];
    head.extend(profiles.iter().map(String::as_str));
    let mut table = row(&head) + &row(&vec!["---"; head.len()]);
    for tool in TOOLS {
        let name = format!("[`{0}`](#{0})", tool.name);
        let mut cells = vec![name.as_str(), tool.title(), "yes"];
        let is_listed = |profile| listed(profile).any(|listed| listed.name == tool.name);
        cells.extend(Profile::NAMED.map(|(_, profile)| yes(is_listed(profile))));
        table += &row(&cells);
    }
    table
}

fn yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "" }
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | ")).replace("  |", " |")
}

fn section(name: &str, title: &str, does: &str, description: &str) -> String {
    format!("\n## {name}\n\n{title}.{does}\n\n```text\n{description}\n```\n\n")
}

/// Renders the arguments of a tool and the members of its result.
fn tables(input: &str, required: &[&str], output: &str) -> String {
    let mut tables = "| argument | type | | meaning |\n| --- | --- | --- | --- |\n".to_owned();
    for (name, schema) in properties(input) {
        let is_required = required.contains(&name.as_str());
        let required = if is_required { "required" } else { "" };
        let meaning = schema["description"].as_str().unwrap();
        let meaning = meaning.trim_end_matches('.');
        tables += &row(&[&format!("`{name}`"), &kind(&schema), required, meaning]);
    }
    tables += "\n| member | type |\n| --- | --- |\n";
    for (name, schema) in properties(output) {
        tables += &row(&[&format!("`{name}`"), &kind(&schema)]);
    }
    tables
}

fn properties(schema: &str) -> Map<String, Value> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    schema["properties"].as_object().unwrap().clone()
}

/// Describes in words how a host may treat a tool.
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

/// Describes the type of a value in words.
fn kind(schema: &Value) -> String {
    let text = |value: &Value| value.to_string().replace('"', "");
    let quoted = |value: &Value| format!("`{}`", text(value));
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(quoted).collect::<Vec<_>>().join(", ");
    }
    if let Some(value) = schema.get("const") {
        return quoted(value);
    }
    let of = |kind: &Value| match (text(kind), schema["items"]["type"].as_str()) {
        (kind, Some(item)) if kind == "array" => format!("array of {item}s"),
        (kind, _) => kind,
    };
    match &schema["type"] {
        Value::Null => "any value".to_owned(),
        Value::Array(kinds) => kinds.iter().map(of).collect::<Vec<_>>().join(" or "),
        kind => of(kind),
    }
}

#[test]
fn mcp_tools_md_has_every_tool_with_its_arguments() {
    let made = page();
    if std::env::var_os("CODEMODE_WRITE_MCP_TOOLS").is_some() {
        std::fs::write(path(PAGE), &made).unwrap();
    }
    // Not `assert_eq!`, which would print two whole pages.
    assert!(made == read(PAGE), "`make mcp-tools` writes {PAGE} again");
}

//! TypeScript declarations of tools, for a model to read.
//!
//! `types` turns JSON Schema into types, `text` makes text from other servers harmless, `overview`
//! fits the servers into a budget. Text of a server appears in one-line comments, string literals
//! and names; it cannot end the comment, the string or the code fence around it. For every schema
//! the output is valid TypeScript of limited length.

mod overview;
mod text;
mod types;

use serde_json::Value;

use crate::limits::{
    DECLARED_TOOL_DESCRIPTION_CHARACTERS, DECLARED_TOOL_SENTENCE_CHARACTERS,
    MAX_TOOL_DECLARATION_CHARACTERS,
};
use mcp::Tool;

pub use overview::{Overview, member, overview, servers};
pub use text::one_line;

/// Methods that every server has, and names that the language uses on any object. A tool of such a
/// name is called by `invoke`.
const TAKEN: [&str; 23] = [
    "listTools",
    "searchTools",
    "getToolSchema",
    "invoke",
    "queryStagedData",
    "then",
    "catch",
    "finally",
    "constructor",
    "prototype",
    "__proto__",
    "toString",
    "toLocaleString",
    "toJSON",
    "valueOf",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "nodeType",
    "asymmetricMatch",
    "$$typeof",
    "inspect",
    "",
];

/// The level of detail of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Descriptions of the tool and of its parameters, limits, defaults, and the type of the
    /// result.
    Full,
    /// A sentence for the tool, and the names and types of its parameters.
    Brief,
}

/// Renders a tool as a method of an interface, with its description as a comment.
pub fn method(tool: &Tool) -> String {
    if text::is_short(&tool.name) {
        let whole = method_with(tool, Detail::Full);
        if whole.chars().count() <= MAX_TOOL_DECLARATION_CHARACTERS {
            return whole;
        }
    }
    brief_method(tool)
}

/// Renders a tool without the long parts, and without its parameters if there are too many.
fn brief_method(tool: &Tool) -> String {
    if !text::is_short(&tool.name) {
        return "// a tool whose name is too long for this list: listTools() has it\n".to_owned();
    }
    let brief = method_with(tool, Detail::Brief);
    if brief.chars().count() <= MAX_TOOL_DECLARATION_CHARACTERS {
        return brief;
    }
    let signature = signature(&tool.name, "args: Record<string, any>", "any");
    let comment = comment(tool, Detail::Brief);
    format!("{comment}{signature} // its parameters are too many for this list\n")
}

/// Renders a server as an interface with a method for each tool.
pub fn interface(server: &str, tools: &[Tool]) -> String {
    let methods: Vec<String> = tools.iter().map(method).collect();
    interface_of(&text::interface_name(server), tools, &methods)
}

/// The method `invoke` of every server, repeated: methods in an interface hide the inherited
/// methods of the same name.
const INVOKE: &str = "invoke(tool: string, args?: object, options?: CallOptions): Promise<any>;";

fn interface_of(name: &str, tools: &[Tool], methods: &[String]) -> String {
    let mut text = format!("interface {name} extends Server {{\n");
    let hides = tools.iter().any(|tool| is_taken(&tool.name));
    let lines = methods.iter().flat_map(|method| method.lines());
    for line in lines.chain(hides.then_some(INVOKE)) {
        text.push_str("  ");
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("}\n");
    text
}

fn method_with(tool: &Tool, detail: Detail) -> String {
    let arguments = types::of(&tool.input_schema, detail);
    // `ToolResult` is declared beside `Server`.
    let result = match (tool.answer_schema(), &tool.output_schema) {
        (Some(answer), Some(root)) => {
            format!("ToolResult<{}>", types::within(root, answer, detail))
        }
        _ => "any".to_owned(),
    };
    let optional = if needs_nothing(&tool.input_schema) {
        "?"
    } else {
        ""
    };
    let signature = signature(&tool.name, &format!("args{optional}: {arguments}"), &result);
    format!("{}{signature}\n", comment(tool, detail))
}

fn signature(name: &str, arguments: &str, result: &str) -> String {
    let name = if is_taken(name) {
        format!("invoke(tool: {}, ", text::literal(name))
    } else {
        format!("{}(", text::key(name))
    };
    format!("{name}{arguments}, options?: CallOptions): Promise<{result}>;")
}

fn is_taken(name: &str) -> bool {
    TAKEN.contains(&name)
}

fn comment(tool: &Tool, detail: Detail) -> String {
    let characters = match detail {
        Detail::Full => DECLARED_TOOL_DESCRIPTION_CHARACTERS,
        Detail::Brief => DECLARED_TOOL_SENTENCE_CHARACTERS,
    };
    let said = if tool.description.trim().is_empty() {
        tool.title.as_deref().unwrap_or_default()
    } else {
        tool.description.as_str()
    };
    let said = match detail {
        Detail::Full => text::one_line(said, characters),
        Detail::Brief => text::first_sentence(said, characters),
    };
    if said.is_empty() {
        String::new()
    } else {
        format!("/** {said} */\n")
    }
}

/// Returns true if `{}` certainly suffices: nothing is required here, and no other keyword may
/// require something.
fn needs_nothing(schema: &Value) -> bool {
    let requires = schema
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|names| !names.is_empty());
    let elsewhere = ["$ref", "allOf", "anyOf", "oneOf", "minProperties"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some());
    !requires && !elsewhere
}

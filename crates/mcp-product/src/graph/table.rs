//! The tools of a graph, as a list shows them. The operations of the graph declare them; a test
//! counts the tokens of the list.

use operation::declaration::{Argument, Declaration, Tool};
use operation::shape::{Field, Shape};
use serde_json::{Map, Value};

use crate::table::Hints;
use crate::tools::input_schema;

/// The URI of the web page that shows a graph. Tools that show a graph name it (extension
/// `io.modelcontextprotocol/ui`).
pub const VIEWER: &str = "ui://graph/viewer";

/// A tool and its operation.
#[derive(Debug, Clone, Copy)]
pub struct GraphTool {
    /// Its name.
    pub name: &'static str,
    /// The operation.
    pub operation: &'static Declaration,
    /// The declaration of the tool.
    pub tool: &'static Tool,
}

/// An argument that hosts of older versions add to every call. It is in no schema, because a model
/// does not need it.
pub const DATABASE_CONTEXT: &str = "databaseContext";

impl GraphTool {
    /// Returns the title for people.
    pub fn title(&self) -> &'static str {
        self.operation.title
    }

    /// Returns the hints for hosts.
    pub fn hints(&self) -> Hints {
        Hints::of_effect(self.operation.effect)
    }

    /// Returns the names of the required arguments.
    pub fn required(&self) -> Vec<&'static str> {
        let arguments = self.tool.arguments.iter();
        let required = arguments.filter(|argument| {
            let is_whole = argument.name == argument.field || argument.schema.is_none();
            argument.is_required || (is_whole && field(self.operation, argument).required)
        });
        required.map(|argument| argument.name).collect()
    }

    /// Returns the schemas of its arguments for the list, with the descriptions of the operation's
    /// fields.
    pub fn shown(&self) -> Map<String, Value> {
        let arguments = self.tool.arguments.iter();
        let shown = arguments.map(|argument| {
            let of_operation = field(self.operation, argument);
            let mut schema = match argument.schema {
                Some(text) => serde_json::from_str(text).unwrap_or_default(),
                None => of_operation.shape.bare(),
            };
            let own = DESCRIBED.iter().find(|(name, _)| *name == argument.name);
            let words = own.map_or(of_operation.words.trim(), |(_, words)| *words);
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("description".to_owned(), words.into());
            }
            (argument.name.to_owned(), schema)
        });
        shown.collect()
    }

    /// Returns the schemas of all arguments that the server accepts, including
    /// [`DATABASE_CONTEXT`].
    pub fn taken(&self) -> Map<String, Value> {
        let arguments = self.tool.arguments.iter();
        let taken = arguments.map(|argument| {
            let is_part = argument.name != argument.field && argument.schema.is_some();
            let schema = match argument.schema {
                // It becomes a part of the field.
                Some(text) if is_part => serde_json::from_str(text).unwrap_or_default(),
                _ => graph::inlined(field(self.operation, argument)),
            };
            (argument.name.to_owned(), schema)
        });
        let mut taken: Map<String, Value> = taken.collect();
        taken.insert(DATABASE_CONTEXT.to_owned(), Value::Object(Map::new()));
        taken
    }

    /// Returns the operation's field for an argument.
    pub fn field<'a>(&self, argument: &'a str) -> &'a str {
        let known = self
            .tool
            .arguments
            .iter()
            .find(|known| known.name == argument);
        known.map_or(argument, |known| known.field)
    }

    /// Renders the schema of its arguments as JSON text, in the form that hosts accept.
    pub fn input_schema(&self) -> String {
        input_schema(&self.shown(), &self.required())
    }

    /// Renders the schema of its structured content as JSON text. It also contains errors, so only
    /// the graph is required.
    pub fn output_schema(&self) -> String {
        let output = self.tool.output;
        let comma = if output.is_empty() { "" } else { "," };
        format!(
            r#"{{"type":"object","properties":{{"graph":{{"type":"string"}},"version":{{"type":"integer"}}{comma}{output}}},"required":["graph"]}}"#,
        )
    }

    /// Renders the tool for `tools/list`. `has_viewer` is true if there is a web page that shows
    /// the graph.
    pub fn render(&self, has_viewer: bool) -> String {
        let annotations = self.hints().annotations();
        let meta = if self.tool.is_shown && has_viewer {
            format!(r#","_meta":{{"ui":{{"resourceUri":"{VIEWER}"}}}}"#)
        } else {
            String::new()
        };
        format!(
            r#"{{"name":"{}","title":{},"description":{},"inputSchema":{},"outputSchema":{},"annotations":{{{annotations}}}{meta}}}"#,
            self.name,
            Value::from(self.title()),
            Value::from(self.tool.description),
            self.input_schema(),
            self.output_schema(),
        )
    }
}

/// Returns the field of an argument. For an invalid declaration, which a test excludes, it accepts
/// anything.
fn field(operation: &'static Declaration, argument: &Argument) -> &'static Field {
    static NONE: Field = Field {
        name: "",
        words: "",
        shape: Shape::Json("{}"),
        required: false,
        names_objects: false,
        default: None,
    };
    operation.field(argument.field).unwrap_or(&NONE)
}

/// Descriptions of arguments that name nodes by their labels, or that no operation describes.
const DESCRIBED: &[(&str, &str)] = &[
    ("nodeId", "Node: its id, or its label if only it has that."),
    ("source", "Start node: id or unique label."),
    ("target", "End node: id or unique label."),
    ("from", "First node: id or unique label."),
    ("to", "Last node: id or unique label."),
    ("position", "Where it is drawn."),
    ("ifVersion", "Only if this is the version of the graph."),
    ("nodes", "The nodes, with label and type."),
    ("edges", "The edges, with source and target."),
    ("graph", "Instead of both: the whole graph as text."),
    ("params", "Values of the ? in their order."),
];

/// Returns every tool, in the order of the list.
pub fn tools() -> impl Iterator<Item = GraphTool> {
    graph::OPERATIONS.iter().filter_map(|(_, operation)| {
        let tool = operation.tool.as_ref()?;
        Some(GraphTool {
            name: tool.name.unwrap_or(operation.name),
            operation,
            tool,
        })
    })
}

/// Returns the tools that an endpoint lists.
pub fn listed(access: super::Access) -> impl Iterator<Item = GraphTool> {
    tools().filter(move |tool| access == super::Access::Full || tool.operation.effect.read_only)
}

/// Renders the members of the result of `tools/list` as JSON text.
pub fn list(access: super::Access, has_viewer: bool) -> String {
    let tools: Vec<String> = listed(access).map(|tool| tool.render(has_viewer)).collect();
    format!(r#""tools":[{}]"#, tools.join(","))
}

#[cfg(test)]
mod tests {
    use super::super::Access;
    use super::*;
    use crate::results::tokens::estimate;
    use crate::schema::tests::{require_hosts_take, require_types};

    /// The endpoint of graphs has the list of the original issue, which no other profile has.
    #[test]
    fn no_other_endpoint_has_a_tool_of_a_graph() {
        let names: Vec<&str> = tools().map(|tool| tool.name).collect();
        assert!(names.contains(&"addNode"));
        for tool in crate::table::TOOLS {
            assert!(!names.contains(&tool.name), "{}", tool.name);
        }
    }

    #[test]
    fn every_argument_is_a_field_or_a_part_of_one() {
        for tool in tools() {
            let schema: Value = serde_json::from_str(&tool.input_schema()).unwrap();
            require_hosts_take(tool.name, &schema);
            require_types(
                tool.name,
                &serde_json::from_str(&tool.output_schema()).unwrap(),
            );
            let shown = Value::Object(tool.shown());
            for argument in tool.tool.arguments {
                let field = tool.operation.field(argument.field);
                let field = field.unwrap_or_else(|| panic!("{} {}", tool.name, argument.name));
                let shown = &shown[argument.name];
                if argument.schema.is_some() && argument.name == argument.field {
                    check_kind(&tool, argument.name, shown, &graph::inlined(field));
                }
            }
            for field in tool.operation.fields.iter().filter(|field| field.required) {
                let is_it = |argument: &&Argument| argument.field == field.name;
                assert!(
                    tool.tool.arguments.iter().any(|argument| is_it(&argument)),
                    "{} {}",
                    tool.name,
                    field.name
                );
            }
        }
    }

    /// Checks that a tool describes an argument like its operation, or with fewer types.
    fn check_kind(tool: &GraphTool, argument: &str, said: &Value, operation: &Value) {
        let name = tool.name;
        if let Some(values) = said["enum"].as_array() {
            let mut known = operation["enum"].as_array().unwrap().clone();
            let mut values = values.clone();
            known.sort_by_key(Value::to_string);
            values.sort_by_key(Value::to_string);
            assert_eq!(values, known, "{name} {argument}");
        } else if operation["type"].is_null() {
            // The operation allows several types: the tool names all of them.
            let kinds: Vec<&Value> = operation["anyOf"]
                .as_array()
                .unwrap()
                .iter()
                .map(|kind| &kind["type"])
                .filter(|kind| *kind != "null")
                .collect();
            for kind in said["type"].as_array().unwrap() {
                assert!(kinds.contains(&kind), "{name} {argument} {kind}");
            }
        } else {
            assert_eq!(said["type"], operation["type"], "{name} {argument}");
        }
    }

    #[test]
    fn a_list_has_the_hints_and_reading_endpoints_have_what_reads() {
        for tool in tools() {
            let rendered: Value = serde_json::from_str(&tool.render(true)).unwrap();
            // A missing hint has the default value of the protocol.
            let hint = |name: &str, otherwise: bool| {
                let hint = &rendered["annotations"][name];
                hint.as_bool().unwrap_or(otherwise)
            };
            let effect = tool.operation.effect;
            let read_only = hint("readOnlyHint", false);
            assert_eq!(read_only, effect.read_only, "{}", tool.name);
            if !effect.read_only {
                let destructive = hint("destructiveHint", true);
                assert_eq!(destructive, effect.destructive, "{}", tool.name);
            }
        }
        let reading: Vec<&str> = listed(Access::ReadOnly).map(|tool| tool.name).collect();
        assert!(reading.contains(&"findPath") && !reading.contains(&"removeNode"));
    }

    #[test]
    fn schemas_are_schemas_and_take_what_hosts_add() {
        for tool in tools() {
            for text in [tool.input_schema(), tool.output_schema()] {
                let schema: Value = serde_json::from_str(&text).unwrap();
                let mut compiler = boon::Compiler::new();
                compiler.set_default_draft(boon::Draft::V2020_12);
                compiler.add_resource("schema.json", schema).unwrap();
                let mut schemas = boon::Schemas::new();
                compiler.compile("schema.json", &mut schemas).unwrap();
            }
            assert!(!tool.input_schema().contains(DATABASE_CONTEXT));
            assert!(!tool.input_schema().contains("additionalProperties"));
        }
    }

    /// `tests/worker/mcp-graph.test.mjs` counts with a real vocabulary.
    #[test]
    fn the_list_is_short_and_names_the_viewer_only_where_there_is_one() {
        let list_of = |has_viewer| list(Access::Full, has_viewer);
        assert!(list_of(true).len() < 17_500, "{}", list_of(true).len());
        assert!(estimate(&list_of(true)) > 1_000);
        assert_eq!(list_of(true).matches(VIEWER).count(), 6);
        assert_eq!(list_of(false).matches(VIEWER).count(), 0);
    }
}

//! The tools of a graph, as data. Title and hints are those of the table of operations (`operations::graph`), and a test compares the arguments
//! with the fields of the operation.
//!
//! Every endpoint of a graph has this list in the context of a model before it has done anything, so descriptions say only what a model would not
//! guess. A test counts the tokens.

use operations::declaration::Declaration;
use operations::shape::Field;
use serde_json::{Map, Value};

use crate::table::Hints;
use crate::tools::input_schema;

/// The URI of the page that shows a graph, which the tools that show one name (extension `io.modelcontextprotocol/ui`).
pub const VIEWER: &str = "ui://graph/viewer";

/// One tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// As it is called.
    pub name: &'static str,
    /// The name of the operation that it stands for.
    pub does: &'static str,
    /// For models.
    pub description: &'static str,
    /// JSON text of the properties of its arguments.
    pub properties: &'static str,
    /// The arguments that must be there.
    pub required: &'static [&'static str],
    /// JSON text of the properties of its structured content, beside those that every result has.
    pub output: &'static str,
    /// Whether a host shows the graph with the result.
    pub shows_graph: bool,
}

/// What most tools have in common.
const TOOL: Tool = Tool {
    name: "",
    does: "",
    description: "",
    properties: "",
    required: &[],
    output: "",
    shows_graph: false,
};

/// The argument of a tool that is called otherwise in its operation.
const RENAMED: &[(&str, &str)] = &[("nodeId", "id"), ("edgeId", "id")];

/// An argument that hosts of older versions add to every call. It is in no schema: a model has no use for it.
pub const DATABASE_CONTEXT: &str = "databaseContext";

impl Tool {
    /// The operation that it stands for; none only where the table is wrong, which a test excludes.
    pub fn operation(&self) -> Option<&'static Declaration> {
        graph::find(self.does).map(|(_, declared)| declared)
    }

    /// For people.
    pub fn title(&self) -> &'static str {
        self.operation()
            .map_or(self.name, |operation| operation.title)
    }

    /// What hosts may assume.
    pub fn hints(&self) -> Option<Hints> {
        self.operation()
            .map(|declared| Hints::of_effect(declared.effect))
    }

    /// Whether it changes nothing.
    pub fn is_read_only(&self) -> bool {
        self.operation()
            .is_some_and(|operation| operation.effect.read_only)
    }

    /// The schemas of its arguments as they are written here, each described as the operation describes its field.
    pub fn shown(&self) -> Map<String, Value> {
        let mut shown = parsed(self.properties);
        for (name, schema) in &mut shown {
            let own = DESCRIBED.iter().find(|(argument, _)| argument == name);
            let words = match (own, self.argument(name)) {
                (Some((_, words)), _) => Value::from(*words),
                (None, field) => field.map_or(Value::Null, |field| field.words.trim().into()),
            };
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("description".to_owned(), words);
            }
        }
        shown
    }

    /// The schemas of what the server takes as its arguments, [`DATABASE_CONTEXT`] among them.
    pub fn taken(&self) -> Map<String, Value> {
        let mut taken = parsed(self.properties);
        for (name, schema) in &mut taken {
            if let Some(field) = self.argument(name) {
                *schema = graph::inlined(field);
            }
        }
        taken.insert(DATABASE_CONTEXT.to_owned(), Value::Object(Map::new()));
        taken
    }

    /// The field of the operation that an argument stands for.
    fn argument(&self, name: &str) -> Option<&'static Field> {
        self.operation()?.field(self.field(name))
    }

    /// What an argument is called as a field of the operation.
    pub fn field<'a>(&self, argument: &'a str) -> &'a str {
        let renamed = RENAMED.iter().find(|(from, _)| *from == argument);
        renamed.map_or(argument, |(_, to)| to)
    }

    /// JSON text of the schema of its arguments, in the form that hosts take.
    pub fn input_schema(&self) -> String {
        input_schema(&self.shown(), self.required)
    }

    /// JSON text of the schema of its structured content. An error stands in it, too, so only the graph is always there.
    pub fn output_schema(&self) -> String {
        let comma = if self.output.is_empty() { "" } else { "," };
        format!(
            r#"{{"type":"object","properties":{{"graph":{{"type":"string"}},"version":{{"type":"integer"}}{comma}{}}},"required":["graph"]}}"#,
            self.output
        )
    }

    /// As `tools/list` has it. `has_viewer` tells whether there is a page to show the graph with.
    pub fn render(&self, has_viewer: bool) -> String {
        let annotations = self.hints().map_or_else(String::new, Hints::annotations);
        let meta = if self.shows_graph && has_viewer {
            format!(r#","_meta":{{"ui":{{"resourceUri":"{VIEWER}"}}}}"#)
        } else {
            String::new()
        };
        format!(
            r#"{{"name":"{}","title":{},"description":{},"inputSchema":{},"outputSchema":{},"annotations":{{{annotations}}}{meta}}}"#,
            self.name,
            Value::from(self.title()),
            Value::from(self.description),
            self.input_schema(),
            self.output_schema(),
        )
    }
}

/// JSON text of members as an object.
fn parsed(members: &str) -> Map<String, Value> {
    serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default()
}

/// What the argument of a tool means for whoever names nodes by their labels, or where no operation says it.
const DESCRIBED: &[(&str, &str)] = &[
    ("nodeId", "Node: its id, or its label if only it has that."),
    ("source", "Node that it leaves: id or unique label."),
    ("target", "Node that it enters: id or unique label."),
    ("from", "First node: id or unique label."),
    ("to", "Last node: id or unique label."),
    ("position", "Where it is drawn."),
    ("ifVersion", "Only if this is the version of the graph."),
    ("nodes", "The nodes, with label and type."),
    ("edges", "The edges, with source and target."),
    ("graph", "Instead of both: the whole graph as text."),
    ("params", "Values of the ? in their order."),
];

const NODE: &str = r#""data":{"type":"object"}"#;
const CREATED: &str = r#""data":{"type":"object"},"created":{"type":"boolean"}"#;
const CHANGED: &str = r#""data":{"type":"object"},"changed":{"type":"boolean"}"#;
const COUNTS: &str = r#""created":{"type":"integer"},"skipped":{"type":"integer"}"#;
const IMPORTED: &str = r#""nodes":{"type":"object"},"edges":{"type":"object"}"#;
const PAGE: &str =
    r#""data":{"type":"array","items":{"type":"object"}},"nextCursor":{"type":["string","null"]}"#;

/// Every tool, in the order of the list.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "addNode",
        does: "addNode",
        description: "type: gene, protein, disease, drug, pathway, other or any word. canonicalId: its own id, such as NCBIGene:7157.",
        properties: r#""label":{"type":"string"},"type":{"type":"string"},"data":{"type":"object"},"position":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"]},"canonicalId":{"type":"string"}"#,
        required: &["label", "type"],
        output: CREATED,
        ..TOOL
    },
    Tool {
        name: "addEdge",
        does: "addEdge",
        description: "Connects two nodes. Wherever a node is named, its id or its unique label will do.",
        properties: r#""source":{"type":"string"},"target":{"type":"string"},"label":{"type":"string"},"type":{"type":"string"},"data":{"type":"object"},"id":{"type":"string"}"#,
        required: &["source", "target"],
        output: CREATED,
        ..TOOL
    },
    Tool {
        name: "removeNode",
        does: "removeNode",
        description: "Removes a node with its edges.",
        properties: r#""nodeId":{"type":"string"}"#,
        required: &["nodeId"],
        output: NODE,
        ..TOOL
    },
    Tool {
        name: "removeEdge",
        does: "removeEdge",
        description: "Removes one edge.",
        properties: r#""edgeId":{"type":"string"}"#,
        required: &["edgeId"],
        output: NODE,
        ..TOOL
    },
    Tool {
        name: "getGraphState",
        does: "getGraphState",
        description: "A page of the graph, nodes first; more with cursor: nextCursor. type: only nodes of it.",
        properties: r#""limit":{"type":"integer"},"cursor":{"type":"string"},"type":{"type":"string"}"#,
        output: r#""data":{"type":"object"},"nextCursor":{"type":["string","null"]}"#,
        shows_graph: true,
        ..TOOL
    },
    Tool {
        name: "updateNode",
        does: "updateNode",
        description: "Changes what is given; data is merged, null removes a key. pinned: layouts leave it there.",
        properties: r#""nodeId":{"type":"string"},"label":{"type":"string"},"type":{"type":"string"},"data":{"type":["object","null"]},"position":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"]},"pinned":{"type":"boolean"}"#,
        required: &["nodeId"],
        output: CHANGED,
        ..TOOL
    },
    Tool {
        name: "updateEdge",
        does: "updateEdge",
        description: "Changes what is given; data is merged.",
        properties: r#""edgeId":{"type":"string"},"source":{"type":"string"},"target":{"type":"string"},"label":{"type":"string"},"type":{"type":"string"},"data":{"type":["object","null"]}"#,
        required: &["edgeId"],
        output: CHANGED,
        ..TOOL
    },
    Tool {
        name: "addMultipleNodes",
        does: "addMultipleNodes",
        description: "Many nodes as one step. An id that exists is skipped unless onConflict says otherwise.",
        properties: r#""nodes":{"type":"array","items":{"type":"object","properties":{"label":{"type":"string"},"type":{"type":"string"},"id":{"type":"string"},"data":{"type":"object"}},"required":["label"]}},"onConflict":{"enum":["ignore","error","replace"]}"#,
        required: &["nodes"],
        output: COUNTS,
        ..TOOL
    },
    Tool {
        name: "addMultipleEdges",
        does: "addMultipleEdges",
        description: "Many edges as one step.",
        properties: r#""edges":{"type":"array","items":{"type":"object","properties":{"source":{"type":"string"},"target":{"type":"string"},"label":{"type":"string"},"type":{"type":"string"},"data":{"type":"object"},"id":{"type":"string"}},"required":["source","target"]}}"#,
        required: &["edges"],
        output: COUNTS,
        ..TOOL
    },
    Tool {
        name: "importFromJSON",
        does: "importGraph",
        description: "nodes and edges; or graph: node-link or Cytoscape JSON, or text of GraphML or CSV edges. mode replace removes what is there.",
        properties: r#""nodes":{"type":"array","items":{"type":"object"}},"edges":{"type":"array","items":{"type":"object"}},"graph":{"type":["string","object"]},"format":{"enum":["json","node-link","cytoscape","graphml","csv"]},"onConflict":{"enum":["error","ignore","replace"]},"mode":{"enum":["merge","replace"]}"#,
        output: IMPORTED,
        shows_graph: true,
        ..TOOL
    },
    Tool {
        name: "importFromQuery",
        does: "importFromQuery",
        description: "Makes nodes and edges of the rows of a SELECT on a session database. nodes {id?, label, type?, data?} and edges {id?, source, target, label?, type?, data?}, or lists of them, name columns; {\"value\": …} is a constant.",
        properties: r#""session":{"type":"string"},"sql":{"type":"string"},"params":{"type":["array","object"],"items":{"type":["string","number","boolean","null"]}},"nodes":{"type":["array","object"],"items":{"type":"object"}},"edges":{"type":["array","object"],"items":{"type":"object"}},"onConflict":{"enum":["ignore","error","replace"]}"#,
        required: &["session", "sql"],
        output: IMPORTED,
        shows_graph: true,
    },
    Tool {
        name: "undo",
        does: "undo",
        description: "Undoes the last step, whoever made it. ifVersion: only if that is the version.",
        properties: r#""ifVersion":{"type":"integer"}"#,
        output: NODE,
        ..TOOL
    },
    Tool {
        name: "redo",
        does: "redo",
        description: "Does the last undone step again.",
        properties: r#""ifVersion":{"type":"integer"}"#,
        output: NODE,
        ..TOOL
    },
    Tool {
        name: "getHistory",
        does: "getHistory",
        description: "The steps, newest first.",
        properties: r#""limit":{"type":"integer"},"cursor":{"type":"string"}"#,
        output: PAGE,
        ..TOOL
    },
    Tool {
        name: "analyzeStructure",
        does: "analyzeStructure",
        description: "Density, components, diameter, path length, clustering.",
        properties: r#""directed":{"type":"boolean"}"#,
        output: NODE,
        ..TOOL
    },
    Tool {
        name: "findCentrality",
        does: "findCentrality",
        description: "The most central nodes. weight: a key of the edges' data.",
        properties: r#""measure":{"enum":["degree","betweenness","closeness","harmonic","eigenvector","pagerank"]},"directed":{"type":"boolean"},"weight":{"type":"string"},"limit":{"type":"integer"}"#,
        output: NODE,
        ..TOOL
    },
    Tool {
        name: "detectCommunities",
        does: "detectCommunities",
        description: "Groups of closely connected nodes (Leiden).",
        properties: r#""resolution":{"type":"number"},"seed":{"type":"integer"},"weight":{"type":"string"},"limit":{"type":"integer"}"#,
        output: NODE,
        ..TOOL
    },
    Tool {
        name: "findPath",
        does: "findPath",
        description: "The shortest path between two nodes; k: that many; all: all shortest.",
        properties: r#""from":{"type":"string"},"to":{"type":"string"},"directed":{"type":"boolean"},"weight":{"type":"string"},"k":{"type":"integer"},"all":{"type":"boolean"}"#,
        required: &["from", "to"],
        output: NODE,
        ..TOOL
    },
    Tool {
        name: "searchNodes",
        does: "searchNodes",
        description: "Nodes by words of label, type and data, or with a value of an attribute of data.",
        properties: r#""query":{"type":"string"},"type":{"type":"string"},"attribute":{"type":"string"},"value":{"type":"string"},"limit":{"type":"integer"},"cursor":{"type":"string"}"#,
        output: PAGE,
        ..TOOL
    },
    Tool {
        name: "filterByType",
        does: "filterByType",
        description: "All nodes of one type.",
        properties: r#""type":{"type":"string"},"limit":{"type":"integer"},"cursor":{"type":"string"}"#,
        required: &["type"],
        output: PAGE,
        ..TOOL
    },
    Tool {
        name: "applyForceLayout",
        does: "applyForceLayout",
        description: "Moves connected nodes together.",
        properties: r#""iterations":{"type":"integer"},"seed":{"type":"integer"}"#,
        output: NODE,
        shows_graph: true,
        ..TOOL
    },
    Tool {
        name: "applyHierarchicalLayout",
        does: "applyHierarchicalLayout",
        description: "Moves nodes into layers along the edges.",
        properties: r#""direction":{"enum":["TB","BT","LR","RL"]}"#,
        output: NODE,
        shows_graph: true,
        ..TOOL
    },
    Tool {
        name: "optimizePositions",
        does: "optimizePositions",
        description: "Moves nodes so that fewer edges cross.",
        properties: r#""seed":{"type":"integer"}"#,
        output: NODE,
        shows_graph: true,
        ..TOOL
    },
];

/// The tools that an endpoint lists.
pub fn listed(access: super::Access) -> impl Iterator<Item = &'static Tool> {
    TOOLS
        .iter()
        .filter(move |tool| access == super::Access::Full || tool.is_read_only())
}

/// JSON text of the members of the result of `tools/list`.
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

    /// The issue's own list, which no other profile has.
    const NAMES: [&str; 23] = [
        "addNode",
        "addEdge",
        "removeNode",
        "removeEdge",
        "getGraphState",
        "updateNode",
        "updateEdge",
        "addMultipleNodes",
        "addMultipleEdges",
        "importFromJSON",
        "importFromQuery",
        "undo",
        "redo",
        "getHistory",
        "analyzeStructure",
        "findCentrality",
        "detectCommunities",
        "findPath",
        "searchNodes",
        "filterByType",
        "applyForceLayout",
        "applyHierarchicalLayout",
        "optimizePositions",
    ];

    #[test]
    fn no_other_endpoint_has_a_tool_of_a_graph() {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names, NAMES);
        for tool in crate::table::TOOLS {
            assert!(!names.contains(&tool.name), "{}", tool.name);
        }
    }

    /// Arguments that no operation has: what `importFromJSON` makes `content` of.
    const OF_IMPORT: [&str; 3] = ["nodes", "edges", "graph"];

    #[test]
    fn every_tool_is_an_operation_with_its_arguments() {
        for tool in TOOLS {
            let operation = tool.operation().unwrap_or_else(|| panic!("{}", tool.name));
            let schema: Value = serde_json::from_str(&tool.input_schema()).unwrap();
            require_hosts_take(tool.name, &schema);
            require_types(
                tool.name,
                &serde_json::from_str(&tool.output_schema()).unwrap(),
            );
            for (argument, said) in &parsed(tool.properties) {
                if tool.name == "importFromJSON" && OF_IMPORT.contains(&argument.as_str()) {
                    continue;
                }
                let field = tool.argument(argument);
                let field = field.unwrap_or_else(|| panic!("{} {argument}", tool.name));
                check_kind(tool, argument, said, &graph::inlined(field));
            }
            for required in tool.required {
                assert!(schema["properties"][required].is_object(), "{required}");
            }
            for field in operation.fields.iter().filter(|field| field.required) {
                let is_it = |argument: &&str| tool.field(argument) == field.name;
                assert!(
                    field.name == "content" || tool.required.iter().any(is_it),
                    "{} {}",
                    tool.name,
                    field.name
                );
            }
        }
    }

    /// A tool says the same of an argument as its operation, or less.
    fn check_kind(tool: &Tool, argument: &str, said: &Value, operation: &Value) {
        let name = tool.name;
        if let Some(values) = said["enum"].as_array() {
            let mut known = operation["enum"].as_array().unwrap().clone();
            let mut values = values.clone();
            known.sort_by_key(Value::to_string);
            values.sort_by_key(Value::to_string);
            assert_eq!(values, known, "{name} {argument}");
        } else if operation["type"].is_null() {
            // Either of several kinds: the tool names them all.
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
    fn hints_are_those_of_operations() {
        let destructive: Vec<&str> = TOOLS
            .iter()
            .filter(|tool| tool.hints().is_some_and(|hints| hints.destructive))
            .map(|tool| tool.name)
            .collect();
        assert_eq!(destructive, ["removeNode", "removeEdge", "importFromJSON"]);
        let reading: Vec<&str> = listed(Access::ReadOnly).map(|tool| tool.name).collect();
        assert_eq!(
            reading,
            [
                "getGraphState",
                "getHistory",
                "analyzeStructure",
                "findCentrality",
                "detectCommunities",
                "findPath",
                "searchNodes",
                "filterByType"
            ]
        );
    }

    #[test]
    fn schemas_are_schemas_and_take_what_hosts_add() {
        for tool in TOOLS {
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
        assert!(list_of(true).len() < 17_000, "{}", list_of(true).len());
        assert!(estimate(&list_of(true)) > 1_000);
        assert_eq!(list_of(true).matches(VIEWER).count(), 6);
        assert_eq!(list_of(false).matches(VIEWER).count(), 0);
    }
}

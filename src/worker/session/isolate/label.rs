//! The names of calls in the journal, and the operations that a program may call.

use super::super::usage::operation_named_first;
use base::limits::MAX_NAME_CHARACTERS;
use session::NAMES as OPERATIONS;
use session::server_of;
use tools::request::ToolReference;

/// The operations of a program that the session itself does not have.
const OWN_OPERATIONS: &[&str] = &[
    "insertPieces",
    "openStream",
    "readStream",
    "closeStream",
    "persist",
    CHECK,
    GRAPH,
    CODE,
];

/// The check of a GraphQL response, which needs neither the session nor a server.
pub(super) const CHECK: &str = "checkGraphql";

/// An operation of a knowledge graph, which is another object.
pub(super) const GRAPH: &str = "graph";

/// An operation of a code workspace, which is another object.
pub(super) const CODE: &str = "code";

/// The operations that are requests to other servers.
pub(super) const TOOL_OPERATIONS: &[&str] =
    &["callTool", "listTools", "searchTools", "describeTool"];

/// The name of a call in the journal.
#[derive(Clone)]
pub(super) struct Label {
    /// A known operation, or `unknown`.
    pub(super) operation: &'static str,
    /// The server that answers.
    pub(super) server: String,
    /// The tool that is called.
    pub(super) tool: String,
}

impl Label {
    /// Makes the label of an operation that the object itself serves.
    pub(super) fn of(operation: &'static str) -> Self {
        if operation == CHECK {
            return Self {
                operation,
                server: "helpers".to_owned(),
                tool: "validateGraphQLData".to_owned(),
            };
        }
        let tool = match operation {
            "openStream" => "stream",
            "insertPieces" => "batchInsert",
            other => other,
        };
        Self {
            operation,
            server: server_of(operation).to_owned(),
            tool: tool.to_owned(),
        }
    }

    /// Makes the label of an operation of a graph or a workspace; an unknown one is `unknown`.
    pub(super) fn of_elsewhere(operation: &'static str, tool: &str) -> Self {
        let (server, known) = if operation == CODE {
            let known = code::find(tool).map(|(_, known)| known.name);
            (code::SERVER, known)
        } else {
            let known = graph::find(tool).map(|(_, known)| known.name);
            (graph::SERVER, known)
        };
        Self {
            operation,
            server: server.to_owned(),
            tool: known.unwrap_or("unknown").to_owned(),
        }
    }

    /// Makes the label of a tool call. The names come from the program unchecked, because they
    /// occur only in the list of its own calls.
    pub(super) fn of_tool(operation: &'static str, body: &str) -> Self {
        let named = ToolReference::parse(body).ok();
        let short = |name: &String| -> String {
            name.chars()
                .filter(|character| !character.is_control())
                .take(MAX_NAME_CHARACTERS)
                .collect()
        };
        let server = named.as_ref().map(|named| short(&named.server));
        let tool = named
            .as_ref()
            .filter(|_| operation == "callTool")
            .map(|named| short(&named.tool));
        Self {
            operation,
            server: server.unwrap_or_else(|| "helpers".to_owned()),
            tool: tool.unwrap_or_else(|| operation.to_owned()),
        }
    }
}

/// Returns true for the later calls of a stream, which counts as one call with any number of
/// pieces.
pub(super) fn is_part_of_stream(operation: &str) -> bool {
    matches!(operation, "readStream" | "closeStream")
}

/// Returns the name for the journal: a known operation, or `unknown`, because a forged name may be
/// any text. The prelude writes the name first.
pub(super) fn operation_of(body: &str) -> &'static str {
    operation_named_first(body, OPERATIONS)
        .or_else(|| operation_named_first(body, OWN_OPERATIONS))
        .or_else(|| operation_named_first(body, TOOL_OPERATIONS))
        .unwrap_or("unknown")
}

//! Prompts for two frequent tasks in a graph.

use serde_json::json;

use super::GraphProduct;
use super::backend::GraphBackend;
use crate::prompts::{Argument, Prompt, check, rendered, said};
use mcp::server::ask::PromptCall;
use mcp::server::{Fault, Outcome};

/// The prompts of a graph.
pub const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "extend_graph",
        title: "Extend the graph",
        description: "Add what is known about a topic, without duplicates",
        arguments: &[Argument {
            name: "topic",
            description: "What the graph should know",
            required: true,
        }],
    },
    Prompt {
        name: "explain_connection",
        title: "Explain a connection",
        description: "Say how two nodes are connected",
        arguments: &[
            Argument {
                name: "from",
                description: "Label or id of a node",
                required: true,
            },
            Argument {
                name: "to",
                description: "Label or id of the other node",
                required: true,
            },
        ],
    },
];

impl<B: GraphBackend> GraphProduct<B> {
    /// Renders a prompt, with the part of the graph that its subject concerns.
    ///
    /// # Errors
    /// [`Fault`] for an unknown prompt or argument, or a missing argument.
    pub(super) async fn get_prompt(&self, asked: &PromptCall) -> Result<Outcome, Fault> {
        let prompt = check(PROMPTS, asked)?;
        let argument = |name: &str| asked.arguments.get(name).map_or("", String::as_str);
        let text = if prompt.name == "extend_graph" {
            let topic = argument("topic");
            let body = json!({ "operation": "searchNodes", "query": topic, "limit": 20 });
            let found = said(&self.operate(body.to_string()).await?);
            format!(
                "Extend the knowledge graph with what is known about: {topic}\n\nNodes that it has already:\n{found}\n\n\
                 1. Search with searchNodes before you add, and use the nodes that are there.\n\
                 2. Give each new node a type and, where there is one, its identifier as canonicalId (NCBIGene:7157, MONDO:0005148).\n\
                 3. Add nodes with addMultipleNodes and edges with addMultipleEdges; each is one step that undo takes back.\n\
                 4. Label each edge with its relation, and put the source of a claim into its data."
            )
        } else {
            let (from, to) = (argument("from"), argument("to"));
            let body = json!({ "operation": "findPath", "names": "labels", "from": from, "to": to, "k": 3 });
            let found = said(&self.operate(body.to_string()).await?);
            format!(
                "Explain how {from} and {to} are connected in the knowledge graph.\n\nWhat findPath says:\n{found}\n\n\
                 1. Follow each path edge by edge, and say what each edge claims.\n\
                 2. Say which claims have a source in their data, and which have none.\n\
                 3. If there is no path, say what both have in common and which edge would connect them."
            )
        };
        Ok(rendered(prompt, &text))
    }
}

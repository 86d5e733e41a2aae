//! Completes arguments of prompts and of the template: labels of nodes, and types.

use serde_json::{Value, json};

use super::GraphProduct;
use super::backend::GraphBackend;
use super::prompts::PROMPTS;
use super::resources::{TEMPLATE, TEMPLATE_PARTS};
use crate::completion::{argument_of, rendered};
use crate::limits::MAX_COMPLETIONS;
use crate::prompts;
use crate::results::at;
use base::Result;
use mcp::server::ask::{Completion, CompletionTarget};
use mcp::server::{Fault, Outcome};

impl<B: GraphBackend> GraphProduct<B> {
    /// Completes an argument.
    ///
    /// # Errors
    /// [`Fault`] for an unknown prompt, template or argument.
    pub(super) async fn complete_argument(
        &self,
        asked: &Completion,
    ) -> std::result::Result<Outcome, Fault> {
        let arguments = match &asked.of {
            CompletionTarget::Prompt(name) => prompts::arguments_of(PROMPTS, name)
                .ok_or_else(|| Fault::params("Unknown prompt"))?,
            CompletionTarget::Template(uri) if uri == TEMPLATE => TEMPLATE_PARTS.to_vec(),
            CompletionTarget::Template(_) => {
                return Err(Fault::params("Unknown resource template"));
            }
        };
        let values = match argument_of(asked, &arguments)? {
            "from" | "to" => self.labels(&asked.value).await?,
            "type" => self.types().await?,
            "conversationId" => vec![self.terms.conversation.clone()],
            _ => Vec::new(),
        };
        Ok(Outcome::complete(rendered(&values, &asked.value)))
    }

    /// Returns the labels that match a text, or those of the first nodes if the text is empty.
    async fn labels(&self, written: &str) -> Result<Vec<String>> {
        let body = if written.trim().is_empty() {
            json!({ "operation": "getGraphState", "limit": MAX_COMPLETIONS })
        } else {
            json!({ "operation": "searchNodes", "query": written, "limit": MAX_COMPLETIONS })
        };
        let said = self.operate(body.to_string()).await?;
        let read: Value = serde_json::from_str(&said).unwrap_or_default();
        let data = at(&read, "data");
        let nodes = at(data, "nodes").as_array().or_else(|| data.as_array());
        let mut labels: Vec<String> = nodes
            .into_iter()
            .flatten()
            .filter_map(|node| at(node, "label").as_str().map(str::to_owned))
            .collect();
        labels.dedup();
        Ok(labels)
    }

    /// Returns the types of the nodes.
    async fn types(&self) -> Result<Vec<String>> {
        let body = json!({ "operation": "getGraphState", "limit": 1 });
        let said = self.operate(body.to_string()).await?;
        let read: Value = serde_json::from_str(&said).unwrap_or_default();
        let types = at(at(at(&read, "data"), "metadata"), "types").as_object();
        Ok(types
            .map(|types| types.keys().cloned().collect())
            .unwrap_or_default())
    }
}

//! The endpoint of the graph of one conversation.

use futures::StreamExt;
use futures::stream::LocalBoxStream;

use super::backend::GraphBackend;
use super::prompts::PROMPTS;
use super::{Access, GraphProduct, resources, table};
use crate::product::{Surface, require_first_page};
use crate::prompts::Prompt;
use mcp::server::ask::{Completion, PromptCall, ToolCall};
use mcp::server::{Change, Fault, Filter, Outcome, Request};

impl<B: GraphBackend> Surface for GraphProduct<B> {
    const TEMPLATES: &'static str = resources::TEMPLATES;
    const PROMPTS: &'static [Prompt] = PROMPTS;

    fn capabilities(&self) -> &'static str {
        if self.backend.has_viewer() {
            r#"{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#
        } else {
            r#"{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}}"#
        }
    }

    fn instructions(&self) -> String {
        let conversation = &self.terms.conversation;
        let ways = match self.terms.access {
            Access::Full => {
                "Search with searchNodes before you add, and add many nodes and edges with one call. People edit the same graph: \
                 read before you change. Each call is one step, which undo takes back."
            }
            Access::ReadOnly => "This address is read-only.",
        };
        format!(
            "The knowledge graph of the conversation \"{conversation}\", resource {}. Name a node by its label, or by its id where several \
             have the label. {ways} getGraphState returns pages. Errors say what to do instead.",
            resources::uri_of(conversation)
        )
    }

    fn tools(&self) -> String {
        table::list(self.terms.access, self.backend.has_viewer())
    }

    async fn call(&self, _request: &Request<'_>, asked: &ToolCall) -> Result<Outcome, Fault> {
        self.call_tool(asked).await
    }

    async fn resources(&self, cursor: Option<&str>) -> Result<Outcome, Fault> {
        require_first_page(cursor)?;
        Ok(self.list_resources())
    }

    async fn read(&self, uri: &str) -> Result<Outcome, Fault> {
        self.read_resource(uri).await
    }

    async fn prompt(&self, asked: &PromptCall) -> Result<Outcome, Fault> {
        self.get_prompt(asked).await
    }

    async fn complete(&self, asked: &Completion) -> Result<Outcome, Fault> {
        self.complete_argument(asked).await
    }

    /// Returns the filter for changes of the graph; its lists never change.
    fn agreed(&self, filter: &Filter) -> Filter {
        let uris = filter.uris.iter().filter(|uri| self.is_own(uri));
        Filter {
            uris: uris.cloned().collect(),
            ..Filter::default()
        }
    }

    async fn watch(&self, filter: &Filter) -> Result<LocalBoxStream<'static, Change>, Fault> {
        if filter.uris.is_empty() {
            return Ok(futures::stream::pending().boxed_local());
        }
        let uris = filter.uris.clone();
        let changes = self.backend.watch_graph(&self.terms.conversation).await?;
        let told = changes.flat_map(move |()| {
            let updated: Vec<Change> = uris.iter().cloned().map(Change::Updated).collect();
            futures::stream::iter(updated)
        });
        Ok(told.boxed_local())
    }
}

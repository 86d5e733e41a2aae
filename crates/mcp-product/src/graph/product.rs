//! The endpoint of a graph as a service of the protocol.

use std::borrow::Cow;

use futures::StreamExt;
use futures::stream::LocalBoxStream;
use serde_json::Value;

use super::backend::GraphBackend;
use super::prompts::PROMPTS;
use super::{Access, GraphTerms, resources, table};
use crate::limits::LIST_TTL_MS;
use crate::product::{described, one_page};
use crate::prompts;
use mcp::server::{
    Ask, Cache, Change, Description, Fault, Filter, Outcome, Request, Scope, Service,
};

/// What the server can do.
const CAPABILITIES: &str =
    r#"{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}}"#;

/// The same where there is a page that shows the graph.
const CAPABILITIES_WITH_VIEWER: &str = r#"{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#;

/// The graph of one conversation, for one caller.
pub struct GraphProduct<B> {
    /// The object of the graph.
    pub backend: B,
    /// What was agreed on.
    pub terms: GraphTerms,
}

impl<B: GraphBackend> Service for GraphProduct<B> {
    fn description(&self) -> Description {
        let capabilities = if self.backend.has_viewer() {
            CAPABILITIES_WITH_VIEWER
        } else {
            CAPABILITIES
        };
        described(capabilities, self.instructions())
    }

    fn header_schema(&self, _tool: &str) -> Option<Cow<'_, Value>> {
        None
    }

    async fn serve(&self, request: &Request<'_>) -> Result<Outcome, Fault> {
        let same_for_all = Cache {
            ttl_ms: LIST_TTL_MS,
            scope: Scope::Public,
        };
        match &request.ask {
            Ask::ListTools(cursor) => {
                one_page(cursor.as_deref())?;
                let tools = table::list(self.terms.access, self.backend.has_viewer());
                Ok(Outcome::cached(tools, same_for_all))
            }
            Ask::CallTool(asked) => self.call(asked).await,
            Ask::ListResources(cursor) => {
                one_page(cursor.as_deref())?;
                Ok(self.resources())
            }
            Ask::ListTemplates(cursor) => {
                one_page(cursor.as_deref())?;
                Ok(Outcome::cached(resources::TEMPLATES, same_for_all))
            }
            Ask::ReadResource(uri) => self.read(uri).await,
            Ask::ListPrompts(cursor) => {
                one_page(cursor.as_deref())?;
                Ok(Outcome::cached(prompts::list(PROMPTS), same_for_all))
            }
            Ask::GetPrompt(asked) => self.prompt(asked).await,
            Ask::Complete(asked) => self.complete(asked).await,
        }
    }

    /// Changes of the graph; its lists never change.
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

impl<B> GraphProduct<B> {
    fn instructions(&self) -> String {
        let conversation = &self.terms.conversation;
        let ways = match self.terms.access {
            Access::Full => {
                "Search with searchNodes before you add, and add many nodes and edges with one call. People edit the same graph: \
                 read before you change. Each call is one step, which undo takes back."
            }
            Access::ReadOnly => "This address reads only.",
        };
        format!(
            "The knowledge graph of the conversation \"{conversation}\", resource {}. Name a node by its label, or by its id where several \
             have the label. {ways} getGraphState returns pages. Errors say what to do instead.",
            resources::uri_of(conversation)
        )
    }
}

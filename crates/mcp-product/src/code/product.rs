//! The endpoint of a workspace as a service of the protocol.

use std::borrow::Cow;

use futures::StreamExt;
use futures::stream::LocalBoxStream;
use serde_json::Value;

use super::backend::CodeBackend;
use super::prompts::PROMPTS;
use super::{CodeTerms, resources, table};
use crate::graph::Access;
use crate::limits::LIST_TTL_MS;
use crate::product::{described, one_page};
use crate::prompts;
use mcp::server::{
    Ask, Cache, Change, Description, Fault, Filter, Outcome, Request, Scope, Service,
};

/// What the server can do.
const CAPABILITIES: &str =
    r#"{"tools":{},"resources":{},"prompts":{},"completions":{},"logging":{}}"#;

/// One code workspace, for one caller.
pub struct CodeProduct<B> {
    /// The object of the workspace.
    pub backend: B,
    /// What was agreed on.
    pub terms: CodeTerms,
}

impl<B: CodeBackend> Service for CodeProduct<B> {
    fn description(&self) -> Description {
        described(CAPABILITIES, self.instructions())
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
                Ok(Outcome::cached(
                    table::list(self.terms.access),
                    same_for_all,
                ))
            }
            Ask::CallTool(asked) => self.call(request, asked).await,
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

    /// A workspace tells nobody of its changes.
    fn agreed(&self, _filter: &Filter) -> Filter {
        Filter::default()
    }

    async fn watch(&self, _filter: &Filter) -> Result<LocalBoxStream<'static, Change>, Fault> {
        Ok(futures::stream::pending().boxed_local())
    }
}

impl<B: CodeBackend> CodeProduct<B> {
    /// The response of the workspace's object to a body.
    pub(super) async fn operate(&self, body: String) -> base::Result<String> {
        self.operate_as(super::ACTOR, body).await
    }

    /// The same on behalf of an actor.
    pub(super) async fn operate_as(&self, actor: &str, body: String) -> base::Result<String> {
        self.backend
            .operate_code(&self.terms.workspace, actor, body)
            .await
    }
}

impl<B> CodeProduct<B> {
    fn instructions(&self) -> String {
        let workspace = &self.terms.workspace;
        let ways = match self.terms.access {
            Access::Full => {
                "Propose edits with apply_code_edit, by the item's name; nothing is written before a person approves the proposal."
            }
            Access::ReadOnly => "This address reads only.",
        };
        format!(
            "The code workspace \"{workspace}\": source files with an index of their items, every version of them. Begin with request_code_context, \
             which finds the code that a question is about within a budget of tokens. {ways} Errors say what to do instead."
        )
    }
}

//! The endpoint of one code workspace.

use futures::StreamExt;
use futures::stream::LocalBoxStream;

use super::backend::CodeBackend;
use super::prompts::PROMPTS;
use super::{CodeProduct, resources, table};
use crate::graph::Access;
use crate::product::{Surface, require_first_page};
use crate::prompts::Prompt;
use mcp::server::ask::{Completion, PromptCall, ToolCall};
use mcp::server::{Change, Fault, Filter, Outcome, Request};

impl<B: CodeBackend> Surface for CodeProduct<B> {
    const TEMPLATES: &'static str = resources::TEMPLATES;
    const PROMPTS: &'static [Prompt] = PROMPTS;

    fn capabilities(&self) -> &'static str {
        r#"{"tools":{},"resources":{},"prompts":{},"completions":{},"logging":{}}"#
    }

    fn instructions(&self) -> String {
        let workspace = &self.terms.workspace;
        let ways = match self.terms.access {
            Access::Full => {
                "Propose edits with apply_code_edit, by the item's name; nothing is written before a person approves the proposal."
            }
            Access::ReadOnly => "This address is read-only.",
        };
        format!(
            "The code workspace \"{workspace}\": source files with an index of their items, every version of them. Begin with request_code_context, \
             which finds the code that a question is about within a budget of tokens. {ways} Errors say what to do instead."
        )
    }

    fn tools(&self) -> String {
        table::list(self.terms.access)
    }

    async fn call(&self, request: &Request<'_>, asked: &ToolCall) -> Result<Outcome, Fault> {
        self.call_tool(request, asked).await
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

    /// Returns an empty filter: a workspace does not report changes.
    fn agreed(&self, _filter: &Filter) -> Filter {
        Filter::default()
    }

    async fn watch(&self, _filter: &Filter) -> Result<LocalBoxStream<'static, Change>, Fault> {
        Ok(futures::stream::pending().boxed_local())
    }
}

impl<B: CodeBackend> CodeProduct<B> {
    /// Sends a body to the workspace's object and returns the response.
    pub(super) async fn operate(&self, body: String) -> base::Result<String> {
        self.operate_as(super::ACTOR, body).await
    }

    /// Sends a body on behalf of an actor.
    pub(super) async fn operate_as(&self, actor: &str, body: String) -> base::Result<String> {
        self.backend
            .operate_code(&self.terms.workspace, actor, body)
            .await
    }
}

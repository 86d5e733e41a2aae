//! The product as a service of the protocol: one implementation that serves requests through the
//! surface of an endpoint.

use std::borrow::Cow;

use futures::stream::LocalBoxStream;
use serde_json::{Value, json};

use crate::limits::LIST_TTL_MS;
use crate::prompts::{self, Prompt};
use crate::terms::Terms;
use mcp::server::ask::{Completion, PromptCall, ToolCall};
use mcp::server::{
    Cache, Change, Description, Fault, Filter, Outcome, Request, Scope, Service, ServiceRequest,
};

/// The product at one endpoint, for one caller. The type of its terms determines the endpoint.
pub struct Product<B, T = Terms> {
    /// The objects behind the endpoint.
    pub backend: B,
    /// The terms of the caller.
    pub terms: T,
}

/// The part of the product that an endpoint shows: its tools, resources and prompts.
pub(crate) trait Surface {
    /// JSON text of the members of the result of `resources/templates/list`.
    const TEMPLATES: &'static str;
    /// The prompts, in the order of the list.
    const PROMPTS: &'static [Prompt];

    /// Returns JSON text of the capabilities.
    fn capabilities(&self) -> &'static str;

    /// Returns the instructions that a client shows its model first.
    fn instructions(&self) -> String;

    /// Returns JSON text of the members of the result of `tools/list`.
    fn tools(&self) -> String;

    /// Calls a tool.
    ///
    /// # Errors
    /// [`Fault`] for a tool that is not listed. Everything else is a result.
    async fn call(&self, request: &Request<'_>, asked: &ToolCall) -> Result<Outcome, Fault>;

    /// Lists resources.
    ///
    /// # Errors
    /// [`Fault`] for an unknown cursor, or if the objects do not respond.
    async fn resources(&self, cursor: Option<&str>) -> Result<Outcome, Fault>;

    /// Reads a resource.
    ///
    /// # Errors
    /// [`Fault`] for a resource that does not exist, or if the objects do not respond.
    async fn read(&self, uri: &str) -> Result<Outcome, Fault>;

    /// Renders a prompt.
    ///
    /// # Errors
    /// [`Fault`] for a prompt or an argument that does not exist.
    async fn prompt(&self, asked: &PromptCall) -> Result<Outcome, Fault>;

    /// Completes an argument.
    ///
    /// # Errors
    /// [`Fault`] if the objects do not respond.
    async fn complete(&self, asked: &Completion) -> Result<Outcome, Fault>;

    /// Returns the part of a subscription that this endpoint reports changes for.
    fn agreed(&self, filter: &Filter) -> Filter;

    /// Reports changes.
    ///
    /// # Errors
    /// [`Fault`] if the objects do not respond.
    async fn watch(&self, filter: &Filter) -> Result<LocalBoxStream<'static, Change>, Fault>;
}

impl<B, T> Service for Product<B, T>
where
    Self: Surface,
{
    fn description(&self) -> Description {
        let info = json!({
            "name": "codemode-database",
            "title": "Code Mode Database",
            "version": env!("CARGO_PKG_VERSION"),
        });
        Description {
            info: info.to_string(),
            capabilities: self.capabilities(),
            instructions: self.instructions(),
            cache: Cache {
                ttl_ms: LIST_TTL_MS,
                scope: Scope::Private,
            },
        }
    }

    fn header_schema(&self, _tool: &str) -> Option<Cow<'_, Value>> {
        None
    }

    async fn serve(&self, request: &Request<'_>) -> Result<Outcome, Fault> {
        match &request.ask {
            ServiceRequest::ListTools(cursor) => one_page(cursor.as_deref(), || self.tools()),
            ServiceRequest::CallTool(asked) => self.call(request, asked).await,
            ServiceRequest::ListResources(cursor) => self.resources(cursor.as_deref()).await,
            ServiceRequest::ListTemplates(cursor) => {
                one_page(cursor.as_deref(), || Self::TEMPLATES.to_owned())
            }
            ServiceRequest::ReadResource(uri) => self.read(uri).await,
            ServiceRequest::ListPrompts(cursor) => {
                one_page(cursor.as_deref(), || prompts::list(Self::PROMPTS))
            }
            ServiceRequest::GetPrompt(asked) => self.prompt(asked).await,
            ServiceRequest::Complete(asked) => self.complete(asked).await,
        }
    }

    fn agreed(&self, filter: &Filter) -> Filter {
        Surface::agreed(self, filter)
    }

    async fn watch(&self, filter: &Filter) -> Result<LocalBoxStream<'static, Change>, Fault> {
        Surface::watch(self, filter).await
    }
}

/// Returns a list that is the same for all callers and has one page.
fn one_page(cursor: Option<&str>, members: impl FnOnce() -> String) -> Result<Outcome, Fault> {
    require_first_page(cursor)?;
    let same_for_all = Cache {
        ttl_ms: LIST_TTL_MS,
        scope: Scope::Public,
    };
    Ok(Outcome::cached(members(), same_for_all))
}

/// Rejects a cursor, for lists that have one page.
///
/// # Errors
/// [`Fault`] for any cursor except an empty one, which some hosts send for the first page.
pub(crate) fn require_first_page(cursor: Option<&str>) -> Result<(), Fault> {
    match cursor {
        None | Some("") => Ok(()),
        Some(_) => Err(Fault::params(
            "there is no such cursor: this list has one page",
        )),
    }
}

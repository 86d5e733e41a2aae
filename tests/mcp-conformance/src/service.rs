//! The fixtures as a service.

use std::borrow::Cow;
use std::rc::Rc;

use futures::stream::LocalBoxStream;
use mcp::server::ask::ToolCall;
use mcp::server::{Change, Description, Fault, Filter, Outcome, Request, Service, ServiceRequest};
use net::transport::Clock;
use serde_json::{Map, Value, json};

use crate::instance::Instance;
use crate::outcome::{CACHE, cached, unknown};
use crate::seal::{Memory, Origin, Refusal};
use crate::tools::{Call, Tool};
use crate::{completion, prompts, resources, tools};

/// The name and version of the server.
const INFO: &str = r#"{"name":"codemode-database-conformance","version":"0.1.0"}"#;
/// All capabilities of a server.
const CAPABILITIES: &str = r#"{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"completions":{},"logging":{}}"#;
/// The code of a resource that does not exist, in the versions with sessions (2025-11-25,
/// Resources, "Error Handling").
const RESOURCE_NOT_FOUND: i64 = -32002;
/// The same in the stateless version (2026-07-28, Resources, "Error Handling").
const INVALID_PARAMS: i64 = -32602;

/// The service of one request's time; lasting state is in the [`Instance`].
pub struct Fixtures<C> {
    clock: C,
    instance: Rc<Instance>,
}

impl<C: Clock> Fixtures<C> {
    /// Makes the service with a clock and the state of the instance.
    pub fn new(clock: C, instance: Rc<Instance>) -> Self {
        Self { clock, instance }
    }

    /// Opens the state that a request returned.
    fn memory(&self, request: &Request<'_>, origin: &Origin) -> Result<Option<Memory>, Refusal> {
        let Some(state) = &request.inputs.state else {
            return Ok(None);
        };
        let seal = &self.instance.seal;
        seal.open(state, origin, self.clock.now_ms()).map(Some)
    }

    async fn call_tool(&self, request: &Request<'_>, call: &ToolCall) -> Result<Outcome, Fault> {
        let instance = &*self.instance;
        let tool = Tool::find(&call.name, instance)
            .ok_or_else(|| unknown("tool", &call.name, Tool::names(instance)))?;
        let arguments: Map<String, Value> = serde_json::from_str(call.arguments.get())
            .map_err(|error| Fault::params(format!("the arguments: {error}")))?;
        let origin = Origin::new("tools/call", &call.name, Value::Object(arguments.clone()));
        let call = Call {
            arguments: &arguments,
            request,
            memory: self.memory(request, &origin)?,
            origin: &origin,
            clock: &self.clock,
            instance,
        };
        Ok(tools::run(tool, &call).await)
    }
}

/// Returns a list in one page.
fn list(name: &str, entries: &Value, cursor: Option<&String>) -> Result<Outcome, Fault> {
    match cursor {
        None => Ok(cached(&json!({ name: entries }))),
        Some(_) => Err(Fault::params(
            "there is no such cursor: the list has one page",
        )),
    }
}

impl<C: Clock> Service for Fixtures<C> {
    fn description(&self) -> Description {
        Description {
            info: INFO.to_owned(),
            capabilities: CAPABILITIES,
            instructions: "Call what the conformance suites call.".to_owned(),
            cache: CACHE,
        }
    }

    fn header_schema(&self, tool: &str) -> Option<Cow<'_, Value>> {
        let tool = Tool::find(tool, &self.instance)?;
        (tool == Tool::Headers).then(|| Cow::Owned(tool.input_schema()))
    }

    async fn serve(&self, request: &Request<'_>) -> Result<Outcome, Fault> {
        let instance = &*self.instance;
        match &request.ask {
            ServiceRequest::ListTools(cursor) => {
                list("tools", &tools::list(instance), cursor.as_ref())
            }
            ServiceRequest::CallTool(call) => self.call_tool(request, call).await,
            ServiceRequest::ListResources(cursor) => {
                list("resources", &resources::list(instance), cursor.as_ref())
            }
            ServiceRequest::ListTemplates(cursor) => list(
                "resourceTemplates",
                &resources::templates(),
                cursor.as_ref(),
            ),
            ServiceRequest::ReadResource(uri) => {
                let origin = Origin::new("resources/read", uri, Value::Null);
                self.memory(request, &origin)?;
                let is_modern = request.caller.version.is_modern();
                let not_found = if is_modern {
                    INVALID_PARAMS
                } else {
                    RESOURCE_NOT_FOUND
                };
                resources::read(instance, uri, not_found)
            }
            ServiceRequest::ListPrompts(cursor) => {
                list("prompts", &prompts::list(instance), cursor.as_ref())
            }
            ServiceRequest::GetPrompt(call) => {
                let origin = Origin::new("prompts/get", &call.name, json!(call.arguments));
                self.memory(request, &origin)?;
                prompts::get(instance, call, &request.inputs)
            }
            ServiceRequest::Complete(completion) => completion::values(instance, completion),
        }
    }

    fn agreed(&self, filter: &Filter) -> Filter {
        let mut agreed = filter.clone();
        agreed
            .uris
            .retain(|uri| resources::exists(&self.instance, uri));
        agreed
    }

    async fn watch(&self, filter: &Filter) -> Result<LocalBoxStream<'static, Change>, Fault> {
        Ok(self.instance.listen(filter))
    }
}

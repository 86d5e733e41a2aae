//! Tools of other servers, over the platform's network. `upstream` sends the requests; this module
//! serves requests that need tools.

mod upstream;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use tools_graphql::GraphqlError;

use serde_json::{Value, json};

pub use self::upstream::{ExecutionContext, Network, Time};
use super::instance;
use super::storage::ObjectDatabase;
use crate::api::envelope;
use crate::config::Config;
use base::{Error, Result};
use mcp::Progress;
use sandbox::prompt::ServerTools;
use session::Session;
use tools::catalog::Catalogs;
use tools::gateway::{Connections, Gateway, PassedHeaders};
use tools::limits::MAX_REMEMBERED_TOOL_LISTS;
use tools::outcome::{Outcome, Reader, ToolResponse};
use tools::request::ToolCall;
use tools::server::Kind;

thread_local! {
    /// The cache of an instance for texts from servers. It holds no connections.
    static CATALOGS: Rc<RefCell<Catalogs>> = Rc::default();
    /// The connections of requests without a session, by tenant.
    static SHARED: RefCell<HashMap<String, Rc<Connections>>> = RefCell::default();
}

/// The servers that a tenant can reach from here.
pub struct Servers {
    config: Rc<Config>,
    tenant: String,
    connections: Rc<Connections>,
    passed: PassedHeaders,
    catalogs: Rc<RefCell<Catalogs>>,
    network: Network,
    time: Time,
}

impl Servers {
    /// Creates the set of servers with the connections of an object.
    pub fn new(
        config: &Rc<Config>,
        tenant: &str,
        connections: &Rc<Connections>,
        passed: PassedHeaders,
    ) -> Self {
        let network = Network::of_an_object(tenant);
        Self::over(network, config, tenant, connections, passed)
    }

    fn over(
        network: Network,
        config: &Rc<Config>,
        tenant: &str,
        connections: &Rc<Connections>,
        passed: PassedHeaders,
    ) -> Self {
        Self {
            config: Rc::clone(config),
            tenant: tenant.to_owned(),
            connections: Rc::clone(connections),
            passed,
            catalogs: CATALOGS.with(Rc::clone),
            network,
            time: Time,
        }
    }

    /// Makes it with the connections of the tenant's requests that name no session.
    pub fn without_session(
        config: &Rc<Config>,
        tenant: &str,
        passed: PassedHeaders,
        context: &ExecutionContext,
    ) -> Self {
        let connections = SHARED.with_borrow_mut(|shared| {
            if shared.len() >= MAX_REMEMBERED_TOOL_LISTS && !shared.contains_key(tenant) {
                shared.clear();
            }
            Rc::clone(shared.entry(tenant.to_owned()).or_default())
        });
        let network = Network::of_a_request(tenant, context.clone());
        Self::over(network, config, tenant, &connections, passed)
    }

    /// Returns the gateway to the servers.
    pub fn gateway(&self) -> Gateway<'_, Network, Time> {
        Gateway {
            http: &self.network,
            clock: &self.time,
            servers: &self.config.servers,
            tenant: &self.tenant,
            connections: &self.connections,
            passed: &self.passed,
            catalogs: &self.catalogs,
            warn: |text| web_sys::console::warn_1(&text.into()),
        }
    }

    fn kind_of(&self, name: &str) -> Kind {
        let servers = &self.config.servers;
        servers
            .iter()
            .find(|server| server.name == name)
            .map_or(Kind::default(), |server| server.kind)
    }

    /// Returns the servers and their tools, for the guidance of a model.
    pub async fn for_prompt(&self) -> Vec<ServerTools> {
        self.gateway()
            .all()
            .await
            .into_iter()
            .map(|(server, catalog)| ServerTools {
                kind: self.kind_of(&server),
                server,
                tools: catalog
                    .map(|catalog| catalog.tools.clone())
                    .map_err(|error| error.to_string()),
            })
            .collect()
    }
}

impl Drop for Servers {
    /// Closes the connections that carry this caller's headers, so that the next caller cannot use
    /// them.
    fn drop(&mut self) {
        self.gateway().close_passed();
    }
}

/// A completed call of the proxy, with its start time.
pub struct CompletedCall {
    fetched: ToolResponse,
    began_ms: u64,
}

impl CompletedCall {
    /// Makes the call.
    ///
    /// # Errors
    /// Those of [`Gateway::call`].
    pub async fn fetch(
        servers: &Servers,
        call: ToolCall,
        progress: &mut impl FnMut(Progress),
    ) -> Result<Self> {
        let began_ms = instance::now_ms();
        let fetched = servers.gateway().call(call, progress).await?;
        Ok(Self { fetched, began_ms })
    }

    /// Returns the text of the response.
    ///
    /// # Errors
    /// Those of [`ToolResponse::conclude`].
    pub fn answer(&self, session: Option<&Session<'_, ObjectDatabase>>) -> Result<String> {
        let outcome = self.fetched.conclude(session, Reader::Model)?;
        let took_ms = instance::now_ms().saturating_sub(self.began_ms);
        let meta = meta(&self.fetched, &outcome, took_ms);
        Ok(rendered("result", &outcome, &meta))
    }
}

/// Returns the `meta` of a response.
pub fn meta(fetched: &ToolResponse, outcome: &Outcome, took_ms: u64) -> Value {
    let mut meta = json!({
        "server": fetched.server.name, "tool": fetched.call.tool,
        "durationMs": took_ms, "bytes": fetched.message.len(), "staged": outcome.staged,
    });
    if let (Some(notice), Some(fields)) = (&outcome.notice, meta.as_object_mut()) {
        fields.insert("notice".to_owned(), notice.as_str().into());
    }
    meta
}

/// Renders a response, with the data unchanged.
pub fn rendered(name: &str, outcome: &Outcome, meta: &Value) -> String {
    let validation = outcome
        .validation
        .as_ref()
        .map_or_else(String::new, |validation| {
            format!(r#","_graphqlValidation":{validation}"#)
        });
    format!(
        r#"{{"success":true,"{name}":{},"meta":{meta}{validation}}}"#,
        outcome.data
    )
}

/// Renders a response to a program, with the lines for its console.
pub fn rendered_for_program(fetched: &ToolResponse, outcome: &Outcome, took_ms: u64) -> String {
    let text = rendered("data", outcome, &meta(fetched, outcome, took_ms));
    with_console(text, &outcome.console)
}

/// Renders a failed tool call for a program, with an explanation for the console and the findings
/// of the GraphQL checks.
pub fn failed_for_program(server: &str, tool: &str, error: &Error) -> String {
    let text = envelope::failure(error);
    match error.of() {
        Some(GraphqlError::GraphqlNullData {
            console,
            data: Some(data),
            ..
        }) => with_console(
            text.replacen('{', &format!(r#"{{"data":{data},"#), 1),
            console,
        ),
        Some(GraphqlError::GraphqlNullData { console, .. }) => with_console(text, console),
        _ => with_console(text, &plain_lines(server, tool, error)),
    }
}

fn plain_lines(server: &str, tool: &str, error: &Error) -> Vec<String> {
    let mut lines = vec![format!("[{server}.{tool}] {}: {error}", error.code())];
    if let Some(hint) = error.hint() {
        lines.push(format!("[{server}.{tool}] Hint: {hint}"));
    }
    lines
}

fn with_console(text: String, lines: &[String]) -> String {
    if lines.is_empty() {
        return text;
    }
    text.replacen('{', &format!(r#"{{"console":{},"#, json!(lines)), 1)
}

/// Renders the response to a request about tools that needs no session.
///
/// # Errors
/// [`base::CommonError::Internal`] if the fields are no object; ours always are.
pub fn fields(fields: Value) -> Result<String> {
    if fields.is_object() {
        Ok(envelope::success(fields))
    } else {
        Err(Error::internal(
            "the fields of a response are not an object",
        ))
    }
}

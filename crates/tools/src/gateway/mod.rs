//! Finds servers and tools, checks calls, and sends them. It returns the raw result;
//! [`super::outcome`] processes it. `queries` checks GraphQL documents against schemas,
//! `connections` keeps the connections to servers, `passed` the headers that a caller passes
//! through, `deadline` the remaining time of a call.

mod connections;
mod deadline;
mod passed;
mod queries;

use std::cell::RefCell;
use std::rc::Rc;

pub use self::connections::Connections;
pub use self::passed::{PASSED_PREFIX, PassedHeaders};

use self::deadline::Deadline;

use futures::future::join_all;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::arguments::Issue;
use super::catalog::{Catalog, Catalogs};
use super::outcome::{ToolResponse, upstream};
use super::render::{described, page_of, shown_schema};
use super::request::{SearchRequest, ToolCall};
use super::{Server, ToolError, arguments, declarations, search};
use crate::limits::{
    FAILED_LIST_TTL_MS, MAX_AVAILABLE_TOOLS, OVERVIEW_TIMEOUT_MS, TOOL_LIST_REFRESH_MS,
};
use base::limits::MAX_SUGGESTIONS;
use base::nearest;
use base::{Error, Result};
use mcp::client::{Client, Connection};
use mcp::{Failure, HEADER_MISMATCH, Message, Progress};
use mcp::{Tool, parameter_headers};
use net::transport::{Clock, Http};

/// The access to the servers that a tenant may use.
pub struct Gateway<'a, H, C> {
    /// The sender of requests.
    pub http: &'a H,
    /// The clock.
    pub clock: &'a C,
    /// The configured servers.
    pub servers: &'a [Server],
    /// The tenant of the caller.
    pub tenant: &'a str,
    /// The connections of the object.
    pub connections: &'a Connections,
    /// The headers that the caller passes through.
    pub passed: &'a PassedHeaders,
    /// The stored lists of tools.
    pub catalogs: &'a RefCell<Catalogs>,
    /// Logs a warning for the operator.
    pub warn: fn(&str),
}

impl<H: Http, C: Clock> Gateway<'_, H, C> {
    /// Returns the servers that the tenant may use.
    pub fn visible(&self) -> impl Iterator<Item = &Server> {
        self.servers
            .iter()
            .filter(|server| server.serves(self.tenant))
    }

    /// Returns the server of a name.
    ///
    /// # Errors
    /// [`ToolError::ServerNotFound`] with the nearest names among those that the tenant may use.
    pub fn server(&self, name: &str) -> Result<&Server> {
        self.visible()
            .find(|server| server.name == name)
            .ok_or_else(|| {
                let available = || self.visible().map(|server| server.name.as_str());
                // The session's own servers exist only if there is a session.
                let known = available().chain(session::SERVERS.iter().copied());
                ToolError::ServerNotFound {
                    server: short(name),
                    suggestions: nearest(name, known.filter(|near| *near != name)),
                    available: available().map(str::to_owned).collect(),
                }
                .into()
            })
    }

    /// Returns the tools of a server, stored or listed now.
    ///
    /// # Errors
    /// [`ToolError::UpstreamFailed`], [`ToolError::UpstreamTimeout`].
    pub async fn catalog(&self, server: &Server) -> Result<Rc<Catalog>> {
        self.catalog_within(server, server.timeout_ms).await
    }

    async fn catalog_within(&self, server: &Server, time_ms: u32) -> Result<Rc<Catalog>> {
        if let Some(catalog) = self.remembered(server) {
            return Ok(catalog);
        }
        let began_ms = self.clock.now_ms();
        let listing = self.connections_to(server).listing(&server.name);
        let _turn = listing.turn().await;
        if let Some(catalog) = self.remembered(server) {
            return Ok(catalog);
        }
        // A call that waited for the list of another call shares its failure; otherwise each call
        // in the queue would wait for a timeout of its own.
        match self.failure_since(server, began_ms) {
            Some(failure) => Err(failure),
            None => self.list(server, time_ms).await,
        }
    }

    /// Returns a recent list, or the known one if no other can be fetched.
    async fn fresher(&self, server: &Server, known: Rc<Catalog>, time_ms: u32) -> Rc<Catalog> {
        let age_ms = self.clock.now_ms().saturating_sub(known.listed_ms);
        if age_ms > TOOL_LIST_REFRESH_MS {
            self.list_after(server, known, time_ms).await
        } else {
            known
        }
    }

    /// Returns a newer list than this one, fetched by another call or now; this one if that fails.
    async fn list_after(&self, server: &Server, known: Rc<Catalog>, time_ms: u32) -> Rc<Catalog> {
        let began_ms = self.clock.now_ms();
        let listing = self.connections_to(server).listing(&server.name);
        let _turn = listing.turn().await;
        if let Some(catalog) = self.remembered(server)
            && catalog.listed_ms > known.listed_ms
        {
            return catalog;
        }
        if self.failure_since(server, began_ms).is_some() {
            return known;
        }
        self.list(server, time_ms).await.unwrap_or(known)
    }

    fn failure_since(&self, server: &Server, since_ms: u64) -> Option<Error> {
        let catalogs = self.catalogs.borrow();
        catalogs.failure(self.tenant, &self.passed.key(server), since_ms)
    }

    fn remembered(&self, server: &Server) -> Option<Rc<Catalog>> {
        let now_ms = self.clock.now_ms();
        let catalogs = self.catalogs.borrow();
        catalogs.get(self.tenant, &self.passed.key(server), now_ms)
    }

    async fn list(&self, server: &Server, time_ms: u32) -> Result<Rc<Catalog>> {
        let connection = self.connections_to(server).of(&server.name);
        let client = self.client(server, &connection, time_ms);
        let listing = match client.list_tools().await {
            Ok(listing) => listing,
            Err(failure) => {
                let error = Error::from(upstream(&server.name, failure, time_ms));
                self.catalogs.borrow_mut().put_failure(
                    self.tenant,
                    &self.passed.key(server),
                    self.clock.now_ms(),
                    error.clone(),
                );
                return Err(error);
            }
        };
        for warning in &listing.warnings {
            (self.warn)(&format!("{}: {warning}", server.name));
        }
        let catalog = Rc::new(Catalog::new(listing, connection.era(), self.clock.now_ms()));
        self.catalogs
            .borrow_mut()
            .put(self.tenant, &self.passed.key(server), Rc::clone(&catalog));
        Ok(catalog)
    }

    /// Returns a catalog that has the tool.
    ///
    /// # Errors
    /// [`ToolError::ToolNotFound`] with the nearest names, or as [`Gateway::catalog`].
    pub async fn catalog_with(&self, server: &Server, tool: &str) -> Result<Rc<Catalog>> {
        self.catalog_with_within(server, tool, server.timeout_ms)
            .await
    }

    async fn catalog_with_within(
        &self,
        server: &Server,
        tool: &str,
        time_ms: u32,
    ) -> Result<Rc<Catalog>> {
        let catalog = self.catalog_within(server, time_ms).await?;
        if catalog.tool(tool).is_some() {
            return Ok(catalog);
        }
        // The tool may have been added since.
        let catalog = self.fresher(server, catalog, time_ms).await;
        if catalog.tool(tool).is_some() {
            return Ok(catalog);
        }
        Err(not_found(&catalog, &server.name, tool))
    }

    /// Checks a call and sends it.
    ///
    /// # Errors
    /// [`ToolError`].
    pub async fn call(
        &self,
        mut call: ToolCall,
        progress: &mut impl FnMut(Progress),
    ) -> Result<ToolResponse> {
        let server = self.server(&call.server)?;
        let deadline = Deadline::new(server, self.clock);
        let mut catalog = self.catalog_with(server, &call.tool).await?;
        if let Some(tool) = catalog.tool(&call.tool) {
            // The caller may have used another spelling.
            call.tool.clone_from(&tool.name);
        }
        self.warn_of_no_check(server, &catalog, &call);
        if check_arguments(&catalog, &call).is_err() {
            // Its parameters may have changed since.
            let time_ms = deadline.left_ms(self.clock)?;
            catalog = self.fresher(server, catalog, time_ms).await;
        }
        let mut listed_anew = false;
        loop {
            let headers = check_arguments(&catalog, &call)?;
            let tool = tool_of(&catalog, &call)?;
            let mut doubts = self
                .check_query(server, &catalog, tool, &call.arguments, &deadline)
                .await?;
            let arguments = Arguments {
                raw: &call.arguments,
                headers: &headers,
                time_ms: deadline.left_ms(self.clock)?,
            };
            let outcome = self
                .call_once(server, &catalog, tool, &arguments, progress)
                .await;
            match outcome {
                Ok(message) => {
                    doubts.extend(doubt_of(tool, &call.arguments));
                    return Ok(ToolResponse {
                        server: server.clone(),
                        catalog,
                        call,
                        message,
                        doubts,
                    });
                }
                // The server wants other headers than its list demanded when it was read.
                Err(Failure::Refused {
                    code: HEADER_MISMATCH,
                    ..
                }) if !listed_anew => {
                    listed_anew = true;
                    self.forget(server);
                    let time_ms = deadline.left_ms(self.clock)?;
                    catalog = self
                        .catalog_with_within(server, &call.tool, time_ms)
                        .await?;
                }
                Err(failure) => {
                    return Err(upstream(&server.name, failure, server.timeout_ms).into());
                }
            }
        }
    }

    /// Warns once of a tool whose arguments cannot be checked.
    fn warn_of_no_check(&self, server: &Server, catalog: &Catalog, call: &ToolCall) {
        if let Some(tool) = catalog.tool(&call.tool)
            && catalog.is_first_call(tool)
            && !arguments::is_usable(&tool.input_schema)
        {
            (self.warn)(&format!(
                "{}.{}: its arguments are not checked, because its schema cannot be used",
                server.name, tool.name
            ));
        }
    }

    async fn call_once(
        &self,
        server: &Server,
        catalog: &Catalog,
        tool: &Tool,
        arguments: &Arguments<'_>,
        progress: &mut impl FnMut(Progress),
    ) -> std::result::Result<Message, Failure> {
        let connection = self.connections_to(server).of(&server.name);
        connection.assume(catalog.era);
        let before = connection.era();
        let outcome = self
            .client(server, &connection, arguments.time_ms)
            .call_tool(tool, arguments.raw, arguments.headers, progress)
            .await;
        if connection.era() != before {
            // The server has been replaced by one of another protocol version: the stored list
            // belongs to the old one.
            self.forget(server);
        }
        outcome
    }

    /// Returns the catalogs of all servers that the tenant may use, or the reasons of failure. A
    /// server that has just failed is not asked again, because an overview should not wait for it
    /// each time.
    pub async fn all(&self) -> Vec<(String, Result<Rc<Catalog>>)> {
        let since_ms = self.clock.now_ms().saturating_sub(FAILED_LIST_TTL_MS);
        join_all(self.visible().map(|server| async move {
            let catalog = match self.failure_since(server, since_ms) {
                Some(failure) => Err(failure),
                None => {
                    let time_ms = server.timeout_ms.min(OVERVIEW_TIMEOUT_MS);
                    self.catalog_within(server, time_ms).await
                }
            };
            (server.name.clone(), catalog)
        }))
        .await
    }

    /// Returns one page of a search, as the fields of a result.
    ///
    /// # Errors
    /// [`ToolError::ServerNotFound`]. The result names a server that cannot be listed.
    pub async fn search(&self, request: &SearchRequest) -> Result<Value> {
        let catalogs = match &request.server {
            Some(name) => {
                let server = self.server(name)?;
                vec![(server.name.clone(), Ok(self.catalog(server).await?))]
            }
            None => self.all().await,
        };
        let tools = catalogs
            .iter()
            .filter_map(|(server, catalog)| Some((server, catalog.as_ref().ok()?)))
            .flat_map(|(server, catalog)| {
                catalog
                    .tools
                    .iter()
                    .map(move |tool| (server.as_str(), tool))
            });
        let hits = search::search(&request.query, tools);
        let unavailable: Vec<Value> = catalogs
            .iter()
            .filter_map(|(server, catalog)| {
                let error = catalog.as_ref().err()?;
                Some(json!({ "server": server, "error": error.to_json() }))
            })
            .collect();
        Ok(page_of(&hits, request, unavailable))
    }

    /// Returns all tools of a server with their schemas, as the fields of a result.
    ///
    /// # Errors
    /// As [`Gateway::catalog`].
    pub async fn tools_of(&self, name: &str) -> Result<Value> {
        let server = self.server(name)?;
        let catalog = self.catalog(server).await?;
        let tools: Vec<Value> = catalog.tools.iter().map(described).collect();
        Ok(json!({ "server": server.name, "tools": tools }))
    }

    /// Returns one tool with its schemas and its declaration, as the fields of a result.
    ///
    /// # Errors
    /// As [`Gateway::catalog_with`].
    pub async fn describe(&self, name: &str, tool: &str) -> Result<Value> {
        let server = self.server(name)?;
        let catalog = self.catalog_with(server, tool).await?;
        let found = catalog.tool(tool);
        Ok(json!({
            "server": server.name,
            "tool": found.map(described),
            "declaration": found.map(declarations::method),
        }))
    }

    fn forget(&self, server: &Server) {
        let key = self.passed.key(server);
        self.catalogs.borrow_mut().forget(self.tenant, &key);
    }

    /// Returns the connections for a server. A session that was opened with a header of the caller
    /// is only for that request.
    fn connections_to(&self, server: &Server) -> &Connections {
        if self.passed.has(server) {
            &self.passed.connections
        } else {
            self.connections
        }
    }

    /// Ends the sessions of older servers.
    pub fn close(&self) {
        self.end_sessions(self.connections);
    }

    /// Ends the sessions that were opened with headers of the caller.
    pub fn close_passed(&self) {
        self.end_sessions(&self.passed.connections);
    }

    fn end_sessions(&self, connections: &Connections) {
        for (name, connection) in connections.open.take() {
            if let Some(server) = self.servers.iter().find(|server| server.name == name) {
                self.client(server, &connection, server.timeout_ms)
                    .end_session();
            }
        }
    }

    fn client<'c>(
        &'c self,
        server: &'c Server,
        connection: &'c Connection,
        timeout_ms: u32,
    ) -> Client<'c, H, C> {
        Client::new(
            self.http,
            self.clock,
            self.passed.endpoint(server),
            connection,
            timeout_ms,
        )
    }
}

/// The arguments of a call, and its remaining time.
struct Arguments<'a> {
    raw: &'a RawValue,
    headers: &'a [(String, String)],
    time_ms: u32,
}

pub(super) fn tool_of<'c>(catalog: &'c Catalog, call: &ToolCall) -> Result<&'c Tool> {
    catalog
        .tool(&call.tool)
        .ok_or_else(|| not_found(catalog, &call.server, &call.tool))
}

/// Returns the error for a tool that a list lacks, with the nearest names.
pub(super) fn not_found(catalog: &Catalog, server: &str, tool: &str) -> Error {
    let names = || catalog.tools.iter().map(|tool| tool.name.as_str());
    ToolError::ToolNotFound {
        server: server.to_owned(),
        tool: short(tool),
        suggestions: nearest(tool, names()),
        available: names().take(MAX_AVAILABLE_TOOLS).map(short).collect(),
    }
    .into()
}

/// Checks arguments against the schema of their tool, and returns the headers that repeat them.
pub(super) fn check_arguments(catalog: &Catalog, call: &ToolCall) -> Result<Vec<(String, String)>> {
    let tool = tool_of(catalog, call)?;
    let refused = |issues: Vec<Issue>| ToolError::InvalidArguments {
        message: arguments::summary(&issues),
        schema: shown_schema(&tool.input_schema, &issues),
        issues,
    };
    let given = arguments::read(call.arguments.get()).map_err(refused)?;
    arguments::check(&tool.input_schema, &given).map_err(refused)?;
    let headers = parameter_headers::headers(&tool.input_schema, &given).map_err(|message| {
        refused(vec![Issue {
            path: String::new(),
            message,
            suggestions: Vec::new(),
        }])
    })?;
    Ok(headers)
}

/// Describes a parameter that the schema allows but does not know, if it is similar to a parameter
/// that is not given: the server probably ignores it, and the caller should know.
pub(super) fn doubt_of(tool: &Tool, raw: &RawValue) -> Option<String> {
    let given: serde_json::Map<String, Value> = serde_json::from_str(raw.get()).ok()?;
    let known = tool.input_schema.get("properties")?.as_object()?;
    let absent = || {
        known
            .keys()
            .map(String::as_str)
            .filter(|name| !given.contains_key(*name))
    };
    given
        .keys()
        .filter(|name| !known.contains_key(*name))
        .take(MAX_SUGGESTIONS)
        .find_map(|name| {
            let near = nearest(name, absent()).into_iter().next()?;
            Some(format!(
                "the tool has no parameter `{}`: did you mean `{near}`?",
                short(name)
            ))
        })
}

/// Cuts an invented name for an error.
fn short(name: &str) -> String {
    base::text::first(name, base::limits::MAX_NAME_CHARACTERS)
}

//! Finds servers and tools, checks what is asked of them, and calls them. Everything up to the answer as it came; [`super::outcome`] makes
//! something of that.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures::future::join_all;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::arguments::Issue;
use super::catalog::{Catalog, Catalogs};
use super::outcome::{Fetched, GraphqlArguments, upstream};
use super::request::{SearchRequest, ToolCall};
use super::server::Kind;
use super::shown::{described, shown_schema, summary_of};
use super::{Server, Tool, ToolError, arguments, declarations, own, parameter_headers, search};
use crate::error::{Error, Result};
use crate::graphql::{self, Schema};
use crate::limits::{
    FAILED_LIST_TTL_MS, INTROSPECTION_TIMEOUT_MS, MAX_AVAILABLE_TOOLS, TOOL_LIST_REFRESH_MS,
};
use crate::mcp::call::CallResult;
use crate::mcp::client::{Client, Connection};
use crate::mcp::transport::{Clock, Http};
use crate::mcp::{Failure, HEADER_MISMATCH, Message, Progress};
use crate::schema::nearest;

/// The connections of one object, or of one request, by server.
#[derive(Debug, Default)]
pub struct Connections {
    of_an_object: bool,
    open: RefCell<HashMap<String, Rc<Connection>>>,
    /// Whose list is being asked for.
    listing: RefCell<HashMap<String, Rc<Connection>>>,
}

impl Connections {
    /// Those of one object, whose calls wait for each other while a server is new.
    pub fn of_an_object() -> Self {
        Self {
            of_an_object: true,
            ..Self::default()
        }
    }

    fn of(&self, server: &str) -> Rc<Connection> {
        self.entry(&self.open, server)
    }

    /// Its turn is the right to ask for the server's tools or schema; the handshake within that has a turn of its own.
    fn listing(&self, server: &str) -> Rc<Connection> {
        self.entry(&self.listing, server)
    }

    fn entry(
        &self,
        entries: &RefCell<HashMap<String, Rc<Connection>>>,
        server: &str,
    ) -> Rc<Connection> {
        let make = || {
            Rc::new(if self.of_an_object {
                Connection::of_an_object()
            } else {
                Connection::default()
            })
        };
        let mut entries = entries.borrow_mut();
        Rc::clone(entries.entry(server.to_owned()).or_insert_with(make))
    }
}

/// The way to the servers that a tenant may use.
pub struct Gateway<'a, H, C> {
    /// Sends requests.
    pub http: &'a H,
    /// Keeps time.
    pub clock: &'a C,
    /// The configured servers.
    pub servers: &'a [Server],
    /// Who asks.
    pub tenant: &'a str,
    /// What is connected.
    pub connections: &'a Connections,
    /// What is remembered.
    pub catalogs: &'a RefCell<Catalogs>,
    /// Takes what an operator should know.
    pub warn: fn(&str),
}

impl<H: Http, C: Clock> Gateway<'_, H, C> {
    /// The servers that the tenant may use.
    pub fn visible(&self) -> impl Iterator<Item = &Server> {
        self.servers
            .iter()
            .filter(|server| server.serves(self.tenant))
    }

    /// The server of a name.
    ///
    /// # Errors
    /// [`ToolError::ServerNotFound`] with the nearest names among those that the tenant may use.
    pub fn server(&self, name: &str) -> Result<&Server> {
        self.visible()
            .find(|server| server.name == name)
            .ok_or_else(|| {
                let available = || self.visible().map(|server| server.name.as_str());
                ToolError::ServerNotFound {
                    server: short(name),
                    suggestions: nearest(name, available().chain(own::SERVERS.iter().copied())),
                    available: available().map(str::to_owned).collect(),
                }
                .into()
            })
    }

    /// The tools of a server, remembered or listed now.
    ///
    /// # Errors
    /// [`ToolError::UpstreamFailed`], [`ToolError::UpstreamTimeout`].
    pub async fn catalog(&self, server: &Server) -> Result<Rc<Catalog>> {
        if let Some(catalog) = self.remembered(server) {
            return Ok(catalog);
        }
        let began_ms = self.clock.now_ms();
        let listing = self.connections.listing(&server.name);
        let _turn = listing.turn().await;
        if let Some(catalog) = self.remembered(server) {
            return Ok(catalog);
        }
        // Whoever waited for somebody else's list shares its failure: one after the other they would wait for as many timeouts.
        match self.failure_since(server, began_ms) {
            Some(failure) => Err(failure),
            None => self.list(server).await,
        }
    }

    /// A list that is younger than that: somebody else's, or one of our own.
    async fn list_after(&self, server: &Server, listed_ms: u64) -> Result<Rc<Catalog>> {
        let listing = self.connections.listing(&server.name);
        let _turn = listing.turn().await;
        match self.remembered(server) {
            Some(catalog) if catalog.listed_ms > listed_ms => Ok(catalog),
            _ => self.list(server).await,
        }
    }

    fn failure_since(&self, server: &Server, since_ms: u64) -> Option<Error> {
        let catalogs = self.catalogs.borrow();
        catalogs.failure(self.tenant, &server.name, since_ms)
    }

    fn remembered(&self, server: &Server) -> Option<Rc<Catalog>> {
        let now_ms = self.clock.now_ms();
        let catalogs = self.catalogs.borrow();
        catalogs.get(self.tenant, &server.name, now_ms)
    }

    async fn list(&self, server: &Server) -> Result<Rc<Catalog>> {
        let connection = self.connections.of(&server.name);
        let client = self.client(server, &connection, server.timeout_ms);
        let listing = match client.list_tools().await {
            Ok(listing) => listing,
            Err(failure) => {
                let error = Error::from(upstream(&server.name, failure, server.timeout_ms));
                self.catalogs.borrow_mut().put_failure(
                    self.tenant,
                    &server.name,
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
            .put(self.tenant, &server.name, Rc::clone(&catalog));
        Ok(catalog)
    }

    /// The catalog with a tool in it.
    ///
    /// # Errors
    /// [`ToolError::ToolNotFound`] with the nearest names, or as [`Gateway::catalog`].
    pub async fn catalog_with(&self, server: &Server, tool: &str) -> Result<Rc<Catalog>> {
        let catalog = self.catalog(server).await?;
        if catalog.tool(tool).is_some() {
            return Ok(catalog);
        }
        // It may have been added since.
        let age_ms = self.clock.now_ms().saturating_sub(catalog.listed_ms);
        let catalog = if age_ms > TOOL_LIST_REFRESH_MS {
            self.list_after(server, catalog.listed_ms).await?
        } else {
            catalog
        };
        if catalog.tool(tool).is_some() {
            return Ok(catalog);
        }
        let names = || catalog.tools.iter().map(|tool| tool.name.as_str());
        Err(ToolError::ToolNotFound {
            server: server.name.clone(),
            tool: short(tool),
            suggestions: nearest(tool, names()),
            available: names().take(MAX_AVAILABLE_TOOLS).map(short).collect(),
        }
        .into())
    }

    /// Checks a call and makes it.
    ///
    /// # Errors
    /// [`ToolError`].
    pub async fn call(
        &self,
        call: ToolCall,
        progress: &mut impl FnMut(Progress),
    ) -> Result<Fetched> {
        let server = self.server(&call.server)?;
        let mut catalog = self.catalog_with(server, &call.tool).await?;
        let mut listed_anew = false;
        loop {
            let tool = catalog
                .tool(&call.tool)
                .ok_or_else(|| Error::internal("a tool was found and is gone"))?;
            let headers = check_arguments(&catalog, tool, &call.arguments)?;
            self.check_query(server, &catalog, tool, &call.arguments)
                .await?;
            let outcome = self
                .call_once(server, &catalog, tool, &call.arguments, &headers, progress)
                .await;
            match outcome {
                Ok(message) => {
                    let doubt = doubt_of(tool, &call.arguments);
                    return Ok(Fetched {
                        server: server.clone(),
                        catalog,
                        call,
                        message,
                        doubt,
                    });
                }
                // The server wants other headers than its list asked for when we read it.
                Err(Failure::Refused {
                    code: HEADER_MISMATCH,
                    ..
                }) if !listed_anew => {
                    listed_anew = true;
                    self.catalogs.borrow_mut().forget(self.tenant, &server.name);
                    catalog = self.catalog_with(server, &call.tool).await?;
                }
                Err(failure) => {
                    return Err(upstream(&server.name, failure, server.timeout_ms).into());
                }
            }
        }
    }

    async fn call_once(
        &self,
        server: &Server,
        catalog: &Catalog,
        tool: &Tool,
        raw: &RawValue,
        headers: &[(String, String)],
        progress: &mut impl FnMut(Progress),
    ) -> std::result::Result<Message, Failure> {
        let connection = self.connections.of(&server.name);
        connection.assume(catalog.era);
        let before = connection.era();
        let outcome = self
            .client(server, &connection, server.timeout_ms)
            .call_tool(tool, raw, headers, progress)
            .await;
        if connection.era() != before {
            // It has been replaced by a server of another era: what is remembered of its tools is of the old one.
            self.catalogs.borrow_mut().forget(self.tenant, &server.name);
        }
        outcome
    }

    /// Holds a GraphQL document against the schema of its server, where there is one.
    async fn check_query(
        &self,
        server: &Server,
        catalog: &Catalog,
        tool: &Tool,
        raw: &RawValue,
    ) -> Result<()> {
        if server.kind != Kind::Graphql {
            return Ok(());
        }
        let given = GraphqlArguments::read(raw.get());
        let (Some(name), Some(query)) = (given.name, given.query) else {
            return Ok(());
        };
        let Some(schema) = self.graphql_schema(server, catalog, tool, &name).await else {
            return Ok(());
        };
        let issues = graphql::check_query(
            &query,
            given.variables.as_ref(),
            given.operation.as_deref(),
            &schema,
        );
        // Errors come first; what is merely unused is no reason to refuse.
        let Some(first) = issues
            .first()
            .filter(|issue| issue.severity == graphql::Severity::Error)
        else {
            return Ok(());
        };
        Err(ToolError::GraphqlInvalidQuery {
            message: first.message.clone(),
            hint: first.hint.clone(),
            issues: issues.iter().map(graphql::Issue::to_json).collect(),
        }
        .into())
    }

    /// The schema of a GraphQL server, asked for once in the life of its catalog.
    async fn graphql_schema(
        &self,
        server: &Server,
        catalog: &Catalog,
        tool: &Tool,
        argument: &str,
    ) -> Option<Rc<Schema>> {
        if let Some(known) = catalog.schema() {
            return known;
        }
        let listing = self.connections.listing(&server.name);
        let _turn = listing.turn().await;
        if let Some(known) = catalog.schema() {
            return known;
        }
        let schema = self.introspect(server, catalog, tool, argument).await;
        if let Err(problem) = &schema {
            (self.warn)(&format!(
                "{}: its GraphQL schema is not to be had, so queries go to it unchecked: {problem}",
                server.name
            ));
        }
        let schema = schema.ok().map(Rc::new);
        catalog.set_schema(schema.clone());
        schema
    }

    async fn introspect(
        &self,
        server: &Server,
        catalog: &Catalog,
        tool: &Tool,
        argument: &str,
    ) -> Result<Schema> {
        let question = json!({ argument: graphql::INTROSPECTION_QUERY }).to_string();
        let question =
            RawValue::from_string(question).map_err(|error| Error::internal(error.to_string()))?;
        let connection = self.connections.of(&server.name);
        connection.assume(catalog.era);
        let time_ms = server.timeout_ms.min(INTROSPECTION_TIMEOUT_MS);
        let readable = Tool {
            read_only: true,
            ..tool.clone()
        };
        let failed = |failure| upstream(&server.name, failure, time_ms);
        let message = self
            .client(server, &connection, time_ms)
            .call_tool(&readable, &question, &[], &mut |_| {})
            .await
            .map_err(failed)?;
        let result = CallResult::read(&message).map_err(failed)?;
        if result.is_error == Some(true) {
            return Err(Error::invalid("the tool refuses the question"));
        }
        Schema::from_introspection(&super::content::data_of(&result, Some(tool)))
    }

    /// The catalogs of all servers that the tenant may use, or why there is none. One that has just failed is not asked again: who wants
    /// an overview should not wait for it each time.
    pub async fn all(&self) -> Vec<(String, Result<Rc<Catalog>>)> {
        let since_ms = self.clock.now_ms().saturating_sub(FAILED_LIST_TTL_MS);
        join_all(self.visible().map(|server| async move {
            let catalog = match self.failure_since(server, since_ms) {
                Some(failure) => Err(failure),
                None => self.catalog(server).await,
            };
            (server.name.clone(), catalog)
        }))
        .await
    }

    /// One page of a search, as the fields of an answer.
    ///
    /// # Errors
    /// [`ToolError::ServerNotFound`]. A server that cannot be listed is named in the answer.
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
        let total = hits.len();
        let page: Vec<Value> = hits
            .iter()
            .skip(request.offset)
            .take(request.limit)
            .map(|hit| summary_of(hit.server, hit.tool))
            .collect();
        let next = request.offset.saturating_add(page.len());
        let unavailable: Vec<Value> = catalogs
            .iter()
            .filter_map(|(server, catalog)| {
                let error = catalog.as_ref().err()?;
                Some(json!({ "server": server, "error": error.to_json() }))
            })
            .collect();
        Ok(json!({
            "tools": page, "total": total,
            "nextOffset": if next < total { Some(next) } else { None },
            "unavailable": unavailable,
        }))
    }

    /// All tools of a server with their schemas, as the fields of an answer.
    ///
    /// # Errors
    /// As [`Gateway::catalog`].
    pub async fn tools_of(&self, name: &str) -> Result<Value> {
        let server = self.server(name)?;
        let catalog = self.catalog(server).await?;
        let tools: Vec<Value> = catalog.tools.iter().map(described).collect();
        Ok(json!({ "server": server.name, "tools": tools }))
    }

    /// One tool with its schemas and its declaration, as the fields of an answer.
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

    /// Ends the sessions of older servers.
    pub fn close(&self) {
        for (name, connection) in self.connections.open.take() {
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
            &server.endpoint,
            connection,
            timeout_ms,
        )
    }
}

/// Holds arguments against the schema of their tool, and gives the headers that are made of them.
fn check_arguments(
    catalog: &Catalog,
    tool: &Tool,
    raw: &RawValue,
) -> Result<Vec<(String, String)>> {
    let given: Value = serde_json::from_str(raw.get())
        .map_err(|error| Error::invalid(format!("the arguments cannot be read: {error}")))?;
    let refused = |issues: Vec<Issue>| ToolError::InvalidArguments {
        message: arguments::summary(&issues),
        schema: shown_schema(&tool.input_schema, &issues),
        issues,
    };
    catalog.checker(tool).check(&given).map_err(refused)?;
    let headers = parameter_headers::headers(&tool.input_schema, &given).map_err(|message| {
        refused(vec![Issue {
            path: String::new(),
            message,
            suggestions: Vec::new(),
        }])
    })?;
    Ok(headers)
}

/// A parameter that the schema lets pass and does not know, near to one that is not given: the server ignores it, and its caller should
/// know.
fn doubt_of(tool: &Tool, raw: &RawValue) -> Option<String> {
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
        .find_map(|name| {
            let near = nearest(name, absent()).into_iter().next()?;
            Some(format!(
                "`{}` is none of the tool's parameters: did you mean `{near}`?",
                short(name)
            ))
        })
}

/// A name that somebody made up, for an error.
fn short(name: &str) -> String {
    name.chars()
        .take(crate::limits::MAX_NAME_CHARACTERS)
        .collect()
}

//! The table of routes: the method and path of each, the object that serves it, the place where the
//! request names that object, the largest body, the longest wait, and the callers that it admits.
//!
//! [`routes`] lists all of them, one file for each kind of object. Routing, preflight responses,
//! 405 with the allowed methods and `GET /api/openapi.json` are derived from them, and a test
//! compares them with `docs/http-api.md`.

mod agent;
mod code;
mod front;
mod graph;
mod index;
mod mcp;
mod page;
mod session;

pub use agent::AgentTask;
pub use code::CodeTask;
pub use front::Front;
pub use graph::GraphTask;
pub use index::IndexTask;
#[cfg(feature = "fault-injection")]
pub use mcp::CONFORMANCE as MCP_CONFORMANCE;
pub use mcp::endpoint;
pub use page::Page;
pub use session::{EXECUTE, OPERATE, SessionTask};

use crate::api::RequestError;
use crate::config::Config;
use crate::limits::{EXECUTE_WAIT_MS, LOAD_TIMEOUT_MS};
use base::known::{self, Given};
use base::names::{check_name, decode_segment};
use base::{Error, Result};
use tools::limits::INTROSPECTION_TIMEOUT_MS;

/// The part of the Worker that serves a route.
#[derive(Debug, Clone, Copy)]
pub enum ServedBy {
    /// The front Worker.
    Front(Front),
    /// The object of a session.
    Session {
        /// The work that the session does.
        task: SessionTask,
        /// The part of the request that names the session.
        named: NamedBy,
        /// The work of the front Worker if the request names no session.
        otherwise: Option<Front>,
    },
    /// The object of a knowledge graph, which the path names.
    Graph(GraphTask),
    /// The object of a chat thread, which the path names.
    Agent(AgentTask),
    /// The object of a code workspace, which the path names.
    Code(CodeTask),
    /// The index of the tenant's objects.
    Index(IndexTask),
    /// The MCP server: the front Worker, or the object of a client's session.
    Mcp,
    /// The console: the front Worker, from the static assets.
    Page(Page),
}

/// The part of a request that names its object.
#[derive(Debug, Clone, Copy)]
pub enum NamedBy {
    /// In the path.
    Path,
    /// In this parameter of the query string.
    Query(&'static str),
    /// In the body, which this function reads.
    Body(fn(&str) -> Result<Option<String>>),
}

/// The longest wait of the front Worker for the head of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// `QUERY_TIMEOUT_MS`.
    Query,
    /// The wait for a load or a copy, which responds only after its last row.
    Load,
    /// The wait for a program. Its own clock ends it first, with a better error.
    Program,
    /// The wait for a route that may have to list the tools of a server before it calls one or
    /// writes the guidance.
    Tools,
}

impl Wait {
    /// Returns the time in force, in milliseconds.
    pub fn ms(self, config: &Config) -> u32 {
        let query_ms = config.query_timeout_ms;
        match self {
            Self::Query => query_ms,
            Self::Load => LOAD_TIMEOUT_MS.max(query_ms),
            Self::Program => EXECUTE_WAIT_MS.max(query_ms),
            Self::Tools => {
                let slowest_ms = config.servers.iter().map(|server| server.timeout_ms).max();
                slowest_ms.map_or(query_ms, |slowest_ms| {
                    query_ms + INTROSPECTION_TIMEOUT_MS + 2 * slowest_ms
                })
            }
        }
    }
}

impl Wait {
    /// Returns true if the route may call other servers.
    pub fn reaches_servers(self) -> bool {
        matches!(self, Self::Program | Self::Tools)
    }
}

/// The callers that a route admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody.
    Public,
    /// A tenant.
    Tenant,
}

/// The largest body of a route, by the environment variable that sets it, and whether the body may
/// be compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyLimit {
    /// No body is read.
    None,
    /// `MAX_REQUEST_BYTES`.
    Request,
    /// The larger of `MAX_REQUEST_BYTES` and `MAX_BATCH_BYTES`, because a batch is one operation
    /// among others.
    Batch,
    /// `MAX_LOAD_BYTES`; the body may be compressed with gzip.
    Load,
}

impl BodyLimit {
    /// Returns the limit in force, in bytes.
    pub fn limit_bytes(self, config: &Config) -> u64 {
        let bytes = match self {
            Self::None => 0,
            Self::Request => config.max_request_bytes,
            Self::Batch => config.max_request_bytes.max(config.max_batch_bytes),
            Self::Load => return config.session.max_load_bytes,
        };
        bytes as u64
    }
}

/// One route.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name in the log and in the parts of the OpenAPI document.
    pub name: &'static str,
    /// HTTP method.
    pub method: &'static str,
    /// Path with its parameters in braces.
    pub path: &'static str,
    /// The part of the Worker that serves it, and the work it does.
    pub place: ServedBy,
    /// One line for the OpenAPI document.
    pub summary: &'static str,
    /// The largest body that it takes.
    pub body: BodyLimit,
    /// The callers that it admits.
    pub access: Access,
    /// The longest wait for the beginning of its response.
    pub wait: Wait,
    /// The parameters that its query string may have.
    pub parameters: &'static [&'static str],
}

impl Entry {
    /// Returns true if a request may reach other servers, so that the headers it passes through to
    /// them are read.
    pub fn reaches_servers(&self) -> bool {
        self.wait.reaches_servers() || matches!(self.place, ServedBy::Mcp)
    }
}

/// The routes, one list for each part of the Worker that serves them.
const LISTS: &[&[Entry]] = &[
    front::ROUTES,
    session::ROUTES,
    // Must precede the routes of graphs, threads and workspaces, whose names may be any text.
    index::ROUTES,
    graph::ROUTES,
    agent::ROUTES,
    code::ROUTES,
    mcp::ROUTES,
    page::ROUTES,
    #[cfg(feature = "fault-injection")]
    mcp::CONFORMANCE_ROUTES,
];

/// Returns every route.
pub fn routes() -> impl Iterator<Item = &'static Entry> {
    LISTS.iter().copied().flatten()
}

/// The method that asks for status and headers alone.
pub const HEAD: &str = "HEAD";

/// A request that found its route, with checked names.
#[derive(Debug)]
pub struct Route {
    /// The row of the table.
    pub entry: &'static Entry,
    /// The session, if the path names one.
    pub session: Option<String>,
    /// The conversation whose graph it is, if the path names one.
    pub conversation: Option<String>,
    /// The chat thread, if the path names one.
    pub thread: Option<String>,
    /// The code workspace, if the path names one.
    pub workspace: Option<String>,
    /// The node, edge or version of a graph, the checkpoint of a thread, or the path of a file, if
    /// the path names one.
    pub item: Option<String>,
    /// The table, if the path names one. It may be any text, so its user quotes it.
    pub table: Option<String>,
    /// The profile, a part of the product that an MCP client wants, if the path names one.
    pub profile: Option<String>,
}

/// Finds the route of a request. `path` is the URL's, still percent-encoded. HEAD takes the routes
/// of GET; the handler then leaves the body out.
///
/// # Errors
/// [`RequestError::NotFound`], [`RequestError::MethodNotAllowed`], or
/// [`base::CommonError::InvalidArgument`] for a name in the path.
pub fn route(method: &str, path: &str) -> Result<Route> {
    let mut allowed = Vec::new();
    let wanted = if method == HEAD { "GET" } else { method };
    for entry in routes() {
        let Some(captured) = captures(entry.path, mcp::canonical(path)) else {
            continue;
        };
        if entry.method == wanted {
            return with_names(entry, &captured);
        }
        allowed.push(entry.method);
    }
    // The response to HEAD has the headers of the one to GET, including the length of the error
    // message.
    let (method, path) = (wanted.to_owned(), path.to_owned());
    Err(if allowed.is_empty() {
        Error::from(RequestError::NotFound { method, path })
    } else {
        Error::from(RequestError::MethodNotAllowed {
            method,
            path,
            allowed,
        })
    })
}

/// Returns the methods that a path takes, for a preflight response; empty if there is no such path.
pub fn methods(path: &str) -> Vec<&'static str> {
    routes()
        .filter(|entry| captures(entry.path, mcp::canonical(path)).is_some())
        .map(|entry| entry.method)
        .collect()
}

/// The end of a pattern whose last parameter is the rest of the path.
const FILE_PATH: &str = "/{path}";

/// Returns the parameters of `path` by name, or `None` if it does not fit the pattern.
fn captures<'a>(pattern: &'static str, path: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
    let mut captured = Vec::new();
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    // The path of a file contains slashes of its own.
    if let Some(before) = pattern.strip_suffix(FILE_PATH) {
        let (mut parts, mut at) = (before.split('/').count(), 0);
        for (index, _) in path.match_indices('/') {
            parts -= 1;
            if parts == 0 {
                at = index;
                break;
            }
        }
        let (head, rest) = path.split_at_checked(at)?;
        let rest = rest.strip_prefix('/').filter(|rest| !rest.is_empty())?;
        let mut captured = captures(before, head)?;
        captured.push(("path", rest));
        return Some(captured);
    }
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(captured),
            (Some(wanted), Some(given)) => match wanted
                .strip_prefix('{')
                .and_then(|name| name.strip_suffix('}'))
            {
                Some(name) if !given.is_empty() => captured.push((name, given)),
                None if wanted == given => {}
                _ => return None,
            },
            _ => return None,
        }
    }
}

fn with_names(entry: &'static Entry, captured: &[(&'static str, &str)]) -> Result<Route> {
    let mut route = Route {
        entry,
        session: None,
        conversation: None,
        thread: None,
        workspace: None,
        item: None,
        table: None,
        profile: None,
    };
    for (name, segment) in captured {
        let decoded = decode_segment(name, segment)?;
        match *name {
            "session" => {
                check_name("session", &decoded)?;
                route.session = Some(decoded);
            }
            "conversationId" => {
                check_name("conversationId", &decoded)?;
                route.conversation = Some(decoded);
            }
            "threadId" => {
                check_name("threadId", &decoded)?;
                route.thread = Some(decoded);
            }
            "workspace" => {
                check_name("workspace", &decoded)?;
                route.workspace = Some(decoded);
            }
            "id" | "version" | "checkpoint" | "path" => route.item = Some(decoded),
            "profile" => route.profile = Some(decoded),
            "table" => route.table = Some(decoded),
            // The handler reads the path itself.
            _ => {}
        }
    }
    Ok(route)
}

/// Returns one parameter of a query string, decoded; the first one if it occurs twice.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a broken escape.
pub fn query_parameter(query: &str, name: &str) -> Result<Option<String>> {
    for pair in query.trim_start_matches('?').split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if decode_segment("the query string", &key.replace('+', " "))? == name {
            return decode_segment(name, &value.replace('+', " ")).map(Some);
        }
    }
    Ok(None)
}

/// Refuses a parameter that a route does not have. Without this, a caller who misspells `query`
/// would take the whole list for the matches. A parameter that occurs twice is refused too, because
/// nobody could tell which one counts.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] with the nearest name.
pub fn check_query_parameters(query: &str, parameters: &[&str]) -> Result<()> {
    let pairs = query.trim_start_matches('?').split('&');
    let mut seen: Vec<String> = Vec::new();
    for pair in pairs.filter(|pair| !pair.is_empty()) {
        let key = pair.split_once('=').map_or(pair, |(key, _)| key);
        let key = decode_segment("the query string", &key.replace('+', " "))?;
        known::check(Given::Parameter, [key.as_str()], parameters)?;
        if seen.contains(&key) {
            return Err(Error::invalid(format!(
                "the parameter {key} is given twice"
            )));
        }
        seen.push(key);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(method: &str, path: &str) -> &'static str {
        route(method, path).unwrap().entry.name
    }

    fn refused(method: &str, path: &str, code: &str) -> Error {
        let error = route(method, path).unwrap_err();
        assert_eq!(error.code(), code, "{method} {path}");
        error
    }

    #[test]
    fn every_route_finds_itself() {
        for entry in routes() {
            let path = entry.path.replace(['{', '}'], "");
            assert_eq!(name(entry.method, &path), entry.name);
        }
    }

    /// Programs read the log, so a name of a route never changes.
    #[test]
    fn the_log_names_each_route() {
        let mut names: Vec<&str> = routes().map(|entry| entry.name).collect();
        names.sort_unstable();
        let wanted = "addedge addedges addnode addnodes agentaudit agentcheckpoint agentevents agentfork agenthistory \
            agentpage agentstate analysis ask asset bridges centrality codeoperate codepage coderesource \
            communities deletefile deletegraph deletenodesbytype deletesession deletesessions deletethread \
            deleteworkspace describeworkspace diff droptable dump endmcp endmcpcode endmcpgraph \
            endmcpprofile execute executions export exportgraph exporttosession forgetmemory getedge \
            getgraph getnode graphevents graphoperate graphpage graphqlcheck graphresource graphstate \
            graphversion health helpers history home hostcall importfromquery importgraph initgraph layout \
            listgraphs listsessions listthreads listworkspaces load mcp mcpcode mcpcodestream mcpgraph \
            mcpgraphstream mcpprofile mcpprofilestream mcpresource mcpstream mergenodes metrics mockdata neighbors \
            openapi operate path persist pinmemory profileresource prompt proxy putfile putfiles querygraph \
            redo removeedge removemultiple removenode resource restore resume searchmemory searchnodes \
            servertools stream tools undo unpersist updateedge updateedges updatenode updatenodes";
        assert_eq!(names.join(" "), wanted);
    }

    #[test]
    fn names_are_taken_from_the_path_and_decoded() {
        let route = route(
            "PUT",
            "/api/codemode/sessions/my%3Asession/tables/two%20words/rows",
        )
        .unwrap();
        assert_eq!(
            (route.session.as_deref(), route.table.as_deref()),
            (Some("my:session"), Some("two words"))
        );
    }

    #[test]
    fn an_unknown_path_is_not_found() {
        for path in [
            "",
            "/index.html",
            "/graph",
            "/graph/",
            "/assets/",
            "/healthy",
            "/health/",
            "/api/codemode/sessions/",
            "/api/codemode/sessions/s/",
            "/api/codemode/sessions/s/tables//rows",
        ] {
            refused("GET", path, "NOT_FOUND");
        }
    }

    #[test]
    fn a_wrong_method_names_the_right_ones() {
        let error = refused("PATCH", "/api/codemode/sessions/s", "METHOD_NOT_ALLOWED");
        assert_eq!(
            error.details()["allowed"],
            serde_json::json!(["POST", "GET", "DELETE"])
        );
        refused("POST", "/health", "METHOD_NOT_ALLOWED");
    }

    #[test]
    fn a_bad_session_name_is_an_invalid_argument() {
        for session in ["a%20b", "a%2Fb", "%FF", "%zz", &"n".repeat(129)] {
            refused(
                "GET",
                &format!("/api/codemode/sessions/{session}"),
                "INVALID_ARGUMENT",
            );
        }
    }

    #[test]
    fn query_parameters_are_decoded() {
        assert_eq!(
            query_parameter("?format=csv&x", "format")
                .unwrap()
                .as_deref(),
            Some("csv")
        );
        assert_eq!(
            query_parameter("a=1+2%263", "a").unwrap().as_deref(),
            Some("1 2&3")
        );
        assert_eq!(query_parameter("x", "x").unwrap().as_deref(), Some(""));
        assert_eq!(query_parameter("", "format").unwrap(), None);
        assert!(query_parameter("format=%", "format").is_err());
    }

    #[test]
    fn a_parameter_that_a_route_does_not_have_is_refused() {
        let known = ["query", "limit"];
        for query in ["", "?", "?query=a&limit=1", "?query", "?&query=a"] {
            assert!(check_query_parameters(query, &known).is_ok(), "{query}");
        }
        let error = check_query_parameters("?qurey=a", &known).unwrap_err();
        assert_eq!(error.hint().as_deref(), Some("did you mean `query`?"));
        let error = check_query_parameters("?limit=1&zzz", &known).unwrap_err();
        assert_eq!(
            error.hint().as_deref(),
            Some("the parameters are query, limit")
        );
    }

    #[test]
    fn preflights_learn_the_methods_of_a_path() {
        assert_eq!(
            methods("/api/codemode/sessions/s/tables/t/rows"),
            ["PUT", "GET"]
        );
        assert!(methods("/nowhere").is_empty());
    }
}

//! The routes, as data: method, path, what they are, how large a body they take, and who may call them.
//!
//! [`ROUTES`] is the only list. Routing, preflight answers, 405 with the allowed methods and `GET /api/openapi.json` follow from it, and a
//! test compares it with `docs/http-api.md`.

use crate::api::RequestError;
use crate::config::Config;
use base::known::{self, Given};
use base::names::{check_name, decode_segment};
use base::{Error, Result};

/// What a route does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// The version, for monitors.
    Health,
    /// The description of every route.
    OpenApi,
    /// One operation by name, in JSON.
    Operate,
    /// `getMetrics`, for people.
    Metrics,
    /// Deletes the session.
    DeleteSession,
    /// A query whose rows are streamed.
    Stream,
    /// A streamed load into a table.
    Load,
    /// A streamed export of a table.
    Export,
    /// The whole session as SQL text.
    Dump,
    /// A copy of a table to the tenant's D1 database.
    Persist,
    /// Drops a table.
    DropTable,
    /// Drops a table of the tenant's D1 database.
    Unpersist,
    /// Runs a program. The body names the session.
    Execute,
    /// The programs that ran in a session.
    Executions,
    /// Guidance for a model. The query string may name a session.
    Prompt,
    /// The prelude of programs, for sandboxes of others.
    Helpers,
    /// A call of a tool. The body may name a session.
    Proxy,
    /// The tools of one server.
    ServerTools,
    /// A search among the tools of all servers.
    Tools,
    /// What a GraphQL response or query comes to.
    GraphqlCheck,
}

impl Endpoint {
    /// The parameters that its query string may have.
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Load => &["create", "onConflict", "delimiter", "stage"],
            Self::Operate | Self::Stream | Self::Export => &["format"],
            Self::DropTable => &["ifExists", "target"],
            Self::Unpersist => &["ifExists"],
            Self::Executions => &["limit"],
            Self::Prompt => &["session", "tool", "form"],
            Self::ServerTools => &["server"],
            Self::Tools => &["query", "server", "limit", "offset"],
            Self::Health
            | Self::OpenApi
            | Self::Metrics
            | Self::DeleteSession
            | Self::Dump
            | Self::Persist
            | Self::Execute
            | Self::Helpers
            | Self::Proxy
            | Self::GraphqlCheck => &[],
        }
    }

    /// As the log names it.
    pub fn operation(self) -> String {
        format!("{self:?}").to_ascii_lowercase()
    }
}

/// Who may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody.
    Public,
    /// A tenant.
    Tenant,
}

/// How large a body may be, by the environment variable that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// None is read.
    None,
    /// `MAX_REQUEST_BYTES`.
    Request,
    /// The larger of `MAX_REQUEST_BYTES` and `MAX_BATCH_BYTES`: a batch is one operation among others.
    Batch,
    /// `MAX_LOAD_BYTES`.
    Load,
}

impl Body {
    /// The limit in force, in bytes.
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
#[derive(Debug)]
pub struct Entry {
    /// HTTP method.
    pub method: &'static str,
    /// Path with its parameters in braces.
    pub path: &'static str,
    /// What it does.
    pub endpoint: Endpoint,
    /// One line for the documents.
    pub summary: &'static str,
    /// How large a body it takes.
    pub body: Body,
    /// Who may call it.
    pub access: Access,
}

impl Entry {
    /// How long the front Worker waits for the head of the response. A load or copy answers only after its last row, so its bound is the longer one.
    pub fn wait_ms(&self, config: &Config) -> u32 {
        match self.endpoint {
            Endpoint::Load | Endpoint::Persist => {
                crate::limits::LOAD_TIMEOUT_MS.max(config.query_timeout_ms)
            }
            // A program has a clock of its own, which ends it in better order.
            Endpoint::Execute => crate::limits::EXECUTE_WAIT_MS.max(config.query_timeout_ms),
            // A list of tools may have to be asked for before a call, or the prompt.
            Endpoint::Proxy | Endpoint::ServerTools | Endpoint::Tools | Endpoint::Prompt => {
                let slowest_ms = config.servers.iter().map(|server| server.timeout_ms).max();
                slowest_ms.map_or(config.query_timeout_ms, |slowest_ms| {
                    config.query_timeout_ms
                        + tools::limits::INTROSPECTION_TIMEOUT_MS
                        + 2 * slowest_ms
                })
            }
            _ => config.query_timeout_ms,
        }
    }
}

/// Every route.
pub const ROUTES: &[Entry] = &[
    public("/health", Endpoint::Health, "The version; for monitors"),
    public("/api/openapi.json", Endpoint::OpenApi, "This description"),
    session(
        "POST",
        SESSION,
        Endpoint::Operate,
        Body::Batch,
        "Run one operation on the session database",
    ),
    session(
        "GET",
        SESSION,
        Endpoint::Metrics,
        Body::None,
        "Size, tables, last use and log of the session",
    ),
    session(
        "DELETE",
        SESSION,
        Endpoint::DeleteSession,
        Body::None,
        "Delete the session now",
    ),
    session(
        "POST",
        "/api/codemode/sessions/{session}/stream",
        Endpoint::Stream,
        Body::Request,
        "Run a query and stream its rows as NDJSON",
    ),
    session(
        "PUT",
        TABLE_ROWS,
        Endpoint::Load,
        Body::Load,
        "Load rows from NDJSON, CSV, TSV or a JSON array, all or nothing",
    ),
    session(
        "GET",
        TABLE_ROWS,
        Endpoint::Export,
        Body::None,
        "Stream all rows of a table",
    ),
    session(
        "GET",
        "/api/codemode/sessions/{session}/dump",
        Endpoint::Dump,
        Body::None,
        "Stream the whole session as SQL text",
    ),
    session(
        "POST",
        "/api/codemode/sessions/{session}/persist",
        Endpoint::Persist,
        Body::Request,
        "Copy a table to the tenant's D1 database",
    ),
    session(
        "DELETE",
        "/api/codemode/sessions/{session}/persist/{table}",
        Endpoint::Unpersist,
        Body::None,
        "Drop a table of the tenant's D1 database",
    ),
    session(
        "DELETE",
        "/api/codemode/sessions/{session}/tables/{table}",
        Endpoint::DropTable,
        Body::None,
        "Drop a table of the session",
    ),
    session(
        "GET",
        "/api/codemode/sessions/{session}/executions",
        Endpoint::Executions,
        Body::None,
        "The last programs that ran in the session",
    ),
    session(
        "POST",
        "/api/codemode/execute",
        Endpoint::Execute,
        Body::Request,
        "Run a program with the session database at hand",
    ),
    session(
        "GET",
        "/api/codemode/prompt",
        Endpoint::Prompt,
        Body::None,
        "Guidance for a model's system prompt, as Markdown",
    ),
    session(
        "GET",
        "/api/codemode/helpers.js",
        Endpoint::Helpers,
        Body::None,
        "The helpers of programs as a script, for a sandbox of one's own",
    ),
    session(
        "POST",
        "/api/codemode/proxy",
        Endpoint::Proxy,
        Body::Request,
        "Call a tool of a server, or an operation of the session database",
    ),
    session(
        "GET",
        "/api/codemode/proxy",
        Endpoint::ServerTools,
        Body::None,
        "The tools of one server with their schemas",
    ),
    session(
        "GET",
        "/api/codemode/tools",
        Endpoint::Tools,
        Body::None,
        "Search the tools of all servers",
    ),
    session(
        "POST",
        "/api/codemode/graphql/check",
        Endpoint::GraphqlCheck,
        Body::Request,
        "Explain the nulls of a GraphQL response, or what is wrong with a query",
    ),
];

/// The method that asks for status and headers alone.
pub const HEAD: &str = "HEAD";

const SESSION: &str = "/api/codemode/sessions/{session}";
const TABLE_ROWS: &str = "/api/codemode/sessions/{session}/tables/{table}/rows";

const fn public(path: &'static str, endpoint: Endpoint, summary: &'static str) -> Entry {
    Entry {
        method: "GET",
        path,
        endpoint,
        summary,
        body: Body::None,
        access: Access::Public,
    }
}

const fn session(
    method: &'static str,
    path: &'static str,
    endpoint: Endpoint,
    body: Body,
    summary: &'static str,
) -> Entry {
    Entry {
        method,
        path,
        endpoint,
        summary,
        body,
        access: Access::Tenant,
    }
}

/// A request that found its route, with checked names.
#[derive(Debug)]
pub struct Route {
    /// The table's line.
    pub entry: &'static Entry,
    /// The session, where the path names one.
    pub session: String,
    /// The table, where the path names one. Any text: whoever uses it quotes it.
    pub table: String,
}

/// Finds the route of a request. `path` is the URL's, still percent-encoded. HEAD takes the routes of GET: whoever answers leaves the body out.
///
/// # Errors
/// [`RequestError::NotFound`], [`RequestError::MethodNotAllowed`], or [`CommonError::InvalidArgument`] for a name in the path.
pub fn route(method: &str, path: &str) -> Result<Route> {
    let mut allowed = Vec::new();
    let wanted = if method == HEAD { "GET" } else { method };
    for entry in ROUTES {
        let Some(captured) = captures(entry.path, path) else {
            continue;
        };
        if entry.method == wanted {
            return with_names(entry, &captured);
        }
        allowed.push(entry.method);
    }
    // The response to HEAD has the headers of the one to GET, the length of its message among them.
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

/// The methods that a path takes, for a preflight answer; empty where there is no such path.
pub fn methods(path: &str) -> Vec<&'static str> {
    ROUTES
        .iter()
        .filter(|entry| captures(entry.path, path).is_some())
        .map(|entry| entry.method)
        .collect()
}

/// Parameters of `path` by name, or `None` where it does not fit the pattern.
fn captures<'a>(pattern: &'static str, path: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
    let mut captured = Vec::new();
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
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
        session: String::new(),
        table: String::new(),
    };
    for (name, segment) in captured {
        let decoded = decode_segment(name, segment)?;
        if *name == "session" {
            check_name("session", &decoded)?;
            route.session = decoded;
        } else {
            route.table = decoded;
        }
    }
    Ok(route)
}

/// One parameter of a query string, decoded; the first where it stands twice.
///
/// # Errors
/// [`CommonError::InvalidArgument`] for a broken escape.
pub fn query_parameter(query: &str, name: &str) -> Result<Option<String>> {
    for pair in query.trim_start_matches('?').split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if decode_segment("the query string", &key.replace('+', " "))? == name {
            return decode_segment(name, &value.replace('+', " ")).map(Some);
        }
    }
    Ok(None)
}

/// Refuses a parameter that a route does not have: whoever misspells `query` would take the whole list for what was found.
///
/// # Errors
/// [`CommonError::InvalidArgument`] with the nearest name.
pub fn check_query_parameters(query: &str, parameters: &[&str]) -> Result<()> {
    let pairs = query.trim_start_matches('?').split('&');
    for pair in pairs.filter(|pair| !pair.is_empty()) {
        let key = pair.split_once('=').map_or(pair, |(key, _)| key);
        let key = decode_segment("the query string", &key.replace('+', " "))?;
        known::check(Given::Parameter, [key.as_str()], parameters)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(method: &str, path: &str) -> Endpoint {
        route(method, path).unwrap().entry.endpoint
    }

    fn refused(method: &str, path: &str, code: &str) -> Error {
        let error = route(method, path).unwrap_err();
        assert_eq!(error.code(), code, "{method} {path}");
        error
    }

    #[test]
    fn every_route_finds_itself() {
        for entry in ROUTES {
            let path = entry.path.replace("{session}", "s").replace("{table}", "t");
            assert_eq!(endpoint(entry.method, &path), entry.endpoint);
        }
    }

    #[test]
    fn names_are_taken_from_the_path_and_decoded() {
        let route = route(
            "PUT",
            "/api/codemode/sessions/my%3Asession/tables/two%20words/rows",
        )
        .unwrap();
        assert_eq!(
            (route.session.as_str(), route.table.as_str()),
            ("my:session", "two words")
        );
    }

    #[test]
    fn an_unknown_path_is_not_found() {
        for path in [
            "/",
            "",
            "/healthy",
            "/health/",
            "/api/codemode/sessions",
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

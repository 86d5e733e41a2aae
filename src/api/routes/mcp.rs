//! The endpoints of the MCP server. All their responses are JSON-RPC, including refusals.

use super::{Access, BodyLimit, Entry, Route, ServedBy, Wait, query_parameter};
use base::{Error, Result};
use mcp_product::graph::Access as ObjectAccess;
use mcp_product::{Endpoint, Profile};

const WHOLE: &str = "/mcp";
const PROFILE: &str = "/mcp/{profile}";
const GRAPH: &str = "/mcp/graph/{conversationId}";
const CODE: &str = "/mcp/code/{workspace}";

/// The parameter of the query string that hides the tools that change a graph or a workspace.
const READ_ONLY: &str = "readonly";

/// The routes.
pub(super) const ROUTES: &[Entry] = &[
    entry("mcp", "POST", WHOLE, "A message of an MCP client"),
    entry(
        "mcpstream",
        "GET",
        WHOLE,
        "The server's messages to a client with a session",
    ),
    entry(
        "endmcp",
        "DELETE",
        WHOLE,
        "End the session of an MCP client",
    ),
    entry(
        "mcpprofile",
        "POST",
        PROFILE,
        "A message of an MCP client to a profile of the product",
    ),
    entry(
        "mcpprofilestream",
        "GET",
        PROFILE,
        "The server's messages to a client with a session",
    ),
    entry(
        "endmcpprofile",
        "DELETE",
        PROFILE,
        "End the session of an MCP client",
    ),
    graph(
        "mcpgraph",
        "POST",
        "A message of an MCP client to a knowledge graph",
    ),
    graph(
        "mcpgraphstream",
        "GET",
        "The server's messages to a client with a session",
    ),
    graph("endmcpgraph", "DELETE", "End the session of an MCP client"),
    code(
        "mcpcode",
        "POST",
        "A message of an MCP client to a code workspace",
    ),
    code(
        "mcpcodestream",
        "GET",
        "The server's messages to a client with a session",
    ),
    code("endmcpcode", "DELETE", "End the session of an MCP client"),
];

/// The prefix of the paths to an endpoint's metadata.
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// Returns the path of an endpoint without a slash at its end, because people write `/mcp/` when a
/// host asks for an address. Other paths are returned unchanged.
pub(super) fn canonical(path: &str) -> &str {
    let endpoint = path.strip_prefix(METADATA).unwrap_or(path);
    let is_endpoint = endpoint.starts_with("/mcp/");
    path.strip_suffix('/')
        .filter(|_| is_endpoint)
        .unwrap_or(path)
}

/// Returns the endpoint of a request.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for an unknown profile, or for a parameter with another
/// value.
pub fn endpoint(route: &Route, query: &str) -> Result<Endpoint> {
    let access = || match query_parameter(query, READ_ONLY)?.as_deref() {
        None | Some("false") => Ok(ObjectAccess::Full),
        Some("true") => Ok(ObjectAccess::ReadOnly),
        Some(_) => Err(Error::invalid(format!("{READ_ONLY} is true or false"))),
    };
    match (&route.conversation, &route.workspace) {
        (Some(conversation), _) => Ok(Endpoint::Graph {
            conversation: conversation.clone(),
            access: access()?,
        }),
        (None, Some(workspace)) => Ok(Endpoint::Code {
            workspace: workspace.clone(),
            access: access()?,
        }),
        (None, None) => Profile::parse(route.profile.as_deref()).map(Endpoint::Product),
    }
}

/// The path where test builds serve the fixtures of the conformance tests.
#[cfg(feature = "fault-injection")]
pub const CONFORMANCE: &str = "/mcp-conformance";

/// The routes of the fixtures.
#[cfg(feature = "fault-injection")]
pub(super) const CONFORMANCE_ROUTES: &[Entry] = &[
    entry("conformance", "POST", CONFORMANCE, "Fixtures"),
    entry("conformancestream", "GET", CONFORMANCE, "Fixtures"),
    entry("endconformance", "DELETE", CONFORMANCE, "Fixtures"),
];

const fn entry(
    name: &'static str,
    method: &'static str,
    path: &'static str,
    summary: &'static str,
) -> Entry {
    Entry {
        name,
        method,
        path,
        place: ServedBy::Mcp,
        summary,
        body: body_of(method),
        access: Access::Tenant,
        wait: Wait::Query,
        parameters: &["session"],
    }
}

const fn graph(name: &'static str, method: &'static str, summary: &'static str) -> Entry {
    Entry {
        parameters: &[READ_ONLY],
        ..entry(name, method, GRAPH, summary)
    }
}

const fn code(name: &'static str, method: &'static str, summary: &'static str) -> Entry {
    Entry {
        parameters: &[READ_ONLY, "session"],
        ..entry(name, method, CODE, summary)
    }
}

/// Returns the body limit of a method: only a POST has a body.
const fn body_of(method: &str) -> BodyLimit {
    match method.as_bytes() {
        b"POST" => BodyLimit::Batch,
        _ => BodyLimit::None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::route;
    use super::*;

    #[test]
    fn a_request_is_for_one_endpoint() {
        let of = |path: &str, query: &str| {
            let found = route("POST", path).and_then(|route| endpoint(&route, query));
            found
                .map(|endpoint| endpoint.name())
                .map_err(|error| error.code())
        };
        for (path, query, name) in [
            ("/mcp", "", Ok("")),
            ("/mcp/", "", Ok("")),
            ("/mcp/database/", "", Ok("database")),
            ("/mcp/graph/c/", "?readonly=true", Ok("graph/c/readonly")),
            ("/mcp//", "", Err("NOT_FOUND")),
            ("/mcp/database", "?session=s", Ok("database")),
            ("/mcp/graph", "", Err("INVALID_ARGUMENT")),
            ("/mcp/graph/chat%3A1", "", Ok("graph/chat:1")),
            ("/mcp/graph/c", "?readonly=true", Ok("graph/c/readonly")),
            ("/mcp/graph/c", "?readonly=false", Ok("graph/c")),
            ("/mcp/graph/c", "?readonly=yes", Err("INVALID_ARGUMENT")),
            ("/mcp/graph/a%20b", "", Err("INVALID_ARGUMENT")),
            ("/mcp/graph/..", "", Err("INVALID_ARGUMENT")),
            ("/mcp/graph/c/d", "", Err("NOT_FOUND")),
            ("/mcp/code", "", Ok("code")),
            ("/mcp/code/chat%3A1", "?session=s", Ok("code/chat:1")),
            ("/mcp/code/c", "?readonly=true", Ok("code/c/readonly")),
            ("/mcp/code/a%20b", "", Err("INVALID_ARGUMENT")),
        ] {
            assert_eq!(of(path, query), name.map(str::to_owned), "{path}{query}");
        }
    }
}

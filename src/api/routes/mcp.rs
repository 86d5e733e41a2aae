//! The endpoints of the MCP server. They speak JSON-RPC, refusals included.

use super::{Access, BodyLimit, Entry, Route, ServedBy, Wait, query_parameter};
use base::{Error, Result};
use mcp_server::graph::Access as GraphAccess;
use mcp_server::{Endpoint, Profile};

const WHOLE: &str = "/mcp";
const PROFILE: &str = "/mcp/{profile}";
const GRAPH: &str = "/mcp/graph/{conversationId}";

/// The parameter of the query string that hides what changes a graph.
const READ_ONLY: &str = "readonly";

/// The routes.
pub(super) const ROUTES: &[Entry] = &[
    entry("mcp", "POST", WHOLE, "A message of an MCP client"),
    entry(
        "mcpstream",
        "GET",
        WHOLE,
        "What the server tells a client with a session",
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
        "A message of an MCP client to a part of the product",
    ),
    entry(
        "mcpprofilestream",
        "GET",
        PROFILE,
        "What the server tells a client with a session",
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
        "What the server tells a client with a session",
    ),
    graph("endmcpgraph", "DELETE", "End the session of an MCP client"),
];

/// The endpoint that a request is for.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a profile that there is not, or a parameter of another value.
pub fn endpoint(route: &Route, query: &str) -> Result<Endpoint> {
    let Some(conversation) = &route.conversation else {
        return Profile::parse(route.profile.as_deref()).map(Endpoint::Product);
    };
    let access = match query_parameter(query, READ_ONLY)?.as_deref() {
        None | Some("false") => GraphAccess::Full,
        Some("true") => GraphAccess::ReadOnly,
        Some(_) => {
            return Err(Error::invalid(format!("{READ_ONLY} is true or false")));
        }
    };
    Ok(Endpoint::Graph {
        conversation: conversation.clone(),
        access,
    })
}

/// Where test builds serve the fixtures of the conformance tests.
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

/// Only a POST has a body.
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
            ("/mcp/database", "?session=s", Ok("database")),
            ("/mcp/graph", "", Err("INVALID_ARGUMENT")),
            ("/mcp/graph/chat%3A1", "", Ok("graph/chat:1")),
            ("/mcp/graph/c", "?readonly=true", Ok("graph/c/readonly")),
            ("/mcp/graph/c", "?readonly=false", Ok("graph/c")),
            ("/mcp/graph/c", "?readonly=yes", Err("INVALID_ARGUMENT")),
            ("/mcp/graph/a%20b", "", Err("INVALID_ARGUMENT")),
            ("/mcp/graph/..", "", Err("INVALID_ARGUMENT")),
            ("/mcp/graph/c/d", "", Err("NOT_FOUND")),
        ] {
            assert_eq!(of(path, query), name.map(str::to_owned), "{path}{query}");
        }
    }
}

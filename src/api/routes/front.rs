//! Routes that the front Worker serves itself.

use super::{Access, BodyLimit, Entry, ServedBy, Wait};

/// The work that the front Worker does for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Front {
    /// The version, for monitors.
    Health,
    /// The description of every route.
    OpenApi,
    /// The metadata of OAuth, for clients without a token.
    ProtectedResource,
    /// The prelude of programs, for sandboxes that others run.
    Helpers,
    /// Guidance for a model, without a session.
    Prompt,
    /// A tool call, without a session.
    Proxy,
    /// The tools of one server.
    ServerTools,
    /// A search among the tools of all servers.
    Tools,
    /// An explanation of a GraphQL response or query.
    GraphqlCheck,
}

/// The routes.
pub(super) const ROUTES: &[Entry] = &[
    public(
        "health",
        "/health",
        Front::Health,
        "The version; for monitors",
    ),
    public(
        "openapi",
        "/api/openapi.json",
        Front::OpenApi,
        "This description",
    ),
    public(
        "resource",
        "/.well-known/oauth-protected-resource",
        Front::ProtectedResource,
        "The OAuth issuer of this deployment",
    ),
    public(
        "mcpresource",
        "/.well-known/oauth-protected-resource/mcp",
        Front::ProtectedResource,
        "The OAuth issuer of the MCP endpoint",
    ),
    public(
        "profileresource",
        "/.well-known/oauth-protected-resource/mcp/{profile}",
        Front::ProtectedResource,
        "The OAuth issuer of a profile of the MCP endpoint",
    ),
    public(
        "graphresource",
        "/.well-known/oauth-protected-resource/mcp/graph/{conversationId}",
        Front::ProtectedResource,
        "The OAuth issuer of a knowledge graph's MCP endpoint",
    ),
    public(
        "coderesource",
        "/.well-known/oauth-protected-resource/mcp/code/{workspace}",
        Front::ProtectedResource,
        "The OAuth issuer of a code workspace's MCP endpoint",
    ),
    Entry {
        name: "helpers",
        path: "/api/codemode/helpers.js",
        place: ServedBy::Front(Front::Helpers),
        summary: "The helpers of programs as a script, for your own sandbox",
        ..TENANT
    },
    Entry {
        name: "servertools",
        path: "/api/codemode/proxy",
        place: ServedBy::Front(Front::ServerTools),
        summary: "The tools of one server with their schemas",
        wait: Wait::Tools,
        parameters: &["server"],
        ..TENANT
    },
    Entry {
        name: "tools",
        path: "/api/codemode/tools",
        place: ServedBy::Front(Front::Tools),
        summary: "Search the tools of all servers",
        wait: Wait::Tools,
        parameters: &["query", "server", "limit", "offset"],
        ..TENANT
    },
    Entry {
        name: "graphqlcheck",
        method: "POST",
        path: "/api/codemode/graphql/check",
        place: ServedBy::Front(Front::GraphqlCheck),
        summary: "Explain the nulls of a GraphQL response, or what is wrong with a query",
        body: BodyLimit::Request,
        ..TENANT
    },
];

/// The members that most of these routes have in common.
const TENANT: Entry = Entry {
    name: "",
    method: "GET",
    path: "",
    place: ServedBy::Front(Front::Health),
    summary: "",
    body: BodyLimit::None,
    access: Access::Tenant,
    wait: Wait::Query,
    parameters: &[],
};

const fn public(
    name: &'static str,
    path: &'static str,
    front: Front,
    summary: &'static str,
) -> Entry {
    Entry {
        name,
        path,
        place: ServedBy::Front(front),
        summary,
        access: Access::Public,
        ..TENANT
    }
}

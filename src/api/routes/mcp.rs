//! The endpoints of the MCP server. They speak JSON-RPC, refusals included.

use super::{Access, BodyLimit, Entry, ServedBy, Wait};

const WHOLE: &str = "/mcp";
const PROFILE: &str = "/mcp/{profile}";

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
];

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

/// Only a POST has a body.
const fn body_of(method: &str) -> BodyLimit {
    match method.as_bytes() {
        b"POST" => BodyLimit::Batch,
        _ => BodyLimit::None,
    }
}

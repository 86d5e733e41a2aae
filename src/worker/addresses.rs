//! The classes of objects, and the headers and URLs of a request to an object.

use super::object::Class;

/// The objects of sessions.
pub const SESSION: Class = Class {
    binding: "CODEMODE_DB",
    in_words: "the session's database",
};

/// The knowledge graphs.
pub const GRAPH: Class = Class {
    binding: "KNOWLEDGE_GRAPH",
    in_words: "the knowledge graph",
};

/// The code workspaces.
pub const CODE: Class = Class {
    binding: "CODE_WORKSPACE",
    in_words: "the code workspace",
};

/// The chat threads.
pub const AGENT: Class = Class {
    binding: "AGENT_THREAD",
    in_words: "the chat thread",
};

/// The indexes of tenants.
pub const INDEX: Class = Class {
    binding: "TENANT_INDEX",
    in_words: "the index of the tenant's sessions",
};

/// The sessions of MCP clients.
pub const MCP_SESSION: Class = Class {
    binding: "MCP_SESSION",
    in_words: "the MCP session",
};

/// The header with the id of an MCP session, for its object.
pub const MCP_SESSION_HEADER: &str = "x-codemode-mcp-session";

/// The header with the tenant whose request the object serves. Requests from outside cannot set it,
/// because their headers are not passed on.
pub const TENANT_HEADER: &str = "x-codemode-tenant";

/// The header that names the session to its object if the path does not.
pub const SESSION_HEADER: &str = "x-codemode-session";

/// The header that names the conversation to the object of a graph.
pub const CONVERSATION_HEADER: &str = "x-codemode-conversation";

/// The header that names the workspace to its object.
pub const WORKSPACE_HEADER: &str = "x-codemode-workspace";

/// The header that names the thread to its object.
pub const THREAD_HEADER: &str = "x-codemode-thread";

/// The header with the business that the access token names.
pub const BUSINESS_HEADER: &str = "x-codemode-business";

/// The header with the person that the access token names.
pub const USER_HEADER: &str = "x-codemode-user";

/// The header with the author of a change to a graph or a workspace, for its history. Callers may
/// set it.
pub const ACTOR_HEADER: &str = "x-codemode-actor";

/// The header with the compression of the body. It is not `content-encoding`, which something on
/// the way might act on.
pub const ENCODING_HEADER: &str = "x-codemode-content-encoding";

/// The header with the values that the caller passes through to servers, as a JSON list of names
/// and values. The name contains `auth`, so that the platform redacts the value in its own logs.
pub const PASSED_HEADER: &str = "x-codemode-auth";

/// The header for a session's object by which a program may not drop persistent data. It is set for
/// requests from an MCP client, where nobody can be asked.
pub const CONFIRM_HEADER: &str = "x-codemode-confirm";

/// The header for a session's object by which a program may not make decisions in a code workspace
/// that are left to a person. It is set for requests from an MCP client.
pub const PERSON_HEADER: &str = "x-codemode-person";

/// The header with the number of a program that `js/programs.js` has started already.
pub const ADOPTED_HEADER: &str = "x-codemode-adopted";

/// The header with the confirmed basis of a removal, for a session's object. Requests from outside
/// cannot set it.
pub const BASIS_HEADER: &str = "x-codemode-basis";

/// The host of the URLs that objects see. It has no meaning.
pub const OBJECT_HOST: &str = "https://object";

/// The URL at which the front Worker makes and redeems confirmations of a session. No request from
/// outside has this host.
pub const CONFIRMATIONS: &str = "https://session/confirmations";

/// The URL at which the front Worker requests the basis of a removal. No request from outside has
/// this host.
pub const BASIS: &str = "https://session/basis";

/// The URL at which the front Worker watches the changes to a session. No request from outside has
/// this host.
pub const WATCH: &str = "https://session/watch";

/// The URL at which the object of a graph writes tables of a session. No request from outside has
/// this host.
pub const TABLES: &str = "https://session/tables";

/// The URL at which the object of a thread requests the effect of a statement, and runs the
/// approved one. No request from outside has this host.
pub const APPROVED: &str = "https://session/approved";

/// The URL at which the object of a thread reaches the memory of its tenant. No request from
/// outside has this host.
pub const MEMORY: &str = "https://index/memory";

/// The URL to which objects send their notes. No request from outside has this host, because the
/// front Worker writes the URLs that objects see.
pub const NOTES: &str = "https://index/notes";

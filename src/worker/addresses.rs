//! How the objects are reached: their classes, and what a request to one of them carries.

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

/// Tells the object of an MCP session its id.
pub const MCP_SESSION_HEADER: &str = "x-codemode-mcp-session";

/// Tells the object whose request it serves. Requests from outside cannot set it, because their headers are not passed on.
pub const TENANT_HEADER: &str = "x-codemode-tenant";

/// Names the session to the object where the path does not.
pub const SESSION_HEADER: &str = "x-codemode-session";

/// Names the conversation to the object of a graph.
pub const CONVERSATION_HEADER: &str = "x-codemode-conversation";

/// Names the workspace to its object.
pub const WORKSPACE_HEADER: &str = "x-codemode-workspace";

/// Names the thread to its object.
pub const THREAD_HEADER: &str = "x-codemode-thread";

/// The business that the access token names.
pub const BUSINESS_HEADER: &str = "x-codemode-business";

/// The person that the access token names.
pub const USER_HEADER: &str = "x-codemode-user";

/// Who makes a change to a graph or a workspace, for its history. Callers may set it.
pub const ACTOR_HEADER: &str = "x-codemode-actor";

/// Tells the object how the body is packed. Not as `content-encoding`, so that nothing on the way may take it for its own.
pub const ENCODING_HEADER: &str = "x-codemode-content-encoding";

/// What the caller passes through to servers, as a JSON list of names and values. The name has `auth` in it, so that the platform redacts the
/// value in its own logs.
pub const PASSED_HEADER: &str = "x-codemode-auth";

/// Tells the object of a session that a program may not drop persistent data, because nobody can be asked: it comes from an MCP client.
pub const CONFIRM_HEADER: &str = "x-codemode-confirm";

/// Tells the object of a session that a program may decide nothing in a code workspace that a person has to: it comes from an MCP client.
pub const PERSON_HEADER: &str = "x-codemode-person";

/// Tells the object of a session the basis of what it removes, as it was confirmed. Requests from outside cannot set it.
pub const BASIS_HEADER: &str = "x-codemode-basis";

/// Host of the URLs that objects see. It means nothing.
pub const OBJECT_HOST: &str = "https://object";

/// Where the front Worker makes and redeems confirmations of a session. No request from outside has this host.
pub const CONFIRMATIONS: &str = "https://session/confirmations";

/// Where the front Worker asks for the basis of a removal. No request from outside has this host.
pub const BASIS: &str = "https://session/basis";

/// Where the front Worker hears of changes to a session. No request from outside has this host.
pub const WATCH: &str = "https://session/watch";

/// Where the object of a graph writes tables of a session. No request from outside has this host.
pub const TABLES: &str = "https://session/tables";

/// Where the object of a thread asks what a statement would do, and runs the one that was approved. No request from outside has this host.
pub const APPROVED: &str = "https://session/approved";

/// Where the object of a thread reaches the memory of its tenant. No request from outside has this host.
pub const MEMORY: &str = "https://index/memory";

/// Where objects send their notes. No request from outside has this host: the front Worker writes the addresses that objects see.
pub const NOTES: &str = "https://index/notes";

//! Routes that the object of a session serves.

use super::front::Front;
use super::{Access, BodyLimit, Entry, NamedBy, ServedBy, Wait};

/// The work that the object of a session does for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionTask {
    /// Runs one operation by name, in JSON.
    Operate,
    /// Returns the result of `getMetrics`, for people.
    Metrics,
    /// Deletes the session.
    Delete,
    /// Streams the rows of a query.
    Stream,
    /// Loads a streamed body into a table.
    Load,
    /// Streams a table as an export.
    Export,
    /// Streams the whole session as SQL text.
    Dump,
    /// Copies a table to the tenant's D1 database.
    Persist,
    /// Drops a table.
    DropTable,
    /// Drops a table of the tenant's D1 database.
    Unpersist,
    /// Runs a program.
    Execute,
    /// Lists the programs that ran in the session.
    Executions,
    /// Takes the response to a tool call that the caller of a program runs itself.
    HostCall,
    /// Returns guidance for a model.
    Prompt,
    /// Calls a tool.
    Proxy,
}

/// The name of the route that runs one operation.
pub const OPERATE: &str = "operate";

/// The name of the route that runs a program.
pub const EXECUTE: &str = "execute";

const SESSION: &str = "/api/codemode/sessions/{session}";
const TABLE_ROWS: &str = "/api/codemode/sessions/{session}/tables/{table}/rows";

/// The routes.
pub(super) const ROUTES: &[Entry] = &[
    Entry {
        name: OPERATE,
        method: "POST",
        path: SESSION,
        place: by_path(SessionTask::Operate),
        summary: "Run one operation on the session database",
        body: BodyLimit::Batch,
        parameters: &["format", "formulas"],
        ..GET
    },
    Entry {
        name: "metrics",
        path: SESSION,
        place: by_path(SessionTask::Metrics),
        summary: "Size, tables, last use and log of the session",
        ..GET
    },
    Entry {
        name: "deletesession",
        method: "DELETE",
        path: SESSION,
        place: by_path(SessionTask::Delete),
        summary: "Delete the session now",
        ..GET
    },
    Entry {
        name: "stream",
        method: "POST",
        path: "/api/codemode/sessions/{session}/stream",
        place: by_path(SessionTask::Stream),
        summary: "Run a query and stream its rows as NDJSON",
        body: BodyLimit::Request,
        parameters: &["format", "formulas"],
        ..GET
    },
    Entry {
        name: "load",
        method: "PUT",
        path: TABLE_ROWS,
        place: by_path(SessionTask::Load),
        summary: "Load rows from NDJSON, CSV, TSV or a JSON array, all or nothing",
        body: BodyLimit::Load,
        wait: Wait::Load,
        parameters: &[
            "create",
            "onConflict",
            "delimiter",
            "stage",
            "null",
            "decimal",
            "dates",
            "encoding",
        ],
        ..GET
    },
    Entry {
        name: "export",
        path: TABLE_ROWS,
        place: by_path(SessionTask::Export),
        summary: "Stream all rows of a table",
        parameters: &["format", "formulas"],
        ..GET
    },
    Entry {
        name: "dump",
        path: "/api/codemode/sessions/{session}/dump",
        place: by_path(SessionTask::Dump),
        summary: "Stream the whole session as SQL text",
        ..GET
    },
    Entry {
        name: "persist",
        method: "POST",
        path: "/api/codemode/sessions/{session}/persist",
        place: by_path(SessionTask::Persist),
        summary: "Copy a table to the tenant's D1 database",
        body: BodyLimit::Request,
        wait: Wait::Load,
        ..GET
    },
    Entry {
        name: "unpersist",
        method: "DELETE",
        path: "/api/codemode/sessions/{session}/persist/{table}",
        place: by_path(SessionTask::Unpersist),
        summary: "Drop a table of the tenant's D1 database",
        parameters: &["ifExists"],
        ..GET
    },
    Entry {
        name: "droptable",
        method: "DELETE",
        path: "/api/codemode/sessions/{session}/tables/{table}",
        place: by_path(SessionTask::DropTable),
        summary: "Drop a table of the session",
        parameters: &["ifExists", "target"],
        ..GET
    },
    Entry {
        name: "executions",
        path: "/api/codemode/sessions/{session}/executions",
        place: by_path(SessionTask::Executions),
        summary: "The last programs that ran in the session",
        parameters: &["limit"],
        ..GET
    },
    Entry {
        name: "hostcall",
        method: "POST",
        path: "/api/codemode/sessions/{session}/host-calls",
        place: by_path(SessionTask::HostCall),
        summary: "Respond to a call of a tool that the caller of a program runs itself",
        body: BodyLimit::Request,
        ..GET
    },
    Entry {
        name: EXECUTE,
        method: "POST",
        path: "/api/codemode/execute",
        place: ServedBy::Session {
            task: SessionTask::Execute,
            named: NamedBy::Body(|body| sandbox::request::session_of(body).map(Some)),
            otherwise: None,
        },
        summary: "Run a program with access to the session database",
        body: BodyLimit::Request,
        wait: Wait::Program,
        ..GET
    },
    Entry {
        name: "prompt",
        path: "/api/codemode/prompt",
        place: ServedBy::Session {
            task: SessionTask::Prompt,
            named: NamedBy::Query("session"),
            otherwise: Some(Front::Prompt),
        },
        summary: "Guidance for a model's system prompt, as Markdown",
        wait: Wait::Tools,
        parameters: &["session", "tool", "form"],
        ..GET
    },
    Entry {
        name: "proxy",
        method: "POST",
        path: "/api/codemode/proxy",
        place: ServedBy::Session {
            task: SessionTask::Proxy,
            named: NamedBy::Body(tools::request::session_of),
            otherwise: Some(Front::Proxy),
        },
        summary: "Call a tool of a server, or an operation of the session database",
        body: BodyLimit::Request,
        wait: Wait::Tools,
        ..GET
    },
];

/// The members that most of these routes have in common.
const GET: Entry = Entry {
    name: "",
    method: "GET",
    path: "",
    place: by_path(SessionTask::Metrics),
    summary: "",
    body: BodyLimit::None,
    access: Access::Tenant,
    wait: Wait::Query,
    parameters: &[],
};

const fn by_path(task: SessionTask) -> ServedBy {
    ServedBy::Session {
        task,
        named: NamedBy::Path,
        otherwise: None,
    }
}

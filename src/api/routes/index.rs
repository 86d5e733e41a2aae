//! Routes that the index of a tenant's objects serves.

use super::{Access, BodyLimit, Entry, ServedBy, Wait};

/// The work that the index does for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexTask {
    /// Lists the sessions of the tenant.
    List,
    /// Deletes all of them.
    DeleteAll,
    /// Lists the knowledge graphs of the tenant.
    ListGraphs,
    /// Lists the chat threads of the tenant.
    ListThreads,
    /// Lists the code workspaces of the tenant.
    ListWorkspaces,
    /// Lists or searches the questions and statements that people approved.
    SearchMemory,
    /// Pins one of these pairs, or removes the pin.
    Pin,
    /// Deletes one of these pairs.
    Forget,
}

const SESSIONS: &str = "/api/codemode/sessions";

/// The routes.
pub(super) const ROUTES: &[Entry] = &[
    Entry {
        name: "listsessions",
        method: "GET",
        path: SESSIONS,
        place: ServedBy::Index(IndexTask::List),
        summary: "List the tenant's sessions",
        body: BodyLimit::None,
        access: Access::Tenant,
        wait: Wait::Query,
        parameters: &["limit", "cursor"],
    },
    Entry {
        name: "deletesessions",
        method: "DELETE",
        path: SESSIONS,
        place: ServedBy::Index(IndexTask::DeleteAll),
        summary: "Delete all sessions of the tenant",
        body: BodyLimit::None,
        access: Access::Tenant,
        wait: Wait::Load,
        parameters: &[],
    },
    Entry {
        name: "listgraphs",
        method: "GET",
        path: "/api/graph/projects",
        place: ServedBy::Index(IndexTask::ListGraphs),
        summary: "List the tenant's knowledge graphs",
        body: BodyLimit::None,
        access: Access::Tenant,
        wait: Wait::Query,
        parameters: &["limit", "cursor"],
    },
    Entry {
        name: "listthreads",
        method: "GET",
        path: "/api/agent/threads",
        place: ServedBy::Index(IndexTask::ListThreads),
        summary: "List the tenant's chat threads",
        body: BodyLimit::None,
        access: Access::Tenant,
        wait: Wait::Query,
        parameters: &["limit", "cursor"],
    },
    Entry {
        name: "listworkspaces",
        method: "GET",
        path: "/api/code/workspaces",
        place: ServedBy::Index(IndexTask::ListWorkspaces),
        summary: "List the tenant's code workspaces",
        body: BodyLimit::None,
        access: Access::Tenant,
        wait: Wait::Query,
        parameters: &["limit", "cursor"],
    },
    Entry {
        name: "searchmemory",
        method: "GET",
        path: "/api/agent/memory",
        place: ServedBy::Index(IndexTask::SearchMemory),
        summary: "List or search questions with the statements that people approved for them",
        body: BodyLimit::None,
        access: Access::Tenant,
        wait: Wait::Query,
        parameters: &["q", "businessId", "session", "target", "limit", "cursor"],
    },
    Entry {
        name: "pinmemory",
        method: "PUT",
        path: "/api/agent/memory/{id}",
        place: ServedBy::Index(IndexTask::Pin),
        summary: "Pin a pair, so that it comes first and is never dropped",
        body: BodyLimit::Request,
        access: Access::Tenant,
        wait: Wait::Query,
        parameters: &["businessId"],
    },
    Entry {
        name: "forgetmemory",
        method: "DELETE",
        path: "/api/agent/memory/{id}",
        place: ServedBy::Index(IndexTask::Forget),
        summary: "Delete a pair",
        body: BodyLimit::None,
        access: Access::Tenant,
        wait: Wait::Query,
        parameters: &["businessId"],
    },
];

//! Routes that the index of a tenant's objects serves.

use super::{Access, BodyLimit, Entry, ServedBy, Wait};

/// What the index does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexTask {
    /// Lists the sessions of the tenant.
    List,
    /// Deletes all of them.
    DeleteAll,
    /// Lists the knowledge graphs of the tenant.
    ListGraphs,
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
];

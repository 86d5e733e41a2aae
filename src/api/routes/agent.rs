//! Routes that the object of a chat thread serves.

use super::{Access, BodyLimit, Entry, ServedBy, Wait};

/// The work that the object of a thread does for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentTask {
    /// Takes a question.
    Ask,
    /// Takes a decision.
    Resume,
    /// Streams the events of the thread after a given one.
    Events,
    /// Returns the state of the thread.
    State,
    /// Lists its checkpoints.
    History,
    /// Returns the state at one checkpoint.
    Checkpoint,
    /// Starts a new line of the thread at one checkpoint.
    Fork,
    /// Returns the audit of the thread: its actions and their actors, as a hash chain.
    Audit,
    /// Deletes the thread.
    Delete,
}

macro_rules! agent {
    ($path:literal) => {
        concat!("/api/agent/{threadId}", $path)
    };
}

/// The routes.
pub(super) const ROUTES: &[Entry] = &[
    Entry {
        name: "ask",
        method: "POST",
        path: agent!("/messages"),
        place: ServedBy::Agent(AgentTask::Ask),
        summary: "Ask a question, and follow it until it needs a decision or has a result",
        body: BodyLimit::Request,
        ..READ
    },
    Entry {
        name: "resume",
        method: "POST",
        path: agent!("/resume"),
        place: ServedBy::Agent(AgentTask::Resume),
        summary: "Approve, reject, edit or undo a statement, and follow the result",
        body: BodyLimit::Request,
        ..READ
    },
    Entry {
        name: "agentevents",
        path: agent!("/events"),
        place: ServedBy::Agent(AgentTask::Events),
        summary: "Follow the thread from an event on",
        parameters: &["after"],
        ..READ
    },
    Entry {
        name: "agentstate",
        path: agent!("/state"),
        place: ServedBy::Agent(AgentTask::State),
        summary: "The state of the thread, with the statement that waits for a decision",
        ..READ
    },
    Entry {
        name: "agenthistory",
        path: agent!("/history"),
        place: ServedBy::Agent(AgentTask::History),
        summary: "The checkpoints of the thread, newest first",
        parameters: &["limit", "cursor"],
        ..READ
    },
    Entry {
        name: "agentcheckpoint",
        path: agent!("/history/{checkpoint}"),
        place: ServedBy::Agent(AgentTask::Checkpoint),
        summary: "The state of the thread at a checkpoint",
        ..READ
    },
    Entry {
        name: "agentfork",
        method: "POST",
        path: agent!("/fork"),
        place: ServedBy::Agent(AgentTask::Fork),
        summary: "Continue from an earlier checkpoint",
        body: BodyLimit::Request,
        ..READ
    },
    Entry {
        name: "agentaudit",
        path: agent!("/audit"),
        place: ServedBy::Agent(AgentTask::Audit),
        summary: "The audit as a hash chain: who asked, wrote, decided and ran what",
        parameters: &["limit", "cursor"],
        ..READ
    },
    Entry {
        name: "deletethread",
        method: "DELETE",
        path: "/api/agent/{threadId}",
        place: ServedBy::Agent(AgentTask::Delete),
        summary: "Delete the thread, its messages and its audit",
        ..READ
    },
];

const READ: Entry = Entry {
    name: "",
    method: "GET",
    path: "",
    place: ServedBy::Agent(AgentTask::State),
    summary: "",
    body: BodyLimit::None,
    access: Access::Tenant,
    wait: Wait::Query,
    parameters: &[],
};

//! The limits of this crate, each with its unit (in the name) and its reason.

use sandbox::limits::MAX_EXECUTION_TIMEOUT_MS;

base::limits! {
    /// The longest wait of the front Worker for an object, before it returns 504.
    pub const DEFAULT_QUERY_TIMEOUT_MS: u32 = 30_000;

    /// The largest body of an ordinary JSON request: one full 2 MB value, escaped, with room to
    /// spare.
    pub const DEFAULT_MAX_REQUEST_BYTES: usize = 32 * 1024 * 1024;

    /// The largest body of a `batchInsert`. It is held in memory beside its chunks, and several
    /// objects share 128 MB.
    pub const DEFAULT_MAX_BATCH_BYTES: usize = 32 * 1024 * 1024;

    /// The longest wait of the front Worker for the response to a streamed load, which follows the
    /// last row. A client may send slowly.
    pub const LOAD_TIMEOUT_MS: u32 = 15 * 60 * 1000;

    /// The time that calls of helpers may add to a program's own time, whose clock is paused while
    /// a call is in flight.
    pub const MAX_EXECUTION_WAIT_MS: u32 = 300_000;

    /// The longest wait of the front Worker for the response of a program: the sum of the program's
    /// own time, its calls, its wait in the queue and its end.
    pub const EXECUTE_WAIT_MS: u32 = MAX_EXECUTION_TIMEOUT_MS + 2 * MAX_EXECUTION_WAIT_MS + 60_000;

    /// The units of work of a program: about one for each turn of an arithmetic loop, and four for
    /// each other turn and each function call. A loop of a hundred million turns passes.
    pub const MAX_EXECUTION_WORK: u32 = 1_000_000_000;

    /// The longest wait of a program for its isolate, before the request is refused.
    pub const EXECUTION_QUEUE_MS: u32 = 30_000;

    /// The time in which a program that is asked to end may report the results that it has.
    pub const EXECUTION_STOP_MS: u32 = 1_000;

    /// The calls of one run that the host works on at the same time; more wait in the isolate.
    pub const MAX_CALLS_IN_FLIGHT: usize = 32;

    /// Streams of rows that one run may have open.
    pub const MAX_OPEN_STREAMS: usize = 8;

    /// The silence after which a live response gets a comment, so that no proxy on the way takes
    /// the connection for dead.
    pub const HEARTBEAT_MS: u32 = 10_000;

    /// The bytes of events that wait for a client to read them. One run cannot produce more, so
    /// only a client that has stopped reading reaches the limit. Calls of the caller's tools take
    /// at most half of it, and wait for room.
    pub const MAX_WAITING_EVENT_BYTES: usize = 16 * 1024 * 1024;

    /// The arguments of one call of a caller's tool, as JSON text: one event of less than half of
    /// the events that may wait.
    pub const MAX_HOST_CALL_BYTES: usize = 8_000_000;

    /// The longest silence of a call of an MCP client before its response begins as an event
    /// stream. The response to a quicker call is one JSON text.
    pub const MCP_JSON_PATIENCE_MS: u64 = 1_000;

    /// The silence after which the stream of an MCP client's call gets a comment. Writing it
    /// reveals that a client has gone, and its call is then ended.
    pub const MCP_HEARTBEAT_MS: u64 = 2_000;

    /// The time in which a user may respond to a question of a tool: as long as the confirmation of
    /// the call is valid.
    pub const MCP_QUESTION_MS: u64 = session::limits::CONFIRMATION_TTL_MS;

    /// The calls of one MCP session that run at the same time. Hosts run a few tools in parallel.
    pub const MAX_MCP_CALLS: usize = 100;

    /// The bytes of a session object's event stream that the MCP server reads. One event holds a
    /// whole result.
    pub const MAX_MCP_EVENT_BYTES: usize = 32 * 1024 * 1024;

    /// The longest time of a request whose response nobody waits for, such as the end of a session.
    pub const FORGOTTEN_REQUEST_MS: u64 = 5_000;

    /// The event streams that one chat thread has open. A thread is read by a handful of people.
    pub const MAX_THREAD_READERS: usize = 1_000;

    /// The lifetime of a thread in which no question was asked.
    pub const UNUSED_THREAD_MS: u64 = 10 * 60 * 1000;

    /// The time after which the alarm checks that a thread still works on the turn that it began;
    /// longer than a step usually takes.
    pub const UNFINISHED_TURN_MS: u64 = 30 * 1000;

    /// The lifetime of a workspace that was read and never written.
    pub const UNUSED_WORKSPACE_MS: u64 = 10 * 60 * 1000;

    /// The shortest time between two notes of a workspace to the index of its tenant, as for
    /// sessions.
    pub const WORKSPACE_NOTE_RESOLUTION_MS: u64 = 300_000;

    /// The texts in one call of a remote embedding model: the most that Workers AI accepts.
    pub const REMOTE_EMBEDDING_TEXTS: u64 = 100;

    /// The bytes of a text that a remote embedding model gets. It reads 512 tokens; more would cost
    /// money and have no effect.
    pub const REMOTE_EMBEDDING_TEXT_BYTES: usize = 2_048;

    /// The calls of a remote embedding model that one write waits for: 2,000 items, enough for
    /// every request of usual size.
    pub const REMOTE_EMBEDDING_BATCHES_OF_WRITE: usize = 20;

    /// The calls of a remote embedding model that one question waits for, besides the call for its
    /// own vector. They embed items that writes have left.
    pub const REMOTE_EMBEDDING_BATCHES_OF_QUESTION: usize = 2;

    /// The longest time of one call of a remote embedding model, in milliseconds.
    pub const REMOTE_EMBEDDING_MS: u64 = 20_000;

    /// The approximate bytes of a graph's events in one piece of a stream. A slow reader gets the
    /// events it missed in pieces of this size.
    pub const MAX_GRAPH_EVENT_BYTES: usize = 1_048_576;

    /// The lifetime of a graph that was read and never written. A reader either writes soon or not
    /// at all.
    pub const UNUSED_GRAPH_MS: u64 = 10 * 60 * 1000;

    /// The shortest time between two notes of a graph to the index of its tenant, as for sessions.
    pub const GRAPH_NOTE_RESOLUTION_MS: u64 = 300_000;
}

/// Returns the limits of every crate.
pub fn every() -> impl Iterator<Item = (&'static str, u64)> {
    [
        ALL,
        agent::limits::ALL,
        base::limits::ALL,
        net::limits::ALL,
        database::limits::ALL,
        code_model::limits::ALL,
        columns::limits::ALL,
        index::limits::ALL,
        graph::limits::ALL,
        sql_gate::limits::ALL,
        program::limits::ALL,
        graph_analysis::limits::ALL,
        graph_layout::limits::ALL,
        code_search::limits::ALL,
        tools_graphql::limits::ALL,
        agent_models::limits::ALL,
        mcp::limits::ALL,
        mcp_product::limits::ALL,
        oauth::limits::ALL,
        agent_planner::limits::ALL,
        session::limits::ALL,
        tools::limits::ALL,
        sandbox::limits::ALL,
        code::limits::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

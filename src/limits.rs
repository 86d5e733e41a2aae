//! The limits of this crate: each with its unit (in the name) and its reason.

use sandbox::limits::MAX_EXECUTION_TIMEOUT_MS;

base::limits! {
    /// How long the front Worker waits for an object before it returns 504.
    pub const DEFAULT_QUERY_TIMEOUT_MS: u32 = 30_000;

    /// Body of an ordinary JSON request: one full 2 MB value, escaped, with room to spare.
    pub const DEFAULT_MAX_REQUEST_BYTES: usize = 32 * 1024 * 1024;

    /// Body of a `batchInsert`: it is held in memory beside its chunks, and several objects share 128 MB.
    pub const DEFAULT_MAX_BATCH_BYTES: usize = 32 * 1024 * 1024;

    /// How long the front Worker waits for the response to a streamed load, which comes after its last row: a client may send slowly.
    pub const LOAD_TIMEOUT_MS: u32 = 15 * 60 * 1000;

    /// Time that calls of helpers may add to that of the program: its clock stands still while one is in flight.
    pub const MAX_EXECUTION_WAIT_MS: u32 = 300_000;

    /// How long the front Worker waits for the response of a program: its time, its calls, its place in the queue and its end.
    pub const EXECUTE_WAIT_MS: u32 = MAX_EXECUTION_TIMEOUT_MS + 2 * MAX_EXECUTION_WAIT_MS + 60_000;

    /// Units of work of a program: about one for each turn of a loop of arithmetic, four for each other turn and each call of a function. A
    /// loop of a hundred million turns passes.
    pub const MAX_EXECUTION_WORK: u32 = 1_000_000_000;

    /// How long a program waits for its isolate before the request is refused.
    pub const EXECUTION_QUEUE_MS: u32 = 30_000;

    /// How long a program that is told to end may take to report what it has.
    pub const EXECUTION_STOP_MS: u32 = 1_000;

    /// Calls of one run that the host works on at a time; more wait in the isolate.
    pub const MAX_CALLS_IN_FLIGHT: usize = 32;

    /// Streams of rows that one run may have open.
    pub const MAX_OPEN_STREAMS: usize = 8;

    /// Silence after which a live answer gets a comment, so that nobody on the way takes the connection for dead.
    pub const HEARTBEAT_MS: u32 = 10_000;

    /// Events that wait for a client to read them: more than one run can tell, so that only a client that has stopped reading comes there. Calls of tools of
    /// the caller take at most half of it, and wait for room.
    pub const MAX_WAITING_EVENT_BYTES: usize = 16 * 1024 * 1024;

    /// Arguments of one call of a tool of the caller, as JSON text: an event of less than half of what may wait.
    pub const MAX_HOST_CALL_BYTES: usize = 8_000_000;

    /// How long a call of an MCP client may be silent before its response begins as an event stream: a quick one is one JSON text.
    pub const MCP_JSON_PATIENCE_MS: u64 = 1_000;

    /// Silence after which the stream of a call of an MCP client gets a comment: a client that has gone is noticed by it, and its call ended.
    pub const MCP_HEARTBEAT_MS: u64 = 2_000;

    /// How long a user may take to respond to a question of a tool: what confirms the call lives no longer.
    pub const MCP_QUESTION_MS: u64 = session::limits::CONFIRMATION_TTL_MS;

    /// Calls of one MCP session that run at the same time: hosts call a few tools side by side.
    pub const MAX_MCP_CALLS: usize = 100;

    /// Event stream of a session's object that the MCP server reads: one event holds a whole result.
    pub const MAX_MCP_EVENT_BYTES: usize = 32 * 1024 * 1024;

    /// How long a request may take whose answer nobody waits for, such as the end of a session.
    pub const FORGOTTEN_REQUEST_MS: u64 = 5_000;

    /// Event streams that one chat thread has open: a handful of people read one.
    pub const MAX_THREAD_READERS: usize = 1_000;

    /// How long a thread lives in which nothing was asked.
    pub const UNUSED_THREAD_MS: u64 = 10 * 60 * 1000;

    /// After which the alarm looks whether a thread still works on what it began: longer than a step takes, as a rule.
    pub const UNFINISHED_TURN_MS: u64 = 30 * 1000;

    /// How long a workspace lives that was looked at and never written.
    pub const UNUSED_WORKSPACE_MS: u64 = 10 * 60 * 1000;

    /// Minimum between two notes of a workspace to the index of its tenant, as for sessions.
    pub const WORKSPACE_NOTE_RESOLUTION_MS: u64 = 300_000;

    /// Texts of one call of a remote model of vectors: what Workers AI takes at a time.
    pub const REMOTE_EMBEDDING_TEXTS: u64 = 100;

    /// Bytes of a text that a remote model of vectors gets: it reads 512 tokens, and more would cost and not count.
    pub const REMOTE_EMBEDDING_TEXT_BYTES: usize = 2_048;

    /// Calls of a remote model of vectors that one write waits for: 2,000 items, which is all of a request of usual size.
    pub const REMOTE_EMBEDDING_BATCHES_OF_WRITE: usize = 20;

    /// Calls of a remote model of vectors that one question waits for, beside that for its own vector: what writes have left.
    pub const REMOTE_EMBEDDING_BATCHES_OF_QUESTION: usize = 2;

    /// Milliseconds that one call of a remote model of vectors may take.
    pub const REMOTE_EMBEDDING_MS: u64 = 20_000;

    /// Events of a graph that one piece of a stream holds, about: what a slow reader missed comes in pieces of this size.
    pub const MAX_GRAPH_EVENT_BYTES: usize = 1_048_576;

    /// How long a graph lives that was looked at and never written: whoever looks goes on to write soon, or does not.
    pub const UNUSED_GRAPH_MS: u64 = 10 * 60 * 1000;

    /// Minimum between two notes of a graph to the index of its tenant, as for sessions.
    pub const GRAPH_NOTE_RESOLUTION_MS: u64 = 300_000;
}

/// The limits of every crate.
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

//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Characters of a server's error text that are kept.
    pub const MAX_UPSTREAM_MESSAGE_CHARACTERS: usize = 1_000;
    /// Bytes of JSON of the data of a server's error.
    pub const MAX_UPSTREAM_ERROR_DATA_BYTES: usize = 16_384;

    /// Bytes of a response that are searched for a message about a lost session: servers report it
    /// in one sentence.
    pub const MAX_LOST_SESSION_RESULT_BYTES: usize = 1_024;

    /// Retries of a request after a temporary failure.
    pub const UPSTREAM_RETRIES: u32 = 2;

    /// Wait before the first retry, times a random factor of 0.5 to 1.5; twice that before the
    /// second.
    pub const UPSTREAM_RETRY_MS: u64 = 250;

    /// Bytes of the body of a failed response that are read: an error of the protocol may contain a
    /// stack trace.
    pub const MAX_UPSTREAM_FAILURE_BYTES: usize = 256 * 1024;

    /// Time to wait for the body of a failed response, whose status is already known.
    pub const UPSTREAM_FAILURE_BODY_MS: u64 = 1_000;

    /// Messages of one batch, which servers of 2025-03-26 may send.
    pub const MAX_BATCHED_MESSAGES: usize = 1_000;

    /// Requests for the rest of one event stream: a server may close it while it works, and the
    /// platform limits the number of requests.
    pub const MAX_STREAM_RESUMPTIONS: u32 = 100;

    /// Wait before the rest of an event stream is requested, if the server names none. Other
    /// clients wait as long.
    pub const STREAM_RETRY_MS: u64 = 1_000;

    /// Shortest wait before the rest of an event stream is requested, even if the server names a
    /// shorter one.
    pub const MIN_STREAM_RETRY_MS: u64 = 100;

    /// Tools of one server that are read from its list.
    pub const MAX_TOOLS: usize = 2_000;

    /// Characters of a tool's name, which is also sent in a header. The protocol recommends 128.
    pub const MAX_TOOL_NAME_CHARACTERS: usize = 256;

    /// Lines in the log about one list of tools, because each of thousands of tools may be invalid.
    pub const MAX_LIST_WARNINGS: usize = 20;

    /// Pages of a server's list of tools.
    pub const MAX_TOOL_PAGES: usize = 100;

    /// Bytes of JSON of one server's list of tools, which stays in memory.
    pub const MAX_TOOL_LIST_BYTES: usize = 8 * 1024 * 1024;

    /// Nesting of a tool's schema, as JSON. Recursive functions read it.
    pub const MAX_TOOL_SCHEMA_DEPTH: usize = 64;

    /// Characters of a value or name that are shown in a warning.
    pub const MAX_SHOWN_VALUE_CHARACTERS: usize = 80;

    /// Bytes of a header that repeats a parameter, as it is sent: servers refuse longer headers.
    pub const MAX_PARAMETER_HEADER_BYTES: usize = 8 * 1024;

    /// Requests of a server that are answered at once while it works on one of ours, plus one a
    /// second: pings, and requests that this client declines.
    pub const MAX_ANSWERED_REQUESTS: u64 = 20;

    /// Bytes of an id or a token of a client, which responses repeat: clients use counters or
    /// UUIDs.
    pub const MAX_REQUEST_ID_BYTES: usize = 256;

    /// Messages of one batch of a client: each is a request of its own, and all share one timeout.
    pub const MAX_CLIENT_BATCH: usize = 50;

    /// Notifications of one call, both progress and log: its stream is stored so that it can be
    /// resumed.
    pub const MAX_TOLD_NOTICES: usize = 2_000;

    /// Times that one call may ask its client for input before the call fails.
    pub const MAX_INPUT_ROUNDS: usize = 8;

    /// Characters of a cursor, a URI or a name in a request of a client.
    pub const MAX_REQUEST_TEXT_CHARACTERS: usize = 4_096;

    /// Resources that one subscription may name.
    pub const MAX_SUBSCRIBED_RESOURCES: usize = 100;

    /// Bytes of events that a session keeps for clients whose connection breaks: one large result
    /// and the notifications before it.
    pub const MAX_SESSION_EVENT_BYTES: u64 = 4 * 1024 * 1024;

    /// Events that are read at once to be sent again.
    pub const REPLAYED_EVENTS_AT_A_TIME: u64 = 50;

    /// Resolution of the time at which a session was last used: each write is billed.
    pub const SESSION_USE_RESOLUTION_MS: u64 = 5 * 60 * 1_000;

    /// Life of a session after its last use: hosts open a session for each conversation and seldom
    /// close it.
    pub const DEFAULT_MCP_SESSION_TTL_SECONDS: u64 = 4 * 60 * 60;
    /// Time for getting an access token, including discovery: a part of the default timeout of a
    /// call.
    pub const TOKEN_TIMEOUT_MS: u64 = 10_000;
    /// Bytes of a response with a token or with metadata, which normally has a few KB.
    pub const MAX_TOKEN_RESPONSE_BYTES: usize = 64 * 1024;
    /// Bytes of an access token: servers refuse longer headers.
    pub const MAX_ACCESS_TOKEN_BYTES: usize = 16 * 1024;
    /// Assumed life of an access token whose response does not say (RFC 6749 leaves it open). It is
    /// short, because a refused token costs only one request.
    pub const ASSUMED_TOKEN_LIFETIME_MS: u64 = 5 * 60 * 1000;
    /// Longest time for which a token is kept, whatever its response says.
    pub const MAX_TOKEN_LIFETIME_MS: u64 = 24 * 60 * 60 * 1000;
    /// Time before expiry from which a token is no longer used: clocks differ, and a call takes
    /// time. A fifth of the token's life if that is less.
    pub const TOKEN_EXPIRY_MARGIN_MS: u64 = 30_000;
    /// Time without another request for a token after a failure: a program may make a thousand
    /// calls, and authorization servers lock clients out.
    pub const FAILED_TOKEN_TTL_MS: u64 = 10_000;
    /// Time for which the result of discovery is kept.
    pub const DISCOVERY_TTL_MS: u64 = 60 * 60 * 1000;
    /// Interval at which a call checks if the token that another call fetches has arrived.
    pub const TOKEN_WAIT_MS: u64 = 20;
    /// Most recent tokens of one server that are redacted from its responses.
    pub const MAX_REDACTED_TOKENS: usize = 4;
}

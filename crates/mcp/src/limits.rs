//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Characters of a server's own words in an error.
    pub const MAX_UPSTREAM_MESSAGE_CHARACTERS: usize = 1_000;
    /// Bytes of JSON of the data of a server's error.
    pub const MAX_UPSTREAM_ERROR_DATA_BYTES: usize = 16_384;

    /// Bytes of a response that are looked through for the news that the session is lost: servers tell it in one sentence.
    pub const MAX_LOST_SESSION_RESULT_BYTES: usize = 1_024;

    /// Repetitions of a request that failed in passing.
    pub const UPSTREAM_RETRIES: u32 = 2;

    /// Wait before the first retry, half of it to one and a half; twice that before the second.
    pub const UPSTREAM_RETRY_MS: u64 = 250;

    /// Body of a failed response that is looked at: an error of the protocol may bring a trace along.
    pub const MAX_UPSTREAM_FAILURE_BYTES: usize = 256 * 1024;

    /// How long the body of a failed response is waited for: its status is known.
    pub const UPSTREAM_FAILURE_BODY_MS: u64 = 1_000;

    /// Messages of one batch, as servers of 2025-03-26 may send.
    pub const MAX_BATCHED_MESSAGES: usize = 1_000;

    /// Requests for the rest of one event stream: a server may close it while it works, and the platform counts requests.
    pub const MAX_STREAM_RESUMPTIONS: u32 = 100;

    /// Wait before such a request where the server does not say, as other clients have it.
    pub const STREAM_RETRY_MS: u64 = 1_000;

    /// Wait before such a request, whatever the server says.
    pub const MIN_STREAM_RETRY_MS: u64 = 100;

    /// Tools of one server that are taken from its list.
    pub const MAX_TOOLS: usize = 2_000;

    /// Characters of a tool's name, which also stands in a header. The protocol advises 128.
    pub const MAX_TOOL_NAME_CHARACTERS: usize = 256;

    /// Lines in the log about one list of tools: each of thousands of tools may be wrong in its own way.
    pub const MAX_LIST_WARNINGS: usize = 20;

    /// Pages of a server's list of tools.
    pub const MAX_TOOL_PAGES: usize = 100;

    /// JSON text of one server's list of tools: it stays in memory.
    pub const MAX_TOOL_LIST_BYTES: usize = 8 * 1024 * 1024;

    /// Nesting of such a schema, as JSON. It is walked by recursion.
    pub const MAX_TOOL_SCHEMA_DEPTH: usize = 64;

    /// Characters shown of a value or name in such an issue.
    pub const MAX_SHOWN_VALUE_CHARACTERS: usize = 80;

    /// Value of a header that repeats a parameter, as it is sent: servers refuse longer headers.
    pub const MAX_PARAMETER_HEADER_BYTES: usize = 8 * 1024;

    /// Requests of a server that are answered at once while it works on one of ours, and one a second beyond that: pings, and what this client
    /// declines.
    pub const MAX_ANSWERED_REQUESTS: u64 = 20;

    /// An id or a token of a client, which responses repeat: clients count, or send a UUID.
    pub const MAX_REQUEST_ID_BYTES: usize = 256;

    /// Messages of one batch of a client: each is a request of its own, and one limit of time holds for all.
    pub const MAX_CLIENT_BATCH: usize = 50;

    /// Notifications of one call, progress and lines of the log together: its stream is kept so that it can be taken up again.
    pub const MAX_TOLD_NOTICES: usize = 2_000;

    /// Times that one call may ask its client for input before it gives up.
    pub const MAX_INPUT_ROUNDS: usize = 8;

    /// Characters of a cursor, a URI or a name in a request of a client.
    pub const MAX_REQUEST_TEXT_CHARACTERS: usize = 4_096;

    /// Resources that one subscription may name.
    pub const MAX_SUBSCRIBED_RESOURCES: usize = 100;

    /// Events that a session keeps for clients whose connection breaks: one large result, and what was told before it.
    pub const MAX_SESSION_EVENT_BYTES: u64 = 4 * 1024 * 1024;

    /// Events that are read at once to send them again.
    pub const REPLAYED_EVENTS_AT_A_TIME: u64 = 50;

    /// How exact the time of last use of a session is: each write is billed.
    pub const SESSION_USE_RESOLUTION_MS: u64 = 5 * 60 * 1_000;

    /// The session of a client ends this long after its last use: hosts open one for each conversation and seldom close it.
    pub const DEFAULT_MCP_SESSION_TTL_SECONDS: u64 = 4 * 60 * 60;
    /// Time for an access token, discovery included: a part of the time that a call has by default.
    pub const TOKEN_TIMEOUT_MS: u64 = 10_000;
    /// Response with a token or with metadata: they are a few KB.
    pub const MAX_TOKEN_RESPONSE_BYTES: usize = 64 * 1024;
    /// Access token: servers refuse longer headers.
    pub const MAX_ACCESS_TOKEN_BYTES: usize = 16 * 1024;
    /// Life of an access token whose response does not say (RFC 6749 leaves it open): short, because a server that refuses it costs one request.
    pub const ASSUMED_TOKEN_LIFETIME_MS: u64 = 5 * 60 * 1000;
    /// Time for which a token is remembered at most, whatever its response says.
    pub const MAX_TOKEN_LIFETIME_MS: u64 = 24 * 60 * 60 * 1000;
    /// How long before it expires a token is used no more: clocks differ, and a call takes its time. A fifth of its life if that is less.
    pub const TOKEN_EXPIRY_MARGIN_MS: u64 = 30_000;
    /// Time for which no token is asked for after a refusal: a program may call a thousand times, and authorization servers lock clients out.
    pub const FAILED_TOKEN_TTL_MS: u64 = 10_000;
    /// Time for which it is remembered where a server's tokens are issued.
    pub const DISCOVERY_TTL_MS: u64 = 60 * 60 * 1000;
    /// How often a call looks whether the token that another one fetches has come.
    pub const TOKEN_WAIT_MS: u64 = 20;
    /// Tokens of one server that are redacted of its responses: the last ones.
    pub const MAX_REDACTED_TOKENS: usize = 4;
}

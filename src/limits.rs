//! Every cap of the product: its name, its unit (in the name) and its reason.
//!
//! Limits that a deployment may change are defaults here and fields of [`crate::config::Config`]; the others follow from the
//! engine or protect the object itself. `docs/limits.md` lists them all, and a test compares that page with this file.

/// SQL text of one statement. SQLite in a Durable Object refuses longer text itself.
pub const MAX_SQL_BYTES: usize = 100_000;

/// How deep brackets (and CASE … END) may nest. Each level costs sqlparser about 45 KB of wasm stack, and the stack is 4 MiB.
pub const MAX_BRACKET_DEPTH: usize = 50;

/// Upper bound on the height of the expression tree, computed from tokens. The engine refuses depth 100; three times that leaves
/// room for the tokens that add no node, and keeps every recursive walk and drop inside the wasm stack.
pub const MAX_TREE_HEIGHT: usize = 300;

/// Names in one comma-separated run of bare identifiers. The engine takes 100 columns; parsers compare such lists pairwise.
pub const MAX_NAME_LIST: usize = 1_000;

/// Rows that one query returns before it says `truncated`.
pub const DEFAULT_MAX_RESULT_ROWS: u64 = 10_000;

/// Bytes of rows that one query returns before it says `truncated`.
pub const DEFAULT_MAX_RESULT_BYTES: usize = 16 * 1024 * 1024;

/// Rows that a recursive common table expression may produce when the statement sets no smaller LIMIT.
pub const DEFAULT_MAX_RECURSIVE_ROWS: u64 = 1_000_000;

/// Product of the rows of nested full scans above which a statement is refused: about a minute of native SQLite.
pub const DEFAULT_MAX_QUERY_WORK: u64 = 10_000_000_000;

/// How long the front Worker waits for an object before it answers 504.
pub const DEFAULT_QUERY_TIMEOUT_MS: u32 = 30_000;

/// A session is deleted this long after its last use.
pub const DEFAULT_SESSION_TTL_SECONDS: u64 = 24 * 60 * 60;

/// The time of last use is written at most this often: each write is billed.
pub const LAST_USE_RESOLUTION_MS: u64 = 5 * 60 * 1000;

/// Entries kept in `execution_logs`.
pub const MAX_EXECUTION_LOGS: u64 = 1_000;

/// Body of an ordinary JSON request: one full 2 MB value, escaped, with room to spare.
pub const DEFAULT_MAX_REQUEST_BYTES: usize = 32 * 1024 * 1024;

/// Body of a `batchInsert`: it is held in memory beside its chunks, and several objects share 128 MB.
pub const DEFAULT_MAX_BATCH_BYTES: usize = 32 * 1024 * 1024;

/// Body of a streamed load: it never is in memory as a whole. Cloudflare's own request limit is 100 MB on most plans.
pub const DEFAULT_MAX_LOAD_BYTES: u64 = 512 * 1024 * 1024;

/// Rows of one bulk chunk.
pub const BULK_CHUNK_ROWS: usize = 1_000;

/// JSON text of one bulk chunk: a bound value may hold 2 MB.
pub const BULK_CHUNK_BYTES: usize = 1_000_000;

/// One value or row, as the engine has it.
pub const MAX_VALUE_BYTES: usize = 2_000_000;

/// Parameters that the engine binds; more travel as one JSON text.
pub const ENGINE_PARAMETERS: usize = 100;

/// Parameters that one call may pass.
pub const MAX_PARAMETERS: usize = 10_000;

/// Columns of a table or result, as the engine has it.
pub const MAX_COLUMNS: usize = 100;

/// Bytes that one pull of a streamed answer yields: small enough to hold several, large enough to amortise the call.
pub const STREAM_CHUNK_BYTES: usize = 256 * 1024;

/// Rows that one pull of a streamed answer steps.
pub const STREAM_CHUNK_ROWS: usize = 2_000;

/// Characters of a session, conversation, thread or workspace name.
pub const MAX_NAME_CHARACTERS: usize = 128;

/// Characters of a `saveState` key.
pub const MAX_STATE_KEY_CHARACTERS: usize = 512;

/// Rows that `describeTable` shows.
pub const SAMPLE_ROWS: u64 = 3;

/// Alternatives named by an error or by `findColumn`.
pub const MAX_SUGGESTIONS: usize = 5;

/// Nested objects in one JSON body: serde_json refuses deeper text by itself, this is its limit.
pub const MAX_JSON_DEPTH: usize = 128;

/// How long the front Worker waits for the answer to a streamed load, which comes after its last row: a client may send slowly.
pub const LOAD_TIMEOUT_MS: u32 = 15 * 60 * 1000;

/// Characters of a name that is compared by its words and letters; longer names are compared as a whole only. The work of a
/// comparison grows with the square of this.
pub const MAX_COMPARED_CHARACTERS: usize = 128;

/// Names among which "did you mean" looks.
pub const MAX_COMPARED_NAMES: usize = 1_000;

/// Entries of the setting `COLUMN_MAPPINGS`: they are read on every cold start.
pub const MAX_COLUMN_MAPPINGS: usize = 1_000;

/// JSON text of one record of a load, or bytes of one CSV row: a row of 2 MB, with blobs in base64 or text in escapes.
pub const MAX_RECORD_BYTES: usize = 8 * 1024 * 1024;

/// Longest text that is bound as one value: a row of the stage must hold it beside its keys.
pub const MAX_BOUND_BYTES: usize = 1_900_000;

/// Chunks of a load that wait in memory; a longer load is staged in the database. Several objects share 128 MB.
pub const LOAD_MEMORY_BYTES: usize = 8 * 1024 * 1024;

/// Characters kept of one entry of `execution_logs`.
pub const MAX_LOG_CHARACTERS: usize = 2_000;

/// Entries of `execution_logs` that `getMetrics` shows.
pub const SHOWN_EXECUTION_LOGS: u64 = 100;

/// Size of a database up to which the rows of its tables are counted exactly: counting reads a whole index or table.
pub const EXACT_COUNT_BYTES: u64 = 1024 * 1024 * 1024;

/// Rows up to which a table of a larger database is counted.
pub const COUNTED_ROWS: u64 = 1_000_000;

/// Statements whose verdict and columns an object remembers.
pub const MAX_REMEMBERED_STATEMENTS: usize = 256;

/// Text of a statement that is remembered: with the limit above, the memory stays below 3 MB.
pub const MAX_REMEMBERED_SQL_BYTES: usize = 4_096;

/// Columns that a snapshot of a tenant's persistent tables holds: what lies behind them is not listed, but can be used.
pub const MAX_CATALOG_COLUMNS: u64 = 50_000;

/// A stage of the persistent database that is older than this was left by a copy that ended half-way.
pub const ABANDONED_STAGE_MS: u64 = 60 * 60 * 1000;

/// Time for a program when its request says nothing.
pub const DEFAULT_EXECUTION_TIMEOUT_MS: u32 = 30_000;

/// Time that a program may ask for.
pub const MAX_EXECUTION_TIMEOUT_MS: u32 = 300_000;

/// Time that calls of helpers may add to that of the program: its clock stands still while one is in flight.
pub const MAX_EXECUTION_WAIT_MS: u32 = 300_000;

/// How long the front Worker waits for the answer of a program: its time, its calls, its place in the queue and its end.
pub const EXECUTE_WAIT_MS: u32 = MAX_EXECUTION_TIMEOUT_MS + 2 * MAX_EXECUTION_WAIT_MS + 60_000;

/// Units of work of a program: about one for each turn of a loop or call of a function. A loop of a hundred million turns passes.
pub const MAX_EXECUTION_WORK: u32 = 1_000_000_000;

/// CPU time that the platform gives a program's isolate. Local workerd does not enforce it.
pub const DEFAULT_EXECUTION_CPU_MS: u32 = 30_000;

/// Text of a program. One of empty loops takes 120 times its length in memory while it is prepared, and an isolate has 128 MB.
pub const MAX_PROGRAM_BYTES: usize = 256 * 1024;

/// Height of a program's tree, counted from its tokens: an operator is one, a bracket eight. The parser overflows the stack of 4 MiB at
/// more than five times as much.
pub const MAX_PROGRAM_HEIGHT: u32 = 1_000;

/// Bytes that are scanned to try the readings of slashes that may divide or open a regular expression: each reading scans the text
/// once, at some 25 MB/s.
pub const MAX_SCANNED_BYTES: usize = 4 * 1024 * 1024;

/// Dynamic Workers in flight for one object, as the platform has it. More wait in order.
pub const MAX_OBJECT_ISOLATES: usize = 10;

/// Programs that may wait for one of those.
pub const MAX_WAITING_EXECUTIONS: usize = 100;

/// How long a program waits for its isolate before the request is refused.
pub const EXECUTION_QUEUE_MS: u32 = 30_000;

/// How long a program that is told to end may take to report what it has.
pub const EXECUTION_STOP_MS: u32 = 1_000;

/// Kept isolates that an object remembers.
pub const MAX_KEPT_ISOLATES: usize = 8;

/// Log entries of one run.
pub const MAX_EXECUTION_LOG_ENTRIES: usize = 200;

/// Characters of one log entry of a run.
pub const MAX_EXECUTION_LOG_CHARACTERS: usize = 2_000;

/// Characters of all log entries of a run.
pub const MAX_EXECUTION_LOGS_CHARACTERS: usize = 64 * 1024;

/// Calls of helpers that one run may make.
pub const MAX_EXECUTION_CALLS: usize = 1_000;

/// Calls of one run that the host works on at a time; more wait in the isolate.
pub const MAX_CALLS_IN_FLIGHT: usize = 32;

/// Streams of rows that one run may have open.
pub const MAX_OPEN_STREAMS: usize = 8;

/// Progress events of one run that reach the client.
pub const MAX_PROGRESS_EVENTS: usize = 1_000;

/// Result of a program that is answered as it is; a larger one goes into a table.
pub const MAX_INLINE_RESULT_BYTES: usize = 1024 * 1024;

/// Records of a result that are answered as they are; more go into a table.
pub const MAX_INLINE_RESULT_RECORDS: usize = 1_000;

/// Result of a program as JSON text: an RPC message of the platform takes 32 MiB.
pub const MAX_EXECUTION_RESULT_BYTES: usize = 30 * 1024 * 1024;

/// Text of one piece of a result that is no list, where it goes into a table.
pub const RESULT_PIECE_CHARACTERS: usize = 500_000;

/// Characters shown of a text in the sample of a receipt.
pub const SAMPLE_TEXT_CHARACTERS: usize = 200;

/// Silence after which a live answer gets a comment, so that nobody on the way takes the connection for dead.
pub const HEARTBEAT_MS: u32 = 10_000;

/// Executions that a list shows when the request says nothing.
pub const DEFAULT_LISTED_EXECUTIONS: u64 = 20;

/// Executions that a list shows.
pub const MAX_LISTED_EXECUTIONS: u64 = 200;

/// Tokens that the guidance for a model may take, by the estimate of four characters each.
pub const MAX_PROMPT_TOKENS: usize = 2_000;

/// Prepared programs that an object remembers.
pub const MAX_REMEMBERED_PROGRAMS: usize = 16;

/// Text of a program that is remembered: with its module and map, sixteen of them stay below 4 MB.
pub const MAX_REMEMBERED_PROGRAM_BYTES: usize = 32 * 1024;

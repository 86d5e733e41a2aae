//! Every cap of the product: its name, its unit (in the name) and its reason.
//!
//! Limits that a deployment may change are defaults here and fields of [`crate::config::Config`]; the others follow from the
//! engine or protect the object itself. Those that a caller can meet are in `docs/limits.md`, the others in ARCHITECTURE.md; a test compares
//! both tables with this file. One file, because that list is what a reader looks for.

/// SQL text of one statement. SQLite in a Durable Object refuses longer text itself.
pub const MAX_SQL_BYTES: usize = 100_000;

/// How deep brackets (and CASE … END) may nest. The walks over the tree recurse with each level, and the stack is 4 MiB; the engine's own
/// parser gives up at some 100 levels.
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

/// Work of a statement, in units of 10 ns, above which it is refused: the 30 s that a request has.
pub const DEFAULT_MAX_QUERY_WORK: u64 = 3_000_000_000;

/// Size of a database up to which a plain pass over one table is not estimated: whatever it does with each byte, it ends in time.
pub const MAX_ONE_PASS_BYTES: u64 = 256 * 1024 * 1024;

/// Rows of a table up to which the rows that share a key are counted: grouping ten million takes some seconds.
pub const MAX_KEY_COUNTED_ROWS: u64 = 10_000_000;

/// References to tables and sub-queries that a statement may have beyond those it writes, once each view and common table expression is
/// replaced by what it stands for, as SQLite does before it compiles. Statements of people and models have a few dozens; a statement of
/// 500 compiles in milliseconds, and each doubling of a chain of names doubles it.
pub const MAX_REFERENCE_COPIES: u64 = 500;

/// Parts of expressions that a statement may have beyond those it writes, once each column of a sub-query, a view or a generated column is
/// replaced by its expression, as SQLite does when it flattens queries.
pub const MAX_EXPRESSION_COPIES: u64 = 20_000;

/// Height of a statement's tree with the trees of the definitions that it names on top: the measure recurses, and the stack is 4 MiB.
/// `MAX_TREE_HEIGHT` bounds each text by itself.
pub const MAX_EXPANDED_HEIGHT: usize = 600;

/// References of all views of a session together, up to which a statement may run that makes SQLite compile all of them, such as ALTER
/// TABLE … RENAME.
pub const MAX_SCHEMA_REFERENCES: u64 = 20_000;

/// Bytes that a recursive common table expression may hand from row to row: its rows times the longest row. 4 GB take the engine 2 to 4
/// seconds. One with UNION compares each row with those before and has a quarter of it.
pub const MAX_CARRIED_BYTES: u64 = 4_000_000_000;

/// Length of a text from which each row takes a part, such as a list that is split, beyond what its recursion may hand on otherwise.
pub const MAX_SHRINKING_BYTES: u64 = 20_000;

/// Estimated work of a statement on its values, in nanoseconds of native SQLite: a sixth of the time that a request has, because the
/// machine may be slower and the estimate does not know what columns hold.
pub const MAX_VALUE_WORK_NS: u64 = 5_000_000_000;

/// How long the front Worker waits for an object before it returns 504.
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

/// How long the front Worker waits for the response to a streamed load, which comes after its last row: a client may send slowly.
pub const LOAD_TIMEOUT_MS: u32 = 15 * 60 * 1000;

/// Characters of a name that is compared by its words and letters; longer names are compared as a whole only. The work of a
/// comparison grows with the square of this.
pub const MAX_COMPARED_CHARACTERS: usize = 128;

/// Names among which "did you mean" looks.
pub const MAX_COMPARED_NAMES: usize = 1_000;

/// Entries of the environment variable `COLUMN_MAPPINGS`: they are read on every cold start.
pub const MAX_COLUMN_MAPPINGS: usize = 1_000;

/// JSON text of one record of a load, or bytes of one CSV row: a row of 2 MB, with blobs in base64 or text in escapes.
pub const MAX_RECORD_BYTES: usize = 8 * 1024 * 1024;

/// JSON text of one object around the list of records of a load, which is held whole, twice for a moment.
pub const MAX_WRAPPED_BYTES: usize = 16 * 1024 * 1024;

/// Body of a load that becomes several tables: it is read twice, as a tool's response is, and held meanwhile.
pub const MAX_STAGED_BODY_BYTES: usize = 32 * 1024 * 1024;

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

/// How long the front Worker waits for the response of a program: its time, its calls, its place in the queue and its end.
pub const EXECUTE_WAIT_MS: u32 = MAX_EXECUTION_TIMEOUT_MS + 2 * MAX_EXECUTION_WAIT_MS + 60_000;

/// Units of work of a program: about one for each turn of a loop of arithmetic, four for each other turn and each call of a function. A
/// loop of a hundred million turns passes.
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

/// Tools of servers whose last responses a run remembers, for hints.
pub const MAX_REMEMBERED_ANSWERS: usize = 64;

/// Keys of a response that a hint names.
pub const MAX_HINTED_KEYS: usize = 8;

/// Characters of each.
pub const MAX_HINTED_KEY_CHARACTERS: usize = 40;

/// Of a response that is an object, what is read for its first keys: it costs a moment, and most objects have them there.
pub const READ_FOR_HINTED_KEYS_BYTES: usize = 16 * 1024;

/// Result of a program that is answered as it is; a larger one goes into a table.
pub const MAX_INLINE_RESULT_BYTES: usize = 1024 * 1024;

/// The least that a caller may make of it with `maxResultBytes`: every result but an empty text then becomes a table.
pub const MIN_INLINE_RESULT_BYTES: usize = 1;

/// Records of a result that are answered as they are; more go into a table.
pub const MAX_INLINE_RESULT_RECORDS: usize = 1_000;

/// Result of a program as JSON text: an RPC message of the platform takes 32 MiB.
pub const MAX_EXECUTION_RESULT_BYTES: usize = 30 * 1024 * 1024;

/// Text of one piece of a result that is no list, where it goes into a table.
pub const RESULT_PIECE_CHARACTERS: usize = 500_000;

/// Characters shown of a text in the sample of a result reference.
pub const SAMPLE_TEXT_CHARACTERS: usize = 200;

/// Silence after which a live answer gets a comment, so that nobody on the way takes the connection for dead.
pub const HEARTBEAT_MS: u32 = 10_000;

/// Executions that a list shows when the request says nothing.
pub const DEFAULT_LISTED_EXECUTIONS: u64 = 20;

/// Executions that a list shows.
pub const MAX_LISTED_EXECUTIONS: u64 = 200;

/// Tokens that the guidance for a model may take, by the estimate of four characters each.
pub const MAX_PROMPT_TOKENS: usize = 4_000;

/// The short form of the guidance: hosts bound the description of a tool to 1,024 characters.
pub const MAX_SHORT_PROMPT_CHARACTERS: usize = 990;

/// Prepared programs that an object remembers.
pub const MAX_REMEMBERED_PROGRAMS: usize = 16;

/// Text of a program that is remembered: with its module and map, sixteen of them stay below 4 MB.
pub const MAX_REMEMBERED_PROGRAM_BYTES: usize = 32 * 1024;

/// Response of another server, read as a stream: it is in memory as a whole, beside what is made of it, and objects share 128 MB.
pub const MAX_UPSTREAM_ANSWER_BYTES: usize = 32 * 1024 * 1024;

/// Nesting of a server's response, envelope included: readers of JSON, serde_json among them, refuse what is deeper than 128.
pub const MAX_UPSTREAM_DEPTH: usize = 120;

/// Characters of a server's own words in an error.
pub const MAX_UPSTREAM_MESSAGE_CHARACTERS: usize = 1_000;

/// How long a server may take for one call, retries included, where its entry in `MCP_SERVERS` says nothing.
pub const DEFAULT_UPSTREAM_TIMEOUT_MS: u32 = 30_000;

/// How long a server's entry in `MCP_SERVERS` may let it take.
pub const MAX_UPSTREAM_TIMEOUT_MS: u32 = 300_000;

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

/// Id of an event in a server's stream: it is sent back in a header, and servers refuse longer ones.
pub const MAX_EVENT_ID_BYTES: usize = 1_024;

/// Requests for the rest of one event stream: a server may close it while it works, and the platform counts requests.
pub const MAX_STREAM_RESUMPTIONS: u32 = 100;

/// Wait before such a request where the server does not say, as other clients have it.
pub const STREAM_RETRY_MS: u64 = 1_000;

/// Wait before such a request, whatever the server says.
pub const MIN_STREAM_RETRY_MS: u64 = 100;

/// Entries of `MCP_SERVERS`.
pub const MAX_SERVERS: usize = 64;

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

/// Issues that the check of one GraphQL response lists; the rest are counted.
pub const MAX_GRAPHQL_ISSUES: usize = 100;

/// Names of null root fields that a check lists: a program that asks for many records under aliases asks for these again.
pub const MAX_GRAPHQL_NULL_FIELDS: usize = 1_000;

/// Responses of one list, as servers answer several queries at once, that a check looks at.
pub const MAX_GRAPHQL_BATCH: usize = 1_000;

/// Paths of nulls that a check tells apart, such as `data.genes[].name`. Data with names for keys could have millions.
pub const MAX_GRAPHQL_NULL_PATHS: usize = 1_000;

/// Characters of one text of a GraphQL check: a message of the server, a path, a call as it is quoted.
pub const MAX_GRAPHQL_TEXT_CHARACTERS: usize = 300;

/// Text of a GraphQL query that is read. A longer one is left to its server.
pub const MAX_GRAPHQL_QUERY_BYTES: usize = 256 * 1024;

/// Tokens of a GraphQL query that is read, blanks between them included: its tree takes some hundred bytes for each.
pub const MAX_GRAPHQL_QUERY_TOKENS: usize = 20_000;

/// Nesting of a GraphQL query or schema that is read. The tree is walked and dropped by recursion, on a wasm stack of 4 MiB.
pub const MAX_GRAPHQL_DEPTH: usize = 100;

/// Issues that are listed of one GraphQL query: for each, names are compared.
pub const MAX_GRAPHQL_QUERY_ISSUES: usize = 20;

/// Text of the response of an introspection: that of GitHub, one of the largest, has some 5 MB.
pub const MAX_GRAPHQL_INTROSPECTION_BYTES: usize = 16 * 1024 * 1024;

/// Text of a schema in the schema definition language: the parser keeps all of it as a tree.
pub const MAX_GRAPHQL_SDL_BYTES: usize = 2 * 1024 * 1024;

/// Tokens of such a text.
pub const MAX_GRAPHQL_SDL_TOKENS: usize = 400_000;

/// JSON objects in the response of an introspection, each a type, a field, an argument or a part of one: that of GitHub has about a third.
pub const MAX_GRAPHQL_SCHEMA_MEMBERS: usize = 300_000;

/// How long a list of tools is remembered where its server does not say.
pub const TOOL_LIST_TTL_MS: u64 = 5 * 60 * 1000;

/// How long a list of tools is remembered at least: servers send 0 because it is the default of their library, and each call would list again.
pub const MIN_TOOL_LIST_TTL_MS: u64 = 30_000;

/// How long a list of tools is remembered at most, whatever its server says.
pub const MAX_TOOL_LIST_TTL_MS: u64 = 60 * 60 * 1000;

/// How long searches and the guidance leave out a server whose list has failed: they would wait for its timeout each time.
pub const FAILED_LIST_TTL_MS: u64 = 15_000;

/// Lists of tools that an instance remembers.
pub const MAX_REMEMBERED_TOOL_LISTS: usize = 256;

/// Text of those lists together: as values they take several times as much.
pub const MAX_REMEMBERED_TOOL_BYTES: usize = 10 * 1024 * 1024;

/// GraphQL schemas that are remembered of one server: it may have several tools and databases.
pub const MAX_REMEMBERED_SCHEMAS: usize = 8;

/// Time for which a search or the guidance waits for the list of one server, if its own time is not shorter.
pub const OVERVIEW_TIMEOUT_MS: u32 = 10_000;

/// Schemas of arguments that an instance keeps ready, of all servers and tenants together, about: a pattern becomes a machine.
pub const MAX_REMEMBERED_CHECKER_BYTES: usize = 8 * 1024 * 1024;

/// Text of the schemas that an instance remembers, all servers and tenants together: as values they take some five times as much. That of
/// GitHub, one of the largest, fits in.
pub const MAX_REMEMBERED_SCHEMA_BYTES: usize = 6 * 1024 * 1024;

/// Time for which a GraphQL server that could not be asked for its schema is not asked again.
pub const FAILED_SCHEMA_TTL_MS: u64 = 60_000;

/// Age of a remembered list from which on a tool that it lacks is a reason to list again. Of a GraphQL schema, from which on a query that
/// it does not allow is one.
pub const TOOL_LIST_REFRESH_MS: u64 = 10_000;

/// Names of tools in an error.
pub const MAX_AVAILABLE_TOOLS: usize = 50;

/// Time for asking a GraphQL server for its schema, which a call waits for once.
pub const INTROSPECTION_TIMEOUT_MS: u32 = 10_000;

/// Response that the proxy passes on as it is: a model reads it. A larger one goes into tables of the session.
pub const MAX_PROXY_INLINE_BYTES: usize = 30 * 1024;

/// Records of a response that the proxy passes on as they are.
pub const MAX_PROXY_INLINE_RECORDS: usize = 100;

/// Text of base64 that a model gets as it is; what is longer becomes a blob in a table.
pub const MAX_SHOWN_BASE64_BYTES: usize = 4 * 1024;

/// Response that a program gets as it is.
pub const MAX_PROGRAM_INLINE_BYTES: usize = 1024 * 1024;

/// Records of a response that a program gets as they are.
pub const MAX_PROGRAM_INLINE_RECORDS: usize = 1_000;

/// Tools that a search or list shows when the request says nothing.
pub const DEFAULT_LISTED_TOOLS: usize = 20;

/// Tools that a search or list shows.
pub const MAX_LISTED_TOOLS: usize = 200;

/// Characters of a search.
pub const MAX_SEARCH_CHARACTERS: usize = 500;

/// Characters of a tool's own words about its failure.
pub const MAX_TOOL_ERROR_CHARACTERS: usize = 4_000;

/// Schema of a tool that its arguments are checked against, about, as JSON text. The largest of public servers have some 60 KB.
pub const MAX_TOOL_SCHEMA_BYTES: usize = 256 * 1024;

/// Nesting of such a schema, as JSON. It is walked by recursion.
pub const MAX_TOOL_SCHEMA_DEPTH: usize = 64;

/// Schemas within such a schema. The validator looks each of them up in a list of all.
pub const MAX_TOOL_SCHEMA_PARTS: usize = 2_000;

/// Addresses of all of those, added up: the validator keeps each several times.
pub const MAX_TOOL_SCHEMA_ADDRESS_BYTES: usize = 1024 * 1024;

/// Schemas and values that one check of arguments may bring together. Each may leave an error of some hundred bytes.
pub const MAX_SCHEMA_CHECK_VISITS: u64 = 200_000;

/// Work of one check of arguments: allowed values compared, items hashed, eight states of an expression on one byte of a text.
pub const MAX_SCHEMA_CHECK_WORK: u64 = 10_000_000;

/// Missing names that one check of arguments may find: each error keeps those of its own, at 16 bytes a name.
pub const MAX_SCHEMA_CHECK_MISSING: u64 = 1_000_000;

/// Schemas within schemas that one check of arguments may enter: each is a step of recursion.
pub const MAX_SCHEMA_CHECK_DEPTH: usize = 128;

/// Regular expression of a schema that is checked.
pub const MAX_PATTERN_BYTES: usize = 1_000;

/// States that such an expression may be compiled to, as foreseen from its text.
pub const MAX_PATTERN_WEIGHT: u64 = 5_000;

/// The same of all expressions of one schema together: each takes a microsecond to make and some 80 bytes as long as the schema is remembered.
pub const MAX_TOOL_SCHEMA_PATTERN_WEIGHT: u64 = 20_000;

/// Times that a schema is gone through until nothing is left in it that cannot be checked: one mistake seldom brings another to light.
pub const MAX_SCHEMA_ROUNDS: usize = 16;

/// Issues that are listed of the arguments of one call.
pub const MAX_ARGUMENT_ISSUES: usize = 20;

/// Characters shown of a value or name in such an issue.
pub const MAX_SHOWN_VALUE_CHARACTERS: usize = 80;

/// Characters shown of the place of such an issue.
pub const MAX_SHOWN_PATH_CHARACTERS: usize = 200;

/// Values or names that such an issue lists.
pub const MAX_SHOWN_VALUES: usize = 12;

/// Forms that are looked into where a value fits none of several.
pub const MAX_EXPLAINED_BRANCHES: usize = 50;

/// Forms that such an issue describes.
pub const MAX_SHOWN_BRANCHES: usize = 4;

/// Rows that staging makes of one response.
pub const DEFAULT_MAX_STAGED_ROWS: u64 = 200_000;

/// Tables that staging keeps in a session.
pub const DEFAULT_MAX_STAGED_TABLES: u64 = 200;

/// Tables that staging makes of one response; further lists of records stay JSON in a column.
pub const MAX_STAGED_ANSWER_TABLES: usize = 20;

/// Objects and lists around a value that becomes a column; what lies deeper stays JSON. The walk recurses that deep.
pub const MAX_STAGED_DEPTH: usize = 16;

/// Keys of one object that staging tells apart, twice what a table has columns: an object with more of them stays JSON.
pub const MAX_STAGED_KEYS: usize = 200;

/// Places, such as `results[].authors[].name`, that staging tells apart in a response: each takes some 200 bytes of memory.
pub const MAX_STAGED_PLACES: usize = 5_000;

/// Characters of the name of a column that staging makes, and of each part of the name of a table.
pub const MAX_STAGED_NAME_CHARACTERS: usize = 64;

/// Sample of one table in the result reference of a staged response: a model reads it.
pub const STAGED_SAMPLE_BYTES: usize = 2_000;

/// The tables in a result reference, beyond which samples and columns are left out of it.
pub const STAGED_RECEIPT_BYTES: usize = 12_000;

/// Columns of one table that remain in a result reference in which columns are left out.
pub const STAGED_RECEIPT_COLUMNS: usize = 8;

/// Errors of one check that are put into words: branches of schemas can have thousands.
pub const MAX_EXPLAINED_ERRORS: u32 = 300;

/// Names of parameters, or allowed values, among which the nearest are looked for.
pub const MAX_NEAR_PARAMETERS: usize = 200;

/// Value of a header that repeats a parameter, as it is sent: servers refuse longer headers.
pub const MAX_PARAMETER_HEADER_BYTES: usize = 8 * 1024;

/// Arguments of a tool among which a GraphQL document is looked for, with its variables.
pub const MAX_GRAPHQL_ARGUMENTS_BYTES: usize = 1024 * 1024;

/// Declaration of one tool, in TypeScript: larger ones lose their descriptions, then their parameters.
pub const MAX_TOOL_DECLARATION_CHARACTERS: usize = 6_000;

/// Parts of one schema that become a type; what lies behind is `any`.
pub const MAX_DECLARED_PARTS: usize = 300;

/// Types within types of one declaration.
pub const MAX_DECLARED_DEPTH: usize = 12;

/// Values of one enumeration, or items of one tuple, that a declaration lists.
pub const MAX_DECLARED_CHOICES: usize = 24;

/// Characters of a name in a declaration, as the protocol has it for tools. What has a longer one is left out: a cut name would be another.
pub const MAX_DECLARED_NAME_CHARACTERS: usize = 128;

/// Characters of the description of a tool in its declaration.
pub const DECLARED_TOOL_DESCRIPTION_CHARACTERS: usize = 600;

/// Characters of the first sentence that stands for it where room is short.
pub const DECLARED_TOOL_SENTENCE_CHARACTERS: usize = 100;

/// Characters of the description of a parameter in a declaration.
pub const DECLARED_NOTE_CHARACTERS: usize = 120;

/// Characters of an object type that stands on one line.
pub const DECLARED_LINE_CHARACTERS: usize = 90;

/// Words of a query for tools that are looked for.
pub const MAX_SEARCH_WORDS: usize = 12;

/// Bytes of a word that is looked for or found; a longer one is cut.
pub const MAX_SEARCH_WORD_BYTES: usize = 40;

/// Bytes of a tool's description that a search reads: its subject stands at the beginning.
pub const MAX_SEARCHED_DESCRIPTION_BYTES: usize = 600;

/// Bytes of a parameter's description that a search reads.
pub const MAX_SEARCHED_NOTE_BYTES: usize = 120;

/// Parameters of one tool that a search looks at.
pub const MAX_SEARCHED_PARAMETERS: usize = 40;

/// Characters of the reason why a server's tools are not in the guidance for a model.
pub const SHOWN_LISTING_ERROR_CHARACTERS: usize = 160;

/// Responses of servers that one instance reads at a time, together: it shares 128 MB with all its objects, and a response is held two or
/// three times while it is taken apart.
pub const MAX_UPSTREAM_READING_BYTES: usize = 40 * 1024 * 1024;

/// First part of each response that does not count towards that, so that small responses are read whatever else is: the platform hands out
/// pieces of that size.
pub const UNCOUNTED_ANSWER_BYTES: usize = 256 * 1024;

/// How long a request may take whose answer nobody waits for, such as the end of a session.
pub const FORGOTTEN_REQUEST_MS: u64 = 5_000;

/// JSON text of a tool's schema in an error: a larger one is cut to the parameters that matter there, because a model reads it.
pub const MAX_ERROR_SCHEMA_BYTES: usize = 6 * 1024;

/// Requests of a server that are answered at once while it works on one of ours, and one a second beyond that: pings, and what this client
/// declines.
pub const MAX_ANSWERED_REQUESTS: u64 = 20;

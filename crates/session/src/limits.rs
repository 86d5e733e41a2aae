//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Rows that one query returns before it says `truncated`.
    pub const DEFAULT_MAX_RESULT_ROWS: u64 = 10_000;

    /// Bytes of rows that one query returns before it says `truncated`.
    pub const DEFAULT_MAX_RESULT_BYTES: usize = 16 * 1024 * 1024;

    /// A session is deleted this long after its last use.
    pub const DEFAULT_SESSION_TTL_SECONDS: u64 = 24 * 60 * 60;

    /// The time of last use is written at most this often: each write is billed.
    pub const LAST_USE_RESOLUTION_MS: u64 = 5 * 60 * 1000;

    /// Entries kept in `execution_logs`.
    pub const MAX_EXECUTION_LOGS: u64 = 1_000;

    /// Rows of one bulk chunk.
    pub const BULK_CHUNK_ROWS: usize = 1_000;

    /// JSON text of one bulk chunk: a bound value may hold 2 MB.
    pub const BULK_CHUNK_BYTES: usize = 1_000_000;

    /// Bytes that one pull of a streamed answer yields: small enough to hold several, large enough to amortise the call.
    pub const STREAM_CHUNK_BYTES: usize = 256 * 1024;

    /// Rows that one pull of a streamed answer steps.
    pub const STREAM_CHUNK_ROWS: usize = 2_000;

    /// Characters of a `saveState` key.
    pub const MAX_STATE_KEY_CHARACTERS: usize = 512;

    /// Rows that `describeTable` shows.
    pub const SAMPLE_ROWS: u64 = 3;

    /// Nested objects in one JSON body: serde_json refuses deeper text by itself, this is its limit.
    pub const MAX_JSON_DEPTH: usize = 128;

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

    /// JSON of definitions that one guard of the persistent database compares; more become several guards. D1 takes values of 2 MB.
    pub const MAX_GUARD_BYTES: usize = 512 * 1024;

    /// A transfer table of the persistent database that is older than this was left by a copy that ended half-way.
    pub const ABANDONED_TRANSFER_MS: u64 = 60 * 60 * 1000;

    /// Characters shown of a text in the sample of a result reference.
    pub const SAMPLE_TEXT_CHARACTERS: usize = 200;

    /// Entries of a run's console that `execution_logs` keeps, the last ones: the end is where a failure shows.
    pub const MAX_KEPT_OUTPUT_ENTRIES: usize = 50;

    /// Bytes of their texts: with [`MAX_EXECUTION_LOGS`] runs a session keeps 8 MB of them, and the longest single entry has room.
    pub const MAX_KEPT_OUTPUT_BYTES: usize = 8 * 1024;

    /// Characters of the message of a run's failure that `execution_logs` keeps, and of its hint.
    pub const MAX_KEPT_FAILURE_CHARACTERS: usize = 1_000;

    /// Executions that a list shows when the request says nothing.
    pub const DEFAULT_LISTED_EXECUTIONS: u64 = 20;

    /// Executions that a list shows.
    pub const MAX_LISTED_EXECUTIONS: u64 = 200;

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

    /// Life of a confirmation: long enough for a person to read what is asked, short enough that the data is still what was read.
    pub const CONFIRMATION_TTL_MS: u64 = 5 * 60 * 1000;

    /// Event streams of changes that a session has open: a handful for each client of it, and what waits for their readers stays small.
    pub const MAX_WATCHERS: usize = 128;

    /// Body of a streamed load: it never is in memory as a whole. Cloudflare's own request limit is 100 MB on most plans.
    pub const DEFAULT_MAX_LOAD_BYTES: u64 = 512 * 1024 * 1024;

    /// Rows that a dry run changes, those that foreign keys change with them counted too. Each is recorded and put back: some 10 µs.
    pub const MAX_DRY_RUN_ROWS: u64 = 20_000;

    /// Bytes of rows before and after that a dry run changes: they are copied, and what is rolled back was written.
    pub const MAX_DRY_RUN_BYTES: u64 = 32 * 1024 * 1024;

    /// Pages of 4 KB that a dry run changes, in a database that has more than that: the engine holds each in memory until it is put back. A changed row
    /// changes one of its table and one of each index.
    pub const MAX_DRY_RUN_PAGES: u64 = 16_384;

    /// Size of such a page.
    pub const PAGE_BYTES: u64 = 4_096;

    /// Estimated work of a statement that is run in order to see what it does, in units of 10 ns: 5 s, during which the object serves nobody.
    pub const MAX_DRY_RUN_WORK: u64 = 500_000_000;

    /// Tables that foreign keys let one statement change: each takes three triggers.
    pub const MAX_TOUCHED_TABLES: u64 = 50;

    /// Values of one row of `_codemode_images`. A table has 100 columns and the engine no wider one, so a row with its rowid takes two.
    pub const IMAGE_COLUMNS: usize = 64;

    /// Terms of one chain of operators in SQL of ours: the engine takes an expression 100 levels deep.
    pub const CHAINED_TERMS: usize = 25;

    /// Rows whose images are kept so that they can be put back, one statement for each: about a second.
    pub const MAX_UNDO_ROWS: u64 = 20_000;

    /// Bytes of images that a preview counts with when it says whether a statement could be undone.
    pub const PREVIEW_UNDO_BYTES: u64 = 8 * 1024 * 1024;

    /// Bytes of images that one statement may keep, whatever is asked for.
    pub const MAX_UNDO_BYTES: u64 = 32 * 1024 * 1024;

    /// Bytes of images that a session keeps of all statements; the oldest are deleted first.
    pub const MAX_UNDO_TOTAL_BYTES: u64 = 64 * 1024 * 1024;

    /// For which the images of a statement are kept: a working day and the night behind it.
    pub const UNDO_RETENTION_MS: u64 = 24 * 60 * 60 * 1000;

    /// For which it is known that an approved statement has run: far longer than any approval waits.
    pub const APPROVED_RETENTION_MS: u64 = 30 * 24 * 60 * 60 * 1000;

    /// Rows before and after that a preview shows, and that the error of an undo lists.
    pub const PREVIEW_SAMPLE_ROWS: usize = 5;

    /// Rows of each table whose images a dry run keeps, of which the sample is taken.
    pub const SAMPLED_IMAGES: u64 = 10;

    /// Characters of one value in such a row; what is cut is named beside it.
    pub const PREVIEW_VALUE_CHARACTERS: usize = 500;

    /// Bytes of rows in the stored outcome of an approved statement: with the rest it is one value of the engine.
    pub const MAX_OUTCOME_ROW_BYTES: usize = 1_000_000;

    /// Rows of the table that keeps the whole result of an approved read: as many as staging makes of a response.
    pub const MAX_RESULT_TABLE_ROWS: u64 = 200_000;

    /// For which such a table is kept, unless a caller takes it over: as long as the statement can be undone.
    pub const RESULT_TABLE_RETENTION_MS: u64 = UNDO_RETENTION_MS;

    /// Tables of results in a session. The oldest end first.
    pub const MAX_RESULT_TABLES: u64 = 50;

    /// Names that are tried for such a table.
    pub const RESULT_TABLE_NAMES: usize = 8;

    /// Work of a read that may run without a person, in units of 10 ns: a tenth of a second.
    pub const CHEAP_WORK: u64 = 10_000_000;

    /// Rows of a result that a preview counts.
    pub const PREVIEW_COUNTED_ROWS: u64 = 10_000;

    /// Rows of one table that a preview or a schema counts, some 20 ms.
    pub const TABLE_COUNTED_ROWS: u64 = 100_000;

    /// Rows that all counts of one schema read.
    pub const SCHEMA_COUNTED_ROWS: u64 = 1_000_000;

    /// Sentences of a plan; a statement of many parts has more lines than a person reads.
    pub const MAX_PLAN_SENTENCES: usize = 40;

    /// Tables, indexes and views that are made again, without rows, to try an index: each is a statement.
    pub const MAX_COPIED_DEFINITIONS: u64 = 200;

    /// Columns of a table that indexes are tried on.
    pub const MAX_TRIED_COLUMNS: usize = 8;

    /// Indexes that are suggested for one statement.
    pub const MAX_SUGGESTED_INDEXES: usize = 3;

    /// Rows below which a table needs no index: reading it whole takes as long.
    pub const LEAST_INDEXED_ROWS: u64 = 100;

    /// Rows of the tables with foreign keys that are checked once an undo is complete.
    pub const MAX_CHECKED_ROWS: u64 = 200_000;

    /// Tables of one schema, whatever is asked for.
    pub const MAX_SCHEMA_TABLES: usize = 500;

    /// JSON bytes of one schema, whatever is asked for.
    pub const MAX_SCHEMA_JSON_BYTES: usize = 1024 * 1024;

    /// Tables of one schema of the persistent database: each costs two statements there, of which one request may send 1,000.
    pub const PERSISTENT_SCHEMA_TABLES: usize = 100;

    /// Text columns of one schema of the persistent database whose values are looked for, a statement each.
    pub const PERSISTENT_SCHEMA_COLUMNS: usize = 200;

    /// Rows of a table among which a schema finds sample values.
    pub const SCHEMA_SAMPLE_ROWS: usize = 20;

    /// Sample values of a column.
    pub const SCHEMA_SAMPLES: usize = 3;

    /// Values of a text column that has few, all of which are listed.
    pub const SCHEMA_DISTINCT_VALUES: usize = 20;

    /// Rows of a table among which a schema finds all values of a text column.
    pub const SCHEMA_DISTINCT_ROWS: usize = 1_000;

    /// Work of the look-ups of one question, in units of 10 ns: a second. A column that does not fit is unread.
    pub const LOOKUP_WORK: u64 = 100_000_000;

    /// Work of one value that a look-up compares.
    pub const LOOKUP_VALUE_WORK: u64 = 60;

    /// Work of one value for each text that it may resemble.
    pub const LOOKUP_NEAR_WORK: u64 = 15;

    /// Work of one column of a row whose length is asked for, before a table is looked into.
    pub const LOOKUP_MEASURE_WORK: u64 = 5;

    /// Bytes of rows that are read in 10 ns: the engine walks through a long value to what stands behind it.
    pub const LOOKUP_BYTES_OF_WORK: u64 = 12;

    /// Work of a statement of a look-up before its first row: it compiles a hundred columns.
    pub const LOOKUP_STATEMENT_WORK: u64 = 20_000;

    /// Values that one scan of a table returns.
    pub const LOOKUP_FOUND: usize = 20_000;

    /// Work of one of them: it becomes text of ours, whose spelling is compared.
    pub const LOOKUP_FOUND_WORK: u64 = 500;

    /// Values that the look-ups of one question read in the persistent database, rows times columns: it bills what is read.
    pub const PERSISTENT_LOOKUP_ROWS: u64 = 500_000;

    /// Pairs of columns of one look-up whose values are compared.
    pub const LOOKUP_JOINS: usize = 12;

    /// Work of one row of both tables for that: it is sorted among the different values of its column.
    pub const LOOKUP_JOIN_WORK: u64 = 200;

    /// Text columns of one look-up.
    pub const LOOKUP_COLUMNS: usize = 200;

    /// Texts of one look-up: the word groups of a long question.
    pub const LOOKUP_TEXTS: usize = 4_000;

    /// Texts of one look-up that values may resemble: each is compared with every value.
    pub const LOOKUP_NEAR_TEXTS: usize = 4;

    /// Values of one column that a look-up returns.
    pub const LOOKUP_VALUES: usize = 20;

    /// Values of one column whose spelling is compared.
    pub const LOOKUP_NEAR_VALUES: usize = 2_000;

    /// Bytes of a value that a look-up compares: longer ones are no names.
    pub const LOOKUP_VALUE_BYTES: usize = 200;

    /// Letters of a word up to which one of them may be another; in longer ones two.
    pub const SHORT_WORD_CHARACTERS: usize = 5;

    /// Characters of one value in a schema.
    pub const SCHEMA_VALUE_CHARACTERS: usize = 80;

    /// Bytes of a value that a schema reads: the engine would load a longer one as a whole.
    pub const SCHEMA_VALUE_BYTES: usize = 20_000;

    /// Characters of the name of an approval.
    pub const MAX_APPROVAL_ID_CHARACTERS: usize = 128;
}

//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// The number of rows that one query returns before it sets `truncated`.
    pub const DEFAULT_MAX_RESULT_ROWS: u64 = 10_000;

    /// The size of the rows that one query returns before it sets `truncated`, in bytes.
    pub const DEFAULT_MAX_RESULT_BYTES: usize = 16 * 1024 * 1024;

    /// The time from the last use of a session to its expiry.
    pub const DEFAULT_SESSION_TTL_SECONDS: u64 = 24 * 60 * 60;

    /// The shortest time between two writes of the time of last use: each write is billed.
    pub const LAST_USE_RESOLUTION_MS: u64 = 5 * 60 * 1000;

    /// Entries kept in `execution_logs`.
    pub const MAX_EXECUTION_LOGS: u64 = 1_000;

    /// Rows of one bulk chunk.
    pub const BULK_CHUNK_ROWS: usize = 1_000;

    /// The size of the JSON text of one bulk chunk, in bytes: a bound value may hold 2 MB.
    pub const BULK_CHUNK_BYTES: usize = 1_000_000;

    /// Bytes of one piece of a streamed response: small enough to hold several, large enough to
    /// amortise the call.
    pub const STREAM_CHUNK_BYTES: usize = 256 * 1024;

    /// Rows that are read for one piece of a streamed response.
    pub const STREAM_CHUNK_ROWS: usize = 2_000;

    /// Characters of a `saveState` key.
    pub const MAX_STATE_KEY_CHARACTERS: usize = 512;

    /// Rows that `describeTable` shows.
    pub const SAMPLE_ROWS: u64 = 3;

    /// The depth of nested objects in one JSON body. This is serde_json's own limit.
    pub const MAX_JSON_DEPTH: usize = 128;

    /// The size of one record of a load as JSON text, or of one CSV row, in bytes: a row of 2 MB,
    /// with blobs in base64 or texts with escapes.
    pub const MAX_RECORD_BYTES: usize = 8 * 1024 * 1024;

    /// The size of an object that wraps the list of records of a load, in bytes. It is held in
    /// memory completely, and for a moment twice.
    pub const MAX_WRAPPED_BYTES: usize = 16 * 1024 * 1024;

    /// The size of the body of a load that becomes several tables, in bytes: it is read twice, like
    /// a tool's result, and held in memory until then.
    pub const MAX_STAGED_BODY_BYTES: usize = 32 * 1024 * 1024;

    /// The longest text that is bound as one value: a row of `_codemode_stage` must hold it
    /// together with its keys.
    pub const MAX_BOUND_BYTES: usize = 1_900_000;

    /// The total size of a load's chunks in memory, in bytes; the chunks of a longer load are
    /// stored in the database. Several objects share 128 MB.
    pub const LOAD_MEMORY_BYTES: usize = 8 * 1024 * 1024;

    /// Characters kept of one entry in `execution_logs`.
    pub const MAX_LOG_CHARACTERS: usize = 2_000;

    /// Entries of `execution_logs` that `getMetrics` shows.
    pub const SHOWN_EXECUTION_LOGS: u64 = 100;

    /// The size of a database up to which the rows of its tables are counted exactly: counting
    /// reads a whole index or table.
    pub const EXACT_COUNT_BYTES: u64 = 1024 * 1024 * 1024;

    /// The maximum number of rows that are counted in a table of a larger database.
    pub const COUNTED_ROWS: u64 = 1_000_000;

    /// Statements for which an object remembers the verdict and the columns.
    pub const MAX_REMEMBERED_STATEMENTS: usize = 256;

    /// The longest text of a statement that is remembered: with the limit above, this memory stays
    /// below 3 MB.
    pub const MAX_REMEMBERED_SQL_BYTES: usize = 4_096;

    /// Columns in a snapshot of a tenant's persistent tables. Further columns are not listed, but
    /// can be used.
    pub const MAX_CATALOG_COLUMNS: u64 = 50_000;

    /// The size of the definitions that one guard of the persistent database compares, as bytes of
    /// JSON; more need several guards. D1 accepts values of 2 MB.
    pub const MAX_GUARD_BYTES: usize = 512 * 1024;

    /// The age from which on a transfer table of the persistent database is considered abandoned by
    /// a copy that failed half-way.
    pub const ABANDONED_TRANSFER_MS: u64 = 60 * 60 * 1000;

    /// Characters shown of a text in the sample of a result reference.
    pub const SAMPLE_TEXT_CHARACTERS: usize = 200;

    /// Console entries of a run that `execution_logs` keeps: the last ones, because an error shows
    /// at the end.
    pub const MAX_KEPT_OUTPUT_ENTRIES: usize = 50;

    /// The size of their texts, in bytes: with [`MAX_EXECUTION_LOGS`] runs a session keeps 8 MB of
    /// them, and the longest single entry fits.
    pub const MAX_KEPT_OUTPUT_BYTES: usize = 8 * 1024;

    /// Characters that `execution_logs` keeps of the message of a run's error, and of its hint.
    pub const MAX_KEPT_FAILURE_CHARACTERS: usize = 1_000;

    /// Executions in a list if the request has no limit.
    pub const DEFAULT_LISTED_EXECUTIONS: u64 = 20;

    /// Executions in a list.
    pub const MAX_LISTED_EXECUTIONS: u64 = 200;

    /// Rows that staging makes of one result.
    pub const DEFAULT_MAX_STAGED_ROWS: u64 = 200_000;

    /// Tables that staging keeps in a session.
    pub const DEFAULT_MAX_STAGED_TABLES: u64 = 200;

    /// Tables that staging makes of one result; further lists of records remain JSON in a column.
    pub const MAX_STAGED_ANSWER_TABLES: usize = 20;

    /// Objects and lists around a value that becomes a column; deeper values remain JSON. This is
    /// also the depth of the recursion.
    pub const MAX_STAGED_DEPTH: usize = 16;

    /// Keys of one object that staging distinguishes, twice the number of columns in a table: an
    /// object with more keys remains JSON.
    pub const MAX_STAGED_KEYS: usize = 200;

    /// Places, such as `results[].authors[].name`, that staging distinguishes in a result: each
    /// takes some 200 bytes of memory.
    pub const MAX_STAGED_PLACES: usize = 5_000;

    /// Characters in the name of a column that staging makes, and in each part of the name of a
    /// table.
    pub const MAX_STAGED_NAME_CHARACTERS: usize = 64;

    /// Bytes of the sample of one table in the reference of a staged result: a model reads it.
    pub const STAGED_SAMPLE_BYTES: usize = 2_000;

    /// Bytes of the tables in a result reference. Beyond this size, samples and columns are left
    /// out.
    pub const STAGED_RECEIPT_BYTES: usize = 12_000;

    /// Columns of one table that remain in a result reference whose columns are left out.
    pub const STAGED_RECEIPT_COLUMNS: usize = 8;

    /// The life of a confirmation: long enough for a person to read the question, short enough that
    /// the data is still the same.
    pub const CONFIRMATION_TTL_MS: u64 = 5 * 60 * 1000;

    /// Open event streams of changes in a session: a handful for each of its clients, so that the
    /// unsent events take little memory.
    pub const MAX_WATCHERS: usize = 128;

    /// The size of the body of a streamed load, in bytes: it is never in memory as a whole.
    /// Cloudflare's own request limit is 100 MB on most plans.
    pub const DEFAULT_MAX_LOAD_BYTES: u64 = 512 * 1024 * 1024;

    /// Rows that a dry run changes, including those that foreign keys change. Each is recorded and
    /// rolled back: some 10 µs.
    pub const MAX_DRY_RUN_ROWS: u64 = 20_000;

    /// Bytes of the rows that a dry run changes, before and after: they are copied, written and
    /// rolled back.
    pub const MAX_DRY_RUN_BYTES: u64 = 32 * 1024 * 1024;

    /// Pages of 4 KB that a dry run changes, in a database with more pages than that: the engine
    /// holds each in memory until the rollback. A changed row changes one page of its table and one
    /// of each index.
    pub const MAX_DRY_RUN_PAGES: u64 = 16_384;

    /// The size of such a page.
    pub const PAGE_BYTES: u64 = 4_096;

    /// The estimated work of a statement that gets a dry run, in units of 10 ns: 5 s, during which
    /// the object serves no other request.
    pub const MAX_DRY_RUN_WORK: u64 = 500_000_000;

    /// Tables that foreign keys let one statement change: each needs three triggers.
    pub const MAX_TOUCHED_TABLES: u64 = 50;

    /// Values in one row of `_codemode_images`. A table has at most 100 columns, which is also the
    /// engine's limit, so an image with its rowid takes two rows.
    pub const IMAGE_COLUMNS: usize = 64;

    /// Terms in one chain of operators in our own SQL: the engine accepts an expression 100 levels
    /// deep.
    pub const CHAINED_TERMS: usize = 25;

    /// Rows whose images are kept for an undo, which restores each with one statement: about a
    /// second.
    pub const MAX_UNDO_ROWS: u64 = 20_000;

    /// Bytes of images that a preview assumes when it says if a statement could be undone.
    pub const PREVIEW_UNDO_BYTES: u64 = 8 * 1024 * 1024;

    /// Bytes of images that one statement may keep, whatever the request says.
    pub const MAX_UNDO_BYTES: u64 = 32 * 1024 * 1024;

    /// Bytes of images that a session keeps for all statements; the oldest are deleted first.
    pub const MAX_UNDO_TOTAL_BYTES: u64 = 64 * 1024 * 1024;

    /// The time for which the images of a statement are kept: a working day and the following
    /// night.
    pub const UNDO_RETENTION_MS: u64 = 24 * 60 * 60 * 1000;

    /// The time for which an approved statement is remembered as run: far longer than any approval
    /// waits.
    pub const APPROVED_RETENTION_MS: u64 = 30 * 24 * 60 * 60 * 1000;

    /// Rows before and after a statement that a preview shows, and that the error of an undo lists.
    pub const PREVIEW_SAMPLE_ROWS: usize = 5;

    /// Rows of each table whose images a dry run keeps, from which the sample is taken.
    pub const SAMPLED_IMAGES: u64 = 10;

    /// Characters of one value in such a row; the response names the columns that are cut.
    pub const PREVIEW_VALUE_CHARACTERS: usize = 500;

    /// Bytes of rows in the stored outcome of an approved statement: together with the rest it is
    /// one value of the engine.
    pub const MAX_OUTCOME_ROW_BYTES: usize = 1_000_000;

    /// Rows of the table with the whole result of an approved read: as many as staging makes of a
    /// result.
    pub const MAX_RESULT_TABLE_ROWS: u64 = 200_000;

    /// The time for which such a table is kept, unless it becomes the caller's own: as long as the
    /// statement can be undone.
    pub const RESULT_TABLE_RETENTION_MS: u64 = UNDO_RETENTION_MS;

    /// Tables of results in a session. The oldest are dropped first.
    pub const MAX_RESULT_TABLES: u64 = 50;

    /// Names that are tried for such a table.
    pub const RESULT_TABLE_NAMES: usize = 8;

    /// The work of a read that needs no approval, in units of 10 ns: a tenth of a second.
    pub const CHEAP_WORK: u64 = 10_000_000;

    /// Rows of a result that a preview counts.
    pub const PREVIEW_COUNTED_ROWS: u64 = 10_000;

    /// Rows of one table that a preview or a schema counts, some 20 ms.
    pub const TABLE_COUNTED_ROWS: u64 = 100_000;

    /// Rows that all counts of one schema read together.
    pub const SCHEMA_COUNTED_ROWS: u64 = 1_000_000;

    /// Sentences of a plan; a complex statement has more lines than a person reads.
    pub const MAX_PLAN_SENTENCES: usize = 40;

    /// Tables, indexes and views that are copied, without rows, to try an index: each is a
    /// statement.
    pub const MAX_COPIED_DEFINITIONS: u64 = 200;

    /// Columns of a table for which indexes are tried.
    pub const MAX_TRIED_COLUMNS: usize = 8;

    /// Indexes that are suggested for one statement.
    pub const MAX_SUGGESTED_INDEXES: usize = 3;

    /// The number of rows below which a table needs no index: reading all of them takes as long.
    pub const LEAST_INDEXED_ROWS: u64 = 100;

    /// Rows of the tables with foreign keys that are checked at the end of an undo.
    pub const MAX_CHECKED_ROWS: u64 = 200_000;

    /// Tables in one schema, whatever the request says.
    pub const MAX_SCHEMA_TABLES: usize = 500;

    /// Bytes of JSON in one schema, whatever the request says.
    pub const MAX_SCHEMA_JSON_BYTES: usize = 1024 * 1024;

    /// Tables in one schema of the persistent database: each costs two statements there, of which
    /// one request may send 1,000.
    pub const PERSISTENT_SCHEMA_TABLES: usize = 100;

    /// Text columns in one schema of the persistent database whose values are read, with a
    /// statement for each.
    pub const PERSISTENT_SCHEMA_COLUMNS: usize = 200;

    /// Rows of a table from which a schema takes sample values.
    pub const SCHEMA_SAMPLE_ROWS: usize = 20;

    /// Sample values of a column.
    pub const SCHEMA_SAMPLES: usize = 3;

    /// Different values of a text column up to which a schema lists them all.
    pub const SCHEMA_DISTINCT_VALUES: usize = 20;

    /// Rows of a table from which a schema takes all values of a text column.
    pub const SCHEMA_DISTINCT_ROWS: usize = 1_000;

    /// The work of all look-ups of one question, in units of 10 ns: a second. A column that does
    /// not fit is reported as unread.
    pub const LOOKUP_WORK: u64 = 100_000_000;

    /// The work of one value that a look-up compares.
    pub const LOOKUP_VALUE_WORK: u64 = 60;

    /// The work of one value for each text that it may be similar to.
    pub const LOOKUP_NEAR_WORK: u64 = 15;

    /// The work of reading the length of one column of a row, before a table is searched.
    pub const LOOKUP_MEASURE_WORK: u64 = 5;

    /// Bytes of rows that the engine reads in 10 ns: it walks through a long value to reach the
    /// values after it.
    pub const LOOKUP_BYTES_OF_WORK: u64 = 12;

    /// The work of a look-up statement before its first row: it compiles a hundred columns.
    pub const LOOKUP_STATEMENT_WORK: u64 = 20_000;

    /// Values that one scan of a table returns.
    pub const LOOKUP_FOUND: usize = 20_000;

    /// The work of one of them: it becomes a text of ours, whose spelling is compared.
    pub const LOOKUP_FOUND_WORK: u64 = 500;

    /// Values that the look-ups of one question read in the persistent database, rows times
    /// columns: it bills what is read.
    pub const PERSISTENT_LOOKUP_ROWS: u64 = 500_000;

    /// Pairs of columns in one look-up whose values are compared.
    pub const LOOKUP_JOINS: usize = 12;

    /// The work of one row of both tables for this comparison: it is sorted into the different
    /// values of its column.
    pub const LOOKUP_JOIN_WORK: u64 = 200;

    /// Text columns in one look-up.
    pub const LOOKUP_COLUMNS: usize = 200;

    /// Texts in one look-up: the word groups of a long question.
    pub const LOOKUP_TEXTS: usize = 4_000;

    /// Texts in one look-up that values may be similar to: each is compared with every value.
    pub const LOOKUP_NEAR_TEXTS: usize = 4;

    /// Values of one column that a look-up returns.
    pub const LOOKUP_VALUES: usize = 20;

    /// Values of one column whose spelling is compared.
    pub const LOOKUP_NEAR_VALUES: usize = 2_000;

    /// Bytes of a value that a look-up compares: longer values are not names.
    pub const LOOKUP_VALUE_BYTES: usize = 200;

    /// The length of a word up to which one letter may differ; in longer words two may.
    pub const SHORT_WORD_CHARACTERS: usize = 5;

    /// Characters of one value in a schema.
    pub const SCHEMA_VALUE_CHARACTERS: usize = 80;

    /// Bytes of a value that a schema reads: the engine would load a longer value completely.
    pub const SCHEMA_VALUE_BYTES: usize = 20_000;

    /// Characters of an approval id.
    pub const MAX_APPROVAL_ID_CHARACTERS: usize = 128;
}

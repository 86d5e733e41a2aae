//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Statements that are written for one question before a person sees one. A model that failed
    /// three times would fail the fourth time, too.
    pub const MAX_WRITING_ATTEMPTS: usize = 3;

    /// Times that a step may begin, after a crash or a failure of the platform, before the question
    /// ends with an error.
    pub const MAX_STEP_TRIES: u32 = 5;

    /// Bytes of a question: some pages. A model reads it once for each attempt.
    pub const MAX_QUESTION_BYTES: usize = 16_384;

    /// Bytes of the reason of a rejection, and of other words of a person beside a decision.
    pub const MAX_REASON_BYTES: usize = 4_096;

    /// Characters of the ids that a caller gives: of users, profiles, businesses and inputs.
    pub const MAX_ID_CHARACTERS: usize = 128;

    /// Milliseconds for which a statement waits for a decision if the deployment sets no other
    /// time: a working day.
    pub const DEFAULT_APPROVAL_TTL_MS: u64 = 28_800_000;

    /// The maximum milliseconds that a deployment may set for that: 30 days.
    pub const MAX_APPROVAL_TTL_MS: u64 = 2_592_000_000;

    /// Persons that a deployment may require for one write.
    pub const MAX_APPROVERS: usize = 10;

    /// Rows of a result that the state holds, the model reads and the page shows. The other rows
    /// are only in the result table.
    pub const MAX_STATE_ROWS: usize = 50;

    /// Bytes of the rows of a result that a prompt holds.
    pub const MAX_PROMPT_ROW_BYTES: usize = 16_384;

    /// Bytes of the before-images that are kept for an undo.
    pub const MAX_KEPT_UNDO_BYTES: usize = 8_388_608;

    /// Characters of a cell that a prompt or a reply shows.
    pub const MAX_CELL_CHARACTERS: usize = 200;

    /// Rows that a reply without a model lists.
    pub const MAX_REPLY_ROWS: usize = 10;

    /// Columns that a reply without a model lists.
    pub const MAX_REPLY_COLUMNS: usize = 8;

    /// Tokens, estimated as four bytes each, that a prompt spends on the tables.
    pub const MAX_SCHEMA_TOKENS: usize = 6_000;

    /// Average bytes of a token, for English and SQL with current tokenizers.
    pub const BYTES_OF_A_TOKEN: usize = 4;

    /// Tables that a session may describe in one response.
    pub const MAX_TOLD_TABLES: usize = 200;

    /// Bytes of the schema that a session is asked for.
    pub const MAX_TOLD_SCHEMA_BYTES: usize = 1_048_576;

    /// Earlier pairs of question and statement that a prompt holds.
    pub const MAX_EXAMPLES: usize = 3;

    /// Messages before the question that a prompt holds.
    pub const MAX_PROMPT_MESSAGES: usize = 8;

    /// Bytes of one of these messages in a prompt.
    pub const MAX_PROMPT_MESSAGE_BYTES: usize = 2_048;

    /// Bytes of a statement's explanation, and of a reply.
    pub const MAX_ANSWER_BYTES: usize = 65_536;

    /// Checkpoints of a thread. A question makes five or six.
    pub const MAX_CHECKPOINTS: u64 = 20_000;

    /// Events that a thread keeps for readers that reconnect.
    pub const MAX_KEPT_EVENTS: u64 = 2_000;

    /// Checkpoints, messages or audit records of one page of a list.
    pub const MAX_THREAD_PAGE_ITEMS: usize = 200;

    /// Items of a page if the request has no limit.
    pub const DEFAULT_THREAD_PAGE_ITEMS: usize = 50;

    /// Inputs whose ids a thread remembers, so that a retry finds its first run.
    pub const MAX_REMEMBERED_INPUTS: u64 = 1_000;

    /// Points of a chart: nobody could tell more apart.
    pub const MAX_CHART_POINTS: usize = 50;

    /// Series of a chart: nobody could read a longer legend.
    pub const MAX_CHART_SERIES: usize = 8;

    /// Pairs of question and statement that a tenant's memory holds. The least recently used pairs
    /// that are not pinned are deleted first.
    pub const MAX_REMEMBERED_PAIRS: u64 = 5_000;

    /// Words of a question that are used to search for pairs.
    pub const MAX_MEMORY_SEARCH_WORDS: usize = 32;

    /// Characters of a question in a list of threads.
    pub const MAX_SUMMARY_CHARACTERS: usize = 200;

    /// Events in one piece of a stream.
    pub const MAX_EVENTS_AT_A_TIME: usize = 50;
}

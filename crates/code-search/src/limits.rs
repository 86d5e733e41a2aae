//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Bytes of a text whose words are indexed: the text of one item or of one part of a file. The
    /// largest item among 40 registry crates has 300 KB, and what comes after a megabyte adds only
    /// repetitions.
    pub const MAX_INDEXED_TEXT_BYTES: u64 = 1_048_576;

    /// Bytes of a word: what is longer is data and no name.
    pub const MAX_WORD_BYTES: u64 = 64;

    /// Words of a query that the text index is asked for: each reads a list of its own.
    pub const MAX_QUERY_WORDS: u64 = 64;

    /// Bytes of a query that are read: a question, with a message of the compiler pasted into it.
    pub const MAX_QUERY_BYTES: u64 = 8_192;

    /// Vectors that are held in memory: at 912 bytes each, with hash and table side by side, 45 MB
    /// of the 128 MB of an isolate.
    pub const MAX_VECTORS: u64 = 50_000;

    /// Vectors of a block of memory. A matrix grows by blocks: one piece that grew would be copied,
    /// and both copies stay in the memory of WebAssembly.
    pub const BLOCK_ROWS: usize = 512;

    /// Characters of a token, on average: an estimate for code and English, and it is told as one.
    pub const CHARACTERS_PER_TOKEN: u64 = 4;

    /// Tokens of a budget for each part of its context.
    pub const TOKENS_FOR_EACH_PART: u64 = 200;

    /// Parts of the smallest context: fewer hide a right one behind wrong ones.
    pub const MIN_PARTS: u64 = 5;

    /// Parts of the largest context.
    pub const MAX_PARTS: u64 = 20;

    /// Hits that each list is asked for, for each part: filters, duplicates and rules leave the
    /// rest.
    pub const CANDIDATES_FOR_EACH_PART: u64 = 5;

    /// Percent of a budget that one part takes before all have had their turn.
    pub const MAX_PART_PERCENT: u64 = 30;

    /// Percent of a budget that the parts of one file take.
    pub const MAX_FILE_PERCENT: u64 = 60;

    /// Tokens of the smallest piece of an item that is worth its place: a signature and two lines.
    pub const LEAST_PART_TOKENS: u64 = 24;

    /// Lines of an item at which its head is looked for: documentation and attributes stand before
    /// it.
    pub const MAX_LINES_BEFORE_HEAD: u64 = 2_000;
}

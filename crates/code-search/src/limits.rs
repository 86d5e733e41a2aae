//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// The most bytes of a text whose words are indexed: the text of one item or of one part of a
    /// file. The largest item among 40 registry crates has 300 KB, and anything after a megabyte
    /// adds only repetitions.
    pub const MAX_INDEXED_TEXT_BYTES: u64 = 1_048_576;

    /// The most bytes of a word: a longer one is data, not a name.
    pub const MAX_WORD_BYTES: u64 = 64;

    /// The most words of a query that the text index looks up: each reads a list of its own.
    pub const MAX_QUERY_WORDS: u64 = 64;

    /// The most bytes of a query that are read: a question with a compiler message pasted into it.
    pub const MAX_QUERY_BYTES: u64 = 8_192;

    /// The most vectors that are held in memory: at 912 bytes each for the model that combines hash
    /// and table, 45 MB of the 128 MB of an isolate.
    pub const MAX_VECTORS: u64 = 50_000;

    /// Vectors in one block of memory. A matrix grows by blocks: a single allocation would be
    /// copied when it grows, and WebAssembly memory never shrinks after it held both copies.
    pub const BLOCK_ROWS: usize = 512;

    /// Characters per token on average: an estimate for code and English, and reported as an
    /// estimate.
    pub const CHARACTERS_PER_TOKEN: u64 = 4;

    /// Tokens of a budget for each part that its context may have.
    pub const TOKENS_FOR_EACH_PART: u64 = 200;

    /// Parts of the smallest context: with fewer, wrong parts would leave no place for a right one.
    pub const MIN_PARTS: u64 = 5;

    /// Parts of the largest context.
    pub const MAX_PARTS: u64 = 20;

    /// Hits that each list returns per part: filters, duplicates and rules remove some of them.
    pub const CANDIDATES_FOR_EACH_PART: u64 = 5;

    /// The percentage of a budget that one part may take before all parts have been considered.
    pub const MAX_PART_PERCENT: u64 = 30;

    /// The percentage of a budget that the parts of one file may take.
    pub const MAX_FILE_PERCENT: u64 = 60;

    /// Tokens of the smallest piece of an item that is worth including: a signature and two lines.
    pub const LEAST_PART_TOKENS: u64 = 24;

    /// The most lines of an item in which its head is searched for, because documentation and
    /// attributes come before it.
    pub const MAX_LINES_BEFORE_HEAD: u64 = 2_000;
}

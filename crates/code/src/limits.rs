//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Tokens that one context may have: the windows of models are a few times as large.
    pub const MAX_CONTEXT_TOKENS: u32 = 200_000;

    /// Bytes of a question for a context: a message of a compiler fits.
    pub const MAX_HINT_BYTES: usize = 8_192;

    /// Entries of a filter of a context.
    pub const MAX_FILTER_ENTRIES: usize = 100;

    /// Items whose vectors are made and stored at a time: some megabytes of text.
    pub const EMBEDDED_AT_A_TIME: u64 = 500;

    /// Items whose vectors one question makes before it is searched for: some tenths of a second.
    /// The rest comes with the next ones.
    pub const EMBEDDED_BY_A_QUESTION: u64 = 2_000;

    /// Items whose vectors one write makes: all of a request of usual size.
    pub const EMBEDDED_BY_A_WRITE: u64 = 20_000;

    /// Percent of vectors that may come and go before the mean of all is taken again.
    pub const RECENTRED_PERCENT: usize = 10;

    /// Files that one request may bring: of usual size each takes some milliseconds.
    pub const MAX_REQUEST_FILES: usize = 2_000;

    /// Bytes of the files of one request, unpacked: they are in memory beside their trees, in an
    /// object that has 128 MB.
    pub const MAX_UNPACKED_BYTES: u64 = 33_554_432;

    /// Bytes of a list of files as JSON: it is in memory as text and as values, beside the trees of
    /// its files.
    pub const MAX_FILES_JSON_BYTES: u64 = 33_554_432;

    /// Entries of an archive that are no files, and that a response names.
    pub const MAX_SHOWN_SKIPPED: usize = 20;
}

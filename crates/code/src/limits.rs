//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// The most tokens of one context: the windows of models are a few times as large.
    pub const MAX_CONTEXT_TOKENS: u32 = 200_000;

    /// The most bytes of a question for a context: a compiler message fits.
    pub const MAX_HINT_BYTES: usize = 8_192;

    /// The most entries of one filter of a context.
    pub const MAX_FILTER_ENTRIES: usize = 100;

    /// Items whose vectors are computed and stored in one batch: some megabytes of text.
    pub const EMBEDDED_AT_A_TIME: u64 = 500;

    /// Items whose vectors one question computes before its search: some tenths of a second. Later
    /// questions compute the others.
    pub const EMBEDDED_BY_A_QUESTION: u64 = 2_000;

    /// Items whose vectors one write computes: all items of a request of usual size.
    pub const EMBEDDED_BY_A_WRITE: u64 = 20_000;

    /// Percent of the vectors that may be added or removed before their mean is computed again.
    pub const RECENTRED_PERCENT: usize = 10;

    /// The most files of one request: a file of usual size takes some milliseconds.
    pub const MAX_REQUEST_FILES: usize = 2_000;

    /// The most bytes of the files of one request, uncompressed: they are in memory beside their
    /// syntax trees, in an object that has 128 MB.
    pub const MAX_UNPACKED_BYTES: u64 = 33_554_432;

    /// The most bytes of a list of files as JSON: it is in memory as text and as values, beside the
    /// syntax trees of its files.
    pub const MAX_FILES_JSON_BYTES: u64 = 33_554_432;

    /// The most archive entries that a response names because they are not files.
    pub const MAX_SHOWN_SKIPPED: usize = 20;
}

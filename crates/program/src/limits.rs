//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// The length of a program. A program of empty loops takes 120 times its length in memory while
    /// it is prepared, and an isolate has 128 MB.
    pub const MAX_PROGRAM_BYTES: usize = 256 * 1024;

    /// The height of a program's tree, counted from its tokens: one for an operator, eight for a
    /// bracket. The parser overflows a stack of 4 MiB only at more than five times this height.
    pub const MAX_PROGRAM_HEIGHT: u32 = 1_000;

    /// The number of bytes that may be scanned to try both meanings of a slash, division and the
    /// start of a regular expression, if the token before it does not decide. Each attempt scans
    /// the text once, at some 25 MB/s.
    pub const MAX_SCANNED_BYTES: usize = 4 * 1024 * 1024;

    /// The number of characters of a key that a hint shows.
    pub const MAX_HINTED_KEY_CHARACTERS: usize = 40;

    /// The number of keys of a response that a hint shows.
    pub const MAX_HINTED_KEYS: usize = 8;

    /// The number of server tools whose last responses a run remembers for hints.
    pub const MAX_REMEMBERED_ANSWERS: usize = 64;

    /// The number of bytes at the beginning of an object that are read to find its first keys.
    /// Reading them takes a moment, and in most objects they contain these keys.
    pub const READ_FOR_HINTED_KEYS_BYTES: usize = 16 * 1024;
}

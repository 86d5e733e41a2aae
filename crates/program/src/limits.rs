//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Text of a program. One of empty loops takes 120 times its length in memory while it is prepared, and an isolate has 128 MB.
    pub const MAX_PROGRAM_BYTES: usize = 256 * 1024;

    /// Height of a program's tree, counted from its tokens: an operator is one, a bracket eight. The parser overflows the stack of 4 MiB at
    /// more than five times as much.
    pub const MAX_PROGRAM_HEIGHT: u32 = 1_000;

    /// Bytes that are scanned to try the readings of slashes that may divide or open a regular expression: each reading scans the text
    /// once, at some 25 MB/s.
    pub const MAX_SCANNED_BYTES: usize = 4 * 1024 * 1024;

    /// Characters of each.
    pub const MAX_HINTED_KEY_CHARACTERS: usize = 40;

    /// Keys of a response that a hint names.
    pub const MAX_HINTED_KEYS: usize = 8;

    /// Tools of servers whose last responses a run remembers, for hints.
    pub const MAX_REMEMBERED_ANSWERS: usize = 64;

    /// Of a response that is an object, what is read for its first keys: it costs a moment, and most objects have them there.
    pub const READ_FOR_HINTED_KEYS_BYTES: usize = 16 * 1024;
}

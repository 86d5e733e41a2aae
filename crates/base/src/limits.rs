//! The limits of this crate: each with its unit (in the name) and its reason.

crate::limits! {
    /// Columns of a table or result, which is the engine's limit.
    pub const MAX_COLUMNS: usize = 100;

    /// Characters of a session, conversation, thread or workspace name.
    pub const MAX_NAME_CHARACTERS: usize = 128;

    /// Fields of a request's body: no operation has even a third of this number.
    pub const MAX_FIELDS: usize = 64;

    /// Alternatives that an error or `findColumn` names.
    pub const MAX_SUGGESTIONS: usize = 5;

    /// Characters of a name that is compared by words and letters; longer names are only compared
    /// as a whole. The work of a comparison grows with the square of this limit.
    pub const MAX_COMPARED_CHARACTERS: usize = 128;

    /// Names that are compared for "did you mean".
    pub const MAX_COMPARED_NAMES: usize = 1_000;

    /// The depth of JSON in a server's response, including its envelope: JSON parsers such as
    /// serde_json refuse more than 128 levels.
    pub const MAX_UPSTREAM_DEPTH: usize = 120;

    /// The longest run of spaces, in columns, that is shown in full: a longer run would push the
    /// following text out of view. Even deeply nested code is indented less.
    pub const MAX_SHOWN_BLANKS: usize = 40;

    /// Consecutive blank lines that are shown in full, for the same reason.
    pub const MAX_SHOWN_BLANK_LINES: usize = 3;

    /// Characters of a line within a fence: clients do not wrap it, and people do not read text out
    /// of view.
    pub const MAX_SHOWN_LINE_CHARACTERS: usize = 100;

    /// Combining marks that are shown on one letter: Hebrew and Vietnamese need three, and dozens
    /// cover the lines above and below.
    pub const MAX_SHOWN_MARKS: usize = 4;
}

//! The limits of this crate: each with its unit (in the name) and its reason.

crate::limits! {
    /// Columns of a table or result, as the engine has it.
    pub const MAX_COLUMNS: usize = 100;

    /// Characters of a session, conversation, thread or workspace name.
    pub const MAX_NAME_CHARACTERS: usize = 128;

    /// Fields of a request's body: no operation has a third of them.
    pub const MAX_FIELDS: usize = 64;

    /// Alternatives named by an error or by `findColumn`.
    pub const MAX_SUGGESTIONS: usize = 5;

    /// Characters of a name that is compared by its words and letters; longer names are compared as a whole only. The work of a
    /// comparison grows with the square of this.
    pub const MAX_COMPARED_CHARACTERS: usize = 128;

    /// Names among which "did you mean" looks.
    pub const MAX_COMPARED_NAMES: usize = 1_000;

    /// Nesting of a server's response, envelope included: readers of JSON, serde_json among them, refuse what is deeper than 128.
    pub const MAX_UPSTREAM_DEPTH: usize = 120;

    /// Columns of a run of blanks that is shown in full: more would push what follows out of view. Deeply nested code has fewer.
    pub const MAX_SHOWN_BLANKS: usize = 40;

    /// Blank lines in a row that are shown in full, for the same reason.
    pub const MAX_SHOWN_BLANK_LINES: usize = 3;

    /// Characters of a line within a fence: clients do not break its lines, and what is out of view is not read.
    pub const MAX_SHOWN_LINE_CHARACTERS: usize = 100;

    /// Combining marks on one letter that are drawn: Hebrew and Vietnamese need three, and dozens cover the lines above and below.
    pub const MAX_SHOWN_MARKS: usize = 4;
}

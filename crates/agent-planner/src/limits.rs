//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Characters of a question: a paragraph. Longer texts are instructions or documents, which no
    /// rule here reads.
    pub const MAX_QUESTION_CHARACTERS: usize = 1_000;

    /// Words, numbers and signs of a question; the work of linking grows with each.
    pub const MAX_QUESTION_TOKENS: usize = 120;

    /// Tables that the planner looks at; the question is refused if the schema has more, because a
    /// table left out makes a wrong link look unique.
    pub const MAX_PLANNED_TABLES: usize = 200;

    /// Known values of all columns together that are indexed: some megabytes at most.
    pub const MAX_INDEXED_VALUES: usize = 20_000;

    /// Words of a name or value that are compared as one phrase.
    pub const MAX_PHRASE_WORDS: usize = 8;

    /// Words of a phrase that is looked up in other forms, too: with a plural, or `_` between its
    /// words.
    pub const MAX_VARIED_WORDS: usize = 3;

    /// Columns in which the texts of a question are looked up, with one statement for each column.
    /// Further columns are not read.
    pub const MAX_LOOKUP_COLUMNS: usize = 200;

    /// Pairs of columns that are compared because their names suggest that they belong together,
    /// with one statement for each pair.
    pub const MAX_JOIN_CANDIDATES: usize = 12;

    /// Least percentage of a column's different values that another column must contain for the two
    /// to be joined without asking the person. In most files, a few values have no match.
    pub const LEAST_JOIN_PERCENT: u8 = 95;

    /// Least such percentage for which the planner asks whether to join the two. Below it, the
    /// columns only share a name.
    pub const LEAST_ASKED_JOIN_PERCENT: u8 = 50;

    /// Names in a question that equal no value, and for which the nearest values are looked up.
    pub const MAX_UNCLEAR_TEXTS: usize = 4;

    /// Comparisons by meaning, each of one phrase with the columns of one table. Each takes some
    /// tens of microseconds.
    pub const MAX_MEANING_LOOKUPS: usize = 2_000;

    /// Foreign keys on the way from one table to another. Customers, orders, order items and
    /// products need three.
    pub const MAX_PATH_HOPS: usize = 4;

    /// Steps of the search for the paths between two tables. Schemas that people design have a few
    /// keys for each table.
    pub const MAX_JOIN_STEPS: usize = 20_000;

    /// Conditions of a question. The engine accepts more, but people do not write that many.
    pub const MAX_QUESTION_CONDITIONS: usize = 24;

    /// Rows of a ranking if the question does not name a number.
    pub const DEFAULT_RANKING_ROWS: u64 = 10;

    /// Rows that a question may ask for with a number.
    pub const MAX_ASKED_ROWS: u64 = 10_000;

    /// Columns of a table that a list of its rows shows.
    pub const MAX_LISTED_COLUMNS: usize = 100;

    /// Meanings among which a question back lets choose: the columns of most tables.
    pub const MAX_CHOICES: usize = 20;

    /// Characters of a word of the question that a message repeats.
    pub const MAX_SHOWN_WORD_CHARACTERS: usize = 40;
}

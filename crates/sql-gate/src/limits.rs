//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Bytes of the SQL text of one statement. SQLite in a Durable Object refuses longer text
    /// itself.
    pub const MAX_SQL_BYTES: usize = 100_000;

    /// The depth to which brackets (and CASE … END) may nest. The walks over the tree recurse with
    /// each level, and the stack is 4 MiB; the engine's own parser gives up at some 100 levels.
    pub const MAX_BRACKET_DEPTH: usize = 50;

    /// The upper bound on the height of the expression tree, computed from tokens. The engine
    /// refuses depth 100. Three times that leaves room for the tokens that add no node, and keeps
    /// every recursive walk and drop inside the wasm stack.
    pub const MAX_TREE_HEIGHT: usize = 300;

    /// Names in one comma-separated run of bare identifiers. The engine allows 100 columns; parsers
    /// compare such lists pairwise.
    pub const MAX_NAME_LIST: usize = 1_000;

    /// Rows that a recursive common table expression may produce when the statement sets no smaller
    /// LIMIT.
    pub const DEFAULT_MAX_RECURSIVE_ROWS: u64 = 1_000_000;

    /// Work of a statement, in units of 10 ns, above which it is refused: the 30 s that a request
    /// has.
    pub const DEFAULT_MAX_QUERY_WORK: u64 = 3_000_000_000;

    /// Size of a database in bytes up to which a plain pass over one table is not estimated:
    /// whatever it does with each byte, it ends in time.
    pub const MAX_ONE_PASS_BYTES: u64 = 256 * 1024 * 1024;

    /// Rows of a table up to which the work bound counts how many rows share a key: grouping ten
    /// million rows takes some seconds.
    pub const MAX_KEY_COUNTED_ROWS: u64 = 10_000_000;

    /// References to tables and sub-queries that a statement may have beyond those it writes, after
    /// each view and common table expression is replaced by its definition, as SQLite does before
    /// it compiles. Statements of people and models have a few dozens; a statement of 500 compiles
    /// in milliseconds, and each doubling of a chain of names doubles that.
    pub const MAX_REFERENCE_COPIES: u64 = 500;

    /// Parts of expressions that a statement may have beyond those it writes, once each column of a
    /// sub-query, a view or a generated column is replaced by its expression, as SQLite does when
    /// it flattens queries.
    pub const MAX_EXPRESSION_COPIES: u64 = 20_000;

    /// Height of a statement's tree with the trees of the definitions that it names on top: the
    /// measurement recurses, and the stack is 4 MiB. `MAX_TREE_HEIGHT` bounds each text by itself.
    pub const MAX_EXPANDED_HEIGHT: usize = 600;

    /// References to tables in all views of a session together. Above this, statements that make
    /// SQLite compile all views, such as ALTER TABLE … RENAME, are refused.
    pub const MAX_SCHEMA_REFERENCES: u64 = 20_000;

    /// Bytes of all definitions of a session together. The engine keeps its parsed form in memory,
    /// some 30 bytes for each byte of text, and so do all objects that share the memory.
    pub const MAX_SCHEMA_BYTES: u64 = 2_000_000;

    /// Bytes that a recursive common table expression may pass from row to row: its rows times the
    /// longest row. 4 GB take the engine 2 to 4 seconds. One with UNION compares each row with
    /// those before, and may pass a quarter of it.
    pub const MAX_CARRIED_BYTES: u64 = 4_000_000_000;

    /// Length in bytes of a text from which each row takes a part, such as a list that is split,
    /// beyond the bytes that its recursion may otherwise pass on.
    pub const MAX_SHRINKING_BYTES: u64 = 20_000;

    /// Estimated work of a statement on its values, in nanoseconds of native SQLite: a sixth of the
    /// time that a request has, because the machine may be slower and the estimate does not know
    /// the contents of columns.
    pub const MAX_VALUE_WORK_NS: u64 = 5_000_000_000;

    /// Bytes of rows that a statement may sort. The engine holds them in memory, and up to twice as
    /// much while it sorts; ten million short rows fit.
    pub const MAX_SORTED_BYTES: u64 = 1_000_000_000;

    /// Bytes of the value of a row scope: enough for any kind of id, and short enough for an
    /// index key.
    pub const MAX_SCOPE_VALUE_BYTES: usize = 1_000;

    /// Bytes of the schema that an object remembers for statements under a scope: a few dozen
    /// tables. Comparing a larger schema takes longer than reading the tables of one statement.
    pub const MAX_KNOWN_SCHEMA_BYTES: u64 = 32_768;

    /// Statements whose judgement under a scope an object remembers, as many as it remembers
    /// verdicts of the gate.
    pub const MAX_SCOPED_STATEMENTS: usize = 256;

    /// Bytes of the text of such a statement: with the limit above, the memory stays below some MB.
    pub const MAX_SCOPED_STATEMENT_BYTES: usize = 4_096;

    /// Instructions of all programs of statements that an object remembers: about 100 bytes each.
    pub const MAX_REMEMBERED_INSTRUCTIONS: usize = 20_000;

    /// Instructions of one such program: those of a statement with a dozen joins.
    pub const MAX_REMEMBERED_PROGRAM: usize = 1_000;

    /// Bytes of the text of such a statement.
    pub const MAX_REMEMBERED_PROGRAM_TEXT: usize = 8_192;

    /// Tables without the tenant's column that one scope may list as readable.
    pub const MAX_READABLE_TABLES: usize = 200;

    /// Bytes of a LIKE or GLOB pattern above which the engine in a Durable Object fails.
    pub const ENGINE_PATTERN_BYTES: usize = 50;

    /// Instructions of a program that the verdict reads: those of an INSERT that lists 400 rows of
    /// 50 values. Reading an instruction takes 3 µs, so that a longer program is refused within 100
    /// ms.
    pub const MAX_INSTRUCTIONS: usize = 20_000;

    /// Steps that the analysis of one statement may take. Each takes 20 to 30 ns in a release build
    /// on the host and twice that in WebAssembly, so that the verdict is ready within 100 ms. The
    /// statements of the analytic corpus take at most a sixth of them.
    pub const MAX_ANALYSIS_STEPS: u64 = 2_000_000;

    /// Steps that are charged for a query of the analysis to the engine: about 50 µs.
    pub const STEPS_OF_A_QUERY: usize = 2_000;

    /// Steps that are charged for reading an instruction of a sub-query: 3 µs.
    pub const STEPS_OF_A_ROW: usize = 150;

    /// Parameters that one call may pass.
    pub const MAX_PARAMETERS: usize = 10_000;
}

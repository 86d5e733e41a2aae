//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Bytes of one file: generated sources reach some megabytes, and a file is in memory beside
    /// its tree, in an object that has 128 MB.
    pub const MAX_FILE_BYTES: usize = 8 * 1024 * 1024;

    /// Bytes of a file that is parsed; a larger one is searchable by its lines. Tokens of a Rust
    /// file take some 30 times its bytes, a tree up to 200 times those of its item.
    pub const MAX_PARSED_BYTES: usize = 2 * 1024 * 1024;

    /// The height of a syntax tree, as tokens bound it: parsers, visitors and the dropping of trees
    /// recurse on it, in a stack of 1 MB.
    pub const MAX_CODE_TREE_HEIGHT: u32 = 1_024;

    /// The height of a syntax tree of Python, in operators: a bracket, a block or a prefix is as
    /// high as 8 of them. The parser takes up to 1 KB of stack for each 8, of 1 MB.
    pub const MAX_PYTHON_TREE_HEIGHT: u32 = 1_600;

    /// Items of one file; what follows is searchable as text.
    pub const MAX_FILE_ITEMS: usize = 20_000;

    /// Items of the files that one request writes, and of those that stand elsewhere by it: as many
    /// as a question searches. Their rows and words take some 10 s in wasm.
    pub const MAX_REQUEST_ITEMS: usize = 50_000;

    /// Bytes of the files that one request writes, and of those that stand elsewhere by it.
    pub const MAX_REWRITTEN_BYTES: usize = 67_108_864;

    /// Tokens of a Rust or Python file: they take up to 150 bytes each. Two megabytes of usual code
    /// have so many.
    pub const MAX_FILE_TOKENS: usize = 400_000;

    /// Tokens of one item of a Rust file outside of all others: its tree takes up to 700 bytes for
    /// each.
    pub const MAX_ITEM_TOKENS: usize = 60_000;

    /// Modules, impls, macros, classes and functions that are open around an item.
    pub const MAX_ITEM_DEPTH: usize = 64;

    /// Characters of a signature: longer ones are cut.
    pub const MAX_SIGNATURE_CHARACTERS: usize = 400;

    /// Bytes of an item's name: that of an impl or an import has types in it.
    pub const MAX_ITEM_NAME_BYTES: usize = 300;

    /// Bytes of a docstring: the documentation of a crate stands in some of them.
    pub const MAX_DOCSTRING_BYTES: usize = 32 * 1024;

    /// Names of a path in Rust that is followed: a longer one names nothing that a workspace has.
    pub const MAX_PATH_SEGMENTS: usize = 32;

    /// Names that the imports of a file bring: each is held with its path.
    pub const MAX_IMPORTED_NAMES: usize = 10_000;

    /// Names that all items of a file use together, each one once for its item.
    pub const MAX_USED_NAMES: usize = 100_000;

    /// Bytes that all readings of a text with markup have together: each of them is scanned twice.
    pub const MAX_MARKUP_READ_BYTES: usize = 4_194_304;

    /// Bytes of the modules, impls, traits, macros, classes and functions of a file, each with what
    /// is in it: their tokens are printed again at each level, some 6 MB in a second. Members of
    /// what is beyond are searchable as text.
    pub const MAX_CONTAINER_BYTES: usize = 16_777_216;

    /// Names that one item uses and that become edges.
    pub const MAX_ITEM_EDGES: usize = 500;

    /// Lines of a chunk of a file without a parser, about: it ends at the next blank line.
    pub const CHUNK_LINES: usize = 40;

    /// Lines of a chunk, whether there is a blank line or not.
    pub const MAX_CHUNK_LINES: usize = 80;

    /// Bytes of a chunk: one line may be a file.
    pub const MAX_CHUNK_BYTES: usize = 16 * 1024;

    /// Bytes of a path: the shortest limit of common file systems is 1,024.
    pub const MAX_PATH_BYTES: usize = 1_024;

    /// Letters that the patterns of paths of one request are compared with: some half second in
    /// wasm. A thousand times what common patterns take.
    pub const MAX_PATTERN_STEPS: u64 = 200_000_000;

    /// Parts of a path.
    pub const MAX_PATH_PARTS: usize = 64;

    /// Bytes of a `Cargo.toml` that is read: large ones have some 20 KB.
    pub const MAX_MANIFEST_BYTES: usize = 1_048_576;

    /// Files of modules that declare each other, one after the other, behind a `#[path]`.
    pub const MAX_DECLARED_CHAIN: usize = 64;

    /// Bytes of a piece of a list that goes into SQLite: half of what a value holds, because one
    /// entry may have a large text.
    pub const CODE_PIECE_BYTES: usize = 900_000;

    /// Bytes of a piece of a file's content: half of what a value of SQLite in a Durable Object
    /// holds.
    pub const CONTENT_PIECE_BYTES: usize = 1_000_000;

    /// Bytes of one item whose words are indexed: longer ones are tables.
    pub const MAX_INDEXED_BYTES: usize = 65_536;

    /// Files of a workspace: the largest repositories that people keep have some tens of thousands.
    pub const MAX_FILES: u64 = 50_000;

    /// Bytes of the files of a workspace: with their items, words and past they fill a part of the
    /// 10 GB of an object.
    pub const MAX_WORKSPACE_BYTES: u64 = 536_870_912;

    /// Manifests of a workspace that are read.
    pub const MAX_MANIFESTS: u64 = 1_000;

    /// Rounds in which files are written again that stand elsewhere, because others moved.
    pub const MAX_REPLACED_ROUNDS: usize = 8;

    /// Candidates that an error or a lookup lists.
    pub const MAX_LISTED_CANDIDATES: u64 = 20;

    /// Items that a search by the end of a path reads at a time: each may have 32 KB of
    /// documentation.
    pub const COMPARED_ITEMS_AT_A_TIME: u64 = 200;

    /// Edges of one kind that a lookup lists.
    pub const MAX_LISTED_EDGES: u64 = 200;

    /// Versions that a workspace keeps unless its deployment says otherwise.
    pub const DEFAULT_CODE_VERSIONS: u64 = 1_000;

    /// Versions that a deployment may keep.
    pub const MAX_CODE_VERSIONS: u64 = 100_000;

    /// Bytes of files that ended, and that a deployment may keep: an object holds 10 GB.
    pub const MAX_CODE_PAST_BYTES: u64 = 4_294_967_296;

    /// Bytes of files that ended and are kept, unless its deployment says otherwise.
    pub const DEFAULT_CODE_PAST_BYTES: u64 = 268_435_456;

    /// Candidates that one search returns: a context of the largest budget looks at a hundred.
    pub const MAX_CODE_CANDIDATES: u64 = 1_000;

    /// Bytes of a block of vectors: half of what a value of SQLite in a Durable Object holds.
    pub const VECTOR_BLOCK_BYTES: usize = 1_000_000;

    /// Bytes of a block of vectors below which it is joined with others: those that a write of many
    /// files makes are larger, and joining holds all in memory.
    pub const SMALL_VECTOR_BLOCK_BYTES: usize = 125_000;

    /// Small blocks of vectors before they are joined: each edit makes one.
    pub const MAX_SMALL_VECTOR_BLOCKS: u64 = 32;

    /// Re-exports of one item that are followed, one after the other.
    pub const MAX_REEXPORTS: usize = 16;

    /// Files of one page.
    pub const MAX_LISTED_FILES: usize = 5_000;

    /// Files of a page that says nothing else.
    pub const LISTED_FILES: usize = 500;

    /// Bytes of a file that one read returns.
    pub const MAX_READ_BYTES: usize = 1_048_576;

    /// Bytes of a searched text or expression.
    pub const MAX_SEARCH_PATTERN_BYTES: usize = 1_000;

    /// Bytes that a compiled expression may take: repeats of repeats grow without it.
    pub const MAX_PATTERN_SIZE_BYTES: usize = 262_144;

    /// Bytes that a search of a literal text reads: some 200 ms in wasm. A cursor goes on from
    /// there.
    pub const MAX_SEARCHED_BYTES: usize = 67_108_864;

    /// Bytes of a compiled expression that may be compared with [`MAX_REGEX_BYTES`]; one of twice
    /// the size with half of them.
    pub const FULL_BUDGET_PATTERN_BYTES: usize = 512;

    /// Bytes that a search of a small expression reads. Its engine has no time limit, and the time
    /// for each byte grows with the compiled expression: at worst one search takes some 3 s in
    /// wasm.
    pub const MAX_REGEX_BYTES: usize = 8_388_608;

    /// Matches of one search.
    pub const MAX_SEARCH_MATCHES: usize = 1_000;

    /// Matches of a search that says nothing else.
    pub const SEARCH_MATCHES: usize = 100;

    /// Characters of a line that a match shows.
    pub const MAX_SEARCH_LINE_CHARACTERS: usize = 300;

    /// Files that a search or a comparison reads from the table at a time.
    pub const SEARCHED_FILES_AT_A_TIME: u64 = 500;

    /// Files of one comparison with a directory.
    pub const MAX_SCANNED_FILES: usize = 50_000;

    /// Modules or items that one inspection lists.
    pub const MAX_INSPECTED_ITEMS: usize = 5_000;

    /// Edits of one request.
    pub const MAX_EDITS: usize = 100;

    /// Bytes of the code of one edit: half of what a value of SQLite in a Durable Object holds.
    pub const MAX_EDIT_BYTES: usize = 1_000_000;

    /// Bytes of the files that one request edits, and of the code of its edits: as much as the
    /// largest file.
    pub const MAX_EDITED_BYTES: u64 = 8 * 1024 * 1024;

    /// Bytes of the files that `approve_all` writes before it stops: each is parsed twice. What is
    /// left waits for the next request.
    pub const MAX_APPROVED_BYTES: u64 = 8 * 1024 * 1024;

    /// What a file counts there at least: its rows are read and written.
    pub const LEAST_APPROVED_BYTES: u64 = 4_096;

    /// Edits that wait and are looked for again when their file changed. Those beyond it are judged
    /// when somebody decides.
    pub const MAX_JUDGED_EDITS: u64 = 2_000;

    /// Items that a proposal takes away and that its warnings name: more than a person reads.
    pub const MAX_REPORTED_LOSSES: usize = 20;

    /// Characters of a request id.
    pub const MAX_REQUEST_ID_CHARACTERS: usize = 128;

    /// Lines around a change in a diff, as diff and git have it.
    pub const DIFF_CONTEXT_LINES: usize = 3;

    /// Lines of both texts that are compared for a diff: comparing takes up to the square of them.
    pub const MAX_DIFFED_LINES: usize = 6_000;

    /// Bytes of a preview: more than a person reads.
    pub const MAX_PREVIEW_BYTES: usize = 131_072;

    /// Proposals that wait for a decision.
    pub const MAX_PENDING_PROPOSALS: u64 = 1_000;

    /// Proposals that are kept, decided ones included: the oldest decided ones go first.
    pub const MAX_KEPT_PROPOSALS: u64 = 5_000;

    /// Proposals of one page.
    pub const MAX_LISTED_PROPOSALS: usize = 200;

    /// Proposals of a page that says nothing else.
    pub const LISTED_PROPOSALS: usize = 50;

    /// Files of one request to write or delete.
    pub const MAX_WRITTEN_FILES: usize = 5_000;

    /// Tags of markup that are open, as tokens bound it.
    pub const MAX_MARKUP_DEPTH: usize = 100;
}

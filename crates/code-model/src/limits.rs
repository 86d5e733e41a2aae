//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Bytes of one file: generated sources reach some megabytes, and a file is in memory beside
    /// its tree, in an object that has 128 MB.
    pub const MAX_FILE_BYTES: usize = 8 * 1024 * 1024;

    /// Bytes of a file that is parsed; a larger one is searchable by its lines. Tokens of a Rust
    /// file take some 30 times its bytes, a tree up to 200 times those of its item.
    pub const MAX_PARSED_BYTES: usize = 2 * 1024 * 1024;

    /// The bound on the height of a syntax tree, computed from tokens: parsers, visitors and
    /// destructors recurse on the tree, on a stack of 1 MB.
    pub const MAX_CODE_TREE_HEIGHT: u32 = 1_024;

    /// The bound on the height of a Python syntax tree, in operators. A bracket, a block or a
    /// prefix counts as 8 operators, for which the parser uses up to 1 KB of the stack of 1 MB.
    pub const MAX_PYTHON_TREE_HEIGHT: u32 = 1_600;

    /// Items of one file. The rest of the file is searchable as text.
    pub const MAX_FILE_ITEMS: usize = 20_000;

    /// Items of the files that one request writes, and of the files that it moves to another
    /// module: as many as a question searches. Their rows and words take some 10 s in WebAssembly.
    pub const MAX_REQUEST_ITEMS: usize = 50_000;

    /// Bytes of the files that one request writes, and of the files that it moves to another
    /// module.
    pub const MAX_REWRITTEN_BYTES: usize = 67_108_864;

    /// Tokens of a Rust or Python file, at up to 150 bytes of memory each. Two megabytes of usual
    /// code have this many.
    pub const MAX_FILE_TOKENS: usize = 400_000;

    /// Tokens of one top-level item of a Rust file: its tree takes up to 700 bytes for each.
    pub const MAX_ITEM_TOKENS: usize = 60_000;

    /// Modules, impls, macros, classes and functions that are open around an item.
    pub const MAX_ITEM_DEPTH: usize = 64;

    /// Characters of a signature: longer ones are cut.
    pub const MAX_SIGNATURE_CHARACTERS: usize = 400;

    /// Bytes of an item's name: that of an impl or an import has types in it.
    pub const MAX_ITEM_NAME_BYTES: usize = 300;

    /// Bytes of a docstring: the longest contain the documentation of a whole crate.
    pub const MAX_DOCSTRING_BYTES: usize = 32 * 1024;

    /// Segments of a Rust path that is resolved: a longer path names no item of a workspace.
    pub const MAX_PATH_SEGMENTS: usize = 32;

    /// Names that the imports of a file introduce: each is kept with its path.
    pub const MAX_IMPORTED_NAMES: usize = 10_000;

    /// Names that the items of a file use, in total. A name counts once for each item that uses it.
    pub const MAX_USED_NAMES: usize = 100_000;

    /// Total bytes of all attempts to parse a text with markup: each attempt scans the text twice.
    pub const MAX_MARKUP_READ_BYTES: usize = 4_194_304;

    /// Total bytes of the modules, impls, traits, macros, classes and functions of a file, each
    /// including its content: their tokens are printed again at each level, at some 6 MB per
    /// second. Members beyond it are searchable as text.
    pub const MAX_CONTAINER_BYTES: usize = 16_777_216;

    /// Names used by one item that become edges.
    pub const MAX_ITEM_EDGES: usize = 500;

    /// Lines of a chunk of a file without a parser, about: it ends at the next blank line.
    pub const CHUNK_LINES: usize = 40;

    /// Lines of a chunk without a blank line.
    pub const MAX_CHUNK_LINES: usize = 80;

    /// Bytes of a chunk: a file may be a single line.
    pub const MAX_CHUNK_BYTES: usize = 16 * 1024;

    /// Bytes of a path: the shortest limit of common file systems is 1,024.
    pub const MAX_PATH_BYTES: usize = 1_024;

    /// Character comparisons between paths and the patterns of one request: some half second in
    /// WebAssembly. Usual patterns take a thousandth of it.
    pub const MAX_PATTERN_STEPS: u64 = 200_000_000;

    /// Parts of a path.
    pub const MAX_PATH_PARTS: usize = 64;

    /// Bytes of a `Cargo.toml` that is read: large ones have some 20 KB.
    pub const MAX_MANIFEST_BYTES: usize = 1_048_576;

    /// Files of modules that declare each other in a chain, after a `#[path]`.
    pub const MAX_DECLARED_CHAIN: usize = 64;

    /// Bytes of a piece of a list that is passed to SQLite: half of the largest value, because one
    /// entry may have a large text.
    pub const CODE_PIECE_BYTES: usize = 900_000;

    /// Bytes of a piece of a file's content: half of the largest value of SQLite in a Durable
    /// Object.
    pub const CONTENT_PIECE_BYTES: usize = 1_000_000;

    /// Bytes of one item whose words are indexed: longer ones are tables.
    pub const MAX_INDEXED_BYTES: usize = 65_536;

    /// Files of a workspace: the largest repositories in practice have some tens of thousands.
    pub const MAX_FILES: u64 = 50_000;

    /// Bytes of the files of a workspace: with their items, words and past they fill a part of the
    /// 10 GB of an object.
    pub const MAX_WORKSPACE_BYTES: u64 = 536_870_912;

    /// Manifests of a workspace that are read.
    pub const MAX_MANIFESTS: u64 = 1_000;

    /// Rounds of rewriting files that move to another module because others moved.
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

    /// Bytes of past files that a deployment may keep: an object holds 10 GB.
    pub const MAX_CODE_PAST_BYTES: u64 = 4_294_967_296;

    /// Bytes of past files that are kept unless the deployment says otherwise.
    pub const DEFAULT_CODE_PAST_BYTES: u64 = 268_435_456;

    /// Candidates that one search returns: a context of the largest budget looks at a hundred.
    pub const MAX_CODE_CANDIDATES: u64 = 1_000;

    /// Bytes of a block of vectors: half of the largest value of SQLite in a Durable Object.
    pub const VECTOR_BLOCK_BYTES: usize = 1_000_000;

    /// Bytes below which a block of vectors is merged with others. Blocks from a write of many
    /// files are larger, and merging holds all blocks in memory.
    pub const SMALL_VECTOR_BLOCK_BYTES: usize = 125_000;

    /// Small blocks of vectors before they are merged: each edit makes one.
    pub const MAX_SMALL_VECTOR_BLOCKS: u64 = 32;

    /// The longest chain of re-exports of one item that is followed.
    pub const MAX_REEXPORTS: usize = 16;

    /// Files of one page.
    pub const MAX_LISTED_FILES: usize = 5_000;

    /// Files of a page, unless the request says otherwise.
    pub const LISTED_FILES: usize = 500;

    /// Bytes of a file that one read returns.
    pub const MAX_READ_BYTES: usize = 1_048_576;

    /// Bytes of a searched text or expression.
    pub const MAX_SEARCH_PATTERN_BYTES: usize = 1_000;

    /// Bytes of a compiled expression: nested repeats would grow without a limit.
    pub const MAX_PATTERN_SIZE_BYTES: usize = 262_144;

    /// Bytes that a search for a literal text reads: some 200 ms in WebAssembly. A cursor continues
    /// from there.
    pub const MAX_SEARCHED_BYTES: usize = 67_108_864;

    /// Bytes of a compiled expression for which a search may read [`MAX_REGEX_BYTES`]. For an
    /// expression of twice the size it may read half of them.
    pub const FULL_BUDGET_PATTERN_BYTES: usize = 512;

    /// Bytes that a search with a small expression reads. The engine has no time limit, and its
    /// time for each byte grows with the compiled expression: in the worst case a search takes some
    /// 3 s in WebAssembly.
    pub const MAX_REGEX_BYTES: usize = 8_388_608;

    /// Matches of one search.
    pub const MAX_SEARCH_MATCHES: usize = 1_000;

    /// Matches of a search, unless the request says otherwise.
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

    /// Bytes of the code of one edit: half of the largest value of SQLite in a Durable Object.
    pub const MAX_EDIT_BYTES: usize = 1_000_000;

    /// Bytes of the files that one request edits, and of the code of its edits: as much as the
    /// largest file.
    pub const MAX_EDITED_BYTES: u64 = 8 * 1024 * 1024;

    /// Bytes of the files that `approve_all` writes before it stops: each is parsed twice. The
    /// other proposals wait for the next request.
    pub const MAX_APPROVED_BYTES: u64 = 8 * 1024 * 1024;

    /// The least bytes that a file counts there, because its rows are read and written.
    pub const LEAST_APPROVED_BYTES: u64 = 4_096;

    /// Pending edits that are checked when their file changes. The others are checked when somebody
    /// decides about them.
    pub const MAX_JUDGED_EDITS: u64 = 2_000;

    /// Items that a proposal removes and that its warnings name: more than a person reads.
    pub const MAX_REPORTED_LOSSES: usize = 20;

    /// Characters of a request id.
    pub const MAX_REQUEST_ID_CHARACTERS: usize = 128;

    /// Lines of context around a change in a diff, as in diff and git.
    pub const DIFF_CONTEXT_LINES: usize = 3;

    /// Lines of both texts that are compared for a diff: comparing takes up to the square of them.
    pub const MAX_DIFFED_LINES: usize = 6_000;

    /// Bytes of a preview: more than a person reads.
    pub const MAX_PREVIEW_BYTES: usize = 131_072;

    /// Proposals that may be pending.
    pub const MAX_PENDING_PROPOSALS: u64 = 1_000;

    /// Proposals that are kept, including decided ones. The oldest decided ones are deleted first.
    pub const MAX_KEPT_PROPOSALS: u64 = 5_000;

    /// Proposals of one page.
    pub const MAX_LISTED_PROPOSALS: usize = 200;

    /// Proposals of a page, unless the request says otherwise.
    pub const LISTED_PROPOSALS: usize = 50;

    /// Files of one request to write or delete.
    pub const MAX_WRITTEN_FILES: usize = 5_000;

    /// The depth of open markup tags, computed from tokens.
    pub const MAX_MARKUP_DEPTH: usize = 100;
}

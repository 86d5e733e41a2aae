//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Tokens of one result, by the estimate of `results/tokens.rs`: hosts cut or refuse longer
    /// results (Claude Code at 25,000).
    pub const DEFAULT_MCP_MAX_RESULT_TOKENS: usize = 25_000;

    /// Smallest limit that can be set: an error with its hint takes some hundred tokens.
    pub const MIN_RESULT_TOKENS: usize = 2_000;

    /// Largest limit that can be set: a result is held in memory twice.
    pub const MAX_RESULT_TOKENS: usize = 1_000_000;

    /// Characters of the basis in the argument `confirm`, after the name of the object: 64 bits of
    /// a hash, so nobody can find another table with the same characters by trial and error.
    pub const CONFIRM_CODE_CHARACTERS: usize = 16;

    /// Rows of one page of a query if the caller sets no limit: enough for an overview, and few
    /// enough to read.
    pub const DEFAULT_PAGE_ROWS: u64 = 200;

    /// Rows of one page of a query: the maximum of an operation.
    pub const MAX_PAGE_ROWS: u64 = 10_000;

    /// Rows of one page of a table as a resource.
    pub const RESOURCE_PAGE_ROWS: u64 = 100;

    /// Nodes and edges of one page of a graph if the caller sets no limit: about as many as fit
    /// into the tokens of a result.
    pub const DEFAULT_MCP_STATE_ITEMS: u64 = 200;

    /// Found nodes or steps of one page if the caller sets no limit: the default of the operations.
    pub const DEFAULT_MCP_FOUND_ITEMS: u64 = 50;

    /// Items of one page of a graph: the maximum of the operations that search.
    pub const MAX_MCP_PAGE_ITEMS: u64 = 1_000;

    /// Entries of one page of the list of resources.
    pub const LISTED_RESOURCES: usize = 100;

    /// Values of one completion: the maximum of the protocol.
    pub const MAX_COMPLETIONS: usize = 100;

    /// Files of a workspace among which a completion searches a path: one page of the list.
    pub const COMPLETED_PATHS: u64 = 5_000;

    /// Characters of a piece of a result that is staged as text.
    pub const STAGED_PIECE_CHARACTERS: usize = 100_000;

    /// Time for which clients may cache lists that depend only on the deployment.
    pub const LIST_TTL_MS: u64 = 5 * 60 * 1_000;
}

//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Time that a server has for one call, including retries, if its entry in `MCP_SERVERS` sets
    /// none.
    pub const DEFAULT_UPSTREAM_TIMEOUT_MS: u32 = 30_000;

    /// Longest time that a server's entry in `MCP_SERVERS` may set.
    pub const MAX_UPSTREAM_TIMEOUT_MS: u32 = 300_000;

    /// Entries of `MCP_SERVERS`.
    pub const MAX_SERVERS: usize = 64;

    /// Time for which a list of tools is stored if its server sets none.
    pub const TOOL_LIST_TTL_MS: u64 = 5 * 60 * 1000;

    /// Shortest time for which a list of tools is stored: servers send 0 because it is the default
    /// of their library, and then each call would list the tools again.
    pub const MIN_TOOL_LIST_TTL_MS: u64 = 30_000;

    /// Longest time for which a list of tools is stored, whatever its server says.
    pub const MAX_TOOL_LIST_TTL_MS: u64 = 60 * 60 * 1000;

    /// Time for which searches and the guidance leave out a server whose list has failed; otherwise
    /// they would wait for its timeout each time.
    pub const FAILED_LIST_TTL_MS: u64 = 15_000;

    /// Lists of tools that an instance stores.
    pub const MAX_REMEMBERED_TOOL_LISTS: usize = 256;

    /// Stored lists of tools that were fetched with a header of a caller. They also count towards
    /// the limit of all lists. Callers can invent any number of headers, so these lists may take
    /// only a part of that limit.
    pub const MAX_REMEMBERED_PASSED_LISTS: usize = 64;

    /// Bytes of a header that a caller passes through to a server: servers refuse longer ones.
    pub const MAX_PASSED_HEADER_BYTES: usize = 8 * 1024;

    /// Bytes of all stored lists of tools together, as text: as parsed values they take several
    /// times as much.
    pub const MAX_REMEMBERED_TOOL_BYTES: usize = 10 * 1024 * 1024;

    /// GraphQL schemas that are stored for one server, which may have several tools and databases.
    pub const MAX_REMEMBERED_SCHEMAS: usize = 8;

    /// Time for which a search or the guidance waits for the list of one server, if its own timeout
    /// is not shorter.
    pub const OVERVIEW_TIMEOUT_MS: u32 = 10_000;

    /// Bytes of the schemas as text that an instance stores, for all servers and tenants together:
    /// as values they take about five times as much. The schema of GitHub, one of the largest,
    /// fits.
    pub const MAX_REMEMBERED_SCHEMA_BYTES: usize = 6 * 1024 * 1024;

    /// Time for which a GraphQL server is not asked for its schema again after a failed attempt.
    pub const FAILED_SCHEMA_TTL_MS: u64 = 60_000;

    /// Least age at which stored data is fetched again: a list of tools if a tool is missing in it,
    /// and a GraphQL schema if it does not allow a query.
    pub const TOOL_LIST_REFRESH_MS: u64 = 10_000;

    /// Tools that the caller of a program may bring: more should be on a server.
    pub const MAX_HOST_TOOLS: usize = 100;

    /// Bytes of the list of these tools, including schemas.
    pub const MAX_HOST_TOOL_BYTES: usize = 500_000;

    /// Characters of the name of one of these tools.
    pub const MAX_HOST_TOOL_NAME_CHARACTERS: usize = 64;

    /// Time that a caller has for one call of its own tool, if it sets none.
    pub const DEFAULT_HOST_CALL_TIMEOUT_MS: u32 = 60_000;

    /// Names of tools that an error lists.
    pub const MAX_AVAILABLE_TOOLS: usize = 50;

    /// Time for asking a GraphQL server for its schema, which one call waits for.
    pub const INTROSPECTION_TIMEOUT_MS: u32 = 10_000;

    /// Bytes of a response that the proxy passes on unchanged: a model reads it. A larger one goes
    /// into tables of the session.
    pub const MAX_PROXY_INLINE_BYTES: usize = 30 * 1024;

    /// Records of a response that the proxy passes on unchanged.
    pub const MAX_PROXY_INLINE_RECORDS: usize = 100;

    /// Bytes of base64 that a model gets unchanged; longer base64 becomes a blob in a table.
    pub const MAX_SHOWN_BASE64_BYTES: usize = 4 * 1024;

    /// Bytes of a response that a program gets unchanged.
    pub const MAX_PROGRAM_INLINE_BYTES: usize = 1024 * 1024;

    /// Records of a response that a program gets unchanged.
    pub const MAX_PROGRAM_INLINE_RECORDS: usize = 1_000;

    /// Tools that a search or list shows if the request sets no number.
    pub const DEFAULT_LISTED_TOOLS: usize = 20;

    /// Largest number of tools that a search or list shows.
    pub const MAX_LISTED_TOOLS: usize = 200;

    /// Characters of a search query.
    pub const MAX_SEARCH_CHARACTERS: usize = 500;

    /// Characters of a tool's text about its failure.
    pub const MAX_TOOL_ERROR_CHARACTERS: usize = 4_000;

    /// Approximate bytes of JSON of a tool's schema against which its arguments are checked. The
    /// largest schemas of public servers have about 60 KB.
    pub const MAX_TOOL_SCHEMA_BYTES: usize = 256 * 1024;

    /// Work of one check of arguments. A unit is one compared value, one item that must be unique,
    /// or eight states of an expression on one byte of a text.
    pub const MAX_SCHEMA_CHECK_WORK: usize = 10_000_000;

    /// Work of one schema applied to one value: about 20 times that of comparing an allowed value.
    pub const SCHEMA_VISIT_WORK: usize = 20;

    /// Nesting of subschemas in one check of arguments: each level is a step of recursion.
    pub const MAX_SCHEMA_CHECK_DEPTH: usize = 128;

    /// Size of one compiled expression of a schema: about 5,000 states.
    pub const MAX_SCHEMA_PATTERN_SIZE_BYTES: usize = 160 * 1024;

    /// Size of all compiled expressions of one check: compiling a state takes a microsecond.
    pub const MAX_SCHEMA_PATTERNS_SIZE_BYTES: usize = 640 * 1024;

    /// Issues that are listed for the arguments of one call.
    pub const MAX_ARGUMENT_ISSUES: usize = 20;

    /// Characters of the path of such an issue that are shown.
    pub const MAX_SHOWN_PATH_CHARACTERS: usize = 200;

    /// Values or names that such an issue lists.
    pub const MAX_SHOWN_VALUES: usize = 12;

    /// Forms whose issues are collected if a value fits none of several forms.
    pub const MAX_EXPLAINED_BRANCHES: usize = 50;

    /// Forms that such an issue describes.
    pub const MAX_SHOWN_BRANCHES: usize = 4;

    /// Problems of one check that are put into words: the branches of a schema can have thousands.
    pub const MAX_EXPLAINED_ERRORS: usize = 300;

    /// Names of parameters, or allowed values, among which similar ones are searched.
    pub const MAX_NEAR_PARAMETERS: usize = 200;

    /// Characters of the TypeScript declaration of one tool: larger declarations lose their
    /// descriptions, then their parameters.
    pub const MAX_TOOL_DECLARATION_CHARACTERS: usize = 6_000;

    /// Parts of one schema that become a type; further parts become `any`.
    pub const MAX_DECLARED_PARTS: usize = 300;

    /// Nesting of types in one declaration.
    pub const MAX_DECLARED_DEPTH: usize = 12;

    /// Values of one enumeration, or items of one tuple, that a declaration lists.
    pub const MAX_DECLARED_CHOICES: usize = 24;

    /// Characters of a name in a declaration, as in the protocol's rule for tools. Longer names are
    /// left out, because a cut name would be another name.
    pub const MAX_DECLARED_NAME_CHARACTERS: usize = 128;

    /// Characters of the description of a tool in its declaration.
    pub const DECLARED_TOOL_DESCRIPTION_CHARACTERS: usize = 600;

    /// Characters of the first sentence that replaces it if there is little room.
    pub const DECLARED_TOOL_SENTENCE_CHARACTERS: usize = 100;

    /// Characters of the description of a parameter in a declaration.
    pub const DECLARED_NOTE_CHARACTERS: usize = 120;

    /// Characters of an object type that is written on one line.
    pub const DECLARED_LINE_CHARACTERS: usize = 90;

    /// Words of a search query that are used.
    pub const MAX_SEARCH_WORDS: usize = 12;

    /// Bytes of a word in a query or a text; longer words are cut.
    pub const MAX_SEARCH_WORD_BYTES: usize = 40;

    /// Bytes of a tool's description that a search reads: it normally begins with its subject.
    pub const MAX_SEARCHED_DESCRIPTION_BYTES: usize = 600;

    /// Bytes of a parameter's description that a search reads.
    pub const MAX_SEARCHED_NOTE_BYTES: usize = 120;

    /// Parameters of one tool that a search reads.
    pub const MAX_SEARCHED_PARAMETERS: usize = 40;

    /// Bytes of JSON of a tool's schema in an error. Larger schemas are reduced to the relevant
    /// parameters, because a model reads them.
    pub const MAX_ERROR_SCHEMA_BYTES: usize = 6 * 1024;

    /// Bytes of a regular expression of a schema that is checked.
    pub const MAX_PATTERN_BYTES: usize = 1_000;
}

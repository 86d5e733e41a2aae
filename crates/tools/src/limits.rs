//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// How long a server may take for one call, retries included, where its entry in `MCP_SERVERS` says nothing.
    pub const DEFAULT_UPSTREAM_TIMEOUT_MS: u32 = 30_000;

    /// How long a server's entry in `MCP_SERVERS` may let it take.
    pub const MAX_UPSTREAM_TIMEOUT_MS: u32 = 300_000;

    /// Entries of `MCP_SERVERS`.
    pub const MAX_SERVERS: usize = 64;

    /// How long a list of tools is remembered where its server does not say.
    pub const TOOL_LIST_TTL_MS: u64 = 5 * 60 * 1000;

    /// How long a list of tools is remembered at least: servers send 0 because it is the default of their library, and each call would list again.
    pub const MIN_TOOL_LIST_TTL_MS: u64 = 30_000;

    /// How long a list of tools is remembered at most, whatever its server says.
    pub const MAX_TOOL_LIST_TTL_MS: u64 = 60 * 60 * 1000;

    /// How long searches and the guidance leave out a server whose list has failed: they would wait for its timeout each time.
    pub const FAILED_LIST_TTL_MS: u64 = 15_000;

    /// Lists of tools that an instance remembers.
    pub const MAX_REMEMBERED_TOOL_LISTS: usize = 256;

    /// Lists among them that were got with a header of a caller: callers can make up as many as they like.
    pub const MAX_REMEMBERED_PASSED_LISTS: usize = 64;

    /// Value of a header that a caller passes through to a server: servers refuse longer ones.
    pub const MAX_PASSED_HEADER_BYTES: usize = 8 * 1024;

    /// Text of those lists together: as values they take several times as much.
    pub const MAX_REMEMBERED_TOOL_BYTES: usize = 10 * 1024 * 1024;

    /// GraphQL schemas that are remembered of one server: it may have several tools and databases.
    pub const MAX_REMEMBERED_SCHEMAS: usize = 8;

    /// Time for which a search or the guidance waits for the list of one server, if its own time is not shorter.
    pub const OVERVIEW_TIMEOUT_MS: u32 = 10_000;

    /// Text of the schemas that an instance remembers, all servers and tenants together: as values they take some five times as much. That of
    /// GitHub, one of the largest, fits in.
    pub const MAX_REMEMBERED_SCHEMA_BYTES: usize = 6 * 1024 * 1024;

    /// Time for which a GraphQL server that could not be asked for its schema is not asked again.
    pub const FAILED_SCHEMA_TTL_MS: u64 = 60_000;

    /// Age of a remembered list from which on a tool that it lacks is a reason to list again. Of a GraphQL schema, from which on a query that
    /// it does not allow is one.
    pub const TOOL_LIST_REFRESH_MS: u64 = 10_000;

    /// Tools that the caller of a program may bring: more would be a server's.
    pub const MAX_HOST_TOOLS: usize = 100;

    /// Bytes of the list of them, schemas included.
    pub const MAX_HOST_TOOL_BYTES: usize = 500_000;

    /// Characters of the name of one of them.
    pub const MAX_HOST_TOOL_NAME_CHARACTERS: usize = 64;

    /// How long a caller may take for one call of its own tool, where it says nothing.
    pub const DEFAULT_HOST_CALL_TIMEOUT_MS: u32 = 60_000;

    /// Names of tools in an error.
    pub const MAX_AVAILABLE_TOOLS: usize = 50;

    /// Time for asking a GraphQL server for its schema, which a call waits for once.
    pub const INTROSPECTION_TIMEOUT_MS: u32 = 10_000;

    /// Response that the proxy passes on as it is: a model reads it. A larger one goes into tables of the session.
    pub const MAX_PROXY_INLINE_BYTES: usize = 30 * 1024;

    /// Records of a response that the proxy passes on as they are.
    pub const MAX_PROXY_INLINE_RECORDS: usize = 100;

    /// Text of base64 that a model gets as it is; what is longer becomes a blob in a table.
    pub const MAX_SHOWN_BASE64_BYTES: usize = 4 * 1024;

    /// Response that a program gets as it is.
    pub const MAX_PROGRAM_INLINE_BYTES: usize = 1024 * 1024;

    /// Records of a response that a program gets as they are.
    pub const MAX_PROGRAM_INLINE_RECORDS: usize = 1_000;

    /// Tools that a search or list shows when the request says nothing.
    pub const DEFAULT_LISTED_TOOLS: usize = 20;

    /// Tools that a search or list shows.
    pub const MAX_LISTED_TOOLS: usize = 200;

    /// Characters of a search.
    pub const MAX_SEARCH_CHARACTERS: usize = 500;

    /// Characters of a tool's own words about its failure.
    pub const MAX_TOOL_ERROR_CHARACTERS: usize = 4_000;

    /// Schema of a tool that its arguments are checked against, about, as JSON text. The largest of public servers have some 60 KB.
    pub const MAX_TOOL_SCHEMA_BYTES: usize = 256 * 1024;

    /// Work of one check of arguments: allowed values compared, items that must differ, eight states of an expression on one byte of a text.
    pub const MAX_SCHEMA_CHECK_WORK: usize = 10_000_000;

    /// Work of one schema that meets one value: some 20 times that of comparing an allowed value.
    pub const SCHEMA_VISIT_WORK: usize = 20;

    /// Schemas within schemas that one check of arguments may enter: each is a step of recursion.
    pub const MAX_SCHEMA_CHECK_DEPTH: usize = 128;

    /// Size of one compiled expression of a schema: some 5,000 states.
    pub const MAX_SCHEMA_PATTERN_SIZE_BYTES: usize = 160 * 1024;

    /// Compiled expressions of one check together: each state takes a microsecond to make.
    pub const MAX_SCHEMA_PATTERNS_SIZE_BYTES: usize = 640 * 1024;

    /// Issues that are listed of the arguments of one call.
    pub const MAX_ARGUMENT_ISSUES: usize = 20;

    /// Characters shown of the place of such an issue.
    pub const MAX_SHOWN_PATH_CHARACTERS: usize = 200;

    /// Values or names that such an issue lists.
    pub const MAX_SHOWN_VALUES: usize = 12;

    /// Forms that are looked into where a value fits none of several.
    pub const MAX_EXPLAINED_BRANCHES: usize = 50;

    /// Forms that such an issue describes.
    pub const MAX_SHOWN_BRANCHES: usize = 4;

    /// Errors of one check that are put into words: branches of schemas can have thousands.
    pub const MAX_EXPLAINED_ERRORS: usize = 300;

    /// Names of parameters, or allowed values, among which the nearest are looked for.
    pub const MAX_NEAR_PARAMETERS: usize = 200;

    /// Declaration of one tool, in TypeScript: larger ones lose their descriptions, then their parameters.
    pub const MAX_TOOL_DECLARATION_CHARACTERS: usize = 6_000;

    /// Parts of one schema that become a type; what lies behind is `any`.
    pub const MAX_DECLARED_PARTS: usize = 300;

    /// Types within types of one declaration.
    pub const MAX_DECLARED_DEPTH: usize = 12;

    /// Values of one enumeration, or items of one tuple, that a declaration lists.
    pub const MAX_DECLARED_CHOICES: usize = 24;

    /// Characters of a name in a declaration, as the protocol has it for tools. What has a longer one is left out: a cut name would be another.
    pub const MAX_DECLARED_NAME_CHARACTERS: usize = 128;

    /// Characters of the description of a tool in its declaration.
    pub const DECLARED_TOOL_DESCRIPTION_CHARACTERS: usize = 600;

    /// Characters of the first sentence that stands for it where room is short.
    pub const DECLARED_TOOL_SENTENCE_CHARACTERS: usize = 100;

    /// Characters of the description of a parameter in a declaration.
    pub const DECLARED_NOTE_CHARACTERS: usize = 120;

    /// Characters of an object type that stands on one line.
    pub const DECLARED_LINE_CHARACTERS: usize = 90;

    /// Words of a query for tools that are looked for.
    pub const MAX_SEARCH_WORDS: usize = 12;

    /// Bytes of a word that is looked for or found; a longer one is cut.
    pub const MAX_SEARCH_WORD_BYTES: usize = 40;

    /// Bytes of a tool's description that a search reads: its subject stands at the beginning.
    pub const MAX_SEARCHED_DESCRIPTION_BYTES: usize = 600;

    /// Bytes of a parameter's description that a search reads.
    pub const MAX_SEARCHED_NOTE_BYTES: usize = 120;

    /// Parameters of one tool that a search looks at.
    pub const MAX_SEARCHED_PARAMETERS: usize = 40;

    /// JSON text of a tool's schema in an error: a larger one is cut to the parameters that matter there, because a model reads it.
    pub const MAX_ERROR_SCHEMA_BYTES: usize = 6 * 1024;

    /// Regular expression of a schema that is checked.
    pub const MAX_PATTERN_BYTES: usize = 1_000;
}

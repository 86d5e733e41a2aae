//! The settings, as the documents list them. One test compares them with `docs/deploying.md`, and
//! another with the variables that the parser reads.

/// One setting, as the documents list it.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Name of the variable or secret.
    pub name: &'static str,
    /// The default as text; empty if there is none.
    pub default: &'static str,
    /// The meaning, for the documents.
    pub meaning: &'static str,
}

/// Every setting that [`super::Config::parse`] reads.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "API_TOKENS",
        default: "",
        meaning: "secret: JSON object of token and tenant; without it and without OAUTH_ISSUER only loopback hosts are served",
    },
    Setting {
        name: "OAUTH_ISSUER",
        default: "",
        meaning: "the OAuth issuer whose access tokens are accepted",
    },
    Setting {
        name: "OAUTH_AUDIENCE",
        default: "",
        meaning: "audiences of access tokens, separated by commas; without it, the address of the resource",
    },
    Setting {
        name: "OAUTH_TENANT_CLAIM",
        default: "",
        meaning: "the claim of an access token that names the tenant; without it, sub",
    },
    Setting {
        name: "OAUTH_BUSINESS_CLAIM",
        default: "",
        meaning: "the claim of an access token that names the business whose rows the agent may see; without it, each request names one",
    },
    Setting {
        name: "OAUTH_SCOPES",
        default: "",
        meaning: "scopes that each access token must have, separated by blanks",
    },
    Setting {
        name: "OAUTH_JWKS_URL",
        default: "",
        meaning: "address of the issuer's keys; without it, the one in the issuer's metadata",
    },
    Setting {
        name: "ALLOWED_ORIGINS",
        default: "",
        meaning: "origins whose pages may call, separated by commas; * allows every page",
    },
    Setting {
        name: "SESSION_TTL_SECONDS",
        default: "86400",
        meaning: "a session is deleted this long after its last use",
    },
    Setting {
        name: "SQL_PROFILE",
        default: "standard",
        meaning: "standard, or strict, which also refuses DROP and ALTER",
    },
    Setting {
        name: "MAX_RESULT_ROWS",
        default: "10000",
        meaning: "most rows that one query returns; a longer result is marked truncated",
    },
    Setting {
        name: "MAX_RESULT_BYTES",
        default: "16777216",
        meaning: "most bytes of rows that one query returns; a longer result is marked truncated",
    },
    Setting {
        name: "MAX_RECURSIVE_ROWS",
        default: "1000000",
        meaning: "rows of a recursive common table expression without a LIMIT of its own",
    },
    Setting {
        name: "MAX_QUERY_WORK",
        default: "3000000000",
        meaning: "work of a statement, in units of 10 ns, above which it is refused",
    },
    Setting {
        name: "TENANT_COLUMN",
        default: "",
        meaning: "the column of a row scope that names none; without it, business_id",
    },
    Setting {
        name: "GLOBAL_TABLES",
        default: "",
        meaning: "tables without that column which every row scope may read: a JSON array of names, or names separated by commas; * for all of them",
    },
    Setting {
        name: "QUERY_TIMEOUT_MS",
        default: "30000",
        meaning: "the time after which a request without a response fails with 504",
    },
    Setting {
        name: "MAX_REQUEST_BYTES",
        default: "33554432",
        meaning: "body of a JSON request",
    },
    Setting {
        name: "MAX_BATCH_BYTES",
        default: "33554432",
        meaning: "body of a request to POST /, which contains the records of batchInsert",
    },
    Setting {
        name: "MAX_LOAD_BYTES",
        default: "536870912",
        meaning: "body of a streamed load",
    },
    Setting {
        name: "MAX_STAGED_ROWS",
        default: "200000",
        meaning: "rows that staging makes of one result of a tool",
    },
    Setting {
        name: "MAX_STAGED_TABLES",
        default: "200",
        meaning: "staged tables that a session keeps",
    },
    Setting {
        name: "EXECUTION_CPU_MS",
        default: "30000",
        meaning: "CPU time that a program's isolate may use",
    },
    Setting {
        name: "OPERATION_LOG",
        default: "on",
        meaning: "on writes one line to the log for each operation, off none",
    },
    Setting {
        name: "MCP_SERVERS",
        default: "",
        meaning: "JSON array of the servers whose tools may be called",
    },
    Setting {
        name: "MCP_MAX_RESULT_TOKENS",
        default: "25000",
        meaning: "most tokens of one result of the MCP server, by an estimate that is never too low",
    },
    Setting {
        name: "MCP_CONFIRM",
        default: "on",
        meaning: "on asks before a tool of the MCP server deletes a table or a session, off does not",
    },
    Setting {
        name: "MCP_SESSION_TTL_SECONDS",
        default: "14400",
        meaning: "the session of an older MCP client ends this long after its last use",
    },
    Setting {
        name: "MODEL",
        default: "",
        meaning: "JSON object: the language model that writes statements of chat threads; without it, the embedded planner",
    },
    Setting {
        name: "MODEL_API_KEY",
        default: "",
        meaning: "secret: the key of that model's provider",
    },
    Setting {
        name: "AGENT",
        default: "",
        meaning: "JSON object: how statements of chat threads are approved",
    },
    Setting {
        name: "GRAPH_HISTORY_STEPS",
        default: "1000",
        meaning: "steps that the history of a knowledge graph keeps",
    },
    Setting {
        name: "CODE_VERSIONS",
        default: "1000",
        meaning: "versions that the history of a code workspace keeps",
    },
    Setting {
        name: "CODE_PAST_BYTES",
        default: "268435456",
        meaning: "bytes of deleted and replaced files that a code workspace keeps",
    },
    Setting {
        name: "CODE_ROOT",
        default: "/ws",
        meaning: "absolute path of the root of a workspace, for tracking hashes",
    },
    Setting {
        name: "CODE_AUTO_CONFIRM",
        default: "",
        meaning: "confidence, 0 to 1, from which an edit is applied without a decision",
    },
    Setting {
        name: "CODE_EMBEDDING",
        default: "embedded",
        meaning: "the model that makes the vectors of code workspaces: embedded, or workers-ai",
    },
    Setting {
        name: "COLUMN_MAPPINGS",
        default: "",
        meaning: "JSON object of server, semantic name and column, added to data/column_mappings.toml",
    },
];

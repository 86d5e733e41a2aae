//! The list of the tools.

use super::{Hints, Parts, Tool, ToolAction};
use crate::argument::{
    CONFIRM, ON_CONFLICT, PARAMS, TARGET, THREAD, any, argument, object, text, whole,
};

const NO_HINTS: Hints = Hints {
    read_only: false,
    destructive: false,
    idempotent: false,
    open_world: false,
};
const READS: Hints = Hints {
    read_only: true,
    idempotent: true,
    ..NO_HINTS
};

const FULL_ONLY: Parts = Parts {
    compact: false,
    read_only: false,
    database: false,
    code: false,
};
const DATABASE: Parts = Parts {
    database: true,
    ..FULL_ONLY
};
const READ_DATABASE: Parts = Parts {
    read_only: true,
    ..DATABASE
};
const READ_EVERYWHERE: Parts = Parts {
    code: true,
    ..READ_DATABASE
};
const CODE: Parts = Parts {
    code: true,
    ..FULL_ONLY
};

/// The placeholder for the title and the hints of an operation.
const OPERATION: (&str, Hints) = ("", NO_HINTS);

/// Every tool, in the order of the list.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "program_run",
        does: ToolAction::Execute,
        title: "Run a program",
        description: "Runs JavaScript or TypeScript beside the session's SQLite database. Top-level await; return gives the result. No network, no imports.\n\
            - await helpers.db.query(sql, params) gives rows as objects; helpers.db.exec(sql, params) runs any other statement; helpers.db.batchInsert(table, records); helpers.db.createTable(name, \"id INTEGER PRIMARY KEY, title TEXT\").\n\
            - dbSchema.getTables(), dbSchema.getColumns(table), dbSchema.findColumn(table, \"publication date\").\n\
            - await helpers.<server>.<tool>(args) calls a tool of another server and gives its data, or {ok: false, error}; large results become tables. helpers.search(\"words\") finds tools.\n\
            Tables stay between runs, variables do not. Put many records into a table, work in SQL, return small results.",
        arguments: &[
            text("code", "The program: statements with return, not a file"),
            any("input", "JSON that the program sees as input"),
            whole(
                "timeoutMs",
                "Time limit in ms, at most 300000; default 30000",
            ),
        ],
        required: &["code"],
        output: r#""logs":{"type":"array","items":{"type":"object"}},"calls":{"type":"array","items":{"type":"object"}},"truncated":{"type":"string"},"executionId":{"type":"string"}"#,
        hints: Hints {
            destructive: true,
            open_world: true,
            ..NO_HINTS
        },
        parts: Parts {
            compact: true,
            ..CODE
        },
    },
    Tool {
        name: "tools_search",
        does: ToolAction::Search,
        title: "Search tools",
        description: "Finds tools of the configured servers by words; no words list them all.",
        arguments: &[
            text(
                "query",
                "Words of names, descriptions and parameters; leave out for all tools",
            ),
            text("server", "Only tools of this server"),
            whole("limit", "Tools of one page, at most 200; default 20"),
            whole("offset", "Tools to skip: nextOffset of the last page"),
        ],
        required: &[],
        output: r#""tools":{"type":"array","items":{"type":"object"}},"total":{"type":"integer"},"nextOffset":{"type":["integer","null"]}"#,
        hints: Hints {
            open_world: true,
            ..READS
        },
        parts: Parts {
            compact: true,
            read_only: true,
            ..CODE
        },
    },
    Tool {
        name: "tools_describe",
        does: ToolAction::Describe,
        title: "Describe a tool",
        description: "Schema and TypeScript declaration of one tool of a server.",
        arguments: &[
            text("server", "Server that has the tool"),
            text("tool", "Name of the tool"),
        ],
        required: &["server", "tool"],
        output: r#""tool":{"type":["object","null"]},"declaration":{"type":["string","null"]}"#,
        hints: Hints {
            open_world: true,
            ..READS
        },
        parts: Parts {
            read_only: true,
            ..CODE
        },
    },
    Tool {
        name: "tools_call",
        does: ToolAction::Call,
        title: "Call a tool",
        description: "Calls a tool of a configured server. A large result becomes tables; meta.staged says so and result names them.",
        arguments: &[
            text("server", "Server that has the tool"),
            text("tool", "Name of the tool, as tools_search shows it"),
            object("args", "Arguments of that tool"),
            argument(
                "stage",
                r#""type":["string","boolean"],"minLength":1"#,
                "true or a table name: the result becomes tables even if it is small; false: never",
            ),
            CONFIRM,
        ],
        required: &["server", "tool"],
        output: r#""meta":{"type":"object"}"#,
        hints: Hints {
            destructive: true,
            open_world: true,
            ..NO_HINTS
        },
        parts: CODE,
    },
    Tool {
        name: "db_query",
        does: ToolAction::Operation("query"),
        title: OPERATION.0,
        description: "Rows of one SELECT (SQLite). If truncated, repeat the call with cursor: nextCursor.",
        arguments: &[
            text("sql", "One SELECT, with ? for each value"),
            PARAMS,
            whole("limit", "Rows of one page, at most 10000; default 200"),
            text(
                "cursor",
                "nextCursor of the last page; sql, params and target as before",
            ),
            TARGET,
        ],
        required: &["sql"],
        output: r#""columns":{"type":"array","items":{"type":"string"}},"rows":{"type":"array","items":{"type":"array","items":{"type":["string","number","object","null"]}}},"rowCount":{"type":"integer"},"truncated":{"type":"boolean"},"nextCursor":{"type":"string"}"#,
        hints: OPERATION.1,
        parts: READ_EVERYWHERE,
    },
    Tool {
        name: "db_exec",
        does: ToolAction::Operation("exec"),
        title: OPERATION.0,
        description: "Runs one statement that writes.",
        arguments: &[
            text(
                "sql",
                "One CREATE, INSERT, UPDATE, DELETE, ALTER or DROP, with ? for each value",
            ),
            PARAMS,
            CONFIRM,
            TARGET,
        ],
        required: &["sql"],
        output: r#""changes":{"type":"integer"},"rowsWritten":{"type":"integer"},"columns":{"type":"array","items":{"type":"string"}},"rows":{"type":"array","items":{"type":"array","items":{"type":["string","number","object","null"]}}}"#,
        hints: OPERATION.1,
        parts: DATABASE,
    },
    Tool {
        name: "db_batch_insert",
        does: ToolAction::Operation("batchInsert"),
        title: OPERATION.0,
        description: "Inserts records, all or nothing.",
        arguments: &[
            text("table", "Table that exists"),
            argument(
                "records",
                r#""type":"array","items":{"type":"object"}"#,
                "One object for each row; its keys are columns",
            ),
            ON_CONFLICT,
        ],
        required: &["table", "records"],
        output: r#""rowsWritten":{"type":"integer"},"inserted":{"type":"integer"}"#,
        hints: OPERATION.1,
        parts: DATABASE,
    },
    Tool {
        name: "db_create_table",
        does: ToolAction::Operation("createTable"),
        title: OPERATION.0,
        description: "Creates a table.",
        arguments: &[
            text("name", "Name of the new table"),
            text(
                "schema",
                "Its columns in SQL, such as: id INTEGER PRIMARY KEY, title TEXT",
            ),
            TARGET,
        ],
        required: &["name", "schema"],
        output: r#""existed":{"type":"boolean"}"#,
        hints: OPERATION.1,
        parts: DATABASE,
    },
    Tool {
        name: "db_drop_table",
        does: ToolAction::Operation("dropTable"),
        title: OPERATION.0,
        description: "Drops a table or view with its rows.",
        arguments: &[
            text("table", "Table or view to drop"),
            argument(
                "ifExists",
                r#""type":"boolean""#,
                "true: no error where it does not exist",
            ),
            CONFIRM,
            TARGET,
        ],
        required: &["table"],
        output: r#""table":{"type":"string"},"dropped":{"type":"boolean"}"#,
        hints: OPERATION.1,
        parts: DATABASE,
    },
    Tool {
        name: "db_import",
        does: ToolAction::Import,
        title: "Import rows",
        description: "Loads rows into a table, created where it is missing: from text, or from a table of a staged result. All or nothing.",
        arguments: &[
            text("table", "Table to load into"),
            text(
                "text",
                "The rows: CSV, TSV, NDJSON or a JSON array; or give from",
            ),
            argument(
                "format",
                r#""enum":["csv","tsv","ndjson","json"]"#,
                "Form of text; detected if left out",
            ),
            argument(
                "null",
                r#""type":"array","items":{"type":"string"}"#,
                "Words for a missing value; default NA, NULL, - and others",
            ),
            argument("decimal", r#""enum":[".",","]"#, "Decimal sign of CSV"),
            argument(
                "dates",
                r#""enum":["dmy","mdy"]"#,
                "Order in dates such as 01/02/2025",
            ),
            text(
                "delimiter",
                "Between fields of CSV: tab, semicolon, pipe, space or the character",
            ),
            text("from", "Instead of text: name of the table to copy"),
            ON_CONFLICT,
        ],
        required: &["table"],
        output: r#""rowsWritten":{"type":"integer"}"#,
        hints: Hints {
            destructive: true,
            ..NO_HINTS
        },
        parts: DATABASE,
    },
    Tool {
        name: "db_save_state",
        does: ToolAction::Operation("saveState"),
        title: OPERATION.0,
        description: "Keeps a JSON value under a key.",
        arguments: &[
            text("key", "Name of the value; one of this name is replaced"),
            any("value", "Any JSON value, null too"),
        ],
        required: &["key", "value"],
        output: "",
        hints: OPERATION.1,
        parts: DATABASE,
    },
    Tool {
        name: "db_get_state",
        does: ToolAction::Operation("getState"),
        title: OPERATION.0,
        description: "The value under a key, or null.",
        arguments: &[text("key", "Name that the value was saved under")],
        required: &["key"],
        output: "",
        hints: OPERATION.1,
        parts: READ_DATABASE,
    },
    Tool {
        name: "db_get_metrics",
        does: ToolAction::Operation("getMetrics"),
        title: OPERATION.0,
        description: "Size, expiry, rows of each table, log.",
        arguments: &[],
        required: &[],
        output: r#""tables":{"type":"object"},"databaseSize":{"type":"integer"},"expiresAt":{"type":"string"}"#,
        hints: OPERATION.1,
        parts: READ_DATABASE,
    },
    Tool {
        name: "db_get_tables",
        does: ToolAction::Operation("getTables"),
        title: OPERATION.0,
        description: "Names of the tables.",
        arguments: &[TARGET],
        required: &[],
        output: r#""tables":{"type":"array","items":{"type":"string"}}"#,
        hints: OPERATION.1,
        parts: READ_EVERYWHERE,
    },
    Tool {
        name: "db_describe_table",
        does: ToolAction::Operation("describeTable"),
        title: OPERATION.0,
        description: "Columns, three rows, number of rows.",
        arguments: &[text("table", "Table or view to describe"), TARGET],
        required: &["table"],
        output: r#""columns":{"type":"array","items":{"type":"object"}},"sampleRows":{"type":["array","null"],"items":{"type":"object"}},"rowCount":{"type":["integer","null"]},"notice":{"type":"string"}"#,
        hints: OPERATION.1,
        parts: READ_EVERYWHERE,
    },
    Tool {
        name: "db_find_column",
        does: ToolAction::Operation("findColumn"),
        title: OPERATION.0,
        description: "The column of a table that holds what a name means, or null.",
        arguments: &[
            text("table", "Table to look in"),
            text(
                "semanticName",
                "The meaning in words, such as publication date",
            ),
            text(
                "server",
                "Server that the data came from; detected if left out",
            ),
            TARGET,
        ],
        required: &["table", "semanticName"],
        output: r#""column":{"type":["string","null"]},"score":{"type":"number"},"alternatives":{"type":"array","items":{"type":"object"}}"#,
        hints: OPERATION.1,
        parts: READ_DATABASE,
    },
    Tool {
        name: "db_delete_session",
        does: ToolAction::DeleteSession,
        title: "Delete a session",
        description: "Deletes a session with all its tables.",
        arguments: &[CONFIRM],
        required: &[],
        output: "",
        hints: Hints {
            destructive: true,
            idempotent: true,
            ..NO_HINTS
        },
        parts: DATABASE,
    },
    Tool {
        name: "agent_ask",
        does: ToolAction::AskDatabase,
        title: "Ask the database",
        description: "Takes a question in plain words. It writes one SQL statement, which a person approves before it runs.",
        arguments: &[
            text("question", "Question or order in plain words"),
            text(
                "businessId",
                "Only rows of this business; default: all rows, or the business of the token",
            ),
            text("userId", "Who asks, for the audit"),
            text("thread", "Thread to continue; default: the session's own"),
            TARGET,
        ],
        required: &["question"],
        output: r#""thread":{"type":"string"},"answer":{"type":"string"},"pending":{"type":"object"}"#,
        hints: Hints {
            destructive: true,
            open_world: true,
            ..NO_HINTS
        },
        parts: DATABASE,
    },
    Tool {
        name: "agent_decide",
        does: ToolAction::Decide,
        title: "Decide a statement",
        description: "Asks the user to decide on a pending statement.",
        arguments: &[
            THREAD,
            text("approvalId", "pending.approvalId of the thread"),
            text(
                "sha256",
                "pending.sha256: decides the statement that was shown, and no other",
            ),
            argument(
                "action",
                r#""enum":["approved","rejected","edited","undo"]"#,
                "edited proposes sql instead; undo takes back a write that has run",
            ),
            text("sql", "With edited: the other statement"),
            text("reason", "Why, for the audit"),
        ],
        required: &["thread", "approvalId", "action"],
        output: r#""thread":{"type":"string"},"answer":{"type":"string"},"pending":{"type":"object"}"#,
        hints: Hints {
            destructive: true,
            ..NO_HINTS
        },
        parts: DATABASE,
    },
    Tool {
        name: "agent_get_thread",
        does: ToolAction::GetThread,
        title: "Look at a thread",
        description: "Question, result and what waits in a thread.",
        arguments: &[THREAD],
        required: &["thread"],
        output: r#""thread":{"type":"string"},"answer":{"type":"string"},"pending":{"type":"object"}"#,
        hints: READS,
        parts: READ_DATABASE,
    },
    Tool {
        name: "graphql_check",
        does: ToolAction::GraphqlCheck,
        title: "Check GraphQL",
        description: "Explains the nulls and errors of a GraphQL response, or what is wrong with a query for a schema.",
        arguments: &[
            argument(
                "response",
                r#""type":["object","string"],"minLength":1"#,
                "The whole response: data, errors",
            ),
            text("query", "Query of the response, or the one to check"),
            object("variables", "Variables of the query"),
            argument(
                "schema",
                r#""type":["string","object"],"minLength":1"#,
                "Schema as SDL, or the JSON of an introspection",
            ),
        ],
        required: &[],
        output: r#""valid":{"type":"boolean"},"issues":{"type":"array","items":{"type":"object"}},"nullFields":{"type":"array","items":{"type":"string"}}"#,
        hints: READS,
        parts: Parts {
            code: true,
            read_only: true,
            ..FULL_ONLY
        },
    },
];

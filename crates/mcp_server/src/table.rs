//! The tools, as data. Title, annotations and the fields of an operation's tool are those of the table of operations; a test compares them.
//!
//! A list of tools stands in the context of a model before it has done anything, so descriptions say only what a model would not guess, and
//! schemas leave out what an error would tell as well. A test counts the tokens.

use operations::Operation;

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// This operation of the session.
    Operation(&'static str),
    /// Runs a program.
    Execute,
    /// Searches the tools of the configured servers.
    Search,
    /// Describes one of them.
    Describe,
    /// Calls one of them.
    Call,
    /// Loads rows from a text or a staged result.
    Import,
    /// Deletes a session.
    DeleteSession,
    /// Asks the database agent.
    AskDatabase,
    /// Decides what waits in a thread of it.
    Decide,
    /// Looks at a thread of it.
    GetThread,
    /// Explains a GraphQL response or query.
    GraphqlCheck,
}

/// Which profiles beside the whole list a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// The fewest tokens.
    pub compact: bool,
    /// What changes nothing.
    pub read_only: bool,
    /// The session database.
    pub database: bool,
    /// Programs and tools.
    pub code: bool,
}

/// What hosts may assume of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may take something away.
    pub destructive: bool,
    /// The second of two same calls changes nothing more.
    pub idempotent: bool,
    /// It reaches something outside the session.
    pub open_world: bool,
}

impl Hints {
    /// Those of an operation.
    pub fn of<I>(operation: &Operation<I>) -> Self {
        Self {
            read_only: operation.read_only,
            destructive: operation.destructive,
            idempotent: operation.idempotent,
            open_world: operation.open_world,
        }
    }
}

/// One tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// As it is called.
    pub name: &'static str,
    /// What it does.
    pub does: Does,
    /// For people; of an operation, the operation's.
    title: &'static str,
    /// For models.
    pub description: &'static str,
    /// JSON text of the properties of its arguments.
    pub properties: &'static str,
    /// The arguments that must be there.
    pub required: &'static [&'static str],
    /// JSON text of the properties of its structured content.
    pub output: &'static str,
    /// What hosts may assume; of an operation, the operation's.
    hints: Hints,
    /// Where it is listed.
    pub parts: Parts,
}

impl Tool {
    /// The operation that it stands for.
    pub fn operation(&self) -> Option<&'static Operation> {
        match self.does {
            Does::Operation(name) => operations::find(name),
            _ => None,
        }
    }

    /// For people.
    pub fn title(&self) -> &'static str {
        self.operation()
            .map_or(self.title, |operation| operation.title)
    }

    /// What hosts may assume.
    pub fn hints(&self) -> Hints {
        self.operation().map_or(self.hints, Hints::of)
    }
}

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

/// What stands for an operation's own title and hints.
const OPERATION: (&str, Hints) = ("", NO_HINTS);

/// Every tool, in the order of the list.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "execute",
        does: Does::Execute,
        title: "Run a program",
        description: "Runs JavaScript or TypeScript beside the session's SQLite database. Top-level await; return gives the result. No network, no imports.\n\
            - await helpers.db.query(sql, params) gives rows as objects; helpers.db.exec(sql, params) runs any other statement; helpers.db.batchInsert(table, records); helpers.db.createTable(name, \"id INTEGER PRIMARY KEY, title TEXT\").\n\
            - dbSchema.getTables(), dbSchema.getColumns(table), dbSchema.findColumn(table, \"publication date\").\n\
            - await helpers.<server>.<tool>(args) calls a tool of another server and gives its data, or {ok: false, error}; large results become tables. helpers.search(\"words\") finds tools.\n\
            Tables stay between runs, variables do not. Put many records into a table, work in SQL, return small results.",
        properties: r#""code":{"type":"string"},"input":{"description":"The program sees it as input"},"timeoutMs":{"type":"integer"}"#,
        required: &["code"],
        output: r#""result":{},"logs":{"type":"array"},"calls":{"type":"array"},"truncated":{"const":"staged"},"executionId":{"type":"string"}"#,
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
        name: "search_tools",
        does: Does::Search,
        title: "Search tools",
        description: "Finds tools of the configured servers by words; no words list them all.",
        properties: r#""query":{"type":"string"},"server":{"type":"string"},"limit":{"type":"integer"},"offset":{"type":"integer"}"#,
        required: &[],
        output: r#""tools":{"type":"array"},"total":{"type":"integer"},"nextOffset":{"type":["integer","null"]}"#,
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
        name: "describe_tool",
        does: Does::Describe,
        title: "Describe a tool",
        description: "Schema and TypeScript declaration of one tool.",
        properties: r#""server":{"type":"string"},"tool":{"type":"string"}"#,
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
        name: "call_tool",
        does: Does::Call,
        title: "Call a tool",
        description: "Calls a tool of a configured server. A large result becomes tables; meta.staged says so and result names them. stage: true or a table name asks for tables, false for none.",
        properties: r#""server":{"type":"string"},"tool":{"type":"string"},"args":{"type":"object"},"stage":{"anyOf":[{"type":"boolean"},{"type":"string"}]},"confirm":{"type":"string"}"#,
        required: &["server", "tool"],
        output: r#""result":{},"meta":{"type":"object"}"#,
        hints: Hints {
            destructive: true,
            open_world: true,
            ..NO_HINTS
        },
        parts: CODE,
    },
    Tool {
        name: "db_query",
        does: Does::Operation("query"),
        title: OPERATION.0,
        description: "Rows of one SELECT (SQLite). If truncated, repeat the call with cursor: nextCursor.",
        properties: r#""sql":{"type":"string"},"params":{"anyOf":[{"type":"array"},{"type":"object"}]},"limit":{"type":"integer"},"cursor":{"type":"string"},"target":{"enum":["session","persistent"]}"#,
        required: &["sql"],
        output: r#""columns":{"type":"array"},"rows":{"type":"array","items":{"type":"array"}},"rowCount":{"type":"integer"},"truncated":{"type":"boolean"},"nextCursor":{"type":"string"}"#,
        hints: OPERATION.1,
        parts: READ_EVERYWHERE,
    },
    Tool {
        name: "db_exec",
        does: Does::Operation("exec"),
        title: OPERATION.0,
        description: "Runs one statement: CREATE, INSERT, UPDATE, DELETE, ALTER, DROP. confirm: what the error tells, where DROP asks for it.",
        properties: r#""sql":{"type":"string"},"params":{"anyOf":[{"type":"array"},{"type":"object"}]},"confirm":{"type":"string"},"target":{"enum":["session","persistent"]}"#,
        required: &["sql"],
        output: r#""changes":{"type":"integer"},"rowsWritten":{"type":"integer"},"columns":{"type":"array"},"rows":{"type":"array"}"#,
        hints: OPERATION.1,
        parts: DATABASE,
    },
    Tool {
        name: "db_batch_insert",
        does: Does::Operation("batchInsert"),
        title: OPERATION.0,
        description: "Inserts records, all or nothing.",
        properties: r#""table":{"type":"string"},"records":{"type":"array","items":{"type":"object"}},"onConflict":{"enum":["error","ignore","replace"]}"#,
        required: &["table", "records"],
        output: r#""rowsWritten":{"type":"integer"},"inserted":{"type":"integer"}"#,
        hints: OPERATION.1,
        parts: DATABASE,
    },
    Tool {
        name: "db_create_table",
        does: Does::Operation("createTable"),
        title: OPERATION.0,
        description: "schema is what stands in the brackets of CREATE TABLE.",
        properties: r#""name":{"type":"string"},"schema":{"type":"string"},"target":{"enum":["session","persistent"]}"#,
        required: &["name", "schema"],
        output: r#""existed":{"const":true}"#,
        hints: OPERATION.1,
        parts: DATABASE,
    },
    Tool {
        name: "db_drop_table",
        does: Does::Operation("dropTable"),
        title: OPERATION.0,
        description: "confirm: what the error tells, where you are asked for it.",
        properties: r#""table":{"type":"string"},"ifExists":{"type":"boolean"},"confirm":{"type":"string"},"target":{"enum":["session","persistent"]}"#,
        required: &["table"],
        output: r#""table":{"type":"string"},"dropped":{"type":"boolean"}"#,
        hints: OPERATION.1,
        parts: DATABASE,
    },
    Tool {
        name: "db_import",
        does: Does::Import,
        title: "Import rows",
        description: "Loads rows into a table, created where it is missing: from text (CSV, TSV, NDJSON or a JSON array), or from a table of a staged result. All or nothing.",
        properties: r#""table":{"type":"string"},"text":{"type":"string"},"format":{"enum":["csv","tsv","ndjson","json"]},"from":{"type":"string"},"onConflict":{"enum":["error","ignore","replace"]}"#,
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
        does: Does::Operation("saveState"),
        title: OPERATION.0,
        description: "Keeps a JSON value under a key.",
        properties: r#""key":{"type":"string"},"value":{}"#,
        required: &["key", "value"],
        output: "",
        hints: OPERATION.1,
        parts: DATABASE,
    },
    Tool {
        name: "db_get_state",
        does: Does::Operation("getState"),
        title: OPERATION.0,
        description: "The value under a key, or null.",
        properties: r#""key":{"type":"string"}"#,
        required: &["key"],
        output: r#""value":{}"#,
        hints: OPERATION.1,
        parts: READ_DATABASE,
    },
    Tool {
        name: "db_get_metrics",
        does: Does::Operation("getMetrics"),
        title: OPERATION.0,
        description: "Size, expiry, rows of each table, log.",
        properties: "",
        required: &[],
        output: r#""tables":{"type":"object"},"databaseSize":{"type":"integer"},"expiresAt":{"type":"string"}"#,
        hints: OPERATION.1,
        parts: READ_DATABASE,
    },
    Tool {
        name: "db_get_tables",
        does: Does::Operation("getTables"),
        title: OPERATION.0,
        description: "Names of the tables.",
        properties: r#""target":{"enum":["session","persistent"]}"#,
        required: &[],
        output: r#""tables":{"type":"array","items":{"type":"string"}}"#,
        hints: OPERATION.1,
        parts: READ_EVERYWHERE,
    },
    Tool {
        name: "db_describe_table",
        does: Does::Operation("describeTable"),
        title: OPERATION.0,
        description: "Columns, three rows, number of rows.",
        properties: r#""table":{"type":"string"},"target":{"enum":["session","persistent"]}"#,
        required: &["table"],
        output: r#""columns":{"type":"array"},"sampleRows":{"type":["array","null"]},"rowCount":{"type":["integer","null"]},"notice":{"type":"string"}"#,
        hints: OPERATION.1,
        parts: READ_EVERYWHERE,
    },
    Tool {
        name: "db_find_column",
        does: Does::Operation("findColumn"),
        title: OPERATION.0,
        description: "The column of a table that holds what semanticName means (\"publication date\"), or null.",
        properties: r#""table":{"type":"string"},"semanticName":{"type":"string"},"server":{"type":"string"},"target":{"enum":["session","persistent"]}"#,
        required: &["table", "semanticName"],
        output: r#""column":{"type":["string","null"]},"score":{"type":"number"},"alternatives":{"type":"array"}"#,
        hints: OPERATION.1,
        parts: READ_DATABASE,
    },
    Tool {
        name: "db_delete_session",
        does: Does::DeleteSession,
        title: "Delete a session",
        description: "Deletes a session with all its tables. confirm: what the error tells, where you are asked for it.",
        properties: r#""confirm":{"type":"string"}"#,
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
        name: "ask_database",
        does: Does::AskDatabase,
        title: "Ask the database",
        description: "Takes a question in plain words. It writes one SQL statement, which a person approves before it runs, and sees only rows of businessId.",
        properties: r#""question":{"type":"string"},"businessId":{"type":"string"},"userId":{"type":"string"},"thread":{"type":"string"},"target":{"enum":["session","persistent"]}"#,
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
        name: "decide",
        does: Does::Decide,
        title: "Decide a statement",
        description: "Asks the user to decide what waits in a thread of ask_database.",
        properties: r#""thread":{"type":"string"},"approvalId":{"type":"string"},"sha256":{"type":"string"},"action":{"enum":["approved","rejected","edited","undo"]},"sql":{"type":"string"},"reason":{"type":"string"}"#,
        required: &["thread", "approvalId", "action"],
        output: r#""thread":{"type":"string"},"answer":{"type":"string"},"pending":{"type":"object"}"#,
        hints: Hints {
            destructive: true,
            ..NO_HINTS
        },
        parts: DATABASE,
    },
    Tool {
        name: "get_thread",
        does: Does::GetThread,
        title: "Look at a thread",
        description: "Question, result and what waits in a thread of ask_database.",
        properties: r#""thread":{"type":"string"}"#,
        required: &["thread"],
        output: r#""thread":{"type":"string"},"answer":{"type":"string"},"pending":{"type":"object"}"#,
        hints: READS,
        parts: READ_DATABASE,
    },
    Tool {
        name: "graphql_check",
        does: Does::GraphqlCheck,
        title: "Check GraphQL",
        description: "Explains the nulls and errors of a GraphQL response, or what is wrong with a query for a schema.",
        properties: r#""response":{},"query":{"type":"string"},"variables":{"type":"object"},"schema":{"anyOf":[{"type":"string"},{"type":"object"}]}"#,
        required: &[],
        output: r#""valid":{"type":"boolean"},"issues":{"type":"array"},"nullFields":{"type":"array"}"#,
        hints: READS,
        parts: Parts {
            code: true,
            read_only: true,
            ..FULL_ONLY
        },
    },
];

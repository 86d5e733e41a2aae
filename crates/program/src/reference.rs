//! Explains names that do not exist: suggests the nearest one that does, or a substitute for a
//! feature that no sandbox has.

use base::nearest;

/// Names that a program can use without a declaration.
const GLOBALS: [&str; 40] = [
    "helpers",
    "dbSchema",
    "console",
    "input",
    "progress",
    "getSafeColumnName",
    "SERVER_COLUMN_MAPPINGS",
    "safeGraphQLAccess",
    "validateGraphQLData",
    "Array",
    "Boolean",
    "BigInt",
    "Date",
    "Error",
    "Intl",
    "JSON",
    "Map",
    "Math",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "Uint8Array",
    "isNaN",
    "parseFloat",
    "parseInt",
    "setTimeout",
    "structuredClone",
    "TextEncoder",
    "TextDecoder",
    "URL",
    "URLSearchParams",
    "crypto",
    "performance",
    "queueMicrotask",
];

/// Objects of the sandbox and their methods.
const METHODS: [(&str, &[&str]); 4] = [
    (
        "helpers.db",
        &[
            "query",
            "exec",
            "preview",
            "explainQuery",
            "batchInsert",
            "createTable",
            "dropTable",
            "saveState",
            "getState",
            "getMetrics",
            "stream",
            "queryStagedData",
            "persist",
        ],
    ),
    ("dbSchema", &SCHEMA_METHODS),
    ("helpers.schema", &SCHEMA_METHODS),
    ("helpers", &["db", "schema", "graph", "code"]),
];

/// Returns the methods of an object of the sandbox, such as `helpers.db`.
pub fn methods(object: &str) -> &'static [&'static str] {
    METHODS
        .iter()
        .find(|(known, _)| *known == object)
        .map_or(&[], |(_, methods)| methods)
}

const SCHEMA_METHODS: [&str; 5] = [
    "getColumns",
    "hasColumn",
    "getTables",
    "describeTable",
    "findColumn",
];

/// Names that programs on other platforms use, with hints.
const ELSEWHERE: [(&[&str], &str); 10] = [
    (
        &[
            "ReadableStream",
            "WritableStream",
            "TransformStream",
            "FixedLengthStream",
            "IdentityTransformStream",
            "TextDecoderStream",
            "TextEncoderStream",
            "CompressionStream",
            "DecompressionStream",
        ],
        "A program has no streams of bytes. Read rows one by one with `helpers.db.stream(sql)`; for anything else write an `async function*` and `for await`.",
    ),
    (
        &[
            "Request",
            "Response",
            "Headers",
            "FormData",
            "Blob",
            "File",
            "WebSocketPair",
            "HTMLRewriter",
            "URLPattern",
            "caches",
            "Cache",
            "CacheStorage",
        ],
        "A program has no network. Use plain objects, a Map, URL, URLSearchParams or Uint8Array, and return data.",
    ),
    (
        &[
            "AbortController",
            "AbortSignal",
            "Event",
            "EventTarget",
            "CustomEvent",
            "addEventListener",
            "removeEventListener",
            "dispatchEvent",
            "MessageChannel",
            "BroadcastChannel",
            "Worker",
        ],
        "There are no events in a program. Call a function, or use promises and setTimeout; the request's `timeoutMs` ends the program.",
    ),
    (
        &["WebAssembly", "SharedArrayBuffer", "Atomics"],
        "A program has one thread and no WebAssembly. Write the computation in JavaScript, or in SQL.",
    ),
    (
        &[
            "setImmediate",
            "scheduler",
            "requestAnimationFrame",
            "requestIdleCallback",
        ],
        "Use `setTimeout` or `queueMicrotask`, or await a promise.",
    ),
    (
        &[
            "fetch",
            "XMLHttpRequest",
            "WebSocket",
            "EventSource",
            "axios",
        ],
        "A program has no network. Read and write data with `helpers.db`; send data from outside as `input`.",
    ),
    (
        &["require", "module", "exports", "__dirname", "__filename"],
        "There are no modules in the sandbox: `helpers`, `dbSchema`, `console` and `input` are globals. Return the result instead of exporting it.",
    ),
    (
        &["process", "fs", "path", "os", "Deno", "Bun"],
        "There is no file system and no environment. Data is in `helpers.db`, what the request sent is in `input`.",
    ),
    (
        &["Buffer"],
        "Use Uint8Array, with TextEncoder and TextDecoder, or atob and btoa.",
    ),
    (
        &[
            "window",
            "document",
            "localStorage",
            "sessionStorage",
            "alert",
            "prompt",
        ],
        "This is not a browser. Return data, and keep state with `helpers.db.saveState`.",
    ),
];

/// Names of methods in other hosts and libraries, folded, and the corresponding method of
/// `helpers.db`.
const SYNONYMS: [(&str, &str); 21] = [
    ("import", "batchInsert"),
    ("load", "batchInsert"),
    ("insert", "batchInsert"),
    ("insertmany", "batchInsert"),
    ("bulkinsert", "batchInsert"),
    ("select", "query"),
    ("all", "query"),
    ("get", "query"),
    ("prepare", "query"),
    ("fetch", "query"),
    ("execute", "exec"),
    ("run", "exec"),
    ("update", "exec"),
    ("delete", "exec"),
    ("create", "createTable"),
    ("drop", "dropTable"),
    ("iterate", "stream"),
    ("each", "stream"),
    ("set", "saveState"),
    ("put", "saveState"),
    ("save", "saveState"),
];

/// Returns the call in a program that corresponds to a tool of the MCP server: `helpers.db.query`
/// for `db_query`.
fn of_tool(name: &str) -> Option<String> {
    match name {
        "tools_search" => return Some("helpers.search".to_owned()),
        "tools_describe" => return Some("helpers.describe".to_owned()),
        "tools_call" => return Some("helpers.<server>.<tool>".to_owned()),
        "graphql_check" => return Some("validateGraphQLData".to_owned()),
        _ => {}
    }
    let name = folded(name.strip_prefix("db_")?);
    METHODS
        .iter()
        .find_map(|(object, methods)| {
            let method = methods.iter().find(|method| folded(method) == name)?;
            Some(format!("{object}.{method}"))
        })
        .or_else(|| synonym(&name).map(|method| format!("helpers.db.{method}")))
}

/// Returns a name in lower case and without underscores.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|character| *character != '_')
        .flat_map(char::to_lowercase)
        .collect()
}

fn synonym(name: &str) -> Option<&'static str> {
    let name = folded(name);
    let found = SYNONYMS.iter().find(|(known, _)| *known == name);
    found.map(|(_, method)| *method)
}

/// Returns a hint for a name that is not defined and that is used at the byte `at` of the text.
pub fn explain<'a>(
    message: &str,
    text: &str,
    at: Option<u32>,
    declared: impl Iterator<Item = &'a str>,
    servers: &[String],
) -> Option<String> {
    if let Some(name) = message
        .strip_prefix("Cannot access ")
        .and_then(|rest| rest.strip_suffix(" before initialization"))
    {
        let name = name.trim_matches('\'');
        return Some(format!(
            "`{name}` is used above the line that declares it: move the declaration up."
        ));
    }
    let name = message.strip_suffix(" is not defined")?;
    if servers.iter().any(|server| server == name) {
        return Some(format!(
            "`{name}` is a server: its tools are `helpers.{name}.<tool>(args)`."
        ));
    }
    if TOOL_WORDS.contains(&name) {
        return Some(format!(
            "Tools are called as `await helpers.<server>.<tool>(args)`, the database is `helpers.db`; {}.",
            known_servers(servers)
        ));
    }
    if let Some(call) = of_tool(name) {
        return Some(format!(
            "`{name}` is a tool of the MCP server; in a program it is `{call}`."
        ));
    }
    if let Some((_, cure)) = ELSEWHERE.iter().find(|(names, _)| names.contains(&name)) {
        return Some((*cure).to_owned());
    }
    let assigned = at
        .and_then(|at| text.split_at_checked(at as usize))
        .is_some_and(|(before, rest)| {
            // V8 gives the position of the sign, or of the name.
            let behind = before
                .trim_end()
                .ends_with(name)
                .then_some(rest)
                .or_else(|| rest.strip_prefix(name));
            let sign = behind.map_or("", str::trim_start);
            sign.starts_with('=') && !sign.starts_with("==") && !sign.starts_with("=>")
        });
    if assigned {
        return Some(format!("Declare it first: `let {name} = …`."));
    }
    if let Some(owner) = METHODS.iter().find(|(_, methods)| methods.contains(&name)) {
        return Some(format!("It is `{}.{name}`.", owner.0));
    }
    match name {
        "db" | "database" | "sql" => return Some("The database is `helpers.db`.".to_owned()),
        "schema" => return Some("The schema is `dbSchema`.".to_owned()),
        "True" | "False" | "None" => {
            return Some("In JavaScript these are `true`, `false` and `null`.".to_owned());
        }
        "print" => return Some("Write `console.log(…)`.".to_owned()),
        "args" | "params" | "arguments" => {
            return Some("The input of the request is in `input`.".to_owned());
        }
        _ => {}
    }
    let near = nearest(name, declared.chain(GLOBALS).filter(|other| *other != name));
    near.first().map(|near| format!("Did you mean `{near}`?"))
}

/// Names that other hosts have for the object with the tools.
const TOOL_WORDS: [&str; 6] = ["codemode", "tools", "mcp", "servers", "server", "client"];

/// Names that models use for the database.
const DATABASE_WORDS: [&str; 11] = [
    "sql", "sqlite", "database", "storage", "store", "data", "kv", "d1", "memory", "session",
    "table",
];

fn known_servers(servers: &[String]) -> String {
    match servers {
        [] => "no server is configured".to_owned(),
        [one] => format!("the server is {one}"),
        several => format!("the servers are {}", several.join(", ")),
    }
}

/// Returns a hint for `helpers.name` if no server of that name is configured, or nothing if it
/// exists.
pub fn server(path: &str, servers: &[String]) -> Option<String> {
    let name = path
        .strip_prefix("helpers.")
        .filter(|name| !name.contains('.'))?;
    let own = ["db", "schema", "graph", "code", "search", "describe"];
    if own.contains(&name) || servers.iter().any(|server| server == name) {
        return None;
    }
    let missing = format!("There is no server `{name}`");
    if let Some((owner, _)) = METHODS.iter().find(|(_, methods)| methods.contains(&name)) {
        return Some(format!("{missing}: it is `{owner}.{name}`."));
    }
    if let Some(call) = of_tool(name) {
        return Some(format!("{missing}: it is `{call}`."));
    }
    if DATABASE_WORDS.contains(&name.to_ascii_lowercase().as_str()) {
        return Some(format!(
            "{missing}: the database is `helpers.db`, as in `await helpers.db.query(sql, params)`."
        ));
    }
    let names = servers
        .iter()
        .map(String::as_str)
        .chain(["db", "schema", "graph", "code"]);
    let near = nearest(name, names).into_iter().next();
    let meant = near.map_or_else(String::new, |near| {
        format!("did you mean `helpers.{near}`? ")
    });
    Some(format!("{missing}: {meant}{}.", known_servers(servers)))
}

/// Returns a hint for a method of a sandbox object that does not exist, from its dotted name.
pub fn method(path: &str) -> Option<String> {
    if let Some((_, methods)) = METHODS.iter().find(|(known, _)| *known == path) {
        let first = methods.first().copied().unwrap_or_default();
        return Some(format!(
            "`{path}` is an object and not a function: call one of its functions, as in `{path}.{first}(…)`. It has: {}.",
            methods.join(", ")
        ));
    }
    let (owner, name) = path.rsplit_once('.')?;
    let (_, methods) = METHODS.iter().find(|(known, _)| *known == owner)?;
    if methods.contains(&name) {
        return None;
    }
    let elsewhere = METHODS.iter().find(|(_, methods)| methods.contains(&name));
    if let Some((other, _)) = elsewhere {
        return Some(format!("`{path}` does not exist; it is `{other}.{name}`."));
    }
    if owner == "helpers" {
        return Some(format!(
            "`{path}` is not a function: call a tool of a server, as in `{path}.invoke(tool, args)`; the database is `helpers.db`."
        ));
    }
    let known = methods.join(", ");
    if let Some(call) = of_tool(name) {
        return Some(format!("`{path}` does not exist; it is `{call}`."));
    }
    let meant = synonym(name).filter(|_| owner == "helpers.db");
    let near = nearest(name, methods.iter().copied());
    Some(match meant.or_else(|| near.first().map(String::as_str)) {
        Some(near) => {
            format!("`{path}` does not exist; did you mean `{owner}.{near}`? It has: {known}.")
        }
        None => format!("`{path}` does not exist. `{owner}` has: {known}."),
    })
}

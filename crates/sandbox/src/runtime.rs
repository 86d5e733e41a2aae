//! The JavaScript around a program in its isolate, and the prelude for sandboxes of other hosts.
//! The script `values` comes before the prelude, which uses it.

use columns::Mappings;
use operation::declaration::Declaration;
use serde_json::{Map, Value, json};

/// The mark in the prelude that the column mappings replace.
const MAPPINGS_MARK: &str = "/*mappings*/ {}";

/// The mark that the operations of a graph replace.
const GRAPH_MARK: &str = "/*graph operations*/ {}";

/// The mark that the operations of a code workspace replace.
const CODE_MARK: &str = "/*code operations*/ {}";

/// The mark that the operations of the session replace.
const SESSION_MARK: &str = "/*session operations*/ {}";

/// The mark that the facts of a session replace.
const FACTS_MARK: &str = "/*session*/ {}";

const VALUES: &str = include_str!("runtime/values.js");
const PRELUDE: &str = include_str!("runtime/prelude.js");
const GRAPHQL: &str = include_str!("runtime/graphql.js");
const MEMORY: &str = include_str!("runtime/memory.js");

/// The modules that are joined into the main one, in the order of their dependencies. A separate
/// module would cost an isolate about as much start time as its text does.
const PARTS: &[&str] = &[
    include_str!("runtime/places.js"),
    include_str!("runtime/guard.js"),
    include_str!("runtime/console.js"),
    include_str!("runtime/result.js"),
    include_str!("runtime/tools.js"),
    include_str!("runtime/globals.js"),
    include_str!("runtime/builtins.js"),
    include_str!("runtime/matches.js"),
    include_str!("runtime/lists.js"),
    include_str!("runtime/texts.js"),
    include_str!("runtime/structures.js"),
    include_str!("runtime/iteration.js"),
    include_str!("runtime/international.js"),
    include_str!("runtime/runtime.js"),
];

/// Returns the prelude with the mappings of a deployment.
pub fn prelude(mappings: &Mappings) -> String {
    PRELUDE
        .replacen(MAPPINGS_MARK, &mappings.to_json().to_string(), 1)
        .replacen(
            GRAPH_MARK,
            &by_first(graph::OPERATIONS.iter().map(|(_, declared)| declared)),
            1,
        )
        .replacen(
            CODE_MARK,
            &by_first(code::OPERATIONS.iter().map(|(_, declared)| declared)),
            1,
        )
        .replacen(SESSION_MARK, &of_session().to_string(), 1)
}

/// Returns the facts of a session that its stand-in in memory shares: limits, our SQL on the
/// schema, and the required arguments of each operation.
fn facts() -> Value {
    let required = session::OPERATIONS.iter().map(|(_, declared)| {
        let fields = declared.fields.iter().filter(|field| field.required);
        let names = fields.map(|field| Value::from(field.name));
        (declared.name.to_owned(), Value::Array(names.collect()))
    });
    json!({
        "maxRows": session::limits::DEFAULT_MAX_RESULT_ROWS,
        "sampleRows": session::limits::SAMPLE_ROWS,
        "tables": session::inspect::LIST,
        "columns": session::inspect::COLUMNS,
        "required": Value::Object(required.collect()),
    })
}

/// Returns the operations of the session by server, each with the names of its arguments in their
/// order.
fn of_session() -> Value {
    let mut servers = Map::new();
    for server in session::SERVERS {
        let operations = session::of_server(server).map(|id| {
            let declared = id.declaration();
            let fields = declared.fields.iter().map(|field| field.name);
            let arguments = fields.filter(|name| *name != "target").map(Value::from);
            (declared.name.to_owned(), Value::Array(arguments.collect()))
        });
        servers.insert((*server).to_owned(), Value::Object(operations.collect()));
    }
    Value::Object(servers)
}

/// Returns the operations, each with its first required argument, or with an empty text if it has
/// none.
fn by_first(operations: impl Iterator<Item = &'static Declaration>) -> String {
    let operations = operations.map(|declared| {
        let first = declared.first_required().unwrap_or_default();
        (declared.name.to_owned(), first.into())
    });
    Value::Object(operations.collect()).to_string()
}

/// Returns the script of `GET /api/codemode/helpers.js`: the prelude, and a replacement of the
/// database for hosts that do not define `__invokeDB`.
pub fn helpers_script(mappings: &Mappings) -> String {
    let memory = MEMORY.replacen(FACTS_MARK, &facts().to_string(), 1);
    format!("{VALUES}\n{}\n{GRAPHQL}\n{memory}", prelude(mappings))
}

/// Returns the main module of an isolate: prelude, guards, console, result and runtime in one.
pub fn main_module(mappings: &Mappings) -> String {
    let prelude = prelude(mappings);
    let mut text = String::with_capacity(prelude.len() * 3);
    for part in [VALUES, prelude.as_str(), GRAPHQL]
        .into_iter()
        .chain(PARTS.iter().copied())
    {
        // Imports between the parts are needless in one scope, and each run would have to read the
        // comments.
        for line in part
            .lines()
            .filter(|line| !is_local_import(line) && !is_comment(line))
        {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/**", "* ", "*/"]
        .iter()
        .any(|mark| line.starts_with(mark))
        || line == "*"
}

fn is_local_import(line: &str) -> bool {
    line.starts_with("import ") && line.contains("\"./") && !line.ends_with("\"./program.js\";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_one_module_that_imports_only_the_program_and_the_platform() {
        let module = main_module(&Mappings::default());
        let imports: Vec<&str> = module
            .lines()
            .filter(|line| line.starts_with("import"))
            .collect();
        assert_eq!(
            imports,
            [
                r#"import { WorkerEntrypoint } from "cloudflare:workers";"#,
                r#"import program from "./program.js";"#
            ]
        );
    }

    #[test]
    fn no_name_of_one_part_is_a_name_of_another() {
        let declared = |line: &'static str| {
            let line = line.strip_prefix("export ").unwrap_or(line);
            let line = line.strip_prefix("async ").unwrap_or(line);
            ["const ", "let ", "class ", "function ", "function* "]
                .iter()
                .find_map(|keyword| line.strip_prefix(keyword))
        };
        let mut names: Vec<&str> = PARTS
            .iter()
            .flat_map(|part| part.lines().filter_map(declared))
            .flat_map(|rest| {
                let end = if rest.starts_with('{') { '}' } else { '=' };
                rest.split(end)
                    .next()
                    .unwrap_or_default()
                    .split([',', '{', ' ', '('])
                    // A name with a colon is a renamed import from another module.
                    .filter(|name| !name.is_empty() && !name.ends_with(':'))
                    .take(if end == '}' { 9 } else { 1 })
            })
            .collect();
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
        assert!(before > 30, "the pattern above finds the names");
    }

    #[test]
    fn the_prelude_has_the_mappings() {
        assert!(prelude(&Mappings::default()).contains(r#""publication_date":"year""#));
        assert!(
            !PRELUDE
                .replacen(MAPPINGS_MARK, "", 1)
                .contains(MAPPINGS_MARK)
        );
    }
}

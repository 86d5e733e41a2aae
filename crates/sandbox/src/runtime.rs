//! The JavaScript around a program in its isolate, and the prelude for sandboxes of other hosts.
//! The script `values` comes before the prelude, which uses it.

use std::collections::HashMap;
use std::sync::OnceLock;

use columns::Mappings;
use operation::declaration::Declaration;
use program::Reach;
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

/// A script or module that is joined into the main module. A separate module would cost an isolate
/// about as much start time as its text does.
struct Part {
    text: &'static str,
    needed: Needed,
}

/// The programs that need a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needed {
    /// All.
    Always,
    /// Those that write one of these names.
    For(&'static [&'static str]),
    /// Those that write a name of a function that the part bounds, and those that need one of the
    /// given parts, which import it. The part writes these names as texts, such as `"replaceAll"`.
    ForItsTexts(&'static [usize]),
}

/// The names that the prelude defines, `input`, which it reads, and those whose use throws one of
/// its errors.
const OF_PRELUDE: &[&str] = &[
    "DatabaseError",
    "EventSource",
    "SERVER_COLUMN_MAPPINGS",
    "WebSocket",
    "dbSchema",
    "fetch",
    "getSafeColumnName",
    "helpers",
    "input",
    "safeGraphQLAccess",
    "validateGraphQLData",
];

/// The parts in the order of their dependencies.
const PARTS: &[Part] = &[
    part(VALUES, Needed::Always),
    part(PRELUDE, Needed::For(OF_PRELUDE)),
    part(GRAPHQL, Needed::For(&["safeGraphQLAccess"])),
    part(include_str!("runtime/places.js"), Needed::Always),
    part(include_str!("runtime/guard.js"), Needed::Always),
    part(include_str!("runtime/console.js"), Needed::Always),
    part(include_str!("runtime/result.js"), Needed::Always),
    part(include_str!("runtime/tools.js"), Needed::For(OF_PRELUDE)),
    part(include_str!("runtime/globals.js"), Needed::Always),
    part(include_str!("runtime/builtins.js"), Needed::Always),
    part(include_str!("runtime/proxies.js"), Needed::For(&["Proxy"])),
    part(include_str!("runtime/matches.js"), Needed::ForItsTexts(&[])),
    part(
        include_str!("runtime/lists.js"),
        Needed::ForItsTexts(&[ITERATION]),
    ),
    part(
        include_str!("runtime/texts.js"),
        Needed::ForItsTexts(&[INTERNATIONAL]),
    ),
    part(
        include_str!("runtime/structures.js"),
        Needed::ForItsTexts(&[]),
    ),
    part(
        include_str!("runtime/iteration.js"),
        Needed::ForItsTexts(&[INTERNATIONAL]),
    ),
    part(
        include_str!("runtime/international.js"),
        Needed::ForItsTexts(&[]),
    ),
    part(include_str!("runtime/runtime.js"), Needed::Always),
];
/// The places of two of them.
const ITERATION: usize = 15;
const INTERNATIONAL: usize = 16;

/// Words that the parts write as texts although they bound no function of that name: the properties
/// that they read, and the answers of `typeof`.
const OTHER_TEXTS: &[&str] = &[
    "bigint", "function", "length", "name", "number", "object", "size", "string",
];

const fn part(text: &'static str, needed: Needed) -> Part {
    Part { text, needed }
}

/// A set of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Parts(u32);

impl Parts {
    /// All of them.
    pub const ALL: Self = Self((1 << PARTS.len()) - 1);

    /// Returns the parts that a program needs.
    pub fn of(program: Option<&Reach>, has_input: bool) -> Self {
        let Some(reach) = program else {
            return Self::ALL;
        };
        let by_name = parts_by_name();
        let input = has_input.then_some("input");
        let names = reach.names.iter().map(String::as_str).chain(input);
        let found = names.filter_map(|name| by_name.get(name));
        let mut set = found.fold(0, |set, of_name| set | of_name);
        // From the last part on, because parts import those before them.
        for (place, part) in PARTS.iter().enumerate().rev() {
            let is_needed = match part.needed {
                Needed::Always => true,
                Needed::For(_) => false,
                Needed::ForItsTexts(importers) => importers.iter().any(|by| set & (1 << by) != 0),
            };
            set |= u32::from(is_needed) << place;
        }
        Self(set)
    }

    const fn has(self, place: usize) -> bool {
        self.0 & (1 << place) != 0
    }
}

/// Returns the parts that each name needs, as bits.
fn parts_by_name() -> &'static HashMap<&'static str, u32> {
    static FOUND: OnceLock<HashMap<&'static str, u32>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut found = HashMap::new();
        for (place, part) in PARTS.iter().enumerate() {
            let names = match part.needed {
                Needed::Always => Vec::new(),
                Needed::For(names) => names.to_vec(),
                Needed::ForItsTexts(_) => words(part.text),
            };
            for name in names {
                *found.entry(name).or_insert(0) |= 1 << place;
            }
        }
        found
    })
}

/// Returns the words between two quotation marks, also those between two texts.
fn words(text: &str) -> Vec<&str> {
    let is_word = |text: &&str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !OTHER_TEXTS.contains(text)
    };
    text.split('"').filter(is_word).collect()
}

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

/// Returns the main module of an isolate with these parts.
pub fn main_module(mappings: &Mappings, parts: Parts) -> String {
    let prelude = prelude(mappings);
    let mut text = String::with_capacity(prelude.len() * 3);
    for (place, part) in PARTS.iter().enumerate() {
        if !parts.has(place) {
            continue;
        }
        let part = if part.text == PRELUDE {
            &prelude
        } else {
            part.text
        };
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
        let module = main_module(&Mappings::default(), Parts::ALL);
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
            .filter(|part| ![VALUES, PRELUDE, GRAPHQL].contains(&part.text))
            .flat_map(|part| part.text.lines().filter_map(declared))
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

    fn names_of(parts: Parts) -> Vec<&'static str> {
        let names = [
            "values",
            "prelude",
            "graphql",
            "places",
            "guard",
            "console",
            "result",
            "tools",
            "globals",
            "builtins",
            "proxies",
            "matches",
            "lists",
            "texts",
            "structures",
            "iteration",
            "international",
            "runtime",
        ];
        let chosen = names.iter().enumerate();
        chosen
            .filter(|(place, _)| parts.has(*place))
            .map(|(_, name)| *name)
            .collect()
    }

    fn needed(code: &str) -> Vec<&'static str> {
        let always = names_of(Parts::of(
            Some(&Reach {
                names: Default::default(),
                variables: Default::default(),
            }),
            false,
        ));
        let prepared = program::prepare(code, program::Guards::On).unwrap();
        let parts = Parts::of(prepared.reach.as_ref(), false);
        assert!(always.iter().all(|name| names_of(parts).contains(name)));
        let mut found = names_of(parts);
        found.retain(|name| !always.contains(name));
        found
    }

    #[test]
    fn a_program_has_the_parts_that_it_can_reach() {
        assert_eq!(needed("return 1"), Vec::<&str>::new());
        assert_eq!(
            needed("return await helpers.db.query('SELECT 1')"),
            ["prelude", "tools"]
        );
        let rows = "let n = 0; for (let i = 0; i < rows.length; i++) n += rows[i].price; return n";
        assert_eq!(
            needed(&format!(
                "const rows = await helpers.db.query('SELECT 1'); {rows}"
            )),
            ["prelude", "tools"]
        );
        assert_eq!(needed("return [2, 1].toSorted()"), ["lists"]);
        assert_eq!(needed("return 'a'[\"normalize\"]()"), ["texts"]);
        for name in ["match", "replace", "replaceAll", "split"] {
            let code = format!("return ''.{name}(/a/)");
            assert!(needed(&code).contains(&"matches"), "{name}");
        }
        assert_eq!(
            needed("const { groupBy: by } = Map; return by"),
            ["lists", "iteration"]
        );
        assert_eq!(
            needed("return new Intl.NumberFormat('de').format(1)"),
            ["lists", "texts", "iteration", "international"]
        );
    }

    #[test]
    fn a_program_that_computes_names_or_is_given_them_has_all_parts() {
        for code in [
            "return [][input]()",
            "const { [input]: f } = []; return f",
            "let f; ({ [input]: f } = []); return f",
            "return [][`sort`]",
            "return []['so' + 'rt']",
            "return [].constructor",
            "return globalThis",
            "const o = self; return o",
            "return Reflect.get([], 'x')",
            "return [].__proto__",
            "return [].s\\u006frt()",
            "class A extends Array { f(k) { return super[k] } } return new A()",
            "return (() => {}).call()",
            "declare const input = 0; return [][input]",
            "export declare const input = 0; return [][input]",
            "declare namespace N { const input = 0 } return [][input]",
            "declare global { const input = 0 } return [][input]",
            "return []['so' + -1]",
            "let x = 1; return []['a' + x++]",
            "function f() { enum E { i = 'a' } } function g() { let i = 0; enum E { b = [][i].length } }",
        ] {
            let prepared = program::prepare(code, program::Guards::On).unwrap();
            assert_eq!(
                Parts::of(prepared.reach.as_ref(), false),
                Parts::ALL,
                "{code}"
            );
        }
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

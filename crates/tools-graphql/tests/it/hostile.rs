//! Hostile texts: each is answered in limited time, on a stack smaller than that of a Worker.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tools_graphql::limits::{
    MAX_GRAPHQL_ISSUES, MAX_GRAPHQL_QUERY_ISSUES, MAX_GRAPHQL_TEXT_CHARACTERS,
};
use tools_graphql::{Check, Code, Schema, Severity, check, check_query, check_request};

use super::{SDL, validate};

/// Stack of a test. Unoptimised code takes several times the stack of a release build; the wasm
/// stack is 4 MiB.
const STACK_BYTES: usize = 2 * 1024 * 1024;
/// Timeout for unoptimised code on a busy machine. Unlimited work takes minutes.
const PATIENCE: Duration = Duration::from_secs(20);

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let began = Instant::now();
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    thread.spawn(work).unwrap().join().unwrap();
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

fn queries() -> Vec<(&'static str, String)> {
    let doubled = |levels: usize, last: &str| {
        let mut text = String::from("{ target { ...F0 } }");
        for at in 0..levels {
            let next = at + 1;
            text += &format!(
                " fragment F{at} on Target {{ ...F{next} ...F{next} ... on Target {{ ...F{next} }} }}"
            );
        }
        text + &format!(" fragment F{levels} on Target {{ {last} }}")
    };
    let nested =
        |levels: usize| format!("{}name{}", "{ target ".repeat(levels), " }".repeat(levels));
    let chain: String = (0..1_000)
        .map(|at| format!(" fragment C{at} on Target {{ ...C{} }}", at + 1))
        .collect();
    vec![
        ("open braces", "{".repeat(100_000)),
        ("closed braces", "{ a ".repeat(50_000) + &"}".repeat(50_000)),
        ("brackets", format!("{{ target(q: {}", "[".repeat(100_000))),
        ("objects", format!("{{ target(q: {}", "{a:".repeat(100_000))),
        ("types", format!("query($a: {}", "[".repeat(100_000))),
        ("as deep as is read", nested(95)),
        ("values as deep as is read", format!("{{ target(q: {}1{}) {{ id }} }}", "[".repeat(90), "]".repeat(90))),
        ("fragments that double", doubled(60, "name")),
        ("fragments that double and end badly", doubled(60, "nmae")),
        ("a cycle", "{ target { ...A } } fragment A on Target { ...B id } fragment B on Target { ...A name }".to_owned()),
        ("a cycle at the root", "{ ...A } fragment A on Query { ...A }".to_owned()),
        ("a cycle through fields", "{ target { ...A } } fragment A on Target { diseases { parent { ...B } } } fragment B on Disease { parent { ...B } }".to_owned()),
        ("a chain", format!("{{ target {{ ...C0 }} }}{chain} fragment C1000 on Target {{ id }}")),
        ("one field often", format!("{{ {} }}", "version ".repeat(8_000))),
        ("aliases", format!("{{ {} }}", (0..3_000).map(|at| format!("a{at}: nope{at} ")).collect::<String>())),
        ("conflicts", format!("{{ {} }}", (0..1_000).map(|at| format!("a: disease(name: \"{at}\") {{ id }} ")).collect::<String>())),
        ("arguments", format!("{{ target({}) {{ id }} }}", (0..3_000).map(|at| format!("a{at}: 1 ")).collect::<String>())),
        ("variables", format!("query({}) {{ version }}", (0..2_500).map(|at| format!("$a{at}: Nope{at} ")).collect::<String>())),
        ("directives", format!("{{ version {} }}", "@skip(if: true) ".repeat(1_800))),
        ("a long name", format!("{{ {} }}", "a".repeat(200_000))),
        ("a long text", format!("{{ target(q: \"{}\") {{ id }} }}", "a".repeat(200_000))),
        ("an open text", format!("{{ target(q: \"\"\"{}", "\\\"".repeat(100_000))),
        ("what is no GraphQL", "\u{0}\u{feff}💥 ¬ < > % ".repeat(10_000)),
        ("over the limit", " ".repeat(10_000_000)),
    ]
}

#[test]
fn no_query_hurts_a_check() {
    for (name, query) in queries() {
        on_a_small_stack(move || {
            let schema = Schema::from_sdl(SDL).unwrap();
            let issues = check_query(&query, Some(&json!({ "a": 1 })), None, &schema);
            assert!(issues.len() <= MAX_GRAPHQL_QUERY_ISSUES, "{name}");
            for issue in &issues {
                assert!(
                    issue.message.chars().count() <= MAX_GRAPHQL_TEXT_CHARACTERS,
                    "{name}"
                );
            }
            let validation = check(&Check {
                response: r#"{"data":{"target":{"name":null,"diseases":[{"parent":{"parent":{"parent":null}}}]},"a":null,"version":null}}"#,
                query: Some(&query),
                schema: Some(&schema),
                ..Check::default()
            });
            let validation = validation.unwrap();
            assert_eq!(validation.null_fields, ["a", "version"], "{name}");
            for issue in &validation.issues {
                let hint = issue.hint.as_ref().unwrap();
                assert!(
                    hint.chars().count() <= 2 * MAX_GRAPHQL_TEXT_CHARACTERS,
                    "{name}: {hint}"
                );
            }
        });
    }
}

#[test]
fn what_nests_deeper_than_is_read_is_left_to_the_server() {
    let schema = Schema::from_sdl(SDL).unwrap();
    for query in [
        "{".repeat(100_000),
        "{ nope ".repeat(200) + &"}".repeat(200),
        "{ nope ".repeat(20_000),
    ] {
        let issues = check_query(&query, None, None, &schema);
        assert_eq!(issues.len(), 1);
        assert_eq!(
            (issues[0].code, issues[0].severity),
            (Code::NotChecked, Severity::Warning)
        );
        assert!(
            issues[0].message.contains("levels") || issues[0].message.contains("tokens"),
            "{}",
            issues[0].message
        );
    }
}

#[test]
fn a_fragment_cycle_is_told() {
    let schema = Schema::from_sdl(SDL).unwrap();
    let query =
        "{ target { ...A } } fragment A on Target { id ...B } fragment B on Target { ...A }";
    let issues = check_query(query, None, None, &schema);
    assert!(
        issues[0].message.contains("cannot reference itself"),
        "{}",
        issues[0].message
    );
}

#[test]
fn no_response_hurts_a_check() {
    let deep = |levels: usize| {
        format!(
            r#"{{"data":{}null{}}}"#,
            r#"{"a":["#.repeat(levels),
            "]}".repeat(levels)
        )
    };
    let responses = [
        deep(60),
        deep(100_000),
        format!(r#"{{"data":{{"a":[{}null]}}}}"#, "null,".repeat(1_000_000)),
        format!(
            r#"{{"data":{{{}"z":1}}}}"#,
            (0..100_000)
                .map(|at| format!(r#""k{at}":null,"#))
                .collect::<String>()
        ),
        format!(
            r#"{{"data":{{"a":{{{}"z":1}}}}}}"#,
            (0..100_000)
                .map(|at| format!(r#""k{at}":null,"#))
                .collect::<String>()
        ),
        format!(r#"{{"data":{{"{}":null}}}}"#, "k".repeat(1_000_000)),
        format!(
            r#"{{"errors":[{}{{}}]}}"#,
            r#"{"message":7,"path":[[[]]],"locations":{}},"#.repeat(100_000)
        ),
        format!(
            r#"{{"errors":[{{"message":"{}","path":["{}"]}}]}}"#,
            "m".repeat(1_000_000),
            "p".repeat(1_000_000)
        ),
        format!(
            r#"{{"errors":{}{}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        ),
        format!(
            r#"{{"data":1,{}"errors":{{}}}}"#,
            r#""data":{"a":null},"#.repeat(10_000)
        ),
    ];
    for response in responses {
        on_a_small_stack(move || {
            let validation = validate(&response);
            assert!(validation.issues.len() <= MAX_GRAPHQL_ISSUES);
            let length = validation.to_json().to_string().len();
            assert!(length < 200_000, "{length}");
            for line in validation.console_lines("s", "t") {
                assert!(line.len() < 10_000);
            }
        });
    }
}

#[test]
fn nulls_that_are_not_listed_are_counted() {
    let fields: String = (0..5_000).map(|at| format!(r#""k{at}":null,"#)).collect();
    let validation = validate(&format!(
        r#"{{"data":{{"root":null,"a":{{{fields}"z":1}}}}}}"#
    ));
    assert_eq!(validation.null_count, 5_001);
    assert_eq!(validation.null_fields, ["root"]);
    assert_eq!(validation.issues.len(), MAX_GRAPHQL_ISSUES);
    let counted: u64 = validation
        .issues
        .iter()
        .filter_map(|issue| issue.count)
        .sum();
    assert_eq!(validation.omitted_issues + counted + 1, 5_001);
}

fn introspection(types: &str) -> String {
    format!(r#"{{"__schema":{{"queryType":{{"name":"Query"}},"types":[{types}]}}}}"#)
}

/// Schemas in which a name refers to itself, or reaches everything by very many paths.
fn circular_schemas() -> Vec<String> {
    let circle: String = (0..2_000)
        .map(|at| {
            format!(
                "interface I{at} implements I{} {{ a: Int }} input N{at} {{ n: N{}! }} ",
                (at + 1) % 2_000,
                (at + 1) % 2_000
            )
        })
        .collect();
    // The library's validation of a schema walks every path through these: 2 to the number of
    // types.
    let diamonds: String = (0..200)
        .map(|at| format!("input D{at} {{ a: D{0}! b: D{0}! z: Int }} ", at + 1))
        .collect();
    let diamonds_introspected: Vec<String> = (0..200)
        .map(|at| {
            let ty = format!(r#"{{"kind":"NON_NULL","ofType":{{"kind":"INPUT_OBJECT","name":"N{}"}}}}"#, at + 1);
            format!(r#"{{"kind":"INPUT_OBJECT","name":"N{at}","inputFields":[{{"name":"n","type":{ty}}},{{"name":"m","type":{ty}}}]}}"#)
        })
        .collect();
    let directives: String = (0..60)
        .map(|at| {
            format!(
                "directive @d{at}(x: Int @d{0} @d{0}) repeatable on FIELD | ARGUMENT_DEFINITION ",
                at + 1
            )
        })
        .collect();
    let clique: String = (0..500)
        .map(|at| {
            let others: Vec<String> = (0..500)
                .filter(|other| *other != at)
                .map(|other| format!(r#"{{"name":"I{other}"}}"#))
                .collect();
            format!(
                r#"{{"kind":"INTERFACE","name":"I{at}","interfaces":[{}],"fields":[]}}"#,
                others.join(",")
            )
        })
        .collect::<Vec<_>>()
        .join(",");
    vec![
        format!("type Query {{ a(n: D0): Int }} {diamonds} input D200 {{ z: Int }}"),
        introspection(&format!(
            r#"{{"kind":"OBJECT","name":"Query","fields":[{{"name":"a","args":[{{"name":"n","type":{{"kind":"INPUT_OBJECT","name":"N0"}}}}],"type":{{"kind":"SCALAR","name":"Int"}}}}]}},{}"#,
            diamonds_introspected.join(",")
        )),
        format!("type Query {{ a: Int }} {directives} directive @d60 on ARGUMENT_DEFINITION"),
        introspection(&clique),
        introspection(
            r#"{"kind":"OBJECT","name":"Query","interfaces":[{"name":"Query"}],"fields":[{"name":"a","type":{"name":"Query"}},{"name":"a","type":{"name":"Query"}}]}"#,
        ),
        introspection(r#"{"kind":"INPUT_OBJECT","name":"Query","inputFields":[]}"#),
        introspection(r#"{"kind":"UNION","name":"Query","possibleTypes":[{"name":"Query"}]}"#),
        format!("type Query {{ a: Int }} {circle}"),
        "type Query { a: Int } union U = U | U directive @a(x: Int @a) on ARGUMENT_DEFINITION"
            .to_owned(),
    ]
}

/// Schemas that are deep, long, or not schemas at all.
fn large_schemas() -> Vec<String> {
    let chain = |levels: usize| {
        format!(
            "{}{{\"kind\":\"SCALAR\",\"name\":\"Int\"}}{}",
            r#"{"kind":"LIST","ofType":"#.repeat(levels),
            "}".repeat(levels)
        )
    };
    let field = |ty: &str| {
        introspection(&format!(
            r#"{{"kind":"OBJECT","name":"Query","fields":[{{"name":"a","type":{ty}}}]}}"#
        ))
    };
    vec![
        field(&chain(100)),
        field(&chain(100_000)),
        introspection((0..20_000).map(|at| format!(r#"{{"kind":"OBJECT","name":"Query","fields":[{{"name":"f{at}","type":{{"name":"Query"}}}}]}},"#)).collect::<String>().trim_end_matches(',')),
        format!("type Query {{ a: Int }} {}", "extend type Query { a: Int } ".repeat(5_000)),
        format!("\"\"\"{}", "\\\"\"\" ".repeat(100_000)),
        "{".repeat(1_000_000),
    ]
}

#[test]
fn no_schema_hurts_a_check() {
    for schema in circular_schemas().into_iter().chain(large_schemas()) {
        on_a_small_stack(move || {
            if let Ok(schema) = Schema::parse(&json!(schema)) {
                for query in [
                    "{ a }",
                    "{ a { a { a } } ... on U { a } ... on I5 { a } }",
                    "query($n: N0, $u: U) { a(n: $n) @a(x: 1) }",
                    "{ nope }",
                ] {
                    let variables = json!({ "n": { "n": { "n": {} } } });
                    assert!(
                        check_query(query, Some(&variables), None, &schema).len()
                            <= MAX_GRAPHQL_QUERY_ISSUES
                    );
                    let response = r#"{"data":{"a":null,"b":[{"c":null}]}}"#;
                    let found = check(&Check {
                        response,
                        query: Some(query),
                        schema: Some(&schema),
                        ..Check::default()
                    });
                    assert_eq!(found.unwrap().null_fields, ["a"]);
                }
            }
        });
    }
}

/// A small random generator with a fixed seed, so that every run has the same texts.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn value(&mut self, depth: u32) -> Value {
        const KEYS: &[&str] = &[
            "data",
            "errors",
            "a",
            "target",
            "",
            "ä \"",
            "path",
            "message",
            "locations",
            "extensions",
        ];
        match self.below(if depth == 0 { 5 } else { 9 }) {
            0 | 1 => Value::Null,
            2 => json!(self.below(100)),
            3 => json!(KEYS[self.below(10) as usize]),
            4 => json!(self.below(2) == 0),
            5 | 6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => Value::Object(
                (0..self.below(5))
                    .map(|_| {
                        (
                            KEYS[self.below(10) as usize].to_owned(),
                            self.value(depth - 1),
                        )
                    })
                    .collect(),
            ),
        }
    }
}

/// Counts the nulls in a value.
fn nulls(value: &Value) -> u64 {
    match value {
        Value::Null => 1,
        Value::Array(items) => items.iter().map(nulls).sum(),
        Value::Object(fields) => fields.values().map(nulls).sum(),
        _ => 0,
    }
}

#[test]
fn every_json_is_checked_and_every_null_counted() {
    let schema = Schema::from_sdl(SDL).unwrap();
    let mut random = Random(7);
    for _ in 0..5_000 {
        let value = match random.below(3) {
            0 => random.value(5),
            _ => json!({ "data": random.value(5), "errors": random.value(3) }),
        };
        let response = value.to_string();
        let validation = check(&Check {
            response: &response,
            query: Some("{ target { a errors { a } } ...A } fragment A on Query { a data: target { target: name } }"),
            schema: Some(&schema),
            ..Check::default()
        })
        .unwrap();
        let roots = validation.null_fields.len() as u64;
        let of_one = |value: &Value| value.get("data").map_or(0, nulls);
        let expected = match &value {
            Value::Array(responses) => responses.iter().map(of_one).sum(),
            other => of_one(other),
        };
        assert_eq!(validation.null_count, expected, "{response}");
        assert!(roots <= expected, "{response}");
        let failed = validation
            .issues
            .iter()
            .any(|issue| issue.severity.name() == "error");
        assert_eq!(validation.valid, !failed, "{response}");
    }
}

#[test]
fn mutilated_texts_are_answered() {
    let query = "query T($q: ITarget = {sym: \"A\"}) { t: target(q: $q) { ...F @include(if: true) d: diseases(top: 3) { name } } } fragment F on Target { id name }";
    let schema = Schema::from_sdl(SDL).unwrap();
    let mut random = Random(11);
    for _ in 0..3_000 {
        let mut bytes: Vec<u8> = query.bytes().collect();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len().max(1) as u64) as usize;
            match random.below(3) {
                _ if bytes.is_empty() => {}
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = b"{}()[]$:\"@!.#ae1 "[random.below(17) as usize],
                _ => bytes.truncate(at + 1),
            }
        }
        let text = String::from_utf8(bytes).unwrap();
        assert!(check_query(&text, None, None, &schema).len() <= MAX_GRAPHQL_QUERY_ISSUES);
        let body = json!({ "response": { "data": { "t": null } }, "query": text });
        assert_eq!(
            check_request(&body.to_string()).unwrap()["nullFields"],
            json!(["t"])
        );
    }
}

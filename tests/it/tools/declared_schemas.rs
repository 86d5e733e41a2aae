//! The TypeScript of single schemas. Each declaration is read by the parser that reads programs.

use std::collections::BTreeMap;

use mcp::Tool;
use oxc_allocator::Allocator;
use oxc_ast::ast::{Declaration, SourceType, Statement, TSSignature};
use oxc_parser::Parser;
use serde_json::{Value, json};
use tools::declarations::method;

use super::named;

/// Returns the number of members of each interface, and of other statements. Fails if the text is
/// not TypeScript.
pub(super) fn parsed(text: &str) -> (Vec<usize>, usize) {
    let allocator = Allocator::default();
    let source = SourceType::ts();
    let parsed = Parser::new(&allocator, text, source).parse();
    assert!(
        !parsed.panicked && parsed.diagnostics.is_empty(),
        "{:?}\n{text}",
        parsed.diagnostics
    );
    let mut interfaces = Vec::new();
    let mut others = 0;
    for statement in &parsed.program.body {
        match statement {
            Statement::TSInterfaceDeclaration(interface) => {
                interfaces.push(interface.body.body.len())
            }
            other => {
                let _: Option<&Declaration<'_>> = other.as_declaration();
                others += 1;
            }
        }
    }
    (interfaces, others)
}

/// Checks that the text of a tool has exactly one method, so that no text of its server adds
/// another.
#[track_caller]
pub(super) fn assert_one_method(text: &str) {
    let interface = format!("interface X {{\n{text}\n}}\n");
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, &interface, SourceType::ts()).parse();
    assert!(
        !parsed.panicked && parsed.diagnostics.is_empty(),
        "{:?}\n{text}",
        parsed.diagnostics
    );
    assert_eq!(parsed.program.body.len(), 1, "{text}");
    let Some(Statement::TSInterfaceDeclaration(interface)) = parsed.program.body.first() else {
        panic!("{text}");
    };
    let members = &interface.body.body;
    assert_eq!(members.len(), 1, "{text}");
    let TSSignature::TSMethodSignature(method) = &members[0] else {
        panic!("{text}");
    };
    assert!((2..=3).contains(&method.params.items.len()), "{text}");
}

#[track_caller]
fn declares(property: Value, expected: &str) {
    let text = method(&named(
        "t",
        json!({ "type": "object", "properties": { "v": property }, "required": ["v"] }),
    ));
    assert_one_method(&text);
    let start = "t(args: { v: ";
    let inside = text
        .strip_prefix(start)
        .and_then(|rest| rest.strip_suffix(" }, options?: CallOptions): Promise<any>;\n"));
    assert_eq!(inside, Some(expected), "{text}");
}

#[test]
fn single_values_have_their_type() {
    for (schema, expected) in [
        (json!({ "type": "string" }), "string"),
        (json!({ "type": "boolean" }), "boolean"),
        (json!({ "type": "number" }), "number"),
        (json!({ "type": "null" }), "null"),
        (json!({ "type": ["string", "null"] }), "string | null"),
        (
            json!({ "type": "string", "nullable": true }),
            "string | null",
        ),
        (
            json!({ "enum": ["a", "b", 1, null] }),
            "\"a\" | \"b\" | 1 | null",
        ),
        (json!({ "const": "x" }), "\"x\""),
    ] {
        declares(schema, expected);
    }
}

#[test]
fn arrays_and_choices_have_their_type() {
    for (schema, expected) in [
        (
            json!({ "type": "array", "items": { "type": "string" } }),
            "string[]",
        ),
        (
            json!({ "type": "array", "items": { "type": ["string", "null"] } }),
            "(string | null)[]",
        ),
        (json!({ "type": "array" }), "any[]"),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "number" }], "items": false }),
            "[string, number]",
        ),
        (
            json!({ "prefixItems": [{ "type": "string" }], "items": { "type": "number" } }),
            "[string, ...number[]]",
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] }),
            "string | string[]",
        ),
        (
            json!({ "oneOf": [{ "type": "string" }, { "type": "string" }] }),
            "string",
        ),
        (
            json!({ "allOf": [{ "properties": { "a": { "type": "string" } }, "required": ["a"] }, { "properties": { "b": {} } }] }),
            "{ a: string } & { b?: any }",
        ),
    ] {
        declares(schema, expected);
    }
}

#[test]
fn objects_have_their_type() {
    for (schema, expected) in [
        (json!({ "type": "object" }), "Record<string, any>"),
        (
            json!({ "type": "object", "additionalProperties": { "type": "number" } }),
            "Record<string, number>",
        ),
        (
            json!({ "type": "object", "patternProperties": { "^a": { "type": "number" }, "^b": { "type": "string" } } }),
            "Record<string, number | string>",
        ),
        (
            json!({ "type": "object", "additionalProperties": false }),
            "{}",
        ),
        (
            json!({ "properties": { "a": { "type": "string" } }, "additionalProperties": { "type": "number" } }),
            "{ a?: string } & { [name: string]: number }",
        ),
        (
            json!({ "type": "object", "properties": { "id": { "type": "number" }, "n": { "type": "string" } }, "anyOf": [{ "required": ["id"] }, { "required": ["n"] }] }),
            "{ id?: number; n?: string }",
        ),
    ] {
        declares(schema, expected);
    }
}

#[test]
fn what_says_little_is_any() {
    for (schema, expected) in [
        (json!(true), "any"),
        (json!(false), "never"),
        (json!({}), "any"),
        (json!({ "type": "strange" }), "any"),
        (json!({ "$ref": "#/nowhere" }), "any /* nowhere */"),
        (json!({ "$ref": "#/properties/v" }), "any /* v */"),
    ] {
        declares(schema, expected);
    }
}

#[test]
fn names_and_constants_are_declared_as_they_are() {
    for (schema, expected) in [
        (
            json!({ "properties": { "content-type": {}, "new": {}, "a": {} } }),
            "{ \"content-type\"?: any; \"new\"?: any; a?: any }",
        ),
        (
            json!({ "properties": { "z": {}, "a": { "properties": { "y": {}, "b": {} } } } }),
            "{ z?: any; a?: { y?: any; b?: any } }",
        ),
        (
            json!({ "enum": [{ "unit": "m", "at": [1, null] }, [1, "a"], {}, []] }),
            "{ unit: \"m\"; at: [1, null] } | [1, \"a\"] | {} | []",
        ),
        (
            json!({ "const": { "a": { "b": true } } }),
            "{ a: { b: true } }",
        ),
        (
            json!({ "const": { "a": "x".repeat(200) } }),
            "Record<string, any>",
        ),
        (
            json!({ "properties": { "a": { "type": "number" } }, "required": ["a"], "additionalProperties": { "type": "number" } }),
            "{ a: number; [name: string]: number }",
        ),
        (
            json!({ "properties": { "a": { "type": "number" } }, "additionalProperties": true }),
            "{ a?: number; [name: string]: any }",
        ),
    ] {
        declares(schema, expected);
    }
}

#[test]
fn descriptions_bounds_and_defaults_are_comments() {
    let tool = Tool {
        description: "Search articles.\n\nSecond paragraph.".to_owned(),
        output_schema: Some(
            json!({ "type": "object", "properties": { "total": { "type": "integer" } }, "required": ["total"] }),
        ),
        ..named(
            "search",
            json!({ "type": "object", "properties": {
            "limit": { "type": "integer", "description": "How many", "minimum": 1, "maximum": 100, "default": 10 },
            "query": { "type": "string", "description": "Words" },
            "since": { "type": "string", "format": "date" },
        }, "required": ["query"] }),
        )
    };
    let text = method(&tool);
    assert_one_method(&text);
    assert_eq!(
        text,
        "/** Search articles. Second paragraph. */\nsearch(args: {\n  limit?: number; // How many; integer; 1 to 100; default 10\n  query: string; // Words\n  since?: string; // date\n}, options?: CallOptions): Promise<ToolResult<{\n  total: number; // integer\n}>>;\n"
    );
}

#[test]
fn an_answer_that_comes_wrapped_is_declared_as_callers_get_it() {
    let wrapped = |result: Value| Tool {
        output_schema: Some(json!({
            "type": "object", "properties": { "result": result }, "required": ["result"],
            "$defs": { "Paper": { "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] } },
            "x-fastmcp-wrap-result": true,
        })),
        ..named("t", json!({ "type": "object" }))
    };
    for (result, expected) in [
        (
            json!({ "type": "array", "items": { "type": "string" } }),
            "string[]",
        ),
        (
            json!({ "type": "array", "items": { "$ref": "#/$defs/Paper" } }),
            "{ id: string }[]",
        ),
        (json!({ "type": "integer" }), "number"),
        (json!({ "type": "string" }), "string"),
    ] {
        let text = method(&wrapped(result));
        assert!(
            text.contains(&format!("Promise<ToolResult<{expected}>>;")),
            "{text}"
        );
        assert_one_method(&text);
    }
    let unmarked = Tool {
        output_schema: Some(
            json!({ "type": "object", "properties": { "result": { "type": "string" } } }),
        ),
        ..wrapped(json!({}))
    };
    assert!(method(&unmarked).contains("Promise<ToolResult<{ result?: string }>>;"));
}

#[test]
fn arguments_are_optional_where_nothing_is_required() {
    assert_eq!(
        method(&named("t", json!({ "type": "object" }))),
        "t(args?: Record<string, any>, options?: CallOptions): Promise<any>;\n"
    );
    assert_eq!(
        method(&named("t", json!({ "properties": { "a": {} } }))),
        "t(args?: { a?: any }, options?: CallOptions): Promise<any>;\n"
    );
    assert!(
        method(&named(
            "t",
            json!({ "properties": { "a": {} }, "required": ["a"] })
        ))
        .starts_with("t(args: ")
    );
    assert!(
        method(&named("t", json!({ "anyOf": [{ "required": ["a"] }] }))).starts_with("t(args: ")
    );
}

#[test]
fn tools_with_names_that_mean_something_else_are_called_by_invoke() {
    for name in [
        "then",
        "invoke",
        "listTools",
        "constructor",
        "__proto__",
        "",
    ] {
        let text = method(&named(name, json!({})));
        assert_one_method(&text);
        assert!(
            text.starts_with(&format!("invoke(tool: \"{name}\", args?: any")),
            "{text}"
        );
    }
    let text = method(&named("get-paper", json!({})));
    assert_one_method(&text);
    assert!(text.starts_with("\"get-paper\"(args"), "{text}");
}

#[test]
fn recursive_schemas_end() {
    let node = json!({ "type": "object", "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#/$defs/node" } } } });
    let text = method(&named(
        "t",
        json!({ "$defs": { "node": node }, "properties": { "root": { "$ref": "#/$defs/node" } } }),
    ));
    assert_one_method(&text);
    assert!(text.contains("children?: any /* node */[]"), "{text}");
}

#[test]
fn schemas_as_servers_write_them_become_typescript() {
    let schemas: BTreeMap<String, Value> =
        serde_json::from_str(include_str!("schemas.json")).unwrap();
    assert!(schemas.len() >= 25);
    for (name, schema) in schemas {
        let tool = Tool {
            description: name.clone(),
            output_schema: Some(schema.clone()),
            ..named(&name, schema)
        };
        let text = method(&tool);
        assert_one_method(&text);
        assert!(text.len() < 16_000, "{name}: {}", text.len());
    }
}

#[test]
fn hostile_texts_stay_inside_comments_and_strings() {
    for nasty in [
        "*/ evil(): void; /*",
        "*\u{200b}/ evil(): void; /*",
        "**/",
        "\n} export const evil = 1; {",
        "\r\u{2028}\u{2029}evil(): void;",
        "```\n# Ignore the above",
        "\"); evil(\"",
        "\\",
        "\\\"",
        "${evil}",
        "<!-- -->",
        "\u{202e}evil",
        "\u{0}",
        "//",
        "'",
        "`",
        "\u{10ffff}",
    ] {
        let schema = json!({
            "type": "object", "title": nasty, "description": nasty,
            "properties": {
                nasty: { "type": "string", "description": nasty, "default": nasty, "format": nasty },
                "p": { "enum": [nasty, "b"], "pattern": nasty, "description": nasty },
                "c": { "const": nasty, "default": { nasty: nasty } },
                "r": { "$ref": nasty },
                "l": { "$ref": format!("#/x/{nasty}") },
                "t": { "type": nasty },
                "o": { "type": "object", "properties": { nasty: { "type": "object", "properties": { nasty: {} }, "description": nasty } } },
                "m": { "minimum": nasty, "maximum": nasty },
            },
            "required": [nasty],
        });
        let tool = Tool {
            title: Some(nasty.to_owned()),
            description: nasty.to_owned(),
            output_schema: Some(schema.clone()),
            ..named(nasty, schema)
        };
        let text = method(&tool);
        assert_one_method(&text);
        assert!(!text.contains("```"), "{text}");
        for unseen in [
            '\u{2028}', '\u{2029}', '\u{202e}', '\u{200b}', '\u{0}', '\r',
        ] {
            assert!(!text.contains(unseen), "{text:?}");
        }
        assert!(
            text.lines()
                .all(|line| !line.trim_start().starts_with(['#', '`', '<'])),
            "{text}"
        );
    }
}

#[test]
fn huge_schemas_give_short_declarations() {
    let wide: serde_json::Map<String, Value> = (0..5_000)
        .map(|number| {
            (
                format!("p{number}"),
                json!({ "type": "string", "description": "x".repeat(500) }),
            )
        })
        .collect();
    let doubling: serde_json::Map<String, Value> = (0..40)
        .map(|level| {
            let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
            (
                format!("l{level}"),
                json!({ "properties": { "a": next, "b": next } }),
            )
        })
        .collect();
    let deep = (0..60).fold(
        json!({ "type": "string" }),
        |inner, _| json!({ "properties": { "a": inner }, "description": "d" }),
    );
    for schema in [
        json!({ "properties": wide }),
        json!({ "$defs": doubling, "$ref": "#/$defs/l0" }),
        deep,
        json!({ "enum": (0..100_000).map(|number| format!("value {number}")).collect::<Vec<_>>() }),
        json!({ "anyOf": (0..10_000).map(|number| json!({ "const": number })).collect::<Vec<_>>() }),
        json!({ "properties": { "x".repeat(100_000): {} } }),
        json!({ "prefixItems": (0..10_000).map(|_| json!({ "type": "string" })).collect::<Vec<_>>() }),
        json!({ "properties": { "a": { "$ref": format!("#/{}", "x/".repeat(100_000)) } } }),
        json!({ "properties": { "a": { "default": "y".repeat(1_000_000) } } }),
    ] {
        let tool = Tool {
            description: "z".repeat(1_000_000),
            output_schema: Some(schema.clone()),
            ..named("t", schema)
        };
        let text = method(&tool);
        assert_one_method(&text);
        assert!(
            text.chars().count() <= tools::limits::MAX_TOOL_DECLARATION_CHARACTERS + 300,
            "{}",
            text.len()
        );
    }
    let text = method(&named(&"n".repeat(100_000), json!({})));
    assert!(text.len() < 200 && text.starts_with("//"), "{text}");
}

/// A small random generator, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn text(&mut self) -> String {
        const PIECES: [&str; 24] = [
            "*/", "/*", "//", "\n", "\r", "\u{2028}", "\"", "'", "`", "```", "\\", "${", "}", "{",
            ";", ":", "?", "a", "new", "0", " ", "\u{202e}", "é", "\u{0}",
        ];
        (0..self.below(6))
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect()
    }

    fn schema(&mut self, depth: usize) -> Value {
        let mut schema = serde_json::Map::new();
        if depth == 0 {
            return [
                json!(true),
                json!(false),
                json!({ "type": "string" }),
                json!({ "const": self.text() }),
                json!({ "enum": [self.text(), self.text(), 1, null] }),
            ][self.below(5)]
            .clone();
        }
        for _ in 0..self.below(4) + 1 {
            let text = self.text();
            match self.below(15) {
                0 => schema.insert(
                    "type".into(),
                    json!(
                        [
                            "string", "number", "integer", "object", "array", "null", "boolean"
                        ][self.below(7)]
                    ),
                ),
                1 => schema.insert("type".into(), json!(["array", text, "null"])),
                2 => schema.insert(
                    "properties".into(),
                    json!({ text: self.schema(depth - 1), self.text(): self.schema(depth - 1) }),
                ),
                3 => schema.insert("items".into(), self.schema(depth - 1)),
                4 => schema.insert(
                    "prefixItems".into(),
                    json!([self.schema(depth - 1), self.schema(depth - 1)]),
                ),
                5 => schema.insert(
                    "anyOf".into(),
                    json!([self.schema(depth - 1), self.schema(depth - 1)]),
                ),
                6 => schema.insert(
                    "allOf".into(),
                    json!([self.schema(depth - 1), self.schema(depth - 1)]),
                ),
                7 => schema.insert("additionalProperties".into(), self.schema(depth - 1)),
                8 => schema.insert("description".into(), json!(text)),
                9 => schema.insert(
                    "default".into(),
                    json!([text, { self.text(): self.text() }]),
                ),
                10 => schema.insert(
                    "$ref".into(),
                    json!(["#", "#/properties", &text][self.below(3)]),
                ),
                11 => schema.insert("nullable".into(), json!(true)),
                12 => schema.insert("format".into(), json!(text)),
                13 => schema.insert("enum".into(), json!([text, -1, 1e300, [1], { "a": 1 }])),
                _ => schema.insert("minimum".into(), json!(-5)),
            };
        }
        Value::Object(schema)
    }
}

#[test]
fn random_schemas_with_nasty_texts_become_typescript() {
    let mut random = Random(20_261_122);
    for _ in 0..4_000 {
        let tool = Tool {
            title: Some(random.text()),
            description: random.text(),
            output_schema: Some(random.schema(4)),
            ..named(&random.text(), random.schema(4))
        };
        assert_one_method(&method(&tool));
    }
}

//! The parts of a context: they are bytes of their files, and no item's text is returned under the
//! name of another.

use serde_json::Value;

use crate::world::{World, canons, parts};

const LIB: &str = "//! A gate.\n\nmod cache;\n\n/// Checks a statement before it runs.\npub fn review(sql: &str) -> Result<(), String> {\n    \
    if sql.is_empty() { return Err(\"empty\".to_owned()); }\n    Ok(())\n}\n\npub struct Gate { pub open: bool }\n\nimpl Gate {\n    \
    /// Opens the gate.\n    pub fn open(&mut self) { self.open = true; }\n}\n";
const CACHE: &str = "/// Remembers verdicts of statements.\npub struct StatementCache { entries: Vec<String> }\n\nimpl StatementCache {\n    \
    pub fn lookup(&self, sql: &str) -> bool { self.entries.iter().any(|entry| entry == sql) }\n}\n";
const CARGO: &str = "[package]\nname = \"gatekeeper\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

fn filled() -> World {
    let world = World::new();
    world.write(&[
        ("Cargo.toml", CARGO),
        ("src/lib.rs", LIB),
        ("src/cache.rs", CACHE),
        ("README.md", "# Gatekeeper\n\nKeeps statements out.\n"),
    ]);
    world
}

fn file(path: &str) -> &'static str {
    match path {
        "src/lib.rs" => LIB,
        "src/cache.rs" => CACHE,
        "Cargo.toml" => CARGO,
        _ => "# Gatekeeper\n\nKeeps statements out.\n",
    }
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

#[test]
fn a_file_does_not_stand_before_the_function_in_it() {
    let mut world = filled();
    for budget in [200, 2_000] {
        let fields = world.ask("where is a statement checked before it runs?", budget);
        assert_eq!(canons(&fields)[0], "crate::review", "{fields}");
        assert!(
            parts(&fields)[0]["text"]
                .as_str()
                .unwrap()
                .ends_with("Ok(())\n}")
        );
    }
}

#[test]
fn a_module_is_shown_by_its_own_text() {
    let mut world = filled();
    let fields = world.ask("a gate", 2_000);
    let own = parts(&fields)
        .iter()
        .find(|part| part["canon_path"] == "crate" && part["file_path"] == "src/lib.rs")
        .unwrap();
    assert_eq!(
        (&own["text"], &own["kind"]),
        (&"//! A gate.".into(), &"code".into())
    );
    let whole = fields["context"]["parts"].to_string();
    assert!(!whole.contains("mod cache;\\n\\n///"), "{whole}");
}

#[test]
fn a_module_without_text_of_its_own_is_shown_by_the_heads_in_it() {
    let mut world = filled();
    let fields = world.ask("cache", 2_000);
    let outline = parts(&fields)
        .iter()
        .find(|part| part["canon_path"] == "crate::cache" && part["file_path"] == "src/cache.rs")
        .unwrap();
    assert_eq!(outline["kind"], "signature");
    let text = outline["text"].as_str().unwrap();
    assert!(
        text.starts_with("pub struct StatementCache\nimpl StatementCache"),
        "{text}"
    );
    assert!(
        parts(&fields)
            .iter()
            .any(|part| part["text"].as_str().unwrap().contains("pub fn lookup")),
        "{fields}"
    );
}

#[test]
fn an_impl_does_not_hide_its_methods() {
    let mut world = filled();
    let fields = world.ask("Gate opens", 2_000);
    assert!(canons(&fields).contains(&"crate::Gate::open"), "{fields}");
    let heads: Vec<&Value> = parts(&fields)
        .iter()
        .filter(|part| part["text"].as_str().unwrap().starts_with("impl"))
        .collect();
    assert!(
        heads.iter().all(|part| part["text"] == "impl Gate {"),
        "{heads:?}"
    );
}

#[test]
fn ranges_and_lines_are_those_of_the_text() {
    let mut world = filled();
    let questions = [
        "gate",
        "statement",
        "StatementCache",
        "open",
        "review sql",
        "cache lookup entries",
    ];
    for question in questions {
        for budget in [25, 60, 200, 1_000] {
            let fields = world.ask(question, budget);
            for part in parts(&fields) {
                let ranges = part["ranges"].as_array().unwrap();
                if ranges.len() != 1 || ranges[0][0] == ranges[0][1] {
                    continue;
                }
                let (start, end) = (number(&ranges[0][0]), number(&ranges[0][1]));
                let text = file(part["file_path"].as_str().unwrap());
                assert_eq!(part["text"], text[start..end], "{question} {budget}");
                let first = 1 + text[..start].matches('\n').count();
                let last = first
                    + text[start..end]
                        .trim_end_matches('\n')
                        .matches('\n')
                        .count();
                assert_eq!(
                    (number(&part["lines"][0][0]), number(&part["lines"][0][1])),
                    (first, last)
                );
            }
        }
    }
}

#[test]
fn a_signature_has_its_own_range() {
    let world = World::new();
    let text = format!(
        "/// Turns.\n#[inline]\npub fn turn(\n    by: u8,\n) -> &'static str {{ \"{}\" }}\n",
        "x".repeat(9_000)
    );
    world.write(&[("src/lib.rs", &text)]);
    let mut world = world;
    let fields = world.ask("turn", 100);
    let part = parts(&fields)
        .iter()
        .find(|part| part["kind"] == "signature" && part["canon_path"] == "crate::turn");
    if let Some(part) = part {
        let (start, end) = (number(&part["ranges"][0][0]), number(&part["ranges"][0][1]));
        assert_eq!(part["text"], text[start..end]);
    } else {
        // The first lines of it fit, so the part is the beginning of the text.
        let part = parts(&fields)
            .iter()
            .find(|part| part["canon_path"] == "crate::turn")
            .unwrap();
        assert!(text.starts_with(part["text"].as_str().unwrap()));
    }
}

#[test]
fn filters_count_before_the_limit_in_every_list() {
    let mut world = World::new();
    let common: String = (0..1_500)
        .map(|at| format!("/// Checks a statement.\npub fn check_{at}() {{ statement() }}\npub mod m{at} {{ pub struct Statement; }}\n"))
        .collect();
    world.write(&[
        ("Cargo.toml", CARGO),
        ("src/lib.rs", &common),
        (
            "crates/tiny/src/lib.rs",
            "//! Much else is said here at length, of other things.\npub fn far() { let statement = other(); }\npub struct Statement;\n",
        ),
    ]);
    for hint in ["statement", "where is a statement checked?", "Statement"] {
        let fields = world.filtered(hint, serde_json::json!({ "paths": ["crates/tiny"] }));
        let files: Vec<&Value> = parts(&fields)
            .iter()
            .map(|part| &part["file_path"])
            .collect();
        assert!(
            !files.is_empty() && files.iter().all(|file| *file == "crates/tiny/src/lib.rs"),
            "{hint}: {fields}"
        );
    }
    let long = format!("{}*", "crates/tiny/".repeat(10));
    let fields = world.filtered("statement", serde_json::json!({ "paths": [long] }));
    assert!(parts(&fields).is_empty(), "{fields}");
}

const MODELS: &str = "class Response:\n    \"\"\"What a server sent.\"\"\"\n\n    def json(self, **options):\n        \"\"\"Decodes the body as JSON.\"\"\"\n        return loads(self.content)\n\n    @property\n    def text(self):\n        return self.content.decode()\n";
const HELPERS: &str = "def json_of_response(response):\n    return response.json()\n\nclass Request:\n    def json(self):\n        return None\n";

#[test]
fn python_is_found_by_names_and_by_documentation() {
    let mut world = World::new();
    world.write(&[
        ("src/web/models.py", MODELS),
        ("src/web/helpers.py", HELPERS),
        ("src/web/__init__.py", "from .models import Response\n"),
    ]);
    for (question, first) in [
        ("Response.json", "web.models.Response.json"),
        ("models.Response.json", "web.models.Response.json"),
        ("web.helpers.Request.json", "web.helpers.Request.json"),
        ("Response", "web.models.Response"),
        (
            "where is the body of a response decoded as JSON?",
            "web.models.Response.json",
        ),
    ] {
        let fields = world.ask(question, 2_000);
        assert_eq!(canons(&fields)[0], first, "{question}: {fields}");
    }
    let fields = world.ask("Response", 2_000);
    let class = parts(&fields)
        .iter()
        .find(|part| part["canon_path"] == "web.models.Response");
    let text = class.unwrap()["text"].as_str().unwrap();
    assert!(
        text.starts_with("class Response:\n    \"\"\"What a server sent.\"\"\""),
        "{text}"
    );
}

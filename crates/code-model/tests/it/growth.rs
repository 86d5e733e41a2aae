//! The cost of a workspace when its input doubles: instructions of SQLite and bytes of memory,
//! which do not depend on how busy the machine is. Also the cost at the limits.

use code_model::limits::{
    MAX_APPROVED_BYTES, MAX_EDITED_BYTES, MAX_ITEM_TOKENS, MAX_REQUEST_ITEMS,
};
use serde_json::{Value, json};

use crate::rust::parsed;
use crate::world::World;

/// The factor by which the cost may grow for twice the input: somewhat more than two, because
/// b-trees and buffers grow in steps.
const TWICE: f64 = 2.6;
const LEAST_STEPS: u64 = 20_000;
const LEAST_BYTES: u64 = 400_000;
/// The bytes that one request may hold of the 128 MB that all objects of an isolate share.
const MAX_BYTES: u64 = 80_000_000;

#[derive(Debug, Clone, Copy)]
struct Taken {
    steps: u64,
    bytes: u64,
}

fn taken(world: &World, work: impl FnOnce()) -> Taken {
    let before = world.db.steps();
    let counted = allocation_counter::measure(work);
    Taken {
        steps: world.db.steps() - before,
        bytes: counted.bytes_max,
    }
}

fn check(what: &str, once: Taken, twice: Taken) {
    #[expect(clippy::cast_precision_loss, reason = "counts of a test are small")]
    let grows =
        |once: u64, twice: u64, least: u64| twice as f64 > TWICE * once as f64 + least as f64;
    assert!(
        !grows(once.steps, twice.steps, LEAST_STEPS),
        "{what}: {once:?}, then {twice:?}"
    );
    assert!(
        !grows(once.bytes, twice.bytes, LEAST_BYTES),
        "{what}: {once:?}, then {twice:?}"
    );
}

fn functions(count: usize) -> String {
    (0..count)
        .map(|at| format!("fn f{at}() {{ g{at}(); }}\n"))
        .collect()
}

/// The name of a form, and a function that returns files of a size, each with its path and text.
type Form = (&'static str, fn(usize) -> Vec<(String, String)>);

fn one(path: &str, text: String) -> Vec<(String, String)> {
    vec![(path.to_owned(), text)]
}

const FORMS: [Form; 14] = [
    ("functions", |n| one("a.rs", functions(n))),
    ("members", |n| {
        one(
            "a.rs",
            format!("struct A;\nimpl A {{\n{}}}\n", functions(n)),
        )
    }),
    ("modules", |n| {
        let modules: String = (0..n)
            .map(|at| format!("mod m{at} {{ fn f() {{}} }}\n"))
            .collect();
        one("a.rs", modules)
    }),
    ("one function", |n| {
        one("a.rs", format!("fn f() {{\n{}}}\n", "a(b, c);\n".repeat(n)))
    }),
    ("one table", |n| {
        one(
            "a.rs",
            format!("const A: [u8; 1] = [{}];\n", "1, ".repeat(n)),
        )
    }),
    ("one macro", |n| {
        one("a.rs", format!("m! {{ {} }}\n", "a b ".repeat(n)))
    }),
    ("imports", |n| {
        one(
            "a.rs",
            (0..n).map(|at| format!("use a::b{at}::C{at};\n")).collect(),
        )
    }),
    ("documentation", |n| {
        one(
            "a.rs",
            format!("{}fn f() {{}}\n", "//! Of the file.\n".repeat(n)),
        )
    }),
    ("an error at the end", |n| {
        one("a.rs", format!("{}fn (\n", functions(n)))
    }),
    ("a long line", |n| one("a.txt", "word ".repeat(n))),
    ("lines", |n| one("a.md", "# word\n\n".repeat(n))),
    ("classes", |n| {
        one(
            "a.ts",
            (0..n)
                .map(|at| format!("class C{at} {{ m() {{ return 1; }} }}\n"))
                .collect(),
        )
    }),
    ("small files", |n| {
        (0..n / 8)
            .map(|at| (format!("src/f{at}.rs"), "fn f() {}\n".to_owned()))
            .collect()
    }),
    ("one name", |n| {
        (0..n / 8)
            .map(|at| {
                (
                    format!("src/m{at}/mod.rs"),
                    "pub fn new() -> A { A::new() }\n".to_owned(),
                )
            })
            .collect()
    }),
];

fn write(world: &World, files: &[(String, String)]) {
    let named: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    world.write(&named);
}

#[test]
fn writing_reading_and_deleting_take_twice_as_much_of_twice_the_files() {
    const SIZE: usize = 800;
    for (form, files_of) in FORMS {
        let sizes = [SIZE, 2 * SIZE];
        let worlds = sizes.map(|_| World::new());
        let written =
            [0, 1].map(|at| taken(&worlds[at], || write(&worlds[at], &files_of(sizes[at]))));
        check(&format!("writing {form}"), written[0], written[1]);
        let path = files_of(1_000)[0].0.clone();
        for (operation, arguments) in [
            ("search_code", json!({"pattern": "nowhere"})),
            ("search_code", json!({"pattern": "no+where", "regex": true})),
            ("list_files", json!({"limit": 5_000})),
            ("inspect", json!({})),
            ("inspect", json!({"file_path": path})),
            ("read_file", json!({"file_path": path})),
            ("get_file_metadata", json!({"file_path": path})),
        ] {
            let read = [0, 1].map(|at| {
                taken(&worlds[at], || {
                    drop(worlds[at].run(operation, arguments.clone()))
                })
            });
            check(&format!("{operation} of {form}"), read[0], read[1]);
        }
        // A comment at the start moves everything.
        let again = [0, 1].map(|at| {
            let mut files = files_of(sizes[at]);
            for (_, text) in &mut files {
                text.insert_str(0, "// moved\n");
            }
            taken(&worlds[at], || write(&worlds[at], &files))
        });
        check(&format!("writing {form} again"), again[0], again[1]);
        let ended = [0, 1].map(|at| {
            let paths: Vec<String> = files_of(sizes[at])
                .into_iter()
                .map(|(path, _)| path)
                .collect();
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            taken(&worlds[at], || drop(worlds[at].delete(&paths)))
        });
        check(&format!("deleting {form}"), ended[0], ended[1]);
    }
}

/// Returns insertions after functions of one file.
fn inserts(file: &str, count: usize) -> Value {
    let edits: Vec<Value> = (0..count)
        .map(|at| json!({"mode": "insert_after", "file": file, "canon": format!("crate::f{at}"), "node_type": "function", "code": format!("fn added{at}() {{}}")}))
        .collect();
    json!({ "edits": edits })
}

#[test]
fn a_file_is_read_once_for_all_edits_of_a_request() {
    let world = World::new();
    world.write(&[("src/lib.rs", &functions(4_000))]);
    for file in ["src/lib.rs", "/ws/src/lib.rs"] {
        let [few, many] = [10, 100].map(|count| {
            taken(&world, || {
                drop(world.run("apply_code_edit", inserts(file, count)))
            })
        });
        assert!(many.steps < 2 * few.steps, "{file}: {few:?}, {many:?}");
        assert!(many.bytes < 2 * few.bytes, "{file}: {few:?}, {many:?}");
    }
    // The same for bytes of a past version.
    let hash = world.file_hash("src/lib.rs");
    world.write(&[("src/lib.rs", &format!("// moved\n{}", functions(4_000)))]);
    let [few, many] = [10, 100].map(|count| {
        let edits: Vec<Value> = (0..count)
            .map(|at| {
                let start = functions(at).len() + 3;
                json!({"mode": "splice", "file_path": "src/lib.rs", "expected_file_hash": hash, "start_byte": start, "end_byte": start + 1, "replacement": "r"})
            })
            .collect();
        taken(&world, || drop(world.run("apply_code_edit", json!({ "edits": edits }))))
    });
    assert!(many.steps < 2 * few.steps, "{few:?}, {many:?}");
}

#[test]
fn proposals_that_wait_are_judged_with_one_look_at_their_file() {
    let [few, many] = [20, 40].map(|count| {
        let world = World::new();
        world.write(&[("src/lib.rs", &functions(1_000))]);
        let mut last = Value::Null;
        for at in 0..count {
            last = world.propose(
                "src/lib.rs",
                &format!("crate::f{at}"),
                "function",
                &format!("fn f{at}() {{ changed(); }}"),
            );
        }
        taken(&world, || drop(world.approve(&last)))
    });
    assert!(few.steps * 2 > many.steps, "{few:?}, {many:?}");
    check("approving one of them", few, many);
}

#[test]
fn approving_all_stops_at_its_bound_and_goes_on_with_the_next_request() {
    let world = World::new();
    let large = usize::try_from(MAX_APPROVED_BYTES).unwrap() / 3;
    let files = ["a.txt", "b.txt", "c.txt", "d.txt"];
    for file in files {
        world.write(&[(
            file,
            &"word word word word word word word word\n".repeat(large / 40),
        )]);
        let hash = world.file_hash(file);
        world.run("apply_code_edit", json!({"edits": [{"mode": "splice", "file_path": file, "expected_file_hash": hash, "start_byte": 0, "end_byte": 4, "replacement": "first"}]}));
    }
    let first = world.run("approve_all", json!({}));
    assert_eq!(
        (&first["applied"], &first["remaining"]),
        (&json!(3), &json!(1))
    );
    let second = world.run("approve_all", json!({}));
    assert_eq!(
        (&second["applied"], &second["remaining"]),
        (&json!(1), &json!(0))
    );
}

#[test]
fn a_request_that_edits_more_than_fits_is_refused() {
    let world = World::new();
    let text = "line\n".repeat(usize::try_from(MAX_EDITED_BYTES).unwrap() / 10 + 1);
    let edits: Vec<Value> = ["a.txt", "b.txt"]
        .map(|file| {
            world.write(&[(file, &text)]);
            let hash = world.file_hash(file);
            json!({"mode": "splice", "file_path": file, "expected_file_hash": hash, "start_byte": 0, "end_byte": 4, "replacement": "first"})
        })
        .into();
    let error = world.error("apply_code_edit", json!({ "edits": edits }));
    assert_eq!(error.code(), "TOO_BIG");
    world.run("apply_code_edit", json!({ "edits": edits[..1] }));
    let code = "x".repeat(900_000);
    let many: Vec<Value> = (0..10)
        .map(|at| json!({"mode": "splice", "file_path": "a.txt", "expected_file_hash": "h", "start_byte": at, "end_byte": at, "replacement": code}))
        .collect();
    assert_eq!(
        world
            .error("apply_code_edit", json!({ "edits": many }))
            .code(),
        "TOO_BIG"
    );
}

#[test]
fn a_request_with_more_items_than_fit_is_refused_and_leaves_nothing() {
    let world = World::new();
    // Chunks are the smallest items.
    let chunk = "# a\n";
    let files: Vec<(String, String)> = (0..MAX_REQUEST_ITEMS / 20_000 + 1)
        .map(|at| (format!("f{at}.md"), chunk.repeat(20_000)))
        .collect();
    let named: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let error = world.try_write(&named).unwrap_err();
    assert_eq!(error.code(), "TOO_BIG");
    assert!(error.hint().unwrap().contains("several requests"));
    assert_eq!(world.run("list_files", json!({}))["files"], json!([]));
}

#[test]
fn files_at_the_limit_of_parsing_fit_into_memory() {
    let repeated =
        |part: &str| part.repeat(code_model::limits::MAX_PARSED_BYTES / part.len() - 100);
    for (form, text) in [
        ("functions", "fn f() { a(b, c); d.e(); }\n".repeat(19_000)),
        (
            "more functions",
            "fn f() { a(b, c); d.e(); }\n".repeat(60_000),
        ),
        ("signs", repeated("fn f(){a;a;a;a}\n")),
        ("small functions", repeated("fn f(){}\n")),
        (
            "documented",
            repeated(
                "/// Says what it does in some words.\npub fn f(a: &str) -> Result<u8> { a.b() }\n",
            ),
        ),
    ] {
        let mut file = None;
        let counted = allocation_counter::measure(|| file = Some(parsed(&text)));
        assert!(file.unwrap().items.len() > 100, "{form}");
        assert!(
            counted.bytes_max < MAX_BYTES,
            "{form}: {}",
            counted.bytes_max
        );
    }
}

#[test]
fn an_item_whose_tree_would_be_too_large_is_read_without_one() {
    for (form, item) in [
        (
            "statements",
            format!("fn f() {{ {} }}", "a;".repeat(MAX_ITEM_TOKENS / 2)),
        ),
        (
            "module",
            format!("mod m {{ {} }}", "fn f(){}".repeat(MAX_ITEM_TOKENS / 4)),
        ),
        (
            "table",
            format!("const A: [u8; 1] = [{}];", "1,".repeat(MAX_ITEM_TOKENS / 2)),
        ),
        (
            "types",
            format!("struct A({});", "b::C<u8>,".repeat(MAX_ITEM_TOKENS / 8)),
        ),
    ] {
        let mut file = None;
        let counted = allocation_counter::measure(|| {
            file = Some(parsed(&format!(
                "fn before() {{}}\n{item}\nfn behind() {{}}\n"
            )));
        });
        let file = file.unwrap();
        assert!(!file.parsed, "{form}");
        let reason = file.reason.unwrap();
        assert!(
            reason.contains("line 2: the item has more than"),
            "{form}: {reason}"
        );
        let names: Vec<&str> = file.items.iter().map(|item| item.name.as_str()).collect();
        assert!(
            names.contains(&"before") && names.contains(&"behind"),
            "{form}: {names:?}"
        );
        assert!(
            counted.bytes_max < MAX_BYTES,
            "{form}: {}",
            counted.bytes_max
        );
        // With half of the tokens, the file is parsed.
        let half = item.len() / 2;
        let part = match form {
            "statements" => format!("fn f() {{ {} }}", "a;".repeat(MAX_ITEM_TOKENS / 2 - 100)),
            "module" => format!(
                "mod m {{ {} }}",
                "fn f(){}".repeat(MAX_ITEM_TOKENS / 4 - 100)
            ),
            "table" => format!(
                "const A: [u8; 1] = [{}];",
                "1,".repeat(MAX_ITEM_TOKENS / 2 - 100)
            ),
            _ => format!(
                "struct A({});",
                "b::C<u8>,".repeat(MAX_ITEM_TOKENS / 8 - 100)
            ),
        };
        assert!(part.len() > half);
        let mut file = None;
        let counted = allocation_counter::measure(|| file = Some(parsed(&part)));
        assert!(file.unwrap().parsed, "{form}");
        assert!(
            counted.bytes_max < MAX_BYTES,
            "{form}: {}",
            counted.bytes_max
        );
    }
}

//! Malicious requests, and requests with long paths or many files of the same name.

use code_model::model::ItemKind;
use code_model::project::PathPattern;
use code_model::retrieval::{self, ColumnWeights, Filter};
use database::DatabaseExt as _;
use serde_json::{Value, json};

use crate::world::World;

const MANIFEST: (&str, &str) = (
    "Cargo.toml",
    "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\n",
);
/// Longer than a pattern of the engine may be.
const LONG: &str = "crates/a_crate_with_a_long_name/src/a_module_with_a_long_name";

fn paths(found: &Value, list: &str) -> Vec<String> {
    let files = found[list].as_array().unwrap();
    files
        .iter()
        .map(|file| file["file_path"].as_str().unwrap().to_owned())
        .collect()
}

fn edit(mode: &str, file: &str, canon: &str, kind: &str, code: &str) -> Value {
    json!({"edits": [{"mode": mode, "file": file, "canon": canon, "node_type": kind, "code": code}]})
}

/// Returns the text of a file with one edit applied.
fn applied(world: &World, file: &str, edit: Value) -> String {
    let staged = world.run("apply_code_edit", edit);
    assert_eq!(world.approve(&staged)["ok"], true);
    world.text(file)
}

#[test]
fn the_engine_of_the_tests_refuses_long_patterns_as_a_durable_object_does() {
    let world = World::new();
    let statement = "SELECT 'a' GLOB '012345678901234567890123456789012345678901234567890'";
    let refused = world.db.rows(statement, &[]);
    assert!(refused.is_err());
}

#[test]
fn a_path_of_any_length_is_a_filter() {
    let world = World::new();
    let file = format!("{LONG}/[id].rs");
    let other = format!("{LONG}2/i.rs");
    world.write(&[
        MANIFEST,
        (&file, "fn here() { marker() }\n"),
        (&other, "fn there() { marker() }\n"),
    ]);
    let pattern = format!("{LONG}/*.rs");
    let wide = format!("*{}*", "/a_module_with_a_long_name/");
    for path in [LONG, &file, &pattern, &wide] {
        let listed = world.run("list_files", json!({ "path": path }));
        assert_eq!(paths(&listed, "files"), [file.as_str()], "{path}");
        let found = world.run("search_code", json!({ "path": path, "pattern": "marker" }));
        assert_eq!(paths(&found, "matches"), [file.as_str()], "{path}");
        let filter = Filter {
            paths: vec![PathPattern::parse(path).unwrap()],
            ..Filter::default()
        };
        let chosen = retrieval::choose(&world.db, 1, &filter).unwrap();
        let weights = ColumnWeights {
            name: 1.0,
            path: 1.0,
            body: 1.0,
        };
        let matched = retrieval::matches(&world.db, 1, "marker", weights, &chosen, 10).unwrap();
        let all = retrieval::filtered(&world.db, 1, &chosen).unwrap();
        let named = retrieval::named(
            &world.db,
            1,
            &["here".to_owned(), "there".to_owned()],
            &chosen,
            10,
        );
        for numbers in [
            matched.iter().map(|found| found.item).collect(),
            all,
            named.unwrap(),
        ] {
            let rows = retrieval::item_rows(&world.db, 1, &numbers).unwrap();
            assert!(
                !rows.is_empty() && rows.iter().all(|row| row.path == file),
                "{path}"
            );
        }
    }
    let long = "a".repeat(2_000);
    for operation in ["list_files", "search_code"] {
        let error = world.error(operation, json!({ "path": long, "pattern": "x" }));
        assert_eq!(error.code(), "INVALID_ARGUMENT");
    }
}

#[test]
fn a_pattern_has_pages_over_all_files() {
    let world = World::new();
    let files: Vec<(String, String)> = (0..1_200)
        .map(|at| {
            let end = if at % 300 == 0 { "rs" } else { "txt" };
            (format!("src/f{at:04}.{end}"), "word\n".to_owned())
        })
        .collect();
    let named: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    world.write(&named);
    let mut found = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = world.run(
            "list_files",
            json!({"path": "*.rs", "limit": 3, "cursor": cursor}),
        );
        found.extend(paths(&page, "files"));
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(
        found,
        [
            "src/f0000.rs",
            "src/f0300.rs",
            "src/f0600.rs",
            "src/f0900.rs"
        ]
    );
}

#[test]
fn one_name_in_many_files_is_not_taken_for_the_only_one() {
    const TWICE: &str = "pub struct Twice;\nimpl Twice { fn turn(&self) {} }\n";
    let world = World::new();
    let mut written = Vec::new();
    for at in 0..30 {
        written.push((
            format!("m{at:02}/Cargo.toml"),
            format!("[package]\nname = \"m{at:02}\"\nversion = \"0.1.0\"\n"),
        ));
        let text = match at {
            3 | 25 => TWICE,
            28 => "pub fn late() {}\n",
            _ => "pub fn other() {}\n",
        };
        written.push((format!("m{at:02}/src/util.rs"), text.to_owned()));
    }
    let files: Vec<(&str, &str)> = written
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    world.write(&files);
    for (canon, kind) in [
        ("crate::util::Twice", "struct"),
        ("crate::util::Twice", "impl"),
        ("crate::util::Twice::turn", "method"),
        ("crate::util::Twice::turn", "function"),
        ("crate::util", "module"),
    ] {
        let error = world.error(
            "apply_code_edit",
            edit("canonical", "util.rs", canon, kind, "struct Once;"),
        );
        assert_eq!(error.code(), "AMBIGUOUS_ITEM", "{canon} {kind}");
    }
    for canon in ["crate::util::late", "m28::util::late"] {
        let code = format!("pub fn late() {{ \"{canon}\"; }}");
        let staged = world.run(
            "apply_code_edit",
            edit("canonical", "src/util.rs", canon, "function", &code),
        );
        assert_eq!(staged["files"], json!(["m28/src/util.rs"]));
    }
}

#[test]
fn a_file_that_is_there_is_the_one_that_is_meant() {
    let world = World::new();
    world.write(&[
        MANIFEST,
        ("src/lib.rs", "pub fn here() {}\n"),
        ("old/src/lib.rs", "pub fn only_there() {}\n"),
    ]);
    let error = world.error(
        "apply_code_edit",
        edit(
            "canonical",
            "src/lib.rs",
            "crate::only_there",
            "function",
            "fn only_there() { 1; }",
        ),
    );
    assert_eq!(error.code(), "ITEM_NOT_FOUND");
}

#[test]
fn an_item_is_looked_up_behind_its_filters_and_not_among_the_first() {
    let world = World::new();
    let files: Vec<String> = (0..25).map(|at| format!("c{at:02}/src/lib.rs")).collect();
    let mut written: Vec<(&str, &str)> = files
        .iter()
        .map(|path| (path.as_str(), "pub fn same() {}\n"))
        .collect();
    written.push(("z/src/lib.rs", "pub struct same;\n"));
    world.write(&written);
    let found = world.run(
        "code_item_lookup",
        json!({"item_name": "same", "file_path": "c24/src/lib.rs"}),
    );
    assert_eq!(found["item"]["file_path"], "c24/src/lib.rs");
    let found = world.run(
        "code_item_lookup",
        json!({"item_name": "same", "node_kind": "struct"}),
    );
    assert_eq!(found["item"]["file_path"], "z/src/lib.rs");
}

#[test]
fn code_is_inserted_beside_code_and_never_into_a_text_or_a_comment() {
    for (text, canon, expected) in [
        (
            "const A: &str = \"\n// x\";\nfn b() {}\n",
            "crate::b",
            "const A: &str = \"\n// x\";\nfn n() {}\n\nfn b() {}\n",
        ),
        (
            "#![doc = \"\n// x\"]\nfn b() {}\n",
            "crate::b",
            "#![doc = \"\n// x\"]\nfn n() {}\n\nfn b() {}\n",
        ),
        (
            "/* a\n// x */\nfn b() {}\n",
            "crate::b",
            "/* a\n// x */\nfn n() {}\n\nfn b() {}\n",
        ),
        (
            "a! { r#\"\n// \"#; \"\n// x\" }\nfn b() {}\n",
            "crate::b",
            "a! { r#\"\n// \"#; \"\n// x\" }\nfn n() {}\n\nfn b() {}\n",
        ),
        (
            "fn a() {} // of a\n// of b\nfn b() {}\n",
            "crate::b",
            "fn a() {} // of a\nfn n() {}\n\n// of b\nfn b() {}\n",
        ),
    ] {
        let world = World::new();
        world.write(&[MANIFEST, ("src/lib.rs", text)]);
        let insert = edit(
            "insert_before",
            "src/lib.rs",
            canon,
            "function",
            "fn n() {}",
        );
        let staged = world.run("apply_code_edit", insert);
        assert_eq!(staged["warnings"], json!([]), "{text}");
        world.approve(&staged);
        assert_eq!(world.text("src/lib.rs"), expected);
    }
}

#[test]
fn what_follows_on_the_line_does_not_become_part_of_a_comment() {
    let world = World::new();
    world.write(&[MANIFEST, ("src/lib.rs", "fn a() {} fn b() {}\n")]);
    let insert = edit(
        "insert_after",
        "src/lib.rs",
        "crate::a",
        "function",
        "fn n() {} // end",
    );
    assert_eq!(
        applied(&world, "src/lib.rs", insert),
        "fn a() {}\n\nfn n() {} // end\n fn b() {}\n"
    );
}

#[test]
fn an_insertion_that_is_no_code_is_said() {
    let world = World::new();
    world.write(&[MANIFEST, ("src/lib.rs", "fn a() {}\n")]);
    let staged = world.run(
        "apply_code_edit",
        edit(
            "insert_after",
            "src/lib.rs",
            "crate::a",
            "function",
            "// only words",
        ),
    );
    let warning = staged["warnings"][0].as_str().unwrap();
    assert!(
        warning.starts_with("the inserted code adds no item"),
        "{warning}"
    );
}

#[test]
fn whoever_decides_sees_what_goes_whatever_the_author_asked_to_see() {
    let world = World::new();
    let before = "fn check() { verify() }\nfn other() {}\n";
    world.write(&[MANIFEST, ("src/lib.rs", before)]);
    let hash = world.file_hash("src/lib.rs");
    let request = json!({
        "requestId": "sly", "preview_mode": "codeblock",
        "edits": [{"mode": "splice", "file_path": "src/lib.rs", "expected_file_hash": hash, "start_byte": 0, "end_byte": before.len(), "replacement": "// `````\nfn other() {}\n"}],
    });
    let staged = world.run("apply_code_edit", request.clone());
    assert_eq!(staged["preview_mode"], "codeblock");
    assert_eq!(
        staged["preview"],
        "src/lib.rs, line 1\n``````rust\n// `````\nfn other() {}\n``````\n"
    );
    assert_eq!(
        staged["warnings"],
        json!(["the edit removes crate::check (function)"])
    );
    let listed = world.run("list_proposals", json!({"requestId": "sly"}));
    let shown = &listed["proposals"][0];
    assert_eq!(shown["preview_mode"], "diff");
    let diff = shown["preview"].as_str().unwrap();
    assert!(diff.contains("\n-fn check() { verify() }\n"), "{diff}");
    assert_eq!(shown["warnings"], staged["warnings"]);
    let again = world.run("apply_code_edit", request);
    assert_eq!(
        (&again["preview_mode"], &again["preview"]),
        (&staged["preview_mode"], &staged["preview"])
    );
}

#[test]
fn many_lost_items_are_counted() {
    let world = World::new();
    let many: String = (0..40).map(|at| format!("fn f{at}() {{}}\n")).collect();
    world.write(&[MANIFEST, ("src/lib.rs", &many)]);
    let hash = world.file_hash("src/lib.rs");
    let staged = world.run("apply_code_edit", json!({"edits": [{"file_path": "src/lib.rs", "expected_file_hash": hash, "start_byte": 0, "end_byte": many.len(), "replacement": "fn f0() {}\n"}]}));
    let warnings = staged["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 21);
    assert_eq!(warnings[20], "the edit removes 19 more items");
}

#[test]
fn filters_of_several_paths_kinds_and_crates_are_one() {
    let world = World::new();
    world.write(&[
        MANIFEST,
        ("src/a.rs", "struct A;\nfn a() {}\n"),
        ("src/b.rs", "struct B;\nfn b() {}\n"),
        (
            "other/Cargo.toml",
            "[package]\nname = \"other-one\"\nversion = \"0.1.0\"\n",
        ),
        ("other/src/lib.rs", "struct C;\nfn c() {}\n"),
    ]);
    let pattern = |path: &str| PathPattern::parse(path).unwrap();
    let canons = |filter: Filter| -> Vec<String> {
        let chosen = retrieval::choose(&world.db, 1, &filter).unwrap();
        let numbers = retrieval::filtered(&world.db, 1, &chosen).unwrap();
        let rows = retrieval::item_rows(&world.db, 1, &numbers).unwrap();
        let mut canons: Vec<String> = rows.into_iter().map(|row| row.name).collect();
        canons.sort();
        canons
    };
    let kinds = vec![ItemKind::Struct];
    let (paths, crates) = (Vec::new(), Vec::new());
    assert_eq!(
        canons(Filter {
            paths,
            kinds: kinds.clone(),
            crates
        }),
        ["A", "B", "C"]
    );
    let paths = vec![pattern("src/a.rs"), pattern("other/*")];
    assert_eq!(
        canons(Filter {
            paths: paths.clone(),
            kinds: kinds.clone(),
            crates: Vec::new()
        }),
        ["A", "C"]
    );
    let crates = vec!["other_one".to_owned()];
    assert_eq!(
        canons(Filter {
            paths,
            kinds,
            crates
        }),
        ["C"]
    );
}

/// The tokens of a module are read again at each level around it.
#[test]
fn a_large_text_in_many_modules_takes_no_longer_than_a_few_times_itself() {
    let body: String = (0..500)
        .map(|number| {
            format!(
                // Many bytes in few tokens. With more tokens, the module would not be parsed at
                // all.
                "fn total_{number}() {{\n    let text = \"{}\";\n}}\n",
                "x".repeat(3_300)
            )
        })
        .collect();
    for broken in ["", "fn ( {\n"] {
        let mut text = String::new();
        for level in 0..24 {
            text.push_str(&format!("mod m{level} {{\n"));
        }
        text.push_str(&body);
        text.push_str(broken);
        text.push_str(&"}\n".repeat(24));
        let world = World::new();
        let started = std::time::Instant::now();
        world.write(&[MANIFEST, ("src/lib.rs", &text)]);
        let took = started.elapsed();
        let found = world.run("code_item_edges", json!({"item_name": "m5"}));
        assert_eq!(found["ok"], true, "{found}");
        if broken.is_empty() {
            let deep = world.error("code_item_edges", json!({"item_name": "m20"}));
            assert_eq!(deep.code(), "ITEM_NOT_FOUND");
        }
        // Without the bound it would take some minutes.
        assert!(took.as_secs() < 60, "{took:?}");
    }
}

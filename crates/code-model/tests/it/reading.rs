//! Operations that only read.

use serde_json::{Value, json};

use crate::world::World;

const FILES: [(&str, &str); 5] = [
    (
        "a/Cargo.toml",
        "[package]\nname = \"one-a\"\nversion = \"0.1.0\"\n",
    ),
    (
        "a/src/lib.rs",
        "pub mod deep;\npub use deep::Shelf;\npub mod prelude { pub use super::deep::*; }\n/// Opens.\npub fn open() { only_here() }\nfn only_here() {}\n",
    ),
    (
        "a/src/deep.rs",
        "pub struct Shelf;\nimpl Shelf { pub fn new() -> Self { Shelf } }\npub trait Lid {}\nimpl Lid for Shelf {}\n",
    ),
    (
        "b/Cargo.toml",
        "[package]\nname = \"two\"\nversion = \"0.1.0\"\n",
    ),
    (
        "b/src/lib.rs",
        "use one_a::Shelf;\nuse one_a::prelude::Lid;\npub fn make() -> Shelf { Shelf::new() }\nfn take(_: &dyn Lid) {}\n",
    ),
];

fn world() -> World {
    let world = World::new();
    world.write(&FILES);
    world
}

fn edges(found: &Value, side: &str) -> Vec<String> {
    let list = found[side].as_array().unwrap().iter();
    list.map(|edge| {
        let item = &edge["item"];
        format!(
            "{} {} {}",
            edge["kind"].as_str().unwrap(),
            item["canon"].as_str().unwrap_or("-"),
            item["file_path"].as_str().unwrap_or("-")
        )
    })
    .collect()
}

#[test]
fn metadata_has_both_hashes_and_a_missing_file_is_no_error() {
    let world = world();
    let found = world.run(
        "get_file_metadata",
        json!({ "file_path": "./a/src/deep.rs" }),
    );
    assert_eq!(
        (&found["ok"], &found["exists"], &found["byte_len"]),
        (&json!(true), &json!(true), &json!(FILES[2].1.len()))
    );
    assert_eq!(
        found["file_hash"],
        code_model::hash::file_hash(FILES[2].1.as_bytes()).to_string()
    );
    assert_ne!(found["file_hash"], found["tracking_hash"]);
    assert_eq!(
        (&found["crate"], &found["module_path"], &found["parsed"]),
        (&json!("one_a"), &json!("crate::deep"), &json!(true))
    );
    let missing = world.run("get_file_metadata", json!({ "file_path": "a/none.rs" }));
    assert_eq!(
        (&missing["ok"], &missing["exists"]),
        (&json!(true), &json!(false))
    );
    let past = world.run(
        "get_file_metadata",
        json!({ "file_path": "a/src/deep.rs", "asOf": 0 }),
    );
    assert_eq!(past["exists"], false);
    for path in ["../x", "/etc/passwd", "C:\\x", "a\0b", "", ".git/config"] {
        assert_eq!(
            world
                .error("get_file_metadata", json!({ "file_path": path }))
                .code(),
            "INVALID_ARGUMENT",
            "{path}"
        );
    }
}

#[test]
fn an_item_is_found_by_name_by_path_and_by_id() {
    let world = world();
    let by_name = world.run("code_item_lookup", json!({"item_name": "open", "file_path": "a/src/lib.rs", "node_kind": "function", "module_path": "crate"}));
    assert_eq!(
        (&by_name["item"]["docstring"], &by_name["item"]["text"]),
        (
            &json!("Opens."),
            &json!("/// Opens.\npub fn open() { only_here() }")
        )
    );
    assert_eq!(
        (&by_name["item"]["span"][0], &by_name["item"]["lines"]),
        (
            &json!(FILES[1].1.find("/// Opens").unwrap()),
            &json!([4, 5])
        )
    );
    let id = &by_name["item"]["id"];
    assert_eq!(
        world.run("code_item_lookup", json!({ "id": id }))["item"],
        by_name["item"]
    );
    assert_eq!(
        world.run("code_item_lookup", json!({"item_name": "make"}))["item"]["canon"],
        "crate::make"
    );
    let error = world.error(
        "code_item_lookup",
        json!({"item_name": "Shelf", "module_path": "crate::none"}),
    );
    assert_eq!(error.code(), "ITEM_NOT_FOUND");
    // The id survives an edit, and the previous version can still be read.
    world.write(&[(
        "a/src/lib.rs",
        &FILES[1].1.replace("only_here() }", "{ 1; } }"),
    )]);
    let now = world.run("code_item_lookup", json!({ "id": id }));
    assert!(now["item"]["text"].as_str().unwrap().contains("{ 1; }"));
    assert_eq!(
        world.run("code_item_lookup", json!({ "id": id, "asOf": 1 }))["item"]["text"],
        by_name["item"]["text"]
    );
}

#[test]
fn trap_13_edges_go_along_reexports_and_globs() {
    let world = world();
    let make = world.run("code_item_edges", json!({"item_name": "make"}));
    assert_eq!(
        edges(&make, "outgoing"),
        [
            "uses crate::deep::Shelf a/src/deep.rs",
            "calls crate::Shelf::new -"
        ]
        .map(|edge| edge.replace(
            "crate::Shelf::new -",
            "crate::deep::Shelf::new a/src/deep.rs"
        ))
    );
    let take = world.run("code_item_edges", json!({"item_name": "take"}));
    assert_eq!(
        edges(&take, "outgoing"),
        ["uses crate::deep::Lid a/src/deep.rs"]
    );
    let shelf = world.run(
        "code_item_edges",
        json!({"canon": "crate::deep::Shelf", "file_path": "a/src/deep.rs", "node_kind": "struct"}),
    );
    let incoming = edges(&shelf, "incoming");
    for edge in [
        "re_exports crate::deep::Shelf a/src/lib.rs",
        "impl_for crate::deep::impl Lid for Shelf a/src/deep.rs",
        "uses crate::make b/src/lib.rs",
    ] {
        assert!(
            incoming.iter().any(|found| found == edge),
            "{edge} {incoming:?}"
        );
    }
    let lid = world.run(
        "code_item_edges",
        json!({"canon": "crate::deep::Lid", "file_path": "a/src/deep.rs", "node_kind": "trait"}),
    );
    assert!(
        edges(&lid, "incoming")
            .contains(&"implements crate::deep::impl Lid for Shelf a/src/deep.rs".to_owned())
    );
    let root = world.run(
        "code_item_edges",
        json!({"canon": "crate", "file_path": "a/src/lib.rs", "node_kind": "module"}),
    );
    assert!(edges(&root, "outgoing").contains(&"contains crate::open a/src/lib.rs".to_owned()));
    let open = world.run("code_item_edges", json!({"item_name": "open"}));
    assert!(edges(&open, "outgoing").contains(&"calls crate::only_here a/src/lib.rs".to_owned()));
    assert_eq!(open["owner"]["canon"], "crate");
}

#[test]
fn files_come_in_pages() {
    let world = world();
    let mut paths = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = world.run("list_files", json!({"limit": 2, "cursor": cursor}));
        paths.extend(
            page["files"]
                .as_array()
                .unwrap()
                .iter()
                .map(|file| file["file_path"].as_str().unwrap().to_owned()),
        );
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(
        paths,
        [
            "a/Cargo.toml",
            "a/src/deep.rs",
            "a/src/lib.rs",
            "b/Cargo.toml",
            "b/src/lib.rs"
        ]
    );
    let count = |arguments: Value| {
        world.run("list_files", arguments)["files"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(count(json!({"path": "a/src/"})), 2);
    assert_eq!(count(json!({"path": "*/lib.rs"})), 2);
    assert_eq!(count(json!({"language": "rust", "crate": "one-a"})), 2);
}

#[test]
fn a_part_of_a_file_is_read_by_bytes_or_lines() {
    let world = World::new();
    world.write(&[("a.txt", "one\ntwo ß\nthree\n")]);
    for (range, text, lines) in [
        (json!({}), "one\ntwo ß\nthree\n", [1, 3]),
        (json!({"start_line": 2, "end_line": 2}), "two ß\n", [2, 2]),
        (json!({"start_line": 2}), "two ß\nthree\n", [2, 3]),
        (json!({"start_byte": 4, "end_byte": 7}), "two", [2, 2]),
        (json!({"start_line": 9}), "", [4, 4]),
    ] {
        let mut arguments = range.clone();
        arguments["file_path"] = json!("a.txt");
        let read = world.run("read_file", arguments);
        assert_eq!(
            (read["text"].as_str().unwrap(), &read["lines"]),
            (text, &json!(lines)),
            "{range}"
        );
    }
    for range in [
        json!({"start_byte": 9, "end_byte": 8}),
        json!({"end_byte": 99}),
        json!({"start_byte": 9}),
        json!({"start_line": 1, "end_byte": 1}),
    ] {
        let mut arguments = range.clone();
        arguments["file_path"] = json!("a.txt");
        assert_eq!(
            world.error("read_file", arguments).code(),
            "INVALID_ARGUMENT",
            "{range}"
        );
    }
    let error = world.error("read_file", json!({"file_path": "src/a.txt"}));
    assert_eq!(
        (error.code(), error.details()["suggestions"].clone()),
        ("FILE_NOT_FOUND", json!(["a.txt"]))
    );
}

#[test]
fn a_text_or_an_expression_is_searched() {
    let world = world();
    let found = world.run("search_code", json!({"pattern": "pub fn"}));
    let lines: Vec<String> = found["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| format!("{}:{}", found["file_path"].as_str().unwrap(), found["line"]))
        .collect();
    assert_eq!(
        lines,
        ["a/src/deep.rs:2", "a/src/lib.rs:5", "b/src/lib.rs:3"]
    );
    assert_eq!(found["complete"], true);
    let start = FILES[1].1.find("pub fn").unwrap();
    assert_eq!(found["matches"][1]["range"], json!([start, start + 6]));
    let count = |arguments: Value| {
        world.run("search_code", arguments)["matches"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(
        count(json!({"pattern": r"fn \w+\(\) -> \w+", "regex": true})),
        2
    );
    assert_eq!(
        count(json!({"pattern": "PUB FN", "ignoreCase": true, "path": "b/"})),
        1
    );
    let page = world.run("search_code", json!({"pattern": "pub", "limit": 3}));
    assert_eq!(
        (&page["complete"], &page["nextCursor"]),
        (&json!(false), &json!("0:a/src/lib.rs"))
    );
    let cursor = page["nextCursor"].clone();
    let rest = world.run("search_code", json!({"pattern": "pub", "cursor": cursor}));
    let all = world.run("search_code", json!({"pattern": "pub"}));
    let both: Vec<&Value> = [&page, &rest]
        .into_iter()
        .flat_map(|page| page["matches"].as_array().unwrap())
        .collect();
    let all_matches: Vec<&Value> = all["matches"].as_array().unwrap().iter().collect();
    assert_eq!((both, &rest["complete"]), (all_matches, &json!(true)));
    for cursor in ["a/src/lib.rs", "x:a/src/lib.rs", "1:../lib.rs", "1:"] {
        let error = world.error("search_code", json!({"pattern": "pub", "cursor": cursor}));
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{cursor}");
    }
    assert_eq!(
        world
            .error("search_code", json!({"pattern": "(", "regex": true}))
            .code(),
        "INVALID_ARGUMENT"
    );
    let huge = format!("({}){{1000}}", "a{1000}".repeat(50));
    assert_eq!(
        world
            .error("search_code", json!({"pattern": huge, "regex": true}))
            .code(),
        "INVALID_ARGUMENT"
    );
}

/// Returns all matches, and the number of pages.
fn pages(world: &World, arguments: &Value) -> (Vec<Value>, usize) {
    let (mut matches, mut pages) = (Vec::new(), 0);
    let mut cursor = Value::Null;
    loop {
        let mut arguments = arguments.clone();
        if !cursor.is_null() {
            arguments["cursor"] = cursor;
        }
        let page = world.run("search_code", arguments);
        matches.extend(page["matches"].as_array().unwrap().clone());
        pages += 1;
        assert!(pages < 1_000, "the search comes to no end");
        cursor = page["nextCursor"].clone();
        assert_eq!(page["complete"], cursor.is_null());
        if cursor.is_null() {
            return (matches, pages);
        }
    }
}

#[test]
fn no_match_is_lost_between_pages_however_small() {
    let world = World::new();
    let text = "one\ntwo one\n\none one\r\nthree\none";
    world.write(&[
        ("a.txt", text),
        ("b.txt", "nothing\n"),
        ("c.txt", text),
        ("d/e.txt", text),
    ]);
    let whole = pages(&world, &json!({"pattern": "one"})).0;
    assert_eq!(whole.len(), 12);
    let in_folder = pages(&world, &json!({"pattern": "one", "path": "d"})).0;
    assert_eq!(in_folder, whole[8..]);
    for limit in 1..=13 {
        for regex in [false, true] {
            let (matches, _) = pages(
                &world,
                &json!({"pattern": "one", "limit": limit, "regex": regex}),
            );
            assert_eq!(matches, whole, "limit {limit}");
        }
    }
    let (matches, _) = pages(
        &world,
        &json!({"pattern": "one", "limit": 1, "path": "*.txt"}),
    );
    assert_eq!(matches, whole);
    // A cursor of another search does not return a file that the filter leaves out.
    let page = world.run(
        "search_code",
        json!({"pattern": "one", "path": "d", "cursor": "2:c.txt"}),
    );
    let paths: Vec<&Value> = page["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| &found["file_path"])
        .collect();
    assert_eq!(paths, [&json!("d/e.txt"); 4]);
}

/// For each character an expression may visit all of its states. tests/worker/code-faults.test.mjs
/// measures the time of this in WebAssembly.
#[test]
fn a_large_expression_is_compared_with_few_bytes() {
    let world = World::new();
    let long = "a".repeat(1_000_000);
    let lines = format!("{}\n", "a".repeat(99)).repeat(5_000);
    world.write(&[
        ("lines.txt", lines.as_str()),
        ("long.txt", long.as_str()),
        ("short.txt", "baab\n"),
    ]);
    let heavy = json!({"pattern": "b(?:a?){1500}b", "regex": true});
    let page = world.run("search_code", heavy.clone());
    assert_eq!(
        (&page["complete"], &page["searchedFiles"]),
        (&json!(false), &json!(1))
    );
    let (matches, pages) = pages(&world, &heavy);
    assert!(pages > 5, "{pages} pages");
    assert_eq!(matches.len(), 1);
    assert_eq!(matches[0]["file_path"], "short.txt");
    let last = world.run(
        "search_code",
        json!({"pattern": "b(?:a?){1500}b", "regex": true, "path": "long.txt"}),
    );
    assert_eq!(
        (&last["skippedLines"], &last["complete"]),
        (
            &json!([{"file_path": "long.txt", "line": 1, "bytes": 1_000_000}]),
            &json!(true)
        )
    );
    // A small expression may read everything at once.
    let small = world.run("search_code", json!({"pattern": "a*b", "regex": true}));
    assert_eq!(
        (&small["complete"], &small["skippedLines"]),
        (&json!(true), &json!([]))
    );
}

#[test]
fn a_directory_is_compared_by_hashes() {
    let world = world();
    let hash = |text: &str| code_model::hash::file_hash(text.as_bytes()).to_string();
    let found = world.run(
        "scan_for_change",
        json!({"complete": true, "files": [
            {"file_path": "a/src/lib.rs", "file_hash": hash(FILES[1].1)},
            {"file_path": "a/src/deep.rs", "file_hash": hash("other")},
            {"file_path": "new.rs", "file_hash": hash("new")},
            {"file_path": "../out.rs", "file_hash": hash("out")},
        ]}),
    );
    assert_eq!(
        (&found["added"], &found["changed"], &found["unchanged"]),
        (&json!(["new.rs"]), &json!(["a/src/deep.rs"]), &json!(1))
    );
    assert_eq!(
        found["deleted"],
        json!(["a/Cargo.toml", "b/Cargo.toml", "b/src/lib.rs"])
    );
    assert_eq!(found["refused"][0]["file_path"], "../out.rs");
}

#[test]
fn modules_spans_and_hashes_are_inspected() {
    let world = world();
    let all = world.run("inspect", json!({"module_path": "crate::deep"}));
    assert_eq!(
        all["modules"],
        json!([{"module_path": "crate::deep", "crate": "one_a", "file_path": "a/src/deep.rs", "parsed": true, "inline": false}])
    );
    let inline = world.run("inspect", json!({"module_path": "crate::prelude"}));
    assert_eq!(
        (&inline["modules"], &inline["complete"]),
        (
            &json!([{"module_path": "crate::prelude", "crate": "one_a", "file_path": "a/src/lib.rs", "parsed": true, "inline": true}]),
            &json!(true)
        )
    );
    let everything = world.run("inspect", json!({}));
    let paths: Vec<&Value> = everything["modules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|module| &module["module_path"])
        .collect();
    assert_eq!(paths, ["crate::deep", "crate", "crate", "crate::prelude"]);
    let file = world.run("inspect", json!({"file_path": "a/src/deep.rs"}));
    assert_eq!(
        (&file["hash_is_current"], &file["fileItems"]),
        (&json!(true), &json!(6))
    );
    assert!(
        file["spans"]
            .as_array()
            .unwrap()
            .iter()
            .all(|item| item["has_span"] == true && item["has_hash"] == true)
    );
}

#[test]
fn counts_are_those_of_the_version_that_is_asked_about() {
    let world = World::new();
    world.write(&[("a.rs", "fn a() {}\n")]);
    let first = world.run("inspect", json!({}));
    world.write(&[("b.rs", "fn b() {}\nfn c() {}\n")]);
    world.delete(&["a.rs"]);
    world.write(&[("c.md", "text\n")]);
    let past = world.run("inspect", json!({"asOf": 1}));
    for field in ["files", "items", "bytes"] {
        assert_eq!(past[field], first[field], "{field}");
    }
    assert_eq!((&past["version"], &past["bytes"]), (&json!(1), &json!(10)));
    for (version, files) in [(0, 0), (1, 1), (2, 2), (3, 1), (4, 2)] {
        let listed = world.run("list_files", json!({"asOf": version}));
        assert_eq!(listed["fileCount"], json!(files), "version {version}");
        assert_eq!(listed["files"].as_array().unwrap().len(), files);
    }
}

#[test]
fn files_are_written_and_deleted_by_operations() {
    let world = World::new();
    let written = world.run("put_files", json!({"files": [{"file_path": "src/a.rs", "text": "fn a() {}\n"}, {"file_path": "b.md", "text": "# B\n"}]}));
    assert_eq!(
        (
            &written["version"],
            &written["files"][0]["items"],
            &written["files"][1]["parsed"]
        ),
        (&json!(1), &json!(2), &json!(true))
    );
    assert_eq!(
        world
            .error(
                "put_files",
                json!({"files": [{"file_path": "a/../b", "text": ""}]})
            )
            .code(),
        "INVALID_ARGUMENT"
    );
    assert_eq!(
        world
            .error(
                "put_files",
                json!({"files": [{"file_path": "a", "text": ""}, {"file_path": "a", "text": ""}]})
            )
            .code(),
        "INVALID_ARGUMENT"
    );
    let error = world.error(
        "put_files",
        json!({"files": [{"file_path": "a", "txt": ""}]}),
    );
    assert!(error.to_string().contains("no field \"txt\""), "{error}");
    let deleted = world.run("delete_files", json!({"file_paths": ["b.md", "none"]}));
    assert_eq!(deleted["deleted"], json!(["b.md"]));
}

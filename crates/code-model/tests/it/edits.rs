//! Edits from staging to their reversal.

mod refusals;

mod decisions;

use code::Id;
use code::operate;
use code_model::Settings;
use serde_json::{Value, json};

use crate::world::World;
use test_support::{Fault, FaultyDatabase};

const MANIFEST: (&str, &str) = (
    "Cargo.toml",
    "[package]\nname = \"fixture_nodes\"\nversion = \"0.1.0\"\n",
);
const LIB: &str = "//! The crate.\nuse std::fmt;\n\n/// Adds.\n#[inline]\npub fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nmod inner {\n    pub struct X;\n    impl X {\n        fn m(&self) -> u8 { 1 }\n    }\n}\n\npub struct X;\n\nimpl fmt::Debug for X {\n    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) }\n}\n";

fn world() -> World {
    let world = World::new();
    world.write(&[MANIFEST, ("src/lib.rs", LIB)]);
    world
}

#[test]
fn an_edit_is_staged_approved_and_reverted() {
    let world = world();
    let staged = world.propose(
        "src/lib.rs",
        "crate::add",
        "function",
        "/// Adds.\n#[inline]\npub fn add(a: u8, b: u8) -> u8 {\n    a.wrapping_add(b)\n}",
    );
    assert_eq!(
        (
            &staged["ok"],
            &staged["staged"],
            &staged["applied"],
            &staged["files"]
        ),
        (&json!(true), &json!(1), &json!(0), &json!(["src/lib.rs"]))
    );
    assert_eq!(
        staged["preview"],
        "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -4,7 +4,7 @@\n /// Adds.\n #[inline]\n pub fn add(a: u8, b: u8) -> u8 {\n-    a + b\n+    a.wrapping_add(b)\n }\n \n mod inner {\n"
    );
    assert_eq!(staged["warnings"], json!([]));
    assert_eq!(
        world.text("src/lib.rs"),
        LIB,
        "nothing is written before it is approved"
    );
    let approved = world.approve(&staged);
    assert_eq!(approved["applied"], 1);
    assert_eq!(
        approved["results"][0]["new_file_hash"],
        world.file_hash("src/lib.rs")
    );
    assert!(world.text("src/lib.rs").contains("wrapping_add"));
    let again = world.error(
        "approve_proposal",
        json!({ "requestId": staged["requestId"] }),
    );
    assert_eq!(again.code(), "PROPOSAL_DECIDED");
    let reverted = world.run(
        "revert_proposal",
        json!({ "requestId": staged["requestId"] }),
    );
    assert_eq!(reverted["reverted"], 1);
    assert_eq!(world.text("src/lib.rs"), LIB);
    assert_eq!(
        world
            .error(
                "revert_proposal",
                json!({ "requestId": staged["requestId"] })
            )
            .code(),
        "PROPOSAL_DECIDED"
    );
}

/// A kind, a file, the path of an item in it, and the new code of the item.
const KINDS: &[(&str, &str, &str, &str)] = &[
    ("function", "fn a() {}", "crate::a", "fn a() { 1; }"),
    ("const", "const A: u8 = 1;", "crate::A", "const A: u8 = 2;"),
    ("enum", "enum A { B }", "crate::A", "enum A { C }"),
    (
        "macro",
        "macro_rules! a { () => {} }",
        "crate::a",
        "macro_rules! a { (x) => {} }",
    ),
    (
        "module",
        "mod a { fn b() {} }",
        "crate::a",
        "mod a { fn c() {} }",
    ),
    (
        "static",
        "static A: u8 = 1;",
        "crate::A",
        "static A: u8 = 2;",
    ),
    ("struct", "struct A;", "crate::A", "struct A(u8);"),
    ("trait", "trait A {}", "crate::A", "trait A { fn b(); }"),
    ("type_alias", "type A = u8;", "crate::A", "type A = u16;"),
    (
        "union",
        "union A { a: u8 }",
        "crate::A",
        "union A { a: u8, b: u8 }",
    ),
    (
        "method",
        "struct A; impl A { fn b() {} }",
        "crate::A::b",
        "fn b() { 1; }",
    ),
    (
        "method",
        "struct A; impl T for A { fn b() {} }",
        "crate::<A as T>::b",
        "fn b() { 1; }",
    ),
    (
        "function",
        "struct A; impl T<u8> for A { fn b() {} }",
        "crate::A::b",
        "fn b() { 1; }",
    ),
    (
        "impl",
        "struct A; impl A { fn b() {} }",
        "crate::A",
        "impl A {}",
    ),
    (
        "impl",
        "impl T for A { }",
        "crate::impl T for A",
        "impl T for A { fn b() {} }",
    ),
    (
        "impl",
        "impl T for A { }",
        "crate::<A as T>",
        "impl T for A { fn b() {} }",
    ),
    ("import", "use a::b;", "crate::a::b", "use a::c;"),
    ("import", "use a::b as c;", "crate::c", "use a::b;"),
    (
        "function",
        "mod m { fn a() {} }",
        "crate::m::a",
        "fn a() { 1; }",
    ),
    ("function", "fn a() {}", "fixture_nodes::a", "fn a() { 1; }"),
];

#[test]
fn every_editable_kind_is_edited_by_name() {
    for (kind, before, canon, after) in KINDS {
        let world = World::new();
        world.write(&[MANIFEST, ("src/lib.rs", before)]);
        let staged = world.propose("/ws/src/lib.rs", canon, kind, after);
        assert_eq!(world.approve(&staged)["ok"], true);
        assert!(
            world.text("src/lib.rs").contains(after),
            "{kind} {canon}: {}",
            world.text("src/lib.rs")
        );
    }
}

#[test]
fn new_items_stand_before_and_behind_others() {
    let world = world();
    let staged = world.run(
        "apply_code_edit",
        json!({"edits": [
            {"mode": "insert_before", "file": "src/lib.rs", "canon": "crate::add", "node_type": "function", "code": "fn first() {}"},
            {"mode": "insert_after", "file": "src/lib.rs", "canon": "crate::inner::X", "node_type": "struct", "code": "pub struct Y;"},
        ]}),
    );
    world.approve(&staged);
    let text = world.text("src/lib.rs");
    assert!(text.contains("\nfn first() {}\n\n/// Adds.\n"), "{text}");
    assert!(
        text.contains("    pub struct X;\n\n    pub struct Y;\n    impl X"),
        "{text}"
    );
}

/// Returns an edit that splices the sum in the file, for the version with this hash.
fn splice_of_sum(hash: &Value) -> Value {
    let start = LIB.find("a + b").unwrap();
    json!({"edits": [{
        "file_path": "src/lib.rs", "expected_file_hash": hash, "start_byte": start, "end_byte": start + 5, "replacement": "b + a",
    }]})
}

#[test]
fn trap_1_a_comment_above_an_item_moves_it_and_no_token() {
    let world = world();
    let before = world.run("get_file_metadata", json!({ "file_path": "src/lib.rs" }));
    let splice = splice_of_sum;
    let staged = world.propose(
        "src/lib.rs",
        "crate::inner::X::m",
        "method",
        "fn m(&self) -> u8 { 2 }",
    );
    world.write(&[(
        "src/lib.rs",
        &format!("// A comment that moves everything.\n{LIB}"),
    )]);
    let after = world.run("get_file_metadata", json!({ "file_path": "src/lib.rs" }));
    assert_ne!(before["file_hash"], after["file_hash"]);
    assert_eq!(before["tracking_hash"], after["tracking_hash"]);
    // A staged edit, and bytes of the previous version, are found again.
    let by_bytes = world.run("apply_code_edit", splice(&before["file_hash"]));
    assert_eq!(world.approve(&staged)["ok"], true);
    assert_eq!(world.approve(&by_bytes)["ok"], true);
    let text = world.text("src/lib.rs");
    assert!(
        text.contains("fn m(&self) -> u8 { 2 }") && text.contains("    b + a\n"),
        "{text}"
    );
    assert!(text.starts_with("// A comment"));
}

#[test]
fn a_proposal_tells_the_hash_that_it_was_applied_to() {
    let world = world();
    let staged = world.propose(
        "src/lib.rs",
        "crate::inner::X::m",
        "method",
        "fn m(&self) -> u8 { 2 }",
    );
    let file = || {
        let one = json!({ "requestId": staged["requestId"] });
        world.run("list_proposals", one)["proposals"][0]["files"][0].clone()
    };
    let staged_for = world.file_hash("src/lib.rs");
    assert_eq!(file()["applied_to_hash"], Value::Null);
    world.write(&[("src/lib.rs", &format!("// It moves.\n{LIB}"))]);
    let moved = world.file_hash("src/lib.rs");
    world.approve(&staged);
    let file = file();
    assert_eq!(
        (
            &file["file_hash"],
            &file["applied_to_hash"],
            &file["new_file_hash"]
        ),
        (
            &json!(staged_for),
            &json!(moved),
            &json!(world.file_hash("src/lib.rs"))
        )
    );
}

#[test]
fn trap_1_bytes_of_a_version_that_is_not_certain_are_refused() {
    let world = world();
    let before = world.run("get_file_metadata", json!({ "file_path": "src/lib.rs" }));
    let splice = splice_of_sum;
    // The hash of tokens belongs to two texts, in which the same bytes are different places.
    let world = self::world();
    world.write(&[(
        "src/lib.rs",
        &format!("// A comment that moves everything.\n{LIB}"),
    )]);
    let error = world.error("apply_code_edit", splice(&before["tracking_hash"]));
    assert_eq!(
        (error.code(), error.kind()),
        ("CODE_CHANGED", base::Kind::Conflict)
    );
    assert!(
        error
            .to_string()
            .starts_with("File content changed since indexing: ")
    );
    // A file with other tokens is rejected.
    let world = self::world();
    world.write(&[("src/lib.rs", &LIB.replace("a: u8", "a: u16"))]);
    assert_eq!(
        world
            .error("apply_code_edit", splice(&before["file_hash"]))
            .code(),
        "CODE_CHANGED"
    );
    assert_eq!(
        world.error("apply_code_edit", splice(&json!("x"))).code(),
        "CODE_CHANGED"
    );
    // Either hash of the present file is accepted.
    let world = self::world();
    world.run("apply_code_edit", splice(&before["tracking_hash"]));
}

#[test]
fn trap_2_two_edits_of_one_file_are_one_change_and_may_not_overlap() {
    let world = world();
    let hash = world.file_hash("src/lib.rs");
    let edit = |text: &str, replacement: &str| {
        let start = LIB.find(text).unwrap();
        json!({"mode": "splice", "file_path": "src/lib.rs", "expected_file_hash": hash, "start_byte": start, "end_byte": start + text.len(), "replacement": replacement})
    };
    let staged = world.run("apply_code_edit", json!({"edits": [edit("a + b", "a - b - 0"), edit("pub fn add", "pub fn subtract"), edit("Adds.", "Subtracts.")]}));
    world.approve(&staged);
    assert!(world.text("src/lib.rs").contains(
        "/// Subtracts.\n#[inline]\npub fn subtract(a: u8, b: u8) -> u8 {\n    a - b - 0\n}"
    ));
    let world = self::world();
    let error = world.error(
        "apply_code_edit",
        json!({"edits": [edit("a + b", "x"), edit("+ b\n}", "}")]}),
    );
    assert_eq!(error.code(), "OVERLAPPING_EDITS");
    // If one file cannot be edited, the others stay unchanged.
    let missing = json!({"mode": "splice", "file_path": "src/none.rs", "expected_file_hash": hash, "start_byte": 0, "end_byte": 0, "replacement": "x"});
    let error = world.error(
        "apply_code_edit",
        json!({"edits": [edit("a + b", "x"), missing]}),
    );
    assert_eq!(error.code(), "FILE_NOT_FOUND");
    assert_eq!(
        world.run("list_proposals", json!({}))["proposals"],
        json!([])
    );
}

#[test]
fn trap_3_an_edit_is_applied_only_if_every_file_was_written() {
    let world = world();
    world.write(&[("src/b.rs", "fn b() {}\n")]);
    let staged = world.run(
        "apply_code_edit",
        json!({"edits": [
            {"mode": "canonical", "file": "src/lib.rs", "canon": "crate::add", "node_type": "function", "code": "fn add() {}"},
            {"mode": "canonical", "file": "src/b.rs", "canon": "crate::b::b", "node_type": "function", "code": "fn b() { 1; }"},
        ]}),
    );
    world.write(&[("src/b.rs", "fn b() { 2; }\n")]);
    let approved = world.approve(&staged);
    assert_eq!(
        (&approved["ok"], &approved["applied"], &approved["status"]),
        (&json!(false), &json!(0), &json!("stale"))
    );
    assert_eq!(world.text("src/lib.rs"), LIB);
    let results = approved["results"].as_array().unwrap();
    assert!(
        results
            .iter()
            .all(|result| result["error"]["message"].is_string()
                && result.get("new_file_hash").is_none())
    );
    let listed = world.run("list_proposals", json!({ "status": "stale" }));
    assert_eq!(listed["proposals"][0]["requestId"], staged["requestId"]);
}

#[test]
fn trap_3_a_write_that_fails_leaves_the_proposal_waiting_and_the_files_as_they_were() {
    let world = world();
    let staged = world.propose("src/lib.rs", "crate::add", "function", "fn add() {}");
    let arguments = json!({ "requestId": staged["requestId"] }).to_string();
    let mut faulty = FaultyDatabase::new(world.db);
    let mut failures = 0;
    loop {
        let fault = if failures % 2 == 0 {
            Fault::BeforeApplying
        } else {
            Fault::AfterApplying
        };
        faulty.fail_after(failures / 2, fault);
        let workspace = code_model::Workspace {
            db: &faulty,
            settings: &world.settings,
            now_ms: 1,
            actor: "api",
            words: &crate::world::words,
        };
        let run = |operation, arguments: &str| {
            operate::run(&workspace, operation, arguments)
                .unwrap()
                .map(|reply| reply.fields)
        };
        let outcome = run(Id::ApproveProposal, &arguments);
        let text = |run: &dyn Fn(Id, &str) -> base::Result<Value>| {
            let read = run(Id::ReadFile, r#"{"file_path": "src/lib.rs"}"#).unwrap();
            read["text"].as_str().unwrap().to_owned()
        };
        if !faulty.is_spent() {
            assert_eq!(outcome.unwrap()["ok"], true);
            break;
        }
        assert!(outcome.is_err());
        assert_eq!(text(&run), LIB, "failure {failures}");
        assert_eq!(
            run(Id::ListProposals, "{}").unwrap()["proposals"][0]["status"],
            "pending"
        );
        failures += 1;
    }
    assert!(failures > 20, "{failures}");
}

#[test]
fn trap_5_items_of_inline_modules_are_edited_against_the_hash_of_their_file() {
    let world = world();
    let staged = world.propose(
        "src/lib.rs",
        "crate::inner::X::m",
        "method",
        "fn m(&self) -> u8 { 9 }",
    );
    let listed = world.run(
        "list_proposals",
        json!({ "requestId": staged["requestId"] }),
    );
    assert_eq!(
        listed["proposals"][0]["files"][0]["file_hash"],
        world.file_hash("src/lib.rs")
    );
    assert_eq!(world.approve(&staged)["ok"], true);
}

#[test]
fn trap_6_the_same_name_in_an_inner_module_is_another_item() {
    let world = world();
    let staged = world.propose("src/lib.rs", "crate::X", "struct", "pub struct X(u8);");
    world.approve(&staged);
    let text = world.text("src/lib.rs");
    assert!(
        text.contains("    pub struct X;\n") && text.contains("\npub struct X(u8);\n"),
        "{text}"
    );
}

#[test]
fn trap_7_a_path_is_compared_part_by_part() {
    let world = world();
    world.write(&[
        ("src/deep/b.rs", "fn only() {}\n"),
        ("src/lib_b.rs", "fn other() {}\n"),
    ]);
    // `b.rs` is the end of `deep/b.rs` and not of `lib_b.rs`.
    let staged = world.propose(
        "b.rs",
        "crate::deep::b::only",
        "function",
        "fn only() { 1; }",
    );
    assert_eq!(staged["files"], json!(["src/deep/b.rs"]));
    let staged = world.propose(
        "/elsewhere/checkout/src/deep/b.rs".trim_start_matches('/'),
        "crate::deep::b::only",
        "function",
        "fn only() { 2; }",
    );
    assert_eq!(staged["files"], json!(["src/deep/b.rs"]));
    let error = world.error("apply_code_edit", json!({"edits": [{"mode": "canonical", "file": "b.rs", "canon": "crate::lib_b::other", "node_type": "function", "code": "x"}]}));
    assert_eq!(error.code(), "ITEM_NOT_FOUND");
}

#[test]
fn trap_8_an_error_lists_what_may_have_been_meant() {
    let world = world();
    world.write(&[("src/other.rs", "fn elsewhere() {}\n")]);
    let edit = |file: &str, canon: &str, kind: &str| json!({"edits": [{"mode": "canonical", "file": file, "canon": canon, "node_type": kind, "code": "fn x() {}"}]});
    for (file, canon, kind, message, candidate) in [
        (
            "src/lib.rs",
            "crate::elsewhere",
            "function",
            "No matching node found for canon=crate::elsewhere in file=src/lib.rs",
            "crate::other::elsewhere",
        ),
        (
            "src/lib.rs",
            "crate::other::elsewhere",
            "function",
            "No matching node found for canon=crate::other::elsewhere in file=src/lib.rs",
            "crate::other::elsewhere",
        ),
        (
            "src/lib.rs",
            "crate::add",
            "struct",
            "No matching node found for canon=crate::add in file=src/lib.rs",
            "crate::add",
        ),
        (
            "src/lib.rs",
            "crate::ad",
            "function",
            "No matching node found for canon=crate::ad in file=src/lib.rs",
            "crate::add",
        ),
    ] {
        let error = world.error("apply_code_edit", edit(file, canon, kind));
        assert_eq!(error.to_string(), message);
        let details = error.details();
        let candidates = details["candidates"].as_array().unwrap();
        assert!(
            candidates.iter().any(|found| found["canon"] == candidate),
            "{candidates:?}"
        );
    }
    world.write(&[(
        "src/twins.rs",
        "#[cfg(unix)]\nfn t() {}\n#[cfg(windows)]\nfn t() {}\n",
    )]);
    let error = world.error(
        "apply_code_edit",
        edit("src/twins.rs", "crate::twins::t", "function"),
    );
    assert_eq!(
        error.to_string(),
        "Ambiguous node resolution (2 candidates) for canon=crate::twins::t in file=src/twins.rs"
    );
    for (canon, kind, message) in [
        ("  ", "function", "Invalid 'canon': empty"),
        ("crate::", "function", "Invalid 'canon': missing item name"),
        ("crate", "function", "Invalid 'canon': missing item name"),
        ("crate::add", "fn", "Unsupported node_type: fn"),
    ] {
        assert_eq!(
            world
                .error("apply_code_edit", edit("src/lib.rs", canon, kind))
                .to_string(),
            message
        );
    }
    assert_eq!(
        world
            .error("apply_code_edit", json!({"edits": []}))
            .to_string(),
        "No edits provided"
    );
}

#[test]
fn a_request_id_makes_an_edit_idempotent() {
    let world = world();
    let mut edit = json!({"requestId": "one", "edits": [{"mode": "canonical", "file": "src/lib.rs", "canon": "crate::add", "node_type": "function", "code": "fn add() {}"}]});
    let first = world.run("apply_code_edit", edit.clone());
    assert_eq!(first["requestId"], "one");
    world.approve(&first);
    let again = world.run("apply_code_edit", edit.clone());
    assert_eq!(
        (&again["status"], &again["applied"], &again["preview"]),
        (&json!("applied"), &json!(1), &first["preview"])
    );
    assert_eq!(
        again["note"],
        "Duplicate apply_code_edit request ignored for request_id one"
    );
    edit["confidence"] = json!(0.5);
    assert_eq!(
        world.error("apply_code_edit", edit).code(),
        "DUPLICATE_REQUEST"
    );
    assert_eq!(
        world.run("list_proposals", json!({}))["proposals"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

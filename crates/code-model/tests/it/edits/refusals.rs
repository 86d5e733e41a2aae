//! Edits that are refused or warned about when they are staged.

use super::*;

#[test]
pub(super) fn trap_14_bytes_that_are_no_range_of_the_file_are_refused_when_they_are_staged() {
    let world = World::new();
    world.write(&[("a.txt", "ß text\n")]);
    let hash = world.file_hash("a.txt");
    for (start, end, message) in [
        (3, 2, "start_byte 3 is after end_byte 2 in a.txt"),
        (0, 99, "end_byte 99 is beyond a.txt, which has 8 bytes"),
        (1, 2, "byte 1 of a.txt is inside a character"),
        (0, 1, "byte 1 of a.txt is inside a character"),
    ] {
        let edit = json!({"edits": [{"file_path": "a.txt", "expected_file_hash": hash, "start_byte": start, "end_byte": end, "replacement": "x"}]});
        let error = world.error("apply_code_edit", edit);
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("INVALID_ARGUMENT", message)
        );
    }
}

#[test]
pub(super) fn trap_15_a_replacement_that_breaks_the_syntax_is_refused() {
    let world = world();
    let edit = |code: &str| json!({"edits": [{"mode": "canonical", "file": "src/lib.rs", "canon": "crate::add", "node_type": "function", "code": code}]});
    let error = world.error("apply_code_edit", edit("fn add( {"));
    assert_eq!(error.code(), "SYNTAX_BROKEN");
    assert!(error.to_string().contains("line "), "{error}");
    let deep = format!("fn add() {{ {}1{} }}", "(".repeat(2_000), ")".repeat(2_000));
    assert_eq!(
        world.error("apply_code_edit", edit(&deep)).code(),
        "SYNTAX_BROKEN"
    );
    // A file that was broken before may be repaired in several steps.
    world.write(&[("src/bad.rs", "fn a( {\nfn b) {}\n")]);
    let hash = world.file_hash("src/bad.rs");
    let staged = world.run("apply_code_edit", json!({"edits": [{"file_path": "src/bad.rs", "expected_file_hash": hash, "start_byte": 5, "end_byte": 7, "replacement": "() {}"}]}));
    assert_eq!(world.approve(&staged)["ok"], true);
    let parsed = world.run("get_file_metadata", json!({ "file_path": "src/bad.rs" }));
    assert_eq!(parsed["parsed"], false);
}

#[test]
pub(super) fn what_a_replacement_leaves_out_is_said() {
    let world = world();
    let staged = world.propose(
        "src/lib.rs",
        "crate::add",
        "function",
        "pub fn add2(a: u8) -> u8 { a }",
    );
    assert_eq!(
        staged["warnings"],
        json!([
            "the replacement of crate::add leaves out its documentation, which deletes it",
            "the replacement of crate::add leaves out #[inline], which deletes it",
            "the edit removes crate::add (function)"
        ])
    );
}

#[test]
pub(super) fn characters_that_are_not_seen_are_named_before_a_decision() {
    let world = world();
    let code = "/// Doc.\r\n#[inline]\n\tpub fn add(a: u8, b: u8) -> u8 { /* \u{202e}\u{2066} \u{200b}\u{202e} */ a + b }";
    let staged = world.propose("src/lib.rs", "crate::add", "function", code);
    assert_eq!(
        staged["warnings"],
        json!([
            "the new code of src/lib.rs has invisible characters, or characters that change its displayed order: U+200B, U+202E, U+2066"
        ])
    );
    let plain = "/// Größe.\n#[inline]\npub fn add(a: u8, b: u8) -> u8 { /* 東京 */ b + a }";
    let staged = world.propose("src/lib.rs", "crate::add", "function", plain);
    assert_eq!(staged["warnings"], json!([]));
}

#[test]
pub(super) fn code_gets_the_line_ends_and_the_indentation_of_its_place() {
    let world = World::new();
    let text = "mod m {\r\n    pub fn a() {\r\n        1;\r\n    }\r\n}\r\n";
    world.write(&[("src/lib.rs", text)]);
    let edit = |mode: &str, code: &str| {
        let staged = world.run(
            "apply_code_edit",
            json!({"edits": [{"mode": mode, "file": "src/lib.rs", "canon": "crate::m::a", "node_type": "function", "code": code}]}),
        );
        world.approve(&staged);
        staged
    };
    let staged = edit("canonical", "```rust\npub fn a() {\n    2;\n}\n```");
    assert_eq!(
        staged["warnings"],
        json!(["the Markdown fence around the code for src/lib.rs was removed"])
    );
    let a = "    pub fn a() {\r\n        2;\r\n    }\r\n";
    assert_eq!(world.text("src/lib.rs"), format!("mod m {{\r\n{a}}}\r\n"));
    edit("insert_before", "fn b() {\n    \"x\ny\";\n}");
    edit("insert_after", "    fn c() {\n        3;\n    }\n");
    let b = "    fn b() {\r\n        \"x\r\ny\";\r\n    }\r\n";
    let c = "    fn c() {\r\n        3;\r\n    }\r\n";
    assert_eq!(
        world.text("src/lib.rs"),
        format!("mod m {{\r\n{b}\r\n{a}\r\n{c}}}\r\n")
    );
    let hash = world.file_hash("src/lib.rs");
    let staged = world.run("apply_code_edit", json!({"edits": [{"file_path": "src/lib.rs", "expected_file_hash": hash, "start_byte": 0, "end_byte": 0, "replacement": "// one\n// two\n"}]}));
    world.approve(&staged);
    assert!(
        world
            .text("src/lib.rs")
            .starts_with("// one\r\n// two\r\nmod m")
    );
}

#[test]
pub(super) fn a_comment_in_the_place_of_code_is_refused() {
    let world = world();
    for code in [
        "/// Doc.\n#[inline]\npub fn add(a: u8, b: u8) -> u8 {\n    // ... existing code ...\n}",
        "pub fn add(a: u8, b: u8) -> u8 {\n    /* ... */\n    1\n}",
    ] {
        let edit = json!({"edits": [{"mode": "canonical", "file": "src/lib.rs", "canon": "crate::add", "node_type": "function", "code": code}]});
        let error = world.error("apply_code_edit", edit);
        assert_eq!(error.code(), "CODE_PLACEHOLDER");
        assert!(error.hint().unwrap().contains("start_byte"), "{error}");
    }
    // A comment that the item already had is not a placeholder.
    let kept = "/// Doc.\n#[inline]\npub fn add(a: u8, b: u8) -> u8 { a\n// ...\n+ b }";
    let hash = world.file_hash("src/lib.rs");
    let text = world.text("src/lib.rs");
    let staged = world.run("apply_code_edit", json!({"edits": [{"file_path": "src/lib.rs", "expected_file_hash": hash, "start_byte": 0, "end_byte": 0, "replacement": "//! Of a README.\n"}]}));
    world.approve(&staged);
    assert!(world.text("src/lib.rs").ends_with(&text));
    world.write(&[("src/dots.rs", kept)]);
    let again = kept.replace("a\n", "b\n");
    let edit = json!({"edits": [{"mode": "canonical", "file": "src/dots.rs", "canon": "crate::dots::add", "node_type": "function", "code": again}]});
    assert_eq!(world.run("apply_code_edit", edit)["status"], "pending");
}

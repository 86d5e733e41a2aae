//! `codemode apply`.

use std::fs;

use command::failure::Ending;
use serde_json::json;

use crate::server::Instead;
use crate::world::World;

#[test]
fn an_approved_edit_is_written_and_taken_back() {
    let world = World::synced();
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    assert_eq!(world.apply().done(), "one: wrote src/lib.rs\n");
    assert_eq!(
        world.on_disk("src/lib.rs"),
        "fn a() { 2; }\n\nfn b() { 1; }\n"
    );
    assert_eq!(
        world.apply().done(),
        "nothing to write: the approved edits are on disk\n"
    );
    assert_eq!(world.sync().done(), "version 2: 0 files sent, 0 deleted\n");
    world
        .server
        .call("revert_proposal", json!({ "requestId": "one" }));
    assert_eq!(world.apply().done(), "revert of one: wrote src/lib.rs\n");
    assert_eq!(
        world.on_disk("src/lib.rs"),
        "fn a() { 1; }\n\nfn b() { 1; }\n"
    );
    assert_eq!(
        world.apply_one("one").done().lines().next(),
        Some("one: already on disk")
    );
    assert!(
        world
            .status()
            .done()
            .ends_with("directory and workspace are equal\n")
    );
}

#[test]
fn edits_on_top_of_each_other_are_written_in_their_order() {
    let world = World::synced();
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    world.approve("two", &[("src/lib.rs", "crate::b", "fn b() { 2; }")]);
    let out = world.apply_one("two").ended(Ending::LeftOut);
    assert!(
        out.contains("two: not written: src/lib.rs has an earlier edit that is not on disk"),
        "{out}"
    );
    assert_eq!(world.apply_one("one").done(), "one: wrote src/lib.rs\n");
    assert_eq!(world.apply().done(), "two: wrote src/lib.rs\n");
    assert_eq!(
        world.on_disk("src/lib.rs"),
        "fn a() { 2; }\n\nfn b() { 2; }\n"
    );
}

#[test]
fn an_edit_that_was_moved_at_its_approval_is_written_where_it_was_applied() {
    let world = World::synced();
    world.propose("one", &[("src/lib.rs", "crate::b", "fn b() { 2; }")]);
    // Staged for the file before, applied to the one after.
    world.write(
        "src/lib.rs",
        "// A comment.\nfn a() { 1; }\n\nfn b() { 1; }\n",
    );
    world.sync().done();
    world
        .server
        .call("approve_proposal", json!({ "requestId": "one" }));
    assert_eq!(world.apply().done(), "one: wrote src/lib.rs\n");
    assert_eq!(
        world.on_disk("src/lib.rs"),
        "// A comment.\nfn a() { 1; }\n\nfn b() { 2; }\n"
    );
}

#[test]
fn a_proposal_is_written_as_a_whole_or_not_at_all() {
    let world = World::new();
    world.write(
        "Cargo.toml",
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\n",
    );
    world.write("src/lib.rs", "mod m;\nfn a() { 1; }\n");
    world.write("src/m.rs", "fn c() { 1; }\n");
    world.write("src/z.rs", "fn z() { 1; }\n");
    world.sync().done();
    world.approve(
        "both",
        &[
            ("src/lib.rs", "crate::a", "fn a() { 2; }"),
            ("src/m.rs", "crate::m::c", "fn c() { 2; }"),
        ],
    );
    world.approve("alone", &[("src/z.rs", "crate::z::z", "fn z() { 2; }")]);
    world.write("src/m.rs", "fn mine() {}\n");
    let out = world.apply().ended(Ending::LeftOut);
    assert!(
        out.contains(
            "both: not written: src/m.rs does not have the content that the edit was applied to"
        ),
        "{out}"
    );
    assert!(out.contains("alone: wrote src/z.rs"), "{out}");
    assert_eq!(world.on_disk("src/lib.rs"), "mod m;\nfn a() { 1; }\n");
    assert_eq!(world.on_disk("src/m.rs"), "fn mine() {}\n");
    // After the file is restored, both are written. Files that an interrupted apply has written
    // stay.
    world.write("src/m.rs", "fn c() { 1; }\n");
    world.write("src/lib.rs", world.text("src/lib.rs"));
    assert_eq!(world.apply().done(), "both: wrote src/m.rs\n");
    fs::remove_file(world.path("src/m.rs")).unwrap();
    assert!(world.status().done().contains("D src/m.rs"));
}

#[test]
fn a_missing_file_is_not_made() {
    let world = World::synced();
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    fs::remove_file(world.path("src/lib.rs")).unwrap();
    let out = world.apply().ended(Ending::LeftOut);
    assert!(
        out.contains("src/lib.rs does not have the content that the edit was applied to"),
        "{out}"
    );
    assert!(!world.path("src/lib.rs").exists());
}

#[test]
fn a_proposal_that_is_not_approved_is_not_written() {
    let world = World::synced();
    world.propose("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    assert_eq!(
        world.apply().done(),
        "nothing to write: the approved edits are on disk\n"
    );
    let out = world.apply_one("one").ended(Ending::LeftOut);
    assert_eq!(
        out,
        "one is pending: only an approved proposal can be written\n"
    );
    let out = world.apply_one("none").ended(Ending::Refused);
    assert!(out.contains("PROPOSAL_NOT_FOUND"), "{out}");
}

#[test]
fn what_was_written_later_needs_no_edit() {
    let world = World::synced();
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    // Another directory has written the file since.
    world.server.call(
        "put_files",
        json!({ "files": [{ "file_path": "src/lib.rs", "text": "fn later() {}\n" }] }),
    );
    assert_eq!(
        world.apply().done(),
        "nothing to write: the approved edits are on disk\n"
    );
    assert_eq!(
        world.on_disk("src/lib.rs"),
        "fn a() { 1; }\n\nfn b() { 1; }\n"
    );
}

#[test]
fn line_ends_and_large_files_are_written_exactly() {
    let world = World::synced();
    // More than one read returns.
    let filler = "// \u{e4} filler\r\n".repeat(120_000);
    world.write("src/lib.rs", format!("fn a() {{ 1; }}\r\n{filler}"));
    assert!(world.on_disk("src/lib.rs").len() > 1_500_000);
    world.sync().done();
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    world.apply().done();
    assert_eq!(
        world.on_disk("src/lib.rs"),
        format!("fn a() {{ 2; }}\r\n{filler}")
    );
}

#[cfg(unix)]
#[test]
fn the_mode_of_a_file_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::synced();
    let mode = || {
        fs::metadata(world.path("src/lib.rs"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    fs::set_permissions(world.path("src/lib.rs"), fs::Permissions::from_mode(0o750)).unwrap();
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    world.apply().done();
    assert_eq!(mode(), 0o750);
    assert!(world.on_disk("src/lib.rs").starts_with("fn a() { 2; }"));
}

#[test]
fn nothing_is_left_beside_the_files() {
    let world = World::synced();
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    world.apply().done();
    let files = crate::world::tree(&world.folder.0);
    let names: Vec<String> = files
        .iter()
        .map(|(path, _)| {
            path.strip_prefix(&world.folder.0)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(
        names,
        [
            ".codemode/.gitignore",
            ".codemode/state.json",
            "Cargo.toml",
            "src/lib.rs"
        ]
    );
    assert_eq!(world.on_disk(".codemode/.gitignore"), "*\n");
}

#[test]
fn a_version_that_is_not_kept_any_more_stops_no_other_proposal() {
    let world = World::synced();
    world.write("src/z.rs", "fn z() { 1; }\n");
    world.sync().done();
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    world.approve("two", &[("src/lib.rs", "crate::b", "fn b() { 2; }")]);
    world.approve("three", &[("src/z.rs", "crate::z::z", "fn z() { 2; }")]);
    world.server.instead(|asked| {
        let is_past = asked.operation == "read_file" && asked.body.windows(8).any(|part| part == b"\"asOf\":3" || part == b"\"asOf\":5");
        let gone = json!({ "success": false, "error": { "code": "VERSION_NOT_FOUND", "message": "not kept" } });
        is_past.then_some(Instead::Respond(gone))
    });
    let out = world.apply().ended(Ending::LeftOut);
    assert!(
        out.contains(
            "one: not written: src/lib.rs cannot be fetched: the server refused read_file: not kept"
        ),
        "{out}"
    );
    assert!(
        out.contains("two: not written: src/lib.rs has an earlier edit that is not on disk"),
        "{out}"
    );
    // The present version has the content that the last edit made.
    assert!(out.contains("three: wrote src/z.rs"), "{out}");
}

//! A hostile server or directory: nothing outside of the directory is written or read.

use std::fs;

use code_model::hash::file_hash;
use command::failure::Ending;
use serde_json::{Value, json};

use crate::server::Instead;
use crate::world::{Folder, World, tree};

const OLD: &[u8] = b"old\n";
const NEW: &[u8] = b"new\n";

/// Makes the server claim an approved edit of a file. The disk has the bytes from before the edit.
fn claim(world: &World, path: &str) {
    let (old, new) = (file_hash(OLD).to_string(), file_hash(NEW).to_string());
    let path = path.to_owned();
    world.server.instead(move |asked| {
        let reply: Value = match asked.operation.as_str() {
            "list_proposals" => json!({
                "proposals": [{
                    "requestId": "evil", "status": "applied", "applied_version": 2, "reverted_version": null,
                    "files": [{ "file_path": path, "applied_to_hash": old, "new_file_hash": new }]
                }],
                "nextCursor": null,
            }),
            "scan_for_change" => json!({ "version": 2, "added": [], "changed": [path], "deleted": [], "refused": [] }),
            "get_file_metadata" => json!({ "exists": true, "file_hash": new }),
            "read_file" => json!({ "text": "new\n", "byte_len": NEW.len(), "file_hash": new }),
            _ => return None,
        };
        let mut reply = reply;
        reply["success"] = true.into();
        Some(Instead::Respond(reply))
    });
}

#[test]
fn a_claim_about_a_plain_file_is_written() {
    // It shows that the tests below fail for the reason that they name.
    let world = World::new();
    world.write("a.txt", OLD);
    claim(&world, "a.txt");
    assert_eq!(world.apply().done(), "evil: wrote a.txt\n");
    assert_eq!(world.on_disk("a.txt"), "new\n");
}

#[test]
fn paths_outside_of_the_directory_are_rejected() {
    let outer = Folder::new();
    let mut world = World::new();
    world.folder = Folder(outer.0.join("inner"));
    world.write("a.txt", OLD);
    world.write(".git/hooks/pre-commit", OLD);
    let victim = outer.0.join("victim.txt");
    fs::write(&victim, OLD).unwrap();
    for path in [
        "../victim.txt",
        "a/../../victim.txt",
        "COM¹",
        "CONIN$",
        "con .txt",
        "a.txt::$DATA",
        "a.txt.",
        victim.to_str().unwrap(),
        ".git/hooks/pre-commit",
        ".codemode/state.json",
        ".CodeMode/state.json",
        "C:\\victim.txt",
        "..\\victim.txt",
        "",
        ".",
        "a\0b",
    ] {
        claim(&world, path);
        for ran in [world.apply(), world.sync(), world.status()] {
            let said = ran.ended(Ending::Refused);
            assert!(
                said.contains("it names a file that a workspace cannot have"),
                "{path}: {said}"
            );
        }
    }
    assert_eq!(fs::read(&victim).unwrap(), OLD);
    assert_eq!(world.on_disk(".git/hooks/pre-commit"), "old\n");
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_neither_followed_nor_replaced() {
    use std::os::unix::fs::symlink;
    let outside = Folder::new();
    fs::write(outside.0.join("victim.txt"), OLD).unwrap();
    let world = World::new();
    world.write("plain.txt", OLD);
    symlink(&outside.0, world.path("folder")).unwrap();
    symlink(outside.0.join("victim.txt"), world.path("file.txt")).unwrap();
    for path in ["folder/victim.txt", "file.txt"] {
        claim(&world, path);
        let said = world.apply().ended(Ending::LeftOut);
        assert!(
            said.contains("is a symbolic link, or is in one"),
            "{path}: {said}"
        );
    }
    assert_eq!(fs::read(outside.0.join("victim.txt")).unwrap(), OLD);
    assert!(world.path("file.txt").is_symlink());
    world.server.as_usual();
    world.sync().done();
    assert_eq!(world.paths(), ["plain.txt"]);
}

#[cfg(unix)]
#[test]
fn the_folder_of_the_command_may_not_lead_elsewhere() {
    use std::os::unix::fs::symlink;
    let outside = Folder::new();
    let world = World::new();
    world.write("a.txt", OLD);
    symlink(&outside.0, world.path(".codemode")).unwrap();
    claim(&world, "a.txt");
    let said = world.apply().ended(Ending::Local);
    assert!(said.contains(".codemode is not a regular folder"), "{said}");
    assert_eq!(world.on_disk("a.txt"), "old\n");
    assert_eq!(tree(&outside.0), []);
}

#[test]
fn bytes_that_do_not_have_their_hash_are_not_written() {
    let world = World::new();
    world.write("a.txt", OLD);
    claim(&world, "a.txt");
    let (old, new) = (file_hash(OLD).to_string(), file_hash(NEW).to_string());
    for read in [
        json!({ "success": true, "text": "evil", "byte_len": 4, "file_hash": new }),
        json!({ "success": true, "text": "new\n", "byte_len": 4, "file_hash": old }),
        json!({ "success": true, "text": "new\n", "byte_len": 9_000_000_000_u64, "file_hash": new }),
        json!({ "success": true, "text": "", "byte_len": 4, "file_hash": new }),
    ] {
        let (world, read) = (&world, read.clone());
        claim(world, "a.txt");
        world.server.over(move |asked| {
            (asked.operation == "read_file").then(|| Instead::Respond(read.clone()))
        });
        world.apply().ended(Ending::Refused);
        assert_eq!(world.on_disk("a.txt"), "old\n");
    }
    assert!(fs::read_dir(world.path(".codemode")).is_err());
}

#[test]
fn a_file_that_changes_while_its_edit_is_fetched_is_not_written() {
    let world = World::new();
    world.write("a.txt", OLD);
    claim(&world, "a.txt");
    let path = world.path("a.txt");
    world.server.over(move |asked| {
        if asked.operation == "read_file" {
            fs::write(&path, "mine\n").unwrap();
        }
        None
    });
    let said = world.apply().ended(Ending::LeftOut);
    assert!(
        said.contains("a.txt changed while it was being written"),
        "{said}"
    );
    assert_eq!(world.on_disk("a.txt"), "mine\n");
}

#[test]
fn lists_without_end_end() {
    let world = World::new();
    world.write("a.txt", OLD);
    world.server.instead(|asked| {
        let page = json!({ "success": true, "proposals": [], "nextCursor": "7" });
        (asked.operation == "list_proposals").then_some(Instead::Respond(page))
    });
    let said = world.apply().ended(Ending::Refused);
    assert!(said.contains("the list does not end"), "{said}");
}

#[test]
fn the_server_does_not_name_files_to_send() {
    let world = World::new();
    world.write("a.txt", OLD);
    world.write(".gitignore", "secret.txt\n");
    world.write("secret.txt", "secret");
    world.server.instead(|asked| {
        let scan = json!({ "success": true, "version": 0, "added": ["secret.txt", "../x", "/etc/passwd"], "changed": ["a.txt"], "deleted": [], "refused": [] });
        (asked.operation == "scan_for_change").then_some(Instead::Respond(scan))
    });
    assert_eq!(world.sync().done(), "version 1: 1 files sent, 0 deleted\n");
    assert_eq!(world.paths(), ["a.txt"]);
}

#[test]
fn a_file_that_was_never_sent_is_not_written() {
    let world = World::new();
    world.write(".gitignore", "secret.txt\n");
    world.write("secret.txt", OLD);
    claim(&world, "secret.txt");
    let said = world.apply().ended(Ending::LeftOut);
    assert!(
        said.contains("not written: secret.txt is ignored"),
        "{said}"
    );
    assert_eq!(world.on_disk("secret.txt"), "old\n");
}

#[test]
fn a_response_that_is_none_of_ours_is_told() {
    let world = World::new();
    world.write("a.txt", OLD);
    world.server.instead(|_| Some(Instead::Status("200 OK")));
    let said = world.sync().ended(Ending::Refused);
    assert!(
        said.contains(
            "the response to scan_for_change is invalid: it has status 200 OK and is not JSON"
        ),
        "{said}"
    );
}

//! The files that belong to a directory.

use std::fs;

use command::directory::{Directory, Hashes};

use crate::world::{Folder, World};

fn listed(world: &World) -> Vec<String> {
    let listing = Directory::open(&world.folder.0)
        .unwrap()
        .list(&mut Hashes::default());
    listing.files.into_keys().collect()
}

#[test]
fn the_rules_of_git_count() {
    let world = World::new();
    world.write(".gitignore", "target/\n*.log\n!keep.log\n");
    world.write(".github/workflows/ci.yml", "on: push\n");
    world.write(".git/config", "[core]\n");
    world.write(".git/info/exclude", "private.txt\n");
    world.write(".ignore", "seen.txt\n");
    world.write("target/debug/a", "x");
    world.write("a.log", "x");
    world.write("keep.log", "x");
    world.write("seen.txt", "x");
    world.write("private.txt", "x");
    world.write("sub/.gitignore", "generated.rs\n");
    world.write("sub/generated.rs", "x");
    world.write("sub/src.rs", "x");
    world.write(".codemode/state.json", "{}");
    world.write("module/.git", "gitdir: ../.git/modules/module\n");
    world.write("module/a.rs", "x");
    assert_eq!(
        listed(&world),
        [
            ".github/workflows/ci.yml",
            ".gitignore",
            ".ignore",
            "keep.log",
            "module/a.rs",
            "seen.txt",
            "sub/.gitignore",
            "sub/src.rs"
        ]
    );
}

#[test]
fn rules_above_count_within_a_repository() {
    let outer = Folder::new();
    let mut world = World::new();
    world.folder = Folder(outer.0.join("inner"));
    fs::write(outer.0.join(".gitignore"), "*.tmp\n").unwrap();
    world.write("a.tmp", "x");
    world.write("a.rs", "x");
    assert_eq!(listed(&world), ["a.rs", "a.tmp"]);
    fs::create_dir(outer.0.join(".git")).unwrap();
    assert_eq!(listed(&world), ["a.rs"]);
}

#[test]
fn a_file_that_changes_has_another_hash_each_time() {
    let world = World::new();
    let directory = Directory::open(&world.folder.0).unwrap();
    let mut hashes = Hashes::default();
    // The same size within one tick of the file system's clock.
    for number in 0..50 {
        world.write("a.txt", format!("{number:02}"));
        let listing = directory.list(&mut hashes);
        let expected = code_model::hash::file_hash(format!("{number:02}").as_bytes()).to_string();
        assert_eq!(listing.files["a.txt"], expected);
    }
}

//! Versions of files and items: rows that begin, that end, and that are kept.

use std::collections::HashSet;

use code_model::project::PathPattern;
use code_model::retrieval::{self, ColumnWeights, Document, Filter, Selection};
use code_model::{AsOf, Head, Settings};

use crate::world::World;

const MANIFEST: (&str, &str) = (
    "Cargo.toml",
    "[package]\nname = \"fixture_nodes\"\nversion = \"0.1.0\"\n",
);
const WEIGHTS: ColumnWeights = ColumnWeights {
    name: 1.0,
    path: 1.0,
    body: 1.0,
};

fn found_at(world: &World, as_of: AsOf, query: &str, filter: &Filter) -> Vec<Document> {
    let version = retrieval::version(&world.db, as_of).unwrap();
    let chosen = retrieval::choose(&world.db, version, filter).unwrap();
    let matches = retrieval::matches(&world.db, version, query, WEIGHTS, &chosen, 100).unwrap();
    let numbers: Vec<u64> = matches.iter().map(|found| found.item).collect();
    retrieval::documents(&world.db, version, &numbers).unwrap()
}

fn found(world: &World, query: &str) -> Vec<String> {
    found_at(world, AsOf::Now, query, &Filter::default())
        .into_iter()
        .map(|document| document.item.canon)
        .collect()
}

#[test]
fn a_write_is_one_version_and_what_is_as_it_was_makes_none() {
    let world = World::new();
    let first = world.write(&[MANIFEST, ("src/lib.rs", "fn a() {}\n")]);
    assert_eq!(
        (first.version, first.stepped, first.files.len()),
        (1, true, 2)
    );
    let again = world.write(&[MANIFEST, ("src/lib.rs", "fn a() {}\n")]);
    assert_eq!((again.version, again.stepped), (1, false));
    let head = Head::load(&world.db).unwrap();
    assert_eq!((head.version, head.files), (1, 2));
}

#[test]
fn trap_9_deleted_items_and_files_end() {
    let world = World::new();
    world.write(&[MANIFEST, ("src/lib.rs", "fn apple() {}\nfn pear() {}\n")]);
    world.write(&[("src/lib.rs", "fn pear() {}\n")]);
    assert_eq!(found(&world, "apple"), [] as [&str; 0]);
    assert_eq!(found(&world, "\"pear\""), ["crate::pear"]);
    let deleted = world.delete(&["src/lib.rs", "src/none.rs"]);
    assert_eq!(deleted.deleted, ["src/lib.rs"]);
    assert_eq!(found(&world, "pear"), [] as [&str; 0]);
    let before = found_at(&world, AsOf::Version(1), "apple", &Filter::default());
    assert_eq!(before[0].item.canon, "crate::apple");
    assert_eq!(before[0].own_text, "fn apple() {}");
    let head = Head::load(&world.db).unwrap();
    assert_eq!(head.items, 1, "the lines of the manifest");
}

#[test]
fn trap_10_unchanged_items_keep_their_rows_and_vectors() {
    let world = World::new();
    world.write(&[
        MANIFEST,
        ("src/lib.rs", "mod m { fn one() {} }\nfn two() {}\n"),
    ]);
    let model = "test-8";
    let missing = retrieval::without_vectors(&world.db, model, 100).unwrap();
    let vectors: Vec<(u64, Vec<u8>)> = missing
        .iter()
        .map(|item| (*item, vec![*item as u8; 8]))
        .collect();
    retrieval::save_vectors(&world.db, model, &vectors).unwrap();
    assert_eq!(
        retrieval::without_vectors_count(&world.db, model).unwrap(),
        0
    );
    // A comment moves everything, white space changes nothing, and one item changes.
    world.write(&[(
        "src/lib.rs",
        "// comment\nmod m {\n  fn one() { } }\nfn two() { 2 }\n",
    )]);
    let changed = retrieval::without_vectors(&world.db, model, 100).unwrap();
    let documents = retrieval::documents(&world.db, 2, &changed).unwrap();
    let canons: Vec<&str> = documents
        .iter()
        .map(|document| document.item.canon.as_str())
        .collect();
    assert_eq!(canons, ["crate::two"]);
    let kept = found_at(&world, AsOf::Now, "one", &Filter::default());
    assert_eq!(kept.last().unwrap().own_text, "fn one() { }");
    assert_eq!(kept.last().unwrap().item.valid_from, 1);
    let turnover = retrieval::turnover(&world.db, 1, 2).unwrap();
    assert_eq!((turnover.added, turnover.ended.len()), (changed, 1));
}

#[test]
fn trap_11_the_text_index_has_bodies_and_their_comments() {
    let world = World::new();
    world.write(&[MANIFEST, ("src/lib.rs", "fn a() { unusual_call() }\n")]);
    assert_eq!(found(&world, "unusual"), ["crate::a"]);
    world.write(&[("src/lib.rs", "fn a() { /* peculiar */ unusual_call() }\n")]);
    assert_eq!(found(&world, "peculiar"), ["crate::a"]);
    assert_eq!(
        found_at(&world, AsOf::Now, "peculiar", &Filter::default())[0]
            .item
            .valid_from,
        1
    );
}

#[test]
fn trap_12_filters_count_before_the_limit() {
    let world = World::new();
    let many: String = (0..50)
        .map(|number| format!("fn thing{number}() {{ thing() }}\n"))
        .collect();
    world.write(&[
        MANIFEST,
        ("src/a.rs", &many),
        (
            "src/b.rs",
            "/// a thing among much else that is said here at length\nstruct Far;\n",
        ),
    ]);
    let filter = Filter {
        paths: vec![PathPattern::parse("src/b*").unwrap()],
        ..Filter::default()
    };
    let version = retrieval::version(&world.db, AsOf::Now).unwrap();
    let chosen = retrieval::choose(&world.db, version, &filter).unwrap();
    let matches = retrieval::matches(&world.db, version, "thing", WEIGHTS, &chosen, 1).unwrap();
    let documents = retrieval::documents(&world.db, version, &[matches[0].item]).unwrap();
    assert_eq!(documents[0].item.path, "src/b.rs");
}

#[test]
fn trap_13_a_file_that_cannot_be_parsed_does_not_fail_the_others() {
    let world = World::new();
    let committed = world.write(&[
        MANIFEST,
        ("src/lib.rs", "fn a() {}\n"),
        ("src/bad.rs", "fn broken( {\nfn whole() { marker() }\n"),
    ]);
    let states: Vec<bool> = committed.files.iter().map(|file| file.parsed).collect();
    assert_eq!(states, [true, true, false]);
    assert!(committed.files[2].reason.as_ref().unwrap().contains("line"));
    assert!(!found(&world, "marker").is_empty());
}

#[test]
fn trap_13_declared_paths_and_targets_have_their_modules() {
    let world = World::new();
    world.write(&[
        MANIFEST,
        ("src/lib.rs", "#[path = \"sys/unix.rs\"]\nmod imp;\n"),
        ("src/sys/unix.rs", "mod child;\nfn here() {}\n"),
        ("src/sys/child.rs", "fn below() {}\n"),
        ("src/bin/tool/main.rs", "fn main() {}\n"),
        ("src/bin/tool/part.rs", "fn part() {}\n"),
    ]);
    assert_eq!(found(&world, "here"), ["crate::imp::here"]);
    assert_eq!(found(&world, "below"), ["crate::imp::child::below"]);
    assert_eq!(
        found(&world, "name : part AND body : fn"),
        ["crate::part::part"]
    );
    // The declaration is removed, and the module with it.
    let moved = world.write(&[("src/lib.rs", "mod sys;\n")]);
    assert_eq!(moved.moved, 2);
    assert_eq!(found(&world, "below"), ["crate::sys::child::below"]);
}

#[test]
fn a_manifest_that_arrives_late_moves_its_files() {
    let world = World::new();
    world.write(&[("src/lib.rs", "fn a() {}\n")]);
    let before = found_at(&world, AsOf::Now, "a", &Filter::default())[0]
        .item
        .clone();
    let committed = world.write(&[MANIFEST]);
    assert_eq!(committed.moved, 1);
    let after = found_at(&world, AsOf::Now, "a", &Filter::default())[0]
        .item
        .clone();
    assert_eq!(
        (before.crate_name.as_str(), after.crate_name.as_str()),
        ("", "fixture_nodes")
    );
    assert_ne!(before.id, after.id);
    let filter = Filter {
        crates: vec!["fixture_nodes".to_owned()],
        ..Filter::default()
    };
    assert_eq!(found_at(&world, AsOf::Now, "a", &filter).len(), 1);
}

#[test]
fn the_past_is_bounded_and_says_what_it_has() {
    let world = World::with(Settings {
        kept_versions: 2,
        ..Settings::default()
    });
    for number in 0..6 {
        world.write(&[("src/lib.rs", &format!("fn a{number}() {{}}\n"))]);
    }
    let error = retrieval::version(&world.db, AsOf::Version(3)).unwrap_err();
    assert_eq!(error.code(), "VERSION_NOT_KEPT");
    assert_eq!(
        found_at(&world, AsOf::Version(4), "a3", &Filter::default()).len(),
        1
    );
    assert_eq!(
        found_at(&world, AsOf::Version(4), "a2", &Filter::default()).len(),
        0
    );
    let small = World::with(Settings {
        past_bytes: 20_000,
        ..Settings::default()
    });
    for number in 0..6 {
        small.write(&[(
            "src/lib.rs",
            &format!("fn a{number}() {{}}\n{}", "// line\n".repeat(1_000)),
        )]);
    }
    let head = Head::load(&small.db).unwrap();
    assert!(head.floor >= 3 && head.past_bytes <= 20_000, "{head:?}");
}

#[test]
fn a_time_is_the_version_that_stood_then() {
    let world = World::new();
    let first = world.workspace().now_ms + 1;
    world.write(&[("a.txt", "one\n")]);
    world.write(&[("a.txt", "two\n")]);
    assert_eq!(retrieval::version(&world.db, AsOf::Time(first)).unwrap(), 1);
    assert_eq!(
        retrieval::version(&world.db, AsOf::Time(first - 1)).unwrap(),
        0
    );
    assert_eq!(
        retrieval::version(&world.db, AsOf::Time(first + 100)).unwrap(),
        2
    );
}

#[test]
fn names_that_differ_in_case_only_are_files_of_their_own_and_reported() {
    let world = World::new();
    world.write(&[("src/Lib.rs", "fn a() {}\n")]);
    let committed = world.write(&[("src/lib.rs", "fn b() {}\n")]);
    assert_eq!(committed.files[0].same_on_some_systems, ["src/Lib.rs"]);
    assert_eq!(Head::load(&world.db).unwrap().files, 2);
}

#[test]
fn a_large_file_is_stored_in_pieces() {
    let world = World::new();
    let text = "// a line of a generated file\n".repeat(180_000);
    assert!(text.len() > 5_000_000);
    let committed = world.write(&[("src/lib.rs", &text)]);
    assert!(!committed.files[0].parsed);
    let version = retrieval::version(&world.db, AsOf::Now).unwrap();
    let items = retrieval::filtered(&world.db, version, &Selection::default()).unwrap();
    let last = retrieval::documents(&world.db, version, &[*items.last().unwrap()]).unwrap();
    assert!(last[0].own_text.starts_with("// a line"));
    assert_eq!(last[0].item.span.end, text.len());
}

#[test]
fn many_small_blocks_of_vectors_are_joined() {
    let world = World::new();
    let model = "test-4";
    let mut last = 0;
    let mut seen = HashSet::new();
    for number in 0..80 {
        world.write(&[("src/lib.rs", &format!("fn a() {{ {number} }}\n"))]);
        let missing = retrieval::without_vectors(&world.db, model, 100).unwrap();
        let vectors: Vec<(u64, Vec<u8>)> = missing.iter().map(|item| (*item, vec![1; 4])).collect();
        retrieval::save_vectors(&world.db, model, &vectors).unwrap();
        // A reader that goes from block to block misses nothing when blocks are merged.
        while let Some(block) = retrieval::vector_block_after(&world.db, model, last).unwrap() {
            assert!(block.block > last);
            last = block.block;
            seen.extend(block.items);
        }
        assert!(missing.iter().all(|item| seen.contains(item)), "{number}");
    }
    let mut blocks = Vec::new();
    let mut after = 0;
    while let Some(block) = retrieval::vector_block_after(&world.db, model, after).unwrap() {
        after = block.block;
        blocks.push(block);
    }
    assert_eq!(retrieval::vector_models(&world.db).unwrap(), [model]);
    assert!(blocks.len() <= 34, "{}", blocks.len());
    let all: Vec<u64> = blocks
        .iter()
        .flat_map(|block| block.iter())
        .map(|(item, _)| item)
        .collect();
    let present = retrieval::filtered(&world.db, 80, &Selection::default()).unwrap();
    assert!(present.iter().all(|item| all.contains(item)));
}

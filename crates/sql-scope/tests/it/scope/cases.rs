//! `tests/corpus/scope-random.jsonl`: worlds and statements of this generator, as data for the same
//! test in workerd (`tests/worker/scope-random.test.mjs`).

use serde_json::{Value, json};
use sql_scope::ScopeValue;

use super::generator::Generator;
use super::random::Random;
use super::world::{KINDS, Kind, READABLE, SCOPED, Scripts};

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/corpus/scope-random.jsonl"
);
/// Seeds of the file. They include each kind of the tenant's column.
const SEEDS: std::ops::Range<u64> = 0..10;
/// The number of statements for each seed.
const STATEMENTS: usize = 40;

fn kind(random: &mut Random) -> &'static Kind {
    &KINDS[random.index(KINDS.len())]
}

/// Returns one world with its statements.
fn case(seed: u64, statements: usize) -> Value {
    let mut random = Random::new(seed);
    let kind = kind(&mut random);
    let scripts = Scripts::new(kind, &mut random);
    let statements: Vec<String> = (0..statements)
        .map(|_| Generator::new(&mut random).statement())
        .collect();
    let value = match (kind.value)() {
        ScopeValue::Text(text) => json!(text),
        ScopeValue::Integer(number) => json!(number),
    };
    json!({
        "seed": seed, "scope": { "value": value, "readable": [READABLE] }, "own": kind.own, "tables": SCOPED,
        "mixed": scripts.mixed, "alone": scripts.alone, "statements": statements,
    })
}

fn lines(seeds: impl Iterator<Item = u64>, statements: usize) -> String {
    seeds
        .map(|seed| format!("{}\n", case(seed, statements)))
        .collect()
}

#[test]
fn the_statements_at_random_of_workerd_are_those_of_the_generator() {
    let made = lines(SEEDS, STATEMENTS);
    if std::env::var_os("CODEMODE_WRITE_SCOPE").is_some() {
        std::fs::write(FILE, &made).unwrap();
    }
    // This is not assert_eq, because that would print two files.
    assert!(
        std::fs::read_to_string(FILE).is_ok_and(|text| text == made),
        "CODEMODE_WRITE_SCOPE=1 cargo test -p sql-scope scope writes {FILE} again"
    );
}

/// Writes more statements for a long run in workerd: `CODEMODE_SCOPE_CASES` names the file,
/// `CODEMODE_SCOPE_SEEDS` the seeds.
#[test]
fn more_statements_are_written_where_a_file_is_named() {
    let made = lines(SEEDS.start..1, 2);
    assert_eq!(made.lines().count(), 1);
    if let Some(path) = std::env::var_os("CODEMODE_SCOPE_CASES") {
        std::fs::write(path, lines(super::seeds(), super::STATEMENTS)).unwrap();
    }
}

#[test]
fn every_kind_of_column_is_among_the_worlds_of_workerd() {
    for wanted in &KINDS {
        assert!(
            SEEDS.into_iter().any(|seed| {
                let found = kind(&mut Random::new(seed));
                std::ptr::eq(found, wanted)
            }),
            "no seed has {} {}",
            wanted.declared,
            wanted.own
        );
    }
}

//! The tenant wall: a statement returns the same with and without the rows of others, and the rows
//! of others stay as they are.

mod cases;
mod generator;
mod random;
mod world;

use sql_gate::Parameters;

use generator::Generator;
use random::Random;
use world::{KINDS, Outcome, World};

/// The number of statements for each seed.
const STATEMENTS: usize = 100;

/// Returns the seeds of an ordinary run, or those of `CODEMODE_SCOPE_SEEDS=from-to`.
fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("CODEMODE_SCOPE_SEEDS").ok();
    let range = given.as_deref().and_then(|text| {
        let (from, to) = text.split_once('-')?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    range.unwrap_or(0..40)
}

#[test]
fn an_accepted_statement_neither_sees_nor_changes_the_rows_of_others() {
    let (mut accepted, mut with_rows, mut failed, mut refused) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for seed in seeds() {
        let mut random = Random::new(seed);
        let kind = &KINDS[random.index(KINDS.len())];
        let world = World::new(kind, &mut random);
        for _ in 0..STATEMENTS {
            let text = Generator::new(&mut random).statement();
            match world.compare(&text, &Parameters::None) {
                None => refused += 1,
                Some(Ok(Outcome::Failed)) => failed += 1,
                Some(Ok(Outcome::Rows(rows))) => {
                    accepted += 1;
                    with_rows += usize::from(!rows.is_empty());
                }
                Some(Err(why)) => wrong.push(format!("seed {seed}: {text}\n{why}")),
            }
        }
    }
    println!(
        "{accepted} ran, {with_rows} of them with rows; {failed} failed on both sides, {refused} were refused"
    );
    assert!(
        wrong.is_empty(),
        "{} wrong, such as\n{}",
        wrong.len(),
        wrong
            .iter()
            .take(5)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n\n")
    );
    let seeds = seeds().count();
    assert!(
        accepted > seeds * STATEMENTS / 2 && with_rows > seeds * STATEMENTS / 4,
        "the generator has become too timid"
    );
}

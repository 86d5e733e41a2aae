//! Statements at random, each run to its end: no estimate may be below the instructions that SQLite really took.
//!
//! `CODEMODE_WORK_SEEDS=500 cargo test --test it work::random -- --nocapture` tries more seeds and prints the distribution;
//! `CODEMODE_WORK_SEED=17` tries one.

mod expressions;
mod names;
mod run;
mod schema;
mod select;
mod write;

use run::Tally;

/// Seeds of a plain test run, which takes a few seconds.
const SEEDS: u64 = 12;
/// Statements for each seed: a schema with its rows.
const STATEMENTS_A_SEED: usize = 120;

#[test]
fn no_estimate_is_below_what_sqlite_really_took() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let seeds = match number("CODEMODE_WORK_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("CODEMODE_WORK_SEEDS").unwrap_or(SEEDS),
    };
    let mut tally = Tally::default();
    for seed in seeds {
        run::seed(seed, STATEMENTS_A_SEED, &mut tally);
    }
    tally.print();
    tally.check();
}

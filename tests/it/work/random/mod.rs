//! Statements at random, each run to its end: no estimate may be below the instructions that SQLite really took.
//!
//! `CODEMODE_WORK_SEEDS=500 cargo test --test it work::random -- --nocapture` tries more seeds and prints the distribution;
//! `CODEMODE_WORK_SEED=17` tries one. `cargo run --profile measure --example work -- random --seeds 500` does the same without all other
//! tests.

mod expressions;
mod names;
mod run;
mod schema;
mod select;
mod write;

pub use run::Tally;

/// Statements for each seed: a schema with its rows.
const STATEMENTS_A_SEED: usize = 120;

/// Tries the statements of some seeds.
pub fn try_seeds(seeds: impl Iterator<Item = u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        run::seed(seed, STATEMENTS_A_SEED, &mut tally);
    }
    tally
}

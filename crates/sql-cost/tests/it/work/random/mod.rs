//! Random statements, each run to its end: no estimate may be below the instructions that SQLite
//! really took.
//!
//! `CODEMODE_WORK_SEEDS=500 cargo test -p sql-cost work::random -- --nocapture` tries more seeds
//! and prints the distribution; `CODEMODE_WORK_SEED=17` tries one. `cargo run --profile measure -p
//! sql-cost --example work -- random --seeds 500` does the same without all other tests.

mod expressions;
mod names;
mod run;
mod schema;
mod select;
mod write;

pub use run::Tally;

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The number of statements for each seed. A seed makes a schema with its rows.
const STATEMENTS_A_SEED: usize = 120;

/// Tries the statements of some seeds, on all cores.
pub fn try_seeds(seeds: Range<u64>) -> Tally {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut tally = Tally::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return tally;
            }
            run::seed(seed, STATEMENTS_A_SEED, &mut tally);
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut whole = Tally::default();
        for thread in threads {
            match thread.join() {
                Ok(tally) => whole.add(tally),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        whole
    })
}

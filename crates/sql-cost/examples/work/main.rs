//! Judges the bound on work: builds databases of a million rows, runs the analytic statements on
//! the host's SQLite, and compares the estimates of the gate with the instructions that SQLite
//! really ran.
//!
//! ```text
//! cargo run --profile measure -p sql-cost --example work -- build [--rows 1000000]      makes the databases
//! cargo run --profile measure -p sql-cost --example work -- truth [--cut-off 10]        runs each statement once, takes minutes
//! cargo run --profile measure -p sql-cost --example work -- judge [--limit N] [--all]   compares, takes seconds
//! cargo run --profile measure -p sql-cost --example work -- runaway [--limit N] [--all]  what must be refused; what passes is run
//! cargo run --profile measure -p sql-cost --example work -- speed [--json FILE]         nanoseconds of each kind of work, a minute or two
//! cargo run --profile measure -p sql-cost --example work -- random [--first N] [--seeds 100] [--all]   statements at random
//! ```
//!
//! Each takes `--variant indexed|keys|bare` and `--only TEXT`, a part of a statement's name.
//! Databases and results are kept in `$CODEMODE_CACHE/work`, beside other caches.

use std::process::ExitCode;

#[path = "../../tests/it/work/analytic/mod.rs"]
#[expect(
    clippy::indexing_slicing,
    reason = "a part of the tests, which stop at their first surprise"
)]
mod analytic;
mod judge;
mod options;
#[path = "../../tests/it/work/random/mod.rs"]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a part of the tests, which stop at their first surprise"
)]
mod random;
mod runaway;
mod runs;
mod speed;
mod truth;

use options::{Command, Failure, Options};

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    match options.command {
        Command::Build => truth::build(options),
        Command::Truth => truth::run(options),
        Command::Judge => judge::run(options),
        Command::Runaway => runaway::run(options),
        Command::Speed => speed::run(options),
        Command::Random => {
            let mut tally =
                random::try_seeds(options.first_seed..options.first_seed + options.seeds);
            tally.print();
            if options.all {
                tally.print_all();
            }
            let complaints = tally.complaints();
            if complaints.is_empty() {
                return Ok(());
            }
            Err(format!("{} complaints\n{}", complaints.len(), complaints.join("\n")).into())
        }
    }
}

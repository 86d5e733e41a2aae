//! The bound on work: the statements that it allows and refuses.

pub mod analytic;
mod corpus;
mod lengths;
pub mod random;
mod verdicts;

/// Seeds of a plain test run: half a minute of work for one core.
const SEEDS: u64 = 6;

#[test]
fn no_estimate_is_below_what_sqlite_really_took() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let seeds = match number("CODEMODE_WORK_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("CODEMODE_WORK_SEEDS").unwrap_or(SEEDS),
    };
    let mut tally = random::try_seeds(seeds);
    tally.print();
    if number("CODEMODE_WORK_SEED").is_some() {
        tally.print_all();
    }
    let complaints = tally.complaints();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

//! Compares the estimates of the gate with the results of running the statements.

use sql_gate::SqlError;
use std::time::Instant;

use sql_cost::Counts;
use sql_gate::{self, Policy};

use crate::analytic::tables::Variant;
use crate::options::{Failure, Options};
use crate::runs::{Run, load};
use crate::truth::bound;
use test_support::HostDatabase;
use test_support::estimate::estimate;

/// Seconds within which an honest statement ends on SQLite. Such a statement should pass.
const HONEST_S: f64 = 10.0;
/// The largest number of refused statements among 200 that end in that time.
const REFUSED_OF_200: usize = 1;

/// The judgement on a statement, compared with its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It finishes and passes.
    Passed,
    /// It does not finish and is refused.
    RefusedRightly,
    /// It finishes, but is refused.
    RefusedFalsely,
    /// It does not finish by the cut-off, but passes.
    PassedLong,
    /// SQLite took more than the estimate.
    BelowTruth,
}

impl Verdict {
    fn words(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::RefusedRightly => "refused rightly",
            Self::RefusedFalsely => "REFUSED FALSELY",
            Self::PassedLong => "PASSED, CUT OFF",
            Self::BelowTruth => "BELOW TRUTH",
        }
    }
}

/// The result for one statement.
struct Line {
    name: &'static str,
    run: Run,
    opcodes: u64,
    work: u64,
    gate_us: f64,
    verdict: Verdict,
}

impl Line {
    fn ratio(&self) -> f64 {
        self.opcodes as f64 / self.run.opcodes.max(1) as f64
    }
}

/// Judges each variant.
pub fn run(options: &Options) -> Result<(), Failure> {
    let mut policy = Policy::default();
    policy.max_query_work = options.limit.unwrap_or(policy.max_query_work);
    println!("limit {} units of work", policy.max_query_work);
    for variant in options.variants() {
        let lines = judge(options, variant, &policy)?;
        for line in &lines {
            if options.all || !matches!(line.verdict, Verdict::Passed | Verdict::RefusedRightly) {
                print(variant, line);
            }
        }
        summary(variant, &lines);
    }
    Ok(())
}

fn judge(options: &Options, variant: Variant, policy: &Policy) -> Result<Vec<Line>, Failure> {
    let runs = load(&options.results(variant)?)?;
    let db = HostDatabase::over(rusqlite::Connection::open(options.database(variant)?)?);
    // The counts that an object remembers: later statements find the counts of earlier ones.
    let counts = Counts::default();
    let mut lines = Vec::new();
    for named in options.statements() {
        let Some(run) = runs.get(named.name).copied() else {
            println!(
                "{:8} {}: no run, ask for `truth` first",
                variant.name(),
                named.name
            );
            continue;
        };
        let bound = bound(named.sql, policy)?;
        let estimated =
            estimate(&db, &bound, policy).map_err(|error| format!("{}: {error}", named.name))?;
        let begun = Instant::now();
        // The error includes the work on long values, which an estimate without a limit leaves out.
        let (refused, work) = match sql_cost::guard_counting(&db, &bound, policy, &counts) {
            Ok(()) => (false, estimated.work),
            Err(error) => match error.of() {
                Some(SqlError::QueryTooExpensive { estimated_work, .. }) => {
                    (true, estimated_work.unwrap_or(u64::MAX))
                }
                _ => return Err(format!("{}: {error}", named.name).into()),
            },
        };
        let gate_us = begun.elapsed().as_secs_f64() * 1e6;
        let honest = run.finished && run.seconds <= HONEST_S;
        let verdict = match (honest, refused) {
            _ if estimated.opcodes < run.opcodes => Verdict::BelowTruth,
            (true, false) => Verdict::Passed,
            (true, true) => Verdict::RefusedFalsely,
            (false, true) => Verdict::RefusedRightly,
            (false, false) => Verdict::PassedLong,
        };
        lines.push(Line {
            name: named.name,
            run,
            opcodes: estimated.opcodes,
            work,
            gate_us,
            verdict,
        });
    }
    Ok(lines)
}

fn print(variant: Variant, line: &Line) {
    let seconds = if line.run.finished { " " } else { ">" };
    println!(
        "{:8} {seconds}{:7.3} s {:>12} opcodes, estimate {:>12} = {:>9.1} x, work {:>12}, gate {:>6.0} us  {:<15} {}",
        variant.name(),
        line.run.seconds,
        line.run.opcodes,
        shown(line.opcodes),
        line.ratio(),
        shown(line.work),
        line.gate_us,
        line.verdict.words(),
        line.name
    );
}

fn shown(count: u64) -> String {
    if count == u64::MAX {
        "no bound".to_owned()
    } else {
        count.to_string()
    }
}

fn summary(variant: Variant, lines: &[Line]) {
    let count = |verdict: Verdict| lines.iter().filter(|line| line.verdict == verdict).count();
    let honest = lines
        .iter()
        .filter(|line| line.run.finished && line.run.seconds <= HONEST_S)
        .count();
    let falsely = count(Verdict::RefusedFalsely);
    let met = falsely * 200 <= REFUSED_OF_200 * honest;
    println!(
        "{}: {} statements, {honest} finish in {HONEST_S} s; refused falsely {falsely} ({}), refused rightly {}, passed though cut off {}, below the truth {} ({})",
        variant.name(),
        lines.len(),
        if met {
            "within 1 of 200"
        } else {
            "MORE THAN 1 of 200"
        },
        count(Verdict::RefusedRightly),
        count(Verdict::PassedLong),
        count(Verdict::BelowTruth),
        if count(Verdict::BelowTruth) == 0 {
            "as it must be"
        } else {
            "MUST BE NONE"
        },
    );
    let unbounded = lines.iter().filter(|line| line.opcodes == u64::MAX).count();
    let bounded = lines
        .iter()
        .filter(|line| line.opcodes < u64::MAX && line.run.finished);
    distribution("estimate over truth", bounded.map(Line::ratio).collect());
    println!("    without bound: {unbounded}");
    distribution(
        "gate, microseconds",
        lines.iter().map(|line| line.gate_us).collect(),
    );
    // The speed of the longer runs, which converts the limit to seconds if the estimates are close.
    let speeds = lines
        .iter()
        .filter(|line| line.run.finished && line.run.seconds > 0.2)
        .map(|line| line.run.opcodes as f64 / line.run.seconds / 1e6);
    distribution("million opcodes a second", speeds.collect());
    let longest = lines
        .iter()
        .filter(|line| line.verdict == Verdict::Passed)
        .map(|line| line.run.seconds);
    println!(
        "    longest that passed: {:.1} s",
        longest.fold(0.0, f64::max)
    );
}

fn distribution(what: &str, mut values: Vec<f64>) {
    values.sort_by(f64::total_cmp);
    let at = |percent: usize| {
        values
            .get((values.len().saturating_sub(1)) * percent / 100)
            .copied()
            .unwrap_or(f64::NAN)
    };
    println!(
        "    {what}: min {:.1}, median {:.1}, p75 {:.1}, p90 {:.1}, max {:.1}",
        at(0),
        at(50),
        at(75),
        at(90),
        at(100)
    );
}

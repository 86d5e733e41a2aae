//! Runs the statements of a seed and compares the instructions with the estimates.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::Error;
use database::{Bind, Database as _};
use rusqlite::StatementStatus;
use rusqlite::types::Value;
use sql_gate::{self, Bound, Parameters, Policy};

use super::super::analytic::random::Random;
use super::schema;
use super::select::Generator;
use test_support::HostDatabase;
use test_support::estimate::estimate;

/// The number of instructions after which a statement is stopped. The instructions until then are
/// compared.
const MOST_OPCODES: u64 = 3_000_000;
const OPCODES_A_TICK: u64 = 1_000;
/// The ratio of estimate to truth from which an estimate is reported as loose.
const LOOSE: f64 = 1_000.0;
/// The least percentage of the statements that must run.
const RUN_PERCENT: usize = 75;

/// The results of the statements of all seeds.
#[derive(Default)]
pub struct Tally {
    ratios: Vec<f64>,
    /// The ratios of statements with a list or a recursion, whose length nobody knows before they
    /// run: a million is assumed.
    open_ended: Vec<f64>,
    refused: Vec<String>,
    stopped: usize,
    unbounded: Vec<String>,
    below: Vec<String>,
    loose: Vec<String>,
}

impl Tally {
    pub fn add(&mut self, other: Self) {
        self.ratios.extend(other.ratios);
        self.open_ended.extend(other.open_ended);
        self.refused.extend(other.refused);
        self.stopped += other.stopped;
        self.unbounded.extend(other.unbounded);
        self.below.extend(other.below);
        self.loose.extend(other.loose);
    }
}

/// Tries the statements of a seed.
pub fn seed(seed: u64, statements: usize, tally: &mut Tally) {
    let mut random = Random(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ 0x2545_f491);
    let mut db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    let sources = schema::make(&db, &mut random, seed);
    let ticks = watch(&mut db);
    for number in 0..statements {
        let mut generator = Generator::new(&mut random, sources.clone());
        let text = if number % 4 == 3 {
            generator.write()
        } else {
            generator.statement()
        };
        let parameters = std::mem::take(&mut generator.parameters);
        one(&db, &ticks, &text, parameters, tally, seed);
    }
}

/// Counts ticks, and stops statements that take too many.
fn watch(db: &mut HostDatabase) -> Arc<AtomicU64> {
    let ticks = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&ticks);
    db.connection_mut()
        .progress_handler(
            OPCODES_A_TICK as i32,
            Some(move || counted.fetch_add(1, Ordering::Relaxed) > MOST_OPCODES / OPCODES_A_TICK),
        )
        .unwrap();
    ticks
}

fn one(
    db: &HostDatabase,
    ticks: &AtomicU64,
    text: &str,
    parameters: Vec<serde_json::Value>,
    tally: &mut Tally,
    seed: u64,
) {
    let policy = Policy::default();
    let shown = format!("{text} -- {}", serde_json::json!(parameters));
    let parameters = if parameters.is_empty() {
        Parameters::None
    } else {
        Parameters::Positional(parameters)
    };
    let bound =
        match sql_gate::review(text, &policy).and_then(|reviewed| reviewed.bind(&parameters)) {
            Ok(bound) => bound,
            Err(error) => return tally.refused.push(format!("{error}: {shown}")),
        };
    ticks.store(0, Ordering::Relaxed);
    let estimated = match estimate(db, &bound, &policy) {
        Ok(estimated) => estimated.opcodes,
        Err(error) => return tally.refused.push(format!("{error}: {shown}")),
    };
    ticks.store(0, Ordering::Relaxed);
    let mut outcome = None;
    // The statement is rolled back, so that every statement finds the same rows.
    let _ = db.transaction(&mut || {
        outcome = Some(run(db, &bound));
        Err(Error::internal("roll back"))
    });
    let (opcodes, finished) = match outcome.unwrap() {
        Ok(outcome) => outcome,
        Err(error) => return tally.refused.push(format!("{error}: {shown}")),
    };
    tally.stopped += usize::from(!finished);
    if estimated < opcodes {
        let most = format!(
            "seed {seed}: SQLite took {opcodes}, the estimate was {estimated}:\n    {shown}"
        );
        tally.below.push(most);
    }
    if estimated == u64::MAX {
        tally
            .unbounded
            .push(format!("seed {seed}: SQLite took {opcodes}: {shown}"));
    } else if finished {
        let ratio = estimated as f64 / opcodes.max(1) as f64;
        if ratio > LOOSE {
            let most = format!(
                "seed {seed}: SQLite took {opcodes}, the estimate was {estimated}: {shown}"
            );
            tally.loose.push(most);
        }
        if ["json_", "jsonb_", "recursive"]
            .iter()
            .any(|word| text.contains(word))
            || text.contains("(n, m)")
        {
            tally.open_ended.push(ratio);
        } else {
            tally.ratios.push(ratio);
        }
    }
}

/// Returns the instructions that SQLite took, and true if the statement ended.
fn run(db: &HostDatabase, bound: &Bound) -> rusqlite::Result<(u64, bool)> {
    let mut statement = db.connection().prepare(bound.sql())?;
    for (index, bind) in bound.binds().iter().enumerate() {
        let value = match bind {
            Bind::Null => Value::Null,
            Bind::Real(number) => Value::Real(*number),
            Bind::Text(text) => Value::Text(text.clone()),
            Bind::Blob(bytes) => Value::Blob(bytes.clone()),
        };
        statement.raw_bind_parameter(index + 1, value)?;
    }
    let mut rows = statement.raw_query();
    let ended = loop {
        match rows.next() {
            Ok(Some(_)) => {}
            Ok(None) => break Ok(true),
            Err(error) => break Err(error),
        }
    };
    drop(rows);
    let opcodes = u64::from(statement.get_status(StatementStatus::VmStep) as u32);
    match ended {
        Ok(finished) => Ok((opcodes, finished)),
        // A conflict or a value that does not fit ends it early: its instructions count all the
        // same.
        Err(_) => Ok((opcodes, false)),
    }
}

impl Tally {
    fn tried(&self) -> usize {
        self.ratios.len()
            + self.open_ended.len()
            + self.refused.len()
            + self.unbounded.len()
            + self.stopped
    }

    /// Prints the distribution of the ratio of estimate to truth.
    pub fn print(&mut self) {
        distribution("tables and views", &mut self.ratios);
        distribution("with lists or recursion", &mut self.open_ended);
        println!(
            "refused {}, without bound {}, ended early {}, below the truth {}",
            self.refused.len(),
            self.unbounded.len(),
            self.stopped,
            self.below.len()
        );
    }

    /// Prints the statements that were refused, that have no bound, and that have a loose one.
    pub fn print_all(&self) {
        for refused in &self.refused {
            println!("refused: {refused}");
        }
        for unbounded in &self.unbounded {
            println!("without bound: {unbounded}");
        }
        for loose in &self.loose {
            println!("loose: {loose}");
        }
    }

    /// Returns the problems: estimates below the truth, or too few statements that ran. Empty if
    /// all is well.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints = self.below.clone();
        let run = self.tried() - self.refused.len();
        if run * 100 < self.tried() * RUN_PERCENT {
            complaints.push(format!("only {run} of {} statements ran", self.tried()));
        }
        complaints
    }
}

fn distribution(what: &str, ratios: &mut [f64]) {
    ratios.sort_by(f64::total_cmp);
    let last = ratios.len().saturating_sub(1);
    let at = |percent: usize| {
        ratios
            .get(last * percent / 100)
            .copied()
            .unwrap_or(f64::NAN)
    };
    println!(
        "estimate over truth of {} statements, {what}: min {:.2}, median {:.1}, p75 {:.1}, p90 {:.1}, p99 {:.1}, max {:.1}",
        ratios.len(),
        at(0),
        at(50),
        at(75),
        at(90),
        at(99),
        at(100)
    );
}

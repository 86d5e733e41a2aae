//! Makes the databases, and runs the statements with a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rusqlite::StatementStatus;
use sql_gate::{self, Bound, Parameters, Policy};

use crate::analytic::rows::fill;
use crate::options::{Failure, Options};
use crate::runs::{Run, fingerprint, load, save};
use test_support::HostDatabase;

/// Instructions between two checks of the clock.
const OPCODES_A_TICK: u64 = 1_000;

/// Makes the databases that do not exist yet.
pub fn build(options: &Options) -> Result<(), Failure> {
    for variant in options.variants() {
        let path = options.database(variant)?;
        if path.exists() {
            println!("{} is there", path.display());
            continue;
        }
        let begun = Instant::now();
        let unfinished = path.with_extension("unfinished");
        if unfinished.exists() {
            std::fs::remove_file(&unfinished)?;
        }
        let mut db = HostDatabase::over(rusqlite::Connection::open(&unfinished)?);
        session::start(&db, 0)?;
        without_authorizer(&mut db)?;
        db.script("BEGIN");
        fill(db.connection(), variant, options.rows)?;
        db.script("COMMIT");
        drop(db);
        std::fs::rename(&unfinished, &path)?;
        println!("{}: {:.1} s", path.display(), begun.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Removes the authorizer of the port. It refuses statements that open a transaction, and others
/// that the preparation of a measurement needs.
pub fn without_authorizer(db: &mut HostDatabase) -> Result<(), Failure> {
    let none: Option<fn(rusqlite::hooks::AuthContext<'_>) -> rusqlite::hooks::Authorization> = None;
    db.connection_mut().authorizer(none)?;
    Ok(())
}

/// Returns the statement as the product would run it.
pub fn bound(sql: &str, policy: &Policy) -> Result<Bound, Failure> {
    Ok(sql_gate::review(sql, policy)?.bind(&Parameters::None)?)
}

/// Runs each statement that has no result yet.
pub fn run(options: &Options) -> Result<(), Failure> {
    for variant in options.variants() {
        let path = options.results(variant)?;
        let mut runs = load(&path)?;
        let clock = Clock::default();
        let mut db = HostDatabase::over(rusqlite::Connection::open(options.database(variant)?)?);
        clock.watch(&mut db)?;
        for named in options.statements() {
            let bound = bound(named.sql, &Policy::default())?;
            let fingerprint = fingerprint(bound.sql());
            let known = runs.get(named.name).is_some_and(|run| {
                run.fingerprint == fingerprint && (run.finished || run.seconds >= options.cut_off_s)
            });
            if known {
                continue;
            }
            let (finished, seconds, opcodes) = clock
                .time(&db, bound.sql(), options.cut_off_s)
                .map_err(|error| format!("{}: {error}", named.name))?;
            println!(
                "{:8} {seconds:7.3} s {opcodes:>12} {}",
                variant.name(),
                named.name
            );
            let run = Run {
                finished,
                seconds,
                opcodes,
                fingerprint,
            };
            runs.insert(named.name.to_owned(), run);
            save(&path, &runs)?;
        }
    }
    Ok(())
}

/// Counts instructions, and stops statements that take too long.
#[derive(Debug, Clone)]
pub struct Clock {
    begun: Instant,
    /// The time at which to stop, in milliseconds since `begun`.
    stop_at_ms: Arc<AtomicU64>,
    ticks: Arc<AtomicU64>,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            stop_at_ms: Arc::new(AtomicU64::new(u64::MAX)),
            ticks: Arc::new(AtomicU64::new(0)),
        }
    }
}

impl Clock {
    /// Installs the clock in a database.
    pub fn watch(&self, db: &mut HostDatabase) -> Result<(), Failure> {
        let Self {
            begun,
            stop_at_ms,
            ticks,
        } = self.clone();
        let tick = move || {
            ticks.fetch_add(1, Ordering::Relaxed);
            begun.elapsed().as_millis() as u64 >= stop_at_ms.load(Ordering::Relaxed)
        };
        db.connection_mut()
            .progress_handler(OPCODES_A_TICK as i32, Some(tick))?;
        Ok(())
    }

    /// Runs a statement to its end or to the cut-off. Returns true if it finished, the seconds, and
    /// the instructions.
    pub fn time(
        &self,
        db: &HostDatabase,
        sql: &str,
        cut_off_s: f64,
    ) -> rusqlite::Result<(bool, f64, u64)> {
        let mut statement = db.connection().prepare(sql)?;
        self.ticks.store(0, Ordering::Relaxed);
        let begun = Instant::now();
        let stop_at_ms = self.begun.elapsed().as_millis() as u64 + (cut_off_s * 1_000.0) as u64;
        self.stop_at_ms.store(stop_at_ms, Ordering::Relaxed);
        let mut rows = statement.raw_query();
        let finished = loop {
            match rows.next() {
                Ok(Some(_)) => {}
                Ok(None) => break true,
                Err(error)
                    if error.sqlite_error_code()
                        == Some(rusqlite::ErrorCode::OperationInterrupted) =>
                {
                    break false;
                }
                Err(error) => return Err(error),
            }
        };
        drop(rows);
        let seconds = begun.elapsed().as_secs_f64();
        self.stop_at_ms.store(u64::MAX, Ordering::Relaxed);
        let counted = statement.get_status(StatementStatus::VmStep) as u32;
        Ok((finished, seconds, self.unwrapped(counted)))
    }

    /// Corrects the count of SQLite, which has 32 bits. The ticks show how often it has overflowed.
    fn unwrapped(&self, counted: u32) -> u64 {
        let about = self.ticks.load(Ordering::Relaxed) * OPCODES_A_TICK;
        let round = u64::from(u32::MAX) + 1;
        let rounds = (about + round / 2).saturating_sub(u64::from(counted)) / round;
        rounds * round + u64::from(counted)
    }
}

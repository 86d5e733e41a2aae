//! Checks statements that would compute for minutes: each must be refused, or end within the time
//! that a request has.

use std::time::Instant;

use base::Error;
use database::Database as _;
use sql_cost::Counts;
use sql_gate::{self, Parameters, Policy};

use crate::options::{Failure, Options};
use crate::truth::Clock;
use test_support::HostDatabase;

/// The time that a request has, in seconds.
const REQUEST_S: f64 = 30.0;

/// Asks the gate about each statement, and runs those that pass, in a transaction that is rolled
/// back.
pub fn run(options: &Options) -> Result<(), Failure> {
    let mut policy = Policy::default();
    policy.max_query_work = options.limit.unwrap_or(policy.max_query_work);
    let mut slipped = 0;
    for variant in options.variants() {
        let connection = rusqlite::Connection::open(options.database(variant)?)?;
        let mut db = HostDatabase::over(connection);
        let clock = Clock::default();
        clock.watch(&mut db)?;
        let counts = Counts::default();
        let (mut refused, mut passed) = (0, 0);
        for named in options.statements() {
            let judged = Instant::now();
            let verdict = sql_gate::review(named.sql, &policy)
                .and_then(|reviewed| reviewed.bind(&Parameters::None))
                .map(|bound| {
                    let verdict = sql_cost::guard_counting(&db, &bound, &policy, &counts);
                    (bound, verdict)
                });
            let gate_ms = judged.elapsed().as_secs_f64() * 1e3;
            let words = match verdict {
                // It was refused because of the size of its values, from the text alone.
                Err(error) if matches!(error.code(), "QUERY_TOO_EXPENSIVE" | "TOO_BIG") => {
                    refused += 1;
                    format!("refused by the text: {error}")
                }
                Err(error) => return Err(format!("{}: {error}", named.name).into()),
                Ok((_, Err(error))) if error.code() == "QUERY_TOO_EXPENSIVE" => {
                    refused += 1;
                    "refused".to_owned()
                }
                Ok((_, Err(error))) => return Err(format!("{}: {error}", named.name).into()),
                Ok((bound, Ok(()))) => {
                    passed += 1;
                    let mut outcome = None;
                    // The transaction is rolled back in every case.
                    let _ = db.transaction(&mut || {
                        outcome = Some(clock.time(&db, bound.sql(), REQUEST_S));
                        Err(Error::internal("roll back"))
                    });
                    match outcome {
                        Some(Ok((true, seconds, opcodes))) => {
                            format!("passed, {seconds:.1} s, {opcodes} opcodes")
                        }
                        Some(Ok((false, seconds, opcodes))) => {
                            slipped += 1;
                            format!(
                                "PASSED AND RUNS FOR MORE THAN {seconds:.1} s, {opcodes} opcodes"
                            )
                        }
                        Some(Err(error)) => format!("passed, SQLite refuses it: {error}"),
                        None => "passed, no transaction".to_owned(),
                    }
                }
            };
            if options.all || !words.starts_with("refused") || gate_ms > 1_000.0 {
                println!(
                    "{:8} gate {gate_ms:7.1} ms  {words}: {}",
                    variant.name(),
                    named.name
                );
            }
        }
        println!("{}: refused {refused}, passed {passed}", variant.name());
    }
    if slipped == 0 {
        return Ok(());
    }
    Err(format!("{slipped} statements run for more than {REQUEST_S} s").into())
}

//! The corpus of runaway statements, on small tables: each is refused, or is really cheap there.

use sql_gate::{self, Parameters};

use super::{LIMIT, World, policy};
use crate::work::analytic::rows::fill;
use crate::work::analytic::tables::Variant;
use test_support::analytic::runaway;
use test_support::steps::End;

/// The number of rows in the larger tables.
const ROWS: u64 = 2_000;

/// The least percentage of refused statements, without which the test would show nothing.
const REFUSED_PERCENT: usize = 70;

#[test]
fn what_runs_away_is_refused_or_cheap_on_small_tables() {
    let mut complaints = Vec::new();
    let (mut tried, mut refused) = (0, 0);
    for variant in Variant::ALL {
        let world = World::empty();
        world.stopwatch.reset();
        fill(world.db.connection(), variant, ROWS).unwrap();
        for named in runaway() {
            tried += 1;
            let verdict = sql_gate::review(named.sql, &policy())
                .and_then(|reviewed| reviewed.bind(&Parameters::None))
                .map(|bound| (world.guard(&bound), bound));
            match verdict {
                // It was refused because of the size of its values, from the text alone.
                Err(error) | Ok((Err(error), _)) if error.code() == "QUERY_TOO_EXPENSIVE" => {
                    refused += 1;
                }
                Ok((Ok(()), bound)) => {
                    let (taken, estimated) = world.truth(&bound);
                    println!(
                        "{} ({}): {} of {estimated}",
                        named.name,
                        variant.name(),
                        taken.opcodes
                    );
                    if taken.end == End::Stopped
                        || taken.opcodes > LIMIT
                        || taken.opcodes > estimated
                    {
                        complaints.push(format!(
                            "{} ({}) passes: {taken:?}, estimate {estimated}",
                            named.name,
                            variant.name()
                        ));
                    }
                }
                other => complaints.push(format!("{} ({}): {other:?}", named.name, variant.name())),
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(
        refused * 100 >= tried * REFUSED_PERCENT,
        "{refused} of {tried} refused"
    );
    println!("{refused} of {tried} refused");
}

//! The analytic corpus passes the first fence, and SQLite runs all of it.

use std::collections::BTreeSet;

use sql_gate::limits::MAX_ANALYSIS_STEPS;
use sql_gate::{self, Parameters, Policy};

use super::analytic::rows::fill;
use super::analytic::tables::Variant;
use test_support::HostDatabase;
use test_support::analytic::statements;

const ROWS: u64 = 1_500;

/// The part of a verdict's steps that the largest of these statements may take, so that larger
/// honest ones still pass.
const STEPS_DIVISOR: u64 = 4;

#[test]
fn two_hundred_analytic_statements_run_and_are_not_refused_on_small_tables() {
    let all = statements();
    assert!(all.len() >= 200, "{} statements", all.len());
    let names: BTreeSet<_> = all.iter().map(|named| named.name).collect();
    assert_eq!(names.len(), all.len(), "every name is used once");
    let mut most = (0, "");
    for variant in Variant::ALL {
        let db = HostDatabase::new();
        session::start(&db, 0).unwrap();
        fill(db.connection(), variant, ROWS).unwrap();
        for named in &all {
            let bound = sql_gate::review(named.sql, &Policy::default())
                .unwrap_or_else(|error| panic!("{}: {error}", named.name))
                .bind(&Parameters::None)
                .unwrap();
            let steps = sql_cost::estimate(&db, &bound, &Policy::default())
                .unwrap()
                .steps;
            assert!(
                steps < MAX_ANALYSIS_STEPS / STEPS_DIVISOR,
                "{}: {steps}",
                named.name
            );
            most = most.max((steps, named.name));
            sql_cost::guard(&db, &bound, &Policy::default())
                .unwrap_or_else(|error| panic!("{} ({}): {error}", named.name, variant.name()));
            let mut statement = db
                .connection()
                .prepare(bound.sql())
                .unwrap_or_else(|error| panic!("{}: {error}", named.name));
            let mut rows = statement.raw_query();
            while rows
                .next()
                .unwrap_or_else(|error| panic!("{}: {error}", named.name))
                .is_some()
            {}
        }
    }
    println!("the most steps of {MAX_ANALYSIS_STEPS}: {most:?}");
}

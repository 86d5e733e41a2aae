//! Tests of the second fence and of the bound on work.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod attacks;
mod bound;
mod general;
mod guard;
mod joins;
mod lengths;
mod work;

use sql_gate::{Bound, Parameters, Policy};

/// Returns SQL that makes a table `numbers` with the numbers from 1 to this one.
fn numbers(rows: u32) -> String {
    format!(
        "CREATE TABLE numbers (n INTEGER PRIMARY KEY);
         WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < {rows})
             INSERT INTO numbers SELECT i FROM s"
    )
}

fn bound(text: &str) -> Bound {
    sql_gate::review(text, &Policy::default())
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .bind(&Parameters::None)
        .unwrap()
}

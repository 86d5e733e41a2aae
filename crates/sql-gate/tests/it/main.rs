//! Tests of the first fence: verdicts, splices, parameters, and statements by the thousand
//! (`corpus`).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod bind;
mod bounds;
mod corpus;
mod destroyed;
mod dialect;
mod expansion;
mod honest;
mod limits;
mod rewrite;
mod sizes;
mod verdicts;

use base::Error;
use sql_gate::{Bound, Parameters, Policy, Reviewed, SqlError};

/// Returns the verdict of the standard profile.
fn review(text: &str) -> Result<Reviewed, Error> {
    sql_gate::review(text, &Policy::default())
}

/// Returns the text that would run, without parameters.
fn runs(text: &str) -> String {
    bound(text).sql().to_owned()
}

fn bound(text: &str) -> Bound {
    review(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .bind(&Parameters::None)
        .unwrap()
}

/// Returns the rule that refused the text.
fn reason(text: &str) -> &'static str {
    match review(text).map_err(Error::into_problem) {
        Err(Ok(SqlError::SqlBlocked { reason, .. })) => reason,
        other => panic!("{text}: {other:?}"),
    }
}

//! The SQL gate: verdicts, splices, and the checks by the engine.

mod bind;
mod bounds;
mod destroyed;
mod dialect;
mod expansion;
mod guard;
mod honest;
mod limits;
mod rewrite;
mod scope;
mod sizes;
mod verdicts;
mod work;
mod work_attacks;
mod work_joins;
mod work_lengths;

use base::Error;
use sql::SqlError;
use sql::{self, Bound, Parameters, Policy, Reviewed};

/// Returns SQL that makes a table `numbers` with the numbers from 1 to `rows`.
fn numbers(rows: u32) -> String {
    format!(
        "CREATE TABLE numbers (n INTEGER PRIMARY KEY);
         WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < {rows})
             INSERT INTO numbers SELECT i FROM s"
    )
}

/// Returns the verdict of the standard profile.
fn review(text: &str) -> Result<Reviewed, Error> {
    sql::review(text, &Policy::default())
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

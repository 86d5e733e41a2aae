//! The verdict that holds for any data: a repeated statement whose work does not depend on the data
//! is judged once and not each time that it runs.

use super::data::programs::{GeneralVerdict, Program};
use super::data::statistics::{Precision, Statistics};
use super::meter::Meter;
use super::{Analysis, Counts, Limits, judge, limit, longest_text};
use database::Database;
use sql_gate::Policy;
use sql_gate::bound::Bound;
use sql_gate::limits::MAX_ANALYSIS_STEPS;

/// The longest text of a statement or a parameter that a verdict for any data holds for, in bytes.
const GENERAL_TEXT_BYTES: usize = 64 * 1024;

/// The steps that a verdict for any data may take (a twentieth of those of a verdict), because a
/// statement that does not pass it is judged again.
const GENERAL_ANALYSIS_STEPS: u64 = MAX_ANALYSIS_STEPS / 20;

/// Returns the verdict of [`passes_in_any_state`], if it was made before under the same limits.
pub(crate) fn known_verdict(policy: &Policy, program: &Program) -> Option<bool> {
    let known = program.in_any_state.get()?;
    let is_same = known.max_query_work == policy.max_query_work
        && known.max_recursive_rows == policy.max_recursive_rows;
    is_same.then_some(known.passes)
}

/// Returns true if a remembered statement is within the limit for any data and any parameters of
/// usual length, such as an insertion of one row. That is judged once.
pub(crate) fn passes_in_any_state<D: Database>(
    db: &D,
    bound: &Bound,
    policy: &Policy,
    counts: &Counts,
    program: &Program,
) -> bool {
    if longest_text(bound) > GENERAL_TEXT_BYTES {
        return false;
    }
    if let Some(passes) = known_verdict(policy, program) {
        return passes;
    }
    let meter = Meter::new(GENERAL_ANALYSIS_STEPS);
    let judged = Statistics::new(db, counts, bound, policy, GENERAL_TEXT_BYTES, &meter).and_then(
        |statistics| {
            statistics.take_care(Precision::Nothing);
            let analysis = Analysis::of(&program.listing, &meter);
            judge(&analysis, &statistics, &[], Limits::same(limit(policy)))
        },
    );
    let passes = judged.is_ok_and(|found| found.is_within(limit(policy)));
    program.in_any_state.set(Some(GeneralVerdict {
        passes,
        max_query_work: policy.max_query_work,
        max_recursive_rows: policy.max_recursive_rows,
    }));
    passes
}

//! The embedded planner as the writer.

use crate::prompt::WriteTask;
use crate::state::Outcome;
use crate::turn::Wrote;

/// Writes a statement by rules, or says that it cannot.
pub fn write(_task: &WriteTask<'_>) -> Wrote {
    Wrote::Reply {
        text: "I cannot answer this.".to_owned(),
        outcome: Outcome::CannotAnswer,
    }
}

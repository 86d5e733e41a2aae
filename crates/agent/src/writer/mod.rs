//! Who writes statements and replies.

use crate::drive::Writer;
use crate::prompt::WriteTask;
use crate::state::{Outcome, Values};
use crate::turn::Wrote;
use base::Result;

/// Who writes, as a deployment configures it.
#[derive(Debug)]
pub enum Writers {
    /// The embedded planner.
    Planner,
}

impl Writers {
    /// The writer of a deployment without a model.
    pub fn planner() -> Self {
        Self::Planner
    }
}

impl Writer for Writers {
    async fn write(&self, _task: &WriteTask<'_>, _on_text: &mut dyn FnMut(&str)) -> Result<Wrote> {
        Ok(Wrote::Reply {
            text: "I cannot answer this.".to_owned(),
            outcome: Outcome::CannotAnswer,
        })
    }

    async fn reply(&self, _values: &Values, _on_text: &mut dyn FnMut(&str)) -> Result<Option<String>> {
        Ok(None)
    }
}

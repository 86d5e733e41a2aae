//! The trait of an operation that needs only the workspace.

use base::Result;
use database::Database;
use operation::arguments::Arguments;
use operation::declaration::Declared;

use crate::{Reply, Workspace};

/// The arguments of an operation that can be run.
pub trait Operation<'a>: Declared + Arguments<'a> {
    /// Runs the operation.
    ///
    /// # Errors
    /// Errors of the operation, and of the engine. Nothing is changed then, except that a proposal
    /// may have become stale.
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply>;
}

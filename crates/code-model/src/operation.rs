//! An operation that needs nothing but the workspace.

use base::Result;
use database::Database;
use operation::arguments::Arguments;
use operation::declaration::Declared;

use crate::{Reply, Workspace};

/// The arguments of an operation, which can be run.
pub trait Operation<'a>: Declared + Arguments<'a> {
    /// Does it.
    ///
    /// # Errors
    /// Those of the operation, and the engine's. Nothing is changed then, but that a proposal may
    /// have become stale.
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply>;
}

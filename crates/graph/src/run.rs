//! The way in which an operation runs on a graph.

use ::operation::arguments::Arguments;
use ::operation::declaration::Declared;
use base::Result;
use database::Database;

use crate::{Graph, Reply};

/// An operation that needs only the graph.
pub(crate) trait Operation<'a>: Declared + Arguments<'a> {
    /// Runs the operation.
    ///
    /// # Errors
    /// Errors of the operation, and of the engine. Nothing is changed then.
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply>;
}

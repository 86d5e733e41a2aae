//! Doing what comes next. The state machine says what that is, the store holds it, and here it is done through ports: the tables, the writer, the
//! memory of the tenant, and whoever listens.
//!
//! Nothing is done that is not stored before, and what is done and not stored is found out again: the session remembers which approval has run, so a
//! statement whose outcome got lost is asked for its outcome and not run again. Whoever calls [`work_on`] calls it again after a failure or a restart; a step that fails
//! each time ends the question.

mod steps;
mod wants;

use database::Database;
use serde_json::Value;

use crate::memory::{Example, Pair};
use crate::prompt::WriteTask;
use crate::state::{Failure, Target, Values};
use crate::turn::{Rules, Wrote};
use base::Result;

pub use steps::work_on;
pub use wants::{Asked, ask, decide, expire, require_business};

/// Writes statements and replies: a language model, or the planner.
#[expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]
pub trait Writer {
    /// Writes a statement, or a reply that needs none.
    ///
    /// # Errors
    /// What ends the question: no model, no answer in time, no budget.
    async fn write(&self, task: &WriteTask<'_>, on_text: &mut dyn FnMut(&str)) -> Result<Wrote>;

    /// Tells the result of a statement; none where the writer has no words for it.
    ///
    /// # Errors
    /// As [`Self::write`].
    async fn reply(&self, values: &Values, on_text: &mut dyn FnMut(&str))
    -> Result<Option<String>>;
}

/// A piece of a message that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The message that it will be a part of.
    pub message: &'a str,
    /// The step that writes it.
    pub node: &'static str,
    /// Characters before it.
    pub offset: usize,
    /// The piece.
    pub text: &'a str,
}

/// What a thread needs of the world.
#[expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]
pub trait World {
    /// Who writes.
    type Writer: Writer;

    /// Asks the tables. The inner failure is what the session or the database refused.
    ///
    /// # Errors
    /// Where it is not known whether it was done.
    async fn tables(&self, target: &Target, request: &Value) -> Result<Result<Value, Failure>>;

    /// The pairs of the memory that resemble a question. Without an answer there are none.
    async fn resembling(&self, values: &Values) -> Vec<Example>;

    /// Writes a pair down. One that does not arrive is lost.
    async fn remember(&self, pair: &Pair);

    /// Who writes.
    fn writer(&self) -> &Self::Writer;

    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;

    /// An id that nothing has.
    fn fresh_id(&self) -> String;

    /// Readers hear a piece of a message.
    fn tell(&self, token: Token<'_>);

    /// Something was stored, and readers may read it.
    fn stored(&self);

    /// Whether the thread is still the one that the work began with: it may have been deleted meanwhile.
    fn is_current(&self) -> bool;
}

/// A thread that is worked on.
#[derive(Debug)]
pub struct Thread<'a, D: Database, W: World> {
    /// Its database.
    pub db: &'a D,
    /// The rest.
    pub world: &'a W,
    /// Its id.
    pub id: &'a str,
    /// What the deployment decides.
    pub rules: &'a Rules,
}

impl<D: Database, W: World> Clone for Thread<'_, D, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Database, W: World> Copy for Thread<'_, D, W> {}

impl<'a, D: Database, W: World> Thread<'a, D, W> {
    pub(crate) fn store(&self) -> crate::store::Store<'a, D> {
        crate::store::Store {
            db: self.db,
            now_ms: self.world.now_ms(),
        }
    }
}

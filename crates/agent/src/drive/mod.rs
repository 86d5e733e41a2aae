//! The driver of a thread. The state machine decides the next work, the store keeps the state, and
//! this module does the work through ports: the tables, the writer, the memory of the tenant, and
//! the readers of the stream.
//!
//! The state is stored before the work begins. If work was done but its result was not stored, the
//! driver asks for the result again: the session remembers which approval has run, so it returns
//! the outcome of that statement and does not run it twice. The caller of [`work_on`] calls it
//! again after a failure or a restart. A step that fails each time ends the question.

mod steps;
mod wants;

use database::Database;
use serde_json::Value;

use crate::memory::{Example, Pair};
use crate::prompt::WriteTask;
use crate::state::{Failure, Target, Values};
use crate::turn::{ApprovalRules, WriterOutput};
use base::Result;

pub use steps::work_on;
pub use wants::{StoredQuestion, ask, decide, expire, require_business};

/// A writer of statements and replies: a language model, or the planner.
#[expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]
pub trait Writer {
    /// Writes a statement, or a reply if no statement is needed.
    ///
    /// # Errors
    /// The errors that end the question: no model, no response in time, no budget.
    async fn write(
        &self,
        task: &WriteTask<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<WriterOutput>;

    /// Describes the result of a statement; `None` if the writer does not write replies.
    ///
    /// # Errors
    /// The same as those of [`Self::write`].
    async fn reply(&self, values: &Values, on_text: &mut dyn FnMut(&str))
    -> Result<Option<String>>;
}

/// A piece of a message that is still being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The id of the message.
    pub message: &'a str,
    /// The step that writes it.
    pub node: &'static str,
    /// Characters of the message before this piece.
    pub offset: usize,
    /// The text of the piece.
    pub text: &'a str,
}

/// The ports of a thread to everything outside its database.
#[expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]
pub trait World {
    /// The type of the writer.
    type Writer: Writer;

    /// Sends a request to the tables. The inner failure is a refusal by the session or the
    /// database.
    ///
    /// # Errors
    /// An error means that it is not known if the request was done.
    async fn tables(&self, target: &Target, request: &Value) -> Result<Result<Value, Failure>>;

    /// Returns the pairs of the memory that resemble a question; none if the memory does not
    /// respond.
    async fn resembling(&self, values: &Values) -> Vec<Example>;

    /// Stores a pair in the memory. A pair that does not arrive there is lost.
    async fn remember(&self, pair: &Pair);

    /// Returns the writer.
    fn writer(&self) -> &Self::Writer;

    /// Returns the time in milliseconds since 1970.
    fn now_ms(&self) -> u64;

    /// Returns an id that is not in use.
    fn fresh_id(&self) -> String;

    /// Sends a piece of a message to the readers of the stream.
    fn tell(&self, token: Token<'_>);

    /// Tells the readers of the stream that there are new events in the store.
    fn stored(&self);

    /// Returns true if the thread still exists as it did when the work began: it may have been
    /// deleted meanwhile.
    fn is_current(&self) -> bool;
}

/// A thread with its database and ports.
#[derive(Debug)]
pub struct Thread<'a, D: Database, W: World> {
    /// The database of the thread.
    pub db: &'a D,
    /// The ports.
    pub world: &'a W,
    /// The id of the thread.
    pub id: &'a str,
    /// The rules of the deployment.
    pub rules: &'a ApprovalRules,
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

//! The database of a thread. Checkpoints, messages, events, audit and approvals are committed
//! together, before any work that follows from them.

mod audit;
mod inputs;
mod reading;
mod token;

use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::{Value, json};

use crate::AgentError;
use crate::approval::{Approval, Status};
use crate::limits::{MAX_CHECKPOINTS, MAX_KEPT_EVENTS};
pub use crate::state::Head;
use crate::state::{HIDDEN_PREFIX, MessageKind, NewMessage, Step, Target, Values};
use crate::turn::Transition;
use base::{Error, Result};

pub use audit::{GENESIS, record_hash};
pub use inputs::{InputLookup, Owner};
pub use reading::{EventRow, Page};

const HEAD: &str =
    "SELECT t.head, t.branch, c.next, c.state FROM thread t JOIN checkpoints c ON c.id = t.head";
const BEGIN: &str = "UPDATE thread SET tries = tries + 1 WHERE id = 1 RETURNING tries, trouble";
const NOTE_TROUBLE: &str = "UPDATE thread SET trouble = ? WHERE id = 1";
const FIRST_BRANCH: &str = "INSERT INTO branches (id) VALUES (1)";
const ADD_CHECKPOINT: &str = "INSERT INTO checkpoints (branch, parent, source, next, state, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING id";
const COUNT_CHECKPOINTS: &str = "SELECT count(*) FROM checkpoints";
const SET_HEAD: &str = "INSERT INTO thread (id, head, branch, created_at, updated_at) VALUES (1, ?, ?, ?, ?) \
     ON CONFLICT (id) DO UPDATE SET head = excluded.head, branch = excluded.branch, updated_at = excluded.updated_at, tries = 0, trouble = NULL";
const ADD_MESSAGE: &str = "INSERT INTO messages (branch, checkpoint, id, type, content, created_at) VALUES (?, ?, ?, ?, ?, ?)";
const ADD_EVENT: &str = "INSERT INTO events (event, data) VALUES (?, ?)";
const DROP_EVENTS: &str = "DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - ?";
const NOTE_APPROVAL: &str = "INSERT INTO approvals (id, sha256, status, decided_at, target) VALUES (?, ?, ?, ?, ?) \
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, decided_at = excluded.decided_at";
const FIND_APPROVAL: &str = "SELECT status, target FROM approvals WHERE id = ?";
const ADD_BRANCH: &str = "INSERT INTO branches (parent, forked_at) VALUES (?, ?) RETURNING id";
const CHECKPOINT: &str = "SELECT branch, next, state FROM checkpoints WHERE id = ?";

/// The database of a thread, with the current time.
#[derive(Debug)]
pub struct Store<'a, D: Database> {
    /// The database.
    pub db: &'a D,
    /// The current time, in milliseconds since 1970.
    pub now_ms: u64,
}

impl<D: Database> Clone for Store<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Database> Copy for Store<'_, D> {}

/// Parses the stored name of a step.
fn step_of(name: &str) -> Result<Step> {
    serde_json::from_value(Value::String(name.to_owned()))
        .map_err(|_| Error::internal("a checkpoint names an unknown step"))
}

fn values_of(text: &str) -> Result<Values> {
    serde_json::from_str(text)
        .map_err(|error| Error::internal(format!("a checkpoint cannot be read: {error}")))
}

fn text_of(values: &Values) -> Result<String> {
    serde_json::to_string(values)
        .map_err(|error| Error::internal(format!("a checkpoint cannot be written: {error}")))
}

impl<D: Database> Store<'_, D> {
    /// Returns the newest checkpoint of the thread; `None` before its first question.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn head(&self) -> Result<Option<Head>> {
        let rows = self.db.rows(HEAD, &[])?;
        let Some([head, branch, next, state]) = rows.first().map(Vec::as_slice) else {
            return Ok(None);
        };
        Ok(Some(Head {
            checkpoint: head.as_count(),
            branch: branch.as_count(),
            step: step_of(next.as_text().unwrap_or_default())?,
            values: values_of(state.as_text().unwrap_or_default())?,
        }))
    }

    /// Returns the newest checkpoint, or an error if the thread does not exist.
    ///
    /// # Errors
    /// [`AgentError::NoSuchThread`].
    pub fn require_head(&self, thread: &str) -> Result<Head> {
        self.head()?.ok_or_else(|| {
            AgentError::NoSuchThread {
                thread: thread.to_owned(),
            }
            .into()
        })
    }

    /// Records that the next step begins. Returns how often it has begun, and the description of
    /// its last failure.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn begin(&self) -> Result<(u32, Option<String>)> {
        let rows = self.db.rows(BEGIN, &[])?;
        let row = rows.first();
        let tries = row.and_then(|row| row.first()).map_or(0, Cell::as_count);
        let trouble = row.and_then(|row| row.get(1)).and_then(Cell::as_text);
        Ok((
            u32::try_from(tries).unwrap_or(u32::MAX),
            trouble.map(str::to_owned),
        ))
    }

    /// Records why a step did not finish; [`Self::begin`] returns it.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn note_trouble(&self, trouble: &str) -> Result<()> {
        self.db.run(NOTE_TROUBLE, &[Bind::text(trouble)])?;
        Ok(())
    }

    /// Stores a transition as a checkpoint after `from`, completely or not at all.
    ///
    /// # Errors
    /// [`AgentError::ThreadFull`], or an error of the database.
    pub fn commit(&self, from: Option<&Head>, turned: &Transition) -> Result<Head> {
        let mut stored = None;
        self.db.transaction(&mut || {
            stored = Some(self.write(from, turned)?);
            Ok(())
        })?;
        stored.ok_or_else(|| Error::internal("a checkpoint was not stored"))
    }

    /// Does the same as [`Self::commit`], for a caller that has opened a transaction.
    pub(crate) fn write(&self, from: Option<&Head>, turned: &Transition) -> Result<Head> {
        let branch = if let Some(head) = from {
            head.branch
        } else {
            self.db.run(FIRST_BRANCH, &[])?;
            1
        };
        let checkpoint = self.add_checkpoint(
            branch,
            from.map(|head| head.checkpoint),
            turned.source,
            turned.step,
            &turned.values,
        )?;
        for message in &turned.messages {
            self.add_message(branch, checkpoint, message)?;
        }
        for (node, update) in &turned.updates {
            self.tell("updates", &json!({ *node: update }))?;
        }
        for record in &turned.audit {
            self.append_audit(record)?;
        }
        self.note_approvals(from, turned)?;
        if !turned.step.is_running() {
            self.tell(
                "end",
                &json!({ "next": turned.step.next(), "outcome": turned.values.outcome, "checkpoint": checkpoint }),
            )?;
        }
        self.db.run(DROP_EVENTS, &[Bind::number(MAX_KEPT_EVENTS)])?;
        Ok(Head {
            checkpoint,
            branch,
            step: turned.step,
            values: turned.values.clone(),
        })
    }

    fn add_checkpoint(
        &self,
        branch: u64,
        parent: Option<u64>,
        source: &str,
        step: Step,
        values: &Values,
    ) -> Result<u64> {
        let count = self.db.cell(COUNT_CHECKPOINTS, &[])?;
        if count.map_or(0, |cell| cell.as_count()) >= MAX_CHECKPOINTS && step == Step::WriteQuery {
            return Err(AgentError::ThreadFull {
                limit: MAX_CHECKPOINTS,
            }
            .into());
        }
        let binds = [
            Bind::number(branch),
            parent.map_or(Bind::Null, Bind::number),
            Bind::text(source),
            Bind::text(step.name()),
            Bind::text(text_of(values)?),
            Bind::number(self.now_ms),
        ];
        let checkpoint = self
            .db
            .cell(ADD_CHECKPOINT, &binds)?
            .map_or(0, |cell| cell.as_count());
        let binds = [
            Bind::number(checkpoint),
            Bind::number(branch),
            Bind::number(self.now_ms),
            Bind::number(self.now_ms),
        ];
        self.db.run(SET_HEAD, &binds)?;
        Ok(checkpoint)
    }

    fn add_message(&self, branch: u64, checkpoint: u64, message: &NewMessage) -> Result<()> {
        let id = message
            .id
            .clone()
            .unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        let id = if message.is_hidden {
            format!("{HIDDEN_PREFIX}{id}")
        } else {
            id
        };
        let binds = [
            Bind::number(branch),
            Bind::number(checkpoint),
            Bind::text(&id),
            Bind::text(message.kind.name()),
            Bind::text(&message.content),
            Bind::number(self.now_ms),
        ];
        self.db.run(ADD_MESSAGE, &binds)?;
        if message.kind != MessageKind::Human || message.is_hidden {
            return Ok(());
        }
        self.tell(
            "updates",
            &json!({ "__start__": { "messages": [{ "id": id, "type": "human", "content": message.content }] } }),
        )
    }

    /// Adds an event for the readers of the stream.
    fn tell(&self, event: &str, data: &Value) -> Result<()> {
        self.db.run(
            ADD_EVENT,
            &[Bind::text(event), Bind::text(data.to_string())],
        )?;
        Ok(())
    }

    /// Stores the final status of an approval that is no longer pending, and the status of the
    /// current one.
    fn note_approvals(&self, from: Option<&Head>, turned: &Transition) -> Result<()> {
        let before = from.and_then(|head| head.values.approval.as_ref());
        let now = turned.values.approval.as_ref();
        if let Some(before) = before
            && now.is_none_or(|now| now.approval_id != before.approval_id)
            && before.status == Status::Pending
        {
            let status = turned.left_behind();
            self.note_approval(before, status, &turned.values)?;
        }
        if let Some(now) = now
            && before != Some(now)
        {
            self.note_approval(now, now.status, &turned.values)?;
        }
        Ok(())
    }

    fn note_approval(&self, approval: &Approval, status: Status, values: &Values) -> Result<()> {
        let decided = if status == Status::Pending {
            Bind::Null
        } else {
            Bind::number(self.now_ms)
        };
        let target = serde_json::to_string(&values.target).unwrap_or_default();
        let binds = [
            Bind::text(&approval.approval_id),
            Bind::text(&approval.preview.sha256),
            Bind::text(status.name()),
            decided,
            Bind::text(target),
        ];
        self.db.run(NOTE_APPROVAL, &binds)?;
        Ok(())
    }

    /// Returns the status of an approval of this thread and the target of its statement; `None` if
    /// there is no approval with this id.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn approval(&self, id: &str) -> Result<Option<(Status, Target)>> {
        let rows = self.db.rows(FIND_APPROVAL, &[Bind::text(id)])?;
        let Some([status, target]) = rows.first().map(Vec::as_slice) else {
            return Ok(None);
        };
        let unreadable = |_| Error::internal("an approval cannot be read");
        let status = Value::String(status.as_text().unwrap_or_default().to_owned());
        Ok(Some((
            serde_json::from_value(status).map_err(unreadable)?,
            serde_json::from_str(target.as_text().unwrap_or_default()).map_err(unreadable)?,
        )))
    }

    /// Starts a new branch at an earlier checkpoint. An approval that was pending there is not
    /// pending in the new branch, because two branches must not decide one approval.
    ///
    /// # Errors
    /// [`AgentError::NoSuchCheckpoint`], or [`AgentError::TurnInProgress`].
    pub fn fork(&self, thread: &str, checkpoint: u64, actor: &str) -> Result<Head> {
        let head = self.require_head(thread)?;
        if head.step.is_running() {
            return Err(AgentError::TurnInProgress {
                step: head.step.name(),
            }
            .into());
        }
        let rows = self.db.rows(CHECKPOINT, &[Bind::number(checkpoint)])?;
        let Some([branch, _next, state]) = rows.first().map(Vec::as_slice) else {
            return Err(AgentError::NoSuchCheckpoint { checkpoint }.into());
        };
        let (parent_branch, values) = (
            branch.as_count(),
            values_of(state.as_text().unwrap_or_default())?,
        );
        let turned = crate::turn::forked(&head, &values, checkpoint, actor);
        let mut stored = None;
        self.db.transaction(&mut || {
            let binds = [Bind::number(parent_branch), Bind::number(checkpoint)];
            let branch = self.db.cell(ADD_BRANCH, &binds)?;
            let from = Head {
                checkpoint,
                branch: branch.map_or(1, |cell| cell.as_count()),
                ..head.clone()
            };
            stored = Some(self.write(Some(&from), &turned)?);
            Ok(())
        })?;
        stored.ok_or_else(|| Error::internal("a fork was not stored"))
    }
}

//! An index of questions by the ids that their senders gave them, so that a retry finds the events
//! of the first request.

use database::{Bind, Cell, Database, DatabaseExt};
use sha2::{Digest, Sha256};

use super::{Head, Store};
use crate::AgentError;
use crate::limits::MAX_REMEMBERED_INPUTS;
use crate::turn::Transition;
use base::{Error, Result};

const FIND: &str = "SELECT digest, first_event FROM inputs WHERE id = ?";
const ADD: &str = "INSERT INTO inputs (id, digest, first_event, created_at) VALUES (?, ?, (SELECT coalesce(max(id), 0) + 1 FROM events), ?)";
const FORGET: &str = "DELETE FROM inputs WHERE id IN (SELECT id FROM inputs ORDER BY created_at DESC, first_event DESC LIMIT -1 OFFSET ?)";
const SET_OWNER: &str =
    "INSERT INTO owner (id, tenant, thread) VALUES (1, ?, ?) ON CONFLICT (id) DO NOTHING";
const OWNER: &str = "SELECT tenant, thread FROM owner WHERE id = 1";
const NEXT_EVENT: &str = "SELECT coalesce(max(id), 0) FROM events";

/// The tenant and the id of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The tenant.
    pub tenant: String,
    /// The thread's id.
    pub thread: String,
}

/// The result of looking up an input id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputLookup {
    /// The id is new.
    No,
    /// The same question was stored before.
    Before {
        /// The id of the event before the first event of its stream.
        after_event: u64,
    },
}

fn digest(request: &str) -> Vec<u8> {
    Sha256::digest(request.as_bytes()).to_vec()
}

impl<D: Database> Store<'_, D> {
    /// Looks up an input id. `request` is the text of the question, which is compared with the
    /// stored one.
    ///
    /// # Errors
    /// [`AgentError::InputConflict`] if the id belongs to another question.
    pub fn seen(&self, input_id: &str, request: &str) -> Result<InputLookup> {
        let rows = self.db.rows(FIND, &[Bind::text(input_id)])?;
        let Some([known, first]) = rows.first().map(Vec::as_slice) else {
            return Ok(InputLookup::No);
        };
        match known {
            Cell::Blob(known) if known.as_slice() == digest(request).as_slice() => {
                Ok(InputLookup::Before {
                    after_event: first.as_count().saturating_sub(1),
                })
            }
            Cell::Null | Cell::Number(_) | Cell::Text(_) | Cell::Blob(_) => {
                Err(AgentError::InputConflict {
                    input_id: input_id.to_owned(),
                }
                .into())
            }
        }
    }

    /// Stores a question with its id. Returns the new head, and the id of the event before the
    /// first event of the question.
    ///
    /// # Errors
    /// The same as those of [`Store::commit`].
    pub fn commit_input(
        &self,
        from: Option<&Head>,
        turned: &Transition,
        owner: &Owner,
        request: &str,
    ) -> Result<(Head, u64)> {
        let mut stored = None;
        self.db.transaction(&mut || {
            self.db.run(
                SET_OWNER,
                &[Bind::text(&owner.tenant), Bind::text(&owner.thread)],
            )?;
            let after = self.last_event()?;
            let binds = [
                Bind::text(&turned.values.input_id),
                Bind::Blob(digest(request)),
                Bind::number(self.now_ms),
            ];
            self.db.run(ADD, &binds)?;
            self.db
                .run(FORGET, &[Bind::number(MAX_REMEMBERED_INPUTS)])?;
            stored = Some((self.write(from, turned)?, after));
            Ok(())
        })?;
        stored.ok_or_else(|| Error::internal("a question was not stored"))
    }

    /// Returns the owner of the thread; `None` before its first question.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn owner(&self) -> Result<Option<Owner>> {
        let rows = self.db.rows(OWNER, &[])?;
        let Some([tenant, thread]) = rows.first().map(Vec::as_slice) else {
            return Ok(None);
        };
        let text = |cell: &Cell| cell.as_text().unwrap_or_default().to_owned();
        Ok(Some(Owner {
            tenant: text(tenant),
            thread: text(thread),
        }))
    }

    /// Returns the id of the newest event; 0 before the first.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn last_event(&self) -> Result<u64> {
        Ok(self
            .db
            .cell(NEXT_EVENT, &[])?
            .map_or(0, |cell| cell.as_count()))
    }
}

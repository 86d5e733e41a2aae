//! Questions by the ids that their senders gave them: a retry finds the run of the first one.

use database::{Bind, Cell, Database, DatabaseExt};
use sha2::{Digest, Sha256};

use super::{Head, Store};
use crate::AgentError;
use crate::limits::MAX_REMEMBERED_INPUTS;
use crate::turn::Turned;
use base::{Error, Result};

const FIND: &str = "SELECT digest, first_event FROM inputs WHERE id = ?";
const ADD: &str = "INSERT INTO inputs (id, digest, first_event, created_at) VALUES (?, ?, (SELECT coalesce(max(id), 0) + 1 FROM events), ?)";
const FORGET: &str = "DELETE FROM inputs WHERE id IN (SELECT id FROM inputs ORDER BY created_at DESC, first_event DESC LIMIT -1 OFFSET ?)";
const SET_OWNER: &str =
    "INSERT INTO owner (id, tenant, thread) VALUES (1, ?, ?) ON CONFLICT (id) DO NOTHING";
const OWNER: &str = "SELECT tenant, thread FROM owner WHERE id = 1";
const NEXT_EVENT: &str = "SELECT coalesce(max(id), 0) FROM events";

/// Whose thread it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The tenant.
    pub tenant: String,
    /// The thread's id.
    pub thread: String,
}

/// Whether a question was asked before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Never.
    No,
    /// With the same words: its stream began with this event.
    Before {
        /// The id of the event before the first.
        after_event: u64,
    },
}

fn digest(request: &str) -> Vec<u8> {
    Sha256::digest(request.as_bytes()).to_vec()
}

impl<D: Database> Store<'_, D> {
    /// Whether an input of this id is known. `request` is the text of what was asked, as it is compared.
    ///
    /// # Errors
    /// [`AgentError::InputConflict`] where it was another question.
    pub fn seen(&self, input_id: &str, request: &str) -> Result<Seen> {
        let rows = self.db.rows(FIND, &[Bind::text(input_id)])?;
        let Some([known, first]) = rows.first().map(Vec::as_slice) else {
            return Ok(Seen::No);
        };
        match known {
            Cell::Blob(known) if known.as_slice() == digest(request).as_slice() => {
                Ok(Seen::Before {
                    after_event: first.as_count().saturating_sub(1),
                })
            }
            _ => Err(AgentError::InputConflict {
                input_id: input_id.to_owned(),
            }
            .into()),
        }
    }

    /// Stores a question with its id; the id of the event before its first.
    ///
    /// # Errors
    /// As [`Store::commit`].
    pub fn commit_input(
        &self,
        from: Option<&Head>,
        turned: &Turned,
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

    /// Whose thread it is; none before its first question.
    ///
    /// # Errors
    /// The engine's.
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

    /// The id of the newest event; 0 before the first.
    ///
    /// # Errors
    /// The engine's.
    pub fn last_event(&self) -> Result<u64> {
        Ok(self
            .db
            .cell(NEXT_EVENT, &[])?
            .map_or(0, |cell| cell.as_count()))
    }
}

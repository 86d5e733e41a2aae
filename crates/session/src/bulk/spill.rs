//! The chunks of a load that wait until its body has arrived.
//!
//! A short load waits in memory. A longer one is written to `_codemode_stage`, chunk by chunk, so
//! that memory stays bounded. The rows there are deleted in the transaction that inserts the
//! chunks, when the load is dropped, or when the object starts again after a crash.

use std::borrow::Cow;

use crate::limits::{BULK_CHUNK_BYTES, LOAD_MEMORY_BYTES, MAX_BOUND_BYTES};
use crate::records::{Chunk, Outline, Shape, Slot};
use crate::spill_table;
use base::Result;
use database::{Bind, Cell, Database, DatabaseExt};

/// The chunks of one load.
pub(super) struct Spill<'a, D: Database> {
    db: &'a D,
    chunks: Vec<Waiting>,
    memory_bytes: usize,
    load_id: Option<u64>,
    next_sequence: u64,
}

/// A waiting chunk, with its text or the position of its text.
struct Waiting {
    first: u64,
    rows: usize,
    bytes: usize,
    shape: Shape,
    text: Text,
}

enum Text {
    Memory(String),
    /// In rows of the table: more than one for a text that is longer than a bound value.
    Spilled {
        first_sequence: u64,
        parts: u64,
    },
}

/// A waiting chunk to be read.
pub(super) struct WaitingChunk<'s, 'a, D: Database> {
    spill: &'s Spill<'a, D>,
    chunk: &'s Waiting,
}

/// The text of a chunk.
pub(super) enum Content<'s> {
    /// In memory.
    Here(&'s str),
    /// Joined from several rows of the table.
    Joined(String),
    /// In one row of the table. The inserting statement reads it there, so it never leaves SQLite.
    Spilled {
        /// The id of the load.
        load_id: u64,
        /// The number of the row.
        sequence: u64,
        /// The length of the text in bytes.
        bytes: usize,
    },
}

impl<'a, D: Database> Spill<'a, D> {
    pub(super) fn new(db: &'a D) -> Self {
        Self {
            db,
            chunks: Vec::new(),
            memory_bytes: 0,
            load_id: None,
            next_sequence: 0,
        }
    }

    /// Takes a chunk. If the chunks in memory are too large, writes them to the table.
    pub(super) fn push(&mut self, chunk: Chunk) -> Result<()> {
        self.memory_bytes += chunk.json.len();
        self.chunks.push(Waiting {
            first: chunk.first,
            rows: chunk.rows,
            bytes: chunk.json.len(),
            shape: chunk.shape,
            text: Text::Memory(chunk.json),
        });
        if self.load_id.is_some() || self.memory_bytes > LOAD_MEMORY_BYTES {
            self.spill()?;
        }
        Ok(())
    }

    /// Returns the number of waiting chunks.
    pub(super) fn len(&self) -> usize {
        self.chunks.len()
    }

    /// Returns the chunks in order.
    pub(super) fn chunks(&self) -> impl Iterator<Item = WaitingChunk<'_, 'a, D>> {
        self.chunks
            .iter()
            .map(|chunk| WaitingChunk { spill: self, chunk })
    }

    /// Deletes the rows that were written.
    pub(super) fn discard(&self) -> Result<()> {
        match self.load_id {
            Some(load_id) => self
                .db
                .run(spill_table::DISCARD, &[Bind::number(load_id)])
                .map(|_| ()),
            None => Ok(()),
        }
    }

    /// Records that the written rows are already deleted.
    pub(super) fn forget(&mut self) {
        self.load_id = None;
        self.chunks.clear();
    }

    fn spill(&mut self) -> Result<()> {
        let load_id = match self.load_id {
            Some(load_id) => load_id,
            // No other request runs between this and the first row of the load.
            None => self
                .db
                .cell(spill_table::NEXT_LOAD, &[])?
                .map_or(1, |cell| cell.as_count()),
        };
        self.load_id = Some(load_id);
        for chunk in self
            .chunks
            .iter_mut()
            .rev()
            .take_while(|chunk| matches!(chunk.text, Text::Memory(_)))
        {
            let Text::Memory(text) = &mut chunk.text else {
                continue;
            };
            let first_sequence = self.next_sequence;
            for part in parts(std::mem::take(text)) {
                self.db.run(
                    spill_table::INSERT,
                    &[
                        Bind::number(load_id),
                        Bind::number(self.next_sequence),
                        Bind::Text(part),
                    ],
                )?;
                self.next_sequence += 1;
            }
            chunk.text = Text::Spilled {
                first_sequence,
                parts: self.next_sequence - first_sequence,
            };
        }
        self.memory_bytes = 0;
        Ok(())
    }
}

impl<D: Database> Drop for Spill<'_, D> {
    fn drop(&mut self) {
        // If this fails, the next start of the object deletes the rows.
        drop(self.discard());
    }
}

impl<'s, D: Database> WaitingChunk<'s, '_, D> {
    /// Returns the properties that the insert needs in addition to the text.
    pub(super) fn outline<'o>(&self, slots: &'o [Slot]) -> Outline<'o>
    where
        's: 'o,
    {
        Outline {
            slots,
            shape: &self.chunk.shape,
            first: self.chunk.first,
            rows: self.chunk.rows,
        }
    }

    /// Returns the length of the text in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.chunk.bytes
    }

    /// Returns the text, from memory or from the table.
    pub(super) fn text(&self) -> Result<Cow<'s, str>> {
        let load_id = self.spill.load_id.unwrap_or_default();
        match &self.chunk.text {
            Text::Memory(text) => Ok(Cow::Borrowed(text)),
            Text::Spilled {
                first_sequence,
                parts,
            } => self
                .joined(load_id, *first_sequence, *parts)
                .map(Cow::Owned),
        }
    }

    fn joined(&self, load_id: u64, first_sequence: u64, parts: u64) -> Result<String> {
        let mut joined = String::new();
        for sequence in first_sequence..first_sequence + parts {
            let part = self.spill.db.cell(
                spill_table::READ,
                &[Bind::number(load_id), Bind::number(sequence)],
            )?;
            joined.push_str(&part.map(Cell::into_text).unwrap_or_default());
        }
        Ok(joined)
    }

    /// Returns the text, or the position at which SQLite finds it.
    pub(super) fn read(&self) -> Result<Content<'s>> {
        let load_id = self.spill.load_id.unwrap_or_default();
        match &self.chunk.text {
            Text::Memory(text) => Ok(Content::Here(text)),
            Text::Spilled {
                first_sequence,
                parts: 1,
            } => Ok(Content::Spilled {
                load_id,
                sequence: *first_sequence,
                bytes: self.chunk.bytes,
            }),
            Text::Spilled {
                first_sequence,
                parts,
            } => self
                .joined(load_id, *first_sequence, *parts)
                .map(Content::Joined),
        }
    }
}

/// Splits a text into pieces that fit into rows.
fn parts(text: String) -> Vec<String> {
    if text.len() <= MAX_BOUND_BYTES {
        return vec![text];
    }
    let mut pieces = Vec::new();
    let mut rest = text.as_str();
    while rest.len() > BULK_CHUNK_BYTES {
        let (piece, behind) = rest.split_at(rest.floor_char_boundary(BULK_CHUNK_BYTES));
        pieces.push(piece.to_owned());
        rest = behind;
    }
    pieces.push(rest.to_owned());
    pieces
}

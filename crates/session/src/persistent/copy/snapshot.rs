//! The rows of a session's table at one moment, as chunks of JSON text for another database.
//!
//! A snapshot is taken without an await, so no other request runs in between. A short table is held
//! in memory. A longer one is written to `_codemode_stage`, a chunk in each row; these rows are
//! deleted when the snapshot is dropped or the object starts again.

use crate::Session;
use crate::limits::{BULK_CHUNK_BYTES, BULK_CHUNK_ROWS, LOAD_MEMORY_BYTES, MAX_BOUND_BYTES};
use crate::row_text::RowText;
use crate::spill_table;
use base::CommonError;
use base::{Error, Result};
use database::DatabaseError;
use database::{Bind, Cell, Cursor, Database, DatabaseExt};
use sql_gate::compose::{Part, compose};

/// The separator between two rows of a chunk: JSON text contains no line break.
const SEPARATOR: &str = ",\n";

/// The beginning of a blob in the JSON text of a row; inside a text its quotes would be escaped.
const BLOB_MARK: &str = "{\"$blob\":\"";

/// The rows of a table.
pub(super) struct Snapshot<'a, D: Database> {
    db: &'a D,
    /// The first chunks, up to [`LOAD_MEMORY_BYTES`].
    memory: Vec<String>,
    memory_bytes: usize,
    /// The load id of the further chunks in the spill table.
    load_id: Option<u64>,
    chunks: u64,
    rows: u64,
    has_blobs: bool,
}

/// Some rows, `[[v1,v2],…]`.
pub(super) struct Chunk {
    pub(super) text: String,
}

impl<'a, D: Database> Snapshot<'a, D> {
    /// Takes a snapshot of these columns of a table or view.
    ///
    /// # Errors
    /// The engine's, `QUERY_TOO_EXPENSIVE` if a view or computed columns are too much work, or
    /// [`CommonError::TooBig`] for a row that does not fit into a bound value.
    pub(super) fn take(session: &Session<'a, D>, table: &str, columns: &[String]) -> Result<Self> {
        let db = session.db;
        let mut taken = Self {
            db,
            memory: Vec::new(),
            memory_bytes: 0,
            load_id: None,
            chunks: 0,
            rows: 0,
            has_blobs: false,
        };
        let row = RowText::new(columns.to_vec());
        let mut parts = vec![Part::Sql("SELECT ")];
        parts.extend(row.json_array());
        parts.extend([Part::Sql(" FROM "), Part::Identifier(table)]);
        let bound = compose(&parts, Vec::new());
        let fail = |error| sql_gate::explain::explain(db, &error, &bound);
        let mut cursor = session.meter().open(db, table, &bound)?;
        loop {
            let piece = cursor
                .take_text(BULK_CHUNK_ROWS, BULK_CHUNK_BYTES, SEPARATOR)
                .map_err(fail)?;
            if piece.rows > 0 {
                taken.rows += piece.rows as u64;
                taken.push(&piece.text)?;
            }
            if piece.done {
                return Ok(taken);
            }
        }
    }

    fn push(&mut self, rows: &str) -> Result<()> {
        if rows.len() + 2 <= MAX_BOUND_BYTES {
            return self.keep(format!("[{rows}]"));
        }
        // Only the last row of the piece can have made it so long.
        let (before, last) = rows.rsplit_once(SEPARATOR).unwrap_or(("", rows));
        if last.len() + 2 > MAX_BOUND_BYTES {
            return Err(Error::from(CommonError::TooBig {
                message: format!("a row has {} bytes as JSON text; at most {MAX_BOUND_BYTES} can be copied", last.len()),
                hint: "each byte of a blob takes two bytes: keep large blobs in the session, or split them into several rows".to_owned(),
            }));
        }
        if !before.is_empty() {
            self.keep(format!("[{before}]"))?;
        }
        self.keep(format!("[{last}]"))
    }

    fn keep(&mut self, chunk: String) -> Result<()> {
        self.has_blobs |= chunk.contains(BLOB_MARK);
        let sequence = self.chunks;
        self.chunks += 1;
        if self.load_id.is_none() && self.memory_bytes + chunk.len() <= LOAD_MEMORY_BYTES {
            self.memory_bytes += chunk.len();
            self.memory.push(chunk);
            return Ok(());
        }
        let id = match self.load_id {
            Some(id) => id,
            None => self
                .db
                .cell(spill_table::NEXT_LOAD, &[])?
                .map_or(1, |cell| cell.as_count()),
        };
        self.load_id = Some(id);
        self.db.run(
            spill_table::INSERT,
            &[Bind::number(id), Bind::number(sequence), Bind::Text(chunk)],
        )?;
        Ok(())
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns true if any value is a blob.
    pub(super) fn has_blobs(&self) -> bool {
        self.has_blobs
    }

    /// Returns the number of chunks.
    pub(super) fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Returns all rows, if they are one chunk.
    pub(super) fn only_chunk(&self) -> Option<Chunk> {
        match (self.chunks, self.memory.first()) {
            (0, _) => Some(Chunk {
                text: "[]".to_owned(),
            }),
            (1, Some(text)) => Some(Chunk { text: text.clone() }),
            _ => None,
        }
    }

    /// Returns one of the chunks, from 0.
    ///
    /// # Errors
    /// [`DatabaseError::Busy`] if the session was deleted in the meantime, or the engine's.
    pub(super) fn chunk(&self, sequence: u64) -> Result<Chunk> {
        if let Some(text) = usize::try_from(sequence)
            .ok()
            .and_then(|index| self.memory.get(index))
        {
            return Ok(Chunk { text: text.clone() });
        }
        let id = self.load_id.unwrap_or_default();
        match self.db.cell(
            spill_table::READ,
            &[Bind::number(id), Bind::number(sequence)],
        )? {
            Some(Cell::Text(text)) => Ok(Chunk { text }),
            _ => Err(Error::from(DatabaseError::Busy {
                message: "the session was deleted while its table was copied".to_owned(),
            })),
        }
    }
}

impl<D: Database> Drop for Snapshot<'_, D> {
    fn drop(&mut self) {
        if let Some(id) = self.load_id {
            // If this fails, the next start of the object deletes the rows.
            drop(self.db.run(spill_table::DISCARD, &[Bind::number(id)]));
        }
    }
}

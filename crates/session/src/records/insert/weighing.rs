//! The estimated and the measured work of chunks.

use base::Result;
use database::{Bind, Database};
use sql_cost::{IndexedRows, Meter, ReferringTables};

use super::{ChunkEstimate, FEW_READ_ROWS, Inserter, Outline};
use crate::limits::MAX_BOUND_BYTES;

impl<'a, D: Database> Inserter<'a, D> {
    /// Adds the cost of rows that the engine has read beyond the inserted ones.
    pub(super) fn add_read(&mut self, meter: &Meter<'_>, read: u64) -> Result<()> {
        self.read += read;
        let Some(referring) = self.referring.as_mut() else {
            return Ok(());
        };
        let row = if self.read > FEW_READ_ROWS {
            referring.cost_of_row(self.db)?
        } else {
            0.0
        };
        meter.add(read as f64 * row)
    }

    /// Refuses rows for which the engine may have to read too much of other tables.
    pub(super) fn require_few_read(&mut self, meter: &Meter<'_>, rows: usize) -> Result<()> {
        let replaces = self.replaces();
        let referring = match &mut self.referring {
            Some(referring) => referring,
            None => self
                .referring
                .insert(ReferringTables::to(self.db, self.table)?),
        };
        let work = referring.cost(self.db, rows as f64, replaces, meter.left())?;
        meter.require_left(work)
    }

    /// Refuses a table that a load must not write.
    pub(super) fn require_guarded(&mut self, outline: &Outline<'_>) -> Result<()> {
        if !self.guarded {
            // Every statement of a load writes the same table, so it is enough to check the
            // engine's program of one.
            let probe = self.statement(outline, "?", vec![Bind::text("[]")]);
            sql_cost::guard(self.db, &probe, self.meter.policy())?;
            self.guarded = true;
        }
        Ok(())
    }

    /// Returns the meter for estimates that are made before the first chunk is inserted.
    pub(crate) fn ahead(&self) -> Meter<'a> {
        self.meter.ahead()
    }

    /// Refuses a chunk of `bytes` bytes if it is too much work together with the chunks before it.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE`, or the engine's.
    pub(crate) fn foresee(
        &mut self,
        ahead: &Meter<'_>,
        outline: &Outline<'_>,
        bytes: usize,
    ) -> Result<()> {
        self.require_guarded(outline)?;
        self.foreseen = true;
        self.weigh(ahead, outline, bytes)
    }

    /// Returns true if rows of the table run expressions of the caller. For a full-text table it
    /// returns false: its work depends on its texts alone.
    pub(crate) fn computes(&mut self) -> Result<bool> {
        if let Some(known) = self.computes {
            return Ok(known);
        }
        let computes = sql_gate::catalog::is_table(self.db, self.table)?
            && !sql_gate::catalog::is_plain_to_write(self.db, self.table)?;
        self.computes = Some(computes);
        Ok(computes)
    }

    /// Adds the estimated work of a chunk.
    pub(super) fn weigh(
        &mut self,
        meter: &Meter<'_>,
        outline: &Outline<'_>,
        bytes: usize,
    ) -> Result<()> {
        let indexed = match self.indexed {
            Some(indexed) => indexed,
            None => sql_gate::catalog::index_columns(self.db, self.table)?,
        };
        self.indexed = Some(indexed);
        let (binary, folded) = indexed;
        meter.add_indexed(&IndexedRows {
            rows: outline.rows as u64,
            bytes: bytes as u64,
            binary,
            folded,
        })?;
        self.require_few_read(meter, outline.rows)?;
        if !self.computes()? {
            return Ok(());
        }
        let known = self.known.iter().find(|known| {
            known.rows >= outline.rows
                && known.bytes >= bytes
                && outline.first <= known.until
                && known.shape == *outline.shape
        });
        if let Some(known) = known {
            return meter.add(known.work);
        }
        // The content of the text does not matter. Its length is the largest that may occur.
        let place = vec![Bind::Blob(vec![0; bytes.min(MAX_BOUND_BYTES)])];
        let probe = self.statement(outline, "CAST(? AS TEXT)", place);
        let work = meter.weigh(self.db, &probe, 1)?;
        self.known.retain(|known| known.until >= outline.first);
        self.known.push(ChunkEstimate {
            shape: outline.shape.clone(),
            rows: outline.rows,
            bytes,
            until: outline
                .first
                .saturating_mul(2)
                .saturating_add(outline.rows as u64),
            work,
        });
        Ok(())
    }
}

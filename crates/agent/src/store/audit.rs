//! The audit: each question, statement, decision and run, with its actor and time. Rows are only
//! added. Each row has the hash of the previous one, so a row that is changed or removed later
//! breaks the chain for everybody who knows a later hash.
//!
//! The hash is SHA-256 over the parts, each as its length in bytes (8 bytes, big-endian) followed
//! by its bytes. The parts are the previous hash in hexadecimal digits, then sequence and time in
//! decimal digits, then kind, actor and the JSON text of the body as stored.

use database::{Bind, Cell, Database, DatabaseExt};
use sha2::{Digest, Sha256};

use super::Store;
use crate::turn::AuditRecord;
use base::Result;

/// The previous hash of the first row.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const LAST: &str = "SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1";
const APPEND: &str = "INSERT INTO audit (sequence, at, kind, actor, body, previous_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?)";

/// Returns the hash of a row.
pub fn record_hash(
    previous: &str,
    sequence: u64,
    at_ms: u64,
    kind: &str,
    actor: &str,
    body: &str,
) -> String {
    let (sequence, at) = (sequence.to_string(), at_ms.to_string());
    let mut hash = Sha256::new();
    for part in [previous, &sequence, &at, kind, actor, body] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    const_hex::encode(hash.finalize())
}

impl<D: Database> Store<'_, D> {
    pub(super) fn append_audit(&self, record: &AuditRecord) -> Result<()> {
        let rows = self.db.rows(LAST, &[])?;
        let last = rows.first();
        let sequence = last
            .and_then(|row| row.first())
            .map_or(0, |cell| cell.as_count())
            + 1;
        let previous = last
            .and_then(|row| row.get(1))
            .and_then(Cell::as_text)
            .unwrap_or(GENESIS);
        let body = record.body.to_string();
        let hash = record_hash(
            previous,
            sequence,
            self.now_ms,
            record.kind,
            &record.actor,
            &body,
        );
        let binds = [
            Bind::number(sequence),
            Bind::number(self.now_ms),
            Bind::text(record.kind),
            Bind::text(&record.actor),
            Bind::text(body),
            Bind::text(previous),
            Bind::text(hash),
        ];
        self.db.run(APPEND, &binds)?;
        Ok(())
    }
}

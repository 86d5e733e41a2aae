//! A SHA-256 hash over a list of fields, in which different lists never give the same bytes.

use sha2::{Digest as _, Sha256};

/// A hash over fields, each preceded by its length.
#[derive(Default)]
pub(super) struct FieldHash(Sha256);

impl FieldHash {
    /// Adds texts, each as a field.
    pub(super) fn texts(&mut self, texts: &[&str]) {
        for text in texts {
            self.bytes(text.as_bytes());
        }
    }

    /// Adds a count as a field of 8 bytes.
    pub(super) fn count(&mut self, count: usize) {
        self.bytes(&(count as u64).to_le_bytes());
    }

    /// Adds a field of a tag and bytes.
    pub(super) fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.0.update((bytes.len() as u64 + 1).to_le_bytes());
        self.0.update([tag]);
        self.0.update(bytes);
    }

    /// Returns the hash in hexadecimal digits.
    pub(super) fn finish(self) -> String {
        const_hex::encode(self.0.finalize())
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}

//! How rare a word is in code.
//!
//! A vector depends on its text alone, so the rarity of a word cannot come from the corpus, which
//! changes. It comes from a table that was counted once over the items of 200 published crates: for
//! each of 32,768 hashes of stems, how rare those stems are together. A word that they do not have
//! is as rare as can be.

use super::feature::hash;
use crate::words::common_stem;

/// `ln(1 + items / items with the word)` for each bucket, in units of [`RARITY_UNIT`].
const TABLE: &[u8] = include_bytes!("idf.bin");

/// What one step of a byte is worth: the rarest word, in one of 100,000 items, has 11.5.
pub const RARITY_UNIT: f32 = 0.05;

/// How many buckets the table has: stems of 60,000 items, of which most are rare, so that two
/// common ones seldom meet.
pub const RARITY_BUCKETS: usize = 32_768;

/// Returns the weight of a word with this hash of its stem.
pub(super) fn weight(hash: u64) -> f32 {
    f32::from(TABLE.get(bucket(hash)).copied().unwrap_or(u8::MAX)) * RARITY_UNIT
}

/// Returns the bucket of a lower-case word: what the table is made with.
#[must_use]
pub fn rarity_bucket(word: &str) -> usize {
    bucket(hash(common_stem(word).as_bytes()))
}

fn bucket(hash: u64) -> usize {
    // Bits that neither the dimension nor the sign of a feature is taken from.
    let bits = (hash >> 16) as usize;
    bits % RARITY_BUCKETS
}

//! The rarity of words in code.
//!
//! A vector depends on its text alone, so the rarity of a word cannot be taken from the corpus,
//! which changes. It is taken from a table that was counted once over the items of 200 published
//! crates: the rarity of all stems in each of 32,768 buckets of hashes. A word that does not occur
//! in those crates has the greatest rarity.

use super::feature::hash;
use crate::words::common_stem;

/// `ln(1 + items / items with the word)` for each bucket, in units of [`RARITY_UNIT`].
const TABLE: &[u8] = include_bytes!("idf.bin");

/// The rarity that one unit of a byte in the table represents. The rarest word, in one of 100,000
/// items, has a rarity of 11.5.
pub const RARITY_UNIT: f32 = 0.05;

/// The number of buckets of the table: enough for the stems of 60,000 items, most of which are
/// rare, so that two common stems seldom share a bucket.
pub const RARITY_BUCKETS: usize = 32_768;

/// Returns the weight of a word with this hash of its stem.
pub(super) fn weight(hash: u64) -> f32 {
    f32::from(TABLE.get(bucket(hash)).copied().unwrap_or(u8::MAX)) * RARITY_UNIT
}

/// Returns the bucket of a lower-case word. The program that makes the table uses it.
#[must_use]
pub fn rarity_bucket(word: &str) -> usize {
    bucket(hash(common_stem(word).as_bytes()))
}

fn bucket(hash: u64) -> usize {
    // These bits select neither the dimension nor the sign of a feature.
    let bits = (hash >> 16) as usize;
    bits % RARITY_BUCKETS
}

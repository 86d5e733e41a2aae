//! The distinct words of a text, each with its weight.

use std::collections::BTreeMap;

use super::feature::hash;
use super::idf;
use crate::words::{common_stem, each_raw_word};

/// A word of a text.
pub struct Weighted {
    /// The word in lower case.
    pub word: String,
    /// The hash of its stem.
    pub hash: u64,
    /// The frequency in the text, as 1 + ln n, times the rarity of the word in code.
    pub weight: f32,
}

/// Returns the words of a text, in order.
pub fn weighted_words(text: &str) -> Vec<Weighted> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    each_raw_word(text, &mut |word| match counts.get_mut(word) {
        Some(count) => *count = count.saturating_add(1),
        None => {
            counts.insert(word.to_owned(), 1);
        }
    });
    counts
        .into_iter()
        .map(|(word, count)| {
            let hash = hash(common_stem(&word).as_bytes());
            let weight = log_weight(count) * idf::weight(hash);
            Weighted { word, hash, weight }
        })
        .collect()
}

/// Returns the weight of a word that occurs `count` times.
fn log_weight(count: u32) -> f32 {
    let count = count.max(1) as f32;
    1.0 + count.ln()
}

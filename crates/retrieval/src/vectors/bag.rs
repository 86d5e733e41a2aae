//! The distinct words of a text with how often each stands in it.

use std::collections::BTreeMap;

use crate::words::each_raw_word;

/// The words of a text, not stemmed, in order, each with its weight from how often it occurs: 1 + ln n.
pub fn weighted_words(text: &str) -> Vec<(String, f32)> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    each_raw_word(text, &mut |word| match counts.get_mut(word) {
        Some(count) => *count = count.saturating_add(1),
        None => {
            counts.insert(word.to_owned(), 1);
        }
    });
    counts
        .into_iter()
        .map(|(word, count)| (word, log_weight(count)))
        .collect()
}

/// How much a word counts that occurs so often.
pub fn log_weight(count: u32) -> f32 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count of words is far below 2^24"
    )]
    let count = count.max(1) as f32;
    1.0 + count.ln()
}

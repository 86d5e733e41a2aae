//! Signed feature hashing: each word, and each run of three or four letters of a word, adds to one
//! of 512 dimensions or subtracts from it.

use super::bag::Weighted;
use super::feature::hash;

/// The number of dimensions: a power of two, so that a mask turns a hash into a dimension.
pub const DIMENSIONS: usize = 512;

/// The lengths of runs in bytes, with their weights relative to that of a word.
const RUNS: [(usize, f32); 2] = [(3, 0.5), (4, 0.5)];

/// Adds the features of weighted words to a vector of [`DIMENSIONS`].
pub fn add(words: &[Weighted], vector: &mut [f32]) {
    let mut marked: Vec<u8> = Vec::new();
    for word in words {
        feature(word.hash, word.weight, vector);
        marked.clear();
        marked.push(b'<');
        marked.extend_from_slice(word.word.as_bytes());
        marked.push(b'>');
        for (length, share) in RUNS {
            for run in marked.windows(length) {
                feature(hash(run), word.weight * share, vector);
            }
        }
    }
}

fn feature(hash: u64, weight: f32, vector: &mut [f32]) {
    // The lowest nine bits select the dimension, the highest one is the sign.
    let dimension = hash as usize & (DIMENSIONS - 1);
    if let Some(value) = vector.get_mut(dimension) {
        *value += if hash >> 63 == 0 { weight } else { -weight };
    }
}

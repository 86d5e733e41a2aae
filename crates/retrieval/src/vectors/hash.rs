//! Signed feature hashing: each word and each run of three or four letters of a word adds to one of 512 dimensions, or subtracts from it.

use super::idf;
use crate::words::stem;

/// Dimensions: a power of two, so that a hash becomes one by a mask.
pub const DIMENSIONS: usize = 512;

/// Lengths of the runs of characters, in bytes, with what each counts beside a word.
const RUNS: [(usize, f32); 2] = [(3, 0.5), (4, 0.5)];

/// Adds the features of weighted words to a vector of [`DIMENSIONS`].
pub fn add(words: &[(String, f32)], vector: &mut [f32]) {
    let mut marked: Vec<u8> = Vec::new();
    for (word, weight) in words {
        feature(stem(word).as_bytes(), *weight, vector);
        marked.clear();
        marked.push(b'<');
        marked.extend_from_slice(word.as_bytes());
        marked.push(b'>');
        for (length, share) in RUNS {
            for run in marked.windows(length) {
                feature(run, weight * share, vector);
            }
        }
    }
}

fn feature(bytes: &[u8], weight: f32, vector: &mut [f32]) {
    let hash = hash(bytes);
    // The lowest nine bits are the dimension, the highest is the sign.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "only the lowest bits count"
    )]
    let dimension = hash as usize & (DIMENSIONS - 1);
    let weight = weight * idf::weight(hash);
    if let Some(value) = vector.get_mut(dimension) {
        *value += if hash >> 63 == 0 { weight } else { -weight };
    }
}

/// FNV-1a with a finish that spreads it over all bits. It is part of the model: another function is another model.
pub fn hash(bytes: &[u8]) -> u64 {
    // The offset and the prime of FNV-1a for 64 bits.
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let hash = bytes.iter().fold(OFFSET, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(PRIME)
    });
    // The finish of MurmurHash3.
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

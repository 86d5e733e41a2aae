//! Vectors as they are stored: one signed byte for each dimension.

/// The largest stored value: each vector is scaled so that its largest value becomes this. Scaling
/// does not change cosines.
const GREATEST: f32 = 127.0;

/// Returns a vector as bytes, each a value from -127 to 127 in two's complement. A vector of length
/// 0 becomes zeros.
#[must_use]
pub fn quantise(vector: &[f32]) -> Vec<u8> {
    let greatest = vector
        .iter()
        .fold(0.0_f32, |greatest, value| greatest.max(value.abs()));
    let scale = if greatest.is_finite() && greatest > 0.0 {
        GREATEST / greatest
    } else {
        0.0
    };
    vector.iter().map(|value| byte(value * scale)).collect()
}

fn byte(value: f32) -> u8 {
    let rounded = value.round() as i8;
    rounded.cast_unsigned()
}

/// Returns the sum of the products of two rows of the same length.
#[must_use]
pub fn dot(left: &[i8], right: &[i8]) -> i32 {
    // SSE2 and WebAssembly have one instruction for this: 16-bit products of 8-bit values, summed
    // in 32 bits.
    left.iter()
        .zip(right)
        .map(|(left, right)| i32::from(i16::from(*left) * i16::from(*right)))
        .sum()
}

/// Returns the bytes of a stored vector as signed values.
pub fn signed(blob: &[u8]) -> impl Iterator<Item = i8> + '_ {
    blob.iter().map(|byte| byte.cast_signed())
}

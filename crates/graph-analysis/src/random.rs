//! A seeded generator: the same seed gives the same numbers on every machine.
//!
//! SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). It
//! is for samples and orders, not for secrets.

/// The generator's state.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

/// The increment of SplitMix64: 2^64 divided by the golden ratio, odd.
const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;
/// The first multiplier of its mixing function.
const FIRST_MULTIPLIER: u64 = 0xbf58_476d_1ce4_e5b9;
/// The second multiplier of its mixing function.
const SECOND_MULTIPLIER: u64 = 0x94d0_49bb_1331_11eb;
/// 2^-53: a double has 53 bits of mantissa.
const DOUBLE_STEP: f64 = 1.0 / 9_007_199_254_740_992.0;

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(INCREMENT);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(FIRST_MULTIPLIER);
        bits = (bits ^ (bits >> 27)).wrapping_mul(SECOND_MULTIPLIER);
        bits ^ (bits >> 31)
    }

    /// Returns a number from 0 to below `bound` (0 if the bound is 0), by multiplication. The bias
    /// is below 2^-32.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// Returns a number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * DOUBLE_STEP
    }

    /// Shuffles a list (Fisher and Yates).
    pub fn shuffle(&mut self, list: &mut [u32]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u32 + 1) as usize);
        }
    }

    /// Moves a random choice of `count` entries to the front of a list, and returns them.
    pub fn choose<'list>(&mut self, list: &'list mut [u32], count: usize) -> &'list mut [u32] {
        let count = count.min(list.len());
        for front in 0..count {
            let rest = (list.len() - front) as u32;
            list.swap(front, front + self.below(rest) as usize);
        }
        list.get_mut(..count).unwrap_or_default()
    }
}

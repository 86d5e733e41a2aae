//! Random numbers, the same for the same seed: Marsaglia's xorshift.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number from 0 to one less than `bound`.
    pub fn below(&mut self, bound: i64) -> i64 {
        i64::try_from((self.next() >> 11) % u64::try_from(bound).unwrap()).unwrap()
    }

    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(i64::try_from(length).unwrap())).unwrap()
    }

    pub fn chance(&mut self, percent: i64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.index(list.len())]
    }
}

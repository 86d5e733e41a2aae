//! Random numbers for tests, the same in each run.

/// A xorshift generator.
pub struct Random(u64);

impl Random {
    /// Returns a generator with a seed, which must not be 0.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below the bound, or 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// Returns a text of characters from many scripts, with names among them.
    pub fn text(&mut self, length: usize) -> String {
        const PIECES: &[&str] = &[
            "JoinSet",
            "join_set",
            "HTTPServer2",
            "_",
            "__",
            " ",
            "\n",
            "::",
            "ß",
            "İ",
            "ﬁ",
            "\u{301}",
            "日本",
            "🦀",
            "\u{0}",
            "\"",
            "'",
            "*",
            "NEAR",
            "OR",
            "é",
            "Ünï_Code",
            "1e10",
            "0xff",
            "ies",
            "ing",
            "sses",
            "\u{feff}",
            "ǅ",
            "٣",
            "\\",
            "/",
            "..",
            "mod.rs",
            "a",
        ];
        (0..length)
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect()
    }
}

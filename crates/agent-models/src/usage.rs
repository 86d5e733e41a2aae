//! Tokens, as providers count them.

/// Tokens of one or several requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens that the model read, those from a cache of the provider included.
    pub input_tokens: u64,
    /// Tokens that the model wrote, its reasoning included.
    pub output_tokens: u64,
    /// True if some of them are estimated from lengths, because the provider did not count them.
    pub estimated: bool,
}

impl std::ops::Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            estimated: self.estimated || other.estimated,
        }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(usages: I) -> Self {
        usages.fold(Self::default(), |sum, usage| sum + usage)
    }
}

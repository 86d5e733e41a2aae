//! The kinds of values in a column, and the column type that holds them all.

/// A set of kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Kinds(u8);

/// The number of digits that a double always keeps: `DBL_DIG` of IEEE 754.
const EXACT_DIGITS: usize = 15;

impl Kinds {
    /// No value, or null only.
    pub(crate) const NOTHING: Self = Self(0);
    /// An integer that a double represents exactly, or a truth value.
    pub(crate) const INTEGER: Self = Self(1);
    /// An integer of 64 bits that a double may not represent exactly.
    pub(crate) const LONG_INTEGER: Self = Self(2);
    /// A number with a fraction or an exponent.
    pub(crate) const REAL: Self = Self(4);
    /// A text, or nested JSON.
    pub(crate) const TEXT: Self = Self(8);
    /// Bytes.
    pub(crate) const BLOB: Self = Self(16);

    /// Adds all kinds of another set.
    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the kind of a JSON number; `None` for an integer beyond 64 bits.
    pub(crate) fn of_number(text: &str) -> Option<Self> {
        if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            return Some(Self::REAL);
        }
        let digits = text.strip_prefix('-').unwrap_or(text).len();
        if digits <= EXACT_DIGITS {
            return Some(Self::INTEGER);
        }
        text.parse::<i64>().ok().map(|_| Self::LONG_INTEGER)
    }

    /// Returns the set as the bits of an integer below 32.
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the set for an integer from [`Kinds::bits`].
    pub(crate) const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns the declared type for a column with these kinds of values.
    ///
    /// Texts together with numbers need a TEXT column. Long integers together with fractions need a
    /// NUMERIC one, which keeps both exact.
    pub(crate) fn declared_type(self) -> &'static str {
        let numbers = Self(Self::INTEGER.0 | Self::LONG_INTEGER.0 | Self::REAL.0);
        if self.has(Self::TEXT) || self == Self::NOTHING {
            "TEXT"
        } else if self.has(Self::BLOB) {
            "BLOB"
        } else if !self.has(Self::REAL) && self.has(numbers) {
            "INTEGER"
        } else if self.has(Self::LONG_INTEGER) {
            "NUMERIC"
        } else {
            "REAL"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_type_holds_every_kind_it_has_seen() {
        for (kinds, expected) in [
            (&[][..], "TEXT"),
            (&[Kinds::INTEGER][..], "INTEGER"),
            (&[Kinds::INTEGER, Kinds::LONG_INTEGER][..], "INTEGER"),
            (&[Kinds::REAL][..], "REAL"),
            (&[Kinds::INTEGER, Kinds::REAL][..], "REAL"),
            (&[Kinds::LONG_INTEGER, Kinds::REAL][..], "NUMERIC"),
            (&[Kinds::INTEGER, Kinds::TEXT][..], "TEXT"),
            (&[Kinds::BLOB][..], "BLOB"),
            (&[Kinds::BLOB, Kinds::INTEGER][..], "BLOB"),
            (&[Kinds::BLOB, Kinds::TEXT][..], "TEXT"),
        ] {
            let mut all = Kinds::NOTHING;
            kinds.iter().for_each(|kind| all.add(*kind));
            assert_eq!(all.declared_type(), expected, "{kinds:?}");
        }
    }
}

//! Which kinds of values a column has seen, and the type that holds them all.

/// A set of kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Kinds(u8);

/// Digits that a double surely keeps: `DBL_DIG` of IEEE 754.
const EXACT_DIGITS: usize = 15;
/// Significant digits in a decimal text beyond which it means more than a double holds: `DBL_DECIMAL_DIG` of IEEE 754.
const MEANINGFUL_DIGITS: usize = 17;

impl Kinds {
    /// null only.
    pub(crate) const NOTHING: Self = Self(0);
    /// An integer that a double holds, or a truth value.
    pub(crate) const INTEGER: Self = Self(1);
    /// An integer of 64 bits that a double may not hold.
    pub(crate) const LONG_INTEGER: Self = Self(2);
    /// A number with a fraction or an exponent.
    pub(crate) const REAL: Self = Self(4);
    /// A text, or nested JSON.
    pub(crate) const TEXT: Self = Self(8);
    /// Bytes.
    pub(crate) const BLOB: Self = Self(16);

    /// Both sets.
    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The kind of a JSON number; `None` for an integer beyond 64 bits.
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

    /// The kind of a CSV field. What would lose something as a number (leading zeros, a plus, many digits) is a text.
    pub(crate) fn of_field(text: &str) -> Self {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let plain = unsigned.bytes().all(|byte| byte.is_ascii_digit());
        match unsigned.as_bytes() {
            [b'0', b'0'..=b'9', ..] | [] => Self::TEXT,
            [b'0'] if plain && text.len() > 1 => Self::TEXT,
            [b'0'..=b'9', ..] if plain => Self::of_number(text).unwrap_or(Self::TEXT),
            [b'0'..=b'9' | b'.', ..]
                if is_decimal(unsigned) && text.parse::<f64>().is_ok_and(f64::is_finite) =>
            {
                Self::REAL
            }
            _ => Self::TEXT,
        }
    }

    /// The declared type of a column that has seen these kinds.
    ///
    /// Texts beside numbers make a TEXT column. Long integers beside fractions make a NUMERIC one, which keeps both exact.
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

/// `12.5`, `.5`, `1e-3`, with no more digits than a double means.
fn is_decimal(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_digits =
        exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    digits(whole)
        && fraction.is_none_or(|fraction| !fraction.is_empty() && digits(fraction))
        && exponent_digits.is_none_or(|exponent| !exponent.is_empty() && digits(exponent))
        && whole.len() + fraction.map_or(0, str::len) <= MEANINGFUL_DIGITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_csv_field_is_a_number_only_where_nothing_is_lost() {
        for (field, expected) in [
            ("0", Kinds::INTEGER),
            ("-12", Kinds::INTEGER),
            ("9223372036854775807", Kinds::LONG_INTEGER),
            ("-9223372036854775808", Kinds::LONG_INTEGER),
            ("9223372036854775808", Kinds::TEXT),
            ("007", Kinds::TEXT),
            ("-0", Kinds::TEXT),
            ("+5", Kinds::TEXT),
            ("1.5", Kinds::REAL),
            ("0.5", Kinds::REAL),
            (".5", Kinds::REAL),
            ("5.", Kinds::TEXT),
            ("00.5", Kinds::TEXT),
            ("1e-3", Kinds::REAL),
            ("1E5", Kinds::REAL),
            ("1e999", Kinds::TEXT),
            ("1e", Kinds::TEXT),
            ("3.14159265358979323846", Kinds::TEXT),
            ("NaN", Kinds::TEXT),
            ("inf", Kinds::TEXT),
            ("1 ", Kinds::TEXT),
            ("12-3", Kinds::TEXT),
            ("-", Kinds::TEXT),
            (".", Kinds::TEXT),
            ("true", Kinds::TEXT),
            ("2024-01-01", Kinds::TEXT),
        ] {
            assert_eq!(Kinds::of_field(field), expected, "{field}");
        }
    }

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

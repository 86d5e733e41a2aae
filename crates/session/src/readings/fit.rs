//! The set of readings that one field fits, as bits.
//!
//! A number without separators fits every notation; `1,5` fits those with a decimal comma, `1,234`
//! also the one with commas between thousands. The readings of a column are the intersection of the
//! sets of its fields.

use super::{date, number};

/// The readings that a field fits, and the marks in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Fit(u64);

impl Fit {
    /// A field that is neither a number, nor a date, nor a truth value.
    pub(crate) const NOTHING: Self = Self(0);

    /// Numbers with a decimal point. The constants after it are its notations: without separators,
    /// and with commas, spaces or apostrophes between thousands.
    pub(crate) const POINT: Self = Self(0xF);
    pub(crate) const PLAIN: Self = Self(1);
    pub(crate) const POINT_COMMAS: Self = Self(1 << 1);
    pub(crate) const POINT_BLANKS: Self = Self(1 << 2);
    pub(crate) const POINT_APOSTROPHES: Self = Self(1 << 3);
    /// Numbers with a decimal comma. The constants after it are its notations: without separators,
    /// and with points, spaces or apostrophes between thousands.
    pub(crate) const COMMA: Self = Self(0xF0);
    pub(crate) const COMMA_ALONE: Self = Self(1 << 4);
    pub(crate) const COMMA_POINTS: Self = Self(1 << 5);
    pub(crate) const COMMA_BLANKS: Self = Self(1 << 6);
    pub(crate) const COMMA_APOSTROPHES: Self = Self(1 << 7);
    pub(crate) const NUMBER: Self = Self(0xFF);
    /// Spaces between thousands.
    const SEPARATED: Self = Self(1 << 2 | 1 << 6);

    /// The position of the bits of [`super::kinds::Kinds`] for the number read with a decimal
    /// point; then read with a decimal comma.
    const POINT_KIND_SHIFT: u32 = 8;
    const COMMA_KIND_SHIFT: u32 = 12;

    /// Orders of a date. Each of the first three has one bit for each separator (point, slash,
    /// hyphen). The fourth is for months written as a name.
    pub(crate) const DAY_FIRST: Self = Self(0b111 << 16);
    pub(crate) const MONTH_FIRST: Self = Self(0b111 << 19);
    pub(crate) const YEAR_FIRST: Self = Self(0b111 << 22);
    pub(crate) const NAMED_MONTH: Self = Self(1 << 25);
    pub(crate) const DATE: Self = Self(0x3FF << 16);
    /// A date in ISO 8601.
    pub(crate) const ISO: Self = Self(1 << 26);
    /// A date with a year of two digits.
    pub(crate) const SHORT_YEAR: Self = Self(1 << 27);
    /// `1.2.25`: a date with a year of two digits if the column has other dates, otherwise a
    /// version.
    pub(crate) const SHORT_OR_VERSION: Self = Self(1 << 51);
    /// `true` or `false`.
    pub(crate) const TRUTH: Self = Self(1 << 28);
    /// A number that SQLite reads with a loss: `007`.
    pub(crate) const LOSSY: Self = Self(1 << 29);

    /// Position of the currency in [`number::CURRENCIES`], from 1.
    const CURRENCY_SHIFT: u32 = 32;
    pub(crate) const CURRENCY: Self = Self(0x1F << Self::CURRENCY_SHIFT);
    pub(crate) const PERCENT: Self = Self(1 << 37);
    /// A negative number in brackets, or with its sign after it, or with a typographic sign.
    pub(crate) const NEGATIVE: Self = Self(1 << 38);
    /// Spaces around the field.
    pub(crate) const BLANKS: Self = Self(1 << 39);
    /// A leading `+`.
    pub(crate) const PLUS: Self = Self(1 << 40);

    /// The number, read with a decimal point or with a decimal comma, is equal to a word for a
    /// missing value.
    pub(crate) const MISSING_POINT: Self = Self(1 << 41);
    pub(crate) const MISSING_COMMA: Self = Self(1 << 42);

    /// `="00123"`, which tells a spreadsheet that the digits are a text.
    pub(crate) const FORMULA: Self = Self(1 << 43);
    /// `"…"` after a space: the CSV reader has kept the quotation marks as part of the text.
    pub(crate) const QUOTED: Self = Self(1 << 45);
    /// Plain spaces between the digits of a number.
    pub(crate) const SPACED: Self = Self(1 << 44);
    /// A whole number of 64 bits that a double cannot represent exactly.
    pub(crate) const INEXACT: Self = Self(1 << 46);
    /// A number with a mark, or an infinity, neither of which is read as a number: `<0.006`,
    /// `[98]`, `5*`, `inf`.
    pub(crate) const MARKED: Self = Self(1 << 47);
    /// Digits, `E` and digits, the form of a code: `1E1`. No program prints numbers like this.
    pub(crate) const CODE: Self = Self(1 << 48);
    /// Brackets around the number or a hyphen after it, which may be a minus sign: `(5)`, `5-`.
    pub(crate) const DOUBTFUL_SIGN: Self = Self(1 << 49);
    /// A whole price with hyphens that replace the fraction: `5.-`.
    pub(crate) const WHOLE_PRICE: Self = Self(1 << 50);

    /// A whole number of up to 15 digits.
    const WHOLE: Self =
        Self(Self::NUMBER.0 | 1 << Self::POINT_KIND_SHIFT | 1 << Self::COMMA_KIND_SHIFT);

    /// Finds the readings of a field.
    pub(crate) fn of(field: &str) -> Self {
        match field.as_bytes() {
            [b'-', b'1'..=b'9', rest @ ..] | [b'1'..=b'9', rest @ ..]
                if rest.len() < 15 && rest.iter().all(u8::is_ascii_digit) =>
            {
                return Self::WHOLE;
            }
            [b'0'] => return Self::WHOLE,
            long if long.len() > number::MAX_FIELD_BYTES => return number::lossy(trim(field)),
            _ => {}
        }
        let trimmed = trim(field);
        let blanks = if trimmed.len() == field.len() {
            Self::NOTHING
        } else {
            Self::BLANKS
        };
        if is_truth(trimmed).is_some() {
            return Self::TRUTH.with(blanks);
        }
        if formula(trimmed).is_some() {
            return Self::FORMULA.with(blanks);
        }
        if blanks != Self::NOTHING && quoted(trimmed).is_some() {
            return Self::QUOTED;
        }
        if !trimmed.bytes().any(|byte| byte.is_ascii_digit()) {
            return number::infinity(trimmed);
        }
        let number = number::fit(trimmed);
        if number != Self::NOTHING {
            let spaced = if number.has(Self::SEPARATED) && trimmed.contains(' ') {
                Self::SPACED
            } else {
                Self::NOTHING
            };
            return number.with(blanks).with(spaced);
        }
        match date::fit(trimmed) {
            Self::NOTHING => number::marked(trimmed),
            date => date.with(blanks),
        }
    }

    /// Returns the readings of a JSON number, which is taken as it is.
    pub(crate) fn of_json_number(text: &str) -> Self {
        let beyond = number::fit(text).and(Self::INEXACT.with(Self::LOSSY));
        Self::WHOLE.with(beyond)
    }

    /// Returns the readings of `true` or `false` in JSON.
    pub(crate) const fn of_json_truth() -> Self {
        Self::WHOLE.with(Self::TRUTH)
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the single readings of a set.
    pub(crate) fn each(self) -> impl Iterator<Item = Self> {
        (0..u64::BITS)
            .map(|bit| Self(1 << bit))
            .filter(move |single| self.has(*single))
    }

    pub(crate) const fn with_point_kind(self, kinds: u8) -> Self {
        Self(self.0 | (kinds as u64) << Self::POINT_KIND_SHIFT)
    }

    pub(crate) const fn with_comma_kind(self, kinds: u8) -> Self {
        Self(self.0 | (kinds as u64) << Self::COMMA_KIND_SHIFT)
    }

    /// Returns the kinds of the number, read with a decimal point.
    pub(crate) const fn point_kind(self) -> u8 {
        (self.0 >> Self::POINT_KIND_SHIFT) as u8 & 0xF
    }

    /// Returns the kinds of the number, read with a decimal comma.
    pub(crate) const fn comma_kind(self) -> u8 {
        (self.0 >> Self::COMMA_KIND_SHIFT) as u8 & 0xF
    }

    pub(crate) const fn of_currency(position: usize) -> Self {
        Self((position as u64 & 0x1F) << Self::CURRENCY_SHIFT)
    }

    /// Returns the bit for dates in an order with a separator. `orders` is one of the three sets of
    /// orders.
    pub(crate) fn date(orders: Self, separator: u8) -> Self {
        let place = match separator {
            b'.' => 0,
            b'/' => 1,
            _ => 2,
        };
        let first = orders.0 & orders.0.wrapping_neg();
        Self(first << place)
    }
}

/// Trims white space of all scripts from both ends.
pub(super) fn trim(field: &str) -> &str {
    match field.as_bytes() {
        [b'!'..=b'~'] => field,
        [b'!'..=b'~', .., b'!'..=b'~'] => field,
        _ => field.trim(),
    }
}

/// Returns the text in `="…"`, as a spreadsheet shows it.
pub(super) fn formula(field: &str) -> Option<String> {
    quoted(field.strip_prefix('=')?)
}

/// Returns the text in quotation marks.
pub(super) fn quoted(field: &str) -> Option<String> {
    let inside = field.strip_prefix('"')?.strip_suffix('"')?;
    let text = inside.replace("\"\"", "\u{0}");
    (!text.contains('"')).then(|| text.replace('\u{0}', "\""))
}

/// Returns the truth value that a field is.
pub(super) fn is_truth(field: &str) -> Option<bool> {
    match field.len() {
        4 if field.eq_ignore_ascii_case("true") => Some(true),
        5 if field.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

//! The lengths that a value may have when it is written and when it is read.

use database::limits::MAX_VALUE_BYTES;
use sql_gate::sizes::functions::Value;

/// Bytes of a number, a date or NULL.
pub(super) const SHORT: f64 = 8.0;

/// Bytes of a number as a text: a sign, 17 digits, a point and an exponent.
pub(super) const NUMBER_BYTES: f64 = 24.0;

/// The scale of a number about which nothing is known.
pub(super) const ANY_SCALE: u64 = MAX_VALUE_BYTES as u64;

/// The values that one instruction writes into a register, over all its runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WrittenValue {
    pub longest: f64,
    pub total: f64,
    pub(super) runs: f64,
    /// True for a literal or a parameter.
    pub(super) constant: bool,
    pub(super) number: Option<u64>,
    pub(super) scale: u64,
    /// True for a number that a recursion computes from the row before, so that its scale is not
    /// known before it runs.
    pub(super) counted: bool,
    /// True for a value that a recursion passes on. The lengths of its rows are not known before it
    /// runs.
    pub carried: bool,
    /// The length in the first rows of a recursion. The engine only checks the rows after them.
    pub(super) seed: f64,
    /// The table that the value is a part of, and the bytes of all its rows, as often as they are
    /// read.
    pub(super) source: Option<(usize, i64, f64)>,
    /// The column of a stored table that the value comes from.
    pub(super) origin: Option<Origin>,
}

/// A column of a stored table, and how often the value of each row is passed on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Origin {
    pub(super) page: i64,
    pub(super) column: i64,
    pub(super) times: f64,
}

impl WrittenValue {
    pub(super) fn short(runs: f64) -> Self {
        Self {
            longest: SHORT,
            total: SHORT * runs,
            runs,
            constant: false,
            number: None,
            scale: ANY_SCALE,
            counted: false,
            carried: false,
            seed: 0.0,
            source: None,
            origin: None,
        }
    }

    pub(super) fn of(longest: f64, runs: f64) -> Self {
        Self {
            longest,
            total: longest * runs,
            ..Self::short(runs)
        }
    }
}

/// The values that an instruction reads from a register, over all its runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operand {
    pub longest: f64,
    pub total: f64,
    pub constant: bool,
    pub carried: bool,
    pub(super) number: Option<u64>,
    pub(super) scale: u64,
    pub(super) counted: bool,
    pub(super) seed: f64,
    pub(super) source: Option<(usize, i64, f64)>,
    pub(super) origin: Option<Origin>,
}

impl Operand {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a length is never negative and at most that of a value"
    )]
    pub(super) fn as_value(&self) -> Value {
        Value {
            number: self.number,
            scale: self.scale,
            counted: self.counted,
            varies: !self.constant,
            ..Value::of(self.longest as u64)
        }
    }
}

//! The length of a value where it is written, and where it is read.

use crate::sizes::functions::Value;

/// A number, a date, NULL.
pub(super) const SHORT: f64 = 8.0;

/// What one instruction writes into a register, over all its runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    pub longest: f64,
    pub total: f64,
    pub(super) runs: f64,
    /// A literal or a parameter.
    pub(super) constant: bool,
    pub(super) number: Option<u64>,
    pub(super) scale: u64,
    /// Handed on by a recursion, whose rows have no known length before it runs.
    pub carried: bool,
    /// The table that the value is a part of, and what all its rows have together as often as they are read.
    pub(super) source: Option<(usize, i64, f64)>,
    /// A column of a stored table.
    pub(super) origin: Option<Origin>,
}

/// A column of a stored table, and how often the value of each row is handed on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Origin {
    pub(super) page: i64,
    pub(super) column: i64,
    pub(super) times: f64,
}

impl Written {
    pub(super) fn short(runs: f64) -> Self {
        Self {
            longest: SHORT,
            total: SHORT * runs,
            runs,
            constant: false,
            number: None,
            scale: 0,
            carried: false,
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

/// What an instruction reads from a register, over all its runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operand {
    pub longest: f64,
    pub total: f64,
    pub constant: bool,
    pub carried: bool,
    pub(super) number: Option<u64>,
    pub(super) scale: u64,
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
            varies: !self.constant,
            ..Value::of(self.longest as u64)
        }
    }
}

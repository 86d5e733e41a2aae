//! The verdict of a schema on a value, which may be unknown.

use std::ops::Not;

/// A verdict of Kleene's logic: "and" is the lesser of two, "or" the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Fails,
    Unknown,
    Fits,
}
pub(super) use Verdict::{Fails, Fits, Unknown};

impl From<bool> for Verdict {
    fn from(fits: bool) -> Self {
        if fits { Fits } else { Fails }
    }
}

impl Not for Verdict {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Fails => Fits,
            Unknown => Unknown,
            Fits => Fails,
        }
    }
}

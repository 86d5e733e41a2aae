//! What the texts of a column mean: numbers, dates, truth values, words for a missing value, or texts.
//!
//! A CSV has texts alone. Each field fits some readings ([`fit`]); a [`Profile`] counts them while the fields pass by, so the whole column is seen
//! in constant memory; behind the last field, [`Reading`] is the one reading that all fields agree on, and [`Conversion`] makes of each field what
//! SQLite reads. A column whose fields do not agree stays as it was written. [`sentence`] tells the sender what was done, or why nothing was.

mod date;
mod doubts;
mod fit;
mod kinds;
mod missing;
mod number;
mod profile;
mod reading;
mod sentences;
mod spellings;

#[cfg(test)]
mod tests;

pub(crate) use kinds::Kinds;
pub use missing::MissingWords;
pub use number::Decimal;
pub(crate) use profile::Profile;
pub(crate) use reading::{Column, Conversion, Reading};
pub use reading::{DateOrder, ReadingOptions};
pub(crate) use sentences::{HEADER_OF_NUMBERS, sentence, sentence_of_header, sentence_of_json};

/// Returns true if a text is a number in any notation, or a usual word for a missing value.
pub(crate) fn is_number_or_missing(text: &str) -> bool {
    is_number(text) || MissingWords::Usual.has(text)
}

/// Returns true if a text is a number in any notation.
pub(crate) fn is_number(text: &str) -> bool {
    fit::Fit::of(text).has(fit::Fit::NUMBER)
}

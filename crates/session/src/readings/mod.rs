//! The meaning of the texts in a column: numbers, dates, truth values, words for a missing value,
//! or plain texts.
//!
//! A CSV only has texts. Each field fits some readings ([`fit`]). A [`Profile`] counts these
//! readings while the fields arrive, so that the whole column is examined in constant memory. After
//! the last field, [`Reading`] is the one reading that all fields have in common, and
//! [`Conversion`] turns each field into the form that SQLite reads. A column whose fields have no
//! common reading stays as it was written. [`sentence`] tells the sender which columns were
//! converted, and why others were not.

mod column;
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
mod wording;

#[cfg(test)]
mod tests;

pub(crate) use column::Column;
pub(crate) use kinds::Kinds;
pub use missing::MissingWords;
pub use number::Decimal;
pub(crate) use profile::Profile;
pub(crate) use reading::{Conversion, Reading};
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

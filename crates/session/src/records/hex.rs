//! Bytes as hexadecimal text, the form that a blob has in a chunk.

use std::fmt::Write as _;

/// Appends the bytes as digits.
pub(crate) fn append(bytes: &[u8], out: &mut String) {
    out.reserve(bytes.len() * 2);
    // Writing into a String does not fail.
    let _ = write!(out, "{}", const_hex::display(bytes));
}

/// Returns the bytes for digits that [`append`] wrote.
pub(super) fn decode(digits: &str) -> Vec<u8> {
    const_hex::decode(digits).unwrap_or_default()
}

//! Bytes as hexadecimal text, the form in which a blob lies in a chunk.

use std::fmt::Write as _;

/// Appends the digits of the bytes.
pub(crate) fn append(bytes: &[u8], out: &mut String) {
    out.reserve(bytes.len() * 2);
    // Writing into a String does not fail.
    let _ = write!(out, "{}", const_hex::display(bytes));
}

/// The bytes of digits that [`append`] wrote.
pub(super) fn decode(digits: &str) -> Vec<u8> {
    const_hex::decode(digits).unwrap_or_default()
}

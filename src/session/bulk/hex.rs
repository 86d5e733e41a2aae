//! Bytes as hexadecimal text, the form in which a blob lies in a chunk.

/// Appends the digits of the bytes.
pub(in crate::session) fn append(bytes: &[u8], out: &mut String) {
    out.reserve(bytes.len() * 2);
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            out.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
        }
    }
}

/// The bytes of digits that [`append`] wrote.
pub(super) fn decode(digits: &str) -> Vec<u8> {
    let value = |digit: &u8| {
        char::from(*digit)
            .to_digit(16)
            .and_then(|value| u8::try_from(value).ok())
            .unwrap_or(0)
    };
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| {
            pair.iter()
                .fold(0, |byte, digit| (byte << 4) | value(digit))
        })
        .collect()
}

//! Accepts what may be the name of a character, without the tables of all names.

/// Bytes of a name: the longest of Unicode 16 has 88, and those of sequences are longer.
const MAX_NAME_BYTES: usize = 256;

/// Returns U+FFFD for a text that is written as names of characters are: letters, digits, blanks, hyphens and brackets. A name that nobody has given
/// is taken for one, so the parser does not see this mistake.
pub fn character(name: &str) -> Option<char> {
    let is_of_names = |letter: char| letter.is_ascii_alphanumeric() || " -_()".contains(letter);
    let is_name = !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.chars().all(is_of_names);
    is_name.then_some(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_as_a_name_is_one() {
        for name in [
            "EM DASH",
            "em dash",
            "HANGUL SYLLABLE GAG",
            "CJK UNIFIED IDEOGRAPH-4E00",
        ] {
            assert_eq!(character(name), Some('\u{FFFD}'), "{name}");
        }
        for name in ["", "é", "A\nB", "{", &"A".repeat(MAX_NAME_BYTES + 1)] {
            assert_eq!(character(name), None, "{name:?}");
        }
    }
}

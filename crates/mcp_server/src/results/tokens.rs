//! How many tokens a text is, from above: a result that the estimate lets through must fit.
//!
//! Vocabularies differ, but each joins letters into words, and hardly anything else. Measured with `o200k_base` on prose, JSON, code, base64,
//! digits, CJK and emoji, in `tests/worker/mcp-tokens.test.mjs`: the estimate was never below the count.

/// Letters that one token of a word holds in the worst case: words of no language, such as base64.
const LETTERS_OF_A_TOKEN: usize = 2;
/// Letters of one token in words as people write them, which are in lower case but for their first letter.
const LETTERS_OF_A_WORD_TOKEN: usize = 3;
/// Digits of one token.
const DIGITS_OF_A_TOKEN: usize = 3;

/// Tokens of a text, rather too many than too few.
pub fn estimate(text: &str) -> usize {
    let mut tokens = 0;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_ascii_alphabetic() {
            let (mut letters, mut ragged) = (1, false);
            let mut last = character;
            while let Some(next) = characters.next_if(char::is_ascii_alphabetic) {
                // A capital within a word, or next to digits, is a sign of text that is no word.
                ragged |= next.is_ascii_uppercase() && last.is_ascii_lowercase();
                last = next;
                letters += 1;
            }
            ragged |= characters.peek().is_some_and(char::is_ascii_digit);
            let of_a_token = if ragged {
                LETTERS_OF_A_TOKEN
            } else {
                LETTERS_OF_A_WORD_TOKEN
            };
            tokens += usize::div_ceil(letters, of_a_token);
        } else if character.is_ascii_digit() {
            let mut digits = 1;
            while characters.next_if(char::is_ascii_digit).is_some() {
                digits += 1;
            }
            tokens += usize::div_ceil(digits, DIGITS_OF_A_TOKEN);
        } else if character == ' ' {
            // A blank belongs to the word behind it; a run of them is one token more.
            let mut blanks = 1;
            while characters.next_if_eq(&' ').is_some() {
                blanks += 1;
            }
            tokens += usize::from(blanks > 1);
        } else if character.is_ascii() {
            tokens += 1;
        } else {
            // At worst each byte is a token of its own; letters of one or two bytes are seldom more than one.
            tokens += character.len_utf8().saturating_sub(1);
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn words_are_dear_and_no_words_dearer() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("the"), 1);
        assert_eq!(estimate("12345"), 2);
        assert!(estimate("QmFzZTY0IHRleHQ") > estimate("basesixtyfourte"));
        assert_eq!(estimate("\u{1f600}"), 3);
    }
}

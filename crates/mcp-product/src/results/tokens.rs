//! Estimates the number of tokens of a text from above, so that a result within the estimate fits.
//!
//! Vocabularies differ, but all of them join the letters of words, and hardly anything else. So
//! letters that look like words count less than other letters, and any other character counts
//! separately. `tests/worker/mcp-tokens.test.mjs` compares the estimate with the count of
//! `o200k_base` for results with prose, JSON, code, base64, digits, gene sequences, CJK and emoji.

/// For each letter, the letters that often follow it: the pairs that make up 88 % of the words in
/// the documents of this project.
const FOLLOWERS: [&str; 26] = [
    "bcdgilmnprstuxy",
    "aely",
    "aehot",
    "aeios",
    "acdlmnprstvx",
    "aior",
    "er",
    "aeio",
    "cdelmnorst",
    "s",
    "e",
    "adeilostu",
    "aeinops",
    "acdegostu",
    "dfgklmnoprstuw",
    "aeilor",
    "lu",
    "aeikorstuvy",
    "aceiopqstu",
    "aehiorst",
    "elmnrst",
    "ae",
    "hios",
    "t",
    "t",
    "",
];

/// Number of digits in one token.
const DIGITS_OF_A_TOKEN: usize = 3;

/// Estimates the tokens of a text; the estimate is rather too high than too low.
pub fn estimate(text: &str) -> usize {
    let mut tokens = 0;
    let mut characters = text.chars().peekable();
    let mut letters = Vec::new();
    while let Some(character) = characters.next() {
        if character.is_ascii_alphabetic() {
            letters.clear();
            letters.push(character);
            let starts_upper = character.is_ascii_uppercase();
            while let Some(next) = characters.next_if(|next| {
                let joins = if letters.len() == 1 && starts_upper {
                    next.is_ascii_alphabetic()
                } else {
                    letters.last().map(char::is_ascii_uppercase) == Some(next.is_ascii_uppercase())
                };
                next.is_ascii_alphabetic() && joins
            }) {
                letters.push(next);
            }
            tokens += of_letters(&letters);
        } else if character.is_ascii_digit() {
            let mut digits = 1;
            while characters.next_if(char::is_ascii_digit).is_some() {
                digits += 1;
            }
            tokens += usize::div_ceil(digits, DIGITS_OF_A_TOKEN);
        } else if character == ' ' {
            // A blank joins following letters or a sign, but not a digit or another character.
            let mut blanks = 1;
            while characters.next_if_eq(&' ').is_some() {
                blanks += 1;
            }
            let joins = characters
                .peek()
                .is_some_and(|next| next.is_ascii() && !next.is_ascii_digit());
            tokens += usize::from(blanks > 1 || !joins);
        } else {
            tokens += of_character(character);
        }
    }
    tokens
}

/// Counts two fifths of a token for each letter of a word, and two thirds for each other letter,
/// because there nearly every pair of letters is a token.
fn of_letters(letters: &[char]) -> usize {
    let pairs = letters.windows(2).count();
    let common = letters
        .windows(2)
        .filter(|pair| matches!(pair, [first, second] if is_common(*first, *second)))
        .count();
    let is_upper = letters.len() > 1 && letters.iter().all(char::is_ascii_uppercase);
    if !is_upper && 3 * common >= 2 * pairs {
        usize::div_ceil(2 * letters.len(), 5)
    } else {
        let rare = letters
            .iter()
            .filter(|letter| matches!(letter.to_ascii_lowercase(), 'j' | 'q' | 'x' | 'z'))
            .count();
        usize::div_ceil(2 * letters.len() + rare, 3)
    }
}

fn is_common(first: char, second: char) -> bool {
    let place = u32::from(first.to_ascii_lowercase()).checked_sub(u32::from('a'));
    let followers = place
        .and_then(|place| usize::try_from(place).ok())
        .and_then(|place| FOLLOWERS.get(place));
    followers.is_some_and(|followers| followers.contains(second.to_ascii_lowercase()))
}

/// Estimates the tokens of one character. A sign is one token. Of a character beyond ASCII each
/// byte may be a token, except for the common letters of some languages.
fn of_character(character: char) -> usize {
    match character {
        '\0'..='\u{7f}' => 1,
        // Russian letters.
        '\u{410}'..='\u{44f}' => 1,
        // Kana, and Chinese and Japanese characters.
        '\u{3041}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' => 2,
        _ => character.len_utf8(),
    }
}

/// Returns the longest beginning of a text that takes at most this many tokens.
pub fn beginning(text: &str, max_tokens: usize) -> &str {
    // Binary search: a longer beginning never has an estimate that is lower by more than one word.
    let (mut fits, mut too_long) = (0, text.len() + 1);
    while too_long - fits > 1 {
        let end = text.floor_char_boundary(fits + (too_long - fits) / 2);
        if end <= fits {
            break;
        }
        let part = text.get(..end).unwrap_or_default();
        if estimate(part) <= max_tokens {
            fits = end;
        } else {
            too_long = end;
        }
    }
    text.get(..fits).unwrap_or_default()
}

/// Cuts a text to at most this many tokens, with a mark at the cut.
pub fn cut(text: &str, max_tokens: usize) -> String {
    /// The mark at a cut.
    const MARK: &str = "… (cut)";
    if estimate(text) <= max_tokens {
        return text.to_owned();
    }
    let left = max_tokens.saturating_sub(estimate(MARK));
    format!("{}{MARK}", beginning(text, left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cheaper_than_other_letters() {
        assert_eq!(estimate(""), 0);
        assert_eq!(
            (estimate("the"), estimate("there is"), estimate("12345")),
            (2, 3, 2)
        );
        assert!(estimate("QmFzZTY0IHRleHQ") > estimate("some other letters"));
        assert_eq!(estimate("ACGTACGTA"), 6);
        assert_eq!(
            (estimate("\u{1f600}"), estimate("中文"), estimate("мир")),
            (4, 4, 3)
        );
        assert_eq!(estimate("1 2 3"), 5);
    }

    #[test]
    fn a_beginning_fits() {
        let text = "some words, 中文 and more words again and again";
        for tokens in 0..estimate(text) {
            let part = beginning(text, tokens);
            assert!(estimate(part) <= tokens && text.starts_with(part), "{part}");
        }
        assert_eq!(beginning(text, estimate(text)), text);
        assert_eq!(beginning("é", 1), "");
    }
}

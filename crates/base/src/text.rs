//! Texts of others, shortened before an error, a log or a list shows them.

/// So many characters of a text at most.
pub fn first(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

/// The text; or, where it is longer, so many characters of it and `…`.
pub fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// The text without the characters that would end its line or cannot be seen: a space stands for each.
pub fn one_line(text: &str) -> String {
    let printable = |character: char| {
        if character.is_control() {
            ' '
        } else {
            character
        }
    };
    text.chars().map(printable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        for (text, characters, begins, whole) in [
            ("", 3, "", ""),
            ("abc", 3, "abc", "abc"),
            ("äöüß", 3, "äöü", "äöü…"),
            ("ab", 0, "", "…"),
        ] {
            assert_eq!(first(text, characters), begins);
            assert_eq!(cut(text, characters), whole);
        }
    }

    #[test]
    fn a_line_has_no_line_breaks() {
        assert_eq!(one_line("a\r\nb\tc\u{7}"), "a  b c ");
    }
}

//! Shortens texts from others for an error, a log or a list.

/// Returns at most `characters` characters of a text.
pub fn first(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

/// Returns the text, or if it is longer, `characters` of its characters and `…`.
pub fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Returns the text with a space for each character that would end its line or is invisible.
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

/// HTML entities that occur in texts of models, with their characters.
const ENTITIES: [(&str, &str); 6] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    // This one is last, so that `&amp;lt;` becomes `&lt;` and not `<`.
    ("&amp;", "&"),
];

/// Returns the text with these HTML entities replaced by their characters.
pub fn without_entities(text: &str) -> String {
    let replaced = |text: String, (entity, letter): (&str, &str)| text.replace(entity, letter);
    ENTITIES.into_iter().fold(text.to_owned(), replaced)
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
    fn entities_are_decoded_once() {
        assert_eq!(
            without_entities("a &lt; &quot;b&#39; &amp;lt; &x;"),
            "a < \"b' &lt; &x;"
        );
    }

    #[test]
    fn a_line_has_no_line_breaks() {
        assert_eq!(one_line("a\r\nb\tc\u{7}"), "a  b c ");
    }
}

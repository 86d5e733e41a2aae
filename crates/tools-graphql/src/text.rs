//! Texts of limited length: paths, and quotations of a query or a server.

use std::fmt::Write;

/// Returns the text, or its beginning and `…`, which counts as a character.
pub(super) fn shorten(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some(_) => base::text::cut(text, characters.saturating_sub(1)),
    }
}

/// Returns true if a text is a GraphQL name.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first == b'_' || first.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// Longest key that a path shows in full, so that the path stays readable.
const KEY_CHARACTERS: usize = 64;

/// Adds a key to a path: `.name`, or `["a key"]` if it is not a name.
pub(super) fn push_key(path: &mut String, key: &str) {
    if is_name(key) && key.len() <= KEY_CHARACTERS {
        path.push('.');
        path.push_str(key);
    } else {
        // Writing to a String cannot fail.
        let _ = write!(path, "[{:?}]", shorten(key, KEY_CHARACTERS));
    }
}

/// Adds a list index to a path.
pub(super) fn push_index(path: &mut String, index: usize) {
    let _ = write!(path, "[{index}]");
}

/// Joins names: `a`, `a and b`, `a, b and c`.
pub(super) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_in_an_ellipsis_and_short_ones_stay() {
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("äöüß", 3), "äö…");
        assert_eq!(shorten("", 0), "");
    }

    #[test]
    fn keys_that_are_no_names_are_quoted() {
        let mut path = "data".to_owned();
        push_key(&mut path, "genes");
        push_index(&mut path, 3);
        push_key(&mut path, "a b\n");
        push_key(&mut path, "");
        assert_eq!(path, r#"data.genes[3]["a b\n"][""]"#);
    }

    #[test]
    fn names_are_listed_as_a_sentence_does() {
        assert_eq!(listed(&[]), "");
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
    }
}

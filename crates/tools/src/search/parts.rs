//! Splits names and descriptions into words: at separators, and before capitals.

use crate::limits::MAX_SEARCH_WORD_BYTES;

/// The kind of a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A word.
    Word,
    /// Several words without a separator, reported after them: `clinvar` after `clin` and `var`.
    Whole,
}

/// Reports only the words of a text.
pub(super) fn each_word(text: &str, mut found: impl FnMut(&str)) {
    each_part(text, |word, part| {
        if part == Part::Word {
            found(word);
        }
    });
}

/// Reports the words of a text in lower case, split at separators and before capitals. Words that
/// are too long are cut, and compounds that are too long are left out.
pub(super) fn each_part(text: &str, mut found: impl FnMut(&str, Part)) {
    let mut word = String::with_capacity(MAX_SEARCH_WORD_BYTES);
    let mut whole = String::with_capacity(MAX_SEARCH_WORD_BYTES);
    for run in text.split(|character: char| !character.is_alphanumeric()) {
        let mut words = 0;
        whole.clear();
        each_of_run(run, &mut word, |word| {
            found(word, Part::Word);
            words += 1;
            if whole.len() <= MAX_SEARCH_WORD_BYTES {
                whole.push_str(word);
            }
        });
        if words > 1 && whole.len() <= MAX_SEARCH_WORD_BYTES {
            found(&whole, Part::Whole);
        }
    }
}

/// Reports the words of a run of letters and digits; `word` is a reused buffer.
fn each_of_run(run: &str, word: &mut String, mut found: impl FnMut(&str)) {
    word.clear();
    let mut before = ' ';
    let mut characters = run.chars().peekable();
    while let Some(character) = characters.next() {
        let next_is_lower = characters.peek().is_some_and(|next| next.is_lowercase());
        let begins = character.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || (before.is_uppercase() && next_is_lower));
        if begins && !word.is_empty() {
            found(word);
            word.clear();
        }
        if word.len() < MAX_SEARCH_WORD_BYTES {
            if character.is_ascii() {
                word.push(character.to_ascii_lowercase());
            } else {
                word.extend(character.to_lowercase());
            }
        }
        before = character;
    }
    if !word.is_empty() {
        found(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn names_of_every_convention_give_the_same_words() {
        for name in [
            "get_full_text",
            "getFullText",
            "get-full-text",
            "get.full.text",
            "Get full TEXT",
            "GETFullText",
        ] {
            assert_eq!(words_of(name), ["get", "full", "text"], "{name}");
        }
        assert_eq!(words_of("searchHTTPServer2"), ["search", "http", "server2"]);
        assert_eq!(words_of("発表 日, é"), ["発表", "日", "é"]);
    }

    #[test]
    fn what_stands_together_is_one_word_too() {
        let parts_of = |text: &str| {
            let mut parts = Vec::new();
            each_part(text, |word, part| parts.push((word.to_owned(), part)));
            parts
        };
        let word = |text: &str| (text.to_owned(), Part::Word);
        assert_eq!(
            parts_of("ClinVar, get_text"),
            [
                word("clin"),
                word("var"),
                ("clinvar".to_owned(), Part::Whole),
                word("get"),
                word("text")
            ]
        );
        let long = "Ab".repeat(MAX_SEARCH_WORD_BYTES);
        assert!(parts_of(&long).iter().all(|(_, part)| *part == Part::Word));
    }
}

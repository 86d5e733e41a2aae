//! A light stemmer for English words in code.
//!
//! It removes the endings of plurals, of verbs and of words derived from verbs: `parser`, `parsed`,
//! `parsing` and `parses` become `par`. It works on ASCII; words with other letters are left
//! unchanged. Stemming a stem changes nothing. It may merge two different words, which harms a
//! search less than missing one.

use std::borrow::Cow;

/// An ending, its replacement, and the least number of bytes that must precede it.
type Ending = (&'static str, &'static str, usize);

/// The endings, tried in this order; the first match counts. Each makes the word shorter.
const ENDINGS: &[Ending] = &[
    ("ization", "iz", 2),
    ("uration", "ur", 3),
    ("entation", "ent", 2),
    ("ormation", "orm", 2),
    ("tion", "t", 3),
    ("sion", "s", 3),
    ("tor", "t", 3),
    ("able", "", 4),
    ("ible", "", 4),
    ("ings", "", 3),
    ("ing", "", 3),
    ("ies", "y", 3),
    ("ied", "y", 3),
    ("sses", "ss", 1),
    ("xes", "x", 1),
    ("ches", "ch", 1),
    ("shes", "sh", 1),
    ("es", "e", 3),
    ("ers", "er", 2),
    ("er", "", 3),
    ("ed", "", 3),
    ("e", "", 3),
];

/// Endings that look like one of those above, or like a plural, but are part of the word.
const KEPT: &[&str] = &["ss", "us", "is", "eed"];

/// Consonants that a verb doubles before its ending: `mapped`, `running`.
const DOUBLED: &[u8] = b"bdfgmnprt";

/// The least length in bytes of a word that loses an `s` or a doubled consonant: `add` is kept.
const LEAST_SHORTENED: usize = 4;

/// Returns the stem of a lower-case word.
///
/// ```
/// use code_search::words::stem;
///
/// assert_eq!(stem("parsing"), stem("parser"));
/// assert_eq!(stem("queries"), stem("query"));
/// ```
#[must_use]
pub fn stem(word: &str) -> Cow<'_, str> {
    let mut buffer = word.to_owned();
    stem_in_place(&mut buffer);
    if buffer == word {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(buffer)
    }
}

/// Replaces the word in a buffer by its stem.
pub(super) fn stem_in_place(word: &mut String) {
    if word.is_ascii() {
        // Each round removes at least one byte, and the caller bounds the length of a word.
        while shorten(word) {}
    }
}

/// Removes one ending. Returns false if there is none.
fn shorten(word: &mut String) -> bool {
    if word.len() < LEAST_SHORTENED || KEPT.iter().any(|kept| word.ends_with(kept)) {
        return false;
    }
    for (ending, instead, least) in ENDINGS {
        let Some(before) = word.strip_suffix(ending) else {
            continue;
        };
        if before.len() >= *least && has_vowel(before) {
            let length = before.len();
            word.truncate(length);
            word.push_str(instead);
            return true;
        }
    }
    let bytes = word.as_bytes();
    let doubled = match bytes {
        [.., last_but_one, last] => last_but_one == last && DOUBLED.contains(last),
        _ => false,
    };
    if doubled || word.ends_with('s') {
        word.pop();
        return true;
    }
    false
}

fn has_vowel(text: &str) -> bool {
    text.bytes()
        .any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[track_caller]
    fn one_stem(words: &[&str]) {
        for word in words {
            assert_eq!(stem(word), stem(words[0]), "{word}");
        }
    }

    #[test]
    fn forms_of_one_word_have_one_stem() {
        one_stem(&["parse", "parses", "parsed", "parsing", "parser", "parsers"]);
        one_stem(&["query", "queries", "queried", "querying"]);
        one_stem(&["run", "runs", "running", "runner"]);
        one_stem(&["map", "maps", "mapped", "mapping"]);
        one_stem(&[
            "allocate",
            "allocated",
            "allocation",
            "allocator",
            "allocators",
        ]);
        one_stem(&["serialize", "serializer", "serialization", "serializing"]);
        one_stem(&["add", "adds", "added", "adding"]);
        one_stem(&["match", "matches", "matched", "matching", "matcher"]);
        one_stem(&["index", "indexes", "indexed", "indexing"]);
        one_stem(&["configure", "configured", "configuration"]);
        one_stem(&["class", "classes"]);
        one_stem(&["box", "boxes", "boxed"]);
    }

    #[test]
    fn words_that_look_like_forms_stay() {
        for word in [
            "string", "status", "process", "speed", "ring", "bus", "axis", "größe",
        ] {
            assert_eq!(stem(word), word);
        }
    }
}

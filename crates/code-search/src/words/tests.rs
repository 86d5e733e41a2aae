//! Properties of the words of any text.

use super::{
    Share, common_stem, each_raw_word, each_word, identifiers, index_words, path_words,
    query_terms, query_words, stem,
};
use crate::random::Random;

/// The number of random texts for each property.
const TEXTS: usize = 3_000;

fn texts() -> impl Iterator<Item = String> {
    let mut random = Random::new(7);
    (0..TEXTS).map(move |_| {
        let length = random.below(30);
        random.text(length)
    })
}

#[test]
fn a_stem_is_its_own_stem() {
    for text in texts() {
        each_raw_word(&text, &mut |word| {
            let stemmed = stem(word).into_owned();
            assert_eq!(stem(&stemmed), stemmed, "{word}");
            let common = common_stem(word).into_owned();
            assert_eq!(common_stem(&common), common, "{word}");
        });
    }
    let endings = [
        "", "s", "es", "ing", "ings", "ed", "er", "ers", "ation", "tor", "ies", "ization", "able",
        "sses", "e",
    ];
    for start in [
        "pars", "map", "allocat", "quer", "run", "seri", "configur", "o", "str", "express",
    ] {
        for first in endings {
            for second in endings {
                let word = format!("{start}{first}{second}");
                assert_eq!(stem(&stem(&word)), stem(&word), "{word}");
            }
        }
    }
}

#[test]
fn words_have_only_letters_and_digits_of_lower_case() {
    for text in texts() {
        for word in index_words(&text)
            .split(' ')
            .filter(|word| !word.is_empty())
        {
            assert!(
                word.chars().all(char::is_alphanumeric),
                "{word:?} of {text:?}"
            );
        }
    }
}

#[test]
fn a_query_is_a_list_of_quoted_words_whatever_was_asked() {
    for text in texts() {
        let expression = query_words(&text);
        let terms = query_terms(&text);
        let expected: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
        assert_eq!(expression, expected.join(" OR "));
        assert_eq!(expression.matches('"').count(), 2 * terms.len());
    }
}

#[test]
fn what_is_indexed_is_found_by_itself() {
    for text in texts() {
        let indexed = index_words(&text);
        let indexed: Vec<&str> = indexed.split(' ').collect();
        for term in query_terms(&text) {
            assert!(indexed.contains(&term.as_str()), "{term} of {text:?}");
        }
    }
}

#[test]
fn no_text_is_too_much() {
    for text in texts() {
        let _ = (path_words(&text), identifiers(&text));
    }
    let long = "é".repeat(2_000_000);
    assert_eq!(index_words(&long), "");
    assert!(index_words(&"ab ".repeat(1_000_000)).len() <= 1_048_576);
}

#[test]
fn the_whole_of_an_identifier_follows_its_parts() {
    let mut seen = Vec::new();
    each_word("retry_after", &mut |word, share| {
        seen.push((word.to_owned(), share))
    });
    let expected = [
        ("retry", Share::Part),
        ("aft", Share::Part),
        ("retryaft", Share::Whole),
    ];
    assert_eq!(seen, expected.map(|(word, share)| (word.to_owned(), share)));
}

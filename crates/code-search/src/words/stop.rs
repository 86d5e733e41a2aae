//! Words that do not help to find an item.

/// Function words of English and words of questions, sorted.
const ENGLISH: &[&str] = &[
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "do", "does", "each", "for", "from", "get", "had", "has", "have", "how",
    "if", "in", "into", "is", "it", "its", "may", "me", "my", "no", "not", "of", "on", "or", "our",
    "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "to", "us", "using", "via", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "why", "will", "with", "would", "you", "your",
];

/// Keywords that nearly every item of code contains, sorted.
const KEYWORDS: &[&str] = &[
    "const", "crate", "else", "fn", "function", "impl", "let", "mod", "mut", "pub", "return",
    "self", "super", "use", "var",
];

/// Returns true if this lower-case word is left out of the index and of queries.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok() || KEYWORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{ENGLISH, KEYWORDS};

    #[test]
    fn the_lists_are_sorted_and_have_no_word_twice() {
        for list in [ENGLISH, KEYWORDS] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}

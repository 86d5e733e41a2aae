//! Queries of the text index.

use super::split::{Share, each_word, identifiers_of, limit};
use crate::limits::{MAX_QUERY_BYTES, MAX_QUERY_WORDS};

/// Returns the words of a query, stemmed, without stop words, each once, in the order of the query.
#[must_use]
pub fn query_terms(query: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    each_word(bounded(query), &mut |word, _: Share| {
        if terms.len() < limit(MAX_QUERY_WORDS) && !terms.iter().any(|term| term == word) {
            terms.push(word.to_owned());
        }
    });
    terms
}

/// Returns the words of a query as an expression for `MATCH` of FTS5: each quoted, with `OR`
/// between them. The expression is empty if the query has no word; the index must not be queried
/// with it.
///
/// ```
/// use code_search::words::query_words;
///
/// assert_eq!(
///     query_words("how does JoinSet abort tasks?"),
///     r#""join" OR "set" OR "joinset" OR "abort" OR "task""#,
/// );
/// ```
#[must_use]
pub fn query_words(query: &str) -> String {
    let mut expression = String::new();
    for term in query_terms(query) {
        if !expression.is_empty() {
            expression.push_str(" OR ");
        }
        // Words have only letters and digits, so none of them can end the quotation.
        expression.push('"');
        expression.push_str(&term);
        expression.push('"');
    }
    expression
}

/// Returns true if a query is a single name and not a sentence: `JoinSet`, `tokio::spawn`,
/// `Router.route`.
#[must_use]
pub fn is_symbol(query: &str) -> bool {
    let query = bounded(query).trim();
    !query.is_empty()
        && !query.contains(char::is_whitespace)
        && identifiers_of(query).next().is_some()
}

/// Returns the names in a query. For a symbol, these are all its parts; for a sentence, the words
/// that contain an underscore, a `::`, or an upper-case letter after the first character, as no
/// English word does.
#[must_use]
pub fn identifiers(query: &str) -> Vec<&str> {
    let query = bounded(query);
    let symbol = is_symbol(query);
    let mut names: Vec<&str> = Vec::new();
    for word in query.split_whitespace() {
        let path = word.contains("::");
        for name in identifiers_of(word) {
            let marked = symbol || path || looks_like_a_name(name);
            if marked && names.len() < limit(MAX_QUERY_WORDS) && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn looks_like_a_name(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let capital_inside =
        inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase);
    inner.contains('_') || capital_inside
}

fn bounded(query: &str) -> &str {
    query
        .get(..query.floor_char_boundary(limit(MAX_QUERY_BYTES)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{identifiers, is_symbol, query_words};

    #[test]
    fn a_name_is_told_from_a_sentence() {
        for symbol in ["JoinSet", "tokio::spawn", " Router.route "] {
            assert!(is_symbol(symbol), "{symbol}");
        }
        for sentence in ["", "   ", "waiting for futures", "?"] {
            assert!(!is_symbol(sentence), "{sentence}");
        }
    }

    #[test]
    fn names_inside_a_sentence_are_found() {
        assert_eq!(
            identifiers("how MethodRouter dispatches GET by from_fn"),
            ["MethodRouter", "from_fn"]
        );
        assert_eq!(identifiers("Semaphore"), ["Semaphore"]);
        assert_eq!(identifiers("how a Semaphore works"), [""; 0]);
    }

    #[test]
    fn a_query_is_quoted_and_bounded() {
        assert_eq!(query_words(r#"NEAR("x) OR *"#), r#""near""#);
        let many: Vec<String> = (0..1_000).map(|number| format!("w{number}x")).collect();
        assert!(query_words(&many.join(" ")).len() < 2_000);
    }
}

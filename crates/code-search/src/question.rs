//! The question of a search.

use crate::words;

/// A parsed question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    text: String,
    terms: Vec<String>,
    names: Vec<String>,
    is_symbol: bool,
}

impl Question {
    /// Parses a question: a sentence, or one name.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            terms: words::query_terms(text),
            names: words::identifiers(text)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            is_symbol: words::is_symbol(text),
        }
    }

    /// Returns the original text, from which a model computes a vector.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its words, stemmed.
    #[must_use]
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// Returns the names in it: all parts of a symbol, or the identifiers within a sentence.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns true if it is a single name.
    #[must_use]
    pub const fn is_symbol(&self) -> bool {
        self.is_symbol
    }

    /// Returns the expression for the text index, if the question has a word to look up.
    #[must_use]
    pub fn expression(&self) -> Option<String> {
        let expression = words::query_words(&self.text);
        (!expression.is_empty()).then_some(expression)
    }
}

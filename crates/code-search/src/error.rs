//! Errors of a table or of a stored vector.

/// The result of reading a table or a vector.
pub type Result<T> = std::result::Result<T, RetrievalError>;

/// The reason why a table or a vector cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetrievalError {
    /// The size of the file of signs does not match the list of tokens.
    #[error("the table of vectors has {bytes} bytes, and its {tokens} tokens need {needed}")]
    TableSize {
        /// Bytes of the file of signs.
        bytes: usize,
        /// Lines of the list of tokens.
        tokens: usize,
        /// The bytes that this many tokens need.
        needed: usize,
    },
    /// The list of tokens is not sorted, has a token twice, or is not UTF-8.
    #[error("line {line} of the tokens is not text that follows the line before it")]
    TokenOrder {
        /// The line, counted from 1; 0 if the list is not UTF-8.
        line: usize,
    },
    /// A vector is of another model.
    #[error("a vector has {found} dimensions, and the model has {expected}")]
    Dimensions {
        /// Its number of values.
        found: usize,
        /// The number of values of the model's vectors.
        expected: usize,
    },
    /// There are more vectors than the limit.
    #[error("there are more than {limit} vectors")]
    TooManyVectors {
        /// The limit.
        limit: usize,
    },
}

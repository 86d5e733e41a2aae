//! What is wrong with a table or with a stored vector.

/// The result of reading a table or a vector.
pub type Result<T> = std::result::Result<T, RetrievalError>;

/// Why a table or a vector cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetrievalError {
    /// The file of signs has not the size that the list of tokens asks for.
    #[error("the table of vectors has {bytes} bytes, and its {tokens} tokens need {needed}")]
    TableSize {
        /// Bytes of the file of signs.
        bytes: usize,
        /// Lines of the list of tokens.
        tokens: usize,
        /// What they need.
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
        /// What it has.
        found: usize,
        /// What the model has.
        expected: usize,
    },
    /// There are more vectors than are held.
    #[error("there are more than {limit} vectors")]
    TooManyVectors {
        /// How many are held.
        limit: usize,
    },
}

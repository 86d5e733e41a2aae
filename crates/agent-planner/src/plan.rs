//! The result of planning: a statement, a question back, a refusal, or a reply that needs no SQL.

/// The result of planning.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// One SQLite statement.
    Query {
        /// The statement, without a semicolon.
        sql: String,
        /// The explanation: its counts, filters and joins, in one or two sentences.
        explanation: String,
        /// The confidence in the links of the words, from 0 to 1. It is 1 if every word is spelt as
        /// in the schema.
        confidence: f64,
    },
    /// The question is not understood, or these tables do not have what it asks for.
    CannotAnswer {
        /// The reason; it quotes the word if one is not understood.
        reason: String,
        /// The words that the planner linked, as `word: meaning`.
        understood: Vec<String>,
        /// Questions that would be understood.
        suggestions: Vec<String>,
    },
    /// The question has several meanings.
    Ambiguous {
        /// The question back.
        question: String,
        /// The meanings.
        candidates: Vec<String>,
    },
    /// The question is not about rows.
    NoSqlNeeded {
        /// The response.
        answer: String,
    },
}

/// The reason for which there is no statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stop {
    /// A word that nothing accounts for.
    Unknown(String),
    /// The words are understood, but the tables do not have what they ask for.
    Cannot(String),
    /// There are several meanings.
    Ask {
        question: String,
        candidates: Vec<String>,
    },
}

impl Stop {
    pub(crate) fn cannot(reason: impl Into<String>) -> Self {
        Self::Cannot(reason.into())
    }

    pub(crate) fn ask(question: impl Into<String>, candidates: Vec<String>) -> Self {
        Self::Ask {
            question: question.into(),
            candidates,
        }
    }
}

/// The result of a step of planning.
pub(crate) type Step<T> = Result<T, Stop>;

//! The weights of the rules, and the explanation of a score.

use serde::Serialize;

/// The weights of the rules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Added to the rank in a list before the rank becomes a score: the smaller it is, the more the
    /// first few hits count.
    pub rank_constant: f64,
    /// The share of the dense list in the score for a sentence; the sparse list has the rest.
    pub dense_of_sentence: f64,
    /// The share of the dense list in the score for a single name, for which the text index is
    /// better.
    pub dense_of_symbol: f64,
    /// Added to a definition whose name is the question, as a multiple of the best score.
    pub definition: f64,
    /// Added to an item whose path ends with the path that is the question, as a multiple of the
    /// best score: more than all other rules together.
    pub whole_path: f64,
    /// Added to a definition whose name is in a sentence, as a multiple of the best score.
    pub name_in_sentence: f64,
    /// Multiplies the bonus of a definition whose file has its name: `Semaphore` in `semaphore.rs`.
    pub definition_in_own_file: f64,
    /// Multiplies the bonus of a re-export, compared with that of a definition.
    pub reexport: f64,
    /// Added if all words of an item's name are in a sentence, as a multiple of the best score; a
    /// share of it if only some are.
    pub name_words: f64,
    /// Added if all words of a sentence are in the first sentence of an item's documentation or in
    /// its name, as a multiple of the best score; a share of it if only some are.
    pub summary: f64,
    /// Added if all words of the item's type or module are in a sentence, as a multiple of the best
    /// score; a share of it if only some are.
    pub owner_words: f64,
    /// Added if the file's name has the same words as the question, as a multiple of the best
    /// score; a share of it if only some are the same.
    pub file_name: f64,
    /// Added if all words of the question are in the path, as a multiple of the best score; a share
    /// of it if only some are.
    pub path: f64,
    /// Added to the first hit of the file with the most hits, as a multiple of the best score; a
    /// share of it to the first hits of other files.
    pub coherence: f64,
    /// Multiplies the score of tests, examples, benchmarks and compatibility layers, unless the
    /// question asks for them.
    pub secondary: f64,
    /// Multiplies the score of a further hit of a file, once for each hit of that file before it.
    pub further_hit: f64,
}

impl Weights {
    /// The weights in use. They were tuned on 57 questions about three crates and on the docstrings
    /// of every second one of 40 crates, and `crates/code/examples/evaluate` checks them.
    pub const USED: Self = Self {
        rank_constant: 10.0,
        dense_of_sentence: 0.5,
        dense_of_symbol: 0.3,
        definition: 3.0,
        whole_path: 30.0,
        name_in_sentence: 0.5,
        definition_in_own_file: 1.5,
        reexport: 0.3,
        name_words: 0.6,
        summary: 0.5,
        owner_words: 0.4,
        file_name: 0.25,
        path: 0.25,
        coherence: 0.2,
        secondary: 0.3,
        further_hit: 1.0,
    };
}

impl Default for Weights {
    fn default() -> Self {
        Self::USED
    }
}

/// The name of a rule in explanations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The fused score of the lists.
    Fused,
    /// The item defines the name that is the question.
    Definition,
    /// The item's path ends with the path that is the question.
    WholePath,
    /// The item defines a name in the question.
    NameInSentence,
    /// The item's name has words of the question.
    NameWords,
    /// The first sentence of the item's documentation has words of the question.
    Summary,
    /// The item's type or module has words of the question.
    OwnerWords,
    /// The file's name has words of the question.
    FileName,
    /// The path has words of the question.
    Path,
    /// The same file has other hits.
    Coherence,
    /// The item is a test, an example, a benchmark or part of a compatibility layer.
    Secondary,
    /// The same file has a better hit.
    FurtherHit,
}

/// The effect of a rule on a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The number that was added to the score.
    Added(f64),
    /// The factor of the score.
    Multiplied(f64),
}

/// One line of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Reason {
    /// The rule.
    pub rule: Rule,
    /// Its effect.
    #[serde(flatten)]
    pub effect: Effect,
}

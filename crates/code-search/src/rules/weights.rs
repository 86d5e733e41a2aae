//! How much each rule counts, and what is told of it.

use serde::Serialize;

/// How much each rule counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// What is added to the rank in a list before it is turned into a score: the smaller, the more
    /// the first few count.
    pub rank_constant: f64,
    /// The share of the dense list for a sentence; the sparse list has the rest.
    pub dense_of_sentence: f64,
    /// The share of the dense list for one name, which the text index knows better.
    pub dense_of_symbol: f64,
    /// Added to a definition of the name that is the question, in best scores.
    pub definition: f64,
    /// Added to an item whose path ends with the path that is the question, in best scores: more
    /// than all other rules together.
    pub whole_path: f64,
    /// Added to a definition of a name inside a sentence, in best scores.
    pub name_in_sentence: f64,
    /// Multiplies what is added to a definition if its file is named like it: `Semaphore` in
    /// `semaphore.rs`.
    pub definition_in_own_file: f64,
    /// Multiplies what is added to a re-export instead of a definition.
    pub reexport: f64,
    /// Added if all words of an item's name are in a sentence, in best scores; a share of it if
    /// some are.
    pub name_words: f64,
    /// Added if all words of a sentence are in the first sentence of an item's documentation or in
    /// its name, in best scores; a share of it if some are.
    pub summary: f64,
    /// Added if all words of the type or module that an item belongs to are in a sentence, in best
    /// scores; a share of it if some are.
    pub owner_words: f64,
    /// Added if the words of the question and of the file's name are the same, in best scores; a
    /// share of it if some are.
    pub file_name: f64,
    /// Added if all words of the question are in the path, in best scores; a share of it if some
    /// are.
    pub path: f64,
    /// Added to the first hit of the file that has the most hits, in best scores; a share of it to
    /// those of other files.
    pub coherence: f64,
    /// Multiplies the score of tests, examples, benchmarks and compatibility layers, unless the
    /// question asks for them.
    pub secondary: f64,
    /// Multiplies the score of a further hit of a file, once for each hit before it.
    pub further_hit: f64,
}

impl Weights {
    /// What is used. The values come from 57 questions about three crates and the docstrings of
    /// every second of 40, and are checked by `crates/code/examples/evaluate`.
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

/// A rule, as explanations name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The fused score of the lists.
    Fused,
    /// It defines the name that is the question.
    Definition,
    /// Its path ends with the path that is the question.
    WholePath,
    /// It defines a name inside the question.
    NameInSentence,
    /// Its name has words of the question.
    NameWords,
    /// The first sentence of its documentation has words of the question.
    Summary,
    /// The type or module that it belongs to has words of the question.
    OwnerWords,
    /// The file is named with words of the question.
    FileName,
    /// The path has words of the question.
    Path,
    /// Other hits are in the same file.
    Coherence,
    /// It is a test, an example, a benchmark or a compatibility layer.
    Secondary,
    /// A better hit is in the same file.
    FurtherHit,
}

/// What a rule did to a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It was added.
    Added(f64),
    /// The score was multiplied by it.
    Multiplied(f64),
}

/// One line of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Reason {
    /// The rule.
    pub rule: Rule,
    /// What it did.
    #[serde(flatten)]
    pub effect: Effect,
}

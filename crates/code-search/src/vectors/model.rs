//! The models that compute the vector of a text.

use super::bag::weighted_words;
use super::{SignTable, hash, table};

/// A model that runs in this process and needs no network. Its name is part of an index: vectors of
/// two models are never compared.
#[derive(Debug, Clone)]
pub enum Model {
    /// Hashed words and n-grams, which match words that share letters.
    Hash,
    /// The table of tokens, which matches words of similar meaning.
    Table(SignTable),
    /// Both side by side, each with half of the weight.
    Both(SignTable),
}

impl Model {
    /// Returns the name of the model's index. Every change of how vectors are computed needs a new
    /// name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hash => "hash-512/1",
            Self::Table(_) => "sign-384/1",
            Self::Both(_) => "hash-512+sign-384/1",
        }
    }

    /// Returns the number of values of a vector.
    #[must_use]
    pub const fn dimensions(&self) -> usize {
        match self {
            Self::Hash => hash::DIMENSIONS,
            Self::Table(_) => table::DIMENSIONS,
            Self::Both(_) => hash::DIMENSIONS + table::DIMENSIONS,
        }
    }

    /// Returns the vector of a text, of length 1; zeros for a text without words.
    #[must_use]
    pub fn embed(&self, text: &str) -> Vec<f32> {
        let words = weighted_words(text);
        let mut vector = vec![0.0; self.dimensions()];
        match self {
            Self::Hash => hash::add(&words, &mut vector),
            Self::Table(table) => table.add(&words, &mut vector),
            Self::Both(table) => {
                let (hashed, of_table) = vector.split_at_mut(hash::DIMENSIONS);
                hash::add(&words, hashed);
                table.add(&words, of_table);
                normalise(hashed);
                normalise(of_table);
            }
        }
        normalise(&mut vector);
        vector
    }
}

/// Scales a vector to the length 1, unless its length is 0.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}

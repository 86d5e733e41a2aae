//! Vectors of texts, and the search for those near a question.
//!
//! [`Model`] computes the vector of a text from hashed words and n-grams
//! ([`hash_512`](Model::Hash)), from a table of tokens ([`SignTable`]), or from both side by side.
//! No model needs a network. A vector depends on its text alone, so items that do not change keep
//! their vectors. [`Matrix`] holds the vectors of a corpus in one byte for each dimension and finds
//! the nearest by cosine, after the mean of the corpus is subtracted.

mod bag;
mod feature;
mod hash;
mod idf;
mod matrix;
mod model;
mod quantised;
mod table;

pub use idf::{RARITY_BUCKETS, RARITY_UNIT, rarity_bucket};
pub use matrix::{Matrix, Near};
pub use model::Model;
pub use quantised::quantise;
pub use table::SignTable;

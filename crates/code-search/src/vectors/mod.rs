//! Vectors of texts, and the search for those near a question.
//!
//! [`Model`] makes a vector of a text: of hashed words and n-grams ([`hash_512`](Model::Hash)), of
//! a table of tokens ([`SignTable`]), or of both side by side. No model needs a network. What it
//! makes depends on the text alone, so items that do not change keep their vectors. [`Matrix`]
//! holds the vectors of a corpus in one byte for each dimension and finds the nearest by cosine,
//! after the corpus' mean is subtracted.

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

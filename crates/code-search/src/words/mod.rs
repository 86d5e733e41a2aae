//! Splits code into words, for the text index and for its queries.
//!
//! SQLite's tokenizers do not split identifiers, so the index has a column of words made here. An
//! identifier becomes its parts (`snake_case`, `camelCase`, acronyms and digits apart) and the
//! whole identifier without underscores, so that `JoinSet` and `join_set` are one word. Each is
//! lower-case and stemmed. Function words of English and words that nearly every item of code has
//! are left out of both.
//!
//! The functions keep no state and return the same for the same text. Their results contain only
//! letters, digits and single spaces, so a tokenizer that splits at everything else (`unicode61`)
//! leaves every word whole.

/// The weights of the columns of the text index for `bm25` of FTS5: the item's name, its path, its
/// body.
pub const COLUMN_WEIGHTS: [f64; 3] = [4.0, 1.0, 1.0];

mod abbreviation;
mod query;
mod split;
mod stem;
mod stop;

pub use query::{identifiers, is_symbol, query_terms, query_words};
pub use split::{Share, common_stem, each_raw_word, each_word, index_words, path_words};
pub use stem::stem;
pub use stop::is_stop_word;

#[cfg(test)]
mod tests;

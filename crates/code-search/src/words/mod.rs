//! Words of code: what a text index holds, and what it is asked for.
//!
//! SQLite's tokenizers know no identifiers, so the index has a column of words made here. An
//! identifier becomes its parts (`snake_case`, `camelCase`, acronyms and digits apart) and the
//! whole of it without underscores, so that `JoinSet` and `join_set` are one word. Each is
//! lower-case and stemmed. Function words of English and words that nearly every item of code has
//! are left out of both.
//!
//! The functions keep no state and return the same for the same text. What they return has only
//! letters, digits and single spaces, so a tokenizer that splits at everything else (`unicode61`)
//! leaves every word whole.

/// What a word counts in the columns of the text index, for `bm25` of FTS5: in the item's name, in
/// its path, in its body.
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

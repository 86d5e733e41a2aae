//! The table of token vectors: 20,000 lower-case word pieces, with one sign for each of 384
//! dimensions.
//!
//! A word in the table is one token; any other word is cut from the left into the longest pieces
//! that the table has. The files and their licence are in `data/code-vectors/`.

use std::borrow::Cow;
use std::rc::Rc;

use super::bag::Weighted;
use crate::error::{Result, RetrievalError};

/// The number of dimensions of the table.
pub const DIMENSIONS: usize = 384;

/// Bytes of the signs of a token: a bit for each dimension, the most significant first.
const ROW_BYTES: usize = DIMENSIONS / 8;

/// The length of the longest token in bytes. Longer pieces are not looked up.
const LONGEST_TOKEN_BYTES: usize = 26;

/// The tokens and their signs. Clones share them, because they take a megabyte.
#[derive(Debug, Clone)]
pub struct SignTable(Rc<Table>);

#[derive(Debug)]
struct Table {
    tokens: Cow<'static, str>,
    /// The byte at which each token starts, and then the byte after the last line break.
    starts: Vec<u32>,
    signs: Cow<'static, [u8]>,
}

impl SignTable {
    /// Returns the table that this crate embeds, which adds 1.1 MB to a module that calls this
    /// function. A Worker reads it as a static asset instead.
    ///
    /// # Errors
    ///
    /// None in practice: the tests read the same embedded files.
    pub fn embedded() -> Result<Self> {
        // One token a line, and 48 bytes of signs for each in the same order. The README beside the
        // files says how they were made.
        const TOKENS: &str = include_str!("../../../../data/code-vectors/sign384_tokens.txt");
        const SIGNS: &[u8] = include_bytes!("../../../../data/code-vectors/sign384_top20k.bin");
        Self::new(Cow::Borrowed(TOKENS), Cow::Borrowed(SIGNS))
    }

    /// Returns the table from two files: sorted tokens, one a line, and the signs of each in the
    /// same order.
    ///
    /// # Errors
    ///
    /// If the tokens are not sorted UTF-8, or if the sizes of the files do not match.
    pub fn from_files(tokens: Vec<u8>, signs: Vec<u8>) -> Result<Self> {
        let tokens =
            String::from_utf8(tokens).map_err(|_| RetrievalError::TokenOrder { line: 0 })?;
        Self::new(Cow::Owned(tokens), Cow::Owned(signs))
    }

    fn new(tokens: Cow<'static, str>, signs: Cow<'static, [u8]>) -> Result<Self> {
        let mut starts = vec![0_u32];
        let mut before = "";
        for (index, token) in tokens.lines().enumerate() {
            let line = index.saturating_add(1);
            let start = starts.last().copied().unwrap_or_default();
            let length = u32::try_from(token.len().saturating_add(1)).unwrap_or(u32::MAX);
            let end = start
                .checked_add(length)
                .ok_or(RetrievalError::TokenOrder { line })?;
            if token <= before {
                return Err(RetrievalError::TokenOrder { line });
            }
            before = token;
            starts.push(end);
        }
        let count = starts.len().saturating_sub(1);
        let needed = count.saturating_mul(ROW_BYTES);
        if signs.len() != needed {
            return Err(RetrievalError::TableSize {
                bytes: signs.len(),
                tokens: count,
                needed,
            });
        }
        Ok(Self(Rc::new(Table {
            tokens,
            starts,
            signs,
        })))
    }

    /// Returns the number of tokens.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.0.starts.len().saturating_sub(1)
    }

    /// Adds the tokens of weighted words to a vector of [`DIMENSIONS`].
    pub(super) fn add(&self, words: &[Weighted], vector: &mut [f32]) {
        for word in words {
            self.add_word(&word.word, word.weight, vector);
        }
    }

    fn add_word(&self, word: &str, weight: f32, vector: &mut [f32]) {
        if let Some(token) = self.find(word) {
            self.add_token(token, weight, vector);
            return;
        }
        let mut rest = word;
        while let Some((token, length)) = self.longest(rest) {
            // A piece of a word counts less than a whole word, because its meaning is less certain.
            self.add_token(token, weight / 2.0, vector);
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    /// Returns the longest token at the start of a text, and its length in bytes. Returns no token
    /// and the length of one character if no token begins with it.
    fn longest(&self, text: &str) -> Option<(Option<usize>, usize)> {
        let first = text.chars().next()?.len_utf8();
        let longest = text.floor_char_boundary(LONGEST_TOKEN_BYTES);
        (first..=longest)
            .rev()
            .filter_map(|length| Some((self.find(text.get(..length)?)?, length)))
            .next()
            .map_or(Some((None, first)), |(token, length)| {
                Some((Some(token), length))
            })
    }

    fn find(&self, word: &str) -> Option<usize> {
        let mut low = 0_usize;
        let mut high = self.tokens();
        while low < high {
            let middle = low.midpoint(high);
            match self.token(middle)?.cmp(word) {
                std::cmp::Ordering::Less => low = middle.saturating_add(1),
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    fn token(&self, index: usize) -> Option<&str> {
        let start = usize::try_from(*self.0.starts.get(index)?).ok()?;
        let next = usize::try_from(*self.0.starts.get(index.checked_add(1)?)?).ok()?;
        self.0.tokens.get(start..next.checked_sub(1)?)
    }

    fn add_token(&self, token: impl Into<Option<usize>>, weight: f32, vector: &mut [f32]) {
        let Some(token) = token.into() else { return };
        let start = token.saturating_mul(ROW_BYTES);
        let row = self
            .0
            .signs
            .get(start..start.saturating_add(ROW_BYTES))
            .unwrap_or_default();
        for (byte, values) in row.iter().zip(vector.chunks_exact_mut(8)) {
            for (bit, value) in values.iter_mut().enumerate() {
                let is_set = byte << bit & 0x80 != 0;
                *value += if is_set { weight } else { -weight };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DIMENSIONS, ROW_BYTES, SignTable};
    use crate::error::RetrievalError;

    #[test]
    fn the_embedded_table_has_every_token_of_its_file() {
        let table = SignTable::embedded().unwrap();
        assert_eq!(table.tokens(), 20_000);
        for index in 0..table.tokens() {
            let token = table.token(index).unwrap();
            assert_eq!(table.find(token), Some(index), "{token}");
        }
        assert_eq!(table.find("no such token"), None);
    }

    #[test]
    fn bits_are_read_from_the_most_significant() {
        let mut signs = vec![0_u8; ROW_BYTES];
        signs[0] = 0b1000_0001;
        let table = SignTable::from_files(b"word\n".to_vec(), signs).unwrap();
        let mut vector = vec![0.0; DIMENSIONS];
        table.add_token(0, 1.0, &mut vector);
        assert_eq!(
            vector[..9],
            [1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 1.0, -1.0]
        );
    }

    #[test]
    fn a_word_that_the_table_lacks_is_cut_into_pieces() {
        let table =
            SignTable::from_files(b"join\nset\n".to_vec(), vec![0xff; 2 * ROW_BYTES]).unwrap();
        assert_eq!(table.longest("joinset"), Some((Some(0), 4)));
        assert_eq!(table.longest("set"), Some((Some(1), 3)));
        assert_eq!(table.longest("éset"), Some((None, 2)));
        assert_eq!(table.longest(""), None);
    }

    #[test]
    fn files_that_do_not_fit_together_are_rejected() {
        let size = SignTable::from_files(b"a\nb\n".to_vec(), vec![0; 47]).unwrap_err();
        assert_eq!(
            size,
            RetrievalError::TableSize {
                bytes: 47,
                tokens: 2,
                needed: 96
            }
        );
        let order = SignTable::from_files(b"b\na\n".to_vec(), vec![0; 96]).unwrap_err();
        assert_eq!(order, RetrievalError::TokenOrder { line: 2 });
        assert_eq!(
            SignTable::from_files(vec![0xff], vec![]).unwrap_err(),
            RetrievalError::TokenOrder { line: 0 }
        );
    }
}

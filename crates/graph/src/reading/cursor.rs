//! Cursors of pages: numbers for the version that is read and the position in it.
//!
//! A cursor contains the version, so that all pages of one read are of the same version, even if
//! the graph changes meanwhile.

use base::{Error, Result};

use crate::ItemList;

/// Parses the numbers of a cursor.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] if the text was never a `nextCursor`.
pub(crate) fn parse<T, const N: usize>(
    text: &str,
    make: impl FnOnce([u64; N]) -> Option<T>,
) -> Result<T> {
    let mut numbers = [0; N];
    let mut pieces = text.split('.');
    let mut whole = true;
    for number in &mut numbers {
        match pieces.next().and_then(|piece| piece.parse().ok()) {
            Some(piece) => *number = piece,
            None => whole = false,
        }
    }
    let made = if whole && pieces.next().is_none() {
        make(numbers)
    } else {
        None
    };
    made.ok_or_else(|| {
        Error::invalid_with_hint(
            "cursor does not belong to this list",
            "send nextCursor of the previous page, or leave cursor out",
        )
    })
}

/// The position after a page of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    /// The version that is read.
    pub version: u64,
    /// The list that the page ended in.
    pub list: ItemList,
    /// Its last row.
    pub after: u64,
}

impl Position {
    /// Returns the beginning of a version.
    pub fn start(version: u64) -> Self {
        Self {
            version,
            list: ItemList::Nodes,
            after: 0,
        }
    }

    /// Parses a position.
    pub fn parse(text: &str) -> Result<Self> {
        parse(text, |[version, list, after]: [u64; 3]| {
            let list = match list {
                0 => ItemList::Nodes,
                1 => ItemList::Edges,
                _ => return None,
            };
            Some(Self {
                version,
                list,
                after,
            })
        })
    }

    /// Returns the text of the cursor.
    pub fn to_text(self) -> String {
        let list = match self.list {
            ItemList::Nodes => 0,
            ItemList::Edges => 1,
        };
        format!("{}.{list}.{}", self.version, self.after)
    }
}

//! Positions in a document, as GraphQL counts them.

use super::issue::Location;

/// A text whose offsets are converted to lines and columns.
pub(super) struct Lines<'a>(&'a str);

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text)
    }

    pub(super) fn locate(&self, offset: usize) -> Location {
        let before = self.0.get(..offset).unwrap_or(self.0);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() as u64 + 1;
        Location { line, column }
    }
}

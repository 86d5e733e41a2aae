//! The text of a file for the parser: without byte order mark and shebang. The parser's positions
//! do not count these.

use std::ops::Range;

use proc_macro2::{Span, TokenStream};

/// The mark at the start of some files.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of a file, and the start of the part that is parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The whole text.
    pub text: &'a str,
    /// The number of bytes before the parsed part.
    pub offset: usize,
}

impl<'a> Source<'a> {
    /// Returns the source of a whole file.
    pub fn new(text: &'a str) -> Self {
        let marked = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let mut offset = text.len() - marked.len();
        // `#![allow(…)]` begins like a shebang, and may have blanks and comments between its signs.
        let attribute = marked.strip_prefix("#!").is_some_and(|rest| {
            super::scan::Scanner::new(rest, 0)
                .next()
                .is_some_and(|token| rest.get(token.start..token.end) == Some("["))
        });
        if marked.starts_with("#!") && !attribute {
            offset += marked.find('\n').unwrap_or(marked.len());
        }
        Self { text, offset }
    }

    /// Returns the part that is parsed.
    pub fn parsed(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// Returns the bytes of the file for a span of the parser.
    pub fn range(&self, span: Span) -> Range<usize> {
        let range = span.byte_range();
        self.offset + range.start..self.offset + range.end
    }

    /// Returns the bytes from the first to the last token.
    pub fn range_of(&self, tokens: &TokenStream) -> Option<Range<usize>> {
        let mut tokens = tokens.clone().into_iter();
        let first = tokens.next()?;
        let start = self.range(first.span()).start;
        let end = self.range(tokens.last().unwrap_or(first).span()).end;
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_parser_leaves_out_is_counted() {
        for (text, offset) in [
            ("fn a() {}", 0),
            ("\u{feff}fn a() {}", 3),
            ("#!/bin/x\nfn a() {}", 8),
            ("\u{feff}#!/bin/x\nfn a() {}", 11),
            ("#![allow(a)]\n", 0),
            ("#! /* a */ [allow(a)]\n", 0),
            ("#!only", 6),
        ] {
            assert_eq!(Source::new(text).offset, offset, "{text}");
        }
    }
}

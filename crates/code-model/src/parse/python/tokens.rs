//! The tokens of a text without comments and white space, so that a hash of them ignores both.
//! Blocks count; the width of their indentation does not.

use std::ops::Range;

use ruff_python_ast::token::{TokenKind, Tokens as Parsed};
use ruff_text_size::Ranged;

/// The meaningful tokens of a file, in their order.
pub(super) struct Tokens<'t> {
    text: &'t str,
    tokens: Vec<(Range<usize>, Part)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Word,
    Line,
    Block,
    BlockEnd,
}

impl<'t> Tokens<'t> {
    pub fn of(text: &'t str, parsed: &Parsed) -> Self {
        let mut tokens = Vec::new();
        // White space between the parts of an f-string is part of the string.
        let (mut depth, mut opened) = (0_usize, 0);
        for token in parsed {
            let range = token.start().to_usize()..token.end().to_usize();
            let part = match token.kind() {
                TokenKind::FStringStart | TokenKind::TStringStart => {
                    if depth == 0 {
                        opened = range.start;
                    }
                    depth += 1;
                    continue;
                }
                TokenKind::FStringEnd | TokenKind::TStringEnd => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        tokens.push((opened..range.end, Part::Word));
                    }
                    continue;
                }
                TokenKind::Comment | TokenKind::NonLogicalNewline | TokenKind::EndOfFile => {
                    continue;
                }
                _ if depth > 0 => continue,
                // A semicolon ends a statement as a line end does.
                TokenKind::Newline | TokenKind::Semi => Part::Line,
                TokenKind::Indent => Part::Block,
                TokenKind::Dedent => Part::BlockEnd,
                _ => Part::Word,
            };
            tokens.push((range, part));
        }
        Self { text, tokens }
    }

    /// Returns the tokens of a part of the file as text.
    pub fn text_of(&self, span: &Range<usize>) -> String {
        let first = self
            .tokens
            .partition_point(|(range, _)| range.start < span.start);
        let mut said = String::new();
        let mut is_line = true;
        for (range, part) in self.tokens.get(first..).unwrap_or_default() {
            if range.start >= span.end {
                break;
            }
            match part {
                Part::Word => {
                    if !is_line {
                        said.push(' ');
                    }
                    said.push_str(self.text.get(range.clone()).unwrap_or_default());
                }
                Part::Line if is_line => continue,
                Part::Line => said.push('\n'),
                // Characters that no token contains.
                Part::Block => said.push('\u{1}'),
                Part::BlockEnd => said.push('\u{2}'),
            }
            is_line = *part != Part::Word;
        }
        // The end of a file also ends lines and blocks.
        let end = said.trim_end_matches(['\n', '\u{2}']).len();
        said.truncate(end);
        said
    }

    /// Returns the first byte of the first token at or after a byte that is not a line end.
    pub fn next_word(&self, from: usize) -> usize {
        let first = self.tokens.partition_point(|(range, _)| range.start < from);
        let mut rest = self.tokens.get(first..).unwrap_or_default().iter();
        let word = rest.find(|(_, part)| *part == Part::Word);
        word.map_or(from, |(range, _)| range.start)
    }

    /// Returns the end of the first colon at or after a byte.
    pub fn colon_end(&self, from: usize) -> Option<usize> {
        let first = self.tokens.partition_point(|(range, _)| range.start < from);
        let mut rest = self.tokens.get(first..)?.iter();
        let colon = rest.find(|(range, _)| self.text.get(range.clone()) == Some(":"))?;
        Some(colon.0.end)
    }
}

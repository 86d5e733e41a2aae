//! Python as a language of source files.

use std::ops::Range;

use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::Ranged;

use super::{height, names, read};
use crate::model::{ItemKind, Placement};
use crate::parse::{Front, Grammar, ItemNames, LongText, ParseFailure, Read, SharedLine};

/// Python, parsed with Ruff.
pub(crate) struct Python;

impl Grammar for Python {
    fn read(&self, text: &str, placement: &Placement) -> Result<Read, ParseFailure> {
        read(text, placement).map_err(ParseFailure::from)
    }

    fn module_of(&self, path: &str) -> Option<String> {
        Some(names::module_of(path))
    }

    fn separator(&self) -> &'static str {
        "."
    }

    fn other_paths(&self, item: ItemNames<'_>) -> Vec<String> {
        if item.kind == ItemKind::Import {
            let last = item.name.rsplit([' ', '.', ',']).next().unwrap_or_default();
            return vec![last.trim_matches(['(', ')']).to_owned()];
        }
        let within = item.canon.strip_prefix(item.module_path);
        let within = within.unwrap_or(item.canon);
        let within = within.trim_start_matches('.');
        let mut ways = vec![item.canon.replace('.', "::")];
        if !within.is_empty() {
            ways.push(within.to_owned());
            ways.push(within.replace('.', "::"));
        }
        ways
    }

    fn line_comment(&self) -> &'static str {
        "#"
    }

    fn plain_comment<'l>(&self, line: &'l str) -> Option<&'l str> {
        let comment = line.strip_prefix('#')?;
        (!comment.starts_with([':', '!'])).then_some(comment.trim())
    }

    fn belongs_below(&self, line: &str) -> bool {
        line.starts_with('#') && !line.starts_with("#!")
    }

    fn code_end(&self, gap: &str) -> Option<usize> {
        let mut end = 0;
        for (kind, range) in tokens(gap)? {
            match kind {
                TokenKind::Unknown => return None,
                TokenKind::Comment
                | TokenKind::Newline
                | TokenKind::NonLogicalNewline
                | TokenKind::Indent
                | TokenKind::Dedent
                | TokenKind::EndOfFile => {}
                _ => end = range.end,
            }
        }
        Some(end)
    }

    fn front<'t>(&self, item: &'t str) -> Front<'t> {
        front(item)
    }

    fn is_front_line(&self, line: &str) -> bool {
        line.starts_with(['@', '#'])
    }

    fn long_texts(&self, code: &str) -> Option<Vec<LongText>> {
        long_texts(code)
    }

    fn behind(&self, text: &str, span: &Range<usize>) -> usize {
        behind(text, span)
    }

    fn shared_line(&self, text: &str, span: &Range<usize>) -> Option<SharedLine> {
        shared_line(text, span)
    }
}

/// Returns the tokens of a text, which may begin and end anywhere between two tokens; `None` if it
/// nests too deeply.
fn tokens(text: &str) -> Option<Vec<(TokenKind, Range<usize>)>> {
    height::check(text).ok()?;
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let range = |token: &Token| token.start().to_usize()..token.end().to_usize();
    let tokens = parsed.tokens().iter();
    Some(tokens.map(|token| (token.kind(), range(token))).collect())
}

fn is_open(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace)
}

fn is_closed(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace)
}

/// Returns true for tokens without meaning, such as comments.
fn is_blank(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Comment
            | TokenKind::Newline
            | TokenKind::NonLogicalNewline
            | TokenKind::Indent
            | TokenKind::Dedent
    )
}

/// Finds the decorators of an item, and the docstring at the start of its body.
fn front(item: &str) -> Front<'_> {
    let mut front = Front {
        is_documented: item.trim_start().starts_with("#:"),
        attributes: Vec::new(),
    };
    let mut tokens = tokens(item).unwrap_or_default().into_iter().peekable();
    // Decorators.
    loop {
        while tokens.next_if(|(kind, _)| is_blank(*kind)).is_some() {}
        let Some((_, at)) = tokens.next_if(|(kind, _)| *kind == TokenKind::At) else {
            break;
        };
        let mut end = at.end;
        let mut compact = String::new();
        for (kind, range) in tokens.by_ref() {
            match kind {
                TokenKind::Newline => break,
                TokenKind::Comment | TokenKind::NonLogicalNewline => {}
                _ => {
                    compact.push_str(item.get(range.clone()).unwrap_or_default());
                    end = range.end;
                }
            }
        }
        let written = item.get(at.start..end).unwrap_or_default();
        front.attributes.push((compact, written));
    }
    // The header up to its colon. A module has none.
    let is_definition = matches!(
        tokens.peek(),
        Some((TokenKind::Def | TokenKind::Class | TokenKind::Async, _))
    );
    if is_definition {
        let mut depth = 0_usize;
        for (kind, _) in tokens.by_ref() {
            match kind {
                kind if is_open(kind) => depth += 1,
                kind if is_closed(kind) => depth = depth.saturating_sub(1),
                TokenKind::Colon if depth == 0 => break,
                _ => {}
            }
        }
        while tokens.next_if(|(kind, _)| is_blank(*kind)).is_some() {}
    }
    front.is_documented |= matches!(tokens.peek(), Some((TokenKind::String, _)));
    front
}

/// Returns the string literals with several lines. A literal that is a statement is documentation,
/// or has no effect.
fn long_texts(code: &str) -> Option<Vec<LongText>> {
    let mut texts: Vec<LongText> = Vec::new();
    let mut depth = 0_usize;
    let mut is_statement = true;
    let mut opened = Vec::new();
    for (kind, range) in tokens(code)? {
        let mut add = |range: Range<usize>, is_documentation: bool| {
            if code
                .get(range.clone())
                .is_some_and(|text| text.contains('\n'))
            {
                texts.push(LongText {
                    range,
                    is_documentation,
                });
            }
        };
        match kind {
            TokenKind::Unknown => return None,
            TokenKind::String => add(range, is_statement && depth == 0),
            TokenKind::FStringStart | TokenKind::TStringStart => opened.push(range.start),
            TokenKind::FStringEnd | TokenKind::TStringEnd => {
                let start = opened.pop()?;
                if opened.is_empty() {
                    add(start..range.end, false);
                }
            }
            kind if is_open(kind) => depth += 1,
            kind if is_closed(kind) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if opened.is_empty() {
            is_statement = is_blank(kind);
        }
    }
    Some(texts)
}

/// Returns the byte after an item, a comment on its last line, and comments below it that are
/// indented like its body.
fn behind(text: &str, span: &Range<usize>) -> usize {
    let rest = text.get(span.end..).unwrap_or_default();
    let line_of = |rest: &str| -> usize { rest.find(['\n', '\r']).unwrap_or(rest.len()) };
    let line = rest.get(..line_of(rest)).unwrap_or_default();
    if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
        return span.end;
    }
    let before = text.get(..span.start).unwrap_or_default();
    let own = span.start - before.rfind('\n').map_or(0, |at| at + 1);
    let mut end = span.end + line.len();
    let mut at = end;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let ended = if rest.starts_with("\r\n") { 2 } else { 1 };
        let next = rest.get(ended..).unwrap_or_default();
        let line = next.get(..line_of(next)).unwrap_or_default();
        let comment = line.trim_start();
        let is_inside = comment.starts_with('#') && line.len() - comment.len() > own;
        if !is_inside && !comment.is_empty() {
            break;
        }
        at += ended + line.len();
        if is_inside {
            end = at;
        }
    }
    end
}

/// Returns how to divide `a = 1; b = 2` and `if a: b = 2`, so that code inserted beside `b` does
/// not become part of the other statement.
fn shared_line(text: &str, span: &Range<usize>) -> Option<SharedLine> {
    let start = text.get(..span.start)?.rfind('\n').map_or(0, |at| at + 1);
    let front = text.get(start..span.start)?;
    let margin = front.len() - front.trim_start().len();
    let mut indent = front.get(..margin)?.to_owned();
    let separator = front.trim_end();
    let before = if separator.is_empty() {
        None
    } else {
        let mark = start + separator.len();
        match separator.chars().next_back() {
            Some(';') => Some(mark - 1..span.start),
            Some(':') => {
                indent.push_str("    ");
                Some(mark..span.start)
            }
            _ => None,
        }
    };
    let rest = text.get(span.end..)?;
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let behind = rest
        .get(blank..)
        .and_then(|rest| rest.strip_prefix(';'))
        .map(|next| {
            let more = next.trim_start_matches([' ', '\t']);
            span.end..text.len() - more.len()
        });
    (before.is_some() || behind.is_some()).then_some(SharedLine {
        indent,
        before,
        behind,
    })
}

//! Finds the function around a byte, from tokens alone, because the text around it does not parse.

use super::scan::{Kind, Scanner, Slashes, Token};

/// Returns the first byte of the innermost function around `at`.
pub fn around(text: &str, at: usize) -> Option<usize> {
    let mut scanner = Scanner::new(text, Slashes::default());
    let mut functions: Vec<(usize, usize)> = Vec::new();
    let (mut before, mut paren) = (None, None);
    let mut parens = Vec::new();
    let mut arrow = None;
    while let Some(token) = scanner.next() {
        if token.start >= at {
            break;
        }
        let depth = scanner.open.len();
        while functions.pop_if(|(_, level)| *level > depth).is_some() {}
        match token.kind {
            Kind::Open(b'(') => parens.push(
                before
                    .filter(|word: &Token| matches!(word.kind, Kind::Word { .. }))
                    .unwrap_or(token)
                    .start,
            ),
            Kind::Close { bracket: b')', .. } => paren = parens.pop(),
            Kind::Open(b'{') => {
                let head = before.and_then(|last| match scanner.text_of(last) {
                    ")" => paren,
                    "=>" => arrow,
                    _ => None,
                });
                if let Some(start) = head.filter(|start| !is_head(text, *start)) {
                    functions.push((start, depth));
                }
            }
            Kind::Sign if scanner.text_of(token) == "=>" => {
                arrow = before.and_then(|last| {
                    if scanner.text_of(last) == ")" {
                        paren
                    } else {
                        Some(last.start)
                    }
                });
                functions.pop_if(|(_, level)| *level == depth);
                functions.extend(arrow.map(|start| (start, depth)));
            }
            Kind::Word { .. }
            | Kind::Number
            | Kind::Text { .. }
            | Kind::Template { .. }
            | Kind::Pattern
            | Kind::Open(_)
            | Kind::OpenSubstitution
            | Kind::Close { .. }
            | Kind::Sign
            | Kind::OpenComment
            | Kind::Stray => {}
        }
        before = Some(token);
    }
    functions.last().map(|(start, _)| *start)
}

fn is_head(text: &str, start: usize) -> bool {
    let rest = text.get(start..).unwrap_or("");
    ["if", "for", "while", "switch", "catch", "with"]
        .iter()
        .any(|word| {
            rest.strip_prefix(word).is_some_and(|rest| {
                !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_' || next == '$')
            })
        })
}

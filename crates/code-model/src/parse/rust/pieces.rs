//! Splits a file into items as tokens, so that the parser gets one item at a time and its tree is
//! dropped before the next one is parsed.
//!
//! An item ends with `;`, or with braces that do not belong to an expression or a type. A few words
//! before the braces decide that. If the decision is wrong, the parser rejects a piece, and the
//! file is parsed as a whole.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Words after which an item ends with `;`, even if it has braces.
const ENDED_BY_SIGN: [&str; 4] = ["const", "static", "type", "use"];
/// Words after which an item that begins with `const` is a function.
const OF_FUNCTIONS: [&str; 4] = ["async", "extern", "fn", "unsafe"];

/// An iterator over the items of a file.
pub(super) struct Pieces {
    tokens: std::iter::Peekable<proc_macro2::token_stream::IntoIter>,
    /// The token before them, if it was read already but belongs to the next item.
    front: Option<TokenTree>,
}

impl Pieces {
    pub fn new(tokens: TokenStream) -> Self {
        Self {
            tokens: tokens.into_iter().peekable(),
            front: None,
        }
    }

    /// Returns the inner attributes before all items.
    pub fn attributes(&mut self) -> TokenStream {
        let mut found = Vec::new();
        while is_sign(self.tokens.peek(), '#') {
            let hash = self.tokens.next();
            if !is_sign(self.tokens.peek(), '!') {
                // It belongs to the first item.
                self.front = hash;
                break;
            }
            found.extend(hash);
            found.extend(self.tokens.next());
            found.extend(self.tokens.next());
        }
        found.into_iter().collect()
    }

    fn take(&mut self) -> Option<TokenTree> {
        self.front.take().or_else(|| self.tokens.next())
    }
}

fn is_sign(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(sign)) if sign.as_char() == wanted)
}

impl Iterator for Pieces {
    type Item = Vec<TokenTree>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut piece: Vec<TokenTree> = Vec::new();
        let mut end = End::default();
        while let Some(token) = self.take() {
            let is_last = end.is_behind(&token, self.tokens.peek());
            piece.push(token);
            if is_last {
                break;
            }
        }
        (!piece.is_empty()).then_some(piece)
    }
}

/// The state that decides where an item ends.
#[derive(Default)]
struct End {
    /// True after the first word of the item that does not belong to its attributes and visibility.
    begun: bool,
    by_sign: bool,
    angles: u32,
    behind_minus: bool,
}

impl End {
    fn is_behind(&mut self, token: &TokenTree, next: Option<&TokenTree>) -> bool {
        let behind_minus = std::mem::take(&mut self.behind_minus);
        match token {
            TokenTree::Ident(word) if !self.begun => {
                let word = word.to_string();
                if word == "pub" {
                    return false;
                }
                self.begun = true;
                let function = matches!(next, Some(TokenTree::Ident(next)) if OF_FUNCTIONS.contains(&next.to_string().as_str()));
                self.by_sign = ENDED_BY_SIGN.contains(&word.as_str()) && !function;
                false
            }
            TokenTree::Punct(sign) => {
                match sign.as_char() {
                    ';' => return true,
                    '<' => self.angles += 1,
                    '>' if !behind_minus => self.angles = self.angles.saturating_sub(1),
                    _ => {}
                }
                self.behind_minus = sign.as_char() == '-' && sign.spacing() == Spacing::Joint;
                false
            }
            TokenTree::Group(group) => {
                self.begun
                    && group.delimiter() == Delimiter::Brace
                    && !self.by_sign
                    && self.angles == 0
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        }
    }
}

/// Returns the number of tokens, including those within brackets. It recurses on brackets, whose
/// depth is bounded.
pub(super) fn count(tokens: &[TokenTree]) -> usize {
    let inside = |token: &TokenTree| match token {
        TokenTree::Group(group) => {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            1 + count(&inside)
        }
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => 1,
    };
    tokens.iter().map(inside).sum()
}

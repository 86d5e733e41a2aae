//! The items of a file as tokens, one after the other, by where they end: the parser sees one at a
//! time, and its tree goes before the next one comes.
//!
//! An item ends with `;`, or with braces that are none of an expression or a type. That is told by
//! a few words in front of them. Where it is told wrongly the parser rejects a piece, and the file
//! is parsed as a whole.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Words behind which an item ends with `;` whatever braces it has.
const ENDED_BY_SIGN: [&str; 4] = ["const", "static", "type", "use"];
/// Words that make a function of what begins with `const`.
const OF_FUNCTIONS: [&str; 4] = ["async", "extern", "fn", "unsafe"];

/// Goes through the items of a file.
pub(super) struct Pieces {
    tokens: std::iter::Peekable<proc_macro2::token_stream::IntoIter>,
    /// A token in front of them that was taken too early.
    front: Option<TokenTree>,
}

impl Pieces {
    pub fn new(tokens: TokenStream) -> Self {
        Self {
            tokens: tokens.into_iter().peekable(),
            front: None,
        }
    }

    /// Returns the inner attributes in front of all items.
    pub fn attributes(&mut self) -> TokenStream {
        let mut found = Vec::new();
        while is_sign(self.tokens.peek(), '#') {
            let hash = self.tokens.next();
            if !is_sign(self.tokens.peek(), '!') {
                // It is one of the first item.
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

/// What tells the end of an item.
#[derive(Default)]
struct End {
    /// The first word of it, which is none of attributes and visibility, was there.
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

/// Returns how many tokens there are, those within brackets included. It recurses on brackets,
/// whose depth has a bound.
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

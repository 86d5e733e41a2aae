//! A bound of the height of a Rust file's syntax tree, from tokens alone.
//!
//! The parser, its visitors and the dropping of its trees recurse on the height, and a Worker whose stack overflows is gone for everyone. So the
//! height is bounded before the parser sees the text. The bound may be too high, never too low: a bracket counts [`BRACKET_HEIGHT`], and every sign
//! or word that may nest without a bracket counts until the statement certainly ends.

use super::scan::{Kind, Scanner, Token};
use crate::limits::MAX_CODE_TREE_HEIGHT;

/// What a bracket counts: each takes the parser about as much stack as this many operators of a chain.
const BRACKET_HEIGHT: u32 = 10;
/// What a prefix counts, for which the parser calls itself, beside an operator, for which it goes on in a loop.
const PREFIX_HEIGHT: u32 = 8;
/// What the angle of a type counts: arguments of a type are the deepest calls of all.
const ANGLE_HEIGHT: u32 = 14;

/// Words behind which an expression or a type nests.
const PREFIXES: [&str; 19] = [
    "return", "break", "yield", "move", "if", "else", "match", "while", "for", "in", "let", "dyn",
    "impl", "fn", "mut", "ref", "unsafe", "async", "await",
];

/// Whether the tree of a text may be higher than [`MAX_CODE_TREE_HEIGHT`].
pub(crate) fn is_too_high(text: &str, start: usize) -> bool {
    let mut frames = vec![Frame::default()];
    let mut previous: Option<Token> = None;
    let mut tokens = Scanner::new(text, start).peekable();
    let mut around = 0_u32;
    while let Some(token) = tokens.next() {
        let word = text.get(token.start..token.end).unwrap_or_default();
        let next = tokens.peek().map_or(Kind::Close, |next| next.kind);
        match token.kind {
            Kind::Open => {
                let open = frames.last().map_or(0, |frame| frame.height()) + BRACKET_HEIGHT;
                around += open;
                frames.push(Frame {
                    base: open,
                    ..Frame::default()
                });
            }
            Kind::Close => {
                if frames.len() > 1 {
                    let closed = frames.pop().map_or(0, |frame| frame.base);
                    around = around.saturating_sub(closed);
                }
                if let Some(frame) = frames.last_mut() {
                    // A call or an index nests what stands before it.
                    frame.operators += 1;
                    frame.ended = word == "}";
                }
            }
            _ => {
                if let Some(frame) = frames.last_mut() {
                    frame.take(token, word, previous, next);
                }
            }
        }
        let height = around + frames.last().map_or(0, |frame| frame.height());
        if height > MAX_CODE_TREE_HEIGHT {
            return true;
        }
        previous = Some(token);
    }
    false
}

/// What is open in one bracket, or in the file.
#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    /// What this bracket added to the height.
    base: u32,
    operators: u32,
    prefixes: u32,
    /// Angles that may be those of types, in which a comma ends nothing.
    angles: u32,
    /// The token before was a `}`.
    ended: bool,
}

impl Frame {
    fn height(self) -> u32 {
        self.operators + self.prefixes * PREFIX_HEIGHT + self.angles * ANGLE_HEIGHT
    }

    fn ends(&mut self) {
        (self.operators, self.prefixes, self.angles) = (0, 0, 0);
    }

    fn take(&mut self, token: Token, word: &str, previous: Option<Token>, next: Kind) {
        let block_ended = std::mem::take(&mut self.ended);
        let begins = match token.kind {
            Kind::Word => !matches!(word, "else" | "as"),
            Kind::Sign => word == "#",
            _ => true,
        };
        if block_ended && begins {
            self.ends();
        }
        match token.kind {
            Kind::Word if PREFIXES.contains(&word) => self.prefixes += 1,
            Kind::Word if word == "as" => self.operators += 1,
            Kind::Sign => self.sign(word, previous, next),
            _ => {}
        }
    }

    fn sign(&mut self, sign: &str, previous: Option<Token>, next: Kind) {
        let behind_operand = previous
            .is_some_and(|token| matches!(token.kind, Kind::Word | Kind::Literal | Kind::Close));
        let behind_literal = previous.is_some_and(|token| token.kind == Kind::Literal);
        match sign {
            ";" => self.ends(),
            "," if self.angles == 0 => self.ends(),
            "," | ":" | "#" => {}
            // A comparison or a shift, and no type.
            "<" if behind_literal || next == Kind::Literal => self.operators += 1,
            "<" => self.angles += 1,
            ">" => self.angles = self.angles.saturating_sub(1),
            "." | "?" => self.operators += 1,
            _ if behind_operand => self.operators += 1,
            _ => self.prefixes += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_nest_deep_is_told_before_the_parser_sees_it() {
        for deep in [
            format!("fn f() {{ {}x{} }}", "(".repeat(300), ")".repeat(300)),
            format!("fn f() {{ {}x }}", "!".repeat(2_000)),
            format!("fn f() {{ x{} }}", " + x".repeat(3_000)),
            format!("fn f() {{ x{}; }}", ".a()".repeat(3_000)),
            format!("fn f() {{ if a {{}}{} }}", " else if b {}".repeat(1_000)),
            format!("type A = {}u8{};", "V<".repeat(600), ">".repeat(600)),
            format!("type A = {}u8{};", "V<u8, ".repeat(600), ">".repeat(600)),
            format!("type A = {}u8;", "&'a ".repeat(2_000)),
            format!("type A = {}u8;", "*const ".repeat(2_000)),
            format!("fn f() {{ {}x }}", "|a| ".repeat(2_000)),
            format!("fn f() {{ {}x }}", "return ".repeat(2_000)),
            format!("fn f() {{ x{} }}", " as u8".repeat(3_000)),
            format!("fn f() {{ x{} }}", " = x".repeat(3_000)),
            "mod a {".repeat(300),
        ] {
            assert!(is_too_high(&deep, 0), "{}", base::text::cut(&deep, 60));
        }
    }

    #[test]
    fn what_is_only_long_is_parsed() {
        for long in [
            "fn f(a: &str) -> Result<u8> { a.b()? }\n".repeat(3_000),
            format!("const A: [u32; 3000] = [{}];", "1 << 2, ".repeat(3_000)),
            format!("fn f() {{ {} }}", "if a < b { c(); }\n".repeat(3_000)),
            format!("fn f() {{ {} }}", "let a = &b[1..];\n".repeat(3_000)),
            format!(
                "fn f() {{ match a {{ {} }} }}",
                "A { b } => { &c }\n".repeat(3_000)
            ),
        ] {
            assert!(!is_too_high(&long, 0), "{}", base::text::cut(&long, 60));
        }
    }
}

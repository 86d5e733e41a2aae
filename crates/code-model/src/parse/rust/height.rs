//! Bounds the height of a Rust file's syntax tree, from tokens alone.
//!
//! The parser, its visitors and the destructors of its trees recurse on the height, and a stack
//! overflow stops the Worker for everyone. So the height is bounded before the parser sees the
//! tokens. These come from the lexer that the parser uses, which does not recurse, and they are
//! walked with an explicit stack. The bound may be too high, but never too low: a bracket counts
//! [`BRACKET_HEIGHT`], and every sign or word that may nest without a bracket counts until
//! everything in which it may nest has certainly ended.

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream, TokenTree};

use crate::limits::MAX_CODE_TREE_HEIGHT;

/// The height of a bracket: it takes the parser about as much stack as this many operators of a
/// chain.
const BRACKET_HEIGHT: u32 = 10;
/// The height of a prefix. The parser calls itself for a prefix, but uses a loop for operators.
const PREFIX_HEIGHT: u32 = 8;
/// The height of the angle bracket of a type: type arguments are the deepest calls of all.
const ANGLE_HEIGHT: u32 = 14;

/// Keywords that come only at the start of an expression, a pattern, a type or an item, each of
/// which may nest.
const PREFIXES: [&str; 43] = [
    "abstract", "async", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "final", "fn", "for", "if", "impl", "in", "let", "loop", "macro", "match",
    "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Words after which the statement before a `}` may continue: the `}` ends an `if`, the operand of
/// a cast, or the pattern of a loop.
const CONTINUES: [&str; 3] = ["else", "as", "in"];

/// Returns true if the tree of these tokens may be higher than [`MAX_CODE_TREE_HEIGHT`].
pub(super) fn is_too_high(tokens: TokenStream) -> bool {
    let mut open = vec![Frame::new(tokens, 0, false)];
    while let Some(frame) = open.last_mut() {
        let inner = match frame.tokens.next() {
            Some(TokenTree::Group(group)) => Some(frame.opens(&group)),
            Some(token) => {
                frame.take(&token);
                None
            }
            None => {
                open.pop();
                continue;
            }
        };
        if frame.height() > MAX_CODE_TREE_HEIGHT {
            return true;
        }
        open.extend(inner);
    }
    false
}

/// The previous token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A token after which an operator may come.
    Operand,
    Literal,
    /// A block, or anything else in braces.
    Braces,
    /// `#` or `#!`, before an attribute.
    Hash,
    /// The `'` of a lifetime, whose name is not an operand.
    Quote,
    /// A sign, and the next one if there is no space between them.
    Sign(char, Option<char>),
    /// The first sign of a two-character operator after an operand, such as `&&`.
    Pair(char),
    /// Any other token after which no operator may come.
    Nothing,
}

/// The state within one bracket, or within the file.
struct Frame {
    tokens: std::iter::Peekable<proc_macro2::token_stream::IntoIter>,
    /// The height of the surroundings, including its own bracket.
    base: u32,
    operators: u32,
    prefixes: u32,
    /// Angle brackets that may be those of types, in which a comma ends nothing.
    angles: u32,
    /// True if the parameters of a closure may be open, in which a comma ends nothing.
    closure: bool,
    /// True in a `use`, in which each `::` nests; `imports` is true if that applies to the whole
    /// bracket.
    import: bool,
    imports: bool,
    before: Before,
}

impl Frame {
    fn new(tokens: TokenStream, base: u32, imports: bool) -> Self {
        Self {
            tokens: tokens.into_iter().peekable(),
            base,
            operators: 0,
            prefixes: 0,
            angles: 0,
            closure: false,
            import: false,
            imports,
            before: Before::Nothing,
        }
    }

    fn height(&self) -> u32 {
        self.base + self.operators + self.prefixes * PREFIX_HEIGHT + self.angles * ANGLE_HEIGHT
    }

    /// Ends everything that nests in this bracket.
    fn ends(&mut self) {
        (self.operators, self.prefixes, self.angles) = (0, 0, 0);
        (self.closure, self.import) = (false, false);
    }

    /// Returns the frame for the inside of a bracket, and records the bracket as the previous
    /// token.
    fn opens(&mut self, group: &Group) -> Self {
        let inner = Self::new(
            group.stream(),
            self.height() + BRACKET_HEIGHT,
            self.import || self.imports,
        );
        if self.before == Before::Hash {
            self.before = Before::Nothing;
            return inner;
        }
        // A call or an index nests the operand before it.
        self.operators += 1;
        self.before = if group.delimiter() == Delimiter::Brace {
            Before::Braces
        } else {
            Before::Operand
        };
        inner
    }

    fn take(&mut self, token: &TokenTree) {
        match token {
            TokenTree::Ident(word) => self.word(&word.to_string()),
            TokenTree::Literal(_) => {
                if self.before == Before::Braces {
                    self.ends();
                }
                self.before = Before::Literal;
            }
            TokenTree::Punct(sign) => self.before = self.sign(sign),
            TokenTree::Group(_) => {}
        }
    }

    fn word(&mut self, word: &str) {
        if self.before == Before::Braces && !CONTINUES.contains(&word) {
            self.ends();
        }
        let lifetime = self.before == Before::Quote;
        self.before = if lifetime || PREFIXES.contains(&word) || word == "as" {
            Before::Nothing
        } else {
            Before::Operand
        };
        match word {
            _ if lifetime => {}
            "as" => self.operators += 1,
            _ if PREFIXES.contains(&word) => {
                self.prefixes += 1;
                self.import |= word == "use";
            }
            _ => {}
        }
    }

    fn sign(&mut self, sign: &Punct) -> Before {
        let character = sign.as_char();
        let following = self.tokens.peek();
        let before_literal = matches!(following, Some(TokenTree::Literal(_)));
        let next = match following {
            Some(TokenTree::Punct(next)) if sign.spacing() == Spacing::Joint => {
                Some(next.as_char())
            }
            _ => None,
        };
        let before = self.before;
        let behind_operand = matches!(before, Before::Operand | Before::Literal | Before::Braces);
        let touches = |of: char| matches!(before, Before::Sign(first, Some(_)) if first == of);
        match character {
            ';' => self.ends(),
            ',' if self.angles == 0 && !self.closure => self.ends(),
            ',' => {}
            '\'' => {
                if before == Before::Braces {
                    self.ends();
                }
                return Before::Quote;
            }
            '#' => {
                if before == Before::Braces {
                    self.ends();
                }
                return Before::Hash;
            }
            '!' if before == Before::Hash => return Before::Hash,
            ':' => self.prefixes += u32::from(touches(':') && (self.import || self.imports)),
            // A comparison or a shift: a type never follows a literal, nor begins with `=`.
            '<' if next == Some('=')
                || before == Before::Literal
                || before == Before::Pair('<') =>
            {
                self.operators += 1;
                if before == Before::Literal && next == Some('<') {
                    return Before::Pair('<');
                }
            }
            // The second sign of a shift. The first one counted as an angle bracket, but no type is
            // `<1`.
            '<' if touches('<') && before_literal => {
                self.angles = self.angles.saturating_sub(1);
                self.operators += 2;
            }
            '<' => self.angles += 1,
            // The arm of a match: its pattern has ended.
            '>' if touches('=') => self.ends(),
            '>' if touches('-') => {}
            '>' => {
                self.angles = self.angles.saturating_sub(1);
                self.operators += 1;
            }
            // A type may follow, and a function type may contain several of these in a row.
            '-' if next == Some('>') => self.prefixes += 1,
            // `==` and `=>`, and operators that end with one of these.
            '=' if matches!(next, Some('=' | '>')) || touches('=') || touches('!') => {
                self.operators += 1;
            }
            '=' | '@' => self.prefixes += 1,
            _ if before == Before::Pair(character) => self.operators += 1,
            // An alternative of a pattern, or a closure after a block.
            '|' if before == Before::Braces => {
                self.prefixes += 1;
                self.closure = true;
            }
            _ if behind_operand => {
                self.operators += 1;
                let pair = matches!(character, '&' | '|' | '.') && !self.closure;
                if pair && next == Some(character) {
                    return Before::Pair(character);
                }
            }
            _ => {
                self.prefixes += 1;
                self.closure |= character == '|';
            }
        }
        // `a?` is an operand, `?Sized` is not.
        if character == '?' && behind_operand {
            return Before::Operand;
        }
        Before::Sign(character, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_high(text: &str) -> bool {
        is_too_high(text.parse().unwrap())
    }

    #[test]
    fn what_may_nest_deep_is_told_before_the_parser_sees_it() {
        for deep in [
            format!("fn f() {{ {}x{} }}", "(".repeat(300), ")".repeat(300)),
            format!("fn f() {{ {}x }}", "!".repeat(2_000)),
            format!("fn f() {{ x{} }}", " + x".repeat(3_000)),
            format!("fn f() {{ x{} }}", " >> x".repeat(3_000)),
            format!("fn f() {{ x{}; }}", ".a()".repeat(3_000)),
            format!("fn f() {{ if a {{}}{} }}", " else if b {}".repeat(1_000)),
            format!("type A = {}u8{};", "V<".repeat(600), ">".repeat(600)),
            format!("type A = {}u8{};", "V<u8, ".repeat(600), ">".repeat(600)),
            format!("type A = {}u8{};", "V<1, ".repeat(600), ">".repeat(600)),
            format!("type A = {}u8{};", "V<-1, ".repeat(600), ">".repeat(600)),
            format!(
                "type A = {}u8{};",
                "V<fn() -> u8, ".repeat(600),
                ">".repeat(600)
            ),
            format!("type A = {}u8{};", "<".repeat(600), " as A>::B".repeat(600)),
            format!("type A = {}u8;", "&'a ".repeat(2_000)),
            format!("type A = {}u8;", "*const ".repeat(2_000)),
            format!("type A = {}u8;", "fn() -> ".repeat(2_000)),
            format!("use {}b;", "a::".repeat(2_000)),
            format!("use {}b{};", "{a::c::".repeat(90), "}".repeat(90)),
            format!("fn f() {{ {}x }}", "|a| ".repeat(2_000)),
            format!("fn f() {{ {}x }}", "|a, b| ".repeat(2_000)),
            format!("fn f() {{ x{} }}", "|| |a, b| x".repeat(2_000)),
            format!("fn f() {{ {}x }}", "#[a] |a, b| ".repeat(2_000)),
            format!("fn f() {{ {}x }}", "move |a, b| ".repeat(2_000)),
            format!("fn f() {{ {}x }}", "|a||b".repeat(2_000)),
            format!("fn f() {{ {}x }}", "return ".repeat(2_000)),
            format!("fn f() {{ {}x }}", "become ".repeat(2_000)),
            format!("fn f() {{ {}x }}", "&raw const ".repeat(2_000)),
            format!("fn f() {{ {}x }}", ".. ".repeat(2_000)),
            format!("fn f() {{ {}x }}", "for S { a } in ".repeat(2_000)),
            format!("fn f() {{ let {}x; }}", "x @ ".repeat(2_000)),
            format!("fn f() {{ x{} }}", " as u8".repeat(3_000)),
            format!("fn f() {{ x{} }}", " = x".repeat(3_000)),
            format!("{}{}", "mod a {".repeat(300), "}".repeat(300)),
        ] {
            assert!(too_high(&deep), "{}", base::text::cut(&deep, 60));
        }
    }

    #[test]
    fn what_is_only_long_is_parsed() {
        for long in [
            "fn f(a: &str) -> Result<u8> { a.b()? }\n".repeat(3_000),
            "/// Says.\n//! Says.\n#[a(b)]\n".repeat(3_000),
            format!("const A: [u32; 3000] = [{}];", "1 << 2, ".repeat(3_000)),
            format!("const A: [u32; 3000] = [{}];", "A | B, ".repeat(3_000)),
            format!("fn f() {{ {} }}", "if a < b { c(); }\n".repeat(3_000)),
            format!("fn f() {{ {} }}", "if a < 1 { c(); }\n".repeat(3_000)),
            format!("fn f() {{ {} }}", "let a = &b[1..];\n".repeat(3_000)),
            format!("fn f() {{ {} }}", "a.b(|a, b| a < 1);\n".repeat(3_000)),
            format!("fn f() {{ x::{}a() }}", "a::".repeat(3_000)),
            format!("use a::{{{}}};", "b::c, ".repeat(3_000)),
            format!(
                "fn f() {{ match a {{ {} }} }}",
                "A { b } => { &c }\n".repeat(3_000)
            ),
            format!(
                "fn f() {{ match a {{ {} }} }}",
                "(a, 1) if a < 1 || b => { c }\n".repeat(3_000)
            ),
        ] {
            assert!(!too_high(&long), "{}", base::text::cut(&long, 60));
        }
    }
}

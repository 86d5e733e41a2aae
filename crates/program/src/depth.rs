//! Computes an upper bound of the height of the syntax tree, from tokens alone.
//!
//! The parser, its visitors and the splicing all recurse to the height of the tree, and a stack
//! overflow ends the Worker for everyone. So the height is bounded before the parser sees the text.
//! The bound may be too high, but never too low. Each bracket adds [`BRACKET_HEIGHT`] until it is
//! closed. Each sign that may nest without a bracket adds at least one, until the statement
//! certainly ends. If a `/` can be read in two ways, both are tried.

use super::scan::{Kind, NextToken, Scanner, Slashes, Token};
use super::source::number;
use crate::limits::{MAX_PROGRAM_HEIGHT, MAX_SCANNED_BYTES};

/// The height that one bracket adds: each costs the parser about as much stack as this number of
/// operators.
pub const BRACKET_HEIGHT: u32 = 8;

/// The height that a nested statement or a prefix adds. An ordinary operator adds one.
pub const NESTED_HEIGHT: u32 = 4;

/// The reasons to keep a text from the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooDeep {
    /// The tree may be higher than [`MAX_PROGRAM_HEIGHT`]. Holds the byte at which the bound is
    /// exceeded.
    Height(usize),
    /// Too many slashes can be read in two ways. Holds the byte of one of them.
    Slashes(usize),
    /// An HTML comment, which could hide code from a scanner. Holds its first byte.
    HtmlComment(usize),
}

/// Checks that the tree is no higher than [`MAX_PROGRAM_HEIGHT`] in any reading of the text.
///
/// # Errors
/// [`TooDeep`].
pub fn check(text: &str) -> Result<(), TooDeep> {
    let mut readings = vec![Vec::new()];
    let most = MAX_SCANNED_BYTES / text.len().max(1);
    let mut done = 0;
    while let Some(reading) = readings.pop() {
        let known = reading.len();
        let (met, at) = height(text, reading.clone())?;
        done += 1;
        for undecided in known..met {
            if done + readings.len() >= most {
                return Err(TooDeep::Slashes(at));
            }
            let mut other = reading.clone();
            other.resize(undecided, false);
            other.push(true);
            readings.push(other);
        }
    }
    Ok(())
}

/// Checks one reading. Returns the number of its undecided slashes and the byte of the last one.
fn height(text: &str, patterns: Vec<bool>) -> Result<(usize, usize), TooDeep> {
    let slashes = Slashes {
        patterns,
        ..Slashes::default()
    };
    let mut scanner = Scanner::new(text, slashes);
    let mut frames = vec![Frame::default()];
    let mut previous = None;
    while let Some(token) = scanner.next() {
        let word = scanner.text_of(token);
        if html_comment(text, token) {
            return Err(TooDeep::HtmlComment(token.start));
        }
        let frame = frames.last_mut().map_or(Frame::default(), |frame| {
            frame.token(token, word, previous);
            *frame
        });
        if matches!(token.kind, Kind::Open(_) | Kind::OpenSubstitution) {
            let base = if frames.len() > scanner.open.len() {
                // In `}…${` the previous substitution has ended, and this one nests as deep as that
                // one did.
                frames.pop();
                frame.base
            } else {
                frame.height() + BRACKET_HEIGHT
            };
            frames.push(Frame {
                base,
                ..Frame::default()
            });
        } else {
            frames.truncate(scanner.open.len() + 1);
        }
        if frame.height() > MAX_PROGRAM_HEIGHT {
            return Err(TooDeep::Height(token.start));
        }
        previous = Some(token);
    }
    Ok((scanner.slashes.met, scanner.slashes.last))
}

/// The constructs that are open in one bracket, or at the top level of the program.
#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    /// The height of everything around the bracket.
    base: u32,
    /// The number of statements that have others as bodies: `if`, `else`, loops.
    statements: u32,
    /// The number of colons, of labels and conditionals.
    colons: u32,
    /// The number of open angle brackets. They may be type arguments, in which a comma ends
    /// nothing.
    angles: u32,
    /// The number of all other signs and words that may nest without a bracket.
    operators: u32,
    /// True if the previous token was a semicolon.
    semicolon: bool,
    /// True if the previous token was a word after which a statement cannot end.
    no_end: bool,
}

impl Frame {
    fn height(self) -> u32 {
        self.base
            + (self.statements + self.colons) * NESTED_HEIGHT
            + self.angles * BRACKET_HEIGHT
            + self.operators
    }

    fn expression_ends(&mut self) {
        (self.colons, self.operators) = (0, 0);
    }

    fn statement_ends(&mut self) {
        (self.statements, self.angles) = (0, 0);
        self.expression_ends();
    }

    fn token(&mut self, token: Token, text: &str, previous: Option<Token>) {
        let ended = std::mem::take(&mut self.semicolon) && !matches!(text, "else" | "while");
        if ended || (!self.no_end && begins_statement(token, text, previous)) {
            self.statement_ends();
        }
        let after = previous.map_or(NextToken::Operand, |before| before.after);
        let (behind_operand, prefix) = (after != NextToken::Operand, after != NextToken::Operator);
        self.no_end = token.kind == Kind::Word { property: false }
            && (NO_END.contains(&text) || text.contains('\\'));
        match token.kind {
            Kind::Word { property: false } => self.word(text),
            Kind::Sign => self.sign(text, prefix),
            // A call, an index or a tagged template.
            Kind::Open(b'(' | b'[') | Kind::Template { .. } | Kind::OpenSubstitution
                if behind_operand =>
            {
                self.operators += 1
            }
            Kind::Word { .. }
            | Kind::Number
            | Kind::Text { .. }
            | Kind::Template { .. }
            | Kind::Pattern
            | Kind::Open(_)
            | Kind::OpenSubstitution
            | Kind::Close { .. }
            | Kind::OpenComment
            | Kind::Stray => {}
        }
    }

    fn word(&mut self, word: &str) {
        match word {
            "if" | "for" | "while" | "do" | "with" | "else" => {
                self.statements += 1;
                self.operators = 0;
            }
            "case" | "default" => self.statement_ends(),
            _ if PREFIXES.contains(&word) || word.contains('\\') => self.operators += NESTED_HEIGHT,
            _ => {}
        }
    }

    fn sign(&mut self, sign: &str, prefix: bool) {
        let assigns =
            sign.ends_with('=') && !matches!(sign, "==" | "===" | "!=" | "!==" | "<=" | ">=");
        match sign {
            ";" => self.semicolon = true,
            // In type arguments a comma ends nothing.
            "," if self.angles == 0 => self.expression_ends(),
            "," => {}
            ":" => self.colons += 1,
            "<" | "<<" | "<<=" => {
                self.angles += number(sign.len());
                self.operators += if prefix { NESTED_HEIGHT } else { 0 };
            }
            ">" | ">>" | ">>>" => {
                self.angles = self.angles.saturating_sub(number(sign.len()));
                self.operators += 1;
            }
            "." | "?." => self.operators += 1,
            "=>" | "?" | "**" | "@" => self.operators += NESTED_HEIGHT,
            _ if assigns || prefix => self.operators += NESTED_HEIGHT,
            _ => self.operators += 1,
        }
    }
}

/// Words that nest the expression or type behind them.
const PREFIXES: [&str; 17] = [
    "typeof",
    "void",
    "delete",
    "await",
    "new",
    "yield",
    "in",
    "instanceof",
    "extends",
    "keyof",
    "infer",
    "readonly",
    "unique",
    "as",
    "satisfies",
    "is",
    "asserts",
];

/// Words that may continue the previous statement or type.
const CONTINUES: [&str; 14] = [
    "else",
    "while",
    "catch",
    "finally",
    "in",
    "instanceof",
    "of",
    "as",
    "satisfies",
    "is",
    "extends",
    "implements",
    "from",
    "async",
];

/// Names that are keywords in some positions, where they do not end anything.
const NO_END: [&str; 36] = [
    "as",
    "satisfies",
    "is",
    "keyof",
    "infer",
    "readonly",
    "unique",
    "implements",
    "async",
    "get",
    "set",
    "static",
    "const",
    "let",
    "var",
    "function",
    "class",
    "type",
    "interface",
    "enum",
    "namespace",
    "module",
    "declare",
    "abstract",
    "public",
    "private",
    "protected",
    "override",
    "export",
    "import",
    "from",
    "asserts",
    "accessor",
    "using",
    "global",
    "out",
];

/// Returns true if the statement before this token has certainly ended.
fn begins_statement(token: Token, text: &str, previous: Option<Token>) -> bool {
    let Some(before) = previous else {
        return false;
    };
    let operand = match token.kind {
        Kind::Word { property: false } => !CONTINUES.contains(&text) && !text.contains('\\'),
        Kind::Word { property: true } => text.starts_with('#'),
        Kind::Number | Kind::Text { .. } => true,
        Kind::Template { .. }
        | Kind::Pattern
        | Kind::Open(_)
        | Kind::OpenSubstitution
        | Kind::Close { .. }
        | Kind::Sign
        | Kind::OpenComment
        | Kind::Stray => false,
    };
    operand
        && match before.kind {
            Kind::Close {
                bracket: b'}',
                matched,
            } => matched,
            Kind::Close { .. }
            | Kind::Sign
            | Kind::Word { .. }
            | Kind::Number
            | Kind::Text { .. }
            | Kind::Template { .. }
            | Kind::Pattern => before.after == NextToken::Operator && token.new_line,
            Kind::Open(_) | Kind::OpenSubstitution | Kind::OpenComment | Kind::Stray => false,
        }
}

/// Returns true at an HTML comment. The parser skips the rest of the line, so a scanner that does
/// not would see other code.
fn html_comment(text: &str, token: Token) -> bool {
    let Some(rest) = text.get(token.start..) else {
        return false;
    };
    token.kind == Kind::Sign
        && (rest.starts_with("<!--") || (token.new_line && rest.starts_with("-->")))
}

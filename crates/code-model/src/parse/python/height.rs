//! Bounds the stack that parsing a text needs, from its tokens alone.
//!
//! The parser recurses on brackets, blocks, prefixes and conditions. Trees are dropped and visited
//! by recursion on every operator, so `a + b + c` is as high as it is long. Therefore each token
//! that may make the tree higher counts, until a comma, a line or a bracket ends its expression.
//! CPython itself accepts 200 nested brackets and 100 nested blocks.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

use crate::limits::{MAX_FILE_TOKENS, MAX_PYTHON_TREE_HEIGHT};

/// The height of constructs for which the parser calls some ten functions, in operators.
const CLIMB: u32 = 8;

/// The reason why a file is not parsed.
pub(super) enum HeightError {
    TooHigh,
    TooLong,
}

/// Returns an error if the tree of a text may not fit into the stack, or its tokens may not fit
/// into memory.
pub(super) fn check(text: &str) -> Result<(), HeightError> {
    let mut lexer = lex(text, Mode::Module);
    let mut height = Height {
        blocks: steps(text).saturating_mul(CLIMB),
        ..Height::default()
    };
    let mut count = 0_usize;
    loop {
        let kind = lexer.next_token();
        count += 1;
        if count > MAX_FILE_TOKENS {
            return Err(HeightError::TooLong);
        }
        height.add(kind);
        if height.of_all() > MAX_PYTHON_TREE_HEIGHT {
            return Err(HeightError::TooHigh);
        }
        if kind == TokenKind::EndOfFile {
            return Ok(());
        }
    }
}

/// Returns the greatest number of nested indentations of a text. Lines within brackets are not
/// blocks, but after a syntax error the parser may treat them as blocks.
fn steps(text: &str) -> u32 {
    let mut around: Vec<usize> = Vec::new();
    let mut highest = 0;
    for line in text.split(['\n', '\r']) {
        let code = line.trim_start();
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        let width = line.len() - code.len();
        while around.last().is_some_and(|outer| *outer >= width) {
            around.pop();
        }
        around.push(width);
        highest = highest.max(around.len());
    }
    u32::try_from(highest).unwrap_or(u32::MAX)
}

/// The open brackets, and the heights of the expressions around them.
#[derive(Default)]
struct Height {
    /// The height of all open blocks.
    blocks: u32,
    /// The total height of the constructs around the present expression.
    around: u32,
    open: Vec<Expression>,
    present: Expression,
    /// True if a following sign is a binary operator and not a prefix.
    is_behind_operand: bool,
}

/// An expression between commas.
#[derive(Default, Clone, Copy)]
struct Expression {
    /// The height of its operators so far.
    operators: u32,
    /// The height of the highest bracket in it.
    inner: u32,
    /// The lambdas whose parameters have not ended: commas between these do not end the expression.
    lambdas: u32,
    /// The height of the highest expression before it in the same brackets.
    others: u32,
}

impl Expression {
    fn height(&self) -> u32 {
        self.operators.saturating_add(self.inner)
    }

    fn end(&mut self) {
        *self = Self {
            others: self.others.max(self.height()),
            ..Self::default()
        };
    }
}

impl Height {
    fn of_all(&self) -> u32 {
        self.blocks
            .saturating_add(self.around)
            .saturating_add(self.present.height())
    }

    fn add(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                self.present.operators += CLIMB;
                self.around = self.around.saturating_add(self.present.operators);
                self.open.push(std::mem::take(&mut self.present));
            }
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => {
                if let Some(outer) = self.open.pop() {
                    let inner = self.present.height().max(self.present.others);
                    self.around = self.around.saturating_sub(outer.operators);
                    self.present = outer;
                    // A chain of calls adds one per call, and not the height of all its brackets.
                    self.present.operators = self.present.operators.saturating_sub(CLIMB - 1);
                    self.present.inner = self.present.inner.max(inner.saturating_add(CLIMB));
                }
            }
            TokenKind::Newline => {
                self.open.clear();
                self.around = 0;
                self.present = Expression::default();
            }
            TokenKind::Plus | TokenKind::Minus | TokenKind::Star if self.is_behind_operand => {
                self.present.operators += 1;
            }
            TokenKind::Comma if self.present.lambdas == 0 => self.present.end(),
            TokenKind::Colon => {
                self.present.lambdas = self.present.lambdas.saturating_sub(1);
                self.present.operators += 1;
            }
            TokenKind::Lambda => {
                self.present.lambdas += 1;
                self.present.operators += CLIMB;
            }
            kind if climbs(kind) => self.present.operators += CLIMB,
            kind if is_flat(kind) => {}
            _ => self.present.operators += 1,
        }
        self.is_behind_operand = match kind {
            TokenKind::Comment | TokenKind::NonLogicalNewline => self.is_behind_operand,
            kind => is_operand_end(kind),
        };
    }
}

/// Returns true for tokens that can end an operand.
fn is_operand_end(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd
            | TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::Ellipsis
            | TokenKind::None
            | TokenKind::True
            | TokenKind::False
    )
}

/// Returns true for tokens that make the parser read an expression within the present one.
fn climbs(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::If
            | TokenKind::Else
            | TokenKind::Not
            | TokenKind::Await
            | TokenKind::Async
            | TokenKind::Yield
            | TokenKind::DoubleStar
            | TokenKind::ColonEqual
            | TokenKind::Tilde
            | TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Star
    )
}

/// Returns true for tokens that do not make a tree higher: a list of them is flat.
fn is_flat(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringMiddle
            | TokenKind::TStringMiddle
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline
            | TokenKind::Equal
            | TokenKind::Ellipsis
            | TokenKind::None
            | TokenKind::True
            | TokenKind::False
            | TokenKind::And
            | TokenKind::Or
            | TokenKind::Comma
            | TokenKind::Indent
            | TokenKind::Dedent
            | TokenKind::EndOfFile
    )
}

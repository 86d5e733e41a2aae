//! Tokens of the caller's text, and the bounds that must hold before any parser sees it.
//!
//! Guarantees: offsets are byte positions in the text. A text that passes [`bounds`] cannot
//! overflow the wasm stack in the parser or in any walk over its tree. Tokens that SQLite and our
//! tokenizer read differently are refused here: otherwise the gate would judge another statement
//! than the one that runs.

use crate::SqlError;
use crate::error::hinted;
use base::CommonError;
use sqlite3_parser::dialect::TokenType;
use sqlite3_parser::lexer::Scanner;
use sqlite3_parser::lexer::sql::{Error as LexError, Tokenizer};

use super::dialect;
use super::text::{self, syntax_error};
use crate::limits::{MAX_BRACKET_DEPTH, MAX_NAME_LIST, MAX_TREE_HEIGHT};
use base::{Error, Result};

/// One token: its kind and the bytes it covers, quotes included. Comments and white space are not
/// tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenType,
    /// Byte at which it begins.
    pub start: usize,
    /// Byte after the token.
    pub end: usize,
}

impl Token {
    /// Returns the token's own text.
    pub fn text<'t>(&self, sql: &'t str) -> &'t str {
        sql.get(self.start..self.end).unwrap_or_default()
    }
}

/// Splits `sql` into tokens.
///
/// # Errors
/// `SYNTAX_ERROR` if no token can be read, `SQL_BLOCKED` for a token that SQLite would read
/// differently.
pub fn tokens(sql: &str) -> Result<Vec<Token>> {
    if let Some(at) = sql.find('\0') {
        return Err(blocked_character(
            sql,
            at,
            "the text contains a NUL character, at which SQLite would stop reading",
        ));
    }
    let has_mark = sql.contains('\u{feff}');
    let bytes = sql.as_bytes();
    let mut scanner = Scanner::new(Tokenizer::new());
    let mut tokens = Vec::with_capacity(sql.len() / 5);
    loop {
        match scanner.scan(bytes) {
            Ok((_, None, _)) => break,
            Ok((start, Some((_, kind)), end)) => {
                let token = Token { kind, start, end };
                check_reading(sql, token, has_mark)?;
                tokens.push(token);
            }
            Err(error) => return Err(lexical_error(sql, &error)),
        }
    }
    Ok(tokens)
}

/// Refuses tokens that SQLite's own tokenizer would end elsewhere.
fn check_reading(sql: &str, token: Token, has_mark: bool) -> Result<()> {
    let written = token.text(sql);
    match written.bytes().next() {
        // `$a(…)` and `$a::b` are one Tcl variable to SQLite.
        Some(b'$' | b'@' | b':' | b'#') => {
            let rest = sql.get(token.end..).unwrap_or_default();
            if written.starts_with('#') || rest.starts_with('(') || rest.starts_with("::") {
                let refusal = blocked_character(
                    sql,
                    token.start,
                    "SQLite reads this form of parameter as a Tcl variable",
                );
                return Err(hinted(refusal, dialect::syntax_hint(sql, token.end)));
            }
        }
        Some(b'\'' | b'"' | b'`' | b'[') => {}
        // SQLite treats a byte-order mark outside of quotes as white space.
        _ if has_mark && written.contains('\u{feff}') => {
            return Err(blocked_character(
                sql,
                token.start,
                "the statement contains a byte-order mark",
            ));
        }
        _ => {}
    }
    Ok(())
}

fn blocked_character(sql: &str, at: usize, why: &str) -> Error {
    let (line, column) = text::line_and_column(sql, at);
    Error::from(SqlError::SqlBlocked {
        reason: "ambiguous_text",
        message: format!("{why} (line {line}, column {column})"),
        hint: "write plain SQL text; bind values as parameters with ?, ?1, :name, @name or $name"
            .to_owned(),
    })
}

fn lexical_error(sql: &str, error: &LexError) -> Error {
    let (message, position) = match error {
        LexError::UnterminatedLiteral(position) => {
            ("a quoted text or name is not closed", position)
        }
        LexError::UnterminatedBracket(position) => ("a [name] is not closed", position),
        LexError::UnterminatedBlockComment(position) => ("a /* comment is not closed", position),
        LexError::BadVariableName(position) => ("a parameter has no name", position),
        LexError::BadNumber(position) => ("a number is malformed", position),
        LexError::ExpectedEqualsSign(position) => ("`!` must be followed by `=`", position),
        LexError::MalformedBlobLiteral(position) => ("a blob literal is malformed", position),
        LexError::MalformedHexInteger(position) => ("a hexadecimal number is malformed", position),
        LexError::UnrecognizedToken(position) => ("unrecognized character", position),
        _ => ("the text cannot be read", &None),
    };
    let offset = position
        .as_ref()
        .map_or(0, |place| text::offset_of(sql, place.line, place.column));
    syntax_error(sql, offset, message.to_owned())
}

/// Checks bracket depth, the height of the tree that the tokens can form, and the length of name
/// lists.
///
/// The height is an upper bound from tokens alone: within a comma-separated segment every operator
/// adds at most one level above the highest bracket of that segment.
///
/// # Errors
/// `TOO_BIG`, naming the bound.
pub fn bounds(tokens: &[Token]) -> Result<()> {
    let mut open: Vec<Segment> = vec![Segment::default()];
    let mut names_in_a_row = 0_usize;
    for token in tokens {
        names_in_a_row = match token.kind {
            TokenType::TK_ID => names_in_a_row + 1,
            TokenType::TK_COMMA => names_in_a_row,
            _ => 0,
        };
        if names_in_a_row > MAX_NAME_LIST {
            return Err(too_big(
                format!("a list of names is longer than {MAX_NAME_LIST}"),
                "name fewer columns",
            ));
        }
        match token.kind {
            TokenType::TK_LP | TokenType::TK_CASE => {
                if open.len() > MAX_BRACKET_DEPTH {
                    return Err(too_big(
                        format!("brackets and CASE nest deeper than {MAX_BRACKET_DEPTH}"),
                        "move inner queries into WITH … AS, one beside the other",
                    ));
                }
                open.push(Segment::default());
            }
            TokenType::TK_RP | TokenType::TK_END => close(&mut open),
            TokenType::TK_COMMA => {
                if let Some(segment) = open.last_mut() {
                    segment.end();
                }
            }
            kind if adds_a_level(kind) => {
                if let Some(segment) = open.last_mut() {
                    segment.operators += 1;
                }
            }
            _ => {}
        }
        if open
            .last()
            .is_some_and(|segment| segment.height() > MAX_TREE_HEIGHT)
        {
            return Err(too_big(
                format!("an expression has more than {MAX_TREE_HEIGHT} operators in a row"),
                "the engine takes expressions up to depth 100: use IN (…), a table of values, or json_each(?)",
            ));
        }
    }
    Ok(())
}

/// The part of a bracket since its last comma.
#[derive(Default)]
struct Segment {
    operators: usize,
    tallest_child: usize,
    tallest_segment: usize,
}

impl Segment {
    fn height(&self) -> usize {
        self.tallest_segment
            .max(self.operators + self.tallest_child + 1)
    }

    fn end(&mut self) {
        self.tallest_segment = self.height();
        self.operators = 0;
        self.tallest_child = 0;
    }
}

fn close(open: &mut Vec<Segment>) {
    if open.len() < 2 {
        return;
    }
    if let Some(closed) = open.pop() {
        let height = closed.height();
        if let Some(parent) = open.last_mut() {
            parent.tallest_child = parent.tallest_child.max(height);
        }
    }
}

/// Returns true for tokens that can put a node above another one without a bracket or a comma.
fn adds_a_level(kind: TokenType) -> bool {
    use TokenType as T;
    matches!(
        kind,
        T::TK_PLUS
            | T::TK_MINUS
            | T::TK_STAR
            | T::TK_SLASH
            | T::TK_REM
            | T::TK_CONCAT
            | T::TK_PTR
            | T::TK_BITAND
            | T::TK_BITOR
            | T::TK_BITNOT
            | T::TK_LSHIFT
            | T::TK_RSHIFT
            | T::TK_LT
            | T::TK_LE
            | T::TK_GT
            | T::TK_GE
            | T::TK_EQ
            | T::TK_NE
            | T::TK_IS
            | T::TK_IN
            | T::TK_LIKE_KW
            | T::TK_MATCH
            | T::TK_BETWEEN
            | T::TK_ISNULL
            | T::TK_NOTNULL
            | T::TK_NOT
            | T::TK_AND
            | T::TK_OR
            | T::TK_COLLATE
            | T::TK_UNION
            | T::TK_EXCEPT
            | T::TK_INTERSECT
            | T::TK_JOIN
            | T::TK_ESCAPE
            | T::TK_WHEN
            | T::TK_ELSE
            | T::TK_DO
            | T::TK_CONSTRAINT
    )
}

fn too_big(message: String, hint: &str) -> Error {
    Error::from(CommonError::TooBig {
        message,
        hint: hint.to_owned(),
    })
}

/// Returns the tokens between the commas that are outside of all parentheses.
pub fn split_at_commas(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    let mut depth = 0_usize;
    tokens.split(move |token| {
        match token.kind {
            TokenType::TK_LP => depth += 1,
            TokenType::TK_RP => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.kind == TokenType::TK_COMMA
    })
}

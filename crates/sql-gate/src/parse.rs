//! Parses text into a syntax tree, with the parser generated from SQLite's own grammar.
//!
//! The result is exactly one statement. The tree lives in an arena, so dropping it does not
//! recurse.

use crate::SqlError;
use sqlite3_parser::ast::Cmd;
use sqlite3_parser::dialect::TokenType;
use sqlite3_parser::lexer::sql::{Error as ParseError, Parser, ParserError};
use sqlite3_parser::{Bump, FallibleIterator as _};

use super::lex::Token;
use super::text::{offset_of, syntax_error};
use base::{Error, Result};

/// Returns the byte range of the one statement in `sql`, without semicolons around it and comments
/// after it.
///
/// # Errors
/// `SQL_BLOCKED` if there is no statement, or more than one.
pub fn statement_span(tokens: &[Token]) -> Result<(usize, usize)> {
    let is_semicolon = |token: &&Token| token.kind == TokenType::TK_SEMI;
    let leading = tokens.iter().take_while(is_semicolon).count();
    let mut rest = tokens.get(leading..).unwrap_or_default().iter();
    let Some(first) = rest.next() else {
        return Err(empty());
    };
    if is_trigger(first, rest.as_slice()) {
        return Err(super::policy::refused_keyword("CREATE TRIGGER"));
    }
    let mut end = first.end;
    for token in rest.by_ref() {
        if token.kind == TokenType::TK_SEMI {
            break;
        }
        end = token.end;
    }
    if rest.any(|token| token.kind != TokenType::TK_SEMI) {
        return Err(several());
    }
    Ok((first.start, end))
}

/// Returns true for CREATE TRIGGER. The body of a trigger contains semicolons, so it is recognised
/// by its first words.
fn is_trigger(first: &Token, rest: &[Token]) -> bool {
    let next = rest.iter().find(|token| token.kind != TokenType::TK_TEMP);
    first.kind == TokenType::TK_CREATE
        && next.is_some_and(|token| token.kind == TokenType::TK_TRIGGER)
}

fn empty() -> Error {
    Error::from(SqlError::SqlBlocked {
        reason: "empty",
        message: "there is no SQL statement in the text".to_owned(),
        hint: "send one statement, such as SELECT name FROM sqlite_schema".to_owned(),
    })
}

/// Returns the refusal of several statements in one text.
pub fn several() -> Error {
    Error::from(SqlError::SqlBlocked {
        reason: "multiple_statements",
        message: "the text contains more than one statement".to_owned(),
        hint: r#"send each statement in a call of its own; use {"operation":"batchInsert"} for many rows"#.to_owned(),
    })
}

/// Parses one statement.
///
/// # Errors
/// `SYNTAX_ERROR` with line, column and a pointer.
pub fn parse<'a>(arena: &'a Bump, sql: &'a str) -> Result<Cmd<'a>> {
    let mut parser = Parser::new(arena, sql.as_bytes());
    match parser.next() {
        Ok(Some(command)) => Ok(command),
        Ok(None) => Err(empty()),
        Err(error) => Err(parse_error(sql, &error)),
    }
}

fn parse_error(sql: &str, error: &ParseError) -> Error {
    match error {
        ParseError::ParserError(ParserError::UnexpectedEof, _) => {
            syntax_error(sql, sql.len(), "the statement is incomplete".to_owned())
        }
        ParseError::ParserError(reason, position) => {
            let offset = position
                .as_ref()
                .map_or(0, |place| offset_of(sql, place.line, place.column));
            syntax_error(sql, offset, reason.to_string())
        }
        other => syntax_error(sql, 0, other.to_string()),
    }
}

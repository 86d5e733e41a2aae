//! Hints for errors of fts5 about a full-text query that it cannot read: the correct form of such a
//! query.

use sqlite3_parser::dialect::TokenType;

use super::lex;
use super::operations::unquote;
use crate::bound::Bound;
use database::Bind;

const PHRASE: &str = "in a full-text query, a word with other characters than letters, digits and _ must be a phrase in double quotes: body MATCH '\"a-b\"', as a parameter \"\\\"a-b\\\"\"; \
     double a quote within it. Write AND, OR, NOT, NEAR(…), column: and prefix* outside of the quotes";

/// Returns the hint for an error of the engine, if the text of a full-text query caused it.
pub(crate) fn hint(message: &str, bound: &Bound) -> Option<&'static str> {
    let is_syntax = message.starts_with("fts5: syntax error")
        || message.starts_with("fts5: parser stack overflow")
        || message.starts_with("unknown special query")
        || message == "unterminated string";
    let is_column = || {
        let column = message.strip_prefix("no such column: ")?;
        is_searched(column, bound).then_some(())
    };
    if is_syntax || is_column().is_some() {
        Some(PHRASE)
    } else if message.contains("unable to use function MATCH") {
        Some(
            "MATCH searches an fts5 table: CREATE VIRTUAL TABLE f USING fts5(x), then SELECT * FROM f WHERE f MATCH 'word'; in other tables use x LIKE '%part%'",
        )
    } else {
        None
    }
}

/// Returns true if the name of a column is in a text or a parameter but not in the statement
/// itself. Then fts5 has read it from a full-text query.
fn is_searched(column: &str, bound: &Bound) -> bool {
    let statement = bound.statement();
    let tokens = lex::tokens(statement).unwrap_or_default();
    let mut in_text = false;
    for token in &tokens {
        let text = token.text(statement);
        match token.kind {
            TokenType::TK_STRING => in_text |= text.contains(column),
            _ if unquote(text).eq_ignore_ascii_case(column) => return false,
            _ => {}
        }
    }
    let bound_text = |bind: &Bind| matches!(bind, Bind::Text(text) if text.contains(column));
    in_text || bound.binds().iter().any(bound_text)
}

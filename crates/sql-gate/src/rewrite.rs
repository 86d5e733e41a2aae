//! Splices into the caller's own text, at token offsets. No text is ever printed from a tree.
//!
//! This module adds the LIMIT of recursive common table expressions and makes the RETURNING list
//! JSON. Parameters are in [`super::bind`].

use sqlite3_parser::dialect::TokenType;

use super::carried;
use super::lex::{Token, split_at_commas};
use super::operations::{Alias, CteLimit, Operations, Returned};
use super::policy::blocked;
use super::splice::Splice;
use base::{Error, Result};

/// Returns the splices that give every recursive common table expression a LIMIT of at most
/// `max_rows`.
///
/// # Errors
/// `SQL_BLOCKED` if the tokens do not show the same expressions as the tree.
pub(crate) fn limit_recursion(
    sql: &str,
    tokens: &[Token],
    facts: &Operations,
    max_rows: u64,
) -> Result<LimitedRecursion> {
    if !facts.ctes.iter().any(|cte| cte.recursive) {
        return Ok(LimitedRecursion::default());
    }
    let bodies = cte_bodies(sql, tokens);
    let same = bodies.len() == facts.ctes.len()
        && bodies
            .iter()
            .zip(&facts.ctes)
            .all(|(body, cte)| body.name == cte.name);
    if !same {
        return Err(unclear());
    }
    let mut splices = Vec::new();
    let mut is_limited = false;
    for (body, cte) in bodies
        .iter()
        .zip(&facts.ctes)
        .filter(|(_, cte)| cte.recursive)
    {
        match cte.limit {
            CteLimit::None => {
                is_limited = true;
                splices.push(Splice::insert(body.end, format!("\nLIMIT {max_rows}")));
            }
            CteLimit::Literal(rows) if rows <= max_rows => {}
            CteLimit::Literal(_) | CteLimit::Expression => {
                is_limited = true;
                let inside = tokens
                    .get(body.first_token..body.closing_token)
                    .unwrap_or_default();
                splices.extend(cap_limit(sql, inside, max_rows).ok_or_else(unclear)?);
            }
        }
        let inside = tokens
            .get(body.first_token..body.closing_token)
            .unwrap_or_default();
        splices.extend(carried::bounds(sql, inside, cte, max_rows).ok_or_else(unclear)?);
    }
    Ok(LimitedRecursion {
        splices,
        limit: is_limited.then_some(max_rows),
    })
}

/// The changes that [`limit_recursion`] makes to a statement.
#[derive(Default)]
pub(crate) struct LimitedRecursion {
    /// The splices in its text.
    pub(crate) splices: Vec<Splice>,
    /// The largest number of rows of a recursion, if its author set no smaller limit.
    pub(crate) limit: Option<u64>,
}

fn unclear() -> Error {
    blocked(
        "ambiguous_text",
        "the recursive part of the statement could not be located",
        "write WITH RECURSIVE name AS (…) plainly",
    )
}

/// The position of the body of a common table expression.
struct CteBody {
    name: String,
    first_token: usize,
    closing_token: usize,
    /// The byte offset of the closing bracket.
    end: usize,
}

/// Returns the bodies of all common table expressions, in the order of the text.
fn cte_bodies(sql: &str, tokens: &[Token]) -> Vec<CteBody> {
    let mut bodies: Vec<CteBody> = Vec::new();
    // For each open bracket, the body that it opens.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let mut header_at = None;
        match token.kind {
            TokenType::TK_WITH => {
                let recursive = tokens
                    .get(at + 1)
                    .is_some_and(|next| next.kind == TokenType::TK_RECURSIVE);
                header_at = Some(at + 1 + usize::from(recursive));
            }
            TokenType::TK_LP => open.push(None),
            TokenType::TK_RP => {
                if let Some(Some(index)) = open.pop() {
                    if let Some(body) = bodies.get_mut(index) {
                        body.closing_token = at;
                        body.end = token.start;
                    }
                    if tokens
                        .get(at + 1)
                        .is_some_and(|next| next.kind == TokenType::TK_COMMA)
                    {
                        header_at = Some(at + 2);
                    }
                }
            }
            _ => {}
        }
        if let Some((name, bracket)) = header_at.and_then(|start| cte_header(sql, tokens, start)) {
            open.push(Some(bodies.len()));
            bodies.push(CteBody {
                name,
                first_token: bracket + 1,
                closing_token: bracket,
                end: 0,
            });
            at = bracket;
        }
        at += 1;
    }
    bodies
}

/// Reads `name [(columns)] AS [[NOT] MATERIALIZED] (` and returns the name and the index of the
/// last bracket.
fn cte_header(sql: &str, tokens: &[Token], start: usize) -> Option<(String, usize)> {
    let name = super::operations::unquote(tokens.get(start)?.text(sql));
    let mut at = start + 1;
    if tokens.get(at)?.kind == TokenType::TK_LP {
        at += tokens
            .get(at..)?
            .iter()
            .position(|token| token.kind == TokenType::TK_RP)?
            + 1;
    }
    if tokens.get(at)?.kind != TokenType::TK_AS {
        return None;
    }
    at += 1;
    if tokens.get(at)?.kind == TokenType::TK_NOT {
        at += 1;
    }
    if tokens.get(at)?.kind == TokenType::TK_MATERIALIZED {
        at += 1;
    }
    (tokens.get(at)?.kind == TokenType::TK_LP).then_some((name, at))
}

/// Returns the splices around both expressions of a body's LIMIT, rows and offset, so that a
/// negative or larger one counts as `max_rows`. The offset is included because the rows that it
/// skips are computed too.
fn cap_limit(sql: &str, body: &[Token], max_rows: u64) -> Option<Vec<Splice>> {
    let outer = outer_level(body);
    let limit = outer
        .iter()
        .rposition(|token| token.kind == TokenType::TK_LIMIT)?;
    let behind = outer.get(limit + 1..)?;
    let separator =
        |token: &Token| matches!(token.kind, TokenType::TK_OFFSET | TokenType::TK_COMMA);
    let mut splices = Vec::new();
    for expression in behind.split(separator) {
        let (first, last) = (expression.first()?, expression.last()?);
        let literal = (expression.len() == 1)
            .then(|| first.text(sql).parse::<u64>().ok())
            .flatten();
        if literal.is_some_and(|rows| rows <= max_rows) {
            continue;
        }
        let before = format!(
            "(SELECT CASE WHEN _rows BETWEEN 0 AND {max_rows} THEN _rows ELSE {max_rows} END FROM (SELECT ("
        );
        splices.extend([
            Splice::insert(first.start, before),
            Splice::insert(last.end, ") AS _rows))"),
        ]);
    }
    Some(splices)
}

/// Returns the tokens outside of all brackets, and each bracket itself.
fn outer_level(tokens: &[Token]) -> Vec<Token> {
    let mut depth = 0_usize;
    let mut outer = Vec::new();
    for token in tokens {
        if token.kind == TokenType::TK_RP {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            outer.push(*token);
        }
        if token.kind == TokenType::TK_LP {
            depth += 1;
        }
    }
    outer
}

/// A RETURNING list, with the positions and names of its items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReturningItems {
    /// The byte range of the whole list.
    pub start: usize,
    pub end: usize,
    pub items: Vec<ReturningItem>,
}

/// One item of a RETURNING list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReturningItem {
    /// All columns of the table.
    Star,
    /// The byte range of an expression without its alias, and the name of its column.
    Expression {
        start: usize,
        end: usize,
        name: String,
    },
}

/// Locates the RETURNING list in the tokens.
///
/// # Errors
/// `SQL_BLOCKED` if the tokens do not show the same list as the tree.
pub(crate) fn returning_items(
    sql: &str,
    tokens: &[Token],
    returned: &[Returned],
) -> Result<ReturningItems> {
    locate_returning(sql, tokens, returned).ok_or_else(|| {
        blocked(
            "ambiguous_text",
            "the RETURNING list could not be located",
            "write RETURNING with plain columns",
        )
    })
}

fn locate_returning(sql: &str, tokens: &[Token], returned: &[Returned]) -> Option<ReturningItems> {
    let mut depth = 0_usize;
    let mut start = None;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenType::TK_LP => depth += 1,
            TokenType::TK_RP => depth = depth.saturating_sub(1),
            TokenType::TK_RETURNING if depth == 0 => start = Some(index + 1),
            _ => {}
        }
    }
    // In DELETE … RETURNING … ORDER BY … LIMIT, the list ends before ORDER BY.
    let list = until_keyword(tokens.get(start?..)?);
    let mut items = Vec::new();
    for (piece, returned) in split_at_commas(list).zip(returned) {
        items.push(returning_item(sql, piece, returned)?);
    }
    let complete = items.len() == returned.len() && split_at_commas(list).count() == returned.len();
    let (first, last) = (list.first()?, list.last()?);
    complete.then_some(ReturningItems {
        start: first.start,
        end: last.end,
        items,
    })
}

fn until_keyword(tokens: &[Token]) -> &[Token] {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenType::TK_LP => depth += 1,
            TokenType::TK_RP => depth = depth.saturating_sub(1),
            TokenType::TK_ORDER | TokenType::TK_LIMIT if depth == 0 => {
                return tokens.get(..index).unwrap_or_default();
            }
            _ => {}
        }
    }
    tokens
}

fn returning_item(sql: &str, tokens: &[Token], returned: &Returned) -> Option<ReturningItem> {
    let Returned::Expression { alias, name } = returned else {
        return Some(ReturningItem::Star);
    };
    let alias_tokens = match alias {
        Alias::None => 0,
        Alias::Bare => 1,
        Alias::As => 2,
    };
    let expression = tokens.get(..tokens.len().checked_sub(alias_tokens)?)?;
    let (start, end) = (expression.first()?.start, expression.last()?.end);
    let text = sql.get(start..end)?;
    let name = name.clone().unwrap_or_else(|| text.to_owned());
    Some(ReturningItem::Expression { start, end, name })
}

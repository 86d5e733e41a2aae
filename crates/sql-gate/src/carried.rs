//! Recursions are held to a number of rows; here they are held to a number of bytes as well.
//!
//! A row that hands on a megabyte, or a text that grows by a letter with each row, makes a million rows take minutes, and how long the
//! values are is known to nobody before the statement runs. So the engine is asked: one result column of the recursive SELECT becomes
//! `iif(<the row before is too long>, <an error>, <the column as it was>)`. Nothing is cut silently.

use crate::SqlError;
use sqlite3_parser::dialect::TokenType;

use super::compose::quote_identifier;
use super::lex::Token;
use super::lex::split_at_commas;
use super::operations::{Alias, CarriedArm, Cte, CteLimit};
use super::splice::Splice;
use crate::limits::{MAX_CARRIED_BYTES, MAX_SHRINKING_BYTES};
use base::Error;
use database::limits::MAX_VALUE_BYTES;

/// A call that fails, and what the engine says of it.
const FAILURE: &str = "abs(-9223372036854775808)";
const FAILURE_MESSAGE: &str = "integer overflow";

/// Columns that are asked twice: each makes the condition one level deeper.
const MAX_SHRINKING_COLUMNS: usize = 8;

/// What the bytes of a distinct recursion are divided by.
const DISTINCT_DIVISOR: u64 = 4;

/// The splices that bound what the recursion in `body` hands on; `None` when the tokens do not show what the tree has.
pub(super) fn bounds(sql: &str, body: &[Token], cte: &Cte, max_rows: u64) -> Option<Vec<Splice>> {
    let rows = match cte.limit {
        CteLimit::Literal(rows) => rows.min(max_rows),
        CteLimit::None | CteLimit::Expression => max_rows,
    };
    let divisor = if cte.carried.is_distinct {
        DISTINCT_DIVISOR
    } else {
        1
    };
    let most = MAX_CARRIED_BYTES / divisor / rows.max(1);
    if most >= MAX_VALUE_BYTES as u64 {
        return Some(Vec::new());
    }
    let arms = compound_arms(body);
    let mut splices = Vec::new();
    for arm in &cte.carried.arms {
        splices.extend(bound(sql, arms.get(arm.arm)?, arm, most)?);
    }
    Some(splices)
}

/// Whether the text that runs has such a bound in it.
pub(super) fn is_bounded(sql: &str) -> bool {
    sql.contains(FAILURE)
}

/// Whether the engine's message is that of a bound.
pub(super) fn is_refusal(message: &str) -> bool {
    message == FAILURE_MESSAGE
}

/// The refusal of a recursion whose rows have become too long.
pub(super) fn too_much() -> Error {
    Error::from(SqlError::TooMuchWork {
        message: format!(
            "a recursive WITH hands on rows that are too long: its rows times their length may be {MAX_CARRIED_BYTES} bytes, and without a LIMIT \
             it counts as a million rows"
        ),
        hint: "put a LIMIT behind the recursive SELECT (with LIMIT 10000 a row may have 400,000 bytes), hand on keys instead of texts and join the \
               texts outside, or split a list with json_each(?)"
            .to_owned(),
    })
}

fn bound(sql: &str, tokens: &[Token], arm: &CarriedArm, most: u64) -> Option<[Splice; 2]> {
    let items = result_items(tokens)?;
    let items: Vec<&[Token]> = split_at_commas(items).collect();
    if items.len() != arm.items {
        return None;
    }
    let expression = without_alias(items.get(arm.item)?, arm.alias)?;
    let (first, last) = (expression.first()?, expression.last()?);
    let qualifier = quote_identifier(&arm.qualifier);
    let mut columns = Vec::new();
    let mut conditions = Vec::new();
    for column in &arm.checked {
        let name = format!("{qualifier}.{}", quote_identifier(&column.name));
        let shorter = column
            .shrinks
            .and_then(|position| items.get(position))
            .and_then(|item| repeatable(sql, item, arm, column.shrinks));
        match shorter {
            Some(next)
                if most < MAX_SHRINKING_BYTES && conditions.len() < MAX_SHRINKING_COLUMNS =>
            {
                conditions.push(format!(
                    "octet_length({name})>{most} AND (octet_length({name})>{MAX_SHRINKING_BYTES} OR octet_length({next})>=octet_length({name}))"
                ));
            }
            _ => columns.push(name),
        }
    }
    // A sum of lengths would be as deep as it has terms, and the engine takes depth 100.
    match columns.as_slice() {
        [] => {}
        [column] => conditions.push(format!("octet_length({column})>{most}")),
        several => conditions.push(format!(
            "octet_length(concat({}))>{most}",
            several.join(",")
        )),
    }
    let condition = conditions.join(" OR ");
    Some([
        Splice::insert(first.start, format!("iif({condition},{FAILURE},")),
        Splice::insert(last.end, ")"),
    ])
}

/// The text of a result column, where it can stand twice: a placeholder would take the next value.
fn repeatable(
    sql: &str,
    item: &[Token],
    arm: &CarriedArm,
    position: Option<usize>,
) -> Option<String> {
    let alias = if position == Some(arm.item) {
        arm.alias
    } else {
        written_alias(item)
    };
    let expression = without_alias(item, alias)?;
    let has_placeholder = expression
        .iter()
        .any(|token| token.kind == TokenType::TK_VARIABLE);
    let text = sql.get(expression.first()?.start..expression.last()?.end)?;
    (!has_placeholder && !text.contains("--") && !text.contains("/*")).then(|| text.to_owned())
}

/// The alias of a call, which ends with its bracket.
fn written_alias(item: &[Token]) -> Alias {
    match item {
        [.., last] if last.kind == TokenType::TK_RP => Alias::None,
        [.., before, _] if before.kind == TokenType::TK_AS => Alias::As,
        _ => Alias::Bare,
    }
}

fn without_alias(item: &[Token], alias: Alias) -> Option<&[Token]> {
    let tokens = match alias {
        Alias::None => 0,
        Alias::Bare => 1,
        Alias::As => 2,
    };
    item.get(..item.len().checked_sub(tokens)?)
}

/// The SELECTs of a compound.
fn compound_arms(body: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0_usize;
    body.split(move |token| {
        match token.kind {
            TokenType::TK_LP => depth += 1,
            TokenType::TK_RP => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
            && matches!(
                token.kind,
                TokenType::TK_UNION | TokenType::TK_EXCEPT | TokenType::TK_INTERSECT
            )
    })
    .collect()
}

/// The tokens between SELECT and FROM. `UNION ALL SELECT`: the word between belongs to the operator.
fn result_items(arm: &[Token]) -> Option<&[Token]> {
    let mut depth = 0_usize;
    let select = arm.iter().position(|token| {
        match token.kind {
            TokenType::TK_LP => depth += 1,
            TokenType::TK_RP => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.kind == TokenType::TK_SELECT
    })?;
    let behind = arm.get(select + 1..)?;
    let distinct = behind
        .first()
        .is_some_and(|token| matches!(token.kind, TokenType::TK_DISTINCT | TokenType::TK_ALL));
    let items = behind.get(usize::from(distinct)..)?;
    let mut depth = 0_usize;
    let mut before = None;
    for (index, token) in items.iter().enumerate() {
        match token.kind {
            TokenType::TK_LP => depth += 1,
            TokenType::TK_RP => depth = depth.saturating_sub(1),
            // `a IS DISTINCT FROM b`
            TokenType::TK_FROM if depth == 0 && before != Some(TokenType::TK_DISTINCT) => {
                return items.get(..index);
            }
            _ => {}
        }
        before = Some(token.kind);
    }
    None
}

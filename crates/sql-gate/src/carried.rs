//! Limits the bytes that a recursion passes from row to row, in addition to its number of rows.
//!
//! If each row passes a megabyte to the next, or a text grows by a letter with each row, a million
//! rows take minutes. The lengths of the values are only known while the statement runs. So the
//! engine checks them: one result column of the recursive SELECT becomes `iif(<the row before is
//! too long>, <an error>, <the column as it was>)`. Values are never truncated.

use crate::SqlError;
use sqlite3_parser::dialect::TokenType;

use super::lex::Token;
use super::lex::split_at_commas;
use super::operations::{Alias, CarriedArm, Cte, CteLimit};
use super::quotes::quote_identifier;
use super::splice::Splice;
use crate::limits::{MAX_CARRIED_BYTES, MAX_SHRINKING_BYTES};
use base::Error;
use database::limits::MAX_VALUE_BYTES;

/// A call that always fails, which is the error of the check; the engine's message for it follows.
const FAILURE: &str = "abs(-9223372036854775808)";
const FAILURE_MESSAGE: &str = "integer overflow";

/// The largest number of columns whose text may be long at first and then shrinks, such as a list
/// that is split. Each gets a second condition, which nests one level deeper.
const MAX_SHRINKING_COLUMNS: usize = 8;

/// The divisor of the bytes that a recursion with UNION may pass on, because UNION compares each
/// row with all rows before it.
const DISTINCT_DIVISOR: u64 = 4;

/// Returns the splices that bound the bytes that the recursion in `body` passes on, or `None` if
/// the tokens do not match the tree.
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

/// Returns true if the text that runs contains such a bound.
pub(super) fn is_bounded(sql: &str) -> bool {
    sql.contains(FAILURE)
}

/// Returns true if the engine's message comes from a bound.
pub(super) fn is_refusal(message: &str) -> bool {
    message == FAILURE_MESSAGE
}

/// Returns the refusal of a recursion whose rows have become too long.
pub(super) fn too_much() -> Error {
    Error::from(SqlError::TooMuchWork {
        message: format!(
            "a recursive WITH passes on rows that are too long: the number of rows times their length may be at most {MAX_CARRIED_BYTES} bytes, and without a LIMIT \
             it counts as a million rows"
        ),
        hint: "add a LIMIT after the recursive SELECT (with LIMIT 10000 a row may have 400,000 bytes), pass on keys instead of texts and join the \
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
    // A sum of lengths would be as deep as its number of terms, and the engine allows a depth of
    // 100.
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

/// Returns the text of a result column, if it can be repeated. A repeated placeholder would take
/// the next value.
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

/// Returns the form of the alias of a call, which ends with a bracket.
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

/// Returns the SELECTs of a compound.
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

/// Returns the tokens between SELECT and FROM. In `UNION ALL SELECT`, ALL belongs to the operator.
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

//! Reads recursive common table expressions: finds the SELECT that names its own table, and the
//! number of rows of one that counts up to a literal.

use sqlite3_parser::ast::{
    Expr, FromClause, Literal, OneSelect, Operator, ResultColumn, SelectTable,
};

use super::functions::Value;
use crate::tree::{column_name, folded};

/// Returns true if the FROM of a SELECT names this table, not counting its sub-queries.
pub(super) fn names_table(select: &OneSelect<'_>, name: &str) -> bool {
    fn inside(from: &FromClause<'_>, name: &str) -> bool {
        from.select
            .into_iter()
            .chain(from.joins.iter().flatten().map(|joined| &joined.table))
            .any(|table| match table {
                SelectTable::Table(written, ..) => folded(written.name.0) == name,
                SelectTable::Sub(inner, _) => inside(inner, name),
                _ => false,
            })
    }
    matches!(select, OneSelect::Select { from: Some(from), .. } if inside(from, name))
}

/// Returns the number of rows of a recursion that reads only itself and counts:
/// `SELECT n + 1 … WHERE n < 10`, from a literal number.
pub(super) fn counter(
    select: &OneSelect<'_>,
    columns: &[(String, Value)],
    seeds: &[Option<u64>],
    name: &str,
) -> Option<u64> {
    let OneSelect::Select {
        columns: steps,
        from: Some(from),
        where_clause: Some(condition),
        ..
    } = select
    else {
        return None;
    };
    let alone = from.joins.as_ref().is_none_or(|joins| joins.is_empty());
    if !alone || !names_table(select, name) {
        return None;
    }
    let (column, end) = upper_bound(condition)?;
    let position = columns.iter().position(|(known, _)| *known == column)?;
    let first = (*seeds.get(position)?)?;
    let ResultColumn::Expr(Expr::Binary(left, Operator::Add, right), _) = steps.get(position)?
    else {
        return None;
    };
    let counts = column_name(left, None) == column;
    let step = match right {
        Expr::Literal(Literal::Numeric(digits)) => digits.parse::<u64>().ok()?,
        _ => return None,
    };
    (counts && step > 0).then(|| end.saturating_sub(first) / step + 2)
}

/// Returns the column and the bound of `n < 10`, on its own or as a term of AND.
fn upper_bound(condition: &Expr<'_>) -> Option<(String, u64)> {
    match condition {
        Expr::Binary(left, Operator::And, right) => {
            upper_bound(left).or_else(|| upper_bound(right))
        }
        Expr::Binary(left, Operator::Less | Operator::LessEquals, right) => {
            let column = column_name(left, None);
            match right {
                Expr::Literal(Literal::Numeric(digits)) if !column.is_empty() => {
                    Some((column, digits.parse().ok()?))
                }
                _ => None,
            }
        }
        Expr::Parenthesized(inner) if inner.len() == 1 => inner.first().and_then(upper_bound),
        _ => None,
    }
}

//! The values that a recursive common table expression passes from row to row.
//!
//! A number is passed on in nanoseconds. A text may be long, and it may grow with each row, so the
//! engine checks its length while the statement runs ([`crate::carried`]). This module finds the
//! columns that need the check, and the place for it.

use sqlite3_parser::ast::{
    CommonTableExpr, CompoundOperator, Expr, FromClause, Literal, OneSelect, Operator,
    ResultColumn, SelectTable, UnaryOperator,
};

use super::estimate::alias_name;
use crate::functions::{self, NUMBER, SHORT_TEXT};
use crate::operations::{Alias, Carried, CarriedArm, CarriedColumn, unquote};

/// The greatest length, in bytes, of a literal that counts as short.
const SHORT_LITERAL_BYTES: usize = 64;

/// Returns the values that the recursion of `cte` passes on; empty if its columns have no names
/// that the check could use.
pub(super) fn carried(cte: &CommonTableExpr<'_>) -> Carried {
    let name = unquote(cte.tbl_name.0);
    let body = &cte.select.body;
    let compounds = body.compounds.as_deref().unwrap_or_default();
    let arms: Vec<&OneSelect<'_>> = std::iter::once(&body.select)
        .chain(compounds.iter().map(|compound| &compound.select))
        .collect();
    let names = column_names(cte, &body.select);
    let mut found = Carried {
        is_distinct: compounds
            .iter()
            .any(|compound| compound.operator != CompoundOperator::UnionAll),
        arms: Vec::new(),
    };
    for (arm, select) in arms.iter().enumerate() {
        if let OneSelect::Select {
            columns,
            from: Some(from),
            ..
        } = select
            && let Some(qualifier) = qualifier_of(from, &name)
            && let Some(arm) = recursive_arm(arm, columns, &names, qualifier, &arms)
        {
            found.arms.push(arm);
        }
    }
    found
}

fn recursive_arm(
    arm: usize,
    columns: &[ResultColumn<'_>],
    names: &[Option<String>],
    qualifier: String,
    arms: &[&OneSelect<'_>],
) -> Option<CarriedArm> {
    let aligned = !columns
        .iter()
        .any(|column| !matches!(column, ResultColumn::Expr(..)));
    let mut checked = Vec::new();
    for (position, name) in names.iter().enumerate() {
        let Some(name) = name else { continue };
        let own = columns.get(position).filter(|_| aligned);
        let short = own.is_some() && arms.iter().all(|other| is_short_at(other, position));
        if !short {
            let shrinks = match own {
                Some(ResultColumn::Expr(expression, _)) => shrinks(expression, name),
                _ => false,
            };
            checked.push(CarriedColumn {
                name: name.clone(),
                shrinks: shrinks.then_some(position),
            });
        }
    }
    let (item, alias) = columns
        .iter()
        .enumerate()
        .find_map(|(item, column)| match column {
            ResultColumn::Expr(expression, alias) if has_no_affinity(expression) => {
                let alias = match alias {
                    None => Alias::None,
                    Some(sqlite3_parser::ast::As::As(_)) => Alias::As,
                    Some(sqlite3_parser::ast::As::Elided(_)) => Alias::Bare,
                };
                Some((item, alias))
            }
            _ => None,
        })?;
    (!checked.is_empty()).then_some(CarriedArm {
        arm,
        items: columns.len(),
        item,
        alias,
        qualifier,
        checked,
    })
}

/// Returns the names of the columns, as far as they are known.
fn column_names(cte: &CommonTableExpr<'_>, first: &OneSelect<'_>) -> Vec<Option<String>> {
    if let Some(columns) = cte.columns {
        return columns
            .iter()
            .map(|column| Some(unquote(column.col_name.0)))
            .collect();
    }
    let OneSelect::Select { columns, .. } = first else {
        return Vec::new();
    };
    columns
        .iter()
        .map_while(|column| match column {
            ResultColumn::Expr(expression, alias) => {
                Some(alias_name(alias.as_ref()).or_else(|| match expression {
                    Expr::Id(id) => Some(unquote(id.0)),
                    Expr::Name(name)
                    | Expr::Qualified(_, name)
                    | Expr::DoublyQualified(_, _, name) => Some(unquote(name.0)),
                    _ => None,
                }))
            }
            ResultColumn::Star | ResultColumn::TableStar(_) => None,
        })
        .collect()
}

/// Returns the name or alias in a FROM of the table with this name.
fn qualifier_of(from: &FromClause<'_>, name: &str) -> Option<String> {
    let tables = from
        .select
        .into_iter()
        .chain(from.joins.iter().flatten().map(|joined| &joined.table));
    tables.into_iter().find_map(|table| match table {
        SelectTable::Table(written, alias, _)
            if written.db_name.is_none() && unquote(written.name.0).eq_ignore_ascii_case(name) =>
        {
            Some(alias_name(alias.as_ref()).unwrap_or_else(|| unquote(written.name.0)))
        }
        SelectTable::Sub(inner, _) => qualifier_of(inner, name),
        _ => None,
    })
}

fn is_short_at(select: &OneSelect<'_>, position: usize) -> bool {
    match select {
        OneSelect::Values(rows) => rows
            .iter()
            .all(|row| row.get(position).is_some_and(is_short)),
        OneSelect::Select { columns, .. } => {
            let before = columns.get(..=position).unwrap_or_default();
            matches!(before.last(), Some(ResultColumn::Expr(expression, _)) if is_short(expression))
                && before
                    .iter()
                    .all(|column| matches!(column, ResultColumn::Expr(..)))
        }
    }
}

/// Returns true if the value has few bytes, whatever the columns contain.
fn is_short(expression: &Expr<'_>) -> bool {
    match expression {
        Expr::Literal(Literal::String(text) | Literal::Blob(text)) => {
            text.len() <= SHORT_LITERAL_BYTES
        }
        Expr::Literal(_)
        | Expr::Between { .. }
        | Expr::Exists(_)
        | Expr::InList { .. }
        | Expr::InSelect { .. }
        | Expr::InTable { .. }
        | Expr::IsNull(_)
        | Expr::NotNull(_)
        | Expr::Like { .. } => true,
        Expr::Binary(_, operator, _) => !matches!(
            operator,
            Operator::Concat | Operator::ArrowRight | Operator::ArrowRightShift
        ),
        Expr::Unary(operator, inner) => *operator != UnaryOperator::Positive || is_short(inner),
        Expr::Parenthesized(inner) => inner.iter().all(is_short),
        Expr::Case {
            when_then_pairs,
            else_expr,
            ..
        } => {
            when_then_pairs.iter().all(|(_, then)| is_short(then)) && else_expr.is_none_or(is_short)
        }
        Expr::FunctionCall { name, .. } => {
            functions::is(&unquote(name.0).to_ascii_lowercase(), NUMBER | SHORT_TEXT)
        }
        Expr::FunctionCallStar { .. } => true,
        _ => false,
    }
}

/// Returns true for an expression such as `substr(rest, …)` for the column `rest`: each row has
/// less of the text than the one before.
fn shrinks(expression: &Expr<'_>, column: &str) -> bool {
    let is_column = |argument: &Expr<'_>| match argument {
        Expr::Id(id) => unquote(id.0).eq_ignore_ascii_case(column),
        Expr::Name(name) | Expr::Qualified(_, name) => unquote(name.0).eq_ignore_ascii_case(column),
        _ => false,
    };
    match expression {
        Expr::FunctionCall { name, args, .. } => {
            let name = unquote(name.0).to_ascii_lowercase();
            matches!(name.as_str(), "substr" | "substring" | "ltrim" | "trim")
                && args
                    .and_then(<[Expr<'_>]>::first)
                    .is_some_and(|argument| is_column(argument) || shrinks(argument, column))
        }
        Expr::Case {
            when_then_pairs,
            else_expr,
            ..
        } => {
            let shorter = |value: &Expr<'_>| is_short(value) || shrinks(value, column);
            when_then_pairs.iter().all(|(_, then)| shorter(then)) && else_expr.is_none_or(shorter)
        }
        Expr::Parenthesized(inner) => inner.iter().all(|value| shrinks(value, column)),
        _ => false,
    }
}

/// Returns true if the expression can be put into a call without changing its type or collation.
fn has_no_affinity(expression: &Expr<'_>) -> bool {
    matches!(
        expression,
        Expr::Binary(..)
            | Expr::Case { .. }
            | Expr::FunctionCall { .. }
            | Expr::Literal(_)
            | Expr::Variable(_)
    )
}

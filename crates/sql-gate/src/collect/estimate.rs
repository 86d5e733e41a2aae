//! Reads two facts from the syntax of a query: its LIMIT, and whether it aggregates all rows into
//! one.

use sqlite3_parser::ast::{As, Expr, FunctionTail, Literal, ResultColumn, Select};

use crate::functions;
use crate::operations::{CteLimit, unquote};

/// Returns the number of rows that a query can visit according to its LIMIT. `LIMIT a OFFSET b` and
/// `LIMIT b, a` have the same two fields in the tree, so their sum covers both.
pub(super) fn cte_limit(select: &Select<'_>) -> CteLimit {
    let Some(limit) = select.limit else {
        return CteLimit::None;
    };
    let literal = |expression: &Expr<'_>| match expression {
        Expr::Literal(Literal::Numeric(digits)) => digits.parse::<u64>().ok(),
        _ => None,
    };
    let skipped = limit.offset.as_ref().map_or(Some(0), literal);
    match (literal(&limit.expr), skipped) {
        (Some(rows), Some(skipped)) => CteLimit::Literal(rows.saturating_add(skipped)),
        _ => CteLimit::Expression,
    }
}

/// Returns true if a result column is an aggregate over the whole query. Only a call on its own or
/// in plain arithmetic is recognised.
pub fn is_aggregate(column: &ResultColumn<'_>) -> bool {
    match column {
        ResultColumn::Expr(expression, _) => calls_aggregate(expression),
        ResultColumn::Star | ResultColumn::TableStar(_) => false,
    }
}

pub(super) fn calls_aggregate(expression: &Expr<'_>) -> bool {
    match expression {
        Expr::FunctionCall {
            name,
            args,
            filter_over,
            ..
        } => {
            let arguments = args.unwrap_or_default();
            let name = unquote(name.0).to_ascii_lowercase();
            let extreme = arguments.len() == 1 && (name == "min" || name == "max");
            let aggregate = extreme || functions::is(&name, functions::AGGREGATE);
            !is_windowed(filter_over.as_ref())
                && (aggregate || arguments.iter().any(calls_aggregate))
        }
        Expr::FunctionCallStar { name, filter_over } => {
            unquote(name.0).eq_ignore_ascii_case("count") && !is_windowed(filter_over.as_ref())
        }
        Expr::Binary(left, _, right) => calls_aggregate(left) || calls_aggregate(right),
        Expr::Parenthesized(inner) => inner.iter().any(calls_aggregate),
        Expr::Cast { expr, .. } | Expr::Unary(_, expr) => calls_aggregate(expr),
        _ => false,
    }
}

fn is_windowed(tail: Option<&FunctionTail<'_>>) -> bool {
    tail.is_some_and(|tail| tail.over_clause.is_some())
}

pub(super) fn alias_name(alias: Option<&As<'_>>) -> Option<String> {
    match alias {
        Some(As::As(name) | As::Elided(name)) => Some(unquote(name.0)),
        None => None,
    }
}

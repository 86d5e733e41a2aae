//! Columns of a query with the sizes of the expressions behind them.

use sqlite3_parser::ast::{
    ColumnConstraint, ColumnDefinition, Expr, IndexedColumn, TableConstraint,
};

use super::{Outline, Size};
use crate::tree::folded;

/// The names of columns, in lower case and empty if a column has none, with the sizes of their
/// expressions.
pub(super) type Columns = Vec<(String, Size)>;

/// Returns the expression of a generated column.
pub(super) fn generated<'a>(column: &'a ColumnDefinition<'a>) -> Option<&'a Expr<'a>> {
    column
        .constraints
        .iter()
        .find_map(|named| match &named.constraint {
            ColumnConstraint::Generated { expr, .. } => Some(expr),
            _ => None,
        })
}

/// Returns the CHECKs and the DEFAULT of a column.
pub(super) fn conditions_of<'a>(
    column: &'a ColumnDefinition<'a>,
) -> impl Iterator<Item = &'a Expr<'a>> {
    column
        .constraints
        .iter()
        .filter_map(|named| match &named.constraint {
            ColumnConstraint::Check(condition) | ColumnConstraint::Default(condition) => {
                Some(condition)
            }
            _ => None,
        })
}

/// Returns the condition of a CHECK of a table.
pub(super) fn condition_of<'a>(constraint: &'a TableConstraint<'a>) -> Option<&'a Expr<'a>> {
    match constraint {
        TableConstraint::Check(condition, _) => Some(condition),
        _ => None,
    }
}

/// Returns the columns with the names of a list, as in `v (a, b)`. If the number of columns is
/// unknown because of a `*`, each column gets the size of the largest.
pub(super) fn renamed(mut outline: Outline, names: Option<&[IndexedColumn<'_>]>) -> Outline {
    let Some(names) = names else { return outline };
    let all = outline
        .columns
        .iter()
        .map(|(_, size)| *size)
        .reduce(Size::largest)
        .unwrap_or_default();
    let size_at = |position: usize| match outline.columns.get(position) {
        Some((_, size)) if !outline.is_open => *size,
        _ => all,
    };
    outline.columns = names
        .iter()
        .enumerate()
        .map(|(position, name)| (folded(name.col_name.0), size_at(position)))
        .collect();
    outline
}

pub(super) fn united(first: Outline, second: Outline) -> Outline {
    Outline {
        size: first.size.plus(second.size),
        is_open: first.is_open || second.is_open,
        columns: largest(first.columns, second.columns),
        ..Outline::default()
    }
}

/// Returns each position with the larger size of the two. The names are those of the first.
pub(super) fn largest(first: Columns, second: Columns) -> Columns {
    if first.is_empty() {
        return second;
    }
    let all = second
        .iter()
        .map(|(_, size)| *size)
        .reduce(Size::largest)
        .unwrap_or_default();
    let aligned = first.len() == second.len();
    first
        .into_iter()
        .enumerate()
        .map(|(position, (name, size))| {
            let other = second
                .get(position)
                .filter(|_| aligned)
                .map_or(all, |(_, size)| *size);
            (name, size.largest(other))
        })
        .collect()
}

//! Finds the placeholders that are part of a comparison. A list that is bound to such a placeholder
//! must be expanded or refused, because its JSON text equals no value.

use sqlite3_parser::ast::{Expr, OneSelect, Operator, ResultColumn, Select};

use crate::functions::{self, FIRST, FORM, ONE_OF_ALL};
use crate::operations::{ComparedColumn, ComparedVariable, Comparison, unquote};

/// Adds the placeholders that are directly in this expression; its parts are visited separately.
pub(super) fn in_expression(expression: &Expr<'_>, found: &mut Vec<ComparedVariable>) {
    let mut one = |operand: &Expr<'_>| operand_of(operand, Comparison::One, found);
    match expression {
        Expr::Binary(left, operator, right) if compares(operator) => {
            one(left);
            one(right);
        }
        Expr::Between {
            lhs, start, end, ..
        } => [*lhs, *start, *end].into_iter().for_each(one),
        Expr::Like { lhs, rhs, .. } => {
            one(lhs);
            one(rhs);
        }
        Expr::Case {
            base: Some(base),
            when_then_pairs,
            ..
        } => {
            one(base);
            when_then_pairs.iter().for_each(|(when, _)| one(when));
        }
        Expr::InList { lhs, rhs, .. } => {
            one(lhs);
            let items = rhs.unwrap_or_default();
            let comparison = match items {
                _ if is_row(lhs) => Comparison::One,
                [_] => Comparison::WholeList,
                _ => Comparison::PartOfList,
            };
            for item in items {
                operand_of(item, comparison, found);
            }
        }
        Expr::InSelect { lhs, rhs, .. } => {
            one(lhs);
            results(rhs, &mut one);
        }
        Expr::InTable { lhs, .. } => one(lhs),
        _ => {}
    }
}

/// Adds the columns that this expression compares, each by its name alone.
pub(super) fn columns_in(expression: &Expr<'_>, found: &mut Vec<ComparedColumn>) {
    let mut add = |operand: &Expr<'_>, is_equality| {
        let name = match operand {
            Expr::Id(id) => unquote(id.0),
            Expr::Qualified(_, name) | Expr::DoublyQualified(_, _, name) => unquote(name.0),
            _ => return,
        };
        found.push(ComparedColumn { name, is_equality });
    };
    match expression {
        Expr::Binary(left, operator, right) => {
            let is_equality = match operator {
                Operator::Equals | Operator::Is => true,
                Operator::Less
                | Operator::LessEquals
                | Operator::Greater
                | Operator::GreaterEquals => false,
                _ => return,
            };
            add(left, is_equality);
            add(right, is_equality);
        }
        Expr::Between { lhs, .. } => add(lhs, false),
        Expr::InList { lhs, .. } | Expr::InSelect { lhs, .. } | Expr::InTable { lhs, .. } => {
            add(lhs, true);
        }
        _ => {}
    }
}

fn compares(operator: &Operator) -> bool {
    matches!(
        operator,
        Operator::Equals
            | Operator::NotEquals
            | Operator::Is
            | Operator::IsNot
            | Operator::Less
            | Operator::LessEquals
            | Operator::Greater
            | Operator::GreaterEquals
    )
}

/// Returns true for `(a, b)`.
fn is_row(expression: &Expr<'_>) -> bool {
    matches!(expression, Expr::Parenthesized(inner) if inner.len() > 1)
}

/// Visits the expressions of a query's rows, as far as they are written in the query itself.
fn results(select: &Select<'_>, one: &mut dyn FnMut(&Expr<'_>)) {
    let compounds = select.body.compounds.iter().flatten();
    let selects = compounds.map(|compound| &compound.select);
    for select in std::iter::once(&select.body.select).chain(selects) {
        match select {
            OneSelect::Values(rows) => rows.iter().flatten().for_each(&mut *one),
            OneSelect::Select { columns, .. } => {
                for column in *columns {
                    if let ResultColumn::Expr(expression, _) = column {
                        one(expression);
                    }
                }
            }
        }
    }
}

fn operand_of(expression: &Expr<'_>, comparison: Comparison, found: &mut Vec<ComparedVariable>) {
    match expression {
        Expr::Variable(name) => found.push(ComparedVariable {
            name: (*name).to_owned(),
            comparison,
        }),
        Expr::Collate(inner, _) => operand_of(inner, comparison, found),
        Expr::Parenthesized(inner) => {
            let comparison = match inner.as_slice() {
                [_] => comparison,
                _ => Comparison::One,
            };
            for part in inner {
                operand_of(part, comparison, found);
            }
        }
        _ => parts_of_value(expression)
            .into_iter()
            .for_each(|part| operand_of(part, Comparison::One, found)),
    }
}

/// Returns the parts of an expression from which its value is made, if it is a single value and no
/// JSON is read.
fn parts_of_value<'e>(expression: &'e Expr<'e>) -> Vec<&'e Expr<'e>> {
    match expression {
        Expr::Unary(_, inner) | Expr::Cast { expr: inner, .. } => vec![*inner],
        Expr::Binary(left, operator, right) if computes(operator) => vec![*left, *right],
        Expr::FunctionCall {
            name,
            args: Some(arguments),
            ..
        } if functions::is(&name.0.to_ascii_lowercase(), ONE_OF_ALL | FIRST | FORM) => {
            arguments.iter().collect()
        }
        Expr::Case {
            when_then_pairs,
            else_expr,
            ..
        } => {
            let results = when_then_pairs.iter().map(|(_, then)| then);
            results.chain(else_expr.iter().copied()).collect()
        }
        _ => Vec::new(),
    }
}

fn computes(operator: &Operator) -> bool {
    matches!(
        operator,
        Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Modulus
            | Operator::Concat
    )
}

//! Visits the direct parts of an expression, for walks that treat most kinds of expressions alike,
//! and names result columns.

use sqlite3_parser::ast::{
    As, Expr, FrameBound, FunctionCallOrder, FunctionTail, Over, QualifiedName, Select,
    SortedColumn, Window,
};

use super::operations::unquote;

/// A part of an expression.
pub enum Child<'a> {
    /// An expression.
    Expression(&'a Expr<'a>),
    /// A query in brackets.
    Query(&'a Select<'a>),
    /// `x IN table`
    Table(&'a QualifiedName<'a>),
}

/// Calls `visit` with each direct part of the expression, in the order of the text.
pub fn children<'a>(expression: &'a Expr<'a>, visit: &mut dyn FnMut(Child<'a>)) {
    use Child::{Expression, Query, Table};
    match expression {
        Expr::Between {
            lhs, start, end, ..
        } => [*lhs, *start, *end]
            .into_iter()
            .for_each(|part| visit(Expression(part))),
        Expr::Binary(left, _, right) => {
            visit(Expression(left));
            visit(Expression(right));
        }
        Expr::Case {
            base,
            when_then_pairs,
            else_expr,
        } => {
            base.iter().for_each(|part| visit(Expression(part)));
            for (when, then) in *when_then_pairs {
                visit(Expression(when));
                visit(Expression(then));
            }
            else_expr.iter().for_each(|part| visit(Expression(part)));
        }
        Expr::Cast { expr, .. }
        | Expr::Collate(expr, _)
        | Expr::IsNull(expr)
        | Expr::NotNull(expr)
        | Expr::Unary(_, expr) => visit(Expression(expr)),
        Expr::Exists(select) | Expr::Subquery(select) => visit(Query(select)),
        Expr::FunctionCall {
            args,
            order_by,
            filter_over,
            ..
        } => {
            each(args.unwrap_or_default(), visit);
            if let Some(FunctionCallOrder::SortList(columns)) = order_by {
                sorted(columns, visit);
            }
            tail(filter_over.as_ref(), visit);
        }
        Expr::FunctionCallStar { filter_over, .. } => tail(filter_over.as_ref(), visit),
        Expr::InList { lhs, rhs, .. } => {
            visit(Expression(lhs));
            each(rhs.unwrap_or_default(), visit);
        }
        Expr::InSelect { lhs, rhs, .. } => {
            visit(Expression(lhs));
            visit(Query(rhs));
        }
        Expr::InTable { lhs, rhs, args, .. } => {
            visit(Expression(lhs));
            visit(Table(rhs));
            each(args.unwrap_or_default(), visit);
        }
        Expr::Like {
            lhs, rhs, escape, ..
        } => {
            visit(Expression(lhs));
            visit(Expression(rhs));
            escape.iter().for_each(|part| visit(Expression(part)));
        }
        Expr::Parenthesized(inner) => each(inner, visit),
        Expr::Raise(_, message) => message.iter().for_each(|part| visit(Expression(part))),
        Expr::Id(_)
        | Expr::Name(_)
        | Expr::Qualified(..)
        | Expr::DoublyQualified(..)
        | Expr::Literal(_)
        | Expr::Variable(_) => {}
    }
}

/// Calls `visit` with the expressions of a window.
pub fn window<'a>(window: &'a Window<'a>, visit: &mut dyn FnMut(Child<'a>)) {
    each(window.partition_by.unwrap_or_default(), visit);
    sorted(window.order_by.unwrap_or_default(), visit);
    if let Some(frame) = &window.frame_clause {
        for bound in [Some(&frame.start), frame.end.as_ref()]
            .into_iter()
            .flatten()
        {
            match bound {
                FrameBound::Following(expression) | FrameBound::Preceding(expression) => {
                    visit(Child::Expression(expression));
                }
                FrameBound::CurrentRow
                | FrameBound::UnboundedFollowing
                | FrameBound::UnboundedPreceding => {}
            }
        }
    }
}

fn tail<'a>(tail: Option<&'a FunctionTail<'a>>, visit: &mut dyn FnMut(Child<'a>)) {
    let Some(tail) = tail else { return };
    tail.filter_clause
        .iter()
        .for_each(|part| visit(Child::Expression(part)));
    match tail.over_clause {
        Some(Over::Window(definition)) => window(definition, visit),
        Some(Over::Name(_)) | None => {}
    }
}

fn sorted<'a>(columns: &'a [SortedColumn<'a>], visit: &mut dyn FnMut(Child<'a>)) {
    for column in columns {
        visit(Child::Expression(&column.expr));
    }
}

fn each<'a>(expressions: &'a [Expr<'a>], visit: &mut dyn FnMut(Child<'a>)) {
    for expression in expressions {
        visit(Child::Expression(expression));
    }
}

/// Returns a name in the form in which SQLite compares names.
pub fn folded(written: &str) -> String {
    unquote(written).to_ascii_lowercase()
}

/// Returns the name of a result column in lower case, or an empty text if SQLite makes one up.
pub fn column_name(expression: &Expr<'_>, alias: Option<&As<'_>>) -> String {
    match (alias, expression) {
        (Some(As::As(name) | As::Elided(name)), _)
        | (None, Expr::Name(name) | Expr::Qualified(_, name) | Expr::DoublyQualified(_, _, name)) => {
            folded(name.0)
        }
        (None, Expr::Id(id)) => folded(id.0),
        (None, _) => String::new(),
    }
}

//! Walks through expressions: the functions that they call, the queries inside them, and the names
//! that SQLite might read as text.

use sqlite3_parser::ast::{
    Expr, FrameBound, FunctionCallOrder, FunctionTail, LikeOperator, Limit, Over, SortedColumn,
    Window,
};

use super::{Walk, compared};
use crate::operations::{Place, unquote};

impl Walk {
    pub(super) fn sorted(&mut self, columns: &[SortedColumn<'_>]) {
        for column in columns {
            self.expression(&column.expr);
        }
    }

    pub(super) fn limit(&mut self, limit: Option<&Limit<'_>>) {
        if let Some(limit) = limit {
            self.expression(&limit.expr);
            self.optional(limit.offset.as_ref());
        }
    }

    pub(super) fn expressions(&mut self, expressions: &[Expr<'_>]) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    pub(super) fn optional(&mut self, expression: Option<&Expr<'_>>) {
        if let Some(expression) = expression {
            self.expression(expression);
        }
    }

    pub(super) fn expression(&mut self, expression: &Expr<'_>) {
        compared::in_expression(expression, &mut self.found.compared);
        compared::columns_in(expression, &mut self.found.compared_columns);
        match expression {
            Expr::Between {
                lhs, start, end, ..
            } => {
                self.expression(lhs);
                self.pair(start, end);
            }
            Expr::Binary(left, _, right) => self.pair(left, right),
            Expr::Case {
                base,
                when_then_pairs,
                else_expr,
            } => {
                self.optional(*base);
                self.cases(when_then_pairs);
                self.optional(*else_expr);
            }
            Expr::Cast { expr, .. }
            | Expr::Collate(expr, _)
            | Expr::IsNull(expr)
            | Expr::NotNull(expr)
            | Expr::Unary(_, expr) => self.expression(expr),
            Expr::Exists(select) | Expr::Subquery(select) => self.select(select),
            Expr::FunctionCall {
                name,
                args,
                order_by,
                filter_over,
                ..
            } => {
                self.function(name.0);
                self.expressions(args.unwrap_or_default());
                self.function_order(order_by.as_ref());
                self.function_tail(filter_over.as_ref());
            }
            Expr::FunctionCallStar { name, filter_over } => {
                self.function(name.0);
                self.function_tail(filter_over.as_ref());
            }
            Expr::InList { lhs, rhs, .. } => {
                self.expression(lhs);
                self.expressions(rhs.unwrap_or_default());
            }
            Expr::InSelect { lhs, rhs, .. } => {
                self.expression(lhs);
                self.select(rhs);
            }
            Expr::InTable { lhs, rhs, args, .. } => {
                self.expression(lhs);
                self.relation(rhs, *args, Place::In);
                self.expressions(args.unwrap_or_default());
            }
            Expr::Like {
                lhs,
                op,
                rhs,
                escape,
                ..
            } => {
                self.like(*op);
                self.pair(lhs, rhs);
                self.optional(*escape);
            }
            Expr::Parenthesized(inner) => self.expressions(inner),
            Expr::Id(id) => self.bare_name(id.0),
            Expr::Name(name) => self.bare_name(name.0),
            Expr::Raise(_, message) => {
                self.function("raise");
                self.optional(*message);
            }
            Expr::DoublyQualified(..)
            | Expr::Qualified(..)
            | Expr::Literal(_)
            | Expr::Variable(_) => {}
        }
    }

    fn pair(&mut self, left: &Expr<'_>, right: &Expr<'_>) {
        self.expression(left);
        self.expression(right);
    }

    fn cases(&mut self, cases: &[(Expr<'_>, Expr<'_>)]) {
        for (when, then) in cases {
            self.pair(when, then);
        }
    }

    pub(super) fn like(&mut self, operator: LikeOperator) {
        match operator {
            LikeOperator::Regexp => self.found.functions.push("regexp".to_owned()),
            LikeOperator::Glob | LikeOperator::Like | LikeOperator::Match => {}
        }
    }

    pub(super) fn bare_name(&mut self, written: &str) {
        if written.starts_with('"') {
            self.found.double_quoted.push(unquote(written));
        }
    }

    pub(super) fn function(&mut self, written: &str) {
        let name = unquote(written).to_ascii_lowercase();
        if !self.found.functions.contains(&name) {
            self.found.functions.push(name);
        }
    }

    fn function_order(&mut self, order: Option<&FunctionCallOrder<'_>>) {
        if let Some(FunctionCallOrder::SortList(columns)) = order {
            self.sorted(columns);
        }
    }

    pub(super) fn function_tail(&mut self, tail: Option<&FunctionTail<'_>>) {
        let Some(tail) = tail else { return };
        self.optional(tail.filter_clause);
        self.found.windows |= tail.over_clause.is_some();
        match tail.over_clause {
            Some(Over::Window(window)) => self.window(window),
            Some(Over::Name(_)) | None => {}
        }
    }

    pub(super) fn window(&mut self, window: &Window<'_>) {
        self.expressions(window.partition_by.unwrap_or_default());
        self.sorted(window.order_by.unwrap_or_default());
        if let Some(frame) = &window.frame_clause {
            self.frame_bound(&frame.start);
            if let Some(end) = &frame.end {
                self.frame_bound(end);
            }
        }
    }

    pub(super) fn frame_bound(&mut self, bound: &FrameBound<'_>) {
        match bound {
            FrameBound::Following(expression) | FrameBound::Preceding(expression) => {
                self.expression(expression)
            }
            FrameBound::CurrentRow
            | FrameBound::UnboundedFollowing
            | FrameBound::UnboundedPreceding => {}
        }
    }
}

//! Guards operators that can make texts and BigInts longer.
//!
//! `+` doubles a text in no time, and each use of that text then takes time in proportion to its
//! length. One multiplication of two BigInts of 2^29 bits takes twelve seconds. So the size of a
//! result is checked wherever it may be a text or a BigInt that is longer than its operands, unless
//! it is certainly a number. A chain of sums is checked once, because no part of it is longer than
//! the whole.

use oxc_ast::ast::{
    AssignmentExpression, AssignmentOperator, AssignmentTarget, BinaryExpression, BinaryOperator,
    Expression, TemplateLiteral,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::GetSpan;

use super::edits::Order;
use super::regions::Guard;
use super::source::next_token;
use super::source::number;

impl<'a> Guard<'_> {
    /// Guards a template literal with substitutions.
    pub(super) fn template(&mut self, it: &TemplateLiteral<'a>) {
        self.operation();
        if it.expressions.is_empty() {
            return;
        }
        self.around_call('s', it.span, |guard| guard.substitutions(it));
    }

    fn substitutions(&mut self, it: &TemplateLiteral<'a>) {
        for expression in &it.expressions {
            self.one_of_many(expression);
        }
    }

    pub(super) fn binary(&mut self, it: &BinaryExpression<'a>) {
        self.operation();
        match it.operator {
            BinaryOperator::Addition if !self.numbers.is_sum(it) => {
                self.around_call('s', it.span, |guard| guard.sum(it));
            }
            BinaryOperator::Multiplication
            | BinaryOperator::ShiftLeft
            | BinaryOperator::ShiftRight
                if !self.numbers.either(&it.left, &it.right) =>
            {
                self.around_call('m', it.span, |guard| {
                    walk_js::walk_binary_expression(guard, it)
                });
            }
            BinaryOperator::Exponential if !self.numbers.either(&it.left, &it.right) => {
                let operator = next_token(self.text, it.left.span().end);
                let length = number(it.operator.as_str().len());
                self.edits.replace(operator, operator + length, ",");
                self.around_call('w', it.span, |guard| {
                    walk_js::walk_binary_expression(guard, it)
                });
            }
            _ => walk_js::walk_binary_expression(self, it),
        }
    }

    /// Visits the parts of a sum and of the sums in it.
    fn sum(&mut self, it: &BinaryExpression<'a>) {
        for part in [&it.left, &it.right] {
            match part.get_inner_expression() {
                Expression::BinaryExpression(part) if part.operator == BinaryOperator::Addition => {
                    self.operation();
                    self.sum(part);
                }
                Expression::TemplateLiteral(part) => {
                    self.operation();
                    self.substitutions(part);
                }
                _ => self.visit_expression(part),
            }
        }
    }

    pub(super) fn assignment(&mut self, it: &AssignmentExpression<'a>) {
        if it.operator.is_logical() {
            self.perhaps(|guard| walk_js::walk_assignment_expression(guard, it));
            return;
        }
        if it.operator == AssignmentOperator::Assign {
            // With a rest element the target becomes an object pattern, which cannot begin a
            // statement.
            let begins = matches!(&it.left, AssignmentTarget::ArrayAssignmentTarget(it) if it.rest.is_some());
            if begins {
                self.edits.insert(it.span.start, Order::OpenGuard, "(");
            }
            self.visit_assignment_target(&it.left);
            match &it.left {
                AssignmentTarget::ObjectAssignmentTarget(pattern) if pattern.rest.is_some() => {
                    self.sized(&it.right);
                }
                _ => self.visit_expression(&it.right),
            }
            if begins {
                self.edits.insert(it.span.end, Order::CloseGuard, ")");
            }
            return;
        }
        self.operation();
        let holds = self.numbers.holds(&it.left);
        match it.operator {
            // Adding a BigInt to a number is an error, however long the BigInt is.
            AssignmentOperator::Addition if holds => {
                self.visit_assignment_target(&it.left);
                match it.right.get_inner_expression() {
                    Expression::BinaryExpression(product)
                        if product.operator == BinaryOperator::Multiplication =>
                    {
                        self.operation();
                        walk_js::walk_binary_expression(self, product);
                    }
                    _ => self.visit_expression(&it.right),
                }
            }
            AssignmentOperator::Addition if !holds => {
                self.around_call('s', it.span, |guard| {
                    guard.visit_assignment_target(&it.left);
                    match it.right.get_inner_expression() {
                        Expression::BinaryExpression(sum)
                            if sum.operator == BinaryOperator::Addition =>
                        {
                            guard.operation();
                            guard.sum(sum);
                        }
                        _ => guard.visit_expression(&it.right),
                    }
                });
            }
            AssignmentOperator::Multiplication
            | AssignmentOperator::ShiftLeft
            | AssignmentOperator::ShiftRight
            | AssignmentOperator::Exponential
                if !holds && !self.numbers.is_number(&it.right) =>
            {
                let by = if it.operator == AssignmentOperator::Exponential {
                    'n'
                } else {
                    'q'
                };
                self.around_call('m', it.span, |guard| {
                    guard.visit_assignment_target(&it.left);
                    guard.around_call(by, it.right.span(), |guard| {
                        guard.visit_expression(&it.right)
                    });
                });
            }
            _ => walk_js::walk_assignment_expression(self, it),
        }
    }
}

//! Finds loops whose number of iterations is known before they run.
//!
//! `for (let i = 0; i < 1000; i++)` has a thousand iterations at most, if nothing else assigns to
//! `i`. If its body is arithmetic on locals, such a loop is charged as a whole when it begins, and
//! needs no further check: in a tight loop even the cheapest check doubles the time. A loop that
//! may end early is excluded, because it would be charged for iterations that it does not do.

use std::collections::BTreeMap;

use oxc_ast::AstKind;
use oxc_ast::ast::{
    AssignmentOperator, AssignmentTarget, AssignmentTargetPropertyIdentifier, BinaryOperator,
    BindingIdentifier, BindingPattern, Expression, ForStatement, ForStatementInit, Program,
    SimpleAssignmentTarget, SwitchStatement, UpdateOperator, VariableDeclarationKind,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};

use super::names::{assigned_name, is_scope};

/// The most work that a loop does without checks, in units. A round of arithmetic takes some
/// nanoseconds for each unit, so there are about 20 ms at most between two looks at the clock.
pub const MAX_KNOWN_WORK: u32 = 4_000_000;

/// Numeric constants: names that are declared once and never assigned again, with their scopes.
#[derive(Debug, Default)]
pub struct Constants(BTreeMap<String, Constant>);

#[derive(Debug)]
struct Constant {
    value: f64,
    scope: Span,
    /// The number of declarations and assignments of the name, including its own declaration.
    bound: usize,
}

impl Constants {
    /// Finds the constants of a program.
    pub fn of(program: &Program<'_>) -> Self {
        let mut numbers = NumberFinder {
            found: BTreeMap::new(),
            scopes: vec![program.span],
        };
        numbers.visit_program(program);
        let mut count = BindingCounter(numbers.found);
        if !count.0.is_empty() {
            count.visit_program(program);
        }
        count.0.retain(|_, constant| constant.bound == 1);
        Self(count.0)
    }

    fn value(&self, expression: &Expression<'_>, place: Span) -> Option<f64> {
        match expression {
            Expression::Identifier(id) => {
                let constant = self.0.get(id.name.as_str())?;
                // Outside of its scope the name would refer to a global, which any code may change.
                (constant.scope.start <= place.start && place.end <= constant.scope.end)
                    .then_some(constant.value)
            }
            other => number(other),
        }
    }

    /// Returns an upper bound of the iterations of a loop, if it is known and the loop never ends
    /// early.
    pub fn rounds(&self, it: &ForStatement<'_>) -> Option<u32> {
        let Some(ForStatementInit::VariableDeclaration(declaration)) = &it.init else {
            return None;
        };
        let (Some(one), 1, VariableDeclarationKind::Let) = (
            declaration.declarations.first(),
            declaration.declarations.len(),
            declaration.kind,
        ) else {
            return None;
        };
        let BindingPattern::BindingIdentifier(id) = &one.id else {
            return None;
        };
        let Some(Expression::BinaryExpression(test)) = &it.test else {
            return None;
        };
        let name = id.name.as_str();
        let compares = matches!(
            test.operator,
            BinaryOperator::LessThan | BinaryOperator::LessEqualThan
        ) && names(&test.left, name);
        let first = one
            .init
            .as_ref()
            .and_then(|init| self.value(init, it.span))?;
        let (last, step) = (
            self.value(&test.right, it.span)?,
            step(it.update.as_ref()?, name)?,
        );
        let rounds = ((last - first) / step + 2.0).max(1.0);
        // The bounds are far below 2^53, so rounding never loses a step.
        let plain = compares
            && first.abs() <= 1e9
            && last.abs() <= 1e9
            && rounds <= f64::from(MAX_KNOWN_WORK);
        if !plain {
            return None;
        }
        let mut body = LoopBody {
            name,
            leaves: false,
        };
        body.visit_statement(&it.body);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and MAX_KNOWN_WORK"
        )]
        (!body.leaves).then_some(rounds as u32)
    }
}

/// Returns the amount by which the update increases the variable: a whole number, at least one.
fn step(update: &Expression<'_>, name: &str) -> Option<f64> {
    match update {
        Expression::UpdateExpression(it) if it.operator == UpdateOperator::Increment => {
            matches!(&it.argument, SimpleAssignmentTarget::AssignmentTargetIdentifier(id) if id.name == name).then_some(1.0)
        }
        Expression::AssignmentExpression(it) if it.operator == AssignmentOperator::Addition => {
            let Expression::NumericLiteral(by) = &it.right else {
                return None;
            };
            let own = matches!(&it.left, AssignmentTarget::AssignmentTargetIdentifier(id) if id.name == name);
            (own && by.value >= 1.0 && by.value <= 1e9 && by.value.fract() == 0.0).then_some(by.value)
        }
        _ => None,
    }
}

fn names(expression: &Expression<'_>, name: &str) -> bool {
    matches!(expression, Expression::Identifier(id) if id.name == name)
}

/// Returns the value of a literal, or of a product or power of two literals.
fn number(expression: &Expression<'_>) -> Option<f64> {
    match expression {
        Expression::NumericLiteral(literal) => Some(literal.value),
        Expression::BinaryExpression(it) => match (it.operator, &it.left, &it.right) {
            (
                BinaryOperator::Multiplication,
                Expression::NumericLiteral(left),
                Expression::NumericLiteral(right),
            ) => Some(left.value * right.value),
            (
                BinaryOperator::Exponential,
                Expression::NumericLiteral(left),
                Expression::NumericLiteral(right),
            ) => Some(left.value.powf(right.value)),
            _ => None,
        },
        _ => None,
    }
}

/// A visitor that finds names declared with a number.
struct NumberFinder {
    found: BTreeMap<String, Constant>,
    scopes: Vec<Span>,
}

impl<'a> VisitJs<'a> for NumberFinder {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        if is_scope(&kind) {
            self.scopes.push(kind.span());
        }
        let AstKind::VariableDeclaration(declaration) = kind else {
            return;
        };
        if !matches!(
            declaration.kind,
            VariableDeclarationKind::Const | VariableDeclarationKind::Let
        ) {
            return;
        }
        for one in &declaration.declarations {
            if let (BindingPattern::BindingIdentifier(id), Some(value), Some(scope)) = (
                &one.id,
                one.init.as_ref().and_then(number),
                self.scopes.last().copied(),
            ) {
                let constant = Constant {
                    value,
                    scope,
                    bound: 0,
                };
                self.found.insert(id.name.to_string(), constant);
            }
        }
    }

    fn leave_node(&mut self, kind: AstKind<'a>) {
        if is_scope(&kind) {
            self.scopes.pop();
        }
    }

    /// Skips the statement: its discriminant is inside of the statement but outside of the scope
    /// that the braces make.
    fn visit_switch_statement(&mut self, _: &SwitchStatement<'a>) {}
}

/// A visitor that counts the declarations and assignments of each name.
struct BindingCounter(BTreeMap<String, Constant>);

impl BindingCounter {
    fn bind(&mut self, name: &str) {
        if let Some(constant) = self.0.get_mut(name) {
            constant.bound += 1;
        }
    }
}

impl<'a> VisitJs<'a> for BindingCounter {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        // The members of an enum become constants, which its other members can use.
        if let AstKind::TSEnumMember(member) = kind {
            self.bind(member.id.static_name().as_str());
        }
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.bind(it.name.as_str());
    }

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        if let Some(name) = assigned_name(it) {
            self.bind(name);
        }
        walk_js::walk_simple_assignment_target(self, it);
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'a>,
    ) {
        self.bind(it.binding.name.as_str());
        walk_js::walk_assignment_target_property_identifier(self, it);
    }
}

/// A visitor that detects whether a body may end the loop early or may change its variable.
struct LoopBody<'n> {
    name: &'n str,
    leaves: bool,
}

impl<'a> VisitJs<'a> for LoopBody<'_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        self.leaves |= matches!(
            kind,
            AstKind::BreakStatement(_) | AstKind::ContinueStatement(_)
        );
    }

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        self.leaves |= assigned_name(it) == Some(self.name);
        walk_js::walk_simple_assignment_target(self, it);
    }
}

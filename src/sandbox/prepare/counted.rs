//! Loops whose rounds are known before they run.
//!
//! `for (let i = 0; i < 1000; i++)` goes round a thousand times at most, if nothing else assigns to `i`. Such a loop is charged as a
//! whole when it begins, and needs no check of its own: in a tight loop even the cheapest check doubles the time. A loop that may end
//! early is not one of them, since it would be charged for rounds that it does not do.

use std::collections::BTreeMap;

use oxc_ast::AstKind;
use oxc_ast::ast::{
    AssignmentOperator, AssignmentTarget, BinaryOperator, BindingIdentifier, BindingPattern,
    Expression, ForStatement, ForStatementInit, IdentifierReference, Program,
    SimpleAssignmentTarget, Statement, UpdateOperator, VariableDeclarationKind,
};
use oxc_ast_visit::VisitJs;

/// More rounds than this are checked one by one, so that a loop with a bound for form's sake is not refused.
const MAX_KNOWN_ROUNDS: f64 = 500_000_000.0;

/// Constants of the top level that are numbers and whose names nothing else has.
#[derive(Debug, Default)]
pub struct Constants(BTreeMap<String, f64>);

impl Constants {
    /// Finds them.
    pub fn of(program: &Program<'_>) -> Self {
        let mut numbers = BTreeMap::new();
        for statement in &program.body {
            let Statement::VariableDeclaration(declaration) = statement else {
                continue;
            };
            for one in &declaration.declarations {
                if let (
                    VariableDeclarationKind::Const,
                    BindingPattern::BindingIdentifier(id),
                    Some(Expression::NumericLiteral(number)),
                ) = (declaration.kind, &one.id, &one.init)
                {
                    numbers.insert(id.name.to_string(), (number.value, 0));
                }
            }
        }
        let mut count = Count(numbers);
        if !count.0.is_empty() {
            count.visit_program(program);
        }
        let once = count
            .0
            .into_iter()
            .filter(|(_, (_, declared))| *declared == 1);
        Self(once.map(|(name, (value, _))| (name, value)).collect())
    }

    fn value(&self, expression: &Expression<'_>) -> Option<f64> {
        match expression {
            Expression::NumericLiteral(number) => Some(number.value),
            Expression::Identifier(id) => self.0.get(id.name.as_str()).copied(),
            _ => None,
        }
    }

    /// The most rounds that a loop does, if that is known and it does them all.
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
        let first = one.init.as_ref().and_then(|init| self.value(init))?;
        let (last, step) = (self.value(&test.right)?, step(it.update.as_ref()?, name)?);
        let rounds = ((last - first) / step + 2.0).max(1.0);
        // Both ends are far below 2^53, so that a step is never lost in rounding.
        let plain =
            compares && first.abs() <= 1e9 && last.abs() <= 1e9 && rounds <= MAX_KNOWN_ROUNDS;
        if !plain {
            return None;
        }
        let mut body = Body {
            name,
            leaves: false,
        };
        body.visit_statement(&it.body);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and MAX_KNOWN_ROUNDS"
        )]
        (!body.leaves).then_some(rounds as u32)
    }
}

/// By how much the update adds to the variable: a whole number, at least one.
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

/// Counts how often each name is declared.
struct Count(BTreeMap<String, (f64, usize)>);

impl<'a> VisitJs<'a> for Count {
    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        if let Some((_, declared)) = self.0.get_mut(it.name.as_str()) {
            *declared += 1;
        }
    }
}

/// Whether a body may end the loop early, or may change its variable.
struct Body<'n> {
    name: &'n str,
    leaves: bool,
}

impl<'a> VisitJs<'a> for Body<'_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        self.leaves |= matches!(
            kind,
            AstKind::BreakStatement(_)
                | AstKind::ContinueStatement(_)
                | AstKind::ReturnStatement(_)
                | AstKind::ThrowStatement(_)
                | AstKind::AwaitExpression(_)
                | AstKind::YieldExpression(_)
        );
    }

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        match it {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(id) => {
                self.leaves |= id.name == self.name
            }
            // A member of something: what it is a member of is only read, but is looked through all the same.
            _ => oxc_ast_visit::walk_js::walk_simple_assignment_target(self, it),
        }
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &oxc_ast::ast::AssignmentTargetPropertyIdentifier<'a>,
    ) {
        self.leaves |= it.binding.name == self.name;
        oxc_ast_visit::walk_js::walk_assignment_target_property_identifier(self, it);
    }

    fn visit_identifier_reference(&mut self, _: &IdentifierReference<'a>) {}
}

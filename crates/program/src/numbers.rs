//! Finds locals that certainly hold numbers, and the parts of a program that are arithmetic on
//! them.
//!
//! A text may have a hundred million characters, and an object may run code when it is converted to
//! a number. So comparing or adding two unknown values may take any amount of time. A name counts
//! as a number in the scopes of its declarations with `let` or `const`, if all values assigned to
//! this name anywhere in the program are numbers. [`Numbers::cost`] is an allow list: everything
//! that it does not name is not arithmetic.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::AstKind;
use oxc_ast::ast::{
    AssignmentExpression, AssignmentOperator, AssignmentTarget, AssignmentTargetPropertyIdentifier,
    BinaryExpression, BinaryOperator, BindingIdentifier, BindingPattern, Declaration, Expression,
    ForStatement, ForStatementInit, Program, SimpleAssignmentTarget, Statement, UnaryOperator,
    UpdateExpression, VariableDeclaration, VariableDeclarationKind,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};

use super::names::{assigned_name, is_scope};
use super::refuse::ambient;

/// The cost of `%` and `**`. Each other operator costs one.
const SLOW_OPERATOR: u32 = 16;

/// The largest number of bindings of a name. A name with more is not considered, because each use
/// of a name is compared with each of its scopes.
const MAX_BINDINGS: usize = 64;

/// The names that hold numbers, with the scopes of each.
#[derive(Debug, Default)]
pub struct Numbers(BTreeMap<String, Scopes>);

/// The places in which a name may refer to a number.
#[derive(Debug, Default)]
struct Scopes {
    /// The scopes of its `let` and `const` declarations that have an initial value.
    numbers: Vec<Span>,
    /// The functions in which the name also means something else, such as a parameter. Each span
    /// includes the parameters of the function.
    others: Vec<Span>,
}

impl Scopes {
    fn may_mean(&self, place: Span) -> bool {
        let within = |scope: &Span| scope.start <= place.start && place.end <= scope.end;
        self.numbers.iter().any(within) && !self.others.iter().any(within)
    }
}

impl Numbers {
    /// Finds the numbers of a program, in time linear in its length.
    pub fn of(program: &Program<'_>) -> Self {
        let mut declared = DeclarationFinder {
            found: BTreeMap::new(),
            scopes: vec![program.span],
            functions: vec![program.span],
        };
        declared.visit_program(program);
        let mut candidates = declared.found;
        candidates.retain(|_, scopes| {
            !scopes.numbers.is_empty() && scopes.numbers.len() + scopes.others.len() <= MAX_BINDINGS
        });
        let mut assigned = AssignmentFilter {
            candidates: Self(candidates),
            needed_by: BTreeMap::new(),
            open: Vec::new(),
        };
        if !assigned.candidates.0.is_empty() {
            assigned.visit_program(program);
        }
        assigned.settle()
    }

    /// Returns true if the value, should there be one, is a number. Adds the names on which this
    /// depends to `needs`.
    fn number(&self, it: &Expression<'_>, needs: &mut Vec<String>) -> bool {
        match it.get_inner_expression() {
            Expression::NumericLiteral(_) => true,
            Expression::Identifier(id) => self.known(id.name.as_str(), id.span, needs),
            Expression::UnaryExpression(it) => match it.operator {
                UnaryOperator::UnaryPlus => true,
                UnaryOperator::UnaryNegation | UnaryOperator::BitwiseNot => {
                    self.number(&it.argument, needs)
                }
                _ => false,
            },
            Expression::UpdateExpression(it) => self.target(&it.argument, needs),
            Expression::BinaryExpression(it) => self.binary(it, needs),
            Expression::ConditionalExpression(it) => {
                self.number(&it.consequent, needs) && self.number(&it.alternate, needs)
            }
            Expression::LogicalExpression(it) => {
                self.number(&it.left, needs) && self.number(&it.right, needs)
            }
            Expression::SequenceExpression(it) => it
                .expressions
                .last()
                .is_some_and(|last| self.number(last, needs)),
            Expression::AssignmentExpression(it) => match it.operator {
                AssignmentOperator::Assign => self.number(&it.right, needs),
                _ => it
                    .left
                    .as_simple_assignment_target()
                    .is_some_and(|target| self.target(target, needs)),
            },
            _ => false,
        }
    }

    fn binary(&self, it: &BinaryExpression<'_>, needs: &mut Vec<String>) -> bool {
        match it.operator {
            BinaryOperator::ShiftRightZeroFill => true,
            // A number and a BigInt cannot be added: the sum of a number and of something that is
            // no text is a number.
            BinaryOperator::Addition => {
                let before = needs.len();
                if never_text(&it.right) && self.number(&it.left, needs) {
                    return true;
                }
                needs.truncate(before);
                if never_text(&it.left) && self.number(&it.right, needs) {
                    return true;
                }
                needs.truncate(before);
                self.number(&it.left, needs) && self.number(&it.right, needs)
            }
            operator if operator.is_arithmetic() || operator.is_bitwise() => {
                let before = needs.len();
                if self.number(&it.right, needs) {
                    return true;
                }
                needs.truncate(before);
                self.number(&it.left, needs)
            }
            _ => false,
        }
    }

    fn target(&self, target: &SimpleAssignmentTarget<'_>, needs: &mut Vec<String>) -> bool {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(id) => {
                self.known(id.name.as_str(), id.span, needs)
            }
            _ => false,
        }
    }

    /// Returns true if the name refers to a number here. Elsewhere it would refer to a global,
    /// which may be anything.
    fn known(&self, name: &str, place: Span, needs: &mut Vec<String>) -> bool {
        let seen = self
            .0
            .get(name)
            .is_some_and(|scopes| scopes.may_mean(place));
        if seen {
            needs.push(name.to_owned());
        }
        seen
    }

    /// Returns true if the value, should there be one, is a number.
    pub fn is_number(&self, it: &Expression<'_>) -> bool {
        self.number(it, &mut Vec::new())
    }

    /// Returns true if a binary expression, should it have a value, gives a number.
    pub fn is_sum(&self, it: &BinaryExpression<'_>) -> bool {
        self.binary(it, &mut Vec::new())
    }

    /// Returns true if an arithmetic operator on both sides can only give a number.
    pub fn either(&self, left: &Expression<'_>, right: &Expression<'_>) -> bool {
        self.is_number(left) || self.is_number(right)
    }

    /// Returns true if the target of the assignment holds a number.
    pub fn holds(&self, target: &AssignmentTarget<'_>) -> bool {
        target
            .as_simple_assignment_target()
            .is_some_and(|target| self.target(target, &mut Vec::new()))
    }

    /// Returns the approximate number of operations in an expression, or nothing if it is not pure
    /// arithmetic.
    pub fn cost(&self, it: &Expression<'_>) -> Option<u32> {
        match it.get_inner_expression() {
            Expression::NumericLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_) => Some(1),
            Expression::Identifier(id) => self
                .known(id.name.as_str(), id.span, &mut Vec::new())
                .then_some(1),
            Expression::UnaryExpression(it) => match it.operator {
                UnaryOperator::UnaryPlus
                | UnaryOperator::UnaryNegation
                | UnaryOperator::BitwiseNot
                | UnaryOperator::LogicalNot => sum([Some(1), self.cost(&it.argument)]),
                _ => None,
            },
            Expression::UpdateExpression(it) => {
                self.target(&it.argument, &mut Vec::new()).then_some(1)
            }
            Expression::BinaryExpression(it) => {
                let own = match it.operator {
                    BinaryOperator::In | BinaryOperator::Instanceof => None,
                    BinaryOperator::Remainder | BinaryOperator::Exponential => Some(SLOW_OPERATOR),
                    _ => Some(1),
                };
                sum([own, self.cost(&it.left), self.cost(&it.right)])
            }
            Expression::LogicalExpression(it) => sum([self.cost(&it.left), self.cost(&it.right)]),
            Expression::ConditionalExpression(it) => sum([
                self.cost(&it.test),
                self.cost(&it.consequent),
                self.cost(&it.alternate),
            ]),
            Expression::SequenceExpression(it) => {
                sum(it.expressions.iter().map(|one| self.cost(one)))
            }
            Expression::AssignmentExpression(it) => self.assignment(it),
            _ => None,
        }
    }

    fn assignment(&self, it: &AssignmentExpression<'_>) -> Option<u32> {
        let own = match it.operator {
            AssignmentOperator::Remainder | AssignmentOperator::Exponential => SLOW_OPERATOR,
            _ => 1,
        };
        let own = self.holds(&it.left).then_some(own);
        sum([own, self.cost(&it.right)])
    }

    /// Returns the cost of a statement, like [`Numbers::cost`]. A loop in it must be arithmetic
    /// too, and charges for its iterations by itself.
    pub fn statement_cost(&self, it: &Statement<'_>) -> Option<u32> {
        match it {
            Statement::EmptyStatement(_)
            | Statement::BreakStatement(_)
            | Statement::ContinueStatement(_) => Some(1),
            Statement::ExpressionStatement(it) => self.cost(&it.expression),
            Statement::VariableDeclaration(it) => self.declaration_cost(it),
            Statement::BlockStatement(it) => {
                sum(it.body.iter().map(|one| self.statement_cost(one)))
            }
            Statement::IfStatement(it) => sum([
                self.cost(&it.test),
                self.statement_cost(&it.consequent),
                match &it.alternate {
                    Some(alternate) => self.statement_cost(alternate),
                    None => Some(0),
                },
            ]),
            Statement::WhileStatement(it) => {
                sum([self.cost(&it.test), self.statement_cost(&it.body)])
            }
            Statement::DoWhileStatement(it) => {
                sum([self.cost(&it.test), self.statement_cost(&it.body)])
            }
            Statement::ForStatement(it) => {
                let init = match &it.init {
                    None => Some(0),
                    Some(ForStatementInit::VariableDeclaration(it)) => self.declaration_cost(it),
                    Some(init) => init.as_expression().and_then(|init| self.cost(init)),
                };
                sum([init, self.round_cost(it)])
            }
            _ => None,
        }
    }

    /// Returns the cost of one iteration, like [`Numbers::cost`].
    pub fn round_cost(&self, it: &ForStatement<'_>) -> Option<u32> {
        let head = it.test.iter().chain(&it.update).map(|one| self.cost(one));
        sum(head.chain([self.statement_cost(&it.body)]))
    }

    fn declaration_cost(&self, it: &VariableDeclaration<'_>) -> Option<u32> {
        sum(it
            .declarations
            .iter()
            .map(|one| match (&one.id, &one.init) {
                (BindingPattern::BindingIdentifier(id), Some(init)) => self
                    .known(id.name.as_str(), id.span, &mut Vec::new())
                    .then(|| self.cost(init))
                    .flatten(),
                _ => None,
            }))
    }
}

/// Returns true if the value is certainly a number or a BigInt, whatever its operands are.
pub fn never_text(it: &Expression<'_>) -> bool {
    match it.get_inner_expression() {
        Expression::BinaryExpression(it) => {
            (it.operator.is_arithmetic() && it.operator != BinaryOperator::Addition)
                || it.operator.is_bitwise()
        }
        Expression::UnaryExpression(it) => matches!(
            it.operator,
            UnaryOperator::UnaryPlus | UnaryOperator::UnaryNegation | UnaryOperator::BitwiseNot
        ),
        Expression::UpdateExpression(_) => true,
        _ => false,
    }
}

fn sum(costs: impl IntoIterator<Item = Option<u32>>) -> Option<u32> {
    costs
        .into_iter()
        .try_fold(0_u32, |sum, cost| Some(sum.saturating_add(cost?)))
}

/// A visitor that finds names declared with a value, and the other bindings of these names.
struct DeclarationFinder {
    found: BTreeMap<String, Scopes>,
    scopes: Vec<Span>,
    functions: Vec<Span>,
}

impl DeclarationFinder {
    fn other(&mut self, name: &str, function: Option<Span>) {
        if let Some(function) = function {
            let scopes = self.found.entry(name.to_owned()).or_default();
            scopes.others.push(function);
        }
    }
}

impl<'a> VisitJs<'a> for DeclarationFinder {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        match kind {
            // The discriminant is inside of the statement but outside of the scope that the braces
            // make. So declarations in a `switch` are ignored.
            AstKind::SwitchStatement(_) => self.scopes.push(Span::default()),
            _ if is_scope(&kind) => self.scopes.push(kind.span()),
            _ => {}
        }
        match kind {
            AstKind::Function(it) => {
                // The name of a declared function is visible in the function around it.
                if let Some(id) = &it.id {
                    self.other(id.name.as_str(), self.functions.last().copied());
                }
                self.functions.push(it.span);
            }
            AstKind::ArrowFunctionExpression(it) => self.functions.push(it.span),
            // The members of an enum become constants, which its other members can use, also those
            // of a later enum with the same name.
            AstKind::TSEnumMember(member) => {
                let name = member.id.static_name();
                self.other(name.as_str(), self.functions.first().copied());
            }
            _ => {}
        }
    }

    fn leave_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) => {
                self.functions.pop();
            }
            AstKind::SwitchStatement(_) => {
                self.scopes.pop();
            }
            _ if is_scope(&kind) => {
                self.scopes.pop();
            }
            _ => {}
        }
    }

    /// Skips declarations that are only for the type checker: they are erased, so the name means
    /// something else.
    fn visit_declaration(&mut self, it: &Declaration<'a>) {
        if !ambient(it) {
            walk_js::walk_declaration(self, it);
        }
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        let plain = matches!(
            it.kind,
            VariableDeclarationKind::Const | VariableDeclarationKind::Let
        );
        for one in &it.declarations {
            match (&one.id, self.scopes.last().copied()) {
                (BindingPattern::BindingIdentifier(id), Some(scope))
                    if plain && one.init.is_some() =>
                {
                    let scopes = self.found.entry(id.name.to_string()).or_default();
                    scopes.numbers.push(scope);
                }
                _ => self.visit_binding_pattern(&one.id),
            }
            if let Some(init) = &one.init {
                self.visit_expression(init);
            }
        }
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.other(it.name.as_str(), self.functions.last().copied());
    }
}

/// A visitor that removes candidates to which something other than a number is assigned.
struct AssignmentFilter {
    candidates: Numbers,
    /// For each name, the names that hold numbers only if it holds one.
    needed_by: BTreeMap<String, BTreeSet<String>>,
    /// Names that hold something else, not yet removed.
    open: Vec<String>,
}

impl AssignmentFilter {
    /// Records a value that is assigned or added to a name.
    fn assigned(&mut self, name: &str, value: &Expression<'_>, adds: bool) {
        if !self.candidates.0.contains_key(name) {
            return;
        }
        let mut needs = Vec::new();
        let number = self.candidates.number(value, &mut needs) || (adds && never_text(value));
        if !number {
            self.open.push(name.to_owned());
            return;
        }
        for need in needs {
            self.needed_by
                .entry(need)
                .or_default()
                .insert(name.to_owned());
        }
    }

    fn settle(mut self) -> Numbers {
        while let Some(name) = self.open.pop() {
            if self.candidates.0.remove(&name).is_some() {
                self.open
                    .extend(self.needed_by.remove(&name).into_iter().flatten());
            }
        }
        self.candidates
    }
}

impl<'a> VisitJs<'a> for AssignmentFilter {
    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        for one in &it.declarations {
            if let (BindingPattern::BindingIdentifier(id), Some(value)) = (&one.id, &one.init) {
                self.assigned(id.name.as_str(), value, false);
            }
        }
        walk_js::walk_variable_declaration(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        let AssignmentTarget::AssignmentTargetIdentifier(id) = &it.left else {
            walk_js::walk_assignment_expression(self, it);
            return;
        };
        // An operator on a number and another value gives a number or an error. The exceptions are
        // a sum, and assignments that store the right side unchanged.
        let takes_right = matches!(
            it.operator,
            AssignmentOperator::Assign | AssignmentOperator::Addition
        ) || it.operator.is_logical();
        if takes_right {
            let adds = it.operator == AssignmentOperator::Addition;
            self.assigned(id.name.as_str(), &it.right, adds);
        }
        self.visit_expression(&it.right);
    }

    fn visit_update_expression(&mut self, it: &UpdateExpression<'a>) {
        if !matches!(
            it.argument,
            SimpleAssignmentTarget::AssignmentTargetIdentifier(_)
        ) {
            walk_js::walk_update_expression(self, it);
        }
    }

    /// Visits a target that is assigned in any other way.
    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        if let Some(name) = assigned_name(it) {
            self.open.push(name.to_owned());
        }
        walk_js::walk_simple_assignment_target(self, it);
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'a>,
    ) {
        self.open.push(it.binding.name.to_string());
        walk_js::walk_assignment_target_property_identifier(self, it);
    }
}

//! Guards that bound every loop and every recursion.
//!
//! The work of a program is at most a constant times the charges of its guards, and only a bounded
//! amount of work lies between two looks at the clock:
//!
//! * Each entry point of code charges first: the body of a function, a parameter's default value,
//!   the value of a field, a static block, and the constructor of a class that declares none.
//! * A loop charges for each iteration. A loop of pure arithmetic on locals ([`Numbers`]) counts
//!   iterations in a variable of its own and charges for `ROUNDS` at a time, or once for all of
//!   them if their number is known ([`Constants`]). A loop that awaits also yields to the event
//!   loop.
//! * Code without loops charges after a fixed number of operations, so that a long list of them is
//!   not one step.
//! * Values that the language itself iterates, in a spread or in the rest of a pattern, are passed
//!   as iterables whose steps are counted: `spread` and `rest`.
//! * The size of a value is checked where it is copied, or where a text or a BigInt could become
//!   much longer: `operators`.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, ArrayAssignmentTarget, ArrayExpressionElement, ArrayPattern, ArrowFunctionBody,
    ArrowFunctionExpression, AssignmentExpression, AssignmentPattern, AssignmentTargetRest,
    AwaitExpression, BinaryExpression, BindingPattern, BindingProperty, BindingRestElement, Class,
    ClassElement, ClassHeritage, DoWhileStatement, ForInStatement, ForOfStatement, ForStatement,
    FormalParameter, FormalParameterRest, FormalParameters, FunctionBody, LabeledStatement,
    MethodDefinitionKind, ObjectPropertyKind, Program, PropertyDefinition, PropertyKey,
    SequenceExpression, SpreadElement, Statement, StaticBlock, TaggedTemplateExpression,
    TemplateLiteral, TryStatement, VariableDeclaration, VariableDeclarationKind, WhileStatement,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::GetSpan;

use super::charge::{CATCH, ENTRY, GuardWriter, LOOP_WORK, Weight, units};
use super::counted::{Constants, MAX_KNOWN_WORK};
use super::edits::{Edits, Order};
use super::numbers::Numbers;
use super::regions::{Guard, OPERATIONS_BETWEEN, OpenLoop, Region, plain};

/// Inserts guards into all loops and functions of the program.
pub fn guard(program: &Program<'_>, numbers: Numbers, text: &str, stem: &str, edits: &mut Edits) {
    let mut guard = Guard {
        text,
        charge: GuardWriter::new(stem),
        edits,
        constants: Constants::of(program),
        numbers,
        loops: 0,
        label: None,
        region: Region::default(),
        around: Vec::new(),
        key_counts: false,
        branches: Vec::new(),
    };
    guard.visit_program(program);
}

impl<'a> VisitJs<'a> for Guard<'_> {
    fn visit_statements(&mut self, it: &oxc_allocator::Vec<'a, Statement<'a>>) {
        for statement in it {
            let runs = !matches!(
                statement,
                Statement::FunctionDeclaration(_) | Statement::ImportDeclaration(_)
            );
            if runs && self.region.operations >= OPERATIONS_BETWEEN {
                self.statement_guard(statement.span().start);
            }
            self.visit_statement(statement);
        }
    }

    fn visit_labeled_statement(&mut self, it: &LabeledStatement<'a>) {
        let label = self.label.take().unwrap_or(it.span);
        let is_loop = matches!(
            it.body,
            Statement::LabeledStatement(_)
                | Statement::DoWhileStatement(_)
                | Statement::ForInStatement(_)
                | Statement::ForOfStatement(_)
                | Statement::ForStatement(_)
                | Statement::WhileStatement(_)
        );
        if is_loop {
            self.label = Some(label);
        }
        self.branch();
        self.visit_statement(&it.body);
        self.join();
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        let cost = self.numbers.cost(&it.test);
        let cost = cost.and_then(|test| Some(test + self.numbers.statement_cost(&it.body)?));
        let open = self.open(it.span, &it.body);
        self.visit_expression(&it.test);
        self.visit_statement(&it.body);
        match cost {
            Some(cost) => self.close_arithmetic(&open, &it.body, cost),
            None => self.close(&open, &it.body),
        }
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        let cost = self.numbers.cost(&it.test);
        let cost = cost.and_then(|test| Some(test + self.numbers.statement_cost(&it.body)?));
        let open = self.open(it.span, &it.body);
        self.visit_statement(&it.body);
        self.visit_expression(&it.test);
        match cost {
            Some(cost) => self.close_arithmetic(&open, &it.body, cost),
            None => self.close(&open, &it.body),
        }
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        let cost = self.numbers.round_cost(it);
        let known =
            cost.and_then(|cost| Some(self.constants.rounds(it)?.saturating_mul(units(cost))));
        if let Some(work) = known.filter(|work| *work <= MAX_KNOWN_WORK) {
            let whole = self.label.take().unwrap_or(it.span);
            let charge = self.charge.whole(work.saturating_add(LOOP_WORK));
            self.edits.insert(whole.start, Order::OpenGuard, charge);
            walk_js::walk_for_statement(self, it);
            self.edits.insert(whole.end, Order::CloseGuard, "}");
            return;
        }
        let open = self.open(it.span, &it.body);
        let mut outer = open.outer;
        if let Some(init) = &it.init {
            self.visit_for_statement_init(init);
            outer.copies += std::mem::take(&mut self.region.copies);
            outer.awaits |= std::mem::take(&mut self.region.awaits);
        }
        for expression in it.test.iter().chain(&it.update) {
            self.visit_expression(expression);
        }
        self.visit_statement(&it.body);
        let open = OpenLoop { outer, ..open };
        match cost {
            Some(cost) => self.close_arithmetic(&open, &it.body, cost),
            None => self.close(&open, &it.body),
        }
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        let mut open = self.open(it.span, &it.body);
        // The names of all properties are collected before the first iteration.
        self.copied(&it.right, |guard| {
            guard.around_call('z', it.right.span(), |guard| {
                guard.visit_expression(&it.right)
            });
        });
        open.outer.copies += std::mem::take(&mut self.region.copies);
        open.outer.awaits |= std::mem::take(&mut self.region.awaits);
        self.visit_for_statement_left(&it.left);
        self.visit_statement(&it.body);
        self.close(&open, &it.body);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        let mut open = self.open(it.span, &it.body);
        self.visit_expression(&it.right);
        open.outer.copies += std::mem::take(&mut self.region.copies);
        open.outer.awaits |= std::mem::replace(&mut self.region.awaits, it.r#await);
        self.visit_for_statement_left(&it.left);
        self.visit_statement(&it.body);
        self.close(&open, &it.body);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.region.awaits = true;
        self.operation();
        walk_js::walk_await_expression(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        self.region.awaits |= it.kind == VariableDeclarationKind::AwaitUsing;
        for one in &it.declarations {
            self.visit_binding_pattern(&one.id);
            match (&one.id, &one.init) {
                (BindingPattern::ObjectPattern(pattern), Some(init)) if pattern.rest.is_some() => {
                    self.sized(init);
                }
                (_, Some(init)) => self.visit_expression(init),
                _ => {}
            }
        }
    }

    fn enter_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::Function(function) => self.enter(function.r#async),
            AstKind::IfStatement(_)
            | AstKind::SwitchStatement(_)
            | AstKind::TryStatement(_)
            | AstKind::ConditionalExpression(_)
            | AstKind::LogicalExpression(_)
            | AstKind::ChainExpression(_)
            | AstKind::AssignmentTargetWithDefault(_) => self.branch(),
            AstKind::CallExpression(_)
            | AstKind::NewExpression(_)
            | AstKind::TaggedTemplateExpression(_)
            | AstKind::ComputedMemberExpression(_)
            | AstKind::UnaryExpression(_)
            | AstKind::UpdateExpression(_)
            | AstKind::YieldExpression(_)
            | AstKind::ArrayPattern(_)
            | AstKind::ArrayAssignmentTarget(_)
            | AstKind::SpreadElement(_)
            | AstKind::SwitchCase(_) => self.operation(),
            _ => {}
        }
    }

    fn leave_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::Function(_) => self.leave(),
            AstKind::IfStatement(_)
            | AstKind::SwitchStatement(_)
            | AstKind::TryStatement(_)
            | AstKind::ConditionalExpression(_)
            | AstKind::LogicalExpression(_)
            | AstKind::ChainExpression(_)
            | AstKind::AssignmentTargetWithDefault(_) => self.join(),
            _ => {}
        }
    }

    fn visit_formal_parameters(&mut self, it: &FormalParameters<'a>) {
        let outer = std::mem::replace(&mut self.region.in_parameters, true);
        walk_js::walk_formal_parameters(self, it);
        self.region.in_parameters = outer;
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        self.visit_binding_pattern(&it.pattern);
        if let Some(initializer) = &it.initializer {
            self.guarded(ENTRY, initializer);
        }
    }

    /// Visits a rest parameter. It needs no guard, because its arguments are already on the stack.
    fn visit_formal_parameter_rest(&mut self, it: &FormalParameterRest<'a>) {
        self.visit_binding_pattern(&it.rest.argument);
    }

    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'a>) {
        self.branch();
        self.visit_binding_pattern(&it.left);
        if self.region.in_parameters {
            self.guarded(ENTRY, &it.right);
        } else {
            self.visit_expression(&it.right);
        }
        self.join();
    }

    fn visit_binding_property(&mut self, it: &BindingProperty<'a>) {
        match &it.key {
            key if it.computed && self.region.in_parameters => self.key(key),
            key => self.visit_property_key(key),
        }
        self.visit_binding_pattern(&it.value);
    }

    fn visit_array_pattern(&mut self, it: &ArrayPattern<'a>) {
        self.rest(it.rest.is_some(), it.span, |guard| {
            walk_js::walk_array_pattern(guard, it);
        });
    }

    fn visit_array_assignment_target(&mut self, it: &ArrayAssignmentTarget<'a>) {
        self.rest(it.rest.is_some(), it.span, |guard| {
            walk_js::walk_array_assignment_target(guard, it);
        });
    }

    fn visit_binding_rest_element(&mut self, it: &BindingRestElement<'a>) {
        self.copies();
        walk_js::walk_binding_rest_element(self, it);
    }

    fn visit_assignment_target_rest(&mut self, it: &AssignmentTargetRest<'a>) {
        self.copies();
        walk_js::walk_assignment_target_rest(self, it);
    }

    fn visit_function_body(&mut self, it: &FunctionBody<'a>) {
        // A directive may lack its semicolon only as long as nothing follows on its line.
        let (at, before) = match it.directives.last() {
            Some(directive) => (directive.span.end, ";"),
            None => (it.span.start + 1, ""),
        };
        let check = self.edits.insert(at, Order::Head, "");
        self.region.awaits = false;
        self.region.operations = 0;
        walk_js::walk_function_body(self, it);
        let weight = self.entry_weight();
        let text = format!("{before}{}", self.charge.statement(weight));
        self.edits.amend(check, text);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.enter(it.r#async);
        self.visit_formal_parameters(&it.params);
        self.region.awaits = false;
        if let ArrowFunctionBody::FunctionBody(body) = &it.body {
            self.visit_function_body(body);
        } else if let Some(expression) = it.body.as_expression() {
            let span = expression.span();
            let head = self.edits.insert(span.start, Order::OpenGuard, "");
            self.region.operations = 0;
            self.visit_expression(expression);
            let weight = self.entry_weight();
            self.edits.amend(head, self.charge.before(weight));
            self.edits.insert(span.end, Order::CloseGuard, ")");
        }
        self.leave();
    }

    fn visit_try_statement(&mut self, it: &TryStatement<'a>) {
        if let Some(handler) = &it.handler {
            let charge = self.charge.statement(Weight::of(CATCH));
            self.edits
                .insert(handler.body.span.start + 1, Order::Head, charge);
        }
        if let Some(finalizer) = &it.finalizer {
            let charge = self.charge.statement(Weight::of(ENTRY));
            self.edits
                .insert(finalizer.span.start + 1, Order::Head, charge);
        }
        walk_js::walk_try_statement(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        let writes_constructor = it.body.body.iter().any(|element| {
            matches!(element, ClassElement::MethodDefinition(method)
                if method.kind == MethodDefinitionKind::Constructor && method.value.body.is_some())
        });
        if !writes_constructor {
            let text = self.charge.constructor(it.heritage.is_some());
            self.edits.insert(it.body.span.start + 1, Order::Head, text);
        }
        walk_js::walk_class(self, it);
    }

    fn visit_class_heritage(&mut self, it: &ClassHeritage<'a>) {
        if plain(&it.expression) {
            self.visit_expression(&it.expression);
        } else {
            self.guarded(ENTRY, &it.expression);
        }
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        self.key_counts = matches!(it, ClassElement::MethodDefinition(it) if it.computed);
        walk_js::walk_class_element(self, it);
    }

    fn visit_property_key(&mut self, it: &PropertyKey<'a>) {
        if std::mem::take(&mut self.key_counts) {
            self.key(it);
        } else {
            walk_js::walk_property_key(self, it);
        }
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if it.computed {
            self.key(&it.key);
        }
        if let Some(value) = &it.value {
            self.enter(false);
            self.guarded(ENTRY, value);
            self.leave();
        }
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        self.enter(false);
        // The span begins at `static`, so the first statement is used to find the place behind the
        // brace. An empty block needs no guard.
        if let Some(first) = it.body.first() {
            let check = self.charge.statement(Weight::of(ENTRY));
            self.edits.insert(first.span().start, Order::Head, check);
        }
        walk_js::walk_static_block(self, it);
        self.leave();
    }

    fn visit_object_property_kind(&mut self, it: &ObjectPropertyKind<'a>) {
        match it {
            ObjectPropertyKind::SpreadProperty(spread) => {
                self.copied(&spread.argument, |guard| guard.sized(&spread.argument));
            }
            ObjectPropertyKind::ObjectProperty(property) => {
                self.visit_property_key(&property.key);
                if property.shorthand {
                    self.visit_expression(&property.value);
                } else {
                    self.one_of_many(&property.value);
                }
            }
        }
    }

    fn visit_spread_element(&mut self, it: &SpreadElement<'a>) {
        self.operation();
        self.around_call('e', it.argument.span(), |guard| {
            guard.visit_expression(&it.argument)
        });
    }

    fn visit_argument(&mut self, it: &Argument<'a>) {
        match it.as_expression() {
            Some(expression) => self.one_of_many(expression),
            None => walk_js::walk_argument(self, it),
        }
    }

    fn visit_array_expression_element(&mut self, it: &ArrayExpressionElement<'a>) {
        match it.as_expression() {
            Some(expression) => self.one_of_many(expression),
            None => walk_js::walk_array_expression_element(self, it),
        }
    }

    fn visit_sequence_expression(&mut self, it: &SequenceExpression<'a>) {
        for expression in &it.expressions {
            self.one_of_many(expression);
        }
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        self.template(it);
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        self.operation();
        self.visit_expression(&it.tag);
        for expression in &it.quasi.expressions {
            self.one_of_many(expression);
        }
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.binary(it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        self.assignment(it);
    }
}

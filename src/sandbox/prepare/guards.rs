//! Guards: what ends every loop and every recursion.
//!
//! Work that a program does is bounded by a constant times what its guards count, and no two looks at the clock have much between them:
//!
//! * Whatever code can be entered through counts first of all: the body of a function, the values that its parameters have where none is
//!   passed, the value of a field, a static block, and the constructor of a class that writes none.
//! * A loop counts each round. One that is arithmetic on locals and nothing else ([`Numbers`]) charges for [`ROUNDS`] rounds at a time, which
//!   it counts in a variable of its own, or once for all of them where their number is known ([`Constants`]). A loop that awaits lets the
//!   event loop turn besides.
//! * Code without loops counts after so many operations, so that a long list of them is not one step.
//! * What can make a text or a BigInt much longer, and what copies, has its size looked at: `operators`.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, ArrayExpressionElement, ArrowFunctionBody, ArrowFunctionExpression,
    AssignmentExpression, AssignmentPattern, AssignmentTargetRest, AwaitExpression,
    BinaryExpression, BindingPattern, BindingProperty, BindingRestElement, Class, ClassElement,
    ClassHeritage, DoWhileStatement, Expression, ForInStatement, ForOfStatement, ForStatement,
    FormalParameter, FormalParameterRest, FormalParameters, FunctionBody, LabeledStatement,
    MethodDefinitionKind, ObjectPropertyKind, Program, PropertyDefinition, PropertyKey,
    SequenceExpression, SpreadElement, Statement, StaticBlock, TaggedTemplateExpression,
    TemplateLiteral, TryStatement, VariableDeclaration, VariableDeclarationKind, WhileStatement,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};

use super::charge::{ASYNC_ENTRY, CATCH, Charge, ENTRY, LOOP_WORK, Weight, units};
use super::counted::{Constants, MAX_KNOWN_WORK};
use super::edits::{Edits, Order, SpliceId};
use super::numbers::Numbers;

/// Operations that code without loops does between two guards.
const OPERATIONS_BETWEEN: u32 = 32;
/// How many of them copying an object stands for.
const COPY_OPERATIONS: u32 = 8;

/// Puts guards into all loops and functions of the program.
pub fn guard(program: &Program<'_>, text: &str, stem: &str, edits: &mut Edits) {
    let mut guard = Guard {
        text,
        charge: Charge::new(stem),
        edits,
        constants: Constants::of(program),
        numbers: Numbers::of(program),
        loops: 0,
        label: None,
        region: Region::default(),
        around: Vec::new(),
        key_counts: false,
        branches: Vec::new(),
    };
    guard.visit_program(program);
}

/// What is between two guards.
#[derive(Debug, Default, Clone, Copy)]
struct Region {
    /// Objects that are copied in it, which its guard counts.
    copies: u32,
    /// Operations since the last guard that is certain to have been passed.
    operations: u32,
    /// All operations, whether or not a guard was between them.
    total: u32,
    /// An `await` was met, outside of the functions in it.
    awaits: bool,
    is_async: bool,
    /// The parameters of a function are visited.
    in_parameters: bool,
}

pub(super) struct Guard<'s> {
    pub(super) text: &'s str,
    pub(super) charge: Charge<'s>,
    pub(super) edits: &'s mut Edits,
    constants: Constants,
    pub(super) numbers: Numbers,
    /// Loops so far, which number their variables.
    loops: u32,
    /// The first label of the statement that comes next.
    label: Option<Span>,
    region: Region,
    /// Of the functions and fields around.
    around: Vec<(Region, Option<Span>)>,
    /// The key that comes next is an expression that counts.
    key_counts: bool,
    /// Operations and total before a construct that may skip what is in it.
    branches: Vec<(u32, u32)>,
}

/// A loop whose body is not yet visited.
struct Open {
    variable: u32,
    whole: Span,
    head: SpliceId,
    check: SpliceId,
    braces: bool,
    outer: Region,
}

impl<'a> Guard<'_> {
    /// Counts an operation that may take long.
    pub(super) fn operation(&mut self) {
        self.operations(1);
    }

    fn operations(&mut self, count: u32) {
        self.region.operations += count;
        self.region.total += count;
    }

    fn copies(&mut self) {
        self.region.copies += 1;
        self.operations(COPY_OPERATIONS);
    }

    /// Visits an object that is gone through as a whole.
    fn copied(&mut self, it: &Expression<'a>, visit: impl FnOnce(&mut Self)) {
        self.operations(COPY_OPERATIONS);
        let span = it.span();
        let before = self.charge.copy();
        self.edits.insert(span.start, Order::OpenGuard, before);
        visit(self);
        self.edits.insert(span.end, Order::CloseGuard, ")");
    }

    /// Visits what is copied into an object: a text or a list must not be too long for that.
    pub(super) fn sized(&mut self, it: &Expression<'a>) {
        self.around_call('y', it.span(), |guard| guard.visit_expression(it));
    }

    /// Something begins of which not all may be done.
    fn branch(&mut self) {
        self.branches
            .push((self.region.operations, self.region.total));
    }

    /// It ends: a guard in it may have been skipped.
    fn join(&mut self) {
        if let Some((operations, total)) = self.branches.pop() {
            self.region.operations = operations + (self.region.total - total);
        }
    }

    fn enter(&mut self, is_async: bool) {
        let region = Region {
            is_async,
            ..Region::default()
        };
        self.around.push((
            std::mem::replace(&mut self.region, region),
            self.label.take(),
        ));
    }

    fn leave(&mut self) {
        if let Some((region, label)) = self.around.pop() {
            (self.region, self.label) = (region, label);
        }
    }

    /// Visits an expression that is entered by itself: its value counts first.
    fn guarded(&mut self, it: &Expression<'a>) {
        if names_function(it) {
            self.visit_expression(it);
            return;
        }
        let span = it.span();
        let copies = self.region.copies;
        let head = self.edits.insert(span.start, Order::OpenGuard, "");
        self.region.operations = 0;
        self.visit_expression(it);
        let weight = Weight {
            entry: ENTRY,
            copies: self.region.copies - copies,
        };
        self.edits.amend(head, self.charge.before(weight));
        self.edits.insert(span.end, Order::CloseGuard, ")");
    }

    /// Visits one of any number of expressions that stand side by side.
    pub(super) fn one_of_many(&mut self, it: &Expression<'a>) {
        if self.region.operations < OPERATIONS_BETWEEN || names_function(it) {
            self.visit_expression(it);
        } else {
            self.guarded(it);
        }
    }

    /// Guards a loop; everything that is visited until [`Guard::close`] is repeated by it.
    fn open(&mut self, span: Span, body: &Statement<'_>) -> Open {
        let whole = self.label.take().unwrap_or(span);
        self.loops += 1;
        let head = self.edits.insert(whole.start, Order::OpenGuard, "");
        let braces = !matches!(body, Statement::BlockStatement(_));
        let at = body.span().start + u32::from(!braces);
        let check = self.edits.insert(at, Order::OpenGuard, "");
        let outer = self.region;
        self.branch();
        self.region.copies = 0;
        self.region.operations = 0;
        self.region.awaits = false;
        Open {
            variable: self.loops,
            whole,
            head,
            check,
            braces,
            outer,
        }
    }

    fn close(&mut self, open: &Open, body: &Statement<'_>) {
        let weight = Weight {
            entry: ENTRY,
            copies: self.region.copies,
        };
        let begin = if self.region.awaits {
            let mut check = self.charge.statement(weight);
            check.push_str(&self.charge.pause(open.variable));
            self.check(open, body, &check);
            Some(self.charge.begin_awaiting(open.variable))
        } else if weight.copies > 0 {
            let check = self.charge.statement(weight);
            self.check(open, body, &check);
            None
        } else {
            let check = self.charge.count(open.variable);
            self.check(open, body, &check);
            Some(self.charge.begin_counting(open.variable))
        };
        if let Some(begin) = begin {
            self.edits.amend(open.head, begin);
            self.edits.insert(open.whole.end, Order::CloseGuard, "}");
        }
        self.region.copies = open.outer.copies;
        self.region.awaits |= open.outer.awaits;
        self.join();
    }

    fn check(&mut self, open: &Open, body: &Statement<'_>, check: &str) {
        let brace = if open.braces { "{" } else { "" };
        self.edits.amend(open.check, format!("{brace}{check}"));
        if open.braces {
            self.edits.insert(body.span().end, Order::CloseGuard, "}");
        }
    }

    /// A loop of arithmetic, of which `operations` is the cost of a round.
    fn close_arithmetic(&mut self, open: &Open, body: &Statement<'_>, operations: u32) {
        self.edits
            .amend(open.head, self.charge.begin(open.variable));
        self.edits.insert(open.whole.end, Order::CloseGuard, "}");
        let round = self.charge.round(open.variable, units(operations));
        self.check(open, body, &round);
        self.region.copies = open.outer.copies;
        self.join();
    }

    fn statement_guard(&mut self, at: u32) {
        let check = self.charge.statement(Weight::of(ENTRY));
        self.edits.insert(at, Order::Head, check);
        self.region.operations = 0;
    }
}

/// Whether the value takes its name from what it is assigned to: with anything around it, it has none. Making it runs nothing but what a
/// class has in its head, which is guarded by itself.
fn names_function(it: &Expression<'_>) -> bool {
    matches!(
        it.get_inner_expression(),
        Expression::ArrowFunctionExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::ClassExpression(_)
    )
}

/// Whether evaluating it runs nothing but guarded functions.
fn plain(it: &Expression<'_>) -> bool {
    matches!(
        it,
        Expression::Identifier(_)
            | Expression::StringLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::ThisExpression(_)
            | Expression::StaticMemberExpression(_)
    ) && !matches!(it, Expression::StaticMemberExpression(member) if !plain(&member.object))
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
        let open = Open { outer, ..open };
        match cost {
            Some(cost) => self.close_arithmetic(&open, &it.body, cost),
            None => self.close(&open, &it.body),
        }
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        let mut open = self.open(it.span, &it.body);
        // The names of all properties are gathered before the first round.
        self.copied(&it.right, |guard| guard.visit_expression(&it.right));
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
            self.guarded(initializer);
        }
    }

    /// What remains of the arguments lies on the stack already.
    fn visit_formal_parameter_rest(&mut self, it: &FormalParameterRest<'a>) {
        self.visit_binding_pattern(&it.rest.argument);
    }

    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'a>) {
        self.branch();
        self.visit_binding_pattern(&it.left);
        if self.region.in_parameters {
            self.guarded(&it.right);
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

    fn visit_binding_rest_element(&mut self, it: &BindingRestElement<'a>) {
        self.copies();
        walk_js::walk_binding_rest_element(self, it);
    }

    fn visit_assignment_target_rest(&mut self, it: &AssignmentTargetRest<'a>) {
        self.copies();
        walk_js::walk_assignment_target_rest(self, it);
    }

    fn visit_function_body(&mut self, it: &FunctionBody<'a>) {
        // A directive may do without its semicolon only as long as nothing follows on the line.
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
            self.guarded(&it.expression);
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
            self.guarded(value);
            self.leave();
        }
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        self.enter(false);
        // Its span begins at `static`; what follows the brace is found by the first statement or is an empty block.
        if let Some(first) = it.body.first() {
            self.statement_guard(first.span().start);
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

impl<'a> Guard<'_> {
    /// What entering the function that was visited counts.
    fn entry_weight(&self) -> Weight {
        let entry = if self.region.is_async {
            ASYNC_ENTRY
        } else {
            ENTRY
        };
        Weight {
            entry,
            copies: self.region.copies,
        }
    }

    fn key(&mut self, it: &PropertyKey<'a>) {
        match it.as_expression() {
            Some(expression) if !plain(expression) => self.guarded(expression),
            _ => walk_js::walk_property_key(self, it),
        }
    }

    /// Visits what is given to one of our functions.
    pub(super) fn around_call(&mut self, name: char, span: Span, visit: impl FnOnce(&mut Self)) {
        let open = self.charge.call(name);
        self.edits.insert(span.start, Order::OpenGuard, open);
        visit(self);
        self.edits.insert(span.end, Order::CloseGuard, ")");
    }

    /// Visits what may be skipped.
    pub(super) fn perhaps(&mut self, visit: impl FnOnce(&mut Self)) {
        self.branch();
        visit(self);
        self.join();
    }
}

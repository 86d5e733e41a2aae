//! Guards: what ends every loop and every recursion.
//!
//! Work that a program does is bounded by a constant times the work that its guards charge. `$b` is what is left of a slice of the
//! budget; `$t` fetches the next slice and throws when the budget or the time is spent. A function charges when it is entered. A loop
//! charges when it begins and then for every [`ROUNDS`] rounds, which it counts in a variable of its own (`$1`, `$2`, …): that costs
//! less than counting all rounds in one place, and the charge needs no call. Loops whose rounds are known are charged as a whole. A
//! loop that awaits lets the event loop turn instead, and is bounded by time. `$` is the stem.

use std::collections::BTreeSet;

use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, AwaitExpression, DoWhileStatement, ForInStatement,
    ForOfStatement, ForStatement, FunctionBody, LabeledStatement, Program, Statement, StaticBlock,
    TryStatement, VariableDeclaration, VariableDeclarationKind, WhileStatement,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};

use super::counted::Constants;
use super::edits::{Edits, Order, SpliceId};

/// What entering an async function charges: each costs about as much as a hundred rounds of a simple loop.
const ASYNC_WORK: u32 = 100;
/// What entering any other function charges: calls that end in an overflow of the stack are far dearer than rounds of a loop.
const CALL_WORK: u32 = 8;
/// What a `catch` charges, for the error that was made; and first of all in it, so that no program catches the end of its run.
const CATCH_WORK: u32 = 256;
/// Rounds that a loop does before it charges again. The measured cost is the same for more; with fewer it rises.
const ROUNDS: u32 = 64;
/// What beginning a loop charges. Rounds up to [`ROUNDS`] are not charged beside it: the constant of the bound is four.
const LOOP_WORK: u32 = 16;

/// Puts guards into all loops and functions of the program.
pub fn guard(program: &Program<'_>, stem: &str, edits: &mut Edits) {
    let mut guard = Guard {
        stem,
        edits,
        constants: Constants::of(program),
        loops: 0,
        awaits: false,
        label: None,
        around: Vec::new(),
    };
    guard.visit_program(program);
}

/// The module's first line up to the user's text.
pub fn prefix(stem: &str) -> String {
    "import{refill as $r,pause as $p}from\"./runtime.js\";let $b=0;const $t=()=>{while($b<0)$b+=$r()};"
        .replace('$', stem)
}

/// A stem that no name of the program begins with.
pub fn stem(program: &Program<'_>) -> String {
    let mut names = Names::default();
    names.visit_program(program);
    let free = (0..).find(|number| !names.0.contains(number)).unwrap_or(0);
    format!("${free}_")
}

/// The numbers N of names that begin with `$N_`.
#[derive(Default)]
struct Names(BTreeSet<u32>);

impl<'a> VisitJs<'a> for Names {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        let name = match &kind {
            AstKind::IdentifierReference(it) => it.name.as_str(),
            AstKind::BindingIdentifier(it) => it.name.as_str(),
            AstKind::IdentifierName(it) => it.name.as_str(),
            AstKind::LabelIdentifier(it) => it.name.as_str(),
            _ => return,
        };
        let number = name
            .strip_prefix('$')
            .and_then(|rest| rest.split_once('_'))
            .map(|(number, _)| number.parse());
        if let Some(Ok(number)) = number {
            self.0.insert(number);
        }
    }
}

struct Guard<'s> {
    stem: &'s str,
    edits: &'s mut Edits,
    constants: Constants,
    /// Loops so far, which number their variables.
    loops: u32,
    /// An `await` was met in the function that is visited, outside of the functions in it.
    awaits: bool,
    /// The first label of the statement that comes next.
    label: Option<Span>,
    /// The functions that are being visited.
    around: Vec<Around>,
}

/// What a function is in, while it is visited.
struct Around {
    awaits: bool,
    label: Option<Span>,
    /// Of the function itself.
    is_async: bool,
}

/// A loop whose head is guarded and whose body is not yet.
struct Open {
    variable: u32,
    whole: Span,
    check: SpliceId,
    braces: bool,
    outer_awaits: bool,
}

impl Guard<'_> {
    fn enter(&self, is_async: bool) -> String {
        let work = if is_async { ASYNC_WORK } else { CALL_WORK };
        format!("({}b-={work})<0", self.stem)
    }

    fn statement(&self, is_async: bool) -> String {
        format!("if({}){}t();", self.enter(is_async), self.stem)
    }

    /// Guards the head and the body; everything that is visited until [`Guard::close`] is repeated by the loop.
    fn open(&mut self, span: Span, body: &Statement<'_>) -> Open {
        let whole = self.label.take().unwrap_or(span);
        self.loops += 1;
        let (stem, variable) = (self.stem, self.loops);
        self.edits.insert(
            whole.start,
            Order::OpenGuard,
            format!(
                "{{let {stem}{variable}={};if(({stem}b-={LOOP_WORK})<0){stem}t();",
                ROUNDS - 1
            ),
        );
        let braces = !matches!(body, Statement::BlockStatement(_));
        let at = body.span().start + u32::from(!braces);
        let check = self.edits.insert(at, Order::OpenGuard, "");
        Open {
            variable,
            whole,
            check,
            braces,
            outer_awaits: std::mem::take(&mut self.awaits),
        }
    }

    fn close(&mut self, open: &Open, body: &Statement<'_>) {
        let (stem, variable) = (self.stem, open.variable);
        let again = if self.awaits {
            format!("{stem}{variable}=await {stem}p();")
        } else {
            format!(
                "{{{stem}{variable}={};if(({stem}b-={ROUNDS})<0){stem}t()}}",
                ROUNDS - 1
            )
        };
        let brace = if open.braces { "{" } else { "" };
        self.edits.amend(
            open.check,
            format!("{brace}if(--{stem}{variable}<0){again}"),
        );
        if open.braces {
            self.edits.insert(body.span().end, Order::CloseGuard, "}");
        }
        self.awaits |= open.outer_awaits;
    }

    fn end(&mut self, open: &Open) {
        self.edits.insert(open.whole.end, Order::CloseGuard, "}");
    }

    fn body(&mut self, body: &FunctionBody<'_>, is_async: bool) {
        let check = self.statement(is_async);
        match body.directives.last() {
            // A directive may do without its semicolon only as long as nothing follows on the line.
            Some(directive) => {
                self.edits
                    .insert(directive.span.end, Order::Head, format!(";{check}"))
            }
            None => self.edits.insert(body.span.start + 1, Order::Head, check),
        };
    }

    /// Visits a function: its `await`s and labels are not those of what is around it.
    fn function(&mut self, is_async: bool, walk: impl FnOnce(&mut Self)) {
        self.enter_function(is_async);
        walk(self);
        self.leave_function();
    }

    fn enter_function(&mut self, is_async: bool) {
        self.around.push(Around {
            awaits: std::mem::take(&mut self.awaits),
            label: self.label.take(),
            is_async,
        });
    }

    fn leave_function(&mut self) {
        if let Some(around) = self.around.pop() {
            (self.awaits, self.label) = (around.awaits, around.label);
        }
    }
}

impl<'a> VisitJs<'a> for Guard<'_> {
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
        self.visit_statement(&it.body);
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        let open = self.open(it.span, &it.body);
        self.visit_expression(&it.test);
        self.visit_statement(&it.body);
        self.close(&open, &it.body);
        self.end(&open);
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        let open = self.open(it.span, &it.body);
        self.visit_statement(&it.body);
        // The body closes before what stands in the test, and the check counts an `await` in the test all the same.
        let awaits_in_body = self.awaits;
        let mut ahead = AwaitFinder(false);
        ahead.visit_expression(&it.test);
        self.awaits = awaits_in_body || ahead.0;
        self.close(&open, &it.body);
        self.visit_expression(&it.test);
        self.end(&open);
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        if let Some(rounds) = self.constants.rounds(it) {
            let whole = self.label.take().unwrap_or(it.span);
            let stem = self.stem;
            let charge = format!(
                "{{if(({stem}b-={})<0){stem}t();",
                rounds.saturating_add(LOOP_WORK)
            );
            self.edits.insert(whole.start, Order::OpenGuard, charge);
            walk_js::walk_for_statement(self, it);
            self.edits.insert(whole.end, Order::CloseGuard, "}");
            return;
        }
        let mut open = self.open(it.span, &it.body);
        if let Some(init) = &it.init {
            self.visit_for_statement_init(init);
            open.outer_awaits |= std::mem::take(&mut self.awaits);
        }
        for expression in it.test.iter().chain(&it.update) {
            self.visit_expression(expression);
        }
        self.visit_statement(&it.body);
        self.close(&open, &it.body);
        self.end(&open);
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        let mut open = self.open(it.span, &it.body);
        self.visit_for_statement_left(&it.left);
        let in_head = std::mem::take(&mut self.awaits);
        self.visit_expression(&it.right);
        open.outer_awaits |= std::mem::replace(&mut self.awaits, in_head);
        self.visit_statement(&it.body);
        self.close(&open, &it.body);
        self.end(&open);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        let mut open = self.open(it.span, &it.body);
        self.visit_for_statement_left(&it.left);
        let in_head = std::mem::take(&mut self.awaits) || it.r#await;
        self.visit_expression(&it.right);
        open.outer_awaits |= std::mem::replace(&mut self.awaits, in_head);
        self.visit_statement(&it.body);
        self.close(&open, &it.body);
        self.end(&open);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.awaits = true;
        walk_js::walk_await_expression(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        self.awaits |= it.kind == VariableDeclarationKind::AwaitUsing;
        walk_js::walk_variable_declaration(self, it);
    }

    fn enter_node(&mut self, kind: AstKind<'a>) {
        if let AstKind::Function(function) = kind {
            self.enter_function(function.r#async);
        }
    }

    fn leave_node(&mut self, kind: AstKind<'a>) {
        if let AstKind::Function(_) = kind {
            self.leave_function();
        }
    }

    fn visit_function_body(&mut self, it: &FunctionBody<'a>) {
        let is_async = self.around.last().is_some_and(|around| around.is_async);
        self.body(it, is_async);
        self.awaits = false;
        walk_js::walk_function_body(self, it);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.function(it.r#async, |guard| {
            guard.visit_formal_parameters(&it.params);
            guard.awaits = false;
            if let ArrowFunctionBody::FunctionBody(body) = &it.body {
                guard.visit_function_body(body);
            } else if let Some(expression) = it.body.as_expression() {
                let span = expression.span();
                let head = format!("({}&&{}t(),", guard.enter(it.r#async), guard.stem);
                guard.edits.insert(span.start, Order::OpenGuard, head);
                guard.visit_expression(expression);
                guard.edits.insert(span.end, Order::CloseGuard, ")");
            }
        });
    }

    fn visit_try_statement(&mut self, it: &TryStatement<'a>) {
        let stem = self.stem;
        if let Some(handler) = &it.handler {
            let charge = format!("if(({stem}b-={CATCH_WORK})<0){stem}t();");
            self.edits
                .insert(handler.body.span.start + 1, Order::Head, charge);
        }
        if let Some(finalizer) = &it.finalizer {
            let charge = format!("if(({stem}b-={CALL_WORK})<0){stem}t();");
            self.edits
                .insert(finalizer.span.start + 1, Order::Head, charge);
        }
        walk_js::walk_try_statement(self, it);
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        self.function(false, |guard| {
            // Its span begins at `static`; what follows the brace is found by the first statement or is an empty block.
            if let Some(first) = it.body.first() {
                let check = guard.statement(false);
                guard.edits.insert(first.span().start, Order::Head, check);
            }
            walk_js::walk_static_block(guard, it);
        });
    }
}

/// Finds an `await` outside of nested functions.
struct AwaitFinder(bool);

impl<'a> VisitJs<'a> for AwaitFinder {
    fn visit_await_expression(&mut self, _: &AwaitExpression<'a>) {
        self.0 = true;
    }

    fn visit_function_body(&mut self, _: &FunctionBody<'a>) {}

    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}
}

//! Places guards: divides a program into regions, each of which begins with a guard, and makes the
//! splices.
//!
//! A region extends from one guard to the next, for example from the entry of a function or from
//! the start of an iteration. Its content decides the charge of its guard, so the guard is written
//! when the region ends. `guards` walks the program and decides where regions begin.

use oxc_ast::ast::{Expression, PropertyKey, Statement};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};

use super::charge::{ASYNC_ENTRY, ENTRY, GuardWriter, Weight, units};
use super::counted::Constants;
use super::edits::{Edits, Order, SpliceId};
use super::numbers::Numbers;

/// The number of operations that code without loops does between two guards.
pub(super) const OPERATIONS_BETWEEN: u32 = 16;
/// The charge of a guard between such operations.
const OPERATIONS_ENTRY: u32 = 4;
/// The number of operations that copying an object counts as.
const COPY_OPERATIONS: u32 = 8;

/// The code between two guards.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Region {
    /// The number of objects that are copied in it, for which its guard charges.
    pub(super) copies: u32,
    /// The number of operations since the last guard that certainly ran.
    pub(super) operations: u32,
    /// The number of all operations, whether or not a guard was between them.
    pub(super) total: u32,
    /// True if it contains an `await`, not counting those in nested functions.
    pub(super) awaits: bool,
    pub(super) is_async: bool,
    /// True while the parameters of a function are visited.
    pub(super) in_parameters: bool,
}

pub(super) struct Guard<'s> {
    pub(super) text: &'s str,
    pub(super) charge: GuardWriter<'s>,
    pub(super) edits: &'s mut Edits,
    pub(super) constants: Constants,
    pub(super) numbers: Numbers,
    /// The number of loops so far, which numbers their variables.
    pub(super) loops: u32,
    /// The first label of the next statement.
    pub(super) label: Option<Span>,
    pub(super) region: Region,
    /// The regions and labels of the enclosing functions and fields.
    pub(super) around: Vec<(Region, Option<Span>)>,
    /// True if the next property key is computed, so that its evaluation must be charged.
    pub(super) key_counts: bool,
    /// For each enclosing construct that may skip a part of its content: [`Region::operations`] and
    /// [`Region::total`] at its beginning.
    pub(super) branches: Vec<(u32, u32)>,
}

/// A loop whose body has not been visited yet.
pub(super) struct OpenLoop {
    pub(super) variable: u32,
    pub(super) whole: Span,
    pub(super) head: SpliceId,
    pub(super) check: SpliceId,
    pub(super) braces: bool,
    pub(super) outer: Region,
}

impl<'a> Guard<'_> {
    /// Counts an operation that may take long.
    pub(super) fn operation(&mut self) {
        self.operations(1);
    }

    pub(super) fn operations(&mut self, count: u32) {
        self.region.operations += count;
        self.region.total += count;
    }

    pub(super) fn copies(&mut self) {
        self.region.copies += 1;
        self.operations(COPY_OPERATIONS);
    }

    /// Visits an object all of whose properties are read, and charges for copying it.
    pub(super) fn copied(&mut self, it: &Expression<'a>, visit: impl FnOnce(&mut Self)) {
        self.operations(COPY_OPERATIONS);
        let span = it.span();
        let before = self.charge.copy();
        self.edits.insert(span.start, Order::OpenGuard, before);
        visit(self);
        self.edits.insert(span.end, Order::CloseGuard, ")");
    }

    /// Visits a value that is copied into an object, and adds a check that a text or a list is not
    /// too long for that.
    pub(super) fn sized(&mut self, it: &Expression<'a>) {
        self.around_call('y', it.span(), |guard| guard.visit_expression(it));
    }

    /// Enters a construct a part of which may be skipped.
    pub(super) fn branch(&mut self) {
        self.branches
            .push((self.region.operations, self.region.total));
    }

    /// Leaves the construct. A guard in it may have been skipped, so its operations count as not
    /// guarded.
    pub(super) fn join(&mut self) {
        if let Some((operations, total)) = self.branches.pop() {
            self.region.operations = operations + (self.region.total - total);
        }
    }

    pub(super) fn enter(&mut self, is_async: bool) {
        let region = Region {
            is_async,
            ..Region::default()
        };
        self.around.push((
            std::mem::replace(&mut self.region, region),
            self.label.take(),
        ));
    }

    pub(super) fn leave(&mut self) {
        if let Some((region, label)) = self.around.pop() {
            (self.region, self.label) = (region, label);
        }
    }

    /// Visits an expression that is an entry point, and adds a charge before it.
    pub(super) fn guarded(&mut self, entry: u32, it: &Expression<'a>) {
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
            entry,
            copies: self.region.copies - copies,
        };
        self.edits.amend(head, self.charge.before(weight));
        self.edits.insert(span.end, Order::CloseGuard, ")");
    }

    /// Visits one of any number of adjacent expressions.
    pub(super) fn one_of_many(&mut self, it: &Expression<'a>) {
        if self.region.operations < OPERATIONS_BETWEEN || names_function(it) {
            self.visit_expression(it);
        } else {
            self.guarded(OPERATIONS_ENTRY, it);
        }
    }

    /// Opens a loop. Everything that is visited until [`Guard::close`] belongs to one iteration.
    pub(super) fn open(&mut self, span: Span, body: &Statement<'_>) -> OpenLoop {
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
        OpenLoop {
            variable: self.loops,
            whole,
            head,
            check,
            braces,
            outer,
        }
    }

    pub(super) fn close(&mut self, open: &OpenLoop, body: &Statement<'_>) {
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

    pub(super) fn check(&mut self, open: &OpenLoop, body: &Statement<'_>, check: &str) {
        let brace = if open.braces { "{" } else { "" };
        self.edits.amend(open.check, format!("{brace}{check}"));
        if open.braces {
            self.edits.insert(body.span().end, Order::CloseGuard, "}");
        }
    }

    /// Closes a loop of arithmetic. `operations` is the cost of an iteration.
    pub(super) fn close_arithmetic(
        &mut self,
        open: &OpenLoop,
        body: &Statement<'_>,
        operations: u32,
    ) {
        self.edits
            .amend(open.head, self.charge.begin(open.variable));
        self.edits.insert(open.whole.end, Order::CloseGuard, "}");
        let round = self.charge.round(open.variable, units(operations));
        self.check(open, body, &round);
        self.region.copies = open.outer.copies;
        self.join();
    }

    pub(super) fn statement_guard(&mut self, at: u32) {
        let check = self.charge.statement(Weight::of(OPERATIONS_ENTRY));
        self.edits.insert(at, Order::Head, check);
        self.region.operations = 0;
    }
}

/// Returns true if the value takes its name from the target of its assignment; in parentheses or a
/// call it would have no name. Creating it runs only the expressions in the head of a class, which
/// have guards of their own.
pub(super) fn names_function(it: &Expression<'_>) -> bool {
    matches!(
        it.get_inner_expression(),
        Expression::ArrowFunctionExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::ClassExpression(_)
    )
}

/// Returns true if evaluating the expression runs only guarded functions.
pub(super) fn plain(it: &Expression<'_>) -> bool {
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

impl<'a> Guard<'_> {
    /// Returns the charge for entering the function that was just visited.
    pub(super) fn entry_weight(&self) -> Weight {
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

    pub(super) fn key(&mut self, it: &PropertyKey<'a>) {
        match it.as_expression() {
            Some(expression) if !plain(expression) => self.guarded(ENTRY, expression),
            _ => walk_js::walk_property_key(self, it),
        }
    }

    /// Visits an expression that is passed to a runtime function.
    pub(super) fn around_call(&mut self, name: char, span: Span, visit: impl FnOnce(&mut Self)) {
        let open = self.charge.call(name);
        self.edits.insert(span.start, Order::OpenGuard, open);
        visit(self);
        self.edits.insert(span.end, Order::CloseGuard, ")");
    }

    /// Visits a list pattern. With a rest element it iterates its value to the end. So it is nested
    /// in an object pattern whose property returns the same value with counted steps.
    pub(super) fn rest(&mut self, has_rest: bool, span: Span, visit: impl FnOnce(&mut Self)) {
        if !has_rest {
            visit(self);
            return;
        }
        let open = self.charge.iterated();
        self.edits.insert(span.start, Order::OpenGuard, open);
        visit(self);
        self.edits.insert(span.end, Order::CloseGuard, "}");
    }

    /// Visits a part that may be skipped.
    pub(super) fn perhaps(&mut self, visit: impl FnOnce(&mut Self)) {
        self.branch();
        visit(self);
        self.join();
    }
}

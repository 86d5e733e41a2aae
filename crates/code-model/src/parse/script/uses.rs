//! The bare names that an item calls, instantiates and extends.

use std::collections::BTreeSet;

use oxc_ast::ast::{CallExpression, Class, Expression, NewExpression};
use oxc_ast_visit::{Visit, walk};

use crate::model::{EdgeKind, Reference};

/// Built-in methods that nearly every item calls.
const COMMON: [&str; 24] = [
    "map", "filter", "forEach", "push", "join", "slice", "get", "set", "has", "then", "catch",
    "log", "toString", "includes", "find", "some", "every", "reduce", "split", "trim", "replace",
    "keys", "values", "entries",
];

/// Returns the names that a visitor finds, as references of an item.
pub(super) fn references(
    source: usize,
    visit: impl FnOnce(&mut Names),
) -> impl Iterator<Item = Reference> {
    let mut names = Names::default();
    visit(&mut names);
    Reference::by_names(source, names.0)
}

#[derive(Default)]
pub(super) struct Names(BTreeSet<(EdgeKind, String)>);

impl Names {
    /// Adds the class that a class extends.
    pub fn extends(&mut self, above: &Expression<'_>) {
        self.add(EdgeKind::Implements, above);
    }

    fn add(&mut self, kind: EdgeKind, expression: &Expression<'_>) {
        let name = match expression {
            Expression::Identifier(name) => name.name.as_str(),
            Expression::StaticMemberExpression(member) => member.property.name.as_str(),
            _ => return,
        };
        if !COMMON.contains(&name) {
            self.0.insert((kind, name.to_owned()));
        }
    }
}

impl<'a> Visit<'a> for Names {
    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.add(EdgeKind::Calls, &call.callee);
        walk::walk_call_expression(self, call);
    }

    fn visit_new_expression(&mut self, made: &NewExpression<'a>) {
        self.add(EdgeKind::Uses, &made.callee);
        walk::walk_new_expression(self, made);
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        if let Some(heritage) = &class.heritage {
            self.extends(&heritage.expression);
        }
        walk::walk_class(self, class);
    }
}

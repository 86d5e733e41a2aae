//! The names that a Python item calls and refers to, without their paths.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};

use crate::model::{EdgeKind, Reference};

/// Built-in functions and methods that nearly every item calls, sorted.
const COMMON: [&str; 34] = [
    "append",
    "bool",
    "decode",
    "dict",
    "encode",
    "extend",
    "format",
    "get",
    "getattr",
    "hasattr",
    "int",
    "isinstance",
    "items",
    "iter",
    "join",
    "keys",
    "len",
    "list",
    "map",
    "print",
    "range",
    "replace",
    "repr",
    "set",
    "setattr",
    "sorted",
    "split",
    "startswith",
    "str",
    "strip",
    "super",
    "tuple",
    "type",
    "values",
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
    /// Adds the name in an expression: `name`, `module.name`, `Base[int]`.
    pub fn add(&mut self, kind: EdgeKind, expression: &Expr) {
        let name = match expression {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.id.as_str(),
            Expr::Subscript(subscript) => return self.add(kind, &subscript.value),
            Expr::Call(call) => return self.add(kind, &call.func),
            _ => return,
        };
        if COMMON.binary_search(&name).is_err() {
            self.0.insert((kind, name.to_owned()));
        }
    }

    /// Adds a name that a package re-exports.
    pub fn re_exports(&mut self, name: &str) {
        self.0.insert((EdgeKind::ReExports, name.to_owned()));
    }
}

impl<'a> Visitor<'a> for Names {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            // These are items with names of their own.
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_annotation(&mut self, annotation: &'a Expr) {
        self.add(EdgeKind::Uses, annotation);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            self.add(EdgeKind::Calls, &call.func);
        }
        walk_expr(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_names_are_in_order() {
        assert!(COMMON.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

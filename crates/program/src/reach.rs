//! Finds the names by which a program can reach functions and globals.
//!
//! A program reaches a function of the language by a name that it writes: as a property, as a key of
//! a pattern, or as a text in brackets. So the runtime around a program needs the parts that bound
//! the functions of these names, and no others. A program that computes names, or that writes a name
//! by which others can be reached, can reach everything; a doubt counts as that.
//!
//! The language also calls some functions by itself, for example `join` to make a text of a list.
//! The runtime always bounds those.

use std::collections::BTreeSet;

use oxc_ast::AstKind;
use oxc_ast::ast::{
    AssignmentTargetPropertyProperty, BindingProperty, ComputedMemberExpression, Expression,
    Program, PropertyKey,
};
use oxc_ast_visit::{VisitJs, walk_js};

use super::numbers::Numbers;

/// Names through which a program can reach functions whose names it does not write: reflection,
/// constructors and prototypes, the global object, and functions that call others.
const LEADING_ON: &[&str] = &[
    "Function",
    "Proxy",
    "Reflect",
    "Symbol",
    "__defineGetter__",
    "__defineSetter__",
    "__invokeDB",
    "__lookupGetter__",
    "__lookupSetter__",
    "__memoryDB",
    "__proto__",
    "__wire",
    "apply",
    "bind",
    "call",
    "callee",
    "caller",
    "captureStackTrace",
    "constructor",
    "create",
    "defineProperties",
    "defineProperty",
    "eval",
    "getOwnPropertyDescriptor",
    "getOwnPropertyDescriptors",
    "getOwnPropertyNames",
    "getOwnPropertySymbols",
    "getPrototypeOf",
    "globalThis",
    "ownKeys",
    "prepareStackTrace",
    "prototype",
    "self",
    "setPrototypeOf",
];

/// The names that a program writes and by which it can reach functions and globals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// All names: properties, keys, variables, labels and texts.
    pub names: BTreeSet<String>,
    /// The names of variables, some of which may be globals.
    pub variables: BTreeSet<String>,
}

/// Returns the names that a program writes, and true if it can reach others. `text` is its source.
pub fn of(program: &Program<'_>, numbers: &Numbers, text: &str) -> (Reach, bool) {
    let mut names = Names {
        numbers,
        reach: Reach::default(),
        computes: false,
    };
    names.visit_program(program);
    let leads_on = |name: &&str| names.reach.names.contains(*name);
    // A name may be written with escapes.
    let is_open = names.computes || text.contains("\\u") || LEADING_ON.iter().any(leads_on);
    (names.reach, is_open)
}

impl Reach {
    /// Returns a stem with which no name of the program begins.
    pub fn free_stem(&self) -> String {
        let number_of = |name: &String| {
            let (number, _) = name.strip_prefix('$')?.split_once('_')?;
            number.parse().ok()
        };
        let taken: BTreeSet<u32> = self.names.iter().filter_map(number_of).collect();
        let free = (0..).find(|number| !taken.contains(number)).unwrap_or(0);
        format!("${free}_")
    }
}

struct Names<'n> {
    numbers: &'n Numbers,
    reach: Reach,
    /// True if a name is computed.
    computes: bool,
}

impl Names<'_> {
    fn key(&mut self, is_computed: bool, key: &PropertyKey<'_>) {
        if is_computed && !key.as_expression().is_some_and(|key| self.is_known(key)) {
            self.computes = true;
        }
    }

    /// Returns true if a name in brackets is a number, or a text that the program writes.
    fn is_known(&self, it: &Expression<'_>) -> bool {
        matches!(it, Expression::StringLiteral(_)) || self.numbers.is_number(it)
    }
}

impl<'a> VisitJs<'a> for Names<'_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        let name = match &kind {
            AstKind::IdentifierReference(it) => {
                self.reach.variables.insert(it.name.as_str().to_owned());
                it.name.as_str()
            }
            AstKind::BindingIdentifier(it) => it.name.as_str(),
            AstKind::IdentifierName(it) => it.name.as_str(),
            AstKind::LabelIdentifier(it) => it.name.as_str(),
            AstKind::StringLiteral(it) => it.value.as_str(),
            _ => return,
        };
        self.reach.names.insert(name.to_owned());
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        self.computes |= !self.is_known(&it.expression);
        walk_js::walk_computed_member_expression(self, it);
    }

    fn visit_binding_property(&mut self, it: &BindingProperty<'a>) {
        self.key(it.computed, &it.key);
        walk_js::walk_binding_property(self, it);
    }

    fn visit_assignment_target_property_property(
        &mut self,
        it: &AssignmentTargetPropertyProperty<'a>,
    ) {
        self.key(it.computed, &it.name);
        walk_js::walk_assignment_target_property_property(self, it);
    }
}

//! Collects the names in the body of an item: paths, calls, and similar tokens in macros.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprCall, ExprMethodCall, Macro, Path, Visibility};

use super::names::segments;
use crate::limits::MAX_PATH_SEGMENTS;
use crate::model::EdgeKind;

/// A path in the code of an item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Named {
    pub kind: EdgeKind,
    pub segments: Vec<String>,
}

/// The collected names, each once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub paths: BTreeSet<Named>,
    pub methods: BTreeSet<String>,
}

impl Named {
    /// Returns the kind of a reference to a type. `Foo::new()` calls a function of `Foo`, but does
    /// not call `Foo`.
    pub fn kind_of_type(&self, alone: bool) -> EdgeKind {
        if self.kind == EdgeKind::Calls && !alone {
            EdgeKind::Uses
        } else {
            self.kind
        }
    }
}

/// Returns the names that a visit collects. It recurses on the tree, whose height is bounded.
pub(crate) fn names_in(visit: impl FnOnce(&mut Names)) -> Names {
    let mut names = Names::default();
    visit(&mut names);
    names
}

impl Names {
    fn path(&mut self, kind: EdgeKind, path: &Path) {
        if path.segments.len() <= MAX_PATH_SEGMENTS {
            let segments = segments(path);
            self.paths.insert(Named { kind, segments });
        }
    }

    /// Collects the names in the tokens of a macro, which are not parsed: a path followed by
    /// parentheses counts as a call.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        let mut path: Vec<String> = Vec::new();
        let mut behind_dot = false;
        let mut colons = 0;
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != PATH_COLONS || path.len() >= MAX_PATH_SEGMENTS {
                        path.clear();
                    }
                    path.push(ident.to_string());
                    let next = tokens.peek();
                    let goes_on =
                        matches!(next, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
                    let called = matches!(next, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                    if !goes_on && behind_dot {
                        if called {
                            self.methods.extend(path.pop());
                        }
                    } else if !goes_on {
                        let kind = if called {
                            EdgeKind::Calls
                        } else {
                            EdgeKind::Uses
                        };
                        let segments = std::mem::take(&mut path);
                        self.paths.insert(Named { kind, segments });
                    }
                    (behind_dot, colons) = (false, 0);
                }
                TokenTree::Punct(punct) => {
                    colons = if punct.as_char() == ':' {
                        colons + 1
                    } else {
                        0
                    };
                    behind_dot = punct.as_char() == '.';
                }
                TokenTree::Group(group) => {
                    self.tokens(group.stream());
                    (behind_dot, colons) = (false, 0);
                }
                TokenTree::Literal(_) => (behind_dot, colons) = (false, 0),
            }
        }
    }
}

/// The number of signs in `::`.
const PATH_COLONS: u32 = 2;

impl<'ast> Visit<'ast> for Names {
    fn visit_path(&mut self, path: &'ast Path) {
        self.path(EdgeKind::Uses, path);
        visit::visit_path(self, path);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        match &*call.func {
            Expr::Path(function) => {
                self.path(EdgeKind::Calls, &function.path);
                if let Some(qualified) = &function.qself {
                    self.visit_type(&qualified.ty);
                }
                // The types in `parse::<Foo>(…)`.
                visit::visit_path(self, &function.path);
            }
            other => self.visit_expr(other),
        }
        for argument in &call.args {
            self.visit_expr(argument);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.methods.insert(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, invoked: &'ast Macro) {
        self.path(EdgeKind::Uses, &invoked.path);
        self.tokens(invoked.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

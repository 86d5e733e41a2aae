//! Finds the origin of a variable's value: the call of a helper, and its line.
//!
//! It follows declarations, destructuring, `for … of`, parameters of callbacks and assignments for
//! a bounded number of steps. The result is used for hints only: a variable that is assigned in
//! several places is followed to the last assignment before its use.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, ArrowFunctionExpression, AssignmentOperator, AssignmentTarget, BindingPattern,
    CallExpression, ChainElement, ChainExpression, Expression, ForStatementLeft, FormalParameters,
    Function, Program,
};
use oxc_ast_visit::VisitJs;
use oxc_span::{GetSpan, Span};

/// The number of declarations that are followed from a use to its origin. There is a bound because
/// declarations may refer to each other in a circle.
const MAX_STEPS: usize = 16;

/// The call of a helper that produced a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The path of the called function, such as `helpers.db.query`.
    pub call: String,
    /// The byte at which the call begins.
    pub at: u32,
    /// True if its promise was awaited.
    pub awaited: bool,
    /// The variable that first held the value, if there is one.
    pub variable: Option<String>,
}

/// A name and the expression that its value comes from.
struct Binding<'a> {
    name: &'a str,
    at: u32,
    scope: Span,
    from: Option<&'a Expression<'a>>,
    /// True if the value was obtained by waiting for a promise, as in `.then(rows => …)`.
    awaited: bool,
}

/// All bindings of a program.
pub struct Bindings<'a> {
    all: Vec<Binding<'a>>,
    names: Vec<&'a str>,
    scopes: Vec<Span>,
}

impl<'a> Bindings<'a> {
    /// Finds the bindings of a program.
    pub fn of(program: &Program<'a>) -> Self {
        let mut bindings = Self {
            all: Vec::new(),
            names: Vec::new(),
            scopes: vec![program.span],
        };
        bindings.visit_program(program);
        bindings
    }

    /// Returns the declared names.
    pub fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.names.iter().copied()
    }

    fn lookup(&self, name: &str, at: u32) -> Option<&Binding<'a>> {
        let visible = |binding: &&Binding<'a>| {
            binding.name == name && binding.scope.start <= at && at <= binding.scope.end
        };
        let known = |binding: &&Binding<'a>| binding.from.is_some();
        let rank = |binding: &&Binding<'a>| (binding.at <= at, binding.scope.start, binding.at);
        self.all
            .iter()
            .filter(visible)
            .filter(known)
            .max_by_key(rank)
    }

    /// Returns the dotted path of a value, such as `helpers.pubs`. If the expression is a variable,
    /// it is the path of the value that the variable holds.
    pub fn path(&self, expression: &Expression<'a>) -> Option<String> {
        let written = expression.get_inner_expression();
        let Expression::Identifier(id) = written else {
            return path_of(written);
        };
        let binding = self.lookup(id.name.as_str(), id.span.start)?;
        match path_of(binding.from?)? {
            // `const { pubs } = helpers`
            whole if whole == "helpers" => Some(format!("{whole}.{}", binding.name)),
            part => Some(part),
        }
    }

    /// Returns the call that produced the value of `expression`.
    pub fn origin(&self, expression: &Expression<'a>) -> Option<Origin> {
        let mut at = expression;
        let (mut awaited, mut variable) = (false, None);
        for _ in 0..MAX_STEPS {
            let mut inner = at.get_inner_expression();
            loop {
                inner = match inner {
                    Expression::AwaitExpression(it) => {
                        awaited = true;
                        it.argument.get_inner_expression()
                    }
                    Expression::LogicalExpression(it) => it.left.get_inner_expression(),
                    Expression::ChainExpression(it) => chained(it)?,
                    Expression::CallExpression(call) => match helper(&call.callee) {
                        Some(name) => {
                            return Some(Origin {
                                call: name,
                                at: call.span.start,
                                awaited,
                                variable,
                            });
                        }
                        None => object_of(&call.callee)?,
                    },
                    other => match object_of(other) {
                        Some(object) => object.get_inner_expression(),
                        None => break,
                    },
                };
            }
            let Expression::Identifier(id) = inner else {
                return None;
            };
            let binding = self.lookup(id.name.as_str(), id.span.start)?;
            awaited |= binding.awaited;
            variable = Some(binding.name.to_owned());
            at = binding.from?;
        }
        None
    }
}

/// Returns a chain of names, the last of which may be a text in brackets.
fn path_of(expression: &Expression<'_>) -> Option<String> {
    let Expression::ComputedMemberExpression(member) = expression.get_inner_expression() else {
        return dotted(expression);
    };
    let Expression::StringLiteral(name) = &member.expression else {
        return None;
    };
    Some(format!("{}.{}", dotted(&member.object)?, name.value))
}

/// Returns the object of a member expression.
pub fn object_of<'b, 'a>(expression: &'b Expression<'a>) -> Option<&'b Expression<'a>> {
    match expression.get_inner_expression() {
        Expression::StaticMemberExpression(it) => Some(&it.object),
        Expression::ComputedMemberExpression(it) => Some(&it.object),
        Expression::PrivateFieldExpression(it) => Some(&it.object),
        _ => None,
    }
}

/// Returns the object of the last member of an optional chain.
fn chained<'b, 'a>(chain: &'b ChainExpression<'a>) -> Option<&'b Expression<'a>> {
    match &chain.expression {
        ChainElement::CallExpression(call) => object_of(&call.callee),
        ChainElement::TSNonNullExpression(it) => object_of(&it.expression),
        ChainElement::StaticMemberExpression(it) => Some(&it.object),
        ChainElement::ComputedMemberExpression(it) => Some(&it.object),
        ChainElement::PrivateFieldExpression(it) => Some(&it.object),
    }
}

/// Returns the dotted name of a helper: `helpers.…`, `dbSchema.…` or `__invokeDB`.
pub fn helper(callee: &Expression<'_>) -> Option<String> {
    let path = dotted(callee)?;
    let root = path.split('.').next().unwrap_or("");
    (matches!(root, "helpers" | "dbSchema") && path.len() > root.len() || path == "__invokeDB")
        .then_some(path)
}

/// Returns a chain of plain names, such as `helpers.db.query`.
pub fn dotted(expression: &Expression<'_>) -> Option<String> {
    let mut parts = Vec::new();
    let mut at = expression.get_inner_expression();
    loop {
        match at {
            Expression::Identifier(id) => {
                parts.push(id.name.as_str());
                break;
            }
            Expression::StaticMemberExpression(member) => {
                parts.push(member.property.name.as_str());
                at = member.object.get_inner_expression();
            }
            _ => return None,
        }
    }
    parts.reverse();
    Some(parts.join("."))
}

/// Methods that pass the elements of their receiver to a callback.
const ELEMENT_METHODS: [&str; 14] = [
    "map",
    "filter",
    "forEach",
    "find",
    "findIndex",
    "findLast",
    "some",
    "every",
    "flatMap",
    "sort",
    "reduce",
    "reduceRight",
    "then",
    "toSorted",
];

impl<'a> Bindings<'a> {
    fn add(
        &mut self,
        pattern: &'a BindingPattern<'a>,
        scope: Span,
        from: Option<&'a Expression<'a>>,
        awaited: bool,
    ) {
        for id in pattern.get_binding_identifiers() {
            self.all.push(Binding {
                name: id.name.as_str(),
                at: id.span.start,
                scope,
                from,
                awaited,
            });
        }
    }

    fn scope(&self) -> Span {
        self.scopes.last().copied().unwrap_or_default()
    }

    fn callback(&mut self, call: &'a CallExpression<'a>) {
        let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() else {
            return;
        };
        let method = member.property.name.as_str();
        let Some((parameters, scope)) = call
            .arguments
            .first()
            .and_then(parameters)
            .filter(|_| ELEMENT_METHODS.contains(&method))
        else {
            return;
        };
        let elements = match method {
            "reduce" | "reduceRight" => 1..2,
            "sort" | "toSorted" => 0..2,
            _ => 0..1,
        };
        for parameter in parameters.items.get(elements).unwrap_or_default() {
            self.add(
                &parameter.pattern,
                scope,
                Some(&member.object),
                method == "then",
            );
        }
    }
}

fn parameters<'a>(argument: &'a Argument<'a>) -> Option<(&'a FormalParameters<'a>, Span)> {
    match argument {
        Argument::ArrowFunctionExpression(it) => {
            Some((&it.params, ArrowFunctionExpression::span(it)))
        }
        Argument::FunctionExpression(it) => Some((&it.params, Function::span(it))),
        _ => None,
    }
}

impl<'a> VisitJs<'a> for Bindings<'a> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        if opens_scope(&kind) {
            self.scopes.push(kind.span());
        }
        match kind {
            AstKind::BindingIdentifier(it) => self.names.push(it.name.as_str()),
            AstKind::VariableDeclarator(it) => {
                self.add(&it.id, self.scope(), it.init.as_ref(), false)
            }
            AstKind::ForOfStatement(it) => {
                if let ForStatementLeft::VariableDeclaration(declaration) = &it.left {
                    for one in &declaration.declarations {
                        self.add(&one.id, it.span, Some(&it.right), it.r#await);
                    }
                }
            }
            AstKind::AssignmentExpression(it) if it.operator == AssignmentOperator::Assign => {
                if let AssignmentTarget::AssignmentTargetIdentifier(id) = &it.left {
                    self.all.push(Binding {
                        name: id.name.as_str(),
                        at: id.span.start,
                        scope: self.scopes.first().copied().unwrap_or_default(),
                        from: Some(&it.right),
                        awaited: false,
                    });
                }
            }
            AstKind::CallExpression(it) => self.callback(it),
            _ => {}
        }
    }

    fn leave_node(&mut self, kind: AstKind<'a>) {
        if opens_scope(&kind) {
            self.scopes.pop();
        }
    }
}

fn opens_scope(kind: &AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::Function(_)
            | AstKind::ArrowFunctionExpression(_)
            | AstKind::BlockStatement(_)
            | AstKind::ForStatement(_)
            | AstKind::ForOfStatement(_)
            | AstKind::ForInStatement(_)
            | AstKind::CatchClause(_)
            | AstKind::SwitchStatement(_)
            | AstKind::StaticBlock(_)
    )
}

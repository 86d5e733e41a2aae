//! Scopes of names, and the names that an assignment changes.

use oxc_ast::AstKind;
use oxc_ast::ast::{Expression, SimpleAssignmentTarget};

/// Returns true for a node that is a scope. The scope of a function is its body, because its
/// parameters do not see the declarations in the body.
pub const fn is_scope(kind: &AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::FunctionBody(_)
            | AstKind::BlockStatement(_)
            | AstKind::ForStatement(_)
            | AstKind::ForOfStatement(_)
            | AstKind::ForInStatement(_)
            | AstKind::StaticBlock(_)
    )
}

/// Returns the name that an assignment changes, also behind a cast.
pub fn assigned_name<'a>(target: &'a SimpleAssignmentTarget<'_>) -> Option<&'a str> {
    let expression = match target {
        SimpleAssignmentTarget::AssignmentTargetIdentifier(id) => return Some(id.name.as_str()),
        SimpleAssignmentTarget::TSAsExpression(it) => &it.expression,
        SimpleAssignmentTarget::TSSatisfiesExpression(it) => &it.expression,
        SimpleAssignmentTarget::TSNonNullExpression(it) => &it.expression,
        SimpleAssignmentTarget::TSTypeAssertion(it) => &it.expression,
        _ => return None,
    };
    match expression.get_inner_expression() {
        Expression::Identifier(id) => Some(id.name.as_str()),
        _ => None,
    }
}

//! What the tree says of names: where they can be seen, and which of them are assigned to.

use oxc_ast::AstKind;
use oxc_ast::ast::{Expression, SimpleAssignmentTarget};

/// The parameters of a function do not see what its body declares, so it is the body that is a scope.
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

/// The name that is assigned to, also behind a cast.
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

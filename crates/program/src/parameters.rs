//! Finds destructured parameters, such as `{limit = 2}`, for which a call passed nothing.

use oxc_ast::AstKind;
use oxc_ast::ast::{BindingPattern, Expression, FormalParameters, Program};
use oxc_ast_visit::VisitJs;
use oxc_span::Span;

/// A parameter that is an object pattern without a default value.
pub struct DestructuredParameter<'a> {
    /// The name of its function.
    function: Option<&'a str>,
    pub pattern: Span,
}

impl DestructuredParameter<'_> {
    /// Returns a hint, given the text of the pattern.
    pub fn hint(&self, pattern: &str) -> String {
        let (what, also) = match self.function {
            Some("main") => (
                "the request sent no `input`".to_owned(),
                ", or send `input`",
            ),
            Some(name) => (format!("`{name}` was called without it"), ""),
            None => ("the function was called without it".to_owned(), ""),
        };
        format!(
            "`{pattern}` destructures its argument, and {what}: write `{pattern} = {{}}`{also}."
        )
    }
}

/// Returns the property in `Cannot destructure property 'x' of …`.
pub fn destructured(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("Cannot destructure property '")?;
    rest.split_once('\'').map(|(property, _)| property)
}

/// Returns the parameter at `at` that reads `property` from its argument.
pub fn taken_apart<'a>(
    program: &Program<'a>,
    at: u32,
    property: &str,
) -> Option<DestructuredParameter<'a>> {
    let mut parameters = Parameters {
        at,
        property,
        found: None,
    };
    parameters.visit_program(program);
    parameters.found
}

struct Parameters<'p, 'a> {
    at: u32,
    property: &'p str,
    found: Option<DestructuredParameter<'a>>,
}

impl<'a> Parameters<'_, 'a> {
    fn look(&mut self, name: Option<&'a str>, parameters: &FormalParameters<'a>, whole: Span) {
        let is_here = |span: Span| span.start <= self.at && self.at <= span.end;
        for parameter in &parameters.items {
            let BindingPattern::ObjectPattern(pattern) = &parameter.pattern else {
                continue;
            };
            let has_it = pattern.properties.iter().any(|one| {
                one.key
                    .static_name()
                    .is_some_and(|name| name == self.property)
            });
            // V8 gives the place of the pattern, or of the function.
            let is_at = is_here(parameters.span) || self.at == whole.start;
            if has_it && parameter.initializer.is_none() && is_at {
                self.found = Some(DestructuredParameter {
                    function: name,
                    pattern: pattern.span,
                });
            }
        }
    }
}

impl<'a> VisitJs<'a> for Parameters<'_, 'a> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::Function(it) => {
                let name = it.id.as_ref().map(|id| id.name.as_str());
                self.look(name, &it.params, it.span);
            }
            AstKind::VariableDeclarator(it) => {
                let name = match &it.id {
                    BindingPattern::BindingIdentifier(id) => Some(id.name.as_str()),
                    _ => None,
                };
                if let Some(Expression::ArrowFunctionExpression(arrow)) = &it.init {
                    self.look(name, &arrow.params, arrow.span);
                }
            }
            _ => {}
        }
    }
}

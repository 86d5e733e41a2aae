//! Removes the types from TypeScript.
//!
//! Text that only the type checker reads becomes spaces, so columns stay the same. If a type
//! separated two parts that would now run together, a semicolon or a bracket replaces one of the
//! spaces. Enums and parameter properties are code, so their JavaScript is spliced in.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrowFunctionExpression, Class, ClassElement, Declaration, Expression, FormalParameter,
    FormalParameterRest, FormalParameters, Function, ImportDeclaration, MethodDefinition,
    MethodDefinitionKind, Program, PropertyDefinition, PropertyDefinitionType, PropertyKey,
    Statement, TSAsExpression, TSNonNullExpression, TSSatisfiesExpression, TSTypeAssertion,
    VariableDeclarator,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};

use super::edits::{Edits, Order};
use super::source::{ends_line, next_token, number};
use super::{refuse, strip_enum};

/// Words before a member or a parameter that only the type checker reads.
const MODIFIERS: [&str; 7] = [
    "public",
    "private",
    "protected",
    "readonly",
    "override",
    "declare",
    "abstract",
];

/// Removes the types from the program.
pub fn strip(program: &Program<'_>, text: &str, stem: &str, edits: &mut Edits) {
    let mut strip = TypeStripper {
        text,
        stem,
        edits,
        derived: Vec::new(),
        enums: Vec::new(),
    };
    strip.visit_program(program);
}

struct TypeStripper<'s> {
    text: &'s str,
    stem: &'s str,
    edits: &'s mut Edits,
    /// True for each enclosing class that extends another one.
    derived: Vec<bool>,
    /// The enums so far, each with its members, which a later declaration of the same enum can
    /// name.
    enums: Vec<(String, Vec<String>)>,
}

impl TypeStripper<'_> {
    fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    fn has_line_end(&self, start: u32, end: u32) -> bool {
        self.slice(start, end).contains(ends_line)
    }

    fn blank(&mut self, span: Span) {
        self.edits.blank(self.text, span.start, span.end, "");
    }

    fn erase(&mut self, span: Span) {
        self.edits.blank(self.text, span.start, span.end, ";");
    }

    fn blank_if(&mut self, node: Option<&impl GetSpan>) {
        if let Some(node) = node {
            self.blank(node.span());
        }
    }

    /// Replaces one sign behind `at`, if it is there.
    fn sign(&mut self, at: u32, sign: u8, instead: &str) {
        let at = next_token(self.text, at);
        if self.text.as_bytes().get(at as usize) == Some(&sign) {
            self.edits.blank(self.text, at, at + 1, instead);
        }
    }

    /// Returns the byte of the word `implements` in the head of a class. The first interface begins
    /// at `first`.
    fn implements(&self, it: &Class<'_>, first: u32) -> u32 {
        let head = it.heritage.as_ref().map(|heritage| {
            let types = heritage.type_arguments.as_ref();
            types.map_or(heritage.expression.span().end, |types| types.span.end)
        });
        let head = head.or(it.type_parameters.as_ref().map(|types| types.span.end));
        let head = head.or(it.id.as_ref().map(|id| id.span.end));
        let mut at = next_token(self.text, head.unwrap_or(it.span.start));
        while at < first && !self.slice(at, first).starts_with("implements") {
            at = next_token(self.text, at + 1);
        }
        at
    }

    /// Removes modifiers between `start` and the name at `end`. A semicolon replaces the first
    /// modifier of a member, because a name in brackets would run together with the previous
    /// member.
    fn modifiers(&mut self, start: u32, end: u32, mut first: &'static str) {
        let mut at = start;
        while at < end {
            at = next_token(self.text, at);
            let rest = self.text.get(at as usize..end as usize).unwrap_or("");
            let length = rest
                .find(|character: char| !character.is_ascii_alphabetic())
                .unwrap_or(rest.len());
            if length == 0 {
                return;
            }
            let word_end = at + number(length);
            if MODIFIERS.contains(&self.slice(at, word_end)) {
                self.edits.blank(self.text, at, word_end, first);
            }
            first = "";
            at = word_end;
        }
    }

    /// Removes the part behind the expression in `x as T`.
    fn cast(&mut self, expression: &Expression<'_>, span: Span) {
        self.blank(Span::new(expression.span().end, span.end));
        let next = next_token(self.text, span.end);
        let joins = matches!(
            self.text.as_bytes().get(next as usize),
            Some(b'(' | b'[' | b'`')
        );
        if joins && self.has_line_end(span.end, next) {
            self.edits.insert(span.end, Order::EndStatement, ";");
        }
    }

    fn function(&mut self, it: &Function<'_>) {
        self.blank_if(it.type_parameters.as_deref());
        self.blank_if(it.return_type.as_deref());
        if let Some(this) = &it.this_param {
            self.blank(this.span);
            self.sign(this.span.end, b',', "");
        }
    }

    fn key_end(&self, key: &PropertyKey<'_>, computed: bool) -> u32 {
        let end = key.span().end;
        if computed {
            next_token(self.text, end) + 1
        } else {
            end
        }
    }

    fn key_start(&self, start: u32, key: &PropertyKey<'_>, computed: bool) -> u32 {
        let end = key.span().start;
        if computed {
            self.slice(start, end)
                .rfind('[')
                .map_or(end, |at| start + number(at))
        } else {
            end
        }
    }

    /// Adds `this.x = x` to a `constructor(private x)`.
    fn parameter_properties(&mut self, it: &MethodDefinition<'_>) {
        let sets: String = it
            .value
            .params
            .items
            .iter()
            .filter(|one| one.accessibility.is_some() || one.readonly || one.r#override)
            .filter_map(|one| one.pattern.get_binding_identifier())
            .map(|id| format!("this.{0}={0};", id.name))
            .collect();
        let Some(body) = it.value.body.as_ref().filter(|_| !sets.is_empty()) else {
            return;
        };
        let is_super = |statement: &&Statement<'_>| {
            matches!(statement, Statement::ExpressionStatement(it)
                if matches!(&it.expression, Expression::CallExpression(call) if matches!(call.callee, Expression::Super(_))))
        };
        let call = body.statements.iter().find(is_super);
        let derived = self.derived.last().copied().unwrap_or(false);
        match (call, body.directives.last()) {
            (Some(call), _) if derived => {
                self.edits
                    .insert(call.span().end, Order::EndStatement, format!(";{sets}"))
            }
            (_, Some(directive)) => {
                self.edits
                    .insert(directive.span.end, Order::Head, format!(";{sets}"))
            }
            _ => self.edits.insert(body.span.start + 1, Order::Head, sets),
        };
    }

    /// Removes the types of an arrow function. Its arrow must stay on the line of the bracket
    /// before it. If its type parameters span lines, a bracket must begin on the first of them,
    /// because a `return` has no value if nothing follows on its line.
    fn arrow(&mut self, it: &ArrowFunctionExpression<'_>) {
        let Span { start, end, .. } = it.params.span;
        if let Some(parameters) = &it.type_parameters {
            let Span {
                start: from,
                end: to,
                ..
            } = parameters.span;
            let parts = self.has_line_end(it.span.start, start);
            self.edits
                .blank(self.text, from, to, if parts { "(" } else { "" });
            if parts && it.r#async {
                self.edits.replace(start, start + 1, " ");
            } else if parts {
                self.edits.insert(it.span.end, Order::CloseInner, ")");
            }
        }
        if let Some(return_type) = &it.return_type {
            self.blank(return_type.span);
            if self.has_line_end(end, return_type.span.end) {
                self.edits.replace(end.saturating_sub(1), end, " ");
                self.edits
                    .insert(return_type.span.end, Order::CloseInner, ")");
            }
        }
    }
}

impl<'a> VisitJs<'a> for TypeStripper<'_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::Function(it) => self.function(it),
            AstKind::CallExpression(it) => self.blank_if(it.type_arguments.as_deref()),
            AstKind::NewExpression(it) => self.blank_if(it.type_arguments.as_deref()),
            AstKind::TaggedTemplateExpression(it) => self.blank_if(it.type_arguments.as_deref()),
            AstKind::TSInstantiationExpression(it) => self.blank(it.type_arguments.span),
            AstKind::CatchParameter(it) => self.blank_if(it.type_annotation.as_deref()),
            _ => {}
        }
    }

    fn visit_declaration(&mut self, it: &Declaration<'a>) {
        match it {
            declaration if refuse::ambient(declaration) => self.erase(declaration.span()),
            Declaration::TSEnumDeclaration(declaration) => {
                strip_enum::declare(
                    declaration,
                    self.text,
                    self.stem,
                    &mut self.enums,
                    self.edits,
                );
                walk_js::walk_declaration(self, it);
            }
            _ => walk_js::walk_declaration(self, it),
        }
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        self.erase(it.span);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.arrow(it);
        walk_js::walk_arrow_function_expression(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.r#abstract {
            self.modifiers(it.span.start, it.body.span.start, "");
        }
        self.blank_if(it.type_parameters.as_deref());
        let heritage = it.heritage.as_ref();
        if let Some(arguments) = heritage.and_then(|heritage| heritage.type_arguments.as_deref()) {
            self.blank(arguments.span);
        }
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let keyword = self.implements(it, first.span.start);
            self.blank(Span::new(keyword, last.span.end));
        }
        self.derived.push(heritage.is_some());
        walk_js::walk_class(self, it);
        self.derived.pop();
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        match it {
            ClassElement::TSIndexSignature(signature) => self.erase(signature.span),
            ClassElement::MethodDefinition(method) if method.value.body.is_none() => {
                self.erase(method.span)
            }
            ClassElement::PropertyDefinition(property)
                if property.declare
                    || property.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition =>
            {
                self.erase(property.span);
            }
            _ => walk_js::walk_class_element(self, it),
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.modifiers(
            it.span.start,
            self.key_start(it.span.start, &it.key, it.computed),
            ";",
        );
        if it.optional {
            self.sign(self.key_end(&it.key, it.computed), b'?', "");
        }
        if it.kind == MethodDefinitionKind::Constructor {
            self.parameter_properties(it);
        }
        walk_js::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.modifiers(
            it.span.start,
            self.key_start(it.span.start, &it.key, it.computed),
            ";",
        );
        let end = self.key_end(&it.key, it.computed);
        // A field may be called `get` or `static`, and must not run together with the name of the
        // next member.
        let end_of_field = if it.value.is_none() { ";" } else { "" };
        if it.optional {
            self.sign(end, b'?', end_of_field);
        }
        if it.definite {
            self.sign(end, b'!', end_of_field);
        }
        if let Some(of_type) = &it.type_annotation {
            let Span { start, end, .. } = of_type.span;
            self.edits.blank(self.text, start, end, end_of_field);
        }
        walk_js::walk_property_definition(self, it);
    }

    fn visit_formal_parameters(&mut self, it: &FormalParameters<'a>) {
        walk_js::walk_formal_parameters(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        self.modifiers(it.span.start, it.pattern.span().start, "");
        if it.optional {
            self.sign(it.pattern.span().end, b'?', "");
        }
        self.blank_if(it.type_annotation.as_deref());
        walk_js::walk_formal_parameter(self, it);
    }

    fn visit_formal_parameter_rest(&mut self, it: &FormalParameterRest<'a>) {
        self.blank_if(it.type_annotation.as_deref());
        walk_js::walk_formal_parameter_rest(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.sign(it.id.span().end, b'!', "");
        }
        self.blank_if(it.type_annotation.as_deref());
        walk_js::walk_variable_declarator(self, it);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.cast(&it.expression, it.span);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.cast(&it.expression, it.span);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.blank(Span::new(it.expression.span().end, it.span.end));
        self.visit_expression(&it.expression);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        // Parentheses are necessary: `return <T>` with a line end in it would return nothing, and
        // `() => <T>{}` would have a block.
        let start = it.expression.span().start;
        self.edits.blank(self.text, it.span.start, start, "(");
        self.edits.insert(it.span.end, Order::CloseInner, ")");
        self.visit_expression(&it.expression);
    }
}

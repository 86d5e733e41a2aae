//! Returns the result of a program: inserts `return` before the expression that is its value, and
//! removes `export`.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrowFunctionExpression, BindingPattern, CallExpression, Declaration, ExportDefaultDeclaration,
    ExportDefaultDeclarationKind, Expression, FunctionBody, ImportExpression, ModuleExportName,
    NewExpression, Program, ReturnStatement, Statement, TaggedTemplateExpression,
    VariableDeclarationKind,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::{GetSpan, Span};

use super::edits::{Edits, Order};

/// Names of the function that a program returns if it only declares functions, best first. The
/// sandbox runs a function that a program returns.
const ENTRY_NAMES: [&str; 5] = ["main", "run", "execute", "handler", "program"];
/// Constructors that only create a value. If a program calls nothing else at top level, its work is
/// probably in a function that it does not call, such as `main`.
const PLAIN_CONSTRUCTORS: [&str; 8] = [
    "Map", "Set", "WeakMap", "WeakSet", "Date", "RegExp", "Array", "Intl",
];

/// The information that the wrapper needs.
#[derive(Debug, Default)]
pub struct Ending {
    /// The expression to return at the end of the program.
    pub value: Option<String>,
    /// True if the program declares `input` itself.
    pub declares_input: bool,
}

/// Inserts the code that returns the value of the program.
pub fn end(program: &Program<'_>, source: &str, stem: &str, edits: &mut Edits) -> Ending {
    let mut ending = Ending {
        value: None,
        declares_input: program.body.iter().any(declares_input),
    };
    for statement in &program.body {
        if let Some(value) = export(statement, source, stem, edits) {
            ending.value = Some(value);
        }
    }
    if let Some(function) = lone_function(&program.body) {
        edits.insert(function.start, Order::OpenResult, "return(");
        edits.insert(function.end, Order::CloseResult, ")");
        return ending;
    }
    let mut top = TopLevel::default();
    top.visit_program(program);
    if ending.value.is_some() || top.returns {
        return ending;
    }
    if give(&program.body, edits) {
        return ending;
    }
    // A program that is a single string is parsed as a directive.
    let text = program
        .directives
        .last()
        .filter(|text| text.directive != "use strict" && program.body.is_empty());
    if let Some(text) = text {
        let Span { start, end, .. } = text.expression.span;
        edits.insert(start, Order::OpenResult, "return(");
        edits.insert(end, Order::CloseResult, ")");
    } else if !top.calls {
        ending.value = entry(&program.body);
    }
    ending
}

/// Returns the span of a function without a name that is the whole program. It is a value, as if in
/// parentheses.
pub fn lone_function(body: &[Statement<'_>]) -> Option<Span> {
    let mut doing = body.iter().filter(|statement| {
        matches!(statement, Statement::FunctionDeclaration(_)) || !declares_only(statement)
    });
    match (doing.next(), doing.next()) {
        (Some(Statement::FunctionDeclaration(it)), None) if it.id.is_none() => {
            it.body.as_ref().map(|_| it.span)
        }
        _ => None,
    }
}

/// Removes `export` from a statement. Returns the name of the default export.
fn export(
    statement: &Statement<'_>,
    source: &str,
    stem: &str,
    edits: &mut Edits,
) -> Option<String> {
    match statement {
        Statement::ExportDeclaration(it) => {
            edits.blank(source, it.span.start, it.declaration.span().start, "");
            None
        }
        Statement::ExportNamedDeclaration(it) => {
            edits.blank(source, it.span.start, it.span.end, ";");
            it.specifiers
                .iter()
                .find(|specifier| name_of(&specifier.exported) == "default")
                .map(|specifier| name_of(&specifier.local).to_owned())
        }
        Statement::ExportDefaultDeclaration(it) => export_default(it, source, stem, edits),
        Statement::TSExportAssignment(it) => {
            let value = it.expression.span();
            edits.replace(it.span.start, value.start, format!("const {stem}d=("));
            edits.insert(value.end, Order::CloseResult, ");");
            Some(format!("{stem}d"))
        }
        _ => None,
    }
}

fn export_default(
    it: &ExportDefaultDeclaration<'_>,
    source: &str,
    stem: &str,
    edits: &mut Edits,
) -> Option<String> {
    let declaration = it.declaration.span();
    let named = match &it.declaration {
        ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.id.as_ref(),
        ExportDefaultDeclarationKind::ClassDeclaration(class) => class.id.as_ref(),
        ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {
            edits.blank(source, it.span.start, it.span.end, ";");
            return None;
        }
        _ => None,
    };
    if let Some(id) = named {
        edits.blank(source, it.span.start, declaration.start, "");
        return Some(id.name.to_string());
    }
    edits.replace(it.span.start, declaration.start, format!("const {stem}d=("));
    edits.insert(declaration.end, Order::CloseResult, ");");
    Some(format!("{stem}d"))
}

fn name_of<'a>(name: &'a ModuleExportName<'_>) -> &'a str {
    match name {
        ModuleExportName::IdentifierName(name) => name.name.as_str(),
        ModuleExportName::IdentifierReference(name) => name.name.as_str(),
        ModuleExportName::StringLiteral(name) => name.value.as_str(),
    }
}

/// Makes the last statement that is not only a declaration return its value. Returns true if there
/// is one with a value.
fn give(body: &[Statement<'_>], edits: &mut Edits) -> bool {
    let last = body
        .iter()
        .rev()
        .find(|statement| !declares_only(statement));
    last.is_some_and(|statement| give_statement(statement, edits))
}

fn give_statement(statement: &Statement<'_>, edits: &mut Edits) -> bool {
    match statement {
        Statement::ExpressionStatement(it) => {
            let Span { start, end, .. } = it.expression.span();
            edits.insert(start, Order::OpenResult, "return(");
            edits.insert(end, Order::CloseResult, ")");
            true
        }
        Statement::BlockStatement(it) => give(&it.body, edits),
        Statement::LabeledStatement(it) => give_statement(&it.body, edits),
        Statement::IfStatement(it) => {
            let consequent = give_statement(&it.consequent, edits);
            it.alternate
                .as_ref()
                .is_some_and(|alternate| give_statement(alternate, edits))
                || consequent
        }
        Statement::TryStatement(it) => {
            let block = give(&it.block.body, edits);
            it.handler
                .as_ref()
                .is_some_and(|handler| give(&handler.body.body, edits))
                || block
        }
        _ => false,
    }
}

/// Returns true for statements that may follow the last statement with a value.
fn declares_only(statement: &Statement<'_>) -> bool {
    matches!(
        statement,
        Statement::EmptyStatement(_)
            | Statement::FunctionDeclaration(_)
            | Statement::TSTypeAliasDeclaration(_)
            | Statement::TSInterfaceDeclaration(_)
            | Statement::TSGlobalDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
    )
}

/// Returns the function to run in a program that only declares functions: one with a known name, or
/// the last one.
fn entry(body: &[Statement<'_>]) -> Option<String> {
    let last = body.iter().rev().find(|statement| {
        matches!(statement, Statement::FunctionDeclaration(_)) || !declares_only(statement)
    })?;
    functions(last).last()?;
    let all: Vec<&str> = body.iter().flat_map(functions).collect();
    let named = ENTRY_NAMES.iter().find(|name| all.contains(name)).copied();
    named.or(all.last().copied()).map(str::to_owned)
}

/// Returns the names of the functions that a statement declares.
fn functions<'a>(statement: &'a Statement<'_>) -> Vec<&'a str> {
    let declaration = match statement {
        Statement::ExportDeclaration(it) => Some(&it.declaration),
        other => other.as_declaration(),
    };
    match declaration {
        Some(Declaration::FunctionDeclaration(it)) if it.body.is_some() => {
            it.id.iter().map(|id| id.name.as_str()).collect()
        }
        Some(Declaration::VariableDeclaration(it)) => it
            .declarations
            .iter()
            .filter(|one| one.init.as_ref().is_some_and(is_function))
            .filter_map(|one| match &one.id {
                BindingPattern::BindingIdentifier(id) => Some(id.name.as_str()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn is_function(expression: &Expression<'_>) -> bool {
    matches!(
        expression.get_inner_expression(),
        Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_)
    )
}

/// Returns true if a top-level statement declares `input` in a way that conflicts with a parameter
/// of that name.
fn declares_input(statement: &Statement<'_>) -> bool {
    let declaration = match statement {
        Statement::ExportDeclaration(it) => Some(&it.declaration),
        other => other.as_declaration(),
    };
    match declaration {
        Some(Declaration::VariableDeclaration(it)) if it.kind != VariableDeclarationKind::Var => {
            it.declarations.iter().any(|one| {
                let names = one.id.get_binding_identifiers();
                names.iter().any(|id| id.name == "input")
            })
        }
        Some(Declaration::ClassDeclaration(it)) => {
            it.id.as_ref().is_some_and(|id| id.name == "input")
        }
        _ => false,
    }
}

/// The constructs that occur outside of all functions.
#[derive(Default)]
struct TopLevel {
    returns: bool,
    calls: bool,
}

impl<'a> VisitJs<'a> for TopLevel {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        self.calls |= matches!(kind, AstKind::AwaitExpression(_));
    }

    fn visit_return_statement(&mut self, _: &ReturnStatement<'a>) {
        self.returns = true;
    }

    fn visit_call_expression(&mut self, _: &CallExpression<'a>) {
        self.calls = true;
    }

    fn visit_tagged_template_expression(&mut self, _: &TaggedTemplateExpression<'a>) {
        self.calls = true;
    }

    fn visit_import_expression(&mut self, _: &ImportExpression<'a>) {
        self.calls = true;
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        let plain = matches!(&it.callee, Expression::Identifier(id) if PLAIN_CONSTRUCTORS.contains(&id.name.as_str()));
        self.calls |= !plain;
        walk_js::walk_new_expression(self, it);
    }

    fn visit_function_body(&mut self, _: &FunctionBody<'a>) {}

    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}
}

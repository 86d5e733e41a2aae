//! Rejects code that parses but cannot run here: modules, decorators, namespaces with values.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    BindingIdentifier, CallExpression, Declaration, Expression, ImportDeclaration,
    ImportDeclarationSpecifier, ImportOrExportKind, Statement, TSNamespaceDeclarationBody,
};
use oxc_ast_visit::{VisitJs, walk_js};
use oxc_span::Span;

use super::parser::ParsedProgram;
use super::source::Source;
use super::{CompileError, parser, result};

const NO_MODULES: &str = "There are no modules in the sandbox. `helpers`, `dbSchema`, `console`, `progress` and `input` are globals: \
                          delete this line and use them directly.";

const AWAIT: &str = "Write the promise behind it: `await helpers.db.query(…)`.";
const NAME_FUNCTION: &str = "Give it one, `function main() { … }`, or put it into a variable, `const main = function () { … };`.";
const NAME_CLASS: &str = "Give it one, `class Name { … }`.";
const NO_MARKUP: &str = "Return data, or build markup as a string.";

/// Rejects features that the sandbox does not have.
///
/// # Errors
/// [`CompileError`] at the first such feature.
pub fn check(parsed: &ParsedProgram<'_>, source: &Source) -> Result<(), CompileError> {
    let mut refuse = UnsupportedFeatures {
        lone_function: result::lone_function(&parsed.program.body),
        ..UnsupportedFeatures::default()
    };
    refuse.visit_program(&parsed.program);
    let require = refuse
        .require
        .filter(|_| !refuse.declares_require)
        .map(|at| {
            let message = "`require` is not available".to_owned();
            (at, message, NO_MODULES.to_owned())
        });
    let first = refuse
        .found
        .into_iter()
        .chain(require)
        .min_by_key(|(at, _, _)| *at);
    first.map_or(Ok(()), |(at, message, hint)| {
        Err(parser::error(
            source,
            &parsed.text,
            at as usize,
            message,
            Some(hint),
        ))
    })
}

#[derive(Default)]
struct UnsupportedFeatures {
    found: Option<(u32, String, String)>,
    require: Option<u32>,
    declares_require: bool,
    /// The only function of the program, which needs no name.
    lone_function: Option<Span>,
}

impl UnsupportedFeatures {
    fn refuse(&mut self, span: Span, message: impl Into<String>, hint: &str) {
        if self.found.is_none() {
            self.found = Some((span.start, message.into(), hint.to_owned()));
        }
    }
}

impl<'a> VisitJs<'a> for UnsupportedFeatures {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::ImportExpression(it) => {
                self.refuse(it.span, "dynamic import is not available", NO_MODULES)
            }
            AstKind::ImportMeta(it) => {
                self.refuse(it.span, "`import.meta` is not available", NO_MODULES)
            }
            AstKind::ExportAllDeclaration(it) => self.refuse(
                it.span,
                "export from another module is not available",
                NO_MODULES,
            ),
            AstKind::ExportFromDeclaration(it) => self.refuse(
                it.span,
                "export from another module is not available",
                NO_MODULES,
            ),
            AstKind::Decorator(it) => self.refuse(
                it.span,
                "decorators are not supported",
                "Delete the decorator, or call the function that it stands for.",
            ),
            AstKind::AccessorProperty(it) => self.refuse(
                it.span,
                "`accessor` fields are not supported",
                "Write a getter and a setter, or a plain field.",
            ),
            AstKind::TSImportEqualsDeclaration(it) => {
                self.refuse(it.span, "`import … =` is not supported", NO_MODULES)
            }
            AstKind::IdentifierReference(it) if it.name == "await" => {
                self.refuse(it.span, "`await` has nothing to wait for", AWAIT)
            }
            AstKind::JSXElement(it) => self.refuse(it.span, "JSX is not supported", NO_MARKUP),
            AstKind::JSXFragment(it) => self.refuse(it.span, "JSX is not supported", NO_MARKUP),
            _ => {}
        }
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        match it {
            Statement::FunctionDeclaration(function)
                if function.id.is_none() && self.lone_function != Some(function.span) =>
            {
                self.refuse(function.span, "this function has no name", NAME_FUNCTION);
            }
            Statement::ClassDeclaration(class) if class.id.is_none() => {
                self.refuse(class.span, "this class has no name", NAME_CLASS);
            }
            _ => {}
        }
        walk_js::walk_statement(self, it);
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        if !type_only(it) {
            self.refuse(
                it.span,
                format!("cannot import {:?}", it.source.value.as_str()),
                NO_MODULES,
            );
        }
    }

    fn visit_declaration(&mut self, it: &Declaration<'a>) {
        match it {
            declaration if ambient(declaration) => {}
            Declaration::TSNamespaceDeclaration(namespace) => self.refuse(
                namespace.span,
                "namespaces with values are not supported",
                "Declare the functions and constants at top level, or as the properties of an object.",
            ),
            _ => walk_js::walk_declaration(self, it),
        }
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.declares_require |= it.name == "require";
        if it.name == "await" {
            self.refuse(it.span, "`await` cannot be used as a name", AWAIT);
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if matches!(&it.callee, Expression::Identifier(id) if id.name == "require")
            && self.require.is_none()
        {
            self.require = Some(it.span.start);
        }
        walk_js::walk_call_expression(self, it);
    }
}

/// Returns true if an import brings in only types.
pub fn type_only(import: &ImportDeclaration<'_>) -> bool {
    let is_type = |specifier: &ImportDeclarationSpecifier<'_>| matches!(specifier, ImportDeclarationSpecifier::ImportSpecifier(one) if one.import_kind == ImportOrExportKind::Type);
    import.import_kind == ImportOrExportKind::Type
        || import
            .specifiers
            .as_ref()
            .is_some_and(|specifiers| !specifiers.is_empty() && specifiers.iter().all(is_type))
}

/// Returns true if a declaration is only for the type checker.
pub fn ambient(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::TSNamespaceDeclaration(it) => it.declare || types_only(&it.body),
        Declaration::TSImportEqualsDeclaration(_) => false,
    }
}

fn types_only(body: &TSNamespaceDeclarationBody<'_>) -> bool {
    match body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
            inner.declare || types_only(&inner.body)
        }
        TSNamespaceDeclarationBody::TSModuleBlock(block) => {
            block.body.iter().all(|statement| match statement {
                Statement::ExportDeclaration(it) => ambient(&it.declaration),
                Statement::EmptyStatement(_) => true,
                other => other.as_declaration().is_some_and(ambient),
            })
        }
    }
}

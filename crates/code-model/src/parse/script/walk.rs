//! Collects the items of a file: declarations, imports and exports of its statements, and members
//! of its classes.

use std::ops::Range;

use oxc_ast::ast::{
    AssignmentTarget, Class, ClassElement, Declaration, Decorator, ExportDefaultDeclarationKind,
    Expression, Function, Program, Statement, TSNamespaceDeclarationBody, VariableDeclaration,
};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

use super::super::Read;
use super::super::builder::{Builder, Found};
use super::front::{Comments, Front, documentation_text};
use super::tokens::{Tokens, range};
use super::uses::references;
use crate::limits::{MAX_ITEM_DEPTH, MAX_PATH_BYTES};
use crate::model::{ItemKind, Placement, Reference};
use crate::parse::compact;

/// Collects the items of a program.
pub(super) fn walk(text: &str, placement: &Placement, program: &Program<'_>) -> Read {
    let tokens = Tokens::of(text, program);
    let builder = Builder::new(text, placement);
    let tracking_hash = builder.hash(&tokens.text_of(&(0..text.len())));
    let name = placement.path.rsplit('/').next().unwrap_or(&placement.path);
    let name = name
        .split('.')
        .next()
        .filter(|stem| !stem.is_empty())
        .unwrap_or(name);
    let mut walk = Walk {
        text,
        comments: Comments::of(text, program),
        tokens,
        builder,
        references: Vec::new(),
    };
    let root = walk
        .builder
        .push(Found::module(name, name, "", text, tracking_hash));
    let around = Around {
        parent: root,
        path: String::new(),
        depth: 0,
    };
    for statement in &program.body {
        walk.statement(&around, statement);
    }
    walk.seal();
    Read {
        items: walk.builder.items,
        references: walk.references,
        tracking_hash,
    }
}

/// The surroundings of an item.
#[derive(Clone)]
struct Around {
    parent: Option<usize>,
    /// The path of the item around it, unless that is the file.
    path: String,
    depth: usize,
}

/// The properties of an item from its statement.
struct Named<'s> {
    kind: ItemKind,
    name: &'s str,
    /// The span of the whole statement, with or without its decorators.
    span: Span,
    /// The start of its body.
    body: Option<u32>,
    export: &'static str,
}

struct Walk<'t> {
    text: &'t str,
    comments: Comments<'t>,
    tokens: Tokens<'t>,
    builder: Builder<'t>,
    references: Vec<Reference>,
}

impl Walk<'_> {
    fn add(
        &mut self,
        around: &Around,
        named: &Named<'_>,
        uses: impl FnOnce(&mut super::uses::Names),
    ) -> Option<usize> {
        self.add_decorated(around, named, &[], uses)
    }

    fn add_decorated(
        &mut self,
        around: &Around,
        named: &Named<'_>,
        decorators: &[Decorator<'_>],
        uses: impl FnOnce(&mut super::uses::Names),
    ) -> Option<usize> {
        let decorators: Vec<Range<usize>> = decorators
            .iter()
            .map(|decorator| range(decorator.span))
            .collect();
        let Front {
            start,
            head,
            documentation,
        } = self.comments.front(named.span.start as usize, &decorators);
        let span = start..named.span.end as usize;
        let docstring = documentation
            .and_then(|comment| self.text.get(comment))
            .map_or_else(String::new, documentation_text);
        let canon = if around.path.is_empty() {
            named.name.to_owned()
        } else {
            format!("{}::{}", around.path, named.name)
        };
        let searchable = named.kind != ItemKind::Import;
        let index = self.builder.push(Found {
            parent: around.parent,
            kind: named.kind,
            name: named.name.to_owned(),
            canon,
            module_path: String::new(),
            visibility: named.export.to_owned(),
            docstring,
            cfgs: Vec::new(),
            tracking_hash: self.builder.hash(&self.tokens.text_of(&span)),
            head,
            head_end: named.body.map_or(span.end, |body| body as usize),
            span,
            declares: None,
            searchable,
        });
        if let Some(index) = index {
            self.references.extend(references(index, uses));
        }
        index
    }

    fn statement(&mut self, around: &Around, statement: &Statement<'_>) {
        let span = statement.span();
        match statement {
            Statement::ImportDeclaration(import) => {
                let name = import.source.value.as_str();
                self.add(
                    around,
                    &Named {
                        kind: ItemKind::Import,
                        name,
                        span,
                        body: None,
                        export: "",
                    },
                    |_| {},
                );
            }
            Statement::ExportDeclaration(export) => {
                self.declaration(around, &export.declaration, span, "export")
            }
            Statement::ExportNamedDeclaration(_)
            | Statement::ExportFromDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::TSExportAssignment(_) => self.export(around, span),
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                    self.function(around, function, span, "export default")
                }
                ExportDefaultDeclarationKind::ClassDeclaration(class) => self.class(
                    around,
                    class,
                    None,
                    (span, &class.decorators),
                    "export default",
                ),
                ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                    let name = interface.id.name.as_str();
                    self.add(
                        around,
                        &Named {
                            kind: ItemKind::Interface,
                            name,
                            span,
                            body: None,
                            export: "export default",
                        },
                        |_| {},
                    );
                }
                other => {
                    let named = Named {
                        kind: ItemKind::Export,
                        name: "default",
                        span,
                        body: None,
                        export: "export default",
                    };
                    self.add(around, &named, |names| {
                        names.visit_export_default_declaration_kind(other)
                    });
                }
            },
            Statement::ExpressionStatement(expression) => {
                self.assigned(around, &expression.expression, span)
            }
            other => {
                if let Some(declaration) = other.as_declaration() {
                    self.declaration(around, declaration, span, "");
                }
            }
        }
    }

    fn export(&mut self, around: &Around, span: Span) {
        let text = self.text.get(range(span)).unwrap_or_default();
        let name = compact(text.trim_start_matches("export").trim_end_matches(';'));
        self.add(
            around,
            &Named {
                kind: ItemKind::Export,
                name: &name,
                span,
                body: None,
                export: "export",
            },
            |_| {},
        );
    }

    /// Adds the item of `exports.name = function …` or `module.exports = class …`.
    fn assigned(&mut self, around: &Around, expression: &Expression<'_>, span: Span) {
        let Expression::AssignmentExpression(assignment) = expression else {
            return;
        };
        let AssignmentTarget::StaticMemberExpression(target) = &assignment.left else {
            return;
        };
        self.holder(
            around,
            target.property.name.as_str(),
            &assignment.right,
            (span, &[]),
            "",
        );
    }

    /// Adds a variable or a field that holds a function or a class. Returns true if it does.
    fn holder(
        &mut self,
        around: &Around,
        name: &str,
        held: &Expression<'_>,
        (span, decorators): (Span, &[Decorator<'_>]),
        export: &'static str,
    ) -> bool {
        let kind = if around.path.is_empty() {
            ItemKind::Function
        } else {
            ItemKind::Method
        };
        match held {
            Expression::FunctionExpression(function) => {
                let body = function.body.as_ref().map(|body| body.span.start);
                self.add_decorated(
                    around,
                    &Named {
                        kind,
                        name,
                        span,
                        body,
                        export,
                    },
                    decorators,
                    |names| names.visit_expression(held),
                );
            }
            Expression::ArrowFunctionExpression(arrow) => {
                let body = Some(arrow.body.span().start);
                self.add_decorated(
                    around,
                    &Named {
                        kind,
                        name,
                        span,
                        body,
                        export,
                    },
                    decorators,
                    |names| names.visit_expression(held),
                );
            }
            Expression::ClassExpression(class) => {
                self.class(around, class, Some(name), (span, decorators), export)
            }
            _ => return false,
        }
        true
    }

    fn declaration(
        &mut self,
        around: &Around,
        declaration: &Declaration<'_>,
        span: Span,
        export: &'static str,
    ) {
        let simple = |kind, name, body| Named {
            kind,
            name,
            span,
            body,
            export,
        };
        match declaration {
            Declaration::FunctionDeclaration(function) => {
                self.function(around, function, span, export)
            }
            Declaration::ClassDeclaration(class) => {
                self.class(around, class, None, (span, &class.decorators), export)
            }
            Declaration::VariableDeclaration(variables) => {
                self.variables(around, variables, span, export)
            }
            Declaration::TSTypeAliasDeclaration(alias) => {
                self.add(
                    around,
                    &simple(ItemKind::TypeAlias, alias.id.name.as_str(), None),
                    |_| {},
                );
            }
            Declaration::TSInterfaceDeclaration(interface) => {
                let body = Some(interface.body.span.start);
                self.add(
                    around,
                    &simple(ItemKind::Interface, interface.id.name.as_str(), body),
                    |_| {},
                );
            }
            Declaration::TSEnumDeclaration(of) => {
                self.add(
                    around,
                    &simple(
                        ItemKind::Enum,
                        of.id.name.as_str(),
                        Some(of.body.span.start),
                    ),
                    |_| {},
                );
            }
            Declaration::TSNamespaceDeclaration(namespace) => {
                let body = Some(namespace.body.span().start);
                let name = namespace.id.name.as_str();
                let index = self.add(around, &simple(ItemKind::Module, name, body), |_| {});
                if let Some(inside) = self.inside(around, index, name) {
                    let mut body = &namespace.body;
                    while let TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) = body {
                        body = &inner.body;
                    }
                    if let TSNamespaceDeclarationBody::TSModuleBlock(block) = body {
                        for statement in &block.body {
                            self.statement(&inside, statement);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn inside(&self, around: &Around, index: Option<usize>, name: &str) -> Option<Around> {
        let parent = Some(index?);
        let path = if around.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}::{name}", around.path)
        };
        // Each item inside holds a copy of the path.
        let room = around.depth < MAX_ITEM_DEPTH && path.len() <= MAX_PATH_BYTES;
        room.then(|| Around {
            parent,
            path,
            depth: around.depth + 1,
        })
    }

    fn function(
        &mut self,
        around: &Around,
        function: &Function<'_>,
        span: Span,
        export: &'static str,
    ) {
        let name = function
            .id
            .as_ref()
            .map_or("default", |id| id.name.as_str());
        let body = function.body.as_ref().map(|body| body.span.start);
        let named = Named {
            kind: ItemKind::Function,
            name,
            span,
            body,
            export,
        };
        self.add(around, &named, |names| {
            for parameter in &function.params.items {
                names.visit_formal_parameter(parameter);
            }
            if let Some(body) = &function.body {
                names.visit_function_body(body);
            }
        });
    }

    fn variables(
        &mut self,
        around: &Around,
        variables: &VariableDeclaration<'_>,
        span: Span,
        export: &'static str,
    ) {
        let alone = variables.declarations.len() == 1;
        for variable in &variables.declarations {
            let Some(name) = variable.id.get_identifier_name() else {
                continue;
            };
            let own = if alone { span } else { variable.span };
            let holds = variable
                .init
                .as_ref()
                .is_some_and(|held| self.holder(around, name.as_str(), held, (own, &[]), export));
            if !holds {
                let named = Named {
                    kind: ItemKind::Const,
                    name: name.as_str(),
                    span: own,
                    body: None,
                    export,
                };
                self.add(around, &named, |names| {
                    names.visit_variable_declarator(variable)
                });
            }
        }
    }

    fn class(
        &mut self,
        around: &Around,
        class: &Class<'_>,
        held_as: Option<&str>,
        (span, decorators): (Span, &[Decorator<'_>]),
        export: &'static str,
    ) {
        let own = class.id.as_ref().map(|id| id.name.as_str());
        let name = held_as.or(own).unwrap_or("default");
        let body = Some(class.body.span.start);
        let named = Named {
            kind: ItemKind::Class,
            name,
            span,
            body,
            export,
        };
        let index = self.add_decorated(around, &named, decorators, |names| {
            if let Some(heritage) = &class.heritage {
                names.extends(&heritage.expression);
            }
        });
        let Some(inside) = self.inside(around, index, name) else {
            return;
        };
        for element in &class.body.body {
            match element {
                ClassElement::MethodDefinition(method) => {
                    let Some(name) = method.key.name() else {
                        continue;
                    };
                    let body = method.value.body.as_ref().map(|body| body.span.start);
                    let named = Named {
                        kind: ItemKind::Method,
                        name: &name,
                        span: method.span,
                        body,
                        export: "",
                    };
                    self.add_decorated(&inside, &named, &method.decorators, |names| {
                        if let Some(body) = &method.value.body {
                            names.visit_function_body(body);
                        }
                    });
                }
                ClassElement::PropertyDefinition(property) => {
                    if let (Some(name), Some(held)) = (property.key.name(), &property.value) {
                        self.holder(
                            &inside,
                            &name,
                            held,
                            (property.span, &property.decorators),
                            "",
                        );
                    }
                }
                _ => {}
            }
        }
    }

    /// Sets the own tokens of items that contain other items.
    fn seal(&mut self) {
        let mut inside: Vec<Vec<Range<usize>>> = vec![Vec::new(); self.builder.items.len()];
        for item in &self.builder.items {
            if let Some(list) = item.parent.and_then(|parent| inside.get_mut(parent)) {
                list.push(item.span.clone());
            }
        }
        for (index, spans) in inside
            .into_iter()
            .enumerate()
            .filter(|(_, spans)| !spans.is_empty())
        {
            let Some(item) = self.builder.items.get(index) else {
                continue;
            };
            // The text between the inner items, part by part.
            let mut own = String::new();
            let mut at = item.span.start;
            for span in spans {
                own.push_str(&self.tokens.text_of(&(at..span.start.max(at))));
                at = at.max(span.end);
            }
            own.push_str(&self.tokens.text_of(&(at..item.span.end.max(at))));
            self.builder.seal(Some(index), &own);
        }
    }
}

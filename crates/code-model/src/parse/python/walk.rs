//! Collects the items of a file: definitions, assignments and imports of its statements, and
//! members of its classes and functions.

use std::collections::HashSet;
use std::ops::Range;

use ruff_python_ast::visitor::{Visitor, walk_arguments, walk_parameters};
use ruff_python_ast::{
    Alias, Decorator, ExceptHandler, Expr, ModModule, Stmt, StmtClassDef, StmtFunctionDef, StmtIf,
    StmtTry,
};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextRange};

use super::documentation::{above, docstring};
use super::names::{PACKAGE, condition, is_package, module_of, public_names};
use super::tokens::Tokens;
use super::uses::{Names, references};
use crate::limits::{MAX_CONTAINER_BYTES, MAX_ITEM_DEPTH, MAX_PATH_BYTES, MAX_USED_NAMES};
use crate::model::{EdgeKind, ItemKind, Placement, Reference};
use crate::parse::Read;
use crate::parse::builder::{Builder, Found};
use crate::parse::text::collapsed;

/// The most characters of an import's name, which is its text.
const IMPORT_CHARACTERS: usize = 200;

/// Collects the items of a module.
pub(super) fn walk(text: &str, placement: &Placement, parsed: &Parsed<ModModule>) -> Read {
    let body = &parsed.syntax().body;
    let module = module_of(&placement.path);
    let mut walk = Walk {
        text,
        tokens: Tokens::of(text, parsed.tokens()),
        builder: Builder::new(text, placement),
        references: Vec::new(),
        public: public_names(body),
        is_package: is_package(&placement.path),
        module,
        contained: 0,
    };
    let all = 0..text.len();
    let tracking_hash = walk.builder.hash(&walk.tokens.text_of(&all));
    let name = walk.module.rsplit('.').next().unwrap_or_default();
    let name = if name.is_empty() { PACKAGE } else { name };
    let root = walk.builder.push(Found {
        docstring: docstring(body),
        ..Found::module(name, &walk.module, &walk.module, text, tracking_hash)
    });
    let around = Around {
        parent: root,
        path: walk.module.clone(),
        kind: ItemKind::Module,
        cfgs: Vec::new(),
        depth: 0,
    };
    walk.body(&around, body);
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
    path: String,
    kind: ItemKind,
    /// The conditions under which it is defined.
    cfgs: Vec<String>,
    depth: usize,
}

impl Around {
    fn under(&self, condition: String) -> Self {
        let mut inside = self.clone();
        inside.cfgs.push(condition);
        inside.depth += 1;
        inside
    }
}

/// The properties of an item from its statement.
struct Named {
    kind: ItemKind,
    name: String,
    /// The range of the whole statement, including its decorators.
    range: TextRange,
    /// The first byte after its decorators.
    head: usize,
    head_end: usize,
    docstring: String,
    visibility: &'static str,
}

struct Walk<'t> {
    text: &'t str,
    tokens: Tokens<'t>,
    builder: Builder<'t>,
    references: Vec<Reference>,
    /// The names in `__all__`.
    public: HashSet<String>,
    is_package: bool,
    module: String,
    /// The bytes of the classes and functions so far that contain items.
    contained: usize,
}

impl Walk<'_> {
    fn add(
        &mut self,
        around: &Around,
        named: Named,
        uses: impl FnOnce(&mut Names),
    ) -> Option<usize> {
        let range = bytes(named.range);
        let (start, comment) = match above(self.text, range.start) {
            Some((start, comment)) => (start, comment),
            None => (range.start, String::new()),
        };
        let span = start..range.end;
        let docstring = if named.docstring.is_empty() {
            comment
        } else {
            named.docstring
        };
        let canon = if named.kind == ItemKind::Import {
            named.name.clone()
        } else {
            format!("{}.{}", around.path, named.name)
        };
        let searchable = named.kind != ItemKind::Import || !named.visibility.is_empty();
        let index = self.builder.push(Found {
            parent: around.parent,
            kind: named.kind,
            name: named.name,
            canon,
            module_path: self.module.clone(),
            visibility: named.visibility.to_owned(),
            docstring,
            cfgs: around.cfgs.clone(),
            tracking_hash: self.builder.hash(&self.tokens.text_of(&span)),
            head: named.head,
            head_end: named.head_end,
            span,
            declares: None,
            searchable,
        })?;
        let room = MAX_USED_NAMES.saturating_sub(self.references.len());
        self.references.extend(references(index, uses).take(room));
        Some(index)
    }

    fn visibility(&self, around: &Around, name: &str) -> &'static str {
        if around.kind == ItemKind::Module && self.public.contains(name) {
            "__all__"
        } else {
            ""
        }
    }

    fn body(&mut self, around: &Around, body: &[Stmt]) {
        if around.depth > MAX_ITEM_DEPTH {
            return;
        }
        for statement in body {
            self.statement(around, statement);
        }
    }

    fn statement(&mut self, around: &Around, statement: &Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function(around, function),
            Stmt::ClassDef(class) => self.class(around, class),
            Stmt::If(choice) => self.choice(around, choice),
            Stmt::Try(attempt) => self.attempt(around, attempt),
            Stmt::With(with) => self.body(around, &with.body),
            Stmt::For(repeat) => {
                self.body(around, &repeat.body);
                self.body(around, &repeat.orelse);
            }
            Stmt::While(repeat) => {
                self.body(around, &repeat.body);
                self.body(around, &repeat.orelse);
            }
            Stmt::Match(choice) => {
                for case in &choice.cases {
                    let condition = format!("case {}", condition(self.text, &case.pattern));
                    self.body(&around.under(condition), &case.body);
                }
            }
            Stmt::Import(import) => self.import(around, statement, &import.names, false),
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map(|module| module.id.as_str());
                let is_own = import.level > 0 || module.is_some_and(|module| self.has(module));
                self.import(around, statement, &import.names, is_own);
            }
            Stmt::Assign(assign) if around.kind == ItemKind::Module => {
                if let Some(name) = assign.targets.first().and_then(name_of) {
                    self.constant(around, statement, name, ItemKind::Const);
                }
            }
            Stmt::AnnAssign(assign) if around.kind == ItemKind::Module => {
                if let Some(name) = name_of(&assign.target) {
                    self.constant(around, statement, name, ItemKind::Const);
                }
            }
            Stmt::TypeAlias(alias) => {
                if let Some(name) = name_of(&alias.name) {
                    self.constant(around, statement, name, ItemKind::TypeAlias);
                }
            }
            // Other statements define nothing.
            _ => {}
        }
    }

    /// Returns true if a module is within the package of which the file is the module.
    fn has(&self, module: &str) -> bool {
        let rest = module.strip_prefix(&*self.module);
        rest.is_some_and(|rest| rest.starts_with('.'))
    }

    fn choice(&mut self, around: &Around, choice: &StmtIf) {
        let first = format!("if {}", condition(self.text, &*choice.test));
        self.body(&around.under(first.clone()), &choice.body);
        let mut before = first;
        for clause in &choice.elif_else_clauses {
            let condition = match &clause.test {
                Some(test) => format!("elif {}", condition(self.text, test)),
                // The negated condition distinguishes it from the other branches.
                None => format!("not {before}"),
            };
            self.body(&around.under(condition.clone()), &clause.body);
            before = condition;
        }
    }

    fn attempt(&mut self, around: &Around, attempt: &StmtTry) {
        self.body(&around.under("try".to_owned()), &attempt.body);
        for ExceptHandler::ExceptHandler(handler) in &attempt.handlers {
            let condition = match &handler.type_ {
                Some(of_type) => format!("except {}", condition(self.text, &**of_type)),
                None => "except".to_owned(),
            };
            self.body(&around.under(condition), &handler.body);
        }
        self.body(&around.under("try else".to_owned()), &attempt.orelse);
        self.body(around, &attempt.finalbody);
    }

    fn function(&mut self, around: &Around, function: &StmtFunctionDef) {
        let name = function.name.id.as_str();
        let header = match &function.returns {
            Some(returns) => returns.end(),
            None => function.parameters.end(),
        };
        let is_method = around.kind == ItemKind::Class;
        let named = Named {
            kind: if is_method {
                ItemKind::Method
            } else {
                ItemKind::Function
            },
            name: accessor(name, &function.decorator_list),
            range: function.range,
            head: self.head(function.range, &function.decorator_list),
            head_end: self.tokens.colon_end(header.to_usize()).unwrap_or_default(),
            docstring: docstring(&function.body),
            visibility: self.visibility(around, name),
        };
        let index = self.add(around, named, |names| {
            for decorator in &function.decorator_list {
                names.visit_decorator(decorator);
            }
            walk_parameters(names, &function.parameters);
            if let Some(returns) = &function.returns {
                names.visit_annotation(returns);
            }
            names.visit_body(&function.body);
        });
        self.inside(
            around,
            index,
            (name, ItemKind::Function),
            function.range,
            &function.body,
        );
    }

    fn class(&mut self, around: &Around, class: &StmtClassDef) {
        let name = class.name.id.as_str();
        let parameters = class
            .type_params
            .as_ref()
            .map(|parameters| parameters.end());
        let arguments = class.arguments.as_ref().map(|arguments| arguments.end());
        let header = arguments.or(parameters).unwrap_or(class.name.end());
        let named = Named {
            kind: ItemKind::Class,
            name: name.to_owned(),
            range: class.range,
            head: self.head(class.range, &class.decorator_list),
            head_end: self.tokens.colon_end(header.to_usize()).unwrap_or_default(),
            docstring: docstring(&class.body),
            visibility: self.visibility(around, name),
        };
        let index = self.add(around, named, |names| {
            for decorator in &class.decorator_list {
                names.visit_decorator(decorator);
            }
            if let Some(arguments) = &class.arguments {
                for base in &arguments.args {
                    names.add(EdgeKind::Implements, base);
                }
                walk_arguments(names, arguments);
            }
            names.visit_body(&class.body);
        });
        self.inside(
            around,
            index,
            (name, ItemKind::Class),
            class.range,
            &class.body,
        );
    }

    /// Collects the members of a class or a function.
    fn inside(
        &mut self,
        around: &Around,
        index: Option<usize>,
        (name, kind): (&str, ItemKind),
        range: TextRange,
        body: &[Stmt],
    ) {
        let path = format!("{}.{name}", around.path);
        self.contained = self.contained.saturating_add(range.len().to_usize());
        // Each item inside holds a copy of the path, and its tokens are written again at each
        // level.
        if index.is_none() || path.len() > MAX_PATH_BYTES || self.contained > MAX_CONTAINER_BYTES {
            return;
        }
        let inside = Around {
            parent: index,
            path,
            kind,
            cfgs: around.cfgs.clone(),
            depth: around.depth + 1,
        };
        self.body(&inside, body);
    }

    fn constant(&mut self, around: &Around, statement: &Stmt, name: &str, kind: ItemKind) {
        let range = statement.range();
        let named = Named {
            kind,
            name: name.to_owned(),
            range,
            head: range.start().to_usize(),
            head_end: range.end().to_usize(),
            docstring: String::new(),
            visibility: self.visibility(around, name),
        };
        self.add(around, named, |names| names.visit_stmt(statement));
    }

    /// Adds an import. `is_own` is true for imports of the package's own modules.
    fn import(&mut self, around: &Around, statement: &Stmt, names: &[Alias], is_own: bool) {
        if around.kind != ItemKind::Module {
            return;
        }
        let range = statement.range();
        let bound = |alias: &Alias| {
            let name = alias.asname.as_ref().unwrap_or(&alias.name);
            name.id.as_str().to_owned()
        };
        let visibility = if names
            .iter()
            .any(|alias| self.public.contains(&bound(alias)))
        {
            "__all__"
        } else if self.is_package && is_own {
            PACKAGE
        } else {
            ""
        };
        let text = self.text.get(bytes(range)).unwrap_or_default();
        let named = Named {
            kind: ItemKind::Import,
            name: collapsed(text, IMPORT_CHARACTERS),
            range,
            head: range.start().to_usize(),
            head_end: range.end().to_usize(),
            docstring: String::new(),
            visibility,
        };
        self.add(around, named, |used| {
            if !visibility.is_empty() {
                for alias in names.iter().filter(|alias| alias.name.id.as_str() != "*") {
                    used.re_exports(alias.name.id.as_str());
                }
            }
        });
    }

    /// Returns the first byte of a definition after its decorators.
    fn head(&self, range: TextRange, decorators: &[Decorator]) -> usize {
        match decorators.last() {
            Some(last) => self.tokens.next_word(last.end().to_usize()),
            None => range.start().to_usize(),
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
        for (index, spans) in inside.into_iter().enumerate() {
            let Some(item) = self.builder.items.get(index).filter(|_| !spans.is_empty()) else {
                continue;
            };
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

/// Returns the name of a function, with its role if it is one of several accessors of a property:
/// `area.setter`.
fn accessor(name: &str, decorators: &[Decorator]) -> String {
    let role = decorators
        .iter()
        .find_map(|decorator| match &decorator.expression {
            Expr::Attribute(attribute) if name_of(&attribute.value) == Some(name) => {
                Some(attribute.attr.id.as_str())
            }
            Expr::Name(name) if name.id.as_str() == "overload" => Some("overload"),
            Expr::Attribute(attribute) if attribute.attr.id.as_str() == "overload" => {
                Some("overload")
            }
            _ => None,
        });
    match role {
        Some(role) => format!("{name}.{role}"),
        None => name.to_owned(),
    }
}

fn name_of(target: &Expr) -> Option<&str> {
    match target {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

fn bytes(range: TextRange) -> Range<usize> {
    range.start().to_usize()..range.end().to_usize()
}

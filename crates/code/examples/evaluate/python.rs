//! Splits Python files into items as a workspace does, without their documentation.

use std::ops::Range;
use std::path::Path;

use code_model::hash::PROJECT_NAMESPACE;
use code_model::model::{Item as Parsed, ItemKind, Placement};
use code_model::parse::parse;
use code_search::{Item, PartKind, Role};
use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged as _;

use crate::items::{Entry, line, paths};

/// Returns the items of all Python files below a folder, in the order of their paths, with paths
/// relative to it.
pub fn of_folder(root: &Path, package: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    for path in paths(root, ".py") {
        if let Ok(source) = std::fs::read_to_string(root.join(&path)) {
            file(&path, &source, package, &mut entries);
        }
    }
    entries
}

fn file(path: &str, source: &str, package: &str, entries: &mut Vec<Entry>) {
    let file = parse(
        source.as_bytes(),
        &Placement {
            path: path.to_owned(),
            absolute_path: format!("/ws/{path}"),
            crate_name: String::new(),
            namespace: PROJECT_NAMESPACE,
            module_path: String::new(),
        },
    );
    let documentation = if file.parsed {
        documentation(source)
    } else {
        Vec::new()
    };
    // The items inside of each item, in their order. Their text is left out of the outer one.
    let mut inside: Vec<Vec<Range<usize>>> = vec![Vec::new(); file.items.len()];
    for item in &file.items {
        if let Some(parent) = item.parent {
            inside[parent].push(item.span.clone());
        }
    }
    for (item, inside) in file.items.iter().zip(inside) {
        if item.searchable {
            let mut removed = inside;
            let own = documentation.iter();
            removed.extend(own.filter(|range| is_within(range, &item.span)).cloned());
            removed.sort_by_key(|range| range.start);
            let row = entries.len() as i64;
            entries.push(entry(row, item, path, package, source, &removed));
        }
    }
}

fn is_within(range: &Range<usize>, span: &Range<usize>) -> bool {
    span.start <= range.start && range.end <= span.end
}

fn entry(
    row: i64,
    item: &Parsed,
    path: &str,
    package: &str,
    source: &str,
    removed: &[Range<usize>],
) -> Entry {
    let mut text = String::new();
    let mut at = item.span.start;
    for range in removed {
        text.push_str(&source[at..range.start.max(at)]);
        at = at.max(range.end);
    }
    text.push_str(&source[at..item.span.end.max(at)]);
    let span = &item.span;
    let within = item.canon.strip_prefix(&item.module_path);
    let within = within.unwrap_or(&item.canon).trim_start_matches('.');
    let owner = within.strip_suffix(&item.name).unwrap_or_default();
    Entry {
        item: Item {
            row,
            id: row.to_string(),
            file_path: path.to_owned(),
            canon_path: item.canon.clone(),
            name: item.name.clone(),
            summary: String::new(),
            node_kind: item.kind.word().to_owned(),
            package: package.to_owned(),
            role: match item.kind {
                ItemKind::Import => Role::Reexport,
                ItemKind::Chunk => Role::Text,
                _ => Role::Definition,
            },
            part: PartKind::Code,
            range: (span.start as u64, span.end as u64),
            lines: (line(source, span.start), line(source, span.end)),
        },
        owner: owner.trim_end_matches('.').to_owned(),
        text,
        sentence: first_sentence(&item.docstring),
    }
}

/// Returns the first sentence of a docstring, which may have several lines.
fn first_sentence(docstring: &str) -> Option<String> {
    let lines = docstring.lines().map(str::trim);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    let end = text.find(". ").unwrap_or(text.len());
    let sentence = text[..end].trim().trim_end_matches('.');
    (!sentence.is_empty()).then(|| sentence.to_owned())
}

/// Returns the bytes of the docstrings of a module, its classes and its functions, and of comments
/// of the form `#:`, in their order.
fn documentation(source: &str) -> Vec<Range<usize>> {
    let mut found = Docstrings(Vec::new());
    if let Ok(parsed) = ruff_python_parser::parse_module(source) {
        found.first_of(&parsed.syntax().body);
        found.visit_body(&parsed.syntax().body);
    }
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        if line.trim_start().starts_with("#:") {
            found.0.push(start..start + line.len());
        }
        start += line.len();
    }
    found.0.sort_by_key(|range| range.start);
    found.0
}

struct Docstrings(Vec<Range<usize>>);

impl Docstrings {
    /// Adds the first statement of a body if it is a text.
    fn first_of(&mut self, body: &[Stmt]) {
        if let Some(Stmt::Expr(first)) = body.first()
            && matches!(&*first.value, Expr::StringLiteral(_))
        {
            let range = first.range();
            self.0
                .push(range.start().to_usize()..range.end().to_usize());
        }
    }
}

impl<'a> Visitor<'a> for Docstrings {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.first_of(&function.body),
            Stmt::ClassDef(class) => self.first_of(&class.body),
            _ => {}
        }
        walk_stmt(self, statement);
    }
}

//! Splits Rust files into items. The splitter is a simple one of its own, because only the search
//! is measured here.

use std::path::Path;

use code_search::{Item, PartKind, Role};
use syn::spanned::Spanned as _;

/// An item with the text that is indexed for it.
pub struct Entry {
    /// The item as ranking sees it.
    pub item: Item,
    /// The type or class of a method; empty for other items.
    pub owner: String,
    /// Its text.
    pub text: String,
    /// The first sentence of its documentation.
    pub sentence: Option<String>,
}

/// The treatment of documentation in indexed text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Documentation {
    /// Documentation is indexed as it is in the file.
    Kept,
    /// Lines of documentation are removed before indexing.
    Removed,
}

/// Returns the items of all Rust files below a folder, in the order of their paths, with paths
/// relative to it.
pub fn of_folder(root: &Path, package: &str, documentation: Documentation) -> Vec<Entry> {
    let mut splitter = Splitter {
        source: String::new(),
        path: String::new(),
        package: package.to_owned(),
        documentation,
        entries: Vec::new(),
    };
    for path in paths(root, ".rs") {
        let Ok(source) = std::fs::read_to_string(root.join(&path)) else {
            continue;
        };
        splitter.path = path;
        splitter.source = source;
        splitter.file();
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    splitter.entries
}

/// Returns the paths of the files below a folder that have this ending, sorted and relative to the
/// folder.
pub fn paths(root: &Path, end: &str) -> Vec<String> {
    let mut paths = Vec::new();
    walk(root, root, end, &mut paths);
    paths.sort();
    paths
}

fn walk(root: &Path, folder: &Path, end: &str, paths: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() && folder != root {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            walk(root, &path, end, paths);
        } else if name.ends_with(end) && path.is_file() {
            let path = path.strip_prefix(root).unwrap();
            paths.push(path.to_string_lossy().into_owned());
        }
    }
}

/// Returns the line number of a byte, counted from 1.
pub fn line(source: &str, at: usize) -> u64 {
    1 + source[..at].matches('\n').count() as u64
}

struct Splitter {
    source: String,
    path: String,
    package: String,
    documentation: Documentation,
    entries: Vec<Entry>,
}

/// The name and kind of an item.
struct Named<'a> {
    kind: &'a str,
    name: String,
    role: Role,
    attributes: &'a [syn::Attribute],
}

const fn named<'a>(
    kind: &'a str,
    name: String,
    role: Role,
    attributes: &'a [syn::Attribute],
) -> Named<'a> {
    Named {
        kind,
        name,
        role,
        attributes,
    }
}

/// Returns the name and kind of an item without members; `None` for any other item.
fn defined(item: &syn::Item) -> Option<Named<'_>> {
    let definition = |kind, ident: &syn::Ident, attributes| {
        named(kind, ident.to_string(), Role::Definition, attributes)
    };
    Some(match item {
        syn::Item::Fn(item) => definition("function", &item.sig.ident, &item.attrs),
        syn::Item::Struct(item) => definition("struct", &item.ident, &item.attrs),
        syn::Item::Enum(item) => definition("enum", &item.ident, &item.attrs),
        syn::Item::Union(item) => definition("union", &item.ident, &item.attrs),
        syn::Item::Const(item) => definition("const", &item.ident, &item.attrs),
        syn::Item::Static(item) => definition("static", &item.ident, &item.attrs),
        syn::Item::Type(item) => definition("type_alias", &item.ident, &item.attrs),
        syn::Item::Macro(item) => match &item.ident {
            Some(ident) => definition("macro", ident, &item.attrs),
            None => named("macro", String::new(), Role::Text, &item.attrs),
        },
        _ => return None,
    })
}

impl Splitter {
    fn file(&mut self) {
        // syn does not count a byte order mark in its positions.
        let source = self
            .source
            .strip_prefix('\u{feff}')
            .unwrap_or(&self.source)
            .to_owned();
        self.source = source;
        match syn::parse_file(&self.source) {
            Ok(file) if file.shebang.is_none() => {
                let name = code_search::path::subject(&self.path).to_owned();
                let module = self.path.trim_end_matches(".rs").replace('/', "::");
                let head = file
                    .attrs
                    .last()
                    .map_or(0, |attribute| attribute.span().byte_range().end);
                if head > 0 {
                    let named = Named {
                        kind: "module",
                        name,
                        role: Role::Definition,
                        attributes: &file.attrs,
                    };
                    self.push(named, &module, 0..head);
                }
                self.items(&file.items, &module);
            }
            _ => self.lines(),
        }
    }

    /// Splits a file that syn cannot parse into chunks of lines.
    fn lines(&mut self) {
        const LINES: usize = 60;
        let source = self.source.clone();
        let mut start = 0;
        for chunk in source
            .split_inclusive('\n')
            .collect::<Vec<_>>()
            .chunks(LINES)
        {
            let end = start + chunk.iter().map(|line| line.len()).sum::<usize>();
            let named = Named {
                kind: "lines",
                name: String::new(),
                role: Role::Text,
                attributes: &[],
            };
            let path = self.path.clone();
            self.push(named, &path, start..end);
            start = end;
        }
    }

    fn items(&mut self, items: &[syn::Item], module: &str) {
        for item in items {
            self.one(item, module);
        }
    }

    fn one(&mut self, item: &syn::Item, module: &str) {
        let range = item.span().byte_range();
        if let Some(named) = defined(item) {
            return self.push(named, module, range);
        }
        match item {
            syn::Item::Trait(item) => self.members(
                named(
                    "trait",
                    item.ident.to_string(),
                    Role::Definition,
                    &item.attrs,
                ),
                module,
                range,
                item.items.iter().filter_map(|member| match member {
                    syn::TraitItem::Fn(function) => Some((
                        &function.sig.ident,
                        &function.attrs[..],
                        function.span().byte_range(),
                    )),
                    _ => None,
                }),
            ),
            syn::Item::Impl(item) => self.members(
                named(
                    "impl",
                    type_name(&item.self_ty),
                    Role::Extension,
                    &item.attrs,
                ),
                module,
                range,
                item.items.iter().filter_map(|member| match member {
                    syn::ImplItem::Fn(function) => Some((
                        &function.sig.ident,
                        &function.attrs[..],
                        function.span().byte_range(),
                    )),
                    _ => None,
                }),
            ),
            syn::Item::Mod(item) => {
                let inner = format!("{module}::{}", item.ident);
                if let Some((_, items)) = &item.content {
                    self.items(items, &inner);
                }
            }
            syn::Item::Use(item) if matches!(item.vis, syn::Visibility::Public(_)) => {
                let mut names = Vec::new();
                leaves(&item.tree, &mut names);
                for name in names {
                    self.push(
                        named("import", name, Role::Reexport, &item.attrs),
                        module,
                        range.clone(),
                    );
                }
            }
            _ => {}
        }
    }

    /// Adds the head of a trait or an impl, up to its first function, and then each function.
    fn members<'a>(
        &mut self,
        owner: Named<'_>,
        module: &str,
        range: std::ops::Range<usize>,
        members: impl Iterator<Item = (&'a syn::Ident, &'a [syn::Attribute], std::ops::Range<usize>)>,
    ) {
        let members: Vec<_> = members.collect();
        let end = members
            .first()
            .map_or(range.end, |(_, _, first)| first.start);
        let path = format!("{module}::{}", owner.name);
        self.push(owner, module, range.start..end);
        for (ident, attributes, range) in members {
            self.push(
                Named {
                    kind: "method",
                    name: ident.to_string(),
                    role: Role::Definition,
                    attributes,
                },
                &path,
                range,
            );
        }
    }

    fn push(&mut self, named: Named<'_>, owner: &str, range: std::ops::Range<usize>) {
        let text = &self.source[range.clone()];
        let lines = (
            line(&self.source, range.start),
            line(&self.source, range.end),
        );
        let text = match self.documentation {
            Documentation::Kept => text.to_owned(),
            Documentation::Removed => without_documentation(text),
        };
        let row = self.entries.len() as i64;
        self.entries.push(Entry {
            item: Item {
                row,
                id: row.to_string(),
                file_path: self.path.clone(),
                canon_path: format!("{owner}::{}", named.name),
                name: named.name,
                summary: match self.documentation {
                    Documentation::Kept => first_sentence(named.attributes).unwrap_or_default(),
                    Documentation::Removed => String::new(),
                },
                node_kind: named.kind.to_owned(),
                package: self.package.clone(),
                role: named.role,
                part: PartKind::Code,
                range: (range.start as u64, range.end as u64),
                lines,
            },
            owner: if named.kind == "method" {
                owner.rsplit("::").next().unwrap_or_default().to_owned()
            } else {
                String::new()
            },
            text,
            sentence: first_sentence(named.attributes),
        });
    }
}

fn type_name(of: &syn::Type) -> String {
    match of {
        syn::Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default(),
        syn::Type::Reference(reference) => type_name(&reference.elem),
        _ => String::new(),
    }
}

fn leaves(tree: &syn::UseTree, names: &mut Vec<String>) {
    match tree {
        syn::UseTree::Path(path) => leaves(&path.tree, names),
        syn::UseTree::Name(name) => names.push(name.ident.to_string()),
        syn::UseTree::Rename(rename) => names.push(rename.rename.to_string()),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, names)),
        syn::UseTree::Glob(_) => {}
    }
}

fn without_documentation(text: &str) -> String {
    text.split_inclusive('\n')
        .filter(|line| !is_documentation(line))
        .collect()
}

/// Returns true if a line is part of a documentation comment.
pub fn is_documentation(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("///")
        || line.starts_with("//!")
        || line.starts_with("#[doc")
        || line.starts_with("#![doc")
}

/// Returns the first sentence of `#[doc = "…"]`, joined from its lines.
fn first_sentence(attributes: &[syn::Attribute]) -> Option<String> {
    let mut text = String::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
    {
        let syn::Meta::NameValue(pair) = &attribute.meta else {
            continue;
        };
        let syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(line),
            ..
        }) = &pair.value
        else {
            continue;
        };
        let line = line.value();
        if line.trim().is_empty() {
            break;
        }
        text.push_str(line.trim());
        text.push(' ');
    }
    let end = text.find(". ").unwrap_or(text.len());
    let sentence = text[..end].trim().trim_end_matches('.');
    (!sentence.is_empty()).then(|| sentence.to_owned())
}

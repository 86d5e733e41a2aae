//! Collects the items of a file, in the order of their first bytes.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    AttrStyle, Attribute, Expr, ForeignItem, Item as SynItem, Lit, MacroDelimiter, Meta, Visibility,
};
use uuid::Uuid;

use super::super::builder::{Builder, Found};
use super::super::text::cut_bytes;
use super::around::Around;
use super::macros::{Branch, branches};
use super::names::{Binding, bindings, compact, last_segment, segments, type_name};
use super::scan::{Kind, Scanner};
use super::scope::Scopes;
use super::source::Source;
use super::uses::{Named, names_in};
use crate::limits::{MAX_CONTAINER_BYTES, MAX_ITEM_DEPTH, MAX_ITEM_NAME_BYTES, MAX_PATH_BYTES};
use crate::model::{EdgeKind, Item, ItemKind, ModuleFile, Placement, Reference};

/// The items of a file while they are parsed one after the other, so that only one tree is in
/// memory at a time.
pub(super) struct Reading<'a> {
    walk: Walk<'a>,
    around: Around,
    /// The tokens that are in no item.
    own: String,
}

impl<'a> Reading<'a> {
    /// Returns the reading of a file with these inner attributes.
    pub fn new(source: Source<'a>, placement: &'a Placement, attributes: &[Attribute]) -> Self {
        let mut walk = Walk {
            source,
            builder: Builder::new(source.text, placement),
            scopes: Scopes::new(placement),
            container_bytes: 0,
        };
        let (module_path, name) = placement
            .module_path
            .rsplit_once("::")
            .unwrap_or(("", &placement.module_path));
        let root = walk.builder.push(Found {
            docstring: docstring(attributes),
            cfgs: cfgs_of(attributes),
            ..Found::module(
                name,
                &placement.module_path,
                module_path,
                source.text,
                Uuid::nil(),
            )
        });
        let around = Around {
            parent: root,
            module_path: placement.module_path.clone(),
            ..Around::default()
        };
        let mut own = String::new();
        attribute_text(attributes, &mut own);
        Self { walk, around, own }
    }

    /// Adds the next item.
    pub fn item(&mut self, item: &SynItem) {
        self.walk.item(&self.around, item, &mut self.own);
    }

    /// Returns all items and their references. `file_hash` is the hash of the file.
    pub fn finish(mut self, file_hash: Uuid) -> (Vec<Item>, Vec<Reference>) {
        let root = self.around.parent;
        let items = &mut self.walk.builder.items;
        if let Some(item) = root.and_then(|root| items.get_mut(root)) {
            item.tracking_hash = file_hash;
        }
        self.walk.builder.seal(root, &self.own);
        let items = self.walk.builder.items;
        let references = self.walk.scopes.references(&items);
        (items, references)
    }
}

pub(super) struct Walk<'a> {
    pub source: Source<'a>,
    pub builder: Builder<'a>,
    pub scopes: Scopes,
    /// The bytes of the items so far that contain items.
    container_bytes: usize,
}

impl Walk<'_> {
    /// Returns the first byte after outer attributes.
    fn head(&self, attributes: &[Attribute], span: &std::ops::Range<usize>) -> usize {
        let outer = attributes
            .iter()
            .filter(|attribute| matches!(attribute.style, AttrStyle::Outer));
        let ends = outer.filter_map(|attribute| {
            let range = self.source.range_of(&attribute.to_token_stream())?;
            Some(range.end)
        });
        let Some(end) = ends.max() else {
            return span.start;
        };
        let mut behind = Scanner::new(self.source.text, end);
        behind
            .find(|token| token.kind != Kind::Doc)
            .map_or(end, |token| token.start)
    }

    fn items(&mut self, around: &Around, items: &[SynItem], own: &mut String) {
        for item in items {
            self.item(around, item, own);
        }
    }

    fn item(&mut self, around: &Around, item: &SynItem, own: &mut String) {
        match item {
            SynItem::Mod(module) => self.module(around, module),
            SynItem::Impl(block) => self.impl_block(around, block),
            SynItem::Trait(block) => self.trait_block(around, block),
            SynItem::Use(import) => self.import(around, import),
            SynItem::ExternCrate(import) => {
                let bound = import
                    .rename
                    .as_ref()
                    .map_or(&import.ident, |(_, name)| name);
                let binding = Binding {
                    path: vec![import.ident.to_string()],
                    name: bound.to_string(),
                };
                let tokens = import.to_token_stream();
                let index = self.leaf(
                    around,
                    (ItemKind::Import, import.ident.to_string()),
                    &import.attrs,
                    Some(&import.vis),
                    &tokens,
                    None,
                );
                self.scopes
                    .import(index, &around.module_path, binding, is_public(&import.vis));
            }
            SynItem::ForeignMod(block) => {
                for item in &block.items {
                    self.foreign(around, item);
                }
            }
            SynItem::Macro(invoked) if invoked.ident.is_none() => {
                self.invocation(around, invoked, own)
            }
            other => {
                if !self.simple(around, other) {
                    own.push_str(&other.to_token_stream().to_string());
                }
            }
        }
    }

    /// Adds an item that cannot contain items. Returns false for other kinds.
    fn simple(&mut self, around: &Around, item: &SynItem) -> bool {
        let (kind, ident, attributes, visibility, end) = match item {
            SynItem::Fn(it) => (
                ItemKind::Function,
                &it.sig.ident,
                &it.attrs,
                Some(&it.vis),
                Some(it.block.brace_token.span.open()),
            ),
            SynItem::Const(it) => (
                ItemKind::Const,
                &it.ident,
                &it.attrs,
                Some(&it.vis),
                Some(it.eq_token.span),
            ),
            SynItem::Static(it) => (
                ItemKind::Static,
                &it.ident,
                &it.attrs,
                Some(&it.vis),
                Some(it.eq_token.span),
            ),
            SynItem::Enum(it) => (
                ItemKind::Enum,
                &it.ident,
                &it.attrs,
                Some(&it.vis),
                Some(it.brace_token.span.open()),
            ),
            SynItem::Struct(it) => {
                let end = match &it.fields {
                    syn::Fields::Named(fields) => Some(fields.brace_token.span.open()),
                    _ => None,
                };
                (ItemKind::Struct, &it.ident, &it.attrs, Some(&it.vis), end)
            }
            SynItem::Union(it) => (
                ItemKind::Union,
                &it.ident,
                &it.attrs,
                Some(&it.vis),
                Some(it.fields.brace_token.span.open()),
            ),
            SynItem::TraitAlias(it) => (ItemKind::Trait, &it.ident, &it.attrs, Some(&it.vis), None),
            SynItem::Type(it) => (
                ItemKind::TypeAlias,
                &it.ident,
                &it.attrs,
                Some(&it.vis),
                None,
            ),
            SynItem::Macro(it) => match &it.ident {
                Some(ident) => (
                    ItemKind::Macro,
                    ident,
                    &it.attrs,
                    None,
                    Some(opening(&it.mac.delimiter)),
                ),
                None => return false,
            },
            _ => return false,
        };
        let tokens = item.to_token_stream();
        let index = self.leaf(
            around,
            (kind, ident.to_string()),
            attributes,
            visibility,
            &tokens,
            end,
        );
        self.scopes.define(&around.module_path, &ident.to_string());
        let names = names_in(|visitor| syn::visit::Visit::visit_item(visitor, item));
        self.scopes.name_all(index, around, names);
        true
    }

    /// Adds an item whose span is that of its tokens.
    pub fn leaf(
        &mut self,
        around: &Around,
        (kind, name): (ItemKind, String),
        attributes: &[Attribute],
        visibility: Option<&Visibility>,
        tokens: &TokenStream,
        end: Option<proc_macro2::Span>,
    ) -> Option<usize> {
        let span = self.source.range_of(tokens)?;
        let text = tokens.to_string();
        let searchable = kind != ItemKind::Import || visibility.is_some_and(is_public);
        let head = self.head(attributes, &span);
        let mut cfgs = around.cfgs.clone();
        cfgs.extend(cfgs_of(attributes));
        self.builder.push(Found {
            parent: around.parent,
            kind,
            canon: around.canon(&name),
            name,
            module_path: around.module_path.clone(),
            visibility: visibility.map(visibility_text).unwrap_or_default(),
            docstring: docstring(attributes),
            cfgs,
            head,
            head_end: end.map_or(span.end, |span| self.source.range(span).start),
            span,
            tracking_hash: self.builder.hash(&text),
            declares: None,
            searchable,
        })
    }

    fn module(&mut self, around: &Around, module: &syn::ItemMod) {
        let name = module.ident.to_string();
        let end = module.content.as_ref().map(|(brace, _)| brace.span.open());
        self.scopes.define(&around.module_path, &name);
        let index = self.leaf(
            around,
            (ItemKind::Module, name.clone()),
            &module.attrs,
            Some(&module.vis),
            &module.to_token_stream(),
            end,
        );
        let Some((_, items)) = &module.content else {
            let declared = ModuleFile {
                path: path_attribute(&module.attrs),
            };
            if let Some(item) = index.and_then(|index| self.builder.items.get_mut(index)) {
                item.declares = Some(declared);
            }
            return;
        };
        let mut own = format!("mod {name}");
        attribute_text(&module.attrs, &mut own);
        let module_path = format!("{}::{name}", around.module_path);
        let inside = self
            .inside(around, index, &module.attrs)
            .filter(|_| module_path.len() <= MAX_PATH_BYTES);
        if let Some(inside) = inside {
            let inside = Around {
                module_path,
                ..inside
            };
            self.items(&inside, items, &mut own);
        }
        self.builder.seal(index, &own);
    }

    /// Counts the bytes of an item that contains items. Returns true if its members may be read.
    fn may_enter(&mut self, bytes: usize) -> bool {
        self.container_bytes = self.container_bytes.saturating_add(bytes);
        self.container_bytes <= MAX_CONTAINER_BYTES
    }

    /// Returns the surroundings of an item's members; `None` if they nest too deeply, or reading
    /// them again would take too long.
    pub fn inside(
        &mut self,
        around: &Around,
        index: Option<usize>,
        attributes: &[Attribute],
    ) -> Option<Around> {
        let parent = Some(index?);
        let span = self.builder.items.get(index?)?.span.clone();
        if around.depth >= MAX_ITEM_DEPTH || !self.may_enter(span.len()) {
            return None;
        }
        let mut cfgs = around.cfgs.clone();
        cfgs.extend(cfgs_of(attributes));
        Some(Around {
            parent,
            cfgs: inherited(cfgs),
            depth: around.depth + 1,
            ..around.clone()
        })
    }

    fn import(&mut self, around: &Around, import: &syn::ItemUse) {
        let name = compact(&import.tree.to_token_stream().to_string());
        let index = self.leaf(
            around,
            (ItemKind::Import, name),
            &import.attrs,
            Some(&import.vis),
            &import.to_token_stream(),
            None,
        );
        for binding in bindings(&import.tree) {
            self.scopes
                .import(index, &around.module_path, binding, is_public(&import.vis));
        }
    }

    fn foreign(&mut self, around: &Around, item: &ForeignItem) {
        let (kind, ident, attributes, visibility) = match item {
            ForeignItem::Fn(it) => (ItemKind::Function, &it.sig.ident, &it.attrs, &it.vis),
            ForeignItem::Static(it) => (ItemKind::Static, &it.ident, &it.attrs, &it.vis),
            ForeignItem::Type(it) => (ItemKind::TypeAlias, &it.ident, &it.attrs, &it.vis),
            _ => return,
        };
        self.scopes.define(&around.module_path, &ident.to_string());
        self.leaf(
            around,
            (kind, ident.to_string()),
            attributes,
            Some(visibility),
            &item.to_token_stream(),
            None,
        );
    }

    /// Reads a macro that contains items, such as `cfg_rt! { … }`, as if the items were written
    /// directly. Any other macro belongs to the module.
    fn invocation(&mut self, around: &Around, invoked: &syn::ItemMacro, own: &mut String) {
        own.push_str(&invoked.mac.path.to_token_stream().to_string());
        let bytes = self
            .source
            .range_of(&invoked.mac.tokens)
            .map_or(0, |range| range.len());
        let enters = around.depth < MAX_ITEM_DEPTH && self.may_enter(bytes);
        let branches = if enters {
            branches(&invoked.mac)
        } else {
            Vec::new()
        };
        if branches.is_empty() {
            own.push_str(&invoked.mac.tokens.to_string());
            return;
        }
        for Branch { conditions, items } in branches {
            let mut inside = around.clone();
            inside.depth += 1;
            inside.cfgs.extend(cfgs_of(&invoked.attrs));
            inside
                .cfgs
                .push(format!("{}!", last_segment(&invoked.mac.path)));
            inside.cfgs.extend(conditions);
            inside.cfgs = inherited(inside.cfgs);
            self.items(&inside, &items, own);
        }
    }

    fn impl_block(&mut self, around: &Around, block: &syn::ItemImpl) {
        let self_type = type_name(&block.self_ty);
        let self_text = compact(&block.self_ty.to_token_stream().to_string());
        let of_trait = block.trait_.as_ref().map(|(not, path, _)| {
            let path_text = compact(&path.to_token_stream().to_string());
            (path, format!("{}{path_text}", not.map_or("", |_| "!")))
        });
        let (name, owner) = match &of_trait {
            Some((_, text)) => (
                format!("impl {text} for {self_text}"),
                format!("<{self_type} as {text}>"),
            ),
            None => (format!("impl {self_text}"), self_type.clone()),
        };
        let end = Some(block.brace_token.span.open());
        let index = self.leaf(
            around,
            (ItemKind::Impl, name.clone()),
            &block.attrs,
            None,
            &block.to_token_stream(),
            end,
        );
        let mut own = name;
        attribute_text(&block.attrs, &mut own);
        own.push_str(&block.generics.to_token_stream().to_string());
        own.push_str(&block.generics.where_clause.to_token_stream().to_string());
        if let Some((path, _)) = of_trait {
            self.scopes.name(
                index,
                around,
                Named {
                    kind: EdgeKind::Implements,
                    segments: segments(path),
                },
            );
        }
        if let syn::Type::Path(path) = &*block.self_ty {
            self.scopes.name(
                index,
                around,
                Named {
                    kind: EdgeKind::ImplFor,
                    segments: segments(&path.path),
                },
            );
        }
        if let Some(mut inside) = self.inside(around, index, &block.attrs) {
            inside.owner = Some(cut_bytes(&owner, MAX_ITEM_NAME_BYTES).to_owned());
            inside.self_type = Some(cut_bytes(&self_type, MAX_ITEM_NAME_BYTES).to_owned());
            for member in &block.items {
                self.impl_member(&inside, member, &mut own);
            }
        }
        self.builder.seal(index, &own);
    }

    fn trait_block(&mut self, around: &Around, block: &syn::ItemTrait) {
        let name = block.ident.to_string();
        self.scopes.define(&around.module_path, &name);
        let end = Some(block.brace_token.span.open());
        let index = self.leaf(
            around,
            (ItemKind::Trait, name.clone()),
            &block.attrs,
            Some(&block.vis),
            &block.to_token_stream(),
            end,
        );
        let mut own = format!("trait {name}");
        attribute_text(&block.attrs, &mut own);
        own.push_str(&block.generics.to_token_stream().to_string());
        own.push_str(&block.supertraits.to_token_stream().to_string());
        let names = names_in(|visitor| {
            for bound in &block.supertraits {
                syn::visit::Visit::visit_type_param_bound(visitor, bound);
            }
        });
        self.scopes.name_all(index, around, names);
        if let Some(mut inside) = self.inside(around, index, &block.attrs) {
            let name = cut_bytes(&name, MAX_ITEM_NAME_BYTES);
            inside.owner = Some(name.to_owned());
            inside.self_type = Some(name.to_owned());
            for member in &block.items {
                self.trait_member(&inside, member, &mut own);
            }
        }
        self.builder.seal(index, &own);
    }
}

/// Returns the conditions that inner items inherit. They are cut, because each inner item holds a
/// copy.
fn inherited(conditions: Vec<String>) -> Vec<String> {
    let mut bytes = 0;
    let mut conditions = conditions;
    conditions.retain(|condition| {
        bytes += condition.len() + 1;
        bytes <= MAX_PATH_BYTES
    });
    conditions
}

fn opening(delimiter: &MacroDelimiter) -> proc_macro2::Span {
    match delimiter {
        MacroDelimiter::Paren(it) => it.span.open(),
        MacroDelimiter::Brace(it) => it.span.open(),
        MacroDelimiter::Bracket(it) => it.span.open(),
    }
}

fn is_public(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

fn visibility_text(visibility: &Visibility) -> String {
    compact(&visibility.to_token_stream().to_string())
}

fn attribute_text(attributes: &[Attribute], own: &mut String) {
    for attribute in attributes {
        own.push_str(&attribute.to_token_stream().to_string());
    }
}

/// Returns the text of `#[name = "…"]`.
fn text_of(attribute: &Attribute, name: &str) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else {
        return None;
    };
    match &meta.value {
        Expr::Lit(value) if attribute.path().is_ident(name) => match &value.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes
        .iter()
        .find_map(|attribute| text_of(attribute, "path"))
}

fn cfgs_of(attributes: &[Attribute]) -> Vec<String> {
    let conditions = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"));
    conditions
        .filter_map(|attribute| match &attribute.meta {
            Meta::List(list) => Some(compact(&list.tokens.to_string())),
            _ => None,
        })
        .collect()
}

fn docstring(attributes: &[Attribute]) -> String {
    let lines = attributes
        .iter()
        .filter_map(|attribute| text_of(attribute, "doc"));
    let lines: Vec<String> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned())
        .collect();
    lines.join("\n")
}

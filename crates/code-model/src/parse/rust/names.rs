//! Writes headers, types and imports as names.

use syn::{Path, Type, UseTree};

use crate::limits::{MAX_ITEM_EDGES, MAX_ITEM_NAME_BYTES, MAX_PATH_SEGMENTS};

/// Returns a text of tokens with blanks only after commas and where two words would join.
pub(crate) fn compact(text: &str) -> String {
    let joins = |character: char| character == '_' || character.is_alphanumeric();
    let mut compacted = String::with_capacity(text.len());
    let mut blank = false;
    let mut last = ' ';
    for character in text.chars() {
        if character.is_whitespace() {
            blank = true;
            continue;
        }
        let words = joins(character) && (joins(last) || matches!(last, '>' | ')' | ']'));
        if last == ',' || (blank && words) {
            compacted.push(' ');
        }
        blank = false;
        last = character;
        compacted.push(character);
    }
    compacted
}

/// Returns the usual name of a type: `Mutex` of `sync::Mutex<T>`; any other type as it is written.
pub(crate) fn type_name(of: &Type) -> String {
    match of {
        Type::Path(path) if path.qself.is_none() => last_segment(&path.path),
        Type::Paren(inner) => type_name(&inner.elem),
        Type::Group(inner) => type_name(&inner.elem),
        other => compact(&quote::ToTokens::to_token_stream(other).to_string()),
    }
}

/// Returns the last name of a path.
pub(crate) fn last_segment(path: &Path) -> String {
    path.segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default()
}

/// Returns the names of a path, without arguments.
pub(crate) fn segments(path: &Path) -> Vec<String> {
    path.segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect()
}

/// A name that a `use` introduces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    /// The path of the target, without `self` at its end.
    pub path: Vec<String>,
    /// The new name; `*` for a glob import, `_` if only the methods are imported.
    pub name: String,
}

/// Returns the names that a `use` introduces, at most [`MAX_ITEM_EDGES`]: each holds a copy of its
/// path, which would be too much for 500,000 names.
pub(crate) fn bindings(tree: &UseTree) -> Vec<Binding> {
    let mut found = Vec::new();
    collect(tree, &mut Vec::new(), &mut found);
    found
}

/// Recurses on segments and brackets. The bound on the height of the file's tree also bounds their
/// depth.
fn collect(tree: &UseTree, around: &mut Vec<String>, found: &mut Vec<Binding>) {
    if found.len() >= MAX_ITEM_EDGES {
        return;
    }
    let last = || around.last().cloned().unwrap_or_default();
    let (own, name) = match tree {
        UseTree::Path(path) => {
            around.push(path.ident.to_string());
            if is_followed(around) {
                collect(&path.tree, around, found);
            }
            around.pop();
            return;
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                collect(tree, around, found);
            }
            return;
        }
        UseTree::Name(name) if name.ident == "self" => (None, last()),
        UseTree::Name(name) => (Some(name.ident.to_string()), name.ident.to_string()),
        UseTree::Rename(rename) if rename.ident == "self" => (None, rename.rename.to_string()),
        UseTree::Rename(rename) => (Some(rename.ident.to_string()), rename.rename.to_string()),
        UseTree::Glob(_) => (None, "*".to_owned()),
    };
    let mut path = around.clone();
    path.extend(own);
    if is_followed(&path) && name.len() <= MAX_ITEM_NAME_BYTES {
        found.push(Binding { path, name });
    }
}

fn is_followed(path: &[String]) -> bool {
    path.len() <= MAX_PATH_SEGMENTS
        && path.iter().map(String::len).sum::<usize>() <= MAX_ITEM_NAME_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_blanks_only_between_words() {
        for (text, expected) in [
            ("Foo < 'a , T >", "Foo<'a, T>"),
            ("impl  Tr < u8 >  for  Foo", "impl Tr<u8> for Foo"),
            ("std :: { fmt , io }", "std::{fmt, io}"),
            ("dyn Fn (u8) -> u8", "dyn Fn(u8)-> u8"),
            ("impl Display for Foo", "impl Display for Foo"),
            ("& 'a mut T", "&'a mut T"),
            ("< Foo as Display > :: fmt", "<Foo as Display>::fmt"),
        ] {
            assert_eq!(compact(text), expected);
        }
    }

    #[test]
    fn a_use_brings_each_of_its_names() {
        let item: syn::ItemUse =
            syn::parse_str("use a::{self, b as c, d::{e, *}, f::{self as g}};").unwrap();
        let found: Vec<String> = bindings(&item.tree)
            .iter()
            .map(|binding| format!("{} {}", binding.path.join("::"), binding.name))
            .collect();
        assert_eq!(found, ["a a", "a::b c", "a::d::e e", "a::d *", "a::f g"]);
    }
}

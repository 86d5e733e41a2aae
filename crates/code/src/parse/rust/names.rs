//! How headers, types and imports are written as names.

use syn::{Path, Type, UseTree};

/// A text of tokens with blanks only where two words would join, and behind commas.
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

/// The name by which people know a type: `Mutex` of `sync::Mutex<T>`; any other type as it is written.
pub(crate) fn type_name(of: &Type) -> String {
    match of {
        Type::Path(path) if path.qself.is_none() => last_segment(&path.path),
        Type::Paren(inner) => type_name(&inner.elem),
        Type::Group(inner) => type_name(&inner.elem),
        other => compact(&quote::ToTokens::to_token_stream(other).to_string()),
    }
}

/// The last name of a path.
pub(crate) fn last_segment(path: &Path) -> String {
    path.segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default()
}

/// The names of a path, without arguments.
pub(crate) fn segments(path: &Path) -> Vec<String> {
    path.segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect()
}

/// One name that a `use` brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    /// What it names, without `self` at its end.
    pub path: Vec<String>,
    /// As what; `*` for all of it, `_` for nothing but its methods.
    pub name: String,
}

/// The names that a `use` brings. It recurses on brackets, of which the height of the file's tree has a bound.
pub(crate) fn bindings(tree: &UseTree, around: &[String], found: &mut Vec<Binding>) {
    let with = |name: String| {
        let mut path = around.to_vec();
        path.push(name);
        path
    };
    match tree {
        UseTree::Path(path) => bindings(&path.tree, &with(path.ident.to_string()), found),
        UseTree::Name(name) if name.ident == "self" => found.push(Binding {
            path: around.to_vec(),
            name: around.last().cloned().unwrap_or_default(),
        }),
        UseTree::Name(name) => found.push(Binding {
            path: with(name.ident.to_string()),
            name: name.ident.to_string(),
        }),
        UseTree::Rename(rename) => found.push(Binding {
            path: if rename.ident == "self" {
                around.to_vec()
            } else {
                with(rename.ident.to_string())
            },
            name: rename.rename.to_string(),
        }),
        UseTree::Glob(_) => found.push(Binding {
            path: around.to_vec(),
            name: "*".to_owned(),
        }),
        UseTree::Group(group) => {
            for tree in &group.items {
                bindings(tree, around, found);
            }
        }
    }
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
        let mut found = Vec::new();
        bindings(&item.tree, &[], &mut found);
        let found: Vec<String> = found
            .iter()
            .map(|binding| format!("{} {}", binding.path.join("::"), binding.name))
            .collect();
        assert_eq!(found, ["a a", "a::b c", "a::d::e e", "a::d *", "a::f g"]);
    }
}

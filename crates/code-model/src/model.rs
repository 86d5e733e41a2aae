//! Files and items: the types that the parsers, the store and the operations share.

use std::collections::BTreeSet;
use std::ops::Range;

use uuid::Uuid;

use crate::limits::MAX_ITEM_EDGES;

/// Defines an enum whose variants have words in requests, responses and tables.
macro_rules! words {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $variant_doc:literal])* $variant:ident = $word:literal,)* }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[doc = $variant_doc])* $variant,)* }

        impl $name {
            /// All variants.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the word for this variant.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Returns the variant for a word.
            pub fn of(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

words! {
    /// The kind of an item.
    ItemKind {
        /// A function of a module, or a variable that holds one.
        Function = "function",
        /// A function of an impl, a trait or a class.
        Method = "method",
        /// A constant.
        Const = "const",
        /// An enum.
        Enum = "enum",
        /// A struct.
        Struct = "struct",
        /// A union.
        Union = "union",
        /// A trait.
        Trait = "trait",
        /// A type alias, associated types included.
        TypeAlias = "type_alias",
        /// A static.
        Static = "static",
        /// A module: a file, or one within a file.
        Module = "module",
        /// A `macro_rules!`.
        Macro = "macro",
        /// An impl.
        Impl = "impl",
        /// A `use`, an `extern crate`, or an `import`.
        Import = "import",
        /// A class of JavaScript or Python.
        Class = "class",
        /// An interface of TypeScript.
        Interface = "interface",
        /// An `export` that declares nothing itself.
        Export = "export",
        /// Lines of a file that has no parser.
        Chunk = "chunk",
    }
}

words! {
    /// The language of a file, determined by its extension.
    Language {
        /// `.rs`.
        Rust = "rust",
        /// `.js`, `.mjs`, `.cjs`, `.jsx`.
        JavaScript = "javascript",
        /// `.ts`, `.mts`, `.cts`, `.tsx`.
        TypeScript = "typescript",
        /// `.py`, `.pyi`, `.pyw`.
        Python = "python",
        /// `Cargo.toml`.
        Cargo = "cargo",
        /// Other text.
        Text = "text",
        /// Not UTF-8.
        Binary = "binary",
    }
}

words! {
    /// The relation of an item to another.
    EdgeKind {
        /// The item contains the other.
        Contains = "contains",
        /// The item re-exports the other under its own path.
        ReExports = "re_exports",
        /// The item is an impl of the other, which is a trait.
        Implements = "implements",
        /// The item is an impl for the other, which is a type.
        ImplFor = "impl_for",
        /// The item names the other.
        Uses = "uses",
        /// The item calls the other.
        Calls = "calls",
    }
}

words! {
    /// The form of an edge's target.
    TargetForm {
        /// A path from the name of its crate: `tokio::sync::Mutex`.
        Path = "path",
        /// A bare name, of which there may be several.
        Name = "name",
    }
}

/// A reference from an item to another, as far as its file determines it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference {
    /// The item that contains the reference, by its index in the file.
    pub source: usize,
    /// The relation to the target.
    pub kind: EdgeKind,
    /// The form of `target`.
    pub form: TargetForm,
    /// The path or name of the target.
    pub target: String,
    /// The path under which an import makes the target available; it ends with `*` for a glob
    /// import. Empty for other references.
    pub alias: String,
}

impl Reference {
    /// Returns references of an item to bare names, as many as an item may have.
    pub(crate) fn by_names(
        source: usize,
        names: BTreeSet<(EdgeKind, String)>,
    ) -> impl Iterator<Item = Self> {
        let names = names.into_iter().take(MAX_ITEM_EDGES);
        names.map(move |(kind, target)| Self {
            source,
            kind,
            form: TargetForm::Name,
            target,
            alias: String::new(),
        })
    }
}

/// The file that a `mod name;` declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleFile {
    /// The text of `#[path = "…"]`.
    pub path: Option<String>,
}

/// An item of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its id, which depends on its identity and not on its position, so that it survives edits.
    pub id: Uuid,
    /// Its kind.
    pub kind: ItemKind,
    /// Its name; for an impl its header, for an import what it imports.
    pub name: String,
    /// The module that contains it: `crate::a::b`, `package.module`. Empty in scripts and in files
    /// without a parser.
    pub module_path: String,
    /// Its canonical path: `crate::a::Type::method`.
    pub canon: String,
    /// The item that contains it, by its index in the file. A parent comes before its children.
    pub parent: Option<usize>,
    /// Its visibility, as written; empty if there is none.
    pub visibility: String,
    /// Its documentation, without comment markers.
    pub docstring: String,
    /// Its head on one line.
    pub signature: String,
    /// The conditions under which it is compiled, including those of the items around it.
    pub cfgs: Vec<String>,
    /// Its bytes in the file, including attributes and documentation.
    pub span: Range<usize>,
    /// The first byte after attributes and documentation.
    pub head: usize,
    /// The hash of its tokens.
    pub tracking_hash: Uuid,
    /// The hash of its tokens without those of items inside.
    pub own_hash: Uuid,
    /// The file of its module, if that is another one.
    pub declares: Option<ModuleFile>,
    /// True if a search may find it. Private imports are not searchable.
    pub searchable: bool,
}

/// A parsed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFile {
    /// The language, determined by the extension.
    pub language: Language,
    /// True if the parser of the language read the whole file.
    pub parsed: bool,
    /// The reason why it did not.
    pub reason: Option<String>,
    /// The hash of its tokens, or of its text if it has none.
    pub tracking_hash: Uuid,
    /// The items, in the order of their first bytes.
    pub items: Vec<Item>,
    /// The references of the items.
    pub references: Vec<Reference>,
    /// Lines of the file.
    pub line_count: usize,
}

/// The position of a file in its crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The path from the root of the workspace, with `/`.
    pub path: String,
    /// The absolute path, which tracking hashes contain.
    pub absolute_path: String,
    /// The name of the crate in Rust, with `_`; empty outside of crates.
    pub crate_name: String,
    /// The namespace of the crate and its version.
    pub namespace: Uuid,
    /// The module: `crate::a`, `package.module`. Empty in scripts and in files without a parser.
    pub module_path: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_means_what_it_is_of() {
        for kind in ItemKind::ALL {
            assert_eq!(ItemKind::of(kind.word()), Some(*kind));
        }
        assert_eq!(ItemKind::of("fn"), None);
    }
}

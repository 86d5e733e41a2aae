//! What files and items are: the words that the parsers, the store and the operations share.

use std::collections::BTreeSet;
use std::ops::Range;

use uuid::Uuid;

use crate::limits::MAX_ITEM_EDGES;

/// Makes the enum of words that requests, responses and tables use.
macro_rules! words {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $variant_doc:literal])* $variant:ident = $word:literal,)* }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[doc = $variant_doc])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the word.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// What a word means.
            pub fn of(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

words! {
    /// What kind of thing an item is.
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
    /// The language of a file, of its name's end.
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
        /// No UTF-8.
        Binary = "binary",
    }
}

words! {
    /// How an item relates to another.
    EdgeKind {
        /// It has the other in it.
        Contains = "contains",
        /// It hands the other on under its own path.
        ReExports = "re_exports",
        /// It is an impl of the other, which is a trait.
        Implements = "implements",
        /// It is an impl for the other, which is a type.
        ImplFor = "impl_for",
        /// It names the other.
        Uses = "uses",
        /// It calls the other.
        Calls = "calls",
    }
}

words! {
    /// What the target of an edge is.
    TargetForm {
        /// A path from the name of its crate: `tokio::sync::Mutex`.
        Path = "path",
        /// A bare name, of which there may be several.
        Name = "name",
    }
}

/// What an item names of others, as far as its file tells.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference {
    /// The item that names it, by its index in the file.
    pub source: usize,
    /// How.
    pub kind: EdgeKind,
    /// What `target` is.
    pub form: TargetForm,
    /// What is named.
    pub target: String,
    /// The path under which an import makes it known, which ends with `*` for all of it; empty for
    /// what is no import.
    pub alias: String,
}

impl Reference {
    /// References of an item to bare names, as many as an item may have.
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

/// The file that a `mod name;` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The text of `#[path = "…"]`.
    pub path: Option<String>,
}

/// An item of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Of what it is and not of where it stands, so that it survives edits.
    pub id: Uuid,
    /// What kind of thing.
    pub kind: ItemKind,
    /// Its name; of an impl its header, of an import what it imports.
    pub name: String,
    /// The module that it stands in: `crate::a::b`, `package.module`. Empty in scripts and in files
    /// without a parser.
    pub module_path: String,
    /// Its canonical path: `crate::a::Type::method`.
    pub canon: String,
    /// The item that it stands in, by its index in the file; a parent comes before its children.
    pub parent: Option<usize>,
    /// As it is written; empty where nothing is.
    pub visibility: String,
    /// Its documentation, without the marks of comments.
    pub docstring: String,
    /// Its head on one line.
    pub signature: String,
    /// The conditions under which it is compiled, those around it included.
    pub cfgs: Vec<String>,
    /// Bytes of the file, with attributes and documentation.
    pub span: Range<usize>,
    /// The first byte behind attributes and documentation.
    pub head: usize,
    /// Over its tokens.
    pub tracking_hash: Uuid,
    /// Over its tokens without those of items in it.
    pub own_hash: Uuid,
    /// Where its module is, if that is another file.
    pub declares: Option<Declared>,
    /// True if a search finds it: private imports say nothing.
    pub searchable: bool,
}

/// A file as it was parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFile {
    /// Of its name's end.
    pub language: Language,
    /// True if the parser of the language read all of it.
    pub parsed: bool,
    /// Why not.
    pub reason: Option<String>,
    /// Over its tokens; over its text where it has none.
    pub tracking_hash: Uuid,
    /// In the order of their first bytes.
    pub items: Vec<Item>,
    /// What they name.
    pub references: Vec<Reference>,
    /// Lines of the file.
    pub line_count: usize,
}

/// Where a file stands in its crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The path from the root of the workspace, with `/`.
    pub path: String,
    /// The path as tracking hashes have it, from the root of the file system.
    pub absolute_path: String,
    /// As Rust names the crate, with `_`; empty outside of crates.
    pub crate_name: String,
    /// Of the crate and its version.
    pub namespace: Uuid,
    /// `crate::a`, `package.module`; empty in scripts and in files without a parser.
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

//! Resolves the names of a file to paths, as far as the file itself determines them: by the
//! definitions and imports of its modules.
//!
//! A path begins with the name of its crate. Names from glob imports and macros are not resolved
//! here. A bare name that stays unknown becomes an edge by name, which counts only if the whole
//! workspace has a single item with it.

use std::collections::{BTreeSet, HashMap};

use super::around::Around;
use super::names::Binding;
use super::uses::{Named, Names};
use crate::limits::{MAX_IMPORTED_NAMES, MAX_ITEM_EDGES, MAX_USED_NAMES};
use crate::model::{EdgeKind, Item, Placement, Reference, TargetForm};

/// The meaning of a name in a module.
#[derive(Debug, Clone)]
enum Meaning {
    /// The module defines it.
    Defined,
    /// It is imported from this path.
    Imported(Vec<String>),
}

/// The place in the code at which a path or a method is used.
#[derive(Debug, Clone)]
struct Place {
    source: usize,
    module_path: String,
    self_type: Option<String>,
}

/// The definitions, imports and names of a file.
pub(crate) struct Scopes {
    crate_name: String,
    modules: HashMap<String, HashMap<String, Meaning>>,
    imports: Vec<(usize, String, Binding, bool)>,
    named: Vec<(Place, Names)>,
    /// The number of names in `named`.
    names: usize,
}

/// The longest chain of imports of one file that is followed.
const MAX_IMPORT_CHAIN: usize = 8;

/// Crates whose items are never in a workspace.
const STANDARD_CRATES: [&str; 4] = ["std", "core", "alloc", "proc_macro"];

/// Names that are known everywhere, so that references to them are useless.
const PRELUDE: [&str; 26] = [
    "Some",
    "None",
    "Ok",
    "Err",
    "Option",
    "Result",
    "Vec",
    "String",
    "Box",
    "Self",
    "Clone",
    "Copy",
    "Send",
    "Sync",
    "Sized",
    "Drop",
    "Fn",
    "FnMut",
    "FnOnce",
    "Iterator",
    "IntoIterator",
    "Default",
    "Into",
    "From",
    "AsRef",
    "ToString",
];

/// Methods of the standard library that nearly every item calls.
const COMMON_METHODS: [&str; 40] = [
    "clone",
    "into",
    "unwrap",
    "expect",
    "iter",
    "map",
    "collect",
    "to_string",
    "to_owned",
    "as_ref",
    "as_str",
    "len",
    "is_empty",
    "push",
    "get",
    "insert",
    "next",
    "as_mut",
    "ok",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "map_err",
    "and_then",
    "filter",
    "iter_mut",
    "into_iter",
    "extend",
    "contains",
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "fmt",
    "borrow",
    "as_bytes",
    "take",
    "clear",
    "remove",
    "pop",
];

impl Scopes {
    pub fn new(placement: &Placement) -> Self {
        Self {
            crate_name: placement.crate_name.clone(),
            modules: HashMap::new(),
            imports: Vec::new(),
            named: Vec::new(),
            names: 0,
        }
    }

    /// Records that a module defines a name.
    pub fn define(&mut self, module_path: &str, name: &str) {
        let module = self.modules.entry(module_path.to_owned()).or_default();
        module.insert(name.to_owned(), Meaning::Defined);
    }

    /// Records an import of a module.
    pub fn import(
        &mut self,
        index: Option<usize>,
        module_path: &str,
        binding: Binding,
        public: bool,
    ) {
        let Some(index) = index.filter(|_| self.imports.len() < MAX_IMPORTED_NAMES) else {
            return;
        };
        if !matches!(binding.name.as_str(), "*" | "_") {
            let module = self.modules.entry(module_path.to_owned()).or_default();
            module
                .entry(binding.name.clone())
                .or_insert_with(|| Meaning::Imported(binding.path.clone()));
        }
        self.imports
            .push((index, module_path.to_owned(), binding, public));
    }

    /// Records a path that an item names.
    pub fn name(&mut self, index: Option<usize>, around: &Around, named: Named) {
        let names = Names {
            paths: [named].into(),
            methods: BTreeSet::new(),
        };
        self.name_all(index, around, names);
    }

    /// Records all names of an item.
    pub fn name_all(&mut self, index: Option<usize>, around: &Around, names: Names) {
        if let Some(source) = index {
            self.names += names.paths.len() + names.methods.len();
            if self.names > MAX_USED_NAMES {
                return;
            }
            let place = Place {
                source,
                module_path: around.module_path.clone(),
                self_type: around.self_type.clone(),
            };
            self.named.push((place, names));
        }
    }

    /// Returns the references of all recorded names.
    pub fn references(&self, items: &[Item]) -> Vec<Reference> {
        let mut found = BTreeSet::new();
        for (source, module_path, binding, public) in &self.imports {
            let place = Place {
                source: *source,
                module_path: module_path.clone(),
                self_type: None,
            };
            let kind = if *public {
                EdgeKind::ReExports
            } else {
                EdgeKind::Uses
            };
            let Some(target) = self.absolute(&place, &binding.path, true) else {
                continue;
            };
            let alias = match binding.name.as_str() {
                "_" => String::new(),
                name => format!("{}::{name}", self.qualified(module_path)),
            };
            found.insert(Reference {
                source: *source,
                kind,
                form: TargetForm::Path,
                target,
                alias,
            });
        }
        for (place, names) in &self.named {
            let own = items
                .get(place.source)
                .map(|item| self.qualified(&item.canon));
            let room = MAX_ITEM_EDGES;
            let mut of_item = BTreeSet::new();
            for named in &names.paths {
                of_item.extend(self.reference(place, named));
            }
            for method in &names.methods {
                if !COMMON_METHODS.contains(&method.as_str()) {
                    of_item.insert((EdgeKind::Calls, TargetForm::Name, method.clone()));
                }
            }
            let others = of_item
                .into_iter()
                .filter(|(.., target)| Some(target) != own.as_ref());
            found.extend(others.take(room).map(|(kind, form, target)| Reference {
                source: place.source,
                kind,
                form,
                target,
                alias: String::new(),
            }));
        }
        found.into_iter().collect()
    }

    fn reference(&self, place: &Place, named: &Named) -> Option<(EdgeKind, TargetForm, String)> {
        if let Some(path) = self.absolute(place, &named.segments, false) {
            return Some((named.kind, TargetForm::Path, path));
        }
        let first = named.segments.first()?;
        let alone = named.segments.len() == 1;
        let is_type = first.starts_with(char::is_uppercase);
        if STANDARD_CRATES.contains(&first.as_str()) || PRELUDE.contains(&first.as_str()) {
            return None;
        }
        match named.kind {
            EdgeKind::Calls if alone && !is_type => {
                Some((named.kind, TargetForm::Name, first.clone()))
            }
            // A lower-case name without a path is a local one.
            _ if is_type => Some((named.kind_of_type(alone), TargetForm::Name, first.clone())),
            EdgeKind::Contains
            | EdgeKind::ReExports
            | EdgeKind::Implements
            | EdgeKind::ImplFor
            | EdgeKind::Uses
            | EdgeKind::Calls => None,
        }
    }

    /// Returns the absolute path with the name of the crate; `None` if the file does not determine
    /// it, and for the standard library.
    fn absolute(&self, place: &Place, segments: &[String], import: bool) -> Option<String> {
        let mut segments = segments.to_vec();
        let mut import = import;
        for _ in 0..MAX_IMPORT_CHAIN {
            let (first, rest) = segments.split_first()?;
            match first.as_str() {
                "crate" | "$crate" => return Some(self.qualified(&path(&["crate"], rest))),
                "self" => return Some(self.qualified(&path(&[&place.module_path], rest))),
                "super" => return self.above(&place.module_path, &segments),
                "Self" => {
                    let self_type = place.self_type.as_deref()?;
                    segments = path(&[self_type], rest)
                        .split("::")
                        .map(str::to_owned)
                        .collect();
                    if segments.first().is_some_and(|first| first == "Self") {
                        return None;
                    }
                    continue;
                }
                _ => {}
            }
            let module = self.modules.get(&place.module_path);
            match module.and_then(|module| module.get(first)) {
                Some(Meaning::Defined) => {
                    return Some(self.qualified(&path(&[&place.module_path, first], rest)));
                }
                // The first name of an import does not refer to other imports: `use serde::serde`
                // would refer to itself.
                Some(Meaning::Imported(from)) if !import => {
                    segments = from.iter().chain(rest).cloned().collect();
                    import = true;
                }
                _ => {
                    let outside = (rest.is_empty() && !import)
                        || first.starts_with(char::is_uppercase)
                        || STANDARD_CRATES.contains(&first.as_str());
                    return (!outside).then(|| path(&[first], rest));
                }
            }
        }
        None
    }

    /// Resolves a path that begins with one or several `super`.
    fn above(&self, module_path: &str, segments: &[String]) -> Option<String> {
        let mut module = module_path;
        let mut rest = segments;
        while let Some((first, behind)) = rest.split_first() {
            if first != "super" {
                break;
            }
            module = module.rsplit_once("::")?.0;
            rest = behind;
        }
        Some(self.qualified(&path(&[module], rest)))
    }

    /// Returns a path with the crate's name instead of `crate`.
    fn qualified(&self, canon: &str) -> String {
        match canon.strip_prefix("crate") {
            Some(rest)
                if !self.crate_name.is_empty() && (rest.is_empty() || rest.starts_with("::")) =>
            {
                format!("{}{rest}", self.crate_name)
            }
            _ => canon.to_owned(),
        }
    }
}

fn path(front: &[&str], rest: &[String]) -> String {
    let parts: Vec<&str> = front
        .iter()
        .copied()
        .chain(rest.iter().map(String::as_str))
        .collect();
    parts.join("::")
}

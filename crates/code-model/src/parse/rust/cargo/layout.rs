//! The crate and the module of a file, by the conventions of cargo.

use std::collections::HashMap;

use uuid::Uuid;

use super::folders::{below, is_within};
use super::manifest::{Manifest, version_of};
use crate::hash::{PROJECT_NAMESPACE, crate_namespace};
use crate::model::{Language, Placement};
use crate::parse::{language, rules};

/// The path of a crate's root module.
const ROOT_MODULE: &str = "crate";

/// Folders in which each file, and each folder with a `main.rs`, is a target of its own.
const TARGET_FOLDERS: [&str; 4] = ["src/bin", "tests", "examples", "benches"];

/// The crates and modules of the files of a workspace.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    crates: Vec<Crate>,
    /// The modules of files that another file declares with `#[path]`.
    overrides: HashMap<String, String>,
    root: String,
}

#[derive(Debug, Clone)]
struct Crate {
    folder: String,
    name: String,
    namespace: Uuid,
    roots: Vec<String>,
}

impl Layout {
    /// Returns the layout from the manifests of a workspace, whose root is at `root` in the file
    /// system.
    pub fn new(manifests: &[Manifest], root: &str) -> Self {
        let mut crates: Vec<Crate> = manifests
            .iter()
            .filter_map(|manifest| {
                let package = manifest.package.as_ref()?;
                Some(Crate {
                    folder: manifest.folder.clone(),
                    name: package.name.replace('-', "_"),
                    namespace: crate_namespace(&package.name, version_of(manifest, manifests)),
                    roots: manifest.roots.clone(),
                })
            })
            .collect();
        crates.sort_by(|one, other| {
            other
                .folder
                .len()
                .cmp(&one.folder.len())
                .then_with(|| one.folder.cmp(&other.folder))
        });
        Self {
            crates,
            overrides: HashMap::new(),
            root: root.trim_end_matches('/').to_owned(),
        }
    }

    /// Returns the layout with the modules of files that `#[path]` declares.
    pub fn with_overrides(mut self, overrides: HashMap<String, String>) -> Self {
        self.overrides = overrides;
        self
    }

    /// Returns the placement of a file. `exists` returns true if there is a file.
    pub fn place(&self, path: &str, exists: &dyn Fn(&str) -> bool) -> Placement {
        let found = self
            .crates
            .iter()
            .find(|candidate| is_within(path, &candidate.folder));
        let is_rust = language(path) == Language::Rust;
        let module_path = match self.overrides.get(path) {
            Some(module_path) => module_path.clone(),
            None if is_rust => by_convention(path, found, exists),
            None => rules(language(path)).module_of(path).unwrap_or_default(),
        };
        Placement {
            path: path.to_owned(),
            absolute_path: format!("{}/{path}", self.root),
            crate_name: found.map(|found| found.name.clone()).unwrap_or_default(),
            namespace: found.map_or(PROJECT_NAMESPACE, |found| found.namespace),
            module_path,
        }
    }
}

fn by_convention(path: &str, found: Option<&Crate>, exists: &dyn Fn(&str) -> bool) -> String {
    let folder = found.map_or("", |found| found.folder.as_str());
    let inside = below(path, folder);
    let roots = found.map_or(&[][..], |found| found.roots.as_slice());
    if roots.iter().any(|root| root == inside) || inside == "build.rs" {
        return ROOT_MODULE.to_owned();
    }
    for target_folder in TARGET_FOLDERS {
        if !is_within(inside, target_folder) {
            continue;
        }
        let rest = below(inside, target_folder);
        return match rest.split_once('/') {
            None => ROOT_MODULE.to_owned(),
            Some((target, rest)) => {
                let main = join(&[folder, target_folder, target, "main.rs"]);
                if exists(&main) || rest == "main.rs" {
                    module_of(rest)
                } else {
                    module_of(&format!("{target}/{rest}"))
                }
            }
        };
    }
    // For a library whose root is not in `src`, the longest root folder around the file counts.
    let starts = roots
        .iter()
        .map(|root| root.rsplit_once('/').map_or("", |(folder, _)| folder));
    let start = starts
        .chain(["src"])
        .filter(|start| is_within(inside, start))
        .max_by_key(|start| start.len());
    module_of(below(inside, start.unwrap_or_default()))
}

/// Returns the module of a file, from its path below the folder of the root module.
fn module_of(inside: &str) -> String {
    let stem = inside.strip_suffix(".rs").unwrap_or(inside);
    let mut parts: Vec<&str> = stem.split('/').collect();
    let is_root = parts.len() == 1 && matches!(stem, "lib" | "main");
    if is_root || parts.last() == Some(&"mod") {
        parts.pop();
    }
    parts.insert(0, ROOT_MODULE);
    parts.join("::")
}

fn join(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_modules_that_cargo_gives_them() {
        let manifests = [
            Manifest::parse("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n[workspace.package]\nversion = \"1.2.3\"").unwrap(),
            Manifest::parse("crates/a/Cargo.toml", "[package]\nname = \"fixture-a\"\nversion.workspace = true\n[lib]\npath = \"lib/start.rs\"").unwrap(),
            Manifest::parse("b/Cargo.toml", "[package]\nname = \"fixture_nodes\"\nversion = \"0.1.0\"").unwrap(),
        ];
        let layout = Layout::new(&manifests, "/ws");
        let files = [
            "b/src/bin/tool/main.rs",
            "b/tests/it/main.rs",
            "b/src/nested/main.rs",
        ];
        let exists = |path: &str| files.contains(&path);
        for (path, crate_name, module) in [
            ("b/src/lib.rs", "fixture_nodes", "crate"),
            ("b/src/main.rs", "fixture_nodes", "crate"),
            ("b/src/a.rs", "fixture_nodes", "crate::a"),
            ("b/src/a/mod.rs", "fixture_nodes", "crate::a"),
            ("b/src/a/b.rs", "fixture_nodes", "crate::a::b"),
            (
                "b/src/nested/main.rs",
                "fixture_nodes",
                "crate::nested::main",
            ),
            ("b/src/bin/one.rs", "fixture_nodes", "crate"),
            ("b/src/bin/tool/main.rs", "fixture_nodes", "crate"),
            ("b/src/bin/tool/part.rs", "fixture_nodes", "crate::part"),
            ("b/src/bin/common/mod.rs", "fixture_nodes", "crate::common"),
            ("b/tests/one.rs", "fixture_nodes", "crate"),
            ("b/tests/it/main.rs", "fixture_nodes", "crate"),
            ("b/tests/it/deep/x.rs", "fixture_nodes", "crate::deep::x"),
            ("b/tests/common/mod.rs", "fixture_nodes", "crate::common"),
            ("b/examples/x.rs", "fixture_nodes", "crate"),
            ("b/build.rs", "fixture_nodes", "crate"),
            ("crates/a/lib/start.rs", "fixture_a", "crate"),
            ("crates/a/lib/x.rs", "fixture_a", "crate::x"),
            ("src/lib.rs", "", "crate"),
            ("b/README.md", "fixture_nodes", ""),
        ] {
            let placement = layout.place(path, &exists);
            assert_eq!(
                (
                    placement.crate_name.as_str(),
                    placement.module_path.as_str()
                ),
                (crate_name, module),
                "{path}"
            );
        }
        let placement = layout.place("b/src/lib.rs", &exists);
        assert_eq!(
            placement.namespace.to_string(),
            "bfc25988-15c1-5e58-9aa8-3d33b5e58b92"
        );
        assert_eq!(placement.absolute_path, "/ws/b/src/lib.rs");
    }
}

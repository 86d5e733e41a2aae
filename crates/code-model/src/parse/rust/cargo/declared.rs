//! Modules in files that another file names, `#[path = "…"] mod name;`, and the modules that such
//! files declare in turn.

use std::collections::{HashMap, HashSet};

use super::folders::below;
use crate::limits::{MAX_DECLARED_CHAIN, MAX_PATH_PARTS};

/// A `mod name;`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The file that contains it.
    pub file: String,
    /// The module of that file, by convention.
    pub file_module: String,
    /// The module that contains it, by convention.
    pub module_path: String,
    /// Its name.
    pub name: String,
    /// The path in `#[path]`.
    pub path: Option<String>,
}

/// Returns the modules of the files whose module differs from the convention. `exists` returns true
/// if there is a file.
pub fn overrides(
    declarations: &[Declaration],
    exists: &dyn Fn(&str) -> bool,
) -> HashMap<String, String> {
    let mut by_file: HashMap<&str, Vec<&Declaration>> = HashMap::new();
    for declaration in declarations {
        by_file
            .entry(&declaration.file)
            .or_default()
            .push(declaration);
    }
    let mut found: HashMap<String, String> = HashMap::new();
    let mut queue: Vec<(String, String)> = Vec::new();
    for declaration in declarations {
        if let Some(target) = target(declaration).filter(|target| exists(target)) {
            queue.push((
                target,
                format!("{}::{}", declaration.module_path, declaration.name),
            ));
        }
    }
    let mut seen: HashSet<String> = HashSet::new();
    for _ in 0..MAX_DECLARED_CHAIN {
        let mut next = Vec::new();
        for (file, module) in std::mem::take(&mut queue) {
            // The first declaration of a file counts, although several modules may declare it.
            if !seen.insert(file.clone()) {
                continue;
            }
            for child in by_file.get(file.as_str()).into_iter().flatten() {
                let inner = child
                    .module_path
                    .strip_prefix(&child.file_module)
                    .unwrap_or_default();
                let module = format!("{module}{inner}::{}", child.name);
                let target = target(child).or_else(|| beside(&file, inner, &child.name, exists));
                next.extend(
                    target
                        .filter(|target| exists(target))
                        .map(|target| (target, module)),
                );
            }
            found.insert(file, module);
        }
        queue = next;
        if queue.is_empty() {
            break;
        }
    }
    found
}

/// Returns the file that `#[path]` names.
fn target(declaration: &Declaration) -> Option<String> {
    let path = declaration.path.as_ref()?;
    let inner = declaration
        .module_path
        .strip_prefix(&declaration.file_module)
        .unwrap_or_default();
    let (folder, name) = declaration
        .file
        .rsplit_once('/')
        .unwrap_or(("", &declaration.file));
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if !inner.is_empty() {
        // In an inline module, the path is relative to the folder of that module.
        if !matches!(stem, "lib" | "main" | "mod") {
            parts.push(stem);
        }
        parts.extend(inner.split("::").filter(|part| !part.is_empty()));
    }
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (parts.len() <= MAX_PATH_PARTS).then(|| parts.join("/"))
}

/// Returns the file of a child of a file that `#[path]` names. Such a child is looked for beside
/// it.
fn beside(file: &str, inner: &str, name: &str, exists: &dyn Fn(&str) -> bool) -> Option<String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let inner = inner.replace("::", "/");
    let base = below(&format!("{folder}{inner}/{name}"), "").to_owned();
    let forms = [format!("{base}.rs"), format!("{base}/mod.rs")];
    forms.into_iter().find(|form| exists(form))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declaration(
        file: &str,
        file_module: &str,
        module_path: &str,
        name: &str,
        path: Option<&str>,
    ) -> Declaration {
        Declaration {
            file: file.to_owned(),
            file_module: file_module.to_owned(),
            module_path: module_path.to_owned(),
            name: name.to_owned(),
            path: path.map(str::to_owned),
        }
    }

    #[test]
    fn a_declared_path_gives_a_file_and_its_children_their_modules() {
        let files = [
            "src/lib.rs",
            "src/sys/unix.rs",
            "src/sys/child.rs",
            "src/inline/x.rs",
            "src/a/deep/y.rs",
            "src/a.rs",
        ];
        let declarations = [
            declaration("src/lib.rs", "crate", "crate", "imp", Some("sys/unix.rs")),
            declaration("src/lib.rs", "crate", "crate", "a", None),
            declaration(
                "src/lib.rs",
                "crate",
                "crate::inline",
                "other",
                Some("x.rs"),
            ),
            declaration(
                "src/sys/unix.rs",
                "crate::sys::unix",
                "crate::sys::unix",
                "child",
                None,
            ),
            declaration("src/a.rs", "crate::a", "crate::a::deep", "z", Some("y.rs")),
            declaration(
                "src/a.rs",
                "crate::a",
                "crate::a",
                "gone",
                Some("../../../etc/passwd"),
            ),
            declaration(
                "src/sys/child.rs",
                "crate::sys::child",
                "crate::sys::child",
                "again",
                Some("unix.rs"),
            ),
        ];
        let found = overrides(&declarations, &|path| files.contains(&path));
        let mut found: Vec<(&str, &str)> = found
            .iter()
            .map(|(file, module)| (file.as_str(), module.as_str()))
            .collect();
        found.sort_unstable();
        assert_eq!(
            found,
            [
                ("src/a/deep/y.rs", "crate::a::deep::z"),
                ("src/inline/x.rs", "crate::inline::other"),
                ("src/sys/child.rs", "crate::imp::child"),
                ("src/sys/unix.rs", "crate::imp"),
            ]
        );
    }
}

//! The names of Python modules and items.

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;
use std::collections::HashSet;

use crate::limits::MAX_IMPORTED_NAMES;
use crate::parse::text::collapsed;

/// Folders that are not part of module names.
const ROOTS: [&str; 2] = ["src", "site-packages"];
/// The file that makes a folder a package.
pub(super) const PACKAGE: &str = "__init__";
/// The most characters of a condition around an item.
const CONDITION_CHARACTERS: usize = 200;

/// Returns the module of a file from its path: `src/requests/models.py` is `requests.models`,
/// `requests/__init__.py` is `requests`.
pub(super) fn module_of(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut parts: Vec<&str> = stem.split('/').collect();
    if parts.last() == Some(&PACKAGE) && parts.len() > 1 {
        parts.pop();
    }
    // The last name itself is not a root folder.
    let folders = parts.len() - 1;
    let root = parts
        .iter()
        .take(folders)
        .rposition(|part| ROOTS.contains(part));
    let from = root.map_or(0, |root| root + 1);
    parts.get(from..).unwrap_or_default().join(".")
}

/// Returns true if a file is the module of a package.
pub(super) fn is_package(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next() == Some(PACKAGE)
}

/// Returns the public names of a module, which are in `__all__`.
pub(super) fn public_names(body: &[Stmt]) -> HashSet<String> {
    let mut names = HashSet::new();
    for statement in body {
        match statement {
            Stmt::Assign(assign) if assign.targets.iter().any(is_all) => {
                add_texts(&assign.value, &mut names);
            }
            Stmt::AnnAssign(assign) if is_all(&assign.target) => {
                if let Some(value) = &assign.value {
                    add_texts(value, &mut names);
                }
            }
            Stmt::AugAssign(assign) if is_all(&assign.target) => {
                add_texts(&assign.value, &mut names);
            }
            // `__all__.extend(["a"])`, `__all__.append("a")`.
            Stmt::Expr(expression) => {
                if let Expr::Call(call) = &*expression.value
                    && let Expr::Attribute(method) = &*call.func
                    && is_all(&method.value)
                {
                    for argument in &call.arguments.args {
                        add_texts(argument, &mut names);
                    }
                }
            }
            _ => {}
        }
    }
    names
}

fn is_all(target: &Expr) -> bool {
    matches!(target, Expr::Name(name) if name.id.as_str() == "__all__")
}

fn add_texts(value: &Expr, names: &mut HashSet<String>) {
    let elements = match value {
        Expr::List(list) => &list.elts,
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::StringLiteral(text) if names.len() < MAX_IMPORTED_NAMES => {
            names.insert(text.value.to_str().to_owned());
            return;
        }
        // Concatenated lists.
        Expr::BinOp(joined) => {
            add_texts(&joined.left, names);
            add_texts(&joined.right, names);
            return;
        }
        _ => return,
    };
    for element in elements {
        if let Expr::StringLiteral(text) = element
            && names.len() < MAX_IMPORTED_NAMES
        {
            names.insert(text.value.to_str().to_owned());
        }
    }
}

/// Returns the text of a condition on one line.
pub(super) fn condition(text: &str, of: &impl Ranged) -> String {
    let range = of.start().to_usize()..of.end().to_usize();
    collapsed(text.get(range).unwrap_or_default(), CONDITION_CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_called_as_code_imports_it() {
        for (path, module) in [
            ("a.py", "a"),
            ("a/b.py", "a.b"),
            ("a/__init__.py", "a"),
            ("a/__init__.pyi", "a"),
            ("src/a/b.py", "a.b"),
            ("python/src/a/__init__.py", "a"),
            ("src/a.py", "a"),
            ("src/__init__.py", "src"),
            ("src.py", "src"),
            ("__init__.py", "__init__"),
            ("venv/lib/python3.13/site-packages/a/b.py", "a.b"),
            ("tests/test_a.py", "tests.test_a"),
            ("a/__main__.py", "a.__main__"),
        ] {
            assert_eq!(module_of(path), module, "{path}");
        }
    }
}

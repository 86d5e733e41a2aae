//! Words in the path of a file that describe its code.

/// Folders and stems that do not describe their content.
const SILENT: &[&str] = &["src", "crates", "packages", "mod", "lib", "main", "index"];

/// Returns the file's name without its extension.
#[must_use]
pub fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// Returns the subject of a file: its stem, or the name of its folder if the stem is `mod`, `lib`,
/// `main` or `index`.
#[must_use]
pub fn subject(path: &str) -> &str {
    telling_parts(path).last().unwrap_or_else(|| stem(path))
}

/// Returns the folders and the stem of a path, without the names in `SILENT`.
pub fn telling_parts(path: &str) -> impl Iterator<Item = &str> {
    let name_at = path.rfind(['/', '\\']).map_or(0, |at| at.saturating_add(1));
    let folders = path.get(..name_at).unwrap_or_default();
    folders
        .split(['/', '\\'])
        .chain(std::iter::once(stem(path)))
        .filter(|part| !part.is_empty() && !SILENT.contains(part))
}

#[cfg(test)]
mod tests {
    use super::{stem, subject, telling_parts};

    #[test]
    fn a_module_file_is_about_its_folder() {
        assert_eq!(subject("axum/src/routing/mod.rs"), "routing");
        assert_eq!(subject("tokio/src/task/join_set.rs"), "join_set");
        assert_eq!(subject("src/lib.rs"), "lib");
    }

    #[test]
    fn a_path_tells_its_folders_and_its_stem() {
        let parts: Vec<_> = telling_parts("crates/fetch/src/retry_after.test.ts").collect();
        assert_eq!(parts, ["fetch", "retry_after"]);
        assert_eq!(stem(".gitignore"), ".gitignore");
        assert_eq!(stem(""), "");
    }
}

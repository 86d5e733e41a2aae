//! Paths of files and the folders that they are in.

/// Returns true if a path is a folder, or is in it.
pub(super) fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the rest of a path below a folder.
pub(super) fn below<'p>(path: &'p str, folder: &str) -> &'p str {
    let rest = path.strip_prefix(folder).unwrap_or(path);
    rest.strip_prefix('/').unwrap_or(rest)
}

//! Paths of files, relative to the root of the workspace and with `/`. A valid path means the same
//! file on every system.

use std::ops::RangeInclusive;

use base::devices::is_device;
use base::{Error, Result, text};
use icu_normalizer::ComposingNormalizerBorrowed;

use crate::limits::{MAX_PATH_BYTES, MAX_PATH_PARTS};

/// Characters of a path that an error shows.
const SHOWN_CHARACTERS: usize = 80;

/// The folder that belongs to git: programs in it may be executed.
const GIT_FOLDER: &str = ".git";

/// Characters that HFS+ ignores in names; the list is that of git.
const UNSEEN: [RangeInclusive<char>; 4] = [
    '\u{200c}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{206a}'..='\u{206f}',
    '\u{feff}'..='\u{feff}',
];

/// A valid path of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FilePath(String);

impl FilePath {
    /// Checks a path.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for a path that is absolute, leaves the workspace, or
    /// is not a valid file name on every system.
    pub fn parse(path: &str) -> Result<Self> {
        match complaint(path) {
            None => Ok(Self(path.to_owned())),
            Some((what, hint)) => Err(Error::invalid_with_hint(
                format!("the path {:?} {what}", text::cut(path, SHOWN_CHARACTERS)),
                hint,
            )),
        }
    }

    /// Parses a path as people and models write it: also with `./` at its start, or as an absolute
    /// path below the root.
    ///
    /// # Errors
    /// As [`FilePath::parse`].
    pub fn parse_given(path: &str, root: &str) -> Result<Self> {
        Self::parse(within(path, root))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns a path relative to the root of the workspace.
pub(crate) fn within<'p>(path: &'p str, root: &str) -> &'p str {
    let below = path
        .strip_prefix(root)
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(path);
    let mut below = below;
    while let Some(rest) = below.strip_prefix("./") {
        below = rest;
    }
    below
}

fn complaint(path: &str) -> Option<(String, &'static str)> {
    let use_relative = "name the file from the root of the workspace, such as src/lib.rs";
    if path.is_empty() {
        return Some(("is empty".to_owned(), use_relative));
    }
    if path.len() > MAX_PATH_BYTES {
        return Some((
            format!("has {} bytes, the limit is {MAX_PATH_BYTES}", path.len()),
            "use shorter names",
        ));
    }
    if path.chars().any(char::is_control) {
        return Some(("has a control character".to_owned(), "rename the file"));
    }
    if path.contains('\\') {
        return Some((
            "has a backslash".to_owned(),
            "write / between the parts of a path",
        ));
    }
    if path.starts_with('/') {
        return Some(("is absolute".to_owned(), use_relative));
    }
    let mut first = path.chars();
    if first
        .next()
        .is_some_and(|drive| drive.is_ascii_alphabetic())
        && first.next() == Some(':')
    {
        return Some(("begins with a drive".to_owned(), use_relative));
    }
    let parts: Vec<&str> = path.split('/').collect();
    if parts.len() > MAX_PATH_PARTS {
        return Some((
            format!("has {} parts, the limit is {MAX_PATH_PARTS}", parts.len()),
            "use fewer folders",
        ));
    }
    parts.iter().find_map(|part| match *part {
        "" => Some((
            "has an empty part".to_owned(),
            "write one / between the parts of a path",
        )),
        "." | ".." => Some((format!("has the part {part:?}"), use_relative)),
        _ => reserved(part).map(|what| {
            (
                format!("has the part {part:?}, which {what}"),
                "rename it, or leave it out",
            )
        }),
    })
}

fn reserved(part: &str) -> Option<&'static str> {
    let lower = part.to_ascii_lowercase();
    if is_git_folder(&lower) {
        return Some("belongs to git");
    }
    if is_device(part) {
        return Some("names a device on Windows");
    }
    if part.contains(':') {
        return Some("names a stream of another file on Windows");
    }
    // Windows ignores them, so the path would mean another file.
    part.ends_with(['.', ' '])
        .then_some("ends with a dot or a blank")
}

/// Returns true if some file system treats the name, in lower case, as that of git's folder: NTFS
/// ignores dots and spaces at the end, has streams after a colon and short names such as `GIT~1`;
/// HFS+ ignores invisible characters.
fn is_git_folder(part: &str) -> bool {
    let seen: String = part
        .split(':')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|character| !UNSEEN.iter().any(|range| range.contains(character)))
        .collect();
    let name = seen.trim_end_matches(['.', ' ']);
    let is_short = name
        .strip_prefix("git~")
        .is_some_and(|number| number.chars().all(|digit| digit.is_ascii_digit()));
    name == GIT_FOLDER || is_short
}

/// Returns a path without differences in case and in Unicode normalization. Two files with the same
/// folded path are the same file on some systems.
pub fn folded(path: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc()
        .normalize(&path.to_lowercase())
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_file_within_the_workspace() {
        for path in [
            "src/lib.rs",
            "a",
            "ä/ö.rs",
            "a b/c",
            ".gitignore",
            "console/con_x.rs",
            "a..b/c",
            "..a/...b",
            "x.git/y",
            "git~a/b",
            " a/ b",
        ] {
            assert!(FilePath::parse(path).is_ok(), "{path}");
        }
        for path in [
            "",
            "/etc/passwd",
            ".git./config",
            ".GIT . ./config",
            "a/git~1/config",
            ".git::$INDEX_ALLOCATION/x",
            ".g\u{200c}it/config",
            "../a",
            "a/../b",
            "a/./b",
            "a//b",
            "a/",
            "C:/a",
            "c:a",
            "a\\b",
            "\\\\host\\a",
            "a\0b",
            "a\nb",
            "nul",
            "x/Con.txt",
            "COM¹",
            "src/lpt³.rs",
            "CONIN$",
            "a/conout$.txt",
            "con .txt",
            "con /a",
            "aux./a",
            "AUX.",
            "ｃｏｎ",
            "nul:x/a",
            "src/lib.rs::$DATA",
            "a:b",
            "src/lib.rs.",
            "src/lib.rs ",
            "src./lib.rs",
            "a../b",
            ".../a",
            ".git/hooks/x",
            "a/.GIT/config",
        ] {
            assert!(FilePath::parse(path).is_err(), "{path}");
        }
        assert!(FilePath::parse(&"a/".repeat(100)).is_err());
        assert!(FilePath::parse(&"a".repeat(5_000)).is_err());
    }

    #[test]
    fn people_write_paths_in_several_ways() {
        for path in ["src/a.rs", "./src/a.rs", "/ws/src/a.rs", "././src/a.rs"] {
            assert_eq!(
                FilePath::parse_given(path, "/ws").unwrap().as_str(),
                "src/a.rs"
            );
        }
        assert!(FilePath::parse_given("/wsx/src/a.rs", "/ws").is_err());
        assert!(FilePath::parse_given("/ws/../a.rs", "/ws").is_err());
    }

    #[test]
    fn paths_that_some_systems_take_for_the_same_are_folded_to_the_same() {
        assert_eq!(folded("Src/LIB.rs"), folded("src/lib.rs"));
        assert_eq!(folded("a\u{308}"), folded("\u{e4}"));
        assert_ne!(folded("a"), folded("b"));
    }
}

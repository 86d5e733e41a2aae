//! Rows of files, and their bytes.

use base::{Error, Result};
use database::{Bind, Database, DatabaseExt};

use super::rows::{Row, optional, row, rows};
use crate::CodeError;
use crate::limits::{CONTENT_PIECE_BYTES, MAX_LISTED_CANDIDATES, SEARCHED_FILES_AT_A_TIME};
use crate::model::{Language, Placement};
use crate::project::{FilePath, Matcher, PathPattern};

/// The columns of a file, in the order of [`FileRow::read`].
macro_rules! file_columns {
    () => {
        "f.file, f.path, f.content, f.language, f.byte_len, f.line_count, f.modified_ms, f.file_hash, f.tracking_hash, f.parsed, f.reason, \
         f.crate_name, f.namespace, f.module_path, f.valid_from, f.valid_to"
    };
}

/// The rows of version `?1`.
macro_rules! standing_files {
    () => {
        "code_files AS f WHERE f.valid_from <= ?1 AND f.valid_to > ?1"
    };
}

/// The condition that the path of a file is `?2`, ends with `?2`, or is itself the end of `?2`.
/// Only whole parts between slashes are compared.
macro_rules! file_ends_as {
    () => {
        "(f.path = ?2 OR substr(f.path, -length(?2) - 1) = '/' || ?2 OR substr(?2, -length(f.path) - 1) = '/' || f.path)"
    };
}
pub(super) use file_ends_as;

const BY_PATH: &str = concat!(
    "SELECT ",
    file_columns!(),
    " FROM ",
    standing_files!(),
    " AND f.path = ?2"
);
const AFTER: &str = concat!(
    "SELECT ",
    file_columns!(),
    " FROM ",
    standing_files!(),
    " AND f.path >= ?2 AND (?3 IS NULL OR f.path = ?3 OR substr(f.path, 1, length(?3) + 1) = ?3 || '/') AND (?4 IS NULL OR f.language = ?4) AND (?5 IS NULL OR f.crate_name = ?5) \
     ORDER BY f.path LIMIT ?6"
);
const FOLDED: &str = concat!(
    "SELECT f.path FROM ",
    standing_files!(),
    " AND f.folded = ?2 AND f.path <> ?3 ORDER BY f.path LIMIT ?4"
);
const NEAR: &str = concat!(
    "SELECT f.path FROM ",
    standing_files!(),
    " ORDER BY f.path LIMIT ?2"
);
const ENDING: &str = concat!(
    "SELECT f.path FROM ",
    standing_files!(),
    " AND ",
    file_ends_as!(),
    " ORDER BY f.path LIMIT ?3"
);
const PLACES: &str = concat!(
    "SELECT f.file, f.path, f.crate_name FROM ",
    standing_files!(),
    " ORDER BY f.file"
);
const CARGO: &str = concat!(
    "SELECT ",
    file_columns!(),
    " FROM ",
    standing_files!(),
    " AND f.language = 'cargo' ORDER BY f.path LIMIT ?2"
);
/// The last row of each text, which was valid until its `valid_to`.
const PAST: &str = concat!(
    "SELECT ",
    file_columns!(),
    ", max(f.valid_to) FROM code_files AS f WHERE f.path = ?1 AND (f.file_hash = ?2 OR f.tracking_hash = ?2) AND f.valid_from < f.valid_to \
     GROUP BY f.content ORDER BY f.valid_to DESC LIMIT ?3"
);
const CONTENT: &str = "SELECT bytes FROM code_content WHERE content = ?1 ORDER BY sequence";
const INSERT_CONTENT: &str =
    "INSERT INTO code_content (content, sequence, bytes) VALUES (?1, ?2, ?3)";

/// A file of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// Its number.
    pub file: u64,
    /// Its path.
    pub path: String,
    pub(crate) content: u64,
    /// Its language.
    pub language: Language,
    /// The number of its bytes.
    pub byte_len: u64,
    /// The number of its lines.
    pub line_count: u64,
    /// The time of its last change at its origin, in milliseconds since 1970.
    pub modified_ms: u64,
    /// The hash of its bytes.
    pub file_hash: String,
    /// The hash of its tokens.
    pub tracking_hash: String,
    /// True if the whole file was parsed.
    pub parsed: bool,
    /// The reason why it was not.
    pub reason: Option<String>,
    /// The name of its crate in Rust; empty outside of crates.
    pub crate_name: String,
    /// The namespace of its crate.
    pub namespace: String,
    /// Its module; empty if it is not Rust.
    pub module_path: String,
    /// The version that wrote it.
    pub valid_from: u64,
    /// The version that ended it.
    pub valid_to: u64,
}

impl FileRow {
    fn read(row: &mut Row) -> Self {
        Self {
            file: row.number(),
            path: row.text(),
            content: row.number(),
            language: Language::of(&row.text()).unwrap_or(Language::Text),
            byte_len: row.number(),
            line_count: row.number(),
            modified_ms: row.number(),
            file_hash: row.text(),
            tracking_hash: row.text(),
            parsed: row.flag(),
            reason: row.optional_text(),
            crate_name: row.text(),
            namespace: row.text(),
            module_path: row.text(),
            valid_from: row.number(),
            valid_to: row.number(),
        }
    }

    /// Returns true if its crate and module are those of a placement.
    pub(crate) fn is_placed(&self, placement: &Placement) -> bool {
        self.crate_name == placement.crate_name
            && self.module_path == placement.module_path
            && self.namespace == placement.namespace.to_string()
    }
}

/// Returns the file with a path, if there is one.
pub(crate) fn find<D: Database>(db: &D, version: u64, path: &str) -> Result<Option<FileRow>> {
    row(
        db,
        BY_PATH,
        &[Bind::number(version), Bind::text(path)],
        FileRow::read,
    )
}

/// Returns the file with a path.
///
/// # Errors
/// [`CodeError::FileNotFound`] with the nearest paths.
pub(crate) fn require<D: Database>(db: &D, version: u64, path: &FilePath) -> Result<FileRow> {
    match find(db, version, path.as_str())? {
        Some(file) => Ok(file),
        None => Err(not_found(db, version, path.as_str())?),
    }
}

/// Returns the error for a missing file, with suggestions: files with the same name elsewhere
/// first.
pub(crate) fn not_found<D: Database>(db: &D, version: u64, path: &str) -> Result<Error> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut suggestions = ending(db, version, name)?;
    if suggestions.is_empty() {
        let most = u64::try_from(base::limits::MAX_COMPARED_NAMES).unwrap_or(u64::MAX);
        let paths = rows(
            db,
            NEAR,
            &[Bind::number(version), Bind::number(most)],
            Row::text,
        )?;
        suggestions = base::nearest(path, paths.iter().map(String::as_str));
    }
    let path = path.to_owned();
    Ok(Error::from(CodeError::FileNotFound { path, suggestions }))
}

/// Returns the first paths that end with this one, or with which this one ends, part by part: as
/// many as an error lists.
fn ending<D: Database>(db: &D, version: u64, path: &str) -> Result<Vec<String>> {
    let binds = [
        Bind::number(version),
        Bind::text(path),
        Bind::number(MAX_LISTED_CANDIDATES),
    ];
    rows(db, ENDING, &binds, Row::text)
}

/// A filter of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileFilter {
    /// The path of a file or a folder, or a pattern; `None` for all files.
    pub path: Option<PathPattern>,
    /// A language.
    pub language: Option<Language>,
    /// A crate.
    pub crate_name: Option<String>,
}

/// Returns files after a path, in their order.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a pattern that takes too long, and errors of the
/// engine.
pub(crate) fn after<D: Database>(
    db: &D,
    version: u64,
    path: &str,
    filter: &FileFilter,
    limit: u64,
) -> Result<Vec<FileRow>> {
    starting_with(db, version, &behind(path), filter, limit)
}

/// Returns the least text that sorts after a path and can precede another path: paths contain no
/// control characters.
fn behind(path: &str) -> String {
    format!("{path}\u{1}")
}

/// Returns files from a path on, in their order.
///
/// # Errors
/// As [`after`].
pub(crate) fn starting_with<D: Database>(
    db: &D,
    version: u64,
    path: &str,
    filter: &FileFilter,
    limit: u64,
) -> Result<Vec<FileRow>> {
    let wild = filter.path.as_ref().filter(|pattern| pattern.is_wild());
    let Some(pattern) = wild else {
        return page(db, version, path, filter, limit);
    };
    let mut matcher = Matcher::new(std::slice::from_ref(pattern));
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    let mut last = path.to_owned();
    loop {
        let files = page(db, version, &last, filter, SEARCHED_FILES_AT_A_TIME)?;
        let Some(end) = files.last() else {
            return Ok(found);
        };
        last = behind(&end.path);
        for file in files {
            if matcher.fits(&file.path)? {
                found.push(file);
            }
            if found.len() >= most {
                return Ok(found);
            }
        }
    }
}

/// Returns a page of files by a filter that the engine can apply: a file or a folder.
fn page<D: Database>(
    db: &D,
    version: u64,
    path: &str,
    filter: &FileFilter,
    limit: u64,
) -> Result<Vec<FileRow>> {
    let folder = filter.path.as_ref().and_then(PathPattern::folder);
    let binds = [
        Bind::number(version),
        Bind::text(path),
        optional(folder),
        optional(filter.language.map(Language::word)),
        optional(filter.crate_name.as_deref()),
        Bind::number(limit),
    ];
    rows(db, AFTER, &binds, FileRow::read)
}

/// Returns the numbers of the files of a version that patterns and crates let through. Empty lists
/// let all through.
pub(super) fn chosen<D: Database>(
    db: &D,
    version: u64,
    paths: &[PathPattern],
    crates: &[String],
) -> Result<Vec<u64>> {
    let mut matcher = Matcher::new(paths);
    let mut chosen = Vec::new();
    let places = rows(db, PLACES, &[Bind::number(version)], |row| {
        (row.number(), row.text(), row.text())
    })?;
    for (file, path, crate_name) in places {
        let in_crate = crates.is_empty() || crates.contains(&crate_name);
        if in_crate && matcher.fits(&path)? {
            chosen.push(file);
        }
    }
    Ok(chosen)
}

/// Returns other files that some systems do not distinguish from this one.
pub(crate) fn twins<D: Database>(db: &D, version: u64, path: &str) -> Result<Vec<String>> {
    let binds = [
        Bind::number(version),
        Bind::Text(crate::project::folded(path)),
        Bind::text(path),
        Bind::number(MAX_LISTED_CANDIDATES),
    ];
    rows(db, FOLDED, &binds, Row::text)
}

/// Returns the manifests of a version.
pub(crate) fn manifests<D: Database>(db: &D, version: u64, limit: u64) -> Result<Vec<FileRow>> {
    rows(
        db,
        CARGO,
        &[Bind::number(version), Bind::number(limit)],
        FileRow::read,
    )
}

/// Returns the bytes of a file.
pub(crate) fn content<D: Database>(db: &D, content: u64) -> Result<Vec<u8>> {
    let pieces = rows(db, CONTENT, &[Bind::number(content)], Row::bytes)?;
    Ok(match <[Vec<u8>; 1]>::try_from(pieces) {
        Ok([piece]) => piece,
        Err(pieces) => pieces.concat(),
    })
}

/// Returns the bytes of a file, unless they have been discarded.
pub(crate) fn kept_content<D: Database>(db: &D, content: u64) -> Result<Option<Vec<u8>>> {
    let pieces = rows(db, CONTENT, &[Bind::number(content)], Row::bytes)?;
    Ok((!pieces.is_empty()).then(|| pieces.concat()))
}

/// Returns the different texts of a path that have this hash, of bytes or of tokens, the newest
/// first.
pub(crate) fn past<D: Database>(db: &D, path: &str, hash: &str) -> Result<Vec<FileRow>> {
    let binds = [
        Bind::text(path),
        Bind::text(hash),
        Bind::number(MAX_LISTED_CANDIDATES),
    ];
    rows(db, PAST, &binds, FileRow::read)
}

/// Returns the text of a file.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] if the file is not UTF-8.
pub(crate) fn text<D: Database>(db: &D, file: &FileRow) -> Result<String> {
    String::from_utf8(content(db, file.content)?)
        .map_err(|_| Error::invalid(format!("{} is not UTF-8", file.path)))
}

/// Stores the bytes of a file.
pub(super) fn insert_content<D: Database>(db: &D, content: u64, bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        // An empty file has an empty piece, to distinguish it from a file whose bytes were
        // discarded.
        return insert_piece(db, content, 0, bytes);
    }
    for (sequence, piece) in (0..).zip(bytes.chunks(CONTENT_PIECE_BYTES)) {
        insert_piece(db, content, sequence, piece)?;
    }
    Ok(())
}

fn insert_piece<D: Database>(db: &D, content: u64, sequence: u64, piece: &[u8]) -> Result<()> {
    let binds = [
        Bind::number(content),
        Bind::number(sequence),
        Bind::Blob(piece.to_vec()),
    ];
    db.run(INSERT_CONTENT, &binds).map(drop)
}

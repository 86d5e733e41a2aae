//! The directory: lists the files that belong to it, and reads or replaces one of them without ever
//! leaving it.
//!
//! Symbolic links are neither followed nor written through, in any part of a path below the
//! directory.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs::{self, File, FileType, Permissions};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use code_model::hash::file_hash;
use code_model::limits::MAX_FILE_BYTES;
use code_model::project::FilePath;
use ignore::WalkBuilder;

use crate::failure::{Failure, Result};
use crate::limits::UNCERTAIN_TIME_MS;

/// The folder for the command's own files. It contains a `.gitignore`, so that git ignores the
/// whole folder.
pub const OWN_FOLDER: &str = ".codemode";
const GIT: &str = ".git";

/// A directory on disk.
pub struct Directory {
    root: PathBuf,
}

/// The content at a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// No file.
    Missing,
    /// Something other than a plain file in plain folders. Holds a description.
    Irregular(&'static str),
    /// The bytes of a file.
    Bytes(Vec<u8>),
}

/// The state of a file when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CachedFile {
    modified: SystemTime,
    bytes: u64,
    hash: String,
    at: SystemTime,
}

/// A cache of hashes, for files that need not be read again.
#[derive(Debug, Default)]
pub struct Hashes(HashMap<String, CachedFile>);

/// The files of a directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Each file with the hash of its bytes.
    pub files: BTreeMap<String, String>,
    /// Files that are not sent, each with the reason.
    pub left_out: BTreeMap<String, String>,
    /// The folders.
    pub folders: Vec<PathBuf>,
    /// Folders that could not be read, so that their content is unknown.
    pub unread: Vec<String>,
    /// The number of symbolic links.
    pub links: usize,
}

impl Directory {
    /// Opens a directory.
    ///
    /// # Errors
    /// [`Failure::Local`] if it does not exist.
    pub fn open(path: &Path) -> Result<Self> {
        let root = fs::canonicalize(path).map_err(Failure::local("open", path))?;
        if !root.is_dir() {
            return Err(Failure::NotWritable {
                path: root,
                what: "is not a directory",
            });
        }
        Ok(Self { root })
    }

    /// Returns its path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Lists the files that git would not ignore.
    pub fn list(&self, hashes: &mut Hashes) -> Listing {
        let mut listing = Listing::default();
        let mut seen = HashMap::new();
        let walk = WalkBuilder::new(&self.root)
            .hidden(false)
            .ignore(false)
            // As in git, ignore rules of parent folders apply only within a repository.
            .parents(
                self.root
                    .ancestors()
                    .any(|folder| folder.join(GIT).exists()),
            )
            .require_git(false)
            .follow_links(false)
            .filter_entry(|entry| {
                ![GIT, OWN_FOLDER]
                    .map(OsStr::new)
                    .contains(&entry.file_name())
            })
            .build();
        for entry in walk {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if is_missing(&error) => continue,
                Err(error) => {
                    listing.unread.push(error.to_string());
                    continue;
                }
            };
            let Some(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                listing.folders.push(entry.into_path());
            } else if kind.is_symlink() {
                listing.links += 1;
            } else {
                self.add(&mut listing, entry.path(), kind, (hashes, &mut seen));
            }
        }
        hashes.0 = seen;
        listing
    }

    fn add(
        &self,
        listing: &mut Listing,
        at: &Path,
        kind: FileType,
        (before, seen): (&Hashes, &mut HashMap<String, CachedFile>),
    ) {
        let Ok(below) = at.strip_prefix(&self.root) else {
            return;
        };
        let shown = below.to_string_lossy().into_owned();
        let parts: Option<Vec<&str>> = below.iter().map(OsStr::to_str).collect();
        let Some(parts) = parts else {
            listing
                .left_out
                .insert(shown, "its name is not valid Unicode".to_owned());
            return;
        };
        let path = parts.join("/");
        if let Err(error) = FilePath::parse(&path) {
            listing.left_out.insert(path, error.to_string());
            return;
        }
        if !kind.is_file() {
            listing
                .left_out
                .insert(path, "it is not a regular file".to_owned());
            return;
        }
        match hash_of(at, before.0.get(&path)) {
            Ok(Some(found)) => {
                listing.files.insert(path.clone(), found.hash.clone());
                seen.insert(path, found);
            }
            Ok(None) => {
                let reason = format!("it has more than {MAX_FILE_BYTES} bytes");
                listing.left_out.insert(path, reason);
            }
            // The file has been deleted since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                listing.left_out.insert(path, error.to_string());
            }
        }
    }

    /// Returns the time of a file's last change in seconds since 1970, or 0 if it is unknown.
    pub fn modified_seconds(&self, path: &FilePath) -> u64 {
        fs::symlink_metadata(self.root.join(path.as_str()))
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_secs())
    }

    /// Reads the content at a path.
    ///
    /// # Errors
    /// [`Failure::Local`].
    pub fn read(&self, path: &FilePath) -> Result<Content> {
        let mut at = self.root.clone();
        let mut parts = Path::new(path.as_str()).components().peekable();
        while let Some(part) = parts.next() {
            // A FilePath has no other components, but this function does not rely on that.
            let Component::Normal(name) = part else {
                return Ok(Content::Irregular("leaves the directory"));
            };
            at.push(name);
            let metadata = match fs::symlink_metadata(&at) {
                Ok(metadata) => metadata,
                Err(error) if is_absent(&error) => return Ok(Content::Missing),
                Err(error) => return Err(Failure::local("look at", &at)(error)),
            };
            let is_last = parts.peek().is_none();
            if metadata.is_symlink() {
                return Ok(Content::Irregular("is a symbolic link, or is in one"));
            }
            if is_last && !metadata.is_file() {
                return Ok(Content::Irregular("is not a plain file"));
            }
            if !is_last && !metadata.is_dir() {
                return Ok(Content::Missing);
            }
        }
        match read_limited(&at) {
            Ok(Some(bytes)) => Ok(Content::Bytes(bytes)),
            Ok(None) => Ok(Content::Irregular(
                "is larger than a file of a workspace may be",
            )),
            Err(error) if is_absent(&error) => Ok(Content::Missing),
            Err(error) => Err(Failure::local("read", &at)(error)),
        }
    }

    /// Returns the command's own folder, and creates it if necessary.
    ///
    /// # Errors
    /// [`Failure::NotWritable`] if something else has its name, [`Failure::Local`].
    pub fn own_folder(&self) -> Result<PathBuf> {
        let folder = self.root.join(OWN_FOLDER);
        match fs::create_dir(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Failure::local("make", &folder)(error)),
        }
        let metadata = fs::symlink_metadata(&folder).map_err(Failure::local("look at", &folder))?;
        if !metadata.is_dir() {
            return Err(Failure::NotWritable {
                path: folder,
                what: "is not a regular folder",
            });
        }
        let rule = folder.join(".gitignore");
        if fs::symlink_metadata(&rule).is_err() {
            write_new(&rule, b"*\n", None)?;
        }
        Ok(folder)
    }

    /// Prepares the replacement of a file: writes the new bytes to a temporary file in the
    /// command's own folder.
    ///
    /// # Errors
    /// [`Failure::Local`].
    pub fn prepare(
        &self,
        path: &FilePath,
        from_hash: &str,
        bytes: &[u8],
        number: usize,
    ) -> Result<Replacement> {
        let target = self.root.join(path.as_str());
        let permissions = fs::symlink_metadata(&target)
            .map_err(Failure::local("look at", &target))?
            .permissions();
        let temporary = self
            .own_folder()?
            .join(format!("{}-{number}.tmp", std::process::id()));
        // A killed process with the same number may have left such a file.
        drop(fs::remove_file(&temporary));
        write_new(&temporary, bytes, Some(permissions))?;
        Ok(Replacement {
            path: path.clone(),
            from_hash: from_hash.to_owned(),
            temporary,
            target,
        })
    }

    /// Returns true if a file is still the one that its replacement was made for.
    ///
    /// # Errors
    /// [`Failure::Local`].
    pub fn is_current(&self, replacement: &Replacement) -> Result<bool> {
        Ok(match self.read(&replacement.path)? {
            Content::Bytes(bytes) => file_hash(&bytes).to_string() == replacement.from_hash,
            Content::Missing | Content::Irregular(_) => false,
        })
    }
}

/// New bytes of a file, ready to be renamed into place. They are deleted if the value is dropped
/// before that.
#[derive(Debug)]
pub struct Replacement {
    /// The path of the file.
    pub path: FilePath,
    from_hash: String,
    temporary: PathBuf,
    target: PathBuf,
}

impl Replacement {
    /// Moves the new bytes into place.
    ///
    /// # Errors
    /// [`Failure::Local`].
    pub fn finish(self) -> Result<()> {
        fs::rename(&self.temporary, &self.target).map_err(Failure::local("replace", &self.target))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // After a rename, no file has this name.
        drop(fs::remove_file(&self.temporary));
    }
}

/// Writes a file that must not exist yet, and waits until the bytes are on disk.
///
/// # Errors
/// [`Failure::Local`].
pub fn write_new(path: &Path, bytes: &[u8], permissions: Option<Permissions>) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut file = File::options().write(true).create_new(true).open(path)?;
        file.write_all(bytes)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()
    };
    write().map_err(Failure::local("write", path))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn is_missing(error: &ignore::Error) -> bool {
    error.io_error().is_some_and(is_absent)
}

/// Reads a file; returns nothing if it has more bytes than a workspace accepts.
fn read_limited(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    File::open(path)?
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() <= MAX_FILE_BYTES).then_some(bytes))
}

/// Returns the hash of a file, from the cache if its time and size show that it did not change.
/// Returns nothing for a file that is too large.
fn hash_of(path: &Path, before: Option<&CachedFile>) -> io::Result<Option<CachedFile>> {
    let metadata = fs::symlink_metadata(path)?;
    let (modified, bytes, at) = (metadata.modified()?, metadata.len(), SystemTime::now());
    let known = before.filter(|seen| {
        let age = seen.at.duration_since(modified).unwrap_or_default();
        seen.modified == modified
            && seen.bytes == bytes
            && age >= Duration::from_millis(UNCERTAIN_TIME_MS)
    });
    if let Some(known) = known {
        return Ok(Some(known.clone()));
    }
    Ok(read_limited(path)?.map(|content| CachedFile {
        modified,
        bytes,
        hash: file_hash(&content).to_string(),
        at,
    }))
}

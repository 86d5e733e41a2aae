//! The directory: which files belong to it, and reading and replacing one of them without ever leaving it.
//!
//! Symbolic links are neither followed nor written through, in no part of a path below the directory.

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

/// The folder in which the command keeps what it needs. It has a rule for git that leaves it out.
pub const OWN_FOLDER: &str = ".codemode";
const GIT: &str = ".git";

/// A directory.
pub struct Directory {
    root: PathBuf,
}

/// What is at a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Missing,
    /// Something else than a plain file in plain folders.
    Irregular(&'static str),
    /// The bytes of a file.
    Bytes(Vec<u8>),
}

/// A file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    modified: SystemTime,
    bytes: u64,
    hash: String,
    at: SystemTime,
}

/// Hashes of files that need not be read again.
#[derive(Debug, Default)]
pub struct Hashes(HashMap<String, Seen>);

/// The files of a directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Each file with the hash of its bytes.
    pub files: BTreeMap<String, String>,
    /// What is there and does not go, with the reason.
    pub left_out: BTreeMap<String, String>,
    /// The folders.
    pub folders: Vec<PathBuf>,
    /// Folders that could not be read: nobody knows what is in them.
    pub unread: Vec<String>,
    /// How many symbolic links there are.
    pub links: usize,
}

impl Directory {
    /// Opens a directory.
    ///
    /// # Errors
    /// [`Failure::Local`] if there is none.
    pub fn open(path: &Path) -> Result<Self> {
        let root = fs::canonicalize(path).map_err(Failure::local("open", path))?;
        if !root.is_dir() {
            return Err(Failure::NotWritable {
                path: root,
                what: "is no directory",
            });
        }
        Ok(Self { root })
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The files that git would not ignore.
    pub fn list(&self, hashes: &mut Hashes) -> Listing {
        let mut listing = Listing::default();
        let mut seen = HashMap::new();
        let walk = WalkBuilder::new(&self.root)
            .hidden(false)
            .ignore(false)
            // Rules above count within a repository only, as git has it.
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
        (before, seen): (&Hashes, &mut HashMap<String, Seen>),
    ) {
        let Ok(below) = at.strip_prefix(&self.root) else {
            return;
        };
        let shown = below.to_string_lossy().into_owned();
        let parts: Option<Vec<&str>> = below.iter().map(OsStr::to_str).collect();
        let Some(parts) = parts else {
            listing
                .left_out
                .insert(shown, "its name is no Unicode".to_owned());
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
                .insert(path, "it is no plain file".to_owned());
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
            // It was there a moment ago.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                listing.left_out.insert(path, error.to_string());
            }
        }
    }

    /// When a file was changed last, in seconds since 1970; 0 where nobody knows.
    pub fn modified_seconds(&self, path: &FilePath) -> u64 {
        fs::symlink_metadata(self.root.join(path.as_str()))
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_secs())
    }

    /// What is at a path.
    ///
    /// # Errors
    /// [`Failure::Local`].
    pub fn read(&self, path: &FilePath) -> Result<Content> {
        let mut at = self.root.clone();
        let mut parts = Path::new(path.as_str()).components().peekable();
        while let Some(part) = parts.next() {
            // A FilePath has no other parts; this does not rely on it.
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
                return Ok(Content::Irregular("is no plain file"));
            }
            if !is_last && !metadata.is_dir() {
                return Ok(Content::Missing);
            }
        }
        match read_limited(&at) {
            Ok(Some(bytes)) => Ok(Content::Bytes(bytes)),
            Ok(None) => Ok(Content::Irregular(
                "is larger than files of a workspace are",
            )),
            Err(error) if is_absent(&error) => Ok(Content::Missing),
            Err(error) => Err(Failure::local("read", &at)(error)),
        }
    }

    /// The folder of the command, made if there is none.
    ///
    /// # Errors
    /// [`Failure::NotWritable`] if it is something else, [`Failure::Local`].
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
                what: "is no plain folder",
            });
        }
        let rule = folder.join(".gitignore");
        if fs::symlink_metadata(&rule).is_err() {
            write_new(&rule, b"*\n", None)?;
        }
        Ok(folder)
    }

    /// Prepares the replacement of a file: its new bytes are on disk, beside what the command keeps.
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
        // What a process of the same number left when it was killed.
        drop(fs::remove_file(&temporary));
        write_new(&temporary, bytes, Some(permissions))?;
        Ok(Replacement {
            path: path.clone(),
            from_hash: from_hash.to_owned(),
            temporary,
            target,
        })
    }

    /// Whether a file is still what its replacement is made for.
    ///
    /// # Errors
    /// [`Failure::Local`].
    pub fn is_current(&self, replacement: &Replacement) -> Result<bool> {
        Ok(match self.read(&replacement.path)? {
            Content::Bytes(bytes) => file_hash(&bytes).to_string() == replacement.from_hash,
            _ => false,
        })
    }
}

/// New bytes of a file that wait for their rename. Dropped before, they are deleted.
#[derive(Debug)]
pub struct Replacement {
    /// Which file.
    pub path: FilePath,
    from_hash: String,
    temporary: PathBuf,
    target: PathBuf,
}

impl Replacement {
    /// Puts the bytes where the file is.
    ///
    /// # Errors
    /// [`Failure::Local`].
    pub fn finish(self) -> Result<()> {
        fs::rename(&self.temporary, &self.target).map_err(Failure::local("replace", &self.target))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // After a rename there is nothing of this name.
        drop(fs::remove_file(&self.temporary));
    }
}

/// Writes a file that must not exist yet, and waits until the system has it.
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

/// The bytes of a file; none if there are more than a workspace takes.
fn read_limited(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    File::open(path)?
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() <= MAX_FILE_BYTES).then_some(bytes))
}

/// The hash of a file, of memory if its time and size say that it did not change; none for a file that is too large.
fn hash_of(path: &Path, before: Option<&Seen>) -> io::Result<Option<Seen>> {
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
    Ok(read_limited(path)?.map(|content| Seen {
        modified,
        bytes,
        hash: file_hash(&content).to_string(),
        at,
    }))
}

//! Why a command did not do what it was asked, and the exit code that says so to scripts.

use std::io;
use std::path::{Path, PathBuf};

/// How a command ended. The numbers are part of the interface, see `docs/codemode-command.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    /// All of it was done.
    Done = 0,
    /// Some files were left as they are; the output names them.
    LeftOut = 1,
    /// The arguments are not usable.
    Usage = 2,
    /// The server was not reached, or the connection ended.
    Unreachable = 3,
    /// The server refused, or its response is not usable.
    Refused = 4,
    /// The file system refused.
    Local = 5,
}

/// What stopped a command.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The arguments are not usable.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: &'static str,
    },
    /// The server was not reached, or the connection ended.
    #[error("no response from {url}: {reason}")]
    Unreachable {
        /// Whom was asked.
        url: String,
        /// What the client says.
        reason: String,
    },
    /// The server says no.
    #[error("the server refused {what}: {message} ({code})")]
    Refused {
        /// What was asked.
        what: String,
        /// The code of the error.
        code: String,
        /// Its message.
        message: String,
        /// Its hint.
        hint: Option<String>,
    },
    /// A response that this command does not understand, or must not follow.
    #[error("the response to {what} is not usable: {reason}")]
    Unusable {
        /// What was asked.
        what: String,
        /// Why.
        reason: String,
    },
    /// The file system says no.
    #[error("cannot {what} {}: {source}", path.display())]
    Local {
        /// What was tried.
        what: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file or folder is not what it must be.
    #[error("{} {what}", path.display())]
    NotWritable {
        /// Which one.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The system does not tell changes.
    #[error("cannot watch {}: {reason}", path.display())]
    Watch {
        /// Which folder.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
}

impl Failure {
    /// A refusal of the file system.
    pub fn local(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Local { what, path, source }
    }

    /// How a command ends that stops with it.
    pub fn ending(&self) -> Ending {
        match self {
            Self::Usage { .. } => Ending::Usage,
            Self::Unreachable { .. } => Ending::Unreachable,
            Self::Refused { .. } | Self::Unusable { .. } => Ending::Refused,
            Self::Local { .. } | Self::NotWritable { .. } | Self::Watch { .. } => Ending::Local,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Usage { hint, .. } => Some(hint),
            Self::Refused { hint, code, .. } => match code.as_str() {
                "UNAUTHORIZED" => {
                    Some("give the token of your tenant with --token or CODEMODE_TOKEN")
                }
                _ => hint.as_deref(),
            },
            Self::Unreachable { .. } => Some(
                "check --url; what was sent before stays, and the same command goes on from there",
            ),
            Self::Unusable { .. } => {
                Some("check that --url is the address of a Code Mode Database")
            }
            Self::NotWritable { .. } => {
                Some("the command writes to plain files in plain folders of the directory only")
            }
            Self::Watch { .. } => Some(
                "on Linux the number of watched folders is limited, see fs.inotify.max_user_watches",
            ),
            Self::Local { .. } => None,
        }
    }
}

/// What a function of this crate returns.
pub type Result<T> = std::result::Result<T, Failure>;

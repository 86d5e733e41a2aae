//! Failures of the command, and their exit codes for scripts.

use std::io;
use std::path::{Path, PathBuf};

/// The ending of a command. The numbers are part of the interface, see `docs/codemode-command.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    /// Everything was done.
    Done = 0,
    /// Some files were not changed; the output names them.
    LeftOut = 1,
    /// The arguments are not valid.
    Usage = 2,
    /// The server could not be reached, or the connection ended.
    Unreachable = 3,
    /// The server refused the request, or its response cannot be used.
    Refused = 4,
    /// The file system refused an operation.
    Local = 5,
}

/// The reasons that stop a command.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The arguments are not valid.
    #[error("{message}")]
    Usage {
        /// The error message.
        message: String,
        /// The hint.
        hint: &'static str,
    },
    /// The server could not be reached, or the connection ended.
    #[error("no response from {url}: {reason}")]
    Unreachable {
        /// The address of the server.
        url: String,
        /// The message of the HTTP client.
        reason: String,
    },
    /// The server refused a request.
    #[error("the server refused {what}: {message} ({code})")]
    Refused {
        /// The operation.
        what: String,
        /// The code of the error.
        code: String,
        /// Its message.
        message: String,
        /// Its hint.
        hint: Option<String>,
    },
    /// A response that the command does not understand, or must not follow.
    #[error("the response to {what} is invalid: {reason}")]
    Unusable {
        /// The operation.
        what: String,
        /// The reason.
        reason: String,
    },
    /// The file system refused an operation.
    #[error("cannot {what} {}: {source}", path.display())]
    Local {
        /// The verb of the operation.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file or folder of the wrong kind.
    #[error("{} {what}", path.display())]
    NotWritable {
        /// The file or folder.
        path: PathBuf,
        /// A description of it.
        what: &'static str,
    },
    /// The system cannot report changes of files.
    #[error("cannot watch {}: {reason}", path.display())]
    Watch {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        reason: String,
    },
}

impl Failure {
    /// Returns a function that makes a failure from an error of the file system.
    pub fn local(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Local { what, path, source }
    }

    /// Returns the ending of a command that stops with this failure.
    pub fn ending(&self) -> Ending {
        match self {
            Self::Usage { .. } => Ending::Usage,
            Self::Unreachable { .. } => Ending::Unreachable,
            Self::Refused { .. } | Self::Unusable { .. } => Ending::Refused,
            Self::Local { .. } | Self::NotWritable { .. } | Self::Watch { .. } => Ending::Local,
        }
    }

    /// Returns the hint.
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
                "check --url; changes that were sent before the error stay, and the same command continues from there",
            ),
            Self::Unusable { .. } => {
                Some("check that --url is the address of a Code Mode Database")
            }
            Self::NotWritable { .. } => {
                Some("the command only writes to regular files in regular folders of the directory")
            }
            Self::Watch { .. } => Some(
                "on Linux the number of watched folders is limited, see fs.inotify.max_user_watches",
            ),
            Self::Local { .. } => None,
        }
    }
}

/// The result of a function of this crate.
pub type Result<T> = std::result::Result<T, Failure>;

//! Why a program cannot be run at all. What goes wrong in one that runs is in `failure`.

use base::{Code, Problem};

/// The codes of [`SandboxError`].
pub mod codes {
    base::codes! {
        SANDBOX_UNAVAILABLE: NotBuiltIn,
        SANDBOX_BUSY: Overloaded,
    }
}

/// Why a program cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// The deployment has no Worker Loader binding.
    #[error("this deployment cannot run programs: it has no Worker Loader binding")]
    SandboxUnavailable,
    /// Every isolate of the session is in use.
    #[error("{message}")]
    SandboxBusy {
        /// What was waited for.
        message: String,
    },
}

impl Problem for SandboxError {
    fn code(&self) -> Code {
        match self {
            Self::SandboxUnavailable => codes::SANDBOX_UNAVAILABLE,
            Self::SandboxBusy { .. } => codes::SANDBOX_BUSY,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::SandboxUnavailable => {
                "with the Workers Paid plan, run codemode-database deploy without --free, or add [[worker_loaders]] with binding = \"LOADER\" to wrangler.toml (docs/deploying.md); or run programs in a sandbox of your own with GET /api/codemode/helpers.js"
            }
            Self::SandboxBusy { .. } => "wait for programs of this session to end, then try again",
        };
        Some(hint.to_owned())
    }
}

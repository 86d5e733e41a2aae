//! Errors that keep a program from running at all. Failures of a program that runs are in
//! `failure`.

use base::{Code, Problem};

/// The codes of [`SandboxError`].
pub mod codes {
    base::codes! {
        SANDBOX_UNAVAILABLE: NotBuiltIn,
        SANDBOX_BUSY: Overloaded,
        CALL_NOT_FOUND: NotFound,
    }
}

/// The reasons why a program cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// The deployment has no Worker Loader binding.
    #[error("this deployment cannot run programs: it has no Worker Loader binding")]
    SandboxUnavailable,
    /// Every isolate of the session is in use.
    #[error("{message}")]
    SandboxBusy {
        /// The error message, with the limit that was reached.
        message: String,
    },
    /// No program waits for the response to this call.
    #[error("no program waits for call {call} of the run {execution_id}")]
    CallNotFound {
        /// The run that the request named.
        execution_id: String,
        /// The number of the call.
        call: u64,
    },
}

impl Problem for SandboxError {
    fn code(&self) -> Code {
        match self {
            Self::SandboxUnavailable => codes::SANDBOX_UNAVAILABLE,
            Self::SandboxBusy { .. } => codes::SANDBOX_BUSY,
            Self::CallNotFound { .. } => codes::CALL_NOT_FOUND,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::SandboxUnavailable => {
                "with the Workers Paid plan, run codemode-database deploy without --free, or add [[worker_loaders]] with binding = \"LOADER\" to wrangler.toml (docs/deploying.md); or run programs in a sandbox of your own with GET /api/codemode/helpers.js"
            }
            Self::CallNotFound { .. } => {
                "respond once to each event host_call, with its executionId and call, in the session of the run, within hostCallTimeoutMs and while the response stream is open"
            }
            Self::SandboxBusy { .. } => "wait for programs of this session to end, then try again",
        };
        Some(hint.to_owned())
    }
}

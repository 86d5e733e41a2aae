//! Why a server gives no answer.

use super::transport::Broken;
use crate::limits::MAX_UPSTREAM_MESSAGE_CHARACTERS;

/// Why there is no answer. Texts are the server's own, shortened.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// No connection, or it broke.
    Connection(String),
    /// An HTTP status that is no answer.
    Status {
        /// The status.
        status: u16,
        /// What `Retry-After` asks for.
        retry_after_ms: Option<u64>,
        /// The beginning of the body.
        text: String,
    },
    /// 401 or 403.
    Unauthorized(u16),
    /// A redirect, which is not followed.
    Redirect(u16),
    /// What came is not the protocol.
    Protocol(String),
    /// More bytes than are read.
    TooLarge,
    /// An error of JSON-RPC.
    Refused {
        /// The HTTP status that it came with.
        status: u16,
        /// What `Retry-After` asks for.
        retry_after_ms: Option<u64>,
        /// The code.
        code: i64,
        /// The message.
        message: String,
        /// The versions that an error about versions lists.
        supported: Vec<String>,
    },
    /// The tool wants to ask its user something.
    InputRequired,
    /// The time is up.
    Timeout,
}

impl Failure {
    /// Whether the same request may succeed a little later.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Connection(_) => true,
            Self::Status { status, .. } | Self::Refused { status, .. } => {
                *status == 429 || (500..600).contains(status)
            }
            _ => false,
        }
    }

    /// When the server wants to be asked again.
    pub fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::Status { retry_after_ms, .. } | Self::Refused { retry_after_ms, .. } => {
                *retry_after_ms
            }
            _ => None,
        }
    }
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        Self::Connection(shorten(&broken.0))
    }
}

/// The beginning of a text of the server's, on one line.
pub fn shorten(text: &str) -> String {
    let mut short: String = text
        .chars()
        .take(MAX_UPSTREAM_MESSAGE_CHARACTERS)
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short.trim().to_owned()
}

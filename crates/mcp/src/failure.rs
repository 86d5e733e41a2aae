//! The reasons for which there is no response from a server.

use crate::authorization::TokenFailure;
use crate::limits::MAX_UPSTREAM_MESSAGE_CHARACTERS;
use base::text;
use net::transport::Broken;

/// A reason for which there is no response. Texts are quoted from the server and shortened.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// There was no connection, or it broke.
    Connection(String),
    /// There was no connection, or it broke, before the actual request was sent: during the
    /// handshake, or while the protocol version was found out.
    Unreached(String),
    /// A resumed event stream broke off again. The server had begun to work.
    Lost(String),
    /// Too much data is being read at the same time.
    NoRoom,
    /// An HTTP status of failure.
    Status {
        /// The status.
        status: u16,
        /// The wait that `Retry-After` demands.
        retry_after_ms: Option<u64>,
        /// The beginning of the body.
        text: String,
    },
    /// There is no access token. The server has not accepted any part of the request.
    Denied(TokenFailure),
    /// 401 or 403.
    Unauthorized {
        /// The status.
        status: u16,
        /// The server's description of the failure.
        text: String,
        /// JSON text of the data of a JSON-RPC error.
        data: Option<String>,
    },
    /// A redirect, which is not followed.
    Redirect(u16),
    /// The response is not a message, and the server has not shown that it speaks MCP at all.
    NotMcp(String),
    /// The response violates the protocol.
    Protocol(String),
    /// The response has more bytes than are read.
    TooLarge,
    /// A list of tools has more bytes than are read.
    ListTooLarge,
    /// The response nests deeper than is read.
    TooDeep,
    /// An error of JSON-RPC.
    Refused {
        /// The HTTP status of the response.
        status: u16,
        /// The wait that `Retry-After` demands.
        retry_after_ms: Option<u64>,
        /// The code; [`crate::NO_CODE`] if there is none.
        code: i64,
        /// The message.
        message: String,
        /// The versions that an error about versions lists.
        supported: Vec<String>,
        /// JSON text of the data; if it is long, cut with a mark.
        data: Option<String>,
    },
    /// The tool wants to ask its user something.
    InputRequired,
    /// The time is up.
    Timeout,
}

impl Failure {
    /// Returns true if the same request may succeed a little later.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Connection(_) | Self::Unreached(_) => true,
            Self::Denied(denied) => denied.may_pass(),
            Self::Status { status, .. } | Self::Refused { status, .. } => {
                *status == 429 || (500..600).contains(status)
            }
            Self::Lost(_)
            | Self::NoRoom
            | Self::Unauthorized { .. }
            | Self::Redirect(_)
            | Self::NotMcp(_)
            | Self::Protocol(_)
            | Self::TooLarge
            | Self::ListTooLarge
            | Self::TooDeep
            | Self::InputRequired
            | Self::Timeout => false,
        }
    }

    /// Returns true if the server may still be working when this failure interrupts its response.
    pub fn gave_up(&self) -> bool {
        matches!(
            self,
            Self::Connection(_) | Self::Lost(_) | Self::NoRoom | Self::TooLarge
        )
    }

    /// Returns the wait after which the server allows another request.
    pub fn retry_after_ms(&self) -> Option<u64> {
        if let Self::Status { retry_after_ms, .. } | Self::Refused { retry_after_ms, .. } = self {
            *retry_after_ms
        } else {
            None
        }
    }
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Off(how) => Self::Connection(shorten(&how)),
            Broken::NoRoom => Self::NoRoom,
        }
    }
}

impl From<TokenFailure> for Failure {
    fn from(denied: TokenFailure) -> Self {
        Self::Denied(denied)
    }
}

/// Returns the beginning of a server's text, on one line.
pub fn shorten(words: &str) -> String {
    let short = text::cut(words, MAX_UPSTREAM_MESSAGE_CHARACTERS);
    text::one_line(&short).trim().to_owned()
}

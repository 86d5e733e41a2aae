//! Why a server gives no response.

use crate::authorization::Denied;
use crate::limits::MAX_UPSTREAM_MESSAGE_CHARACTERS;
use base::text;
use net::transport::Broken;

/// Why there is no response. Texts are the server's own, shortened.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// No connection, or it broke.
    Connection(String),
    /// No connection, or it broke, before what was asked for was sent: at the handshake, or while the protocol version was found out.
    Unreached(String),
    /// An event stream that was taken up again broke off once more. The server had begun to work.
    Lost(String),
    /// Too much is being read at the same time.
    NoRoom,
    /// An HTTP status that is no response.
    Status {
        /// The status.
        status: u16,
        /// What `Retry-After` asks for.
        retry_after_ms: Option<u64>,
        /// The beginning of the body.
        text: String,
    },
    /// There is no access token. Nothing of what was asked for has been taken.
    Denied(Denied),
    /// 401 or 403.
    Unauthorized {
        /// The status.
        status: u16,
        /// What the server says of it.
        text: String,
        /// The JSON text of what else an error of JSON-RPC says.
        data: Option<String>,
    },
    /// A redirect, which is not followed.
    Redirect(u16),
    /// What came is no message, and the server has shown nothing else: it may be none of the protocol.
    NotMcp(String),
    /// What came does not keep to the protocol.
    Protocol(String),
    /// More bytes than are read.
    TooLarge,
    /// The same of a list of tools.
    ListTooLarge,
    /// More levels than are read.
    TooDeep,
    /// An error of JSON-RPC.
    Refused {
        /// The HTTP status that it came with.
        status: u16,
        /// What `Retry-After` asks for.
        retry_after_ms: Option<u64>,
        /// The code; [`crate::NO_CODE`] where there is none.
        code: i64,
        /// The message.
        message: String,
        /// The versions that an error about versions lists.
        supported: Vec<String>,
        /// The JSON text of what else the server says; cut with a mark where it is long.
        data: Option<String>,
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
            Self::Connection(_) | Self::Unreached(_) => true,
            Self::Denied(denied) => denied.may_pass(),
            Self::Status { status, .. } | Self::Refused { status, .. } => {
                *status == 429 || (500..600).contains(status)
            }
            _ => false,
        }
    }

    /// Whether the server may still be at work when its response has begun and this came in between.
    pub fn gave_up(&self) -> bool {
        matches!(
            self,
            Self::Connection(_) | Self::Lost(_) | Self::NoRoom | Self::TooLarge
        )
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
        match broken {
            Broken::Off(how) => Self::Connection(shorten(&how)),
            Broken::NoRoom => Self::NoRoom,
        }
    }
}

impl From<Denied> for Failure {
    fn from(denied: Denied) -> Self {
        Self::Denied(denied)
    }
}

/// The beginning of a text of the server's, on one line.
pub fn shorten(words: &str) -> String {
    let short = text::cut(words, MAX_UPSTREAM_MESSAGE_CHARACTERS);
    text::one_line(&short).trim().to_owned()
}

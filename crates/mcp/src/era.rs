//! Detects the protocol version of a server from a response or a refusal.
//!
//! Source: the specification of 2026-07-28, "Backward Compatibility" of Streamable HTTP and of
//! Versioning, and the observed responses of servers of 2025.

use std::borrow::Cow;

use serde::Deserialize;

use super::connection::{Era, Session};
use super::failure::Failure;
use super::message::Message;
use super::protocol::{
    HEADER_MISMATCH, INVALID_REQUEST, LEGACY_VERSION, LEGACY_VERSIONS, METHOD_NOT_FOUND,
    MISSING_CAPABILITY, MODERN_VERSION, UNSUPPORTED_VERSION,
};
use crate::limits::MAX_LOST_SESSION_RESULT_BYTES;

/// The code with which servers report an unknown session, whatever the status. Some libraries use
/// it for a timeout, too.
const SESSION_NOT_FOUND: i64 = -32001;

/// Lower-case words in the refusals of servers of the older protocol version that want a session or
/// another version.
const HANDSHAKE_WORDS: [&str; 5] = [
    "session",
    "protocol",
    "unsupported version",
    "initializ",
    "initialis",
];

/// The code with which servers refuse a request before the handshake, as language servers do (LSP
/// 3.17, `ServerNotInitialized`). Other servers use it for a resource that they do not have.
const NOT_INITIALIZED: i64 = -32002;

/// Lower-case words with which servers report that a session does not exist.
const LOST_WORDS: [&str; 24] = [
    "not found",
    "not exist",
    "no such",
    "no valid",
    "no active",
    "no session",
    "not active",
    "inactive",
    "unknown",
    "unrecognized",
    "not recognized",
    "invalid",
    "expired",
    "timed out",
    "stale",
    "terminated",
    "closed",
    "ended",
    "deleted",
    "destroyed",
    "gone",
    "lost",
    "no longer",
    "not initialized",
];

/// Lower-case words with which servers report that there was no handshake, although there was one.
const UNINITIALIZED_WORDS: [&str; 8] = [
    "before initiali",
    "server not initiali",
    "server is not initiali",
    "session not initiali",
    "session is not initiali",
    "connection not initiali",
    "re-initiali",
    "must be initiali",
];

/// The result of probing an unknown server with a modern request.
pub(super) enum ProbeOutcome {
    /// The server has the modern version, and this is its response.
    Modern(Result<Message, Failure>),
    /// The server wants a handshake. The failure is its refusal; none if it accepted the request
    /// without a handshake.
    Older(Option<Failure>),
    /// The failure does not show the version.
    Unclear(Failure),
}

impl ProbeOutcome {
    pub fn of(outcome: Result<Message, Failure>) -> Self {
        match outcome {
            Ok(message) if is_modern(&message) => Self::Modern(Ok(message)),
            Ok(_) => Self::Older(None),
            Err(failure) if may_want_handshake(&failure) => Self::Older(Some(failure)),
            Err(failure) if is_modern_refusal(&failure) => Self::Modern(Err(failure)),
            Err(failure) => Self::Unclear(failure),
        }
    }
}

/// A request that failed in a known protocol version.
pub(super) struct FailedRequest {
    pub failure: Failure,
    pub era: Era,
    /// The session of the request. None in the modern protocol version, and if the handshake failed
    /// before the request.
    pub session: Option<Session>,
}

impl FailedRequest {
    /// Returns true if the refusal means two things: the server has not accepted the request, and
    /// it may want another protocol version. The result of a tool comes with status 200, and is
    /// never such a refusal.
    pub fn may_want_another_era(&self) -> bool {
        let (status, code, text) = if let Failure::Refused {
            status,
            code,
            message,
            ..
        } = &self.failure
        {
            (*status, Some(*code), message)
        } else if let Failure::Status { status, text, .. } = &self.failure {
            (*status, None, text)
        } else {
            return false;
        };
        match (self.era, &self.session) {
            (Era::Modern, _) => {
                // The codes of the modern version, and its response to an unknown method.
                let in_order = matches!(code, Some(HEADER_MISMATCH | MISSING_CAPABILITY))
                    || (status == 404 && code == Some(METHOD_NOT_FOUND));
                is_refusal(status) && !in_order
            }
            // The handshake was refused: the request was not sent, whatever the status.
            (Era::Legacy, None) => is_refusal(status) || (200..300).contains(&status),
            // 404 ends a session, which has nothing to do with protocol versions.
            (Era::Legacy, Some(session)) => {
                (is_refusal(status) && is_modern_refusal(&self.failure))
                    || (status == 404 && session.id.is_none())
                    || (status == 400 && speaks_of_handshake(text))
            }
        }
    }

    /// Returns true if the server has deleted the session and so has not accepted the request. A
    /// request that is invalid because of its session was not carried out.
    pub fn ends_session(&self) -> bool {
        self.has_session_id()
            && (matches!(
                self.failure,
                Failure::Status { status: 404, .. } | Failure::Refused { status: 404, .. }
            ) || matches!(
                &self.failure,
                Failure::Refused { code, message, .. }
                    if *code == INVALID_REQUEST && speaks_of_lost_session(message)
            ))
    }

    /// Returns true if a text of the server says that it has deleted the session.
    pub fn may_have_ended_session(&self) -> bool {
        let (status, code, text) = if let Failure::Refused {
            status,
            code,
            message,
            ..
        } = &self.failure
        {
            (*status, Some(*code), message)
        } else if let Failure::Status { status, text, .. }
        | Failure::Unauthorized { status, text, .. } = &self.failure
        {
            (*status, None, text)
        } else {
            return false;
        };
        let says_so = (400..500).contains(&status) || code == Some(SESSION_NOT_FOUND);
        let is_told = (says_so && speaks_of_session(text)) || speaks_of_lost_session(text);
        // A restarted server has no sessions at all, with an id or without.
        let is_new = self.session.is_some() && speaks_of_no_handshake(code, text);
        is_new || (self.has_session_id() && (status == 410 || is_told))
    }

    fn has_session_id(&self) -> bool {
        self.session
            .as_ref()
            .is_some_and(|session| session.id.is_some())
    }

    /// Returns the failure to report if the server refused with `first` before: the failure of the
    /// handshake, unless the server does not know handshakes.
    pub fn after(self, first: Option<Failure>) -> Failure {
        let Some(first) = first else {
            return self.failure;
        };
        let no_handshake = self.session.is_none()
            && match &self.failure {
                failure if is_modern_refusal(failure) => true,
                // The first refusal asked for a handshake: only the reason for refusing it matters.
                _ if asks_for_handshake(&first) => false,
                // A temporary failure is worth reporting, unless it had occurred before.
                Failure::Status { status, text, .. } => {
                    matches!(status, 404..=406)
                        || (is_refusal(*status) && text.is_empty())
                        || first.may_pass()
                }
                // From a server that speaks the protocol, a response that does not is the news.
                Failure::NotMcp(_) => !matches!(first, Failure::Refused { .. }),
                Failure::Refused { code, .. } => *code == METHOD_NOT_FOUND,
                Failure::Connection(_)
                | Failure::Unreached(_)
                | Failure::Lost(_)
                | Failure::NoRoom
                | Failure::Denied(_)
                | Failure::Unauthorized { .. }
                | Failure::Redirect(_)
                | Failure::Protocol(_)
                | Failure::TooLarge
                | Failure::ListTooLarge
                | Failure::TooDeep
                | Failure::InputRequired
                | Failure::Timeout => false,
            };
        if no_handshake { first } else { self.failure }
    }
}

/// Returns true if a result has `resultType`, as every result of the modern protocol version does.
fn is_modern(message: &Message) -> bool {
    #[derive(Deserialize)]
    struct Kind {
        #[serde(rename = "resultType")]
        kind: Option<serde::de::IgnoredAny>,
    }
    message
        .result()
        .ok()
        .and_then(|result| serde_json::from_str::<Kind>(result.get()).ok())
        .is_some_and(|result| result.kind.is_some())
}

fn is_modern_refusal(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Refused {
            code: HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_VERSION,
            ..
        }
    )
}

fn lists_older_versions(failure: &Failure) -> bool {
    matches!(failure, Failure::Refused { code: UNSUPPORTED_VERSION, supported, .. }
        if !supported.iter().any(|version| version == MODERN_VERSION)
            && supported.iter().any(|version| LEGACY_VERSIONS.contains(&version.as_str())))
}

/// Returns true if a failure may mean that the server knows only the older protocol version: it
/// refused, and not in the way of the modern version.
fn may_want_handshake(failure: &Failure) -> bool {
    match failure {
        failure if is_modern_refusal(failure) => lists_older_versions(failure),
        // Some servers of the older version fail at unexpected input instead of refusing it, or
        // respond with anything.
        Failure::Refused { status, .. } | Failure::Status { status, .. } => {
            is_refusal(*status)
                || matches!(status, 200..=299 | 409)
                // A server that asks the client to retry later has understood the request.
                || (matches!(status, 500..=599) && failure.retry_after_ms().is_none())
        }
        Failure::NotMcp(_) => true,
        Failure::Connection(_)
        | Failure::Unreached(_)
        | Failure::Lost(_)
        | Failure::NoRoom
        | Failure::Denied(_)
        | Failure::Unauthorized { .. }
        | Failure::Redirect(_)
        | Failure::Protocol(_)
        | Failure::TooLarge
        | Failure::ListTooLarge
        | Failure::TooDeep
        | Failure::InputRequired
        | Failure::Timeout => false,
    }
}

/// Returns true if a status means that the server did not understand the request.
fn is_refusal(status: u16) -> bool {
    matches!(status, 400 | 404..=406 | 415 | 422)
}

fn speaks_of_session(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = text.split(|character: char| !character.is_alphanumeric());
    text.contains("session") || words.any(|word| word == "sid")
}

/// Returns true if a text says that a session does not exist. A tool that has sessions of its own
/// uses other words.
fn speaks_of_lost_session(text: &str) -> bool {
    let text = text.to_lowercase();
    speaks_of_session(&text) && LOST_WORDS.iter().any(|word| text.contains(word))
}

/// Returns true if a text says that there has been no handshake.
fn speaks_of_no_handshake(code: Option<i64>, text: &str) -> bool {
    let text = text.to_lowercase();
    (code == Some(NOT_INITIALIZED) && text.contains("initiali"))
        || UNINITIALIZED_WORDS.iter().any(|word| text.contains(word))
}

/// Returns true for a refusal which says only that a handshake or a session is needed first.
fn asks_for_handshake(failure: &Failure) -> bool {
    let (Failure::Refused { message: text, .. } | Failure::Status { text, .. }) = failure else {
        return false;
    };
    let text = text.to_lowercase();
    let ids = ["session-id", "session id", "session_id", "sessionid"];
    text.contains("initiali") || ids.iter().any(|id| text.contains(id))
}

/// Returns true if the result of a tool says that the server has lost the session: a single short
/// error and nothing else.
pub(super) fn tells_of_lost_session(message: &Message) -> bool {
    #[derive(Deserialize)]
    struct Said<'a> {
        #[serde(rename = "isError", default)]
        is_error: bool,
        #[serde(borrow, default)]
        content: Vec<Block<'a>>,
    }
    #[derive(Deserialize)]
    struct Block<'a> {
        #[serde(borrow, default)]
        text: Cow<'a, str>,
    }
    if message.len() > MAX_LOST_SESSION_RESULT_BYTES {
        return false;
    }
    let Ok(result) = message.result() else {
        return false;
    };
    let said: Option<Said<'_>> = serde_json::from_str(result.get()).ok();
    said.is_some_and(|said| match said.content.as_slice() {
        [block] => {
            said.is_error
                && (speaks_of_lost_session(&block.text)
                    || speaks_of_no_handshake(None, &block.text))
        }
        _ => false,
    })
}

fn speaks_of_handshake(text: &str) -> bool {
    let text = text.to_lowercase();
    HANDSHAKE_WORDS.iter().any(|word| text.contains(word))
}

/// Returns the newest version with sessions that a refusal names in its data or its text, other
/// than the version that was proposed.
pub(super) fn named_version(failure: &Failure) -> Option<&'static str> {
    let (text, data) = if let Failure::Refused { message, data, .. } = failure {
        (message, data.as_deref())
    } else if let Failure::Status { status, text, .. } = failure
        && is_refusal(*status)
    {
        (text, None)
    } else {
        return None;
    };
    let names =
        |version: &str| text.contains(version) || data.is_some_and(|data| data.contains(version));
    let others = LEGACY_VERSIONS.iter().copied();
    others
        .filter(|version| *version != LEGACY_VERSION)
        .find(|version| names(version))
}

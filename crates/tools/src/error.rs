//! The errors of tools on other servers. Results show them as a [`base::Error`].

use base::{Code, Problem, did_you_mean};
use serde_json::{Value, json};

use super::arguments::Issue;

/// The reason for which a request to another server failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// There was no connection, or it broke.
    Connection,
    /// The server responded with an HTTP status of failure.
    Status,
    /// The server refuses access.
    Unauthorized,
    /// The server redirects the request, but only configured URLs are called.
    Redirect,
    /// The response does not follow the protocol.
    Protocol,
    /// The result is larger than the limit.
    TooLarge,
    /// Too many large results are being read at the same time.
    Busy,
    /// The server responded with an error of the protocol.
    Refused,
    /// The tool asks its user for input, but there is no user.
    InputRequired,
}

impl Reason {
    /// Returns the name used in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Status => "status",
            Self::Unauthorized => "unauthorized",
            Self::Redirect => "redirect",
            Self::Protocol => "protocol",
            Self::TooLarge => "too_large",
            Self::Busy => "busy",
            Self::Refused => "refused",
            Self::InputRequired => "input_required",
        }
    }

    /// All reasons, for the documents.
    pub const ALL: &'static [Self] = &[
        Self::Connection,
        Self::Status,
        Self::Unauthorized,
        Self::Redirect,
        Self::Protocol,
        Self::TooLarge,
        Self::Busy,
        Self::Refused,
        Self::InputRequired,
    ];

    /// Says how to fix the failure, as far as the reason shows.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Connection => {
                "the server is down or unreachable; a call that changes something may still have been carried out"
            }
            Self::Status => "the server is failing; try again later",
            Self::Unauthorized => {
                "the operator must correct the server's headers or auth in MCP_SERVERS and the secrets that they name; a caller of a server with passThrough must send a valid x-codemode-auth-<server>"
            }
            Self::Redirect => {
                "the operator must put the final address into MCP_SERVERS: redirects are not followed"
            }
            Self::Protocol => {
                "this response does not follow MCP: the operator of the server must fix it; a call that changes something may still have been carried out"
            }
            Self::TooLarge => "ask the tool for less: a filter, fewer fields, a page",
            Self::Busy => {
                "make large calls one after the other, or ask the tool for less; a call that changes something may still have been carried out"
            }
            Self::Refused => "see the message of the server",
            Self::InputRequired => {
                "the tool asks its user for input, which a program cannot give: pass everything as arguments"
            }
        }
    }
}

/// Hint if the connection failed before anything was called.
pub const NOTHING_CALLED: &str = "the server is down or not reachable; nothing was called";

/// Hint if nothing indicates an MCP server.
pub const NO_MCP_SERVER: &str =
    "the address in MCP_SERVERS must be that of an MCP endpoint over Streamable HTTP";

/// Hint if a result nests too deep.
pub const TOO_DEEP: &str = "ask the tool for less, or for a flatter form; a call that changes something may still have been carried out";

/// Hint if a list is too large, for which the caller cannot ask for less.
pub const LIST_TOO_LARGE: &str = "the operator of the server must make it list its tools in pages";

/// Says how to fix the failure that an HTTP status reports.
pub fn hint_of_status(status: u16) -> &'static str {
    match status {
        404..=406 | 410 | 415 => NO_MCP_SERVER,
        403 => {
            "the server refuses access, because of the credentials, their permissions, or the origin of the request; the operator must check the server's entry in MCP_SERVERS, its secrets, and the server"
        }
        401 => Reason::Unauthorized.hint(),
        408 | 425 | 500..=599 => Reason::Status.hint(),
        413 => "the server does not accept a request of this size: pass smaller arguments",
        429 => {
            "the server limits the rate of requests: wait (retryAfterMs, if given), and make fewer calls at the same time"
        }
        _ => "the server does not accept the request: see its message",
    }
}

/// The codes of [`ToolError`].
pub mod codes {
    base::codes! {
        SERVER_NOT_FOUND: Invalid,
        TOOL_NOT_FOUND: Invalid,
        INVALID_ARGUMENTS: Invalid,
        UPSTREAM_FAILED: Upstream,
        UPSTREAM_AUTH_FAILED: Upstream,
        UPSTREAM_TIMEOUT: Timeout,
        // The server did answer: a retry, as clients do after a 5xx, would not help.
        UPSTREAM_TOOL_ERROR: Unprocessable,
    }
}

/// A failure before, in or after a call of a tool.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ToolError {
    /// There is no configured server of that name.
    #[error("no such server: {server}")]
    ServerNotFound {
        /// The given name.
        server: String,
        /// The existing names.
        available: Vec<String>,
        /// Similar names, the nearest first.
        suggestions: Vec<String>,
    },
    /// The server has no such tool.
    #[error("{server} has no tool {tool}")]
    ToolNotFound {
        /// The server.
        server: String,
        /// The given name.
        tool: String,
        /// The first of the existing names.
        available: Vec<String>,
        /// Similar names, the nearest first.
        suggestions: Vec<String>,
    },
    /// The arguments do not fit the tool's schema. Nothing was called.
    #[error("{message}")]
    InvalidArguments {
        /// The first issue, in words.
        message: String,
        /// All issues with their paths.
        issues: Vec<Issue>,
        /// The tool's input schema.
        schema: Value,
    },
    /// The server could not be reached, or did not respond properly.
    #[error("{server}: {message}")]
    UpstreamFailed {
        /// The server.
        server: String,
        /// The reason.
        reason: Reason,
        /// The failure in words.
        message: String,
        /// The HTTP status, if there was one.
        status: Option<u16>,
        /// The wait that the server demands before another request, if it does.
        retry_after_ms: Option<u64>,
        /// The data of the server's error beside its message.
        data: Option<Value>,
        /// The hint.
        hint: &'static str,
    },
    /// There is no access token for the server. Nothing was called.
    #[error("{server}: {message}")]
    UpstreamAuthFailed {
        /// The server.
        server: String,
        /// The step that failed.
        step: &'static str,
        /// The failure in words.
        message: String,
        /// The HTTP status, if there was one.
        status: Option<u16>,
        /// The hint.
        hint: &'static str,
    },
    /// The server took too long to respond.
    #[error("{server} did not respond within {timeout_ms} ms")]
    UpstreamTimeout {
        /// The server.
        server: String,
        /// The timeout.
        timeout_ms: u32,
    },
    /// The tool reports that it failed.
    #[error("{server}.{tool}: {message}")]
    UpstreamToolError {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The text of the tool.
        message: String,
    },
}

impl Problem for ToolError {
    fn code(&self) -> Code {
        match self {
            Self::ServerNotFound { .. } => codes::SERVER_NOT_FOUND,
            Self::ToolNotFound { .. } => codes::TOOL_NOT_FOUND,
            Self::InvalidArguments { .. } => codes::INVALID_ARGUMENTS,
            Self::UpstreamFailed { .. } => codes::UPSTREAM_FAILED,
            Self::UpstreamAuthFailed { .. } => codes::UPSTREAM_AUTH_FAILED,
            Self::UpstreamTimeout { .. } => codes::UPSTREAM_TIMEOUT,
            Self::UpstreamToolError { .. } => codes::UPSTREAM_TOOL_ERROR,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::ServerNotFound {
                suggestions,
                available,
                ..
            } => did_you_mean(suggestions).unwrap_or_else(|| match available.as_slice() {
                [] => "no server is configured: the operator must set MCP_SERVERS".to_owned(),
                names => format!("the servers are {}", names.join(", ")),
            }),
            Self::ToolNotFound {
                server,
                suggestions,
                available,
                ..
            } => did_you_mean(suggestions).unwrap_or_else(|| {
                if available.is_empty() {
                    format!("the server {server} has no tools at all")
                } else if session::is_own_server(server) {
                    format!("the operations are {}", available.join(", "))
                } else {
                    format!("GET /api/codemode/proxy?server={server} lists its tools")
                }
            }),
            // The message describes the first issue; a hint about another issue would be
            // misunderstood.
            Self::InvalidArguments { issues, .. } => match issues.first() {
                Some(issue) => did_you_mean(&issue.suggestions).unwrap_or_else(|| {
                    if issue.message.starts_with("missing parameter ") {
                        format!("add the parameter {}", issue.path)
                    } else {
                        "pass arguments that fit the schema".to_owned()
                    }
                }),
                None => "pass arguments that fit the schema".to_owned(),
            },
            Self::UpstreamFailed { hint, .. } | Self::UpstreamAuthFailed { hint, .. } => {
                (*hint).to_owned()
            }
            Self::UpstreamTimeout { server, .. } if server == crate::server::HOST => {
                "respond to each host_call sooner, or send a larger hostCallTimeoutMs; changes of the call may still have been made".to_owned()
            }
            Self::UpstreamTimeout { .. } => {
                "ask for less, or ask the operator to raise the server's timeoutMs; changes of the call may still have been made".to_owned()
            }
            Self::UpstreamToolError { .. } => return None,
        })
    }

    fn details(&self) -> Value {
        match self {
            Self::ServerNotFound {
                server,
                available,
                suggestions,
            } => {
                json!({ "server": server, "available": available, "suggestions": suggestions })
            }
            Self::ToolNotFound {
                server,
                tool,
                available,
                suggestions,
            } => {
                json!({ "server": server, "tool": tool, "available": available, "suggestions": suggestions })
            }
            Self::InvalidArguments { issues, schema, .. } => {
                let issues: Vec<Value> = issues.iter().map(Issue::to_json).collect();
                json!({ "issues": issues, "schema": schema })
            }
            Self::UpstreamFailed {
                server,
                reason,
                status,
                retry_after_ms,
                data,
                ..
            } => {
                let mut details =
                    json!({ "server": server, "reason": reason.name(), "status": status });
                let more = [
                    ("retryAfterMs", retry_after_ms.map(Value::from)),
                    ("data", data.clone()),
                ];
                for (name, value) in more {
                    if let (Some(value), Some(fields)) = (value, details.as_object_mut()) {
                        fields.insert(name.to_owned(), value);
                    }
                }
                details
            }
            Self::UpstreamAuthFailed {
                server,
                step,
                status,
                ..
            } => json!({ "server": server, "step": step, "status": status }),
            Self::UpstreamTimeout { server, timeout_ms } => {
                json!({ "server": server, "timeoutMs": timeout_ms })
            }
            Self::UpstreamToolError { server, tool, .. } => {
                json!({ "server": server, "tool": tool })
            }
        }
    }
}

//! What can go wrong with a tool of another server. The shape of a result is that of [`base::Error`], which carries this.

use base::{Code, Problem, did_you_mean};
use serde_json::{Value, json};

use super::arguments::Issue;

/// Why a request to another server failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// No connection, or it broke.
    Connection,
    /// The server responded with an HTTP status that is no result.
    Status,
    /// The server refuses access.
    Unauthorized,
    /// The server wants us to go elsewhere: only configured URLs are called.
    Redirect,
    /// What came is not the protocol.
    Protocol,
    /// The result is larger than is read.
    TooLarge,
    /// Too many large results are being read at the same time.
    Busy,
    /// The server responded with an error of the protocol.
    Refused,
    /// The tool asks its user for something, and nobody is there.
    InputRequired,
}

impl Reason {
    /// As it stands in results.
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

    /// All of them, for the documents.
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

    /// How to fix it, as far as the reason says.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Connection => {
                "the server is down or not reachable; a call that changes something may have been done all the same"
            }
            Self::Status => "the server is failing; try again later",
            Self::Unauthorized => {
                "the operator must correct the server's headers or auth in MCP_SERVERS and the secrets that they name; a caller of a server with passThrough must send a valid x-codemode-auth-<server>"
            }
            Self::Redirect => {
                "the operator must put the final address into MCP_SERVERS: redirects are not followed"
            }
            Self::Protocol => {
                "the server does not follow MCP in this response: whoever runs it must fix it; a call that changes something may have been done all the same"
            }
            Self::TooLarge => "ask the tool for less: a filter, fewer fields, a page",
            Self::Busy => {
                "make large calls one after the other, or ask the tool for less; a call that changes something may have been done all the same"
            }
            Self::Refused => "see the message of the server",
            Self::InputRequired => {
                "the tool asks its user for input, which a program cannot give: pass everything as arguments"
            }
        }
    }
}

/// Where no connection came about before anything was called.
pub const NOTHING_CALLED: &str = "the server is down or not reachable; nothing was called";

/// Where nothing speaks for an MCP server.
pub const NO_MCP_SERVER: &str =
    "the address in MCP_SERVERS must be that of an MCP endpoint over Streamable HTTP";

/// Where a result nests too deep.
pub const TOO_DEEP: &str = "ask the tool for less, or for a flatter form; a call that changes something may have been done all the same";

/// Where nobody can ask for less.
pub const LIST_TOO_LARGE: &str = "whoever runs the server must let it list its tools page by page";

/// How to fix what an HTTP status says.
pub fn hint_of_status(status: u16) -> &'static str {
    match status {
        404..=406 | 410 | 415 => NO_MCP_SERVER,
        403 => {
            "the server refuses access: because of the credentials, of what they are allowed, or of where the request comes from; the operator must look at the server's entry in MCP_SERVERS, its secrets, and the server"
        }
        401 => Reason::Unauthorized.hint(),
        408 | 425 | 500..=599 => Reason::Status.hint(),
        413 => "the server takes no request of this size: pass smaller arguments",
        429 => {
            "the server limits how often it is asked: wait, for retryAfterMs where that is given, and make fewer calls at the same time"
        }
        _ => "the server does not take the request: see its message",
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
        // The server did answer: repeating the request, as clients do after a 5xx, would not fix it.
        UPSTREAM_TOOL_ERROR: Unprocessable,
    }
}

/// A failure on the way to a tool, in it, or with its result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ToolError {
    /// No server of that name is configured.
    #[error("no such server: {server}")]
    ServerNotFound {
        /// The name given.
        server: String,
        /// The names that there are.
        available: Vec<String>,
        /// Nearest names first.
        suggestions: Vec<String>,
    },
    /// The server has no such tool.
    #[error("{server} has no tool {tool}")]
    ToolNotFound {
        /// The server.
        server: String,
        /// The name given.
        tool: String,
        /// The names that there are, the first of them.
        available: Vec<String>,
        /// Nearest names first.
        suggestions: Vec<String>,
    },
    /// The arguments do not fit the tool's schema. Nothing was called.
    #[error("{message}")]
    InvalidArguments {
        /// The first issue, in words.
        message: String,
        /// Each with its path.
        issues: Vec<Issue>,
        /// The tool's input schema.
        schema: Value,
    },
    /// The server could not be asked, or did not respond properly.
    #[error("{server}: {message}")]
    UpstreamFailed {
        /// The server.
        server: String,
        /// Why.
        reason: Reason,
        /// What happened.
        message: String,
        /// The HTTP status, where there was one.
        status: Option<u16>,
        /// When the server wants to be asked again, if it says so.
        retry_after_ms: Option<u64>,
        /// What the server says beside its message.
        data: Option<Value>,
        /// How to fix it.
        hint: &'static str,
    },
    /// There is no access token for the server. Nothing was called.
    #[error("{server}: {message}")]
    UpstreamAuthFailed {
        /// The server.
        server: String,
        /// What was asked for.
        step: &'static str,
        /// What happened.
        message: String,
        /// The HTTP status, where there was one.
        status: Option<u16>,
        /// How to fix it.
        hint: &'static str,
    },
    /// The server took too long.
    #[error("{server} did not respond within {timeout_ms} ms")]
    UpstreamTimeout {
        /// The server.
        server: String,
        /// The time it had.
        timeout_ms: u32,
    },
    /// The tool says that it failed.
    #[error("{server}.{tool}: {message}")]
    UpstreamToolError {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// Its text.
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
                [] => "no server is configured: the operator sets MCP_SERVERS".to_owned(),
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
                    format!("GET /api/codemode/proxy?server={server} shows what there is")
                }
            }),
            // The message names the first issue, and a hint about another one would be taken for a hint about that.
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
                "respond to each host_call sooner, or send a larger hostCallTimeoutMs; what the call changes may have been done all the same".to_owned()
            }
            Self::UpstreamTimeout { .. } => {
                "ask for less, or have the operator raise the server's timeoutMs; what the call changes may have been done all the same".to_owned()
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

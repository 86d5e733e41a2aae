//! Why there is no access token, without a word of the authorization server's own.

/// What was asked for on the way to a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The metadata of the protected resource, which the server itself has.
    ResourceMetadata,
    /// The metadata of the authorization server.
    ServerMetadata,
    /// The token.
    Token,
}

impl Step {
    /// As it stands in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::ResourceMetadata => "resource_metadata",
            Self::ServerMetadata => "server_metadata",
            Self::Token => "token",
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::ResourceMetadata => "the metadata of the protected resource",
            Self::ServerMetadata => "the metadata of the authorization server",
            Self::Token => "the access token",
        }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// No connection, or it broke.
    Unreached,
    /// No response in time.
    Silent {
        /// The time it had.
        timeout_ms: u64,
    },
    /// A status that is no success.
    Status {
        /// The status.
        status: u16,
        /// The registered name of the error, if the response has one.
        error: Option<&'static str>,
    },
    /// A response that cannot be used, and what is wrong with it.
    Unusable(&'static str),
}

/// Why there is no access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// What was asked for.
    pub step: Step,
    pub(super) fault: Fault,
}

impl Denied {
    pub(super) fn new(step: Step, fault: Fault) -> Self {
        Self { step, fault }
    }

    pub(super) fn unusable(step: Step, problem: &'static str) -> Self {
        Self::new(step, Fault::Unusable(problem))
    }

    /// Whether the same request may succeed a little later.
    pub fn may_pass(&self) -> bool {
        match self.fault {
            Fault::Unreached | Fault::Silent { .. } => true,
            Fault::Status { status, .. } => status == 429 || (500..600).contains(&status),
            Fault::Unusable(_) => false,
        }
    }

    /// The HTTP status, where there was one.
    pub fn status(&self) -> Option<u16> {
        match self.fault {
            Fault::Status { status, .. } => Some(status),
            _ => None,
        }
    }

    /// What happened.
    pub fn message(&self) -> String {
        let what = self.step.in_words();
        match &self.fault {
            Fault::Unreached => {
                format!("the request for {what} failed: no connection, or it broke")
            }
            Fault::Silent { timeout_ms } => {
                format!("the request for {what} had no response within {timeout_ms} ms")
            }
            Fault::Status {
                status,
                error: Some(error),
            } => format!("the request for {what} was rejected with status {status}, {error}"),
            Fault::Status { status, .. } if (300..400).contains(status) => format!(
                "the request for {what} was redirected with status {status}, and redirects are not followed"
            ),
            Fault::Status { status, .. } => {
                format!("the request for {what} was rejected with status {status}")
            }
            Fault::Unusable(problem) => format!("{what}: {problem}"),
        }
    }

    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        if self.may_pass() {
            return "the authorization server is down, busy or not reachable; nothing was called: try again later";
        }
        match (self.step, &self.fault) {
            (
                Step::Token,
                Fault::Status {
                    error: Some("invalid_scope" | "invalid_target"),
                    ..
                },
            ) => {
                "the operator must correct scope or resource in the auth of the server in MCP_SERVERS"
            }
            (
                Step::Token,
                Fault::Status {
                    error: Some("unauthorized_client" | "unsupported_grant_type"),
                    ..
                },
            ) => {
                "whoever runs the authorization server must allow the client the grant type client_credentials"
            }
            (Step::Token, Fault::Status { .. }) => {
                "the operator must correct the auth of the server in MCP_SERVERS (tokenUrl, clientId, clientSecret, authMethod) and the secrets that it names"
            }
            (Step::Token, _) => {
                "whoever runs the authorization server must return a bearer token as RFC 6749 says"
            }
            _ => {
                "the operator must correct issuer, or set tokenUrl, in the auth of the server in MCP_SERVERS; or whoever runs the server must correct its metadata"
            }
        }
    }
}

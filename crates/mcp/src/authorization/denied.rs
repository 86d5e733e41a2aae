//! The reasons for which there is no access token. They never quote the authorization server.

/// The request that failed on the way to a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The metadata of the protected resource, published by the server itself.
    ResourceMetadata,
    /// The metadata of the authorization server.
    ServerMetadata,
    /// The token.
    Token,
}

impl Step {
    /// Returns the name used in results.
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

/// The way in which the request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// There was no connection, or it broke.
    Unreached,
    /// There was no response in time.
    Silent {
        /// The timeout.
        timeout_ms: u64,
    },
    /// The status was not a success.
    Status {
        /// The status.
        status: u16,
        /// The registered name of the error, if the response has one.
        error: Option<&'static str>,
    },
    /// The response cannot be used, for this reason.
    Unusable(&'static str),
}

/// A failure to get an access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenFailure {
    /// The request that failed.
    pub step: Step,
    pub(super) fault: Fault,
}

impl TokenFailure {
    pub(super) fn new(step: Step, fault: Fault) -> Self {
        Self { step, fault }
    }

    pub(super) fn unusable(step: Step, problem: &'static str) -> Self {
        Self::new(step, Fault::Unusable(problem))
    }

    /// Returns true if the same request may succeed a little later.
    pub fn may_pass(&self) -> bool {
        match self.fault {
            Fault::Unreached | Fault::Silent { .. } => true,
            Fault::Status { status, .. } => status == 429 || (500..600).contains(&status),
            Fault::Unusable(_) => false,
        }
    }

    /// Returns the HTTP status, if there was one.
    pub fn status(&self) -> Option<u16> {
        match self.fault {
            Fault::Status { status, .. } => Some(status),
            Fault::Unreached | Fault::Silent { .. } | Fault::Unusable(_) => None,
        }
    }

    /// Describes the failure.
    pub fn message(&self) -> String {
        let what = self.step.in_words();
        match &self.fault {
            Fault::Unreached => {
                format!(
                    "the request for {what} failed: there was no connection, or the connection broke"
                )
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

    /// Says how to fix the failure.
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
                "the operator of the authorization server must allow the grant type client_credentials for this client"
            }
            (Step::Token, Fault::Status { .. }) => {
                "the operator must correct the auth of the server in MCP_SERVERS (tokenUrl, clientId, clientSecret, authMethod) and the secrets that it names"
            }
            (Step::Token, _) => {
                "the operator of the authorization server must make it return a bearer token (RFC 6749)"
            }
            _ => {
                "correct issuer or set tokenUrl in the auth of the server in MCP_SERVERS; or ask the operator of the server to correct its metadata"
            }
        }
    }
}

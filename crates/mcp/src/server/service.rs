//! The interface of a service that handles the requests of MCP clients. The product and the
//! fixtures of the conformance tests implement it.

use std::borrow::Cow;
use std::fmt::Write as _;

use futures::stream::LocalBoxStream;
use serde_json::Value;

use super::ask::{Filter, Inputs, ServiceRequest};
use super::caller::Caller;
use super::rpc::Fault;
use super::talk::ClientChannel;

/// One request, as a service sees it.
pub struct Request<'a> {
    /// The request.
    pub ask: ServiceRequest,
    /// The client.
    pub caller: &'a Caller,
    /// The responses of the client to earlier questions.
    pub inputs: Inputs,
    /// The channel to the client while the request is served.
    pub talk: &'a ClientChannel,
}

/// The caching of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cache {
    /// Time for which the result is fresh, in milliseconds.
    pub ttl_ms: u64,
    /// The caches that may keep the result.
    pub scope: Scope,
}

/// The caches that may keep a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Any cache: the result is the same for all clients.
    Public,
    /// Only the client that asked, for the same credentials.
    Private,
}

impl Cache {
    /// No caching, because the next result may differ.
    pub const NONE: Self = Self {
        ttl_ms: 0,
        scope: Scope::Private,
    };

    pub(super) fn members(self) -> String {
        let scope = match self.scope {
            Scope::Public => "public",
            Scope::Private => "private",
        };
        format!(r#""ttlMs":{},"cacheScope":"{scope}""#, self.ttl_ms)
    }
}

/// A request for input of the client, as part of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequest {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: &'static str,
    /// The parameters, if the method has any.
    pub params: Option<Value>,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The result.
    Complete {
        /// JSON text of its members, without the braces around them.
        members: String,
        /// The caching of the result, if the protocol asks for it.
        cache: Option<Cache>,
        /// JSON text of the members of `_meta`, which are for hosts and not for models; may be
        /// empty.
        meta: String,
    },
    /// The client must give input first.
    InputRequired {
        /// The requests for input, by keys that the client repeats.
        requests: Vec<(&'static str, InputRequest)>,
        /// A state that the client sends back. The service may trust it only as far as it can check
        /// it.
        state: Option<String>,
    },
}

impl Outcome {
    /// Creates a result that is not cached.
    pub fn complete(members: impl Into<String>) -> Self {
        Self::Complete {
            members: members.into(),
            cache: None,
            meta: String::new(),
        }
    }

    /// Creates a result that may be cached.
    pub fn cached(members: impl Into<String>, cache: Cache) -> Self {
        Self::Complete {
            members: members.into(),
            cache: Some(cache),
            meta: String::new(),
        }
    }

    /// Adds members to `_meta` of a result. A request for input is returned unchanged.
    pub fn with_meta(self, meta: impl Into<String>) -> Self {
        match self {
            Self::Complete { members, cache, .. } => Self::Complete {
                members,
                cache,
                meta: meta.into(),
            },
            asks => asks,
        }
    }
}

/// A change that a client may be notified of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The resource of this URI.
    Updated(String),
}

impl Change {
    /// Returns the method of the notification.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Updated(_) => "notifications/resources/updated",
        }
    }

    /// Renders the parameters of the notification. `meta` is JSON text of `_meta`, if there is any.
    pub fn params(&self, meta: Option<&str>) -> String {
        let mut members = String::new();
        // Writing to a string cannot fail.
        if let Some(meta) = meta {
            let _written = write!(members, r#""_meta":{meta}"#);
        }
        if let Self::Updated(uri) = self {
            let comma = if members.is_empty() { "" } else { "," };
            let _written = write!(members, r#"{comma}"uri":{}"#, Value::from(uri.as_str()));
        }
        format!("{{{members}}}")
    }

    /// Returns true if a filter wants this change.
    pub fn is_wanted(&self, filter: &Filter) -> bool {
        match self {
            Self::Tools => filter.tools,
            Self::Prompts => filter.prompts,
            Self::Resources => filter.resources,
            Self::Updated(uri) => filter.uris.contains(uri),
        }
    }
}

/// The description of a service.
#[derive(Debug, Clone)]
pub struct Description {
    /// JSON text of `serverInfo`.
    pub info: String,
    /// JSON text of its capabilities.
    pub capabilities: &'static str,
    /// Instructions for models that use the service.
    pub instructions: String,
    /// The caching of the description.
    pub cache: Cache,
}

/// A service that handles requests.
#[expect(
    async_fn_in_trait,
    reason = "workerd has one thread, so nothing asks for Send"
)]
pub trait Service {
    /// Returns the description of the service.
    fn description(&self) -> Description;

    /// Returns the input schema of a tool that wants parameters as headers; none for other tools.
    fn header_schema(&self, tool: &str) -> Option<Cow<'_, Value>>;

    /// Serves one request.
    ///
    /// # Errors
    /// [`Fault`] for errors outside a tool. Errors of a tool are part of its result.
    async fn serve(&self, request: &Request<'_>) -> Result<Outcome, Fault>;

    /// Returns the part of a filter that the service supports.
    fn agreed(&self, filter: &Filter) -> Filter;

    /// Returns the wanted changes from now on. `filter` is one that [`Service::agreed`] returned.
    ///
    /// # Errors
    /// [`Fault`] if the resource cannot be watched.
    async fn watch(&self, filter: &Filter) -> Result<LocalBoxStream<'static, Change>, Fault>;
}

//! What serves the requests of MCP clients: the product, and the fixtures of the conformance tests. The protocol around it is the same.

use std::borrow::Cow;
use std::fmt::Write as _;

use futures::stream::LocalBoxStream;
use serde_json::Value;

use super::ask::{Ask, Filter, Inputs};
use super::caller::Caller;
use super::rpc::Fault;
use super::talk::Talk;

/// One request, as a service sees it.
pub struct Request<'a> {
    /// What is asked.
    pub ask: Ask,
    /// Who asks.
    pub caller: &'a Caller,
    /// What the client gives back of what it was asked before.
    pub inputs: Inputs,
    /// The way to the client while the request is served.
    pub talk: &'a Talk,
}

/// How long and by whom a result may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cache {
    /// Milliseconds for which it is fresh.
    pub ttl_ms: u64,
    /// Who may keep it.
    pub scope: Scope,
}

/// Who may keep a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Anybody: it is the same for all.
    Public,
    /// Who asked, for the same credentials.
    Private,
}

impl Cache {
    /// It may be another the next time.
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

/// A request to the client, as part of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequest {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: &'static str,
    /// Its parameters; none where the method takes none.
    pub params: Option<Value>,
}

/// What a service makes of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The result.
    Complete {
        /// JSON text of its members, without the braces around them.
        members: String,
        /// How long it may be kept, where the protocol asks.
        cache: Option<Cache>,
        /// JSON text of the members of `_meta`, for hosts and not for models; empty where there is nothing.
        meta: String,
    },
    /// The client must say something first.
    InputRequired {
        /// What, by keys that the client repeats.
        requests: Vec<(&'static str, InputRequest)>,
        /// What the client gives back with it; a service trusts it as far as it can check it.
        state: Option<String>,
    },
}

impl Outcome {
    /// A result that nobody keeps.
    pub fn complete(members: impl Into<String>) -> Self {
        Self::Complete {
            members: members.into(),
            cache: None,
            meta: String::new(),
        }
    }

    /// A result that may be kept.
    pub fn cached(members: impl Into<String>, cache: Cache) -> Self {
        Self::Complete {
            members: members.into(),
            cache: Some(cache),
            meta: String::new(),
        }
    }

    /// The same with these members in `_meta`; one that asks has none.
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

/// A change that a client may want to hear of.
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
    /// The method of its notification.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Updated(_) => "notifications/resources/updated",
        }
    }

    /// The parameters of its notification. `meta` is JSON text of `_meta`, where there is some.
    pub fn params(&self, meta: Option<&str>) -> String {
        let mut members = String::new();
        // Writing to a text does not fail.
        if let Some(meta) = meta {
            let _written = write!(members, r#""_meta":{meta}"#);
        }
        if let Self::Updated(uri) = self {
            let comma = if members.is_empty() { "" } else { "," };
            let _written = write!(members, r#"{comma}"uri":{}"#, Value::from(uri.as_str()));
        }
        format!("{{{members}}}")
    }

    /// Whether a filter lets it through.
    pub fn is_wanted(&self, filter: &Filter) -> bool {
        match self {
            Self::Tools => filter.tools,
            Self::Prompts => filter.prompts,
            Self::Resources => filter.resources,
            Self::Updated(uri) => filter.uris.contains(uri),
        }
    }
}

/// What a service is.
#[derive(Debug, Clone)]
pub struct Description {
    /// JSON text of `serverInfo`.
    pub info: String,
    /// JSON text of its capabilities.
    pub capabilities: &'static str,
    /// What a model should know to use it well.
    pub instructions: String,
    /// How long the description may be kept.
    pub cache: Cache,
}

/// Serves requests.
#[expect(
    async_fn_in_trait,
    reason = "workerd has one thread, so nothing asks for Send"
)]
pub trait Service {
    /// What it is.
    fn description(&self) -> Description;

    /// The input schema of a tool that wants parameters as headers; none for the others.
    fn header_schema(&self, tool: &str) -> Option<Cow<'_, Value>>;

    /// Serves one request.
    ///
    /// # Errors
    /// [`Fault`] for what is no matter of a tool: what a tool has to say goes into its result.
    async fn serve(&self, request: &Request<'_>) -> Result<Outcome, Fault>;

    /// The part of a filter that it can tell of.
    fn agreed(&self, filter: &Filter) -> Filter;

    /// The changes that a filter wants, from now on. `filter` is one that [`Service::agreed`] returned.
    ///
    /// # Errors
    /// [`Fault`] where what is to be watched cannot be.
    async fn watch(&self, filter: &Filter) -> Result<LocalBoxStream<'static, Change>, Fault>;
}

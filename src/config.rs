//! The environment variables of a deployment, parsed from strings.
//!
//! This module is pure: the caller passes a function from name to text (the Worker's environment,
//! or a map in tests). A variable that is absent or blank takes its default from [`crate::limits`].
//! A variable that is present and unusable is [`CommonError::Misconfigured`] with its name, never a
//! silent default.
//! [`SETTINGS`] lists all of them.

mod settings;

use agent::request::BusinessRule;
use base::CommonError;
use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use base::{Error, Result};
use columns::Mappings;
use sql_gate::Profile;
use sql_scope::{ALL_TABLES, Scope, ScopeValue};
use tools::server::{Server, Surroundings, Tenants, parse_servers};

pub use settings::{SETTINGS, Setting};

/// The length below which a token can be guessed. A shorter token is accepted, with a warning in
/// the log.
pub const SHORT_TOKEN_CHARACTERS: usize = 16;

/// A token and the tenant it belongs to.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// The SHA-256 of the secret text. All digests have the same length, and the text itself is not
    /// kept.
    digest: [u8; 32],
    /// The tenant whose sessions the token opens.
    pub tenant: String,
}

impl Token {
    /// Makes the token with this text.
    pub fn new(text: &str, tenant: String) -> Self {
        Self {
            digest: Sha256::digest(text).into(),
            tenant,
        }
    }

    /// Returns true if `digest` is the digest of the token, in a time that does not depend on how
    /// much of it matches.
    pub fn has_digest(&self, digest: &[u8; 32]) -> bool {
        self.digest.ct_eq(digest).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A token must not reach a log through a debug print.
        formatter
            .debug_struct("Token")
            .field("tenant", &self.tenant)
            .finish_non_exhaustive()
    }
}

/// The logging of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationLog {
    /// Each operation writes a line to the log.
    On,
    /// No line in the log; Analytics Engine still counts each operation.
    Off,
}

/// The model that embeds the text of code workspaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeEmbedding {
    /// The model of the Worker itself.
    Embedded,
    /// A model of Workers AI.
    WorkersAi,
}

/// The settings of the MCP server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpSettings {
    /// The largest result of a tool, in tokens.
    pub max_result_tokens: usize,
    /// True if a person is asked before a tool deletes something.
    pub confirm: bool,
    /// Seconds from the last use of a client's session to its end.
    pub session_ttl_seconds: u64,
}

/// The settings in force.
#[derive(Debug, Clone)]
pub struct Config {
    /// The settings of sessions.
    pub session: session::Settings,
    /// Milliseconds until the front Worker returns 504.
    pub query_timeout_ms: u32,
    /// CPU time of a program's isolate, in milliseconds.
    pub execution_cpu_ms: u32,
    /// The largest JSON body, in bytes.
    pub max_request_bytes: usize,
    /// The largest body with a batch of records, in bytes.
    pub max_batch_bytes: usize,
    /// The origins of web pages that may call the API.
    pub allowed_origins: Vec<String>,
    /// The tokens, or `None` if the deployment has none.
    pub tokens: Option<Vec<Token>>,
    /// The issuer whose access tokens are accepted. A deployment with neither an issuer nor tokens
    /// serves loopback hosts only.
    pub oauth: Option<oauth::Settings>,
    /// The logging of operations.
    pub operation_log: OperationLog,
    /// The language model.
    pub model: agent_models::Settings,
    /// The servers whose tools may be called.
    pub servers: Vec<Server>,
    /// The settings of knowledge graphs.
    pub graph: graph::Settings,
    /// The settings of code workspaces.
    pub code: code_model::Settings,
    /// The model that embeds the text of code workspaces.
    pub code_embedding: CodeEmbedding,
    /// The settings of chat threads.
    pub agent: agent::settings::Settings,
    /// The rule that says which questions must name a business.
    pub business: BusinessRule,
    /// The settings of the MCP server.
    pub mcp: McpSettings,
    /// Settings that are legal but deserve a warning in the log.
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads the settings through `get`.
    ///
    /// # Errors
    /// [`CommonError::Misconfigured`] for a setting that is present and unusable.
    pub fn parse(get: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let text = |name: &str| get(name).filter(|value| !value.trim().is_empty());
        let mut warnings = Vec::new();
        let tokens = parse_tokens(text("API_TOKENS"), &mut warnings)?;
        let oauth = oauth::Settings::parse(text, &mut warnings)?;
        let mappings = Mappings::parse(text("COLUMN_MAPPINGS").as_deref())?;
        let surroundings = Surroundings {
            mappings: &mappings,
            tenants: tenants_of(tokens.as_deref(), oauth.as_ref()),
            secret: &get,
        };
        let servers = parse_servers(text("MCP_SERVERS"), &surroundings, &mut warnings)?;
        let session = parse_session(&text, mappings)?;
        let scopes = ["TENANT_COLUMN", "GLOBAL_TABLES", "OAUTH_BUSINESS_CLAIM"];
        let business = if scopes.iter().any(|name| text(name).is_some()) {
            BusinessRule::Required
        } else {
            BusinessRule::Optional
        };
        Ok(Self {
            session,
            query_timeout_ms: parse_milliseconds(
                "QUERY_TIMEOUT_MS",
                text("QUERY_TIMEOUT_MS"),
                crate::limits::DEFAULT_QUERY_TIMEOUT_MS,
                MAX_TIMER_MS,
            )?,
            max_request_bytes: parse_size(
                "MAX_REQUEST_BYTES",
                text("MAX_REQUEST_BYTES"),
                crate::limits::DEFAULT_MAX_REQUEST_BYTES,
            )?,
            max_batch_bytes: parse_size(
                "MAX_BATCH_BYTES",
                text("MAX_BATCH_BYTES"),
                crate::limits::DEFAULT_MAX_BATCH_BYTES,
            )?,
            execution_cpu_ms: parse_milliseconds(
                "EXECUTION_CPU_MS",
                text("EXECUTION_CPU_MS"),
                sandbox::limits::DEFAULT_EXECUTION_CPU_MS,
                sandbox::limits::MAX_EXECUTION_TIMEOUT_MS,
            )?,
            allowed_origins: parse_origins(text("ALLOWED_ORIGINS"))?,
            tokens,
            oauth,
            model: agent_models::Settings::parse(text)?,
            operation_log: parse_operation_log(text("OPERATION_LOG"))?,
            servers,
            graph: parse_graph(&text)?,
            code: parse_code(&text)?,
            code_embedding: parse_code_embedding(text("CODE_EMBEDDING"))?,
            agent: agent::settings::Settings::parse(text("AGENT").as_deref())?,
            business,
            mcp: parse_mcp(&text)?,
            warnings,
        })
    }
}

fn parse_graph(text: &impl Fn(&str) -> Option<String>) -> Result<graph::Settings> {
    Ok(graph::Settings {
        history_steps: parse_number(
            "GRAPH_HISTORY_STEPS",
            text("GRAPH_HISTORY_STEPS"),
            graph::limits::DEFAULT_GRAPH_HISTORY_STEPS,
            1,
            graph::limits::MAX_HISTORY_STEPS,
        )?,
    })
}

fn parse_code(text: &impl Fn(&str) -> Option<String>) -> Result<code_model::Settings> {
    let number = |name, default, most| parse_number(name, text(name), default, 1, most);
    let root = text("CODE_ROOT").unwrap_or_else(|| code_model::DEFAULT_ROOT.to_owned());
    if !root.starts_with('/') || root.ends_with('/') {
        return Err(Error::from(CommonError::Misconfigured {
            message: "CODE_ROOT must be an absolute path without a slash at its end".to_owned(),
        }));
    }
    let auto_confirm_from = text("CODE_AUTO_CONFIRM").map(|given| {
        let share = given.parse().ok();
        let share = share.filter(|share: &f64| (0.0..=1.0).contains(share));
        share.ok_or_else(|| {
            Error::from(CommonError::Misconfigured {
                message: "CODE_AUTO_CONFIRM must be a number from 0 to 1".to_owned(),
            })
        })
    });
    Ok(code_model::Settings {
        kept_versions: number(
            "CODE_VERSIONS",
            code_model::limits::DEFAULT_CODE_VERSIONS,
            code_model::limits::MAX_CODE_VERSIONS,
        )?,
        past_bytes: number(
            "CODE_PAST_BYTES",
            code_model::limits::DEFAULT_CODE_PAST_BYTES,
            code_model::limits::MAX_CODE_PAST_BYTES,
        )?,
        root,
        auto_confirm_from: auto_confirm_from.transpose()?,
    })
}

fn parse_code_embedding(text: Option<String>) -> Result<CodeEmbedding> {
    match text.as_deref().map(str::trim) {
        None | Some("embedded") => Ok(CodeEmbedding::Embedded),
        Some("workers-ai") => Ok(CodeEmbedding::WorkersAi),
        Some(other) => Err(misconfigured(
            "CODE_EMBEDDING",
            format_args!("must be embedded or workers-ai, not {other:?}"),
        )),
    }
}

fn parse_mcp(text: &impl Fn(&str) -> Option<String>) -> Result<McpSettings> {
    let tokens = parse_number(
        "MCP_MAX_RESULT_TOKENS",
        text("MCP_MAX_RESULT_TOKENS"),
        mcp_product::limits::DEFAULT_MCP_MAX_RESULT_TOKENS as u64,
        mcp_product::limits::MIN_RESULT_TOKENS as u64,
        mcp_product::limits::MAX_RESULT_TOKENS as u64,
    )?;
    Ok(McpSettings {
        max_result_tokens: usize::try_from(tokens).unwrap_or(usize::MAX),
        confirm: parse_switch("MCP_CONFIRM", text("MCP_CONFIRM"))?,
        session_ttl_seconds: parse_number(
            "MCP_SESSION_TTL_SECONDS",
            text("MCP_SESSION_TTL_SECONDS"),
            mcp::limits::DEFAULT_MCP_SESSION_TTL_SECONDS,
            1,
            31_536_000,
        )?,
    })
}

/// Parses a variable that is on unless it says `off`.
fn parse_switch(name: &str, value: Option<String>) -> Result<bool> {
    match value.as_deref().map(str::trim) {
        None | Some("on") => Ok(true),
        Some("off") => Ok(false),
        Some(other) => Err(Error::from(CommonError::Misconfigured {
            message: format!("{name} is {other:?}; it must be on or off"),
        })),
    }
}

/// Parses the settings of sessions. The caller has parsed `mappings` already, because the servers
/// use them too.
fn parse_session(
    text: &impl Fn(&str) -> Option<String>,
    mappings: Mappings,
) -> Result<session::Settings> {
    Ok(session::Settings {
        profile: parse_profile(text("SQL_PROFILE"))?,
        // A TTL under a second is a mistake, and so is one over a century, which also keeps times
        // in milliseconds far below 2^53.
        session_ttl_seconds: parse_number(
            "SESSION_TTL_SECONDS",
            text("SESSION_TTL_SECONDS"),
            session::limits::DEFAULT_SESSION_TTL_SECONDS,
            1,
            3_155_760_000,
        )?,
        max_result_rows: parse_number(
            "MAX_RESULT_ROWS",
            text("MAX_RESULT_ROWS"),
            session::limits::DEFAULT_MAX_RESULT_ROWS,
            1,
            10_000_000,
        )?,
        max_result_bytes: parse_size(
            "MAX_RESULT_BYTES",
            text("MAX_RESULT_BYTES"),
            session::limits::DEFAULT_MAX_RESULT_BYTES,
        )?,
        max_recursive_rows: parse_number(
            "MAX_RECURSIVE_ROWS",
            text("MAX_RECURSIVE_ROWS"),
            sql_gate::limits::DEFAULT_MAX_RECURSIVE_ROWS,
            1,
            1_000_000_000,
        )?,
        max_query_work: parse_number(
            "MAX_QUERY_WORK",
            text("MAX_QUERY_WORK"),
            sql_gate::limits::DEFAULT_MAX_QUERY_WORK,
            1,
            u64::MAX,
        )?,
        max_load_bytes: parse_number(
            "MAX_LOAD_BYTES",
            text("MAX_LOAD_BYTES"),
            session::limits::DEFAULT_MAX_LOAD_BYTES,
            1,
            10 * 1024 * 1024 * 1024,
        )?,
        max_staged_rows: parse_number(
            "MAX_STAGED_ROWS",
            text("MAX_STAGED_ROWS"),
            session::limits::DEFAULT_MAX_STAGED_ROWS,
            1,
            10_000_000,
        )?,
        max_staged_tables: parse_number(
            "MAX_STAGED_TABLES",
            text("MAX_STAGED_TABLES"),
            session::limits::DEFAULT_MAX_STAGED_TABLES,
            1,
            10_000,
        )?,
        mappings,
        tenant_column: parse_tenant_column(text("TENANT_COLUMN"))?,
        global_tables: parse_global_tables(text("GLOBAL_TABLES"))?,
    })
}

fn parse_tenant_column(text: Option<String>) -> Result<String> {
    let Some(name) = text else {
        return Ok(session::DEFAULT_TENANT_COLUMN.to_owned());
    };
    if !is_plain_name(&name) {
        return Err(misconfigured("TENANT_COLUMN", NOT_A_NAME));
    }
    // The scope decides which column names it accepts; the value does not matter here.
    match Scope::new(&name, ScopeValue::Integer(0), Vec::new()) {
        Ok(_) => Ok(name),
        Err(error) => Err(misconfigured("TENANT_COLUMN", error)),
    }
}

const NOT_A_NAME: &str = "must be a name of letters, digits and _";

/// Returns true if the name needs no quotes. Any other name in an environment variable is more
/// likely a mistake.
fn is_plain_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Parses a JSON list of any names, or plain names separated by commas.
fn parse_global_tables(text: Option<String>) -> Result<Vec<String>> {
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    let text = text.trim();
    let names: Vec<String> = if text.starts_with('[') {
        serde_json::from_str(text).map_err(|error| {
            misconfigured("GLOBAL_TABLES", format!("is not a list of names: {error}"))
        })?
    } else {
        let names = text.split(',').map(str::trim);
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        let is_usable = |name: &&str| *name == ALL_TABLES || is_plain_name(name);
        if !names.iter().all(is_usable) {
            return Err(misconfigured("GLOBAL_TABLES", NOT_A_NAME));
        }
        names.into_iter().map(str::to_owned).collect()
    };
    Scope::new(
        session::DEFAULT_TENANT_COLUMN,
        ScopeValue::Integer(0),
        names.clone(),
    )
    .map_err(|error| misconfigured("GLOBAL_TABLES", error))?;
    Ok(names)
}

fn tenants_of<'a>(tokens: Option<&'a [Token]>, oauth: Option<&oauth::Settings>) -> Tenants<'a> {
    match (tokens, oauth) {
        (_, Some(_)) => Tenants::Any,
        (None, None) => Tenants::Local,
        (Some(tokens), None) => {
            Tenants::Named(tokens.iter().map(|token| token.tenant.as_str()).collect())
        }
    }
}

fn misconfigured(name: &str, problem: impl std::fmt::Display) -> Error {
    Error::from(CommonError::Misconfigured {
        message: format!("the environment variable {name} {problem}"),
    })
}

fn parse_number(
    name: &str,
    text: Option<String>,
    default: u64,
    smallest: u64,
    largest: u64,
) -> Result<u64> {
    let Some(text) = text else { return Ok(default) };
    let number: u64 = text
        .trim()
        .parse()
        .map_err(|_| misconfigured(name, format_args!("is not a whole number: {text:?}")))?;
    if (smallest..=largest).contains(&number) {
        Ok(number)
    } else {
        Err(misconfigured(
            name,
            format_args!("must be between {smallest} and {largest}, not {number}"),
        ))
    }
}

/// Parses a size that is held in memory. The bound is the 128 MB of an isolate.
fn parse_size(name: &str, text: Option<String>, default: usize) -> Result<usize> {
    let number = parse_number(name, text, default as u64, 1, 128 * 1024 * 1024)?;
    usize::try_from(number).map_err(|_| misconfigured(name, "is too large"))
}

/// One day, in milliseconds. A timer takes a signed 32-bit number of milliseconds.
const MAX_TIMER_MS: u32 = 24 * 60 * 60 * 1000;

fn parse_milliseconds(name: &str, text: Option<String>, default: u32, largest: u32) -> Result<u32> {
    let number = parse_number(name, text, default.into(), 1, largest.into())?;
    u32::try_from(number).map_err(|_| misconfigured(name, "is too large"))
}

fn parse_profile(text: Option<String>) -> Result<Profile> {
    match text.as_deref().map(str::trim) {
        None | Some("standard") => Ok(Profile::Standard),
        Some("strict") => Ok(Profile::Strict),
        Some(other) => Err(misconfigured(
            "SQL_PROFILE",
            format_args!("must be standard or strict, not {other:?}"),
        )),
    }
}

fn parse_operation_log(text: Option<String>) -> Result<OperationLog> {
    match text.as_deref().map(str::trim) {
        None | Some("on") => Ok(OperationLog::On),
        Some("off") => Ok(OperationLog::Off),
        Some(other) => Err(misconfigured(
            "OPERATION_LOG",
            format_args!("must be on or off, not {other:?}"),
        )),
    }
}

fn parse_origins(text: Option<String>) -> Result<Vec<String>> {
    let text = text.unwrap_or_default();
    let origins = text
        .split(',')
        .map(str::trim)
        .filter(|origin| !origin.is_empty());
    origins.map(parse_origin).collect()
}

/// Parses an origin: scheme, host and port. An origin with a path would never equal the one that a
/// browser sends.
fn parse_origin(origin: &str) -> Result<String> {
    if origin == "*" {
        return Ok(origin.to_owned());
    }
    let origin = origin.strip_suffix('/').unwrap_or(origin);
    let host = origin
        .strip_prefix("https://")
        .or_else(|| origin.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ', '*']) => {
            Ok(origin.to_ascii_lowercase())
        }
        _ => Err(misconfigured(
            "ALLOWED_ORIGINS",
            format_args!("must be origins such as https://app.example.com, not {origin:?}"),
        )),
    }
}

fn parse_tokens(text: Option<String>, warnings: &mut Vec<String>) -> Result<Option<Vec<Token>>> {
    let Some(text) = text else { return Ok(None) };
    // The parser's own message could quote a token, so it is not passed on.
    let tenants: BTreeMap<String, String> = serde_json::from_str(&text).map_err(|_| {
        misconfigured(
            "API_TOKENS",
            r#"is not a JSON object of the form {"token":"tenant"}"#,
        )
    })?;
    if tenants.is_empty() {
        return Err(misconfigured(
            "API_TOKENS",
            "contains no token; remove it to serve loopback hosts only",
        ));
    }
    let mut tokens = Vec::with_capacity(tenants.len());
    for (token, tenant) in tenants {
        base::names::check_name("tenant", &tenant).map_err(|error| {
            misconfigured("API_TOKENS", format_args!("has an invalid tenant: {error}"))
        })?;
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(misconfigured(
                "API_TOKENS",
                format_args!(
                    "has a token of tenant {tenant} that a header cannot contain: use printable ASCII without blanks"
                ),
            ));
        }
        if token.len() < SHORT_TOKEN_CHARACTERS {
            warnings.push(format!("API_TOKENS: a token of tenant {tenant} has fewer than {SHORT_TOKEN_CHARACTERS} characters and can be guessed"));
        }
        tokens.push(Token::new(&token, tenant));
    }
    Ok(Some(tokens))
}

#[cfg(test)]
mod tests;

//! The servers of a deployment: the environment variable `MCP_SERVERS`.
//!
//! `[{"name":"pubs","url":"https://…/mcp","headers":{"authorization":"Bearer
//! $PUBS_TOKEN"},"kind":"graphql","mappings":"entrez","timeoutMs":30000,"tenants":["acme"]},
//! {"name":"trials","url":"https://…/mcp","auth":{"type":"client_credentials","clientId":"us",
//! "clientSecret":"$TRIALS_SECRET","tokenUrl":"https://…/token"},"passThrough":"x-user"}]`
//!
//! An error names the number of the entry, its name and the field. A `$NAME` in a header or in
//! `auth` is the secret of that name. Secrets exist only in the [`Endpoint`]: results, log lines
//! and debug output never contain them, and no error about the environment variable quotes a text
//! that may be a secret. Contents: `fields` reads entries, `address` checks their URLs, `headers`
//! fills in secrets, `auth` reads credentials for access tokens.

mod address;
mod auth;
mod fields;
mod headers;
#[cfg(test)]
mod tests;

use base::CommonError;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::limits::{
    DEFAULT_UPSTREAM_TIMEOUT_MS, MAX_SERVERS, MAX_SHOWN_VALUES, MAX_UPSTREAM_TIMEOUT_MS,
};
use base::names::LOCAL_TENANT;
use base::nearest;
use base::{Error, Result};
use columns::Mappings;
use fields::{ENTRY, Fields};
use headers::Headers;
pub(crate) use headers::{is_value, secret_parts};
use mcp::authorization::ClientCredentials;
use mcp::client::Endpoint;
use net::Secrets;

/// The name of the environment variable.
pub const MCP_SERVERS: &str = "MCP_SERVERS";

/// The name under which a program calls the tools that its caller runs itself.
pub const HOST: &str = "host";

/// Names that have another meaning in a program or in the proxy.
pub const RESERVED_NAMES: &[&str] = &[
    "db",
    "schema",
    "graph",
    "code",
    "search",
    "describe",
    "then",
    "constructor",
    "prototype",
    "toString",
    "toJSON",
    "valueOf",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
];

/// Characters of a server's name: programs write it, and error messages repeat it.
const MAX_SERVER_NAME_CHARACTERS: usize = 64;

/// The header that carries access tokens.
const AUTHORIZATION: &str = "authorization";

/// The form of the environment variable.
const EXAMPLE: &str = r#"a JSON array such as [{"name":"pubs","url":"https://example.com/mcp"}]"#;

/// The kind of a server's responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Anything.
    #[default]
    Any,
    /// GraphQL: the schema is fetched, and queries are checked against it before they are sent.
    Graphql,
}

/// A configured server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The name in programs and in the proxy.
    pub name: String,
    /// The URL, headers and secrets.
    pub endpoint: Endpoint,
    /// The kind of its responses.
    pub kind: Kind,
    /// The name of its column mappings.
    pub mappings: String,
    /// The timeout of one call.
    pub timeout_ms: u32,
    /// The header, in lower case, that a caller may set for its own calls.
    pub pass_through: Option<String>,
    /// The tenants that may use it; all if there is no list.
    pub tenants: Option<Vec<String>>,
}

impl Server {
    /// Returns true if a tenant may use the server. For other tenants it does not exist.
    pub fn serves(&self, tenant: &str) -> bool {
        self.tenants
            .as_ref()
            .is_none_or(|tenants| tenants.iter().any(|known| known == tenant))
    }
}

/// The tenants of a deployment.
pub enum Tenants<'a> {
    /// Only the tenant of a deployment without tokens.
    Local,
    /// The tenants that have a token.
    Named(Vec<&'a str>),
    /// Any tenant, because an issuer names them.
    Any,
}

/// The other settings to which an entry may refer.
pub struct Surroundings<'a, S> {
    /// The deployment's column mappings.
    pub mappings: &'a Mappings,
    /// The tenants of the deployment.
    pub tenants: Tenants<'a>,
    /// A function that returns the secret of a name.
    pub secret: S,
}

/// Reads the environment variable. Legal but doubtful settings are added to `warnings`.
///
/// # Errors
/// [`CommonError::Misconfigured`] with the entry, its field and the problem.
pub fn parse_servers<S: Fn(&str) -> Option<String>>(
    text: Option<String>,
    surroundings: &Surroundings<'_, S>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Server>> {
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    // Parse the whole first, so that an error has the line and column in the variable.
    let whole: Value = serde_json::from_str(&text)
        .map_err(|error| misconfigured(format!("is not JSON: {error}; it must be {EXAMPLE}")))?;
    let entries: Vec<&RawValue> = serde_json::from_str(&text).map_err(|_| {
        misconfigured(format!(
            "is {}; it must be {EXAMPLE}",
            fields::kind_of(&whole)
        ))
    })?;
    if entries.len() > MAX_SERVERS {
        return Err(misconfigured(format!(
            "has more than {MAX_SERVERS} servers"
        )));
    }
    let mut servers: Vec<Server> = Vec::with_capacity(entries.len());
    for (number, entry) in (1..).zip(entries) {
        let server = read_entry(entry, surroundings, warnings)
            .and_then(|server| is_alone(server, &servers))
            .map_err(|problem| {
                let label = label_of(whole.get(number - 1));
                misconfigured(format!("has an invalid entry {number}{label}: {problem}"))
            })?;
        servers.push(server);
    }
    Ok(servers)
}

type Read<T> = std::result::Result<T, String>;

/// Renders the name of an entry as ` ("pubs")`, if it has one.
fn label_of(entry: Option<&Value>) -> String {
    entry
        .and_then(|entry| entry.get("name")?.as_str())
        .map(|name| format!(" ({})", quoted(name)))
        .unwrap_or_default()
}

/// Returns a text of the environment variable in quotation marks, cut.
fn quoted(text: &str) -> String {
    format!("{:?}", base::text::first(text, MAX_SERVER_NAME_CHARACTERS))
}

fn read_entry<S: Fn(&str) -> Option<String>>(
    entry: &RawValue,
    surroundings: &Surroundings<'_, S>,
    warnings: &mut Vec<String>,
) -> Read<Server> {
    let fields = Fields::read(entry, &ENTRY)?;
    let name = fields.required_text("name")?;
    check_server_name(&name)?;
    let url = fields.required_text("url")?;
    address::check("url", &url)?;
    let mut sent = headers::read(fields.headers()?, &surroundings.secret)?;
    let credentials = auth::read(&fields, &surroundings.secret, &mut sent)?;
    let pass_through = pass_through(&fields)?;
    is_set_once(&sent, credentials.is_some(), pass_through.as_deref())?;
    warnings.extend(unnamed_issuer(&name, credentials.as_ref()));
    let mut secrets = sent.secrets;
    secrets.extend(address::secrets(&url));
    for short in sent.too_short {
        warnings.push(format!(
            "{MCP_SERVERS}: the secret {short} of the server {name} is too short to be redacted in what the server sends back"
        ));
    }
    let tenants = fields.texts("tenants")?;
    if let Some(tenants) = &tenants {
        check_tenants(tenants)?;
        for tenant in tenants {
            warnings.extend(unknown_tenant(tenant, &name, &surroundings.tenants));
        }
    }
    let mappings = fields.text("mappings")?;
    if let Some(mappings) = &mappings {
        check_mappings(mappings, surroundings.mappings)?;
    }
    Ok(Server {
        kind: kind(fields.text("kind")?)?,
        timeout_ms: timeout(&fields)?,
        endpoint: Endpoint {
            url,
            headers: sent.headers,
            secrets: Secrets::new(secrets),
            access: credentials.map(auth::access),
        },
        pass_through,
        mappings: mappings.unwrap_or_else(|| name.clone()),
        tenants,
        name,
    })
}

fn pass_through(fields: &Fields<'_>) -> Read<Option<String>> {
    let name = fields.text("passThrough")?;
    let name = name.map(|name| headers::name_of(&name)).transpose();
    name.map_err(|problem| format!("passThrough: {problem}"))
}

/// Checks that each header has only one source; with two, it would be unclear which credential a
/// call has.
fn is_set_once(sent: &Headers, has_auth: bool, pass_through: Option<&str>) -> Read<()> {
    let has = |name: &str| sent.headers.iter().any(|(known, _)| known == name);
    match pass_through {
        _ if has_auth && has(AUTHORIZATION) => Err(
            "the header authorization is in headers and comes from auth; keep one of them"
                .to_owned(),
        ),
        Some(AUTHORIZATION) if has_auth => Err(
            "the header authorization is in passThrough and comes from auth; keep one of them"
                .to_owned(),
        ),
        Some(name) if has(name) => Err(format!(
            "the header {name} is in passThrough and in headers; keep one of them"
        )),
        _ => Ok(()),
    }
}

/// Returns a warning if neither is set, because then the server itself decides who receives the
/// secret.
fn unnamed_issuer(server: &str, credentials: Option<&ClientCredentials>) -> Option<String> {
    let credentials = credentials?;
    (credentials.token_url.is_none() && credentials.issuer.is_none()).then(|| {
        format!(
            "{MCP_SERVERS}: the auth of the server {server} has neither tokenUrl nor issuer: the client's secret goes to the authorization server that the server names first"
        )
    })
}

fn is_alone(server: Server, others: &[Server]) -> Read<Server> {
    if others
        .iter()
        .any(|known| known.name.eq_ignore_ascii_case(&server.name))
    {
        return Err("an earlier entry has the same name; case does not matter".to_owned());
    }
    Ok(server)
}

fn check_server_name(name: &str) -> Read<()> {
    let mut characters = name.chars();
    let begins = characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let goes_on = characters
        .all(|character| character.is_ascii_alphanumeric() || character == '_' || character == '-');
    if !begins || !goes_on || name.len() > MAX_SERVER_NAME_CHARACTERS {
        return Err(format!(
            "the name {} is not valid; a name begins with a letter and has letters, digits, _ and -, at most {MAX_SERVER_NAME_CHARACTERS}",
            quoted(name)
        ));
    }
    if RESERVED_NAMES
        .iter()
        .any(|reserved| reserved.eq_ignore_ascii_case(name))
    {
        return Err(format!(
            "the name {} is reserved: it means something else in programs",
            quoted(name)
        ));
    }
    Ok(())
}

fn kind(given: Option<String>) -> Read<Kind> {
    match given.as_deref() {
        None => Ok(Kind::Any),
        Some("graphql") => Ok(Kind::Graphql),
        Some(other) => Err(format!(
            "there is no kind {}; the only kind is \"graphql\", and other servers have none",
            quoted(other)
        )),
    }
}

fn timeout(fields: &Fields<'_>) -> Read<u32> {
    let wanted = format!("a whole number of milliseconds between 1 and {MAX_UPSTREAM_TIMEOUT_MS}");
    match fields.number("timeoutMs", &wanted)? {
        None => Ok(DEFAULT_UPSTREAM_TIMEOUT_MS),
        Some(number) => number
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| (1..=MAX_UPSTREAM_TIMEOUT_MS).contains(number))
            .ok_or_else(|| format!("the field timeoutMs must be {wanted}, not {number}")),
    }
}

fn check_mappings(name: &str, mappings: &Mappings) -> Read<()> {
    let known = mappings.servers();
    if known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    let near = nearest(name, known.iter().copied());
    let fix = match near.first() {
        Some(near) => format!("did you mean {near:?}?"),
        None => {
            let shown: Vec<&str> = known.iter().copied().take(MAX_SHOWN_VALUES).collect();
            format!("there are mappings of {}", shown.join(", "))
        }
    };
    Err(format!(
        "there are no mappings {}, neither in the product nor in COLUMN_MAPPINGS; {fix}",
        quoted(name)
    ))
}

fn check_tenants(tenants: &[String]) -> Read<()> {
    if tenants.is_empty() {
        return Err("the list of tenants is empty, so nobody could use the server; leave the field out to allow every tenant".to_owned());
    }
    tenants.iter().try_for_each(|tenant| {
        base::names::check_name("tenant", tenant).map_err(|error| {
            let hint = error.hint().unwrap_or_default();
            format!(
                "the tenant {} is not valid: {error}: {hint}",
                quoted(tenant)
            )
        })
    })
}

/// Returns a warning for an unknown tenant. It is not an error, because its tokens may be added
/// later.
fn unknown_tenant(tenant: &str, server: &str, known: &Tenants<'_>) -> Option<String> {
    let about = format!("{MCP_SERVERS}: the server {server} is for the tenant {tenant}");
    let known = match known {
        Tenants::Named(known) => known,
        Tenants::Any => return None,
        Tenants::Local => {
            return (tenant != LOCAL_TENANT).then(|| {
                format!("{about}, but without API_TOKENS every caller is the tenant {LOCAL_TENANT}")
            });
        }
    };
    if known.contains(&tenant) {
        return None;
    }
    let near = nearest(tenant, known.iter().copied());
    let fix = near
        .first()
        .map(|near| format!("; did you mean {near}?"))
        .unwrap_or_default();
    Some(format!("{about}, which has no token in API_TOKENS{fix}"))
}

fn misconfigured(problem: impl std::fmt::Display) -> Error {
    Error::from(CommonError::Misconfigured {
        message: format!("the environment variable {MCP_SERVERS} {problem}"),
    })
}

//! The servers of a deployment: the setting `MCP_SERVERS`.
//!
//! `[{"name":"pubs","url":"https://…/mcp","headers":{"authorization":"Bearer $PUBS_TOKEN"},"kind":"graphql","mappings":"entrez","timeoutMs":30000,"tenants":["acme"]}]`
//!
//! A `$NAME` in a header is the secret of that name. Secrets live in the [`Endpoint`] only: no answer, log line or debug print has them.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::limits::{DEFAULT_UPSTREAM_TIMEOUT_MS, MAX_SERVERS, MAX_UPSTREAM_TIMEOUT_MS};
use crate::mcp::Secrets;
use crate::mcp::client::Endpoint;

/// The setting.
pub const SETTING: &str = "MCP_SERVERS";

/// Names that mean something else in a program or in the proxy.
pub const RESERVED_NAMES: &[&str] = &[
    "db",
    "schema",
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

/// Characters of a server's name.
const MAX_SERVER_NAME_CHARACTERS: usize = 64;

/// A secret that is shorter would be struck out of every answer that happens to hold its letters.
const SHORTEST_SECRET_CHARACTERS: usize = 6;

/// Parts of the names of headers whose values are secrets, whoever wrote them.
const SECRET_HEADERS: &[&str] = &["auth", "cookie", "key", "token", "secret"];

/// Headers that the protocol sets.
const OWN_HEADERS: &[&str] = &[
    "accept",
    "content-type",
    "content-length",
    "host",
    "connection",
    "transfer-encoding",
];

/// What a server's tools answer with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Anything.
    #[default]
    Any,
    /// GraphQL: its schema is asked for, and queries are held against it before they are sent.
    Graphql,
}

/// A configured server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// As programs and the proxy call it.
    pub name: String,
    /// Where it is.
    pub endpoint: Endpoint,
    /// What its tools answer with.
    pub kind: Kind,
    /// The name of its column mappings.
    pub mappings: String,
    /// For one call.
    pub timeout_ms: u32,
    /// Who may use it; everybody where there is no list.
    pub tenants: Option<Vec<String>>,
}

impl Server {
    /// Whether a tenant may use it, and so whether it exists for the tenant.
    pub fn serves(&self, tenant: &str) -> bool {
        self.tenants
            .as_ref()
            .is_none_or(|tenants| tenants.iter().any(|known| known == tenant))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    url: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    mappings: Option<String>,
    #[serde(rename = "timeoutMs", default)]
    timeout_ms: Option<u64>,
    #[serde(default)]
    tenants: Option<Vec<String>>,
}

/// Reads the setting; `secret` knows the secrets.
///
/// # Errors
/// [`Error::Misconfigured`] naming the entry and what is wrong with it.
pub fn parse_servers(
    text: Option<String>,
    secret: &impl Fn(&str) -> Option<String>,
) -> Result<Vec<Server>> {
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|error| {
        misconfigured(format!(
            r#"is not a JSON array such as [{{"name":"pubs","url":"https://example.com/mcp"}}]: {}"#,
            without_texts(&error)
        ))
    })?;
    if entries.len() > MAX_SERVERS {
        return Err(misconfigured(format!(
            "has more than {MAX_SERVERS} servers"
        )));
    }
    let mut servers: Vec<Server> = Vec::with_capacity(entries.len());
    for entry in entries {
        let server = read_entry(entry, secret)?;
        if servers
            .iter()
            .any(|known| known.name.eq_ignore_ascii_case(&server.name))
        {
            return Err(misconfigured(format!(
                "has two servers of the name {:?}, apart from upper and lower case",
                server.name
            )));
        }
        servers.push(server);
    }
    Ok(servers)
}

/// What is wrong, without a text of the setting, which might be a key that should have been a secret.
fn without_texts(error: &serde_json::Error) -> String {
    let message = error.to_string();
    if message.contains("string \"") {
        format!(
            "a text stands where something else must be, at line {} column {}",
            error.line(),
            error.column()
        )
    } else {
        message
    }
}

fn read_entry(entry: Entry, secret: &impl Fn(&str) -> Option<String>) -> Result<Server> {
    check_server_name(&entry.name)?;
    let name = entry.name;
    let wrong = |problem: String| misconfigured(format!("has in the server {name:?} {problem}"));
    check_url(&entry.url).map_err(&wrong)?;
    let (headers, secrets) = read_headers(entry.headers, secret).map_err(&wrong)?;
    let kind = match entry.kind.as_deref() {
        None | Some("") => Kind::Any,
        Some("graphql") => Kind::Graphql,
        Some(other) => {
            return Err(wrong(format!(
                "the kind {other:?}; the only kind is \"graphql\""
            )));
        }
    };
    let timeout_ms = match entry.timeout_ms {
        None => DEFAULT_UPSTREAM_TIMEOUT_MS,
        Some(wanted) => u32::try_from(wanted)
            .ok()
            .filter(|wanted| (1..=MAX_UPSTREAM_TIMEOUT_MS).contains(wanted))
            .ok_or_else(|| {
                wrong(format!(
                    "timeoutMs {wanted}; it must be between 1 and {MAX_UPSTREAM_TIMEOUT_MS}"
                ))
            })?,
    };
    for tenant in entry.tenants.iter().flatten() {
        crate::api::names::check_name("tenant", tenant)
            .map_err(|error| wrong(format!("an unusable tenant: {error}")))?;
    }
    Ok(Server {
        endpoint: Endpoint {
            url: entry.url,
            headers,
            secrets: Secrets::new(secrets),
        },
        kind,
        mappings: entry.mappings.unwrap_or_else(|| name.clone()),
        timeout_ms,
        tenants: entry.tenants,
        name,
    })
}

fn check_server_name(name: &str) -> Result<()> {
    let mut characters = name.chars();
    let begins = characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let goes_on = characters
        .all(|character| character.is_ascii_alphanumeric() || character == '_' || character == '-');
    if !begins || !goes_on || name.len() > MAX_SERVER_NAME_CHARACTERS {
        return Err(misconfigured(format!(
            "has the server name {name:?}; a name begins with a letter and has letters, digits, _ and -, at most {MAX_SERVER_NAME_CHARACTERS}"
        )));
    }
    if RESERVED_NAMES
        .iter()
        .any(|reserved| reserved.eq_ignore_ascii_case(name))
    {
        return Err(misconfigured(format!(
            "has the server name {name:?}, which means something else in programs"
        )));
    }
    Ok(())
}

/// Secrets go over the network, so only encrypted, or to this machine. The message never has the address: it may hold a key.
fn check_url(url: &str) -> std::result::Result<(), String> {
    let bad = |what: &str| Err(format!("a url that {what}"));
    if !url.bytes().all(|byte| byte.is_ascii_graphic()) {
        return bad("is no address: it has blanks or letters that must be escaped");
    }
    let (rest, encrypted) = match url.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (rest, true),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (rest, false),
        _ => return bad("does not begin with https://"),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if rest.contains('#') {
        return bad("has a fragment, which no server sees");
    }
    if authority.contains('@') {
        return bad("has a user or password in it: use headers with a secret");
    }
    let host = match authority.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    if host.is_empty() || host.contains(['\\', '%']) {
        return bad("has no host");
    }
    let local = host.eq_ignore_ascii_case("localhost") || host == "::1" || is_loopback(host);
    if !encrypted && !local {
        return bad("is not encrypted: use https (http is for this machine only)");
    }
    Ok(())
}

/// `127.0.0.0/8` in its usual form.
fn is_loopback(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>()
        .is_ok_and(|address| address.is_loopback())
}

type Headers = Vec<(String, String)>;

fn read_headers(
    wanted: BTreeMap<String, String>,
    secret: &impl Fn(&str) -> Option<String>,
) -> std::result::Result<(Headers, Vec<String>), String> {
    let mut headers = Vec::with_capacity(wanted.len());
    let mut secrets = Vec::new();
    for (name, template) in wanted {
        let lower = name.to_ascii_lowercase();
        if lower.is_empty() || !lower.bytes().all(is_token_byte) {
            return Err(format!(
                "the header name {name:?}, which HTTP does not allow"
            ));
        }
        if OWN_HEADERS.contains(&lower.as_str()) || lower.starts_with("mcp-") {
            return Err(format!("the header {name}, which the protocol sets itself"));
        }
        let value = fill_in(&template, &name, secret, &mut secrets)?;
        if SECRET_HEADERS.iter().any(|part| lower.contains(part)) {
            // Written here or filled in: it must not come back. A scheme before it is no secret.
            secrets.extend(
                value
                    .split_ascii_whitespace()
                    .filter(|part| part.len() >= SHORTEST_SECRET_CHARACTERS + 2)
                    .map(str::to_owned),
            );
        }
        if !value
            .bytes()
            .all(|byte| byte == b' ' || byte == b'\t' || byte.is_ascii_graphic())
        {
            return Err(format!(
                "the header {name} with characters that a header cannot carry"
            ));
        }
        headers.push((lower, value.trim().to_owned()));
    }
    Ok((headers, secrets))
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Puts secrets in the place of `$NAME`. `$$` is a dollar sign.
fn fill_in(
    template: &str,
    header: &str,
    secret: &impl Fn(&str) -> Option<String>,
    secrets: &mut Vec<String>,
) -> std::result::Result<String, String> {
    let mut value = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        value.push_str(before);
        if let Some(after) = after.strip_prefix('$') {
            value.push('$');
            rest = after;
            continue;
        }
        let end = after
            .find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
            .unwrap_or(after.len());
        let (name, following) = after.split_at(end);
        if name.is_empty() {
            return Err(format!(
                "the header {header} with a $ that names no secret; a dollar sign is written $$"
            ));
        }
        let text = secret(name)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
            .ok_or_else(|| {
                format!("the header {header} with ${name}, and there is no secret {name}")
            })?;
        value.push_str(&text);
        if text.len() >= SHORTEST_SECRET_CHARACTERS {
            secrets.push(text);
        }
        rest = following;
    }
    value.push_str(rest);
    Ok(value)
}

fn misconfigured(problem: impl std::fmt::Display) -> Error {
    Error::Misconfigured {
        message: format!("the setting {SETTING} {problem}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<Server>> {
        parse_servers(Some(text.to_owned()), &|name| {
            (name == "TOKEN").then(|| "very-secret\"token".to_owned())
        })
    }

    fn refused(text: &str, part: &str) {
        let error = parse(text).unwrap_err();
        assert_eq!(error.code(), "MISCONFIGURED");
        let message = error.to_string();
        assert!(message.contains("MCP_SERVERS"), "{message}");
        assert!(message.contains(part), "{message}");
        assert!(!message.contains("very-secret"), "{message}");
    }

    #[test]
    fn an_entry_is_read_with_its_secrets() {
        let servers = parse(
            r#"[{"name":"pubs","url":"https://pubs.example.com/mcp","headers":{"Authorization":"Bearer $TOKEN","x-price":"5$$"},"kind":"graphql","mappings":"entrez","timeoutMs":5,"tenants":["acme"]},
               {"name":"local","url":"http://127.0.0.1:8080/mcp"}]"#,
        )
        .unwrap();
        let [pubs, local] = servers.as_slice() else {
            panic!("two servers")
        };
        assert_eq!(
            pubs.endpoint.headers,
            [
                (
                    "authorization".to_owned(),
                    "Bearer very-secret\"token".to_owned()
                ),
                ("x-price".to_owned(), "5$".to_owned())
            ]
        );
        assert_eq!(
            pubs.endpoint.secrets,
            Secrets::new(vec!["very-secret\"token".to_owned()])
        );
        assert_eq!(
            (pubs.kind, pubs.mappings.as_str(), pubs.timeout_ms),
            (Kind::Graphql, "entrez", 5)
        );
        assert!(pubs.serves("acme") && !pubs.serves("zeta"));
        assert_eq!(
            (local.kind, local.mappings.as_str(), local.timeout_ms),
            (Kind::Any, "local", DEFAULT_UPSTREAM_TIMEOUT_MS)
        );
        assert!(local.serves("anybody"));
        assert!(!format!("{servers:?}").contains("very-secret"));
        assert!(!format!("{servers:?}").contains("example.com"));
    }

    #[test]
    fn nothing_set_is_no_server() {
        assert_eq!(parse_servers(None, &|_| None).unwrap(), []);
    }

    #[test]
    fn unusable_entries_are_named() {
        for (entry, part) in [
            (r#"{"name":"db","url":"https://x"}"#, "\"db\""),
            (r#"{"name":"Schema","url":"https://x"}"#, "Schema"),
            (r#"{"name":"a b","url":"https://x"}"#, "a b"),
            (r#"{"name":"__proto__","url":"https://x"}"#, "__proto__"),
            (r#"{"name":"","url":"https://x"}"#, "begins with a letter"),
            (r#"{"name":"a"}"#, "url"),
            (r#"{"name":"a","url":"ftp://x"}"#, "https://"),
            (r#"{"name":"a","url":"http://example.com/"}"#, "encrypted"),
            (
                r#"{"name":"a","url":"http://127.0.0.1.example.com/"}"#,
                "encrypted",
            ),
            (r#"{"name":"a","url":"https://u:p@x/"}"#, "password"),
            (r#"{"name":"a","url":"https:///mcp"}"#, "no host"),
            (r#"{"name":"a","url":"https://x/#y"}"#, "fragment"),
            (r#"{"name":"a","url":"https://x y"}"#, "blanks"),
            (r#"{"name":"a","url":"https://x","timeout":5}"#, "timeout"),
            (
                r#"{"name":"a","url":"https://x","timeoutMs":0}"#,
                "timeoutMs 0",
            ),
            (r#"{"name":"a","url":"https://x","kind":"rest"}"#, "rest"),
            (
                r#"{"name":"a","url":"https://x","tenants":["a b"]}"#,
                "tenant",
            ),
            (
                r#"{"name":"a","url":"https://x","headers":{"a":"$NONE"}}"#,
                "no secret NONE",
            ),
            (
                r#"{"name":"a","url":"https://x","headers":{"a":"1 $ 2"}}"#,
                "names no secret",
            ),
            (
                r#"{"name":"a","url":"https://x","headers":{"a b":"1"}}"#,
                "a b",
            ),
            (
                r#"{"name":"a","url":"https://x","headers":{"Accept":"1"}}"#,
                "Accept",
            ),
            (
                r#"{"name":"a","url":"https://x","headers":{"Mcp-Name":"1"}}"#,
                "Mcp-Name",
            ),
            (
                r#"{"name":"a","url":"https://x","headers":{"a":"é"}}"#,
                "cannot carry",
            ),
            (
                r#"{"name":"a","url":"https://x"},{"name":"A","url":"https://x"}"#,
                "two servers",
            ),
        ] {
            refused(&format!("[{entry}]"), part);
        }
        refused(
            r#"[{"name":"a","url":"https://x","headers":"very-secret"}]"#,
            "a text stands",
        );
        refused("{}", "JSON array");
        refused("nonsense", "JSON array");
    }
}

//! Finds the token endpoint of a server. The server's own metadata (RFC 9728) says which
//! authorization server it uses, and the metadata of that one (RFC 8414, or OpenID Connect
//! Discovery) has the URL of its token endpoint.
//!
//! The host that answers here decides who receives the client's secret. Therefore the metadata of
//! the resource must come from the server's own origin; the authorization server must be the one
//! that the operator named or the one found first; its metadata must name itself; and an address of
//! this machine is accepted only if the server is on this machine, too.

use serde_json::Value;

use super::challenge::Challenge;
use super::denied::{Fault, Step, TokenFailure};
use super::document::{fetch, get};
use super::token::Source;
use super::{AuthMethod, ClientCredentials};
use net::address::Url;
use net::transport::Http;

/// A token endpoint and its issuer.
#[derive(Clone)]
pub(super) struct TokenIssuer {
    pub source: Source,
    pub issuer: String,
}

/// Finds the token endpoint. `pinned` is the issuer that was found before.
///
/// # Errors
/// [`TokenFailure`].
pub(super) async fn discover<H: Http>(
    http: &H,
    credentials: &ClientCredentials,
    server_url: &str,
    challenge: &Challenge,
    pinned: Option<&str>,
) -> Result<TokenIssuer, TokenFailure> {
    let server = Url::parse(server_url).ok_or_else(|| {
        TokenFailure::unusable(
            Step::ResourceMetadata,
            "the URL of the server cannot be read",
        )
    })?;
    let metadata = resource_metadata(http, &server, challenge).await?;
    let of_resource = |problem| TokenFailure::unusable(Step::ResourceMetadata, problem);
    let resource = resource_of(&metadata, &server).map_err(of_resource)?;
    let wanted = credentials.issuer.as_deref().or(pinned);
    let issuer = issuer_of(&metadata, wanted).map_err(of_resource)?;
    let metadata = server_metadata(http, &server, issuer).await?;
    let of_server = |problem| TokenFailure::unusable(Step::ServerMetadata, problem);
    let token_url = text(&metadata, "token_endpoint")
        .filter(|url| may_be_asked(url, &server))
        .ok_or_else(|| {
            of_server(
                "the field token_endpoint is missing, or is a URL that this client may not call",
            )
        })?;
    let method = match credentials.method {
        Some(method) => method,
        None => method_of(&metadata).map_err(of_server)?,
    };
    let scope = credentials.scope.clone();
    Ok(TokenIssuer {
        source: Source {
            token_url: token_url.to_owned(),
            scope: scope.or_else(|| challenge.scope.clone()).or(resource.scope),
            resource: credentials.resource.clone().unwrap_or(resource.name),
            method,
        },
        issuer: issuer.to_owned(),
    })
}

struct Resource {
    name: String,
    scope: Option<String>,
}

async fn resource_metadata<H: Http>(
    http: &H,
    server: &Url<'_>,
    challenge: &Challenge,
) -> Result<Value, TokenFailure> {
    let urls = match &challenge.resource_metadata {
        Some(url) => {
            let own = Url::parse(url).is_some_and(|url| url.has_origin_of(server));
            if !own {
                let problem = "the server refers to an address on another host";
                return Err(TokenFailure::unusable(Step::ResourceMetadata, problem));
            }
            vec![url.clone()]
        }
        None => well_known(server, "oauth-protected-resource"),
    };
    first_of(http, Step::ResourceMetadata, urls).await
}

/// Returns the well-known address for a path, and the one for the whole host.
fn well_known(of: &Url<'_>, name: &str) -> Vec<String> {
    let path = of.path.trim_end_matches('/');
    let mut urls = vec![format!("{}/.well-known/{name}{path}", of.origin)];
    if !path.is_empty() {
        urls.push(format!("{}/.well-known/{name}", of.origin));
    }
    urls
}

/// Returns the first document that exists. If an address may succeed later, the others are not
/// tried.
async fn first_of<H: Http>(http: &H, step: Step, urls: Vec<String>) -> Result<Value, TokenFailure> {
    let mut failure = TokenFailure::unusable(step, "no address is known");
    for url in urls {
        match fetch(http, get(url)).await {
            Ok(value) => return Ok(value),
            Err(fault) => {
                failure = TokenFailure::new(step, fault);
                if failure.may_pass() || !matches!(failure.fault, Fault::Status { .. }) {
                    break;
                }
            }
        }
    }
    Err(failure)
}

/// Returns the resource, which must be the server or a parent of it.
fn resource_of(metadata: &Value, server: &Url<'_>) -> Result<Resource, &'static str> {
    let name = text(metadata, "resource").ok_or("the field resource is missing")?;
    let is_own = Url::parse(name).is_some_and(|resource| {
        let path = resource.path.trim_end_matches('/');
        let rest = server.path.strip_prefix(path);
        resource.has_origin_of(server)
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if !is_own {
        return Err("the field resource does not name this server");
    }
    let scopes: Vec<&str> = texts(metadata, "scopes_supported").collect();
    Ok(Resource {
        name: name.to_owned(),
        scope: (!scopes.is_empty()).then(|| scopes.join(" ")),
    })
}

/// Returns the authorization server: the one that is wanted, or the first.
fn issuer_of<'m>(metadata: &'m Value, wanted: Option<&str>) -> Result<&'m str, &'static str> {
    let mut listed = texts(metadata, "authorization_servers");
    match wanted {
        Some(wanted) => listed
            .find(|issuer| *issuer == wanted)
            .ok_or("the authorization server that the client's secret is for is not listed"),
        None => listed.next().ok_or("no authorization server is listed"),
    }
}

async fn server_metadata<H: Http>(
    http: &H,
    server: &Url<'_>,
    issuer: &str,
) -> Result<Value, TokenFailure> {
    let denied = |problem| TokenFailure::unusable(Step::ServerMetadata, problem);
    let url = Url::parse(issuer)
        .filter(|_| !issuer.contains('?') && may_be_asked(issuer, server))
        .ok_or_else(|| denied("the issuer is not a URL that this client may call"))?;
    let path = url.path.trim_end_matches('/');
    let origin = url.origin;
    let mut urls = vec![
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        urls.push(format!("{origin}{path}/.well-known/openid-configuration"));
    }
    let metadata = first_of(http, Step::ServerMetadata, urls).await?;
    // RFC 8414, section 3.3: metadata of another issuer must not be used.
    if text(&metadata, "issuer") != Some(issuer) {
        return Err(denied(
            "the field issuer is not the authorization server that was asked",
        ));
    }
    Ok(metadata)
}

/// Returns true if a server may name this address: only a server on this machine may name an
/// address on this machine.
fn may_be_asked(url: &str, server: &Url<'_>) -> bool {
    Url::parse(url).is_some_and(|url| !url.is_local() || server.is_local())
}

/// Returns the authentication method. Without a list it is Basic (RFC 8414, section 2).
fn method_of(metadata: &Value) -> Result<AuthMethod, &'static str> {
    const LIST: &str = "token_endpoint_auth_methods_supported";
    let has = |name: &str| texts(metadata, LIST).any(|known| known == name);
    if metadata.get(LIST).is_none() || has("client_secret_basic") {
        Ok(AuthMethod::Basic)
    } else if has("client_secret_post") {
        Ok(AuthMethod::Post)
    } else {
        Err("the authorization server does not accept a client secret")
    }
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

fn texts<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v str> {
    let list = value.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

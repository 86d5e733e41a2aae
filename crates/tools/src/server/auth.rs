//! The field `auth` of an entry: the client credentials for a server that demands access tokens.

use std::rc::Rc;

use super::fields::{Fields, Shape};
use super::headers::{self, Headers};
use super::{Read, address, quoted};
use base::nearest;
use mcp::authorization::{Access, AuthMethod, ClientCredentials};

/// The fields of `auth`.
const AUTH: Shape = Shape {
    name: "auth",
    fields: &[
        "type",
        "clientId",
        "clientSecret",
        "tokenUrl",
        "issuer",
        "scope",
        "resource",
        "authMethod",
    ],
    needed: "type, clientId and clientSecret",
};

/// The only supported type.
const CLIENT_CREDENTIALS: &str = "client_credentials";

/// The methods by their names.
const METHODS: [(&str, AuthMethod); 2] = [("basic", AuthMethod::Basic), ("post", AuthMethod::Post)];

/// Reads the credentials of an entry, and adds their secrets to those of the headers.
pub(super) fn read(
    entry: &Fields<'_>,
    secret: &impl Fn(&str) -> Option<String>,
    sent: &mut Headers,
) -> Read<Option<ClientCredentials>> {
    let fields = entry.object("auth", &AUTH).map_err(within)?;
    let credentials = fields.map(|fields| credentials(&fields, secret, sent));
    credentials.transpose().map_err(within)
}

/// Creates the access that fetches and stores tokens.
pub(super) fn access(credentials: ClientCredentials) -> Rc<Access> {
    Rc::new(Access::new(credentials))
}

fn within(problem: String) -> String {
    format!("auth: {problem}")
}

fn credentials(
    fields: &Fields<'_>,
    secret: &impl Fn(&str) -> Option<String>,
    sent: &mut Headers,
) -> Read<ClientCredentials> {
    let kind = fields.required_text("type")?;
    if kind != CLIENT_CREDENTIALS {
        return Err(format!(
            "there is no type {}; the only type is {CLIENT_CREDENTIALS:?}",
            quoted(&kind)
        ));
    }
    let client_id = filled_in(fields, "clientId", secret, sent)?;
    let client_secret = filled_in(fields, "clientSecret", secret, sent)?;
    sent.secrets
        .extend(Some(client_secret.clone()).filter(|text| headers::is_long_enough(text)));
    let token_url = fields.text("tokenUrl")?;
    let issuer = fields.text("issuer")?;
    for (name, url) in [("tokenUrl", &token_url), ("issuer", &issuer)] {
        if let Some(url) = url {
            address::check(name, url)?;
        }
    }
    if token_url.is_some() && issuer.is_some() {
        return Err(
            "tokenUrl and issuer cannot be used together: issuer is for discovery, which tokenUrl replaces"
                .to_owned(),
        );
    }
    let scope = fields.text("scope")?;
    if scope.as_deref().is_some_and(|scope| !is_scope(scope)) {
        return Err("scope must be names with single blanks between them".to_owned());
    }
    let resource = fields.text("resource")?;
    if resource.as_deref().is_some_and(|text| !is_resource(text)) {
        return Err("resource must be an absolute URI without a fragment".to_owned());
    }
    Ok(ClientCredentials {
        token_url,
        issuer,
        client_id,
        client_secret,
        scope,
        resource,
        method: method(fields.text("authMethod")?)?,
    })
}

fn filled_in(
    fields: &Fields<'_>,
    name: &str,
    secret: &impl Fn(&str) -> Option<String>,
    sent: &mut Headers,
) -> Read<String> {
    let template = fields.required_text(name)?;
    let text = headers::fill_in(&template, name, secret, sent)?;
    // RFC 6749, appendix A, allows only printable ASCII.
    if text.is_empty() || !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(format!("{name} must be printable ASCII, and not empty"));
    }
    Ok(text)
}

/// Returns true for a list of scopes (RFC 6749, section 3.3).
fn is_scope(text: &str) -> bool {
    text.split(' ').all(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
    })
}

/// Returns true for an absolute URI without a fragment (RFC 8707, section 2).
fn is_resource(text: &str) -> bool {
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    }) && text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'#')
}

fn method(given: Option<String>) -> Read<Option<AuthMethod>> {
    let Some(given) = given else {
        return Ok(None);
    };
    if let Some((_, method)) = METHODS.iter().find(|(name, _)| *name == given) {
        return Ok(Some(*method));
    }
    let near = nearest(&given, METHODS.iter().map(|(name, _)| *name));
    let fix = match near.first() {
        Some(near) => format!("did you mean {near:?}?"),
        None => "the methods are \"basic\" and \"post\"".to_owned(),
    };
    Err(format!("there is no authMethod {}; {fix}", quoted(&given)))
}

//! The environment variables of OAuth.

use base::{CommonError, Error, Result};
use net::address;

const ISSUER: &str = "OAUTH_ISSUER";
const AUDIENCE: &str = "OAUTH_AUDIENCE";
const TENANT_CLAIM: &str = "OAUTH_TENANT_CLAIM";
const BUSINESS_CLAIM: &str = "OAUTH_BUSINESS_CLAIM";
const SCOPES: &str = "OAUTH_SCOPES";
const JWKS_URL: &str = "OAUTH_JWKS_URL";

/// The subject of a token. For clients that act for themselves it is their client id.
const DEFAULT_TENANT_CLAIM: &str = "sub";

/// The issuer that this deployment trusts, and the conditions for its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The issuer, exactly as its tokens and its metadata write it.
    pub issuer: String,
    /// The accepted values of `aud`; without them, the address of the resource.
    pub audiences: Option<Vec<String>>,
    /// The claim that names the tenant.
    pub tenant_claim: String,
    /// The claim that names the business whose rows the agent may see; without it, each request
    /// names a business.
    pub business_claim: Option<String>,
    /// The scopes that each token must have.
    pub scopes: Vec<String>,
    /// The URL of the issuer's keys; without it, the URL in its metadata.
    pub jwks_url: Option<String>,
}

impl Settings {
    /// Reads the variables through `text`, which returns nothing for an absent or blank one.
    ///
    /// # Errors
    /// [`CommonError::Misconfigured`] for a variable that is unusable, or that has no effect
    /// without `OAUTH_ISSUER`.
    pub fn parse(
        text: impl Fn(&str) -> Option<String>,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Self>> {
        let text = |name: &str| text(name).map(|value| value.trim().to_owned());
        let issuer = text(ISSUER);
        let [audience, tenant_claim, business_claim, scopes, jwks_url] =
            [AUDIENCE, TENANT_CLAIM, BUSINESS_CLAIM, SCOPES, JWKS_URL]
                .map(|name| (name, text(name)));
        let Some(issuer) = issuer else {
            let alone = [audience, tenant_claim, business_claim, scopes, jwks_url]
                .into_iter()
                .find(|(_, value)| value.is_some());
            return match alone {
                Some((name, _)) => Err(misconfigured(
                    name,
                    format_args!("has no effect without {ISSUER}: set {ISSUER} or remove {name}"),
                )),
                None => Ok(None),
            };
        };
        check_issuer(&issuer)?;
        let jwks_url = jwks_url.1.map(parse_jwks_url).transpose()?;
        let audiences = audience.1.map(|text| parse_audiences(&text)).transpose()?;
        if audiences.is_none() {
            warnings.push(format!(
                "{AUDIENCE} is not set: access tokens for the host in the URL of each request are accepted; set it if clients can reach the Worker under a host of their choice"
            ));
        }
        Ok(Some(Self {
            issuer,
            audiences,
            tenant_claim: tenant_claim
                .1
                .unwrap_or_else(|| DEFAULT_TENANT_CLAIM.to_owned()),
            business_claim: business_claim.1,
            scopes: scopes
                .1
                .map(|text| parse_scopes(&text))
                .transpose()?
                .unwrap_or_default(),
            jwks_url,
        }))
    }
}

fn misconfigured(name: &str, problem: impl std::fmt::Display) -> Error {
    Error::from(CommonError::Misconfigured {
        message: format!("the environment variable {name} {problem}"),
    })
}

/// Checks that the issuer is a URL without query and fragment (RFC 8414, section 2).
fn check_issuer(issuer: &str) -> Result<()> {
    if let Some(problem) = address::problem(issuer) {
        return Err(misconfigured(ISSUER, problem));
    }
    if issuer.contains('?') {
        return Err(misconfigured(ISSUER, "must not contain a query"));
    }
    Ok(())
}

fn parse_jwks_url(url: String) -> Result<String> {
    match address::problem(&url) {
        Some(problem) => Err(misconfigured(JWKS_URL, problem)),
        None => Ok(url),
    }
}

fn parse_audiences(text: &str) -> Result<Vec<String>> {
    let audiences: Vec<String> = text
        .split(',')
        .map(|audience| audience.trim().to_owned())
        .filter(|audience| !audience.is_empty())
        .collect();
    if audiences.is_empty() || !audiences.iter().all(|text| is_graphic(text)) {
        return Err(misconfigured(
            AUDIENCE,
            "must be audiences such as https://db.example.com/mcp, separated by commas",
        ));
    }
    Ok(audiences)
}

fn is_graphic(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Parses scopes as in RFC 6749, section 3.3, but without commas, which probably separate two
/// scopes.
fn parse_scopes(text: &str) -> Result<Vec<String>> {
    let is_scope = |scope: &str| is_graphic(scope) && !scope.contains(['"', '\\', ',']);
    let mut scopes: Vec<String> = Vec::new();
    for scope in text.split_whitespace() {
        if !is_scope(scope) {
            return Err(misconfigured(
                SCOPES,
                format_args!("must be scopes separated by blanks, not {scope:?}"),
            ));
        }
        if !scopes.iter().any(|known| known == scope) {
            scopes.push(scope.to_owned());
        }
    }
    Ok(scopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(variables: &[(&str, &str)]) -> (Result<Option<Settings>>, Vec<String>) {
        let mut warnings = Vec::new();
        let text = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        (Settings::parse(text, &mut warnings), warnings)
    }

    #[test]
    fn without_an_issuer_there_is_no_oauth() {
        assert_eq!(parse(&[]).0.unwrap(), None);
        for name in [AUDIENCE, TENANT_CLAIM, SCOPES, JWKS_URL] {
            let error = parse(&[(name, "https://x")]).0.unwrap_err();
            assert_eq!(error.code(), "MISCONFIGURED");
            let text = error.to_string();
            assert!(text.contains(name) && text.contains(ISSUER), "{text}");
        }
    }

    #[test]
    fn an_issuer_alone_has_defaults_and_a_warning() {
        let (settings, warnings) = parse(&[(ISSUER, " https://id.example.com/realms/a/ ")]);
        let settings = settings.unwrap().unwrap();
        assert_eq!(settings.issuer, "https://id.example.com/realms/a/");
        assert_eq!(settings.tenant_claim, "sub");
        assert!(settings.audiences.is_none() && settings.jwks_url.is_none());
        assert!(settings.scopes.is_empty());
        assert!(warnings.len() == 1 && warnings[0].contains(AUDIENCE));
    }

    #[test]
    fn lists_are_read() {
        let (settings, warnings) = parse(&[
            (ISSUER, "http://127.0.0.1:3000"),
            (AUDIENCE, "https://db.example.com/mcp, api://db"),
            (TENANT_CLAIM, "https://example.com/tenant"),
            (SCOPES, "db:read  db:write db:read"),
            (JWKS_URL, "https://id.example.com/keys?v=1"),
        ]);
        let settings = settings.unwrap().unwrap();
        assert!(warnings.is_empty());
        assert_eq!(
            settings.audiences.unwrap(),
            ["https://db.example.com/mcp", "api://db"]
        );
        assert_eq!(settings.scopes, ["db:read", "db:write"]);
        assert_eq!(settings.tenant_claim, "https://example.com/tenant");
    }

    #[test]
    fn unusable_values_are_named() {
        for (name, value) in [
            (ISSUER, "id.example.com"),
            (ISSUER, "http://id.example.com"),
            (ISSUER, "https://id.example.com?tenant=a"),
            (ISSUER, "https://id.example.com/#a"),
            (ISSUER, "https://user@id.example.com"),
            (JWKS_URL, "http://id.example.com/keys"),
            (AUDIENCE, ","),
            (AUDIENCE, "two words"),
            (SCOPES, "a,b"),
            (SCOPES, "a\"b"),
        ] {
            let issuer = (ISSUER, "https://id.example.com");
            let error = parse(&[(name, value), issuer]).0.unwrap_err();
            assert_eq!(error.code(), "MISCONFIGURED", "{name} {value}");
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}

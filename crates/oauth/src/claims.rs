//! The claims of a verified token: its type, its scopes, and the tenant that one of its claims
//! names.

use base::Result;
use base::limits::MAX_NAME_CHARACTERS;
use base::names::check_name;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::OauthError;
use super::settings::Settings;
use super::token::TokenProblem;

/// The claims of a token whose signature, issuer, audience and times are verified.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims {
    claims: Map<String, Value>,
}

/// The tenant, business and user that a token identifies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    /// The tenant.
    pub tenant: String,
    /// The business whose rows the agent may see, if the deployment has a claim for it.
    pub business: Option<String>,
    /// The person or client in the claim `sub`, if there is one.
    pub user: Option<String>,
}

/// The claim of the subject of a token (RFC 7519, section 4.1.2).
const SUBJECT: &str = "sub";

/// The result of `js/oauth.js` for a token.
#[derive(Deserialize)]
struct Outcome {
    #[serde(default)]
    claims: Option<Map<String, Value>>,
    /// `typ` of its header.
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    problem: Option<String>,
}

impl Claims {
    /// Reads the result of a verification, and does the checks that are not part of it.
    ///
    /// # Errors
    /// [`TokenProblem`].
    pub fn parse(outcome: &str) -> Result<Self, TokenProblem> {
        let outcome: Outcome =
            serde_json::from_str(outcome).map_err(|_| TokenProblem::Malformed)?;
        if let Some(problem) = outcome.problem {
            return Err(TokenProblem::from_name(&problem));
        }
        let claims = outcome.claims.ok_or(TokenProblem::Malformed)?;
        if !is_access_token(outcome.kind.as_deref()) {
            return Err(TokenProblem::Type);
        }
        // A token bound to a key is not a bearer token (RFC 7800; RFC 9449, section 7.2).
        if claims.contains_key("cnf") {
            return Err(TokenProblem::Bound);
        }
        Ok(Self { claims })
    }

    /// Checks that the token has all of these scopes.
    ///
    /// # Errors
    /// [`OauthError::InsufficientScope`].
    pub fn require_scopes(&self, required: &[String]) -> Result<()> {
        let given = self.scopes();
        let missing: Vec<String> = required
            .iter()
            .filter(|scope| !given.contains(&scope.as_str()))
            .cloned()
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(OauthError::InsufficientScope {
            missing,
            required: required.to_vec(),
        }
        .into())
    }

    /// Returns the scopes: `scope` as in RFC 9068, and `scp` as some issuers write it. Each may be
    /// a string with blanks, or a list.
    fn scopes(&self) -> Vec<&str> {
        let claims = ["scope", "scp"]
            .into_iter()
            .filter_map(|name| self.claims.get(name));
        claims
            .flat_map(|claim| match claim {
                Value::String(text) => text.split(' ').collect(),
                Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
                _ => Vec::new(),
            })
            .collect()
    }

    /// Returns the holder of the token. If the deployment has a claim for the business, a token
    /// without this claim is refused, because its holder could name any business.
    ///
    /// # Errors
    /// [`OauthError::TenantClaimUnusable`] or [`OauthError::BusinessClaimUnusable`] for a claim
    /// that is missing or unusable.
    pub fn holder(&self, settings: &Settings) -> Result<Holder> {
        let business = settings.business_claim.as_deref();
        Ok(Holder {
            tenant: self.tenant(&settings.tenant_claim)?,
            business: business.map(|claim| self.business(claim)).transpose()?,
            user: self.plain_text(SUBJECT),
        })
    }

    fn business(&self, claim: &str) -> Result<String> {
        let unusable = |problem| OauthError::BusinessClaimUnusable {
            claim: claim.to_owned(),
            problem,
        };
        match find(&self.claims, claim) {
            None => Err(unusable("is missing").into()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(_) => self
                .plain_text(claim)
                .ok_or_else(|| unusable("is not a usable name of a business").into()),
        }
    }

    /// Returns a claim that is a string of valid length for an id.
    fn plain_text(&self, claim: &str) -> Option<String> {
        let text = find(&self.claims, claim)?.as_str()?;
        let is_usable = !text.is_empty()
            && text.chars().count() <= MAX_NAME_CHARACTERS
            && !text.chars().any(char::is_control);
        is_usable.then(|| text.to_owned())
    }

    /// Returns the tenant that a claim names.
    ///
    /// # Errors
    /// [`OauthError::TenantClaimUnusable`] if the claim is missing, is not a string, or is not a
    /// valid name.
    pub fn tenant(&self, claim: &str) -> Result<String> {
        let unusable = |problem| OauthError::TenantClaimUnusable {
            claim: claim.to_owned(),
            problem,
        };
        let value = find(&self.claims, claim).ok_or_else(|| unusable("is missing"))?;
        let Value::String(tenant) = value else {
            return Err(unusable("is not a string").into());
        };
        check_name("tenant", tenant).map_err(|_| unusable("is not a usable tenant name"))?;
        Ok(tenant.clone())
    }
}

/// Returns true for the type of an access token. RFC 9068 demands `at+jwt`; many issuers write
/// `JWT`, and some write no type.
fn is_access_token(kind: Option<&str>) -> bool {
    let Some(kind) = kind else { return true };
    let kind = kind.to_ascii_lowercase();
    let kind = kind.strip_prefix("application/").unwrap_or(&kind);
    matches!(kind, "at+jwt" | "jwt")
}

/// Returns the claim of exactly this name, which may contain dots; otherwise the nested claim at
/// the path that the dots separate.
fn find<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if let Some(value) = claims.get(name) {
        return Some(value);
    }
    let mut parts = name.split('.');
    let first = claims.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.as_object()?.get(part))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims(claims: Value) -> Claims {
        Claims::parse(&json!({ "claims": claims, "type": "at+jwt" }).to_string()).unwrap()
    }

    #[test]
    fn a_claim_is_found_by_its_whole_name_or_by_its_path() {
        let token = claims(json!({
            "sub": "user-1", "https://example.com/tenant": "acme", "org": { "id": "zeta", "a.b": "no" },
            "app.tenant": "dotted", "app": { "tenant": "nested" }
        }));
        for (name, tenant) in [
            ("sub", "user-1"),
            ("https://example.com/tenant", "acme"),
            ("org.id", "zeta"),
            ("app.tenant", "dotted"),
        ] {
            assert_eq!(token.tenant(name).unwrap(), tenant, "{name}");
        }
    }

    #[test]
    fn a_claim_that_names_no_tenant_is_forbidden_and_named() {
        let token = claims(json!({
            "sub": "auth0|123", "number": 5, "empty": "", "step": "..", "slash": "a/b", "list": ["acme"],
            "null": null, "long": "n".repeat(129), "org": { "id": { "deep": "acme" } }
        }));
        for (name, problem) in [
            ("sub", "is not a usable tenant name"),
            ("number", "is not a string"),
            ("empty", "is not a usable tenant name"),
            ("step", "is not a usable tenant name"),
            ("slash", "is not a usable tenant name"),
            ("long", "is not a usable tenant name"),
            ("list", "is not a string"),
            ("null", "is not a string"),
            ("org", "is not a string"),
            ("org.id", "is not a string"),
            ("org.name", "is missing"),
            ("sub.id", "is missing"),
            ("tenant", "is missing"),
            ("", "is missing"),
        ] {
            let error = token.tenant(name).unwrap_err();
            assert_eq!(error.code(), "TENANT_CLAIM_UNUSABLE");
            assert_eq!(
                error.to_string(),
                format!("the claim {name} of the access token {problem}")
            );
            assert!(error.hint().unwrap().contains("OAUTH_TENANT_CLAIM"));
        }
    }

    #[test]
    fn scopes_are_read_in_each_form() {
        let required = ["db:read".to_owned(), "db:write".to_owned()];
        for given in [
            json!({ "scope": "db:write openid db:read" }),
            json!({ "scp": ["db:read", "db:write"] }),
            json!({ "scope": ["db:read"], "scp": "db:write" }),
        ] {
            claims(given).require_scopes(&required).unwrap();
        }
        for (given, missing) in [
            (json!({}), json!(["db:read", "db:write"])),
            (json!({ "scope": "db:reader db:write" }), json!(["db:read"])),
            (json!({ "scope": "db:read", "scp": 5 }), json!(["db:write"])),
        ] {
            let error = claims(given).require_scopes(&required).unwrap_err();
            assert_eq!(error.code(), "INSUFFICIENT_SCOPE");
            assert_eq!(error.details()["missing"], missing);
        }
        claims(json!({})).require_scopes(&[]).unwrap();
    }

    #[test]
    fn only_access_tokens_that_anybody_may_bear_pass() {
        let parse = |kind: Value, claims: Value| {
            Claims::parse(&json!({ "claims": claims, "type": kind }).to_string())
        };
        for kind in [
            json!("at+jwt"),
            json!("AT+JWT"),
            json!("application/at+jwt"),
            json!("JWT"),
            Value::Null,
        ] {
            assert!(parse(kind, json!({})).is_ok());
        }
        for kind in ["logout+jwt", "dpop+jwt", "at", "", "application/"] {
            assert_eq!(
                parse(json!(kind), json!({})).unwrap_err(),
                TokenProblem::Type
            );
        }
        assert_eq!(
            parse(Value::Null, json!({ "cnf": { "jkt": "x" } })).unwrap_err(),
            TokenProblem::Bound
        );
        assert_eq!(
            Claims::parse(r#"{"problem":"expired"}"#).unwrap_err(),
            TokenProblem::Expired
        );
        for odd in ["", "{}", "[]", r#"{"claims":[]}"#, "null"] {
            assert_eq!(
                Claims::parse(odd).unwrap_err(),
                TokenProblem::Malformed,
                "{odd}"
            );
        }
    }
}

//! The problems of access tokens, and the detection of a JWT.

/// A reason for which an access token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenProblem {
    /// The token is of another kind.
    #[error("the token is not in API_TOKENS, and is not an access token in JWT format")]
    NotAJwt,
    /// The token is longer than the limit.
    #[error("the access token is too long")]
    TooLong,
    /// The token has three parts, but is not a JWT.
    #[error("the access token is not a valid JWT")]
    Malformed,
    /// The algorithm is `none`, symmetric or unknown.
    #[error("the access token is signed with an algorithm that is not accepted")]
    Algorithm,
    /// The JWT is an ID token, a logout token or of another type.
    #[error("the token is a JWT, but not an access token")]
    Type,
    /// The key is known, but the signature is not made with it.
    #[error("the signature of the access token is not valid")]
    Signature,
    /// The issuer publishes the key, but it is too short or otherwise unusable.
    #[error("the key that the access token is signed with cannot be used")]
    UnusableKey,
    /// The issuer does not publish the key.
    #[error("the access token is signed with a key that the issuer does not publish")]
    UnknownKey,
    /// `iss` is another issuer.
    #[error("the access token is from another issuer")]
    Issuer,
    /// `aud` is another audience.
    #[error("the access token is for another audience")]
    Audience,
    /// `exp` has passed.
    #[error("the access token has expired")]
    Expired,
    /// `exp` is missing or not a number.
    #[error("the access token does not say when it expires")]
    NoExpiry,
    /// `nbf` is in the future.
    #[error("the access token is not valid yet")]
    NotYetValid,
    /// The token has `cnf`: a client must prove that it possesses a certain key, and such proofs
    /// are not supported.
    #[error("the access token is bound to a key, so it is not valid as a bearer token")]
    Bound,
}

impl TokenProblem {
    /// Returns the problem that `js/oauth.js` names.
    pub fn from_name(name: &str) -> Self {
        match name {
            "algorithm" => Self::Algorithm,
            "signature" => Self::Signature,
            "key" => Self::UnknownKey,
            "unusable" => Self::UnusableKey,
            "issuer" => Self::Issuer,
            "audience" => Self::Audience,
            "expired" => Self::Expired,
            "expiry" => Self::NoExpiry,
            "early" => Self::NotYetValid,
            _ => Self::Malformed,
        }
    }

    /// Says how to get a token that is accepted.
    pub fn hint(self) -> &'static str {
        match self {
            Self::NotAJwt => {
                "send an access token from the issuer as Authorization: Bearer TOKEN; GET /.well-known/oauth-protected-resource names the issuer"
            }
            Self::TooLong | Self::Malformed | Self::Type => {
                "send the access token as the issuer returned it, not an ID token or a refresh token"
            }
            Self::UnusableKey => {
                "configure the issuer to sign with RSA keys of 2048 bits or more, or with keys of ES256 or Ed25519"
            }
            Self::Algorithm => {
                "configure the issuer to sign access tokens with RS256, PS256, ES256 or EdDSA"
            }
            Self::Signature | Self::UnknownKey | Self::Issuer => {
                "request an access token from the issuer that GET /.well-known/oauth-protected-resource names"
            }
            Self::Audience => {
                "request an access token with the parameter resource that GET /.well-known/oauth-protected-resource/mcp names; the environment variable OAUTH_AUDIENCE changes what is accepted"
            }
            Self::Expired => "request a new access token",
            Self::NoExpiry => "configure the issuer to add the claim exp to access tokens",
            Self::NotYetValid => "compare the clocks of the issuer and of this machine",
            Self::Bound => "request a bearer token, without DPoP and without a client certificate",
        }
    }
}

/// Returns true if a string looks like a signed JWT: three parts in base64url, separated by dots.
/// The last part is empty if there is no signature.
pub fn looks_like_a_jwt(token: &str) -> bool {
    let is_part = |part: &str| {
        part.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let mut parts = token.split('.');
    let (Some(header), Some(payload), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    // `{"` in base64url, because the header is a JSON object.
    header.starts_with("ey")
        && !payload.is_empty()
        && [header, payload, signature].into_iter().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_parts_of_base64url_look_like_a_jwt() {
        for (token, is_one) in [
            ("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.", true),
            ("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.a-_9", true),
            ("eyJhbGciOiJSUzI1NiJ9..abc", false),
            ("a.b.c", false),
            ("eyJh.b", false),
            ("eyJh.b.c.d", false),
            ("eyJh.b=.c", false),
            ("eyJh.b. c", false),
            ("eyJh.ü.c", false),
            ("a-long-random-token", false),
            ("", false),
        ] {
            assert_eq!(looks_like_a_jwt(token), is_one, "{token}");
        }
    }

    #[test]
    fn a_name_that_is_not_known_is_a_malformed_token() {
        assert_eq!(TokenProblem::from_name("expired"), TokenProblem::Expired);
        assert_eq!(TokenProblem::from_name("new"), TokenProblem::Malformed);
    }
}

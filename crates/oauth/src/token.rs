//! What can be wrong with an access token, and what looks like one.

/// Why an access token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenProblem {
    /// A token of another kind.
    #[error("the token is neither a token of API_TOKENS nor an access token in the form of a JWT")]
    NotAJwt,
    /// Longer than any that is read.
    #[error("the access token is too long")]
    TooLong,
    /// Three parts that are no JWT.
    #[error("the access token is not a valid JWT")]
    Malformed,
    /// `none`, a symmetric one, or one that is not known.
    #[error("the access token is signed with an algorithm that is not accepted")]
    Algorithm,
    /// An ID token of another type, a logout token and so on.
    #[error("the token is a JWT of another type than an access token")]
    Type,
    /// The key is the issuer's, the signature is not made with it.
    #[error("the signature of the access token is not valid")]
    Signature,
    /// The issuer publishes the key, and it is too short or of no use.
    #[error("the key that the access token is signed with cannot be used")]
    UnusableKey,
    /// The issuer has no such key.
    #[error("the access token is signed with a key that the issuer does not publish")]
    UnknownKey,
    /// `iss`.
    #[error("the access token is of another issuer")]
    Issuer,
    /// `aud`.
    #[error("the access token is for another audience")]
    Audience,
    /// `exp` has passed.
    #[error("the access token has expired")]
    Expired,
    /// `exp` is missing or no number.
    #[error("the access token does not say when it expires")]
    NoExpiry,
    /// `nbf` is to come.
    #[error("the access token is not valid yet")]
    NotYetValid,
    /// `cnf`: only whoever proves to have a key may use it, and such proofs are not read here.
    #[error("the access token is bound to a key, so it is not valid as a bearer token")]
    Bound,
}

impl TokenProblem {
    /// The problem that `js/oauth.js` names.
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

    /// How to get a token that is accepted.
    pub fn hint(self) -> &'static str {
        match self {
            Self::NotAJwt => {
                "send an access token of the issuer as Authorization: Bearer TOKEN; GET /.well-known/oauth-protected-resource names the issuer"
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
                "request an access token of the issuer that GET /.well-known/oauth-protected-resource names"
            }
            Self::Audience => {
                "request an access token with the parameter resource that GET /.well-known/oauth-protected-resource/mcp names; the environment variable OAUTH_AUDIENCE changes what is accepted"
            }
            Self::Expired => "request a new access token",
            Self::NoExpiry => "configure the issuer to give access tokens the claim exp",
            Self::NotYetValid => "compare the clocks of the issuer and of this machine",
            Self::Bound => "request a bearer token, without DPoP and without a client certificate",
        }
    }
}

/// Whether a text has the form of a signed JWT: three parts of base64url between dots. The last one is empty where nobody signed.
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
    // `{"` in base64url: the header is a JSON object.
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

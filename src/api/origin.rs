//! Which web pages may call, and the CORS headers that tell the browser so.
//!
//! A request without `Origin` does not come from a page of another site, so it passes; a token is still needed.

use crate::api::auth::is_loopback;
use crate::error::{Error, Result};

/// How long a browser may remember a preflight answer.
const PREFLIGHT_SECONDS: &str = "86400";

/// Response headers that pages may read.
const EXPOSED_HEADERS: &str = "content-disposition";

/// Request headers that pages may send.
const ALLOWED_HEADERS: &str = "authorization, content-type, x-codemode-token";

/// Checks the `Origin` header of a request to a URL of origin `own`, such as `https://db.example.com`.
///
/// # Errors
/// [`Error::OriginNotAllowed`] unless it is the same origin, a loopback one, or one of `allowed`.
pub fn check_origin(origin: Option<&str>, own: &str, allowed: &[String]) -> Result<()> {
    let Some(origin) = origin else { return Ok(()) };
    let listed = allowed
        .iter()
        .any(|entry| entry == "*" || entry.eq_ignore_ascii_case(origin));
    if listed || origin.eq_ignore_ascii_case(own) || is_loopback_origin(origin) {
        return Ok(());
    }
    Err(Error::OriginNotAllowed {
        origin: origin.to_owned(),
    })
}

fn is_loopback_origin(origin: &str) -> bool {
    let Some(authority) = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"))
    else {
        return false;
    };
    is_loopback(host_of(authority))
}

/// The host of `host:port`; an IPv6 address keeps its brackets.
pub fn host_of(authority: &str) -> &str {
    let port = if authority.starts_with('[') {
        authority.rfind("]:").map(|end| end + 1)
    } else {
        authority.find(':')
    };
    port.and_then(|start| authority.get(..start))
        .unwrap_or(authority)
}

/// The headers that let the page of `origin` read an answer. Call it only after [`check_origin`].
pub fn response_headers(origin: &str) -> [(&'static str, String); 3] {
    [
        ("access-control-allow-origin", origin.to_owned()),
        ("access-control-expose-headers", EXPOSED_HEADERS.to_owned()),
        ("vary", "Origin".to_owned()),
    ]
}

/// What a preflight answer carries beside [`response_headers`].
pub fn preflight_headers(methods: &[&str]) -> [(&'static str, String); 3] {
    [
        ("access-control-allow-methods", methods.join(", ")),
        ("access-control-allow-headers", ALLOWED_HEADERS.to_owned()),
        ("access-control-max-age", PREFLIGHT_SECONDS.to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "https://db.example.com";

    fn allowed(origin: &str) -> bool {
        check_origin(Some(origin), OWN, &["https://app.example.com".to_owned()]).is_ok()
    }

    #[test]
    fn no_origin_and_the_own_the_listed_and_loopback_origins_pass() {
        check_origin(None, OWN, &[]).unwrap();
        for origin in [
            OWN,
            "https://app.example.com",
            "http://localhost:5173",
            "http://127.0.0.1",
            "https://[::1]:8443",
        ] {
            assert!(allowed(origin), "{origin}");
        }
    }

    #[test]
    fn other_origins_are_refused() {
        for origin in [
            "https://evil.example.com",
            "http://db.example.com",
            "https://db.example.com:444",
            "null",
            "",
            "https://localhost.evil.com",
            "http://127.0.0.1.evil.com",
            "http://[::1].evil.com",
            "file://localhost",
        ] {
            let refused = !allowed(origin);
            assert!(refused, "{origin}");
        }
    }

    #[test]
    fn a_star_allows_every_page() {
        check_origin(Some("https://any.example.org"), OWN, &["*".to_owned()]).unwrap();
    }

    #[test]
    fn a_host_is_taken_out_of_its_authority() {
        assert_eq!(host_of("localhost:8787"), "localhost");
        assert_eq!(host_of("[::1]:8787"), "[::1]");
        assert_eq!(host_of("example.com"), "example.com");
    }
}

//! Decides which web pages may call the API, and makes the CORS headers that tell the browser.
//!
//! A request without `Origin` does not come from a page of another site, so it passes; it still
//! needs a token.

use crate::api::RequestError;
use crate::api::arrival::{is_loopback, split_port};
use base::limits::MAX_NAME_CHARACTERS;
use base::{Error, Result};
use tools::gateway::PASSED_PREFIX;

/// The time for which a browser may cache a preflight response, in seconds.
const PREFLIGHT_SECONDS: &str = "86400";

/// The characters of a refused origin that an error repeats, because the caller decides how long
/// the origin is.
const MAX_SHOWN_CHARACTERS: usize = 200;

/// The response headers that pages may read.
const EXPOSED_HEADERS: &str = "content-disposition, x-codemode-row-count, x-codemode-truncated, x-codemode-rows-read, x-codemode-notice, www-authenticate, mcp-session-id";

/// The request headers that pages may send.
const ALLOWED_HEADERS: &str = "authorization, content-encoding, content-type, x-codemode-token, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, x-codemode-session, if-match, x-codemode-actor";

/// Checks the `Origin` header of a request to a URL of origin `own`, such as
/// `https://db.example.com`.
///
/// # Errors
/// [`RequestError::OriginNotAllowed`] unless the header is a single origin that is equal to `own`,
/// a loopback one, or one of `allowed`. `null`, which any sandboxed page may send, and several
/// origins at once are no single origin, so even `*` does not admit them.
pub fn check_origin(origin: Option<&str>, own: &str, allowed: &[String]) -> Result<()> {
    let Some(origin) = origin else { return Ok(()) };
    let listed = allowed
        .iter()
        .any(|entry| entry == "*" || entry.eq_ignore_ascii_case(origin));
    let is_let_in = listed || origin.eq_ignore_ascii_case(own) || is_loopback_origin(origin);
    if is_let_in && host_of_origin(origin).is_some() {
        return Ok(());
    }
    Err(Error::from(RequestError::OriginNotAllowed {
        origin: base::text::first(origin, MAX_SHOWN_CHARACTERS),
    }))
}

fn is_loopback_origin(origin: &str) -> bool {
    let is_web = origin.starts_with("http://") || origin.starts_with("https://");
    is_web && host_of_origin(origin).is_some_and(is_loopback)
}

/// Returns the host of `scheme://host` or `scheme://host:port` as browsers serialise an origin;
/// `None` for any other text.
fn host_of_origin(origin: &str) -> Option<&str> {
    let (scheme, authority) = origin.split_once("://")?;
    let host = split_port(authority)?;
    let letters = |text: &str, others: &[u8]| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
    };
    let name = match host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(address) => letters(address, b":."),
        None => letters(host, b".-_"),
    };
    (letters(scheme, b"+-.") && name).then_some(host)
}

/// Returns the host of `host:port`; an IPv6 address keeps its brackets.
pub fn host_of(authority: &str) -> &str {
    let port = if authority.starts_with('[') {
        authority.rfind("]:").map(|end| end + 1)
    } else {
        authority.find(':')
    };
    port.and_then(|start| authority.get(..start))
        .unwrap_or(authority)
}

/// Returns the headers that let the page of `origin` read a response. Call it only after
/// [`check_origin`].
pub fn response_headers(origin: &str) -> [(&'static str, String); 3] {
    [
        ("access-control-allow-origin", origin.to_owned()),
        ("access-control-expose-headers", EXPOSED_HEADERS.to_owned()),
        ("vary", "Origin".to_owned()),
    ]
}

/// Returns the headers that a preflight response has besides [`response_headers`]. `requested` are
/// the headers that the page wants to send. Those among them that are passed through to servers are
/// echoed, and there is no list of them, because a preflight has no token and only tenants may
/// learn the names of the servers.
pub fn preflight_headers(methods: &[&str], requested: Option<&str>) -> [(&'static str, String); 3] {
    let passed = requested
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|name| is_passed_through(name));
    let allowed: Vec<&str> = [ALLOWED_HEADERS].into_iter().chain(passed).collect();
    [
        ("access-control-allow-methods", methods.join(", ")),
        ("access-control-allow-headers", allowed.join(", ")),
        ("access-control-max-age", PREFLIGHT_SECONDS.to_owned()),
    ]
}

/// Returns true if a header is passed through to a server and has a possible name.
fn is_passed_through(name: &str) -> bool {
    name.get(..PASSED_PREFIX.len())
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case(PASSED_PREFIX))
        && name.len() <= PASSED_PREFIX.len() + MAX_NAME_CHARACTERS
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
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
            "http://localhost:5173, http://evil.example.com",
            "http://localhost:5173,http://localhost:5174",
            "https://db.example.com, https://db.example.com",
            "http://localhost ",
            "http://localhost:evil.com",
            "http://localhost:99999",
            "http://evil.com@localhost",
            "http://localhost/",
            "http://localhost?",
            "http://localhost.",
            "http://127.0.0.1.nip.io",
            "localhost",
            "://localhost",
        ] {
            let refused = !allowed(origin);
            assert!(refused, "{origin}");
        }
    }

    #[test]
    fn a_star_allows_every_page_that_says_one_origin() {
        let with_star = |origin| check_origin(Some(origin), OWN, &["*".to_owned()]);
        for origin in [
            "https://any.example.org",
            "http://[fe80::1]:80",
            "chrome-extension://abc_def",
        ] {
            with_star(origin).unwrap();
        }
        for none in [
            "null",
            "",
            "*",
            "https://a.example, https://b.example",
            "https://a.example/",
            "https://",
        ] {
            assert_eq!(
                with_star(none).unwrap_err().code(),
                "ORIGIN_NOT_ALLOWED",
                "{none}"
            );
        }
    }

    #[test]
    fn a_preflight_repeats_the_headers_for_servers_and_no_others() {
        let allowed = |requested| preflight_headers(&["POST"], requested)[1].1.clone();
        assert_eq!(allowed(None), ALLOWED_HEADERS);
        assert_eq!(
            allowed(Some(
                "content-type, X-Codemode-Auth-pubs,x-codemode-auth-a_b, x-other"
            )),
            format!("{ALLOWED_HEADERS}, X-Codemode-Auth-pubs, x-codemode-auth-a_b")
        );
        for none in [
            "",
            ",",
            "x-codemode-auth",
            "x-codemode-auth-a b",
            "x-codemode-auth-\u{e9}",
        ] {
            assert_eq!(allowed(Some(none)), ALLOWED_HEADERS, "{none}");
        }
        let long = format!("x-codemode-auth-{}", "a".repeat(200));
        assert_eq!(allowed(Some(&long)), ALLOWED_HEADERS);
    }

    #[test]
    fn a_host_is_taken_out_of_its_authority() {
        assert_eq!(host_of("localhost:8787"), "localhost");
        assert_eq!(host_of("[::1]:8787"), "[::1]");
        assert_eq!(host_of("example.com"), "example.com");
    }
}

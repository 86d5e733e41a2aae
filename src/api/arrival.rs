//! Decides if a request to a deployment without tokens came from this machine, as far as a request
//! can show that.
//!
//! Without tokens, reaching the address is the only credential, and a web page can borrow it in two
//! ways. It can make a name of its own resolve to 127.0.0.1 (DNS rebinding); then only the `Host`
//! header still shows that name. Or it can use a plain link or image, which carries no `Origin`;
//! then only `Sec-Fetch-Site` shows that another page made the request. Browsers let no page set
//! either header. A request that a proxy forwards for another host (`X-Forwarded-Host`,
//! `Forwarded`) is not local either.
//!
//! Miniflare, and so `wrangler dev`, overwrites URL and `Host` from a header `MF-Original-URL`
//! before the Worker sees them. `make run` does not use Miniflare
//! (`packages/codemode-database/src/engine/`).

use crate::api::RequestError;
use std::net::{Ipv4Addr, Ipv6Addr};

use base::{Error, Result};

/// The parts of a request that show how it reached the deployment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Arrival<'a> {
    /// Host name of the URL, without port; an IPv6 address in brackets.
    pub url_host: &'a str,
    /// The `Host` header.
    pub host: Option<&'a str>,
    /// The `X-Forwarded-Host` header.
    pub forwarded_host: Option<&'a str>,
    /// The `Forwarded` header (RFC 7239).
    pub forwarded: Option<&'a str>,
    /// The `Sec-Fetch-Site` header.
    pub fetch_site: Option<&'a str>,
    /// The `Origin` header, which has been checked already.
    pub origin: Option<&'a str>,
}

impl Arrival<'_> {
    /// Refuses a request that may come from another machine.
    ///
    /// # Errors
    /// [`RequestError::Unauthorized`], naming the host or the header.
    pub fn require_local(&self) -> Result<()> {
        if !is_loopback(self.url_host) {
            return Err(elsewhere(self.url_host));
        }
        let listed = |text: &str| text.split(',').all(|one| is_loopback_authority(one.trim()));
        if let Some(host) = self.host.filter(|host| !is_loopback_authority(host)) {
            return Err(elsewhere(host));
        }
        if let Some(host) = self.forwarded_host.filter(|hosts| !listed(hosts)) {
            return Err(elsewhere(host));
        }
        if let Some(forwarded) = self.forwarded.filter(|text| !is_forwarded_locally(text)) {
            return Err(elsewhere(forwarded));
        }
        self.require_own_page()
    }

    /// Refuses a request that a page of another origin made. Such a page sends an `Origin`, which
    /// is checked elsewhere, or requests without one: by a link, an image or a script. The second
    /// kind gets no response at all, because the page might read something of it.
    fn require_own_page(&self) -> Result<()> {
        match self.fetch_site {
            None | Some("same-origin" | "none") => Ok(()),
            Some("same-site" | "cross-site") if self.origin.is_some() => Ok(()),
            Some(site) => Err(Error::from(RequestError::Unauthorized {
                message: format!(
                    "this deployment has no API_TOKENS, and a page of another origin made the request (sec-fetch-site: {})",
                    excerpt(site)
                ),
                hint: "open the address by itself, call it with fetch() from a page on this machine, or set API_TOKENS and send a token"
                    .to_owned(),
            })),
        }
    }
}

fn elsewhere(host: &str) -> Error {
    Error::from(RequestError::Unauthorized {
        message: format!(
            "this deployment has no API_TOKENS, so it serves loopback hosts only, not {}",
            excerpt(host)
        ),
        hint: r#"set the secret: echo '{"a-long-random-token":"tenant-name"}' | npx wrangler secret put API_TOKENS"#.to_owned(),
    })
}

/// The characters of a header that an error repeats, because the caller decides how long the header
/// is.
const EXCERPT_CHARACTERS: usize = 200;

fn excerpt(text: &str) -> String {
    base::text::first(text, EXCERPT_CHARACTERS)
}

/// Returns true if a host name, as URLs write it, means this machine: `localhost`, 127.0.0.0/8 or
/// `[::1]`.
pub fn is_loopback(host: &str) -> bool {
    if host.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let bracketed = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match bracketed {
        Some(address) => address
            .parse::<Ipv6Addr>()
            .is_ok_and(|address| address.is_loopback()),
        None => host
            .parse::<Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback()),
    }
}

/// Does the same for `host` or `host:port`.
fn is_loopback_authority(authority: &str) -> bool {
    split_port(authority).is_some_and(is_loopback)
}

/// Returns the host of `host` or `host:port`, an IPv6 address in its brackets; `None` if the text
/// behind the colon is no port.
pub fn split_port(authority: &str) -> Option<&str> {
    let host_end = match authority.strip_prefix('[') {
        Some(_) => authority.find(']')? + 1,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (host, port) = authority.split_at_checked(host_end)?;
    let is_port = match port.strip_prefix(':') {
        None => port.is_empty(),
        Some(digits) => {
            digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u16>().is_ok()
        }
    };
    is_port.then_some(host)
}

/// Returns true if each `host=` of a `Forwarded` header is a loopback host.
fn is_forwarded_locally(text: &str) -> bool {
    text.split([',', ';'])
        .filter_map(|pair| pair.split_once('='))
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("host"))
        .all(|(_, host)| is_loopback_authority(host.trim().trim_matches('"')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: Arrival<'static> = Arrival {
        url_host: "127.0.0.1",
        host: Some("127.0.0.1:8787"),
        forwarded_host: None,
        forwarded: None,
        fetch_site: None,
        origin: None,
    };

    #[track_caller]
    fn check(arrival: Arrival<'_>, local: bool) {
        let outcome = arrival.require_local();
        assert_eq!(outcome.is_ok(), local, "{arrival:?}");
        if let Err(error) = outcome {
            assert_eq!(error.code(), "UNAUTHORIZED");
            assert!(error.hint().unwrap().contains("API_TOKENS"));
        }
    }

    /// A URL and a `Host` header follow the same rules, except for the port.
    #[test]
    fn loopback_hosts_are_local_in_any_spelling_of_theirs_and_no_other_host_is() {
        for (host, local) in [
            ("localhost", true),
            ("LocalHost", true),
            ("127.0.0.1", true),
            ("127.9.9.9", true),
            ("[::1]", true),
            ("[0:0:0:0:0:0:0:1]", true),
            ("example.com", false),
            ("localhost.", false),
            ("localhost.evil.com", false),
            ("evil.localhost", false),
            ("127.0.0.1.nip.io", false),
            ("127.0.0.1.", false),
            ("128.0.0.1", false),
            ("0.0.0.0", false),
            ("127.1", false),
            ("0x7f000001", false),
            ("127.0.0.01", false),
            ("::1", false),
            ("[::2]", false),
            ("[::]", false),
            ("[::ffff:127.0.0.1]", false),
            ("[::1%lo]", false),
            ("[::1].evil.com", false),
            ("evil.com@127.0.0.1", false),
            ("127.0.0.1, evil.com", false),
            ("127.0.0.1,127.0.0.1", false),
            ("127.0.0.1 ", false),
            ("127.0.0.1\u{ff0e}", false),
            ("", false),
        ] {
            check(
                Arrival {
                    url_host: host,
                    ..LOCAL
                },
                local,
            );
            for port in ["", ":8787", ":0"] {
                let authority = format!("{host}{port}");
                let arrival = Arrival {
                    host: Some(&authority),
                    ..LOCAL
                };
                check(arrival, local);
            }
        }
        for host in [
            "localhost:evil.com",
            "localhost:80:80",
            "127.0.0.1:65536",
            "localhost:+1",
        ] {
            check(
                Arrival {
                    host: Some(host),
                    ..LOCAL
                },
                false,
            );
        }
    }

    #[test]
    fn a_proxy_may_forward_for_loopback_hosts_only() {
        for (forwarded_host, forwarded, local) in [
            (Some("localhost:5173"), None, true),
            (Some("localhost, 127.0.0.1:80"), None, true),
            (Some("evil.com"), None, false),
            (Some("localhost, evil.com"), None, false),
            (Some(""), None, false),
            (None, Some("for=192.0.2.1;proto=http"), true),
            (None, Some("for=x;host=localhost:5173"), true),
            (None, Some("for=x; Host=\"evil.com\""), false),
            (None, Some("host=localhost, host=evil.com"), false),
        ] {
            let arrival = Arrival {
                forwarded_host,
                forwarded,
                ..LOCAL
            };
            check(arrival, local);
        }
    }

    #[test]
    fn another_page_is_heard_only_where_it_says_which() {
        for (fetch_site, origin, local) in [
            (None, None, true),
            (Some("same-origin"), None, true),
            (Some("none"), None, true),
            (Some("cross-site"), None, false),
            (Some("same-site"), None, false),
            (Some("same-site"), Some("http://localhost:5173"), true),
            (Some("cross-site"), Some("http://localhost:5173"), true),
            (Some("Cross-Site"), None, false),
            (Some("same-origin, cross-site"), None, false),
            (Some(""), Some("http://localhost:5173"), false),
        ] {
            let arrival = Arrival {
                fetch_site,
                origin,
                ..LOCAL
            };
            check(arrival, local);
        }
    }

    #[test]
    fn a_long_header_is_not_repeated_whole() {
        let long = "x".repeat(10_000);
        let arrival = Arrival {
            host: Some(&long),
            ..LOCAL
        };
        assert!(arrival.require_local().unwrap_err().to_string().len() < 400);
    }
}

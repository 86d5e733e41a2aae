//! URLs that requests may go to: only over encrypted connections or to this machine, because
//! requests carry secrets. Error messages never contain the URL, because it may contain a key.
//! [`Url`] splits a URL into its parts, so that callers can build the URL of another document on
//! the same server.

/// Characters of a host, and of one of its labels (RFC 1035, section 2.3.4).
const MAX_HOST_CHARACTERS: usize = 253;
const MAX_LABEL_CHARACTERS: usize = 63;

/// Returns the problem of a URL as a predicate ("… that *has a fragment*"); none if requests may go
/// there.
pub fn problem(url: &str) -> Option<&'static str> {
    if !url.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Some("is not a valid URL: it contains blanks or letters that must be escaped");
    }
    let (rest, encrypted) = match url.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (rest, true),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (rest, false),
        _ => return Some("does not begin with https://"),
    };
    if rest.contains('#') {
        return Some("has a fragment, which is never sent to a server");
    }
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.contains('@') {
        return Some("has a user or password in it: use headers with a secret");
    }
    let (host, port) = match bracketed(authority) {
        Some(parts) => parts,
        None if authority.starts_with('[') => {
            return Some("has no IPv6 address between [ and ]");
        }
        None => authority
            .split_once(':')
            .map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    if !is_host(host) {
        return Some("has an invalid host");
    }
    if port.is_some_and(|port| !is_port(port)) {
        return Some("has an invalid port: ports are 1 to 65535");
    }
    if !encrypted && !is_this_machine(host) {
        return Some("is not encrypted: use https (http is for this machine only)");
    }
    None
}

/// Splits `[::1]` or `[::1]:80` into the address and the port.
fn bracketed(authority: &str) -> Option<(&str, Option<&str>)> {
    let (address, after) = authority.strip_prefix('[')?.split_once(']')?;
    address.parse::<std::net::Ipv6Addr>().ok()?;
    match after.strip_prefix(':') {
        Some(port) => Some((address, Some(port))),
        None => after.is_empty().then_some((address, None)),
    }
}

/// Returns true for a name of labels or an IP address. A name that ends with a number must be an
/// IPv4 address, because no other host can have such a name.
fn is_host(host: &str) -> bool {
    if host.contains(':') {
        return host.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let name = host.strip_suffix('.').unwrap_or(host);
    let label = |label: &str| {
        (1..=MAX_LABEL_CHARACTERS).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let numeric = name
        .rsplit('.')
        .next()
        .is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    name.len() <= MAX_HOST_CHARACTERS
        && name.split('.').all(label)
        && (!numeric || name.parse::<std::net::Ipv4Addr>().is_ok())
}

/// Returns true for a port. An empty one is the default port of the scheme.
fn is_port(port: &str) -> bool {
    port.is_empty()
        || port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse::<u16>().is_ok_and(|port| port > 0)
}

/// Returns true for `localhost`, `::1`, and `127.0.0.0/8` in its usual form.
fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Returns true if requests to a URL are encrypted.
pub fn is_encrypted(url: &str) -> bool {
    url.split_once("://")
        .is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("https"))
}

/// The parts of a URL that requests may go to.
#[derive(Clone, Copy)]
pub struct Url<'a> {
    /// Scheme, host and port.
    pub origin: &'a str,
    /// The path from its first slash to the query string; empty if there is none.
    pub path: &'a str,
}

impl<'a> Url<'a> {
    /// Splits a URL; returns none if the URL has a [`problem`].
    pub fn parse(url: &'a str) -> Option<Self> {
        if problem(url).is_some() {
            return None;
        }
        let url = url.split_once('?').map_or(url, |(before, _)| before);
        let authority = url.find("://")? + "://".len();
        let rest = url.get(authority..)?;
        let end = authority + rest.find('/').unwrap_or(rest.len());
        Some(Self {
            origin: url.get(..end)?,
            path: url.get(end..)?,
        })
    }

    /// Returns true if both have the same scheme, host and port.
    pub fn has_origin_of(&self, other: &Url<'_>) -> bool {
        self.origin.eq_ignore_ascii_case(other.origin)
    }

    /// Returns true for a URL of this machine.
    pub fn is_local(&self) -> bool {
        let authority = self
            .origin
            .split_once("://")
            .map_or("", |(_, authority)| authority);
        let host = match bracketed(authority) {
            Some((host, _)) => host,
            None => authority.split(':').next().unwrap_or_default(),
        };
        is_this_machine(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encrypted_addresses_and_those_of_this_machine_have_no_problem() {
        for url in [
            "https://id.example.com/a?b=c",
            "HTTPS://id.example.com:8443",
            "http://127.0.0.1:3000/a",
            "http://localhost",
            "http://[::1]:80/",
        ] {
            assert_eq!(problem(url), None, "{url}");
        }
        assert!(is_encrypted("HTTPS://a") && !is_encrypted("http://a"));
    }

    #[test]
    fn other_addresses_have_one() {
        for url in [
            "",
            "id.example.com",
            "ftp://id.example.com",
            "http://id.example.com",
            "https://",
            "https://a b",
            "https://user@id.example.com",
            "https://id.example.com#a",
            "https://id.example.com:0",
            "https://[::g]",
            "https://1.2.3",
        ] {
            assert!(problem(url).is_some(), "{url}");
        }
    }

    #[test]
    fn an_address_has_an_origin_and_a_path() {
        for (url, origin, path) in [
            ("https://x.example", "https://x.example", ""),
            ("https://x.example?a=/b", "https://x.example", ""),
            (
                "https://x.example:8443/a/b?c",
                "https://x.example:8443",
                "/a/b",
            ),
            ("http://[::1]:80/", "http://[::1]:80", "/"),
        ] {
            let parts = Url::parse(url).unwrap();
            assert_eq!((parts.origin, parts.path), (origin, path), "{url}");
        }
        for url in ["http://x.example", "ftp://x", "", "https://u@x.example"] {
            assert!(Url::parse(url).is_none(), "{url}");
        }
    }

    #[test]
    fn addresses_of_this_machine_are_known() {
        for (url, local) in [
            ("http://127.0.0.1:1/a", true),
            ("https://localhost/", true),
            ("http://[::1]:80/", true),
            ("https://x.example/localhost", false),
            ("https://127.0.0.1.example", false),
        ] {
            assert_eq!(Url::parse(url).unwrap().is_local(), local, "{url}");
        }
    }

    #[test]
    fn origins_are_compared_without_regard_to_case() {
        let [one, same, other] = [
            "https://X.example/a",
            "HTTPS://x.example",
            "https://x.example:1",
        ]
        .map(|url| Url::parse(url).unwrap());
        assert!(one.has_origin_of(&same) && !one.has_origin_of(&other));
    }
}

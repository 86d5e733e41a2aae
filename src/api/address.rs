//! The parts of a request's URL.

use crate::api::origin::host_of;

/// A URL as the platform serialises it (WHATWG), cut into the parts that routing and authentication
/// need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'a> {
    /// `https://host:port`, without a default port.
    pub origin: &'a str,
    /// The host without port; an IPv6 address in brackets.
    pub host: &'a str,
    /// The path, still percent-encoded.
    pub path: &'a str,
    /// From the question mark on; empty if there is none.
    pub query: &'a str,
}

impl<'a> Address<'a> {
    /// Cuts a serialised URL into its parts. Text that is no URL gives an address without a host,
    /// which no rule admits.
    pub fn parse(url: &'a str) -> Self {
        let after_scheme = url.find("://").map_or(0, |scheme| scheme + 3);
        let from_host = url.get(after_scheme..).unwrap_or_default();
        let host_end = from_host
            .find(['/', '?', '#'])
            .map_or(url.len(), |end| after_scheme + end);
        let rest = url.get(host_end..).unwrap_or_default();
        let rest = rest.split('#').next().unwrap_or_default();
        let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let authority = url.get(after_scheme..host_end).unwrap_or_default();
        Self {
            origin: url.get(..host_end).unwrap_or_default(),
            host: host_of(authority),
            path,
            query,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, origin: &str, host: &str, path: &str, query: &str) {
        assert_eq!(
            Address::parse(url),
            Address {
                origin,
                host,
                path,
                query
            },
            "{url}"
        );
    }

    #[test]
    fn urls_are_cut_at_their_marks() {
        check(
            "https://db.example.com/a/b?c=d#e",
            "https://db.example.com",
            "db.example.com",
            "/a/b",
            "?c=d",
        );
        check(
            "http://127.0.0.1:8787/",
            "http://127.0.0.1:8787",
            "127.0.0.1",
            "/",
            "",
        );
        check(
            "http://[::1]:8787/x#y?z",
            "http://[::1]:8787",
            "[::1]",
            "/x",
            "",
        );
        check("https://h?q=/", "https://h", "h", "", "?q=/");
        check(
            "https://h/a%2Fb?u=http://x/",
            "https://h",
            "h",
            "/a%2Fb",
            "?u=http://x/",
        );
    }

    #[test]
    fn text_that_is_no_url_has_a_host_nobody_trusts() {
        check("", "", "", "", "");
    }
}

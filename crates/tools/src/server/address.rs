//! Addresses of servers. Secrets go there, so only over encrypted connections, or to this machine. No message has the address: it may hold a
//! key.

use super::{Read, headers};

/// Characters of a host, and of one of its labels (RFC 1035, section 2.3.4).
const MAX_HOST_CHARACTERS: usize = 253;
const MAX_LABEL_CHARACTERS: usize = 63;

/// Whether requests can go there, and may.
pub(super) fn check(url: &str) -> Read<()> {
    problem(url).map_or(Ok(()), |problem| Err(format!("a url that {problem}")))
}

fn problem(url: &str) -> Option<&'static str> {
    if !url.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Some("is no address: it has blanks or letters that must be escaped");
    }
    let (rest, encrypted) = match url.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (rest, true),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (rest, false),
        _ => return Some("does not begin with https://"),
    };
    let names = |after: &str| after.starts_with(|first: char| first.is_ascii_uppercase());
    if url.split('$').skip(1).any(names) {
        return Some("has a $NAME in it: secrets are filled in in headers only");
    }
    if rest.contains('#') {
        return Some("has a fragment, which no server sees");
    }
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.contains('@') {
        return Some("has a user or password in it: use headers with a secret");
    }
    let (host, port) = match bracketed(authority) {
        Some(parts) => parts,
        None if authority.starts_with('[') => {
            return Some("has no address of IPv6 between [ and ]");
        }
        None => authority
            .split_once(':')
            .map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    if !is_host(host) {
        return Some("has no host that there can be");
    }
    if port.is_some_and(|port| !is_port(port)) {
        return Some("has a port that is none: ports are 1 to 65535");
    }
    if !encrypted && !is_this_machine(host) {
        return Some("is not encrypted: use https (http is for this machine only)");
    }
    None
}

/// `[::1]` or `[::1]:80`: the address with what follows the colon.
fn bracketed(authority: &str) -> Option<(&str, Option<&str>)> {
    let (address, after) = authority.strip_prefix('[')?.split_once(']')?;
    address.parse::<std::net::Ipv6Addr>().ok()?;
    match after.strip_prefix(':') {
        Some(port) => Some((address, Some(port))),
        None => after.is_empty().then_some((address, None)),
    }
}

/// A name of labels, or an address. A name that ends with a number must be an address: nothing else is under such a name.
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

/// Nothing after the colon is the port of the scheme.
fn is_port(port: &str) -> bool {
    port.is_empty()
        || port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse::<u16>().is_ok_and(|port| port > 0)
}

/// `localhost`, `::1`, and `127.0.0.0/8` in its usual form.
fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// The values of an address's parameters that are secrets by their names, as they stand and as they are meant.
pub(super) fn secrets(url: &str) -> Vec<String> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    query
        .split('&')
        .filter_map(|parameter| parameter.split_once('='))
        .filter(|(name, value)| headers::is_for_secrets(name) && headers::is_long_enough(value))
        .flat_map(|(_, value)| {
            let meant = base::names::decode_segment("parameter", value);
            [Some(value.to_owned()), meant.ok()]
        })
        .flatten()
        .collect()
}

//! Checks the URLs of servers: they must follow the rules of [`net::address`], and must not refer
//! to a secret as `$NAME`. Error messages never contain the URL, because it may contain a key.

use super::{Read, headers};

/// Checks that requests can and may be sent to a URL. `field` is the field of the entry.
pub(super) fn check(field: &str, url: &str) -> Read<()> {
    problem(url).map_or(Ok(()), |problem| Err(format!("the {field} {problem}")))
}

fn problem(url: &str) -> Option<&'static str> {
    let names = |after: &str| after.starts_with(|first: char| first.is_ascii_uppercase());
    if url.contains("://") && url.split('$').skip(1).any(names) {
        return Some("contains a $NAME: only headers and auth can contain secrets");
    }
    net::address::problem(url)
}

/// Returns the values of query parameters whose names indicate secrets, both as written and
/// decoded.
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

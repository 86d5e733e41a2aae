//! Addresses of servers: what [`net::address`] allows, without the name of a secret. No message has the address: it may hold a key.

use super::{Read, headers};

/// Whether requests can go there, and may. `field` is the field of the entry.
pub(super) fn check(field: &str, url: &str) -> Read<()> {
    problem(url).map_or(Ok(()), |problem| Err(format!("a {field} that {problem}")))
}

fn problem(url: &str) -> Option<&'static str> {
    let names = |after: &str| after.starts_with(|first: char| first.is_ascii_uppercase());
    if url.contains("://") && url.split('$').skip(1).any(names) {
        return Some("has a $NAME in it: secrets are filled in in headers and in auth only");
    }
    net::address::problem(url)
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

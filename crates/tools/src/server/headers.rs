//! Headers of an entry: fills in secrets, and collects the values to be redacted from responses.

use super::Read;
use net::secrets;

/// Minimum length for redacting a value that is written in the environment variable itself, and
/// counts as a secret only because of its header's name. The minimum is higher than that of a
/// `$NAME`, because such a value may be harmless.
const SHORTEST_WRITTEN_SECRET_CHARACTERS: usize = 8;

/// Words in header names that mark a secret value: `x-api-key` contains one, `x-keyspace` and
/// `x-author` do not.
const SECRET_WORDS: &[&str] = &[
    "accesstoken",
    "apikey",
    "apitoken",
    "auth",
    "authorization",
    "authtoken",
    "cookie",
    "credential",
    "credentials",
    "key",
    "password",
    "secret",
    "signature",
    "subscriptionkey",
    "token",
];

/// Headers that the protocol or the platform sets, or that apply to one connection only: the
/// platform drops the latter or fails on them.
const OWN_HEADERS: &[&str] = &[
    "accept",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "last-event-id",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Prefixes of the names of such headers.
const OWN_PREFIXES: &[&str] = &["cf-", "mcp-"];

/// The headers of each request, and their secrets.
#[derive(Default)]
pub(super) struct Headers {
    /// Names in lower case, and values.
    pub(super) headers: Vec<(String, String)>,
    /// The values to be redacted from results.
    pub(super) secrets: Vec<String>,
    /// Names of secrets that are too short to be redacted.
    pub(super) too_short: Vec<String>,
}

/// Reads the headers, and fills in secrets.
pub(super) fn read(
    wanted: Vec<(String, String)>,
    secret: &impl Fn(&str) -> Option<String>,
) -> Read<Headers> {
    let mut sent = Headers::default();
    for (name, template) in wanted {
        let lower = name_of(&name)?;
        if sent.headers.iter().any(|(known, _)| *known == lower) {
            return Err(format!(
                "the header {name} is set twice; case does not matter"
            ));
        }
        let value = fill_in(&template, &format!("the header {name}"), secret, &mut sent)?;
        if !is_value(&value) {
            return Err(format!(
                "the header {name} contains characters that a header cannot contain"
            ));
        }
        if is_for_secrets(&lower) {
            let parts = secret_parts(&lower, &value);
            let long = parts.filter(|part| is_long_enough(part)).map(str::to_owned);
            sent.secrets.extend(long);
        }
        sent.headers.push((lower, value.trim().to_owned()));
    }
    Ok(sent)
}

/// Returns the name of a header in lower case, if it may be set.
pub(super) fn name_of(name: &str) -> Read<String> {
    let lower = name.to_ascii_lowercase();
    if lower.is_empty() || !lower.bytes().all(is_token_byte) {
        return Err(format!(
            "a header has a name that HTTP does not allow; it begins with {:?}",
            token(name)
        ));
    }
    if OWN_HEADERS.contains(&lower.as_str())
        || OWN_PREFIXES.iter().any(|prefix| lower.starts_with(prefix))
    {
        return Err(format!(
            "the header {name} is set by the protocol or the platform"
        ));
    }
    Ok(lower)
}

/// Returns true if a header can carry a value.
pub(crate) fn is_value(value: &str) -> bool {
    value
        .bytes()
        .all(|byte| byte == b' ' || byte == b'\t' || byte.is_ascii_graphic())
}

/// Returns true if a header or parameter of this name carries a secret.
pub(super) fn is_for_secrets(name: &str) -> bool {
    name.to_ascii_lowercase()
        .split(['-', '_', '.'])
        .any(|part| SECRET_WORDS.contains(&part))
}

/// Returns true if a secret in the environment variable is long enough to be recognised in a
/// response.
pub(super) fn is_long_enough(text: &str) -> bool {
    secrets::telling_characters(text) >= SHORTEST_WRITTEN_SECRET_CHARACTERS
}

/// Returns the words of a value, without the authentication scheme and without the names of
/// cookies.
pub(crate) fn secret_parts<'a>(
    header: &str,
    value: &'a str,
) -> Box<dyn Iterator<Item = &'a str> + 'a> {
    if header == "cookie" {
        let cookies = value.split(';').map(str::trim);
        return Box::new(
            cookies.map(|cookie| cookie.split_once('=').map_or(cookie, |(_, value)| value)),
        );
    }
    let has_scheme =
        header.ends_with("authorization") && value.split_ascii_whitespace().nth(1).is_some();
    Box::new(value.split_ascii_whitespace().skip(usize::from(has_scheme)))
}

/// Returns the part of a header's name that may be shown. The name may be a misplaced whole header
/// with its secret.
pub(super) fn token(name: &str) -> &str {
    let end = name
        .bytes()
        .position(|byte| !is_token_byte(byte))
        .unwrap_or(name.len());
    name.get(..end).unwrap_or_default()
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Replaces each `$NAME` by its secret. `$$` is a dollar sign.
pub(super) fn fill_in(
    template: &str,
    label: &str,
    secret: &impl Fn(&str) -> Option<String>,
    sent: &mut Headers,
) -> Read<String> {
    let mut value = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        value.push_str(before);
        if let Some(after) = after.strip_prefix('$') {
            value.push('$');
            rest = after;
            continue;
        }
        let end = after
            .find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
            .unwrap_or(after.len());
        let (name, following) = after.split_at(end);
        if name.is_empty() {
            let fix = if after.starts_with('{') {
                "a secret is written $NAME, without braces"
            } else {
                "a dollar sign is written $$"
            };
            return Err(format!(
                "{label} has a $ without the name of a secret; {fix}"
            ));
        }
        let text = secret(name)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
            .ok_or_else(|| format!("{label} refers to ${name}, but there is no secret {name}"))?;
        value.push_str(&text);
        if secrets::is_long_enough(&text) {
            sent.secrets.push(text);
        } else {
            sent.too_short.push(name.to_owned());
        }
        rest = following;
    }
    value.push_str(rest);
    Ok(value)
}

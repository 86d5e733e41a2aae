//! Headers of an entry: secrets filled in, and what of them must not come back.

use super::Read;
use net::secrets;

/// Characters from which on a value that the environment variable itself has, and that is a secret by the name of its header only, is redacted: more
/// than of a secret, because it may be none.
const SHORTEST_WRITTEN_SECRET_CHARACTERS: usize = 8;

/// Parts of the names of headers whose values are secrets, whoever wrote them: `x-api-key`, but not `x-keyspace` or `x-author`.
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

/// Headers that the protocol or the platform sets, or that are for one connection only: the platform drops those or trips over them.
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

/// How the names of such headers begin.
const OWN_PREFIXES: &[&str] = &["cf-", "mcp-"];

/// What is sent with each request.
#[derive(Default)]
pub(super) struct Headers {
    /// Names in small letters, and values.
    pub(super) headers: Vec<(String, String)>,
    /// What is redacted of results.
    pub(super) secrets: Vec<String>,
    /// Names of secrets that are too short for that.
    pub(super) too_short: Vec<String>,
}

/// Fills in secrets.
pub(super) fn read(
    wanted: Vec<(String, String)>,
    secret: &impl Fn(&str) -> Option<String>,
) -> Read<Headers> {
    let mut sent = Headers::default();
    for (name, template) in wanted {
        let lower = name_of(&name)?;
        if sent.headers.iter().any(|(known, _)| *known == lower) {
            return Err(format!(
                "the header {name} twice, apart from upper and lower case"
            ));
        }
        let value = fill_in(&template, &format!("the header {name}"), secret, &mut sent)?;
        if !is_value(&value) {
            return Err(format!(
                "the header {name} with characters that a header cannot carry"
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

/// The name of a header in small letters, if it may be set.
pub(super) fn name_of(name: &str) -> Read<String> {
    let lower = name.to_ascii_lowercase();
    if lower.is_empty() || !lower.bytes().all(is_token_byte) {
        return Err(format!(
            "a header with a name that HTTP does not allow; it begins with {:?}",
            token(name)
        ));
    }
    if OWN_HEADERS.contains(&lower.as_str())
        || OWN_PREFIXES.iter().any(|prefix| lower.starts_with(prefix))
    {
        return Err(format!(
            "the header {name}, which is for the protocol or the platform to set"
        ));
    }
    Ok(lower)
}

/// Whether a header can carry a value.
pub(crate) fn is_value(value: &str) -> bool {
    value
        .bytes()
        .all(|byte| byte == b' ' || byte == b'\t' || byte.is_ascii_graphic())
}

/// Whether a header or parameter of this name carries a secret.
pub(super) fn is_for_secrets(name: &str) -> bool {
    name.to_ascii_lowercase()
        .split(['-', '_', '.'])
        .any(|part| SECRET_WORDS.contains(&part))
}

/// Whether a secret that is written into the environment variable is long enough to be known again.
pub(super) fn is_long_enough(text: &str) -> bool {
    secrets::telling_characters(text) >= SHORTEST_WRITTEN_SECRET_CHARACTERS
}

/// The words of a value without the scheme before them, and without the names of cookies.
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

/// What of a header's name may be shown: a whole header may have slipped into its place, with its secret.
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

/// Puts secrets in the place of `$NAME`. `$$` is a dollar sign.
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
            return Err(format!("{label} with a $ that names no secret; {fix}"));
        }
        let text = secret(name)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
            .ok_or_else(|| format!("{label} with ${name}, and there is no secret {name}"))?;
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

//! The header `WWW-Authenticate` of a 401 (RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 9728,
//! section 5.1).

/// The parameters of the challenge for a bearer token.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Challenge {
    /// The URL of the metadata of the protected resource.
    pub resource_metadata: Option<String>,
    /// The scope that a token must have.
    pub scope: Option<String>,
}

impl Challenge {
    /// Parses a header, which may hold challenges of several schemes. Parameters of schemes other
    /// than Bearer are ignored.
    pub fn parse(header: &str) -> Self {
        let mut challenge = Self::default();
        let mut is_bearer = false;
        let mut rest = header;
        loop {
            rest = rest.trim_start_matches([' ', '\t', ',']);
            let end = rest.find([' ', '\t', ',', '=']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                // The end, or text that does not follow the grammar.
                return challenge;
            }
            let Some(value) = after.trim_start().strip_prefix('=') else {
                is_bearer = name.eq_ignore_ascii_case("bearer");
                rest = after;
                continue;
            };
            let (text, behind) = value_of(value.trim_start());
            rest = behind;
            let known = match name.to_ascii_lowercase().as_str() {
                "resource_metadata" if is_bearer => &mut challenge.resource_metadata,
                "scope" if is_bearer => &mut challenge.scope,
                _ => continue,
            };
            known.get_or_insert(text);
        }
    }
}

/// Returns a token or a quoted string, and the text after it.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([' ', '\t', ',']).unwrap_or(text.len());
        let (token, rest) = text.split_at(end);
        return (token.to_owned(), rest);
    };
    let mut value = String::new();
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => value.extend(characters.next()),
            other => value.push(other),
        }
    }
    (value, characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: &str, resource_metadata: Option<&str>, scope: Option<&str>) {
        let wanted = Challenge {
            resource_metadata: resource_metadata.map(str::to_owned),
            scope: scope.map(str::to_owned),
        };
        assert_eq!(Challenge::parse(header), wanted, "{header}");
    }

    #[test]
    fn parameters_of_bearer_are_read() {
        let url = "https://x.example/.well-known/oauth-protected-resource";
        check(
            &format!(r#"Bearer resource_metadata="{url}", scope="files:read files:write""#),
            Some(url),
            Some("files:read files:write"),
        );
        check(
            &format!(
                r#"Basic realm="a, Bearer", bearer error="invalid_token" ,RESOURCE_METADATA = "{url}""#
            ),
            Some(url),
            None,
        );
        check(r#"Bearer scope=a\"#, None, Some("a\\"));
        check(r#"Bearer realm="a\"b", scope="c""#, None, Some("c"));
        check(r#"Bearer scope="a", scope="b""#, None, Some("a"));
    }

    #[test]
    fn other_schemes_and_nonsense_say_nothing() {
        for header in [
            "",
            "Bearer",
            r#"DPoP scope="a""#,
            r#"Bearer realm="x", Basic scope="a""#,
            "=",
            "=,=",
            "Bearer \"",
            ",,, ,",
        ] {
            check(header, None, None);
        }
    }
}

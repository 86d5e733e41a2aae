//! Credentials and passed headers: valid entries, and the mistakes that operators make.

use super::*;

/// Checks the error of an entry whose `auth` has the required fields and these.
#[track_caller]
fn auth(more: &str, expected: &str) {
    let needed = r#""type":"client_credentials","clientId":"us","clientSecret":"$TOKEN""#;
    field(
        &format!(r#""auth":{{{needed}{more}}}"#),
        &format!("auth: {expected}"),
    );
}

#[test]
fn client_credentials_are_read_with_their_secret() {
    let text = r#"[{"name":"a","url":"https://x/mcp","auth":{"type":"client_credentials","clientId":"us","clientSecret":"$TOKEN","tokenUrl":"https://y/token","scope":"a b","resource":"urn:x","authMethod":"post"},"passThrough":"X-User"}]"#;
    let (servers, warnings) = parse_with(text, None);
    let servers = servers.unwrap();
    assert_eq!(
        servers[0].endpoint.secrets,
        Secrets::new(vec![SECRET.to_owned()])
    );
    assert_eq!(servers[0].pass_through.as_deref(), Some("x-user"));
    assert!(servers[0].endpoint.access.is_some());
    assert_eq!(warnings, [""; 0]);
    assert!(!format!("{servers:?}").contains("very-secret"));
    let written = r#"[{"name":"a","url":"https://x/mcp","auth":{"type":"client_credentials","clientId":"us","clientSecret":"written-secret"}}]"#;
    let (servers, warnings) = parse_with(written, None);
    let secrets = Secrets::new(vec!["written-secret".to_owned()]);
    assert_eq!(servers.unwrap()[0].endpoint.secrets, secrets);
    assert_eq!(
        warnings,
        [
            "MCP_SERVERS: the auth of the server a has neither tokenUrl nor issuer: the client's secret goes to the authorization server that the server names first"
        ]
    );
}

#[test]
fn mistakes_of_auth_name_the_field() {
    field(
        r#""auth":"very-secret""#,
        "auth: an auth must be an object, not a text",
    );
    field(
        r#""auth":{"type":"client_credentials","clientId":"us"}"#,
        "auth: the field clientSecret is missing; type, clientId and clientSecret are required",
    );
    field(
        r#""auth":{"type":"bearer"}"#,
        "auth: there is no type \"bearer\"; the only type is \"client_credentials\"",
    );
    for (more, problem) in [
        (
            r#","tokenURL":"https://y""#,
            "there is no field \"tokenURL\"; did you mean `tokenUrl`?",
        ),
        (
            r#","very-secret":1"#,
            "field 4 is unknown; the fields are `type`, `clientId`, `clientSecret`, `tokenUrl`, `issuer`, `scope`, `resource`, `authMethod`",
        ),
        (
            r#","tokenUrl":"http://y/token""#,
            "the tokenUrl is not encrypted: use https (http is for this machine only)",
        ),
        (
            r#","issuer":"y""#,
            "the issuer does not begin with https://",
        ),
        (
            r#","tokenUrl":"https://y","issuer":"https://y""#,
            "tokenUrl and issuer cannot be used together: issuer is for discovery, which tokenUrl replaces",
        ),
        (
            r#","scope":"a  b""#,
            "scope must be names with single blanks between them",
        ),
        (
            r#","resource":"x""#,
            "resource must be an absolute URI without a fragment",
        ),
        (
            r#","authMethod":"bascic""#,
            "there is no authMethod \"bascic\"; did you mean \"basic\"?",
        ),
        (
            r#","authMethod":"jwt""#,
            "there is no authMethod \"jwt\"; the methods are \"basic\" and \"post\"",
        ),
    ] {
        auth(more, problem);
    }
    field(
        r#""auth":{"type":"client_credentials","clientId":"us","clientSecret":"$NONE"}"#,
        "auth: clientSecret refers to $NONE, but there is no secret NONE",
    );
    field(
        r#""auth":{"type":"client_credentials","clientId":"é","clientSecret":"$TOKEN"}"#,
        "auth: clientId must be printable ASCII, and not empty",
    );
}

#[test]
fn each_header_has_one_source() {
    let credentials = r#""auth":{"type":"client_credentials","clientId":"us","clientSecret":"$TOKEN","tokenUrl":"https://y"}"#;
    field(
        &format!(r#""headers":{{"Authorization":"x"}},{credentials}"#),
        "the header authorization is in headers and comes from auth; keep one of them",
    );
    field(
        &format!(r#""passThrough":"authorization",{credentials}"#),
        "the header authorization is in passThrough and comes from auth; keep one of them",
    );
    field(
        r#""passThrough":"X-Key","headers":{"x-key":"a"}"#,
        "the header x-key is in passThrough and in headers; keep one of them",
    );
    field(
        r#""passThrough":"host""#,
        "passThrough: the header host is set by the protocol or the platform",
    );
}

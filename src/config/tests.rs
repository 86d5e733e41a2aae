//! The parsing of each environment variable.

use super::*;

fn parse(settings: &[(&str, &str)]) -> Result<Config> {
    Config::parse(|name| {
        settings
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| (*value).to_owned())
    })
}

fn refused(name: &str, value: &str) -> String {
    let error = parse(&[(name, value)]).unwrap_err();
    assert_eq!(error.code(), "MISCONFIGURED");
    assert!(error.to_string().contains(name), "{error}");
    error.to_string()
}

#[test]
fn nothing_set_gives_the_defaults_that_the_settings_table_names() {
    let config = parse(&[]).unwrap();
    let default = |name: &str| {
        SETTINGS
            .iter()
            .find(|setting| setting.name == name)
            .unwrap()
            .default
    };
    assert_eq!(
        config.session.session_ttl_seconds.to_string(),
        default("SESSION_TTL_SECONDS")
    );
    assert_eq!(
        config.session.max_result_rows.to_string(),
        default("MAX_RESULT_ROWS")
    );
    assert_eq!(
        config.session.max_result_bytes.to_string(),
        default("MAX_RESULT_BYTES")
    );
    assert_eq!(
        config.session.max_recursive_rows.to_string(),
        default("MAX_RECURSIVE_ROWS")
    );
    assert_eq!(
        config.session.max_query_work.to_string(),
        default("MAX_QUERY_WORK")
    );
    assert_eq!(
        config.query_timeout_ms.to_string(),
        default("QUERY_TIMEOUT_MS")
    );
    assert_eq!(
        config.max_request_bytes.to_string(),
        default("MAX_REQUEST_BYTES")
    );
    assert_eq!(
        config.max_batch_bytes.to_string(),
        default("MAX_BATCH_BYTES")
    );
    assert_eq!(
        config.session.max_load_bytes.to_string(),
        default("MAX_LOAD_BYTES")
    );
    assert_eq!(
        config.session.max_staged_rows.to_string(),
        default("MAX_STAGED_ROWS")
    );
    assert_eq!(
        config.session.max_staged_tables.to_string(),
        default("MAX_STAGED_TABLES")
    );
    assert!(config.tokens.is_none() && config.allowed_origins.is_empty());
}

#[test]
fn parse_asks_for_exactly_the_settings_of_the_table() {
    let asked = std::cell::RefCell::new(std::collections::BTreeSet::new());
    Config::parse(|name| {
        asked.borrow_mut().insert(name.to_owned());
        None
    })
    .unwrap();
    let listed = SETTINGS
        .iter()
        .map(|setting| setting.name.to_owned())
        .collect();
    assert_eq!(asked.into_inner(), listed);
}

#[test]
fn unusable_values_are_named() {
    for (name, value) in [
        ("SESSION_TTL_SECONDS", "0"),
        ("SESSION_TTL_SECONDS", "one day"),
        ("MAX_RESULT_ROWS", "-1"),
        ("MAX_RESULT_BYTES", "99999999999"),
        ("QUERY_TIMEOUT_MS", "99999999999"),
        ("SQL_PROFILE", "lax"),
        ("OPERATION_LOG", "false"),
        ("ALLOWED_ORIGINS", "app.example.com"),
        ("ALLOWED_ORIGINS", "https://app.example.com/path"),
        ("COLUMN_MAPPINGS", "[]"),
        ("API_TOKENS", "secret"),
        ("API_TOKENS", "{}"),
        ("API_TOKENS", r#"{"a-token-of-some-length":"two words"}"#),
        ("API_TOKENS", r#"{"":"acme"}"#),
        ("API_TOKENS", r#"{"with blank in the middle":"acme"}"#),
        ("OAUTH_ISSUER", "http://id.example.com"),
        ("OAUTH_SCOPES", "db:read"),
    ] {
        refused(name, value);
    }
}

#[test]
fn a_broken_token_list_is_not_quoted_in_the_message() {
    assert!(!refused("API_TOKENS", r#"{"very-secret-token": }"#).contains("very-secret"));
}

#[test]
fn tokens_and_origins_are_read() {
    let config = parse(&[
        (
            "API_TOKENS",
            r#"{"0123456789abcdef":"acme","short":"zeta"}"#,
        ),
        (
            "ALLOWED_ORIGINS",
            "https://App.example.com/, http://localhost:3000",
        ),
        ("SQL_PROFILE", "strict"),
    ])
    .unwrap();
    let tenants: Vec<String> = config
        .tokens
        .unwrap()
        .into_iter()
        .map(|token| token.tenant)
        .collect();
    assert_eq!(tenants, ["acme", "zeta"]);
    assert_eq!(
        config.allowed_origins,
        ["https://app.example.com", "http://localhost:3000"]
    );
    assert_eq!(config.session.profile, Profile::Strict);
    assert_eq!(config.warnings.len(), 1, "{:?}", config.warnings);
    assert!(config.warnings[0].contains("zeta"));
}

#[test]
fn mcp_servers_may_speak_of_secrets_mappings_and_tenants() {
    let config = parse(&[
        ("API_TOKENS", r#"{"0123456789abcdef":"acme"}"#),
        ("COLUMN_MAPPINGS", r#"{"papers":{"date":"day"}}"#),
        ("PUBS_TOKEN", "pin"),
        (
            "MCP_SERVERS",
            r#"[{"name":"pubs","url":"https://x","mappings":"papers","tenants":["acme","amce"],"headers":{"authorization":"$PUBS_TOKEN"}}]"#,
        ),
    ])
    .unwrap();
    assert_eq!(config.servers[0].mappings, "papers");
    let [short, tenant] = config.warnings.as_slice() else {
        panic!("{:?}", config.warnings)
    };
    assert!(short.contains("PUBS_TOKEN") && !short.contains("pin"));
    assert!(tenant.contains("amce") && tenant.contains("did you mean acme?"));
    refused(
        "MCP_SERVERS",
        r#"[{"name":"a","url":"https://x","mappings":"papers"}]"#,
    );
}

#[test]
fn an_issuer_may_name_any_tenant() {
    let config = parse(&[
        ("OAUTH_ISSUER", "https://id.example.com"),
        ("OAUTH_AUDIENCE", "https://db.example.com/mcp"),
        (
            "MCP_SERVERS",
            r#"[{"name":"pubs","url":"https://x","tenants":["acme"]}]"#,
        ),
    ])
    .unwrap();
    assert_eq!(config.warnings, [""; 0]);
    assert_eq!(config.oauth.unwrap().issuer, "https://id.example.com");
}

#[test]
fn a_blank_setting_is_an_absent_one() {
    assert_eq!(
        parse(&[("MAX_RESULT_ROWS", " ")])
            .unwrap()
            .session
            .max_result_rows,
        session::limits::DEFAULT_MAX_RESULT_ROWS
    );
}

#[test]
fn a_debug_print_hides_the_token() {
    let config = parse(&[("API_TOKENS", r#"{"0123456789abcdef":"acme"}"#)]).unwrap();
    assert!(!format!("{config:?}").contains("0123456789abcdef"));
}

//! The environment variable with valid entries, and with the mistakes that operators make.

mod auth;

use super::*;

const SECRET: &str = "very-secret\"token";

fn parse_with(text: &str, tenants: Option<Vec<&str>>) -> (Result<Vec<Server>>, Vec<String>) {
    let mut warnings = Vec::new();
    let surroundings = Surroundings {
        mappings: &Mappings::default(),
        tenants: tenants.map_or(Tenants::Local, Tenants::Named),
        secret: |name: &str| match name {
            "TOKEN" => Some(SECRET.to_owned()),
            "SHORT" => Some("abc12".to_owned()),
            _ => None,
        },
    };
    let servers = parse_servers(Some(text.to_owned()), &surroundings, &mut warnings);
    (servers, warnings)
}

fn parse(text: &str) -> Result<Vec<Server>> {
    parse_with(text, Some(vec!["acme"])).0
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = parse(text).unwrap_err();
    assert_eq!(error.code(), "MISCONFIGURED");
    assert_eq!(
        error.to_string(),
        format!("the environment variable MCP_SERVERS {expected}"),
        "{text}"
    );
}

/// Checks the error of an entry. A valid entry precedes it, so that it is the second.
#[track_caller]
fn entry(entry: &str, expected: &str) {
    refused(
        &format!(r#"[{{"name":"first","url":"https://x.example"}},{entry}]"#),
        &format!("has an invalid entry 2{expected}"),
    );
}

/// Checks the error of an entry that has a name, a URL and this field.
#[track_caller]
fn field(field: &str, expected: &str) {
    entry(
        &format!(r#"{{"name":"pubs","url":"https://x.example/mcp",{field}}}"#),
        &format!(" (\"pubs\"): {expected}"),
    );
}

#[track_caller]
fn address(url: &str, expected: &str) {
    entry(
        &format!(r#"{{"name":"pubs","url":"{url}"}}"#),
        &format!(" (\"pubs\"): the url {expected}"),
    );
}

/// Returns the values that are redacted for an entry with these headers.
fn secrets_of(headers: &str) -> Secrets {
    let text = format!(r#"[{{"name":"a","url":"https://x.example","headers":{headers}}}]"#);
    parse(&text).unwrap().remove(0).endpoint.secrets
}

#[test]
fn an_entry_is_read_with_its_secrets() {
    let servers = parse(
        r#"[{"name":"pubs","url":"https://pubs.example.com/mcp","headers":{"Authorization":"Bearer $TOKEN","x-price":"5$$"},"kind":"graphql","mappings":"Entrez","timeoutMs":5,"tenants":["acme"]},
            {"name":"local","url":"http://127.0.0.1:8080/mcp","headers":null,"kind":null,"mappings":null,"timeoutMs":null,"tenants":null}]"#,
    )
    .unwrap();
    let [pubs, local] = servers.as_slice() else {
        panic!("two servers")
    };
    let header = |name: &str, value: String| (name.to_owned(), value);
    assert_eq!(
        pubs.endpoint.headers,
        [
            header("authorization", format!("Bearer {SECRET}")),
            header("x-price", "5$".to_owned())
        ]
    );
    assert_eq!(pubs.endpoint.secrets, Secrets::new(vec![SECRET.to_owned()]));
    assert_eq!(
        (pubs.kind, pubs.mappings.as_str(), pubs.timeout_ms),
        (Kind::Graphql, "Entrez", 5)
    );
    assert!(pubs.serves("acme") && !pubs.serves("zeta"));
    assert_eq!(
        (local.kind, local.mappings.as_str(), local.timeout_ms),
        (Kind::Any, "local", DEFAULT_UPSTREAM_TIMEOUT_MS)
    );
    assert!(local.serves("anybody"));
    assert!(!format!("{servers:?}").contains("very-secret"));
    assert!(!format!("{servers:?}").contains("example.com"));
}

#[test]
fn nothing_set_is_no_server() {
    let surroundings = Surroundings {
        mappings: &Mappings::default(),
        tenants: Tenants::Local,
        secret: |_: &str| None,
    };
    assert_eq!(
        parse_servers(None, &surroundings, &mut Vec::new()).unwrap(),
        []
    );
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    let must =
        r#"it must be a JSON array such as [{"name":"pubs","url":"https://example.com/mcp"}]"#;
    for (text, problem) in [
        ("nonsense", "is not JSON: expected ident at line 1 column 2"),
        (
            "[{\"name\":\"a\",\n\"url\":\"https://x\",}]",
            "is not JSON: trailing comma at line 2 column 19",
        ),
        (
            r#"[{"name":"a","headers":{"authorization":"very-secret" "x":1}}]"#,
            "is not JSON: expected `,` or `}` at line 1 column 55",
        ),
        (
            "[] x",
            "is not JSON: trailing characters at line 1 column 4",
        ),
        (
            "[",
            "is not JSON: EOF while parsing a list at line 1 column 1",
        ),
        ("{}", "is an object"),
        ("null", "is null"),
        (r#""very-secret""#, "is a text"),
    ] {
        refused(text, &format!("{problem}; {must}"));
    }
}

#[test]
fn mistakes_of_form_name_the_entry_and_the_field() {
    entry(
        r#"{"name":"pubs"}"#,
        r#" ("pubs"): the field url is missing; name and url are required"#,
    );
    entry(
        r#"{"url":"https://x.example"}"#,
        ": the field name is missing; name and url are required",
    );
    entry(
        r#"["pubs","https://x.example"]"#,
        ": an entry must be an object, not a list",
    );
    entry(
        r#""very-secret""#,
        ": an entry must be an object, not a text",
    );
    entry(
        r#"{"name":5,"url":"https://x.example"}"#,
        ": the field name must be a text, not a number",
    );
    let timeout = "must be a whole number of milliseconds between 1 and 300000";
    for (given, got) in [
        (r#""5000""#, "a text"),
        ("{\"very-secret\":1}", "an object"),
        ("true", "true or false"),
    ] {
        field(
            &format!(r#""timeoutMs":{given}"#),
            &format!("the field timeoutMs {timeout}, not {got}"),
        );
    }
    for number in ["0", "500.5", "-1", "300001", "9e15"] {
        let shown = if number == "9e15" {
            "9000000000000000.0"
        } else {
            number
        };
        field(
            &format!(r#""timeoutMs":{number}"#),
            &format!("the field timeoutMs {timeout}, not {shown}"),
        );
    }
    field(
        r#""headers":["authorization: very-secret"]"#,
        "the field headers must be an object of texts, not a list",
    );
    field(
        r#""headers":{"authorization":null}"#,
        "the field headers, \"authorization\", must be a text, not null",
    );
    field(
        r#""tenants":"acme""#,
        "the field tenants must be a list of texts, not a text",
    );
    field(
        r#""tenants":["acme",5]"#,
        "the field tenants, item 2, must be a text, not a number",
    );
    field(
        r#""kind":["graphql"]"#,
        "the field kind must be a text, not a list",
    );
    field(r#""url":"https://y.example""#, "duplicate field url");
}

#[test]
fn unknown_fields_come_with_the_nearest_and_keys_are_not_shown() {
    field(
        r#""header":{"a":"b"}"#,
        "there is no field \"header\"; did you mean `headers`?",
    );
    field(
        r#""timeoutMS":5"#,
        "there is no field \"timeoutMS\"; did you mean `timeoutMs`?",
    );
    for name in ["very-secret", "nope"] {
        field(
            &format!(r#""{name}":5"#),
            "field 3 is unknown; the fields are `name`, `url`, `headers`, `auth`, `passThrough`, `kind`, `mappings`, `timeoutMs`, `tenants`",
        );
    }
}

#[test]
fn names_are_those_that_programs_can_use() {
    for name in ["db", "Schema", "toJSON"] {
        entry(
            &format!(r#"{{"name":"{name}","url":"https://x.example"}}"#),
            &format!(
                " (\"{name}\"): the name \"{name}\" is reserved: it means something else in programs"
            ),
        );
    }
    for name in ["", "a b", "__proto__", "1a", "ä"] {
        entry(
            &format!(r#"{{"name":"{name}","url":"https://x.example"}}"#),
            &format!(
                " (\"{name}\"): the name \"{name}\" is not valid; a name begins with a letter and has letters, digits, _ and -, at most 64"
            ),
        );
    }
    entry(
        r#"{"name":"FIRST","url":"https://x.example"}"#,
        " (\"FIRST\"): an earlier entry has the same name; case does not matter",
    );
}

#[test]
fn addresses_are_those_that_can_be_called() {
    for (url, problem) in [
        ("ftp://x", "does not begin with https://"),
        ("x.example/mcp", "does not begin with https://"),
        (
            "https://x.example/a b",
            "is not a valid URL: it contains blanks or letters that must be escaped",
        ),
        (
            "https://x.example/#a",
            "has a fragment, which is never sent to a server",
        ),
        (
            "https://x.example/mcp?key=$KEY",
            "contains a $NAME: only headers and auth can contain secrets",
        ),
        (
            "https://u:very-secret@x/",
            "has a user or password in it: use headers with a secret",
        ),
    ] {
        address(url, problem);
    }
    for url in [
        "http://example.com",
        "http://127.0.0.1.example.com",
        "http://[::2]",
    ] {
        address(
            url,
            "is not encrypted: use https (http is for this machine only)",
        );
    }
    for url in [
        "HTTPS://X.example.:443?key=1",
        "https://x",
        "https://x:/mcp",
        "https://a_b-c.example/mcp",
        "https://x.example/mcp?$filter=a",
        "https://192.0.2.1:8443",
        "https://[2001:db8::1]:8443/mcp",
        "http://localhost:1",
        "http://127.9.9.9",
        "http://[::1]:65535/",
    ] {
        parse(&format!(r#"[{{"name":"a","url":"{url}"}}]"#)).unwrap();
    }
}

#[test]
fn hosts_and_ports_are_those_that_there_can_be() {
    for host in [
        "",
        ".....",
        "a..b",
        ".a",
        "a_%41",
        "x!y",
        "1.2.3",
        "300.1.1.1",
        "a.1",
    ] {
        address(&format!("https://{host}/mcp"), "has an invalid host");
    }
    address(
        &format!("https://{}.example", "a".repeat(64)),
        "has an invalid host",
    );
    for host in ["[::1", "[]", "[x]", "[::1]x"] {
        address(
            &format!("https://{host}/mcp"),
            "has no IPv6 address between [ and ]",
        );
    }
    for port in ["99999", "abc", "0", "+1"] {
        for host in ["x.example", "[2001:db8::1]"] {
            address(
                &format!("https://{host}:{port}/mcp"),
                "has an invalid port: ports are 1 to 65535",
            );
        }
    }
}

#[test]
fn kinds_mappings_and_tenants_are_those_that_there_are() {
    for kind in ["", "GraphQL", "soap"] {
        field(
            &format!(r#""kind":"{kind}""#),
            &format!(
                "there is no kind \"{kind}\"; the only kind is \"graphql\", and other servers have none"
            ),
        );
    }
    field(
        r#""mappings":"entrezz""#,
        "there are no mappings \"entrezz\", neither in the product nor in COLUMN_MAPPINGS; did you mean \"entrez\"?",
    );
    let error = parse(r#"[{"name":"a","url":"https://x","mappings":""}]"#).unwrap_err();
    assert!(
        error.to_string().contains("there are mappings of ")
            && error.to_string().contains("entrez"),
        "{error}"
    );
    field(
        r#""tenants":[]"#,
        "the list of tenants is empty, so nobody could use the server; leave the field out to allow every tenant",
    );
    field(
        r#""tenants":["a b"]"#,
        "the tenant \"a b\" is not valid: tenant is not a usable name: a name is 1 to 128 characters of A-Z, a-z, 0-9, '.', '_', ':' and '-', and neither '.' nor '..'",
    );
}

#[test]
fn mappings_of_the_deployment_s_own_count() {
    let mappings = Mappings::parse(Some(r#"{"papers":{"date":"day"}}"#)).unwrap();
    let surroundings = Surroundings {
        mappings: &mappings,
        tenants: Tenants::Local,
        secret: |_: &str| None,
    };
    let text = r#"[{"name":"a","url":"https://x","mappings":"Papers"}]"#.to_owned();
    let servers = parse_servers(Some(text), &surroundings, &mut Vec::new()).unwrap();
    assert_eq!(servers[0].mappings, "Papers");
}

#[test]
fn headers_are_those_that_can_be_sent() {
    for (headers, problem) in [
        (
            r#"{"a":"$NONE"}"#,
            "the header a refers to $NONE, but there is no secret NONE",
        ),
        (
            r#"{"a":"1 $ 2"}"#,
            "the header a has a $ without the name of a secret; a dollar sign is written $$",
        ),
        (
            r#"{"a":"Bearer ${TOKEN}"}"#,
            "the header a has a $ without the name of a secret; a secret is written $NAME, without braces",
        ),
        (
            r#"{"a: very-secret":"1"}"#,
            "a header has a name that HTTP does not allow; it begins with \"a\"",
        ),
        (
            r#"{"Accept":"1"}"#,
            "the header Accept is set by the protocol or the platform",
        ),
        (
            r#"{"Mcp-Name":"1"}"#,
            "the header Mcp-Name is set by the protocol or the platform",
        ),
        (
            r#"{"CF-Connecting-IP":"1"}"#,
            "the header CF-Connecting-IP is set by the protocol or the platform",
        ),
        (
            r#"{"content-encoding":"gzip"}"#,
            "the header content-encoding is set by the protocol or the platform",
        ),
        (
            r#"{"a":"é"}"#,
            "the header a contains characters that a header cannot contain",
        ),
        (
            r#"{"Authorization":"one","authorization":"two"}"#,
            "the header authorization is set twice; case does not matter",
        ),
    ] {
        field(&format!(r#""headers":{headers}"#), problem);
    }
}

#[test]
fn written_headers_are_secrets_by_the_words_of_their_names() {
    for name in [
        "x-keyspace",
        "x-author",
        "x-monkey",
        "accept-language",
        "x-tokens-left",
    ] {
        let headers = format!(r#"{{"{name}":"production"}}"#);
        assert_eq!(secrets_of(&headers), Secrets::default(), "{name}");
    }
    for name in [
        "Authorization",
        "X-Api-Key",
        "apikey",
        "x_auth_token",
        "x-functions-key",
    ] {
        let headers = format!(r#"{{"{name}":"production"}}"#);
        let wanted = Secrets::new(vec!["production".to_owned()]);
        assert_eq!(secrets_of(&headers), wanted, "{name}");
    }
}

#[test]
fn schemes_and_names_of_cookies_are_no_secrets() {
    for (headers, wanted) in [
        (
            r#"{"authorization":"AWS4-HMAC-SHA256 Credential=1234"}"#,
            &["Credential=1234"][..],
        ),
        (
            r#"{"proxy-authorization":"Negotiate YII12345"}"#,
            &["YII12345"],
        ),
        (r#"{"authorization":"Bearer short"}"#, &[]),
        (
            r#"{"cookie":"important=12345678; b=c; 87654321"}"#,
            &["12345678", "87654321"],
        ),
        (r#"{"x-plain":"a $TOKEN b"}"#, &[SECRET]),
    ] {
        let wanted = wanted.iter().map(|&text| text.to_owned()).collect();
        assert_eq!(secrets_of(headers), Secrets::new(wanted), "{headers}");
    }
}

#[test]
fn keys_in_an_address_are_secrets_as_written_and_as_meant() {
    let servers = parse(
        r#"[{"name":"a","url":"https://x/mcp?api_key=abc%2Fdefgh&page=important&token=short"}]"#,
    )
    .unwrap();
    let wanted = vec!["abc%2Fdefgh".to_owned(), "abc/defgh".to_owned()];
    assert_eq!(servers[0].endpoint.secrets, Secrets::new(wanted));
}

#[test]
fn what_is_legal_and_doubtful_is_a_warning() {
    let of = |rest: &str, tenants: Option<Vec<&str>>| {
        let text = format!(r#"[{{"name":"a","url":"https://x",{rest}}}]"#);
        let (servers, warnings) = parse_with(&text, tenants);
        servers.unwrap();
        warnings
    };
    let acme = || Some(vec!["acme", "zeta"]);
    assert_eq!(of(r#""tenants":["acme"]"#, acme()), [""; 0]);
    assert_eq!(
        of(r#""tenants":["acmee","q"]"#, acme()),
        [
            "MCP_SERVERS: the server a is for the tenant acmee, which has no token in API_TOKENS; did you mean acme?",
            "MCP_SERVERS: the server a is for the tenant q, which has no token in API_TOKENS",
        ]
    );
    assert_eq!(of(r#""tenants":["local"]"#, None), [""; 0]);
    assert_eq!(
        of(r#""tenants":["acme"]"#, None),
        [
            "MCP_SERVERS: the server a is for the tenant acme, but without API_TOKENS every caller is the tenant local"
        ]
    );
    assert_eq!(
        of(r#""headers":{"authorization":"Bearer $SHORT"}"#, None),
        [
            "MCP_SERVERS: the secret SHORT of the server a is too short to be redacted in what the server sends back"
        ]
    );
}

//! Access tokens: fetched once for all calls, renewed, refused, discovered. The tests in workerd do
//! the same with real servers.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use base::Problem;
use futures::executor::block_on;
use futures::future::join_all;
use mcp::Failure;
use mcp::authorization::{Access, AuthMethod, ClientCredentials};
use mcp::client::{Client, Connection, Endpoint};
use net::Secrets;
use net::transport::{Clock, Request};
use serde_json::{Value, json};
use tools::outcome::upstream;

use crate::servers::{Network, Said, Time, header, message, result, says};

const SERVER: &str = "https://pubs.example/api/mcp";
const ISSUER: &str = "https://auth.example";
const TOKEN_URL: &str = "https://auth.example/token";
const SECRET: &str = "s3cr3t-of-the-client";
const TIMEOUT_MS: u32 = 30_000;

/// The server and its authorization server, with their unusual responses.
#[derive(Default)]
struct Peers {
    /// The numbers of the valid tokens, from 1.
    issued: Cell<u32>,
    good: Cell<u32>,
    expires_in: Cell<u64>,
    /// A replacement for the usual response of a URL: status and body.
    instead: RefCell<HashMap<String, (u16, Value)>>,
    challenge: RefCell<Option<String>>,
}

impl Peers {
    fn serve(&self, request: &Request) -> Said {
        if let Some((status, body)) = self.instead.borrow().get(&request.url) {
            return says(*status, body);
        }
        match request.url.as_str() {
            SERVER => self.server(request),
            TOKEN_URL => {
                let number = self.issued.get() + 1;
                self.issued.set(number);
                self.good.set(number);
                let token = format!("token-number-{number}");
                says(
                    200,
                    &json!({ "access_token": token, "token_type": "Bearer", "expires_in": self.expires_in.get() }),
                )
            }
            "https://pubs.example/.well-known/oauth-protected-resource/api/mcp" => says(
                200,
                &json!({ "resource": SERVER, "authorization_servers": [ISSUER], "scopes_supported": ["a", "b"] }),
            ),
            "https://auth.example/.well-known/oauth-authorization-server" => says(
                200,
                &json!({ "issuer": ISSUER, "token_endpoint": TOKEN_URL, "token_endpoint_auth_methods_supported": ["client_secret_post"] }),
            ),
            _ => says(404, &json!({})),
        }
    }

    fn server(&self, request: &Request) -> Said {
        let good = format!("Bearer token-number-{}", self.good.get());
        let given = header(request, "authorization");
        if given == Some(good.as_str()) {
            let tools =
                json!({ "tools": [{ "name": "get", "description": good, "inputSchema": {} }] });
            return result(request, tools);
        }
        Said {
            challenge: self.challenge.borrow().clone(),
            ..says(401, &json!({ "error": "invalid_token" }))
        }
    }
}

struct World {
    peers: Rc<Peers>,
    network: Network,
    time: Time,
    endpoint: Endpoint,
}

fn configured() -> ClientCredentials {
    ClientCredentials {
        token_url: Some(TOKEN_URL.to_owned()),
        issuer: None,
        client_id: "us".to_owned(),
        client_secret: SECRET.to_owned(),
        scope: None,
        resource: None,
        method: None,
    }
}

fn discovering() -> ClientCredentials {
    ClientCredentials {
        token_url: None,
        ..configured()
    }
}

fn world(credentials: ClientCredentials) -> World {
    let peers = Rc::new(Peers::default());
    peers.expires_in.set(3_600);
    let serving = Rc::clone(&peers);
    World {
        peers,
        network: Network::new(move |request| serving.serve(request)),
        time: Time(Cell::new(1_000_000)),
        endpoint: Endpoint {
            url: SERVER.to_owned(),
            headers: Vec::new(),
            secrets: Secrets::new(vec![SECRET.to_owned()]),
            access: Some(Rc::new(Access::new(credentials))),
        },
    }
}

impl World {
    /// Lists the only tool and returns its description, in which the server repeats the token.
    async fn listing(&self) -> Result<String, Failure> {
        let connection = Connection::default();
        let client = Client::new(
            &self.network,
            &self.time,
            &self.endpoint,
            &connection,
            TIMEOUT_MS,
        );
        let listing = client.list_tools().await?;
        Ok(listing.tools[0].description.clone())
    }

    fn list(&self) -> Result<String, Failure> {
        block_on(self.listing())
    }

    /// Returns the code of the failure, its step, and its whole text.
    fn failure(&self) -> (&'static str, Value, String) {
        let error = upstream("pubs", self.list().unwrap_err(), TIMEOUT_MS);
        let text = format!("{error} {:?} {}", error.hint(), error.details());
        assert!(
            !text.contains(SECRET) && !text.contains("token-number"),
            "{text}"
        );
        (error.code().name, error.details()["step"].clone(), text)
    }

    fn wait(&self, milliseconds: u64) {
        self.time.0.set(self.time.now_ms() + milliseconds);
    }

    fn tokens(&self) -> usize {
        self.network.asked(TOKEN_URL)
    }

    fn instead(&self, url: &str, status: u16, body: Value) {
        let mut instead = self.peers.instead.borrow_mut();
        instead.insert(url.to_owned(), (status, body));
    }

    /// Returns the form of the last request for a token.
    fn form(&self) -> String {
        let sent = self.network.sent.borrow();
        let last = sent.iter().rfind(|request| request.url == TOKEN_URL);
        last.unwrap().body.clone()
    }
}

#[test]
fn a_token_is_fetched_once_for_calls_that_come_together_and_is_redacted() {
    let world = world(configured());
    for outcome in block_on(join_all((0..20).map(|_| world.listing()))) {
        assert_eq!(outcome.unwrap(), "Bearer [secret]");
    }
    assert_eq!(world.tokens(), 1);
    assert_eq!(world.network.asked(SERVER), 20);
    assert!(world.list().is_ok());
    assert_eq!(world.tokens(), 1);
    assert_eq!(
        world.form(),
        "grant_type=client_credentials&resource=https%3A%2F%2Fpubs.example%2Fapi%2Fmcp"
    );
}

#[test]
fn a_token_is_renewed_before_it_expires_and_after_the_server_refuses_it() {
    let world = world(configured());
    assert!(world.list().is_ok());
    world.wait(3_569_000);
    assert!(world.list().is_ok());
    assert_eq!(world.tokens(), 1);
    world.wait(1_000);
    assert!(world.list().is_ok());
    assert_eq!(world.tokens(), 2);
    // After a revocation, simultaneous calls renew the token once.
    world.peers.good.set(99);
    for outcome in block_on(join_all((0..5).map(|_| world.listing()))) {
        assert!(outcome.is_ok());
    }
    assert_eq!(world.tokens(), 3);
}

#[test]
fn a_server_that_refuses_every_token_is_no_reason_to_fetch_many() {
    let world = world(configured());
    world.instead(SERVER, 401, json!({ "error": "token-number-1 is bad" }));
    for _ in 0..5 {
        let failure = world.list().unwrap_err();
        assert!(
            matches!(&failure, Failure::Unauthorized { status: 401, text, .. } if !text.contains("number")),
            "{failure:?}"
        );
    }
    assert_eq!(world.tokens(), 2);
}

#[test]
fn a_wrong_secret_is_told_once_and_not_tried_by_everybody() {
    let world = world(configured());
    let body =
        json!({ "error": "invalid_client", "error_description": format!("{SECRET} is wrong") });
    world.instead(TOKEN_URL, 401, body);
    for outcome in block_on(join_all((0..5).map(|_| world.listing()))) {
        assert!(matches!(outcome, Err(Failure::Denied(_))));
    }
    let (code, step, text) = world.failure();
    assert_eq!((code, step), ("UPSTREAM_AUTH_FAILED", json!("token")));
    assert!(
        text.contains(
            "pubs: the request for the access token was rejected with status 401, invalid_client"
        ),
        "{text}"
    );
    assert!(text.contains("clientSecret"), "{text}");
    assert_eq!(world.tokens(), 1);
    assert_eq!(world.network.asked(SERVER), 0, "nothing was called");
    world.wait(10_001);
    world.peers.instead.borrow_mut().clear();
    assert!(world.list().is_ok());
}

#[test]
fn a_failure_that_may_pass_is_retried() {
    let world = world(configured());
    world.instead(TOKEN_URL, 503, json!({}));
    let (code, _, text) = world.failure();
    assert_eq!(code, "UPSTREAM_AUTH_FAILED");
    assert!(text.contains("try again later"), "{text}");
    assert_eq!(world.tokens(), 3);
    world.peers.instead.borrow_mut().clear();
    assert!(world.list().is_ok());
}

#[test]
fn responses_that_are_no_tokens_are_told_without_their_words() {
    for (status, body, words) in [
        (200, json!("token-number-1"), "not a JSON object"),
        (200, json!({ "token": "token-number-1" }), "no access_token"),
        (
            200,
            json!({ "access_token": "x".repeat(70_000) }),
            "too large",
        ),
        (302, json!({}), "redirects are not followed"),
        (400, json!({ "error": "token-number-1" }), "status 400;"),
    ] {
        let world = world(configured());
        world.instead(TOKEN_URL, status, body);
        let (code, _, text) = world.failure();
        assert_eq!(code, "UPSTREAM_AUTH_FAILED");
        let text = text.replace(" Some(", "; Some(");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_token_endpoint_is_discovered_from_a_refusal_and_remembered() {
    let world = world(discovering());
    assert_eq!(world.list().unwrap(), "Bearer [secret]");
    assert_eq!(
        world.form(),
        format!(
            "grant_type=client_credentials&resource=https%3A%2F%2Fpubs.example%2Fapi%2Fmcp&scope=a%20b&client_id=us&client_secret={SECRET}"
        )
    );
    assert_eq!(world.network.sent.borrow().len(), 5);
    world.wait(3_570_000);
    assert!(world.list().is_ok());
    assert_eq!(
        world.network.sent.borrow().len(),
        7,
        "a token, and the list"
    );
}

#[test]
fn a_challenge_names_metadata_and_scope_and_the_operator_has_the_last_word() {
    let metadata = "https://pubs.example/meta";
    let challenge = format!(r#"Bearer resource_metadata="{metadata}", scope="c""#);
    let resource = json!({ "resource": "https://pubs.example/api/", "authorization_servers": ["https://other.example", ISSUER] });
    let world_with = |credentials| {
        let world = world(credentials);
        *world.peers.challenge.borrow_mut() = Some(challenge.clone());
        world.instead(metadata, 200, resource.clone());
        world
    };
    let named = world_with(ClientCredentials {
        issuer: Some(ISSUER.to_owned()),
        ..discovering()
    });
    assert!(named.list().is_ok());
    assert!(
        named
            .form()
            .contains("resource=https%3A%2F%2Fpubs.example%2Fapi%2F&scope=c&")
    );
    let own = world_with(ClientCredentials {
        issuer: Some(ISSUER.to_owned()),
        scope: Some("d".to_owned()),
        resource: Some("urn:pubs".to_owned()),
        method: Some(AuthMethod::Basic),
        ..discovering()
    });
    assert!(own.list().is_ok());
    assert_eq!(
        own.form(),
        "grant_type=client_credentials&resource=urn%3Apubs&scope=d"
    );
    let first = world_with(discovering());
    let (_, step, _) = first.failure();
    assert_eq!(
        step, "server_metadata",
        "the first of the list is not there"
    );
    assert_eq!(first.tokens(), 0);
}

#[test]
fn the_secret_goes_to_no_server_that_is_not_what_it_says() {
    let resource = "https://pubs.example/.well-known/oauth-protected-resource/api/mcp";
    let server = "https://auth.example/.well-known/oauth-authorization-server";
    let listing = |issuer: &str| json!({ "resource": SERVER, "authorization_servers": [issuer] });
    for (url, body, step, words) in [
        (
            resource,
            json!({ "resource": "https://other.example/api/mcp", "authorization_servers": [ISSUER] }),
            "resource_metadata",
            "does not name this server",
        ),
        (
            resource,
            json!({ "resource": "https://pubs.example/ap", "authorization_servers": [ISSUER] }),
            "resource_metadata",
            "does not name this server",
        ),
        (
            resource,
            json!({ "resource": SERVER }),
            "resource_metadata",
            "no authorization server",
        ),
        (
            resource,
            listing("http://auth.example"),
            "server_metadata",
            "not a URL that this client may call",
        ),
        (
            resource,
            listing("http://127.0.0.1:1"),
            "server_metadata",
            "not a URL that this client may call",
        ),
        (
            resource,
            listing("https://localhost"),
            "server_metadata",
            "not a URL that this client may call",
        ),
        (
            server,
            json!({ "issuer": "https://honest.example", "token_endpoint": TOKEN_URL }),
            "server_metadata",
            "issuer is not the authorization server",
        ),
        (
            server,
            json!({ "issuer": ISSUER, "token_endpoint": "http://127.0.0.1/token" }),
            "server_metadata",
            "token_endpoint is missing, or is a URL that this client may not call",
        ),
        (
            server,
            json!({ "issuer": ISSUER, "token_endpoint": TOKEN_URL, "token_endpoint_auth_methods_supported": ["private_key_jwt"] }),
            "server_metadata",
            "does not accept a client secret",
        ),
    ] {
        let world = world(discovering());
        world.instead(url, 200, body);
        let (code, told, text) = world.failure();
        assert_eq!(
            (code, told),
            ("UPSTREAM_AUTH_FAILED", json!(step)),
            "{text}"
        );
        assert!(text.contains(words), "{text}");
        assert_eq!(world.tokens(), 0);
    }
    let elsewhere = world(discovering());
    *elsewhere.peers.challenge.borrow_mut() =
        Some(r#"Bearer resource_metadata="https://other.example/meta""#.to_owned());
    assert!(elsewhere.failure().2.contains("another host"));
}

#[test]
fn a_server_that_changes_its_authorization_server_does_not_get_the_secret_there() {
    let world = world(discovering());
    assert!(world.list().is_ok());
    let resource = "https://pubs.example/.well-known/oauth-protected-resource/api/mcp";
    world.instead(
        resource,
        200,
        json!({ "resource": SERVER, "authorization_servers": ["https://evil.example"] }),
    );
    world.wait(3_600_001);
    world.peers.good.set(99);
    let (_, step, text) = world.failure();
    assert_eq!(step, "resource_metadata");
    assert!(text.contains("that the client's secret is for"), "{text}");
    assert_eq!(world.tokens(), 1);
}

#[test]
fn openid_discovery_is_the_second_way() {
    let world = world(discovering());
    let resource = "https://pubs.example/.well-known/oauth-protected-resource/api/mcp";
    let issuer = "https://auth.example/tenant";
    world.instead(resource, 404, json!({}));
    world.instead(
        "https://pubs.example/.well-known/oauth-protected-resource",
        200,
        json!({ "resource": "https://pubs.example", "authorization_servers": [issuer] }),
    );
    world.instead(
        "https://auth.example/tenant/.well-known/openid-configuration",
        200,
        json!({ "issuer": issuer, "token_endpoint": TOKEN_URL }),
    );
    assert!(world.list().is_ok());
    let sent = world.network.sent.borrow();
    let urls: Vec<&str> = sent.iter().map(|request| request.url.as_str()).collect();
    assert_eq!(
        urls,
        [
            SERVER,
            resource,
            "https://pubs.example/.well-known/oauth-protected-resource",
            "https://auth.example/.well-known/oauth-authorization-server/tenant",
            "https://auth.example/.well-known/openid-configuration/tenant",
            "https://auth.example/tenant/.well-known/openid-configuration",
            TOKEN_URL,
            SERVER,
        ]
    );
    for request in sent.iter().filter(|request| request.method == "GET") {
        assert_eq!(header(request, "authorization"), None, "{}", request.url);
    }
    let capabilities =
        &message(&sent[0])["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    let extension = &capabilities["extensions"]["io.modelcontextprotocol/oauth-client-credentials"];
    assert!(extension.is_object());
}

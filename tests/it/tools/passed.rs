//! Headers that a caller passes through: to one server, for one request, and for no other caller.

use std::cell::RefCell;
use std::rc::Rc;

use base::Error;
use codemode_database::config::Config;
use futures::executor::block_on;
use net::transport::Request;
use serde_json::{Value, json};
use tools::Server;
use tools::catalog::Catalogs;
use tools::gateway::{Connections, Gateway, PassedHeaders};
use tools::request::ProxyRequest;

use crate::servers::{Network, Said, Time, header, message, result, says};

const ALICE: &str = "Bearer alice-0123456789";
const BOB: &str = "Bearer bob-0123456789";

struct World {
    network: Network,
    time: Time,
    servers: Vec<Server>,
    /// The connections of one object, which serves all callers.
    connections: Connections,
    catalogs: RefCell<Catalogs>,
}

fn world(serve: impl Fn(&Request) -> Said + 'static) -> World {
    let setting = json!([
        { "name": "Pubs", "url": "https://pubs.example/mcp", "passThrough": "Authorization" },
        { "name": "plain", "url": "https://plain.example/mcp" },
        { "name": "hidden", "url": "https://hidden.example/mcp", "passThrough": "x-user", "tenants": ["zeta"] },
    ]);
    let config =
        Config::parse(|name| (name == "MCP_SERVERS").then(|| setting.to_string())).unwrap();
    World {
        network: Network::new(serve),
        time: Time::default(),
        servers: config.servers,
        connections: Connections::of_an_object(),
        catalogs: RefCell::default(),
    }
}

fn pairs(headers: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |text: &str| text.to_owned();
    let pair = |(name, value): &(&str, &str)| (owned(name), owned(value));
    headers.iter().map(pair).collect()
}

impl World {
    fn passed(&self, headers: &[(&str, &str)]) -> Result<PassedHeaders, Error> {
        let connections = Connections::of_an_object();
        PassedHeaders::read(&pairs(headers), &self.servers, "acme", connections)
    }

    /// Makes one request, which calls `whoami` of each of the servers and lists their tools.
    fn request(&self, value: Option<&str>, servers: &[&str]) -> Vec<(String, String)> {
        let header = value.map(|value| ("x-codemode-auth-pubs", value));
        let passed = self.passed(header.as_slice()).unwrap();
        let gateway = Gateway {
            http: &self.network,
            clock: &self.time,
            servers: &self.servers,
            tenant: "acme",
            connections: &self.connections,
            passed: &passed,
            catalogs: &self.catalogs,
            warn: |_| {},
        };
        let ask = |server: &&str| {
            let body = json!({ "server": server, "tool": "whoami", "args": {} });
            let call = ProxyRequest::parse(&body.to_string()).unwrap().call;
            let fetched = block_on(gateway.call(call, &mut |_| {})).unwrap();
            let tools = fetched.catalog.tools.iter();
            let names: Vec<&str> = tools.map(|tool| tool.name.as_str()).collect();
            (format!("{:?}", fetched.message), names.join(" "))
        };
        let outcome = servers.iter().map(ask).collect();
        gateway.close_passed();
        outcome
    }
}

/// Serves tools that differ by caller, and one that returns the headers it received.
fn modern(request: &Request) -> Said {
    let given = header(request, "authorization").unwrap_or("nobody");
    let name = given.trim_start_matches("Bearer ").split('-').next();
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    let answer = match message(request)["method"].as_str() {
        Some("tools/list") => {
            json!({ "tools": [tool("whoami"), tool(&format!("of_{}", name.unwrap()))], "ttlMs": 3_600_000 })
        }
        _ => json!({ "content": [{ "type": "text", "text": given }] }),
    };
    result(request, answer)
}

#[test]
fn a_header_goes_to_its_server_alone_and_does_not_come_back() {
    let world = world(modern);
    let outcome = world.request(Some(ALICE), &["Pubs", "plain"]);
    assert!(outcome[0].0.contains("Bearer [secret]"), "{outcome:?}");
    assert!(!format!("{outcome:?}").contains("0123456789"));
    for request in world.network.sent.borrow().iter() {
        let wanted = request.url.contains("pubs.").then_some(ALICE);
        assert_eq!(header(request, "authorization"), wanted, "{}", request.url);
    }
    let without = world.request(None, &["Pubs"]);
    assert!(without[0].0.contains("nobody"), "{without:?}");
}

#[test]
fn a_list_that_was_got_with_a_header_is_for_that_header_alone() {
    let world = world(modern);
    for _ in 0..2 {
        for (value, wanted) in [
            (Some(ALICE), "whoami of_alice"),
            (Some(BOB), "whoami of_bob"),
            (None, "whoami of_nobody"),
        ] {
            assert_eq!(world.request(value, &["Pubs"])[0].1, wanted);
        }
    }
    let sent = world.network.sent.borrow();
    let lists = sent
        .iter()
        .filter(|request| message(request)["method"] == "tools/list");
    assert_eq!(lists.count(), 3, "each is remembered");
}

/// Serves the older protocol version, with sessions that belong to the caller that opened them.
fn legacy(owners: &Rc<RefCell<Vec<String>>>, request: &Request) -> Said {
    let given = header(request, "authorization")
        .unwrap_or("nobody")
        .to_owned();
    let asked = message(request);
    let id = &asked["id"];
    let respond = |result: Value| {
        says(
            200,
            &json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        )
    };
    if asked["method"] == "initialize" {
        owners.borrow_mut().push(given);
        let session = Some(format!("session-{}", owners.borrow().len()));
        let agreed = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": { "name": "x", "version": "1" } });
        return Said {
            session,
            ..respond(agreed)
        };
    }
    let Some(session) = header(request, "mcp-session-id") else {
        return says(
            400,
            &json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": "no session" } }),
        );
    };
    let number: usize = session.trim_start_matches("session-").parse().unwrap();
    assert_eq!(
        owners.borrow()[number - 1],
        given,
        "{session} belongs to somebody else"
    );
    match asked["method"].as_str() {
        Some("tools/list") => {
            respond(json!({ "tools": [{ "name": "whoami", "inputSchema": { "type": "object" } }] }))
        }
        Some("tools/call") => respond(json!({ "content": [{ "type": "text", "text": "you" }] })),
        _ => says(202, &json!({})),
    }
}

#[test]
fn a_session_that_was_opened_with_a_header_ends_with_its_request() {
    let owners = Rc::new(RefCell::new(Vec::new()));
    let known = Rc::clone(&owners);
    let world = world(move |request| legacy(&known, request));
    for value in [None, Some(ALICE), Some(BOB), None, Some(ALICE)] {
        world.request(value, &["Pubs", "Pubs"]);
    }
    assert_eq!(*owners.borrow(), ["nobody", ALICE, BOB, ALICE]);
    let forgotten = world.network.forgotten.borrow();
    let ended: Vec<(&str, Option<&str>, Option<&str>)> = forgotten
        .iter()
        .map(|request| {
            let of = |name| header(request, name);
            (request.method, of("mcp-session-id"), of("authorization"))
        })
        .collect();
    assert_eq!(
        ended,
        [
            ("DELETE", Some("session-2"), Some(ALICE)),
            ("DELETE", Some("session-3"), Some(BOB)),
            ("DELETE", Some("session-4"), Some(ALICE)),
        ]
    );
}

#[test]
fn a_header_that_no_server_takes_is_refused_without_its_value() {
    let world = world(modern);
    let long = "v".repeat(8 * 1024 + 1);
    for (name, value, message, hint) in [
        (
            "x-codemode-auth-pbus",
            ALICE,
            "there is no server for the header \"x-codemode-auth-pbus\"",
            "did you mean `x-codemode-auth-pubs`?",
        ),
        (
            "x-codemode-auth-zzz",
            ALICE,
            "there is no server for the header \"x-codemode-auth-zzz\"",
            "the headers are x-codemode-auth-pubs",
        ),
        (
            "x-codemode-auth-hidden",
            ALICE,
            "there is no server for the header \"x-codemode-auth-hidden\"",
            "the headers are x-codemode-auth-pubs",
        ),
        (
            "x-codemode-auth-plain",
            ALICE,
            "the server plain does not accept a header from its caller",
            "leave the header out, or ask the operator to set passThrough for the server in MCP_SERVERS",
        ),
        (
            "x-codemode-auth-pubs",
            " ",
            "the header x-codemode-auth-pubs is empty",
            "its value must be that of the header authorization of the server",
        ),
        (
            "x-codemode-auth-pubs",
            &long,
            "the header x-codemode-auth-pubs has more than 8192 bytes",
            "its value must be that of the header authorization of the server",
        ),
        (
            "x-codemode-auth-pubs",
            "Bearer é",
            "the header x-codemode-auth-pubs has characters beyond ASCII",
            "its value must be that of the header authorization of the server",
        ),
    ] {
        let error = world.passed(&[(name, value)]).err().unwrap();
        assert_eq!(error.code(), "INVALID_ARGUMENT");
        assert_eq!(
            (error.to_string().as_str(), error.hint().as_deref()),
            (message, Some(hint))
        );
    }
    assert!(
        PassedHeaders::read(
            &pairs(&[("x-codemode-auth-a", ALICE)]),
            &[],
            "acme",
            Connections::default()
        )
        .err()
        .and_then(|error| error.hint())
        .unwrap()
        .starts_with("no server accepts a header")
    );
}

//! Lists, schemas and times of calls, with a clock that a test sets. Tests in workerd cover the
//! behaviour of real servers; the tests here cover behaviour that takes minutes there, or happens
//! at a given moment.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use base::Error;
use codemode_database::config::Config;
use futures::executor::block_on;
use futures::future::join_all;
use net::transport::{Body, Broken, Clock, Http, Request, Response};
use serde_json::{Value, json};
use tools::Server;
use tools::catalog::Catalogs;
use tools::gateway::{Connections, Gateway, PassedHeaders};
use tools::limits::{FAILED_SCHEMA_TTL_MS, OVERVIEW_TIMEOUT_MS, TOOL_LIST_REFRESH_MS};
use tools::outcome::{Reader, ToolResponse};
use tools::request::ProxyRequest;
use tools::server::Kind;

use test_support::HostDatabase;

/// A server's response to one message: the result, or a status.
type Serve = Box<dyn Fn(&Value, &Cell<u64>) -> Result<Value, u16>>;

struct Network {
    serve: RefCell<Serve>,
    asked: RefCell<Vec<Value>>,
    now_ms: Rc<Cell<u64>>,
}

struct Whole(Option<Vec<u8>>);

impl Body for Whole {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        Ok(self.0.take())
    }
}

impl Http for Network {
    type Body = Whole;

    async fn send(&self, request: Request) -> Result<Response<Whole>, Broken> {
        let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
        self.asked.borrow_mut().push(message.clone());
        let served = (self.serve.borrow())(&message, &self.now_ms);
        if served == Err(SILENCE) {
            std::future::pending::<()>().await;
        }
        let (status, body) = match served {
            Ok(mut result) => {
                // The sign of a server of the modern protocol version.
                result["resultType"] = json!("complete");
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                (200, answer.to_string())
            }
            Err(status) => (status, "not now".to_owned()),
        };
        let kind = if status == 200 {
            "application/json"
        } else {
            "text/plain"
        };
        Ok(Response {
            status,
            content_type: kind.to_owned(),
            session: None,
            length: None,
            retry_after: None,
            challenge: None,
            body: Whole(Some(body.into_bytes())),
        })
    }

    fn send_and_forget(&self, _request: Request) {}
}

/// Instead of a status: no result arrives.
const SILENCE: u16 = 0;

/// A clock on which a wait of seconds ends only if nothing else can happen, which `silent` says.
struct Time {
    now_ms: Rc<Cell<u64>>,
    silent: Cell<bool>,
}

impl Clock for Time {
    fn now_ms(&self) -> u64 {
        self.now_ms.get()
    }

    async fn sleep(&self, milliseconds: u64) {
        if milliseconds >= 1_000 && !self.silent.get() {
            std::future::pending::<()>().await;
        }
        self.now_ms.set(self.now_ms.get() + milliseconds);
    }

    fn random(&self) -> f64 {
        0.5
    }
}

struct World {
    network: Network,
    time: Time,
    servers: Vec<Server>,
    connections: Connections,
    passed: PassedHeaders,
    catalogs: RefCell<Catalogs>,
}

const TIMEOUT_MS: u64 = 2_000;

/// Makes a deployment with one server, which begins with a list.
fn world(serve: impl Fn(&Value, &Cell<u64>) -> Result<Value, u16> + 'static) -> World {
    patient_world(TIMEOUT_MS, serve)
}

fn patient_world(
    timeout_ms: u64,
    serve: impl Fn(&Value, &Cell<u64>) -> Result<Value, u16> + 'static,
) -> World {
    let setting = json!([{ "name": "papers", "url": "https://example.com/mcp", "kind": "graphql", "timeoutMs": timeout_ms }]);
    let config =
        Config::parse(|name| (name == "MCP_SERVERS").then(|| setting.to_string())).unwrap();
    let now_ms = Rc::new(Cell::new(1_000_000));
    World {
        network: Network {
            serve: RefCell::new(Box::new(serve)),
            asked: RefCell::default(),
            now_ms: Rc::clone(&now_ms),
        },
        time: Time {
            now_ms,
            silent: Cell::new(false),
        },
        servers: config.servers,
        connections: Connections::of_an_object(),
        passed: PassedHeaders::default(),
        catalogs: RefCell::default(),
    }
}

impl World {
    fn gateway(&self) -> Gateway<'_, Network, Time> {
        Gateway {
            http: &self.network,
            clock: &self.time,
            servers: &self.servers,
            tenant: "local",
            connections: &self.connections,
            passed: &self.passed,
            catalogs: &self.catalogs,
            warn: |_| {},
        }
    }

    async fn calling(&self, tool: &str, args: &Value) -> Result<ToolResponse, Error> {
        let body = json!({ "server": "papers", "tool": tool, "args": args });
        let call = ProxyRequest::parse(&body.to_string()).unwrap().call;
        self.gateway().call(call, &mut |_| {}).await
    }

    fn call(&self, tool: &str, args: &Value) -> Result<ToolResponse, Error> {
        block_on(self.calling(tool, args))
    }

    fn code(&self, tool: &str, args: &Value) -> &'static str {
        self.call(tool, args)
            .map_or_else(|error| error.code(), |_| "")
    }

    fn wait(&self, milliseconds: u64) {
        self.time.now_ms.set(self.time.now_ms() + milliseconds);
    }

    fn serve(&self, serve: impl Fn(&Value, &Cell<u64>) -> Result<Value, u16> + 'static) {
        *self.network.serve.borrow_mut() = Box::new(serve);
    }

    /// Returns the requests since the last call, in one word each.
    fn asked(&self) -> Vec<&'static str> {
        let asked = self.network.asked.take();
        asked
            .iter()
            .map(|message| match message["method"].as_str() {
                Some("tools/list") => "list",
                Some("tools/call") if is_introspection(message) => "schema",
                Some("tools/call") => "call",
                _ => "other",
            })
            .collect()
    }
}

fn is_introspection(message: &Value) -> bool {
    let query = message["params"]["arguments"]["query"].as_str();
    query.is_some_and(|query| query.contains("__schema"))
}

/// Returns a list with two tools that take documents.
fn tools() -> Value {
    let schema = json!({ "type": "object", "properties": { "query": { "type": "string" }, "variables": { "type": "object" }, "params": { "type": "object" }, "database": { "type": "string" } } });
    let tool = |name: &str| json!({ "name": name, "inputSchema": schema, "annotations": { "readOnlyHint": true } });
    json!({ "tools": [tool("graphql_query"), tool("other_query")], "ttlMs": 3_600_000 })
}

/// Returns the introspection of a schema whose query type has these fields, each with the argument
/// `top`.
fn schema(fields: &[&str]) -> Value {
    let int = json!({ "kind": "SCALAR", "name": "Int", "ofType": null });
    let fields: Vec<Value> = fields
        .iter()
        .map(|name| json!({ "name": name, "args": [{ "name": "top", "type": int, "defaultValue": null }], "type": int, "isDeprecated": false }))
        .collect();
    let structured = json!({ "data": { "__schema": {
        "queryType": { "name": "Query" },
        "types": [
            { "kind": "OBJECT", "name": "Query", "fields": fields, "interfaces": [] },
            { "kind": "SCALAR", "name": "Int" }, { "kind": "SCALAR", "name": "String" }, { "kind": "SCALAR", "name": "Boolean" },
        ],
    } } });
    json!({ "content": [], "structuredContent": structured })
}

fn served(
    fields: &'static [&'static str],
) -> impl Fn(&Value, &Cell<u64>) -> Result<Value, u16> + 'static {
    move |message, _| {
        Ok(match message["method"].as_str() {
            Some("tools/list") => tools(),
            _ if is_introspection(message) => schema(fields),
            _ => json!({ "content": [], "structuredContent": { "data": { "a": 1 } } }),
        })
    }
}

#[test]
fn a_schema_is_asked_for_once_and_again_where_it_refuses_and_has_got_old() {
    let world = world(served(&["a"]));
    let (a, b) = (json!({ "query": "{ a }" }), json!({ "query": "{ b }" }));
    assert_eq!(world.code("graphql_query", &a), "");
    assert_eq!(world.asked(), ["list", "schema", "call"]);
    assert_eq!(world.code("graphql_query", &b), "GRAPHQL_INVALID_QUERY");
    assert_eq!(world.code("graphql_query", &a), "");
    assert_eq!(world.asked(), ["call"], "a young schema is believed");
    world.serve(served(&["a", "b"]));
    world.wait(TOOL_LIST_REFRESH_MS + 1);
    assert_eq!(world.code("graphql_query", &b), "");
    assert_eq!(
        world.asked(),
        ["schema", "call"],
        "the server has got a field"
    );
    assert_eq!(
        world.code("graphql_query", &json!({ "query": "{ c }" })),
        "GRAPHQL_INVALID_QUERY"
    );
    assert_eq!(world.asked(), [""; 0]);
}

#[test]
fn each_tool_and_database_has_its_own_schema() {
    let world = world(|message, _| {
        let mouse = message["params"]["arguments"]["database"] == "mouse";
        let other = message["params"]["name"] == "other_query";
        Ok(match message["method"].as_str() {
            Some("tools/list") => tools(),
            _ if is_introspection(message) && mouse => schema(&["m"]),
            _ if is_introspection(message) && other => schema(&["o"]),
            _ if is_introspection(message) => schema(&["a"]),
            _ => json!({ "content": [], "structuredContent": { "data": { "a": 1 } } }),
        })
    });
    for (tool, args, allowed) in [
        ("graphql_query", json!({ "query": "{ a }" }), true),
        ("other_query", json!({ "query": "{ o }" }), true),
        ("other_query", json!({ "query": "{ a }" }), false),
        (
            "graphql_query",
            json!({ "query": "{ m }", "database": "mouse" }),
            true,
        ),
        (
            "graphql_query",
            json!({ "query": "{ a }", "database": "mouse" }),
            false,
        ),
        ("graphql_query", json!({ "query": "{ m }" }), false),
    ] {
        let code = world.code(tool, &args);
        assert_eq!(code.is_empty(), allowed, "{tool} {args}: {code}");
    }
}

#[test]
fn a_server_that_could_not_be_asked_for_its_schema_is_asked_again_later() {
    let broken = |message: &Value, _: &Cell<u64>| {
        if is_introspection(message) {
            Err(403)
        } else {
            served(&["a"])(message, &Cell::new(0))
        }
    };
    let world = world(broken);
    let wrong = json!({ "query": "{ wrong }" });
    assert_eq!(world.code("graphql_query", &wrong), "", "sent unchecked");
    assert_eq!(world.asked(), ["list", "schema", "call"]);
    assert_eq!(world.code("graphql_query", &wrong), "");
    assert_eq!(world.asked(), ["call"]);
    world.serve(served(&["a"]));
    world.wait(FAILED_SCHEMA_TTL_MS + 1);
    assert_eq!(world.code("graphql_query", &wrong), "GRAPHQL_INVALID_QUERY");
    assert_eq!(world.asked(), ["schema"]);
}

#[test]
fn a_tool_that_refuses_the_question_is_not_asked_again() {
    let world = world(|message, _| {
        Ok(match message["method"].as_str() {
            Some("tools/list") => tools(),
            _ if is_introspection(message) => {
                json!({ "isError": true, "content": [{ "type": "text", "text": "not allowed" }] })
            }
            _ => json!({ "content": [], "structuredContent": { "data": { "a": 1 } } }),
        })
    });
    let query = json!({ "query": "{ a }" });
    assert_eq!(world.code("graphql_query", &query), "");
    world.wait(FAILED_SCHEMA_TTL_MS + 1);
    assert_eq!(world.code("graphql_query", &query), "");
    assert_eq!(world.asked(), ["list", "schema", "call", "call"]);
}

#[test]
fn what_is_odd_about_a_query_that_is_allowed_is_told() {
    let world = world(served(&["a"]));
    let args = json!({ "query": "query($top: Int) { a(top: $top) }", "variables": { "topp": 2 } });
    let fetched = world.call("graphql_query", &args).unwrap();
    assert_eq!(fetched.doubts.len(), 1, "{:?}", fetched.doubts);
    assert!(fetched.doubts[0].contains("topp"), "{:?}", fetched.doubts);
    let plain = world.call("graphql_query", &json!({ "query": "{ a }" }));
    assert_eq!(plain.unwrap().doubts, [""; 0]);
}

#[test]
fn errors_that_a_result_returns_as_data_are_mentioned() {
    let refused = |data: Value, in_text: bool| {
        let serve = move |message: &Value, _: &Cell<u64>| {
            Ok(match message["method"].as_str() {
                Some("tools/list") => json!({ "tools": [{ "name": "create" }] }),
                _ if in_text => {
                    json!({ "content": [{ "type": "text", "text": data.to_string() }] })
                }
                _ => json!({ "content": [], "structuredContent": data }),
            })
        };
        let mut world = world(serve);
        world.servers[0].kind = Kind::Any;
        let fetched = world.call("create", &json!({})).unwrap();
        fetched
            .conclude::<HostDatabase>(None, Reader::Program)
            .unwrap()
    };
    let errors = json!([{ "field": ["title"], "message": "can't be blank" }]);
    for (data, words) in [
        (
            json!({ "data": { "productCreate": { "product": null, "userErrors": errors } } }),
            r#""productCreate" was refused: can't be blank (field ["title"])"#,
        ),
        (
            json!({ "mediaUserErrors": errors }),
            r#"the request was refused: can't be blank (field ["title"])"#,
        ),
    ] {
        for in_text in [true, false] {
            let outcome = refused(data.clone(), in_text);
            assert_eq!(outcome.notice.as_deref(), Some(words));
            assert_eq!(outcome.console, [format!("[papers.create] {words}")]);
            let kept: Value = serde_json::from_str(&outcome.data).unwrap();
            assert_eq!(kept, data, "the data stays");
        }
    }
    let fine = refused(json!({ "productCreate": { "userErrors": [] } }), true);
    assert_eq!((fine.notice, fine.console.len()), (None, 0));
}

#[test]
fn a_list_that_cannot_be_had_anew_leaves_the_old_one() {
    let world = world(served(&["a"]));
    assert_eq!(world.code("graphql_query", &json!({})), "");
    world.asked();
    world.wait(TOOL_LIST_REFRESH_MS + 1);
    world.serve(|_, _| Err(403));
    let unknown = json!({});
    let calls = (0..6).map(|_| world.calling("graphql_qeury", &unknown));
    for outcome in block_on(join_all(calls)) {
        let error = outcome.err().unwrap();
        assert_eq!(error.code(), "TOOL_NOT_FOUND");
        assert_eq!(error.details()["suggestions"][0], "graphql_query");
    }
    assert_eq!(world.asked(), ["list"], "who waits together asks once");
}

#[test]
fn the_time_of_a_call_counts_its_list_and_its_schema() {
    let slow = |message: &Value, now_ms: &Cell<u64>| {
        if message["method"] == "tools/list" || is_introspection(message) {
            now_ms.set(now_ms.get() + TIMEOUT_MS / 2);
        }
        served(&["a"])(message, now_ms)
    };
    let world = world(slow);
    let query = json!({ "query": "{ a }" });
    let error = world.call("graphql_query", &query).err().unwrap();
    assert_eq!(error.code(), "UPSTREAM_TIMEOUT");
    assert_eq!(error.details()["timeoutMs"], TIMEOUT_MS);
    assert_eq!(world.asked(), ["list", "schema"], "nothing was called");
    assert_eq!(
        world.code("graphql_query", &query),
        "",
        "both are remembered"
    );
}

#[test]
fn parameters_that_have_changed_are_listed_anew_before_arguments_are_refused() {
    let with = |parameter: &'static str| {
        move |message: &Value, now_ms: &Cell<u64>| {
            if message["method"] != "tools/list" {
                return served(&["a"])(message, now_ms);
            }
            let schema = json!({ "type": "object", "properties": { parameter: { "type": "string" } }, "required": [parameter] });
            Ok(json!({ "tools": [{ "name": "get", "inputSchema": schema }], "ttlMs": 3_600_000 }))
        }
    };
    let world = world(with("name"));
    assert_eq!(world.code("get", &json!({ "name": "x" })), "");
    world.serve(with("symbol"));
    let new = json!({ "symbol": "x" });
    assert_eq!(world.code("get", &new), "INVALID_ARGUMENTS");
    assert_eq!(world.asked(), ["list", "call"], "a young list is believed");
    world.wait(TOOL_LIST_REFRESH_MS + 1);
    assert_eq!(world.code("get", &new), "");
    assert_eq!(world.asked(), ["list", "call"]);
}

#[test]
fn thousands_of_unknown_parameters_are_compared_with_bounds() {
    let world = world(|message, now_ms| {
        if message["method"] != "tools/list" {
            return served(&["a"])(message, now_ms);
        }
        let properties: serde_json::Map<String, Value> = (0..900)
            .map(|number| (format!("a_known_parameter_{number}"), json!({})))
            .collect();
        let schema = json!({ "type": "object", "properties": properties });
        Ok(json!({ "tools": [{ "name": "get", "inputSchema": schema }] }))
    });
    let given: serde_json::Map<String, Value> = (0..16_000)
        .map(|number| (format!("zzz{number}"), json!(1)))
        .collect();
    // Comparing each with each would take minutes.
    let fetched = world.call("get", &Value::Object(given)).unwrap();
    assert_eq!(fetched.doubts, [""; 0]);
    let fetched = world.call("get", &json!({ "a_known_parameter7": 1 }));
    assert_eq!(fetched.unwrap().doubts.len(), 1);
}

#[test]
fn an_overview_waits_a_bounded_time_for_a_silent_server() {
    let world = patient_world(120_000, |_, _| Err(SILENCE));
    world.time.silent.set(true);
    let began_ms = world.time.now_ms();
    let catalogs = block_on(world.gateway().all());
    let error = catalogs[0].1.as_ref().err().unwrap();
    assert_eq!(error.code(), "UPSTREAM_TIMEOUT");
    let waited_ms = world.time.now_ms() - began_ms;
    assert_eq!(waited_ms, u64::from(OVERVIEW_TIMEOUT_MS));
}

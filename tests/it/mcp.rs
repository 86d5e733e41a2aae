//! The client of other servers over a network that fails on demand: eras, sessions, repetitions, time. What real servers do is tested in
//! workerd, against the official libraries; here is what they cannot be made to do at a given moment.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use codemode_database::mcp::client::{Client, Connection, Endpoint};
use codemode_database::mcp::transport::{Body, Broken, Clock, Http, Request, Response};
use codemode_database::mcp::{Era, Failure, Message, Secrets};
use codemode_database::tools::Tool;
use futures::executor::block_on;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What the network does with one request.
#[derive(Clone)]
enum Answer {
    /// Answers with status, type, and a body in which `$ID` is the id of the request.
    With(u16, &'static str, String),
    /// The same with a session id.
    Session(&'static str, String),
    /// The same, asking for patience of so many seconds.
    Later(u16, &'static str),
    /// Breaks.
    Break,
    /// Says nothing.
    Silence,
}

struct Network {
    answers: RefCell<VecDeque<Answer>>,
    sent: RefCell<Vec<(Request, Value)>>,
    forgotten: RefCell<Vec<Value>>,
    closed: Rc<Cell<u32>>,
}

struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    finished: bool,
    closed: Rc<Cell<u32>>,
}

impl Drop for Pieces {
    fn drop(&mut self) {
        if !self.finished {
            self.closed.set(self.closed.get() + 1);
        }
    }
}

impl Body for Pieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        let piece = self.pieces.pop_front();
        self.finished = piece.is_none();
        Ok(piece)
    }
}

impl Http for Network {
    type Body = Pieces;

    async fn send(&self, request: Request) -> Result<Response<Pieces>, Broken> {
        let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let id = message["id"].to_string();
        self.sent.borrow_mut().push((request, message));
        let answer = self.answers.borrow_mut().pop_front();
        let (status, content_type, session, retry_after, body) = match answer
            .expect("an answer for each request")
        {
            Answer::With(status, kind, body) => (status, kind, None, None, body),
            Answer::Session(session, body) => (200, "application/json", Some(session), None, body),
            Answer::Later(status, seconds) => {
                (status, "text/plain", None, Some(seconds), String::new())
            }
            Answer::Break => return Err(Broken("on demand".to_owned())),
            Answer::Silence => std::future::pending().await,
        };
        Ok(Response {
            status,
            content_type: content_type.to_owned(),
            session: session.map(str::to_owned),
            length: None,
            retry_after: retry_after.map(str::to_owned),
            body: Pieces {
                pieces: VecDeque::from([body.replace("$ID", &id).into_bytes()]),
                finished: false,
                closed: Rc::clone(&self.closed),
            },
        })
    }

    fn send_and_forget(&self, request: Request) {
        let message = serde_json::from_str(&request.body).unwrap_or(json!(request.method));
        self.forgotten.borrow_mut().push(message);
    }
}

/// Time passes only while somebody waits.
struct Time {
    now_ms: Cell<u64>,
    waits: RefCell<Vec<u64>>,
}

impl Clock for Time {
    fn now_ms(&self) -> u64 {
        self.now_ms.get()
    }

    async fn sleep(&self, milliseconds: u64) {
        // Whoever else is ready goes first, and whoever waits for less.
        let mut turns = 0;
        std::future::poll_fn(|context| {
            turns += 1;
            context.waker().wake_by_ref();
            if turns > milliseconds / 100 {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
        self.waits.borrow_mut().push(milliseconds);
        self.now_ms.set(self.now_ms.get() + milliseconds);
    }

    fn random(&self) -> f64 {
        0.5
    }
}

struct World {
    network: Network,
    time: Time,
    connection: Connection,
    endpoint: Endpoint,
}

const TIMEOUT_MS: u32 = 10_000;

fn world(answers: &[Answer]) -> World {
    World {
        network: Network {
            answers: RefCell::new(answers.iter().cloned().collect()),
            sent: RefCell::default(),
            forgotten: RefCell::default(),
            closed: Rc::default(),
        },
        time: Time {
            now_ms: Cell::new(1_000),
            waits: RefCell::default(),
        },
        connection: Connection::of_an_object(),
        endpoint: Endpoint {
            url: "https://example.com/mcp".to_owned(),
            headers: vec![("authorization".to_owned(), "Bearer s3cr3t".to_owned())],
            secrets: Secrets::new(vec!["s3cr3t".to_owned()]),
        },
    }
}

impl World {
    fn call(&self, read_only: bool) -> Result<Value, Failure> {
        let tool = Tool {
            name: "get".to_owned(),
            title: None,
            description: String::new(),
            input_schema: json!({ "type": "object" }),
            output_schema: None,
            read_only,
            idempotent: false,
        };
        let client = Client::new(
            &self.network,
            &self.time,
            &self.endpoint,
            &self.connection,
            TIMEOUT_MS,
        );
        let arguments = RawValue::from_string("{}".to_owned()).unwrap();
        let outcome = block_on(client.call_tool(&tool, &arguments, &[], &mut |_| {}));
        outcome
            .map(|message: Message| serde_json::from_str(message.result().unwrap().get()).unwrap())
    }

    fn methods(&self) -> Vec<String> {
        let sent = self.network.sent.borrow();
        let method = |message: &Value| message["method"].as_str().unwrap().to_owned();
        sent.iter().map(|(_, message)| method(message)).collect()
    }

    fn header(&self, at: usize, name: &str) -> Option<String> {
        let sent = self.network.sent.borrow();
        let (request, _) = &sent[at];
        let found = request.headers.iter().find(|(known, _)| known == name)?;
        Some(found.1.clone())
    }

    /// The waits before repetitions; the clock of the whole call is the other one.
    fn pauses(&self) -> Vec<u64> {
        let waits = self.time.waits.borrow();
        waits.iter().copied().filter(|wait| *wait < 9_000).collect()
    }
}

fn json_answer(result: &str) -> Answer {
    let body = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#);
    Answer::With(200, "application/json", body)
}

fn modern() -> Answer {
    json_answer(r#"{"resultType":"complete","content":[]}"#)
}

fn legacy() -> Answer {
    json_answer(r#"{"content":[]}"#)
}

fn refusal() -> Answer {
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not initialized"}}"#;
    Answer::With(400, "application/json", body.to_owned())
}

fn welcome(session: &'static str) -> Answer {
    let body = r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}"#;
    Answer::Session(session, body.to_owned())
}

fn accepted() -> Answer {
    Answer::With(202, "", String::new())
}

#[test]
fn a_modern_server_is_asked_once_and_told_what_it_needs() {
    let world = world(&[modern()]);
    assert!(world.call(true).is_ok());
    assert_eq!(world.connection.era(), Some(Era::Modern));
    for (name, value) in [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "get"),
        ("authorization", "Bearer s3cr3t"),
        ("accept", "application/json, text/event-stream"),
    ] {
        assert_eq!(world.header(0, name).as_deref(), Some(value), "{name}");
    }
}

#[test]
fn an_older_server_gets_a_handshake_and_its_session_afterwards() {
    let world = world(&[refusal(), welcome("s1"), accepted(), legacy(), legacy()]);
    assert!(world.call(true).is_ok() && world.call(true).is_ok());
    assert_eq!(
        world.methods(),
        [
            "tools/call",
            "initialize",
            "notifications/initialized",
            "tools/call",
            "tools/call"
        ]
    );
    for at in [2, 3, 4] {
        assert_eq!(world.header(at, "mcp-session-id").as_deref(), Some("s1"));
        assert_eq!(
            world.header(at, "mcp-protocol-version").as_deref(),
            Some("2025-06-18")
        );
    }
}

#[test]
fn a_session_that_the_server_has_forgotten_is_begun_anew() {
    let gone = || Answer::With(404, "text/plain", "who?".to_owned());
    let world = world(&[
        refusal(),
        welcome("s1"),
        accepted(),
        gone(),
        welcome("s2"),
        accepted(),
        legacy(),
    ]);
    assert!(world.call(false).is_ok());
    assert_eq!(world.header(6, "mcp-session-id").as_deref(), Some("s2"));
}

#[test]
fn a_server_that_knows_neither_era_is_described_by_its_first_answer() {
    let page = |status| Answer::With(status, "text/plain", "nothing here".to_owned());
    let world = world(&[page(404), page(405)]);
    assert!(matches!(
        world.call(true),
        Err(Failure::Status { status: 404, .. })
    ));
}

#[test]
fn a_refusal_in_the_words_of_the_modern_era_is_no_reason_for_a_handshake() {
    let body = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32021,"message":"needs elicitation","data":{"requiredCapabilities":{}}}}"#;
    let world = world(&[Answer::With(400, "application/json", body.to_owned())]);
    assert!(matches!(
        world.call(true),
        Err(Failure::Refused { code: -32021, .. })
    ));
    assert_eq!(world.connection.era(), Some(Era::Modern));
}

#[test]
fn what_is_safe_is_repeated_twice_with_growing_pauses() {
    let down = || Answer::With(503, "text/plain", String::new());
    let recovered = world(&[down(), Answer::Break, modern()]);
    assert!(recovered.call(true).is_ok());
    assert_eq!(recovered.pauses(), [250, 500]);
    let lost = world(&[down(), down(), down()]);
    assert!(matches!(
        lost.call(true),
        Err(Failure::Status { status: 503, .. })
    ));
    assert_eq!(lost.methods().len(), 3);
}

#[test]
fn what_may_change_something_is_sent_once() {
    for answer in [
        Answer::With(503, "text/plain", String::new()),
        Answer::Later(429, "1"),
        Answer::Break,
    ] {
        let world = world(&[answer]);
        assert!(world.call(false).is_err());
        assert_eq!(world.methods().len(), 1);
    }
}

#[test]
fn a_server_is_given_the_time_it_asks_for_unless_that_is_too_long() {
    let patient = world(&[Answer::Later(429, "3"), modern()]);
    assert!(patient.call(true).is_ok());
    assert_eq!(patient.pauses(), [3_000]);
    let hurried = world(&[Answer::Later(503, "60")]);
    assert!(hurried.call(true).is_err());
    assert_eq!(hurried.pauses(), [0_u64; 0]);
}

#[test]
fn a_silent_server_ends_with_the_time_and_an_older_one_is_told() {
    let silent = world(&[Answer::Silence]);
    assert_eq!(silent.call(true), Err(Failure::Timeout));
    assert!(silent.network.forgotten.borrow().is_empty());
    let older = world(&[refusal(), welcome("s1"), accepted(), Answer::Silence]);
    assert_eq!(older.call(true), Err(Failure::Timeout));
    let told = older.network.forgotten.borrow();
    assert_eq!(told[0]["method"], "notifications/cancelled");
    let (_, call) = &older.network.sent.borrow()[3];
    assert_eq!(told[0]["params"]["requestId"], call["id"]);
}

#[test]
fn a_ping_is_answered_and_anything_else_that_a_server_asks_is_declined() {
    let events = concat!(
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"sampling/createMessage\",\"params\":{}}\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}\n\n",
    );
    let stream = Answer::With(200, "text/event-stream", events.to_owned());
    let world = world(&[refusal(), welcome("s1"), accepted(), stream]);
    assert!(world.call(true).is_ok());
    assert_eq!(
        *world.network.forgotten.borrow(),
        [
            json!({ "jsonrpc": "2.0", "id": "p", "result": {} }),
            json!({ "jsonrpc": "2.0", "id": 8, "error": { "code": -32601, "message": "this client answers pings only" } }),
        ]
    );
}

#[test]
fn what_follows_the_answer_in_a_stream_is_not_waited_for() {
    let events = "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\n\ndata: more\n\n";
    let world = world(&[Answer::With(200, "text/event-stream", events.to_owned())]);
    assert!(world.call(true).is_ok());
    assert_eq!(world.network.closed.get(), 1, "the stream is closed");
}

#[test]
fn a_secret_that_comes_back_is_struck_out() {
    let body = json_answer(
        r#"{"resultType":"complete","content":[{"type":"text","text":"Bearer s3cr3t"}]}"#,
    );
    let result = world(&[body]).call(true).unwrap();
    assert_eq!(result["content"][0]["text"], "Bearer [secret]");
    let world = world(&[Answer::With(500, "text/plain", "no s3cr3t".to_owned())]);
    let failure = world.call(false).unwrap_err();
    assert!(
        format!("{failure:?}").contains("no [secret]"),
        "{failure:?}"
    );
}

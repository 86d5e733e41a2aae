//! The client of other servers over a network that fails on demand: eras, sessions, repetitions, time. What real servers do is tested in
//! workerd, against the official libraries; here is what they cannot be made to do at a given moment.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use codemode_database::limits::{MAX_TOOL_PAGES, MAX_TOOLS};
use codemode_database::mcp::call::CallResult;
use codemode_database::mcp::client::{Client, Connection, Endpoint};
use codemode_database::mcp::listing::Listing;
use codemode_database::mcp::transport::{Body, Broken, Clock, Http, Request, Response};
use codemode_database::mcp::{Era, Failure, Message, Secrets};
use codemode_database::tools::{Tool, arguments};
use futures::executor::block_on;
use futures::future::join;
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
    forgotten: RefCell<Vec<(Request, Value)>>,
    /// Answers take their time, so that others come in between.
    slow: Cell<bool>,
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
        if self.slow.get() {
            a_moment().await;
        }
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
        self.forgotten.borrow_mut().push((request, message));
    }
}

/// Lets everybody else go first, once.
async fn a_moment() {
    let mut waited = false;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut waited, true) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
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
            slow: Cell::new(false),
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
    fn client(&self) -> Client<'_, Network, Time> {
        Client::new(
            &self.network,
            &self.time,
            &self.endpoint,
            &self.connection,
            TIMEOUT_MS,
        )
    }

    fn call(&self, read_only: bool) -> Result<Value, Failure> {
        block_on(self.calling(read_only))
    }

    async fn calling(&self, read_only: bool) -> Result<Value, Failure> {
        let tool = Tool {
            name: "get".to_owned(),
            title: None,
            description: String::new(),
            input_schema: json!({ "type": "object" }),
            output_schema: None,
            read_only,
            idempotent: false,
        };
        let arguments = RawValue::from_string("{}".to_owned()).unwrap();
        let client = self.client();
        let message: Message = client
            .call_tool(&tool, &arguments, &[], &mut |_| {})
            .await?;
        CallResult::read(&message)?;
        Ok(serde_json::from_str(message.result()?.get()).unwrap())
    }

    fn list(&self) -> Result<Listing, Failure> {
        block_on(self.client().list_tools())
    }

    /// How often the tool has been called.
    fn calls(&self) -> usize {
        let methods = self.methods();
        methods.iter().filter(|name| *name == "tools/call").count()
    }

    /// What was sent without waiting for an answer.
    fn told(&self) -> Vec<Value> {
        let forgotten = self.network.forgotten.borrow();
        forgotten
            .iter()
            .map(|(_, message)| message.clone())
            .collect()
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
fn a_server_that_fails_at_what_it_does_not_expect_gets_a_handshake() {
    for answer in [
        Answer::With(500, "text/html", "<h1>oops</h1>".to_owned()),
        Answer::With(409, "text/plain", "initialize first".to_owned()),
    ] {
        let world = world(&[answer, welcome("s1"), accepted(), legacy()]);
        assert!(world.call(true).is_ok());
        assert_eq!(world.connection.era(), Some(Era::Legacy));
    }
}

#[test]
fn pings_without_end_are_answered_up_to_a_number() {
    let ping = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n";
    let answer = "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}\n\n";
    let body = format!("{}{answer}", ping.repeat(5_000));
    let stream = Answer::With(200, "text/event-stream", body);
    let world = world(&[refusal(), welcome("s1"), accepted(), stream]);
    assert!(world.call(true).is_ok());
    assert_eq!(world.network.forgotten.borrow().len(), 20);
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
        world.connection.assume(Some(Era::Modern));
        assert!(world.call(false).is_err());
        assert_eq!(world.methods(), ["tools/call"]);
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
    assert!(silent.told().is_empty());
    let older = world(&[refusal(), welcome("s1"), accepted(), Answer::Silence]);
    assert_eq!(older.call(true), Err(Failure::Timeout));
    let told = older.told();
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
        world.told(),
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
    let world = world(&[Answer::With(503, "text/plain", "no s3cr3t".to_owned())]);
    let failure = world.call(false).unwrap_err();
    assert!(
        format!("{failure:?}").contains("no [secret]"),
        "{failure:?}"
    );
}

/// What servers of the official libraries say to a request of the other era, or without the session that they want.
mod said {
    use super::Answer;

    fn refusal(status: u16, error: &str) -> Answer {
        let body = format!(r#"{{"jsonrpc":"2.0","id":null,"error":{error}}}"#);
        Answer::With(status, "application/json", body)
    }

    pub fn session_required() -> Answer {
        refusal(
            400,
            r#"{"code":-32000,"message":"Bad Request: Mcp-Session-Id header is required"}"#,
        )
    }

    pub fn version_of_2026_unsupported() -> Answer {
        refusal(
            400,
            r#"{"code":-32000,"message":"Bad Request: Unsupported protocol version: 2026-07-28 (supported versions: 2025-11-25)"}"#,
        )
    }

    pub fn version_of_2025_unsupported() -> Answer {
        refusal(
            400,
            r#"{"code":-32022,"message":"Unsupported protocol version: 2025-11-25","data":{"supported":["2026-07-28"]}}"#,
        )
    }

    pub fn only_older_versions() -> Answer {
        refusal(
            400,
            r#"{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2025-11-25"]}}"#,
        )
    }

    pub fn plainly(status: u16, text: &str) -> Answer {
        Answer::With(status, "text/plain", text.to_owned())
    }

    pub fn in_band(code: i64) -> Answer {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":{code},"message":"no such session"}}}}"#
        );
        Answer::With(200, "application/json", body)
    }
}

#[test]
fn a_server_that_was_replaced_by_an_older_one_gets_a_handshake() {
    for refused in [
        said::session_required(),
        said::version_of_2026_unsupported(),
        said::only_older_versions(),
        said::plainly(404, "Not Found"),
        said::plainly(405, ""),
    ] {
        let world = world(&[
            modern(),
            refused.clone(),
            refused,
            welcome("s1"),
            accepted(),
            legacy(),
            legacy(),
        ]);
        world.connection.assume(Some(Era::Modern));
        assert!(world.call(false).is_ok());
        assert!(world.call(false).is_ok());
        assert_eq!(world.connection.era(), Some(Era::Legacy));
        assert_eq!(
            world.methods()[1..],
            [
                "tools/call",
                "tools/list",
                "initialize",
                "notifications/initialized",
                "tools/call"
            ]
        );
        assert!(world.call(false).is_ok(), "and stays so");
        assert_eq!(world.methods().len(), 7);
    }
}

#[test]
fn a_server_that_was_replaced_by_a_modern_one_is_spoken_to_as_such() {
    // With a session from before, and without: then the handshake is what it refuses.
    let before = [refusal(), welcome("s1"), accepted(), legacy()];
    let after = [
        said::version_of_2025_unsupported(),
        json_answer(r#"{"resultType":"complete","tools":[]}"#),
        modern(),
        modern(),
    ];
    let kept = world(&[&before[..], &after].concat());
    assert!(kept.call(true).is_ok());
    assert!(kept.call(false).is_ok());
    assert_eq!(kept.connection.era(), Some(Era::Modern));
    assert_eq!(
        kept.methods()[4..],
        ["tools/call", "tools/list", "tools/call"]
    );
    assert_eq!(kept.header(6, "mcp-session-id"), None);
    assert!(kept.call(false).is_ok(), "and stays so");

    let fresh = world(&after);
    fresh.connection.assume(Some(Era::Legacy));
    assert!(fresh.call(false).is_ok() && fresh.call(false).is_ok());
    assert_eq!(
        fresh.methods(),
        ["initialize", "tools/list", "tools/call", "tools/call"]
    );
}

#[test]
fn a_server_that_wants_sessions_since_lately_gets_one() {
    let without =
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}"#;
    let world = world(&[
        Answer::With(200, "application/json", without.to_owned()),
        accepted(),
        legacy(),
        said::session_required(),
        said::version_of_2026_unsupported(),
        welcome("s1"),
        accepted(),
        legacy(),
    ]);
    world.connection.assume(Some(Era::Legacy));
    assert!(world.call(false).is_ok() && world.call(false).is_ok());
    assert_eq!(world.header(7, "mcp-session-id").as_deref(), Some("s1"));
    assert_eq!(world.calls(), 3);
}

#[test]
fn what_a_tool_says_is_no_reason_to_find_out_anew() {
    let capability =
        r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32021,"message":"needs a session"}}"#;
    for answer in [
        said::in_band(-32602),
        said::in_band(-32022),
        said::in_band(-32000),
        said::plainly(500, "session lost"),
        said::plainly(409, "session"),
        Answer::With(400, "application/json", capability.to_owned()),
    ] {
        let world = world(&[answer]);
        world.connection.assume(Some(Era::Modern));
        assert!(world.call(false).is_err());
        assert_eq!(world.methods(), ["tools/call"]);
        assert_eq!(world.connection.era(), Some(Era::Modern));
    }
    for answer in [
        said::in_band(-32602),
        said::in_band(-32000),
        said::plainly(400, "the year is no number"),
        said::plainly(422, "session"),
        said::plainly(500, "session lost"),
    ] {
        let world = world(&[welcome("s1"), accepted(), answer]);
        world.connection.assume(Some(Era::Legacy));
        assert!(world.call(false).is_err());
        assert_eq!(world.calls(), 1);
        assert_eq!(world.connection.era(), Some(Era::Legacy));
    }
}

#[test]
fn a_refusal_that_was_about_something_else_is_reported_without_asking_again() {
    let listed = json_answer(r#"{"resultType":"complete","tools":[]}"#);
    let modern = world(&[said::plainly(400, "the year is no number"), listed]);
    modern.connection.assume(Some(Era::Modern));
    let failure = modern.call(false).unwrap_err();
    assert!(matches!(&failure, Failure::Status { status: 400, text, .. } if text.contains("year")));
    assert_eq!(modern.methods(), ["tools/call", "tools/list"]);
    // A server that answers nothing at all any more is described by what it said to the call.
    let gone = world(&[
        said::plainly(404, "gone away"),
        said::plainly(404, "nothing here"),
        said::plainly(404, "nothing here"),
    ]);
    gone.connection.assume(Some(Era::Modern));
    let failure = gone.call(false).unwrap_err();
    assert!(matches!(&failure, Failure::Status { text, .. } if text == "gone away"));
    assert_eq!(gone.calls(), 1);
}

#[test]
fn what_may_do_something_twice_is_never_sent_to_find_out_the_era() {
    // This one takes requests of the modern era for its own and carries them out.
    let world = world(&[
        welcome("s1"),
        accepted(),
        said::session_required(),
        json_answer(r#"{"tools":[]}"#),
        welcome("s2"),
        accepted(),
        legacy(),
    ]);
    world.connection.assume(Some(Era::Legacy));
    assert!(world.call(false).is_ok());
    assert_eq!(world.calls(), 2, "one refused, one taken");
    assert_eq!(world.header(6, "mcp-session-id").as_deref(), Some("s2"));
}

#[test]
fn the_era_is_found_out_once_for_a_request() {
    let world = world(&[
        said::session_required(),
        said::session_required(),
        welcome("s1"),
        accepted(),
        said::session_required(),
    ]);
    world.connection.assume(Some(Era::Modern));
    assert!(matches!(
        world.call(false),
        Err(Failure::Refused { status: 400, .. })
    ));
    assert_eq!(world.methods().len(), 5);
}

#[test]
fn what_the_connection_has_seen_counts_more_than_an_old_list() {
    let broken = world(&[
        said::version_of_2026_unsupported(),
        Answer::With(503, "text/plain", String::new()),
        said::version_of_2026_unsupported(),
        welcome("s1"),
        accepted(),
        legacy(),
    ]);
    broken.connection.assume(Some(Era::Modern));
    assert!(broken.call(false).is_err());
    broken.connection.assume(Some(Era::Modern));
    assert_eq!(
        broken.connection.era(),
        None,
        "what was wrong stays forgotten"
    );
    assert!(broken.call(false).is_ok());
    assert_eq!(broken.calls(), 2);
    broken.connection.assume(Some(Era::Modern));
    assert_eq!(broken.connection.era(), Some(Era::Legacy));
}

#[test]
fn after_a_handshake_the_second_failure_is_the_one_that_is_reported() {
    let broken_page = Answer::With(200, "text/plain", "oops".to_owned());
    for (second, wanted) in [
        (broken_page, "neither JSON nor an event stream"),
        (said::plainly(404, "no such tool"), "no such tool"),
    ] {
        let answers = [refusal(), welcome("s1"), accepted(), second.clone()];
        let again = [welcome("s2"), accepted(), second];
        let world = world(&[&answers[..], &again].concat());
        let failure = world.list().unwrap_err();
        assert!(format!("{failure:?}").contains(wanted), "{failure:?}");
        assert_eq!(world.connection.era(), Some(Era::Legacy));
    }
}

fn nested(levels: usize) -> String {
    format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels))
}

#[test]
fn a_tool_whose_schema_nests_too_deep_is_taken_without_it() {
    for levels in [65, 130, 100_000] {
        let deep = nested(levels);
        let tools = format!(
            r#"{{"resultType":"complete","tools":[{{"name":"flat","inputSchema":{{"type":"object","required":["id"]}}}},{{"name":"deep","description":"d","inputSchema":{deep},"outputSchema":{deep},"_meta":{deep},"annotations":{{"readOnlyHint":true}}}},{{"name":"last","inputSchema":{}}}]}}"#,
            nested(64)
        );
        let listing = world(&[json_answer(&tools)]).list().unwrap();
        let names: Vec<&str> = listing
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        assert_eq!(names, ["flat", "deep", "last"]);
        let [flat, tool, last] = &listing.tools[..] else {
            panic!()
        };
        assert_eq!((tool.description.as_str(), tool.read_only), ("d", true));
        assert_eq!(tool.output_schema, None);
        assert!(arguments::check(&tool.input_schema, &json!({ "any": [1] })).is_ok());
        assert!(arguments::check(&flat.input_schema, &json!({ "any": [1] })).is_err());
        assert!(last.input_schema.is_object());
        assert_eq!(
            listing.warnings,
            ["inputSchema", "outputSchema"].map(|field| format!(
                "the tool deep is taken without its {field}: it nests deeper than 64 levels"
            ))
        );
    }
}

#[test]
fn an_answer_of_a_tool_that_nests_too_deep_fails() {
    let result = |levels| {
        let structured = nested(levels);
        json_answer(&format!(
            r#"{{"resultType":"complete","content":[],"structuredContent":{structured}}}"#
        ))
    };
    assert!(world(&[result(110)]).call(true).is_ok());
    for levels in [121, 100_000] {
        let failure = world(&[result(levels)]).call(true).unwrap_err();
        assert!(matches!(&failure, Failure::Protocol(text) if text.contains("nests deeper")));
    }
}

#[test]
fn a_result_that_is_no_object_fails_and_is_called_what_it_is() {
    for (result, wanted) in [
        ("[]", "the result is a list; it must be an object"),
        (
            r#"["complete",[]]"#,
            "the result is a list; it must be an object",
        ),
        ("null", "the result is null; it must be an object"),
        (r#""done""#, "the result is a text; it must be an object"),
        ("true", "the result is a boolean; it must be an object"),
        ("-1", "the result is a number; it must be an object"),
    ] {
        let event = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{result}}}\n\n");
        for answer in [
            json_answer(result),
            Answer::With(200, "text/event-stream", event),
        ] {
            let world = world(&[answer]);
            assert_eq!(
                world.call(true),
                Err(Failure::Protocol(wanted.to_owned())),
                "{result}"
            );
        }
    }
    let batch = r#"[{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}]"#;
    for body in [batch, r#"[$ID,null,null,{"content":[]}]"#] {
        let failure = world(&[Answer::With(200, "application/json", body.to_owned())])
            .call(true)
            .unwrap_err();
        assert!(matches!(&failure, Failure::Protocol(text) if text.contains("it is a list")));
    }
    // Servers of JSON-RPC 1.0 send both.
    let both = r#"{"id":$ID,"result":null,"error":{"code":-32602,"message":"no"}}"#;
    let refused = world(&[Answer::With(200, "application/json", both.to_owned())]);
    refused.connection.assume(Some(Era::Modern));
    assert!(matches!(
        refused.call(true),
        Err(Failure::Refused { code: -32602, .. })
    ));
}

#[test]
fn content_that_is_null_is_no_content() {
    let world = world(&[json_answer(
        r#"{"resultType":"complete","content":null,"structuredContent":{"a":1}}"#,
    )]);
    assert_eq!(world.call(true).unwrap()["structuredContent"]["a"], 1);
}

#[test]
fn one_byte_order_mark_before_the_answer_is_passed_over() {
    let marked = |marks: &str| {
        let body = r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[]}}"#;
        Answer::With(200, "application/json", format!("{marks}{body}"))
    };
    assert!(world(&[marked("\u{feff}")]).call(true).is_ok());
    assert!(matches!(
        world(&[marked("\u{feff}\u{feff}")]).call(true),
        Err(Failure::Protocol(_))
    ));
    let body = "\u{feff}{\"id\":$ID,\"error\":{\"code\":-32020,\"message\":\"no\"}}".to_owned();
    assert!(matches!(
        world(&[Answer::With(400, "application/json", body)]).call(true),
        Err(Failure::Refused { code: -32020, .. })
    ));
}

#[test]
fn a_list_that_was_cut_says_so() {
    let page = |tools: &str, next: &str| {
        json_answer(&format!(
            r#"{{"resultType":"complete","tools":[{tools}]{next}}}"#
        ))
    };
    let pages: Vec<Answer> = (0..=MAX_TOOL_PAGES)
        .map(|at| {
            let tool = format!(r#"{{"name":"t{at}","inputSchema":{{}}}}"#);
            page(&tool, &format!(r#","nextCursor":"{at}""#))
        })
        .collect();
    let long = world(&pages).list().unwrap();
    assert_eq!(long.tools.len(), MAX_TOOL_PAGES);
    assert_eq!(
        long.warnings,
        ["the list of tools is cut after 100 tools: it has more than 100 pages"]
    );

    let many = |count: usize| {
        let tools: Vec<String> = (0..count)
            .map(|at| format!(r#"{{"name":"t{at}","inputSchema":{{}}}}"#))
            .collect();
        world(&[page(&tools.join(","), "")]).list().unwrap()
    };
    assert!(many(MAX_TOOLS).warnings.is_empty());
    let full = many(MAX_TOOLS + 5);
    assert_eq!(full.tools.len(), MAX_TOOLS);
    assert_eq!(
        full.warnings,
        ["the list of tools is cut after 2000 tools: it has more than 2000 tools"]
    );

    let again = || page("", r#","nextCursor":"a""#);
    let round = world(&[again(), again()]).list().unwrap();
    assert_eq!(
        round.warnings,
        ["the list of tools is cut after 0 tools: a page leads to one before it"]
    );
}

#[test]
fn of_two_sessions_that_were_begun_at_once_one_is_used_and_the_other_ended() {
    let mut world = world(&[
        welcome("s1"),
        welcome("s2"),
        accepted(),
        accepted(),
        legacy(),
        legacy(),
        legacy(),
    ]);
    // Requests of different origins do not wait for each other.
    world.connection = Connection::default();
    world.connection.assume(Some(Era::Legacy));
    world.network.slow.set(true);
    let (first, second) = block_on(join(world.calling(false), world.calling(false)));
    assert!(first.is_ok() && second.is_ok());
    assert!(world.call(false).is_ok());
    assert_eq!(
        world.methods(),
        [
            "initialize",
            "initialize",
            "notifications/initialized",
            "notifications/initialized",
            "tools/call",
            "tools/call",
            "tools/call"
        ]
    );
    for at in [4, 5, 6] {
        assert_eq!(world.header(at, "mcp-session-id").as_deref(), Some("s1"));
    }
    assert_eq!(world.told(), [json!("DELETE")]);
    let (ended, _) = &world.network.forgotten.borrow()[0];
    assert!(
        ended
            .headers
            .contains(&("mcp-session-id".to_owned(), "s2".to_owned()))
    );
}

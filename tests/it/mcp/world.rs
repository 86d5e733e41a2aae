//! A network that behaves as a test prescribes, and a clock that advances only while somebody
//! waits.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use futures::executor::block_on;
use mcp::Tool;
use mcp::call::CallResult;
use mcp::client::{Client, Connection, Endpoint};
use mcp::listing::Listing;
use mcp::{Failure, Message};
use net::Secrets;
use net::transport::{Body, Broken, Clock, Http, Request, Response};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The behaviour of the network for one request.
#[derive(Clone)]
pub enum Answer {
    /// A response with status, type, and a body in which `$ID` is replaced by the id of the
    /// request.
    With(u16, &'static str, String),
    /// The same with a session id.
    Session(&'static str, String),
    /// The same, with a request to wait this many seconds.
    Later(u16, &'static str),
    /// The connection breaks.
    Break,
    /// No response.
    Silence,
}

pub struct Network {
    pub answers: RefCell<VecDeque<Answer>>,
    pub sent: RefCell<Vec<(Request, Value)>>,
    pub forgotten: RefCell<Vec<(Request, Value)>>,
    /// True if responses take time, so that other requests run in between.
    pub slow: Cell<bool>,
    pub closed: Rc<Cell<u32>>,
    last_id: Cell<u64>,
}

pub struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    finished: bool,
    pub closed: Rc<Cell<u32>>,
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
        // A request for the rest of a stream has no id of its own.
        if message["id"].is_number() {
            self.last_id.set(message["id"].as_u64().unwrap());
        }
        let id = self.last_id.get().to_string();
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
            Answer::Break => return Err(Broken::Off("on demand".to_owned())),
            Answer::Silence => std::future::pending().await,
        };
        Ok(Response {
            status,
            content_type: content_type.to_owned(),
            session: session.map(str::to_owned),
            length: None,
            retry_after: retry_after.map(str::to_owned),
            challenge: None,
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

/// Lets all other tasks run first, once.
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

/// A clock that advances only while somebody waits.
pub struct Time {
    pub now_ms: Cell<u64>,
    pub waits: RefCell<Vec<u64>>,
}

impl Clock for Time {
    fn now_ms(&self) -> u64 {
        self.now_ms.get()
    }

    async fn sleep(&self, milliseconds: u64) {
        // Tasks that are ready run first, and so do tasks that wait for less.
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

pub struct World {
    pub network: Network,
    pub time: Time,
    pub connection: Connection,
    pub endpoint: Endpoint,
}

pub const TIMEOUT_MS: u32 = 10_000;

pub fn world(answers: &[Answer]) -> World {
    World {
        network: Network {
            answers: RefCell::new(answers.iter().cloned().collect()),
            sent: RefCell::default(),
            forgotten: RefCell::default(),
            slow: Cell::new(false),
            closed: Rc::default(),
            last_id: Cell::default(),
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
            access: None,
        },
    }
}

impl World {
    pub fn client(&self) -> Client<'_, Network, Time> {
        Client::new(
            &self.network,
            &self.time,
            &self.endpoint,
            &self.connection,
            TIMEOUT_MS,
        )
    }

    pub fn call(&self, read_only: bool) -> Result<Value, Failure> {
        block_on(self.calling(read_only))
    }

    /// Makes a call with these arguments, as JSON text.
    pub fn call_with(&self, read_only: bool, arguments: &str) -> Result<Value, Failure> {
        block_on(self.calling_with(read_only, arguments))
    }

    pub async fn calling(&self, read_only: bool) -> Result<Value, Failure> {
        self.calling_with(read_only, "{}").await
    }

    async fn calling_with(&self, read_only: bool, arguments: &str) -> Result<Value, Failure> {
        let tool = Tool {
            name: "get".to_owned(),
            title: None,
            description: String::new(),
            input_schema: json!({ "type": "object" }),
            output_schema: None,
            read_only,
            idempotent: false,
        };
        let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
        let client = self.client();
        let message: Message = client
            .call_tool(&tool, &arguments, &[], &mut |_| {})
            .await?;
        CallResult::read(&message)?;
        Ok(serde_json::from_str(message.result()?.get()).unwrap())
    }

    pub fn list(&self) -> Result<Listing, Failure> {
        block_on(self.client().list_tools())
    }

    /// Returns how often the tool has been called.
    pub fn calls(&self) -> usize {
        let methods = self.methods();
        methods.iter().filter(|name| *name == "tools/call").count()
    }

    /// Returns the messages that were sent without waiting for a response.
    pub fn told(&self) -> Vec<Value> {
        let forgotten = self.network.forgotten.borrow();
        forgotten
            .iter()
            .map(|(_, message)| message.clone())
            .collect()
    }

    pub fn methods(&self) -> Vec<String> {
        let sent = self.network.sent.borrow();
        sent.iter()
            .map(|(request, message)| message["method"].as_str().unwrap_or(request.method))
            .map(str::to_owned)
            .collect()
    }

    pub fn header(&self, at: usize, name: &str) -> Option<String> {
        let sent = self.network.sent.borrow();
        let (request, _) = &sent[at];
        let found = request.headers.iter().find(|(known, _)| known == name)?;
        Some(found.1.clone())
    }

    /// Returns the waits before retries, without the timeout of the whole call.
    pub fn pauses(&self) -> Vec<u64> {
        let waits = self.time.waits.borrow();
        waits.iter().copied().filter(|wait| *wait < 9_000).collect()
    }
}

pub fn json_answer(result: &str) -> Answer {
    let body = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#);
    Answer::With(200, "application/json", body)
}

pub fn modern() -> Answer {
    json_answer(r#"{"resultType":"complete","content":[]}"#)
}

pub fn legacy() -> Answer {
    json_answer(r#"{"content":[]}"#)
}

pub fn refusal() -> Answer {
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not initialized"}}"#;
    Answer::With(400, "application/json", body.to_owned())
}

pub fn welcome(session: &'static str) -> Answer {
    let body = r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}"#;
    Answer::Session(session, body.to_owned())
}

pub fn accepted() -> Answer {
    Answer::With(202, "", String::new())
}

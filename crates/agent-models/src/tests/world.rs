//! A network that does what a test specifies, and a clock that only advances while somebody waits.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use futures::executor::block_on;
use net::transport::{Body, Broken, Clock, Http, Request, Response};
use serde_json::{Value, json};

use crate::anthropic::Anthropic;
use crate::completion::Completion;
use crate::error::ModelFailure;
use crate::exchange::{EndpointMemory, Ports};
use crate::model::LanguageModel;
use crate::openai::OpenAi;
use crate::request::{Message, ModelRequest, Structure};
use crate::settings::{Hosted, Settings};
use crate::workers_ai::{Ai, AiResponse, WorkersAi};

pub const KEY: &str = "sk-very-secret";

/// The next event of a body.
#[derive(Clone)]
pub enum Piece {
    Bytes(Vec<u8>),
    Break,
    Full,
    Silence,
}

/// The reaction of the network to one request.
#[derive(Clone)]
pub enum Reply {
    With {
        status: u16,
        content_type: &'static str,
        retry_after: Option<&'static str>,
        length: Option<u64>,
        pieces: Vec<Piece>,
    },
    Break,
    Silence,
}

pub fn reply(status: u16, content_type: &'static str, text: &str) -> Reply {
    Reply::With {
        status,
        content_type,
        retry_after: None,
        length: None,
        pieces: vec![Piece::Bytes(text.as_bytes().to_vec())],
    }
}

pub fn events(text: &str) -> Reply {
    reply(200, "text/event-stream", text)
}

pub fn pieces(pieces: Vec<Piece>) -> Reply {
    Reply::With {
        status: 200,
        content_type: "text/event-stream",
        retry_after: None,
        length: None,
        pieces,
    }
}

pub fn bytes(text: &str) -> Piece {
    Piece::Bytes(text.as_bytes().to_vec())
}

pub fn later(status: u16, seconds: &'static str) -> Reply {
    Reply::With {
        status,
        content_type: "application/json",
        retry_after: Some(seconds),
        length: None,
        pieces: Vec::new(),
    }
}

pub struct Pieces {
    pieces: VecDeque<Piece>,
    largest_held: Rc<Cell<usize>>,
}

impl Body for Pieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        match self.pieces.pop_front() {
            None => Ok(None),
            Some(Piece::Bytes(bytes)) => Ok(Some(bytes)),
            Some(Piece::Break) => Err(Broken::Off(format!("reset by a peer that knows {KEY}"))),
            Some(Piece::Full) => Err(Broken::NoRoom),
            Some(Piece::Silence) => std::future::pending().await,
        }
    }

    fn holds(&mut self, bytes: usize) {
        self.largest_held.set(self.largest_held.get().max(bytes));
    }
}

pub struct World {
    pub replies: RefCell<VecDeque<Reply>>,
    pub sent: RefCell<Vec<Request>>,
    /// The responses of the binding of Workers AI; `inputs` has the inputs that it received.
    pub runs: RefCell<VecDeque<Result<AiReply, String>>>,
    pub inputs: RefCell<Vec<(String, Value)>>,
    pub now_ms: Cell<u64>,
    pub waits: RefCell<Vec<u64>>,
    pub largest_held: Rc<Cell<usize>>,
    pub memory: EndpointMemory,
}

#[derive(Clone)]
pub enum AiReply {
    Stream(Vec<Piece>),
    Whole(&'static str),
    Silence,
}

impl World {
    fn arriving(&self, pieces: Vec<Piece>) -> Pieces {
        Pieces {
            pieces: pieces.into(),
            largest_held: Rc::clone(&self.largest_held),
        }
    }
}

impl Http for World {
    type Body = Pieces;

    async fn send(&self, request: Request) -> Result<Response<Pieces>, Broken> {
        self.sent.borrow_mut().push(request);
        let reply = self.replies.borrow_mut().pop_front();
        match reply.expect("a reply for each request") {
            Reply::With {
                status,
                content_type,
                retry_after,
                length,
                pieces,
            } => Ok(Response {
                status,
                content_type: content_type.to_owned(),
                session: None,
                length,
                retry_after: retry_after.map(str::to_owned),
                challenge: None,
                body: self.arriving(pieces),
            }),
            Reply::Break => Err(Broken::Off(format!("no route, {KEY}"))),
            Reply::Silence => std::future::pending().await,
        }
    }

    fn send_and_forget(&self, _request: Request) {}
}

impl Ai for World {
    type Body = Pieces;

    async fn run(&self, model: &str, input: String) -> Result<AiResponse<Pieces>, String> {
        let input = serde_json::from_str(&input).unwrap();
        self.inputs.borrow_mut().push((model.to_owned(), input));
        let run = self.runs.borrow_mut().pop_front();
        match run.expect("a reply for each run")? {
            AiReply::Stream(pieces) => Ok(AiResponse::Stream(self.arriving(pieces))),
            AiReply::Whole(json) => Ok(AiResponse::Whole(json.to_owned())),
            AiReply::Silence => std::future::pending().await,
        }
    }
}

impl Clock for World {
    fn now_ms(&self) -> u64 {
        self.now_ms.get()
    }

    async fn sleep(&self, milliseconds: u64) {
        // All other tasks that are ready run first.
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
        self.waits.borrow_mut().push(milliseconds);
        self.now_ms.set(self.now_ms.get() + milliseconds);
    }

    fn random(&self) -> f64 {
        0.5
    }
}

pub fn world(replies: Vec<Reply>) -> World {
    World {
        replies: RefCell::new(replies.into()),
        sent: RefCell::default(),
        runs: RefCell::default(),
        inputs: RefCell::default(),
        now_ms: Cell::new(1_445_412_477_000),
        waits: RefCell::default(),
        largest_held: Rc::default(),
        memory: EndpointMemory::default(),
    }
}

/// Parses a configuration as a deployment writes it.
pub fn hosted(model: &Value) -> Hosted {
    let key = (model["provider"] != "workers-ai").then(|| KEY.to_owned());
    let text = model.to_string();
    let settings = Settings::parse(|name| match name {
        "MODEL" => Some(text.clone()),
        _ => key.clone(),
    });
    match settings.unwrap() {
        Settings::Hosted(hosted) => *hosted,
        Settings::Planner => panic!("a model is configured"),
    }
}

pub fn openai() -> Hosted {
    hosted(&json!({"provider":"openai","model":"test-model","baseUrl":"http://127.0.0.1:1/v1"}))
}

pub fn anthropic() -> Hosted {
    hosted(&json!({"provider":"anthropic","model":"test-model","baseUrl":"http://127.0.0.1:1"}))
}

pub fn workers_ai() -> Hosted {
    hosted(&json!({"provider":"workers-ai","model":"@cf/meta/llama"}))
}

pub type Outcome = (Result<Completion, ModelFailure>, Vec<String>);

impl World {
    pub fn ports(&self) -> Ports<'_, Self, Self> {
        Ports {
            http: self,
            clock: self,
        }
    }

    pub fn ask_openai(&self, request: &ModelRequest) -> Outcome {
        let hosted = openai();
        ask(&OpenAi::new(self.ports(), &hosted, &self.memory), request)
    }

    /// Sends a request and ignores the streamed text.
    pub fn ask_in_silence(&self, request: &ModelRequest) -> Result<Completion, ModelFailure> {
        let hosted = openai();
        let model = OpenAi::new(self.ports(), &hosted, &self.memory);
        block_on(model.complete(request, &mut |_| {}))
    }

    pub fn ask_anthropic(&self, request: &ModelRequest) -> Outcome {
        let hosted = anthropic();
        ask(
            &Anthropic::new(self.ports(), &hosted, &self.memory),
            request,
        )
    }

    pub fn ask_workers_ai(&self, request: &ModelRequest) -> Outcome {
        let hosted = workers_ai();
        ask(&WorkersAi::new(self, self, &hosted, &self.memory), request)
    }

    pub fn body(&self, at: usize) -> Value {
        serde_json::from_str(&self.sent.borrow()[at].body).unwrap()
    }
}

/// Returns the outcome, and the text that was streamed.
pub fn ask(model: &impl LanguageModel, request: &ModelRequest) -> Outcome {
    let mut texts = Vec::new();
    let outcome = block_on(model.complete(request, &mut |text| texts.push(text.to_owned())));
    // No outcome shows the key.
    let seen = format!("{outcome:?} {texts:?} {:?}", model.describe());
    assert!(!seen.contains(KEY), "{seen}");
    (outcome, texts)
}

/// Returns the request of the fixtures.
pub fn request() -> ModelRequest {
    let messages = vec![
        Message::user("How many films are there?"),
        Message::assistant("There are 3."),
        Message::user("And \"actors\"?\nCount them."),
    ];
    ModelRequest::new("You write SQL for SQLite.", messages, 256).unwrap()
}

pub fn structure() -> Structure {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "One SELECT statement" },
            "explanation": { "type": "string" },
        },
        "required": ["query", "explanation"],
        "additionalProperties": false,
    });
    Structure::new("write_query", "A query with its explanation", schema)
        .unwrap()
        .streaming("explanation")
}

pub fn structured() -> ModelRequest {
    request().structured(structure())
}
